"""memcli's own folder: for each workspace a place for undo copies, quarantine, seals, intents, archive, cursors.

Nothing here lies in an agent's folder. Folders are 0700 and files 0600 whatever the umask.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from memcli import settings
from memcli.errors import CannotWrite, RefusedForSafety
from memcli.storage import system

KINDS = ("undo", "quarantine", "seals", "intents", "archive", "tombstones", "cursors", "dreams", "inbox", "git")
"""The places of a store, by the name of their folder. `intents` is empty while no memcli writes."""
_ABOUT = "workspace.json"


class Store(NamedTuple):
    """One workspace's part of the state folder; `folder` need not exist yet. `root` is the workspace's real path."""

    id: str
    folder: str
    root: str


class Usage(NamedTuple):
    """What one place takes."""

    files: int
    bytes: int


def store(root: str, own_id: str | None = None) -> Store:
    """The store of the workspace at `root`: named by the agent's own id of it when there is one, else by a hash of
    the real path. Creates nothing."""
    from hashlib import sha256

    real = os.path.realpath(root)
    name = sha256(os.fsencode(real)).hexdigest()[:16]
    if own_id:
        safe = "".join(c for c in own_id if c.isascii() and (c.isalnum() or c in "-_"))
        name = safe if safe == own_id and len(safe) <= 64 else sha256(os.fsencode(own_id)).hexdigest()[:16]
    return Store(name, os.path.join(_base(), name), real)


def place(store: Store, kind: str) -> str:
    """The folder of one of KINDS, made when it is missing. Raises CannotWrite, RefusedForSafety when the state folder
    is another user's."""
    path = os.path.join(store.folder, kind)
    if not os.path.isdir(path):
        with telling(path):
            make_folder(store.folder)
            _describe(store)
            make_folder(path)
    return path


def stores() -> list[Store]:
    """Every store there is, by id. `root` is "" when the store does not tell."""
    try:
        names = sorted(os.listdir(_base()))
    except OSError:
        return []
    found = [(name, os.path.join(_base(), name)) for name in names]
    return [Store(name, path, _root_of(path)) for name, path in found if os.path.isdir(path)]


def usage(store: Store) -> dict[str, Usage]:
    """What each place of a store takes, places that do not exist left out."""
    found = {}
    for kind in KINDS:
        every = list(sizes(os.path.join(store.folder, kind)))
        if every:
            found[kind] = Usage(len(every), sum(every))
    return found


def remove(store: Store) -> None:
    """Remove a store with everything in it. Raises RefusedForSafety while a memcli writes there."""
    from memcli.storage.locks import own

    if not os.path.isdir(store.folder):
        return
    with own(store, timeout=0), telling(store.folder):
        remove_tree(store.folder)


def make_folder(path: str) -> None:
    """Make a folder of ours, and those above it, each 0700 and on the disk. Raises OSError, RefusedForSafety."""
    above = os.path.dirname(path)
    if not os.path.isdir(above):
        make_folder(above)
    try:
        system.mkdir(path, 0o700)
    except FileExistsError:
        if not os.path.isdir(path):
            raise
        return
    fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        system.fchmod(fd, 0o700)  # the umask may have taken even our own bits
    finally:
        os.close(fd)
    sync_folder(above)


def new_file(path: str) -> int:
    """A descriptor for writing a new file of ours, 0600."""
    fd = system.create(path, 0o600)
    try:
        system.fchmod(fd, 0o600)
    except BaseException:
        os.close(fd)
        raise
    return fd


def write_file(path: str, data: bytes, *, durable: bool = True, alone: bool = False) -> None:
    """Write a file of ours, whole or not at all, over one that may be there. `alone`: nobody else writes it now, so that what
    killed ones left of it goes."""
    if alone:
        _drop_parts(path)
    part = f"{path}.{os.urandom(4).hex()}.part"
    fd = new_file(part)
    try:
        try:
            system.write_all(fd, data)
            if durable:
                system.fsync(fd)
        finally:
            os.close(fd)
        system.rename(part, path)
    except BaseException:
        try:
            system.unlink(part)
        except OSError:
            pass
        raise


def _drop_parts(path: str) -> None:
    folder, name = os.path.split(path)
    for other in os.listdir(folder):
        if other.startswith(f"{name}.") and other.endswith(".part"):
            system.unlink(os.path.join(folder, other))


def sync_folder(path: str) -> None:
    """Have the names in a folder on the disk."""
    fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        system.fsync(fd)
    finally:
        os.close(fd)


def remove_tree(path: str) -> None:
    """Remove a folder of ours with what is in it; symlinks are not followed. What is gone already is no error."""
    try:
        with os.scandir(path) as entries:
            found = [(entry.path, entry.is_dir(follow_symlinks=False)) for entry in entries]
    except FileNotFoundError:
        return
    for inner, folder in found:
        if folder:
            remove_tree(inner)
        else:
            system.unlink(inner)
    system.rmdir(path)


def sizes(path: str) -> Iterator[int]:
    """The sizes of the files in a folder of ours and below; none when it cannot be read."""
    try:
        with os.scandir(path) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    yield from sizes(entry.path)
                else:
                    yield entry.stat(follow_symlinks=False).st_size
    except OSError:
        return


@contextmanager
def telling(path: str, *, after: bool = False) -> Iterator[None]:
    """Turn what the system refuses in the state folder into a sentence; `after`: the agent's files are changed by now."""
    from memcli.storage.reaching import refused

    try:
        yield
    except OSError as error:
        why = refused(path, error).facts["why"]
        stands = "The new content is in place" if after else "No file of the agent was changed"
        raise CannotWrite(
            f"memcli's own state in {path} cannot be written: {why}. {stands}; MEMCLI_STATE_DIR names another place.",
            path=path,
            why=why,
            in_place=after,
        ) from error


def _base() -> str:
    base = settings.state_folder()
    _refuse_foreign(base)
    return os.path.join(base, "workspaces")


def _refuse_foreign(base: str) -> None:
    """Refuse a state folder in which another user could lay traps."""
    try:
        status = os.stat(base)
    except OSError:
        return
    if stat.S_ISDIR(status.st_mode) and status.st_uid not in (os.geteuid(), 0):
        raise RefusedForSafety(
            f"memcli's state folder {base} belongs to another user. Set MEMCLI_STATE_DIR to a folder of yours.",
            path=base,
        )


def _describe(store: Store) -> None:
    """Note which workspace a store is for, so that `memcli state` can say it."""
    import json

    path = os.path.join(store.folder, _ABOUT)
    if not os.path.exists(path):
        write_file(path, json.dumps({"root": store.root}).encode() + b"\n")


def _root_of(folder: str) -> str:
    import json

    try:
        with open(os.path.join(folder, _ABOUT), "rb") as file:
            root = json.load(file)["root"]
    except (OSError, ValueError, KeyError, TypeError):
        return ""
    return root if isinstance(root, str) else ""
