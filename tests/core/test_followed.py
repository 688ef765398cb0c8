"""One followed file, step by step: what is told after each change, without threads or waiting."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memcli.core import followed, remembering
from memcli.core.followed import Followed, Mark, mark
from memcli.storage import lines, reading

H, H2, LONGER = b'{"key":"k","n":1}', b'{"key":"k","n":2}', b'{"key":"k","n":3,"title":"t"}'
A, B, C, D, E = (b'{"id":%d,"content":"\xe4\xbd\xa0 %s"}' % (n, bytes([96 + n]) * n) for n in range(1, 6))
OK = b'{"content":"ok"}'
UNIQUE = [b'{"id":%d}' % number for number in range(40)]


def text(*rows: bytes) -> bytes:
    return b"".join(row + b"\n" for row in rows)


class Bench:
    """A file, its follower, and a clock that only the test moves."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.now = 1000.0
        self.notices: list[str] = []
        self.file: Followed | None = None

    def follow(self, start: Mark | None = None) -> None:
        self.file = Followed(str(self.path), start, self.notices.append)

    def look(self, **hints: bool) -> list[bytes]:
        assert self.file
        return [line.raw or b"" for line in self.file.look(**hints)]

    def wait(self) -> list[bytes]:
        """What is told when nothing changes any more."""
        assert self.file
        told = []
        while self.file.deadline is not None:
            self.now = self.file.deadline
            told += self.look(sweep=True)
        return told

    def write(self, *rows: bytes) -> None:
        self.path.write_bytes(text(*rows))

    def append(self, data: bytes) -> None:
        with self.path.open("ab") as file:
            file.write(data)

    def replace(self, *rows: bytes) -> None:
        temporary = self.path.with_suffix(".tmp")
        temporary.write_bytes(text(*rows))
        temporary.rename(self.path)


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    bench = Bench(tmp_path / "会话.jsonl")
    monkeypatch.setattr(followed.time, "monotonic", lambda: bench.now)
    yield bench
    if bench.file:
        bench.file.rest()


def test_lines_are_told_when_they_are_complete(bench: Bench) -> None:
    bench.write(H, A)
    bench.follow()
    assert bench.look() == []
    bench.append(B[:5])
    assert bench.look() == []
    bench.append(B[5:] + b"\n" + text(C) + D)
    assert bench.look() == [B, C]
    assert bench.look() == []
    bench.append(b"\n\n")
    assert bench.look() == [D, b""]


@pytest.mark.parametrize("step", [1, 2, 7])
def test_bytes_that_come_one_by_one(step: int, bench: Bench) -> None:
    bench.write(H)
    bench.follow()
    data = text(A, B, b"\xff\xfe", "\u2028行".encode(), C)
    told = []
    for place in range(0, len(data), step):
        bench.append(data[place : place + step])
        told += bench.look()
    assert told == [A, B, b"\xff\xfe", "\u2028行".encode(), C]


@pytest.mark.parametrize(
    ("start", "told"),
    [
        (None, []),
        (Mark(0), [H, A, B]),
        (Mark(len(H) + 1), [A, B]),
        (Mark(len(text(H, A)), text(H, A)[-20:]), [B]),
        (Mark(len(text(H, A)) + 7, text(H, A)[-20:]), [B]),  # rewritten since, the rows moved
        (Mark(10_000), [H, A, B]),
        (Mark(5, b"something else"), [H, A, B]),
    ],
)
def test_where_it_begins(start: Mark | None, told: list[bytes], bench: Bench) -> None:
    bench.write(H, A, B)
    bench.follow(start)
    assert bench.look() == told
    bench.append(text(C))
    assert bench.look() == [C]


def test_line_numbers(bench: Bench) -> None:
    bench.write(H, A)
    bench.follow()
    assert bench.file
    bench.append(text(B, C))
    assert [(line.number, line.offset) for line in bench.file.look()] == [
        (3, len(text(H, A))),
        (4, len(text(H, A, B))),
    ]
    bench.replace(LONGER, A, B, C, D)
    assert [(line.number, line.offset) for line in bench.file.look()] == [(5, len(text(LONGER, A, B, C)))]
    bench.replace(H, B, C, D, E)
    assert [(line.number, line.raw) for line in bench.file.look()] == [(5, E)]


def test_a_line_number_that_is_not_known_is_0(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remembering, "WINDOW", 10)
    bench.write(H, A, B, C)
    bench.follow()
    assert bench.file
    bench.append(text(D))
    assert [line.number for line in bench.file.look()] == [0]
    bench.replace(LONGER, A, B, C, D, E)
    assert [(line.number, line.raw) for line in bench.file.look()] == [(0, E)]


def test_a_row_that_was_shown_before_its_newline_came(bench: Bench) -> None:
    bench.path.write_bytes(text(H, A) + B)
    bench.follow(Mark(len(text(H, A)) + len(B)))
    bench.append(b"\n")
    assert bench.look() == []
    bench.append(text(C))
    assert bench.file
    assert [(line.number, line.raw) for line in bench.file.look()] == [(4, C)]


def test_a_row_that_was_shown_without_a_newline_and_went_on(bench: Bench) -> None:
    bench.path.write_bytes(text(H, A) + B)
    bench.follow(Mark(len(text(H, A)) + len(B)))
    bench.append(text(C))
    assert bench.look() == [C]


def test_a_row_that_was_shown_without_a_newline_in_a_file_that_is_replaced(bench: Bench) -> None:
    bench.path.write_bytes(text(H, A) + B)
    bench.follow(Mark(len(text(H, A)) + len(B)))
    bench.replace(H2, A, B, C)
    assert bench.look() == [C]


# before -> after, and what is told. The header is told only in a file in which nothing is known.
REWRITTEN = [
    ([H, A, B], [H, A, B], []),
    ([H, A, B], [H, A, B, C], [C]),
    ([H, A, B], [H2, A, B, C], [C]),
    ([H, A, B], [LONGER, A, B, C], [C]),
    ([LONGER, A, B], [H, A, B, C, D], [C, D]),
    ([H], [H2, A], [H2, A]),
    ([H], [LONGER, A], [LONGER, A]),
    ([H, A], [H2, A, B], [B]),
    ([H, A], [LONGER, A, B], [B]),
    # trimmed at the front
    ([H, A, B, C], [H2, B, C, D], [D]),
    ([H, A, B, C], [LONGER, C, D], [D]),
    ([H, A, B, C], [H2, D], [H2, D]),
    ([A, B, C], [B, C, D], [D]),
    ([A, B, C], [C, D, E], [D, E]),
    # equal rows
    ([H, OK, OK, OK], [H2, OK, OK, OK, OK], [OK]),
    ([H, OK, OK, OK], [LONGER, OK, OK, OK, OK], [OK]),
    ([H, OK, A, OK, B], [H2, A, OK, B, OK], [OK]),
    ([H, OK, A, OK, B], [LONGER, OK, B, OK], [OK]),
    ([H, OK, A, B], [LONGER, A, B, OK], [OK]),
    # the last rows changed or taken back
    ([H, A, B, C], [H, A, B, D], [D]),
    ([H, A, B, C], [LONGER, A, B, D, E], [D, E]),
    ([H, A, B, C], [H2, A, B], []),
    ([H, A, B, C], [LONGER, A], []),
    # a row put in, a row changed, a summary in the place of the first rows
    ([H, A, C], [H, A, B, C], [B]),
    ([H, A, B, C], [H, A, D, C, E], [D, E]),
    ([H, A, B, C], [H2, E, C], [H2, E]),
    # cleared, and other content
    ([H, A, B], [H2], [H2]),
    ([H, A, B], [], []),
    ([H, A, B], [H2, C], [H2, C]),
    ([H, A], [C, D, E], [C, D, E]),
]


@pytest.mark.parametrize("way", ["replace", "write"])
@pytest.mark.parametrize(("before", "after", "told"), REWRITTEN)
def test_a_rewritten_file(way: str, before: list[bytes], after: list[bytes], told: list[bytes], bench: Bench) -> None:
    bench.write(*before)
    bench.follow()
    getattr(bench, way)(*after)
    assert bench.look() + bench.wait() == told
    bench.append(text(b"sentinel"))
    assert bench.look() == [b"sentinel"]


@pytest.mark.parametrize(("before", "after", "told"), REWRITTEN)
def test_a_file_that_is_written_over_line_by_line(
    before: list[bytes], after: list[bytes], told: list[bytes], bench: Bench
) -> None:
    bench.write(*before)
    bench.follow()
    bench.path.write_bytes(b"")
    seen = bench.look()
    for row in after:
        for half in (row[:9], row[9:] + b"\n"):
            bench.append(half)
            seen += bench.look()
    assert seen + bench.wait() == told
    bench.append(text(b"sentinel"))
    assert bench.look() == [b"sentinel"]


@pytest.mark.parametrize("way", ["replace", "write"])
@pytest.mark.parametrize(
    ("after", "told"),
    [
        ([H, *UNIQUE], []),
        ([H2, *UNIQUE, A], [A]),
        ([LONGER, *UNIQUE, A, B], [A, B]),
        ([H2, *UNIQUE[1:], A], [A]),
        ([LONGER, *UNIQUE[20:], A, B], [A, B]),
        ([LONGER, *UNIQUE[-1:], A], [A]),
        ([LONGER, *UNIQUE[:-1], A], [A]),
        ([LONGER, *UNIQUE[:-2], A, UNIQUE[-1], B], [A, B]),
        ([LONGER, A, *UNIQUE[5:], B], [B]),  # what stands before rows that are known may be old
        ([LONGER], [LONGER]),
        ([LONGER, A], [LONGER, A]),
        ([], []),
    ],
)
def test_a_rewritten_file_of_which_only_the_end_is_remembered(
    way: str, after: list[bytes], told: list[bytes], bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remembering, "WINDOW", 60)
    bench.write(H, *UNIQUE)
    bench.follow()
    getattr(bench, way)(*after)
    assert bench.look() + bench.wait() == told
    bench.append(text(b"sentinel"))
    assert bench.look() == [b"sentinel"]


def test_a_large_file_replaced_by_another_chat_is_told_whole(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remembering, "WINDOW", 1)
    bench.write(H, A, B)
    bench.follow()
    bench.replace(LONGER, C, D)
    assert bench.look() == []  # it may be the old chat, written over from its beginning
    assert bench.wait() == [LONGER, C, D]


def test_written_anew_while_it_is_being_recognised(bench: Bench) -> None:
    bench.write(H, A, B, C)
    bench.follow()
    bench.write(H2, A)
    assert bench.look() == []
    bench.write(H2, A, D)
    assert bench.look() == [D]
    bench.write(LONGER, A, B, C, D, E)
    assert bench.look() + bench.wait() == [E]


def test_written_over_between_two_reads(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file changes after its new lines were read and before they are told."""
    bench.write(H, A)
    bench.follow()
    bench.append(text(B))
    forward = lines.forward
    once = [True]

    def meanwhile(*arguments: int) -> Iterator[object]:
        yield from forward(*arguments)
        if once:
            once.clear()
            bench.write(LONGER, A, B, C)

    monkeypatch.setattr(lines, "forward", meanwhile)
    assert bench.look() + bench.wait() == [B, C]


def test_cut_short_while_it_is_read(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.write(H, A)
    bench.follow()
    bench.append(text(B))
    forward = lines.forward

    def meanwhile(*arguments: int) -> Iterator[object]:
        os.truncate(bench.path, 0)
        return forward(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(lines, "forward", meanwhile)
        assert bench.look() == []
    bench.write(H, A, B)
    assert bench.look() + bench.wait() == [B]


def test_a_torn_tail_that_is_cut_off(bench: Bench) -> None:
    bench.path.write_bytes(text(H, A, B) + C[:6])
    bench.follow()
    os.truncate(bench.path, len(text(H, A, B)))
    assert bench.look() == []
    bench.append(text(C))
    assert bench.look() == [C]


def test_rows_cut_off_and_written_again_are_not_told_twice(bench: Bench) -> None:
    bench.write(H, A, B, C)
    bench.follow()
    os.truncate(bench.path, len(text(H, A)))
    assert bench.look() == []
    bench.append(text(B, C, D))
    assert bench.look() + bench.wait() == [D]


@pytest.mark.parametrize(("deleted", "blind"), [(True, False), (False, True)])
def test_deleted_and_made_anew_is_told_from_its_beginning(deleted: bool, blind: bool, bench: Bench) -> None:
    bench.write(H, A, B)
    bench.follow()
    bench.append(text(C))
    held = bench.path.open("rb")  # so that the number of the inode is not used again
    bench.path.unlink()
    assert bench.look(deleted=deleted, blind=blind) == [C]  # what was written before it went
    assert bench.look(blind=blind) == []
    assert len(bench.notices) == 1
    assert "does not exist" in bench.notices[0]
    bench.write(H, A)
    assert bench.look() == [H, A]
    held.close()


def test_deleted_and_made_anew_between_two_looks(bench: Bench) -> None:
    bench.write(H, A)
    bench.follow()
    held = bench.path.open("rb")
    bench.path.unlink()
    bench.write(H, A)
    assert bench.look(deleted=True) == [H, A]
    # a second report of the same deletion
    assert bench.look(deleted=True) == []
    held.close()


def test_moved_away_and_back(bench: Bench) -> None:
    bench.write(H, A)
    bench.follow()
    away = bench.path.with_suffix(".away")
    bench.path.rename(away)
    assert bench.look() == []
    away.write_bytes(text(H, A, B))
    away.rename(bench.path)
    assert bench.look() + bench.wait() == [B]


def test_a_file_that_is_not_there_yet(bench: Bench) -> None:
    bench.follow()
    assert bench.look() == []
    bench.write(H, A)
    assert bench.look() == [H, A]


def _fifo(path: Path) -> None:
    os.mkfifo(path)


def _device(path: Path) -> None:
    path.symlink_to("/dev/zero")


@pytest.mark.parametrize(("make", "kind"), [(_fifo, "a FIFO"), (_device, "a device"), (Path.mkdir, "a folder")])
def test_replaced_by_what_is_no_file(
    make: Callable[[Path], None], kind: str, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.write(H, A)
    bench.follow()
    bench.path.unlink()
    make(bench.path)

    def never(path: str) -> int:
        raise AssertionError("it was opened")

    with monkeypatch.context() as patch:
        patch.setattr(reading, "open_regular", never)
        assert bench.look() == []
        assert bench.look() == []
    assert len(bench.notices) == 1
    assert kind in bench.notices[0]
    if kind == "a folder":
        bench.path.rmdir()
    bench.replace(H, A, B)
    assert bench.look() + bench.wait() == [B]


@pytest.mark.parametrize("where", ["stat", "open"])
def test_permission_lost_and_back(where: str, bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.write(H, A)
    bench.follow()
    call = getattr(os, where)

    def refuse(path: object, *arguments: object, **named: object) -> object:
        if path == str(bench.path):
            raise PermissionError(13, "Permission denied")
        return call(path, *arguments, **named)

    with monkeypatch.context() as patch:
        patch.setattr(os, where, refuse)
        bench.replace(H2, A, B)
        assert bench.look() == []
        assert bench.look() == []
    assert len(bench.notices) == 1
    assert "permission denied" in bench.notices[0]
    bench.append(text(C))
    assert bench.look() + bench.wait() == [B, C]


def test_no_permission_from_the_start(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.write(H, A)

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    with monkeypatch.context() as patch:
        patch.setattr(os, "stat", refuse)
        bench.follow()
    assert "permission denied" in bench.notices[0]
    bench.append(text(B))
    assert bench.look() == [H, A, B]  # what was there before is not known


@pytest.mark.parametrize("at_start", [True, False])
def test_a_disk_that_fails(at_start: bool, bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.write(H, A)
    if not at_start:
        bench.follow()
        bench.append(text(B))

    def fail(*_: object) -> bytes:
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as patch:
        patch.setattr(os, "pread", fail)
        if at_start:
            bench.follow()
        assert bench.look() == []
    assert "input/output error" in bench.notices[0]
    assert bench.look() == ([H, A] if at_start else [B])


def test_a_file_at_rest_is_opened_again(bench: Bench) -> None:
    bench.write(H, A)
    bench.follow()
    assert bench.file
    bench.file.rest()
    assert not bench.file.is_open
    bench.append(text(B))
    assert bench.look(sweep=True) == [B]
    assert bench.file.is_open
    bench.file.rest()
    bench.replace(LONGER, A, B, C)
    assert bench.look(sweep=True) == [C]
    bench.file.rest()
    assert bench.look(sweep=True) == []
    assert not bench.file.is_open  # unchanged, so not even opened


def test_a_line_over_the_limit_is_told_without_its_bytes(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "MAX_LINE", 50)
    monkeypatch.setattr(lines, "CHUNK", 16)
    bench.write(H)
    bench.follow()
    bench.append(text(b"x" * 1000, A))
    assert bench.file
    assert [(line.length, line.raw) for line in bench.file.look()] == [(1000, None), (len(A), A)]
    bench.replace(LONGER, b"x" * 1000, A, B)
    assert bench.look() + bench.wait() == [B]


def test_a_long_line_that_grows_is_not_searched_again(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.write(H)
    bench.follow()
    read = []
    pread = os.pread

    def counted(fd: int, size: int, offset: int) -> bytes:
        data = pread(fd, size, offset)
        read.append(len(data))
        return data

    monkeypatch.setattr(os, "pread", counted)
    for _ in range(200):
        bench.append(b"x" * 1000)
        assert bench.look() == []
    assert sum(read) < 200 * 1000 + 200 * 2 * followed.ANCHOR
    bench.append(b"\n")
    assert bench.look() == [b"x" * 200_000]


def test_memory_of_a_file_is_bounded(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remembering, "MOST", 10)
    rows = [b'{"n":%d}' % number for number in range(100)]
    bench.write(H)
    bench.follow()
    assert bench.file
    for number, row in enumerate(rows):
        bench.append(text(row))
        assert bench.look() == [row]
        assert len(bench.file._history.hashes) <= 13, number
    bench.replace(LONGER, *rows, A)
    assert bench.look() == [A]
    bench.replace(H, *rows[50:], A, B)
    assert bench.look() + bench.wait() == [B]


@settings(max_examples=200)
@given(st.data())
def test_a_chat_that_is_saved_again_and_again_is_told_once(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    """Any mixture of appends, rewrites in place, replacements, trims and header changes, rows being unique."""
    bench = Bench(tmp_path_factory.mktemp("chat") / "f.jsonl")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(followed.time, "monotonic", lambda: bench.now)
        patch.setattr(remembering, "TRIES", data.draw(st.sampled_from([0, 16])))
        rows = UNIQUE[:3]
        header = H
        bench.write(header, *rows)
        bench.follow()
        told: list[bytes] = []
        for row in UNIQUE[3:]:
            step = data.draw(st.sampled_from(["append", "replace", "write", "rest"]))
            if step == "rest":
                assert bench.file
                bench.file.rest()
            if step == "append":
                bench.append(text(row))
                rows = [*rows, row]
            else:
                passed = [row for row in rows if row in told or row in UNIQUE[:3]]  # never trim what was not seen
                rows = [*rows[data.draw(st.integers(0, min(2, len(passed)))) :], row]
                header = data.draw(st.sampled_from([H, H2, LONGER]))
                (bench.write if step == "write" else bench.replace)(header, *rows)
            if data.draw(st.booleans()):
                told += bench.look(sweep=data.draw(st.booleans()))
        told += bench.look() + bench.wait()
        assert bench.file
        bench.file.rest()
    assert [row for row in told if row not in (H, H2, LONGER)] == UNIQUE[3:]


def test_marks(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"x" * 10_000)
    fd = os.open(path, os.O_RDONLY)
    try:
        assert mark(fd, 0) == Mark(0, b"")
        assert mark(fd, 10) == Mark(10, b"x" * 10)
        assert mark(fd, 9000) == Mark(9000, b"x" * followed.ANCHOR)
    finally:
        os.close(fd)


def test_a_read_that_is_torn_between_two_versions(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.write(H, A, B)
    bench.follow()
    bench.write(LONGER, B, C)
    forward = lines.forward
    torn = [True]

    def mixed(*arguments: int) -> Iterator[object]:
        found = list(forward(*arguments))
        if torn:
            torn.clear()
            found[1] = found[1]._replace(raw=b'tent":"half of one, half of another"}')
        return iter(found)

    monkeypatch.setattr(lines, "forward", mixed)
    assert bench.look() + bench.wait() == [C]
