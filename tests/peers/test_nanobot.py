"""memcli held against nanobot itself: what it says the agent sees, and whether the agent takes what was repaired."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

import pytest
from support import accidents
from support.cli import run, snapshot
from support.driving import driving
from support.nanobot_files import ID, identify, memory, namespace
from support.peers import NANOBOTS, Answer, Peer

from memcli.formats.nanobot import sending
from memcli.formats.nanobot.loader import view
from memcli.formats.nanobot.names import encoded_name, lossy_name
from memcli.model import AgentView, Sent
from memcli.storage.decode import decode
from memcli.storage.lines import forward

pytestmark = pytest.mark.slow
FILES = {"0.3.5": 600, "0.2.2": 400}
"""Damaged files each release is asked about, in each test."""
KEPT = {"huge-number", "too-deep", "lone-surrogate"}
"""What repair leaves as it is, since nobody knows what was meant, and nanobot cannot live with."""
RENAMED = {"name-mismatch"}
"""Left where header and file name disagree on the key: nanobot lists the one and loads the other."""


class Damaged(NamedTuple):
    """One damaged session in its place, and what happened to it."""

    path: Path
    key: str
    accidents: list[str]


def asked_if_there(peer: Peer):
    """The release as a parameter; the tests are left out where nobody installed it and nobody has to."""
    optional = pytest.mark.skipif(bool(peer.why) and peer.is_optional, reason=peer.why)
    return pytest.param(peer, id=peer.version, marks=optional)


@pytest.fixture(params=[asked_if_there(peer) for peer in NANOBOTS])
def peer(request) -> Peer:
    assert not request.param.why
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


def sent(path: Path, era: str) -> Sent:
    """What memcli says that the agent sends to the model."""
    with path.open("rb") as file:
        return sending.sent(((line, decode(line.raw)) for line in forward(file.fileno())), path.name, era)


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
        reaching = sent(chat.path, peer.era)
        found = differences(seen(chat.path, peer.era), answer)
        if answer.offset != 0 or not any(span.code == "offset-out-of-range" for span in reaching.hidden):
            found += [f"sent: {reaching}, {answer.replay}"] * (reaching.rows != len(answer.replay))
        if found:
            wrong[chat.path.name, *chat.accidents] = found, answer
    assert not wrong, "\n".join(map(str, wrong.items()))
    assert snapshot(tmp_path / "home") == before, "the agent was let at the originals"
    assert sum(1 for answer in answers if answer.warnings) > len(chats) / 3, "too few of the files are damaged"


def test_what_was_repaired_loads_without_a_warning(peer, chats, tmp_path):
    home = tmp_path / "home"
    options = ("--lossy", "--drop-bad-rows", "--idle", "0", "--json")
    done = run("repair", "--apply", *options, "-W", home / ".nanobot" / "workspace")
    assert done.code in (0, 1), done.err
    left: dict[str, set[str]] = {}
    for row in map(json.loads, done.out.splitlines()):
        if row["type"] == "finding" and row["state"] == "left":
            left.setdefault(row["path"], set()).add(row["code"])
    wrong, spared = {}, 0
    for chat, answer in zip(chats, asked(peer, chats, tmp_path / "peer"), strict=True):
        found = differences(seen(chat.path, peer.era), answer)
        known = left.get(str(chat.path), set())
        if known & KEPT or is_parted(chat.path) or not has_rows(chat.path):
            spared += 1
        else:
            found += [*answer.warnings, *answer.failed.values()]
            if answer.offset != offset(chat.path, peer.era):
                found.append(f"the offset is read as {answer.offset}, not as {offset(chat.path, peer.era)}")
            if answer.listed != [chat.key] and not known & RENAMED:
                found.append(f"listed as {answer.listed}")
        if found:
            wrong[chat.path.name, *chat.accidents] = found, known
    assert not wrong, "\n".join(map(str, wrong.items()))
    assert spared < len(chats) / 20, "too many of the files were left alone"


def has_rows(path: Path) -> bool:
    """Whether any record of a file can be read: what is torn is not thrown away when nothing would be left."""
    return any(decode(line).values for line in path.read_bytes().split(b"\n"))


def is_parted(path: Path) -> bool:
    """Whether a record is valid as it stands, so that it is not touched, and two lines to nanobot, which ends lines at CR."""
    return any(
        b"\r" in line and b"\r" not in line[-1:] and decode(line).values for line in path.read_bytes().split(b"\n")
    )


def offset(path: Path, era: str) -> object:
    """The offset that stands in the header of a file; without one nothing is hidden."""
    try:
        header = json.loads(path.read_bytes().partition(b"\n")[0])
    except ValueError:
        return 0
    names = ("last_archived", "last_consolidated") if era == "E4" else ("last_consolidated",)
    return next((header[name] for name in names if name in header), 0)


def test_it_takes_what_was_appended_to_its_journal(peer, tmp_path, monkeypatch):
    """It reads the entries, goes on counting from them, and goes by the position that was set."""
    monkeypatch.setenv("MEMCLI_STATE_DIR", str(tmp_path / "state"))
    home = tmp_path / "home" / ".nanobot"
    workspace = home / "workspace"
    with driving(peer, tmp_path / "peer") as agent:
        agent.do("journal", home, texts=["端口是 8080"], position=0)
        for text in ("深蓝\n第二行", "x" * 3000):
            assert run("history", "append", text, "--session", "cli:direct", "-W", workspace).code == 0
        assert agent.do("pending", home) == 3
        agent.do("journal", home, texts=["four"], position=0)
        assert run("history", "append", "five", "-W", workspace).code == 0
        assert agent.do("pending", home) == 5
        lines = (workspace / "memory" / "history.jsonl").read_bytes().splitlines()
        assert [json.loads(line)["cursor"] for line in lines] == [1, 2, 3, 4, 5]
        assert run("history", "cursor", "--set", "3", "--force-live", "-W", workspace).code == 0
        assert agent.do("pending", home) == 2
        assert [row[0] for row in run("history", "show", "--pending", "-W", workspace).rows] == ["4", "5"]
