"""A summary in the inbox: approved it lands as any other, in whole or in part, while its rows are there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support import compacted, dreams
from support.compacted import AGENTS, LONG, WISHES, Chat

from memcli.core import inbox, proposing, sealing
from memcli.core.compact import candidates
from memcli.core.compact.wishes import PROPOSE
from memcli.core.proposing import Decided, Found
from memcli.errors import AlreadyDecided, CannotRead, RefusedForSafety
from memcli.storage import undo

TALK = compacted.talk(*LONG, calls=1)
NOW = 1_767_268_800.0


@pytest.fixture(autouse=True)
def own_state(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("state", "cache"):
        monkeypatch.setenv(f"MEMCLI_{name.upper()}_DIR", str(tmp_path / name))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))


@pytest.fixture(params=AGENTS)
def chat(request: pytest.FixtureRequest, tmp_path: Path) -> Chat:
    made = compacted.chat(tmp_path, request.param, TALK)
    assert made.named(WISHES._replace(mode=PROPOSE)).outcome == "proposed"
    return made


def found(chat: Chat) -> Found:
    return proposing.choose("p1", [chat.workspace])


def approve(chat: Chat, *only: str) -> Decided:
    return proposing.approve(found(chat), only, seconds=NOW, command=["memcli"], idle=0.0, force_live=True)


def test_it_lands_as_any_other(chat):
    planned = proposing.plan(found(chat), seconds=NOW)
    done = approve(chat)
    assert done.landed is not None
    assert done.landed.landing.files == planned.files
    assert chat.kept == chat.rows
    assert "PostgreSQL 16" in chat.summary
    assert compacted.parted(chat) == set()
    assert done.after.status == "approved"
    assert chat.named().outcome == "nothing"
    with pytest.raises(AlreadyDecided):
        approve(chat)
    for commit in done.landed.record.commits:
        assert "Memcli-Proposal: p1" in commit.message


def test_a_part_of_it(chat):
    proposal = found(chat).proposal
    [chosen] = [one.id for one in proposal.items if "pnpm" in one.item.text]
    done = approve(chat, chosen)
    assert "pnpm" in chat.summary
    assert "PostgreSQL 16" not in chat.summary
    assert {one.id for one in done.after.decisions if one.status == "rejected"} == set(proposal.ids) - {chosen}
    assert done.after.status == "approved"
    assert chat.named().outcome == "nothing"


def test_rejected_it_is_not_proposed_again_until_more_is_said(chat):
    proposing.reject(found(chat), because="no", seconds=NOW, command=["memcli"])
    mine = [one for one in candidates.line(chat.workspace, WISHES).queued if one.session.path == str(chat.path)]
    assert mine[0].reason == "short"
    with chat.path.open("ab") as file:
        file.write(b"".join(row + b"\n" for row in compacted.chat(chat.path.parent / "x", chat.agent, TALK).rows))
    dreams.rested(chat.path)
    if chat.agent == "cococat":
        (chat.path.parent / ".dream_cursor").write_text(str(len(chat.lines)))
    mine = [one for one in candidates.line(chat.workspace, WISHES).queued if one.session.path == str(chat.path)]
    assert mine[0].reason == ""


def test_rows_that_were_summarised_meanwhile(chat):
    assert chat.named().outcome == "compacted"
    before = chat.path.read_bytes()
    with pytest.raises(RefusedForSafety, match=r"its rows (were summarised meanwhile|are not there any more)"):
        approve(chat)
    assert chat.path.read_bytes() == before
    assert found(chat).proposal.status == "open"


def test_rows_that_are_gone(chat):
    lines = chat.path.read_bytes().splitlines(keepends=True)
    head = 0 if chat.agent == "cococat" else 1
    chat.path.write_bytes(b"".join([*lines[:head], *lines[-4:]]))
    with pytest.raises(RefusedForSafety, match="its rows are not there any more"):
        approve(chat)


def test_rows_that_moved(tmp_path):
    """The agent took the oldest rows out; those that the summary is about are the first that are left."""
    chat = compacted.chat(tmp_path, "catbuddy", TALK)
    chat.named(WISHES._replace(mode=PROPOSE))
    head, *rows = chat.path.read_bytes().splitlines(keepends=True)
    chat.path.write_bytes(head + b"".join(rows[8:]))
    approve(chat)
    assert chat.header["last_consolidated"] == 32 - 8
    assert chat.kept == chat.rows[8:]


def test_undone_it_is_open_again(tmp_path):
    chat = compacted.chat(tmp_path, "nanobot-E4", TALK)
    chat.named(WISHES._replace(mode=PROPOSE))
    done = approve(chat)
    assert done.operation
    undo.undo(sealing.store(chat.workspace))
    assert found(chat).proposal.status == "open"
    assert approve(chat).after.status == "approved"


def test_a_proposal_that_somebody_damaged(tmp_path):
    chat = compacted.chat(tmp_path, "catbuddy", TALK)
    chat.named(WISHES._replace(mode=PROPOSE))
    [path] = (tmp_path / "state").rglob("p1.json")
    value = json.loads(path.read_text())
    value["about"]["compact"] = {"path": 3, "points": [1, {"kind": "x"}], "tail": None, "cut": None}
    path.write_text(json.dumps(value))
    assert inbox.read(sealing.store(chat.workspace)).proposals
    assert candidates.line(chat.workspace, WISHES).queued
    with pytest.raises(CannotRead):
        approve(chat)
