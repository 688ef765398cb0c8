"""Replacing, creating and removing files, and everybody who may come between."""

from __future__ import annotations

import errno
import os
import stat
import time
import tracemalloc
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from support import faults

from memcli.errors import CannotRead, CannotWrite, RefusedForSafety
from memcli.storage import atomic, leases, parts, putting_back, system
from memcli.storage.versions import Version, read_version

OLD, NEW, THEIRS, NEWER = b"old line\n" * 50, b"new line\n" * 70, b"agent's line\n" * 60, b"agent's last line\n" * 3


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    faults.quick_disk(monkeypatch)
    path = tmp_path / "ws" / "chat.jsonl"
    path.parent.mkdir()
    path.write_bytes(OLD)
    path.chmod(0o640)
    return path


def replace(path: Path, new: bytes = NEW, expected: Version | None = None, **more: object) -> Version:
    return atomic.replace(
        str(path),
        expected or read_version(str(path)),
        new,
        root=str(path.parent),
        **more,
    )


def save(path: Path, data: bytes) -> None:
    """As agents do: a temporary file, then rename."""
    temporary = path.with_name(path.name + ".tmp")
    temporary.write_bytes(data)
    temporary.rename(path)


def names(path: Path) -> list[str]:
    return sorted(os.listdir(path.parent))


def before_call(monkeypatch: pytest.MonkeyPatch, name: str, acts: dict[int, Callable[[], object]]) -> list[int]:
    """Do `acts[n]` right before the n-th call of system.NAME; the calls so far are counted in the list."""
    real = getattr(system, name)
    count = [0]

    def call(*arguments: object) -> object:
        count[0] += 1
        acts.get(count[0], lambda: None)()
        return real(*arguments)

    monkeypatch.setattr(system, name, call)
    return count


class Others:
    """Other processes; `wait`: for each of them until it is done."""

    def __init__(self, wait: bool = False) -> None:
        self.wait = wait
        self.children: list[int] = []
        self.until = os.pipe()

    def start(self, act: Callable[[], object]) -> None:
        child = faults.fork()
        if not child:
            act()
            os._exit(0)
        self.children.append(child)
        if self.wait:
            self.join()
        else:
            time.sleep(0.05)  # it has come as far as it can

    def join(self) -> None:
        while self.children:
            assert os.waitpid(self.children.pop(), 0)[1] == 0


def no_exchange(monkeypatch: pytest.MonkeyPatch, number: int = errno.EINVAL) -> None:
    def refuse(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(system, "exchange", refuse)
    monkeypatch.setattr(system, "rename_new", refuse)


@pytest.fixture(params=["exchange", "link"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways to put a file in the place of another."""
    if request.param == "link":
        no_exchange(monkeypatch)
    return str(request.param)


class TestReplace:
    @pytest.mark.parametrize("new", [NEW, b"", [b"a", b"", b"b\n"], (b"x" * 100_000 for _ in range(30))])
    def test_content_and_version(self, file: Path, way: str, new: object) -> None:
        version = replace(file, new)
        assert version == read_version(str(file))
        assert version.size == file.stat().st_size
        assert names(file) == ["chat.jsonl"]

    def test_mode_and_attributes_stay(self, file: Path, way: str) -> None:
        file.chmod(0o4751)
        os.setxattr(file, "user.note", b"kept")
        replace(file)
        assert stat.S_IMODE(file.stat().st_mode) == 0o4751
        assert os.getxattr(file, "user.note") == b"kept"

    @pytest.mark.parametrize(("mtime", "expected"), [("keep", 123_000_000_456), (77_000_000_001, 77_000_000_001)])
    def test_time(self, file: Path, mtime: object, expected: int) -> None:
        os.utime(file, ns=(5, 123_000_000_456))
        assert replace(file, mtime=mtime).mtime_ns == expected
        assert file.stat().st_mtime_ns == expected

    def test_time_is_now_unless_asked(self, file: Path) -> None:
        os.utime(file, (5, 5))
        replace(file)
        assert file.stat().st_mtime > 1_000_000_000

    def test_other_mode(self, file: Path) -> None:
        replace(file, mode=0o600)
        assert stat.S_IMODE(file.stat().st_mode) == 0o600

    def test_the_same_bytes_change_nothing(self, file: Path) -> None:
        before = file.stat()
        replace(file, OLD)
        after = file.stat()
        assert (before.st_ino, before.st_mtime_ns, before.st_ctime_ns) == (
            after.st_ino,
            after.st_mtime_ns,
            after.st_ctime_ns,
        )

    def test_same_bytes_with_another_time_are_still_what_was_read(self, file: Path) -> None:
        version = read_version(str(file))
        os.utime(file, (5, 5))
        replace(file, expected=version)
        assert file.read_bytes() == NEW

    def test_changed_since_it_was_read(self, file: Path, way: str) -> None:
        version = read_version(str(file))
        save(file, THEIRS)
        with pytest.raises(RefusedForSafety, match="changed after it was read"):
            replace(file, expected=version)
        assert file.read_bytes() == THEIRS
        assert names(file) == ["chat.jsonl"]

    def test_memory_is_bounded(self, file: Path) -> None:
        os.truncate(file, 96 << 20)
        tracemalloc.start()
        replace(file, (b"x" * (1 << 20) for _ in range(64)))
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 6 << 20

    def test_a_failing_source_leaves_nothing(self, file: Path) -> None:
        def pieces() -> Iterator[bytes]:
            yield b"half"
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            replace(file, pieces())
        assert file.read_bytes() == OLD
        assert names(file) == ["chat.jsonl"]


class TestOddFiles:
    def test_a_symlink_is_followed_once_and_stays(self, file: Path) -> None:
        (file.parent / "real").mkdir()
        file.rename(file.parent / "real" / "target.jsonl")
        file.symlink_to("real/target.jsonl")
        replace(file)
        assert file.is_symlink()
        assert (file.parent / "real" / "target.jsonl").read_bytes() == NEW
        assert names(file) == ["chat.jsonl", "real"]

    def test_out_of_the_root(self, file: Path, tmp_path: Path) -> None:
        outside = tmp_path / "outside.jsonl"
        outside.write_bytes(OLD)
        file.unlink()
        file.symlink_to(outside)
        with pytest.raises(RefusedForSafety, match="outside of"):
            replace(file)
        with pytest.raises(RefusedForSafety, match="outside of"):
            atomic.create(str(file.parent / ".." / "new"), b"", root=str(file.parent))
        assert outside.read_bytes() == OLD
        assert not (tmp_path / "new").exists()

    def test_a_folder_becomes_a_symlink_meanwhile(
        self, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """realpath has spoken, then the folder is swapped: the walk must not follow."""
        version = read_version(str(file))
        (tmp_path / "trap").mkdir()
        (tmp_path / "trap" / "chat.jsonl").write_bytes(OLD)
        real = os.path.realpath

        def then_swap(path: str) -> str:
            found = real(path)
            if path.endswith("chat.jsonl") and not file.parent.is_symlink():
                file.parent.rename(tmp_path / "moved")
                file.parent.symlink_to(tmp_path / "trap")
            return found

        monkeypatch.setattr(os.path, "realpath", then_swap)
        with pytest.raises(CannotRead):
            atomic.replace(str(file), version, NEW, root=str(tmp_path))
        assert (tmp_path / "trap" / "chat.jsonl").read_bytes() == OLD
        assert (tmp_path / "moved" / "chat.jsonl").read_bytes() == OLD

    def test_hard_links(self, file: Path) -> None:
        os.link(file, file.parent / "other")
        with pytest.raises(RefusedForSafety, match="2 hard links"):
            replace(file)
        assert file.read_bytes() == OLD

    @pytest.mark.parametrize(
        ("make", "words"),
        [
            (os.mkfifo, "a FIFO"),
            (os.mkdir, "a folder"),
            (lambda p: os.symlink("nowhere", p), "does not exist"),
            (lambda p: os.symlink(p, p), "symlink"),
            (lambda p: None, "does not exist"),
        ],
    )
    def test_not_a_file(self, file: Path, make: Callable[[str], None], words: str) -> None:
        version = read_version(str(file))
        file.unlink()
        make(str(file))
        with pytest.raises((RefusedForSafety, CannotRead), match=words):
            replace(file, expected=version)
        with pytest.raises((RefusedForSafety, CannotRead), match=words):
            atomic.remove(str(file), version, root=str(file.parent))

    def test_another_users_file(self, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
        with pytest.raises(RefusedForSafety, match="another user"):
            replace(file)

    def test_a_nul_in_the_path(self, tmp_path: Path) -> None:
        with pytest.raises(CannotRead, match="not a path"):
            atomic.create("a\0b", b"", root=str(tmp_path))

    def test_no_such_folder(self, tmp_path: Path) -> None:
        with pytest.raises(CannotRead, match="does not exist"):
            atomic.create(str(tmp_path / "no" / "file"), b"", root=str(tmp_path))


class TestRace:
    """Somebody saves at the worst moment; `way` both ways."""

    def test_between_reading_and_exchange(self, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        count = before_call(monkeypatch, "exchange", {1: lambda: save(file, THEIRS)})
        with pytest.raises(RefusedForSafety, match="changed after it was read"):
            replace(file)
        assert count == [2]
        assert file.read_bytes() == THEIRS
        assert names(file) == ["chat.jsonl"]

    def test_and_again_before_it_is_put_back(self, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        saves = [partial(save, file, b"save %d\n" % number) for number in range(1, 5)]
        count = before_call(monkeypatch, "exchange", dict(enumerate(saves, 1)))
        with pytest.raises(RefusedForSafety):
            replace(file)
        assert count == [5]
        assert file.read_bytes() == b"save 4\n"
        assert names(file) == ["chat.jsonl"]

    def test_saves_without_end(self, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(putting_back, "TRIES", 4)
        saves = [partial(save, file, b"save %d\n" % number) for number in range(1, 10)]
        before_call(monkeypatch, "exchange", dict(enumerate(saves, 1)))
        with pytest.raises(CannotWrite, match="faster than it can be put back"):
            replace(file)
        assert file.read_bytes() in (b"save 4\n", b"save 5\n")

    @pytest.mark.parametrize("leases_there", [True, False])
    def test_an_appender_on_both(self, file: Path, monkeypatch: pytest.MonkeyPatch, leases_there: bool) -> None:
        """One line went to the old file before the exchange, one to ours after it: both are there in the end."""
        if not leases_there:
            monkeypatch.setattr(leases, "take", lambda fd: False)

        def append(line: bytes) -> None:
            with file.open("ab") as stream:
                stream.write(line)

        others = Others(wait=not leases_there)
        acts = {1: lambda: append(b"first\n"), 2: partial(others.start, partial(append, b"second\n"))}
        before_call(monkeypatch, "exchange", acts)
        with pytest.raises(RefusedForSafety):
            replace(file)
        others.join()
        assert file.read_bytes() == OLD + b"first\nsecond\n"
        assert names(file) == ["chat.jsonl"]

    def test_a_reader_never_builds_on_ours(self, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Somebody reads between the exchange and its undoing: they get what was saved before, not what takes it out."""
        seen = file.parent.parent / "seen"
        others = Others()
        read = partial(others.start, lambda: seen.write_bytes(file.read_bytes()))
        before_call(monkeypatch, "exchange", {1: lambda: save(file, THEIRS), 2: read})
        with pytest.raises(RefusedForSafety):
            replace(file)
        others.join()
        assert seen.read_bytes() == THEIRS
        assert file.read_bytes() == THEIRS

    def test_somebody_who_does_not_let_go(self, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """A reader of ours is waited for, but not for ever."""
        monkeypatch.setattr(leases, "PATIENCE", 0.05)
        others = Others()

        def read_slowly() -> None:
            with file.open("rb"):
                os.read(others.until[0], 1)

        before_call(monkeypatch, "exchange", {1: lambda: save(file, THEIRS), 2: partial(others.start, read_slowly)})
        with pytest.raises(RefusedForSafety):
            replace(file)
        os.write(others.until[1], b"x")
        others.join()
        assert file.read_bytes() == THEIRS
        assert names(file) == ["chat.jsonl"]

    def test_a_writer_that_had_it_open(self, file: Path, way: str, monkeypatch: pytest.MonkeyPatch) -> None:
        with file.open("ab", buffering=0) as stream:
            # the second fsync is that of the folder, after the swap
            before_call(monkeypatch, "fsync", {2: lambda: stream.write(b"late\n")})
            with pytest.raises(RefusedForSafety, match="being written to"):
                replace(file)
        assert file.read_bytes() == OLD + b"late\n"
        assert names(file) == ["chat.jsonl"]

    def test_a_writer_that_has_it_open_and_waits(self, file: Path, way: str) -> None:
        """What it writes later would go to a file that nobody sees any more."""
        with file.open("ab"), pytest.raises(RefusedForSafety, match="being written to"):
            replace(file)
        with file.open("rb"):  # a reader does no harm
            replace(file)
        assert file.read_bytes() == NEW
        assert names(file) == ["chat.jsonl"]

    def test_a_writer_is_not_known_of_without_leases(self, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """NFS refuses leases for want of a delegation: that must not look like a writer."""
        monkeypatch.setattr(leases, "take", lambda fd: False)
        with file.open("ab"):
            replace(file)
        assert file.read_bytes() == NEW

    def test_removed_meanwhile(self, file: Path, way: str, monkeypatch: pytest.MonkeyPatch) -> None:
        before_call(monkeypatch, "exchange" if way == "exchange" else "link", {1: file.unlink})
        with pytest.raises(RefusedForSafety, match="removed after it was read"):
            replace(file)
        assert names(file) == []

    def test_something_else_there_meanwhile(self, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def swap() -> None:
            file.unlink()
            file.mkdir()

        before_call(monkeypatch, "exchange", {1: swap})
        with pytest.raises(RefusedForSafety):
            replace(file)
        assert file.is_dir()
        assert names(file) == ["chat.jsonl"]

    def test_link_way_saved_before_the_rename(self, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        no_exchange(monkeypatch)
        before_call(monkeypatch, "link", {1: lambda: save(file, THEIRS)})
        with pytest.raises(RefusedForSafety):
            replace(file)
        assert file.read_bytes() == THEIRS
        assert names(file) == ["chat.jsonl"]

    def test_link_way_saved_after_the_link(self, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        no_exchange(monkeypatch)
        real = system.link

        def then_save(*arguments: object) -> None:
            real(*arguments)
            save(file, THEIRS)

        monkeypatch.setattr(system, "link", then_save)
        with pytest.raises(RefusedForSafety):
            replace(file)
        assert file.read_bytes() == THEIRS
        assert names(file) == ["chat.jsonl"]

    def test_link_way_saved_over_ours(self, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """An open writer makes us take ours back, but somebody has saved over it: that is the newest."""
        no_exchange(monkeypatch)
        with file.open("ab", buffering=0) as stream:

            def both() -> None:
                stream.write(b"late\n")
                save(file, NEWER)

            before_call(monkeypatch, "fsync", {2: both})
            with pytest.raises(RefusedForSafety):
                replace(file)
        assert file.read_bytes() == NEWER
        assert names(file) == ["chat.jsonl"]


class TestCreateAndRemove:
    def test_create(self, file: Path, way: str) -> None:
        path = file.parent / "new"
        version = atomic.create(str(path), [b"a", b"b"], root=str(file.parent), mtime=7_000, mode=0o644)
        assert version == read_version(str(path))
        assert (path.read_bytes(), stat.S_IMODE(path.stat().st_mode), path.stat().st_mtime_ns) == (b"ab", 0o644, 7_000)
        assert names(file) == ["chat.jsonl", "new"]

    def test_create_is_private_whatever_the_umask(self, file: Path) -> None:
        before = os.umask(0o277)
        try:
            atomic.create(str(file.parent / "new"), b"", root=str(file.parent))
        finally:
            os.umask(before)
        assert stat.S_IMODE((file.parent / "new").stat().st_mode) == 0o600

    def test_create_never_overwrites(self, file: Path, way: str, monkeypatch: pytest.MonkeyPatch) -> None:
        with pytest.raises(RefusedForSafety, match="exists already"):
            atomic.create(str(file), NEW, root=str(file.parent))
        path = file.parent / "new"
        before_call(monkeypatch, "link", {1: lambda: path.write_bytes(THEIRS)})
        with pytest.raises(RefusedForSafety, match="exists already"):
            atomic.create(str(path), NEW, root=str(file.parent))
        assert path.read_bytes() == THEIRS
        assert names(file) == ["chat.jsonl", "new"]

    def test_create_over_a_dangling_symlink(self, file: Path) -> None:
        path = file.parent / "new"
        path.symlink_to("nowhere")
        atomic.create(str(path), NEW, root=str(file.parent))  # the link is followed, to a file inside
        assert (file.parent / "nowhere").read_bytes() == NEW

    def test_remove(self, file: Path) -> None:
        atomic.remove(str(file), read_version(str(file)), root=str(file.parent))
        assert names(file) == []

    def test_remove_what_changed(self, file: Path, way: str, monkeypatch: pytest.MonkeyPatch) -> None:
        version = read_version(str(file))
        before_call(monkeypatch, "rename", {1: lambda: save(file, THEIRS)})
        with pytest.raises(RefusedForSafety, match="changed after it was read"):
            atomic.remove(str(file), version, root=str(file.parent))
        assert file.read_bytes() == THEIRS
        assert names(file) == ["chat.jsonl"]

    def test_remove_what_is_gone(self, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        version = read_version(str(file))
        before_call(monkeypatch, "rename", {1: file.unlink})
        with pytest.raises(RefusedForSafety, match="was removed"):
            atomic.remove(str(file), version, root=str(file.parent))

    def test_remove_what_is_written_anew_twice(self, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """The first save was moved away by us when the second made a new file: neither is lost, and both are named."""
        version = read_version(str(file))
        before_call(monkeypatch, "rename", {1: lambda: save(file, THEIRS)})
        before_call(monkeypatch, "link", {1: lambda: save(file, NEWER)})
        with pytest.raises(CannotWrite, match=r"stood there before is .*\.old\.part"):
            atomic.remove(str(file), version, root=str(file.parent))
        assert file.read_bytes() == NEWER
        [kept] = [name for name in names(file) if name != "chat.jsonl"]
        assert (file.parent / kept).read_bytes() == THEIRS


class TestSystems:
    """What other file systems and users' rights do."""

    @pytest.mark.parametrize("number", sorted(system.NO_EXCHANGE))
    def test_no_exchange(self, file: Path, monkeypatch: pytest.MonkeyPatch, number: int) -> None:
        no_exchange(monkeypatch, number)
        replace(file)
        assert file.read_bytes() == NEW
        assert names(file) == ["chat.jsonl"]

    @pytest.mark.parametrize("number", sorted(system.NO_LINK))
    def test_no_links_either(self, file: Path, monkeypatch: pytest.MonkeyPatch, number: int) -> None:
        no_exchange(monkeypatch)

        def refuse(*_: object) -> None:
            raise OSError(number, os.strerror(number))

        monkeypatch.setattr(system, "link", refuse)
        with pytest.raises(CannotWrite, match="neither hard links nor"):
            replace(file)
        with pytest.raises(CannotWrite, match="neither hard links nor"):
            atomic.create(str(file.parent / "new"), b"", root=str(file.parent))
        assert file.read_bytes() == OLD
        assert names(file) == ["chat.jsonl"]

    def test_no_links_but_exclusive_rename(self, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def refuse(*_: object) -> None:
            raise PermissionError(errno.EPERM, "")

        monkeypatch.setattr(system, "link", refuse)
        atomic.create(str(file.parent / "new"), NEW, root=str(file.parent))
        with pytest.raises(RefusedForSafety, match="exists already"):
            atomic.create(str(file.parent / "new"), NEW, root=str(file.parent))
        assert names(file) == ["chat.jsonl", "new"]

    def test_owner_that_cannot_be_kept(self, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Set-id bits must not speak for another group; the rest of the mode stays."""
        file.chmod(0o6755)
        real = os.fstat
        asked = []

        def other_group(fd: int) -> os.stat_result:
            status = real(fd)
            if status.st_mode & 0o6000:
                times = {name: getattr(status, name) for name in ("st_atime_ns", "st_mtime_ns", "st_ctime_ns")}
                status = os.stat_result([*status[:5], status.st_gid + 1, *status[6:]], times)
            return status

        def refuse(fd: int, user: int, group: int) -> None:
            asked.append((user, group))
            raise PermissionError(errno.EPERM, "")

        monkeypatch.setattr(parts.os, "fstat", other_group)
        monkeypatch.setattr(system, "fchown", refuse)
        replace(file)
        assert asked == [(os.geteuid(), file.stat().st_gid + 1)]
        assert stat.S_IMODE(file.stat().st_mode) == 0o755

    @pytest.mark.parametrize(("name", "kept"), [("security.x", True), ("user.x", False)])
    def test_attributes_that_cannot_be_kept(
        self, file: Path, monkeypatch: pytest.MonkeyPatch, name: str, kept: bool
    ) -> None:
        def refuse(*_: object) -> None:
            raise PermissionError(errno.EPERM, "")

        monkeypatch.setattr(parts.os, "listxattr", lambda fd: [name])
        monkeypatch.setattr(parts.os, "getxattr", lambda fd, name: b"")
        monkeypatch.setattr(system, "setxattr", refuse)
        if kept:
            replace(file)
        else:
            with pytest.raises(CannotWrite, match="permission denied"):
                replace(file)
        assert file.read_bytes() == (NEW if kept else OLD)
        assert names(file) == ["chat.jsonl"]

    def test_a_folder_that_cannot_be_synced(self, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def fail() -> None:
            raise OSError(errno.EIO, "")

        before_call(monkeypatch, "fsync", {2: fail})
        with pytest.raises(CannotWrite, match="the new content is in place") as caught:
            replace(file)
        assert caught.value.facts["in_place"] is True
        assert file.read_bytes() == NEW
        assert names(file) == ["chat.jsonl"]

    def test_what_came_out_cannot_be_put_back(self, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def fail() -> None:
            raise OSError(errno.EIO, "")

        before_call(monkeypatch, "exchange", {1: lambda: save(file, THEIRS), 2: fail})
        with pytest.raises(CannotWrite, match="the new content is in place"):
            replace(file)
        [part] = [name for name in names(file) if name != "chat.jsonl"]
        assert (file.parent / part).read_bytes() == THEIRS  # what somebody wrote is not thrown away


@pytest.mark.parametrize("way_without", [False, True], ids=["exchange", "link"])
@pytest.mark.parametrize("how", faults.HOW)
@pytest.mark.parametrize("what", ["replace", "create", "remove"])
def test_every_call(file: Path, what: str, how: str | int, way_without: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Failed or killed at each call: old or new, and a failure leaves nothing behind."""
    if way_without:
        no_exchange(monkeypatch)
    root = str(file.parent)
    new = str(file.parent / "new")
    old = read_version(str(file))
    scenario, before, after = {
        "replace": (lambda: atomic.replace(str(file), old, NEW, root=root), {"chat.jsonl": OLD}, {"chat.jsonl": NEW}),
        "create": (
            lambda: atomic.create(new, NEW, root=root),
            {"chat.jsonl": OLD},
            {"chat.jsonl": OLD, "new": NEW},
        ),
        "remove": (lambda: atomic.remove(str(file), old, root=root), {"chat.jsonl": OLD}, {}),
    }[what]

    def prepare() -> None:
        for name in names(file):
            (file.parent / name).unlink()
        file.write_bytes(OLD)

    for where, ended in faults.every(scenario, prepare, how):
        found = {name: (file.parent / name).read_bytes() for name in names(file)}
        seen = {name: data for name, data in found.items() if not name.startswith(".")}
        assert seen in (before, after), where
        assert seen == after or ended.code, where
        if ended.code == 3 and how != faults.DEAD:
            assert ended.in_place == (seen == after), f"{where}: {ended.said}"
            assert ended.in_place or found == before, f"{where}: {sorted(found)}"
