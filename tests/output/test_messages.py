"""A record as a person reads it."""

from __future__ import annotations

import io
import sys
from typing import Any

import pytest

from memcli.model import Record, ToolCall
from memcli.output import Printer, messages

PAGES: dict[str, tuple[Record, dict[str, Any], str]] = {
    "all there is": (
        Record(
            role="assistant",
            content="Two\nlines.",
            timestamp="2026-05-20T08:30:00.000Z",
            reasoning="first\nthen",
            calls=(ToolCall("c1", "exec", "command: ls\ntimeout: 3"), ToolCall(None, "stop", "")),
            name="bot",
        ),
        {"number": 7, "head": "desktop:main", "flaw": "glued-lines"},
        (
            "desktop:main #7 assistant bot 2026-05-20T08:30:00.000Z [glued-lines]\n"
            "  · first\n"
            "    then\n"
            "  Two\n"
            "  lines.\n"
            "  → exec\n"
            "    command: ls\n"
            "    timeout: 3\n"
            "  → stop\n"
            "\n"
        ),
    ),
    "nothing": (Record(), {}, "(no role)\n\n"),
    "only text": (Record(role="user", content="hi"), {}, "user\n  hi\n\n"),
    "empty lines": (Record(role="user", content="a\n\nb\n\n"), {}, "user\n  a\n  \n  b\n\n"),
    "a name of two lines": (Record(role="u\nv", name="x\ty", timestamp="t\nu"), {}, "u v x y t u\n\n"),
    "a hostile head": (Record(role="user"), {"head": "a\nb\x1b[31m"}, "a b\\x1b[31m user\n\n"),
    "what a terminal obeys": (Record(role="user", content="\x1b[2J\r\u202e"), {}, "user\n  \\x1b[2J\\r\\u202e\n\n"),
}


@pytest.mark.parametrize("name", PAGES)
def test_pages(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    record, parameters, page = PAGES[name]
    out = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(out, "utf-8"))
    messages.write(Printer(), record, **parameters)
    assert out.getvalue().decode() == page


def test_each_role_has_its_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    out = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(out, "utf-8"))
    printer = Printer(color="always")
    for role in ("user", "assistant", "tool", "system", "other"):
        messages.write(printer, Record(role=role))
    heads = [line for line in out.getvalue().decode().splitlines() if line]
    assert len({line.split("m")[0] for line in heads}) == 5
