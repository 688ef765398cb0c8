"""`sessions show`: golden portraits of every sample session, then single places and what cannot be read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support import golden
from support.cli import run

from memcli.core import discovering, listing

FORMS = {"txt": [], "jsonl": ["--json"]}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("workspace", golden.WORKSPACES)
def test_golden(stage: dict[str, Path], workspace: str, form: str) -> None:
    pages = []
    for row in listing.sessions(discovering.find([str(stage[workspace])])):
        ran = run("sessions", "show", "-W", stage[workspace], row.key, *FORMS[form])
        assert (ran.code, ran.err) == (0, "")
        pages.append(ran.out)
    golden.check(f"sessions_show/{workspace}.{form}", "".join(pages), {"SAMPLES": stage[workspace].parent})


PORT = "desktop:1748822400000"
PLACES = {
    # golden file: (session, arguments)
    "row.txt": ("desktop:main", ["--row", "6"]),
    "row_call.txt": ("desktop:main", ["--row", "2"]),
    "row_context.txt": (PORT, ["--row", "3", "-C", "2"]),
    "row_first_context.txt": ("desktop:main", ["--row", "1", "-C", "1"]),
    "row_last_context.txt": ("desktop:main", ["--row", "6", "-C", "9"]),
    "line_unreadable.txt": (PORT, ["--line", "4"]),
    "line_header.txt": (PORT, ["--line", "1"]),
    "row_context.jsonl": (PORT, ["--row", "3", "-C", "1", "--json"]),
    "line_header.jsonl": (PORT, ["--line", "1", "--json"]),
    "row_query.jsonl": ("desktop:main", ["--row", "2", "-C", "1", "--query", "[line, row, role]"]),
    "row_where.txt": ("desktop:main", ["--row", "2", "-C", "4", "--where", "role == 'tool'"]),
    "nul.txt": ("desktop:1749081600000", []),
    "empty.txt": ("desktop:1748995200000", []),
    "torn.txt": ("desktop:1748908800000", []),
    "torn.jsonl": ("desktop:1748908800000", ["--json"]),
    "spliced.txt": (PORT, []),
}


@pytest.mark.parametrize("name", PLACES)
def test_demonstration(demonstration: Path, name: str) -> None:
    session, arguments = PLACES[name]
    ran = run("sessions", "show", "-W", demonstration, session, *arguments)
    assert (ran.code, ran.err) == (0, "")
    golden.check(f"sessions_show/demo/{name}", ran.out, {"DEMO": demonstration})


BEYOND = {
    "--row 7": "desktop:main has no row 7: its rows go from 1 to 6.",
    "--row 7 -C 3": "desktop:main has no row 7: its rows go from 1 to 6.",
    "--line 8": "desktop:main has no line 8: it has 7 lines.",
    "--line 99999999999": "desktop:main has no line 99999999999: it has 7 lines.",
}


@pytest.mark.parametrize("arguments", BEYOND)
def test_a_place_beyond_the_file(demonstration: Path, arguments: str) -> None:
    ran = run("sessions", "show", "-W", demonstration, "desktop:main", *arguments.split())
    assert (ran.code, ran.out, ran.err) == (2, "", f"memcli: {BEYOND[arguments]}\n")


def test_the_newest_chat_is_shown_when_none_is_named(stage: dict[str, Path]) -> None:
    ran = run("sessions", "show", "-W", stage["nanobot-v0.3.5"], "--query", "key")
    assert ran.out == '"cli:direct"\n'


def test_long_lists_of_bad_rows_and_gaps_are_cut_on_the_page_only(tmp_path: Path) -> None:
    path = tmp_path / "chat.jsonl"
    rows = [
        f'{{"role":"user","content":"x","id":{n * 2},"timestamp":"2026-01-{n + 1:02}T00:00:00Z"}}\noops\n'
        for n in range(25)
    ]
    path.write_text("".join(rows))
    page = run("sessions", "show", path).out
    assert page.count("cannot be read: not-json") == 10
    assert "and 15 more; --json has them all" in page
    assert page.count("id missing before row") + page.count("of silence before row") == 10
    assert "  gap     and 38 more\n" in page
    value = json.loads(run("sessions", "show", path, "--json").out)
    assert len(value["unreadable"]) == 25
    assert len(value["gaps"]) == 48
    assert (value["rows"], value["messages"], value["damage"]) == (50, 25, ["not-json"])


def test_blank_lines_are_neighbours_of_nothing(tmp_path: Path) -> None:
    path = tmp_path / "chat.jsonl"
    path.write_text('\n{"role":"user","content":"one"}\n\n\r\n{"role":"user","content":"two"}\n')
    places = run("sessions", "show", path, "--row", "2", "-C", "1", "--query", "[line, row, text]").out
    assert [json.loads(line) for line in places.splitlines()] == [[2, 1, "one"], [5, 2, "two"]]
    [blank] = map(json.loads, run("sessions", "show", path, "--line", "3", "--json").out.splitlines())
    assert (blank["type"], blank["what"], blank["row"], blank["raw"]) == ("line", "blank", None, "")
