"""What the next memcli makes of an operation that was interrupted, whoever wrote in between."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from support import faults

from memcli.errors import CannotWrite, RefusedForSafety
from memcli.storage import intents, state, undo
from memcli.storage.locks import Lock, own
from memcli.storage.state import Store
from memcli.storage.versions import read_version

OLD, NEW, THEIRS, LATER = b"old\n" * 9, b"new\n" * 7, b"agent's\n" * 5, b"agent's later\n" * 3


class Ground:
    """Two files that one operation rewrites, and a third that it removes."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "workspace"
        self.root.mkdir()
        self.one, self.two, self.gone = (self.root / name for name in ("one", "two", "gone"))
        for path in (self.one, self.two, self.gone):
            path.write_bytes(OLD)
        self.store: Store = state.store(str(self.root))

    def rewrite(self, *paths: Path) -> None:
        with undo.begin(self.store, "repair") as operation:
            for path in paths:
                operation.set_aside(str(path), 0, OLD, "not-json")
                operation.rewrite(str(path), read_version(str(path)), NEW, root=str(self.root))
            operation.commit()

    def both(self) -> None:
        self.rewrite(self.one, self.two)

    def alone(self) -> None:
        self.rewrite(self.one)

    def removal(self) -> None:
        with undo.begin(self.store, "repair") as operation:
            operation.remove(str(self.gone), read_version(str(self.gone)), root=str(self.root))
            operation.rewrite(str(self.one), read_version(str(self.one)), NEW, root=str(self.root))
            operation.commit()

    def creation(self) -> None:
        with undo.begin(self.store, "repair") as operation:
            operation.create(str(self.root / "made"), NEW, root=str(self.root))
            operation.rewrite(str(self.one), read_version(str(self.one)), NEW, root=str(self.root))
            operation.commit()

    def kill(self, scenario: Callable[[], None], call: str, number: int) -> None:
        """Run `scenario` and kill it before its `number`-th call of that name."""
        ended = faults.run(scenario, faults.KILL, (call, number))
        assert (ended.code, ended.fired) == (-9, call), ended.said

    def parts(self) -> list[Path]:
        return sorted(path for path in self.root.iterdir() if path.name.startswith(".memcli"))

    def recover(self) -> list[intents.Recovered]:
        with own(self.store):
            return intents.recover(self.store)

    def conflict(self) -> str:
        with pytest.raises(RefusedForSafety) as caught:
            self.recover()
        assert self.recover() == []  # it is told once
        return caught.value.sentence

    def quarantine(self) -> list[bytes]:
        folder = Path(self.store.folder, "quarantine")
        return [path.read_bytes() for path in sorted(folder.rglob("*.displaced"))] if folder.exists() else []


@pytest.fixture
def ground(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ground:
    monkeypatch.setenv("MEMCLI_STATE_DIR", str(tmp_path / "state"))
    faults.quick_disk(monkeypatch)
    return Ground(tmp_path)


def save(path: Path, data: bytes) -> None:
    temporary = path.with_name("agent.tmp")
    temporary.write_bytes(data)
    temporary.rename(path)


def contents(*paths: Path) -> list[bytes]:
    return [path.read_bytes() for path in paths]


def test_nothing_to_recover(ground: Ground) -> None:
    assert ground.recover() == []


def test_rolled_forward(ground: Ground) -> None:
    ground.kill(ground.both, "exchange", 2)
    assert contents(ground.one, ground.two) == [NEW, OLD]
    [one] = ground.recover()
    assert one.outcome == "finished"
    assert contents(ground.one, ground.two) == [NEW, NEW]
    assert ground.parts() == []
    assert [record.id for record in undo.listed(ground.store)] == [one.id]


def test_the_next_operation_recovers_first(ground: Ground) -> None:
    ground.kill(ground.both, "exchange", 2)
    with undo.begin(ground.store, "other"):
        assert contents(ground.one, ground.two) == [NEW, NEW]


def test_dropped_before_it_was_published(ground: Ground) -> None:
    ground.kill(ground.both, "create", 9)  # the second part
    assert len(ground.parts()) == 1
    [one] = ground.recover()
    assert (one.outcome, ground.parts()) == ("dropped", [])
    assert contents(ground.one, ground.two) == [OLD, OLD]
    assert undo.listed(ground.store) == []


def test_saved_before_its_turn(ground: Ground) -> None:
    """The second file was written anew before it was swapped: the first is taken back."""
    ground.kill(ground.both, "exchange", 2)
    save(ground.two, THEIRS)
    [one] = ground.recover()
    assert one.outcome == "dropped"
    assert str(ground.two) in one.sentence
    assert contents(ground.one, ground.two) == [OLD, THEIRS]
    assert ground.parts() == []
    assert undo.listed(ground.store) == []


def test_saved_before_its_turn_and_over_the_first(ground: Ground) -> None:
    """The first was written on top of the new content, the second before it: both are as their writers left them."""
    ground.kill(ground.both, "exchange", 2)
    save(ground.one, LATER)
    save(ground.two, THEIRS)
    [one] = ground.recover()
    assert one.outcome == "dropped"
    assert contents(ground.one, ground.two) == [LATER, THEIRS]
    assert ground.parts() == []


def test_saved_after_its_turn(ground: Ground) -> None:
    """The first was swapped, then written by somebody who saw the new content: the rest is rolled forward."""
    ground.kill(ground.both, "exchange", 2)
    save(ground.one, THEIRS)
    [one] = ground.recover()
    assert one.outcome == "finished"
    assert contents(ground.one, ground.two) == [THEIRS, NEW]
    assert ground.parts() == []


def test_all_swapped_and_saved_since(ground: Ground) -> None:
    ground.kill(ground.both, "unlink", 2)  # after the first displaced file is gone
    save(ground.one, THEIRS)
    [one] = ground.recover()
    assert one.outcome == "finished"
    assert contents(ground.one, ground.two) == [THEIRS, NEW]


@pytest.fixture
def raced(ground: Ground, monkeypatch: pytest.MonkeyPatch) -> Ground:
    """Killed right after the exchange, when what came out of it was somebody's save."""
    from memcli.storage import system

    real = system.exchange

    def saved_before(*arguments: object) -> None:
        save(ground.one, THEIRS)
        real(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(system, "exchange", saved_before)
        ground.kill(ground.alone, "exchange", 2)
    assert ground.one.read_bytes() == NEW
    return ground


def test_a_save_that_was_displaced_goes_back(raced: Ground) -> None:
    [one] = raced.recover()
    assert one.outcome == "dropped"
    assert raced.one.read_bytes() == THEIRS
    assert raced.parts() == []


def test_a_save_that_was_displaced_and_a_later_one(raced: Ground) -> None:
    """The later save stands; the earlier one is nobody's any more, and is kept."""
    save(raced.one, LATER)
    assert "quarantine" in raced.conflict()
    assert raced.one.read_bytes() == LATER
    assert raced.quarantine() == [THEIRS]
    assert raced.parts() == []
    [record] = undo.listed(raced.store)
    assert "written by another program" in record.note
    with pytest.raises(RefusedForSafety, match="changed since"):
        undo.undo(raced.store)


def test_the_part_was_cleaned_away(ground: Ground) -> None:
    ground.kill(ground.both, "exchange", 2)
    for part in ground.parts():
        if part.read_bytes() == NEW:
            part.unlink()
    [one] = ground.recover()
    assert one.outcome == "dropped"
    assert contents(ground.one, ground.two) == [OLD, OLD]


def test_a_removal_is_finished(ground: Ground) -> None:
    ground.kill(ground.removal, "exchange", 1)
    assert not ground.gone.exists()
    [one] = ground.recover()
    assert (one.outcome, ground.one.read_bytes(), ground.gone.exists()) == ("finished", NEW, False)
    undo.undo(ground.store)
    assert contents(ground.one, ground.gone) == [OLD, OLD]


def test_a_removal_is_taken_back(ground: Ground) -> None:
    ground.kill(ground.removal, "exchange", 1)
    save(ground.one, THEIRS)
    [one] = ground.recover()
    assert (one.outcome, ground.one.read_bytes(), ground.gone.read_bytes()) == ("dropped", THEIRS, OLD)


def test_a_removal_that_cannot_be_taken_back(ground: Ground) -> None:
    """Somebody made the removed file anew, and wrote the other one: nothing is lost, and it is told."""
    ground.kill(ground.removal, "exchange", 1)
    save(ground.one, THEIRS)
    save(ground.gone, LATER)
    ground.conflict()
    assert contents(ground.one, ground.gone) == [THEIRS, LATER]
    assert ground.parts() == []
    [record] = undo.listed(ground.store)
    copy = Path(ground.store.folder, "undo", record.folder, record.changes[0].copy)
    assert copy.read_bytes() == OLD


def test_a_removed_file_that_was_somebodys(ground: Ground, monkeypatch: pytest.MonkeyPatch) -> None:
    from memcli.storage import system

    real = system.rename

    def saved_before(old: str, new: str, *more: object) -> None:
        if old == "gone":
            save(ground.gone, THEIRS)
        real(old, new, *more)

    with monkeypatch.context() as patch:
        patch.setattr(system, "rename", saved_before)
        ground.kill(ground.removal, "link", 1)
    assert not ground.gone.exists()
    [one] = ground.recover()
    assert (one.outcome, ground.one.read_bytes(), ground.gone.read_bytes()) == ("dropped", OLD, THEIRS)
    assert ground.parts() == []


def test_a_creation_is_taken_back(ground: Ground) -> None:
    ground.kill(ground.creation, "exchange", 1)
    save(ground.one, THEIRS)
    [one] = ground.recover()
    assert (one.outcome, ground.one.read_bytes()) == ("dropped", THEIRS)
    assert sorted(os.listdir(ground.root)) == ["gone", "one", "two"]


def test_a_created_file_that_somebody_wrote_stays(ground: Ground) -> None:
    ground.kill(ground.creation, "exchange", 1)
    save(ground.root / "made", LATER)
    save(ground.one, THEIRS)
    ground.recover()
    assert contents(ground.one, ground.root / "made") == [THEIRS, LATER]


def test_the_place_is_taken(ground: Ground) -> None:
    ground.kill(ground.creation, "link", 1)
    save(ground.root / "made", LATER)
    [one] = ground.recover()
    assert (one.outcome, ground.one.read_bytes()) == ("dropped", OLD)
    assert (ground.root / "made").read_bytes() == LATER


def test_the_workspace_is_gone(ground: Ground, tmp_path: Path) -> None:
    ground.kill(ground.both, "exchange", 2)
    ground.root.rename(tmp_path / "elsewhere")
    assert "does not exist" in ground.conflict()


def test_the_workspace_is_gone_before_anything_was_changed(ground: Ground, tmp_path: Path) -> None:
    ground.kill(ground.both, "create", 9)
    ground.root.rename(tmp_path / "elsewhere")
    assert [one.outcome for one in ground.recover()] == ["dropped"]


def test_the_agent_holds_its_lock(ground: Ground) -> None:
    lock = Lock("exclusive-file", str(ground.root / "agent.lock"))

    def scenario() -> None:
        with undo.begin(ground.store, "repair", locks=[lock]) as operation:
            for path in (ground.one, ground.two):
                operation.rewrite(str(path), read_version(str(path)), NEW, root=str(ground.root))
            operation.commit()

    ground.kill(scenario, "exchange", 2)
    assert (ground.root / "agent.lock").exists()  # ours: removed by whoever recovers
    ground.recover()
    assert sorted(os.listdir(ground.root)) == ["gone", "one", "two"]


def test_the_disk_fails_while_recovering(ground: Ground, monkeypatch: pytest.MonkeyPatch) -> None:
    from memcli.storage import system

    ground.kill(ground.both, "unlink", 2)

    def fail(*_: object) -> None:
        raise OSError(5, "")

    with monkeypatch.context() as patch:
        patch.setattr(system, "rename", fail)
        with pytest.raises(CannotWrite, match="It will be tried again"):
            ground.recover()
    assert [one.outcome for one in ground.recover()] == ["finished"]
    assert contents(ground.one, ground.two) == [NEW, NEW]


def test_no_space_while_rolling_forward(ground: Ground, monkeypatch: pytest.MonkeyPatch) -> None:
    from memcli.storage import system

    ground.kill(ground.both, "exchange", 2)
    real = system.exchange
    calls = []

    def fail_once(*arguments: object) -> None:
        calls.append(arguments)
        if len(calls) == 1:
            raise OSError(28, "")
        real(*arguments)

    monkeypatch.setattr(system, "exchange", fail_once)
    [one] = ground.recover()
    assert (one.outcome, "no space" in one.sentence) == ("dropped", True)
    assert contents(ground.one, ground.two) == [OLD, OLD]


def test_half_a_record(ground: Ground) -> None:
    """A folder of an operation without a record never got to anything; half-written notes go too."""
    folder = Path(state.place(ground.store, "intents"))
    (folder / "000001-x").mkdir()
    (folder / "000001-x" / "0.old").write_bytes(b"half")
    (folder / "lock-1.json.ab.part").write_bytes(b"{")
    (folder / "lock-2.json").write_bytes(b"{")
    assert [one.outcome for one in ground.recover()] == ["dropped"]
    assert list(folder.iterdir()) == []
