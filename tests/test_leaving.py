"""The end of a process: nothing that was written or is to be done at the end is lost, and the exit code is kept."""

from __future__ import annotations

import atexit
import io
import os
import subprocess
import sys
import weakref
from pathlib import Path
from threading import Event, Thread
from typing import NoReturn

import pytest
from support.cli import environment
from support.hazards import GOOD

from memcli import leaving

SCRIPT = """
import atexit, gc, sys, threading
class Late:
    def __del__(self):
        sys.stderr.write("taken apart\\n")
late = Late()
atexit.register(lambda: print("at exit", gc.get_threshold()[0] > 700, file=sys.stderr))
threading.Timer(0.2, lambda: print("thread", file=sys.stderr)).start()
from memcli.cli import main
main()
"""


NOBODY = "memcli: No session answers to 'nobody' among 200; 'memcli sessions ls' lists them.\n"


def script(*arguments: str | Path, python: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]:
    """Run a script whose last line is main(), as bin/memcli's is, without anybody measuring what it runs."""
    unmeasured = {name: None for name in os.environ if name.startswith("COVERAGE")}
    return subprocess.run(
        [sys.executable, *python, "-c", SCRIPT, *map(str, arguments)],
        env=environment(unmeasured),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("--version",), 0, ""),
        (("sessions", "ls", "-W", "FOLDER"), 0, ""),
        (("grep", "nowhere-in-here", "-W", "FOLDER"), 1, ""),
        (("sessions", "show", "nobody", "-W", "FOLDER"), 2, NOBODY),
        (("sessions", "ls", "--help"), 0, ""),
    ],
)
def test_a_script_leaves_at_once_with_everything_done(
    tmp_path: Path, arguments: tuple[str, ...], code: int, said: str
) -> None:
    for number in range(200):
        (tmp_path / f"chat-{number:03}.jsonl").write_text(GOOD * 9)
    done = script(*(str(tmp_path) if word == "FOLDER" else word for word in arguments))
    assert done.returncode == code
    assert done.stderr.replace("thread\n", "", 1) == f"{said}at exit True\n"
    assert bool(done.stdout) == (not code)
    if "ls" in arguments and "FOLDER" in arguments:
        assert len(done.stdout.splitlines()) == 200


def test_who_looks_for_faults_gets_the_usual_end() -> None:
    done = script("--version", python=("-X", "dev"))
    assert done.returncode == 0
    assert done.stderr.endswith("thread\nat exit True\ntaken apart\n")


def test_a_profile_is_written(tmp_path: Path) -> None:
    unmeasured = {name: None for name in os.environ if name.startswith("COVERAGE")}
    command = [sys.executable, "-m", "cProfile", "-o", "profile", "-m", "memcli", "--version"]
    subprocess.run(command, env=environment(unmeasured), cwd=tmp_path, check=True, capture_output=True, timeout=60)
    assert (tmp_path / "profile").stat().st_size


class Left(Exception):
    """The process would have ended here."""


@pytest.fixture
def unwatched(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """A process that nobody measures and that does not end; the exit codes that it would have ended with."""
    codes: list[int] = []

    def end(code: int) -> NoReturn:
        codes.append(code)
        raise Left

    monkeypatch.setattr(sys, "gettrace", lambda: None)
    monkeypatch.setattr(sys, "getprofile", lambda: None)
    monkeypatch.setattr(sys, "monitoring", None, raising=False)
    monkeypatch.setattr(atexit, "_run_exitfuncs", lambda: None)
    monkeypatch.setattr(os, "_exit", end)
    return codes


def test_the_code_is_kept_and_threads_are_waited_for(unwatched: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    go, done = Event(), []
    monkeypatch.setattr(atexit, "_run_exitfuncs", lambda: done.append("at exit"))
    daemon = Thread(target=Event().wait, daemon=True)
    daemon.start()

    def work() -> None:
        go.wait()
        done.append("thread")

    thread = Thread(target=work)
    thread.start()
    go.set()
    with pytest.raises(Left):
        leaving.leave(4)
    assert (unwatched, done) == ([4], ["thread", "at exit"])


def test_what_cannot_be_written_is_told_by_the_usual_end(unwatched: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    class Full(io.RawIOBase):
        def writable(self) -> bool:
            return True

        def write(self, data: object) -> NoReturn:
            raise OSError(28, "No space left on device")

    stream = io.TextIOWrapper(io.BufferedWriter(Full()))
    stream.write("x")
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", stream)
        leaving.leave(0)
    assert unwatched == []
    with pytest.raises(OSError, match="No space"):
        stream.close()


def test_streams_that_are_not_there(unwatched: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", None)
        patch.setattr(sys, "stderr", None)
        with pytest.raises(Left):
            leaving.leave(0)
    assert unwatched == [0]


@pytest.mark.parametrize("name", ["gettrace", "getprofile"])
def test_nobody_who_looks_on_is_cut_short(unwatched: list[int], monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr(sys, name, lambda: print)
    leaving.leave(0)
    assert unwatched == []


def test_one_thing_is_held_until_the_end() -> None:
    class Row:
        pass

    first, second = weakref.ref(row := Row()), weakref.ref(other := Row())
    leaving.keep([row])
    leaving.keep([other])
    del row, other
    assert (first(), second() is None) == (None, False)
    leaving.keep(None)
    assert second() is None
