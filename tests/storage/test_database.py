"""Reading somebody's SQLite database: what it holds is found, nothing is made or changed, damage is a sentence."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from support.cli import snapshot

from memcli.errors import CannotRead
from memcli.storage import database
from memcli.storage.database import Found, Table, tables, texts

SCHEMA = "CREATE TABLE messages (id INTEGER PRIMARY KEY, agent_id TEXT, content TEXT, extra BLOB)"


def made(path: Path, *rows: tuple[object, ...], wal: bool = False) -> sqlite3.Connection:
    """A database with these rows; the connection is open and has committed."""
    connection = sqlite3.connect(path)
    if wal:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA wal_autocheckpoint = 0")
    connection.execute(SCHEMA)
    connection.executemany("INSERT INTO messages (agent_id, content, extra) VALUES (?, ?, ?)", rows)
    connection.commit()
    return connection


@pytest.mark.parametrize("name", ["cococat.db", "odd ?#%20 名.db"])
def test_tables_and_texts(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    made(path, ("leader", "hello", None), ("leader", "你好 words", b"words"), (None, None, b"\xff words")).close()
    before = snapshot(tmp_path)
    assert tables(str(path)) == [Table("messages", ("id", "agent_id", "content", "extra"), 3)]
    [found] = texts(str(path), lambda text: "words" in text)
    assert found == Found(
        "messages", 2, "你好 words", {"id": 2, "agent_id": "leader", "content": "你好 words", "extra": b"words"}
    )
    assert snapshot(tmp_path) == before


@pytest.mark.parametrize("copied", [database.COPIED, 0])
def test_changes_that_are_only_in_the_journal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, copied: int) -> None:
    monkeypatch.setattr(database, "COPIED", copied)
    path = tmp_path / "cococat.db"
    with closing(made(path, wal=True)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.execute("INSERT INTO messages (content) VALUES ('new words')")
        connection.commit()
        before = snapshot(tmp_path)
        assert [found.text for found in texts(str(path), lambda text: "words" in text)] == ["new words"] * bool(copied)
        assert snapshot(tmp_path) == before


def test_odd_names_and_texts_that_are_not_utf8(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute('CREATE TABLE "a""b; DROP" ("col ""x" TEXT)')
        connection.execute('INSERT INTO "a""b; DROP" VALUES (CAST(x\'ff61\' AS TEXT))')
        connection.execute("CREATE VIRTUAL TABLE found USING fts5(content)")
        connection.commit()
    names = [table.name for table in tables(str(path))]
    assert 'a"b; DROP' in names
    assert "found" not in names
    assert [found.values for found in texts(str(path), lambda text: text.endswith("a"))] == [{'col "x': "\ufffda"}]


def empty(path: Path) -> None:
    path.write_bytes(b"")


def text(path: Path) -> None:
    path.write_bytes(b"no database at all" * 100)


def torn(path: Path) -> None:
    made(path, *(("a", "x" * 500, None) for _ in range(100))).close()
    os.truncate(path, 9000)


def scrambled(path: Path) -> None:
    made(path, *(("a", "x" * 500, None) for _ in range(100))).close()
    with path.open("r+b") as file:
        file.seek(100)
        file.write(b"\xee" * 4000)


@pytest.mark.parametrize("harm", [empty, text, torn, scrambled, os.mkfifo, Path.mkdir, None])
def test_what_is_no_whole_database_is_a_sentence(tmp_path: Path, harm: object) -> None:
    path = tmp_path / "x.db"
    if callable(harm):
        harm(path)
    for ask in (lambda: tables(str(path)), lambda: list(texts(str(path), lambda _: True))):
        with pytest.raises(CannotRead, match=r"\.$") as caught:
            ask()
        assert caught.value.facts["why"]


def test_a_database_that_takes_too_long_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "SECONDS", -1.0)
    monkeypatch.setattr(database, "SLICE", 1)
    path = tmp_path / "x.db"
    made(path, ("a", "words", None)).close()
    with pytest.raises(CannotRead, match="it takes too long"):
        tables(str(path))
