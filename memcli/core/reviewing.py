"""What a proposal of edits would change, item by item, for somebody who is to decide on it."""

from __future__ import annotations

from typing import NamedTuple

from memcli.core import fitting, landing
from memcli.core.landing import FileChange
from memcli.core.proposing import Found, is_base, path_of
from memcli.errors import MemcliError
from memcli.storage.passages import Passage, between


class View(NamedTuple):
    """What one item of a proposal of edits would change by itself, file by file: `fits` is whether it still can."""

    id: str
    fits: bool
    passages: tuple[Passage, ...]


def views(one: Found) -> list[View]:
    """Each item of a proposal of edits, as it would change the files as they are; one that does not fit, as it was made."""
    found = []
    held = {name: _held(one, name) for name in dict.fromkeys(edit.path for edit in one.proposal.edits)}
    for id in one.proposal.ids:
        fits = True
        passages: list[Passage] = []
        for name, change in held.items():
            mine = [edit for edit in one.proposal.edits if edit.id == id and edit.path == name]
            if not mine:
                continue
            same = change is not None and is_base(one.proposal, name, change)
            places = fitting.placed(mine, change.old, same=same) if change and change.old is not None else None
            called = change.shown if change else name
            if places is not None and change is not None and change.old is not None:
                passages += between(called, change.old, fitting.applied(places, change.old))
            else:
                fits = False
                passages += [each for edit in mine for each in between(called, edit.old, edit.new)]
        found.append(View(id, fits, tuple(passages)))
    return found


def _held(one: Found, name: str) -> FileChange | None:
    """A file that a proposal names, as it is; None where it cannot be looked at."""
    try:
        path = path_of(one, name)
        return landing.change_of(one.workspace, path, one.workspace.root, b"")
    except MemcliError:
        return None
