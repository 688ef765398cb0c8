"""What nanobot expects of rows, headers and cursors."""

from __future__ import annotations

import json

import pytest

from memcli.formats.nanobot import rules
from memcli.storage.facts import HeaderFacts

CALL = {"role": "assistant", "content": "", "tool_calls": [{"id": "c1", "function": {"name": "f"}}, 7]}
ANSWER = {"role": "tool", "content": "x", "tool_call_id": "c1"}


@pytest.mark.parametrize(
    ("row", "fault"),
    [
        (ANSWER, ""),
        ({"role": "user", "tool_calls": []}, ""),
        ({"_type": "metadata"}, ""),
        ({"_type": "provider_state"}, ""),
        ({"_type": "note", "content": "x"}, "has no role (its _type is 'note')"),
        ({"content": "x"}, "has no role"),
        ({"role": "user", "tool_calls": "c1"}, "has tool calls that are no list"),
        (CALL, "has a tool call that is no object"),
        (None, "is no object"),
    ],
)
def test_what_every_turn_fails_on(row, fault):
    assert rules.ROWS.fault(row) == fault
    if isinstance(row, dict):
        assert bool(rules.columns([ANSWER, row]).odd) == bool(fault)


@pytest.mark.parametrize(
    ("row", "fault"),
    [
        ({"cursor": 1, "timestamp": "2026-05-20 08:30", "content": "x"}, ""),
        ({"cursor": 1, "timestamp": "soon", "content": "x"}, ""),
        ({"cursor": -1, "timestamp": "x", "content": "x"}, "has no cursor that is a whole number"),
        ({"cursor": True, "timestamp": "x", "content": "x"}, "has no cursor that is a whole number"),
        ({"cursor": 1, "timestamp": "x", "content": {}}, "has no content that is text"),
        ({"cursor": 1, "content": "x"}, "has no timestamp that is text"),
        (7, "is no object"),
    ],
)
def test_which_entries_are_passed_over(row, fault):
    assert rules.JOURNAL.fault(row) == fault
    if isinstance(row, dict):
        assert bool(rules.journal_columns([row]).odd) == bool(fault)


def test_calls_and_answers():
    assert rules.columns([CALL, ANSWER, {**ANSWER, "role": "user"}]).calls == [(0, False, "c1"), (1, True, "c1")]
    assert rules.ROWS.calls(CALL) == ["c1"]
    assert rules.ROWS.calls([]) == []
    row = json.loads(rules.ROWS.answer({**CALL, "timestamp": "t"}, "c1", None))
    assert row == {
        "role": "tool",
        "tool_call_id": "c1",
        "name": "f",
        "content": "Error: Task interrupted before this tool finished.",
        "timestamp": "t",
        "_recovery_interrupted": True,
    }


def test_headers_are_told_by_their_type():
    header = {"_type": "metadata"}
    assert list(rules.headers([ANSWER, header])) == [1]
    assert list(rules.columns([ANSWER, header]).headers) == [1]


@pytest.mark.parametrize(
    ("era", "offsets"), [("E4", ["last_archived", "last_consolidated"]), ("E2", ["last_consolidated"])]
)
def test_a_header_is_written_as_its_era_writes_it(era, offsets):
    built = rules.header_rules(era).build(HeaderFacts("k", "1", "2", members={"metadata": {"title": "t"}, "odd": 1}))
    assert list(json.loads(built)) == ["_type", "key", "created_at", "updated_at", "metadata", *offsets]
    assert json.loads(built)["metadata"] == {"title": "t"}
    assert b'": "' in built


@pytest.mark.parametrize(("text", "number"), [("12\n", 12), ("-3", -3), ("12abc", None), ("", None), ("1" * 30, None)])
def test_cursors(text, number):
    assert rules.cursor(text) == number


def test_what_it_goes_by():
    assert [rules.used(5, True, True), rules.used(None, True, True), rules.used(None, False, True)] == [5, 0, 0]
    assert [rules.used(5, True, False), rules.used(-1, True, False), rules.used(None, True, False)] == [5, None, None]
    asked = [(5, 3, 9), (2, 3, 9), (2, None, 9), (None, 3, 9), (None, None, 9), (None, None, None), (-1, 4, 9)]
    assert [rules.upcoming(*one) for one in asked] == [6, 4, 10, 4, 10, 1, 5]
    assert rules.stamp(1747730000).startswith("2025-05-20T")
