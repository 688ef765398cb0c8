"""Backoff: longer after each failure, between runs, whatever stands in its file, and gone with the first success."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from support import faults

from memcli.core import backoff
from memcli.core.backoff import Backoff
from memcli.errors import CannotWrite, RefusedForSafety
from memcli.storage import locks, state
from memcli.storage.state import Store

NOW = 1_750_000_000.0
MINUTE = 60.0


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    monkeypatch.setenv("MEMCLI_STATE_DIR", str(tmp_path / "state"))
    faults.quick_disk(monkeypatch)
    (tmp_path / "home").mkdir()
    return state.store(str(tmp_path / "home"))


def file_of(store: Store) -> Path:
    return Path(store.folder) / "dreams" / backoff.FILE


def test_nothing_failed_and_nothing_is_made(store: Store) -> None:
    marks = Backoff.read(store)
    assert marks.waits("a", NOW) == 0
    assert not marks.set_aside("a")
    marks.succeeded("a")
    assert not os.path.exists(store.folder)


def test_each_failure_doubles_the_wait_up_to_a_day(store: Store) -> None:
    waits = [Backoff.read(store).failed("compact:你好", NOW) / MINUTE for _ in range(12)]
    assert waits[:9] == [5, 10, 20, 40, 80, 160, 320, 640, 1280]
    assert waits[9:] == [24 * 60] * 3


def test_no_number_of_failures_is_too_large(store: Store) -> None:
    file_of(store).parent.mkdir(parents=True)
    file_of(store).write_text(json.dumps({"a": {"failures": 10**30, "at": NOW}}))
    assert Backoff.read(store).waits("a", NOW) == backoff.MOST
    assert Backoff.read(store).failed("a", NOW) == backoff.MOST


@pytest.mark.parametrize(
    ("later", "left"),
    [(0, 300), (1, 299), (299.5, 0.5), (300, 0), (1e9, 0), (-10, 300), (-1e9, 300)],
    ids=["now", "later", "nearly", "over", "long over", "clock set back", "clock set far back"],
)
def test_what_is_left_of_a_wait(store: Store, later: float, left: float) -> None:
    Backoff.read(store).failed("a", NOW)
    assert Backoff.read(store).waits("a", NOW + later) == pytest.approx(left)
    assert Backoff.read(store).waits("b", NOW + later) == 0


def test_a_wait_that_is_over_does_not_begin_the_count_anew(store: Store) -> None:
    Backoff.read(store).failed("a", NOW)
    assert Backoff.read(store).failed("a", NOW + 3600) == 10 * MINUTE


def test_success_clears_one_key(store: Store) -> None:
    marks = Backoff.read(store)
    marks.failed("a", NOW)
    marks.failed("b", NOW)
    marks.succeeded("a")
    assert marks.waits("a", NOW) == 0
    assert Backoff.read(store).failures == marks.failures
    assert list(marks.failures) == ["b"]
    assert marks.failed("a", NOW) == 5 * MINUTE


def test_set_aside_after_so_many_in_a_row(store: Store) -> None:
    marks = Backoff.read(store)
    seen = []
    for _ in range(backoff.ASIDE + 1):
        marks.failed("a", NOW)
        seen.append(Backoff.read(store).set_aside("a"))
    assert seen == [False] * (backoff.ASIDE - 1) + [True, True]
    marks.succeeded("a")
    assert not Backoff.read(store).set_aside("a")


def test_two_runs_forget_nothing_for_each_other(store: Store) -> None:
    one, other = Backoff.read(store), Backoff.read(store)
    one.failed("a", NOW)
    other.failed("b", NOW)
    other.failed("a", NOW)
    assert {key: failure.times for key, failure in Backoff.read(store).failures.items()} == {"a": 2, "b": 1}
    one.succeeded("b")
    assert list(Backoff.read(store).failures) == ["a"]


def test_old_failures_go_with_the_next_one(store: Store) -> None:
    marks = Backoff.read(store)
    marks.failed("old", NOW)
    marks.failed("newer", NOW + backoff.FORGOTTEN)
    marks.failed("a", NOW + backoff.FORGOTTEN + 1)
    assert sorted(Backoff.read(store).failures) == ["a", "newer"]


@pytest.mark.parametrize(
    "raw",
    [b"", b"{", b"[]", b"null", b"\xff\xfe", b"[" * 5000, b'{"a":1}', b'{"a":{"failures":"2","at":1}}'],
    ids=["empty", "cut", "list", "null", "bytes", "deep", "number", "text"],
)
def test_a_damaged_file_is_no_failure_and_is_written_over(store: Store, raw: bytes) -> None:
    file_of(store).parent.mkdir(parents=True)
    file_of(store).write_bytes(raw)
    marks = Backoff.read(store)
    assert marks.waits("a", NOW) == 0
    marks.failed("b", NOW)
    assert list(Backoff.read(store).failures) == ["b"]


@pytest.mark.parametrize(
    "entry",
    [
        {"failures": True, "at": NOW},
        {"failures": 0, "at": NOW},
        {"failures": -1, "at": NOW},
        {"failures": 1},
        {"failures": 1, "at": "now"},
        {"failures": 1, "at": True},
        {"failures": 1, "at": float("nan")},
        {"failures": 1, "at": float("inf")},
        {"failures": 1, "at": 10**400},
        [],
    ],
    ids=["bool", "none", "negative", "no time", "text", "true", "nan", "endless", "huge", "list"],
)
def test_entries_that_are_none_are_passed_over(store: Store, entry: object) -> None:
    file_of(store).parent.mkdir(parents=True)
    file_of(store).write_text(json.dumps({"a": entry, "b": {"failures": 2, "at": NOW}}))
    assert list(Backoff.read(store).failures) == ["b"]


def test_it_waits_for_a_memcli_at_work(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    Backoff.read(store).failed("a", NOW)
    monkeypatch.setattr(backoff, "own", lambda store: locks.own(store, timeout=0))
    with locks.own(store), pytest.raises(RefusedForSafety):
        Backoff.read(store).failed("a", NOW)
    assert Backoff.read(store).failures["a"].times == 1


def test_a_full_disk_is_told_and_the_old_file_stands(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    Backoff.read(store).failed("a", NOW)
    before = file_of(store).read_bytes()

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(state, "write_file", full)
    with pytest.raises(CannotWrite, match="no space"):
        Backoff.read(store).failed("a", NOW)
    assert file_of(store).read_bytes() == before


def test_the_file_is_private(store: Store) -> None:
    Backoff.read(store).failed("a", NOW)
    assert file_of(store).stat().st_mode & 0o777 == 0o600


def test_what_killed_ones_left_goes(store: Store) -> None:
    def parts() -> list[Path]:
        return [path for path in file_of(store).parent.iterdir() if path.suffix == ".part"]

    Backoff.read(store).failed("dream:sessions", NOW)
    left = 0
    for at in range(1, 12):
        faults.run(lambda: Backoff.read(store).failed("dream:sessions", NOW), faults.KILL, at)
        left += len(parts())
        Backoff.read(store).failed("dream:sessions", NOW)
        assert parts() == []
    assert left
