"""Programs that write session files as agents do: `python writing.py WAY PATH COUNT` in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

END = b'{"end":1}'


def row(number: int) -> bytes:
    """A message of some length."""
    return json.dumps({"id": number, "content": "字" * (number % 40)}, ensure_ascii=False).encode()


def header(number: int) -> bytes:
    """A header whose length depends on the number."""
    return json.dumps({"key": "k", "updated_at": 10 ** (number % 9)}).encode()


def begun(path: Path, *rows: bytes) -> Path:
    """The file, with these lines in it."""
    path.write_bytes(b"".join(one + b"\n" for one in rows))
    return path


def start(way: Callable[[Path, int], None], path: Path, count: int) -> subprocess.Popen[bytes]:
    """The process that writes `count` rows and END in one of the ways below."""
    return subprocess.Popen([sys.executable, __file__, way.__name__, str(path), str(count)])


def byte_by_byte(path: Path, count: int) -> None:
    """Appends a byte a time."""
    fd = os.open(path, os.O_WRONLY | os.O_APPEND)
    for byte in b"".join(one + b"\n" for one in _rows(count)):
        os.write(fd, bytes([byte]))
    os.close(fd)


def in_pieces(path: Path, count: int) -> None:
    """Appends a thousand bytes a time, wherever that cuts."""
    data = b"".join(one + b"\n" for one in _rows(count))
    with path.open("ab", buffering=0) as file:
        for place in range(0, len(data), 1000):
            file.write(data[place : place + 1000])
            time.sleep(0.0005)


def replacing(path: Path, count: int) -> None:
    """The whole file under a temporary name, then a rename; the last 50 rows only, and a new header each time."""
    rows = _rows(count)
    for number in range(1, len(rows) + 1):
        kept = rows[max(0, number - 50) : number]
        begun(path.with_suffix(".jsonl.tmp"), header(number), *kept).replace(path)
        time.sleep(0.005)


def writing_over(path: Path, count: int) -> None:
    """The file is emptied and written again in small pieces, as older agents do it."""
    rows = _rows(count)
    for number in range(1, len(rows) + 1):
        with path.open("wb", buffering=256) as file:
            for one in (header(number), *rows[max(0, number - 50) : number]):
                file.write(one + b"\n")
        time.sleep(0.004)


def thirty_chats(folder_and_first: Path, count: int) -> None:
    """Thirty files in turns, their numbers from the last part of the path on: odd ones appended to, even replaced."""
    folder, first = folder_and_first.parent, int(folder_and_first.name)
    for number in range(count):
        for name in range(first, first + 30):
            if name % 2:
                with (folder / f"{name}.jsonl").open("ab") as file:
                    file.write(row(number) + b"\n")
            else:
                kept = [header(number), *map(row, range(number + 1))]
                begun(folder / f"{name}.jsonl.tmp", *kept).replace(folder / f"{name}.jsonl")
    for name in range(first, first + 30):
        with (folder / f"{name}.jsonl").open("ab") as file:
            file.write(END + b"\n")


def _rows(count: int) -> list[bytes]:
    return [*map(row, range(count)), END]


if __name__ == "__main__":
    globals()[sys.argv[1]](Path(sys.argv[2]), int(sys.argv[3]))
