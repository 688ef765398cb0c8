"""Forked processes that share a search: they pull units from one pipe, and here their results are put in order.

Memory stays bounded: units are handed out as results come in, and a worker whose results are not due yet is not read
from, so that its pipe fills and it waits. No worker outlives this process: each holds one end of a pipe and has the
system end it (SIGIO) when the other end closes, even in the middle of an endless regular expression.
"""

from __future__ import annotations

import fcntl
import marshal
import os
import select
import signal
from collections import deque
from collections.abc import Generator, Iterator
from typing import Any, NoReturn

from memcli.errors import MemcliError
from memcli.search.engine import Engine
from memcli.search.parts import Part, Result, Unit
from memcli.search.ranges import cut, joined
from memcli.search.worker import FAILED, HEAD, LAST, token, work

AHEAD = 3
"""Units per worker that are handed out and not finished, so that none waits for this process to wake up."""

HELD = 4 << 20
"""Bytes of one worker's results that may wait here for their turn before the worker itself has to wait."""

_PIPE = 1 << 20
_PATIENCE = 20  # milliseconds without a word from the workers that are read, before the others are read as well


class Worker:
    """A forked process as seen from here; `held` bytes of its frames wait for their turn."""

    def __init__(self, pid: int, results: int, life: int) -> None:
        self.pid = pid
        self.results = results
        self.life = life
        self.data = bytearray()
        self.held = 0

    def end(self) -> int:
        """End it if it has not ended; its exit code, negative for a signal."""
        os.kill(self.pid, signal.SIGKILL)  # of no effect on one that has ended and not been waited for
        os.close(self.results)
        os.close(self.life)
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


class Crew:
    """Workers that run numbered `units`, and then the ranges of the files that they find too large."""

    def __init__(self, engine: Engine, units: list[Unit], jobs: int, split: int, limit: int | None) -> None:
        self.split = split
        self.limit = limit
        self.numbers = iter(range(len(units)))
        self.todo = deque(enumerate(units))
        self.next_number = len(units)
        self.ranges: dict[int, range] = {}  # the numbers of a split file's units, by its place in the paths
        self.frames: dict[int, deque[tuple[Worker, int, list[Result]]]] = {}
        self.finished: set[int] = set()
        self.dropped: set[int] = set()
        self.under_way = 0
        self.tokens, self.hand_out = os.pipe()
        self.workers: list[Worker] = []
        try:
            for _ in range(jobs):
                self._hire(engine)
        except OSError:
            if not self.workers:
                self.close()
                raise

    def results(self) -> Iterator[Result]:
        """The results of all files, in order. Raises MemcliError when a worker is killed, RuntimeError with its
        traceback when it fails."""
        for number in self.numbers:
            for part in self._results(number):
                if isinstance(part, Part) and part.split:
                    ranges = self._of_ranges(self.ranges.pop(part.nth))
                    yield from joined(ranges, part.nth, self.limit)
                    ranges.close()
                else:
                    yield part

    def close(self) -> None:
        """End the workers, whatever they are at."""
        while self.workers:
            self.workers.pop().end()
        os.close(self.tokens)
        os.close(self.hand_out)

    def _hire(self, engine: Engine) -> None:
        results, give = os.pipe()
        life, life_here = os.pipe()
        try:
            fcntl.fcntl(give, fcntl.F_SETPIPE_SZ, _PIPE)
        except (OSError, AttributeError):
            pass  # not Linux, or its limit for pipes is reached
        try:
            pid = os.fork()
        except OSError:
            for fd in (results, give, life, life_here):
                os.close(fd)
            raise
        if pid == 0:
            others = [fd for worker in self.workers for fd in (worker.results, worker.life)]
            work(engine, self.tokens, give, life, [self.hand_out, results, life_here, *others])
        os.close(give)
        os.close(life)
        self.workers.append(Worker(pid, results, life_here))

    def _of_ranges(self, numbers: range) -> Generator[Result, None, None]:
        """The results of these units; closed early, what is left of them is not searched or not kept."""
        try:
            for number in numbers:
                yield from self._results(number)
        finally:
            self.todo = deque(item for item in self.todo if item[0] not in numbers)
            for number in numbers:
                self.dropped.add(number)
                for worker, size, _ in self.frames.pop(number, ()):
                    worker.held -= size

    def _results(self, number: int) -> Iterator[Result]:
        frames = self.frames.setdefault(number, deque())
        while True:
            while frames:
                worker, size, results = frames.popleft()
                worker.held -= size
                yield from results
            if number in self.finished:
                break
            self._wait()
        self.finished.discard(number)
        self.frames.pop(number, None)

    def _wait(self) -> None:
        """Hand out what there is to do and take in what has been done."""
        while self.todo and self.under_way < AHEAD * len(self.workers):
            os.write(self.hand_out, token(*self.todo.popleft()))
            self.under_way += 1
        ready = _readable([worker for worker in self.workers if worker.held < HELD], _PATIENCE)
        for worker in ready or _readable(self.workers, None):
            data = os.read(worker.results, _PIPE)
            if not data:
                self._mourn(worker)
            worker.data += data
            self._take(worker)

    def _take(self, worker: Worker) -> None:
        data = worker.data
        start = 0
        while len(data) - start >= HEAD:
            size = int.from_bytes(data[start : start + 4], "little")
            kind = int.from_bytes(data[start + 4 : start + 8], "little")
            number = int.from_bytes(data[start + 8 : start + HEAD], "little")
            end = start + HEAD + size
            if len(data) < end:
                break
            with memoryview(data) as view:
                self._frame(worker, kind, number, marshal.loads(view[start + HEAD : end]), size)
            start = end
        del data[:start]

    def _frame(self, worker: Worker, kind: int, number: int, packed: Any, size: int) -> None:
        if kind == FAILED:
            raise RuntimeError(f"A process of the search failed:\n{packed}")
        results: list[Result] = [Part(*item) if isinstance(item, tuple) else item for item in packed]
        if kind == LAST:
            self.under_way -= 1
            self.finished.add(number)
        if number not in self.dropped:
            for result in results:
                if isinstance(result, Part) and result.split:
                    self._schedule(result)
            self.frames.setdefault(number, deque()).append((worker, size, results))
            worker.held += size

    def _schedule(self, part: Part) -> None:
        """Put the ranges of a large file next in line."""
        units = cut(part.nth, part.split, self.split)
        numbers = range(self.next_number, self.next_number + len(units))
        self.next_number = numbers.stop
        self.ranges[part.nth] = numbers
        self.todo.extendleft(reversed(list(zip(numbers, units, strict=True))))

    def _mourn(self, worker: Worker) -> NoReturn:
        self.workers.remove(worker)
        code = worker.end()
        cause = f"was killed by signal {-code}" if code < 0 else "ended unexpectedly"
        raise MemcliError(f"A process of the search {cause}; what was found so far is not all. Try again.")


def _readable(workers: list[Worker], milliseconds: int | None) -> list[Worker]:
    poll = select.poll()
    by_descriptor = {worker.results: worker for worker in workers}
    for descriptor in by_descriptor:
        poll.register(descriptor, select.POLLIN)
    return [by_descriptor[descriptor] for descriptor, _ in poll.poll(milliseconds)]
