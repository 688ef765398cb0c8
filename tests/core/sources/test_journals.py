"""The layer of journals: entries with the session they are about, and the text logs of older versions."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from support.looking import look
from support.nanobot_files import ENTRY, HEADER, said, write

from memcli.core.sources import journals

OTHER = {**ENTRY, "cursor": 2, "content": "- [durable] moved to Oslo", "session_key": "telegram:42"}
KEYLESS = {"cursor": 3, "timestamp": "2026-05-02 11:00", "content": "no chat: Oslo"}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write(tmp_path / "sessions" / "cli_direct.jsonl", HEADER, said("user", "hi"))
    write(tmp_path / "memory" / "history.jsonl", ENTRY, OTHER, KEYLESS, b'{"cursor": 4, "content": "torn Oslo')
    return tmp_path


@pytest.mark.parametrize(
    ("words", "key", "places"),
    [
        ("部署", "", [("journal", "cli:direct", "history.jsonl", 1, 1, "- [durable] 部署")]),
        (
            "Oslo",
            "",
            [
                ("journal", "telegram:42", "history.jsonl", 2, 2, "- [durable] moved to Oslo"),
                ("journal", "", "history.jsonl", 3, 3, "no chat: Oslo"),
                ("journal", "", "history.jsonl", 4, None, ""),
            ],
        ),
        ("", "telegram:42", [("journal", "telegram:42", "history.jsonl", 2, 2, "- [durable] moved to Oslo")]),
        ("", "telegram:4", []),
        ("", "torn Oslo", []),
    ],
)
def test_entries(root: Path, words: str, key: str, places: list[object]) -> None:
    found = look(journals, root, words=words, key=key)
    assert found.places() == places
    assert all(trace.when for trace in found.traces if trace.record)
    assert found.unchecked == []


@pytest.mark.parametrize("name", ["HISTORY.md", "HISTORY.md.bak", "HISTORY.md.bak.2", "2026-05-01.md"])
def test_logs_of_older_versions(root: Path, name: str) -> None:
    (root / "memory" / name).write_bytes("# Log\n\n[2026-05-01 10:00] 部署 Bergen.\n".encode())
    found = look(journals, root, words="部署 Bergen")
    assert found.places() == [("journal", "", name, 3, None, "[2026-05-01 10:00] 部署 Bergen.")]
    assert look(journals, root, key="cli:direct").places()[0][:2] == ("journal", "cli:direct")


def test_notes_that_are_none_of_them(root: Path) -> None:
    (root / "memory" / "2026-5-1.md").write_text("Bergen")
    assert look(journals, root, words="Bergen").traces == []


def test_a_journal_that_is_a_session_file_is_looked_at_as_one(samples: Path) -> None:
    assert look(journals, samples / "cococat/v1-healthy", words="a").sources == []


def test_a_single_file_has_no_journal(root: Path) -> None:
    assert look(journals, root / "sessions" / "cli_direct.jsonl", words="hi").sources == []


def test_what_cannot_be_read_is_told(root: Path) -> None:
    (root / "memory" / "history.jsonl").unlink()
    os.mkfifo(root / "memory" / "history.jsonl")
    found = look(journals, root, words="hi")
    assert found.unchecked == [f"{root}/memory/history.jsonl: it is a FIFO"]


def test_a_sessions_folder_that_cannot_be_listed_hides_no_journal(root: Path) -> None:
    (root / "sessions" / "cli_direct.jsonl").unlink()
    (root / "sessions").rmdir()
    assert look(journals, root, words="部署").places()[0][2] == "history.jsonl"
