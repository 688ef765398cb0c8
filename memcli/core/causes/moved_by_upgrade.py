"""A chat that a newer generation of its agent looks for in another place than where an older one left it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from memcli.core import copies, listing, merging
from memcli.core.causes.framework import Case, Chat, command
from memcli.core.causes.showing import named, shown
from memcli.core.examining import Target
from memcli.core.viewing import view
from memcli.errors import MemcliError
from memcli.formats import habits, load
from memcli.model import Verdict

CAUSE = "moved-by-upgrade"
REROUTE = {"reroute": ""}


def evidence(case: Case, chat: Chat) -> Iterator[Verdict]:
    """A chat with a file that only older generations read: it is renamed where that is all, else its rows are taken over."""
    moved = habits(chat.workspace.agent).moved(chat.workspace, chat.key) if chat.key else None
    if moved is None:
        return
    for path in moved.former:
        if listing.header_key(load(chat.workspace.agent), path) not in (None, chat.key) or not _is_asked(
            case, chat, path
        ):
            continue
        told = [f"An older version left the chat in {listing.shown(chat.workspace, path)}."]
        told.append(f"The version in use opens {listing.shown(chat.workspace, moved.place)} for it and nothing else.")
        found = _renamed(case, chat, path, moved.place) or _taken_over(case, chat, path, moved.place)
        if found:
            rows, lost, words, more = found
            mend = command(chat.workspace, *words)
            yield Verdict(chat.key, CAUSE, "session", rows, lost, (*told, *more), mend)
            return


def _is_asked(case: Case, chat: Chat, path: str) -> bool:
    """Whether a file has the words; any does where the session itself was asked for."""
    return not case.question.text or any(trace.source.path == path for trace in chat.traces)


def _renamed(case: Case, chat: Chat, path: str, place: str) -> tuple[int, int, Sequence[str], Sequence[str]] | None:
    """What renaming the file brings, where that puts it in its place."""
    if chat.ref is None or chat.ref.path != path or os.path.dirname(path) != os.path.dirname(place):
        return None
    blueprint = case.blueprint(chat, flags=REROUTE)
    if not any(
        action.kind == "rename" and (action.path, action.detail) == (path, place) for action in blueprint.actions
    ):
        return None
    draft = blueprint.drafts.get(path)
    rows = view(Target(place, place, "session", chat.workspace), draft.source if draft else path).seen
    words = ("repair", named(case, chat), "--reroute", "--apply")
    return rows, blueprint.counts[path].quarantined, words, ()


def _taken_over(case: Case, chat: Chat, path: str, place: str) -> tuple[int, int, Sequence[str], Sequence[str]] | None:
    """What merging the file into the one that is opened brings; versions of a row are both kept."""
    for decision, words in (("", ()), ("both", ("--keep-both",))):
        try:
            pair = copies.target(place, path, [chat.workspace.shown or chat.workspace.root], None, case.scope.tz)
            with merging.plan(pair, decision, case.scope.tz) as plan:
                if plan.undecided:
                    continue
                if not plan.result or plan.worse or plan.after is None:
                    return None
                rows = plan.after.seen - (shown(case, chat) if os.path.lexists(place) else 0)
                left_out = plan.counts.left_out
        except (MemcliError, OSError):
            return None
        if rows <= 0:
            return None
        more = [f"{left_out:,} damaged lines stay where they are; 'memcli repair' may mend them."] if left_out else []
        return rows, left_out, ("sessions", "merge", place, path, *words, "--apply"), more
    return None
