"""Appending to a journal: whoever is killed, and however many append at once, numbers follow each other."""

from __future__ import annotations

import errno
import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from support import faults
from support.cli import run

from memcli.core import discovering, journals, noting, sealing
from memcli.core.journals import Journal
from memcli.errors import CannotRead, CannotWrite, RefusedForSafety, UsageError
from memcli.storage import undo

SAMPLES = Path(__file__).parents[1] / "samples"
CATBUDDY = b'{"cursor":1,"content":"one","at":"2026-05-20T08:30:09.413Z"}\n'
NANOBOT = b'{"cursor": 1, "timestamp": "2026-05-01 10:00", "content": "one"}\n'
COCOCAT = b'{"prompt": "one", "response_summary": "", "iterations": 1, "timestamp": "2026-05-06T10:00:00"}\n'


class Ground:
    """A workspace of each agent in turn, with a journal of one entry and memcli's state beside it."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.number = folder, 0

    def fresh(self, agent: str = "catbuddy", data: bytes | None = None, counter: str | None = "1") -> Journal:
        self.number += 1
        base = self.folder / str(self.number)
        os.environ["MEMCLI_STATE_DIR"] = str(base / "state")
        if agent == "cococat":
            self.memory = base / "agents" / "leader" / "memory"
            root = base
        else:
            root = base / "workspace"
            self.memory = root / "memory"
            (root / "sessions").mkdir(parents=True)
            (root / "sessions" / "desktop_main.jsonl").write_bytes(b'{"key":"desktop:main","updated_at":"x"}\n')
        self.memory.mkdir(parents=True)
        (self.memory / "MEMORY.md").write_text("# Memory\n")
        first = {"catbuddy": CATBUDDY, "nanobot": NANOBOT, "cococat": COCOCAT}[agent]
        data = first if data is None else data
        if data:
            (self.memory / "history.jsonl").write_bytes(data)
        if counter is not None and agent != "cococat":
            (self.memory / ".cursor").write_text(counter)
        self.journal = journals.one(journals.find(discovering.find([str(root)], agent)))
        return self.journal

    @property
    def lines(self) -> list[bytes]:
        return (self.memory / "history.jsonl").read_bytes().split(b"\n")

    @property
    def counter(self) -> str:
        return (self.memory / ".cursor").read_text()

    def numbers(self) -> list[int]:
        """The numbers of the whole entries, as a reader that passes over the rest finds them."""
        found = []
        for line in self.lines:
            try:
                found.append(json.loads(line)["cursor"])
            except ValueError:
                assert not line or line == self.lines[-1]
        return found

    def next_start(self) -> None:
        with undo.begin(sealing.store(self.journal.workspace), "next"):
            pass


@pytest.fixture
def ground(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Ground]:
    monkeypatch.setenv("MEMCLI_STATE_DIR", "")
    faults.quick_disk(monkeypatch)
    return Ground(tmp_path)


def append(journal: Journal, text: str = "more") -> noting.Noted:
    return noting.append(journal, text, command=["memcli"])


@pytest.mark.parametrize("how", faults.HOW, ids=str)
@pytest.mark.parametrize("agent", ["catbuddy", "nanobot"])
def test_no_number_twice_and_none_left_out_wherever_it_ends(ground: Ground, agent: str, how: str | int) -> None:
    for where, ended in faults.every(lambda: append(ground.journal), lambda: ground.fresh(agent), how):
        numbers = ground.numbers()
        assert numbers in ([1], [1, 2]), where
        assert int(ground.counter) >= numbers[-1], f"{where}: the agent would give {numbers[-1]} again"
        if ended.code not in (0, -9):
            assert ended.code in (3, 4), f"{where}: {ended.said}"
        ground.next_start()
        after = ground.numbers()
        assert (after, ground.counter) in (([1], "1"), ([1, 2], "2")), where
        assert ended.code != 0 or after == [1, 2], where
        append(ground.journal, "after")
        assert ground.numbers() == [*after, len(after) + 1], where
        assert ground.counter == str(len(after) + 1), where
        assert ground.lines[-1] == b"", where


@pytest.mark.parametrize("how", [faults.KILL, errno.EIO], ids=str)
def test_a_first_entry_wherever_it_ends(ground: Ground, how: str | int) -> None:
    for where, _ in faults.every(lambda: append(ground.journal), lambda: ground.fresh(data=b"", counter=None), how):
        ground.next_start()
        there = ground.journal.there
        assert (ground.memory / ".cursor").exists() == there, where
        append(ground.journal)
        assert ground.numbers() == ([1, 2] if there else [1]), where
        assert ground.counter == str(len(ground.numbers())), where


@pytest.mark.parametrize("agent", ["catbuddy", "cococat"])
def test_two_at_once(ground: Ground, agent: str) -> None:
    both_append(ground, agent, 40)


@pytest.mark.slow
@pytest.mark.parametrize("agent", ["catbuddy", "nanobot"])
def test_two_at_once_five_hundred_times(ground: Ground, agent: str) -> None:
    both_append(ground, agent, 500)


def both_append(ground: Ground, agent: str, each: int) -> None:
    journal = ground.fresh(agent)
    children = []
    for name in "ab":
        child = faults.fork()
        if not child:
            code = 70
            try:
                if name == "b":  # another state folder, and with it another lock of memcli's own
                    os.environ["MEMCLI_STATE_DIR"] += "-b"
                for number in range(each):
                    append(journal, f"{name} {number}")
                code = 0
            finally:
                os._exit(code)
        children.append(child)
    assert [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children] == [0, 0]
    values = [json.loads(line) for line in ground.lines[1:-1]]
    assert len(values) == 2 * each
    said = [value.get("content") or value["prompt"] for value in values]
    for name in "ab":
        assert [one for one in said if one.startswith(name)] == [f"{name} {number}" for number in range(each)]
    if agent != "cococat":
        assert [value["cursor"] for value in values] == list(range(2, 2 * each + 2))
        assert ground.counter == str(2 * each + 1)


CATBUDDY_AT = b'{"cursor":%d,"content":"x","at":"2026-05-20T08:30:09.413Z"}\n'
GIVEN = {
    # (agent, journal, counter): the number of the next entry
    "the counter": ("catbuddy", CATBUDDY, "1", 2),
    "a counter ahead leaves a gap that is there": ("catbuddy", CATBUDDY, "7", 8),
    "a counter behind": ("catbuddy", CATBUDDY_AT % 5, "2", 6),
    "no counter": ("catbuddy", CATBUDDY_AT % 5 + CATBUDDY_AT % 3, None, 6),
    "garbage": ("catbuddy", CATBUDDY_AT % 5, "?", 6),
    "garbage behind a number": ("catbuddy", CATBUDDY, "12abc", 13),
    "nothing at all": ("catbuddy", b"", None, 1),
    "an empty journal": ("catbuddy", b"\n", "3", 4),
    "nanobot without a counter and a smaller last one": (
        "nanobot",
        NANOBOT.replace(b"1,", b"9,", 1) + NANOBOT,
        None,
        10,
    ),
    "nanobot with a negative counter": ("nanobot", NANOBOT, "-4", 2),
    "a cut line between": ("catbuddy", CATBUDDY + b'{"cursor":2,"con\n' + CATBUDDY_AT % 3, "3", 4),
}


@pytest.mark.parametrize("case", GIVEN)
def test_the_number_that_follows(ground: Ground, case: str) -> None:
    agent, data, counter, number = GIVEN[case]
    journal = ground.fresh(agent, data, counter)
    assert append(journal).number == number
    assert (ground.memory / "history.jsonl").read_bytes().startswith(data)
    assert json.loads(ground.lines[-2])["cursor"] == number
    assert ground.counter == str(number)


def test_lines_are_as_the_agents_write_them(ground: Ground, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Asia/Shanghai")
    noting.time.tzset()
    monkeypatch.setattr(noting.time, "time", lambda: 1_780_000_000.25)
    try:
        journal = ground.fresh("catbuddy")
        assert append(journal, "深蓝\n色").line == (
            '{"cursor":2,"content":"深蓝\\n色","at":"2026-05-28T20:26:40.250Z"}'.encode()
        )
        journal = ground.fresh("nanobot")
        said = noting.append(journal, "深蓝", session="cli:direct", command=["m"]).line.decode()
        assert said == (
            '{"cursor": 2, "timestamp": "2026-05-29 04:26", "content": "深蓝", "session_key": "cli:direct"}'
        )
        journal = ground.fresh("cococat")
        assert append(journal, "深蓝").line.decode() == (
            '{"prompt": "深蓝", "response_summary": "", "iterations": 0, "timestamp": "2026-05-29T04:26:40.250000"}'
        )
    finally:
        monkeypatch.undo()
        noting.time.tzset()


def test_a_users_line(ground: Ground, tmp_path: Path) -> None:
    shutil.copytree(SAMPLES / "cococat" / "v1-healthy", tmp_path / "w")
    os.environ["MEMCLI_STATE_DIR"] = str(tmp_path / "state")
    [journal] = journals.find(discovering.find([str(tmp_path / "w")]), user="user_abc")
    done = append(journal, "blue")
    assert done.number == 0
    value = json.loads(done.line)
    assert [*value] == ["role", "content", "timestamp"]
    assert (value["role"], value["content"]) == ("user", "blue")


TORN = {
    "cut": b'{"cursor":2,"content":"tw',
    "NULs": b"\0" * 40,
    "a number": b"12",
    "two records": CATBUDDY.strip() * 2,
}


@pytest.mark.parametrize("case", TORN)
def test_nothing_behind_a_torn_end(ground: Ground, case: str) -> None:
    journal = ground.fresh(data=CATBUDDY + TORN[case])
    with pytest.raises(RefusedForSafety, match="memcli repair"):
        append(journal)
    assert (ground.memory / "history.jsonl").read_bytes() == CATBUDDY + TORN[case]
    assert ground.counter == "1"


def test_a_missing_newline_comes_first(ground: Ground) -> None:
    journal = ground.fresh(data=CATBUDDY.strip())
    append(journal)
    assert ground.numbers() == [1, 2]
    assert (ground.memory / "history.jsonl").read_bytes().startswith(CATBUDDY)


def test_undo_takes_out_the_one_entry_and_its_number_is_not_given_again(ground: Ground) -> None:
    journal = ground.fresh()
    second = append(journal, "second")
    append(journal, "third")
    undo.undo(sealing.store(journal.workspace), second.id)
    assert ground.numbers() == [1, 3]
    assert append(journal, "fourth").number == 4
    undo.undo(sealing.store(journal.workspace))
    assert (ground.numbers(), ground.counter) == ([1, 3], "4")
    assert append(journal).number == 5


def test_beside_a_writer_there_is_no_waiting(ground: Ground) -> None:
    journal = ground.fresh()
    with (ground.memory / "history.jsonl").open("ab") as held:
        append(journal)
        held.write(CATBUDDY_AT % 3)
    assert ground.numbers() == [1, 2, 3]


def test_an_agent_that_counts_meanwhile_is_asked_again(ground: Ground, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = ground.fresh()
    tries = []
    real = noting._next

    def late(*arguments: object) -> int:
        number = real(*arguments)
        tries.append(number)
        if len(tries) == 1:  # between the number and the write, the agent appends
            with (ground.memory / "history.jsonl").open("ab") as file:
                file.write(CATBUDDY_AT % 2)
        return number

    def counting(operation: undo.Operation, where: Journal, path: str, number: int) -> None:
        version = noting.read_version(path)
        if len(tries) == 1:
            (ground.memory / ".cursor").write_text("2")
        operation.rewrite(path, version, str(number).encode(), root=str(ground.memory), lasting=True)

    monkeypatch.setattr(noting, "_next", late)
    monkeypatch.setattr(noting, "_count", counting)
    assert append(journal).number == 3
    assert tries == [2, 3]
    assert ground.numbers() == [1, 2, 3]
    monkeypatch.setattr(noting, "_count", lambda *_: (_ for _ in ()).throw(RefusedForSafety("x.", why="changed")))
    with pytest.raises(RefusedForSafety):
        append(journal)


@pytest.mark.parametrize("text", ["", "  \n", b"\xff", "\udcff"])
def test_what_is_no_text(text: str | bytes) -> None:
    with pytest.raises(UsageError):
        noting.text_of(text)


def test_text_keeps_its_lines(ground: Ground) -> None:
    assert noting.text_of("  一\n二 \n\n".encode()) == "  一\n二"


def test_what_an_entry_cannot_be(ground: Ground) -> None:
    journal = ground.fresh()
    with pytest.raises(UsageError, match="64,000"):
        append(journal, "x" * 64_001)
    with pytest.raises(UsageError, match="--session"):
        noting.append(journal, "x", session="desktop:main", command=[])
    shutil.rmtree(ground.memory)
    with pytest.raises(CannotWrite, match="does not exist"):
        append(journal)


def test_odd_files_are_left_alone(ground: Ground) -> None:
    journal = ground.fresh(data=b"")
    os.mkfifo(journal.file.path)
    with pytest.raises((RefusedForSafety, CannotRead)):
        append(journal)
    assert ground.counter == "1"


def test_a_held_journal_is_waited_for_and_then_reported(ground: Ground, monkeypatch: pytest.MonkeyPatch) -> None:
    import fcntl

    journal = ground.fresh()
    real = noting.hold
    monkeypatch.setattr(noting, "hold", lambda locks, store: real(locks, store=store, timeout=0.05))
    with open(journal.file.path) as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(RefusedForSafety, match="Nothing was changed"):
            append(journal)
    assert (ground.numbers(), ground.counter) == ([1], "1")


def test_the_next_reader_takes_it(ground: Ground) -> None:
    journal = ground.fresh()
    append(journal, "深蓝")
    assert run("history", "check", "-W", journal.workspace.root, "--fail-on", "warning").code == 0
