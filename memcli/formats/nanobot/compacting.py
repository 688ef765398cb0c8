"""Where the summary of a chat goes in nanobot (memory.py, Consolidator and MemoryArchiver; manager.py): `_last_summary` in the
header, the archive offset, an entry of the journal, and since 0.3.5 a hidden row before the first one that is sent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from memcli.formats.facets import Essence
from memcli.formats.nanobot.dreaming import lines as lines
from memcli.formats.nanobot.dreaming import put as put
from memcli.formats.nanobot.eras import rules_of
from memcli.formats.nanobot.rules import stamp
from memcli.memory.phrasing import one_line
from memcli.model import Item, Workspace
from memcli.storage.decode import decode
from memcli.storage.members import put as put_member

MEMORY = "journal"
REMOVES = False
CONTINUED = "Continue the active task from the working-memory checkpoint above."
"""SUMMARY_CONTINUATION_TEXT of session/summary.py."""
HIDDEN = "_hidden_history"


def refusal(workspace: Workspace, path: str) -> str:
    """Versions before 0.1.5 know neither the journal nor summaries of chats."""
    if workspace.era in ("E0", "E1"):
        return "its version of nanobot reads no summaries of chats"
    return "" if workspace.memory else "no memory folder with a journal belongs to it"


def summarised(header: Mapping[str, Any], rows: int, first: Any, era: str) -> int:
    """The archive offset, which is 0 where it is out of range (manager.py, `_archive_offset`)."""
    for name in rules_of(era).offsets:
        offset = header.get(name)
        if isinstance(offset, int) and not isinstance(offset, bool):
            return offset if 0 <= offset <= rows else 0
    return 0


def unsaid(value: Any) -> bool:
    """The hidden row of an earlier summary, slash commands and their answers."""
    if not isinstance(value, dict):
        return False
    return bool(value.get("_command")) or (bool(value.get(HIDDEN)) and value.get("content") == CONTINUED)


def summary(header: Mapping[str, Any], first: Any) -> str:
    """`metadata._last_summary.text`."""
    metadata = header.get("metadata")
    last = metadata.get("_last_summary") if isinstance(metadata, dict) else None
    text = last.get("text") if isinstance(last, dict) else None
    return text if isinstance(text, str) else ""


def head(lines: Sequence[bytes], essence: Essence, era: str) -> list[bytes] | None:
    """The summary with the time of the last change, and the offsets. The private state of a provider goes, as when 0.3.5
    compacts: it would go on from what came before the summary."""
    from memcli.formats.nanobot.loading import is_date

    active = essence.changed if essence.changed and is_date(essence.changed) else stamp(essence.seconds)
    found: list[bytes] = []
    for raw in lines:
        values = decode(raw.rstrip(b"\r\n")).values
        if values and isinstance(values[0], dict) and values[0].get("_type") == "provider_state":
            continue
        line: bytes | None = raw
        if values:
            told = {"text": essence.text, "last_active": active}
            line = _offsets(put_member(raw, ("metadata", "_last_summary"), told), essence.cut, era)
        if line is None:
            return None
        found.append(line)
    return found


def moved(lines: Sequence[bytes], header: Mapping[str, Any], removed: int, era: str) -> list[bytes] | None:
    """The offsets that are there, lowered by the rows that lay before them."""
    found = [lines[0]]
    for name in rules_of(era).offsets:
        offset = header.get(name)
        if isinstance(offset, int) and not isinstance(offset, bool) and offset > 0:
            line = put_member(found[0], (name,), max(0, offset - removed))
            if line is None:
                return None
            found[0] = line
    return [*found, *lines[1:]]


def inserted(essence: Essence, first: Any, era: str) -> bytes:
    """The hidden row at which 0.3.5 begins to replay (`commit_summary_checkpoint`)."""
    import json

    if not rules_of(era).has_state:
        return b""
    row = {"role": "user", "content": CONTINUED, HIDDEN: True, "timestamp": stamp(essence.seconds)}
    return json.dumps(row, ensure_ascii=False).encode() + b"\n"


def entry(items: Sequence[Item]) -> str:
    """A fact a line with a mark, as a consolidation writes it: Dream drops the marks."""
    return "\n".join(f"- [{_mark(item)}] {one_line(item.text)}" for item in items)


def _offsets(line: bytes | None, cut: int, era: str) -> bytes | None:
    for name in rules_of(era).offsets:
        line = put_member(line, (name,), cut) if line is not None else None
    return line


def _mark(item: Item) -> str:
    return "ephemeral" if item.expires else "durable"
