"""Leases, where there are some and where there are none."""

from __future__ import annotations

import errno
import fcntl
import os
import threading
from pathlib import Path

import pytest

from memcli.errors import CannotRead
from memcli.storage import leases, reading
from memcli.storage.versions import read_version


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "file"
    path.write_bytes(b"x")
    return path


def test_only_while_nobody_has_it_open(file: Path) -> None:
    fd = os.open(file, os.O_RDWR)
    with file.open("rb"):
        assert not leases.take(fd)
    assert leases.take(fd)
    assert not leases.waited_for(fd)
    with pytest.raises(BlockingIOError):
        os.open(file, os.O_RDONLY | os.O_NONBLOCK)
    assert leases.waited_for(fd)
    leases.give_up(fd)
    os.close(os.open(file, os.O_RDONLY | os.O_NONBLOCK))
    assert leases.wait_until_free(fd)
    os.close(fd)


def test_a_memcli_that_reads_waits(file: Path) -> None:
    fd = os.open(file, os.O_RDWR)
    assert leases.take(fd)
    letting_go = threading.Timer(0.05, leases.give_up, [fd])
    letting_go.start()
    assert read_version(str(file)).size == 1
    letting_go.join()
    os.close(fd)


def test_but_not_for_ever(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "LEASED", 2)
    fd = os.open(file, os.O_RDWR)
    assert leases.take(fd)
    with pytest.raises(CannotRead, match="temporarily unavailable"):
        read_version(str(file))
    os.close(fd)


def test_writers_and_readers(file: Path) -> None:
    fd = os.open(file, os.O_RDONLY)
    with file.open("rb"):
        assert not leases.has_writer(fd)
    with file.open("ab"):
        assert leases.has_writer(fd)
    assert not leases.has_writer(fd)
    os.close(fd)


def test_waiting_ends(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leases, "PATIENCE", 0.01)
    fd = os.open(file, os.O_RDWR)
    with file.open("rb"):
        assert not leases.wait_until_free(fd)
    os.close(fd)


def test_file_systems_without(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> int:
        raise OSError(errno.EINVAL, "")

    monkeypatch.setattr(fcntl, "fcntl", refuse)
    assert not leases.take(3)
    assert not leases.has_writer(3)
    leases.give_up(3)


def test_systems_without(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(fcntl, "F_SETLEASE")
    assert not leases.take(3)
    assert not leases.has_writer(3)
