"""Failing and killing every system call of operations and of undoing them: each file old or new, converging."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pytest
from support import faults

from memcli.storage import state, undo
from memcli.storage.locks import Lock
from memcli.storage.state import Store
from memcli.storage.versions import read_version

OLD = {
    "a.jsonl": b'{"role":"user"}\n{"ro' + b"x" * 900,
    "b.jsonl": b"second\n" * 40,
    "c.jsonl": b"third\n",
    "gone.tmp": b"left\n",
    "history.jsonl": b'{"cursor":1}',
}
Files = dict[str, tuple[bytes, int]]


class Ground:
    """A workspace and a state folder, set up anew for each run."""

    root: Path
    store: Store

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.number = 0

    def fresh(self) -> None:
        self.number += 1
        base = self.folder / str(self.number)
        self.root = base / "workspace"
        self.root.mkdir(parents=True)
        for name, data in OLD.items():
            self.path(name).write_bytes(data)
            self.path(name).chmod(0o640)
            os.utime(self.path(name), ns=(1, 10**18 + 7))
        os.environ["MEMCLI_STATE_DIR"] = str(base / "state")
        self.store = state.store(str(self.root))
        for kind in state.KINDS:
            state.place(self.store, kind)

    def path(self, name: str) -> Path:
        return self.root / name

    def files(self) -> Files:
        """Name -> content and mode of what an agent sees."""
        paths = [path for path in self.root.iterdir() if not path.name.startswith(".")]
        return {path.name: (path.read_bytes(), path.stat().st_mode & 0o777) for path in paths}

    def kept(self, kind: str) -> list[str]:
        return os.listdir(os.path.join(self.store.folder, kind))

    def next_start(self) -> None:
        with undo.begin(self.store, "next"):
            pass


class Act(NamedTuple):
    """Something that an operation does to one file."""

    name: str
    do: Callable[[undo.Operation, str, str], object]


def rewrite(operation: undo.Operation, path: str, root: str) -> None:
    operation.set_aside(path, 16, OLD["a.jsonl"][16:], "torn-tail")
    operation.rewrite(path, read_version(path), OLD["a.jsonl"][:16], root=root, mtime="keep")


REWRITE = Act("a.jsonl", rewrite)
REWRITE_TOO = Act("b.jsonl", lambda o, p, r: o.rewrite(p, read_version(p), b"other\n", root=r))
CREATE = Act("new.jsonl", lambda o, p, r: o.create(p, [b"one\n", b"two\n"], root=r))
REMOVE = Act("gone.tmp", lambda o, p, r: o.remove(p, read_version(p), root=r))
CHMOD = Act("c.jsonl", lambda o, p, r: o.chmod(p, read_version(p), 0o600, root=r))
APPEND = Act("history.jsonl", lambda o, p, r: o.append(p, b'{"cursor":2}', root=r))
EVERYTHING = [REWRITE, CREATE, REMOVE, CHMOD, APPEND, REWRITE_TOO]
ONE = {
    "rewrite": [REWRITE],
    "create": [CREATE],
    "remove": [REMOVE],
    "chmod": [CHMOD],
    "append": [APPEND],
}


@pytest.fixture
def ground(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ground:
    monkeypatch.setenv("MEMCLI_STATE_DIR", "")
    faults.quick_disk(monkeypatch)
    return Ground(tmp_path)


def carry_out(ground: Ground, acts: list[Act]) -> None:
    locks = (Lock("flock", str(ground.path(".agent-lock"))), Lock("exclusive-file", str(ground.path("b.jsonl.lock"))))
    with undo.begin(ground.store, "repair", locks=locks) as operation:
        for act in acts:
            act.do(operation, str(ground.path(act.name)), str(ground.root))
        operation.commit()


def outcome(ground: Ground, scenario: Callable[[], object], prepare: Callable[[], object]) -> tuple[Files, Files]:
    """The files before and after."""
    prepare()
    before = ground.files()
    scenario()
    return before, ground.files()


def judge(ground: Ground, ended: faults.Ended, before: Files, after: Files, where: str) -> None:
    """Every file is old or new at once, all of them after the next start, and no part is left."""
    now = ground.files()
    now.pop("b.jsonl.lock", None)
    for name in before.keys() | after.keys():
        half = name == "history.jsonl" and ended.code == -9  # an append is cut off by whoever comes next
        assert now.get(name) in (before.get(name), after.get(name)) or half, f"{where}: {name} is neither"
    if ended.code == 0:
        assert now == after, where
    elif ended.code != -9:
        assert ended.code in (3, 4), f"{where}: {ended.said}"
        assert ended.said.endswith((".", ".)")), f"{where}: {ended.said}"
        mixed = "could not be taken back" in ended.said  # nothing works any more: said, and finished below
        assert now == after or not ended.in_place or mixed, f"{where}: {ended.said}"
        assert now == before or ended.in_place, f"{where}: {ended.said}"
    ground.next_start()
    assert ground.files() in (before, after), f"{where}: mixed"
    assert [p.name for p in ground.root.iterdir() if p.name.startswith(".")] in ([], [".agent-lock"]), where
    assert ground.kept("intents") == [], where


def settle(ground: Ground, before: Files, where: str) -> None:
    """What is listed is what was done, and undoing it gives the old bytes, modes and times."""
    done = ground.files() != before
    assert len(undo.listed(ground.store)) == done, where
    if not done:
        assert ground.kept("undo") == [], where
        assert ground.kept("quarantine") == [], where
        return
    undo.undo(ground.store)
    assert ground.files() == before, f"{where}: undo"
    times = {ground.path(name).stat().st_mtime_ns for name in OLD if name != "history.jsonl"}
    assert times == {10**18 + 7}, where


ALONE = [(name, how) for name in ONE for how in (faults.KILL, faults.TORN, faults.DEAD, errno.EIO)]


@pytest.mark.parametrize(("name", "how"), [*ALONE, *(("everything", how) for how in faults.HOW)])
def test_operation(ground: Ground, name: str, how: str | int) -> None:
    """Failed or killed at each call."""
    acts = ONE.get(name, EVERYTHING)
    scenario = partial(carry_out, ground, acts)
    before, after = outcome(ground, scenario, ground.fresh)
    for where, ended in faults.every(scenario, ground.fresh, how):
        judge(ground, ended, before, after, where)
        settle(ground, before, where)


@pytest.mark.parametrize("how", [faults.KILL, faults.FULL, faults.DEAD])
def test_undo(ground: Ground, how: str | int) -> None:
    """Undoing, failed or killed at each call."""

    def prepare() -> None:
        ground.fresh()
        carry_out(ground, EVERYTHING)

    scenario = partial(_undo, ground)
    before, after = outcome(ground, scenario, prepare)
    for where, ended in faults.every(scenario, prepare, how):
        judge(ground, ended, before, after, where)
        if ground.files() == before:
            undo.undo(ground.store)
        assert ground.files() == after, where


def test_recovery_killed_too(ground: Ground) -> None:
    """A memcli that finishes what was interrupted is itself killed at each call, and the next one finishes that."""
    scenario = partial(carry_out, ground, EVERYTHING)
    before, after = outcome(ground, scenario, ground.fresh)
    ground.fresh()
    calls = faults.run(scenario).calls
    nested = 0
    for at in range(len(calls) // 2, len(calls) + 1, 7):  # the first half is copies and parts, tested above

        def interrupted(at: int = at) -> None:
            ground.fresh()
            assert faults.run(scenario, faults.KILL, at).code == -9

        interrupted()
        if not ground.kept("intents"):
            continue
        for where, ended in faults.every(ground.next_start, interrupted, faults.KILL):
            nested += 1
            judge(ground, ended, before, after, f"killed at {at}, then {where}")
    assert nested > 100


def _undo(ground: Ground) -> None:
    undo.undo(ground.store)
