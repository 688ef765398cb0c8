"""Removing lock files whose owner is gone."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import pytest
from support import faults
from support.machine import Machine, aged

from memcli.core import clearing, holding, locking, sealing
from memcli.core.discovering import at
from memcli.errors import MemcliError, NothingToClear, RefusedForSafety, UsageError
from memcli.model import Workspace
from memcli.storage import undo

FIRST = "agents/employee_a/memory/MEMORY.md.lock"
SECOND = "agents/leader/memory/MEMORY.md.lock"


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    faults.quick_disk(monkeypatch)
    monkeypatch.setenv("MEMCLI_STATE_DIR", str(tmp_path / "state"))
    machine = Machine(tmp_path / "proc", monkeypatch)
    machine.runs(42)
    return machine


@pytest.fixture
def home(tmp_path: Path, samples: Path, machine: Machine) -> Path:
    """A workspace with a lock file of process 4242, which does not run."""
    folder = tmp_path / "home"
    shutil.copytree(samples / "cococat" / "v1-damaged", folder)
    aged(folder / FIRST, machine.at(3000))
    return folder


def only(place: Path) -> Workspace:
    [workspace] = at(str(place), None)
    return workspace


def chosen(home: Path, *names: str) -> list[str]:
    return [os.path.relpath(row.path, home) for row in clearing.choose(names, [only(home)])]


def second(home: Path, machine: Machine, text: str) -> Path:
    (home / SECOND).parent.mkdir(parents=True, exist_ok=True)
    (home / SECOND).with_suffix("").touch()
    (home / SECOND).write_text(text)
    return aged(home / SECOND, machine.at(3000))


def test_cleared_and_undone(home: Path, machine: Machine) -> None:
    before = (home / FIRST).read_bytes(), (home / FIRST).stat().st_mtime_ns, (home / FIRST).stat().st_mode
    [cleared] = clearing.clear(clearing.choose([], [only(home)]), command=["memcli", "locks", "clear"])
    assert (cleared.state, cleared.row.path) == ("removed", str(home / FIRST))
    assert not (home / FIRST).exists()
    store = sealing.store(only(home))
    [record] = undo.listed(store)
    assert (record.id, record.what, record.command) == (cleared.id, "locks clear", ("memcli", "locks", "clear"))
    undo.undo(store)
    assert before == ((home / FIRST).read_bytes(), (home / FIRST).stat().st_mtime_ns, (home / FIRST).stat().st_mode)


def test_every_stale_one_and_no_other(home: Path, machine: Machine) -> None:
    second(home, machine, "42")
    assert chosen(home) == [FIRST]
    second(home, machine, "77")
    assert chosen(home) == [FIRST, SECOND]
    assert [one.state for one in clearing.clear(clearing.choose([], [only(home)]), command=[])] == ["removed"] * 2
    assert len(undo.listed(sealing.store(only(home)))) == 1


@pytest.mark.parametrize("name", ["employee_a", FIRST, "HOME/" + FIRST, "HOME/agents/../" + FIRST])
def test_by_name(home: Path, machine: Machine, name: str) -> None:
    second(home, machine, "77")
    assert chosen(home, name.replace("HOME", str(home))) == [FIRST]
    assert chosen(home, name.replace("HOME", str(home)), "leader") == [FIRST, SECOND]


@pytest.mark.parametrize(
    ("text", "names", "kind", "phrase"),
    [
        (
            "42",
            ["leader"],
            RefusedForSafety,
            r"is held by node \(process 42\)\. It goes when process 42 is done; look at",
        ),
        ("42", ["leader", "employee_a"], RefusedForSafety, "is held by node"),
        ("", ["leader"], RefusedForSafety, r"does not say who holds it\. If you are sure .* remove the file yourself"),
        ("77", ["MEMORY"], UsageError, "can mean .*employee_a.*, .*leader.*; give a whole path"),
        ("77", ["nothing"], UsageError, "No lock answers to 'nothing' among 2; 'memcli locks ls' lists them"),
    ],
)
def test_refused(
    home: Path, machine: Machine, text: str, names: list[str], kind: type[MemcliError], phrase: str
) -> None:
    second(home, machine, text)
    with pytest.raises(kind, match=phrase):
        chosen(home, *names)


@pytest.mark.parametrize(
    ("held", "phrase"),
    [
        (0, r"No lock is stale; nothing was changed\.$"),
        (1, "tells who holds the one that is held"),
        (2, "tells who holds the 2 that are held"),
    ],
)
def test_nothing_is_stale(home: Path, machine: Machine, held: int, phrase: str) -> None:
    (home / FIRST).unlink()
    if held > 0:
        (home / FIRST).write_text("42")
        aged(home / FIRST, machine.at(3000))
    if held > 1:
        second(home, machine, "42")
    with pytest.raises(NothingToClear, match=phrase):
        chosen(home)


def test_many_candidates(home: Path, machine: Machine) -> None:
    for number in range(12):
        folder = home / "agents" / f"agent_{number:02}" / "memory"
        folder.mkdir(parents=True)
        (folder / "MEMORY.md").touch()
        (folder / "MEMORY.md.lock").write_text("77")
    with pytest.raises(UsageError, match=r"agent_07.* and 4 more; give a whole path") as raised:
        chosen(home, "agent_")
    assert len(raised.value.facts["candidates"]) == 12


class TestFlock:
    """The kernel frees it: there is never anything to clear."""

    @pytest.fixture
    def workspace(self, tmp_path: Path, nanobot: Path, machine: Machine) -> Workspace:
        folder = tmp_path / "nanobot"
        shutil.copytree(nanobot / "nanobot-v0.3.5-killed", folder, symlinks=True)
        for marker in folder.glob(".nanobot/sessions/*/.workspace"):
            marker.write_text(f"{folder}/.nanobot/workspace\n")
        (folder / ".nanobot" / "run").mkdir()
        (folder / ".nanobot" / "run" / "gateway.json").write_text('{"pid":77}')
        return only(folder / ".nanobot")

    def test_free(self, workspace: Workspace) -> None:
        with pytest.raises(NothingToClear, match=r"is free\. The kernel keeps it, .* there is nothing to clear\."):
            clearing.choose(["session-files"], [workspace])

    def test_a_beacon(self, workspace: Workspace, machine: Machine) -> None:
        with pytest.raises(NothingToClear, match=r"It keeps nobody out, .* there is nothing to clear\."):
            clearing.choose(["gateway"], [workspace])
        path = Path(holding.beacons(workspace)[0].path)
        path.write_text('{"pid":42}')
        aged(path, machine.at(3000))
        with pytest.raises(RefusedForSafety, match=r"runs as node \(process 42\)\. It keeps nobody out\."):
            clearing.choose(["gateway"], [workspace])

    def test_held(self, workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
        [row] = [row for row in locking.locks(workspace) if "session-files" in row.path]
        held = row._replace(
            state="alive", message="It is locked by x (process 42).", holder=locking.Process(42, "x", 1)
        )
        monkeypatch.setattr(locking, "locks", lambda workspace: [held])
        phrase = "The kernel frees it when process 42 ends or lets go, so there is nothing to clear; look at that."
        with pytest.raises(RefusedForSafety, match=re.escape(phrase)):
            clearing.choose(["session-files"], [workspace])


def test_an_archive(home: Path, machine: Machine) -> None:
    archive = shutil.make_archive(str(home), "zip", home)
    with pytest.raises(UsageError, match="is a copy: its locks keep nobody out"):
        clearing.choose([], [only(Path(archive))])


def test_the_owner_is_there_after_all(home: Path, machine: Machine) -> None:
    """A lock file of the same name, by somebody who runs, came since it was looked at."""
    rows = clearing.choose([], [only(home)])
    (home / FIRST).write_text("42")
    aged(home / FIRST, machine.at(4000))
    with pytest.raises(RefusedForSafety, match=r"is held by node \(process 42\)\. Nothing was changed"):
        clearing.clear(rows, command=[])
    assert (home / FIRST).read_text() == "42"
    assert undo.listed(sealing.store(only(home))) == []


def test_gone_meanwhile(home: Path, machine: Machine) -> None:
    second(home, machine, "77")
    rows = clearing.choose([], [only(home)])
    (home / FIRST).unlink()
    assert [one.state for one in clearing.clear(rows, command=[])] == ["gone", "removed"]
    assert [one.state for one in clearing.clear(rows, command=[])] == ["gone", "gone"]
    assert len(undo.listed(sealing.store(only(home)))) == 1


def test_what_lies_outside_of_the_workspace_stays(home: Path, machine: Machine) -> None:
    """A workspace from somebody else may name a repository of ours as its own."""
    other = home.parent / "elsewhere"
    other.mkdir()
    (other / "index.lock").touch()
    aged(other / "index.lock", machine.at(3000))
    (home / ".git").write_text(f"gitdir: {other}\n")
    rows = clearing.choose(["elsewhere"], [only(home)])
    assert [row.state for row in rows] == ["stale"]
    with pytest.raises(RefusedForSafety, match="outside of"):
        clearing.clear(rows, command=[])
    assert (other / "index.lock").exists()
    assert undo.listed(sealing.store(only(home))) == []
