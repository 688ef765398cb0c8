"""The layer of memory files as they are."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from support.looking import look

from memcli.core.sources import memories, texts


@pytest.fixture
def root(tmp_path: Path, samples: Path) -> Path:
    source = samples / "catbuddy/home-workspace/sessions/desktop_main.jsonl"
    for name in ("sessions", "memory"):
        (tmp_path / name).mkdir()
    (tmp_path / "sessions" / source.name).write_bytes(source.read_bytes())
    return tmp_path


@pytest.mark.parametrize(
    ("raw", "words", "places"),
    [
        (b"# M\n\n- likes blue\r\n", "likes blue", [(3, "- likes blue")]),
        ("- 住在杭州".encode(), "杭州", [(1, "- 住在杭州")]),
        ("\ufeff- 住在杭州".encode("utf-16-le"), "杭州", [(1, "\ufeff- 住在杭州"[1:])]),
        (b"\xef\xbb\xbffirst", "first", [(1, "first")]),
        (b"a b\nc d\n", "b\nc", [(1, "a b\nc d")]),
        (b"x one\nx two\n", "x ", [(1, "x one"), (2, "x two")]),
        (b'{"text": "say \\u676d\\u5dde"}\n', "say 杭州", [(1, '{"text": "say \\u676d\\u5dde"}')]),
        (b"\x80\xff gr\x00een\n", "green", [(1, "\ufffd\ufffd green")]),
        (b"nothing \\ here", "words", []),
        (b"", "words", []),
    ],
)
def test_words_in_a_text(root: Path, raw: bytes, words: str, places: list[object]) -> None:
    (root / "memory" / "MEMORY.md").write_bytes(raw)
    found = look(memories, root, words=words)
    assert [(trace.line, trace.text) for trace in found.traces] == places
    assert {(trace.source.layer, trace.source.key, trace.source.detail["layer"]) for trace in found.traces} <= {
        ("memory", "", "global")
    }
    assert found.unchecked == []


def test_every_memory_file_that_there_is(root: Path) -> None:
    (root / "USER.md").write_text("blue")
    (root / "SOUL.md").write_text("blue")
    found = look(memories, root, words="blue")
    assert [(Path(one.path).name, one.detail["layer"]) for one in found.sources] == [
        ("USER.md", "user"),
        ("SOUL.md", "persona"),
    ]
    assert len(found.traces) == 2
    assert look(memories, root, key="desktop:main").traces == []


def test_a_word_in_every_line_is_told_some_times(root: Path) -> None:
    (root / "memory" / "MEMORY.md").write_bytes(b"again\n" * 50)
    assert len(look(memories, root, words="again").traces) == 20
    (root / "memory" / "MEMORY.md").write_bytes(b"\\u0061gain\n" * 50)
    assert len(look(memories, root, words="again").traces) == 20


def test_a_huge_text_is_read_in_part(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(texts, "LIMIT", 1 << 20)
    path = root / "memory" / "MEMORY.md"
    path.write_bytes(b"early\n" + b"x" * (1 << 20) + b"\nlate\n")
    assert look(memories, root, words="late").traces == []
    found = look(memories, root, words="early")
    assert [trace.line for trace in found.traces] == [1]
    assert found.unchecked == [f"{path}: what lies behind its first 1 MiB"]


@pytest.mark.parametrize("kind", ["FIFO", "folder", "loop"])
def test_what_is_no_file_is_told(root: Path, kind: str) -> None:
    path = root / "memory" / "MEMORY.md"
    {"FIFO": os.mkfifo, "folder": os.mkdir, "loop": lambda place: os.symlink(place, place)}[kind](path)
    [sentence] = look(memories, root, words="words").unchecked
    assert sentence.startswith(f"{path}: it")
