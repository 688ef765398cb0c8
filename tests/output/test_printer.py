"""The printer: which form is written where, escaping of columns, colour, and talk on stderr."""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Callable
from typing import Any

import pytest

from memcli.errors import UsageError
from memcli.output import BOLD, RED, Printer, path_bytes, say, tab_line, talk
from memcli.output.columns import Column


class Stream(io.TextIOWrapper):
    """A standard stream whose bytes can be looked at."""

    def __init__(self, terminal: bool = False, encoding: str = "utf-8") -> None:
        self.data = io.BytesIO()
        super().__init__(self.data, encoding)
        self.terminal = terminal

    def isatty(self) -> bool:
        return self.terminal


Redirect = Callable[..., Stream]


@pytest.fixture
def redirect(monkeypatch: pytest.MonkeyPatch) -> Redirect:
    """Call it inside a test, where pytest's own capturing has settled: stdout becomes a stream to look at."""

    def become(terminal: bool = False, encoding: str = "utf-8") -> Stream:
        stream = Stream(terminal, encoding)
        monkeypatch.setattr(sys, "stdout", stream)
        if terminal:
            monkeypatch.setenv("COLUMNS", "40")
        return stream

    return become


ROWS = [("one", 1), ("two", 2)]


def write(printer: Printer) -> int:
    return printer.rows(
        [Column("NAME"), Column("COUNT", right=True)],
        ROWS,
        cells=lambda row: [row[0], str(row[1])],
        fields=lambda row: [row[0], str(row[1])],
        as_json=lambda row: {"type": "thing", "name": row[0], "count": row[1]},
    )


FORMS: dict[str, tuple[dict[str, Any], int, str]] = {
    "columns": ({}, 2, "one\t1\ntwo\t2\n"),
    "json": ({"json": True}, 2, '{"type":"thing","name":"one","count":1}\n{"type":"thing","name":"two","count":2}\n'),
    "shaped": ({"query": "count"}, 2, "1\n2\n"),
    "kept": ({"where": "count > `1`"}, 1, "two\t2\n"),
    "kept and shaped": ({"where": "count > `1`", "query": "name"}, 1, '"two"\n'),
    "none kept": ({"where": "count > `9`"}, 0, ""),
}


@pytest.mark.parametrize("name", FORMS)
def test_forms_in_a_pipe(redirect: Redirect, name: str) -> None:
    parameters, count, text = FORMS[name]
    out = redirect()
    assert write(Printer(**parameters)) == count
    assert out.data.getvalue().decode() == text


def test_a_table_on_a_terminal(redirect: Redirect) -> None:
    terminal = redirect(terminal=True)
    assert write(Printer(color="never")) == 2
    assert terminal.data.getvalue() == b"NAME  COUNT\none       1\ntwo       2\n"


def test_json_on_a_terminal(redirect: Redirect) -> None:
    terminal = redirect(terminal=True)
    assert write(Printer(json=True)) == 2
    assert [json.loads(line)["name"] for line in terminal.data.getvalue().splitlines()] == ["one", "two"]


def test_no_table_without_rows(redirect: Redirect) -> None:
    terminal = redirect(terminal=True)
    assert write(Printer(where="count > `9`")) == 0
    assert terminal.data.getvalue() == b""


COLOURS = {
    # (--color, terminal, NO_COLOR, TERM): whether colour is on
    ("auto", False, "", "xterm"): False,
    ("auto", True, "", "xterm"): True,
    ("auto", True, "1", "xterm"): False,
    ("auto", True, "", "dumb"): False,
    ("auto", True, "", ""): True,
    ("always", False, "", "xterm"): True,
    ("always", False, "1", "dumb"): True,
    ("never", True, "", "xterm"): False,
}


@pytest.mark.parametrize("case", COLOURS)
def test_colour(case: tuple[str, bool, str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    color, is_terminal, no_color, term = case
    monkeypatch.setattr(sys, "stdout", Stream(is_terminal))
    monkeypatch.setenv("NO_COLOR", no_color)
    monkeypatch.setenv("TERM", term)
    printer = Printer(color=color)
    assert printer.colour is COLOURS[case]
    assert printer.paint("a\x1b", BOLD, RED) == ("\x1b[1;31ma\\x1b\x1b[0m" if COLOURS[case] else "a\\x1b")
    assert printer.paint("", BOLD) == ""


@pytest.mark.parametrize(("columns", "width"), [("", 80), ("120", 120), ("5", 20), ("rubbish", 80)])
def test_width(redirect: Redirect, columns: str, width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    redirect()
    assert Printer().width == width


TABS = {
    "plain": (["a", "b"], b"a\tb\n"),
    "Chinese": (["端口", "é"], "端口\té\n".encode()),
    "tab, newline, backslash": (["a\tb", "c\nd", "e\\f"], b"a\\tb\tc\\nd\te\\\\f\n"),
    "control": (["\x1b[31m", "\r\x9b\u202e"], b"\\x1b[31m\t\\r\\x9b\\u202e\n"),
    "a lone surrogate": (["\ud83d"], b"\\ud83d\n"),
    "a path": (["x", "/tmp/端"], "x\t/tmp/端\n".encode()),
    "a path that is not UTF-8": (["x", "/tmp/" + os.fsdecode(b"\xff\t\n\\")], b"x\t/tmp/\xff\\t\\n\\\\\n"),
    "a path with half a character": (["/tmp/\ud83d"], b"/tmp/\\ud83d\n"),
    "empty": (["", ""], b"\t\n"),
}


@pytest.mark.parametrize("name", TABS)
def test_columns(redirect: Redirect, name: str) -> None:
    fields, line = TABS[name]
    out = redirect()
    assert tab_line(fields) == line
    assert Printer().tabs([["before", "it"], fields, ["behind", "it"]]) == 3
    assert out.data.getvalue() == b"before\tit\n" + line + b"behind\tit\n"


def test_what_the_encoding_lacks_is_escaped(redirect: Redirect) -> None:
    stream = redirect(encoding="ascii")
    printer = Printer()
    printer.tabs([["端", "a"]])
    printer.page("é")
    assert stream.data.getvalue() == b"\\u7aef\ta\n\\xe9\n"


@pytest.mark.parametrize(
    ("path", "data"),
    [("/tmp/端", None), (os.fsdecode(b"/tmp/\xff"), b"/tmp/\xff"), ("/tmp/\ud83d", None), ("plain", None)],
)
def test_the_bytes_of_a_path(path: str, data: bytes | None) -> None:
    assert path_bytes(path) == data


@pytest.mark.parametrize("parameters", [{"query": "["}, {"where": "["}, {"query": ""}, {"where": ""}])
def test_a_wrong_expression_is_said_at_once(redirect: Redirect, parameters: dict[str, str]) -> None:
    redirect()
    with pytest.raises(UsageError):
        Printer(**parameters)


def test_notes_come_after_what_was_written_and_not_with_quiet(
    redirect: Redirect, capfd: pytest.CaptureFixture[str]
) -> None:
    redirect()
    Printer(quiet=True).note("nothing")
    Printer().note("two\nlines\x1b")
    assert capfd.readouterr().err == "two lines\\x1b\n"


class Broken(io.RawIOBase):
    """A stream that nobody reads."""

    def writable(self) -> bool:
        return True

    def write(self, data: object) -> int:
        raise BrokenPipeError


@pytest.mark.parametrize(
    "stream", [None, io.TextIOWrapper(io.BufferedWriter(Broken()), "utf-8")], ids=["none", "broken"]
)
def test_talk_that_nobody_hears_is_no_failure(stream: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", stream)
    say("hello")
    talk(b"hello\n")
    if stream is not None:
        with pytest.raises(BrokenPipeError):
            stream.detach()


def test_talk_on_a_stream_of_text_only(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    say("端\x1b")
    assert stream.getvalue() == "端\\x1b\n"
