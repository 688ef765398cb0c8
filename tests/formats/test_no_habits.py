"""What an agent takes from here, it does not do: every question has its quiet answer."""

from __future__ import annotations

from pathlib import Path

import pytest

from memcli.formats import FORMATS, habits, no_habits
from memcli.model import Workspace


def test_nothing_is_told(tmp_path: Path) -> None:
    workspace = Workspace("jsonl", str(tmp_path))
    assert no_habits.moved(workspace, "a:b") is None
    assert no_habits.taken_out({}, 3, "") is None
    assert no_habits.refusals(workspace) == []
    assert not no_habits.ended({"key": "a:b"})
    assert no_habits.dropped("a.checkpoint.json", "a.jsonl", 3) == ""


@pytest.mark.parametrize("agent", FORMATS)
def test_every_agent_answers_each_question(agent: str) -> None:
    assert all(
        callable(getattr(habits(agent), name)) for name in ("moved", "taken_out", "ended", "refusals", "dropped")
    )
