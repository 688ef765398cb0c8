"""nanobot itself, given chats that memcli compacted and trimmed: it replays them without a warning, and sees the summary."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support import compacted
from support.compacted import LONG, WISHES, Chat, is_mark
from support.driving import driving
from support.peers import NANOBOTS, Peer

pytestmark = pytest.mark.slow
TALK = compacted.talk(*LONG, calls=2)


def asked_if_there(peer: Peer):
    """The release as a parameter; the tests are left out where nobody installed it and nobody has to."""
    optional = pytest.mark.skipif(bool(peer.why) and peer.is_optional, reason=peer.why)
    return pytest.param(peer, id=peer.version, marks=optional)


@pytest.fixture(params=[asked_if_there(peer) for peer in NANOBOTS])
def peer(request) -> Peer:
    assert not request.param.why
    return request.param


@pytest.fixture
def chat(peer, tmp_path, monkeypatch) -> Chat:
    monkeypatch.setenv("MEMCLI_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.setenv("MEMCLI_CACHE_DIR", str(tmp_path / "cache"))
    return compacted.chat(tmp_path, f"nanobot-{peer.era}", TALK)


def replayed(chat: Chat) -> list[str]:
    """The roles that should reach the model: the hidden row of 0.3.5, and all behind the summary."""
    rows = [json.loads(line) for line in chat.lines]
    return [row["role"] for row in rows[chat.header["last_consolidated"] :]]


def check(peer: Peer, chat: Chat, home: Path) -> None:
    home.mkdir()
    [answer] = peer.ask([(chat.path, compacted.KEY)], home)
    assert (answer.warnings, answer.failed) == ([], {})
    assert answer.listed == [compacted.KEY]
    assert answer.messages == len(chat.lines)
    assert answer.offset == chat.header["last_consolidated"]
    assert answer.replay == replayed(chat)


def test_it_replays_what_stays_and_sees_the_summary(peer, chat, tmp_path):
    done = chat.named()
    assert done.outcome == "compacted", done
    check(peer, chat, tmp_path / "one")
    with driving(peer, tmp_path / "driver") as agent:
        home = tmp_path / "home" / ".nanobot"
        seen = agent.tell("summary", home, key=compacted.KEY)["done"]
        assert chat.summary in seen
        assert "PostgreSQL 16" in seen
        assert agent.do("pending", home) == 1, "the journal has the summary's entry, for Dream"
        assert agent.do("count", home, key=compacted.KEY) == len(replayed(chat))
    assert chat.named(WISHES._replace(trim=12), trim=True).outcome == "trimmed"
    check(peer, chat, tmp_path / "two")
    assert chat.kept == chat.rows


def test_it_goes_on_where_memcli_stopped(peer, chat, tmp_path):
    """It says more, memcli compacts once more, and nothing is summarised twice or lost."""
    assert chat.named().outcome == "compacted"
    first = chat.header["last_consolidated"]
    with driving(peer, tmp_path / "driver") as agent:
        home = tmp_path / "home" / ".nanobot"
        agent.do(
            "say", home, key=compacted.KEY, texts=["We decided to use Redis 7 for the cache.", "Fine."] * 6, first=1
        )
    before = [line for line in chat.lines if not is_mark(json.loads(line))]
    done = chat.named()
    assert (done.outcome, done.first) == ("compacted", first + 1)
    assert [line for line in chat.lines if not is_mark(json.loads(line))] == before
    assert "PostgreSQL 16" in chat.summary
    assert "Redis 7" in chat.summary
    check(peer, chat, tmp_path / "two")
