"""Running memcli: in this process with redirected streams, or as a process of its own."""

from __future__ import annotations

import hashlib
import io
import os
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from memcli.cli import main

CHECKOUT = Path(__file__).parents[2]
MEMCLI = (sys.executable, "-m", "memcli")
TIMEOUT = 60
"""Seconds after which a process is taken to hang."""
_DROP = """
import ctypes, os, sys
for capability in (1, 2):  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH; PR_CAPBSET_DROP is 24
    if ctypes.CDLL(None).prctl(24, capability, 0, 0, 0):
        sys.exit("the power of root to read everything could not be dropped")
os.execv(sys.argv[1], sys.argv[1:])
"""
MORTAL = (sys.executable, "-c", _DROP)
"""Runs the command behind it as a root whom file modes bind like anybody else."""


class Ran(NamedTuple):
    """What a run left: bytes that are not UTF-8 stand in `out` and `err` as surrogate escapes."""

    code: int
    out: str
    err: str

    @property
    def out_bytes(self) -> bytes:
        return self.out.encode("utf-8", "surrogateescape")

    @property
    def rows(self) -> list[list[str]]:
        """The columns of each line of output."""
        return [line.split("\t") for line in self.out.split("\n")[:-1]]


class Terminal(io.TextIOWrapper):
    """A stream that takes itself for a terminal."""

    def isatty(self) -> bool:
        return True


def run(
    *arguments: str | Path,
    cwd: Path | None = None,
    env: Mapping[str, str | None] | None = None,
    stdin: bytes = b"",
    encoding: str = "utf-8",
    columns: int = 0,
) -> Ran:
    """Run memcli in this process. `encoding` is that of its streams; None in `env` unsets a variable.

    With `columns` stdout and stderr say that they are a terminal so wide.
    """
    out, err = io.BytesIO(), io.BytesIO()
    kind = Terminal if columns else io.TextIOWrapper
    env = {**(env or {}), "COLUMNS": str(columns)} if columns else env
    streams = {
        "stdin": io.TextIOWrapper(io.BytesIO(stdin), encoding),
        "stdout": kind(out, encoding),
        "stderr": kind(err, encoding),
    }
    terminate = signal.getsignal(signal.SIGTERM)
    with _environment(env or {}), _folder(cwd), _replaced(streams, arguments):
        try:
            main()
            code = 0
        except SystemExit as leaving:
            code = int(leaving.code or 0)
        finally:
            signal.signal(signal.SIGTERM, terminate)
    for name in ("stdout", "stderr"):
        streams[name].flush()
    return Ran(code, *(data.getvalue().decode("utf-8", "surrogateescape") for data in (out, err)))


def spawn(
    *arguments: str | Path,
    cwd: Path | None = None,
    env: Mapping[str, str | None] | None = None,
    stdin: bytes = b"",
    mortal: bool = False,
) -> Ran:
    """Run memcli as a process. `mortal` takes from root the power to read what file modes forbid."""
    done = subprocess.run(
        [*(MORTAL if mortal and os.geteuid() == 0 else ()), *MEMCLI, *map(str, arguments)],
        cwd=cwd,
        env=environment(env),
        input=stdin,
        capture_output=True,
        timeout=TIMEOUT,
        check=False,
    )
    out, err = (data.decode("utf-8", "surrogateescape") for data in (done.stdout, done.stderr))
    return Ran(done.returncode, out, err)


def environment(changes: Mapping[str, str | None] | None = None) -> dict[str, str]:
    """The environment of a process that runs memcli from this checkout, wherever it starts."""
    merged = {**os.environ, "PYTHONPATH": str(CHECKOUT), **(changes or {})}
    return {name: value for name, value in merged.items() if value is not None}


def one_sentence(ran: Ran, code: int, phrase: str) -> None:
    """A failure is told in one sentence on stderr, with `phrase` in it."""
    assert ran.code == code
    assert phrase in ran.err
    assert "Traceback" not in ran.err
    assert ran.err.count("\n") == 1
    assert ran.err.startswith("memcli")
    assert ran.err.endswith((".\n", "?\n", "...\n", ".'\n"))


def short(value: object) -> str:
    """The words of a command line as the name of a test."""
    return " ".join(value)[:60].encode("utf-8", "replace").decode() if isinstance(value, list) else ""


Snapshot = dict[str, tuple[object, ...]]


def snapshot(root: Path) -> Snapshot:
    """Everything below `root` by path: mode, size, time, inode and content of each file and folder."""
    found: Snapshot = {}
    for folder, folders, files in os.walk(os.fsencode(root)):
        for name in (b".", *folders, *files):
            path = os.path.join(folder, name)
            seen = os.lstat(path)
            content = ""
            if stat.S_ISLNK(seen.st_mode):
                content = os.fsdecode(os.readlink(path))
            elif stat.S_ISREG(seen.st_mode) and seen.st_size < 64 << 20 and os.access(path, os.R_OK):
                content = hashlib.sha256(Path(os.fsdecode(path)).read_bytes()).hexdigest()
            found[os.fsdecode(path)] = (seen.st_mode, seen.st_size, seen.st_mtime_ns, seen.st_ino, content)
    return found


@contextmanager
def _replaced(streams: dict[str, io.TextIOWrapper], arguments: tuple[str | Path, ...]) -> Iterator[None]:
    kept = {name: getattr(sys, name) for name in (*streams, "argv")}
    try:
        for name, stream in streams.items():
            setattr(sys, name, stream)
        sys.argv = ["memcli", *map(str, arguments)]
        yield
    finally:
        for name, value in kept.items():
            setattr(sys, name, value)


@contextmanager
def _environment(changes: Mapping[str, str | None]) -> Iterator[None]:
    kept = {name: os.environ.get(name) for name in changes}
    try:
        _set(changes)
        yield
    finally:
        _set(kept)


def _set(values: Mapping[str, str | None]) -> None:
    for name, value in values.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value


@contextmanager
def _folder(path: Path | None) -> Iterator[None]:
    if path is None:
        yield
        return
    here = os.getcwd()
    os.chdir(path)
    try:
        yield
    finally:
        os.chdir(here)
