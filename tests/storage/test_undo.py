"""Operations, listing them, undoing them, forgetting them."""

from __future__ import annotations

import json
import os
import shutil
import stat
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from support import faults

from memcli.errors import CannotRead, CannotWrite, NothingToUndo, RefusedForSafety, UsageError
from memcli.storage import kept, quarantine, records, state, system, undo
from memcli.storage.locks import Lock, own
from memcli.storage.state import Store
from memcli.storage.undo import Operation, Record
from memcli.storage.versions import read_version

OLD, NEW = b"old \xff\0 line\n" * 9, b"new line\n" * 3
WHEN = 1_700_000_000_123_456_789


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    faults.quick_disk(monkeypatch)
    monkeypatch.setenv("MEMCLI_STATE_DIR", str(tmp_path / "state"))
    folder = tmp_path / "workspace"
    folder.mkdir()
    for name in ("one", "two"):
        path = folder / name
        path.write_bytes(OLD)
        path.chmod(0o640)
        os.utime(path, ns=(1, WHEN))
    (folder / "log").write_bytes(b"first")
    return folder


@pytest.fixture
def store(root: Path) -> Store:
    return state.store(str(root))


def rewrite(store: Store, path: Path, data: bytes = NEW, what: str = "repair") -> Record:
    with undo.begin(store, what, command=["memcli", what, str(path)], agent="jsonl") as operation:
        operation.rewrite(str(path), read_version(str(path)), data, root=str(path.parent))
        return operation.commit()


def looks(root: Path) -> dict[str, tuple[bytes, int, int]]:
    """Everything that must come back: bytes, mode, time."""
    status = {path.name: path.stat() for path in root.iterdir()}
    return {n: ((root / n).read_bytes(), stat.S_IMODE(s.st_mode), s.st_mtime_ns) for n, s in status.items()}


Do = Callable[[Operation, Path], object]
KINDS: dict[str, Do] = {
    "rewrite": lambda o, r: o.rewrite(str(r / "one"), read_version(str(r / "one")), NEW, root=str(r)),
    "rewrite with a mode": lambda o, r: o.rewrite(
        str(r / "one"), read_version(str(r / "one")), NEW, root=str(r), mode=0o600, mtime="keep"
    ),
    "create": lambda o, r: o.create(str(r / "new"), NEW, root=str(r), mode=0o644),
    "remove": lambda o, r: o.remove(str(r / "one"), read_version(str(r / "one")), root=str(r)),
    "chmod": lambda o, r: o.chmod(str(r / "one"), read_version(str(r / "one")), 0o600, root=str(r)),
    "append": lambda o, r: o.append(str(r / "log"), b"second", root=str(r)),
}


@pytest.mark.parametrize("do", KINDS.values(), ids=KINDS)
def test_there_and_back_and_there_again(root: Path, store: Store, do: Do) -> None:
    before = looks(root)
    with undo.begin(store, "repair") as operation:
        do(operation, root)
        record = operation.commit()
    after = looks(root)
    assert {n: v[:2] for n, v in after.items()} != {n: v[:2] for n, v in before.items()}
    reversal = undo.undo(store)
    assert {n: v for n, v in looks(root).items() if n != "log"} == {n: v for n, v in before.items() if n != "log"}
    assert (root / "log").read_bytes() == b"first"
    assert reversal.undoes == record.id
    undo.undo(store, reversal.id)
    assert looks(root).keys() == after.keys()
    assert {n: v[:2] for n, v in looks(root).items()} == {n: v[:2] for n, v in after.items()}


def test_the_record(root: Path, store: Store) -> None:
    lock, beacon = Lock("flock", str(root / ".lock")), str(root / "gateway.json")
    with undo.begin(
        store, "repair", command=["memcli", "repair"], agent="x", locks=[lock], beacons=[beacon]
    ) as operation:
        operation.set_aside(str(root / "one"), 4, OLD[4:6], "not-json")
        operation.rewrite(str(root / "one"), read_version(str(root / "one")), NEW, root=str(root))
        made = operation.commit()
    [record] = undo.listed(store)
    assert record == made
    assert (record.what, record.command, record.agent) == ("repair", ("memcli", "repair"), "x")
    assert (record.locks, record.beacons) == ((lock,), (beacon,))
    assert (record.pieces, record.pieces_bytes) == (1, 2)
    [change] = record.changes
    assert (change.kind, change.path, change.new) == ("rewrite", str(root / "one"), read_version(str(root / "one")))
    assert record.id.startswith(record.time[:16].replace("-", "").replace(":", ""))
    copy = Path(kept.folder_of(store, record), change.copy)
    assert (copy.read_bytes(), stat.S_IMODE(copy.stat().st_mode)) == (OLD, 0o600)


def test_names_that_are_not_text(root: Path, store: Store) -> None:
    path = root / os.fsdecode(b"caf\xe9 \xe5\xb7\xa5\n")
    path.write_bytes(OLD)
    with undo.begin(store, "repair", command=[str(path)]) as operation:
        operation.set_aside(str(path), 0, b"piece", "not-json")
        operation.rewrite(str(path), read_version(str(path)), NEW, root=str(root))
        record = operation.commit()
    assert undo.listed(store) == [record]
    [(row, piece)] = quarantine.pieces(store, record.folder)
    assert (row["path"], piece) == (str(path), b"piece")
    undo.undo(store)
    assert path.read_bytes() == OLD


class TestOrder:
    def test_newest_first_and_each_once(self, root: Path, store: Store) -> None:
        made = [rewrite(store, root / "one", b"%d\n" % number) for number in range(3)]
        assert [record.id for record in undo.listed(store)] == [record.id for record in reversed(made)]
        assert undo.undo(store).undoes == made[2].id
        assert undo.undo(store).undoes == made[1].id
        assert (root / "one").read_bytes() == b"0\n"
        undo.undo(store)
        assert (root / "one").read_bytes() == OLD
        with pytest.raises(NothingToUndo, match="nothing to undo"):
            undo.undo(store)

    def test_undone_is_said(self, root: Path, store: Store) -> None:
        made = rewrite(store, root / "one")
        reversal = undo.undo(store)
        assert [record.undone_by for record in undo.listed(store)] == ["", reversal.id]
        with pytest.raises(NothingToUndo, match=f"undone already, by {reversal.id}"):
            undo.undo(store, made.id)
        undo.undo(store, reversal.id)  # which makes the first undoable again
        assert undo.undo(store).undoes == made.id
        assert (root / "one").read_bytes() == OLD

    def test_one_of_several(self, root: Path, store: Store) -> None:
        first = rewrite(store, root / "one")
        rewrite(store, root / "two")
        undo.undo(store, first.id)
        assert ((root / "one").read_bytes(), (root / "two").read_bytes()) == (OLD, NEW)

    @pytest.mark.parametrize("name", ["", "nothing", "../x"])
    def test_unknown(self, root: Path, store: Store, name: str) -> None:
        rewrite(store, root / "one")
        with pytest.raises(UsageError, match="no operation"):
            undo.undo(store, name)

    def test_nothing_yet(self, store: Store) -> None:
        assert undo.listed(store) == []
        with pytest.raises(NothingToUndo):
            undo.undo(store)


class TestChangedSince:
    def refused(self, store: Store, root: Path, words: str) -> None:
        before = looks(root)
        with pytest.raises(RefusedForSafety, match=words):
            undo.undo(store)
        assert looks(root) == before
        assert len(undo.listed(store)) == 1

    def test_content(self, root: Path, store: Store) -> None:
        rewrite(store, root / "one")
        with (root / "one").open("ab") as file:
            file.write(b"agent's\n")
        self.refused(store, root, "was changed since")

    def test_removed(self, root: Path, store: Store) -> None:
        rewrite(store, root / "one")
        (root / "one").unlink()
        self.refused(store, root, "was removed since")

    def test_made_anew(self, root: Path, store: Store) -> None:
        with undo.begin(store, "rm") as operation:
            KINDS["remove"](operation, root)
            operation.commit()
        (root / "one").write_bytes(b"agent's\n")
        self.refused(store, root, "written anew since")

    def test_created_and_written_to(self, root: Path, store: Store) -> None:
        with undo.begin(store, "append") as operation:
            KINDS["create"](operation, root)
            operation.commit()
        (root / "new").write_bytes(b"agent's\n")
        self.refused(store, root, "was changed since")

    def test_mode(self, root: Path, store: Store) -> None:
        with undo.begin(store, "repair") as operation:
            KINDS["chmod"](operation, root)
            operation.commit()
        (root / "one").chmod(0o666)
        self.refused(store, root, "another mode since")

    def test_one_of_two_changed_leaves_both(self, root: Path, store: Store) -> None:
        with undo.begin(store, "repair") as operation:
            for name in ("one", "two"):
                operation.rewrite(str(root / name), read_version(str(root / name)), NEW, root=str(root))
            operation.commit()
        (root / "two").write_bytes(b"agent's\n")
        self.refused(store, root, "two was changed since")

    def test_a_mode_that_somebody_set_since_stays(self, root: Path, store: Store) -> None:
        rewrite(store, root / "one")
        (root / "one").chmod(0o604)
        undo.undo(store)
        assert looks(root)["one"] == (OLD, 0o604, WHEN)

    def test_a_chmod_is_undone_whatever_was_written_since(self, root: Path, store: Store) -> None:
        with undo.begin(store, "repair") as operation:
            KINDS["chmod"](operation, root)
            operation.commit()
        (root / "one").write_bytes(b"agent's\n")
        undo.undo(store)
        assert looks(root)["one"][:2] == (b"agent's\n", 0o640)

    def test_a_damaged_copy(self, root: Path, store: Store) -> None:
        record = rewrite(store, root / "one")
        Path(kept.folder_of(store, record), "0.old").write_bytes(OLD[:-1])
        with pytest.raises(CannotRead, match="is damaged; nothing was changed"):
            undo.undo(store)
        assert (root / "one").read_bytes() == NEW
        assert sorted(os.listdir(root)) == ["log", "one", "two"]


class TestAppended:
    def append(self, store: Store, root: Path) -> None:
        with undo.begin(store, "append") as operation:
            operation.append(str(root / "log"), b"ours", root=str(root))
            operation.commit()

    @pytest.mark.parametrize(
        ("then", "left"),
        [
            (b"first\nours\n", b"first"),
            (b"first\nours\nmore\n", b"first\nmore\n"),
            (b"ours\n", b""),
            (b"trimmed, and long before that\nours\nmore", b"trimmed, and long before that\nmore"),
        ],
    )
    def test_just_that_line_goes(self, root: Path, store: Store, then: bytes, left: bytes) -> None:
        self.append(store, root)
        (root / "log").write_bytes(then)
        undo.undo(store)
        assert (root / "log").read_bytes() == left

    @pytest.mark.parametrize("then", [b"", b"first\nours", b"first\nours too\n", b"a long line in front\nours\nours\n"])
    def test_refused(self, root: Path, store: Store, then: bytes) -> None:
        self.append(store, root)
        (root / "log").write_bytes(then)
        with pytest.raises(
            RefusedForSafety, match="does not have the appended line any more, or has it more than once"
        ):
            undo.undo(store)
        assert (root / "log").read_bytes() == then

    def test_a_large_log(self, root: Path, store: Store) -> None:
        lines = b"x" * 99 + b"\n"
        (root / "log").write_bytes(lines * 30_000)
        self.append(store, root)
        with (root / "log").open("ab") as file:
            file.write(lines * 30_000)
        undo.undo(store)
        assert (root / "log").read_bytes() == lines * 60_000


class TestBegin:
    def test_an_operation_that_is_not_committed_leaves_no_trace(self, root: Path, store: Store) -> None:
        def fail() -> None:
            with undo.begin(store, "repair") as operation:
                operation.set_aside(str(root / "one"), 0, b"x" * (3 << 20), "not-json")
                KINDS["rewrite"](operation, root)
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            fail()
        assert (root / "one").read_bytes() == OLD
        assert state.usage(store) == {}

    def test_nothing_to_change_is_not_kept(self, root: Path, store: Store) -> None:
        before = (root / "one").stat()
        assert rewrite(store, root / "one", OLD).changes == ()
        assert undo.listed(store) == []
        assert (root / "one").stat().st_ctime_ns == before.st_ctime_ns
        assert state.usage(store) == {}

    def test_only_what_changes_is_kept(self, root: Path, store: Store) -> None:
        with undo.begin(store, "repair") as operation:
            for name, data in (("one", OLD), ("two", NEW)):
                operation.rewrite(str(root / name), read_version(str(root / name)), data, root=str(root))
            record = operation.commit()
        assert [change.path for change in record.changes] == [str(root / "two")]
        undo.undo(store)
        assert looks(root)["two"] == (OLD, 0o640, WHEN)

    def test_once_for_each_file(self, root: Path, store: Store) -> None:
        (root / "link").symlink_to("one")
        with undo.begin(store, "repair") as operation:
            KINDS["rewrite"](operation, root)
            with pytest.raises(ValueError, match="once"):
                operation.remove(str(root / "link"), read_version(str(root / "one")), root=str(root))

    def test_changed_between_plan_and_commit(self, root: Path, store: Store) -> None:
        with undo.begin(store, "repair") as operation:
            KINDS["rewrite"](operation, root)
            (root / "one").write_bytes(b"agent's\n")
            with pytest.raises(RefusedForSafety, match="changed after it was read"):
                operation.commit()
        assert (root / "one").read_bytes() == b"agent's\n"
        assert state.usage(store) == {}

    def test_two_memclis(self, root: Path, store: Store) -> None:
        with (
            undo.begin(store, "repair"),
            pytest.raises(RefusedForSafety, match="locked"),
            undo.begin(store, "repair", timeout=0),
        ):
            raise AssertionError

    def test_the_agent_holds_its_lock(self, root: Path, store: Store) -> None:
        lock = Lock("exclusive-file", str(root / "lock"))
        Path(lock.path).write_text("1")
        with pytest.raises(RefusedForSafety, match="held by"), undo.begin(store, "x", locks=[lock], timeout=0):
            raise AssertionError

    def test_the_file_cannot_be_read(self, root: Path, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
        version = read_version(str(root / "one"))

        def fail(*_: object) -> bytes:
            raise OSError(5, "Input/output error")

        with undo.begin(store, "repair") as operation:
            operation.rewrite(str(root / "one"), version, NEW, root=str(root))
            monkeypatch.setattr(os, "pread", fail)
            with pytest.raises(CannotRead, match="one cannot be read: input/output error"):
                operation.commit()
        assert state.usage(store) == {}

    def test_the_state_folder_is_full(self, root: Path, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
        real = system.write

        def write(fd: int, data: bytes) -> int:
            if bytes(data[:3]) == OLD[:3]:
                raise OSError(28, "")
            return real(fd, data)

        monkeypatch.setattr(system, "write", write)
        with pytest.raises(CannotWrite, match=r"memcli's own state in .* no space left"):
            rewrite(store, root / "one")
        assert (root / "one").read_bytes() == OLD
        assert state.usage(store) == {}


class TestQuarantine:
    def test_pieces_are_kept_verbatim_with_their_place(self, root: Path, store: Store) -> None:
        given = [(offset, os.urandom(offset % 7000 + 1), f"code-{offset % 3}") for offset in range(0, 900_000, 1713)]
        with undo.begin(store, "repair") as operation:
            for offset, piece, code in given:
                operation.set_aside(str(root / "one"), offset, piece, code)
            KINDS["rewrite"](operation, root)
            record = operation.commit()
        found = [(row["offset"], piece, row["code"]) for row, piece in quarantine.pieces(store, record.folder)]
        assert found == given
        assert (record.pieces, record.pieces_bytes) == (len(given), sum(len(piece) for _, piece, _ in given))


class TestPrune:
    def test_by_number(self, root: Path, store: Store) -> None:
        made = [rewrite(store, root / "one", b"%d\n" % number) for number in range(5)]
        with own(store):
            gone = undo.prune(store, keep=2)
        assert [record.id for record in gone] == [record.id for record in reversed(made[:3])]
        assert [record.id for record in undo.listed(store)] == [made[4].id, made[3].id]
        undo.undo(store)
        assert (root / "one").read_bytes() == b"3\n"

    def test_unattended_runs_push_out_nothing_that_somebody_asked_for(self, root: Path, store: Store) -> None:
        def run(*command: str) -> str:
            with undo.begin(store, "x", command=("memcli", *command)) as operation:
                path = str(root / "one")
                operation.rewrite(path, read_version(path), os.urandom(8).hex().encode(), root=str(root))
                return operation.commit().id

        mine = [run("repair") for _ in range(3)]
        crons = [run("dream", "--cron") for _ in range(6)]
        with own(store):
            undo.prune(store, keep=4)
        assert [record.id for record in undo.listed(store)] == [*crons[:1:-1], *mine[::-1]]
        later = [run("repair") for _ in range(3)]
        with own(store):
            undo.prune(store, keep=4)
        assert [record.id for record in undo.listed(store)] == [*later[::-1], crons[-1], mine[-1]]

    def test_by_size(self, root: Path, store: Store) -> None:
        for number in range(5):
            rewrite(store, root / "one", b"%d" % number * 10_000)
        undo.prune(store, keep_bytes=25_000)
        assert len(undo.listed(store)) == 2
        undo.prune(store, keep_bytes=0)
        assert len(undo.listed(store)) == 1  # the newest stays, however large

    def test_happens_by_itself(self, root: Path, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(kept.prune, "__kwdefaults__", {"keep": 2, "keep_bytes": undo.KEPT_BYTES})
        for number in range(4):
            rewrite(store, root / "one", b"%d\n" % number)
        assert len(undo.listed(store)) == 2

    def test_quarantine_stays(self, root: Path, store: Store) -> None:
        with undo.begin(store, "repair") as operation:
            operation.set_aside(str(root / "one"), 0, b"precious", "torn-tail")
            KINDS["rewrite"](operation, root)
            record = operation.commit()
        rewrite(store, root / "two")
        undo.prune(store, keep=1)
        assert [record.what for record in undo.listed(store)] == ["repair"]
        assert [piece for _, piece in quarantine.pieces(store, record.folder)] == [b"precious"]

    def test_pieces_that_never_got_to_quarantine_stay_too(self, root: Path, store: Store) -> None:
        record = rewrite(store, root / "one")
        pieces = Path(kept.folder_of(store, record), "pieces")
        pieces.mkdir()
        (pieces / "bytes").write_bytes(b"precious")
        rewrite(store, root / "two")
        undo.prune(store, keep=1)
        assert Path(store.folder, "quarantine", record.folder, "bytes").read_bytes() == b"precious"

    def test_a_failure_does_not_spoil_the_operation(
        self, root: Path, store: Store, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def fail(*_: object) -> None:
            raise OSError(5, "")

        rewrite(store, root / "one")
        monkeypatch.setattr(kept.prune, "__kwdefaults__", {"keep": 1, "keep_bytes": undo.KEPT_BYTES})
        monkeypatch.setattr(state, "remove_tree", fail)
        rewrite(store, root / "two")
        assert (root / "two").read_bytes() == NEW

    def test_ids_go_on_after_pruning(self, root: Path, store: Store) -> None:
        rewrite(store, root / "one", b"1")
        rewrite(store, root / "one", b"2")
        undo.prune(store, keep=1)
        assert rewrite(store, root / "one", b"3").sequence == 3


class TestUnreadableRecords:
    @pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"changes":3}', '{"changes":[{"old":[1],"new":null}]}'])
    def test_are_passed_over(self, root: Path, store: Store, text: str) -> None:
        record = rewrite(store, root / "one")
        rewrite(store, root / "two")
        Path(kept.folder_of(store, record), records.FILE).write_text(text)
        assert len(undo.listed(store)) == 1
        assert len(undo.prune(store, keep=1)) == 0

    def test_a_record_says_what_it_holds(self, root: Path, store: Store) -> None:
        """For whoever looks into the folder without memcli."""
        record = rewrite(store, root / "one")
        value = json.loads(Path(kept.folder_of(store, record), records.FILE).read_bytes())
        assert value["what"] == "repair"
        assert value["changes"][0]["path"] == str(root / "one")
        assert value["changes"][0]["copy"] == "0.old"


class TestLeft:
    def test_what_the_newest_operation_left(self, root: Path, store: Store) -> None:
        rewrite(store, root / "one", b"1")
        rewrite(store, root / "one", b"2")
        rewrite(store, root / "two")
        (root / "link").symlink_to("one")
        paths = [str(root / name) for name in ("one", "link", "log")]
        found = undo.left(store, paths)
        assert found[paths[1]] == read_version(str(root / "one"))
        assert paths[2] not in found

    def test_not_for_ever(self, root: Path, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
        rewrite(store, root / "one")
        now = time.time() + kept.RECENT + 5
        monkeypatch.setattr(time, "time", lambda: now)
        assert undo.left(store, [str(root / "one")]) == {}

    def test_an_appended_line_at_the_end(self, root: Path, store: Store) -> None:
        path = str(root / "log")
        with undo.begin(store, "append") as operation:
            operation.append(path, b"ours", root=str(root))
            operation.commit()
        assert undo.left(store, [path])[path].stands(os.stat(path))
        with open(path, "ab") as file:
            file.write(b"agent's\n")
        assert undo.left(store, [path]) == {}
        os.unlink(path)
        assert undo.left(store, [path]) == {}

    def test_no_store(self, store: Store, root: Path) -> None:
        assert undo.left(store, [str(root / "one")]) == {}
        shutil.rmtree(root)
