"""Repaired copies, and records that were cut and are filled in for a person to look at."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support import damaging
from support.chats import CATBUDDY, COCOCAT, NANOBOT
from support.mending import Chat, is_record
from support.repairs import Place, inside

from memcli.core import copying
from memcli.core.reconstructing import MARK
from memcli.core.verifying import scope
from memcli.errors import UsageError

LINES = CATBUDDY.lines


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path / "home", CATBUDDY, damaging.joined(*LINES[:4]) + LINES[4][:50])


def test_one_session_is_copied_and_stays_as_it_is(place, tmp_path):
    to = str(tmp_path / "copy.jsonl")
    before = inside(place.root)
    path = copying.source(scope([str(place.path)], None, None), to)
    assert path == str(place.path)
    copying.write(place.plan(), path, to, ["line one", "\udcff"])
    assert Path(to).read_bytes() == damaging.joined(*LINES[:4])
    assert Path(to + ".log").read_text() == "line one\n\\udcff\n"
    assert inside(place.root) == before


def test_a_healthy_session_is_copied_as_it_is(tmp_path):
    place = Place(tmp_path / "home", CATBUDDY, CATBUDDY.whole)
    copying.write(place.plan(), str(place.path), str(tmp_path / "copy"), [])
    assert (tmp_path / "copy").read_bytes() == CATBUDDY.whole


def test_copies_need_one_session_and_a_place_of_their_own(place, tmp_path):
    free = str(tmp_path / "copy.jsonl")
    place.put(place.sessions / "desktop_other.jsonl", CATBUDDY.whole)
    with pytest.raises(UsageError, match="one session"):
        copying.source(scope([str(place.root)], None, None), free)
    with pytest.raises(UsageError, match="one session"):
        copying.source(scope([str(one) for one in place.sessions.iterdir()], None, None), free)
    named = scope([str(place.path)], None, None)
    with pytest.raises(UsageError, match="take it for a chat"):
        copying.source(named, str(place.sessions / "copy.jsonl"))
    (tmp_path / "taken.log").touch()
    with pytest.raises(UsageError, match="exists already"):
        copying.source(named, str(tmp_path / "taken"))


def filled(tmp_path: Path, chat: Chat, data: bytes) -> list[dict[str, object]]:
    """The records that are rebuilt when a person asks for it."""
    place = Place(tmp_path / chat.agent, chat, data)
    plan = place.plan(reconstruct=True)
    after = b"".join(plan.drafts[str(place.path)].content()) if plan.drafts else data
    assert all(is_record(line) for line in after.split(b"\n") if line)
    found = [json.loads(line) for line in after.split(b"\n") if MARK.encode() in line]
    told = [item for item in plan.items if item.finding.data.get("reconstructed")]
    assert bool(told) == bool(found)
    assert all("REBUILT, to be looked at" in item.finding.message for item in told)
    return found


CUT = LINES[1].index(b"fail")


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        # the text was cut: its beginning stays
        (
            [*LINES[:1], LINES[1][:CUT], *LINES[2:]],
            {"role": "user", "content": 'Why does {"id": 7} in "a,b" ', MARK: {"cut": ["content"], "added": []}},
        ),
        # before the role: what comes before and behind it tells
        ([*LINES[:5], LINES[5][:36], *LINES[6:]], {"id": 5, "role": "user", MARK: {"added": ["role", "content"]}}),
        ([*LINES[:6], LINES[6][:36], *LINES[7:]], {"role": "assistant", MARK: {"added": ["role", "content"]}}),
        # a record cut and written over
        ([*LINES[:5], LINES[5][:70] + LINES[6], *LINES[7:]], {"id": 5, "role": "user", MARK: {"cut": ["content"]}}),
        # behind a whole one
        ([*LINES[:5], LINES[5] + LINES[6][:70]], {"id": 6, "role": "assistant"}),
        # a number could have gone on, half an escape and half a character are taken off
        ([*LINES[:1], LINES[1][: LINES[1].index(b"a,b") + 4]], {"content": 'Why does {"id": 7} in "a,b'}),
        ([*LINES[:4], LINES[4][: LINES[4].index("失".encode()) + 1]], {"content": "它"}),
    ],
)
def test_what_can_be_read_is_kept_and_the_rest_is_marked(tmp_path, lines, expected):
    [record] = filled(tmp_path, CATBUDDY, damaging.joined(*lines))
    for name, value in expected.items():
        if name == MARK:
            assert isinstance(record[MARK], dict)
            assert {inner: record[MARK][inner] for inner in value} == value
        else:
            assert record[name] == value


def test_a_cut_at_every_byte_gives_no_value_that_was_not_there(tmp_path):
    for chat, number in ((CATBUDDY, 2), (CATBUDDY, 4), (NANOBOT, 2), (NANOBOT, 4), (COCOCAT, 2)):
        whole = json.loads(chat.lines[number])
        for place in range(1, len(chat.lines[number]), 3):
            lines = [*chat.lines[:number], chat.lines[number][:place], *chat.lines[number + 1 :]]
            for record in filled(tmp_path, chat, damaging.joined(*lines)):
                about = record.pop(MARK)
                assert isinstance(about, dict)
                for name, value in record.items():
                    if name in about["read"]:
                        assert value == whole[name]
                    elif name in about["cut"]:
                        assert isinstance(value, str)
                        assert str(whole[name]).startswith(value)
                    else:
                        assert name in about["added"]
                        assert name in ("role", "content")


@pytest.mark.parametrize(
    "lines",
    [
        [*LINES[:1], LINES[1][:5], *LINES[2:]],  # no whole member
        [*LINES[:3], LINES[3][:36], *LINES[4:]],  # behind a call: a result, perhaps, and of which
        [*LINES[:2], LINES[2][40:], *LINES[3:]],  # the beginning is gone
    ],
)
def test_what_cannot_be_told_is_not_filled_in(tmp_path, lines):
    assert filled(tmp_path, CATBUDDY, damaging.joined(*lines)) == []
