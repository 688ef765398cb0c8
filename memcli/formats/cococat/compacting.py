"""Where a summary goes in CocoCat (V1, auto_compact.py): one record at the beginning of a user's journal, in the place of the
rows that it stands for. The agent's own only tells how many, ends without a newline and forgets the position of Dream."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from typing import Any

from memcli.formats.cococat.dreaming import lines as lines
from memcli.formats.cococat.dreaming import put as put
from memcli.formats.cococat.places import HISTORY
from memcli.formats.cococat.records import is_summary
from memcli.formats.facets import Essence
from memcli.model import Item, Workspace

MEMORY = ""
REMOVES = True


def refusal(workspace: Workspace, path: str) -> str:
    """Only journals of users are compacted."""
    folder, name = os.path.split(os.path.realpath(path))
    above = os.path.dirname(folder)
    scenes = os.path.basename(os.path.dirname(os.path.dirname(above))) == "scenes"  # of V2, which no code reads
    if name == HISTORY and os.path.basename(above) == "users" and not scenes:
        return ""
    return "CocoCat has summaries in journals of users alone"


def summarised(header: Mapping[str, Any], rows: int, first: Any, era: str) -> int:
    """The record that stands for rows, at the beginning."""
    return int(is_summary(first))


def unsaid(value: Any) -> bool:
    """An earlier summary."""
    return is_summary(value)


def summary(header: Mapping[str, Any], first: Any) -> str:
    """The text of the record. What the agent's own says is how many entries there were: that is counted on."""
    text = first.get("summary") if is_summary(first) else ""
    return text if isinstance(text, str) and not (text.startswith("[") and text.endswith("entries compacted]")) else ""


def head(lines: Sequence[bytes], essence: Essence, era: str) -> list[bytes] | None:
    """No file has a header."""
    return list(lines)


def moved(lines: Sequence[bytes], header: Mapping[str, Any], removed: int, era: str) -> list[bytes] | None:
    """No file has a header."""
    return list(lines)


def inserted(essence: Essence, first: Any, era: str) -> bytes:
    """The record, which counts the entries of an earlier one too."""
    import json

    before = first.get("original_count") if is_summary(first) else 0
    known = before if isinstance(before, int) and not isinstance(before, bool) and before > 0 else 0
    row = {
        "type": "compacted_summary",
        "original_count": known + essence.cut - is_summary(first),
        "summary": essence.text,
        "timestamp": time.strftime("%Y-%m-%dT%H:%M:%S", time.localtime(essence.seconds)),
    }
    return json.dumps(row, ensure_ascii=False).encode("utf-8", "replace") + b"\n"


def entry(items: Sequence[Item]) -> str:
    """Nothing: the journal is what is compacted."""
    return ""
