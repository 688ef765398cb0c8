"""Repair while an agent saves: not one of its messages is lost, and its damage is mended all the same."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest
from support import clumsy, faults
from support.chats import CATBUDDY
from support.repairs import Place, wishes

from memcli.core import repairing
from memcli.core.verifying import Scope


def beside(place: Place, saves: int, pause: float) -> tuple[int, int, int]:
    """(messages that the agent lost, repairs that were made, those that were refused) while it saves so often."""
    scope, wanted = Scope([place.workspace]), wishes(False, {})
    made = refused = 0
    command = [sys.executable, clumsy.__file__, str(place.path), str(saves), str(pause)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as agent:
        assert agent.stdout is not None
        agent.stdout.readline()
        while agent.poll() is None:
            [plan] = repairing.plans(scope, wanted)
            if plan.empty:
                time.sleep(0.002)
                continue
            again = lambda plan=plan: repairing.replanned(plan, scope, wanted, "")  # noqa: E731
            _, done = repairing.carry_out(plan, wanted, command=[], idle=0.0, force_live=True, again=again)
            made += bool(done.id)
            refused += bool(done.refused)
        lost = int(agent.stdout.read())
    return lost, made, refused


def check(tmp_path: Path, saves: int, pause: float) -> None:
    place = Place(tmp_path / "home", CATBUDDY, clumsy.HEADER + b"\n")
    lost, made, _ = beside(place, saves, pause)
    assert lost == 0
    assert made, "no repair came through: the test shows nothing"
    place.repair()
    lines = place.path.read_bytes().split(b"\n")
    assert lines[0] == clumsy.HEADER
    assert clumsy.message(saves) in lines
    assert not [path.name for path in place.sessions.iterdir() if path.name.endswith(".part")]


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MEMCLI_STATE_DIR", str(tmp_path / "state"))
    faults.quick_disk(monkeypatch)


def test_an_agent_that_saves_200_times_a_second_loses_nothing(tmp_path):
    check(tmp_path, 400, 0.005)


@pytest.mark.slow
def test_100_000_saves_beside_repairs(tmp_path):
    check(tmp_path, 100_000, 0.001)
