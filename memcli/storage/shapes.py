"""Which members the clean records of a file have: what a salvaged record must look like to be believed."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import islice
from typing import Any

from memcli.storage.decode import loads
from memcli.storage.lines import forward

SAMPLE = 32 << 20
"""Shapes are gathered from so many bytes at each end of a file: a shape not met there only means that less is mended."""
LINES = 200_000
"""Of so many lines there at most: shorter ones than usual are hardly records."""
KINDS = 4096
"""So many different shapes are kept."""


class Shapes:
    """The members, in order, of the clean records that were seen; `likely` judges where none was seen.

    `fits` tells whether an object may be a record of the file: it has exactly the members of one that was seen, or at
    least those that all of them have, and begins with the same one. `same` is the stricter test for text that had to be
    completed: exactly the members of one that was seen, and no longer record begins so. `effort` counts the characters that were
    read in vain so far while records were looked for in damaged lines.
    """

    def __init__(self, likely: Callable[[Any], bool] = lambda value: False) -> None:
        self._likely = likely
        self._known: set[tuple[str, ...]] = set()
        self._sets: set[frozenset[str]] = set()
        self._firsts: set[str] = set()
        self._common: frozenset[str] | None = None
        self.spaced = False
        self.effort = 0

    def add(self, value: dict[str, Any], *, header: bool = False) -> None:
        """Learn the members of a clean record, or of a header (which tells nothing about records)."""
        names = tuple(value)
        if names in self._known or len(self._known) >= KINDS:
            return
        self._known.add(names)
        self._sets.add(frozenset(names))
        if not header and names:
            self._firsts.add(names[0])
            self._common = frozenset(names) if self._common is None else self._common & frozenset(names)

    @property
    def empty(self) -> bool:
        """Whether no clean record was seen."""
        return self._common is None

    def fits(self, value: dict[str, Any]) -> bool:
        """Whether an object found inside a damaged line may be a record of its own."""
        if frozenset(value) in self._sets:
            return bool(value)
        if self._common is None:
            return self._likely(value)
        return len(self._common) >= COMMON and self._common <= value.keys() and next(iter(value)) in self._firsts

    def same(self, value: dict[str, Any]) -> bool:
        """Whether an object that had to be completed is complete."""
        names = tuple(value)
        if frozenset(names) not in self._sets:
            return False
        return not any(len(known) > len(names) and known[: len(names)] == names for known in self._known)


COMMON = 2


def gather(
    fd: int, end: int, is_header: Callable[[Any], bool], likely: Callable[[Any], bool] = lambda value: False
) -> Shapes:
    """The shapes of the clean records in the first and last SAMPLE bytes, or LINES lines, of a file of `end` bytes."""
    shapes = Shapes(likely)
    parts: Iterable[tuple[int, int]] = ((0, end),) if end <= 2 * SAMPLE else ((0, SAMPLE), (end - SAMPLE, end))
    for start, stop in parts:
        for line in islice(forward(fd, start, end=stop), LINES):
            if line.raw is None or line.raw[:1] != b"{" or line.raw.rstrip()[-1:] != b"}":
                continue
            try:
                value = loads(line.raw)
            except (ValueError, RecursionError):
                continue
            if isinstance(value, dict):
                shapes.add(value, header=is_header(value))
                shapes.spaced = shapes.spaced or b'": ' in line.raw[:64]
    return shapes
