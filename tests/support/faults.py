"""Failing the write path at its N-th system call, in a forked child: killed, refused, cut short.

Every call goes through storage/system.py, so the functions there are replaced by counting ones; so is the one that starts a
git that writes, which counts as a call "git". That the fault really happened is reported through a pipe: a harness that
injects nothing would find nothing.
"""

from __future__ import annotations

import errno
import os
import signal
import warnings
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import pytest

from memcli.errors import MemcliError
from memcli.storage import git_writing, system

Scenario = Callable[[], object]
At = int | tuple[str, int]

KILL, TORN, SHORT, FULL, DEAD = "kill", "torn", "short", "full", "dead"
"""Killed before the call; killed in the middle of a write; a write that takes half; from then on no space; from then
on nothing works any more."""
HOW: tuple[str | int, ...] = (KILL, TORN, SHORT, FULL, DEAD, errno.ENOSPC, errno.EIO, errno.EACCES)
GIT = "git"
_OF_SPACE = ("create", "write", "mkdir", "link", "open_lock", "setxattr", GIT)


class Ended(NamedTuple):
    """How the child ended: `code` is 0, the exit code of a MemcliError, 70 for anything else, -9 when it was killed.
    `fired` is the call that was failed, "" when none was; `calls` are all it made."""

    code: int
    fired: str
    calls: tuple[str, ...]
    said: str

    @property
    def in_place(self) -> bool:
        """Whether the failure said that the new content is in place."""
        return "new content is in place" in self.said


def quick_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody cuts the power in this test, and syncing is slow: leave it out."""
    monkeypatch.setattr(os, "fsync", _nothing)
    monkeypatch.setattr(os, "fdatasync", _nothing)


def fork() -> int:
    """os.fork, without the warning that the test runner has threads."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return os.fork()


def run(scenario: Scenario, how: str | int = "", at: At = 0) -> Ended:
    """Run `scenario` in a child whose `at`-th system call (from 1) fails as `how` says; without, it just counts.

    `at` may also be the name of a call and a number: the n-th of these.
    """
    out, into = os.pipe()
    child = fork()
    if not child:
        os.close(out)
        _be_child(scenario, how, at, into)
    os.close(into)
    with os.fdopen(out, "rb") as pipe:
        lines = pipe.read().decode().splitlines()
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    told = {kind: [line[2:] for line in lines if line[0] == kind] for kind in "cfs"}
    return Ended(code, "".join(told["f"][:1]), tuple(told["c"]), "\n".join(told["s"]))


def every(scenario: Scenario, before: Callable[[], object], how: str | int) -> Iterator[tuple[str, Ended]]:
    """Run `scenario` once for each of its calls, failing that one, each time after `before`: where, and how it ended.

    Asserts that the fault was injected every time (a short write where the call is one).
    """
    before()
    plain = run(scenario)
    assert plain.code == 0, plain.said
    for at, name in enumerate(plain.calls, 1):
        if how in (TORN, SHORT) and name != "write":
            continue
        if how == FULL and not any(later in _OF_SPACE for later in plain.calls[at - 1 :]):
            continue
        before()
        ended = run(scenario, how, at)
        assert ended.fired, f"nothing was injected at call {at} ({name})"
        yield f"{how} at call {at} ({name})", ended


def some(
    scenario: Scenario, before: Callable[[], object], how: str | int, *, parts: int, failing: Scenario | None = None
) -> Iterator[tuple[str, Ended]]:
    """As `every`, at about so many places spread over the calls; `failing` is run in the place of `scenario` where that fails."""
    plain = run(scenario)
    assert plain.code == 0, plain.said
    for at in range(1, len(plain.calls), max(1, len(plain.calls) // parts)):
        if how == FULL and not any(later in _OF_SPACE for later in plain.calls[at - 1 :]):
            continue
        before()
        ended = run(failing or scenario, how, at)
        assert ended.fired, f"nothing was injected at call {at} ({plain.calls[at - 1]})"
        yield f"{how} at call {at} ({plain.calls[at - 1]})", ended


def _be_child(scenario: Scenario, how: str | int, at: At, pipe: int) -> None:
    def tell(kind: str, text: str) -> None:
        os.write(pipe, f"{kind} {text}\n".encode())

    code = 70
    try:
        _patch(how, at, tell)
        scenario()
        code = 0
    except MemcliError as error:
        tell("s", error.sentence.replace("\n", " "))
        code = error.exit_code
    except BaseException as error:
        tell("s", f"{type(error).__name__}: {error}".replace("\n", " "))
    finally:
        os._exit(code)


def _patch(how: str | int, at: At, tell: Callable[[str, str], None]) -> None:
    count = 0
    of_name: dict[str, int] = {}

    def patched(name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **named: Any) -> Any:
            nonlocal count
            count += 1
            of_name[name] = of_name.get(name, 0) + 1
            tell("c", name)
            later = isinstance(at, int) and 0 < at < count and how in (FULL, DEAD)
            if at in (count, (name, of_name[name])) or later:
                failed = _fail(name, arguments, real, how, tell)
                if failed is not None:
                    return failed
            return real(*arguments, **named)

        return call

    for name in system.CALLS:
        real = getattr(system, name)
        setattr(system, name, patched(name, real))
    git_writing.run = patched(GIT, git_writing.run)


def _fail(
    name: str, arguments: tuple[Any, ...], real: Callable[..., Any], how: str | int, tell: Callable[[str, str], None]
) -> Any:
    if how == FULL and name not in _OF_SPACE:
        return None
    tell("f", name)
    if how in (TORN, SHORT):
        fd, data = arguments
        taken = real(fd, memoryview(data)[: len(data) // 2])
        if how == SHORT and taken:
            return taken
    if how in (KILL, TORN):
        os.kill(os.getpid(), signal.SIGKILL)
    number = errno.ENOSPC if how == FULL else how if isinstance(how, int) else errno.EIO
    raise OSError(number, os.strerror(number))


def _nothing(*_: Any) -> None:
    pass
