"""The layer of session files: what the agent has in its place, by the key in the header."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from support.looking import look
from support.nanobot_files import dumped

from memcli.core.sources import sessions


def catbuddy(root: Path, name: str, *texts: str, key: str = "desktop:main") -> Path:
    header = {"key": key, "title": "", "preview": "", "created_at": "x", "updated_at": "x", "last_consolidated": 0}
    rows = [
        {"id": n, "sessionKey": key, "role": "user", "content": text, "timestamp": "2026-05-20T08:30:00.000Z"}
        for n, text in enumerate(texts, 1)
    ]
    path = root / "sessions" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(dumped({**header, "metadata": {}}, *rows))
    return path


@pytest.mark.parametrize(
    ("words", "places"),
    [
        ("pnpm", [("session", "desktop:main", "desktop_main.jsonl", 2, 1, "use pnpm")]),
        ("杭州", [("session", "desktop:main", "desktop_main.jsonl", 3, 2, "我住在杭州")]),
        ('say "hi"', [("session", "renamed:chat", "desktop_other.jsonl", 2, 1, 'say "hi"')]),
        ("nowhere", []),
    ],
)
def test_words_in_session_files(tmp_path: Path, words: str, places: list[object]) -> None:
    catbuddy(tmp_path, "desktop_main.jsonl", "use pnpm", "我住在杭州")
    catbuddy(tmp_path, "desktop_other.jsonl", 'say "hi"', key="renamed:chat")
    found = look(sessions, tmp_path, words=words)
    assert found.places() == places
    assert found.unchecked == []
    assert all(trace.record and trace.when == "2026-05-20T08:30:00.000Z" for trace in found.traces)


def test_a_line_that_is_no_record_shows_its_words(tmp_path: Path) -> None:
    path = catbuddy(tmp_path, "desktop_main.jsonl", "one")
    path.write_bytes(path.read_bytes() + b'{"id":2,"content":"\\u676d\\u5dde is tor')
    found = look(sessions, tmp_path, words="杭州 is")
    assert found.places() == [("session", "desktop:main", "desktop_main.jsonl", 3, None, "")]


def test_a_copy_is_another_layer_but_a_chat_called_like_one_is_not(tmp_path: Path) -> None:
    catbuddy(tmp_path, "desktop_main.jsonl", "one")
    catbuddy(tmp_path, "desktop_main (1).jsonl", "one")
    catbuddy(tmp_path, "desktop_main 2.jsonl", "one", key="desktop:main 2")
    names = [os.path.basename(source.path) for source in look(sessions, tmp_path, words="one").sources]
    assert names == ["desktop_main 2.jsonl", "desktop_main.jsonl"]


def test_what_cannot_be_read_is_told(tmp_path: Path) -> None:
    catbuddy(tmp_path, "desktop_main.jsonl", "one")
    os.mkfifo(tmp_path / "sessions" / "desktop_pipe.jsonl")
    found = look(sessions, tmp_path, words="one")
    assert len(found.traces) == 1
    assert found.unchecked == [f"{tmp_path}/sessions/desktop_pipe.jsonl: it is a FIFO"]


def test_a_word_in_every_row_is_told_some_times(tmp_path: Path) -> None:
    catbuddy(tmp_path, "desktop_main.jsonl", *["again"] * 50)
    assert len(look(sessions, tmp_path, words="again").traces) == 20
