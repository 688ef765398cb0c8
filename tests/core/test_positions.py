"""Where Dream has come to, by each agent's rule, and setting it."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from support import faults

from memcli.core import discovering, journals, positions, sealing
from memcli.core.journals import Journal
from memcli.errors import RefusedForSafety, UsageError
from memcli.model import Workspace
from memcli.storage import undo

OLD = 10**18 + 7


class Ground:
    def __init__(self, folder: Path) -> None:
        self.folder, self.number = folder, 0

    def fresh(self, agent: str = "catbuddy", numbers: tuple[int, ...] = (1, 2, 3), **files: str) -> Journal:
        self.number += 1
        base = self.folder / str(self.number)
        os.environ["MEMCLI_STATE_DIR"] = str(base / "state")
        self.memory = base / ("agents/leader/memory" if agent == "cococat" else "memory")
        self.memory.mkdir(parents=True)
        (base / "sessions").mkdir()
        (base / "sessions" / "a.jsonl").write_text('{"key":"a","updated_at":"x"}\n')
        rows = [ROWS[agent] | ({} if agent == "cococat" else {"cursor": number}) for number in numbers]
        (self.memory / "history.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        (self.memory / "MEMORY.md").write_text("")
        for name, text in files.items():
            path = self.memory / f".{name}"
            path.write_text(text)
            os.utime(path, ns=(OLD, OLD))
        nanobot = Workspace(agent, str(base), memory=(str(self.memory),))
        [self.journal] = journals.find([nanobot] if agent == "nanobot" else discovering.find([str(base)], agent))
        return self.journal

    def put(self, wanted: str, **more: object) -> positions.Set:
        state = positions.state(self.journal)
        wish = {"command": ["memcli"], "idle": 0.0, "force_live": False, **more}
        return positions.put(state, positions.target(state, wanted), **wish)


ROWS = {
    "catbuddy": {"content": "x", "at": "2026-05-20T08:30:09.413Z"},
    "nanobot": {"content": "x", "timestamp": "2026-05-01 10:00"},
    "cococat": {"prompt": "x", "response_summary": "", "iterations": 1, "timestamp": "2026-05-06T10:00:00"},
}


@pytest.fixture
def ground(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Ground]:
    monkeypatch.setenv("MEMCLI_STATE_DIR", "")
    faults.quick_disk(monkeypatch)
    return Ground(tmp_path)


READ = {
    # agent, what the agent's file holds: position, pending, whose, beyond
    "nobody's yet": ("catbuddy", None, 0, 3, True, False),
    "the older catbuddy's": ("catbuddy", "2", 2, 1, False, False),
    "catbuddy's garbage": ("catbuddy", "x", 0, 3, False, False),
    "nanobot's": ("nanobot", "1", 1, 2, False, False),
    "nanobot's, beyond": ("nanobot", "9", 9, 0, False, True),
    "nanobot's, missing": ("nanobot", None, 0, 3, False, False),
    "cococat's": ("cococat", "2", 2, 1, False, False),
    "cococat's from the end": ("cococat", "-1", -1, 1, False, False),
    "cococat's, beyond": ("cococat", "50", 50, 0, False, True),
    "another program's": ("cococat", "2026-05-06T10:00:00", 0, None, False, False),
}


@pytest.mark.parametrize("case", READ)
def test_by_the_agents_rule(ground: Ground, case: str) -> None:
    agent, text, used, pending, own, beyond = READ[case]
    ground.fresh(agent, **({} if text is None else {"dream_cursor": text}))
    state = positions.state(ground.journal)
    assert (state.position.used, state.pending, state.own, state.beyond) == (used, pending, own, beyond)
    assert state.entries == 3


TARGETS = {
    "start": ("nanobot", (4, 5), "start", 0),
    "end": ("nanobot", (4, 9, 5), "end", 9),
    "a number": ("nanobot", (4, 5), "4", 4),
    "between numbers": ("nanobot", (4, 9), "7", 7),
    "none": ("nanobot", (), "end", 0),
    "records": ("cococat", (1, 2, 3), "end", 3),
    "no records": ("cococat", (), "0", 0),
}


@pytest.mark.parametrize("case", TARGETS)
def test_what_is_meant(ground: Ground, case: str) -> None:
    agent, numbers, wanted, number = TARGETS[case]
    ground.fresh(agent, numbers)
    assert positions.target(positions.state(ground.journal), wanted) == number


@pytest.mark.parametrize("wanted", ["4", "-1", "", "٣", "9" * 30, "half"])
def test_what_is_refused(ground: Ground, wanted: str) -> None:
    ground.fresh("nanobot")
    with pytest.raises(UsageError, match="Nothing was changed"):
        ground.put(wanted)


def test_another_programs_position_is_left(ground: Ground) -> None:
    ground.fresh("cococat", dream_cursor='{"chat": 3}')
    with pytest.raises(UsageError, match="a JSON object"):
        ground.put("end")


@pytest.mark.parametrize(
    ("agent", "mtime"),
    [("nanobot", None), ("catbuddy", None), ("cococat", OLD)],
)
def test_the_agents_file(ground: Ground, agent: str, mtime: int | None) -> None:
    ground.fresh(agent, dream_cursor="1")
    done = ground.put("3")
    path = ground.memory / ".dream_cursor"
    assert path.read_bytes() == b"3"
    assert (path.stat().st_mtime_ns == mtime) == (mtime is not None)
    assert (done.old, done.new, done.own, done.timed) == (1, 3, False, agent == "cococat")
    undo.undo(sealing.store(ground.journal.workspace), done.id)
    assert (path.read_bytes(), path.stat().st_mtime_ns) == (b"1", OLD)


def test_a_missing_file_is_a_dream_that_never_was(ground: Ground) -> None:
    ground.fresh("cococat")
    assert ground.put("start").id == ""
    ground.put("2")
    path = ground.memory / ".dream_cursor"
    assert (path.read_bytes(), path.stat().st_mtime) == (b"2", 0)


def test_garbage_is_written_over_though_it_counts_the_same(ground: Ground) -> None:
    ground.fresh("nanobot", dream_cursor="?")
    assert ground.put("0").id
    assert (ground.memory / ".dream_cursor").read_bytes() == b"0"


def test_our_own_stays_with_the_workspace(ground: Ground) -> None:
    ground.fresh()
    before = sorted(ground.memory.iterdir())
    done = ground.put("2")
    assert done.own
    assert positions.state(ground.journal).pending == 1
    assert sorted(ground.memory.iterdir()) == before
    Path(done.path).write_text("gar")
    assert positions.position(ground.journal)[0].used == 0
    assert done.path.startswith(os.environ["MEMCLI_STATE_DIR"])


@pytest.mark.parametrize("how", [faults.KILL, faults.TORN, errno.EIO, errno.ENOSPC], ids=str)
@pytest.mark.parametrize("agent", ["catbuddy", "cococat"])
def test_old_or_new_wherever_it_ends(ground: Ground, agent: str, how: str | int) -> None:
    def before() -> None:
        ground.fresh(agent, **({"dream_cursor": "1"} if agent == "cococat" else {}))

    for where, ended in faults.every(lambda: ground.put("3"), before, how):
        with undo.begin(sealing.store(ground.journal.workspace), "next"):
            pass
        used = positions.position(ground.journal)[0].used
        assert used in (3, 1 if agent == "cococat" else 0), where
        assert ended.code != 0 or used == 3, where


def test_a_live_writer_is_left_alone(ground: Ground) -> None:
    ground.fresh("nanobot", dream_cursor="1")
    (ground.memory / ".dream_cursor").touch()
    refused = ground.put("3", idle=60.0)
    assert refused.refused
    assert not refused.id
    assert ground.put("3", idle=60.0, force_live=True).id


@pytest.mark.parametrize("agent", ["nanobot", "cococat", "catbuddy"])
def test_what_was_set_meanwhile_is_not_set_back(ground: Ground, agent: str) -> None:
    ground.fresh(agent, **({"dream_cursor": "0"} if agent != "catbuddy" else {}))
    state = positions.state(ground.journal)
    assert ground.put("2").id
    with pytest.raises(RefusedForSafety) as caught:
        positions.put(state, 1, command=["memcli"], idle=0.0, force_live=False)
    assert caught.value.facts["why"] == "changed"
    assert positions.position(ground.journal)[0].used == 2
