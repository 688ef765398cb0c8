"""Which rows of a session nanobot's next turn sends to the model, and why the others stay behind."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from memcli.model import Decoded, Hidden, Line, Sent

if TYPE_CHECKING:
    from memcli.formats.nanobot.loading import Loading


def sent(lines: Iterable[tuple[Line, Decoded]], name: str, era: str) -> Sent:
    """What of the file called `name` reaches the model; nothing is hidden in it where nothing is loaded.

    Codes of hidden rows: "fails" (every turn ends with an error), "offset", "offset-out-of-range" (taken as the first
    versions of an era took it, which hid the whole chat), "offset-unreadable" (turns fail on it), "offset-leading" (between
    it and the next user row), "leading" (before the first user row), "unpaired" (before and with a tool result that answers
    no call), "unsent" (slash commands, assistant rows without words).
    """
    from memcli.formats.nanobot.eras import rules_of  # a listing loads the format and has no use for these
    from memcli.formats.nanobot.loading import Loading
    from memcli.formats.nanobot.viewing import hidden_by_name

    rules = rules_of(era)
    loading = Loading(rules._replace(clamps=rules.clamps and not rules.clamps_since))
    rows = array("L")  # of each message
    for line, decoded in lines:
        row = loading.rows + 1
        loading.take(line, decoded)
        rows.extend([row] * (len(loading.messages) - len(rows)))
    if loading.fatal or hidden_by_name(loading, name) or not rows:
        return Sent(0)
    return _replayed(loading, rows)._replace(unsaved=max(0, loading.unsavable))


def _replayed(loading: Loading, rows: array[int]) -> Sent:
    from memcli.formats.nanobot.viewing import offset_of

    offset, flaw = offset_of(loading)
    if offset is None:
        return _failing(rows, f"{flaw[0].lower()}{flaw.partition(':')[0][1:]}", "offset-unreadable")
    replay = loading.messages.replay(offset)
    if replay.breaking:
        return _failing(rows, f"row {replay.breaking} has no role, no content or unusable tool calls")
    spans = []
    start = 0
    leading = "offset-leading" if replay.offset else "leading"
    orphan = f"the tool result in row {replay.orphan} answers no call"
    out_of_range = f"the archive offset {offset} is not one of its {len(rows)} rows"
    before = ("offset-out-of-range", out_of_range) if flaw else ("offset", "they lie before the archive offset")
    for count, code, why in (
        (replay.offset, *before),
        (replay.leading, leading, "they stand before the first user row"),
        (replay.unpaired, "unpaired", orphan),
    ):
        if count:
            spans.append(Hidden(rows[start], rows[start + count - 1], code, why))
        start += count
    spans += _unsent(loading, rows, start)
    return Sent(replay.sent, tuple(spans), _failing_header(loading))


def _failing_header(loading: Loading) -> str:
    """Why turns fail on the header although every row could be sent, "" when they do not."""
    metadata = loading.header.get("metadata")
    if loading.rules.has_state or "metadata" not in loading.header:
        return ""
    if not isinstance(metadata, dict):
        return "the header's metadata is no object"
    summary = metadata.get("_last_summary")
    if loading.rules.flags and isinstance(summary, dict) and not {"text", "last_active"} <= summary.keys():
        return "the header's summary lacks its text or its time"
    return ""


def _failing(rows: array[int], why: str, code: str = "fails") -> Sent:
    return Sent(0, (Hidden(rows[0], rows[-1], code, why),), why)


def _unsent(loading: Loading, rows: array[int], start: int) -> Iterator[Hidden]:
    """The messages that a replay from `start` on leaves out one by one, neighbours together."""
    first = last = -1
    for number in loading.messages.unsent(start):
        if number != last + 1 or first < 0:
            if first >= 0:
                yield Hidden(rows[first], rows[last], "unsent", _UNSENT)
            first = number
        last = number
    if first >= 0:
        yield Hidden(rows[first], rows[last], "unsent", _UNSENT)


_UNSENT = "slash commands, their answers and assistant rows without words stay behind"
