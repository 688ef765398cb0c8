"""Sealing the files of rows of a workspace: their line hashes go to the state folder."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from memcli.core import listing
from memcli.core.rows import preamble
from memcli.core.storing import store as store
from memcli.errors import CannotRead
from memcli.formats import load
from memcli.model import SessionRef, Workspace
from memcli.storage import seals
from memcli.storage.reading import open_regular
from memcli.storage.seals import Sealed


class Unsealed(NamedTuple):
    """A file that could not be sealed, and why."""

    path: str
    why: str


def seal(workspaces: Sequence[Workspace], only: Sequence[SessionRef] = ()) -> Iterator[Sealed | Unsealed]:
    """Seal every session and journal of the workspaces, or just these sessions. A new seal takes the place of an old one.

    Raises CannotWrite, RefusedForSafety when the state folder cannot be written.
    """
    from memcli.storage.locks import own

    for workspace in workspaces:
        form = load(workspace.agent)
        journals = form.journal.files(workspace) if form.journal and not workspace.files else []
        paths = [*listing.paths(workspace), *(one.path for one in journals if os.path.lexists(one.path))]
        with own(store(workspace)):
            for path in dict.fromkeys(paths):
                yield _seal(workspace, path)
    for ref in only:
        with own(store(ref.workspace)):
            yield _seal(ref.workspace, ref.path)


def _seal(workspace: Workspace, path: str) -> Sealed | Unsealed:
    shown = listing.shown(workspace, path)
    try:
        fd = open_regular(path)
    except CannotRead as error:
        return Unsealed(shown, str(error.facts["why"]))
    try:
        headers = preamble(fd, load(workspace.agent)).headers
        return seals.seal(store(workspace), path, fd, headers)._replace(path=shown)
    except CannotRead as error:
        return Unsealed(shown, str(error.facts["why"]))
    finally:
        os.close(fd)
