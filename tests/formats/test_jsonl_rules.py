"""What can be told of rows that belong to no agent in particular."""

from __future__ import annotations

from memcli.formats.jsonl import rules


def test_columns_of_plain_and_of_wrapped_rows():
    rows = [
        {"role": "user", "content": "x", "timestamp": "t", "id": 1},
        {"type": "message", "id": "e2", "parentId": "e1", "message": {"role": "assistant", "content": [_CALL]}},
        {"type": "user", "uuid": "u3", "parentUuid": "u2", "message": {"role": "user", "content": [_ANSWER]}},
        {"x": 1},
    ]
    found = rules.columns(rows)
    assert found.ids == [1, "e2", "u3", None]
    assert found.roles == ["user", "assistant", "user", None]
    assert found.times == ["t", None, None, None]
    assert found.parents == [None, "e1", "u2", None]
    assert found.calls == [(1, False, "c1"), (2, True, "c1")]
    assert rules.columns(rows[:1]).parents is None


def test_headers():
    session = {"type": "session", "version": 3, "id": "x"}
    assert rules.headers([{"role": "user"}, session]) == [1]
    assert rules.header_rules("") is None


def test_nobody_counts():
    assert [rules.cursor("12\n"), rules.cursor("x")] == [12, None]
    assert rules.used(1, True, True) is None
    assert rules.upcoming(1, 2, 3) is None
    assert rules.stamp(0) == "1970-01-01T00:00:00.000Z"


_CALL = {"type": "toolCall", "id": "c1", "name": "run", "arguments": {}}
_ANSWER = {"type": "tool_result", "tool_use_id": "c1", "content": "x"}
