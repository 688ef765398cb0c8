"""Following files as they are written: each line once, within milliseconds of its newline."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager

from memcli.core.followed import Followed, Mark
from memcli.model import Line
from memcli.storage.watch import Changes, Watch

OPEN = 128
"""Descriptors that are kept: to read what was appended to a file before another took its place."""
SHARE = 20
"""Looking at everything may take a 20th of the time, so it is done less often when it takes long."""


def follow(
    paths: Iterable[str] | Callable[[], Iterable[str]],
    starts: Mapping[str, Mark | int] | None = None,
    *,
    folders: Iterable[str] = (),
    until_closed: int | None = None,
    notice: Callable[[str], None] | None = None,
) -> Iterator[tuple[str, Line]]:
    """Each line completed in the files at `paths`, as (path, line), in the order of each file; never ends
    by itself.

    `paths` is a list, or a function that lists the files that are there now: then `folders` are watched and
    files that come to be are followed from their beginning. `starts` says from which place a file is told
    (a Mark, made with `followed.mark`, is found again even if the file was rewritten meanwhile; an int is a
    byte position); other files are told from their end, or from their beginning if they come later. Lines
    are told as they stand, blank ones and the header of a new file too; `number` is 0 where it is not
    known. What counts as new in a file that is replaced, cut short or written over: see `followed`.

    Ends quietly on SIGTERM and as soon as nobody reads the descriptor `until_closed` any more;
    KeyboardInterrupt passes. `notice` gets a sentence for a file that cannot be followed for now (gone, no
    permission, no file).
    """
    with Watch(until_closed) as watch, _until_terminated(watch):
        crowd = _Crowd(watch, paths, starts or {}, folders, notice or (lambda sentence: None))
        try:
            yield from crowd.run()
        finally:
            crowd.close()


class _Crowd:
    """All files that are followed, and whose turn it is."""

    def __init__(
        self,
        watch: Watch,
        paths: Iterable[str] | Callable[[], Iterable[str]],
        starts: Mapping[str, Mark | int],
        folders: Iterable[str],
        notice: Callable[[str], None],
    ) -> None:
        self._watch, self._notice = watch, notice
        self._grows = callable(paths)
        fixed = [] if callable(paths) else list(paths)
        self._list = paths if callable(paths) else lambda: fixed
        self._files: dict[str, Followed] = {}
        self._open: dict[str, Followed] = {}  # the longest unused first
        self._names: dict[str, str] = {}  # what the watch calls a file: the path that the caller gave
        self._strangers: set[str] = set()  # names in the folders that are not listed
        self._seen: dict[str, tuple[int, int] | None] = {}
        self._folders = set(folders)
        for folder in self._folders:
            watch.folder(folder)
        for path in self._list():
            given = starts.get(path)
            self._add(path, Mark(given) if isinstance(given, int) else given)

    def run(self) -> Iterator[tuple[str, Line]]:
        """Look at what changed, for ever."""
        changes = Changes({}, set(), True)
        next_sweep = cost = 0.0
        while not self._watch.ended:
            now = time.monotonic()
            sweep = changes.everything or now >= next_sweep
            if sweep or (self._grows and self._has_stranger(changes.touched)):
                self._watch.refresh()
                self._find_new()
            names = self._names
            touched = {names[name]: None for name in changes.touched if name in names}
            deleted = {names[name] for name in changes.deleted if name in names}
            told = False
            for path in list(self._files) if sweep else self._due(touched, now):
                file = self._files[path]
                hint = path in touched or changes.everything
                for line in file.look(path in deleted, self._watch.blind, sweep=not hint):
                    told = True
                    yield path, line
                self._looked_at(path, file)
            if sweep:
                cost = cost if told else time.monotonic() - now  # else the time is the caller's
                next_sweep = time.monotonic() + max(self._watch.interval, SHARE * cost)
            changes = self._watch.wait(self._pause(next_sweep))

    def close(self) -> None:
        """Close every file."""
        for file in self._open.values():
            file.rest()

    def _add(self, path: str, start: Mark | None) -> None:
        folder, name = os.path.split(path)
        self._watch.folder(folder or ".")
        self._names[os.path.join(folder or ".", name)] = self._names[path] = path
        self._files[path] = file = Followed(path, start, self._notice)
        self._looked_at(path, file)

    def _find_new(self) -> None:
        if self._grows:
            for path in self._list():
                if path not in self._files:
                    self._add(path, Mark(0))

    def _has_stranger(self, touched: dict[str, None]) -> bool:
        """Whether something changed that may be a new file; temporary files are gone by now, and told apart
        once."""
        strangers = {
            name for name in touched.keys() - self._strangers if name not in self._names and os.path.exists(name)
        }
        if len(self._strangers) > 10_000:
            self._strangers.clear()
        self._strangers |= strangers
        return bool(strangers)

    def _due(self, touched: dict[str, None], now: float) -> list[str]:
        waited = (path for path, file in self._open.items() if file.deadline is not None and file.deadline <= now)
        return list(dict.fromkeys((*touched, *waited)))

    def _pause(self, next_sweep: float) -> float:
        moments = [file.deadline for file in self._open.values() if file.deadline is not None]
        return min([next_sweep, *moments]) - time.monotonic()

    def _looked_at(self, path: str, file: Followed) -> None:
        self._open.pop(path, None)
        if file.is_open:
            self._open[path] = file
            if len(self._open) > OPEN:
                oldest = next(iter(self._open))
                self._open.pop(oldest).rest()
        if self._seen.get(path) != file.identity:
            self._seen[path] = file.identity
            self._watch_inode(path)

    def _watch_inode(self, path: str) -> None:
        """Watch a file that can be written from elsewhere: one of a few, a link, or one with several
        names."""
        try:
            facts = os.lstat(path)
        except OSError:
            return
        if stat.S_ISLNK(facts.st_mode):
            real = os.path.realpath(path)
            self._names[real] = path
            self._watch.folder(os.path.dirname(real))
        if not self._grows or facts.st_nlink > 1 or stat.S_ISLNK(facts.st_mode):
            self._watch.file(path)


@contextmanager
def _until_terminated(watch: Watch) -> Iterator[None]:
    """SIGTERM ends the watch instead of the process, in the main thread and if nobody else minds the
    signal."""
    import signal
    import threading

    ours = threading.current_thread() is threading.main_thread()
    if not ours or signal.getsignal(signal.SIGTERM) != signal.SIG_DFL:
        yield
        return
    signal.signal(signal.SIGTERM, lambda *_: watch.stop())
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
