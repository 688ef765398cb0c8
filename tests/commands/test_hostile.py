"""Content that was written to fool a terminal: no command lets it through raw, in any form of output."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from support.cli import Ran, run, short
from support.display import COLOUR, width

TRICKS = {
    "colour": "\x1b[31mred\x1b[0m",
    "clear the screen": "\x1b[2J\x1b[H",
    "title": "\x1b]0;owned\x07",
    "clipboard (OSC 52)": "\x1b]52;c;cm0gLXJmIC8=\x07",
    "hyperlink": "\x1b]8;;http://example.invalid\x1b\\click\x1b]8;;\x1b\\",
    "C1 CSI": "\x9b31mred",
    "C1 OSC": "\x9d52;c;AAAA\x9c",
    "device control": '\x1bP$q"p\x1b\\',
    "carriage return": "harmless\rrm -rf",
    "backspaces": "rm -rf\b\b\b\b\b\bharmless",
    "bell, delete, NUL": "\x07\x7f\x00",
    "vertical tab and form feed": "a\x0bb\x0cc",
    "bidi override": "user\u202etxt.exe",
    "bidi isolates": "\u2066\u2067\u2068\u2069",
    "tags": "\U000e0041\U000e0042",
    "line separators": "one\u2028two\u2029three\u0085four",
    "byte order mark": "\ufeffmark",
    "lone surrogate": "half \ud83d",
    "Rich markup": "[bold red]markup[/] [link=http://example.invalid]x[/link]",
    "tab and newline": "one\ttwo\nthree",
    "backslashes": "\\x1b[31m \\n \\\\",
}
CONTROL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff\U000e0000-\U000e007f]"
)


def workspace(folder: Path, trick: str) -> Path:
    """A catbuddy workspace with the trick wherever a string can stand."""
    sessions = folder / "sessions"
    sessions.mkdir(parents=True)
    key = f"desktop:{trick}"
    header = {
        "key": key,
        "title": trick,
        "preview": trick,
        "created_at": trick,
        "updated_at": trick,
        "metadata": {trick: trick},
    }
    calls = [{"id": trick, "name": f"tool {trick}", "arguments": {trick: f"needle {trick}"}}]
    rows = [
        {
            "id": 1,
            "sessionKey": key,
            "role": "user",
            "content": f"needle {trick}",
            "timestamp": "2026-05-20T08:30:00.000Z",
        },
        {
            "id": 2,
            "role": "assistant",
            "content": "",
            "reasoningContent": trick,
            "toolCalls": calls,
            "timestamp": trick,
        },
        {"id": 3, "role": trick, "name": trick, "content": f"needle {trick}", "toolCallId": trick, "timestamp": trick},
        {"id": trick, "role": "user", "content": [{"type": trick, trick: f"needle {trick}"}]},
    ]
    lines = [json.dumps(row) for row in (header, *rows)]
    torn = json.dumps({"id": 9, "role": "user", "content": f"needle {trick}"}, ensure_ascii=False)[:-2]
    data = ("\n".join(lines) + "\n" + torn).encode("utf-8", "surrogatepass")
    (sessions / "desktop_x.jsonl").write_bytes(data)
    name = re.sub("[/\x00\ud83d]", "_", trick)
    (sessions / f"desktop_{name}.jsonl").write_bytes(data)
    return folder


COMMANDS = (
    ["sessions", "ls"],
    ["sessions", "ls", "--long"],
    ["sessions", "show", "desktop_x.jsonl"],
    ["sessions", "show", "desktop_x.jsonl", "--row", "3", "-C", "9"],
    ["sessions", "show", "desktop_x.jsonl", "--line", "6"],
    ["grep", "needle"],
    ["grep", "-C2", "needle"],
    ["grep", "-o", "-E", "needle.*"],
    ["grep", "-c", "needle"],
    ["grep", "-v", "zzz"],
    ["tail", "desktop_x.jsonl"],
    ["tail", "--all"],
    ["sessions", "show", "no such thing"],
)


def typed(command: list[str], place: Path) -> list[str | Path]:
    return [place / "sessions" / word if word.endswith(".jsonl") else word for word in command]


def harmless(ran: Ran) -> None:
    assert ran.code in (0, 1, 2)
    for stream in (ran.out, ran.err):
        found = CONTROL.search(COLOUR.sub("", stream))
        assert found is None, (found, stream)


@pytest.mark.parametrize("trick", TRICKS)
@pytest.mark.parametrize("command", COMMANDS, ids=short)
def test_nothing_passes(tmp_path: Path, trick: str, command: list[str]) -> None:
    place = workspace(tmp_path, TRICKS[trick])
    arguments = [*typed(command, place), "-W", place]
    plain = run(*arguments)
    harmless(plain)
    assert "\x1b" not in plain.out + plain.err
    harmless(run(*arguments, "--color", "always"))
    for columns in (200, 60, 20):
        shown = run(*arguments, columns=columns)
        harmless(shown)
        if command[:2] == ["sessions", "ls"] or command[0] == "grep":
            assert max(map(width, shown.out.split("\n"))) <= columns


@pytest.mark.parametrize("trick", TRICKS)
@pytest.mark.parametrize("command", COMMANDS[:-1], ids=short)
def test_json_keeps_the_value_and_shows_nothing(tmp_path: Path, trick: str, command: list[str]) -> None:
    place = workspace(tmp_path, TRICKS[trick])
    ran = run(*typed(command, place), "--json", "-W", place)
    harmless(ran)
    rows = [json.loads(line) for line in ran.out.split("\n")[:-1]]
    assert rows
    assert any(row["key"] == f"desktop:{TRICKS[trick]}" for row in rows)


@pytest.mark.parametrize("trick", TRICKS)
@pytest.mark.parametrize("form", ["md", "html", "json"])
def test_exports_pass_nothing(tmp_path: Path, trick: str, form: str) -> None:
    place = workspace(tmp_path / "home", TRICKS[trick])
    harmless(run("sessions", "export", place / "sessions" / "desktop_x.jsonl", "--format", form))
    ran = run("sessions", "export", "-W", place, "--all", "--format", form, "-o", tmp_path / "out")
    harmless(ran)
    for path in (tmp_path / "out").iterdir():
        assert path.name.isprintable()
        assert CONTROL.search(path.read_text(encoding="utf-8")) is None


@pytest.mark.parametrize("trick", TRICKS)
def test_columns_hold(tmp_path: Path, trick: str) -> None:
    """Tabs and newlines in the data make no columns and no rows."""
    place = workspace(tmp_path, TRICKS[trick])
    assert [len(row) for row in run("sessions", "ls", "-W", place).rows] == [7, 7]
    assert [len(row) for row in run("sessions", "ls", "--long", "-W", place).rows] == [10, 10]
    assert {len(row) for row in run("grep", "needle", "-W", place).rows} == {5}


@pytest.mark.parametrize("trick", TRICKS)
def test_a_script_gets_the_text_back(tmp_path: Path, trick: str) -> None:
    """What is escaped in a column can be read back: \\t, \\n and \\\\, and escapes of what a terminal would obey."""
    if CONTROL.search(TRICKS[trick]):
        return
    place = workspace(tmp_path, TRICKS[trick])
    [title, _] = run("sessions", "ls", "-W", place).rows[0][5:]
    back = re.sub(r"\\([tn\\])", lambda match: {"t": "\t", "n": "\n", "\\": "\\"}[match[1]], title)
    assert back == TRICKS[trick]


def test_rich_markup_is_text(tmp_path: Path) -> None:
    place = workspace(tmp_path, TRICKS["Rich markup"])
    for command in (["sessions", "show", "desktop_x.jsonl"], ["grep", "needle"], ["tail", "desktop_x.jsonl"]):
        assert "[bold red]markup[/]" in run(*typed(command, place), "-W", place, columns=200).out


def test_a_hostile_argument_is_not_echoed_raw(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text("{}\n")
    for trick in TRICKS.values():
        if "\0" in trick or "\ud83d" in trick:
            continue
        for arguments in (
            ["sessions", "show", trick],
            ["grep", "-E", f"({trick}"],
            ["sessions", "ls", "--since", trick],
            [trick],
        ):
            ran = run(*arguments, "-W", tmp_path)
            harmless(ran)
            assert "\x1b" not in ran.err
