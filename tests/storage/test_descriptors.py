"""Which processes have files open."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from support.machine import Machine

from memcli.storage import descriptors, processes
from memcli.storage.descriptors import Opened


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    machine = Machine(tmp_path / "proc", monkeypatch)
    machine.runs(42)
    machine.runs(43)
    return machine


def test_how(machine: Machine, tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("a", "b", "c")]
    for path in paths:
        path.touch()
    machine.opens(42, paths[0], flags=os.O_RDONLY)
    machine.opens(42, paths[1], flags=os.O_WRONLY, locked=True)
    machine.opens(43, paths[1], flags=os.O_RDWR | os.O_APPEND)
    machine.opens(43, paths[2])
    machine.opens(43, tmp_path / "gone")
    (machine.root / "43" / "fdinfo" / "4").unlink()  # closed meanwhile
    wanted = descriptors.statuses([*map(str, paths), str(tmp_path / "gone")])
    assert sorted(descriptors.opened(wanted)) == [
        Opened(str(paths[0]), 42, False, False),
        Opened(str(paths[1]), 42, True, True),
        Opened(str(paths[1]), 43, True, False),
        Opened(str(paths[2]), 43, False, False),
    ]
    assert list(descriptors.opened({})) == []


def test_our_own_are_not_told(tmp_path: Path) -> None:
    path = tmp_path / "a"
    with path.open("w"):
        assert list(descriptors.opened({str(path): path.stat()})) == []


def test_what_may_not_be_looked_into(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    assert descriptors.closed_to_us() == 0
    (machine.root / "43" / "fd").rmdir()
    assert descriptors.closed_to_us() == 1
    monkeypatch.setattr(processes, "PROC", str(machine.root / "no"))
    assert descriptors.closed_to_us() == 0
