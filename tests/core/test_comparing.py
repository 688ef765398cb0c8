"""Comparing: each kind of difference in each format, and numbers that add up for any two copies."""

from __future__ import annotations

import itertools
import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.chats import CATBUDDY, compact, spaced
from support.copies import AGENTS, Desk, chat, header, joined, row

from memcli.core import comparing
from memcli.core.comparing import canonical, differing
from memcli.core.differing import Difference, differences, tally
from memcli.core.sides import Side, glued

SOME = st.lists(st.integers(1, 14), unique=True, max_size=9)
LOOSE = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture
def desks(tmp_path: Path) -> Any:
    """A fresh desk for every call."""
    numbers = itertools.count()
    return lambda agent: Desk(tmp_path / f"desk{next(numbers)}", agent)


def told(one: Difference) -> tuple[Any, ...]:
    """A difference in short: what, row in A, row in B, the members."""
    rows = [place.row if place else 0 for place in (one.a, one.b)]
    return (one.what, *rows, ",".join(member.name for member in one.members) or one.flaw)


def again(agent: str, number: int, **more: Any) -> bytes:
    """The row `number`, with other or more members."""
    return compact({**json.loads(row(agent, number)), **more})


A = chat("catbuddy", [1, 2, 3])
TORN = b'{"id":9,"sess'
CASES: dict[str, tuple[str, bytes, bytes, str, list[tuple[Any, ...]]]] = {
    # name: agent, A, B, shape, differences
    "the same": ("catbuddy", A, A, "same", []),
    "written otherwise": ("nanobot", chat("nanobot", [1]), joined(*header("nanobot"), again("nanobot", 1)), "same", []),
    "b goes on": ("catbuddy", A, chat("catbuddy", [1, 2, 3, 4]), "b-goes-on", [("only-b", 0, 4, "")]),
    "a goes on": ("cococat", chat("cococat", [1, 2]), chat("cococat", [1]), "a-goes-on", [("only-a", 2, 0, "")]),
    "they went apart": (
        "nanobot",
        chat("nanobot", [1, 2, 3]),
        chat("nanobot", [1, 2, 4, 5]),
        "fork",
        [("only-a", 3, 0, ""), ("only-b", 0, 3, ""), ("only-b", 0, 4, "")],
    ),
    "a row is missing inside": (
        "jsonl",
        chat("jsonl", [1, 2, 3]),
        chat("jsonl", [1, 3]),
        "mixed",
        [("only-a", 2, 0, "")],
    ),
    "a row stands elsewhere": (
        "nanobot",
        chat("nanobot", [1, 2, 3, 4]),
        chat("nanobot", [4, 1, 2, 3]),
        "mixed",
        [("moved", 4, 1, "")],
    ),
    "one number, another text": (
        "catbuddy",
        A,
        joined(*header("catbuddy"), row("catbuddy", 1), row("catbuddy", 2, "x"), row("catbuddy", 3)),
        "mixed",
        [("conflict", 2, 2, "content")],
    ),
    "one moment, other members": (
        "nanobot",
        chat("nanobot", [1, 2]),
        joined(*header("nanobot"), row("nanobot", 1), row("nanobot", 2, latency_ms=5)),
        "mixed",
        [("conflict", 2, 2, "latency_ms")],
    ),
    "another number": (
        "catbuddy",
        A,
        joined(*header("catbuddy"), *(again("catbuddy", n, id=n + 5) for n in (1, 2, 3))),
        "mixed",
        [("renumbered", n, n, "id") for n in (1, 2, 3)],
    ),
    "another number and other members": (
        "catbuddy",
        A,
        joined(*header("catbuddy"), *(again("catbuddy", n, id=n + 5, media=[]) for n in (1, 2, 3))),
        "mixed",
        [("conflict", n, n, "id,media") for n in (1, 2, 3)],
    ),
    "text ids are what a row is known by": (
        "jsonl",
        joined(row("jsonl", 1), row("jsonl", 2)),
        joined(row("jsonl", 1), again("jsonl", 2, id="other")),
        "fork",
        [("only-a", 2, 0, ""), ("only-b", 0, 2, "")],
    ),
    "headers": (
        "catbuddy",
        A,
        joined(*header("catbuddy", title="标题"), *(row("catbuddy", n) for n in (1, 2, 3))),
        "header",
        [("header", 0, 0, "title")],
    ),
    "a header that one has not": (
        "nanobot",
        chat("nanobot", [1]),
        joined(row("nanobot", 1)),
        "header",
        [("header", 0, 0, "_type,key,created_at,updated_at,metadata,last_archived,last_consolidated")],
    ),
    "a line that only one cannot read": (
        "catbuddy",
        joined(*header("catbuddy"), row("catbuddy", 1), TORN, row("catbuddy", 2)),
        chat("catbuddy", [1, 2]),
        "mixed",
        [("unreadable-a", 2, 0, "torn-line")],
    ),
    "a line that none can read": (
        "catbuddy",
        A + TORN,
        A + TORN,
        "same",
        [("unreadable-a", 4, 0, "torn-line"), ("unreadable-b", 0, 4, "torn-line")],
    ),
    "glued rows are rows": (
        "catbuddy",
        A[:-1] + row("catbuddy", 4) + b"\n",
        chat("catbuddy", [1, 2, 3, 4]),
        "same",
        [],
    ),
    "rows that say the same twice": (
        "cococat",
        joined(*(spaced({"role": "user", "content": text}) for text in ("ok", "a", "ok"))),
        joined(*(spaced({"role": "user", "content": text}) for text in ("ok", "ok"))),
        "mixed",
        [("only-a", 2, 0, "")],
    ),
    "empty files": ("catbuddy", b"", b"", "same", []),
    "an empty file": (
        "jsonl",
        b"",
        chat("jsonl", [1]),
        "b-goes-on",
        [("only-b", 0, 1, "")],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_case(desks, name):
    agent, a, b, shape, expected = CASES[name]
    made = desks(agent).compared(a, b)
    assert [told(one) for one in differences(made)] == expected
    assert tally(made).shape == shape


def test_where_a_row_is(desks):
    blank = joined(*header("catbuddy"), row("catbuddy", 1), b"", row("catbuddy", 2), row("catbuddy", 3))
    made = desks("catbuddy").compared(blank, joined(*header("catbuddy"), row("catbuddy", 2)))
    first, second = differences(made)
    assert (first.a, second.a) == ((1, 2, *_span(blank, 1)), (3, 5, *_span(blank, 3)))
    assert first.record is not None
    assert first.record.content == '{"a": [1]} "b" 1'


def _span(data: bytes, number: int) -> tuple[int, int]:
    line = row("catbuddy", number)
    return data.index(line), len(line)


def test_both_versions_of_a_conflict(desks):
    other = joined(*header("catbuddy"), again("catbuddy", 1, content="新", extra=[1]))
    [one] = differences(desks("catbuddy").compared(chat("catbuddy", [1]), other))
    assert one.members == [("content", '{"a": [1]} "b" 1', "新"), ("extra", ..., [1])]


@LOOSE
@given(st.sampled_from(AGENTS), SOME, SOME, st.sets(st.integers(1, 14), max_size=4))
def test_every_row_of_both_is_accounted_for(desks, agent, a, b, changed):
    theirs = joined(*header(agent), *(row(agent, n, **({"n": n} if n in changed else {})) for n in b))
    made = desks(agent).compared(chat(agent, a), theirs)
    seen = tally(made)
    assert seen.same + seen.renumbered + seen.conflicts + seen.only_a == len(a)
    assert seen.same + seen.renumbered + seen.conflicts + seen.only_b == len(b)
    assert seen.conflicts == len(set(a) & set(b) & changed)
    assert seen.only_a == len(set(a) - set(b))
    assert seen.differ == (a != b or bool(set(a) & changed))
    kinds = [one.what for one in differences(made)]
    expected = {"only-a": seen.only_a, "only-b": seen.only_b, "moved": seen.moved, "conflict": seen.conflicts}
    assert {what: kinds.count(what) for what in expected} == expected


@LOOSE
@given(st.sampled_from(AGENTS), SOME, SOME)
def test_seen_from_the_other_side(desks, agent, a, b):
    one = tally(desks(agent).compared(chat(agent, a), chat(agent, b)))
    other = tally(desks(agent).compared(chat(agent, b), chat(agent, a)))
    assert (one.same, one.only_a, one.only_b, one.differ) == (other.same, other.only_b, other.only_a, other.differ)


DEEP = json.loads("[" * 900 + "]" * 900)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, True),
        (1, 1.0, False),
        (1, True, False),
        ("\ud83d", "\ud83d", True),
        (1 << 80, 1 << 80, True),
        (1 << 80, 1 << 81, False),
        (DEEP, DEEP, True),
        ([1, 2], [2, 1], False),
        (None, "", False),
    ],
)
def test_what_is_equal(one, other, same):
    assert (canonical(one) == canonical(other)) is same
    assert (differing({"x": one}, {"x": other}) == []) is same
    assert (differing(one, other) == []) is (same or isinstance(one, dict))


def test_what_is_too_deep_for_anything_is_equal_to_nothing(monkeypatch):
    value = json.loads("[" * 900 + "]" * 900)

    def fail(*arguments: Any, **more: Any) -> str:
        raise RecursionError

    monkeypatch.setattr(json, "dumps", fail)
    assert canonical(value) != canonical(value)


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (b'{"a":1}{"b":"}{"}', [b'{"a":1}', b'{"b":"}{"}']),
        (b' {"a":"\xe4\xbd\xa0"} \t{"b":2}\r', [b'{"a":"\xe4\xbd\xa0"}', b'{"b":2}']),
        (b'{"a":"\x01"}{"b":2}', [b'{"a":"\x01"}', b'{"b":2}']),
    ],
)
def test_glued_rows_are_told_apart(raw, expected):
    assert glued(raw) == expected


def test_what_is_not_records_is_not_told_apart():
    with pytest.raises(ValueError, match="Expecting"):
        glued(b'{"a":1} x')


class TestSide:
    def test_a_file_that_is_too_long_for_a_line(self, desks, monkeypatch):
        from memcli.core import sides
        from memcli.storage import screen

        monkeypatch.setattr(screen, "MAX_LINE", 300)
        monkeypatch.setattr(screen, "CHUNK", 200)
        monkeypatch.setattr(sides, "CHUNK", 64)
        long = row("catbuddy", 2, "x" * 1000)
        a = joined(*header("catbuddy"), row("catbuddy", 1), long, row("catbuddy", 3))
        desk = desks("catbuddy")
        same = desk.compared(a, a)
        assert [told(one)[0] for one in differences(same)] == ["unreadable-a", "unreadable-b"]
        assert not tally(same).differ
        assert tally(desk.compared(a, a.replace(b"xy", b"xz").replace(b"xxxx", b"xxxy", 1))).differ
        side = same.a
        assert side.end(1) - side.facts.offsets[1] == len(long) + 1

    def test_a_file_is_let_go_of(self, desks):
        ref = desks("catbuddy").pair(A, A).a
        with Side(ref) as side:
            assert side.stands()
            assert side.record(0).role == "user"
        assert side.fd == -1
        side.close()
        Path(ref.path).unlink()
        assert not side.stands()

    def test_what_cannot_be_read_is_let_go_of(self, desks, monkeypatch):
        from memcli.core import sides

        ref = desks("catbuddy").pair(A, A).a
        opened: list[int] = []
        real = sides.open_regular
        monkeypatch.setattr(sides, "open_regular", lambda path: opened.append(real(path)) or opened[0])
        monkeypatch.setattr(Side, "_read", lambda *more: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            Side(ref)
        with pytest.raises(OSError, match="Bad file descriptor"):
            os.fstat(opened[0])

    def test_a_checksum_line_is_no_lost_row(self, desks):
        from zlib import crc32

        line = row("jsonl", 1)
        checked = joined(line, b"%d" % crc32(line), row("jsonl", 2))
        made = desks("jsonl").compared(checked, chat("jsonl", [1, 2]))
        assert made.a.is_check(1)
        assert [told(one) for one in differences(made)] == [("only-a", 2, 0, "")]

    def test_the_record_of_a_line_that_gives_none_is_empty(self, desks):
        made = desks("catbuddy").compared(A + TORN, A)
        assert made.a.record(3) == ("", "", None, None, "", (), None, None)


def test_a_whole_chat_with_calls_against_itself_without_one_row(desks):
    lines = CATBUDDY.lines
    made = desks("catbuddy").compared(CATBUDDY.whole, joined(*lines[:3], *lines[4:]))
    assert [told(one) for one in differences(made)] == [("only-a", 3, 0, "")]
    assert comparing.ALONE in made.kinds
