"""The view of no agent in particular: a row that is JSON is seen, one that is not is not."""

from __future__ import annotations

from collections.abc import Iterable

from memcli.formats.jsonl.records import is_preamble
from memcli.model import AgentView, Decoded, Line
from memcli.storage.lines import is_blank


def view(lines: Iterable[tuple[Line, Decoded]], name: str, era: str) -> AgentView:
    """Rows that can be read, of all rows behind the leading header. Memory: O(1) a row."""
    total = seen = 0
    leading = True
    for line, decoded in lines:
        if line.raw is not None and is_blank(line.raw):
            continue
        leading = leading and len(decoded.values) == 1 and is_preamble(decoded.values[0])
        if leading:
            continue
        total += 1
        seen += bool(decoded.values)
    bad = total - seen
    reason = f"{bad:,} row{'' if bad == 1 else 's'} do{'es' if bad == 1 else ''} not parse" if bad else ""
    return AgentView(seen, total, True, reason)
