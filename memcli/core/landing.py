"""What is to be remembered goes into the memory files: placed, guarded, written with its marks, and committed, as one."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from memcli.core import guarding, keeping, knowing, loss, provenance, screening_items, sealing
from memcli.core.naming import shown
from memcli.errors import CannotRead, CannotWrite, RefusedForSafety, UsageError
from memcli.formats import dreaming, load
from memcli.formats.facets import Target
from memcli.model import Item, Workspace
from memcli.storage import git_history, undo
from memcli.storage.git_keep import Keep
from memcli.storage.operation import Operation
from memcli.storage.parts import Mtime
from memcli.storage.records import Record
from memcli.storage.versions import Version, read_whole

if TYPE_CHECKING:
    from memcli.formats.protocols import Compacting, Dreaming

TRIES = 4
"""So often the files are looked at anew when somebody wrote one meanwhile."""


class Write(NamedTuple):
    """A small file that changes together with the memory: `expected` is the version that it must have, None where there must be
    none. `ours`: it lies in memcli's state folder, and no agent minds it."""

    path: str
    data: bytes
    root: str
    expected: Version | None = None
    ours: bool = False


class FileChange(NamedTuple):
    """One memory file: `old` None where there is none yet. `items` are those that were placed in it, `lines` the line of each."""

    path: str
    shown: str
    root: str
    old: bytes | None
    new: bytes
    version: Version | None
    items: tuple[Item, ...] = ()
    lines: tuple[str, ...] = ()


class Landing(NamedTuple):
    """What would be written. `known` are items that a file says already, with the line; `conflicts` those that say something
    else than a line of a file (path, number of the line from 1); `refused` those that must not be kept, and why."""

    files: tuple[FileChange, ...]
    known: tuple[tuple[Item, str], ...] = ()
    conflicts: tuple[tuple[Item, str, int], ...] = ()
    refused: tuple[tuple[Item, str], ...] = ()


class Landed(NamedTuple):
    """What was written: the operation's record, which tells the commits."""

    landing: Landing
    record: Record


def plan(
    workspace: Workspace,
    items: Sequence[Item],
    *,
    user: str = "",
    beside: str = "",
    seconds: float,
    allow_loss: bool,
    places: Dreaming | Compacting | None = None,
) -> Landing:
    """Where the items would go. `user` is the folder name of the user whose they are; `beside` is the folder of the agent that
    they are for, where a workspace has several; `places` lays them out, None as a Dream does. Raises UsageError where the format
    keeps no memory, CannotRead, RefusedForSafety by the loss guard."""
    facet = places or dreaming(workspace.agent)
    refused = screening_items.refused(items)
    bad = {id(item) for item, _ in refused}
    wanted = [item for item in items if id(item) not in bad]
    targets = targets_of(workspace, user=user, beside=beside)
    held = {target.path: read_whole(target.path) for target in targets}
    texts = {path: (raw or b"").decode("utf-8", "replace") for path, (raw, _) in held.items()}
    told = knowing.sort(wanted, texts)
    files: dict[str, FileChange] = {}
    served = {layer for target in targets for layer in target.layers}
    for target in targets:
        mine = [item for item in told.new if item.layer in target.layers]
        if (
            target is targets[0]
        ):  # what belongs to a file that there is not goes into the first one, rather than nowhere
            mine += [item._replace(layer=target.layers[0]) for item in told.new if item.layer not in served]
        if not mine:
            continue
        raw, version = held[target.path]
        before = files.get(target.path)
        now = before.new if before else raw
        made = facet.put(target, now, mine, seconds)
        loss.check(now or b"", made, allow_loss)
        lines = facet.lines(target, mine)
        name = shown(workspace, target.path)
        change = before or FileChange(target.path, name, target.root, raw, made, version)
        files[target.path] = change._replace(new=made, items=(*change.items, *mine), lines=(*change.lines, *lines))
    return Landing(
        tuple(one for one in files.values() if one.new != (one.old or b"")),
        tuple(told.known),
        tuple(told.conflicts),
        tuple(refused),
    )


def targets_of(workspace: Workspace, *, user: str = "", beside: str = "") -> list[Target]:
    """The files that memory of the workspace goes to. Raises UsageError where there is none."""
    form = load(workspace.agent)
    found = dreaming(workspace.agent).targets(workspace, user) if form.memory and not workspace.files else []
    if not found:
        whose = f" for the user {user}" if user else ""
        raise UsageError(
            f"{workspace.agent} keeps no long-term memory{whose} in {workspace.root}; nothing was written."
        )
    near = [
        target for target in found if os.path.dirname(target.path) == beside
    ]  # of several agents the one that is meant
    served = {layer for target in near for layer in target.layers}
    chosen = [*near, *(target for target in found if not served & set(target.layers))]
    layers = [layer for target in chosen for layer in target.layers]
    if len(layers) != len(set(layers)):
        names = ", ".join(shown(workspace, target.path) for target in chosen[:8])
        raise UsageError(f"Several memory files could be meant ({names}); name the folder of one agent with -W.")
    return chosen


def owner_of(workspace: Workspace, root: str) -> Workspace:
    """The workspace of the same agent that is at `root`, where its memory files lie: the home's, of what is known of the user."""
    real = os.path.realpath(root)
    if real == os.path.realpath(workspace.root):
        return workspace
    found = load(workspace.agent).layout.recognise(root)
    return next((one for one in found if os.path.realpath(one.root) == real), workspace._replace(root=root, memory=()))


def change_of(workspace: Workspace, path: str, root: str, new: bytes) -> FileChange:
    """A memory file that gets another text. Raises CannotRead."""
    raw, version = read_whole(path)
    return FileChange(path, shown(workspace, path), root, raw, new, version)


def land(
    workspace: Workspace,
    items: Sequence[Item],
    *,
    user: str = "",
    beside: str = "",
    kind: str = "dream",
    seconds: float,
    allow_loss: bool = False,
    trailers: Mapping[str, Sequence[str]] | None = None,
    about: Mapping[str, Any] | None = None,
    writes: Sequence[Write] = (),
    extra: Callable[[Operation, Landing], None] | None = None,
    command: Sequence[str],
    idle: float,
    force_live: bool,
) -> Landed:
    """Place the items and write them. `trailers` go at the end of the commit's message, `about` is what the run says of itself
    for the state folder (provenance.keep), `writes` change together with the files, `extra` adds more to the operation. Raises
    what `plan` does, RefusedForSafety, CannotWrite; then nothing is changed, or the sentence says so."""
    tries = 0
    while True:
        tries += 1
        landing = plan(workspace, items, user=user, beside=beside, seconds=seconds, allow_loss=allow_loss)
        try:
            return carry_out(
                workspace,
                landing,
                kind=kind,
                seconds=seconds,
                trailers=trailers,
                about=about,
                writes=writes,
                extra=extra,
                command=command,
                idle=idle,
                force_live=force_live,
            )
        except RefusedForSafety as error:
            moved = {os.path.realpath(one.path) for one in writes}
            if error.facts.get("why") != "changed" or tries == TRIES or str(error.facts.get("path")) in moved:
                raise


def carry_out(
    workspace: Workspace,
    landing: Landing,
    *,
    kind: str,
    seconds: float,
    trailers: Mapping[str, Sequence[str]] | None = None,
    about: Mapping[str, Any] | None = None,
    writes: Sequence[Write] = (),
    extra: Callable[[Operation, Landing], None] | None = None,
    also: Sequence[str] = (),
    command: Sequence[str],
    idle: float,
    force_live: bool,
) -> Landed:
    """Write what was planned, with `writes`, and commit it: all of it or nothing. A commit that cannot be made keeps nothing from
    being written. `also` are files of the workspace that `extra` changes. Raises RefusedForSafety, CannotWrite."""
    theirs = [one for one in writes if not one.ours]
    owners = _owners(workspace, landing.files, theirs, also)
    for owner, paths, missing in owners:
        guarding.reach(owner, paths, fresh=missing)
    refused = [
        sentence
        for owner, paths, missing in owners
        for sentence in guarding.refusal(owner, paths, idle, force_live, fresh=missing)
    ]
    if refused:
        raise RefusedForSafety(" ".join(refused), why="in use")
    store = sealing.store(workspace)
    with undo.begin(
        store,
        kind,
        command=command,
        agent=workspace.agent,
        locks=[lock for owner, paths, _ in owners for lock in guarding.locks_of(owner, paths)],
        beacons=[path for owner, _, _ in owners for path in guarding.beacons_of(owner)],
    ) as operation:
        for one in landing.files:
            if one.version is None:
                operation.create(one.path, one.new, root=one.root, mode=0o644)
            else:
                operation.rewrite(one.path, one.version, one.new, root=one.root)
        for write in writes:
            now: Mtime = "now"
            if write.expected is None:
                operation.create(write.path, write.data, root=write.root, mtime=now)
            else:
                operation.rewrite(write.path, write.expected, write.data, root=write.root, mtime=now)
        if extra:
            extra(operation, landing)
        placed = [(one.path, *pair) for one in landing.files for pair in zip(one.items, one.lines, strict=True)]
        if about is not None and landing.files:
            provenance.keep(operation, store, about, placed)
        signed = {provenance.OPERATION: (operation.id,), **(trailers or {})}
        _version(operation, workspace, landing.files, theirs, kind, seconds, signed)
        record = operation.commit()
    return Landed(landing, record)


def _owners(
    workspace: Workspace, files: Sequence[FileChange], writes: Sequence[Write], also: Sequence[str]
) -> list[tuple[Workspace, list[str], list[str]]]:
    """The workspaces whose files are changed, with their paths and those of them that do not exist yet."""
    found: dict[str, tuple[Workspace, list[str], list[str]]] = {}
    changes = [(one.path, one.root, one.old is None) for one in files]
    changes += [(one.path, workspace.root, one.expected is None) for one in writes]
    changes += [(path, workspace.root, not os.path.lexists(path)) for path in also]
    for path, root, missing in changes:
        owner = owner_of(workspace, root)
        _, paths, fresh = found.setdefault(owner.root, (owner, [], []))
        paths.append(path)
        fresh += [path] if missing else []
    return list(found.values())


def _version(
    operation: Operation,
    workspace: Workspace,
    files: Sequence[FileChange],
    cursors: Sequence[Write],
    kind: str,
    seconds: float,
    trailers: Mapping[str, Sequence[str]],
) -> None:
    """Add a commit for each repository of the files. What stood in them and nobody committed goes into one of its own first; a
    position that the repository has goes along."""
    found: dict[str, tuple[Keep, list[FileChange]]] = {}
    for one in files:
        owner = owner_of(workspace, one.root)
        try:
            keep = keeping.keep_of(owner, one.path, make=True)
        except (CannotRead, CannotWrite):  # the operation will say why nothing can be committed there
            keep = Keep(keeping.place_of(owner), os.path.realpath(owner.root))
        if keep is not None:
            found.setdefault(keep.folder, (keep, []))[1].append(one)
    for keep, mine in found.values():
        contents: dict[str, bytes | None] = {_name(keep, one.path): one.new for one in mine}
        moved = {_name(keep, one.path): one.data for one in cursors}
        contents |= {name: moved[name] for name in _tracked(keep, list(moved))}
        hand = {_name(keep, one.path): one.old for one in mine if one.old is not None}
        count = sum(len(one.items) for one in mine) or len(mine)
        subject = dreaming(workspace.agent).subject(kind, seconds, count)
        operation.version(keep, contents, message(subject, trailers), seconds=seconds, hand=hand)


def _name(keep: Keep, path: str) -> str:
    """How a repository calls a file."""
    real = os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))
    return os.path.relpath(real, os.path.realpath(keep.tree))


def _tracked(keep: Keep, names: Sequence[str]) -> list[str]:
    """Those of the files that the last commit has."""
    inside = [name for name in names if not name.startswith(os.pardir)]
    try:
        head = git_history.head(keep.folder) if inside else None
        held = git_history.contents(keep.folder, [(head, name) for name in inside]) if head else []
    except CannotRead:  # then there will be no commit either
        return []
    return [name for name, raw in zip(inside, held, strict=False) if raw is not None]


def message(subject: str, trailers: Mapping[str, Sequence[str]]) -> str:
    """A commit's message: one line, and the trailers in a paragraph of their own, each on one line. Names of chats are anybody's
    words, and git shows a message as it is: what a terminal would obey is left out."""
    lines = [f"{name}: {_plain(value)}" for name, values in trailers.items() for value in values]
    return "\n".join([subject, *(["", *lines] if lines else [])]) + "\n"


def _plain(value: str) -> str:
    """A text on one line, with a mark for each character that does not show."""
    return "".join(one if one.isprintable() else "\ufffd" for one in " ".join(value.split()))
