"""Chats that the real nanobot lost, or cannot show, and what doctor makes of them: counted by nanobot itself."""

from __future__ import annotations

import json
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.cli import run
from support.driving import Driver, driving
from support.lost import Expected, age
from support.lost_nanobot import CASES, KEY, Home, Lost
from support.peers import NANOBOTS, Peer

NEW, OLD = NANOBOTS
WHY = next((peer.why for peer in NANOBOTS if peer.why and peer.is_optional), "")
pytestmark = [pytest.mark.slow, pytest.mark.skipif(bool(WHY), reason=WHY)]
TEXTS = [f"Falcon {number}" for number in range(1, 7)]


def started(peer: Peer, factory: pytest.TempPathFactory) -> Iterator[Driver]:
    with driving(peer, factory.mktemp("driver")) as driver:
        yield driver


@pytest.fixture(scope="module")
def new(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Driver]:
    """0.3.5."""
    yield from started(NEW, tmp_path_factory)


@pytest.fixture(scope="module")
def old(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Driver]:
    """0.2.2."""
    yield from started(OLD, tmp_path_factory)


@pytest.fixture
def home(no_home: Path) -> Path:
    return no_home / ".nanobot"


# ------------------------------------------------------------------------------ homes made by code, counted by nanobot


@pytest.mark.parametrize("era", ["E4", "E2"])
def test_what_comes_back_comes_back_for_the_agent(era: str, request, tmp_path, monkeypatch) -> None:
    driver: Driver = request.getfixturevalue("new" if era == "E4" else "old")
    wrong, compared = [], 0
    for case in CASES:
        if case.era != era or not case.real:
            continue
        folder = tmp_path / case.name
        folder.mkdir()
        monkeypatch.setenv("HOME", str(folder))
        made = Home(folder, era)
        case.make(made)
        made.settle()
        before = counted(driver, case, made, tmp_path / f"{case.name}-before")
        first = doctor(case.ask, made.workspace)[0]
        carried_out(first)
        after = counted(driver, case, made, tmp_path / f"{case.name}-after")
        compared += 1
        if after - before != (case.expected.recoverable or 0):
            wrong.append((case.name, before, after, first))
    assert not wrong, "\n".join(map(str, wrong))
    assert compared > 10


def counted(driver: Driver, case: Lost, made: Home, copy: Path) -> int:
    """What nanobot counts in a copy of the home: it moves and claims things when it starts."""
    shutil.copytree(made.folder.parent, copy)
    place, there = made.folder.parent, copy
    for marker in copy.rglob(".workspace"):
        marker.write_text(marker.read_text().replace(str(place), str(there)))
    what = {"sent": "count", "listed": "listed", "pending": "pending"}[case.counts]
    return driver.do(what, there / ".nanobot", key=case.key)


# ------------------------------------------------------------------------------------------- homes made by nanobot


def test_words_in_what_was_compacted(new: Driver, home: Path) -> None:
    new.do("say", home, key=KEY, texts=TEXTS)
    new.do("compact", home, key=KEY, at_row=4)
    settle(home)
    first = judged(home, "Falcon 2", Expected("offset-hides", "session", 0, 0))
    assert any("Entry 1 of" in sentence for sentence in first["evidence"])
    assert "Falcon 2" in carried_out(first)
    judged(home, "Falcon 5", Expected("not-lost", "session", 0, 0))
    judged(home, KEY, Expected("not-lost", "session", 0, 0))
    assert new.do("count", home, key=KEY) == 3


def test_idle_chats_are_cut_down(old: Driver, home: Path) -> None:
    old.do("say", home, key=KEY, texts=[f"Falcon {number}." for number in range(1, 31)])
    assert old.do("idle", home, key=KEY, summary="- [durable] summary") == 8
    settle(home)
    judged(home, KEY, Expected("compacted-away", "journal", 0, None))
    assert old.do("count", home, key=KEY) == 8


def test_idle_chats_are_cut_down_and_the_model_fails(old: Driver, home: Path) -> None:
    old.do("say", home, key=KEY, texts=[f"Falcon {number}." for number in range(1, 31)])
    age_header(home, seconds=120)
    old.do("idle", home, key=KEY, summary="")
    settle(home)
    first = judged(home, "Falcon 3.", Expected("compacted-away", "journal", 0, None))
    assert "Falcon 3." in carried_out(first)


def test_idle_chats_come_back_from_an_undo_copy(old: Driver, home: Path) -> None:
    old.do("say", home, key=KEY, texts=[f"Falcon {number}." for number in range(1, 31)])
    mended_once(home)
    old.do("idle", home, key=KEY, summary="- [durable] summary")
    settle(home)
    first = judged(home, "Falcon 3.", Expected("compacted-away", "undo", 22, None))
    carried_out(first)
    assert old.do("count", home, key=KEY) == 30


def test_a_chat_that_was_ended_with_new(old: Driver, home: Path) -> None:
    old.do("say", home, key=KEY, texts=TEXTS)
    old.do("new", home, key=KEY, summary="")
    settle(home)
    first = judged(home, KEY, Expected("cleared", "journal", 0, None))
    assert "Falcon 2" in carried_out(first)
    judged(home, "Falcon 2", Expected("cleared", "journal", 0, None))


def test_a_chat_at_the_cap(old: Driver, home: Path) -> None:
    old.do("say", home, key=KEY, texts=[f"Falcon {number}." for number in range(1, 2203)])
    assert old.do("cap", home, key=KEY) == 2000
    settle(home)
    judged(home, KEY, Expected("trimmed", "journal", 0, None))
    judged(home, "Falcon 3.", Expected("trimmed", "journal", 0, None))


def test_two_chats_under_one_name(old: Driver, home: Path) -> None:
    old.do("say", home, key="telegram:a_b", texts=TEXTS[:2])
    old.do("say", home, key="telegram:a:b", texts=TEXTS[2:4], first=3)
    settle(home)
    judged(home, "telegram:a_b", Expected("name-collision", "session", 0, 0))
    assert old.do("count", home, key="telegram:a_b") == 4


@pytest.mark.parametrize("release", ["old", "new"])
def test_one_bad_byte_and_the_next_turn(release: str, request, home: Path) -> None:
    driver: Driver = request.getfixturevalue(release)
    driver.do("say", home, key=KEY, texts=TEXTS)
    mended_once(home)
    path = chat_file(home)
    path.write_bytes(path.read_bytes().replace(b"Falcon 2", b"Falcon \xff"))
    assert driver.do("count", home, key=KEY) == 0
    driver.do("say", home, key=KEY, texts=["Hello?", "Hello!"], day=2)
    settle(home)
    first = judged(home, KEY, Expected("overwritten-by-agent", "undo", 6, None))
    carried_out(first)
    assert driver.do("count", home, key=KEY) == 8


def test_an_upgrade_past_the_release_that_renamed(old: Driver, new: Driver, home: Path) -> None:
    old.do("say", home, key=KEY, texts=TEXTS)
    assert new.do("count", home, key=KEY) == 0
    settle(home)
    carried_out(judged(home, KEY, Expected("moved-by-upgrade", "session", 6, 0)))
    assert new.do("listed", home, key=KEY) == 6


def test_an_upgrade_that_passed_over_a_damaged_file(old: Driver, new: Driver, home: Path) -> None:
    old.do("say", home, key="a", texts=TEXTS)
    path = next(home.glob("workspace/sessions/*.jsonl"))
    path.write_bytes(path.read_bytes() + b'{"role": "user", "cont')
    new.do("say", home, key=KEY, texts=TEXTS[:2])
    settle(home)
    carried_out(judged(home, "a", Expected("moved-by-upgrade", "session", 6, 1)))
    assert new.do("listed", home, key="a") == 6


def test_a_conflict_of_the_move(new: Driver, home: Path) -> None:
    new.do("say", home, key=KEY, texts=TEXTS[:4])
    assert new.do("back", home) == 1
    path = next(home.glob("workspace/sessions/*.jsonl"))
    with path.open("ab") as file:
        file.write(b'{"role": "user", "content": "Kestrel", "timestamp": "2026-05-02T10:01:00"}\n')
    assert new.do("count", home, key=KEY) == 4
    assert list(home.glob("sessions/*/.migration-conflicts/*.jsonl"))
    settle(home)
    carried_out(judged(home, "Kestrel", Expected("moved-by-upgrade", "session", 1, 0)))
    assert new.do("count", home, key=KEY) == 5


def test_a_copy_of_a_workspace(new: Driver, home: Path) -> None:
    new.do("say", home, key=KEY, texts=TEXTS)
    copy = home / "copy"
    shutil.copytree(home / "workspace", copy)
    new.do("say", home, workspace=str(copy), key="cli:direct", texts=TEXTS[:2])
    assert new.do("count", home, workspace=str(copy), key=KEY) == 0
    settle(home)
    first = doctor(KEY, copy)[0]
    assert Expected(*(first[name] for name in Expected._fields)) == Expected("other-workspace", "other-workspace", 6, 0)
    carried_out(first)
    assert new.do("count", home, workspace=str(copy), key=KEY) == 6


def test_a_turn_that_was_cut_off(new: Driver, home: Path) -> None:
    new.do("say", home, key=KEY, texts=TEXTS)
    new.do("interrupt", home, key=KEY, text="ls Kestrel")
    first = judged(home, "Kestrel", Expected("never-written", "checkpoint", 0, 0))
    assert any("writes down what is left" in sentence for sentence in first["evidence"])
    judged(home, KEY, Expected("not-lost", "session", 0, 0))
    age(next(home.glob("sessions/*/*.checkpoint.json")), 2)
    judged(home, KEY, Expected("never-written", "checkpoint", 0, 0))
    new.do("count", home, key=KEY)
    assert not list(home.glob("sessions/*/*.checkpoint.json")), "nanobot threw it away, as doctor said"


def test_a_start_that_is_refused(new: Driver, home: Path) -> None:
    new.do("say", home, key=KEY, texts=TEXTS)
    [marker] = home.glob("sessions/*/.workspace")
    marker.unlink()
    assert "no workspace marker" in new.tell("count", home, key=KEY)["error"]
    settle(home)
    first = judged(home, KEY, Expected("locked-out", "session", 0, 0))
    assert str(home / "workspace") in first["evidence"][1]
    marker.write_text(f"{home / 'workspace'}\n")
    assert new.do("count", home, key=KEY) == 6


def test_a_lock_that_is_not_let_go(home: Path, tmp_path: Path, new: Driver) -> None:
    new.do("say", home, key=KEY, texts=TEXTS)
    with driving(NEW, tmp_path / "stuck") as stuck:
        pid = stuck.do("hold", home)
        first = judged(home, KEY, Expected("locked-out", "session", 0, 0))
        assert str(pid) in first["evidence"][0]
        assert str(pid) in carried_out(first)
    judged(home, KEY, Expected("not-lost", "session", 0, 0))


@pytest.mark.parametrize("release", ["old", "new"])
def test_a_position_that_stayed_when_the_journal_went(release: str, request, home: Path) -> None:
    driver: Driver = request.getfixturevalue(release)
    driver.do("say", home, key=KEY, texts=TEXTS)
    driver.do("journal", home, texts=["Kestrel", "two", "three"], position=1199)
    assert driver.do("pending", home) == 0
    settle(home)
    carried_out(judged(home, "Kestrel", Expected("never-dreamt", "journal", 3, 0)))
    assert driver.do("pending", home) == 3


# ---------------------------------------------------------------------------------------------------------- helpers


def settle(home: Path) -> None:
    for path in home.rglob("*"):
        age(path, 1)


def chat_file(home: Path) -> Path:
    [path] = [path for path in home.rglob("*.jsonl") if path.parent.name != "memory"]
    return path


def mended_once(home: Path) -> None:
    """The end of the chat is torn and mended: memcli keeps a copy from before."""
    path = chat_file(home)
    path.write_bytes(path.read_bytes() + b'{"role": "user", "cont')
    age(path, 1)
    done = run("repair", KEY, "--apply", "--lossy", "-W", home / "workspace")
    assert done.code == 0, done.err


def age_header(home: Path, seconds: int) -> None:
    """The chat was begun so long before its first row."""
    path = chat_file(home)
    head, body = path.read_bytes().split(b"\n", 1)
    value = json.loads(head)
    value["created_at"] = f"2026-05-02T09:{60 - seconds // 60:02}:00"
    path.write_bytes(json.dumps(value).encode() + b"\n" + body)


def doctor(ask: str, workspace: Path) -> list[dict[str, Any]]:
    done = run("doctor", "--json", ask, "-W", workspace)
    assert done.code in (0, 1), done.err
    return [json.loads(line) for line in done.out.splitlines()]


def judged(home: Path, ask: str, expected: Expected) -> dict[str, Any]:
    first = doctor(ask, home / "workspace")[0]
    assert Expected(*(first[name] for name in Expected._fields)) == expected, first
    return first


def carried_out(verdict: dict[str, Any]) -> str:
    """What the command of a verdict prints."""
    done = run(*shlex.split(verdict["command"])[1:])
    assert done.code in (0, 1), done.err
    return done.out
