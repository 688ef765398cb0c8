"""Repositories that memcli may commit to: where their own files are, and why nothing can be committed there now."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from memcli.errors import CannotRead
from memcli.storage import git_history
from memcli.storage.git_process import FAILS, NAME, output, unread
from memcli.storage.reading import open_regular

LOCK = "index.lock"
"""The file by which every git keeps others from the index of a work tree."""


class Keep(NamedTuple):
    """A repository to write to: `folder` is the work tree with .git in it, or the bare repository itself; `tree` the folder
    whose files it has. Names of files are relative to that."""

    folder: str
    tree: str


class Site(NamedTuple):
    """Where a repository's own files are: `folder` has HEAD and the index, `common` what all its work trees share. `bare`: there
    is no index."""

    folder: str
    common: str
    bare: bool


def site(keep: Keep) -> Site:
    """Where the repository's own files are. Raises CannotRead when there is none, or git takes it for none."""
    own = os.path.join(keep.folder, NAME)
    bare = not os.path.lexists(own)
    if bare and not os.path.isfile(os.path.join(keep.folder, "HEAD")):
        raise unread(keep.folder, "there is no repository")
    if os.path.islink(own):
        raise unread(keep.folder, f"its {NAME} is a symlink")
    git, common = output(keep.folder, ["rev-parse", "--absolute-git-dir", "--git-common-dir"]).split(b"\n")[:2]
    folder = os.path.realpath(os.fsdecode(git))
    return Site(folder, os.path.realpath(os.path.join(keep.folder, os.fsdecode(common))), bare)


def refusal(keep: Keep, names: Sequence[str] = ()) -> str:
    """Why nothing can be committed there now, or none of the files `names`: a clause, "" when it can."""
    try:
        at = site(keep)
        return standing(keep, at, names) or locked(at)
    except CannotRead as error:
        return str(error.facts["why"])


def standing(keep: Keep, at: Site, names: Sequence[str] = ()) -> str:
    """As `refusal`, apart from a lock that may be gone in a moment. Raises CannotRead for what git cannot tell."""
    branch = _branch(keep)
    found = _strange(keep, at) or _planted(at, branch) or _forbidden(at) or busy(at)
    if found:
        return found
    if not branch:
        return "no branch is checked out (detached HEAD), and the commit would belong to none"
    git_history.head(keep.folder)  # tells of a last commit that is lost
    return "" if at.bare else _nested(keep, names) or _filtered(keep, at, names)


def busy(at: Site) -> str:
    """What somebody has begun and not ended in the work tree: a clause, "" for nothing."""
    for name, what in _UNDERWAY.items():
        if os.path.lexists(os.path.join(at.folder, name)):
            return f"a {what} is under way in it"
    return ""


def locked(at: Site) -> str:
    """Why the index cannot be written to right now: a clause, "" when it can."""
    path = os.path.join(at.folder, LOCK)
    if at.bare or not os.path.lexists(path):
        return ""
    return f"another git is at work there, or one that was killed left {path}"


def configured(folder: str, pattern: str) -> dict[str, str]:
    """The settings of a repository whose names match `pattern`, the last value of each."""
    try:
        found = output(folder, ["config", "--null", "--get-regexp", pattern])
    except CannotRead as error:
        if error.facts["why"] == FAILS:
            return {}
        raise
    pairs = [entry.partition("\n") for entry in os.fsdecode(found).split("\0") if entry]
    return {name.lower(): value for name, _, value in pairs}


def attributes(keep: Keep, at: Site, names: Sequence[str]) -> dict[str, dict[str, str]]:
    """What .gitattributes say of files that matters for what is committed of them."""
    places = {os.path.join(at.common, "info", "attributes"), os.path.join(keep.tree, _FILE)}
    places |= {os.path.join(keep.tree, part, _FILE) for name in names for part in list(_prefixes(name))[:-1]}
    if at.bare or not any(map(os.path.lexists, places)):
        return {}
    words = ["check-attr", "-z", "--stdin", *_ATTRIBUTES]
    given = b"".join(os.fsencode(name) + b"\0" for name in names)
    fields = os.fsdecode(output(keep.folder, words, given)).split("\0")
    found: dict[str, dict[str, str]] = {}
    for place in range(0, len(fields) - 2, 3):
        name, attribute, value = fields[place : place + 3]
        if value != "unspecified":
            found.setdefault(name, {})[attribute] = value
    return found


def _branch(keep: Keep) -> str:
    """The branch that is checked out, "" for none."""
    try:
        return os.fsdecode(output(keep.folder, ["symbolic-ref", "--quiet", "HEAD"])).strip()
    except CannotRead as error:
        if error.facts["why"] == FAILS:
            return ""
        raise


def _strange(keep: Keep, at: Site) -> str:
    """A .git that leads to the repository of another folder: a linked work tree and a submodule know the way back."""
    own = os.path.join(keep.folder, NAME)
    if at.bare or (os.path.isdir(own) and at.common == at.folder == os.path.realpath(own)):
        return ""
    back = _small(os.path.join(at.folder, "gitdir")).strip()
    if back and os.path.realpath(back) == os.path.realpath(own):
        return ""
    tree = configured(keep.folder, r"^core\.worktree$").get("core.worktree")
    if tree and os.path.realpath(os.path.join(at.folder, tree)) == os.path.realpath(keep.tree):
        return ""
    return f"its {NAME} leads to the repository of another folder, {at.common}"


def _planted(at: Site, branch: str) -> str:
    """A symlink, or what is no plain file, where git would write: what is written would be somewhere else."""
    names = [(at.folder, name) for name in ("HEAD", "index", os.path.join("logs", "HEAD"))]
    names += [(at.common, name) for name in ("objects", "packed-refs", branch, os.path.join("logs", branch)) if name]
    for folder, name in names:
        for part in _prefixes(name):
            try:
                mode = os.lstat(os.path.join(folder, part)).st_mode
            except OSError:
                break
            if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
                return f"{part} in it is no plain file or folder"
    return ""


def _forbidden(at: Site) -> str:
    """What the system would not let memcli write, and what its owner could not write any more afterwards."""
    for folder in dict.fromkeys((at.folder, at.common, os.path.join(at.common, "objects"))):
        try:
            owner = os.stat(folder).st_uid
        except OSError as error:
            return f"{folder} cannot be looked at: {(error.strerror or str(error)).lower()}"
        if not os.access(folder, os.W_OK | os.X_OK):
            return f"{folder} is read-only"
        if os.geteuid() == 0 != owner:
            return "it belongs to another user, who could not write to it any more"
    return ""


def _nested(keep: Keep, names: Sequence[str]) -> str:
    for name in names:
        for part in list(_prefixes(name))[:-1]:
            if os.path.lexists(os.path.join(keep.tree, part, NAME)):
                return f"{part} in it is a repository of its own"
    return ""


def _filtered(keep: Keep, at: Site, names: Sequence[str]) -> str:
    for name, found in attributes(keep, at, names).items():
        if found.get("filter", "unset") != "unset":
            return f"{name} goes through the filter {found['filter']!r} there, which memcli does not run"
        if "working-tree-encoding" in found:
            return f"{name} has another encoding in its commits"
    return ""


def _prefixes(name: str) -> Iterator[str]:
    parts = name.split("/")
    for count in range(1, len(parts) + 1):
        yield "/".join(parts[:count])


def _small(path: str) -> str:
    try:
        fd = open_regular(path)
    except CannotRead:
        return ""
    try:
        return os.fsdecode(os.pread(fd, 1 << 14, 0))
    finally:
        os.close(fd)


ID = re.compile("[0-9a-f]{40}(?:[0-9a-f]{24})?")
_FILE = ".gitattributes"
_ATTRIBUTES = ("filter", "text", "eol", "working-tree-encoding")
_UNDERWAY = {
    "MERGE_HEAD": "merge",
    "CHERRY_PICK_HEAD": "cherry-pick",
    "REVERT_HEAD": "revert",
    "rebase-merge": "rebase",
    "rebase-apply": "rebase",
}
