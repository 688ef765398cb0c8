"""Repair killed and failed at every system call that changes something: every file old or new, and it converges."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest
from support import damaging, faults
from support.chats import CATBUDDY, NANOBOT
from support.repairs import OLD, Place, wishes

from memcli.core import applying, planning, sealing
from memcli.core.discovering import at
from memcli.storage import state, undo

Files = dict[str, tuple[bytes, int, int]]


class Ground:
    """A workspace with damage of several kinds, set up anew for each run."""

    place: Place

    def __init__(self, folder: Path, several: bool) -> None:
        self.folder, self.several, self.number = folder, several, 0

    def fresh(self) -> None:
        self.number += 1
        base = self.folder / str(self.number)
        os.environ["MEMCLI_STATE_DIR"] = str(base / "state")
        if not self.several:
            data = damaging.joined(*CATBUDDY.lines[:3], CATBUDDY.lines[3] + CATBUDDY.lines[4]) + CATBUDDY.lines[5][:50]
            self.place = Place(base / "home", CATBUDDY, data)
        else:  # a session, what counts its rows, a copy that goes, a counter that is set
            lines = [*NANOBOT.lines[:2], NANOBOT.lines[2][:30], *NANOBOT.lines[3:]]
            self.place = place = Place(base / "home", NANOBOT, damaging.joined(*lines))
            place.put(place.path.with_name(place.path.stem + ".checkpoint.json"), b'{"base_message_count": 6}')
            copy = place.path.stem + " (conflicted copy).jsonl"
            place.put(place.sessions / "Y2xpOmRpcmVjdA.jsonl", NANOBOT.whole.replace(b"telegram:42", b"cli:direct"))
            place.put(place.sessions / copy.replace(place.path.stem, "Y2xpOmRpcmVjdA"), place_copy())
            place.put(
                place.root / "memory" / "history.jsonl",
                b'{"cursor": 5, "timestamp": "2026-05-20 08:30", "content": "x"}\n',
            )
            place.put(place.root / "memory" / ".cursor", b"x")
        store = sealing.store(self.place.workspace)
        for kind in state.KINDS:
            state.place(store, kind)

    def files(self) -> Files:
        """Name -> content, mode and time of what an agent sees."""
        paths = [path for path in self.place.root.rglob("*") if path.is_file() and not path.name.endswith(".part")]
        return {
            str(path.relative_to(self.place.root)): (path.read_bytes(), path.stat().st_mode & 0o777, 0)
            for path in paths
        }

    def repair(self) -> None:
        [workspace] = at(str(self.place.root), self.place.workspace.agent)
        wanted = wishes(False, {})
        done = applying.apply(planning.plan(workspace, wanted), wishes=wanted, command=[], idle=0.0)
        if done.refused or done.taken_back:
            raise AssertionError(done)

    def repair_again(self) -> None:
        """As often as it takes a person: after an interruption the first one finishes or drops it."""
        self.repair()

    def undo(self) -> None:
        undo.undo(sealing.store(self.place.workspace))

    def next_start(self) -> None:
        with undo.begin(sealing.store(self.place.workspace), "next"):
            pass

    def leftovers(self) -> list[str]:
        return [path.name for path in self.place.root.rglob("*.part")]


def place_copy() -> bytes:
    return NANOBOT.whole.replace(b"telegram:42", b"cli:direct")


@pytest.fixture(params=[False, True], ids=["one file", "several files"])
def ground(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ground:
    monkeypatch.setenv("MEMCLI_STATE_DIR", "")
    faults.quick_disk(monkeypatch)
    return Ground(tmp_path, request.param)


@pytest.mark.parametrize("how", faults.HOW, ids=str)
def test_repair_is_whole_or_not_at_all(ground, how):
    ground.fresh()
    old = ground.files()
    ground.repair()
    new = ground.files()
    assert new != old
    runs = 0
    for where, ended in faults.every(ground.repair, ground.fresh, how):
        runs += 1
        now = ground.files()
        if how in (faults.KILL, faults.TORN):
            for name, file in now.items():
                assert file in (old.get(name), new.get(name)), f"{where}: {name} is neither old nor new"
            ground.next_start()
            now = ground.files()
        elif ended.code:
            assert ended.code in (3, 4), f"{where}: {ended.said}"
            ground.next_start()
            now = ground.files()
        assert now in (old, new), f"{where}: half done"
        if not ended.code and how == faults.SHORT:
            assert now == new, where
        assert not ground.leftovers(), where
        ground.repair_again()
        assert ground.files() == new, f"{where}: does not converge"
    assert runs


@pytest.mark.parametrize("how", [faults.KILL, errno.ENOSPC, errno.EIO], ids=str)
def test_undoing_a_repair_is_whole_or_not_at_all(ground, how):
    def before() -> None:
        ground.fresh()
        ground.repair()

    ground.fresh()
    old = ground.files()
    before()
    new = ground.files()
    for where, ended in faults.every(ground.undo, before, how):
        ground.next_start()
        now = ground.files()
        assert now in (old, new), f"{where}: half done ({ended.said})"
        assert not ground.leftovers(), where
        if now == new:
            ground.undo()
        assert ground.files() == old, f"{where}: does not converge"


def test_times_come_back_with_undo(ground):
    ground.fresh()
    ground.repair()
    ground.undo()
    assert {path.stat().st_mtime_ns for path in ground.place.root.rglob("*") if path.is_file()} == {OLD}
