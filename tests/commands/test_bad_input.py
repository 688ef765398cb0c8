"""Everything wrong that can be typed: one sentence, the right exit code, nothing changed, no traceback."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from support.cli import one_sentence, run, short

Intact = Callable[[Path], Path]
DIGITS = "9" * 5000
TYPED: list[tuple[list[str], str]] = [
    # what is typed, a part of the sentence; the exit code is 2
    (["frob"], "No such command 'frob'"),
    (["--frob"], "No such option: --frob"),
    (["-W"], "Option '-W' requires an argument"),
    (["sessions", "frob"], "No such command 'frob'"),
    (["sessions", "ls", "--frob"], "No such option: --frob"),
    (["sessions", "ls", "--limit"], "requires an argument"),
    (["sessions", "ls", "--limit", "x"], "'x' is not a whole number"),
    (["sessions", "ls", "--limit", "1.5"], "'1.5' is not a whole number"),
    (["sessions", "ls", "--limit", "-1"], "-1 is not in the range"),
    (["sessions", "ls", "--limit", DIGITS], "is not a whole number"),
    (["sessions", "ls", "--sort", "bogus"], "'bogus' is not one of"),
    (["sessions", "ls", "--color", "x"], "'x' is not one of 'auto', 'always', 'never'"),
    (["sessions", "ls", "extra"], "unexpected extra argument"),
    (["sessions", "ls", "--agent", "frob"], "There is no agent format called 'frob'"),
    (["sessions", "ls", "-W", "/nowhere"], "/nowhere does not exist"),
    (["sessions", "ls", "-W", ""], "An empty -W names no place"),
    (["sessions", "ls", "-W", "~nobody-here/x"], "~nobody-here/x does not exist"),
    (["sessions", "ls", "-W", "\udcff\udcfe"], "does not exist"),
    (["sessions", "ls", "--tz", "Mars/Olympus"], "There is no time zone called 'Mars/Olympus'"),
    (["sessions", "ls", "--since", "nonsense"], "'nonsense' is not a time"),
    (["sessions", "ls", "--until", "2026-13-45"], "'2026-13-45' is not a time"),
    (["sessions", "show", "nosuch"], "No session answers to 'nosuch' among 6"),
    (["sessions", "show", "desktop:17"], "'desktop:17' can mean desktop:1749081600000, desktop:1748995200000,"),
    (["sessions", "show", "\udcff"], "No session answers to"),
    (["sessions", "show", "/nowhere.jsonl"], "/nowhere.jsonl does not exist"),
    (["sessions", "show", "./nowhere.jsonl"], "./nowhere.jsonl does not exist"),
    (["sessions", "show", "/"], "/ is a folder; name it with -W"),
    (["sessions", "show", "a", "b"], "unexpected extra argument"),
    (["sessions", "show", "desktop:main", "--row", "0"], "0 is not in the range"),
    (["sessions", "show", "desktop:main", "--row", "99"], "has no row 99: its rows go from 1 to 6"),
    (["sessions", "show", "desktop:main", "--row", "1", "--line", "1"], "--row and --line name two places"),
    (["sessions", "show", "desktop:main", "-C", "1"], "-C needs --row or --line"),
    (["doctor", "words", "I", "remember"], "unexpected extra arguments (I remember). Words with blanks go in quotes."),
    (["doctor", "two", "words"], "unexpected extra argument (words). Words with blanks go in quotes."),
    (["grep"], "grep needs a pattern"),
    (["grep", "x", "nosuch"], "No session answers to 'nosuch'"),
    (["grep", "x", "desktop:main", "desktop:17"], "'desktop:17' can mean"),
    (["grep", "-E", "("], "The regular expression '(' is not valid at character 1"),
    (["grep", "-E", "[z-a]"], "bad character range z-a"),
    (["grep", "-E", "*"], "nothing to repeat"),
    (["grep", "-E", "\\"], "bad escape"),
    (["grep", "-E", "a{99999999999}"], "it is too large or nested too deep"),
    (["grep", "-E", "(" * 5000 + ")" * 5000], "it is too large or nested too deep"),
    (["grep", "-E", "-e", "fine", "-e", ")"], "unbalanced parenthesis"),
    (["grep", "-w", "-E", "(?P<x"], "missing >"),
    (["grep", "-Z", "x"], "-Z ends paths with NUL"),
    (["grep", "-c", "-l", "x"], "give one of them"),
    (["grep", "-v", "-o", "x"], "-v has no matching part"),
    (["grep", "-m", "0", "x"], "0 is not in the range"),
    (["grep", "-A", "-1", "x"], "-1 is not in the range"),
    (["grep", "--since", "-1d", "x"], "'-1d' is not a time"),
    (["grep", "--where", "[", "x"], "The JMESPath expression '[' is wrong at character 2"),
    (["grep", "--where", "nosuch(@)", "x"], "there is no function nosuch()"),
    (["grep", "--query", "", "x"], "it is empty"),
    (["grep", "--query", "length(row)", "8081"], "length() takes string or array or object, not number"),
    (["grep", "--query", "a..b", "nothing at all"], "The JMESPath expression 'a..b' is wrong"),
    (["tail", "-n", "x"], "'x' is not a whole number"),
    (["tail", "-n", "-1"], "-1 is not in the range"),
    (["tail", "-n", DIGITS], "is not a whole number"),
    (["tail", "nosuch"], "No session answers to 'nosuch'"),
    (["tail", "desktop:17"], "'desktop:17' can mean"),
    (["tail", "--where", "("], "The JMESPath expression '(' is wrong"),
]


@pytest.mark.parametrize(("typed", "phrase"), TYPED, ids=short)
def test_typed(demonstration: Path, tmp_path: Path, intact: Intact, typed: list[str], phrase: str) -> None:
    ran = run(*typed, env={"MEMCLI_WORKSPACE": str(demonstration)}, cwd=intact(tmp_path))
    one_sentence(ran, 2, phrase)


@pytest.mark.parametrize(("typed", "phrase"), [case for case in TYPED if not case[0][0].startswith("-")], ids=short)
def test_typed_with_json(demonstration: Path, typed: list[str], phrase: str) -> None:
    words = 2 if typed[0] == "sessions" else 1
    ran = run(*typed[:words], "--json", *typed[words:], env={"MEMCLI_WORKSPACE": str(demonstration)})
    assert ran.code == 2
    assert ran.err.count("\n") == 1
    error = json.loads(ran.err)
    assert (error["type"], error["exit"], type(error["code"])) == ("error", 2, str)
    assert phrase in error["message"]


def test_candidates_are_listed_for_programs(demonstration: Path) -> None:
    error = json.loads(run("sessions", "show", "--json", "desktop:1748", "-W", demonstration).err)
    assert error["code"] == "ambiguous-session"
    assert error["candidates"] == [
        "desktop:1748995200000",
        "desktop:1748908800000",
        "desktop:1748822400000",
        "desktop:1748736000000",
    ]


COMMANDS = (["sessions", "ls"], ["sessions", "show"], ["grep", "x"], ["tail"])


@pytest.mark.parametrize("command", COMMANDS, ids=short)
def test_nothing_found_names_the_places(tmp_path: Path, no_home: Path, command: list[str]) -> None:
    ran = run(*command, cwd=tmp_path)
    one_sentence(ran, 2, f"at or above {tmp_path}, nor in {no_home}/.catbuddy, {no_home}/.nanobot")
    assert "memcli demo" in ran.err


@pytest.mark.parametrize("command", COMMANDS, ids=short)
def test_an_empty_folder(tmp_path: Path, intact: Intact, command: list[str]) -> None:
    one_sentence(run(*command, "-W", intact(tmp_path)), 2, f"No sessions or memory of a known agent in {tmp_path}")


@pytest.mark.parametrize("command", COMMANDS[1:2] + COMMANDS[3:], ids=short)
def test_a_workspace_without_sessions(tmp_path: Path, command: list[str]) -> None:
    (tmp_path / ".catbuddy" / "workspace" / "memory").mkdir(parents=True)
    (tmp_path / ".catbuddy" / "workspace" / "memory" / "MEMORY.md").touch()
    assert run("sessions", "ls", "-W", tmp_path / ".catbuddy")[:2] == (0, "")
    one_sentence(run(*command, "-W", tmp_path / ".catbuddy"), 2, "The workspace has no sessions yet")
