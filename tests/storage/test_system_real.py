"""The write path as a real process, on real file systems, under strace and in power cuts. Slow; some need root.

Nothing here is skipped: where it cannot run, it fails.
"""

from __future__ import annotations

import fcntl
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

import pytest
from support import faults, traced_operation
from support.cli import CHECKOUT

from memcli.errors import CannotWrite
from memcli.storage import append, atomic, state, undo
from memcli.storage.state import Store
from memcli.storage.versions import read_version

pytestmark = pytest.mark.slow

OLD = {"one": b"old one\n" * 9, "two": b"two\n", "gone": b"gone\n", "log": b"torn"}
NEW = {"one": b"new one\n", "two": b"two\n", "made": b"made\n", "log": b"torn\nline\n"}
TRACED = (
    "openat,open,creat,write,pwrite64,writev,pwritev,fsync,fdatasync,sync_file_range,truncate,ftruncate,rename,renameat,"
    "renameat2,link,linkat,symlink,symlinkat,unlink,unlinkat,mkdir,mkdirat,rmdir,mknod,mknodat,chmod,fchmod,fchmodat,chown,"
    "fchown,fchownat,lchown,setxattr,fsetxattr,lsetxattr,removexattr,fremovexattr,utimensat,utime,utimes,futimesat,flock,"
    "fallocate,sendfile,copy_file_range,splice,getppid"
)


class Ground(NamedTuple):
    root: Path
    state: Path

    def fresh(self) -> None:
        for folder in self:
            subprocess.run(["rm", "-rf", folder], check=True)
        self.root.mkdir()
        for name, data in OLD.items():
            (self.root / name).write_bytes(data)
            (self.root / name).chmod(0o640)

    def files(self) -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in self.root.iterdir() if not path.name.startswith(".")}

    def left(self) -> list[str]:
        return [path.name for path in self.root.iterdir() if path.name.startswith(".memcli") or path.suffix == ".lock"]


@pytest.fixture
def ground(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ground:
    monkeypatch.setenv("MEMCLI_STATE_DIR", str(tmp_path / "state"))
    return Ground(tmp_path / "workspace", tmp_path / "state")


class Call(NamedTuple):
    """One traced call: its name, its place among those of that name in the whole run, and the line of the trace."""

    name: str
    ordinal: int
    line: str


def strace(ground: Ground, *inject: str) -> tuple[str, str]:
    """Trace the operation; the trace, and what the process printed."""
    trace = ground.root.parent / "trace"
    script = [traced_operation.__file__, str(CHECKOUT), str(ground.root), str(ground.state)]
    command = ["strace", "-f", "-qq", "-e", f"trace={TRACED}", *inject, "-o", str(trace)]
    done = subprocess.run(
        [*command, os.path.realpath(sys.executable), "-I", "-S", "-B", *script],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={"PATH": os.environ["PATH"], "TZ": "UTC"},
    )
    return trace.read_text(), done.stdout


def region(trace: str) -> list[Call]:
    """The calls between the two markers."""
    seen: Counter[str] = Counter()
    found, marks = [], 0
    for line in trace.splitlines():
        match = re.match(r"\d+\s+(\w+)\(", line)
        if not match:
            continue
        name = match[1]
        seen[name] += 1
        if name == "getppid":
            marks += 1
        elif marks == 1:
            found.append(Call(name, seen[name], line))
    return found


def layer_name(call: Call) -> str | None:
    """The function of the layer that makes such a call; None for one that changes nothing."""
    name, line = call.name, call.line
    if name in ("open", "openat", "creat"):
        if not re.search(r"O_WRONLY|O_RDWR|O_CREAT|O_TRUNC", line):
            return None
        if "O_EXCL" in line:
            return "create"
        return "open_to_append" if "O_APPEND" in line else "open_lock" if "O_CREAT" in line else "open_to_rewrite"
    if name.startswith("rename"):
        return "exchange" if "EXCHANGE" in line else "rename_new" if "NOREPLACE" in line else "rename"
    if name == "unlinkat" and "AT_REMOVEDIR" in line:
        return "rmdir"
    plain = {"linkat": "link", "unlinkat": "unlink", "mkdirat": "mkdir", "fsetxattr": "setxattr", "utimensat": "utime"}
    return plain.get(name, name)


def test_no_call_escapes_the_layer(ground: Ground) -> None:
    ground.fresh()
    trace, printed = strace(ground)
    assert ground.files() == NEW
    calls = [name for call in region(trace) if (name := layer_name(call))]
    assert calls == printed.split()
    assert {"create", "write", "fsync", "exchange", "link", "rename", "unlink", "fchmod", "utime", "flock"} <= set(
        calls
    )


def test_the_order_of_things(ground: Ground) -> None:
    """Each new content is on the disk before it is put in place, and the folder after it; no target is opened to be
    written, and every temporary file is new and no symlink."""
    ground.fresh()
    trace, _ = strace(ground)
    calls = region(trace)
    names = [layer_name(call) for call in calls]
    at = names.index("exchange")
    part = re.search(r'"(\.memcli-\w+\.part)"', calls[at].line)
    assert part
    opened = next(n for n, call in enumerate(calls) if names[n] == "create" and part[1] in call.line)
    fd = calls[opened].line.rsplit("= ", 1)[1]
    uses = [
        names[n] for n in range(opened + 1, at) if f"{names[n]}({fd}," in calls[n].line or f"({fd})" in calls[n].line
    ]
    assert uses[0] == "write"
    assert uses[-1] == "fsync"
    folder = next(
        c.line.rsplit("= ", 1)[1]
        for c in calls
        if re.search(r'"workspace", .*O_DIRECTORY', c.line) or (str(ground.root) in c.line and "O_DIRECTORY" in c.line)
    )
    assert any(names[n] == "fsync" and f"fsync({folder})" in calls[n].line for n in range(at + 1, len(calls)))
    for n, call in enumerate(calls):
        if names[n] == "create":
            assert "O_NOFOLLOW" in call.line
        if names[n] == "open_to_rewrite":
            assert ".memcli-" in call.line


@pytest.mark.parametrize("fault", ["signal=KILL", "error=EIO", "error=ENOSPC"])
def test_every_call_of_the_process(ground: Ground, fault: str) -> None:
    """Kill the process, or fail it, at each call of the region; the next memcli finds all old or makes all new."""
    ground.fresh()
    trace, _ = strace(ground)
    calls = [call for call in region(trace) if layer_name(call)]
    assert len(calls) > 60
    for call in calls:
        ground.fresh()
        trace, _ = strace(ground, "-e", f"inject={call.name}:{fault}:when={call.ordinal}")
        where = f"{fault} at {call.name} {call.ordinal}"
        assert "killed by SIGKILL" in trace if "KILL" in fault else "(INJECTED)" in trace, where
        store = state.store(str(ground.root))
        with undo.begin(store, "next"):
            pass
        files = ground.files()
        assert files in (OLD, NEW), f"{where}: {sorted(files)}"
        assert ground.left() == [], where
        if files == NEW:
            undo.undo(store)
            assert ground.files() == OLD, where


@contextmanager
def mounted(folder: Path, *arguments: str) -> Iterator[Path]:
    """A file system mounted on a new folder. Needs root."""
    folder.mkdir(exist_ok=True)
    done = subprocess.run(["mount", *arguments, str(folder)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"this test mounts a file system, which needs root: {done.stderr}"
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


class TestFullDisk:
    @pytest.fixture
    def small(self, tmp_path: Path) -> Iterator[Path]:
        with mounted(tmp_path / "small", "-t", "tmpfs", "-o", "size=400k", "tmpfs") as folder:
            yield folder

    def test_the_workspace(self, small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("MEMCLI_STATE_DIR", str(tmp_path / "state"))
        file = small / "chat.jsonl"
        old = b"x" * 250_000
        file.write_bytes(old)
        store = state.store(str(small))
        with undo.begin(store, "repair") as operation:
            operation.rewrite(str(file), read_version(str(file)), b"y" * 200_000, root=str(small))
            with pytest.raises(CannotWrite, match=r"there is no space left\. It was not changed"):
                operation.commit()
        with pytest.raises(CannotWrite, match="no space"):
            atomic.create(str(small / "new"), b"y" * 200_000, root=str(small))
        assert file.read_bytes() == old
        assert os.listdir(small) == ["chat.jsonl"]
        atomic.replace(str(file), read_version(str(file)), b"y" * 100_000, root=str(small))
        assert file.stat().st_size == 100_000

    def test_the_state_folder(self, small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("MEMCLI_STATE_DIR", str(small / "state"))
        root = tmp_path / "workspace"
        root.mkdir()
        file = root / "chat.jsonl"
        file.write_bytes(b"x" * 500_000)
        with undo.begin(state.store(str(root)), "repair") as operation:
            operation.rewrite(str(file), read_version(str(file)), b"y", root=str(root))
            with pytest.raises(CannotWrite, match="memcli's own state"):
                operation.commit()
        assert file.read_bytes() == b"x" * 500_000
        assert os.listdir(root) == ["chat.jsonl"]
        assert undo.listed(state.store(str(root))) == []

    def test_an_append(self, small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """A real short write: the file system takes what fits in its last page."""
        monkeypatch.setenv("MEMCLI_STATE_DIR", str(tmp_path / "state"))
        file = small / "history.jsonl"
        file.write_bytes(b"first\n")
        with (small / "filler").open("wb", buffering=0) as filler, suppress(OSError):
            while filler.write(b"z" * 4096):
                pass
        with pytest.raises(CannotWrite):
            append.append(str(file), b"y" * 8000, root=str(small), store=state.store(str(small)))
        assert file.read_bytes() == b"first\n"
        (small / "filler").unlink()
        append.append(str(file), b"next", root=str(small), store=state.store(str(small)))
        assert file.read_bytes() == b"first\nnext\n"


SHUTDOWN = 0x8004587D
"""FS_IOC_SHUTDOWN; its argument 2: without writing the journal out first."""


def test_power_cuts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Killed at each call of an operation on several files, and the power cut at the same moment."""
    image = tmp_path / "image"
    with image.open("wb") as file:
        file.truncate(48 << 20)
    subprocess.run(["mkfs.ext4", "-q", "-F", str(image)], check=True)
    disk = tmp_path / "disk"
    ground = Ground(disk / "workspace", disk / "state")
    monkeypatch.setenv("MEMCLI_STATE_DIR", str(ground.state))
    mount = ("-o", "loop", str(image))

    def scenario() -> None:
        root = str(ground.root)
        with undo.begin(state.store(root), "repair") as operation:
            operation.rewrite(f"{root}/one", read_version(f"{root}/one"), NEW["one"], root=root)
            operation.set_aside(f"{root}/one", 0, OLD["one"], "not-json")
            operation.create(f"{root}/made", NEW["made"], root=root)
            operation.remove(f"{root}/gone", read_version(f"{root}/gone"), root=root)
            operation.append(f"{root}/log", b"line", root=root)
            operation.commit()

    with mounted(disk, *mount):
        ground.fresh()
        calls = faults.run(scenario).calls
    outcomes: Counter[str] = Counter()
    for at in range(1, len(calls) + 2):
        with mounted(disk, *mount):
            ground.fresh()
            os.sync()
            ended = faults.run(scenario, faults.KILL, at)
            assert ended.code == (-9 if at <= len(calls) else 0)
            fd = os.open(disk, os.O_RDONLY)
            fcntl.ioctl(fd, SHUTDOWN, (2).to_bytes(4, "little"))
            os.close(fd)
        with mounted(disk, *mount):
            store: Store = state.store(str(ground.root))
            with undo.begin(store, "next"):
                pass
            files = ground.files()
            where = f"cut at {at} ({(*calls, 'the end')[at - 1]})"
            assert files in (OLD, NEW), f"{where}: {sorted(files.items())}"
            assert files == NEW or ended.code == -9, f"{where}: success was reported"
            assert ground.left() == [], where
            outcomes["new" if files == NEW else "old"] += 1
            if files == NEW:
                undo.undo(store)
                assert ground.files() == OLD, where
    assert outcomes["old"] > 10
    assert outcomes["new"] > 3
