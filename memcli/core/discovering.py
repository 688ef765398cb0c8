"""Finding workspaces: what -W names, else the nearest known layout at or above here, else the agents' usual homes."""

from __future__ import annotations

import os
from collections.abc import Iterator
from errno import EACCES
from typing import TYPE_CHECKING

from memcli import settings
from memcli.errors import NothingFound, UsageError
from memcli.formats import FORMATS, load
from memcli.model import Workspace
from memcli.storage.reading import unreadable

if TYPE_CHECKING:
    from memcli.storage.archive import Report

DEPTH = 5
"""How far below a named folder a workspace is looked for: an archive has the user's folders around it."""
NAMED = 3
"""How many members of an archive that were passed over are named one by one."""
SURE = 50
"""From this score on the content of a single file tells its agent."""
FOLDERS = 2000
"""How many folders are looked at below a named one before giving up."""


def find(named: list[str] | None, agent: str | None = None) -> list[Workspace]:
    """The workspaces that the user means, the nearest first.

    `named` are the -W values in order; without them those of MEMCLI_WORKSPACE. `agent` forces the format.
    Raises NothingFound with the places looked at, CannotRead for a named place that is not there.
    """
    if agent:
        load(agent)  # a wrong name is the user's slip and is said first
    named = named or settings.named_workspaces()
    if named:
        found = [workspace for value in named for workspace in at(value, agent)]
        if found:
            return _distinct(found)
        raise NothingFound(
            f"No sessions or memory of a known agent in {', '.join(named)}; nothing was changed. "
            "Name a workspace, a sessions folder or a file with -W."
        )
    here = _current()
    for folder in _upwards(here) if here else ():
        found = _recognised(folder, agent)
        if folder != here:
            found = [workspace for workspace in found if not _is_loose(workspace, folder)]
        if found:
            return _distinct(found)
    found = at_home(agent)
    if found:
        return found
    homes = usual_homes(agent)
    above = f"at or above {here}" if here else "above the current folder, which is gone"
    raise NothingFound(
        f"No workspace of a known agent {above}, nor in {', '.join(homes)}. Name one with -W, or try 'memcli demo'."
    )


def _current() -> str:
    """The current folder, "" when it was deleted."""
    try:
        return os.getcwd()
    except OSError:
        return ""


def at_home(agent: str | None = None) -> list[Workspace]:
    """The workspaces in the folders where agents live by default."""
    return _distinct([workspace for home in usual_homes(agent) for workspace in _recognised(home, agent)])


def usual_homes(agent: str | None = None) -> list[str]:
    """The folders where agents live by default, whether or not they exist."""
    names = [agent] if agent else list(FORMATS)
    return [place for name in names for place in load(name).layout.homes(settings.home())]


def at(value: str, agent: str | None) -> list[Workspace]:
    """The workspaces at one -W value: a folder, a file, an archive, or `-` for standard input."""
    if value == "-":
        return _streamed(agent)
    if not value:  # a script's variable that was not set: it must not mean the current folder
        raise UsageError("An empty -W names no place; name a workspace, a sessions folder or a file.")
    path = os.path.abspath(os.path.expanduser(value))
    if os.path.isdir(path):
        from memcli.core import bundle_manifest

        bundled = bundle_manifest.workspaces(path, bundle_manifest.read(path))
        found = bundled or _recognised(path, agent) or _below(path, agent) or _forced(path, agent)
        if not found and not os.access(path, os.R_OK | os.X_OK):
            raise unreadable(path, PermissionError(EACCES, ""))
        return found
    if not os.path.lexists(path):
        raise UsageError(f"{value} does not exist; name a workspace, a sessions folder or a file with -W.")
    return _file(path, agent, path)


def exactly(folder: str, agent: str | None = None) -> list[Workspace]:
    """The workspaces that a folder is, belongs to or directly holds; what lies deeper below it is not looked at."""
    return _recognised(os.path.abspath(folder), agent)


def _forced(path: str, agent: str | None) -> list[Workspace]:
    """A folder that shows nothing of the agent that --agent names (all of it damaged, perhaps), taken at the user's word."""
    if agent is None or agent == "jsonl":
        return []
    inside = [os.path.join(path, "sessions"), os.path.join(path, "workspace", "sessions"), path]
    folder = next(folder for folder in inside if os.path.isdir(folder))
    found = Workspace(agent, path, (folder,), shown=path)
    return [found] if next(load(agent).layout.session_paths(found), None) else []


def single(path: str, agent: str | None, shown: str | None = None) -> Workspace:
    """A workspace that holds exactly the file at `path`, its format told by the content, then by the folder."""
    from memcli.formats.reading import sample_values

    path = os.path.abspath(path)
    folder = os.path.dirname(path)
    shown = shown or path
    if agent:
        for workspace in load(agent).layout.recognise(folder):
            return workspace._replace(files=(path,), shown=shown)
        return Workspace(agent, folder, files=(path,), shown=shown)
    values = sample_values(path)
    ranking = sorted(((load(name).records.score(values), -n, name) for n, name in enumerate(FORMATS)), reverse=True)
    best, _, name = ranking[0]
    # rows that look like anybody's are told by the place; without one they are nobody's in particular
    possible = [name] if best >= SURE else [*(other for *_, other in ranking if other != "jsonl"), "jsonl"]
    for candidate in possible:
        for workspace in load(candidate).layout.recognise(folder):
            return workspace._replace(files=(path,), shown=shown)
    return Workspace(name if best >= SURE else "jsonl", folder, files=(path,), shown=shown)


def _file(path: str, agent: str | None, shown: str) -> list[Workspace]:
    from memcli.core import bundle_manifest
    from memcli.storage import archive

    kind = archive.is_archive(path)
    if not kind:
        return [single(path, agent, shown)]
    into = archive.private_folder()
    report = archive.decompress(path, into) if kind == "gz" else archive.unpack(path, into)
    notes = _notes(report, shown)
    if kind == "gz":
        return [single(report.files[0], agent, shown)._replace(notes=notes)]
    manifest = bundle_manifest.read(into)
    bundle_manifest.restore(into, manifest)
    bundled = bundle_manifest.workspaces(into, manifest)
    found = bundled or _recognised(into, agent) or _below(into, agent) or _forced(into, agent)
    return [_shown_below(workspace, into, shown)._replace(notes=notes) for workspace in found]


def _streamed(agent: str | None) -> list[Workspace]:
    import sys

    from memcli.storage import archive

    if sys.stdin.isatty():
        raise UsageError("-W - reads records from standard input, but that is the terminal; pipe a file into memcli.")
    report = archive.take_stream(sys.stdin.buffer, archive.private_folder())
    [path] = report.files
    found = _file(path, agent, "-") if archive.is_archive(path) else [single(path, agent, "-")]
    return [workspace._replace(notes=workspace.notes + _notes(report, "-")) for workspace in found]


def _notes(report: Report, shown: str) -> tuple[str, ...]:
    """What unpacking left out, in sentences."""
    notes = [f"{shown}: {name} was passed over: {why}." for name, why in report.passed_over[:NAMED]]
    if len(report.passed_over) > NAMED:
        notes.append(f"{shown}: {len(report.passed_over) - NAMED} more members were passed over.")
    if report.truncated:
        notes.append(f"{shown} breaks off before its end; what could be read of it is shown.")
    return tuple(notes)


def _shown_below(workspace: Workspace, root: str, shown: str) -> Workspace:
    """`workspace` with the archive's own name in place of the temporary folder."""
    below = os.path.relpath(next(iter(workspace.files), workspace.root), root)
    return workspace._replace(shown=shown if below == "." else os.path.join(shown, below))


def _recognised(folder: str, agent: str | None) -> list[Workspace]:
    """The workspaces at `folder`, of every agent; once a folder itself is one agent's, the others are not asked."""
    found: list[Workspace] = []
    for name in [agent] if agent else FORMATS:
        if name == "jsonl" and agent is None:
            continue
        here = load(name).layout.recognise(folder)
        found += here
        if any(folder in (w.root, *w.sessions, *w.memory) for w in here):
            break
    return found


def _is_loose(workspace: Workspace, folder: str) -> bool:
    """Whether a workspace is nothing but files that lie in `folder`: somewhere above, such as /tmp, that is chance."""
    return workspace.root == folder and {*workspace.sessions, *workspace.memory} <= {folder}


def _upwards(folder: str) -> Iterator[str]:
    while True:
        yield folder
        parent = os.path.dirname(folder)
        if parent == folder:
            return
        folder = parent


def _below(root: str, agent: str | None) -> list[Workspace]:
    """The workspaces in the tree below `root`, breadth first; a folder that is one is not searched further."""
    level = [root]
    found: list[Workspace] = []
    seen = 0
    for _ in range(DEPTH):
        following: list[str] = []
        for folder in level:
            for child in _folders(folder):
                seen += 1
                if seen > FOLDERS:
                    return _in_part(found or _loose(root, agent), root)
                here = _recognised(child, agent)
                found += here
                if not here:
                    following.append(child)
        level = following
    return _distinct(found) if found else _loose(root, agent)


def _in_part(found: list[Workspace], root: str) -> list[Workspace]:
    """The workspaces found in a tree too large to be searched, with a note that says so."""
    note = f"Only the first {FOLDERS:,} folders below {root} were looked at; name one nearer with -W."
    return [workspace._replace(notes=(*workspace.notes, note)) for workspace in found[:1]] + found[1:]


def _loose(root: str, agent: str | None) -> list[Workspace]:
    """Folders with JSON lines of no known agent, the whole tree as one level each."""
    if agent not in (None, "jsonl"):
        return []
    layout = load("jsonl").layout
    found = layout.recognise(root)
    level = [root]
    for _ in range(DEPTH):
        level = [child for folder in level for child in _folders(folder)][:FOLDERS]
        found += [workspace for child in level for workspace in layout.recognise(child)]
    return _distinct(found)


def _folders(folder: str) -> list[str]:
    try:
        with os.scandir(folder) as entries:
            return sorted(e.path for e in entries if e.is_dir(follow_symlinks=False) and e.name != ".git")
    except OSError:
        return []


def _distinct(workspaces: list[Workspace]) -> list[Workspace]:
    """Each workspace once: the same agent, root and files reached by two ways are one."""
    kept: dict[tuple[str, ...], Workspace] = {}
    for workspace in workspaces:
        kept.setdefault((workspace.agent, os.path.realpath(workspace.root), *workspace.files), workspace)
    return list(kept.values())
