"""CocoCat rows as messages, and how surely they are CocoCat's."""

from __future__ import annotations

import pytest

from memcli.formats.cococat import records
from memcli.model import Record, ToolCall

STAMP = "2026-05-06T10:00:00"


@pytest.mark.parametrize(
    ("value", "record"),
    [
        (
            {"prompt": "用哪个库?", "response_summary": "SQLite。", "iterations": 1, "timestamp": STAMP},
            Record("task", "用哪个库?\nresponse_summary: SQLite。", STAMP),
        ),
        ({"prompt": "Deploy", "response_summary": "", "timestamp": STAMP}, Record("task", "Deploy", STAMP)),
        ({"prompt": None, "response_summary": "done"}, Record("task", "response_summary: done")),
        ({"prompt": 7}, Record("task", "7")),
        ({"role": "assistant", "content": "reply", "timestamp": STAMP}, Record("assistant", "reply", STAMP)),
        ({"content": "a", "ts": 1746525600}, Record("", "a", "1746525600")),
        ({"role": "user", "content": "a", "id": "m1", "created_at": STAMP}, Record("user", "a", STAMP, "m1")),
        ({"role": "user", "content": "a", "id": True}, Record("user", "a")),
        ({"role": "user", "content": None, "prompt": "kept by whoever reads raw"}, Record("user", "")),
        (
            {
                "type": "compacted_summary",
                "original_count": 48,
                "summary": "[48 historical entries compacted]",
            },
            Record("compacted_summary", "[48 historical entries compacted]"),
        ),
        (
            {"content": "早", "from": "leader", "recalled": False, "read_by": []},
            Record("", "早", name="leader"),
        ),
        ({"content": "oops", "from": "u", "recalled": True}, Record("recalled", "oops", name="u")),
        ({"content": "x", "from": None, "role": "user"}, Record("user", "x")),
        (
            {
                "role": "assistant",
                "content": "",
                "tool_calls": [{"id": "c1", "function": {"name": "read_file", "arguments": '{"path": "记忆.md"}'}}],
            },
            Record("assistant", calls=(ToolCall("c1", "read_file", "path: 记忆.md"),)),
        ),
        (
            {"role": "tool", "content": "ok", "tool_call_id": "c1", "name": "read_file"},
            Record("tool", "ok", answers="c1", name="read_file"),
        ),
        ({"status": "replied"}, Record("", "status: replied")),
        ("only text", Record("", "only text")),
        (None, Record("", "null")),
    ],
)
def test_records(value, record):
    assert records.record(value) == record
    assert records.header(value) is None
    assert records.is_preamble(value) is False


@pytest.mark.parametrize(
    ("values", "least", "most"),
    [
        ([{"prompt": "p", "response_summary": "r", "iterations": 1, "timestamp": STAMP}], 95, 100),
        ([{"timestamp": STAMP, "prompt": "p", "response_summary": "r"}], 80, 95),
        ([{"type": "compacted_summary", "original_count": 3, "summary": "s"}, {"role": "user"}], 90, 100),
        ([{"type": "compacted_summary", "summary": "s"}], 50, 79),
        ([{"content": "x", "from": "a", "recalled": False, "read_by": []}], 80, 95),
        ([{"content": "x", "from": "a"}], 1, 20),
        ([{"prompt": "p", "completion": "c"}], 1, 20),
        ([{"role": "user", "content": "x"}], 1, 10),
        ([{"role": "assistant", "content": "x", "timestamp": STAMP}], 1, 10),
        ([{"role": "user", "content": "x", "id": 1, "sessionKey": "desktop:main"}], 0, 0),
        ([{"_type": "metadata"}, {"prompt": "p", "response_summary": "r", "iterations": 1}], 0, 0),
        ([{"cursor": 1, "content": "x", "timestamp": STAMP}], 0, 0),
        ([[], None, 3, "x"], 0, 0),
    ],
)  # fmt: skip
def test_scores(values, least, most):
    assert least <= records.score(values) <= most
