"""What CocoCat expects of its rows and cursors."""

from __future__ import annotations

import pytest

from memcli.formats.cococat import rules

TASK = {"timestamp": "2026-05-06T10:00:00", "prompt": "x", "response_summary": "y", "iterations": 1}


@pytest.mark.parametrize(
    ("row", "fault"),
    [
        (TASK, ""),
        ({**TASK, "prompt": None}, "has a prompt that is not text"),
        ({**TASK, "response_summary": 7}, "has a response_summary that is not text"),
        ({"type": "compacted_summary", "summary": "x"}, ""),
        ({"content": "x", "from": "a"}, ""),
        ({"role": "user", "content": None}, ""),
        ({"role": "user"}, "has no content"),
        (None, "is no object"),
    ],
)
def test_what_dream_fails_on(row, fault):
    assert rules.ROWS.fault(row) == fault
    if isinstance(row, dict):
        assert bool(rules.columns([row]).odd) == bool(fault)


def test_columns():
    rows = [
        TASK,
        {"type": "compacted_summary", "summary": "x", "ts": "t"},
        {"content": "x", "from": "a"},
        {"role": "assistant", "content": "", "tool_calls": [{"id": "c1"}, {}, 7]},
        {"role": "tool", "content": "x", "tool_call_id": "c1"},
        {"x": 1},
    ]
    found = rules.journal_columns(rows)
    assert found.roles == ["task", "compacted_summary", "message", "assistant", "tool", None]
    assert found.times[:2] == ["2026-05-06T10:00:00", "t"]
    assert found.calls == [(3, False, "c1"), (4, True, "c1")]
    assert rules.header_rules("V1") is None
    assert rules.headers(rows) == ()


@pytest.mark.parametrize(
    ("text", "number"),
    [("17", 17), ("50\r\n", 50), ("1_0", 10), ("3.0", None), ("-2", -2), ("", None), ("9" * 5000, None)],
)
def test_cursors_are_read_as_int_reads_them(text, number):
    assert rules.cursor(text) == number


def test_what_it_goes_by():
    assert [rules.used(3, True, True), rules.used(None, False, True), rules.used(3, True, False)] == [3, 0, None]
    assert rules.upcoming(1, 2, 3) is None
    assert rules.stamp(1747730000).startswith("2025-05-20T")
