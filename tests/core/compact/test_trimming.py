"""Old rows put away: only those in a summary, whole turns, and back again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support import compacted, dreams
from support.compacted import AGENTS, LONG, WISHES, Chat

from memcli.core import sealing
from memcli.core.compact import modes
from memcli.core.compact.wishes import DRY
from memcli.core.dream import places, running, session_feed
from memcli.core.dream.running import WRITE
from memcli.core.dream.wishes import Limits
from memcli.core.dream.wishes import Wishes as DreamWishes
from memcli.errors import UsageError
from memcli.llm.offline import Offline
from memcli.storage import undo

DREAM = DreamWishes(idle=0.0, force_live=True)
TALK = compacted.talk(*LONG, calls=1)


@pytest.fixture(autouse=True)
def own_state(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("state", "cache"):
        monkeypatch.setenv(f"MEMCLI_{name.upper()}_DIR", str(tmp_path / name))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))


@pytest.fixture(params=AGENTS[:3])
def chat(request: pytest.FixtureRequest, tmp_path: Path) -> Chat:
    return compacted.chat(tmp_path, request.param, TALK)


def trim(chat: Chat, most: int, **more):
    return chat.named(WISHES._replace(trim=most, **more), trim=True)


def test_nothing_goes_without_a_summary(chat):
    done = trim(chat, 10)
    assert (done.outcome, done.removed) == ("nothing", 0)
    assert done.why == "no summary stands for more than 0 of its 40 rows"
    assert chat.archived == []


def test_whole_turns_go_and_come_back(chat):
    chat.named()
    before = chat.path.read_bytes(), chat.path.stat().st_mtime_ns
    planned = trim(chat, 15, mode=DRY)
    assert (planned.outcome, planned.removed) == ("planned", 24)
    assert chat.path.read_bytes() == before[0]
    done = trim(chat, 15)
    assert (done.outcome, done.removed) == ("trimmed", 24)
    assert chat.archived == chat.rows[:24]
    assert chat.kept == chat.rows
    assert chat.header["last_consolidated"] == 8
    assert chat.path.stat().st_mtime_ns == before[1]
    assert json.loads(chat.lines[0])["role"] == "user"
    assert trim(chat, 15).outcome == "nothing"
    assert chat.named().outcome == "nothing", "what was put away is not forgotten"
    undo.undo(sealing.store(chat.workspace))
    assert (chat.path.read_bytes(), chat.path.stat().st_mtime_ns) == before
    assert chat.archived == []


def test_a_second_file_of_the_archive(chat):
    chat.named(WISHES._replace(keep=16))
    trim(chat, 30)
    chat.named(WISHES._replace(keep=2))
    done = trim(chat, 10)
    assert done.outcome == "trimmed"
    assert chat.kept == chat.rows
    assert len(chat.archived) > done.removed


def test_more_stay_than_asked_for(chat):
    chat.named()
    done = trim(chat, 2)
    assert done.over == done.stay - 2 > 0
    assert "no summary stands for more than" in done.why or done.why == "the turn at the cut is longer"


def test_all_of_a_workspace(tmp_path):
    workspace = dreams.catbuddy(tmp_path / "home", {f"desktop:{n}": LONG for n in range(5)})
    wishes = WISHES._replace(trim=9, sessions=4)
    list(modes.unattended([workspace], wishes._replace(trim=None), only_trim=False, command=[]))
    done = list(modes.unattended([workspace], wishes, only_trim=True, command=[]))
    assert [(one.ref.key, one.outcome) for one in done] == [
        *((f"desktop:{n}", "trimmed") for n in range(4)),
        ("desktop:4", "nothing"),
    ]


def test_both_as_the_configuration_says(tmp_path):
    workspace = dreams.catbuddy(tmp_path / "home", {"desktop:0": LONG})
    done = list(modes.unattended([workspace], WISHES._replace(trim=9), only_trim=False, command=[]))
    assert [one.outcome for one in done] == ["compacted", "trimmed"]


def test_damaged_and_busy(chat, tmp_path):
    chat.named()
    raw = chat.path.read_bytes()
    chat.path.write_bytes(raw[:-20])
    assert (trim(chat, 10).code, trim(chat, 10).busy) == (4, False)
    chat.path.write_bytes(raw)
    assert trim(chat, 10, force_live=False, idle=1000.0).busy


def test_rows_that_dream_has_yet_to_read_stay(tmp_path):
    workspace = dreams.catbuddy(tmp_path / "home", {"desktop:a": LONG * 3})
    list(modes.unattended([workspace], WISHES, only_trim=False, command=[]))
    wishes = DREAM._replace(limits=Limits(entries=4))
    for rows in (8, 16):
        list(running.several(places.places([workspace], ""), wishes, Offline({}), WRITE, if_due=False, command=[]))
        waiting = session_feed.read(workspace, Limits()).entries
        [done] = modes.unattended([workspace], WISHES._replace(trim=9), only_trim=True, command=[])
        assert (done.outcome, done.removed) == ("trimmed", 8)
        assert (done.over, done.why) == (60 - rows - 9, "Dream has yet to read its rows")
        assert session_feed.read(workspace, Limits()).entries == waiting == 30 - rows // 2


def test_cococat_does_both_at_once(tmp_path):
    chat = compacted.chat(tmp_path, "cococat", TALK)
    with pytest.raises(UsageError, match="nothing to trim"):
        trim(chat, 10)
    assert list(modes.unattended([chat.workspace], WISHES._replace(trim=9), only_trim=True, command=[])) == []
