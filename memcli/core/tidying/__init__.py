"""Fixes of memory files, each by its name: what they would change is proposed, and written when somebody approves it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from typing import NamedTuple, cast

from memcli.core import fitting, inbox, linting, proposing, texts
from memcli.core.inbox import EDITS, OPEN, Proposal, ProposedEdit
from memcli.core.naming import shown
from memcli.core.sealing import store
from memcli.core.tidying.framework import Find
from memcli.damage.framework import TextSnapshot
from memcli.errors import CannotRead
from memcli.formats import longterm
from memcli.model import Workspace

FIXES: Mapping[str, str] = {
    "duplicates": "memcli.core.tidying.duplicates",
    "archived": "memcli.core.tidying.archived",
}
"""name -> module with `fixes(snapshot, shape)`."""
WHAT = "lint"


class Proposed(NamedTuple):
    """What a fix came to in one workspace. `proposal` None: there is nothing to fix. `old`: the inbox had it already. `notes` say
    which files were passed over, and why."""

    workspace: Workspace
    proposal: Proposal | None
    old: bool = False
    notes: tuple[str, ...] = ()


def propose(
    workspaces: Sequence[Workspace], fix: str, file: str = "", *, seconds: float, command: Sequence[str]
) -> Iterator[Proposed]:
    """Put what the fix would change into the inbox, one proposal for each workspace, of all its memory files or of the one that
    `file` means. The memory itself is not touched. Raises UsageError for a file that there is not, CannotWrite,
    RefusedForSafety."""
    paths: dict[int, list[str]] = {}
    for workspace, path in linting.files(workspaces, file):
        paths.setdefault(id(workspace), []).append(path)
    for workspace in workspaces:
        if id(workspace) in paths or not file:
            yield _propose(workspace, fix, paths.get(id(workspace), []), seconds, command)


def _propose(workspace: Workspace, fix: str, paths: Sequence[str], seconds: float, command: Sequence[str]) -> Proposed:
    find = cast(Find, import_module(FIXES[fix]).fixes)
    edits: list[ProposedEdit] = []
    base: dict[str, str] = {}
    notes = []
    number = 0
    for path in paths:
        try:
            snapshot = texts.snapshot(workspace, path)
        except CannotRead as error:
            notes.append(f"{shown(workspace, path)} was passed over: {error.facts['why']}.")
            continue
        if not _is_text(snapshot):
            notes.append(f"{shown(workspace, path)} was passed over: it is not UTF-8.")
            continue
        name = os.path.relpath(path, workspace.root)
        for one in find(snapshot, longterm(workspace.agent).shape(path)):
            number += 1
            for piece in one.pieces:
                edit = ProposedEdit(str(number), name, piece.offset, piece.old, piece.new, piece.why)
                edits.append(fitting.anchored(snapshot.raw, edit))
            base[name] = fitting.digest(snapshot.raw)
    if not edits:
        return Proposed(workspace, None, notes=tuple(notes))
    found = Proposal(EDITS, WHAT, inbox.stamp(seconds), edits=tuple(edits), base=base, about={"fix": fix})
    twin = next((one for one in inbox.read(store(workspace)).proposals if _same(one, found)), None)
    if twin:
        return Proposed(workspace, twin, old=True, notes=tuple(notes))
    return Proposed(workspace, proposing.put(workspace, found, command=command), notes=tuple(notes))


def _same(one: Proposal, other: Proposal) -> bool:
    return one.status == OPEN and not one.decisions and one._replace(id="", time=other.time) == other


def _is_text(snapshot: TextSnapshot) -> bool:
    """Lines that differ in bytes that are no UTF-8 would be taken for the same."""
    try:
        snapshot.raw.decode()
    except UnicodeDecodeError:
        return False
    return snapshot.rules is not None
