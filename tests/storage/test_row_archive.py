"""The archive of rows: byte for byte, with the file or not at all, and as much of it as is whole when it is damaged."""

from __future__ import annotations

import errno
import gzip
import json
import os
import random
from collections.abc import Iterable
from functools import partial
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from support import faults

from memcli.storage import row_archive, state, undo
from memcli.storage.lines import forward
from memcli.storage.row_archive import Archived, Broken, Removed, Series
from memcli.storage.versions import read_version

ROWS = [
    json.dumps({"id": n, "role": "user", "content": f"猫 row {n} " + "x" * (n % 40)}).encode() for n in range(1, 41)
]
HEADER = b'{"key":"desktop:a"}\n'
AT = "2026-11-30T10:00:00Z"


def joined(rows: Iterable[bytes]) -> bytes:
    return b"".join(row + b"\n" for row in rows)


class Ground:
    """A workspace with one session, and its store, set up anew for each run."""

    def __init__(self, base: Path) -> None:
        self.base, self.number = base, 0
        self.fresh()

    def fresh(self) -> None:
        self.number += 1
        root = self.base / str(self.number) / "workspace"
        (root / "sessions").mkdir(parents=True)
        os.environ["MEMCLI_STATE_DIR"] = str(root.parent / "state")
        self.root, self.path = root, root / "sessions" / "desktop_a.jsonl"
        self.path.write_bytes(HEADER + joined(ROWS))
        os.utime(self.path, ns=(1, 10**18 + 7))
        self.store = state.store(str(root))

    def trim(self, count: int) -> str:
        """Take `count` rows from the front of the session; the operation's id."""
        data = self.path.read_bytes()
        rows = data.removeprefix(HEADER).split(b"\n")[:-1]
        gone, left = joined(rows[:count]), joined(rows[count:])
        with undo.begin(self.store, "compact", agent="catbuddy") as operation:
            removed = Removed("desktop:a", "catbuddy", str(self.path), count, AT)
            row_archive.add(operation, self.store, removed, [gone[:77], gone[77:]])
            operation.rewrite(str(self.path), read_version(str(self.path)), HEADER + left, root=str(self.root))
            return operation.commit().id

    @property
    def series(self) -> Series:
        found = row_archive.of(self.store, str(self.path))
        assert found is not None
        return found

    @property
    def archived(self) -> bytes:
        found = row_archive.of(self.store, str(self.path))
        return b"" if found is None else whole(*read(found))

    @property
    def left(self) -> bytes:
        return self.path.read_bytes().removeprefix(HEADER)


def read(found: Series) -> tuple[list[Archived], list[Broken]]:
    broken: list[Broken] = []
    return list(row_archive.lines(found, broken)), broken


def whole(found: list[Archived], broken: list[Broken]) -> bytes:
    assert broken == []
    return b"".join((one.line.raw or b"") + b"\n" * one.line.ended for one in found)


@pytest.fixture
def ground(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ground:
    monkeypatch.setenv("MEMCLI_STATE_DIR", "")
    faults.quick_disk(monkeypatch)
    return Ground(tmp_path)


def test_there_is_none_and_nothing_is_made(ground: Ground) -> None:
    assert row_archive.of(ground.store, str(ground.path)) is None
    assert row_archive.every(ground.store) == []
    assert not os.path.exists(ground.store.folder)


def test_archive_and_file_are_the_rows(ground: Ground) -> None:
    first, second = ground.trim(10), ground.trim(7)
    assert ground.archived + ground.left == joined(ROWS)
    found = ground.series
    assert (found.session, found.agent, found.origin) == ("desktop:a", "catbuddy", str(ground.path))
    assert (found.rows, found.since) == (17, AT)
    assert [(one.number, one.operation) for one in found.members] == [(1, first), (2, second)]
    assert [one.row for one in read(found)[0]] == list(range(1, 18))
    assert row_archive.every(ground.store) == [found]
    assert state.usage(ground.store)["archive"].files == 2


def test_undo_takes_it_back_and_again(ground: Ground) -> None:
    ground.trim(10)
    before = ground.archived, ground.path.read_bytes()
    ground.trim(7)
    after = ground.archived, ground.path.read_bytes()
    undone = undo.undo(ground.store)
    assert (ground.archived, ground.path.read_bytes()) == before
    undo.undo(ground.store, undone.id)
    assert (ground.archived, ground.path.read_bytes()) == after


def test_any_gunzip_reads_it(ground: Ground, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_archive, "BLOCK", 300)
    ground.trim(20)
    raw = Path(ground.series.members[0].path).read_bytes()
    assert raw.count(row_archive._HEAD) > 3
    assert gzip.decompress(raw) == joined(ROWS[:20])
    assert Path(ground.series.members[0].path).stat().st_mode & 0o777 == 0o600


def test_a_session_that_was_renamed_is_found_by_its_key(ground: Ground) -> None:
    ground.trim(5)
    other = str(ground.path.with_name("desktop_b.jsonl"))
    assert row_archive.find(ground.store, other, "desktop:a") is None
    ground.path.rename(other)
    found = row_archive.find(ground.store, other, "desktop:a")
    assert found is not None
    assert found.rows == 5
    assert row_archive.find(ground.store, other, "desktop:b") is None
    assert row_archive.find(ground.store, str(ground.path), "any") is not None


def test_a_workspace_that_was_moved_has_its_archive(ground: Ground) -> None:
    ground.trim(5)
    moved = ground.root.with_name("elsewhere")
    ground.root.rename(moved)
    store = ground.store._replace(root=str(moved))
    found = row_archive.of(store, str(moved / "sessions" / "desktop_a.jsonl"))
    assert found is not None
    assert found.rows == 5


HOW = (faults.KILL, faults.TORN, faults.FULL, faults.DEAD, errno.EIO)


@pytest.mark.parametrize("how", HOW, ids=str)
def test_file_and_archive_change_together(ground: Ground, how: str | int) -> None:
    """Failed or killed at each call: after the next start the rows are all in the file, or parted without loss."""

    def prepare() -> None:
        ground.fresh()
        ground.trim(3)

    seen = set()
    for where, ended in faults.every(partial(ground.trim, 10), prepare, how):
        assert ended.code in (-9, 0, 3, 4), f"{where}: {ended.said}"
        with undo.begin(ground.store, "next"):
            pass
        assert ground.archived + ground.left == joined(ROWS), where
        seen.add(ground.archived.count(b"\n"))
        names = {os.path.basename(one.path) for one in ground.series.members}
        assert set(os.listdir(ground.series.folder)) == names, where
    assert seen <= {3, 13}
    assert how != faults.KILL or seen == {3, 13}


LINES = st.one_of(
    st.binary(max_size=30).map(lambda raw: raw.replace(b"\n", b"")),
    st.sampled_from((b"", b"\r", b'{"a":"\xe7\x8c\xab"}', b"x" * 200, b"y" * 64, b"z" * 63)),
)


@given(st.lists(LINES, max_size=30), st.booleans(), st.lists(st.integers(1, 90), max_size=10), st.integers(1, 10**6))
def test_lines_come_back_as_they_went(rows: list[bytes], ended: bool, cuts: list[int], first: int) -> None:
    data = joined(rows) if ended else joined(rows).removesuffix(b"\n")
    assume(data)
    pieces, rest = [], data
    for cut in cuts:
        pieces.append(rest[:cut])
        rest = rest[cut:]
    count = sum(row not in (b"", b"\r") for row in data.split(b"\n"))
    found, broken = through([*pieces, rest], first, count)
    assert [one.why for one in broken] == ["rows are missing there"] * (first > 1)
    assert b"".join((one.line.raw or b"") + b"\n" * one.line.ended for one in found) == data
    numbers = iter(range(first, first + len(rows)))
    expected = [0 if row in (b"", b"\r") else next(numbers) for row in data.split(b"\n") if row or data]
    assert [one.row for one in found] == expected[: len(found)]
    offsets = [one.line.offset for one in found]
    assert offsets == [line.offset for line in lines_of(data)]


def lines_of(data: bytes) -> list[row_archive.Line]:
    out, into = os.memfd_create("lines"), 0
    try:
        while into < len(data):
            into += os.write(out, data[into:])
        return list(forward(out))
    finally:
        os.close(out)


def through(pieces: list[bytes], first: int, rows: int) -> tuple[list[Archived], list[Broken]]:
    """What is read of what was packed in blocks of 64 bytes."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(row_archive, "BLOCK", 64)
        path = Path(folder) / "000001-op.jsonl.gz"
        path.write_bytes(b"".join(row_archive.pack(Removed("k", "a", "p", rows, AT, first), pieces, "op")))
        found = row_archive.series(folder)
        assert found is not None
        return read(found)


@pytest.fixture
def small(ground: Ground, monkeypatch: pytest.MonkeyPatch) -> Ground:
    """Twenty rows in blocks of about three, and five more in a second file."""
    monkeypatch.setattr(row_archive, "BLOCK", 300)
    ground.trim(20)
    ground.trim(5)
    return ground


def judge(ground: Ground, where: str) -> None:
    """What is read are rows under their own numbers, and what is missing is named."""
    found, broken = read(ground.series)
    for one in found:
        assert one.row == 0 or one.line.raw == ROWS[one.row - 1] or broken, where
    assert len(found) == 25 or broken, where
    for one in broken:
        assert one.sentence.endswith("."), where
    assert [one.row for one in found[-5:]] == [21, 22, 23, 24, 25], where


def test_cut_anywhere(small: Ground) -> None:
    path = Path(small.series.members[0].path)
    raw = path.read_bytes()
    for size in {*range(0, len(raw), 3), *_borders(raw)}:
        path.write_bytes(raw[:size])
        found, broken = read(small.series)
        rows = [one.line.raw for one in found if one.row <= 20]
        assert rows == ROWS[: len(rows)], size
        judge(small, f"cut at {size}")
        assert broken, size


def _borders(raw: bytes) -> set[int]:
    """The bytes where one gzip member ends and the next begins."""
    return {0, *(at for at in range(len(raw)) if raw.startswith(row_archive._HEAD, at))}


def test_a_member_that_is_missing_whole_is_named_by_its_rows(small: Ground) -> None:
    path = Path(small.series.members[0].path)
    raw = path.read_bytes()
    path.write_bytes(raw[: max(_borders(raw))])
    found, broken = read(small.series)
    assert len(found) < 25
    assert [one.why for one in broken] == ["rows at its end are missing"]


def test_a_wrong_bit_costs_no_more_than_its_block(small: Ground) -> None:
    path = Path(small.series.members[0].path)
    raw = path.read_bytes()
    for at in range(0, len(raw), 3):
        path.write_bytes(raw[:at] + bytes((raw[at] ^ 0x10,)) + raw[at + 1 :])
        found, broken = read(small.series)
        right = sum(one.row > 0 and one.line.raw == ROWS[one.row - 1] for one in found)
        assert right >= 25 - 8 or broken, at
        judge(small, f"bit at {at}")


def test_random_damage(small: Ground) -> None:
    chance = random.Random(7)
    path = Path(small.series.members[0].path)
    raw = path.read_bytes()
    for number in range(300):
        at, size = chance.randrange(len(raw)), chance.randrange(1, 200)
        new = chance.choice((b"", bytes(size), chance.randbytes(size), raw[at : at + size] * 2))
        path.write_bytes(raw[:at] + new + raw[at + size :])
        judge(small, f"damage {number}")


@pytest.mark.parametrize(
    "raw",
    [b"", b"no gzip", gzip.compress(b'{"a":1}\n'), b"\0" * 5000, row_archive._HEAD, row_archive._HEAD + b"{" * 70000],
    ids=["empty", "text", "another's gzip", "zeros", "a beginning", "an endless comment"],
)
def test_files_that_are_none(small: Ground, raw: bytes) -> None:
    Path(small.series.members[0].path).write_bytes(raw)
    assert small.series.members[0].removed is None
    judge(small, "no archive")


def test_a_header_that_is_not_what_it_was(small: Ground) -> None:
    path = Path(small.series.members[0].path)
    raw = path.read_bytes()
    path.write_bytes(raw.replace(b'"desktop:a"', b'"desktop:b"', 1))
    found = small.series
    assert found.members[0].removed is None
    assert (found.session, found.rows) == ("desktop:a", 5)
    assert [one.row for one in read(found)[0]] == list(range(1, 26))


def test_a_member_that_stands_twice_is_named(small: Ground) -> None:
    path = Path(small.series.members[0].path)
    raw = path.read_bytes()
    second, third = sorted(_borders(raw))[1:3]
    path.write_bytes(raw[:third] + raw[second:])
    found, broken = read(small.series)
    assert [one.why for one in broken] == ["rows before it come twice"]
    assert [one.row for one in found if one.row > 20] == [21, 22, 23, 24, 25]


def test_a_file_that_is_gone_is_missed(small: Ground) -> None:
    os.unlink(small.series.members[0].path)
    found, broken = read(small.series)
    assert [one.row for one in found] == [21, 22, 23, 24, 25]
    assert [(one.row, one.why) for one in broken] == [(1, "rows are missing there")]


def test_a_member_that_would_fill_the_memory_is_left(small: Ground) -> None:
    path = Path(small.series.members[0].path)
    raw = path.read_bytes()
    path.write_bytes(row_archive._member({"row": 1}, b"x" * 5000 + b"\n") + raw)
    found, broken = read(small.series)
    assert [one.why for one in broken] == ["it holds more than memcli writes"]
    assert [one.row for one in found] == list(range(1, 26))


def test_a_line_that_is_too_long_is_passed_over(ground: Ground, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_archive, "MAX_LINE", 1000)
    monkeypatch.setattr(row_archive, "BLOCK", 300)
    data = b"x" * 5000
    with undo.begin(ground.store, "compact") as operation:
        removed = Removed("desktop:a", "catbuddy", str(ground.path), 2, AT)
        row_archive.add(operation, ground.store, removed, [data, b"\n", ROWS[0], b"\n"])
        operation.commit()
    (first, second), broken = read(ground.series)
    assert (first.row, first.line.raw, first.line.length) == (1, None, 5000)
    assert (second.row, second.line.raw, second.line.offset) == (2, ROWS[0], 5001)
    assert broken == []


def test_the_end_of_a_lost_line_is_no_row(ground: Ground, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_archive, "BLOCK", 300)
    with undo.begin(ground.store, "compact") as operation:
        removed = Removed("desktop:a", "catbuddy", str(ground.path), 2, AT)
        row_archive.add(operation, ground.store, removed, [b"x" * 700, b"\n", ROWS[0], b"\n"])
        operation.commit()
    path = Path(ground.series.members[0].path)
    raw = path.read_bytes()
    begin = sorted(_borders(raw))[1]
    path.write_bytes(raw[begin:])
    found, _ = read(ground.series)
    assert [(one.row, one.line.raw) for one in found] == [(2, ROWS[0])]


def test_other_files_in_the_folder_are_none_of_it(small: Ground) -> None:
    for name in ("000003-x.jsonl.gz.part", ".000003-x.jsonl.gz", "notes.txt", "3-x.jsonl.gz"):
        (Path(small.series.folder) / name).write_bytes(b"x")
    (Path(small.store.folder) / "archive" / "empty").mkdir()
    (Path(small.store.folder) / "archive" / "file").write_bytes(b"")
    assert len(small.series.members) == 2
    assert len(row_archive.every(small.store)) == 1


def test_what_cannot_be_opened_is_named(small: Ground) -> None:
    path = Path(small.series.members[0].path)
    path.unlink()
    path.mkdir()
    found, broken = read(small.series)
    assert [one.row for one in found] == [21, 22, 23, 24, 25]
    assert [one.why for one in broken] == ["it is a folder"]


def test_an_operation_that_is_given_up_leaves_nothing(ground: Ground) -> None:
    with undo.begin(ground.store, "compact") as operation:
        row_archive.add(operation, ground.store, Removed("k", "a", str(ground.path), 1, AT), [ROWS[0]])
    assert row_archive.of(ground.store, str(ground.path)) is None
