"""Opening whatever stands at a path: files are opened, everything else is one CannotRead that says why."""

from __future__ import annotations

import errno
import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from memcli.errors import CannotRead
from memcli.storage import reading


def _file(path: Path) -> None:
    path.write_bytes(b'{"role":"user"}\n')


def _link(path: Path) -> None:
    target = path.with_name("target")
    _file(target)
    path.symlink_to(target)


@pytest.mark.parametrize("make", [_file, _link, Path.touch])
def test_a_file_is_opened_for_reading_only(make: Callable[[Path], None], tmp_path: Path) -> None:
    path = tmp_path / "会话.jsonl"
    make(path)
    fd = reading.open_regular(str(path))
    try:
        assert os.read(fd, 100) == path.read_bytes()
        assert not os.get_inheritable(fd)
        with pytest.raises(OSError, match="Bad file descriptor"):
            os.write(fd, b"x")
    finally:
        os.close(fd)


def _loop(path: Path) -> None:
    path.symlink_to(path.with_name("other"))
    path.with_name("other").symlink_to(path)


def _dangling(path: Path) -> None:
    path.symlink_to(path.with_name("gone"))


def _socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))


def _fifo_link(path: Path) -> None:
    os.mkfifo(path.with_name("fifo"))
    path.symlink_to(path.with_name("fifo"))


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (os.mkfifo, "it is a FIFO"),  # no writer: a plain open would wait for ever
        (_fifo_link, "it is a FIFO"),
        (Path.mkdir, "it is a folder"),
        (lambda path: path.symlink_to("/dev/null"), "it is a device"),
        (lambda path: path.symlink_to("/dev/zero"), "it is a device"),
        (_socket, "it is a socket or device without a listener"),
        (_loop, "its symlinks form a loop"),
        (_dangling, "it does not exist"),
        (lambda path: None, "it does not exist"),
    ],
)
def test_what_is_no_file_is_refused(make: Callable[[Path], object], why: str, tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    make(path)
    before = len(os.listdir("/proc/self/fd"))
    with pytest.raises(CannotRead) as caught:
        reading.open_regular(str(path))
    assert caught.value.facts == {"path": str(path), "why": why}
    assert str(path) in caught.value.sentence
    assert why.removeprefix("it ") in caught.value.sentence
    assert len(os.listdir("/proc/self/fd")) == before  # nothing is left open


def test_a_path_through_a_file_or_of_any_length(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for path, why in (
        (tmp_path / "file" / "x.jsonl", "a part of its path is not a folder"),
        (tmp_path / ("长" * 200), "its name is too long"),
    ):
        with pytest.raises(CannotRead, match=why):
            reading.open_regular(str(path))


@pytest.mark.parametrize(
    ("number", "why"),
    [
        (errno.EACCES, "permission denied"),
        (errno.EPERM, "permission denied"),
        (errno.EIO, "input/output error"),
        (errno.ESTALE, "stale file handle"),
        (errno.EMFILE, "too many open files"),
    ],
)
def test_what_the_system_refuses(number: int, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: str, flags: int) -> int:
        assert flags & (os.O_WRONLY | os.O_RDWR) == 0
        raise OSError(number, os.strerror(number), path)

    path = str(tmp_path / "x.jsonl")
    with monkeypatch.context() as patch:  # root may read everything, so a real chmod proves nothing
        patch.setattr(os, "open", refuse)
        with pytest.raises(CannotRead, match=why) as caught:
            reading.open_regular(path)
    assert caught.value.exit_code == 3


def test_an_error_without_a_number() -> None:
    assert reading.unreadable("p", OSError("odd")).sentence == "p cannot be read: odd."


@pytest.mark.parametrize(
    ("mode", "words"),
    [
        (0o100644, "a regular file"),
        (0o040755, "a folder"),
        (0o010644, "a FIFO"),
        (0o140755, "a socket"),
        (0o020644, "a device"),
        (0o060644, "a device"),
        (0o000644, "not a regular file"),
    ],
)
def test_kind(mode: int, words: str) -> None:
    assert reading.kind(mode) == words
