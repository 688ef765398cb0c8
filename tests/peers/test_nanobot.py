"""memcli held against nanobot itself: what it says the agent sees, and whether the agent takes what was repaired."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest
from support import accidents
from support.cli import snapshot
from support.nanobot_files import ID, identify, memory, namespace
from support.peers import NANOBOTS, Answer, Peer

from memcli.formats.nanobot.loader import view
from memcli.formats.nanobot.names import encoded_name, lossy_name
from memcli.model import AgentView
from memcli.storage.decode import decode
from memcli.storage.lines import forward

pytestmark = pytest.mark.slow
FILES = {"0.3.5": 400, "0.2.2": 200}
"""Damaged files each release is asked about, in each test."""


class Damaged(NamedTuple):
    """One damaged session in its place, and what happened to it."""

    path: Path
    key: str
    accidents: list[str]


@pytest.fixture(params=NANOBOTS, ids=lambda peer: peer.version)
def peer(request) -> Peer:
    request.param.needed()
    return request.param


@pytest.fixture
def chats(peer, tmp_path) -> list[Damaged]:
    """A workspace full of damaged sessions, where the release would have them."""
    return placed(peer, tmp_path / "home", FILES[peer.version])


def placed(peer: Peer, home: Path, number: int) -> list[Damaged]:
    workspace = home / ".nanobot" / "workspace"
    memory(workspace, "history.jsonl")
    if peer.era == "E4":
        identify(workspace, ID)
        folder = namespace(home / ".nanobot", ID, workspace)
    else:
        folder = workspace / "sessions"
        folder.mkdir()
    made = []
    for key, content, names in accidents.files(peer.version, "telegram:{}".format, peer.era, number):
        path = folder / (encoded_name(key) if peer.era == "E4" else lossy_name(key))
        path.write_bytes(content)
        made.append(Damaged(path, key, names))
    return made


def seen(path: Path, era: str) -> AgentView:
    """What memcli says that the agent sees."""
    with path.open("rb") as file:
        return view(((line, decode(line.raw)) for line in forward(file.fileno())), path.name, era)


def asked(peer: Peer, chats: list[Damaged], home: Path) -> list[Answer]:
    home.mkdir()
    return peer.ask([(chat.path, chat.key) for chat in chats], home)


def differences(said: AgentView, answer: Answer) -> list[str]:
    """In what memcli and the agent disagree."""
    notes = " ".join((said.reason, *said.notes))
    loads = "load" not in answer.failed
    pairs = {
        "messages": (said.seen, answer.messages),
        "listed": (said.listed, bool(answer.listed)),
        "every turn fails": ("every turn" in notes, bool({"load", "replay"} & set(answer.failed))),
        "every save fails": ("every save fails" in notes, loads and "save" in answer.failed),
    }
    return [f"{name}: memcli {ours}, nanobot {theirs}" for name, (ours, theirs) in pairs.items() if ours != theirs]


def test_the_agents_eye_view_is_what_the_agent_loads(peer, chats, tmp_path):
    before = snapshot(tmp_path / "home")
    answers = asked(peer, chats, tmp_path / "peer")
    wrong = {}
    for chat, answer in zip(chats, answers, strict=True):
        if found := differences(seen(chat.path, peer.era), answer):
            wrong[chat.path.name, *chat.accidents] = found, answer
    assert not wrong, "\n".join(map(str, wrong.items()))
    assert snapshot(tmp_path / "home") == before, "the agent was let at the originals"
    assert sum(1 for answer in answers if answer.warnings) > len(chats) / 3, "too few of the files are damaged"
