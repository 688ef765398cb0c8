"""Every way in which nanobot loses a chat, by the signature that it leaves: a home each, the verdict, and the command that the
verdict names, carried out and counted before and afterwards by what nanobot sends to its model."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest
from support.cli import run, snapshot
from support.lost import Expected
from support.lost_nanobot import CASES, Home, Lost

from memcli.formats.nanobot import sending
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


def asked(case: Lost, home: Home) -> list[dict]:
    done = run("doctor", "--json", case.ask, "-W", home.workspace)
    assert done.code in (0, 1), done.err
    return [json.loads(line) for line in done.out.splitlines()]


def count(case: Lost, home: Home) -> int:
    """What the case counts."""
    assert case.counts == "sent"
    path = home.path(case.key)
    if not path.is_file():
        return 0
    with path.open("rb") as file:
        lines = ((line, decode(line.raw)) for line in forward(file.fileno()))
        return sending.sent(lines, path.name, home.era).rows
