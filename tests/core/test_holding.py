"""The locks of a workspace: the agent's own, and git's."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from support.machine import Machine, aged

from memcli.core import holding
from memcli.core.discovering import at
from memcli.model import Workspace
from memcli.storage.holders import Lock

GIT = ["index.lock", "HEAD.lock", "refs/heads/main.lock"]


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    return Machine(tmp_path / "proc", monkeypatch)


@pytest.fixture
def home(tmp_path: Path, samples: Path) -> Path:
    """A workspace with one lock file of its agent's."""
    folder = tmp_path / "home"
    shutil.copytree(samples / "cococat" / "v1-damaged", folder)
    return folder


def only(place: Path) -> Workspace:
    [workspace] = at(str(place), None)
    return workspace


def paths(workspace: Workspace, kind: str) -> list[str]:
    return [os.path.relpath(lock.path, workspace.root) for lock in holding.locks(workspace) if lock.kind == kind]


def test_the_agents_own(home: Path, machine: Machine) -> None:
    workspace = only(home)
    found = paths(workspace, "exclusive-file")
    assert "agents/employee_a/memory/MEMORY.md.lock" in found
    assert len(found) > 1  # those that are free are among them
    assert [holder.pid for holder in holding.held(workspace)] == [4242]
    assert holding.beacons(workspace) == []


def test_no_agent_no_locks(samples: Path, machine: Machine) -> None:
    workspace = only(samples / "catbuddy" / "home-workspace")
    assert (holding.locks(workspace), holding.beacons(workspace), holding.held(workspace)) == ([], [], [])


@pytest.mark.parametrize("name", GIT)
def test_git(home: Path, machine: Machine, name: str) -> None:
    path = home / ".git" / name
    path.parent.mkdir(parents=True)
    path.touch()
    assert paths(only(home), "git") == [f".git/{name}"]
    assert [holder.lock.path for holder in holding.held(only(home))][-1] == str(path)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("gitdir: ../elsewhere\n", ["../elsewhere/index.lock"]),
        ("gitdir: ELSEWHERE", ["../elsewhere/index.lock"]),
        ("gitdir: \n", []),
        ("something else\n", []),
        ("gitdir: ../nowhere\n", []),
    ],
)
def test_a_repository_elsewhere(home: Path, machine: Machine, text: str, expected: list[str]) -> None:
    other = home.parent / "elsewhere"
    other.mkdir()
    (other / "index.lock").touch()
    (home / ".git").write_text(text.replace("ELSEWHERE", str(other)))
    assert paths(only(home), "git") == expected


def test_a_fifo_for_a_repository(home: Path, machine: Machine) -> None:
    os.mkfifo(home / ".git")
    assert paths(only(home), "git") == []


def test_an_archive_tells_nothing_of_who_held_it(home: Path, machine: Machine) -> None:
    """Its processes ran elsewhere, whatever runs here under their numbers."""
    machine.runs(4242)
    aged(home / "agents" / "employee_a" / "memory" / "MEMORY.md.lock", machine.at(2000))
    [holder] = holding.held(only(home))
    assert holder.alive is True
    archive = shutil.make_archive(str(home), "zip", home)
    workspace = only(Path(archive))
    assert holding.is_copy(workspace)
    [holder] = holding.held(workspace)
    assert (holder.alive, holder.pid) == (None, None)
    assert holder.sentence.endswith("is a copy, and who held it cannot be known.")


def test_a_flock_that_is_free(home: Path, machine: Machine) -> None:
    (home / "lock").touch()
    assert holding.look(only(home), Lock("flock", str(home / "lock"))) is None
