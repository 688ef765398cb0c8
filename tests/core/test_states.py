"""The state of a session: each transition of docs/session-states.md, done to a session of each agent; limits; marks."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from support import faults
from support.cli import run

from memcli.core import choosing, discovering, sealing, states
from memcli.core.states import Facts, Limits, Marks
from memcli.errors import ConfigurationError
from memcli.storage import row_archive, undo
from memcli.storage.row_archive import Removed
from memcli.storage.versions import read_version

START = datetime(2025, 6, 2, 10, 0, tzinfo=UTC).timestamp()
GARBAGE = b"\xff\xfe\x00 no row of it can be read\n"
PAGE = Path(__file__).parents[2] / "docs" / "session-states.md"


class Talk:
    """A session of one agent that things happen to, with a clock."""

    def __init__(self, agent: str, home: Path) -> None:
        self.agent, self.now, self.changed, self.rows, self.offset = agent, START, START, [], 0
        folder = {"catbuddy": "sessions", "nanobot": "sessions", "cococat": "agents/a/memory/users/9cfc09aa76ff341a"}
        name = {"catbuddy": "desktop_a.jsonl", "nanobot": "cli_a.jsonl", "cococat": "history.jsonl"}[agent]
        self.home = home
        self.path = home / folder[agent] / name
        self.path.parent.mkdir(parents=True)
        if agent == "cococat":
            (home / "agents/a/memory/history.jsonl").write_bytes(b"")
        self.broken = False
        self.row()

    def row(self) -> None:
        at = datetime.fromtimestamp(self.now, UTC)
        stamp = at.strftime("%Y-%m-%dT%H:%M:%S.000Z" if self.agent == "catbuddy" else "%Y-%m-%dT%H:%M:%S")
        role = "user" if len(self.rows) % 2 else "assistant"
        self.rows.append({"role": role, "content": "你好", "timestamp": stamp})
        self.changed = self.now
        self.write()

    def passes(self, seconds: float) -> None:
        self.now += seconds

    def ended(self) -> None:
        self.rows.clear()
        self.offset, self.changed = 0, self.now
        self.write()

    def summary(self) -> None:
        if self.agent == "cococat":
            self.rows[:-5] = [{"type": "compacted_summary", "original_count": 9, "summary": "[9 entries compacted]"}]
        else:
            self.offset = len(self.rows)
        self.write()

    def archive(self) -> None:
        """What `compact --trim` does, in short."""
        workspace = discovering.find([str(self.home)], self.agent)[0]
        with undo.begin(sealing.store(workspace), "compact") as operation:
            removed = Removed("a", self.agent, str(self.path), 1, "2026-11-30T10:00:00Z")
            row_archive.add(
                operation, sealing.store(workspace), removed, [json.dumps(self.rows.pop(0)).encode() + b"\n"]
            )
            self.offset = max(0, self.offset - 1)
            data = self.bytes()
            operation.rewrite(str(self.path), read_version(str(self.path)), data, root=str(self.home), mtime="keep")
            operation.commit()

    def breaks(self) -> None:
        self.broken = True
        self.write()

    def mended(self) -> None:
        self.broken, self.changed = False, self.now
        self.write()

    def bytes(self) -> bytes:
        if self.broken:
            return GARBAGE
        updated = datetime.fromtimestamp(self.changed, UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z")
        header: dict[str, Any] = {"key": "desktop:a", "created_at": updated, "updated_at": updated, "metadata": {}}
        header |= {"last_consolidated": self.offset}
        if self.agent == "nanobot":
            header = {"_type": "metadata", **header, "key": "cli:a", "last_archived": self.offset}
        values = [*([] if self.agent == "cococat" else [header]), *self.rows]
        return b"".join(json.dumps(value, ensure_ascii=False).encode() + b"\n" for value in values)

    def write(self) -> None:
        self.path.write_bytes(self.bytes())
        os.utime(self.path, (self.changed, self.changed))

    def state(self, monkeypatch: pytest.MonkeyPatch) -> str:
        monkeypatch.setattr(choosing.time, "time", lambda: self.now)
        rows = choosing.choose(discovering.find([str(self.home)], self.agent), choosing.Choice(long=True))
        [row] = [row for row in rows if row.file == str(self.path)]
        assert row.state is not None
        return row.state


EVENTS: dict[str, Callable[[Talk], None]] = {
    "a row comes": Talk.row,
    "a minute passes": lambda talk: talk.passes(60),
    "45 minutes pass": lambda talk: talk.passes(45 * 60),
    "the chat is ended by a person": Talk.ended,
    "a summary is made": Talk.summary,
    "rows go to the archive": Talk.archive,
    "more than 8 rows come": lambda talk: [talk.row() for _ in range(9)] and None,
    "the file becomes unreadable": Talk.breaks,
    "the file is mended": Talk.mended,
}
BEFORE: dict[str, tuple[str, ...]] = {
    "live": (),
    "idle": ("a minute passes",),
    "ended": ("45 minutes pass",),
    "archived": ("45 minutes pass", "a summary is made"),
    "unreadable": ("the file becomes unreadable",),
}
AGENTS = ("catbuddy", "nanobot", "cococat")


def table(heading: str) -> list[list[str]]:
    """The cells of the first table behind a heading of the page."""
    text = PAGE.read_text(encoding="utf-8")
    part = text.partition(heading)[2]
    lines = re.search(r"(?:^\|.*\n)+", part, re.MULTILINE)
    assert lines is not None
    rows = [[cell.strip().strip("`") for cell in line.strip("|\n ").split("|")] for line in lines[0].splitlines()]
    return rows[2:]


TRANSITIONS = table("## Transitions")
CASES = [
    pytest.param(agent, *row, id=f"{agent}: {', '.join(row)}")
    for agent in AGENTS
    for row in TRANSITIONS
    if not (agent == "cococat" and "ended by a person" in row[1])  # it has no header that could be left alone
]


@pytest.fixture(autouse=True)
def own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMCLI_STATE_DIR", str(tmp_path / "state"))
    faults.quick_disk(monkeypatch)


@pytest.mark.parametrize(("agent", "before", "what", "after"), CASES)
def test_transitions(
    agent: str, before: str, what: str, after: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    talk = Talk(agent, tmp_path / "ws")
    for _ in range(11):
        talk.row()
    for event in BEFORE[before]:
        EVENTS[event](talk)
    assert talk.state(monkeypatch) == before
    for event in what.split(", then "):
        EVENTS[event](talk)
    assert talk.state(monkeypatch) == after


def test_the_page_has_every_state_and_every_way_into_and_out_of_it() -> None:
    assert [row[0] for row in table("# The state of a session")] == list(states.STATES)
    assert {row[0] for row in TRANSITIONS} == set(states.STATES) == {row[2] for row in TRANSITIONS}
    assert len({(row[0], row[1]) for row in TRANSITIONS}) == len(TRANSITIONS)


NOW = 1_000_000.0
FACTS = [
    (Facts(NOW), "live"),
    (Facts(NOW - 59.9), "live"),
    (Facts(NOW - 60), "idle"),
    (Facts(NOW - 2699), "idle"),
    (Facts(NOW - 2700), "ended"),
    (Facts(NOW + 3600), "live"),
    (Facts(NOW, closed=True), "ended"),
    (Facts(NOW, closed=True, marked=True), "archived"),
    (Facts(NOW, closed=True, readable=False), "unreadable"),
    (Facts(NOW - 60, marked=True), "idle"),
    (Facts(NOW - 2700, marked=True, left=8), "archived"),
    (Facts(NOW - 2700, marked=True, left=9), "ended"),
    (Facts(NOW - 2700, left=0), "ended"),
]


@pytest.mark.parametrize(("facts", "state"), FACTS, ids=lambda value: str(value))
def test_the_definition(facts: Facts, state: str) -> None:
    assert states.state(facts, NOW) == state


def test_limits_can_be_others() -> None:
    limits = Limits(5, 10)
    assert [states.state(Facts(NOW - age), NOW, limits) for age in (4, 5, 9, 10)] == ["live", "idle", "idle", "ended"]


SUMMARY = {"type": "compacted_summary", "original_count": 3, "summary": "s"}
TAKEN = {"metadata": {"_last_summary": {"text": "t", "last_active": "2026"}}}
MARKS: list[tuple[str, str, dict[str, Any], int, Any, Marks]] = [
    ("catbuddy", "", {"last_consolidated": 7}, 9, {}, Marks(False, 7)),
    ("catbuddy", "", {"last_consolidated": 10}, 9, {}, Marks()),
    ("catbuddy", "", {"last_consolidated": True}, 9, {}, Marks()),
    ("catbuddy", "", {"last_consolidated": "7"}, 9, {}, Marks()),
    ("catbuddy", "", {"key": "a"}, 0, None, Marks(True)),
    ("catbuddy", "", {}, 0, None, Marks()),
    ("nanobot", "E4", {"last_archived": 5, "last_consolidated": 9}, 9, {}, Marks(False, 5)),
    ("nanobot", "E4", {"last_archived": None, "last_consolidated": 9}, 9, {}, Marks(False, 9)),
    ("nanobot", "E4", TAKEN, 8, {}, Marks()),
    ("nanobot", "E3", TAKEN, 8, {}, Marks(False, 0, True)),
    ("nanobot", "E3", {}, 8, {}, Marks()),
    ("nanobot", "E4", {"_type": "metadata"}, 0, None, Marks(True)),
    ("cococat", "V1", {}, 6, SUMMARY, Marks(False, 1, True)),
    ("cococat", "V1", {}, 6, {"role": "user"}, Marks()),
    ("cococat", "V1", {}, 0, None, Marks()),
    ("jsonl", "", {"last_consolidated": 3}, 6, {}, Marks()),
]


@pytest.mark.parametrize(("agent", "era", "header", "rows", "first", "marks"), MARKS)
def test_marks(agent: str, era: str, header: dict[str, Any], rows: int, first: Any, marks: Marks) -> None:
    assert states.marks(agent, era, header, rows, first) == marks


@pytest.mark.parametrize(
    ("text", "limits"),
    [
        ("", Limits(60, 2700)),
        ("[sessions]", Limits(60, 2700)),
        ("[sessions]\nended_after = 10", Limits(60, 600)),
        ("[sessions]\nlive_for = 2.5\nended_after = 0.5", Limits(2.5, 30)),
        ("[sessions]\nlive_for = 0\nended_after = 0", Limits(0, 0)),
    ],
)
def test_limits_of_the_configuration(
    text: str, limits: Limits, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "c.toml").write_text(text)
    monkeypatch.setenv("MEMCLI_CONFIG", str(tmp_path / "c.toml"))
    assert states.limits() == limits


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("ended_after = '45'", "sessions.ended_after is a number, and not '45'."),
        ("live_for = true", "sessions.live_for is a number, and not True."),
        ("ended_after = -1", "sessions.ended_after is a number from 0 to 527,040, and -1 is not."),
        ("ended_after = nan", "sessions.ended_after is a number from 0 to 527,040, and nan is not."),
        ("ended_after = 1e9", "sessions.ended_after is a number from 0 to 527,040, and 1000000000.0 is not."),
        ("idle_after = 3", "[sessions] has no setting 'idle_after'; there are live_for, ended_after."),
        ("live_for = 61\nended_after = 1", "a chat cannot end while it is live."),
    ],
)
def test_wrong_limits(text: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "c.toml").write_text(f"[sessions]\n{text}")
    monkeypatch.setenv("MEMCLI_CONFIG", str(tmp_path / "c.toml"))
    with pytest.raises(ConfigurationError) as caught:
        states.limits()
    assert said in caught.value.sentence


def test_commands_that_tell_states_mind_the_configuration(tmp_path: Path) -> None:
    talk = Talk("catbuddy", tmp_path / "ws")
    (tmp_path / "c.toml").write_text("[sessions]\nended_after = 'soon'")
    for command in (("sessions", "ls", "--long"), ("doctor",)):
        ran = run(*command, "-W", talk.home, env={"MEMCLI_CONFIG": str(tmp_path / "c.toml")})
        assert ran.code == 2
        assert "sessions.ended_after" in ran.err
    assert run("sessions", "ls", "-W", talk.home, env={"MEMCLI_CONFIG": str(tmp_path / "c.toml")}).code == 0


@pytest.mark.parametrize(
    ("data", "rows"),
    [
        (b"", 0),
        (b"\n\n", 0),
        (b'{"role":"user"}', 1),
        (b'{"key":"a"}\n', 0),
        (b'{"key":"a"}\n{"role":"user"}\n\r\nx', 2),
    ],
)
def test_rows_are_counted_without_parsing_them(data: bytes, rows: int, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(data)
    fd = os.open(path, os.O_RDONLY)
    try:
        assert states.count(fd, "catbuddy") == rows
    finally:
        os.close(fd)


def test_a_file_that_is_gone_is_unreadable(tmp_path: Path) -> None:
    talk = Talk("catbuddy", tmp_path / "ws")
    workspace = discovering.find([str(talk.home)])[0]
    ref = discovering_ref(workspace, talk)
    assert states.of(ref, START, START) == "live"
    talk.path.unlink()
    assert states.of(ref, START, START) == "unreadable"


def discovering_ref(workspace: Any, talk: Talk) -> Any:
    from memcli.model import SessionRef

    return SessionRef(talk.agent, "desktop:a", str(talk.path), str(talk.path), workspace)


def test_doctor_counts_states(tmp_path: Path) -> None:
    talk = Talk("catbuddy", tmp_path / "ws")
    assert "1 session (1 ended), 1 row" in run("doctor", "-W", talk.home, "--agent", "catbuddy").out
    assert states.tally(["idle", "live", "idle"]) == {"live": 1, "idle": 2}


@pytest.mark.parametrize(
    ("times", "expected"),
    [((1.0, 2.0), 2.0), ((5.0, 1e9), 5.0), ((1e9, 5.0), 5.0), ((2e9, 1e9), 2e9), ((5.0, 3600.0), 3600.0), ((), 0.0)],
)
def test_a_time_of_a_wrong_clock_is_not_the_last(times: tuple[float, ...], expected: float) -> None:
    assert states.latest(times, 10.0) == expected
    assert states.state(Facts(1e9), 10.0) == states.ENDED
