"""Where the summary of a chat goes in catbuddy (memory.ts, `compactIdleSession`; layered-memory.ts): `_last_summary` in the
header, which the prompt takes, and a block `## Archived` in MEMORY.md, in a project by layer."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from typing import Any

from memcli.formats.catbuddy import dreaming
from memcli.formats.catbuddy.dreaming import lines as lines
from memcli.formats.facets import Essence, Target
from memcli.model import Item, Workspace
from memcli.storage.members import put as put_member

MEMORY = "memory"
REMOVES = False
OFFSET = "last_consolidated"
LABEL = "Archived"


def refusal(workspace: Workspace, path: str) -> str:
    """The agent makes its memory folder when it first runs."""
    return "" if workspace.memory else "no memory folder belongs to it"


def summarised(header: Mapping[str, Any], rows: int, first: Any, era: str) -> int:
    """The offset, where memcli wrote it: the agent itself never has it on the disk together with a summary. It drops rows beyond
    2,000 without lowering it; then ids begin beyond 1, and the offset means nothing."""
    offset = header.get(OFFSET)
    whole = isinstance(first, dict) and first.get("id") == 1
    if not whole or not summary(header, first) or isinstance(offset, bool) or not isinstance(offset, int):
        return 0
    return offset if 0 <= offset <= rows else 0


def unsaid(value: Any) -> bool:
    """Commands are never stored, and the agent puts no marks between rows."""
    return False


def summary(header: Mapping[str, Any], first: Any) -> str:
    """`metadata._last_summary.text`."""
    metadata = header.get("metadata")
    last = metadata.get("_last_summary") if isinstance(metadata, dict) else None
    text = last.get("text") if isinstance(last, dict) else None
    return text if isinstance(text, str) else ""


def head(lines: Sequence[bytes], essence: Essence, era: str) -> list[bytes] | None:
    """The summary with the day of the last change (UTC), as the agent has it."""
    day = essence.changed[:10]
    if not _DAY.fullmatch(day):
        day = time.strftime("%Y-%m-%d", time.gmtime(essence.seconds))
    line = put_member(lines[0], ("metadata", "_last_summary"), {"text": essence.text, "last_active": day})
    line = put_member(line, (OFFSET,), essence.cut) if line is not None else None
    return None if line is None else [line, *lines[1:]]


def moved(lines: Sequence[bytes], header: Mapping[str, Any], removed: int, era: str) -> list[bytes] | None:
    """The offset of memcli's, lowered; the agent has none of its own."""
    offset = header.get(OFFSET)
    if isinstance(offset, bool) or not isinstance(offset, int) or offset <= 0:
        return list(lines)
    line = put_member(lines[0], (OFFSET,), max(0, offset - removed))
    return None if line is None else [line, *lines[1:]]


def inserted(essence: Essence, first: Any, era: str) -> bytes:
    """None: all rows stay as they are."""
    return b""


def put(target: Target, old: bytes | None, items: Sequence[Item], seconds: float) -> bytes:
    """A block of this day behind all that is there, laid out as those of Dream."""
    return dreaming.block(LABEL, target, old, items, seconds)


def entry(items: Sequence[Item]) -> str:
    """Nothing: consolidation writes no journal."""
    return ""


_DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
