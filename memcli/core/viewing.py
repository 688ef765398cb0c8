"""What an agent would make of a file if it held other bytes."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from memcli.core.examining import Target
from memcli.core.rows import read
from memcli.formats import load
from memcli.formats.facets import Format
from memcli.model import AgentView, Decoded, Line, Sent
from memcli.storage.reading import open_regular


def view(target: Target, source: str) -> AgentView:
    """What the agent would make of the target if it held the bytes of `source`."""
    form = load(target.workspace.agent)
    with _lines(form, source) as feed:
        return form.loader.view(feed, _name(form, target), target.workspace.era)


def sent(target: Target, source: str) -> Sent | None:
    """What of the bytes of `source`, in the target's place, the agent would send to the model; None for an agent that sends
    all that it loads."""
    form = load(target.workspace.agent)
    if form.sending is None:
        return None
    with _lines(form, source) as feed:
        return form.sending.sent(feed, _name(form, target), target.workspace.era)


@contextmanager
def _lines(form: Format, source: str) -> Iterator[Iterator[tuple[Line, Decoded]]]:
    fd = open_regular(source)
    try:
        yield ((row.line, row.decoded) for row in read(fd, form))
    finally:
        os.close(fd)


def _name(form: Format, target: Target) -> str:
    """The file name that the agent would meet: a copy elsewhere says nothing about it."""
    workspace = target.workspace
    name = os.path.basename(target.path)
    if target.shown != target.path or os.path.dirname(target.path) not in workspace.sessions:
        key = form.layout.key_of(workspace, target.path)
        name = form.layout.name_of(key, workspace.era) or name
    return name
