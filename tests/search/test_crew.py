"""Forked workers: order, bounded memory, failures, and that none outlives the search."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from search.helpers import texts

from memcli.errors import MemcliError
from memcli.search import crew as crew_module
from memcli.search.crew import Crew
from memcli.search.engine import Engine
from memcli.search.judge import Question
from memcli.search.parts import Unit
from memcli.search.pattern import compile_pattern
from memcli.search.scan import FEW, Hit, Report, Sizes, scan
from memcli.search.worker import serve, token

LINE = b'{"role":"user","content":"yes %d"}\n'
pytestmark = pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
YES = compile_pattern(["yes"])
SHARED = Sizes(fast=0)


@pytest.fixture
def paths(tmp_path: Path) -> list[str]:
    """Files of 0 to 69 rows."""
    names = [tmp_path / f"{number:03}.jsonl" for number in range(70)]
    for number, name in enumerate(names):
        name.write_bytes(b"".join(LINE % row for row in range(number)))
    return list(map(str, names))


def children() -> list[int]:
    """The processes that this one has forked and not yet waited for."""
    return [int(pid) for pid in Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()]


def gone(pid: int) -> bool:
    """Whether a process has ended, given a little time."""
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            return True
        if state == "Z":
            return True
        time.sleep(0.01)
    return False


def test_results_come_in_the_order_of_the_paths(paths):
    events = list(scan(paths, YES, texts, jobs=3, sizes=SHARED))
    assert [event.path for event in events if isinstance(event, Report)] == paths
    assert [event.row for event in events if isinstance(event, Hit)] == [
        row for number in range(len(paths)) for row in range(1, number + 1)
    ]
    assert children() == []


@pytest.mark.parametrize(("sizes", "files", "invert", "forked"), [
    (Sizes(), 70, False, False),
    (Sizes(fast=1), 70, False, True),
    (Sizes(fast=1), 0, False, False),
    (Sizes(slow=1), 70, False, False),
    (Sizes(slow=1), 70, True, True),
    (Sizes(), FEW, False, False),
    (Sizes(), FEW + 1, False, True),
])  # fmt: skip
def test_workers_are_forked_when_it_pays(paths, monkeypatch, sizes, files, invert, forked):
    def refused() -> int:
        raise InterruptedError

    chosen = [*paths[: min(files, 70)], *["/nowhere"] * (files - 70)]
    calls = []
    monkeypatch.setattr(os, "fork", lambda: calls.append(1) or refused())
    assert (
        len([event for event in scan(chosen, YES, texts, invert=invert, sizes=sizes) if isinstance(event, Report)])
        == files
    )
    assert bool(calls) is forked


def test_a_worker_far_ahead_waits(paths, monkeypatch):
    """The first file takes its time; meanwhile the other worker may hold only so much."""
    monkeypatch.setattr(crew_module, "HELD", 2000)
    started = []

    def slow(raw: bytes) -> list[str] | None:
        if not started:
            started.append(time.sleep(0.2))
        return texts(raw)

    assert sum(isinstance(event, Hit) for event in scan(paths, YES, slow, sizes=SHARED)) == sum(range(len(paths)))


def test_closing_early_ends_the_workers(paths):
    events = scan(paths, YES, texts, sizes=SHARED)
    next(events)
    workers = children()
    assert len(workers) == 2
    before = len(os.listdir("/proc/self/fd"))
    events.close()
    assert children() == []
    assert len(os.listdir("/proc/self/fd")) == before - 6


@pytest.mark.parametrize("limit", [1, 5])
def test_ranges_behind_the_limit_are_dropped(tmp_path, limit):
    path = tmp_path / "large.jsonl"
    path.write_bytes(b"".join(LINE % row for row in range(30_000)))
    other = tmp_path / "other.jsonl"
    other.write_bytes(LINE)
    sizes = Sizes(buffer=10_000, batch=5_000, split=20_000, fast=0)
    for hits in (True, False):
        events = list(scan([str(path), str(other)], YES, texts, limit=limit, hits=hits, sizes=sizes))
        assert [event.row for event in events if isinstance(event, Hit)] == [*range(1, limit + 1), 1] * hits
        assert [event.matches for event in events if isinstance(event, Report)] == [limit, 1]


def test_what_a_worker_raises_is_raised_here(paths):
    def broken(raw: bytes) -> list[str]:
        raise LookupError("a bug in the callback")

    with pytest.raises(RuntimeError, match="LookupError: a bug in the callback"):
        list(scan(paths, YES, broken, sizes=SHARED))
    assert children() == []


@pytest.mark.parametrize(("end", "told"), [
    (lambda: os.kill(os.getpid(), signal.SIGKILL), "was killed by signal 9"),
    (lambda: os._exit(3), "ended unexpectedly"),
])  # fmt: skip
def test_a_worker_that_dies_is_noticed(paths, end, told):
    def dying(raw: bytes) -> list[str] | None:
        if b"yes 50" in raw:
            end()
        return texts(raw)

    with pytest.raises(MemcliError, match=told):
        list(scan(paths, YES, dying, sizes=SHARED))
    assert children() == []


def test_without_a_process_to_be_had_one_does_it_all(paths, monkeypatch):
    def refused() -> int:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    before = len(os.listdir("/proc/self/fd"))
    monkeypatch.setattr(os, "fork", refused)
    assert sum(isinstance(event, Hit) for event in scan(paths, YES, texts, sizes=SHARED)) == sum(range(len(paths)))
    assert len(os.listdir("/proc/self/fd")) == before


def test_with_fewer_processes_than_asked_for_those_do_it(paths, monkeypatch):
    fork = os.fork

    def once() -> int:
        if children():
            raise BlockingIOError(11, "Resource temporarily unavailable")
        return fork()

    monkeypatch.setattr(os, "fork", once)
    assert sum(isinstance(event, Hit) for event in scan(paths, YES, texts, sizes=SHARED)) == sum(range(len(paths)))


def test_a_system_that_cannot_fork(paths, monkeypatch):
    monkeypatch.delattr(os, "fork")
    assert sum(isinstance(event, Hit) for event in scan(paths, YES, texts, sizes=SHARED)) == sum(range(len(paths)))


def test_a_worker_serves_until_there_are_no_more_units(paths):
    """What runs in a worker, run here: units in, frames out."""
    engine = Engine(paths, Question(YES, texts), Sizes(buffer=1000, batch=100))
    units, ask = os.pipe()
    results, give = os.pipe()
    for number, unit in [(7, Unit(0, 3)), (8, Unit(40, 41))]:
        os.write(ask, token(number, unit))
    os.close(ask)
    serve(engine, units, give)
    crew = Crew(engine, [], 0, 0, None)
    crew.under_way = 2
    worker = crew_module.Worker(0, results, 0)
    worker.data += os.read(results, 1 << 20)
    crew._take(worker)
    assert list(crew._results(7)) == [0, *engine_results(engine, Unit(1, 3))]
    assert list(crew._results(8)) == engine_results(engine, Unit(40, 41))
    assert (worker.data, worker.held) == (b"", 0)
    crew.close()
    for fd in (units, results, give):
        os.close(fd)


def engine_results(engine: Engine, unit: Unit) -> list[object]:
    return [result for results in engine.run(unit) for result in results]


PARENT = """
import os, sys
from memcli.search.pattern import compile_pattern
from memcli.search.scan import Sizes, scan
if __name__ == "__main__":
    pattern = compile_pattern(["(x+x+)+y"], regex=True)
    events = scan(sys.argv[1:], pattern, lambda raw: os.write(1, b"%d\\n" % os.getpid()) and [raw.decode()], sizes=Sizes(fast=0))
    print("done", sum(1 for _ in events))
"""


@pytest.fixture
def endless(tmp_path):
    """A search whose workers sit in a regular expression that does not end: the process and the workers' numbers."""
    paths = [tmp_path / f"{number:03}" for number in range(66)]
    for path in paths:
        path.write_bytes(b"x" * 60 + b"z xxy\n")
    root = Path(__file__).parents[2]
    process = subprocess.Popen(
        [sys.executable, "-c", PARENT, *map(str, paths)], stdout=subprocess.PIPE, cwd=root, start_new_session=True
    )
    with process:
        try:
            yield process, sorted({int(process.stdout.readline()) for _ in range(2)})
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_no_worker_outlives_the_search(endless, number):
    process, workers = endless
    assert len(workers) == 2
    process.send_signal(number)
    process.wait(20)
    assert all(map(gone, workers))


def test_an_interrupt_from_the_terminal_reaches_all_and_the_first_decides(endless):
    process, workers = endless
    os.killpg(process.pid, signal.SIGINT)
    assert process.wait(20) == -signal.SIGINT
    assert all(map(gone, workers))
