"""No false alarms: every chat of every healthy workspace is where it belongs, and its words are found there."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from support.cli import run, snapshot
from support.lost import KEY, Catbuddy, cat_chat, cat_name, put

HEALTHY = {
    # workspace below the samples: keys of chats in it that are damaged
    "catbuddy/home-workspace": {"desktop:1730456789000"},
    "cococat/v1-healthy": set(),
    "cococat/v2-layout": set(),
}
NANOBOT = ("v0.1.5.post3", "v0.2.2", "v0.3.0", "v0.3.5", "v0.3.5-killed")


def judged(place: Path) -> dict[str, set[str]]:
    """What doctor says of each chat of a workspace: key -> causes."""
    listed = [json.loads(line) for line in run("sessions", "ls", "--json", "-W", place).out.splitlines()]
    keys = [row["key"] for row in listed if row["type"] == "session"]
    assert keys
    found = {}
    for key in keys:
        done = run("doctor", "--json", "-W", place, "--", key)
        verdicts = [json.loads(line) for line in done.out.splitlines()]
        assert verdicts, done.err
        found[key] = {verdict["cause"] for verdict in verdicts}
    return found


@pytest.mark.parametrize("name", HEALTHY)
def test_a_healthy_sample_raises_no_alarm(name: str, samples: Path, tmp_path: Path) -> None:
    place = tmp_path / name.replace("/", "-")
    shutil.copytree(samples / name, place)
    before = snapshot(place)
    found = judged(place)
    assert {key for key, causes in found.items() if causes != {"not-lost"}} == HEALTHY[name]
    assert snapshot(place) == before


@pytest.mark.parametrize("version", NANOBOT)
def test_real_workspaces_raise_no_alarm(version: str, nanobot: Path) -> None:
    found = judged(nanobot / f"nanobot-{version}" / ".nanobot")
    assert {key: causes for key, causes in found.items() if causes != {"not-lost"}} == {}


def test_copies_that_memcli_keeps_raise_no_alarm(no_home: Path) -> None:
    """After a repair its undo copy holds the rows once more, broken; after a merge both copies do."""
    sessions = no_home / ".catbuddy" / "workspace" / "sessions"
    put(sessions / cat_name(KEY), b"\xef\xbb\xbf" + cat_chat(6))
    put(sessions / "desktop_main (1).jsonl", cat_chat(8))
    path, copy = sessions / cat_name(KEY), sessions / "desktop_main (1).jsonl"
    for words in (("repair", path), ("sessions", "merge", path, copy)):
        assert run(*words, "--apply", "-W", sessions.parent).code == 0
    assert Catbuddy(sessions).shows() == 8
    for asked in (KEY, "问题 3", "Answer 8"):
        done = run("doctor", "--json", asked, "-W", sessions.parent)
        assert [json.loads(line)["cause"] for line in done.out.splitlines()] == ["not-lost"], asked
        assert done.code == 0
