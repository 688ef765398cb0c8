"""What catbuddy expects of rows, headers and cursors."""

from __future__ import annotations

import json

import pytest

from memcli.formats.catbuddy import rules
from memcli.storage.facts import HeaderFacts

USER = {"id": 1, "sessionKey": "k", "role": "user", "content": "x", "timestamp": "2026-05-20T08:30:00.000Z"}
CALL = {**USER, "id": 2, "role": "assistant", "toolCalls": [{"id": "c1", "name": "run"}, {"name": "no id"}, 7]}
ANSWER = {**USER, "id": 3, "role": "tool", "toolCallId": "c1"}
FROM_GATEWAY = {**ANSWER, "toolCalls": [{"id": "c1"}]}


@pytest.mark.parametrize(
    ("row", "fault"),
    [
        (USER, ""),
        (CALL, ""),
        ({**USER, "role": None}, "has no role"),
        ({"content": "x"}, "has no role"),
        ({**USER, "content": None}, "has content that is not text"),
        ({**CALL, "toolCalls": "c1"}, "has tool calls that are no list"),
        (7, "is no object"),
    ],
)
def test_what_it_chokes_on(row, fault):
    assert rules.ROWS.fault(row) == fault
    if isinstance(row, dict) and not isinstance(row.get("toolCalls"), str):
        assert bool(rules.columns([USER, row]).odd) == bool(fault)


@pytest.mark.parametrize(
    ("row", "fault"),
    [
        ({"cursor": 1, "content": "x"}, ""),
        ({"cursor": 1.5, "content": "x"}, ""),
        ({"cursor": True, "content": "x"}, "has no cursor that is a number"),
        ({"cursor": "1", "content": "x"}, "has no cursor that is a number"),
        ({"cursor": 1, "content": ""}, "has no content"),
        ([], "is no object"),
    ],
)
def test_what_dream_passes_over(row, fault):
    assert rules.JOURNAL.fault(row) == fault
    if isinstance(row, dict):
        assert bool(rules.journal_columns([row]).odd) == bool(fault)


def test_calls_and_answers():
    assert rules.columns([USER, CALL, ANSWER, FROM_GATEWAY]).calls == [(1, False, "c1"), (2, True, "c1")]
    assert rules.ROWS.calls(CALL) == ["c1"]
    assert rules.ROWS.calls(None) == []
    row = json.loads(rules.ROWS.answer(CALL, "c1", 9))
    assert list(row) == ["id", "sessionKey", "role", "content", "toolCallId", "name", "timestamp"]
    assert (row["id"], row["role"], row["toolCallId"], row["name"]) == (9, "tool", "c1", "run")
    assert "lost" in row["content"]


def test_headers():
    header = {"key": "k", "updated_at": "x"}
    assert list(rules.headers([USER, header, {"a": 1}])) == [1]
    assert list(rules.columns([USER, header]).headers) == [1]


def test_a_header_is_written_as_catbuddy_writes_it():
    long = "你" * 119 + "👩" + "x"
    text = rules.build_header(HeaderFacts("k", "1", "2", long, 3, {"title": "t", "created_at": "0", "odd": 1})).decode()
    assert list(json.loads(text)) == [
        *("key", "title", "preview", "created_at", "updated_at"),
        *("last_consolidated", "metadata"),
    ]
    assert json.loads(text)["preview"] == "你" * 119  # half an emoji is left out
    assert (json.loads(text)["title"], json.loads(text)["created_at"]) == ("t", "0")
    assert ", " not in text


@pytest.mark.parametrize(
    ("text", "number"), [("12", 12), (" 7\n", 7), ("12abc", 12), ("-5", -5), ("3.7", 3), ("abc", None), ("", None)]
)
def test_cursors_are_read_as_parse_int_reads_them(text, number):
    assert rules.cursor(text) == number


def test_what_it_goes_by():
    assert [rules.used(5, True, False), rules.used(None, False, False), rules.used(None, True, False)] == [5, 0, 0]
    assert [rules.used(None, False, True), rules.used(None, True, True)] == [None, 0]
    assert [rules.upcoming(5, 9, 9), rules.upcoming(None, 9, 9)] == [6, 1]
    assert rules.stamp(0.5) == "1970-01-01T00:00:00.500Z"


LATER = {"created_at": "2026-06-01T00:00:00.000Z", "metadata": {}}


@pytest.mark.parametrize(
    ("header", "rows", "mirrored"),
    [
        (LATER, [USER, {**FROM_GATEWAY, "id": 2}], True),
        (LATER, [USER, {**ANSWER, "id": 2, "name": "trace"}], True),
        (LATER, [USER, {**ANSWER, "id": 2}], False),
        (LATER, [{**USER, "media": []}, {**FROM_GATEWAY, "id": 2}], False),
        (LATER, [USER, CALL, FROM_GATEWAY], False),
        (LATER, [{**USER, "id": 4}, {**FROM_GATEWAY, "id": 5}], False),
        ({**LATER, "created_at": "2026-01-01T00:00:00.000Z"}, [USER, {**FROM_GATEWAY, "id": 2}], False),
        ({**LATER, "metadata": {"a": 1}}, [USER, {**FROM_GATEWAY, "id": 2}], False),
        ({}, [USER], False),
        (LATER, [None], False),
    ],
)
def test_the_marks_of_a_mirrors_copy(header, rows, mirrored):
    assert bool(rules.ROWS.mirrored(header, rows)) is mirrored
