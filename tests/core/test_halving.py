"""Two processes on one file: what they find together, and what happens when one of them dies."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from support.chats import ALL, CATBUDDY

from memcli.core import examining, halving
from memcli.core.examining import Examination, Target
from memcli.errors import CannotRead
from memcli.model import Workspace
from memcli.storage import screen


def examined(path: Path, agent: str, *, split: bool) -> Examination:
    workspace = Workspace(agent, str(path.parent), (str(path.parent),))
    examination = Examination(Target(str(path), str(path), "session", workspace), split=split)
    examination.found = [hit.finding for hit in examination.hits()]
    return examination


@pytest.fixture(autouse=True)
def always(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(halving, "FROM", 1)


@pytest.mark.parametrize("chat", ALL, ids=lambda chat: chat.agent)
def test_facts_of_both_halves_are_those_of_the_whole(chat, tmp_path):
    path = tmp_path / chat.name
    header = chat.lines[: chat.header]
    rows = chat.lines[chat.header :]
    path.write_bytes(b"\n".join([*header, *rows * 9, b"prose", rows[0] + rows[1], *rows * 10, *header, b""]))
    alone, both = examined(path, chat.agent, split=False), examined(path, chat.agent, split=True)
    assert both.found == alone.found
    one, other = alone.rows.facts, both.rows.facts
    for name in ("offsets", "ids", "flags", "prints", "call_entries", "call_ids", "shared"):
        assert getattr(other, name) == getattr(one, name), name
    assert [other.row(entry) for entry in range(len(other))] == [one.row(entry) for entry in range(len(one))]
    assert [other.owner(entry) for entry in range(len(other))] == [one.owner(entry) for entry in range(len(one))]
    assert (both.lines, both.records, both.header) == (alone.lines, alone.records, alone.header)


def test_roles_and_owners_that_only_the_second_half_has(tmp_path):
    path = tmp_path / CATBUDDY.name
    rows = [
        line.replace(b'"role":"user"', b'"role":"system"').replace(b"desktop:main", b"desktop:b")
        for line in CATBUDDY.lines
    ]
    path.write_bytes(b"\n".join([*CATBUDDY.lines, *CATBUDDY.lines[1:], *rows[1:], *rows[1:], b""]))
    alone, both = examined(path, "catbuddy", split=False), examined(path, "catbuddy", split=True)
    assert both.found == alone.found
    facts = both.rows.facts
    assert [facts.role(entry) for entry in range(len(facts))].count("system") == 6
    assert facts.owner(0) == "desktop:main"
    assert facts.owner(len(facts) - 1) == "desktop:b"


@pytest.mark.parametrize("data", [b"", b"x", b"x\n", b"\n", b'{"a":1}\n', b'{"a":"' + b"x" * 500 + b'"}\n'])
def test_a_file_that_cannot_be_parted_is_read_alone(data, tmp_path):
    path = tmp_path / "chat.jsonl"
    path.write_bytes(data)
    assert examined(path, "jsonl", split=True).found == examined(path, "jsonl", split=False).found


def test_a_record_over_both_halves_is_found_once(tmp_path):
    path = tmp_path / "chat.jsonl"
    row = b'{"role":"user","content":"x"}\n'
    path.write_bytes(row * 20 + b'{"role":"user","content":"' + b"line\n" * 60 + b'"}\n' + row * 20)
    found = examined(path, "jsonl", split=True).found
    assert found == examined(path, "jsonl", split=False).found
    assert [finding.code for finding in found if finding.line == 21] == ["raw-control"]


@pytest.mark.parametrize("where", ["first", "second", "both"])
def test_too_many_damaged_lines_in_either_half_are_only_counted(where, tmp_path, monkeypatch):
    monkeypatch.setattr(examining, "TOLD", 10)
    monkeypatch.setattr(screen, "ALONE", 100)
    path = tmp_path / "chat.jsonl"
    row, bad = b'{"role":"user","content":"x"}\n', b'{"role":"user","content":"x"},,\n'
    path.write_bytes((row if where == "second" else bad) * 50 + (row if where == "first" else bad) * 50)
    both = examined(path, "jsonl", split=True)
    judged = [finding for finding in both.found if finding.code == "junk-around-record"]
    [rest] = [finding for finding in both.found if finding.code == "damaged-throughout"]
    bad_lines = 100 if where == "both" else 50
    assert both.unjudged == rest.data["lines"] == bad_lines - len(judged) > 0
    assert both.rows is None
    assert (both.lines, both.records) == (100, 100)


def test_a_helper_that_is_killed_is_told(tmp_path, monkeypatch):
    path = tmp_path / CATBUDDY.name
    path.write_bytes(b"\n".join([*CATBUDDY.lines, *CATBUDDY.lines[1:] * 10, b""]))
    monkeypatch.setattr(halving, "_work", lambda *arguments: os.kill(os.getpid(), signal.SIGKILL))
    with pytest.raises(CannotRead, match="in part"):
        examined(path, "catbuddy", split=True)
