"""CocoCat's rule for when Dream is due (tests/test_dream_trigger.py of its own has these six), and V1's files beside V2's."""

from __future__ import annotations

from pathlib import Path

import pytest

from memcli.formats import habits, load
from memcli.formats.facets import JournalFile, Waiting

NOW = 1_780_000_000.0
JOURNAL = JournalFile("/p/agents/leader/memory/history.jsonl", None, "/p/agents/leader/memory/.dream_cursor")
DUE = {
    "nothing waits": (0, 0, 10_000, False),
    "one after half an hour": (1, 0, 2000, True),
    "one too early": (1, 0, 1000, False),
    "five at once": (5, 0, 100, False),
    "five after ten minutes": (5, 0, 1000, True),
    "much text at once": (2, 10_000, 100, True),
    "less text at once": (2, 5_999, 100, False),
}


@pytest.mark.parametrize("name", DUE)
def test_when_dream_is_due(tmp_path: Path, name: str) -> None:
    entries, characters, ago, due = DUE[name]
    (tmp_path / "agents" / "leader" / "memory").mkdir(parents=True)
    (tmp_path / "agents" / "leader" / "memory" / "MEMORY.md").write_text("# M\n")
    [workspace] = load("cococat").layout.recognise(str(tmp_path))
    found = habits("cococat").dreams(workspace, JOURNAL, Waiting(entries, characters, NOW - ago, NOW))
    assert found.runs is due
    assert found.why
    assert not found.why.endswith(".")
    never = habits("cococat").dreams(workspace, JOURNAL, Waiting(entries, characters, None, NOW))
    assert never.runs is (entries > 0)  # without a position file the last Dream was in 1970


def test_a_users_journal_is_dreamt_by_nobody(tmp_path: Path) -> None:
    (tmp_path / "agents" / "leader" / "memory").mkdir(parents=True)
    (tmp_path / "agents" / "leader" / "memory" / "MEMORY.md").write_text("# M\n")
    [workspace] = load("cococat").layout.recognise(str(tmp_path))
    path = "/p/agents/leader/memory/users/9cfc09aa76ff341a/history.jsonl"
    found = habits("cococat").dreams(workspace, JournalFile(path, None, None), Waiting(9, 99_999, None, NOW))
    assert found.runs is False


def test_files_of_v1_beside_those_of_v2(tmp_path: Path) -> None:
    agent = tmp_path / "agents" / "leader"
    (agent / "memory").mkdir(parents=True)
    (agent / "memory" / "history.jsonl").write_text(
        '{"timestamp": "2026-05-02T23:54:01", "prompt": "x", "response_summary": "已发送。", "iterations": 2}\n'
    )
    [workspace] = load("cococat").layout.recognise(str(tmp_path))
    assert (workspace.era, habits("cococat").generations(workspace)) == ("V1", [])
    (agent / "memory" / "memory.md").write_text("用户喜欢茶\n")
    (agent / "pinned.md").write_text("")
    [workspace] = load("cococat").layout.recognise(str(tmp_path))
    [found] = habits("cococat").generations(workspace)
    assert (workspace.era, found.era, found.path, found.lost) == ("V2a", "V1", str(agent / "memory"), True)
