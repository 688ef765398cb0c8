"""Guards and fixtures for every test: nobody's home, no network but loopback, one clock zone."""

from __future__ import annotations

import os
import socket
import sys
import tarfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

SAMPLES = Path(__file__).parent / "samples"
REAL_HOME = os.path.expanduser("~")

settings.register_profile("dev", max_examples=60, deadline=None)
settings.register_profile("ci", max_examples=100, deadline=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "dev")


@pytest.fixture(autouse=True)
def no_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Every test gets an empty HOME of its own; the home of whoever runs the tests is out of reach (see _audit)."""
    home = tmp_path_factory.mktemp("home")
    for name in list(os.environ):
        if name.startswith(("MEMCLI_", "XDG_")) or name in ("NO_COLOR", "COLUMNS", "LINES"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("TZ", "UTC")
    monkeypatch.setenv("TERM", "xterm-256color")
    time.tzset()
    return home


@pytest.fixture
def samples() -> Path:
    """The folder of sample workspaces; read-only by agreement, copy before you change anything."""
    return SAMPLES


@pytest.fixture(scope="session")
def nanobot(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The real nanobot workspaces, unpacked: <version>/.nanobot/..., with each `.workspace` marker rewritten."""
    root = tmp_path_factory.mktemp("nanobot")
    for archive in sorted(SAMPLES.glob("nanobot-*.tar.gz")):
        target = root / archive.name.removesuffix(".tar.gz")
        with tarfile.open(archive) as tar:
            tar.extractall(target, filter="data")
        for marker in target.glob(".nanobot/sessions/*/.workspace"):
            marker.write_text(f"{target}/.nanobot/workspace\n")
    return root


WRITES = (
    *("os.mkdir", "os.remove", "os.rename", "os.rmdir", "os.chmod", "os.chown", "os.link", "os.symlink", "os.truncate"),
    *("os.utime", "os.setxattr", "os.removexattr", "os.mkfifo", "os.mknod"),
)
"""Audit events whose first two arguments may be paths that are changed."""
LOOPBACK = ("127.0.0.1", "::1", "localhost")
_guarded = False


def _audit(event: str, arguments: tuple[object, ...]) -> None:
    """Fail loudly when a test opens something for writing below the real home, or connects beyond loopback."""
    if not _guarded:
        return
    if event == "open":
        path, _, flags = arguments
        if isinstance(path, str | bytes) and isinstance(flags, int) and flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
            _refuse(os.fsdecode(path))
    elif event in WRITES:
        for path in arguments[:2]:
            if isinstance(path, str | bytes):
                _refuse(os.fsdecode(path))
    elif event in ("socket.connect", "socket.sendto"):
        address = arguments[1]
        if isinstance(address, tuple) and str(address[0]) not in LOOPBACK:
            raise AssertionError(f"a test tried to reach {address}")
    elif event == "socket.getaddrinfo" and arguments[0] not in (None, *LOOPBACK):
        raise AssertionError(f"a test asked for the address of {arguments[0]!r}")


def _refuse(path: str) -> None:
    path = os.path.abspath(path)
    checkout = str(Path(__file__).parent.parent)
    inside = path.startswith(REAL_HOME + os.sep)
    if inside and not path.startswith((checkout + os.sep, sys.prefix + os.sep)):
        raise AssertionError(f"a test tried to write below the real home: {path}")


@pytest.fixture(autouse=True, scope="session")
def guard() -> Iterator[None]:
    """Switch the audit hook on for the run (hooks cannot be removed, so it has a switch)."""
    global _guarded
    sys.addaudithook(_audit)
    _guarded = True
    yield
    _guarded = False


__all__ = ["guard", "nanobot", "no_home", "samples", "socket"]


def pytest_make_parametrize_id(config: pytest.Config, val: object, argname: str) -> str | None:
    """Binary content makes unreadable ids; a time or the process's own number would differ in every process."""
    if str(os.getpid()) in repr(val):
        return argname
    if isinstance(val, bytes) and not (len(val) <= 60 and val.isascii() and val.decode().isprintable()):
        return argname
    return None
