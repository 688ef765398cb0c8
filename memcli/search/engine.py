"""One process's share of a search: units of work in, parts of results out."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence

from memcli.errors import CannotRead
from memcli.search.judge import Judge, Question
from memcli.search.parts import File, Result, Sizes, Unit
from memcli.search.reader import Reader
from memcli.storage.lines import forward, is_blank
from memcli.storage.reading import open_sized


class Engine:
    """Searches units of `paths` one after the other, with one buffer."""

    def __init__(self, paths: Sequence[str], question: Question, sizes: Sizes) -> None:
        self.paths = paths
        self.is_preamble = question.is_preamble
        self.split = sizes.split
        self.reader = Reader(Judge(question), sizes)
        self.files: list[File] = []

    def run(self, unit: Unit) -> Iterator[list[Result]]:
        """The results of the unit's files, in order, each list holding about a buffer of hits at most."""
        for nth in range(unit.first, unit.last):
            file = File(nth, self.is_preamble is not None)
            self.files.append(file)
            try:
                fd, size = open_sized(self.paths[nth])
            except CannotRead as error:
                file.error = str(error.facts["why"])
                file.whole = True
                continue
            try:
                if unit.end or not self.reader.at_once(fd, file, size):
                    for _ in self._read(fd, file, size, unit):
                        yield self._take()
            finally:
                os.close(fd)
            if self.reader.full():
                self.reader.flush()
                yield self._take()
        self.reader.flush()
        yield self._take()

    def _read(self, fd: int, file: File, size: int, unit: Unit) -> Iterator[None]:
        if self.split and size > self.split and not unit.end:
            file.split = size
            file.whole = True
            return
        if unit.start and self.is_preamble:
            file.leading = _all_header(fd, unit.start, self.is_preamble)
        yield from self.reader.read(fd, file, size, unit.start, unit.end)

    def _take(self) -> list[Result]:
        """What is known since the last call; every file that has been read whole has been judged."""
        results = [file.take() for file in self.files]
        self.files = [file for file in self.files if not file.whole]
        return results


def _all_header(fd: int, end: int, is_preamble: Callable[[bytes], bool]) -> bool:
    """Whether every row that starts before byte `end` belongs to the header."""
    for line in forward(fd):
        if line.offset >= end:
            break
        if line.raw is None or not (is_blank(line.raw) or is_preamble(line.raw)):
            return False
    return True
