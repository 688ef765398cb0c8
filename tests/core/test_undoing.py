"""Which operation is meant, and whether it may be undone now."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest
from support import faults

from memcli.core import demonstrating, discovering, sealing, stores, undoing
from memcli.errors import NothingFound, NothingToUndo, RefusedForSafety, UsageError
from memcli.storage import state, undo
from memcli.storage.locks import Lock
from memcli.storage.undo import Record
from memcli.storage.versions import read_version

CHAT = "sessions/desktop_1748822400000.jsonl"


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    faults.quick_disk(monkeypatch)
    monkeypatch.setenv("MEMCLI_STATE_DIR", str(tmp_path / "state"))
    return make(tmp_path / "one")


def make(folder: Path) -> Path:
    demonstrating.write(str(folder))
    for path in folder.rglob("*"):
        os.utime(path, (time.time() - 3600,) * 2)
    return folder


def change(folder: Path, name: str = CHAT, data: bytes = b"new\n", **more: object) -> Record:
    [workspace] = discovering.find([str(folder)])
    path = str(folder / name)
    with undo.begin(sealing.store(workspace), "repair", agent="catbuddy", **more) as operation:
        operation.rewrite(path, read_version(path), data, root=str(folder))
        return operation.commit()


class TestChoosing:
    def test_the_newest_of_the_workspace(self, workspace: Path) -> None:
        change(workspace, data=b"1\n")
        newest = change(workspace, data=b"2\n")
        assert undoing.choose(None, [str(workspace)]).record.id == newest.id

    @pytest.mark.parametrize("place", ["", "sessions", CHAT])
    def test_the_workspace_by_any_of_its_places(self, workspace: Path, place: str) -> None:
        made = change(workspace)
        assert undoing.choose(None, [str(workspace / place)]).record.id == made.id

    def test_by_id_wherever_it_is(self, workspace: Path, tmp_path: Path) -> None:
        other = make(tmp_path / "two")
        made = change(other)
        change(workspace)
        chosen = undoing.choose(made.id, None)
        assert (chosen.record.id, chosen.store.root) == (made.id, str(other))
        with pytest.raises(UsageError, match="no operation"):
            undoing.choose(made.id, [str(workspace)])

    def test_here(self, workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        made = change(workspace)
        monkeypatch.chdir(workspace / "sessions")
        assert undoing.choose(None, None).record.id == made.id

    def test_by_the_environment(self, workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        made = change(workspace)
        monkeypatch.setenv("MEMCLI_WORKSPACE", str(workspace))
        assert undoing.choose(None, None).record.id == made.id

    def test_nowhere_but_only_one_has_any(
        self, workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def nothing(*_: object) -> None:
            raise NothingFound("")

        made = change(workspace)
        other = make(tmp_path / "two")
        with monkeypatch.context() as patch:  # whatever lies above the tests' folder
            patch.setattr(discovering, "find", nothing)
            assert undoing.choose(None, None).record.id == made.id
        change(other)
        monkeypatch.setattr(discovering, "find", nothing)
        with pytest.raises(UsageError, match="name one with -W"):
            undoing.choose(None, None)

    def test_a_workspace_that_is_gone(self, workspace: Path) -> None:
        made = change(workspace)
        workspace.rename(workspace.with_name("moved"))
        assert undoing.choose(None, [str(workspace)]).record.id == made.id

    def test_nothing(self, workspace: Path) -> None:
        with pytest.raises(NothingToUndo, match="nothing to undo"):
            undoing.choose(None, [str(workspace)])
        with pytest.raises(UsageError, match="no operation 20261130"):
            undoing.choose("20261130T0000-ffff", None)

    def test_undone_already(self, workspace: Path) -> None:
        made = change(workspace)
        undoing.carry_out(undoing.choose(made.id, None), command=[], idle=0)
        with pytest.raises(NothingToUndo, match="undone already"):
            undoing.choose(made.id, None)
        with pytest.raises(NothingToUndo, match="nothing to undo"):
            undoing.choose(None, [str(workspace)])


class TestCarryingOut:
    def test_what_memcli_itself_just_wrote_is_no_sign_of_life(self, workspace: Path) -> None:
        before = (workspace / CHAT).read_bytes()
        change(workspace)
        undoing.carry_out(undoing.choose(None, [str(workspace)]), command=["memcli", "undo"])
        assert (workspace / CHAT).read_bytes() == before

    def test_an_agent_is_at_work(self, workspace: Path, tmp_path: Path) -> None:
        lock = Lock("exclusive-file", str(tmp_path / "lock"))
        beacon = tmp_path / "gateway.json"
        change(workspace, locks=[lock], beacons=[str(beacon)])
        chosen = undoing.choose(None, [str(workspace)])
        beacon.write_text(json.dumps({"pid": os.getppid()}))
        with pytest.raises(RefusedForSafety, match=r"the agent runs as .* try again later, or with --force-live"):
            undoing.carry_out(chosen, command=[])
        beacon.unlink()
        Path(lock.path).write_text("1")
        with pytest.raises(RefusedForSafety, match="is held by"):
            undoing.carry_out(chosen, command=[])
        Path(lock.path).unlink()
        beacon.write_text(json.dumps({"pid": os.getppid()}))
        undoing.carry_out(chosen, command=[], force_live=True)

    def test_changed_since(self, workspace: Path) -> None:
        change(workspace)
        (workspace / CHAT).write_bytes(b"agent's\n")
        chosen = undoing.choose(None, [str(workspace)])
        with pytest.raises(RefusedForSafety, match="seconds ago"):
            undoing.carry_out(chosen, command=[])
        with pytest.raises(RefusedForSafety, match="was changed since"):
            undoing.carry_out(chosen, command=[], idle=0)
        assert (workspace / CHAT).read_bytes() == b"agent's\n"


class TestListing:
    def test_of_several_workspaces_by_time(self, workspace: Path, tmp_path: Path) -> None:
        other = make(tmp_path / "two")
        made = [change(workspace).id, change(other).id]
        found = undoing.listed([str(workspace), str(other)])
        assert {one.record.id for one in found} == set(made)
        assert [one.record.id for one in undoing.listed([str(other)])] == made[1:]
        assert undoing.listed([str(other), str(other)]) == undoing.listed([str(other)])

    def test_pruning(self, workspace: Path, tmp_path: Path) -> None:
        made = [change(workspace, data=b"%d\n" % number).id for number in range(3)]
        assert [one.record.id for one in undoing.prune([str(workspace)], None, 1)] == [made[1], made[0]]
        assert [one.record.id for one in undoing.prune([str(workspace)], None, 0)] == [made[2]]
        assert undoing.prune([str(make(tmp_path / "two"))], None, 0) == []


class TestStores:
    def test_what_is_kept(self, workspace: Path, tmp_path: Path) -> None:
        assert stores.kept() == []
        change(workspace)
        small = make(tmp_path / "two")
        [two] = stores.named([str(small)], None)
        state.write_file(os.path.join(state.place(two, "seals"), "x"), b"1")
        first, second = stores.kept()
        assert (first.store.root, first.there) == (str(workspace), True)
        assert first.bytes == first.usage["undo"].bytes > second.bytes == 1
        small.rename(tmp_path / "moved")
        assert [one.there for one in stores.kept()] == [True, False]

    def test_the_cache(self, workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("MEMCLI_CACHE_DIR", str(tmp_path / "cache"))
        assert stores.cache() == (0, 0)
        (tmp_path / "cache" / "deep").mkdir(parents=True)
        (tmp_path / "cache" / "deep" / "index").write_bytes(b"123")
        assert stores.cache() == (1, 3)

    @pytest.mark.parametrize("by", ["path", "id"])
    def test_removing_one(self, workspace: Path, tmp_path: Path, by: str) -> None:
        change(workspace)
        change(make(tmp_path / "two"))
        [store] = stores.named([str(workspace)], None)
        [gone] = stores.remove(str(workspace) if by == "path" else store.id)
        assert gone.store.root == str(workspace)
        assert [one.store.root for one in stores.kept()] == [str(tmp_path / "two")]
        with pytest.raises(UsageError, match="Nothing is kept for"):
            stores.remove(str(workspace))

    def test_removing_all(self, workspace: Path, tmp_path: Path) -> None:
        change(workspace)
        change(make(tmp_path / "two"))
        assert len(stores.remove(None)) == 2
        assert stores.kept() == []
        assert stores.remove(None) == []

    def test_an_interrupted_operation_is_finished_first(self, workspace: Path) -> None:
        [store] = stores.named([str(workspace)], None)
        ended = faults.run(lambda: change(workspace), faults.KILL, ("unlink", 1))
        assert ended.code == -9
        assert [name for name in os.listdir((workspace / CHAT).parent) if name.startswith(".memcli")]
        stores.remove(store.id)
        assert not [name for name in os.listdir((workspace / CHAT).parent) if name.startswith(".memcli")]
        assert (workspace / CHAT).read_bytes() == b"new\n"
