"""The journals of workspaces: which there are, and which one is meant."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import NamedTuple

from memcli.core import listing
from memcli.core.examining import Target, screened
from memcli.damage.framework import RowsSnapshot
from memcli.errors import CannotRead, UsageError
from memcli.formats import load
from memcli.formats import protocols as facets
from memcli.formats.facets import JournalFile
from memcli.model import Workspace
from memcli.storage.reading import open_regular

SHOWN = 8
"""How many candidates an error names."""


class Journal(NamedTuple):
    """One journal of a workspace, which may be missing."""

    workspace: Workspace
    file: JournalFile

    @property
    def shown(self) -> str:
        """How its path is called in output."""
        return listing.shown(self.workspace, self.file.path)

    @property
    def name(self) -> str:
        """How it is called among those of its workspace, wherever that lies."""
        return self.label or os.path.relpath(self.file.path, self.workspace.root)

    @property
    def label(self) -> str:
        """What tells it from the workspace's other journals, "" where there is none to tell it from."""
        return self.file.label

    @property
    def there(self) -> bool:
        """Whether there is a file."""
        return os.path.lexists(self.file.path)


def find(workspaces: Sequence[Workspace], *, user: str | None = None, name: str | None = None) -> list[Journal]:
    """The journals of the workspaces: all, those of one user (an id, or the name of its folder), or the one called `name`
    (a label, a path, or a part that only one of them has).

    Raises UsageError when there is none, or none that is meant.
    """
    found = [journal for workspace in workspaces for journal in every(workspace)]
    if not found:
        places = ", ".join(workspace.shown or workspace.root for workspace in workspaces)
        raise UsageError(f"No journal belongs to {places}: its agent keeps none. Nothing was changed.")
    if user is not None:
        users = [journal for journal in found if journal.file.user]
        found = [one for one in users if one.file.user in (user, facet(one).user_folder(user))]
        if not found:
            known = f"there are {_names(users)}" if users else "no user has one here"
            raise UsageError(f"No journal of a user {user!r}; {known}.")
    return _named(found, name) if name is not None else found


def one(journals: Sequence[Journal]) -> Journal:
    """The journal that is written to: the only one, or the only one that is no user's, one that is there before one that is
    not. Raises UsageError for several."""
    common = [journal for journal in journals if not journal.file.user]
    present = [journal for journal in common if journal.there] or common
    chosen = present if len(present) == 1 else journals
    if len(chosen) != 1:
        raise UsageError(f"Several journals could be meant ({_names(journals)}); name one with --journal or --user.")
    return chosen[0]


def facet(journal: Journal) -> facets.Journal:
    """What the journal's format says of its journals."""
    found = load(journal.workspace.agent).journal
    assert found is not None
    return found


def rows(journal: Journal, tz: str = "") -> RowsSnapshot | None:
    """What is known of the journal's entries, None when it is missing. Raises CannotRead."""
    path = journal.file.path
    if not journal.there:
        return None
    read = screened(Target(path, path, "journal", journal.workspace), tz)
    if read is None:
        os.close(open_regular(path))  # it tells why
        raise CannotRead(f"{journal.shown} cannot be read.", path=path, why="it cannot be read")
    return read


def every(workspace: Workspace) -> list[Journal]:
    """The journals of one workspace, whether or not they exist. Of files that were named one by one, those that are a journal of
    the workspace that they lie in."""
    kept = load(workspace.agent).journal
    if not workspace.files:
        return [Journal(workspace, file) for file in kept.files(workspace)] if kept else []
    if kept is None:
        return []
    named = {os.path.realpath(path) for path in workspace.files}
    around = workspace._replace(files=(), shown=workspace.root)
    return [Journal(around, file) for file in kept.files(around) if os.path.realpath(file.path) in named]


def _named(journals: Sequence[Journal], name: str) -> list[Journal]:
    path = os.path.realpath(os.path.expanduser(name))
    whole = [one for one in journals if name in (one.label, one.shown) or path == os.path.realpath(one.file.path)]
    found = whole or [one for one in journals if name in one.label or name in one.shown]
    if len(found) != 1:
        what = "No journal answers" if not found else "Several journals answer"
        raise UsageError(f"{what} to {name!r}; there are {_names(found or journals)}.")
    return found


def _names(journals: Sequence[Journal]) -> str:
    names = [one.label or one.shown for one in journals]
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more
