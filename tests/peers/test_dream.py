"""memcli's Dream beside nanobot's own: one memory, one journal, one git, written by both in turn and at once."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from support.cli import MEMCLI, Ran, environment, run
from support.driving import DREAMER, Driver, driving
from support.nanobot_model import NanobotModel, modelling
from support.peers import NANOBOTS, Peer
from support.repository import git

WHY = next((peer.why for peer in NANOBOTS if peer.why and peer.is_optional), "")
pytestmark = [pytest.mark.slow, pytest.mark.skipif(bool(WHY), reason=WHY)]
FACTS = ["The staging API listens on port 8080.", "I always use pnpm, never npm.", "我们决定数据库用 PostgreSQL 16。"]
LATER = "The backups are kept in Oslo."
MANY = 200
WAIT = 120
"""Seconds after which a process is taken to hang."""


def name(number: int) -> str:
    """A name that nothing else has, and that is in no dictionary."""
    syllables = [one + two for one in "bdfgklmnprstvz" for two in "aeiou"]
    return (syllables[number % 67] + syllables[number // 67 + 3] + "x" + syllables[number % 61]).capitalize()


CHOICES = [f"We decided to use {name(number)} for the {name(number + MANY)}." for number in range(MANY)]
"""Each is worth keeping, and none says what another says."""


def lines(memory: str, number: int) -> int:
    """How often one of CHOICES stands in the memory."""
    return memory.count(CHOICES[number][:-1] + "\n")


@pytest.fixture(scope="module", params=NANOBOTS, ids=lambda peer: peer.version)
def driver(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Driver]:
    peer: Peer = request.param
    with driving(peer, tmp_path_factory.mktemp("dreamer"), DREAMER) as driver:
        yield driver


@pytest.fixture
def model() -> Iterator[NanobotModel]:
    with modelling() as model:
        yield model


class Bot:
    """A workspace that nanobot made, and both programs in it."""

    def __init__(self, driver: Driver, home: Path) -> None:
        self.driver, self.home, self.root = driver, home, home / "workspace"
        home.mkdir()
        assert self.ask("make") == ["init: nanobot memory store"]

    def ask(self, what: str, **details: Any) -> Any:
        """Let nanobot do something (dreamer.py)."""
        return self.driver.ask(what, self.home, **details)

    def memcli(self, *words: str, code: int = 0) -> Ran:
        """Let memcli do something there."""
        ran = run(*words, "-W", str(self.root), *(["--idle", "0"] if words[0] in ("dream", "revert") else []))
        assert ran.code == code, ran.err
        return ran

    def dream(self, *words: str) -> str:
        """Let memcli dream; its commit, as nanobot calls it."""
        batches = [json.loads(line) for line in self.memcli("dream", "--json", *words).out.splitlines()]
        [commit] = [one["commits"][0]["commit"] for one in batches if one["type"] == "dream"]
        return self.named(commit)

    def tell(self, *lines: str) -> list[str]:
        """What nanobot says to these lines."""
        return self.ask("tell", lines=lines)

    def named(self, commit: str) -> str:
        """How this release prints an id: up to 0.3.0 the digits of the digits."""
        return commit[:8] if self.driver.peer.era == "E4" else commit[:4].encode().hex()

    def commit(self, sha: str) -> str:
        """The commit that such an id names."""
        return git(self.root, "rev-parse", sha if self.driver.peer.era == "E4" else bytes.fromhex(sha).decode())

    @property
    def text(self) -> str:
        """The memory as nanobot reads it."""
        seen = self.ask("look")
        return seen["memory"] + seen["user"]

    def sound(self) -> None:
        """git finds nothing wrong, the last commit has the memory as it lies there, and nanobot's log is git's."""
        fsck = git(self.root, "fsck", "--strict", "--no-dangling")
        assert fsck == ""
        assert git(self.root, "status", "--porcelain", "-uno", "--", "*.md") == ""
        log = self.ask("log")
        ids = git(self.root, "log", "--format=%H").split()
        assert [sha for sha, _ in log] == [self.named(id) for id in ids]


@pytest.fixture
def bot(driver: Driver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bot:
    monkeypatch.setenv("MEMCLI_STATE_DIR", str(tmp_path / "state"))
    return Bot(driver, tmp_path / ".nanobot")


# ------------------------------------------------------------------------------------------------- one after the other


def test_nanobot_reads_what_memcli_dreamt(bot: Bot) -> None:
    assert bot.ask("append", texts=FACTS) == [1, 2, 3]
    mine = bot.dream()
    seen = bot.ask("look")
    assert "- The staging API listens on port 8080\n" in seen["memory"]
    assert "PostgreSQL 16" in seen["memory"]
    assert "- I always use pnpm, never npm\n" in seen["user"]
    assert (seen["position"], seen["unprocessed"], seen["prompted"]) == (3, [], False)
    message, difference = bot.ask("shown", sha=mine)
    assert message.startswith("dream: ")
    assert "Memcli-Cursor: 0..3 memory/history.jsonl" in message
    assert "+- The staging API listens on port 8080" in difference
    assert "+- I always use pnpm, never npm" in difference
    assert bot.ask("log")[0][0] == mine
    bot.sound()
    assert bot.ask("append", texts=[LATER]) == [4]
    assert bot.ask("look")["unprocessed"] == [[4, LATER]]


def test_its_commands_show_it(bot: Bot, model: NanobotModel) -> None:
    model.configure(bot.home)
    bot.ask("append", texts=FACTS)
    mine = bot.dream()
    latest, named, listed = bot.tell("/dream-log", f"/dream-log {mine}", "/dream-restore")
    for shown in (latest, named):
        assert f"- Commit: `{mine}`" in shown
        assert "`USER.md`, `memory/MEMORY.md`" in shown or "`memory/MEMORY.md`, `USER.md`" in shown
        assert "+- The staging API listens on port 8080" in shown
    assert f"- `{mine}` " in listed
    assert not model.asked


def test_its_dream_goes_on_behind_memcli(bot: Bot, model: NanobotModel) -> None:
    model.configure(bot.home)
    bot.ask("append", texts=FACTS)
    bot.dream()
    before = bot.text
    said = bot.tell("/dream")
    assert said[0] == "Dreaming..."
    assert model.asked == []
    assert bot.text == before
    bot.ask("append", texts=[LATER])
    said = bot.tell("/dream")
    assert "Dream completed" in said[1]
    assert model.dreamt == [[LATER]]
    assert f"- {LATER}\n" in bot.text
    for fact in ("port 8080", "pnpm", "PostgreSQL 16"):
        assert bot.text.count(fact) == 1
    bot.sound()


def test_memcli_goes_on_behind_its_dream(bot: Bot, model: NanobotModel) -> None:
    model.configure(bot.home)
    bot.ask("append", texts=FACTS)
    bot.tell("/dream")
    assert model.dreamt == [FACTS]
    assert "nothing waits for Dream" in run("dream", "-W", str(bot.root), "--idle", "0", columns=80).err
    bot.ask("append", texts=[LATER, FACTS[0]])
    batch, *items = [json.loads(line) for line in bot.memcli("dream", "--json").out.splitlines()]
    assert (batch["entries"], batch["moved"]) == (2, "3..5")
    assert {one["state"] for one in items if "8080" in one["text"]} <= {"known"}
    assert bot.text.count("8080") == 1
    assert bot.ask("look")["unprocessed"] == []
    bot.sound()


def test_both_append_to_the_journal(bot: Bot) -> None:
    assert bot.ask("append", texts=FACTS[:1]) == [1]
    assert bot.memcli("history", "append", FACTS[1]).code == 0
    assert bot.ask("append", texts=FACTS[2:]) == [3]
    bot.memcli("history", "append", LATER)
    assert bot.ask("look")["entries"] == [[n, text] for n, text in enumerate([*FACTS, LATER], 1)]
    assert bot.ask("look")["unprocessed"] == bot.ask("look")["entries"]
    bot.dream()
    bot.memcli("history", "append", "One more.")
    assert bot.ask("append", texts=["And one."]) == [6]
    assert bot.ask("look")["unprocessed"] == [[5, "One more."], [6, "And one."]]
    path = bot.root / "memory" / "history.jsonl"
    path.write_bytes(path.read_bytes().rstrip(b"\n"))  # as an editor leaves it; nanobot would glue its next entry on
    bot.memcli("history", "append", "Behind no newline.")
    assert bot.ask("append", texts=["The last."]) == [8]
    assert [number for number, _ in bot.ask("look")["entries"]] == list(range(1, 9))


# -------------------------------------------------------------------------------------------------------------- reverts


def test_one_dream_of_each_is_taken_back(bot: Bot, model: NanobotModel) -> None:
    model.configure(bot.home)
    bot.ask("append", texts=FACTS[:2])
    mine = bot.dream()
    bot.ask("append", texts=[LATER])
    bot.tell("/dream")
    theirs = bot.ask("log")[0][0]
    bot.ask("append", texts=["We decided to use Redis 7 for the cache."])
    bot.dream()
    bot.ask("edit", text="\n- by hand\n")
    log = bot.ask("log")

    bot.memcli("revert", bot.commit(mine))
    text = bot.text
    assert ("8080" in text, "pnpm" in text) == (False, False)
    assert all(kept in text for kept in (f"- {LATER}\n", "Redis 7", "- by hand\n"))
    bot.memcli("revert", bot.commit(theirs))
    text = bot.text
    assert LATER not in text
    assert all(kept in text for kept in ("Redis 7", "- by hand\n"))
    now = bot.ask("log")
    assert now[2:] == log
    assert now[0][1].startswith("revert: undo ")
    assert bot.ask("look")["position"] == 4

    fresh = "The harbour crane is painted red."
    assert bot.ask("append", texts=[fresh]) == [5]
    assert "Dream completed" in bot.tell("/dream")[1]
    assert model.dreamt == [[LATER], [fresh]]
    text = bot.text
    assert all(kept in text for kept in ("Redis 7", "- by hand\n", f"- {fresh}\n"))
    assert not any(gone in text for gone in ("8080", "pnpm", LATER))
    bot.sound()


def test_a_dream_is_read_again_where_the_position_is_taken_back(bot: Bot, model: NanobotModel) -> None:
    model.configure(bot.home)
    bot.ask("append", texts=FACTS[:1])
    bot.dream()
    bot.ask("append", texts=FACTS[1:2])
    mine = bot.dream()
    bot.memcli("revert", bot.commit(mine), "--rewind-cursor")
    seen = bot.ask("look")
    assert (seen["position"], seen["unprocessed"]) == (1, [[2, FACTS[1]]])
    bot.tell("/dream")
    assert model.dreamt == [FACTS[1:2]]
    assert bot.text.count("pnpm") == 1
    assert bot.text.count("8080") == 1
    bot.sound()


def test_its_restore_takes_a_dream_of_memcli_back(bot: Bot, model: NanobotModel) -> None:
    model.configure(bot.home)
    bot.ask("append", texts=FACTS[:1])
    bot.dream()
    bot.ask("append", texts=FACTS[1:2])
    mine = bot.dream()
    [said] = bot.tell(f"/dream-restore {mine}")
    assert said.startswith("Restored Dream memory to the state before")
    assert ("8080" in bot.text, "pnpm" in bot.text) == (True, False)
    bot.memcli("revert", "HEAD")
    assert ("8080" in bot.text, "pnpm" in bot.text) == (True, True)
    bot.sound()


# -------------------------------------------------------------------------------------------------------- at the same time


def start(bot: Bot, *words: str) -> subprocess.Popen[str]:
    """memcli as a process of its own."""
    command = [*MEMCLI, *words, "-W", str(bot.root), "--idle", "0"]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment())


def ended(process: subprocess.Popen[str], *, busy: bool = False) -> tuple[int, str]:
    """How it ended; `busy`: to find the other one at work is no failure."""
    out, err = process.communicate(timeout=WAIT)
    assert "Traceback" not in err
    assert process.returncode in ((0, 4) if busy else (0,)), err
    return process.returncode, out + err


def test_beside_an_agent_that_writes(bot: Bot, tmp_path: Path) -> None:
    with driving(bot.driver.peer, tmp_path / "writer", DREAMER) as writer:
        writing = Thread(target=lambda: writer.ask("append", bot.home, texts=CHOICES, pause=0.02))
        writing.start()
        runs = []
        while writing.is_alive():
            runs.append(ended(start(bot, "dream", "--all"), busy=True)[0])
        writing.join()
    ended(start(bot, "dream", "--all"))
    assert runs.count(0) > 1
    seen = bot.ask("look")
    assert seen["entries"] == [[number, text] for number, text in enumerate(CHOICES, 1)]
    assert (seen["position"], seen["unprocessed"]) == (MANY, [])
    assert [number for number in range(MANY) if lines(seen["memory"], number) != 1] == []
    moved = [message.split("Memcli-Cursor: ")[1].split()[0] for _, message in bot.ask("log")[:-1]]
    spans = [span.split("..") for span in reversed(moved)]
    assert spans[0][0] == "0"
    assert spans[-1][1] == str(MANY)
    assert [end for _, end in spans[:-1]] == [begin for begin, _ in spans[1:]]
    bot.sound()


def test_two_dreams_at_once(bot: Bot) -> None:
    for turn in range(4):
        bot.ask("append", texts=[CHOICES[turn]])
        both = [start(bot, "dream"), start(bot, "dream")]
        codes = [ended(one, busy=True)[0] for one in both]
        assert 0 in codes
        seen = bot.ask("look")
        assert lines(seen["memory"], turn) == 1
        assert (seen["position"], seen["unprocessed"]) == (turn + 1, [])
        assert len(bot.ask("log")) == turn + 2
        bot.sound()


def test_a_dream_while_another_is_taken_back(bot: Bot) -> None:
    bot.ask("append", texts=FACTS[:1])
    first = bot.commit(bot.dream())
    gone = False
    for turn in range(4):
        bot.ask("append", texts=[CHOICES[turn]])
        dream, revert = start(bot, "dream"), start(bot, "revert", first)
        if ended(dream, busy=True)[0]:
            ended(start(bot, "dream"))
        # once it is taken back there is nothing more to take back, which revert says by 1
        if not gone:
            gone = ended(revert, busy=True)[0] == 0
        else:
            revert.communicate(timeout=WAIT)
            assert revert.returncode in (1, 4)
        seen = bot.ask("look")
        assert lines(seen["memory"], turn) == 1
        assert ("8080" in seen["memory"]) == (not gone)
        assert (seen["position"], seen["unprocessed"]) == (turn + 2, [])
        bot.sound()
    assert gone


def test_both_dream_at_once(bot: Bot, model: NanobotModel) -> None:
    model.configure(bot.home)
    for turn in range(3):
        bot.ask("append", texts=[CHOICES[turn]])
        mine = start(bot, "dream")
        bot.tell("/dream")
        ended(mine, busy=True)
        seen = bot.ask("look")
        assert CHOICES[turn][:-1] in seen["memory"]
        assert seen["unprocessed"] == []
        assert git(bot.root, "fsck", "--strict", "--no-dangling") == ""
