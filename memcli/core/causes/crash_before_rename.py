"""The agent died between writing a temporary file and giving it its name: what it was saving is in that file, or part of it."""

from __future__ import annotations

from collections.abc import Iterator

from memcli.core.causes import restoring
from memcli.core.causes.blank import is_blank
from memcli.core.causes.framework import Case, Chat, command
from memcli.core.causes.peeking import end
from memcli.core.causes.restoring import changed
from memcli.core.causes.showing import named, shown
from memcli.core.examining import Target
from memcli.core.sources.framework import Source
from memcli.core.viewing import view
from memcli.errors import CannotRead
from memcli.model import Verdict

CAUSE = "crash-before-rename"
LAYER = "temp"
ADOPT = "adopt-temp"
END = 1 << 20
"""The last so many bytes of a temporary file are looked at for a row that was cut."""


def evidence(case: Case, chat: Chat) -> Iterator[Verdict]:
    """A chat with a temporary file that is newer than its own, or that has no file yet."""
    if chat.ref is not None and is_blank(chat.ref.path):
        return
    newer = [one for one in restoring.candidates(case, chat, LAYER) if _is_newer(chat, one)]
    for source in newer:
        found = next((one for one in restoring.restored(case, chat, LAYER) if one.source == source), None)
        adopted = _adopted(case, chat, source)
        if found is not None and found.rows >= adopted:
            told = _told(chat, source, found.rows)
            yield Verdict(chat.key, CAUSE, LAYER, found.rows, found.damaged, told, found.command)
        elif adopted:
            assert chat.ref is not None
            words = ("repair", named(case, chat), f"--{ADOPT}", "--apply")
            yield Verdict(
                chat.key, CAUSE, LAYER, adopted, 0, _told(chat, source, adopted), command(chat.workspace, *words)
            )
        elif cut := _cut(source):
            lost = None if chat.ref is not None and cut in end(chat.ref.path, END) else 1
            show = command(source.workspace._replace(shown=source.shown), "sessions", "show", source.shown)
            yield Verdict(chat.key, CAUSE, LAYER, 0, lost, (*_told(chat, source, 0), "Its end was cut."), show)
        else:
            continue
        return


def _told(chat: Chat, source: Source, rows: int) -> tuple[str, ...]:
    if chat.ref is None:
        return (
            f"{source.shown} is a temporary file of a write that was interrupted; the chat has no file of its own.",
        )
    compared = f"it has {rows} rows more that can be read" if rows else "it has no row that the chat's file has not"
    return (f"{source.shown} is newer than the chat's file, of a write that was interrupted; {compared}.",)


def _is_newer(chat: Chat, source: Source) -> bool:
    if chat.ref is None:
        return True
    return changed(source.path) > changed(chat.ref.path) and source.detail.get("original") in ("", chat.ref.path)


def _adopted(case: Case, chat: Chat, source: Source) -> int:
    """How many rows more the agent shows once the temporary file is in the place of the chat's file."""
    if chat.ref is None:
        return 0
    blueprint = case.blueprint(chat, flags={ADOPT: ""})
    if not any(one.path == source.path and one.detail == chat.ref.path for one in blueprint.actions):
        return 0
    draft = blueprint.drafts.get(source.path)
    try:
        after = view(
            Target(chat.ref.path, chat.ref.shown, "session", chat.ref.workspace), draft.source if draft else source.path
        )
    except (CannotRead, OSError):
        return 0
    return max(0, after.seen - shown(case, chat))


def _cut(source: Source) -> bytes:
    """What stands behind the last newline."""
    return end(source.path, END).rpartition(b"\n")[2].rstrip(b"\0")
