"""The three ways to run compact: one chat by its name, the queue shown, the queue carried out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from memcli import settings
from memcli.core import counts, guarding, queue
from memcli.core.compact import candidates
from memcli.core.compact.names import is_busy, workspace_of
from memcli.core.compact.results import Refused, Result
from memcli.core.compact.wishes import DRY, TRIM, Wishes
from memcli.errors import MemcliError, UsageError
from memcli.model import SessionRef, Workspace

if TYPE_CHECKING:  # the queue alone needs no provider
    from memcli.llm import Model, Reader


def named(ref: SessionRef, wishes: Wishes, *, only_trim: bool, command: Sequence[str]) -> Iterator[Result]:
    """Compact one session, or with `only_trim` put its old rows away."""
    from memcli.core.compact import running, trimming
    from memcli.core.dream.modes import may_write

    guarding.check_own(ref.path)
    if wishes.mode != DRY:
        may_write([workspace_of(ref)], True)
    if only_trim:
        yield trimming.one(ref, wishes.trim or TRIM, wishes, command=command)
    else:
        yield running.one(ref, wishes, _provider(wishes), command=command)


def queued(
    workspaces: Sequence[Workspace], wishes: Wishes, *, only_trim: bool, command: Sequence[str]
) -> Iterator[Result]:
    """The queue of each workspace, or with `only_trim` what would be put away."""
    for workspace in _with_summaries(workspaces):
        if not only_trim:
            yield candidates.line(workspace, wishes)
        if wishes.trim:
            from memcli.core.compact import trimming

            yield from trimming.several(workspace, wishes.trim, wishes, command=command)


def unattended(
    workspaces: Sequence[Workspace], wishes: Wishes, *, only_trim: bool, command: Sequence[str]
) -> Iterator[Result]:
    """Compact those whose turn it is, and put away what is to go."""
    from memcli.core import stores
    from memcli.core.compact import running, trimming

    provider = None if only_trim else _provider(wishes)
    for workspace in _with_summaries(workspaces):
        try:
            stores.finish([workspace])
            with running.alone(workspace):
                if provider is not None:
                    found = candidates.line(workspace, wishes).queued
                    chosen = [counts.reference(one.session, workspace) for one in found if one.reason == queue.CHOSEN]
                    yield from running.several(chosen, wishes, provider, command=command)
                if wishes.trim:
                    yield from trimming.several(workspace, wishes.trim, wishes, command=command)
        except MemcliError as error:
            if isinstance(error, UsageError):
                raise
            yield Refused(workspace, error.sentence, error.exit_code, is_busy(error))


def _with_summaries(workspaces: Sequence[Workspace]) -> Iterator[Workspace]:
    """The workspaces whose format knows summaries. Raises UsageError where none does."""
    from memcli.formats import compacting, load

    found = [one for one in workspaces if load(one.agent).memory is not None]
    if not found and workspaces:
        compacting(workspaces[0].agent)  # tells why
    yield from found


def _provider(wishes: Wishes) -> Reader | Model:
    from memcli import llm
    from memcli.core.dream.running import OFFLINE

    table = settings.configuration("llm")
    return llm.load(wishes.provider or str(table.get("provider") or OFFLINE), table)
