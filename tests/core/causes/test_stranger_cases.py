"""What doctor says to somebody who never saw it: one cause for one chat, each place once, no sentence against another."""

from __future__ import annotations

import json
import shlex
import tarfile
from pathlib import Path

import pytest
from support.cli import run, spawn
from support.lost import cat_chat, cat_name, put
from support.lost_nanobot import KEY, WORDS, Home, answering, dumped, header, lossy_name, rows


def verdicts(asked: str, workspace: Path) -> list[dict]:
    return [json.loads(line) for line in run("doctor", "--json", asked, "-W", workspace).out.splitlines()]


@pytest.fixture
def left_behind(no_home: Path) -> Home:
    """A chat of an older version, in the folder and under the name that it had then."""
    home = Home(no_home, "E4")
    put(home.workspace / "sessions" / lossy_name(KEY), dumped(header(), *rows(6)))
    home.chat(header("telegram:7"), *rows(2, 20), key="telegram:7")
    home.settle()
    return home


@pytest.mark.parametrize("asked", [WORDS, KEY])
def test_what_an_older_version_left_is_not_renamed_as_well(left_behind: Home, asked: str) -> None:
    [verdict] = verdicts(asked, left_behind.workspace)
    assert verdict["cause"] == "moved-by-upgrade"


def test_the_overview_leads_to_what_an_older_version_left(left_behind: Home) -> None:
    told = [json.loads(line) for line in run("doctor", "--json", "-W", left_behind.workspace).out.splitlines()]
    [line] = [one for one in told if one["name"] == "chain" and one["state"] != "ok"]
    assert line["message"] == "1 session is where only an older version of the agent looks for it"
    assert shlex.split(line["command"])[:3] == ["memcli", "doctor", KEY]
    assert not any("--reroute" in one["command"] for one in told)


def test_a_folder_of_chats_that_was_looked_into_explains_no_other_word(left_behind: Home) -> None:
    [verdict] = verdicts("nobody", left_behind.workspace)
    assert (verdict["cause"], verdict["layer"]) == ("unknown", "none")


def test_what_was_brought_over_is_no_error_any_more(left_behind: Home) -> None:
    [verdict] = verdicts(KEY, left_behind.workspace)
    assert run(*shlex.split(verdict["command"])[1:]).code == 0
    told = [json.loads(line) for line in run("doctor", "--json", "-W", left_behind.workspace).out.splitlines()]
    [line] = [one for one in told if one["name"] == "chain"]
    assert (line["state"], line["message"]) == (
        "info",
        "1 file of an older version is beside the file that its session is in now",
    )
    done = run(*shlex.split(line["command"])[1:])
    assert "6 rows in both" in done.out + done.err


@pytest.mark.parametrize("command", [("doctor",), ("doctor", WORDS), ("verify",), ("sessions", "ls")])
def test_a_folder_that_may_not_be_read_is_called_so(left_behind: Home, command: tuple[str, ...]) -> None:
    left_behind.sessions.chmod(0)
    done = spawn(*command, "-W", left_behind.workspace, mortal=True)
    left_behind.sessions.chmod(0o700)
    assert f"{left_behind.sessions}: permission denied." in done.out + done.err or "unreadable" in done.out
    assert "It is a folder" not in done.out
    assert "odd-file" not in done.out


def test_what_could_not_be_looked_at_is_evidence(left_behind: Home) -> None:
    left_behind.sessions.chmod(0)
    done = spawn("doctor", "--json", "nobody said so", "-W", left_behind.workspace, mortal=True)
    left_behind.sessions.chmod(0o700)
    [verdict] = [json.loads(line) for line in done.out.splitlines()]
    assert f"It was not possible to look everywhere: {left_behind.sessions}: permission denied." in verdict["evidence"]


def test_each_place_with_the_words_is_told_once(left_behind: Home) -> None:
    [verdict] = verdicts(WORDS, left_behind.workspace)
    assert run(*shlex.split(verdict["command"])[1:]).code == 0
    [verdict] = verdicts(WORDS, left_behind.workspace)
    places = [sentence for sentence in verdict["evidence"] if sentence.endswith("has the words.")]
    assert verdict["cause"] == "not-lost"
    assert places == [f"Row 3 of {left_behind.path()} has the words."]


def test_a_header_that_is_not_there_does_not_lack_a_member(no_home: Path) -> None:
    sessions = no_home / ".catbuddy" / "workspace" / "sessions"
    put(sessions / cat_name("desktop:other"), cat_chat(3, "desktop:other"))
    put(sessions / cat_name("desktop:main"), cat_chat(3).partition(b"\n")[2])
    [verdict] = verdicts("desktop:main", sessions.parent)
    assert verdict["cause"] == "hidden-by-list"
    assert not any("has no updated_at" in sentence for sentence in verdict["evidence"])


@pytest.mark.parametrize(("orphans", "told"), [(1, "That row goes"), (2, "2 such rows go")])
def test_rows_that_go_are_counted_as_people_count(no_home: Path, orphans: int, told: str) -> None:
    home = Home(no_home, "E2")
    home.chat(header(), *rows(4), *[answering(10 + n, f"gone{n}") for n in range(orphans)], *rows(2, 21))
    home.settle()
    [verdict] = verdicts(KEY, home.workspace)
    assert f"{told} to quarantine." in verdict["evidence"]


@pytest.mark.parametrize("below", ["", "sent/by/a user"])
@pytest.mark.parametrize("torn", [True, False])
def test_the_command_for_an_archive_can_be_pasted(no_home: Path, monkeypatch, below: str, torn: bool) -> None:
    workspace = no_home / "workspace"
    put(workspace / "sessions" / cat_name("desktop:main"), cat_chat(6)[: -20 if torn else None])
    with tarfile.open(no_home / "sent.tar.gz", "w:gz") as tar:
        tar.add(workspace, below or ".")
    monkeypatch.chdir(no_home)
    [verdict] = verdicts("问题 3", no_home / "sent.tar.gz")
    done = run(*shlex.split(verdict["command"])[1:])
    assert done.code == 0, done.err
    if torn:
        assert (verdict["cause"], verdict["recoverable"]) == ("unreadable-row", 5)
        assert len((no_home / "desktop_main.jsonl").read_bytes().splitlines()) == 6


def test_a_lock_that_was_left_hides_no_row(no_home: Path) -> None:
    memory = no_home / "CocoCat" / "agents" / "leader" / "memory"
    record = {"timestamp": "2026-05-02T10:00:00", "prompt": "发布网站", "response_summary": "ok", "iterations": 2}
    put(memory / "history.jsonl", dumped(record))
    put(memory / "MEMORY.md", b"# Leader Memory\n")
    put(memory / "MEMORY.md.lock", b"4190001")
    done = run("doctor", "发布网站", "-W", no_home / "CocoCat")
    lines = done.out.splitlines()
    assert lines[:2] == [
        "locked-out  leader",
        "  No row is lost; what the lock kept from being written is not known.",
    ]
    assert f"  Row 1 of {memory}/history.jsonl has the words." in lines
