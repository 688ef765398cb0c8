"""Every way in which nanobot loses a chat, by the signature that it leaves: a home each, the verdict, and the command that the
verdict names, carried out and counted before and afterwards by what nanobot sends to its model."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from support.cli import run, snapshot
from support.lost import Expected
from support.lost_nanobot import CASES, KEY, WORDS, Home, Lost, header, rows

from memcli.core.causes import locked_out
from memcli.formats.nanobot import loader, sending
from memcli.storage.decode import decode
from memcli.storage.lines import forward


@pytest.fixture(params=CASES, ids=lambda case: case.name)
def case(request: pytest.FixtureRequest) -> Lost:
    found: Lost = request.param
    return found


@pytest.fixture
def home(case: Lost, no_home: Path) -> Home:
    made = Home(no_home, case.era)
    case.make(made)
    made.settle()
    return made


def test_a_lost_chat_is_explained_and_comes_back(case: Lost, home: Home) -> None:
    before, counted = snapshot(home.folder), count(case, home)
    first = asked(case, home)[0]
    assert Expected(first["cause"], first["layer"], first["recoverable"], first["lost"]) == case.expected, first
    assert first["evidence"]
    assert snapshot(home.folder) == before, "doctor changed something"
    done = run(*shlex.split(first["command"])[1:])
    assert done.code in (0, 1), done.err
    assert count(case, home) - counted == (case.expected.recoverable or 0)
    if case.expected.recoverable:
        again = asked(case, home)[0]
        assert not again["recoverable"], "it is not back"
    else:
        assert snapshot(home.folder) == before, "what only shows something changed it"


UNSIGNED = {
    # user-reported problems that leave nothing on disk by which a chat could be explained
    5: "what compaction deleted has no words any more, and no session leads to a gap in the journal",
    6: "entries before the position count as dreamt; that MEMORY.md was set back stands in git, where the words are found",
    9: "nothing is lost: a batch is dreamt twice, which shows as facts that MEMORY.md has twice",
    39: "versions of the memory files, not chats; what keeps them from being made is told by verify",
    43: "nothing is lost: the same fact stands in several files",
    45: "a wish for this very command",
}


def test_every_reported_problem_is_a_case_or_leaves_no_trace() -> None:
    shown = {number for case in CASES for number in case.problems}
    assert shown | set(UNSIGNED) == set(range(1, 46))
    assert not shown & set(UNSIGNED)
    assert all(UNSIGNED.values())


def test_healthy_chats_are_not_lost(nanobot: Path) -> None:
    asked_for = 0
    for sample in sorted(nanobot.iterdir()):
        home = sample / ".nanobot"
        keys = [json.loads(line)["key"] for line in run("sessions", "ls", "--json", "-W", home).out.splitlines()]
        for key in keys:
            done = run("doctor", "--json", key, "-W", home)
            assert [json.loads(line)["cause"] for line in done.out.splitlines()] == ["not-lost"], (sample.name, key)
            assert done.code == 0
            asked_for += 1
    assert asked_for == 17


@pytest.mark.parametrize(
    ("sample", "words", "cause"),
    [
        ("nanobot-v0.3.5", "Oslo", "offset-hides"),  # compacted on purpose: the summary stands for it
        ("nanobot-v0.3.5", "slash é", "not-lost"),
        ("nanobot-v0.3.0", "colon", "not-lost"),
        ("nanobot-v0.2.2", "after new", "not-lost"),
        ("nanobot-v0.2.2", "persist across sessions", "not-lost"),  # in MEMORY.md
        ("nanobot-v0.3.5-killed", "first turn", "not-lost"),
    ],
)
def test_words_in_healthy_chats(nanobot: Path, sample: str, words: str, cause: str) -> None:
    done = run("doctor", "--json", words, "-W", nanobot / sample / ".nanobot")
    [verdict] = [one for one in map(json.loads, done.out.splitlines()) if not one["key"].startswith("dream:")]
    assert (verdict["cause"], verdict["recoverable"], verdict["lost"]) == (cause, 0, 0)


def asked(case: Lost, home: Home) -> list[dict]:
    done = run("doctor", "--json", case.ask, "-W", home.workspace)
    assert done.code in (0, 1), done.err
    return [json.loads(line) for line in done.out.splitlines()]


def count(case: Lost, home: Home) -> int:
    """What the case counts."""
    if case.counts == "pending":
        return pending(home)
    path = home.path(case.key)
    if not path.is_file():
        return 0
    with path.open("rb") as file:
        lines = ((line, decode(line.raw)) for line in forward(file.fileno()))
        if case.counts == "listed":
            view = loader.view(lines, path.name, home.era)
            return view.seen if view.listed else 0
        return sending.sent(lines, path.name, home.era).rows


def pending(home: Home) -> int:
    """How many entries the next Dream takes: those with a whole number above its position."""
    position = int((home.memory / ".dream_cursor").read_text())
    values = [json.loads(line) for line in (home.memory / "history.jsonl").read_text("utf-8").splitlines()]
    return sum(type(value.get("cursor")) is int and value["cursor"] > position for value in values)


HOLDER = """
import fcntl, sys
file = open(sys.argv[1], "w")
fcntl.flock(file, fcntl.LOCK_EX)
print("held", flush=True)
sys.stdin.read()
"""


@pytest.mark.parametrize("words", [KEY, WORDS])
def test_a_lock_that_is_held_on_and_on_keeps_the_agent_out(no_home: Path, monkeypatch, words: str) -> None:
    monkeypatch.setattr(locked_out, "PAUSE", 0.01)
    home = Home(no_home, "E4")
    home.chat(header(last_archived=0), *rows(4))
    lock = home.sessions / ".session-files.lock"
    lock.touch()
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, lock], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        done = run("doctor", "--json", words, "-W", home.workspace)
        [verdict] = map(json.loads, done.out.splitlines())
        assert holder.stdin is not None
        holder.stdin.close()
    assert done.code == 1
    assert Expected(*(verdict[name] for name in Expected._fields)) == Expected("locked-out", "session", 0, 0)
    assert str(holder.pid) in verdict["evidence"][0]
    assert verdict["command"] == f"memcli locks ls -W {home.workspace}"
    again = run("doctor", "--json", words, "-W", home.workspace)
    assert [json.loads(line)["cause"] for line in again.out.splitlines()] == ["not-lost"]
