"""The agents' lock protocols, and memcli's own lock."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from support import faults

from memcli.errors import CannotWrite, RefusedForSafety
from memcli.storage import locks, processes, state, system
from memcli.storage.locks import Lock
from memcli.storage.state import Store


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    monkeypatch.setenv("MEMCLI_STATE_DIR", str(tmp_path / "state"))
    faults.quick_disk(monkeypatch)
    return state.store(str(tmp_path))


@contextmanager
def other_process(script: str, *arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    """A process that runs `script` and has said so on its standard output."""
    process = subprocess.Popen([sys.executable, "-c", script, *arguments], stdout=subprocess.PIPE)
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        yield process
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


HOLD_FLOCK = """
import fcntl, os, sys, time
fd = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT, 0o644)
fcntl.flock(fd, fcntl.LOCK_EX)
print("ready", flush=True)
time.sleep(float(sys.argv[2]))
"""


class TestFlock:
    def test_is_held_meanwhile_and_free_again(self, tmp_path: Path, store: Store) -> None:
        lock = Lock("flock", str(tmp_path / ".session-files.lock"))
        with locks.hold([lock], store=store):
            fd = os.open(lock.path, os.O_RDWR)
            with pytest.raises(BlockingIOError):
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            holder = locks.probe(lock)
            assert holder is not None
            assert holder.alive
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.close(fd)
        assert locks.probe(lock) is None
        assert os.path.exists(lock.path)  # as the agent leaves it

    def test_is_waited_for(self, tmp_path: Path, store: Store) -> None:
        lock = Lock("flock", str(tmp_path / "lock"))
        with other_process(HOLD_FLOCK, lock.path, "0.3"), locks.hold([lock], store=store, timeout=30):
            pass

    def test_names_its_holder(self, tmp_path: Path, store: Store) -> None:
        lock = Lock("flock", str(tmp_path / "lock"))
        with other_process(HOLD_FLOCK, lock.path, "60") as process:
            with pytest.raises(RefusedForSafety, match=rf"is locked by python\S* \(process {process.pid}\)"):
                locks.hold([lock], store=store, timeout=0.1).__enter__()
            holder = locks.probe(lock)
            assert holder is not None
            assert (holder.pid, holder.alive) == (process.pid, True)

    def test_somebody_without_a_pid(self, tmp_path: Path, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
        lock = Lock("flock", str(tmp_path / "lock"))
        monkeypatch.setattr(processes, "PROC", str(tmp_path / "no"))
        with other_process(HOLD_FLOCK, lock.path, "60"):
            holder = locks.probe(lock)
        assert holder is not None
        assert (holder.pid, holder.alive) == (None, None)
        assert holder.sentence == f"{lock.path} is locked by another process: it cannot be seen from here."

    def test_the_file_is_replaced_while_it_is_taken(
        self, tmp_path: Path, store: Store, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A lock on a file that has no name any more keeps nobody out: it is taken again."""
        lock = Lock("flock", str(tmp_path / "lock"))
        real = system.flock
        taken = []

        def removed_first(fd: int, operation: int) -> None:
            if not taken:
                os.unlink(lock.path)
            taken.append(fd)
            real(fd, operation)

        monkeypatch.setattr(system, "flock", removed_first)
        with locks.hold([lock], store=store):
            holder = locks.probe(lock)
        assert holder is not None
        assert len(taken) == 2

    def test_symlinks_are_not_followed(self, tmp_path: Path, store: Store) -> None:
        (tmp_path / "lock").symlink_to(tmp_path / "elsewhere")
        with pytest.raises(CannotWrite):
            locks.hold([Lock("flock", str(tmp_path / "lock"))], store=store).__enter__()
        assert not (tmp_path / "elsewhere").exists()

    def test_nobody_can_lock_in_a_folder_that_is_not_there(self, tmp_path: Path, store: Store) -> None:
        with locks.hold([Lock("flock", str(tmp_path / "no" / "lock"))], store=store):
            assert not (tmp_path / "no").exists()

    def test_a_file_system_without_flock(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (tmp_path / "lock").touch()

        def refuse(*_: object) -> None:
            raise OSError(95, "")

        monkeypatch.setattr(fcntl, "flock", refuse)
        assert locks.probe(Lock("flock", str(tmp_path / "lock"))) is None

    def test_a_lock_that_is_not_there_is_free(self, tmp_path: Path) -> None:
        assert locks.probe(Lock("flock", str(tmp_path / "lock"))) is None
        assert locks.probe(Lock("exclusive-file", str(tmp_path / "lock"))) is None


class TestExclusiveFile:
    def lock(self, tmp_path: Path) -> Lock:
        return Lock("exclusive-file", str(tmp_path / "MEMORY.md.lock"))

    def test_is_there_meanwhile_with_our_pid(self, tmp_path: Path, store: Store) -> None:
        lock = self.lock(tmp_path)
        with locks.hold([lock], store=store):
            assert Path(lock.path).read_text() == str(os.getpid())
            with pytest.raises(FileExistsError):
                os.open(lock.path, os.O_CREAT | os.O_EXCL)
        assert [name for name in os.listdir(tmp_path) if name != "state"] == []
        assert os.listdir(Path(store.folder, "intents")) == []

    def test_is_waited_for_and_never_broken(self, tmp_path: Path, store: Store) -> None:
        lock = self.lock(tmp_path)
        with other_process("import time; print('ready', flush=True); time.sleep(60)") as process:
            Path(lock.path).write_text(str(process.pid))
            with pytest.raises(RefusedForSafety, match=rf"is held by python\S* \(process {process.pid}\)"):
                locks.hold([lock], store=store, timeout=0.1).__enter__()
        with pytest.raises(RefusedForSafety, match=r"does not run here any more.* 'memcli locks clear' removes it\."):
            locks.hold([lock], store=store, timeout=0).__enter__()
        assert Path(lock.path).read_text() == str(process.pid)
        assert [name for name in os.listdir(tmp_path) if name != "state"] == ["MEMORY.md.lock"]

    @pytest.mark.parametrize(
        ("text", "alive", "pid"), [("", None, None), ("me", None, None), ("4194305\n", False, 4194305), ("0", False, 0)]
    )
    def test_what_it_says(self, tmp_path: Path, text: str, alive: bool | None, pid: int | None) -> None:
        lock = self.lock(tmp_path)
        Path(lock.path).write_text(text)
        holder = locks.probe(lock)
        assert holder is not None
        assert (holder.alive, holder.pid) == (alive, pid)

    def test_a_pid_that_was_given_out_again(self, tmp_path: Path) -> None:
        """The process is younger than the lock file, so it did not make it."""
        lock = self.lock(tmp_path)
        with other_process("import time; print('ready', flush=True); time.sleep(60)") as process:
            Path(lock.path).write_text(str(process.pid))
            os.utime(lock.path, (time.time() - 3600,) * 2)
            holder = locks.probe(lock)
        assert holder is not None
        assert holder.alive is False

    def test_something_odd_in_its_place(self, tmp_path: Path) -> None:
        lock = self.lock(tmp_path)
        os.mkfifo(lock.path)
        holder = locks.probe(lock)
        assert holder is not None
        assert (holder.alive, "a FIFO" in holder.sentence) == (None, True)

    def test_no_hard_links(self, tmp_path: Path, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
        def refuse(*_: object) -> None:
            raise PermissionError(1, "")

        monkeypatch.setattr(system, "link", refuse)
        with pytest.raises(CannotWrite, match="no hard links"):
            locks.hold([self.lock(tmp_path)], store=store).__enter__()
        assert [name for name in os.listdir(tmp_path) if name != "state"] == []

    @pytest.mark.parametrize("how", faults.HOW)
    def test_every_call(self, tmp_path: Path, store: Store, how: str | int) -> None:
        """A memcli that is killed leaves a lock file; the next one knows it as ours and removes it."""

        def scenario() -> None:
            with locks.hold([self.lock(tmp_path)], store=store):
                pass

        state.place(store, "intents")
        for where, ended in faults.every(scenario, lambda: None, how):
            assert ended.code in (0, 3, -9), f"{where}: {ended.said}"
            with locks.own(store):
                locks.release_left(store)
            assert [name for name in os.listdir(tmp_path) if name != "state"] == [], where
            left = os.listdir(Path(store.folder, "intents"))
            assert all(name.endswith(".part") for name in left), where
            for name in left:
                Path(store.folder, "intents", name).unlink()

    def test_another_lock_in_its_place_stays(self, tmp_path: Path, store: Store) -> None:
        lock = self.lock(tmp_path)
        with locks.hold([lock], store=store):
            os.unlink(lock.path)
            Path(lock.path).write_text("77")
        assert Path(lock.path).read_text() == "77"


class TestOwn:
    def test_two_writers_do_not_meet(self, store: Store) -> None:
        with locks.own(store), pytest.raises(RefusedForSafety, match="is locked by"):
            locks.own(store, timeout=0.05).__enter__()
        with locks.own(store):
            pass

    def test_a_killed_writer_holds_nothing(self, store: Store) -> None:
        def scenario() -> None:
            with locks.own(store):
                os.kill(os.getpid(), signal.SIGKILL)

        assert faults.run(scenario).code == -9
        with locks.own(store, timeout=0):
            pass
