"""Reading an SQLite database that is somebody else's: tables and texts, without a lock, a journal or a trace of us."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from memcli.errors import CannotRead
from memcli.storage.reading import open_sized

if TYPE_CHECKING:
    import sqlite3

MAGIC = b"SQLite format 3\0"
SECONDS = 10.0
"""So long one database may take."""
BESIDE = ("-wal", "-journal")
COPIED = 512 << 20
"""A database with changes that only its journal has is read in a copy, up to this many bytes."""
SLICE = 100_000
"""Steps of the database engine between two looks at the clock."""


class Table(NamedTuple):
    """One table: its name, its columns, and how many rows it has."""

    name: str
    columns: tuple[str, ...]
    rows: int


class Found(NamedTuple):
    """A text in a row: `number` is the row's place in its table from 1, `values` the whole row by column."""

    table: str
    number: int
    text: str
    values: dict[str, Any]


def tables(path: str) -> list[Table]:
    """The tables with their sizes. Raises CannotRead for what is no database, or a damaged one."""
    with _opened(path) as connection:
        found = []
        for name in _names(connection):
            columns = tuple(str(row[1]) for row in connection.execute(f"PRAGMA table_info({_quoted(name)})"))
            rows = connection.execute(f"SELECT count(*) FROM {_quoted(name)}").fetchone()[0]
            found.append(Table(name, columns, int(rows)))
        return found


def texts(path: str, wanted: Callable[[str], bool]) -> Iterator[Found]:
    """The rows with a text that is `wanted`, table by table. Raises CannotRead where it cannot be read to its end."""
    with _opened(path) as connection:
        for name in _names(connection):
            rows = connection.execute(f"SELECT * FROM {_quoted(name)}")
            columns = [column[0] for column in rows.description]
            for number, row in enumerate(rows, 1):
                text = next((cell for cell in row if isinstance(cell, str) and wanted(cell)), None)
                if text is not None:
                    yield Found(name, number, text, dict(zip(columns, row, strict=True)))


def _names(connection: sqlite3.Connection) -> list[str]:
    """The tables of the user. Virtual ones run code of extensions, and hold what others hold."""
    rows = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table' ORDER BY name").fetchall()
    return [
        name
        for name, sql in rows
        if not str(name).startswith("sqlite_") and not str(sql).lstrip().upper().startswith("CREATE VIRTUAL")
    ]


@contextmanager
def _opened(path: str) -> Iterator[sqlite3.Connection]:
    import sqlite3

    late = time.monotonic() + SECONDS
    with _unchanging(path) as place, _telling(path), closing(sqlite3.connect(place, uri=True)) as connection:
        connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
        connection.set_progress_handler(lambda: time.monotonic() > late, SLICE)
        connection.execute("PRAGMA query_only = ON")
        connection.execute("PRAGMA trusted_schema = OFF")
        yield connection


@contextmanager
def _telling(path: str) -> Iterator[None]:
    import sqlite3

    try:
        yield
    except sqlite3.Error as error:
        why = "it takes too long" if "interrupted" in str(error) else str(error)
        raise CannotRead(f"{path} cannot be read as a database: {why}.", path=path, why=why) from error


@contextmanager
def _unchanging(path: str) -> Iterator[str]:
    """The address of the database for SQLite: the file itself, which SQLite is told never changes, so that it makes
    nothing beside it; where its newest changes are in a journal, a copy of both."""
    from urllib.parse import quote

    fd, size = open_sized(path)
    try:
        if os.pread(fd, len(MAGIC), 0) != MAGIC:
            raise CannotRead(f"{path} is no SQLite database.", path=path, why="it is no SQLite database")
    finally:
        os.close(fd)
    journals = [path + suffix for suffix in BESIDE if _size(path + suffix)]
    if not journals or size + sum(map(_size, journals)) > COPIED:
        yield f"file:{quote(os.path.abspath(path))}?mode=ro&immutable=1"
        return
    from shutil import copyfile
    from tempfile import TemporaryDirectory

    with TemporaryDirectory(prefix="memcli-") as folder:
        for one in (path, *journals):
            copyfile(one, os.path.join(folder, "copy" + one.removeprefix(path)))
        yield f"file:{quote(os.path.join(folder, 'copy'))}"


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size if os.path.isfile(path) else 0
    except OSError:
        return 0


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
