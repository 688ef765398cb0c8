"""Processes that cannot be seen from here."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.machine import Machine

from memcli.storage import elsewhere, processes


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    return Machine(tmp_path / "proc", monkeypatch)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/home/a/x", "ext4"),
        ("/srv/share/x", "nfs4"),
        ("/srv/shared", "ext4"),
        ("/srv/share", "nfs4"),
        ("/srv/share/inner/x", "tmpfs"),
        ("/mnt/two words/x", "fuse.sshfs"),
        ("/over/x", "xfs"),
    ],
)
def test_file_system(machine: Machine, path: str, expected: str) -> None:
    machine.mounts(
        ("/", "ext4"),
        ("/over", "cifs"),
        ("/srv/share", "nfs4"),
        ("/srv/share/inner", "tmpfs"),
        ("/mnt/two\\040words", "fuse.sshfs"),
        ("/over", "xfs"),
    )
    assert elsewhere.file_system(path) == expected


@pytest.mark.parametrize("kind", ["nfs", "nfs4", "cifs", "9p", "virtiofs", "fuse.sshfs", "fuse.unheard-of"])
def test_shared_with_other_machines(machine: Machine, kind: str) -> None:
    machine.mounts(("/", "ext4"), ("/srv", kind))
    assert elsewhere.shared("/srv/x") == f"it lies on {kind}, which other machines may use"
    assert elsewhere.shared("/x") == ""


@pytest.mark.parametrize("kind", ["ext4", "btrfs", "overlay", "tmpfs", "fuseblk", "fuse.gocryptfs", "zfs"])
def test_of_this_machine_alone(machine: Machine, kind: str) -> None:
    machine.mounts(("/", kind))
    assert elsewhere.shared("/x") == ""


@pytest.mark.parametrize(
    ("kind", "expected"),
    [("ext4", "this is a container, and a process outside of it may use the folder"), ("overlay", "")],
)
def test_in_a_container(machine: Machine, kind: str, expected: str) -> None:
    """What lies in the container's own layer is its own."""
    machine.namespace("pid:[4026532001]")
    machine.mounts(("/", "overlay"), ("/data", kind))
    assert elsewhere.unseen("/data/x", 42, machine.at(1000)) == expected


@pytest.mark.parametrize(
    ("pid", "inner", "since", "expected"),
    [
        (7, 7, 2000.0, "in a container here a process has that number (node (process 5000))"),
        (7, 7, 500.0, ""),  # that one began later
        (8, 7, 2000.0, ""),
        (5000, None, 2000.0, ""),  # no container
        (None, 7, 2000.0, ""),
        (4_194_305, 7, 2000.0, ""),
    ],
)
def test_a_container_on_this_machine(
    machine: Machine, pid: int | None, inner: int | None, since: float, expected: str
) -> None:
    machine.runs(5000, inner=inner)
    assert elsewhere.unseen("/x", pid, machine.at(since)) == expected


def test_a_process_that_ends_meanwhile(machine: Machine) -> None:
    (machine.root / "6000").mkdir()
    assert elsewhere.unseen("/x", 7, machine.at(2000)) == ""


def test_where_the_system_tells_nothing(machine: Machine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(processes, "PROC", str(tmp_path / "no"))
    assert elsewhere.unseen("/x", 7, 0) == "this system does not tell enough of its processes"
    assert elsewhere.file_system("/x") == ""
    assert elsewhere.shared("/x") == ""


def test_a_table_of_mounts_that_cannot_be_read(machine: Machine) -> None:
    (machine.root / "self" / "mountinfo").write_text("1 2\n")
    assert elsewhere.file_system("/x") == ""
