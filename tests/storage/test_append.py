"""Appending a line."""

from __future__ import annotations

import errno
import os
import threading
from pathlib import Path

import pytest
from support import faults

from memcli.errors import CannotRead, CannotWrite, RefusedForSafety
from memcli.storage import append, state, system
from memcli.storage.append import Appended
from memcli.storage.locks import Lock
from memcli.storage.state import Store

LINE = b'{"cursor":7}'


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    monkeypatch.setenv("MEMCLI_STATE_DIR", str(tmp_path / "state"))
    faults.quick_disk(monkeypatch)
    return state.store(str(tmp_path))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "history.jsonl"


@pytest.mark.parametrize(
    ("old", "new", "where"),
    [
        (b"", b"LINE\n", Appended(0, 13, False)),
        (b"a\n", b"a\nLINE\n", Appended(2, 13, False)),
        (b"a\r\n", b"a\r\nLINE\n", Appended(3, 13, False)),
        (b"torn", b"torn\nLINE\n", Appended(5, 13, True)),
        (b"nul\0\0", b"nul\0\0\nLINE\n", Appended(6, 13, True)),
    ],
)
def test_one_line(file: Path, store: Store, old: bytes, new: bytes, where: Appended) -> None:
    file.write_bytes(old)
    assert append.append(str(file), LINE, root=str(file.parent), store=store) == where
    assert file.read_bytes() == new.replace(b"LINE", LINE)
    assert file.read_bytes()[where.offset : where.offset + where.length] == LINE + b"\n"


def test_one_write(file: Path, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    file.write_bytes(b"torn")
    writes = []
    real = system.write
    monkeypatch.setattr(system, "write", lambda fd, data: writes.append(bytes(data)) or real(fd, data))
    append.append(str(file), LINE, root=str(file.parent), store=store)
    assert writes == [b"\n" + LINE + b"\n"]


def test_refused(file: Path, store: Store) -> None:
    root = str(file.parent)
    with pytest.raises(CannotRead):
        append.append(str(file), LINE, root=root, store=store)
    assert not file.exists()
    os.mkfifo(file)
    with pytest.raises(RefusedForSafety, match="a FIFO"):
        append.append(str(file), LINE, root=root, store=store)
    with pytest.raises(RefusedForSafety, match="outside"):
        append.append(str(file.parent.parent / "x"), LINE, root=root, store=store)
    file.unlink()
    file.write_bytes(b"")
    with pytest.raises(ValueError, match="one line"):
        append.append(str(file), b"a\nb", root=root, store=store)
    Path(f"{file}.lock").write_text("1")
    lock = [Lock("exclusive-file", f"{file}.lock")]
    with pytest.raises(RefusedForSafety, match="is held by"):
        append.append(str(file), LINE, root=root, store=store, lock=lock, timeout=0)
    assert file.read_bytes() == b""


def test_the_agents_lock_is_held(file: Path, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    file.write_bytes(b"")
    real = system.write
    seen = []

    def write(fd: int, data: bytes) -> int:
        seen.append(os.path.exists(f"{file}.lock"))
        return real(fd, data)

    monkeypatch.setattr(system, "write", write)
    lock = [Lock("exclusive-file", f"{file}.lock")]
    append.append(str(file), LINE, root=str(file.parent), store=store, lock=lock)
    assert seen[-1] is True
    assert not os.path.exists(f"{file}.lock")


def test_a_short_write_is_taken_back(file: Path, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    file.write_bytes(b"torn")
    real = system.write
    monkeypatch.setattr(system, "write", lambda fd, data: real(fd, data[:5]))
    with pytest.raises(CannotWrite, match="It was not changed"):
        append.append(str(file), LINE, root=str(file.parent), store=store)
    assert file.read_bytes() == b"torn"


def test_a_short_write_that_somebody_wrote_behind(file: Path, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    file.write_bytes(b"a\n")
    real = system.write

    def write(fd: int, data: bytes) -> int:
        taken = real(fd, data[:5])
        with file.open("ab") as stream:
            stream.write(b"theirs\n")
        return taken

    monkeypatch.setattr(system, "write", write)
    with pytest.raises(CannotWrite, match="took only a part"):
        append.append(str(file), LINE, root=str(file.parent), store=store)
    assert file.read_bytes().endswith(b"theirs\n")


@pytest.mark.parametrize("how", faults.HOW)
def test_every_call(file: Path, store: Store, how: str | int) -> None:
    """Whatever happens, the next append begins a line of its own."""
    old = b'{"cursor":5}\n{"cursor":6}'

    def scenario() -> None:
        append.append(str(file), LINE, root=str(file.parent), store=store)

    for where, ended in faults.every(scenario, lambda: file.write_bytes(old), how):
        now = file.read_bytes()
        whole = old + b"\n" + LINE + b"\n"
        assert whole.startswith(now), where
        assert now in (old, whole) or ended.code == -9 or how in (faults.FULL, faults.DEAD), where
        if ended.code == 3:
            assert ended.in_place == (now == whole) or now != old, f"{where}: {ended.said}"
        append.append(str(file), b"next", root=str(file.parent), store=store)
        lines = file.read_bytes().split(b"\n")
        assert lines[:2] == [b'{"cursor":5}', b'{"cursor":6}'], where
        assert lines[-2:] == [b"next", b""], where
        assert all(line == b"" or LINE.startswith(line) for line in lines[2:-2]), where


def test_several_at_once(file: Path, store: Store) -> None:
    """Threads stand for processes here: each append opens the file anew."""
    file.write_bytes(b"first")

    def work(name: str) -> None:
        for number in range(50):
            append.append(str(file), f"{name}{number}".encode(), root=str(file.parent), store=store)

    threads = [threading.Thread(target=work, args=(name,)) for name in "abc"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    lines = [line for line in file.read_text().split("\n") if line]
    assert sorted(lines[1:]) == sorted(f"{name}{number}" for name in "abc" for number in range(50))


def test_find(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"x\nline\nline\nyes\n")
    with path.open("rb") as file:
        fd = file.fileno()
        assert append.find(fd, b"line\n", 2) == 2
        assert append.find(fd, b"line\n", 6) == 7
        assert append.find(fd, b"line\n", 8) is None
        assert append.find(fd, b"line\n", 1000, anywhere=True) is None  # which of the two?
        assert append.find(fd, b"yes\n", 1000, anywhere=True) == 12
        assert append.find(fd, b"yes\n", 0) == 12
        assert append.find(fd, b"es\n", 13) is None  # not a line
        assert append.find(fd, b"no\n", 0) is None


def test_errno_is_told(file: Path, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    file.write_bytes(b"")

    def refuse(*_: object) -> int:
        raise OSError(errno.EROFS, "")

    monkeypatch.setattr(system, "open_to_append", refuse)
    with pytest.raises(CannotWrite, match="read-only"):
        append.append(str(file), LINE, root=str(file.parent), store=store)
