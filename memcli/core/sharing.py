"""Work on many files shared between this process and a forked one."""

from __future__ import annotations

import marshal
import os
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from typing import Any, TypeVar

Job = TypeVar("Job")
ENOUGH = 4 << 20
"""Less than so many bytes are not worth a second process."""


def share(
    jobs: Sequence[Job],
    sizes: Sequence[int],
    work: Callable[[Job], Any],
    progress: Callable[[int], None] | None = None,
) -> list[Any]:
    """`work` done on every job, in order; a forked process takes the last jobs with half of all bytes.

    What `work` returns there must be something that marshal can carry (tuples of plain values); `progress` is told the
    bytes done, those of the other process being taken to keep step.
    """
    total = sum(sizes)
    middle = len(jobs)
    if total >= ENOUGH and len(jobs) > 1 and hasattr(os, "fork"):
        done = list(accumulate(sizes))
        middle = next(index for index, bytes_done in enumerate(done) if 2 * bytes_done >= total) + 1
    other = _start(jobs[middle:], work) if middle < len(jobs) else None
    mine = []
    read = 0
    for job, size in zip(jobs[:middle], sizes, strict=False):
        mine.append(work(job))
        read += size
        if progress:
            progress(2 * read if other else read)
    return [*mine, *other()] if other else mine


def _start(jobs: Sequence[Job], work: Callable[[Job], Any]) -> Callable[[], Iterator[Any]]:
    """Begin the jobs in another process; the returned function waits for what they give."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            os.close(reader)
            with os.fdopen(writer, "wb", 1 << 20) as pipe:
                for job in jobs:
                    marshal.dump(tuple(work(job)), pipe)
            code = 0
        finally:
            os._exit(code)  # the child must never return into the caller's code
    os.close(writer)

    def collect() -> Iterator[Any]:
        with os.fdopen(reader, "rb") as pipe:
            for job in jobs:
                try:
                    yield marshal.load(pipe)
                except (EOFError, ValueError, TypeError):  # the helper was killed: do its share here
                    yield work(job)
        os.waitpid(pid, 0)

    return collect
