"""What nanobot does by itself, as far as `doctor` goes by it: turns in flight that it drops, starts that it refuses, rows that
it took out."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from support.nanobot_files import HEADER, ID, OTHER_ID, identify, namespace, said, write

from memcli.formats.nanobot import habits, layout

TURN = {"base_message_count": 1, "base_updated_at": HEADER["updated_at"], "checkpoint": {"phase": "awaiting_tools"}}
SUMMARY = {"_last_summary": {"text": "x", "last_active": "2026-05-01T10:00:00"}}


@pytest.mark.parametrize(
    ("checkpoint", "age", "why"),
    [
        (TURN, 0, ""),
        (TURN, 5, "it is older than the session"),
        ({**TURN, "base_message_count": 2}, 0, "it was made for 2 rows, and the session has 1"),
        ({**TURN, "base_updated_at": "2026-05-01T09:00:00"}, 0, "the session was saved after it was made"),
        ({**TURN, "checkpoint": None}, 0, "it holds no turn"),
        ([], 0, "it holds no turn"),
        (b'{"checkpoint": {', 0, "it, or the session's header, does not parse"),
    ],
)
def test_a_turn_in_flight_that_is_dropped(tmp_path: Path, checkpoint: Any, age: int, why: str) -> None:
    session = write(tmp_path / "a.jsonl", HEADER, said("user", "hi"))
    beside = tmp_path / "a.checkpoint.json"
    beside.write_bytes(checkpoint if isinstance(checkpoint, bytes) else json.dumps(checkpoint).encode())
    os.utime(session, (1000, 1000))
    os.utime(beside, (1000 - age, 1000 - age))
    assert habits.dropped(str(beside), str(session), 1) == why
    assert not habits.dropped(str(beside), str(tmp_path / "gone"), 1)


def test_starts_that_are_refused(tmp_path: Path) -> None:
    home = tmp_path / ".nanobot"
    workspace = identify(home / "workspace", ID)
    folder = namespace(home, ID, workspace, "Y2xpOmRpcmVjdA.jsonl")

    def why() -> list[str]:
        [found] = layout.recognise(str(home))
        return habits.refusals(found)

    assert why() == []
    (folder / ".workspace").write_text("\n")
    assert [sentence.partition(" is empty")[1] for sentence in why()] == [" is empty"]
    (folder / ".workspace").unlink()
    assert "is missing, and the namespace has data" in why()[0]
    (folder / ".workspace").write_text(f"{workspace}\n")
    (workspace / ".nanobot" / "workspace-id").write_text("cafe\n")
    assert "holds no id" in why()[0]
    (workspace / ".nanobot" / "workspace-id").unlink()
    assert why() == []
    namespace(home, OTHER_ID, workspace, "Y2xpOmRpcmVjdA.jsonl")
    assert f"The namespaces {ID}, {OTHER_ID} claim the workspace" in why()[0]


def test_older_versions_refuse_nothing(tmp_path: Path) -> None:
    write(tmp_path / "workspace" / "sessions" / "cli_direct.jsonl", HEADER, said("user", "hi"))
    [found] = layout.recognise(str(tmp_path / "workspace"))
    assert habits.refusals(found) == []
    assert habits.moved(found, "cli:direct") is None


@pytest.mark.parametrize(
    ("header", "rows", "era", "cause", "sure"),
    [
        ({"metadata": SUMMARY}, 8, "E2", "compacted-away", True),
        ({"metadata": SUMMARY, "last_consolidated": 4}, 8, "E2", "", False),
        ({"metadata": {"_last_summary": {"text": "x"}}}, 100, "E3", "", False),
        ({"metadata": {}}, 8, "E3", "compacted-away", False),
        ({"metadata": None}, 1999, "E2", "trimmed", True),
        ({}, 2001, "E2", "", False),
        ({"metadata": SUMMARY}, 8, "E4", "", False),
        ({}, 2000, "E1", "", False),
    ],
)
def test_rows_that_were_taken_out(header: dict[str, Any], rows: int, era: str, cause: str, sure: bool) -> None:
    taken = habits.taken_out(header, rows, era)
    assert (taken.cause if taken else "") == cause
    assert bool(taken and taken.sure) == sure
