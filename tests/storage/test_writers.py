"""A program that saves all the time while memcli rewrites the same file: none of its messages may be lost."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from support import faults, saver

from memcli.errors import RefusedForSafety
from memcli.storage import atomic, state, system, undo
from memcli.storage.versions import Version, read_version


class Met(NamedTuple):
    """Messages lost; rewrites that took effect, and that were refused because of a save in between; exchanges that had
    to be put back."""

    lost: int
    done: int
    refused: int
    put_back: int


def meet(path: Path, count: int, pause: float, rewrite: Callable[[Version, bytes], object]) -> Met:
    """Let the saver run for `count` messages and rewrite the header of its file all the while."""
    path.write_bytes(b'{"header":0}\n')
    exchanges = 0
    real = system.exchange

    def exchange(*arguments: object) -> None:
        nonlocal exchanges
        exchanges += 1
        real(*arguments)

    command = [sys.executable, saver.__file__, str(path), str(count), str(pause)]
    done = refused = 0
    with pytest.MonkeyPatch.context() as patch, subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        patch.setattr(system, "exchange", exchange)
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        while process.poll() is None:
            version = read_version(str(path))
            old = path.read_bytes()
            if len(old) != version.size:
                continue  # saved between the two reads
            header, _, rest = old.partition(b"\n")
            try:
                rewrite(version, b'{"header":%d}\n' % (int(header[10:-1]) + 1) + rest)
                done += 1
            except RefusedForSafety:
                refused += 1
        lost = int(process.stdout.read())
    assert [name for name in path.parent.iterdir() if name.name.startswith(".memcli")] == []
    return Met(lost, done, refused, exchanges - done)


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    faults.quick_disk(monkeypatch)  # more rewrites in the same time
    monkeypatch.setenv("MEMCLI_STATE_DIR", str(tmp_path / "state"))
    (tmp_path / "workspace").mkdir()
    return tmp_path / "workspace" / "chat.jsonl"


def replace(file: Path) -> Callable[[Version, bytes], object]:
    return lambda version, new: atomic.replace(str(file), version, new, root=str(file.parent))


def test_two_hundred_saves_a_second(file: Path) -> None:
    met = meet(file, 400, 0.005, replace(file))
    assert met.lost == 0
    assert met.done > 0


def test_operations_meet_it_too(file: Path) -> None:
    store = state.store(str(file.parent))

    def rewrite(version: Version, new: bytes) -> None:
        with undo.begin(store, "repair") as operation:
            operation.rewrite(str(file), version, new, root=str(file.parent))
            operation.commit()

    met = meet(file, 400, 0.005, rewrite)
    assert met.lost == 0
    assert met.done > 0


@pytest.mark.slow
def test_a_hundred_thousand_saves(file: Path) -> None:
    """Without a pause: thousands a second, so that saves fall between reading and exchanging, and are put back."""
    met = meet(file, 100_000, 0, replace(file))
    assert met.lost == 0
    assert met.done > 100
    assert met.refused > 100
    assert met.put_back > 10, "no save fell into the gap: this run proved nothing"


def test_it_would_be_noticed(file: Path) -> None:
    """What the same program loses to a writer that only renames."""

    def rename(version: Version, new: bytes) -> None:
        part = file.with_name("part")
        part.write_bytes(new)
        part.rename(file)

    assert meet(file, 4_000, 0, rename).lost > 0
