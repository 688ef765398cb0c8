"""The only importer of Rich: progress on stderr for work that takes more than a second on a terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

PATIENCE = 1.0
"""Seconds before a bar appears."""


@contextmanager
def progress(label: str, total: int, quiet: bool) -> Iterator[Callable[[int], None]]:
    """Give a function to call with the amount done so far; draws nothing in a pipe, with -q or before PATIENCE."""
    if quiet or sys.stderr is None or not sys.stderr.isatty():
        yield _nothing
        return
    bar = _Bar(label, total)
    try:
        yield bar.update
    finally:
        bar.close()


def _nothing(done: int) -> None:
    """The progress of work that nobody watches."""


class _Bar:
    def __init__(self, label: str, total: int) -> None:
        self.label, self.total = label, total
        self.started = time.monotonic()
        self.close: Callable[[], None] = lambda: None
        self.draw: Callable[[int], None] | None = None

    def update(self, done: int) -> None:
        if self.draw is None:
            if time.monotonic() - self.started < PATIENCE:
                return
            self._open()
        if self.draw is not None:
            self.draw(done)

    def _open(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        console = Console(stderr=True, markup=False, highlight=False)
        columns = (TextColumn("{task.description}", markup=False), BarColumn(), TimeRemainingColumn())
        shown = Progress(*columns, console=console, transient=True)
        task = shown.add_task(self.label, total=self.total or None)
        self.close = shown.stop  # first: Ctrl-C may come while it starts, and the cursor must come back
        shown.start()
        self.draw = lambda done: shown.update(task, completed=done)
