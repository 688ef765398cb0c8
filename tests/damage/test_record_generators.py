"""Sessions damaged at random, several ways at once: mending comes to an end, and touches nothing that is not named."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from support.row_cases import is_wanted, rows_of, spliced

from memcli.damage import modules
from memcli.damage.framework import RowsSnapshot
from memcli.model import Edit

FLAGS = ["--reroute", "--renumber", "--drop-bad-rows", "--synthesize-results"]
ROUNDS = 6
Row = dict[str, Any]


def catbuddy(count: int) -> list[Row]:
    header = {"key": "desktop:main", "title": "", "preview": "", "created_at": "2026-05-20T08:00:00.000Z"}
    rows: list[Row] = [{**header, "updated_at": "2026-05-20T09:00:00.000Z", "last_consolidated": 0, "metadata": {}}]
    for number in range(1, count + 1):
        row: Row = {
            "id": number,
            "sessionKey": "desktop:main",
            "role": ("user", "assistant", "tool", "assistant")[number % 4 - 1],
        }
        row |= {"content": f"文本 {number}", "timestamp": f"2026-05-20T08:{number:02}:00.000Z"}
        if number % 4 == 2:
            row["toolCalls"] = [{"id": f"c{number}", "name": "read", "arguments": {}}]
        if number % 4 == 3:
            row["toolCallId"] = f"c{number - 1}"
        rows.append(row)
    return rows


def nanobot(count: int) -> list[Row]:
    rows: list[Row] = [
        {"_type": "metadata", "key": "cli:direct", "created_at": "2026-05-20T08:00:00", "last_consolidated": 0}
    ]
    rows[0] |= {"updated_at": "2026-05-20T09:00:00", "metadata": {}}
    for number in range(1, count + 1):
        row: Row = {"role": ("user", "assistant", "tool", "assistant")[number % 4 - 1], "content": f"文本 {number}"}
        row["timestamp"] = f"2026-05-20T08:{number:02}:00.000001"
        if number % 4 == 2:
            row["tool_calls"] = [
                {"id": f"c{number}", "type": "function", "function": {"name": "exec", "arguments": "{}"}}
            ]
        if number % 4 == 3:
            row["tool_call_id"] = f"c{number - 1}"
        rows.append(row)
    return rows


def damaged(rows: list[Row], chance: random.Random) -> list[Row]:
    """The rows after one to five accidents."""
    rows = [dict(row) for row in rows]
    for _ in range(chance.randint(1, 5)):
        at = chance.randrange(1, len(rows))
        kind = chance.randrange(7)
        if kind == 0:
            rows.insert(chance.randrange(at, len(rows)) + 1, dict(rows[at]))
        elif kind == 1:
            del rows[at]
        elif kind == 2:
            rows[at].pop("role", None)
        elif kind == 3 and "id" in rows[at]:
            rows[at]["id"] = chance.randrange(1, 30)
        elif kind == 4 and "sessionKey" in rows[at]:
            rows[at]["sessionKey"] = "desktop:other"
        elif kind == 5:
            rows[0]["last_consolidated"] = chance.choice([999, -1, "2", None, True, 3])
        else:
            other = chance.randrange(1, len(rows))
            rows[at], rows[other] = rows[other], rows[at]
        if len(rows) < 4:
            break
    return rows


def edits_of(rows: RowsSnapshot) -> list[Edit]:
    """All edits; of two that overlap the one of the class that comes first."""
    chosen: list[Edit] = []
    for module in modules("rows"):
        for finding in module.detect(rows):
            if not is_wanted(finding, FLAGS):
                continue
            made = [edit for edit in module.mend(rows, finding) if isinstance(edit, Edit)]
            if not any(overlap(one, other) for one in made for other in chosen):
                chosen += made
    return chosen


def overlap(one: Edit, other: Edit) -> bool:
    return one.offset < other.offset + other.length and other.offset < one.offset + one.length


@pytest.mark.parametrize("agent", ["catbuddy", "nanobot"])
@pytest.mark.parametrize("seed", range(60))
def test_mending_ends_and_leaves_other_rows_as_they_were(tmp_path, agent, seed):
    chance = random.Random(f"{agent} {seed}")
    rows = damaged({"catbuddy": catbuddy, "nanobot": nanobot}[agent](20), chance)
    data = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()
    path = Path(tmp_path) / "desktop_main.jsonl"
    known = set(data.split(b"\n"))
    for _ in range(ROUNDS):
        path.write_bytes(data)
        edits = edits_of(rows_of(path, agent))
        if not edits:
            break
        named = {edit.code for edit in edits}
        data = spliced(data, edits)
        if named <= {"duplicate-record", "missing-role", "bad-row-shape", "foreign-record"}:
            assert set(data.split(b"\n")) <= known
        known |= set(data.split(b"\n"))
    assert edits_of(rows_of(path, agent)) == []
    codes = {finding.code for module in modules("rows") for finding in module.detect(rows_of(path, agent))}
    assert "unanswered-tool-call" not in codes
    left = [json.loads(line) for line in data.splitlines()]
    texts = {row.get("content") for row in rows}
    assert {
        row.get("content") for row in left if "memcli" not in str(row) and "_recovery_interrupted" not in row
    } <= texts
    if agent == "catbuddy":
        numbers = [row["id"] for row in left[1:] if row.get("id") is not None]
        assert len(numbers) == len(set(numbers))
