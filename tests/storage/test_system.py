"""The thin layer, and that nothing goes past it."""

from __future__ import annotations

import ast
import ctypes
import errno
import fcntl
import os
import signal
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest

from memcli.storage import system

STORAGE = Path(system.__file__).parent
READERS = {"archive.py", "unpacking.py", "tarball.py", "zipball.py", "watch.py", "system.py"}
"""Modules that write to temporary folders of their own or to descriptors only, and the layer itself."""
MUTATING = {
    *(
        "rename",
        "replace",
        "renames",
        "link",
        "symlink",
        "unlink",
        "remove",
        "rmdir",
        "removedirs",
        "mkdir",
        "makedirs",
    ),
    *("mkfifo", "mknod", "chmod", "fchmod", "lchmod", "chown", "fchown", "lchown", "utime", "truncate", "ftruncate"),
    *("write", "pwrite", "writev", "pwritev", "sendfile", "copy_file_range", "fsync", "fdatasync", "setxattr"),
    *("removexattr", "posix_fallocate", "posix_fadvise", "open_lock"),
}


def test_calls_are_functions_of_the_layer() -> None:
    assert all(callable(getattr(system, name)) for name in system.CALLS)


@pytest.mark.parametrize("path", sorted(STORAGE.glob("*.py")), ids=lambda path: path.name)
def test_no_module_goes_past_the_layer(path: Path) -> None:
    """No os.rename and the like, and no open for writing, anywhere else in storage."""
    if path.name in READERS:
        return
    past = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call):
            continue
        function = node.func
        if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
            if function.value.id in ("os", "shutil") and function.attr in MUTATING:
                past.append(f"{function.value.id}.{function.attr}")
        elif isinstance(function, ast.Name) and function.id == "open":
            mode = node.args[1].value if len(node.args) > 1 and isinstance(node.args[1], ast.Constant) else "r"
            past += [f"open {mode}"] if set(str(mode)) & set("wax+") else []
    assert past == []


def test_write_all_goes_on_after_short_writes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = system.write
    monkeypatch.setattr(system, "write", lambda fd, data: real(fd, data[:3]))
    fd = system.create(str(tmp_path / "file"), 0o600)
    system.write_all(fd, b"0123456789")
    os.close(fd)
    assert (tmp_path / "file").read_bytes() == b"0123456789"


def test_write_all_does_not_go_on_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(system, "write", lambda fd, data: 0)
    with pytest.raises(OSError, match=os.strerror(errno.EIO)):
        system.write_all(1, b"x")


def test_new_files_are_new(tmp_path: Path) -> None:
    path = tmp_path / "file"
    os.symlink(tmp_path / "target", path)
    with pytest.raises(FileExistsError):
        system.create(str(path), 0o600)
    with pytest.raises(OSError, match=os.strerror(errno.ELOOP)):
        system.open_to_append(str(path))


def test_exchange_and_rename_new(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("a")
    (tmp_path / "b").write_text("b")
    folder = os.open(tmp_path, os.O_RDONLY)
    try:
        system.exchange("a", "b", folder)
        assert (tmp_path / "a").read_text() == "b"
        with pytest.raises(FileExistsError):
            system.rename_new("a", "b", folder)
        system.rename_new("a", "c", folder)
        with pytest.raises(FileNotFoundError):
            system.exchange("a", "b", folder)
    finally:
        os.close(folder)
    assert sorted(os.listdir(tmp_path)) == ["b", "c"]


def test_exchange_by_its_name_on_macos(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def call(old_folder: int, old: bytes, new_folder: int, new: bytes, flags: ctypes.c_uint) -> int:
        asked.append((old_folder, old, new_folder, new, flags.value))
        return 0

    monkeypatch.setattr(ctypes, "CDLL", lambda *_, **__: SimpleNamespace(renameatx_np=call))
    system.exchange("a", "b", 5)
    system.rename_new("a", "b", 5)
    assert asked == [(5, b"a", 5, b"b", 2), (5, b"a", 5, b"b", 4)]  # RENAME_SWAP, RENAME_EXCL of <sys/stdio.h>


def test_no_exchange_in_the_c_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ctypes, "CDLL", lambda *_, **__: SimpleNamespace())
    with pytest.raises(OSError, match=os.strerror(errno.ENOSYS)) as caught:
        system.exchange("a", "b", 5)
    assert caught.value.errno in system.NO_EXCHANGE


@pytest.mark.parametrize("refuses", [False, True])
def test_full_sync_on_macos(monkeypatch: pytest.MonkeyPatch, refuses: bool) -> None:
    done = []

    def control(fd: int, what: int) -> None:
        done.append(what)
        if refuses:
            raise OSError(errno.ENOTSUP, "")

    monkeypatch.setattr(fcntl, "F_FULLFSYNC", 51, raising=False)
    monkeypatch.setattr(fcntl, "fcntl", control)
    monkeypatch.setattr(os, "fsync", lambda fd: done.append("fsync"))
    monkeypatch.delattr(os, "fdatasync")
    system.fdatasync(3)
    assert done == ([51, "fsync"] if refuses else [51])


def test_signals_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []

    def work() -> None:
        with system.uninterrupted():
            # to this thread: memcli has one, the process that runs tests in parallel has more, which would take it
            signal.pthread_kill(threading.get_ident(), signal.SIGINT)
            seen.append("after the signal")

    with pytest.raises(KeyboardInterrupt):
        work()
    assert seen == ["after the signal"]
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, set())
