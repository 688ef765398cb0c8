"""What nanobot's rows mean."""

from __future__ import annotations

import pytest
from support.nanobot_files import ENTRY, HEADER, STATE, call, result, said

from memcli import formats
from memcli.model import Header, Record, ToolCall

RECORDS = formats.load("nanobot").records


@pytest.mark.parametrize(
    ("value", "header"),
    [
        (
            HEADER,
            Header("cli:direct", "部署计划", None, "2026-05-01T10:00:00.000001", "2026-05-01T10:00:09.000001"),
        ),
        ({"_type": "metadata"}, Header()),
        ({"_type": "metadata", "key": 5, "metadata": None, "created_at": 7, "updated_at": ""}, Header()),
        ({"_type": "metadata", "metadata": {"title": ["x"]}, "title": "not here"}, Header()),
        (STATE, None),
        ({"_type": "note"}, None),
        ({"key": "cli:direct"}, None),
        (["_type", "metadata"], None),
    ],
)
def test_header(value, header):
    assert RECORDS.header(value) == header


@pytest.mark.parametrize(
    ("values", "least", "most"),
    [
        ([HEADER], 95, 100),
        ([said("user", "x"), HEADER], 95, 100),
        ([STATE], 95, 100),
        ([ENTRY], 90, 90),
        ([said("user", "x", latency_ms=5)], 80, 90),
        ([said("user", "x")], 30, 50),
        ([{"role": "user", "content": "x"}], 1, 20),
        ([{"role": "user", "content": "x", "timestamp": "2026-05-01T10:00:00.000Z"}], 1, 20),
        ([{"_type": "metadata"}], 0, 0),
        ([{"type": "session", "id": "x"}], 0, 0),
        ([{"cursor": True, "timestamp": "2026-05-01 10:00", "content": "x"}], 0, 0),
        ([[1], "x", None], 0, 0),
    ],
)
def test_score(values, least, most):
    assert least <= RECORDS.score(values) <= most


@pytest.mark.parametrize(
    ("value", "record"),
    [
        (
            said("user", "你好", sender_id=42),
            Record("user", "你好", "2026-05-01T10:00:01.000001", name="42"),
        ),
        (said("user", None), Record("user", "", "2026-05-01T10:00:01.000001")),
        (
            said(
                "user",
                [{"type": "text", "text": "look"}, {"type": "image_url", "image_url": {"url": "/a.png"}}],
            ),
            Record("user", "look\n[image: /a.png]", "2026-05-01T10:00:01.000001"),
        ),
        (
            call("c1", "c2"),
            Record(
                "assistant",
                calls=(
                    ToolCall("c1", "exec", 'command: ls "档案"'),
                    ToolCall("c2", "exec", 'command: ls "档案"'),
                ),
            ),
        ),
        (result("c1"), Record("tool", "done", answers="c1", name="exec")),
        (
            said(
                "assistant",
                "a",
                reasoning_content="why",
                thinking_blocks=[{"type": "thinking", "thinking": "why"}],
            ),
            Record("assistant", "a", "2026-05-01T10:00:01.000001", reasoning="why"),
        ),
        (
            said(
                "assistant",
                "a",
                reasoning_content="one",
                thinking_blocks=[{"type": "thinking", "thinking": "two"}],
            ),
            Record("assistant", "a", "2026-05-01T10:00:01.000001", reasoning="one\ntwo"),
        ),
        (
            ENTRY,
            Record("journal", "- [durable] 部署", "2026-05-01 10:00", id=1, name="cli:direct"),
        ),
        ({"role": ["user"], "content": "x"}, Record("", "x")),
        ({"_type": "note", "x": "lost"}, Record("", "_type: note\nx: lost")),
        ({"role": "assistant", "tool_calls": "broken"}, Record("assistant")),
        ({"_type": "metadata", "key": "a:b"}, Record("", "_type: metadata\nkey: a:b")),
        ("text", Record("", "text")),
    ],
)
def test_record(value, record):
    assert RECORDS.record(value) == record


@pytest.mark.parametrize(
    ("value", "is_preamble"), [(HEADER, True), (STATE, True), (said("user", "x"), False), (5, False)]
)
def test_preamble(value, is_preamble):
    assert RECORDS.is_preamble(value) is is_preamble
