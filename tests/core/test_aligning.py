"""Common subsequences: what must hold for any input, and what is exact."""

from __future__ import annotations

import random
from collections.abc import Sequence
from difflib import SequenceMatcher
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memcli.core import aligning

CODES = st.lists(st.integers(0, 6), max_size=24)


def pairs(a: Sequence[int], b: Sequence[int]) -> list[tuple[int, int]]:
    return [(run.a + n, run.b + n) for run in aligning.chain(a, b) for n in range(run.length)]


@given(CODES, CODES)
@example([1, 2, 1], [2, 1])
@example([], [1])
def test_what_is_chained_is_equal_and_rises_on_both_sides(a: list[int], b: list[int]) -> None:
    found = pairs(a, b)
    assert all(a[i] == b[j] for i, j in found)
    assert all(one[0] < other[0] and one[1] < other[1] for one, other in pairwise(found))
    runs = aligning.chain(a, b)
    assert all((one.a + one.length, one.b + one.length) != other[:2] for one, other in pairwise(runs))


@given(CODES)
def test_equal_lists_are_one_run(codes: list[int]) -> None:
    assert aligning.chain(codes, codes) == ([(0, 0, len(codes))] if codes else [])


@given(st.permutations(range(9)), st.permutations(range(9)), st.integers(0, 9))
def test_rows_that_differ_from_each_other_are_chained_as_often_as_can_be(a: list[int], b: list[int], cut: int) -> None:
    b = b[:cut]
    best = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i, one in enumerate(a):
        for j, other in enumerate(b):
            best[i + 1][j + 1] = best[i][j] + 1 if one == other else max(best[i][j + 1], best[i + 1][j])
    assert len(pairs(a, b)) == best[-1][-1]


@given(CODES, CODES)
def test_common_ends(a: list[int], b: list[int]) -> None:
    front = aligning.prefix(a, b, 0, len(a), 0, len(b))
    back = aligning.suffix(a, b, 0, len(a), 0, len(b))
    assert a[:front] == b[:front]
    assert a[front : front + 1] != b[front : front + 1] or front == min(len(a), len(b))
    assert a[len(a) - back :] == b[len(b) - back :]


@pytest.mark.parametrize("kind", ["one value", "two values", "shuffled", "reversed", "apart"])
def test_twenty_thousand_rows_each(kind: str) -> None:
    size = 20_000
    chance = random.Random(kind)
    a = list(range(size))
    b = {
        "one value": [7] * size,
        "two values": [chance.randrange(2) for _ in range(size)],
        "shuffled": chance.sample(a, size),
        "reversed": a[::-1],
        "apart": [code + size for code in a],
    }[kind]
    if kind == "two values":
        a = [chance.randrange(2) for _ in range(size)]
    found = pairs(a, b)
    assert all(a[i] == b[j] for i, j in found)
    assert len(found) >= {"two values": size // 3, "shuffled": 100, "reversed": 1, "one value": 1}.get(kind, 0)


def test_as_good_as_difflib_on_a_chat_that_was_edited() -> None:
    chance = random.Random(4)
    a = [chance.randrange(50) for _ in range(300)]
    b = [code for code in a if chance.random() > 0.1]
    for _ in range(20):
        b.insert(chance.randrange(len(b)), 99)
    theirs = sum(block.size for block in SequenceMatcher(None, a, b, autojunk=False).get_matching_blocks())
    assert len(pairs(a, b)) >= 0.9 * theirs
