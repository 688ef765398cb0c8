"""What each of CocoCat's readers makes of damaged files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memcli.formats.cococat import loader
from memcli.model import AgentView, Decoded, Line
from memcli.storage.decode import decode

SAMPLES = Path(__file__).parent.parent / "samples" / "cococat"
TASK = b'{"prompt": "p", "response_summary": "r", "iterations": 1, "timestamp": "2026-05-06T10:00:00"}\n'
SAID = '{"role": "assistant", "content": "好\u2028\u0085", "timestamp": "2026-05-06T10:00:00"}\n'.encode()
COMPACTED = b'{"type": "compacted_summary", "original_count": 9, "summary": "[9 historical entries compacted]"}\n'
SENT = b'{"content": "hi", "from": "leader", "recalled": false, "read_by": []}\n'
FAILS = "so every task of this agent fails"
PARSE = f"does not parse, {FAILS}"
WEB = "Older readers (V1.0, V1.1) and the web pages skip what does not parse: they see"
ONE = (f"{WEB} 1 of 2 rows.",)
EVERY = "No reader of CocoCat gets past such a row."
COMPACT = "Compaction gives up on this file without a word, so it only grows."
GLUE = "No newline stands behind the last row: the next append will be glued to it."


def view(content: bytes, name: str = "history.jsonl", era: str = "V1") -> AgentView:
    lines = content.split(b"\n")
    ended = not lines[-1]
    if ended:
        lines.pop()
    count = len(lines)
    return loader.view(
        ((Line(n, 0, len(raw), raw, ended or n < count), decode(raw)) for n, raw in enumerate(lines, 1)),
        name,
        era,
    )


AGENT = {
    "healthy": (TASK * 3, 3, 3, "", ()),
    "empty": (b"", 0, 0, "", ()),
    "blank lines are skipped": (b"\n" + TASK + b"\r\n\n" + TASK, 2, 2, "", ()),
    "crlf": (TASK.replace(b"\n", b"\r\n") * 2, 2, 2, "", ()),
    "torn": (TASK * 2 + b'{"prompt": "ha\n' + TASK, 0, 4, f"row 3 {PARSE}", (f"{WEB} 3 of 4 rows.",)),
    "glued": (TASK + TASK.strip() + TASK, 0, 2, f"row 2 {PARSE}", ONE),
    "bom": (b"\xef\xbb\xbf" + TASK * 2, 0, 2, f"row 1 {PARSE}", ONE),
    "nul": (TASK + bytes(8) + b"\n", 0, 2, f"row 2 {PARSE}", ONE),
    "raw tab": (TASK + b'{"prompt": "a\tb"}\n', 0, 2, f"row 2 {PARSE}", ONE),
    "nan is json to Python": (TASK + b'{"prompt": "p", "iterations": NaN}\n', 2, 2, "", ()),
    "half an emoji is text to Python": (TASK + b'{"prompt": "\\ud83d"}\n', 2, 2, "", ()),
    "not utf-8": (TASK + b'{"prompt": "\xff"}\n', 0, 2, f"row 2 is not UTF-8, {FAILS}", (EVERY,)),
    "not utf-8 and torn": (TASK + b'{"prompt": "\xff\n', 0, 2, f"row 2 is not UTF-8, {FAILS}", (EVERY,)),
    "null": (TASK + b"null\n", 0, 2, f"row 2 is not an object, {FAILS}", ()),
    "list": (TASK + b"[]\n", 0, 2, f"row 2 is not an object, {FAILS}", ()),
    "null prompt": (TASK + b'{"prompt": null}\n', 0, 2, f"row 2 has a prompt that is not text, {FAILS}", ()),
    "number prompt": (TASK + b'{"prompt": 5}\n', 0, 2, f"row 2 has a prompt that is not text, {FAILS}", ()),
    "spaces": (TASK + b" \t\n" + TASK, 2, 3, "row 2 holds nothing but spaces and is skipped", ()),
    "wide spaces": (TASK + "\u3000\n".encode(), 1, 2, "row 2 holds nothing but spaces and is skipped", ()),
    "lone CR parts rows": (TASK.replace(b"\n", b"\r") + TASK, 1, 1, "", ()),
    "lone CR, one half bad": (TASK + b'{"a": 1}\r{"b\n', 0, 2, f"row 2 {PARSE}", ONE),
    "no final newline": (TASK + TASK.strip(), 2, 2, "", (GLUE,)),
}  # fmt: skip


@pytest.mark.parametrize("case", AGENT)
def test_an_agents_journal(case):
    content, seen, total, reason, notes = AGENT[case]
    listed = "UTF-8" not in reason
    assert view(content) == AgentView(seen, total, listed, reason, notes)


SCALAR = "Row 2 is JSON but not an object; what this reader makes of it is not known."
DREAM = "so every Dream of this user fails"
USER = {
    "healthy": (COMPACTED + SAID * 2, 3, 3, "", ()),
    "compaction left no newline": (COMPACTED + SAID, 2, 2, "", ()),
    "glued": (COMPACTED + SAID.strip() + SAID, 0, 2, f"row 2 does not parse, {DREAM}", (COMPACT,)),
    "not utf-8": (SAID + b"\xff\n", 0, 2, f"row 2 is not UTF-8, {DREAM}", (COMPACT,)),
    "a scalar": (SAID + b"3\n", 2, 2, "", (SCALAR,)),
    "no final newline": (COMPACTED + SAID.strip(), 2, 2, "", (GLUE,)),
}  # fmt: skip


@pytest.mark.parametrize("case", USER)
def test_a_users_journal(case):
    content, seen, total, reason, notes = USER[case]
    assert view(content) == AgentView(seen, total, True, reason, notes)


STOPS, WHICH = "reading stops at row", "which does not parse"
SOFT = "row 2 is not UTF-8 and reading stops there at the latest"


def lost(rows: str) -> str:
    return f"The next mark-as-read rewrites the file from what was read: {rows} will be gone."


GROUP = {
    "healthy": (SENT * 3, 3, 3, "", ()),
    "bad in the middle": (
        *(SENT + b"{torn\n" + SENT * 2, 1, 4, f"{STOPS} 2, {WHICH}"),
        (lost("row 2 and the 2 behind it"),),
    ),
    "bad at the end": (SENT * 2 + b"{torn\n", 2, 3, f"{STOPS} 3, {WHICH}", (lost("row 3"),)),
    "not utf-8": (
        SENT + b"\xff\n" + SENT, 1, 3, SOFT, (lost("row 2 and the 1 behind it"),)
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", ["messages.jsonl", "sent-by-a-user.jsonl"])
@pytest.mark.parametrize("case", GROUP)
def test_a_group_chat(case, name):
    content, seen, total, reason, notes = GROUP[case]
    assert view(content, name) == AgentView(seen, total, True, reason, notes)


CHAT = b'{"role": "user", "content": "Hello"}\n'
SKIPS = "does not parse and is skipped"
STRICT = "The strict reader of the same agent fails at row"
LAST = "Only the last 30 user and assistant rows go into a prompt."
SESSION = {
    "healthy": (CHAT * 2, 2, 2, "", ()),
    "torn": (CHAT + b'{"role": "us\n' + CHAT, 2, 3, f"row 2 {SKIPS}", (f"{STRICT} 2 and gets nothing.",)),
    "long": (CHAT * 31, 31, 31, "", (LAST,)),
    "not utf-8": (CHAT + b"\xff\n", 0, 2, "row 2 is not UTF-8, so reading the file fails", ()),
    "spaces and torn": (
        *(b"  \n" + CHAT + b"{\n", 1, 3, f"row 3 {SKIPS}, and row 1 holds nothing but spaces and is skipped"),
        (f"{STRICT} 3 and gets nothing.",),
    ),
}  # fmt: skip


@pytest.mark.parametrize("era", ["V2a", "V2b"])
@pytest.mark.parametrize("case", SESSION)
def test_a_v2_session(case, era):
    content, seen, total, reason, notes = SESSION[case]
    assert view(content, "default.jsonl", era) == AgentView(seen, total, True, reason, notes)


def test_a_journal_keeps_its_reader_where_v2_moved_in():
    assert view(TASK + b"{torn\n", "history.jsonl", "V2b").seen == 0
    assert view(TASK + b"{torn\n", "sent-by-a-user.jsonl", "V2b").seen == 0
    assert view(CHAT + b"{torn\n", "session.jsonl", "V1").seen == 1


def test_a_line_that_was_not_read_is_not_judged():
    lines = [
        (Line(1, 0, 100 << 20, None, True), Decoded((), "oversize-line")),
        (Line(2, 0, 9, b"x", True), decode(TASK)),
    ]
    assert loader.view(lines, "history.jsonl", "V1") == AgentView(
        1, 2, True, "row 1 is over 64 MiB and was not judged", ()
    )


@pytest.mark.parametrize(
    ("path", "seen", "total", "reason"),
    [
        ("v1-healthy/agents/leader/memory/history.jsonl", 4, 4, ""),
        ("v1-damaged/agents/employee_a/memory/history.jsonl", 0, 5, f"row 3 {PARSE}"),
        (
            "v1-damaged/agents/employee_a/memory/users/9cfc09aa76ff341a/history.jsonl",
            *(0, 6, f"row 6 does not parse, {DREAM}"),
        ),
        ("v2-layout/agents/main/sessions/0123456789abcdef.jsonl", 2, 2, ""),
    ],
)
def test_the_samples(path, seen, total, reason):
    file = SAMPLES / path
    found = view(file.read_bytes(), file.name)
    assert (found.seen, found.total, found.reason) == (seen, total, reason)


def test_agrees_with_python_on_any_single_row():
    """The oracle is json.loads itself, over rows that orjson and it judge differently."""
    rows = [
        b'{"prompt": "\\ud83d\\ude00"}', b'{"a": 1, "a": 2}', b'{"a": -Infinity}', b'{"a": 1}  ',
        b'{"a": 01}',
        b"{'a': 1}", b'{"a": 1,}', b'{"a": "\x1b"}', b'{"a": 1e999}', b'{"a": 123456789012345678901234567}',
        b'{"a": "\xed\xa0\x80"}', b"\xef\xbb\xbf{}", b"{}{}", b'{"a": \x00 1}',
    ]  # fmt: skip
    for row in rows:
        try:
            json.loads(row.decode("utf-8").strip())
            good = True
        except ValueError:
            good = False
        assert (view(TASK + row + b"\n").seen == 2) == good, row
