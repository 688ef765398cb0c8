"""Numbers that count rows, and what becomes of them when rows come and go."""

from __future__ import annotations

import pytest

from memcli.core import moving
from memcli.core.moving import Change
from memcli.storage.facts import HEADER, SHARED, UNREAD, Facts


def facts(*flags: int) -> Facts:
    """Facts with one entry for each flag."""
    made = Facts()
    for entry, flag in enumerate(flags):
        made.flags.append(flag)
        made.offsets.append(entry)
        if flag & SHARED:
            made.shared.append(entry)
    return made


TORN = Change(3, (1, 0), (0, 0))
SPLICED = Change(3, (2, 1), (0, 1))
GLUED = Change(3, (2, 2), (0, 2))
DOUBLE = Change(3, (1, 0), (1, 0))
ANSWER = Change(3, (0, 0), (0, 0), 1)


@pytest.mark.parametrize(
    ("flags", "changes", "moves"),
    [
        ((0, 0, UNREAD, 0, 0), [TORN], {0: 0, 2: 2, 3: 2, 4: 3, 5: 4}),
        # what was cut comes first on the line: the whole record behind it was the fourth message
        ((0, 0, UNREAD, 0), [SPLICED], {2: 2, 3: 2, 4: 3, 5: 4}),
        ((0, 0, 0, SHARED, 0), [GLUED], {2: 2, 3: 3, 4: 4, 5: 5}),
        ((0, 0, 0, 0), [DOUBLE], {2: 2, 3: 2, 4: 3}),
        # an answer belongs to its call, on which side of the offset that ever is
        ((0, 0, 0, 0), [ANSWER], {2: 2, 3: 4, 4: 5}),
        ((0, 0, 0, 0), [ANSWER, ANSWER], {2: 2, 3: 5}),
        ((0, HEADER, 0, 0), [DOUBLE], {1: 1, 2: 1, 3: 2}),
        # beyond the end: left to the class that tells of it
        ((0, 0, UNREAD), [TORN], {99: 99}),
        ((0, 0), [Change(0, (0, 0), (0, 0), 1)], {0: 0, 1: 2, 2: 3}),
    ],
)
def test_an_offset_counts_the_messages_that_were_written(flags, changes, moves):
    move = moving.of_messages(facts(*flags), changes)
    assert {old: move(old) for old in moves} == moves


@pytest.mark.parametrize(
    ("flags", "changes", "moves"),
    [
        # a reader that passes over what it cannot read never counted the torn row
        ((0, 0, UNREAD, 0, 0), [TORN], {0: 0, 2: 2, 3: 3, 4: 4}),
        ((0, 0, UNREAD, 0), [SPLICED], {2: 2, 3: 4}),
        # glued records behind the cursor are still to be read, those before it must not be read again
        ((0, 0, 0, SHARED, 0), [GLUED], {2: 2, 3: 5}),
        ((0, 0, 0, 0), [DOUBLE], {2: 2, 3: 2, 4: 3}),
        ((UNREAD, 0), [], {1: 1}),
    ],
)
def test_a_cursor_counts_the_records_that_were_read(flags, changes, moves):
    move = moving.of_records(facts(*flags), changes)
    assert {old: move(old) for old in moves} == moves


def test_moves_follow_each_other():
    one = moving.of_messages(facts(0, 0, 0, 0), [DOUBLE])
    assert moving.together([one, lambda number: number * 10])(4) == 30
    assert moving.together([])(7) == 7
