"""What stands in the place of a chat, a copy or a temporary file and is none: doctor answers, changes nothing, and makes nothing
up."""

from __future__ import annotations

import json
import os
import shlex
from pathlib import Path

import pytest
from support.cli import run, snapshot, spawn
from support.lost import KEY, cat_chat, cat_name, put

MAIN = cat_name(KEY)
NAMES = {
    "session": MAIN,
    "temporary file": MAIN + ".tmp",
    "copy": "desktop_main (conflicted copy 2026-05-21).jsonl",
    "old store": "sessions.db.bak",
}
KINDS = ("fifo", "folder", "loop", "dangling", "forbidden", "deep", "long line", "binary")


@pytest.fixture
def sessions(no_home: Path) -> Path:
    folder = no_home / ".catbuddy" / "workspace" / "sessions"
    put(folder / "desktop_other.jsonl", cat_chat(3, "desktop:other"))
    return folder


def make(path: Path, kind: str) -> None:
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    elif kind in ("loop", "dangling"):
        path.symlink_to(path if kind == "loop" else path.with_name("nowhere"))
    elif kind == "forbidden":
        put(path, cat_chat(3)).chmod(0)
    else:
        odd = {"deep": b"[" * 5000, "long line": b'{"role":"' + b"x" * 500_000, "binary": bytes(range(256)) * 20}
        put(path, odd[kind])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", NAMES)
def test_odd_things_are_answered(name: str, kind: str, sessions: Path) -> None:
    if name != "session":
        put(sessions / MAIN, cat_chat(4))
    make(sessions / NAMES[name], kind)
    before = snapshot(sessions)
    for asked in (KEY, "问题 3"):
        done = spawn("doctor", "--json", asked, "-W", sessions.parent, mortal=True)
        assert done.code in (0, 1), done.err
        verdicts = [json.loads(line) for line in done.out.splitlines()]
        assert verdicts
        assert not any(verdict["recoverable"] for verdict in verdicts if verdict["key"] == KEY), verdicts
    assert snapshot(sessions) == before


@pytest.mark.parametrize(
    "key", ["desktop:a b", "desktop:会议", "desktop:-x", "desktop:$(touch x)", "desktop:'", "-x", "@x"]
)
def test_any_key_can_stand_in_a_command(key: str, sessions: Path) -> None:
    put(sessions / cat_name(key), cat_chat(6, key)[:-30])
    done = run("doctor", "--json", "-W", sessions.parent, "--", str(sessions / cat_name(key)))
    [verdict] = map(json.loads, done.out.splitlines())
    assert (verdict["key"], verdict["cause"], verdict["recoverable"]) == (key, "unreadable-row", 5)
    assert run(*shlex.split(verdict["command"])[1:]).code == 0
    assert (sessions / cat_name(key)).read_bytes() == cat_chat(5, key)
