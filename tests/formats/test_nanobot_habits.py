"""What nanobot's gateway does about Dream by its settings, and what its newest generation leaves behind unread."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from memcli.formats import habits, load
from memcli.formats.facets import Waiting
from memcli.model import Workspace

SETTINGS: dict[str, tuple[Any, bool, str]] = {
    "nothing is said": ({}, True, "every 2 hours"),
    "another interval": ({"agents": {"defaults": {"dream": {"intervalH": 6}}}}, True, "every 6 hours"),
    "the older name": ({"agents": {"defaults": {"dream": {"interval_h": 3}}}}, True, "every 3 hours"),
    "a schedule": ({"agents": {"defaults": {"dream": {"cron": "0 3 * * *"}}}}, True, "by the schedule 0 3 * * *"),
    "switched off": ({"agents": {"defaults": {"dream": {"enabled": False}}}}, False, "marks them as dreamt unread"),
    "odd": ({"agents": {"defaults": {"dream": [1]}}}, True, "every 2 hours"),
    "no object": ([], True, "every 2 hours"),
    "no JSON": (None, True, "every 2 hours"),
}


@pytest.fixture
def home(nanobot: Path, tmp_path: Path) -> Path:
    """A home of 0.3.5."""
    found = tmp_path / "h" / ".nanobot"
    shutil.copytree(nanobot / "nanobot-v0.3.5" / ".nanobot", found)
    for marker in found.glob("sessions/*/.workspace"):
        marker.write_text(f"{found}/workspace\n")
    return found


def recognised(home: Path) -> Workspace:
    [workspace] = load("nanobot").layout.recognise(str(home))
    return workspace


@pytest.mark.parametrize("name", SETTINGS)
def test_whether_a_gateway_dreams(home: Path, name: str) -> None:
    value, runs, why = SETTINGS[name]
    workspace = recognised(home)
    (home / "config.json").write_text("{" if value is None else json.dumps(value))
    journal = load("nanobot").journal
    assert journal is not None
    [file] = journal.files(workspace)
    found = habits("nanobot").dreams(workspace, file, Waiting(3, 30, 1.0, 2.0))
    assert found.runs is runs
    assert why in found.why
    assert habits("nanobot").dreams(workspace, file, Waiting(0, 0, 1.0, 2.0)).runs is False


def test_a_healthy_home_is_of_one_generation(home: Path) -> None:
    assert habits("nanobot").generations(recognised(home)) == []


def test_chats_that_were_not_moved(home: Path) -> None:
    folder = home / "workspace" / "sessions"
    folder.mkdir()
    moved = next(home.glob("sessions/*/*.jsonl"))
    shutil.copy(moved, folder / moved.name)
    assert habits("nanobot").generations(recognised(home)) == []
    (folder / "telegram_99.jsonl").write_text('{"_type": "metadata", "key": "telegram:99"}\n')
    [found] = habits("nanobot").generations(recognised(home))
    assert (found.era, found.path, found.lost) == ("E0-E3", str(folder), True)
    assert found.what.startswith("1 session file of 0.3.0 or before")


def test_names_that_will_be_renamed(nanobot: Path, tmp_path: Path) -> None:
    home = tmp_path / ".nanobot"
    shutil.copytree(nanobot / "nanobot-v0.3.0" / ".nanobot", home)
    workspace = recognised(home)
    assert workspace.era == "E3"
    before = habits("nanobot").generations(workspace)
    (home / "workspace" / "sessions" / "slack_C1.jsonl").write_text('{"_type": "metadata", "key": "slack:C1"}\n')
    found = habits("nanobot").generations(recognised(home))
    assert len(found) == 1 >= len(before)
    assert (found[0].era, found[0].lost) == ("E0-E2", False)
