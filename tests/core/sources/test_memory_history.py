"""The layer of what memory files once said."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from support.looking import look
from support.nanobot_files import ENTRY, HEADER, said, write
from support.repository import commit, git

from memcli.core.sources import memory_history
from memcli.storage import git as repositories


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write(tmp_path / "sessions" / "cli_direct.jsonl", HEADER, said("user", "hi"))
    commit(tmp_path, "memory/MEMORY.md", "# M\n")
    commit(tmp_path, "memory/MEMORY.md", "# M\n- harbour: 港口 in Bergen\n", 1)
    commit(tmp_path, "memory/MEMORY.md", "# M\n", 2)
    write(tmp_path / "memory" / "history.jsonl", ENTRY)
    return tmp_path


LINE = "- harbour: 港口 in Bergen"


@pytest.mark.parametrize(
    ("words", "places"),
    [
        ("港口 in", [("removed", 2, "02", LINE), ("added", 2, "01", LINE)]),
        ("Bergen", [("removed", 2, "02", LINE), ("added", 2, "01", LINE)]),
        ("bergen", []),
        ("# M", [("added", 1, "00", "# M")]),
        ("M\n- harbour", []),
    ],
)
def test_lines_of_earlier_commits(root: Path, words: str, places: list[object]) -> None:
    found = look(memory_history, root, words=words)
    assert [
        (trace.source.detail["change"], trace.line, trace.when[17:19], trace.text) for trace in found.traces
    ] == places
    assert {len(trace.source.detail["commit"]) for trace in found.traces} <= {40}
    assert {(trace.source.layer, trace.source.key, trace.source.path) for trace in found.traces} <= {
        ("memory-history", "", f"{root}/memory/MEMORY.md")
    }
    assert found.unchecked == []


def test_words_across_lines_that_came_together(root: Path) -> None:
    commit(root, "SOUL.md", "I am\nkind\nand kind\n", 3)
    found = look(memory_history, root, words="am\nkind")
    assert [(trace.line, trace.text) for trace in found.traces] == [(1, "I am")]
    assert [(trace.line, trace.text) for trace in look(memory_history, root, words="kind").traces] == [
        (2, "kind"),
        (3, "and kind"),
    ]


def test_entries_of_a_journal_that_was_versioned(root: Path) -> None:
    entry = {**ENTRY, "content": "spoke of Tromsø", "session_key": "telegram:7"}
    commit(root, "memory/history.jsonl", json.dumps(entry, ensure_ascii=False) + "\n{torn Tromsø\n", 3)
    commit(root, "memory/history.jsonl", "", 4)
    found = look(memory_history, root, words="Tromsø")
    assert [(t.source.detail["change"], t.source.key, t.text, t.record is None) for t in found.traces] == [
        ("removed", "telegram:7", "spoke of Tromsø", False),
        ("removed", "", "{torn Tromsø", True),
        ("added", "telegram:7", "spoke of Tromsø", False),
        ("added", "", "{torn Tromsø", True),
    ]


def test_files_that_are_gone_count(root: Path) -> None:
    commit(root, "memory/MEMORY.md", None, 3)
    assert len(look(memory_history, root, words="Bergen").traces) == 2


def test_a_named_session_has_no_history_of_memory(root: Path) -> None:
    assert look(memory_history, root, key="cli:direct").traces == []
    assert look(memory_history, root / "sessions" / "cli_direct.jsonl", words="Bergen").sources == []


def test_the_repository_inside_and_the_one_around(tmp_path: Path) -> None:
    root = tmp_path / "agents" / "leader" / "memory"
    row = '{"timestamp": "2026-05-06T10:00:00", "prompt": "p", "response_summary": "r", "iterations": 1}\n'
    commit(tmp_path, "agents/leader/memory/MEMORY.md", "outer words\n")
    git(tmp_path, "rm", "-q", "-r", "--cached", "agents")
    git(tmp_path, "commit", "-q", "-m", "out", at=1)
    (root / "history.jsonl").write_text(row)
    commit(root, "MEMORY.md", "inner words\n", 2)
    found = look(memory_history, tmp_path, words="words")
    assert [(Path(t.source.detail["repository"]).name, t.source.detail["change"], t.text) for t in found.traces] == [
        ("memory", "added", "inner words"),
        (tmp_path.name, "removed", "outer words"),
        (tmp_path.name, "added", "outer words"),
    ]


def test_a_memory_folder_that_is_a_link(root: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    other = tmp_path_factory.mktemp("linked")
    write(other / "sessions" / "cli_direct.jsonl", HEADER, said("user", "hi"))
    os.symlink(root / "memory", other / "memory")
    assert len(look(memory_history, other, words="Bergen").traces) == 2


def test_a_broken_repository_is_told(root: Path) -> None:
    (root / ".git" / "HEAD").unlink()
    found = look(memory_history, root, words="Bergen")
    assert found.traces == []
    assert [sentence.partition(": ")[0] for sentence in found.unchecked] == [
        f"The history in {os.path.realpath(root)}/.git cannot be read"
    ]


def test_words_in_every_commit_are_told_some_times(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hunk = repositories.Hunk("0" * 40, "t", f"{os.path.realpath(root)}/memory/MEMORY.md", 1, (), 1, (b"again",))
    monkeypatch.setattr(repositories, "changes", lambda *_, **__: iter([hunk] * 1000))
    assert len(look(memory_history, root, words="again").traces) == 200
