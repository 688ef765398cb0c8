"""From what the user types to sessions: a key, a file, @latest, or a unique part of a key or title."""

from __future__ import annotations

import os
import re

from memcli.core import discovering, listing
from memcli.core.listing import SessionRow
from memcli.errors import AmbiguousSession, UnknownSession
from memcli.model import SessionRef, Workspace

LATEST = "@latest"
SHOWN = 8
"""How many candidates an error names."""
SAFE_KEY = re.compile(r"[\w.:@/+-]+", re.ASCII)
"""What TAB may offer: zsh evaluates parts of what a completion prints, and keys come from files an agent wrote."""
COMPLETIONS = 200


def one(argument: str, named: list[str] | None, agent: str | None, tz: str = "") -> SessionRef:
    """The one session that `argument` means; UnknownSession or AmbiguousSession with the candidates when it is not one."""
    return several([argument], named, agent, tz)[0]


def several(arguments: list[str], named: list[str] | None, agent: str | None, tz: str = "") -> list[SessionRef]:
    """The sessions that `arguments` mean, one each, in that order."""
    files = [argument for argument in arguments if is_file(argument)]
    if len(files) == len(arguments) and not named:  # no need to find a workspace for a file that is named
        return [of_file(path, agent) for path in files]
    workspaces = discovering.find(named, agent)
    rows = listing.sessions(workspaces, tz)
    found = []
    for argument in arguments:
        if is_file(argument) and not any(row.key == argument for row in rows):
            found.append(of_file(argument, agent))
        else:
            found.append(listing.reference(match(argument, rows), workspaces))
    return found


def is_file(argument: str) -> bool:
    """Whether an argument is meant as a file: it exists as one, or is written as only a path is."""
    if argument.startswith(("/", "./", "../", "~/")):
        return True
    return os.path.lexists(argument) and not os.path.isdir(argument)


def of_file(path: str, agent: str | None) -> SessionRef:
    """The session in one file; in an archive, the newest. Raises UnknownSession where there is none."""
    if os.path.isdir(path):
        from memcli.core import archived

        taken = archived.at(path, lambda place: None)
        if taken is not None:
            return taken
        raise UnknownSession(f"{path} is a folder; name it with -W, and one of its sessions.", session=path)
    workspaces = discovering.at(path, agent)
    rows = listing.sessions(workspaces)
    if not rows:
        raise UnknownSession(f"There is no session in {path}.", session=path)
    return listing.reference(rows[0], workspaces)


def match(argument: str, rows: list[SessionRow]) -> SessionRow:
    """The row that `argument` means: @latest, an exact key, else a part of exactly one key or title."""
    if not rows:
        raise UnknownSession("The workspace has no sessions yet; name another with -W.")
    if argument == LATEST:
        return rows[0]
    exact = [row for row in rows if row.key == argument]
    if len(exact) == 1:
        return exact[0]
    part = argument.casefold()
    candidates = exact or [row for row in rows if part in row.key.casefold() or part in row.title.casefold()]
    if len(candidates) == 1:
        return candidates[0]
    if not candidates:
        raise UnknownSession(
            f"No session answers to {argument!r} among {len(rows)}; 'memcli sessions ls' lists them.", session=argument
        )
    keys = [row.key for row in candidates]  # the same key in two files can only be told apart by the path
    names = [row.path if keys.count(row.key) > 1 else row.key for row in candidates]
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    raise AmbiguousSession(
        f"{argument!r} can mean {', '.join(names[:SHOWN])}{more}; give a whole key or a path.", candidates=names
    )


def refs(workspaces: list[Workspace], tz: str = "") -> list[SessionRef]:
    """Every session of the workspaces, newest first."""
    return [listing.reference(row, workspaces) for row in listing.sessions(workspaces, tz)]


def safe_keys(named: list[str], beginning: str) -> list[str]:
    """Keys that begin so, from file names alone, and only such as no shell can take for code."""
    from memcli.formats import load

    found: set[str] = set()
    for workspace in discovering.find(named or None):
        layout = load(workspace.agent).layout
        for path in listing.paths(workspace):
            key = layout.key_of(workspace, path)
            if key.startswith(beginning) and SAFE_KEY.fullmatch(key):
                found.add(key)
            if len(found) >= COMPLETIONS:
                return sorted(found)
    return sorted(found)
