"""From a plan to the one change that each file gets."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from memcli.core.blueprint import Blueprint
from memcli.core.drafts import Draft
from memcli.model import Action
from memcli.storage.parts import Mtime
from memcli.storage.reaching import changed
from memcli.storage.reading import open_regular
from memcli.storage.versions import Version

PIECE = 16 << 20
"""What goes to quarantine goes there in pieces of at most so many bytes."""
KEPT: Mtime = "keep"
"""Repair leaves times alone: agents read them as the time of the last turn, or of the last Dream."""


class Change(NamedTuple):
    """What is to become of one file. `expected` None: there is none yet; `content` None: there will be none, or (`mode`)
    only other permission bits."""

    path: str
    expected: Version | None
    content: Callable[[], Iterator[bytes]] | None = None
    mode: int | None = None
    mtime: Mtime = KEPT
    aside: Sequence[tuple[int, int, str]] = ()
    chmod: bool = False


def units(blueprint: Blueprint) -> list[list[Change]]:
    """The changes that the plan comes to, those together that must not be made without each other: a session and what counts
    its rows, both ends of a rename."""
    made = _changes(blueprint)
    return [[made[path] for path in unit] for unit in _units(blueprint, made)]


def _changes(blueprint: Blueprint) -> dict[str, Change]:
    """The one change that each file gets."""
    made: dict[str, Change] = {}
    for path, draft in blueprint.drafts.items():
        made[path] = Change(path, draft.version, draft.content, aside=draft.rope.gone())
    for action in blueprint.actions:
        _act(blueprint, action, made)
    return made


def _act(blueprint: Blueprint, action: Action, made: dict[str, Change]) -> None:
    path, detail = action.path, action.detail
    old = blueprint.inputs[path]
    if action.kind in ("write-text", "write-position"):
        aside = [(0, old.size, action.code)] if old else []
        mtime: Mtime = KEPT if action.kind == "write-position" else "now"
        made[path] = Change(path, old, lambda: iter([detail.encode()]), aside=aside, mtime=mtime)
    elif old is None:
        raise changed(path, "was removed after it was read")
    elif action.kind == "chmod":
        mode = int(detail, 8)
        path = next((one.detail for one in blueprint.actions if one.kind == "rename" and one.path == path), path)
        before = made.get(path)
        made[path] = before._replace(mode=mode) if before else Change(path, old, mode=mode, chmod=True)
    elif action.kind == "remove":
        made[path] = Change(path, old, aside=[(0, old.size, action.code)])
    elif action.kind == "rename":
        there = blueprint.inputs[detail]
        moved = made.get(path)
        content = moved.content if moved else _content(path)
        whole = [(0, there.size, action.code)] if there else []
        made[detail] = Change(detail, there, content, None if there else old.mode, old.mtime_ns, whole)
        made[path] = Change(path, old, aside=moved.aside if moved else [])
    else:
        raise ValueError(f"no such action: {action.kind}")


def _content(path: str) -> Callable[[], Iterator[bytes]]:
    return Draft(path).content


def _units(blueprint: Blueprint, changes: dict[str, Change]) -> list[list[str]]:
    """The paths that are changed together."""
    unit = {path: {path} for path in changes}

    def join(one: str, other: str) -> None:
        if one in unit and other in unit and unit[one] is not unit[other]:
            merged = unit[one] | unit[other]
            for path in merged:
                unit[path] = merged

    for action in blueprint.actions:
        if action.kind == "rename":
            join(action.path, action.detail)
    for one, other in blueprint.bound:
        join(one, other)
    found: list[list[str]] = []
    for path in changes:
        members = [other for other in changes if other in unit[path]]
        if members not in found:
            found.append(members)
    return found


def taken_out(change: Change) -> Iterator[tuple[int, bytes, str]]:
    """What the change takes out, as (offset, bytes, code), in pieces of bounded size."""
    if not change.aside:
        return
    fd = open_regular(change.path)
    try:
        for start, length, code in change.aside:
            for offset in range(start, start + length, PIECE):
                size = min(PIECE, start + length - offset)
                piece = os.pread(fd, size, offset)
                if len(piece) != size:
                    raise changed(change.path)
                yield offset, piece, code
    finally:
        os.close(fd)
