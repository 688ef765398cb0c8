"""Runs git over somebody else's repository, through GitPython, so that nothing of the repository runs.

No program that a repository can name is started (hooks, file system monitor, external diffs, text conversions, filters,
signature checks, remotes of a partial clone), whatever its own files, the files that they include and the GIT_* variables
say: only commands that do not look at the work tree are used, and what is left of ways to run something is switched off.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, BinaryIO, cast

from memcli import settings
from memcli.errors import CannotRead
from memcli.storage.reading import unreadable

if TYPE_CHECKING:
    from subprocess import Popen

    from git.cmd import Git

NAME = ".git"
FAILS = "git fails"
"""The reason where git gives none."""
SECONDS = 30.0
"""So long one look into a repository may take: 10,000 commits take about one second."""


def output(
    folder: str,
    words: Sequence[str],
    given: bytes | None = None,
    seconds: float = SECONDS,
    extra: Mapping[str, str] | None = None,
) -> bytes:
    """All that git says to `words`, with `given` on its standard input and the variables `extra`. Raises CannotRead."""
    with Running(folder, words, seconds, given, extra) as out:
        return out.read()


def unread(folder: str, why: str) -> CannotRead:
    """The error that tells why the history of a folder cannot be read."""
    path = os.path.join(folder, NAME)
    return CannotRead(f"The history in {path} cannot be read: {why}.", path=path, why=why)


class Running:
    """A git that writes to a pipe, and is stopped after a while or when no more is wanted of it. `folder` is the work tree, or
    the bare repository itself; `extra` are variables for it, as those that writing needs."""

    def __init__(
        self,
        folder: str,
        words: Sequence[str],
        seconds: float = SECONDS,
        given: bytes | None = None,
        extra: Mapping[str, str] | None = None,
    ) -> None:
        from threading import Thread, Timer

        self.folder = folder
        self._late = False
        self._process = _start(folder, [*_git(folder), *words], given is not None, extra or {})
        self._timer = Timer(seconds, self._stop)
        self._feeder = None if given is None else Thread(target=self._feed, args=(given,))

    def __enter__(self) -> BinaryIO:
        self._timer.start()
        if self._feeder:
            self._feeder.start()
        return cast(BinaryIO, self._process.stdout)

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if kind is not None:  # the rest is not wanted
            self._process.kill()
        if self._feeder:
            self._feeder.join()
        said = self._process.communicate()[1].decode("utf-8", "replace").strip()
        self._timer.cancel()
        if kind is not None:
            return
        if self._late:
            raise unread(self.folder, "it takes too long")
        if self._process.returncode:
            raise unread(self.folder, _reason(said))

    def _feed(self, given: bytes) -> None:
        process = cast("Popen[bytes]", self._process.proc)
        stdin, process.stdin = cast(BinaryIO, process.stdin), None  # communicate() would use it again
        try:
            with stdin:
                stdin.write(given)
        except OSError:
            pass  # git has ended before it read all: its exit status tells why

    def _stop(self) -> None:
        self._late = True
        self._process.kill()


def _start(folder: str, command: list[str], fed: bool, extra: Mapping[str, str]) -> Git.AutoInterrupt:
    settings.forget("GIT_")  # GitPython hands on the whole environment; GIT_DIR and its kin are not ours
    try:
        from git.cmd import Git
        from git.exc import GitError
    except ImportError as error:  # GitPython tries git when it is imported
        raise unread(folder, "git is not installed") from error
    try:
        stdin = {"istream": -1} if fed else {}  # subprocess.PIPE
        return Git(folder).execute(command, as_process=True, env={**ENVIRONMENT, **extra}, **stdin)
    except GitError as error:
        raise unread(folder, "git is not installed") from error
    except OSError as error:
        raise unreadable(folder, error) from error


def _reason(said: str) -> str:
    """The line of git's talk that says why it failed."""
    lines = said.splitlines() or [FAILS]
    for mark in ("fatal: ", "error: "):
        for line in reversed(lines):
            if line.startswith(mark):
                return line.removeprefix(mark)
    return lines[-1]


def _git(folder: str) -> list[str]:
    # a repository that is named is not looked for further up when it is broken
    own = os.path.join(folder, NAME)
    if not os.path.lexists(own) and os.path.isfile(os.path.join(folder, "HEAD")):
        return ["git", f"--git-dir={folder}", *_SAFELY]
    return ["git", f"--git-dir={own}", f"--work-tree={folder}", *_SAFELY]


ENVIRONMENT = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_GRAFT_FILE": os.path.join(os.devnull, "none"),
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",
}
_SAFELY = (
    "--no-pager",
    "--literal-pathspecs",
    *("-c", "core.fsmonitor=false"),
    *("-c", f"core.hooksPath={os.devnull}"),
    *("-c", f"core.attributesFile={os.devnull}"),
    *("-c", "core.quotePath=false"),
    *("-c", "log.showSignature=false"),
    *("-c", "protocol.allow=never"),
    *("-c", "blame.ignoreRevsFile="),
)
