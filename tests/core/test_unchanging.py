"""Undoing one change: it alone goes, whatever came later; bytes stay; and what cannot be told apart is a conflict."""

from __future__ import annotations

import itertools
from collections import Counter

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from memcli.core.hunks import hunks
from memcli.core.unchanging import Conflict, unchange, unchange_through
from memcli.storage.passages import lines_of

WORDS = [b"a", b"b", b"## H", b"", b"d\r", "港".encode(), b"\xff"]
TEXTS = st.lists(st.sampled_from(WORDS), max_size=16).map(b"\n".join)
FILES = st.none() | TEXTS
BULLETS = st.lists(st.integers(100, 999).map(lambda n: b"- %d\n" % n), min_size=1, max_size=4)
HEADED = BULLETS.map(lambda bullets: [b"## Dream\n", b"\n", *bullets, b"\n"])
ENDS = st.sampled_from([b"\n", b"\r\n"])


def text(*lines: str) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


P, Q = "first", "last"
CASES = {
    "what came stays, behind": (text(P), text(P, "A"), text(P, "A", "B"), text(P, "B")),
    "what came stays, before": (text(P), text(P, "A"), text("B", P, "A"), text("B", P)),
    "what came stays, directly before": (text(P), text(P, "A"), text(P, "B", "A"), text(P, "B")),
    "what came stays, between": (text(P), text(P, "A", "C"), text(P, "A", "B", "C"), text(P, "B")),
    "an edit right before it": (text(P, Q), text(P, "A", Q), text("P'", "A", Q), text("P'", Q)),
    "an edit right behind it": (text(P, Q), text(P, "A", Q), text(P, "A", "Q'"), text(P, "Q'")),
    "edits all around it": (text(P, Q), text(P, "A", Q), text("P'", "x", "A", "y", "Q'"), text("P'", "x", "y", "Q'")),
    "a line that was replaced": (
        text(P, "8080", Q),
        text(P, "9090", Q),
        text("x", P, "9090", "B", Q),
        text("x", P, "8080", "B", Q),
    ),
    "a line that went": (text(P, "A", Q), text(P, Q), text("x", P, Q, "y"), text("x", P, "A", Q, "y")),
    "a line that went, with another behind": (text(P, "A"), text(P), text(P, "B"), text(P, "A", "B")),
    "a line that went between lines that went": (text(P, "A", Q, "R"), text(P, Q, "R"), text("R"), text("A", "R")),
    "a part of it went since": (text(P), text(P, "A", "B", "C"), text(P, "A", "C", "D"), text(P, "D")),
    "it went with what was around it": (text(P, Q, "R"), text(P, "A", Q, "R"), text(P, "R"), text(P, "R")),
    "it was undone, and more came": (text(P, "A", Q), text(P, Q), text(P, "A", "B", Q), text(P, "A", "B", Q)),
    "it was undone, and what is before it changed": (text(P, "A", Q), text(P, Q), text("x", "A", Q), text("x", "A", Q)),
    "it was replaced back, and more came": (text(P, "A"), text(P, "B"), text(P, "A", "C"), text(P, "A", "C")),
    "several places": (
        text("1", "2", "3", "4", "5"),
        text("1", "2b", "3", "x", "4"),
        text("0", "1", "2b", "3", "x", "4", "6"),
        text("0", "1", "2", "3", "4", "5", "6"),
    ),
    "a block before one with the same heading": (
        text(P, "## H", "- b", ""),
        text(P, "## H", "- a", "", "## H", "- b", ""),
        text(P, "## H", "- a", "", "## N", "- n", "", "## H", "- b", ""),
        text(P, "## N", "- n", "", "## H", "- b", ""),
    ),
    "a block that was put before one with the same heading": (
        text(P),
        text(P, "## H", "- a", ""),
        text(P, "## H", "- b", "", "## H", "- a", ""),
        text(P, "## H", "- b", ""),
    ),
    "a block between others, and one more behind": (
        text("## H", "- a", "", "## H", "- c", ""),
        text("## H", "- a", "", "## H", "- b", "", "## H", "- c", ""),
        text("## H", "- a", "", "## H", "- b", "", "## H", "- c", "", "## H", "- d", ""),
        text("## H", "- a", "", "## H", "- c", "", "## H", "- d", ""),
    ),
    "no final newline, more came": (b"a", b"a\nb", b"a\nb\nc", b"a\nc"),
    "a final newline came with it": (b"a", b"a\nb\n", b"x\na\nb\n", b"x\na"),
    "a final newline came, and more": (b"a", b"a\nb\n", b"a\nb\nc\n", b"a\nc\n"),
    "only the final newline": (b"a", b"a\n", b"x\na\n", b"x\na"),
    "the final newline went since": (b"a\n", b"a\nb\n", b"x\na\nb", b"x\na"),
    "the last line comes back behind an unended one": (b"a\nb\n", b"a", b"x\na", b"x\na\nb\n"),
    "CR LF all over": (b"a\r\n", b"a\r\nb\r\n", b"x\r\na\r\nb\r\n", b"x\r\na\r\n"),
    "CR LF in the commits, LF on disk": (b"a\r\nB\r\n", b"a\r\nb\r\n", b"x\na\nb\n", b"x\na\nB\n"),
    "LF in the commits, CR LF on disk": (b"a\nB\n", b"a\nb\n", b"x\r\na\r\nb\r\n", b"x\r\na\r\nB\r\n"),
    "a line with LF in a text with CR LF": (b"a\r\n", b"a\r\nb\n", b"a\r\nb\nc\n", b"a\r\nc\n"),
    "no UTF-8": (b"\xff\n", b"\xff\n\xfe\x00\n", b"\xff\n\xfe\x00\n\xe9", b"\xff\n\xe9"),
    "the file is new, and as it was": (None, b"a\n", b"a\n", None),
    "the file is new, and more came": (None, b"a\n", b"a\nb\n", b"b\n"),
    "the file is new, and half of it went": (None, b"a\nb\n", b"a\n", b""),
    "the file went": (b"a\n", None, None, b"a\n"),
    "the file went, and is back": (b"a\n", None, b"a\n", b"a\n"),
    "the file is gone, with what came": (b"a\n", b"a\nb\n", None, None),
    "nothing changed": (b"a\n", b"a\n", b"b\n", b"b\n"),
    "nothing there, and nothing before": (None, None, b"b", b"b"),
}


CONFLICTS = {
    "an edit of a line that came": (
        (text(P), text(P, "A", "B"), text("x", P, "A'", "B")),
        [Conflict(3, (b"A'\n", b"B\n"), (b"A\n", b"B\n"), ())],
    ),
    "an edit of a line that was replaced": (
        (text(P, "8080"), text(P, "9090"), text(P, "7070")),
        [Conflict(2, (b"7070\n",), (b"9090\n",), (b"8080\n",))],
    ),
    "a line that was replaced went": (
        (text(P, "8080", Q), text(P, "9090", Q), text(P, Q)),
        [Conflict(2, (), (b"9090\n",), (b"8080\n",))],
    ),
    "what came between lines that replaced others": (
        (text("1"), text("2", "3"), text("2", "x", "3")),
        [Conflict(1, (b"2\n", b"x\n", b"3\n"), (b"2\n", b"3\n"), (b"1\n",))],
    ),
    "what stood around a line that went": (
        (text(P, "A", Q), text(P, Q), text("x")),
        [Conflict(1, (b"x\n",), (b"first\n", b"last\n"), (b"A\n",))],
    ),
    "it was written over": (
        (text(P), text(P, "A"), text(P, "B")),
        [Conflict(2, (b"B\n",), (b"A\n",), ())],
    ),
    "two places": (
        (text("1", "2", "3"), text("1", "A", "2", "B", "3"), text("1", "a", "2", "b", "3")),
        [Conflict(2, (b"a\n",), (b"A\n",), ()), Conflict(4, (b"b\n",), (b"B\n",), ())],
    ),
    "one place of two": (
        (text("1", "2", "3"), text("1", "A", "2", "B", "3"), text("1", "A", "2", "b", "3")),
        [Conflict(4, (b"b\n",), (b"B\n",), ())],
    ),
    "a line that came was moved": (
        (text(P, Q, "R"), text(P, "A", Q, "R"), text(P, Q, "R", "A", "B")),
        [Conflict(4, (b"A\n",), (b"A\n",), (), moved=True)],
    ),
    "the file went, and is another now": (
        (b"a\n", None, b"b\nc\n"),
        [Conflict(1, (b"b\n", b"c\n"), (), (b"a\n",))],
    ),
    "a file that lost lines is gone": (
        (text(P, "A"), text(P), None),
        [Conflict(1, (), (), (b"A\n",))],
    ),
    "a line in a file that was made of CR LF": (
        (b"a\nA\n", b"a\nB\n", b"a\r\nb\r\n"),
        [Conflict(2, (b"b\r\n",), (b"B\r\n",), (b"A\r\n",))],
    ),
}


@pytest.mark.parametrize(("before", "after", "now", "wanted"), CASES.values(), ids=CASES)
def test_the_change_alone_goes(before: bytes | None, after: bytes, now: bytes, wanted: bytes | None) -> None:
    assert unchange(before, after, now) == (wanted, ())


@pytest.mark.parametrize(("versions", "wanted"), CONFLICTS.values(), ids=CONFLICTS)
def test_what_was_edited_since_is_a_conflict(
    versions: tuple[bytes | None, bytes | None, bytes | None], wanted: list[Conflict]
) -> None:
    assert unchange(*versions) == (versions[2], tuple(wanted))


@pytest.mark.parametrize("line", ["## Heading", "---", ""])
def test_what_every_block_has_is_no_line_that_was_moved(line: str) -> None:
    after, now = text(P, "A", line, Q), text(P, Q, line, "B")
    assert unchange(text(P, Q), after, now) == (now, ())


STEPS = {
    "what went, and what came in its place": (
        [text(P), text(P, "A", "B"), text(P, "A"), text(P, "A", "C")],
        text(P, "C"),
    ),
    "all of it went": ([text(P), text(P, "A"), text(P), text(P, "C")], text(P, "C")),
    "what was edited at first": ([text(P), text(P, "A"), text(P, "a"), text(P, "C")], None),
    "no step between": ([text(P), text(P, "A"), text(P, "C")], None),
    "no conflict": ([text(P), text(P, "A"), text(P, "a"), text(P, "A", "C")], text(P, "C")),
}


@pytest.mark.parametrize(("versions", "wanted"), STEPS.values(), ids=STEPS)
def test_step_by_step(versions: list[bytes], wanted: bytes | None) -> None:
    found = unchange_through(versions[0], versions[1:])
    assert bool(found.conflicts) == (wanted is None)
    assert found.text == (versions[-1] if wanted is None else wanted)


@given(before=FILES, after=FILES)
def test_undoing_the_last_change_gives_the_bytes_back_and_undoing_that_the_change(
    before: bytes | None, after: bytes | None
) -> None:
    undone = unchange(before, after, after)
    assert undone == (before, ())
    assert unchange(after, undone.text, before) == (after, ())
    assert unchange(before, after, before) == (before, ())


@given(before=FILES, after=FILES, now=FILES)
@example(before=b"a\n\n", after=b"", now=b"\n")
@example(before=b"", after=b"b\nb", now=b"b\nb\nb")
def test_nothing_that_came_later_is_lost_and_nothing_is_made_up(
    before: bytes | None, after: bytes | None, now: bytes | None
) -> None:
    found = unchange(before, after, now)
    if found.conflicts:
        assert found.text == now
        return
    there, result = (Counter(_whole(one)) for one in (now, found.text))
    assert not there - Counter(_whole(after)) - result
    assert not result - there - Counter(_whole(before))


@given(before=TEXTS, after=TEXTS, head=st.binary(max_size=3), tail=st.binary(max_size=3), end=ENDS)
def test_a_change_is_undone_exactly_within_what_came_around_it(
    before: bytes, after: bytes, head: bytes, tail: bytes, end: bytes
) -> None:
    assume(before != after)
    before, after = (_ended(one, end) for one in (before, after))
    head, tail = b"\x01" + head + b"\x01\n", b"\x02" + tail + b"\x02"
    assume(b"\n" not in head[:-1] + tail)
    before, after = b"one\n" + before + b"two\n", b"one\n" + after + b"two\n"
    assert unchange(before, after, head + after + tail) == (head + before + tail, ())


@given(old=st.lists(HEADED, max_size=4), place=st.integers(0, 4), came=HEADED, later=st.lists(HEADED, max_size=3))
def test_blocks_that_look_alike_are_told_apart(
    old: list[list[bytes]], place: int, came: list[bytes], later: list[list[bytes]]
) -> None:
    bullets = [line for block in (*old, came, *later) for line in block if line.startswith(b"-")]
    assume(len(bullets) == len(set(bullets)))
    place = min(place, len(old))
    before, after = (b"".join(itertools.chain(*blocks)) for blocks in (old, [*old[:place], came, *old[place:]]))
    tail = b"".join(itertools.chain(*later))
    assert unchange(before, after, after + tail) == (before + tail, ())
    assert unchange(before, after, tail + after) == (tail + before, ())


@st.composite
def histories(draw: st.DrawFn, kinds: str) -> tuple[bytes, bytes, bytes, bytes]:
    """Four versions of a text whose lines differ: as it was, with one change, with another one that touches no line of it, and
    with the other alone. A line can get one behind it (+), go (-) or be replaced (~)."""
    size = draw(st.integers(1, 12))
    owners = draw(st.lists(st.sampled_from("12"), min_size=size, max_size=size))
    changes = draw(st.lists(st.sampled_from(kinds), min_size=size, max_size=size))
    end = draw(ENDS)

    def version(done: str) -> bytes:
        found = []
        for line, (owner, change) in enumerate(zip(owners, changes, strict=True)):
            change = change if owner in done else " "
            found += {"+": [f"{line}", f"{line} {owner}"], "-": [], "~": [f"{line} {owner}"]}.get(change, [f"{line}"])
        return b"".join(line.encode() + end for line in found)

    return version(""), version("1"), version("12"), version("2")


@given(histories(" +~"))
def test_two_changes_can_be_undone_in_either_order(versions: tuple[bytes, bytes, bytes, bytes]) -> None:
    nothing, one, both, two = versions
    assert unchange(one, both, both) == (one, ())
    assert unchange(nothing, one, both) == (two, ())
    assert unchange(one, both, two) == (nothing, ())


@given(histories(" +~-"))
def test_lines_that_two_changes_took_from_one_place_come_back_in_either_order(
    versions: tuple[bytes, bytes, bytes, bytes],
) -> None:
    nothing, one, both, two = versions
    first = unchange(nothing, one, both)
    assume(not first.conflicts)  # what is to come back stood between lines that were replaced since
    second = unchange(one, both, first.text)
    assert sorted(_whole(first.text)) == sorted(_whole(two))
    assert second.conflicts or sorted(_whole(second.text)) == sorted(_whole(nothing))


@given(base=st.lists(st.sampled_from(WORDS), max_size=12), other=st.lists(st.sampled_from(WORDS), max_size=12))
def test_hunks_make_one_text_of_the_other(base: list[bytes], other: list[bytes]) -> None:
    made: list[bytes] = []
    at = 0
    for hunk in hunks(base, other):
        made += [*base[at : hunk.start], *other[hunk.at : hunk.to]]
        at = hunk.end
    assert made + base[at:] == other


def test_a_large_text_of_one_line_takes_no_long_time() -> None:
    before, after = b"\n" * 60_000, b"\n" * 60_001
    assert unchange(before, after, b"x\n" + after + b"y") == (b"x\n" + before + b"y", ())


def _whole(text: bytes | None) -> list[bytes]:
    return [line.rstrip(b"\r\n") for line in lines_of(text or b"")]


def _ended(text: bytes, end: bytes) -> bytes:
    return b"".join(line.rstrip(b"\r\n") + end for line in lines_of(text))
