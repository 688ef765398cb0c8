"""Going through files for the rows that match: hits and one report per file, in the order of the paths."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence

from memcli.errors import CannotRead
from memcli.search.engine import Engine
from memcli.search.judge import Question, Texts
from memcli.search.parts import Hit, Part, Report, Result, Sizes, Unit, Unreadable
from memcli.search.pattern import Pattern

__all__ = ["Hit", "Report", "Sizes", "Texts", "Unreadable", "scan"]

FEW = 256
"""Up to so many files are looked at for their size, to see whether forking pays."""

MOST_FILES = 64
"""Files in one unit."""


def scan(
    paths: Iterable[str],
    pattern: Pattern,
    texts: Texts,
    *,
    is_preamble: Callable[[bytes], bool] | None = None,
    invert: bool = False,
    limit: int | None = None,
    hits: bool = True,
    silent: bool = True,
    before: int = 0,
    after: int = 0,
    jobs: int = 2,
    sizes: Sizes | None = None,
) -> Iterator[Hit | Report]:
    """Search `paths` in order; for each its hits, then its Report.

    `is_preamble` is asked about the leading rows of a file until it says no; those before are no records. `invert`
    asks for the records that do not match. After `limit` matches the rest of a file is not searched. With `hits`
    False only reports come (to count, or with `limit` 1 to list files); with `silent` False none come for files about
    which there is nothing to tell, which spares time where there are thousands. `before` and `after` ask for that many rows
    around each hit. `texts` and `is_preamble` run in up to `jobs` forked processes where the system can fork and the
    work is worth it. Close the iterator to stop early. `sizes` is for tests.

    Raises MemcliError when a forked process is killed; what `texts` raises comes as it is, or from a forked process
    as RuntimeError with its traceback.
    """
    listed = list(paths)
    question = Question(pattern, texts, is_preamble, invert, limit, hits)
    events = _events(listed, _results(listed, question, jobs, sizes or Sizes()), silent)
    if not hits or (before <= 0 and after <= 0):
        return events
    from memcli.search.context import surround

    return surround(events, before, after)


def _events(paths: Sequence[str], results: Iterable[Result], silent: bool) -> Iterator[Hit | Report]:
    for result in results:
        if not isinstance(result, Part):
            if silent:
                yield Report(paths[result])
            continue
        path = paths[result.nth]
        for hit in result.hits:
            yield Hit(path, *hit)
        if result.whole and (silent or result.matches or result.unreadable or result.oversize or result.error):
            yield _report(path, result)


def _report(path: str, part: Part) -> Report:
    error = CannotRead(f"{path} cannot be read: {part.error}.", path=path, why=part.error) if part.error else None
    return Report(
        path,
        part.matches,
        part.unreadable,
        part.unreadable_bytes,
        part.containing,
        tuple(Unreadable(*sample) for sample in part.samples),
        part.oversize,
        part.oversize_bytes,
        error,
    )


def _results(paths: Sequence[str], question: Question, jobs: int, sizes: Sizes) -> Iterator[Result]:
    if question.limit is not None and question.limit < 1:
        yield from range(len(paths))
    elif jobs > 1 and hasattr(os, "fork") and _worth_it(paths, question, sizes):
        yield from _forked(paths, question, jobs, sizes)
    else:
        yield from _alone(paths, question, sizes)


def _alone(paths: Sequence[str], question: Question, sizes: Sizes) -> Iterator[Result]:
    engine = Engine(paths, question, sizes._replace(split=0))
    for results in engine.run(Unit(0, len(paths))):
        yield from results


def _forked(paths: Sequence[str], question: Question, jobs: int, sizes: Sizes) -> Iterator[Result]:
    from memcli.search.crew import Crew

    each = max(1, min(MOST_FILES, len(paths) // (jobs * 40)))
    units = [Unit(first, min(first + each, len(paths))) for first in range(0, len(paths), each)]
    try:
        crew = Crew(Engine(paths, question, sizes), units, jobs, sizes.split, question.limit)
    except OSError:  # no process to be had
        yield from _alone(paths, question, sizes)
        return
    try:
        yield from crew.results()
    finally:
        crew.close()


def _worth_it(paths: Sequence[str], question: Question, sizes: Sizes) -> bool:
    if len(paths) > FEW:
        return True
    total = 0
    least = sizes.slow if question.invert or question.pattern.anchors is None else sizes.fast
    for path in paths:
        try:
            total += os.stat(path).st_size
        except OSError:
            continue
    return total >= least
