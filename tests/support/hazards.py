"""Workspaces with something in them that must not hide, crash or hang a command. Each function fills an empty folder."""

from __future__ import annotations

import fcntl
import os
import socket
from collections.abc import Callable
from contextlib import chdir
from pathlib import Path

GOOD = '{"role":"user","content":"a needle in here"}\n'
SPARSE = 200 << 20


def good(folder: Path) -> None:
    """The healthy chat beside every hazard: it must be listed, found and shown whatever its neighbour is."""
    (folder / "good.jsonl").write_text(GOOD, encoding="utf-8")


def fifo(folder: Path) -> None:
    os.mkfifo(folder / "odd.jsonl")


def unix_socket(folder: Path) -> None:
    with chdir(folder):  # the path of a socket must be short
        server = socket.socket(socket.AF_UNIX)
        server.bind("odd.jsonl")
        server.close()


def device(folder: Path) -> None:
    os.symlink("/dev/zero", folder / "odd.jsonl")


def subfolder(folder: Path) -> None:
    (folder / "odd.jsonl").mkdir()


def loop(folder: Path) -> None:
    os.symlink("odd.jsonl", folder / "odd.jsonl")


def dangling(folder: Path) -> None:
    os.symlink("nowhere", folder / "odd.jsonl")


def forbidden(folder: Path) -> None:
    (folder / "odd.jsonl").write_text(GOOD)
    (folder / "odd.jsonl").chmod(0)


def empty(folder: Path) -> None:
    (folder / "odd.jsonl").touch()


def binary(folder: Path) -> None:
    (folder / "odd.jsonl").write_bytes(bytes(range(256)) * 300)


def nuls(folder: Path) -> None:
    (folder / "odd.jsonl").write_bytes(b"\0" * 50_000)


def gzip_inside(folder: Path) -> None:
    (folder / "odd.jsonl").write_bytes(b"\x1f\x8b\x08\0\0\0\0\0\0\3" + bytes(range(256)))


def utf16(folder: Path) -> None:
    (folder / "odd.jsonl").write_bytes(("\ufeff" + GOOD * 3).encode("utf-16-le"))


def torn(folder: Path) -> None:
    (folder / "odd.jsonl").write_text(GOOD + GOOD[:-9])


def spliced(folder: Path) -> None:
    (folder / "odd.jsonl").write_text(GOOD + GOOD[:-9] + GOOD + GOOD)


def deep(folder: Path) -> None:
    (folder / "odd.jsonl").write_bytes(GOOD.encode() + b'{"a":' * 100_000 + b"1" + b"}" * 100_000 + b"\n")


def huge_number(folder: Path) -> None:
    (folder / "odd.jsonl").write_bytes(b'{"role":"user","content":' + b"9" * 6000 + b"}\n")


def sparse(folder: Path) -> None:
    """One line of 200 MB without a newline: over the limit of a line."""
    with (folder / "odd.jsonl").open("wb") as file:
        file.write(GOOD.encode() + b'{"role":"user","content":"needle')
        file.truncate(SPARSE)


def locked(folder: Path) -> None:
    """Somebody holds the exclusive lock, for as long as this process lives."""
    path = folder / "odd.jsonl"
    path.write_text(GOOD)
    fd = os.open(path, os.O_RDWR)
    fcntl.flock(fd, fcntl.LOCK_EX)
    fcntl.lockf(fd, fcntl.LOCK_EX)
    HELD.append(fd)


HELD: list[int] = []


def surrogates(folder: Path) -> None:
    (folder / "odd.jsonl").write_text('{"role":"user","content":"half \\ud83d needle"}\n')


def separators(folder: Path) -> None:
    text = "one needle\u2028two needle\u2029three\u0085four"
    (folder / "odd.jsonl").write_text(f'{{"role":"user","content":"{text}"}}\n', encoding="utf-8")


def scalars(folder: Path) -> None:
    (folder / "odd.jsonl").write_text('null\n3\n"needle"\n[]\n{}\n[{"needle":1}]\ntrue\n')


def wrong_types(folder: Path) -> None:
    rows = (
        '{"role":3,"content":{"text":["needle"]},"timestamp":[],"id":{},"toolCalls":7,"name":[1]}',
        '{"role":null,"content":null,"tool_calls":[null,3,{"function":null}],"timestamp":1e400}',
        '{"key":5,"title":[],"created_at":{},"updated_at":12,"metadata":3}',
    )
    (folder / "odd.jsonl").write_text("\n".join(rows) + "\n")


def name_not_utf8(folder: Path) -> None:
    (folder / os.fsdecode(b"odd\xff\xfe.jsonl")).write_text(GOOD)


def name_hostile(folder: Path) -> None:
    (folder / "odd\x1b[31m\n\u202e$(id).jsonl").write_text(GOOD)


HAZARDS: dict[str, tuple[Callable[[Path], None], list[str], str]] = {
    # name: (what makes it, the damage codes that `sessions ls` shows, the reason it gives)
    "fifo": (fifo, ["odd-file"], "a FIFO"),
    "socket": (unix_socket, ["odd-file"], "a socket"),
    "device": (device, ["odd-file"], "a device"),
    "folder": (subfolder, ["odd-file"], "a folder"),
    "symlink loop": (loop, ["unreadable"], "its symlinks form a loop"),
    "dangling symlink": (dangling, ["unreadable"], "it does not exist"),
    "no permission": (forbidden, ["unreadable"], "permission denied"),
    "empty": (empty, ["empty-file"], ""),
    "binary": (binary, ["not-json"], ""),
    "NUL": (nuls, ["nul-run"], ""),
    "gzip": (gzip_inside, ["foreign-type"], ""),
    "UTF-16": (utf16, ["utf16"], ""),
    "torn": (torn, ["torn-tail"], ""),
    "spliced": (spliced, ["spliced-line"], ""),
    "deep": (deep, [], ""),
    "huge number": (huge_number, [], ""),
    "sparse": (sparse, [], ""),
    "locked": (locked, [], ""),
    "surrogates": (surrogates, ["lone-surrogate"], ""),
    "line separators": (separators, [], ""),
    "scalars": (scalars, ["not-a-record"], ""),
    "wrong types": (wrong_types, [], ""),
    "name not UTF-8": (name_not_utf8, [], ""),
    "hostile name": (name_hostile, [], ""),
}
"""Everything that may stand where a session is expected. Listed codes are the first; `ls` may add others."""
