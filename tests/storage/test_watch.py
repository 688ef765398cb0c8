"""Noticing changes: what inotify reports, what is polled, and what ends the waiting. No test depends on how fast."""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memcli.storage import watch as module
from memcli.storage.watch import Changes, Watch, is_remote

LONG = 30.0  # seconds, never reached: something is reported before


@pytest.fixture
def watch() -> Iterator[Watch]:
    with Watch() as watch:
        yield watch


def collect(watch: Watch) -> Changes:
    """Everything that is reported up to now."""
    all_of_it = watch.wait(LONG)
    while (more := watch.wait(0)) != Changes({}, set(), False):
        all_of_it.touched.update(more.touched)
        all_of_it.deleted.update(more.deleted)
        all_of_it = all_of_it._replace(everything=all_of_it.everything or more.everything)
    return all_of_it


def _append(path: Path) -> None:
    with path.open("ab") as file:
        file.write(b"x\n")


def _rewrite(path: Path) -> None:
    path.write_bytes(b"y\n")


def _replace(path: Path) -> None:
    path.with_suffix(".tmp").write_bytes(b"z\n")
    path.with_suffix(".tmp").replace(path)


def _make_anew(path: Path) -> None:
    path.unlink()
    path.write_bytes(b"w\n")


@pytest.mark.parametrize(
    ("change", "deleted"),
    [
        (_append, False),
        (_rewrite, False),
        (lambda path: os.truncate(path, 0), False),
        (_replace, False),  # a replacement is no deletion
        (Path.unlink, True),
        (_make_anew, True),
        (lambda path: path.rename(path.with_name("away")), False),
        (lambda path: path.chmod(0o600), False),
    ],
)
def test_a_folder_tells_of_its_files(
    change: Callable[[Path], object], deleted: bool, watch: Watch, tmp_path: Path
) -> None:
    path = tmp_path / "会话.jsonl"
    path.write_bytes(b"a\n")
    watch.folder(str(tmp_path))
    change(path)
    changes = collect(watch)
    assert str(path) in changes.touched
    assert changes.deleted == ({str(path)} if deleted else set())
    assert not changes.everything


def test_a_new_file_and_a_name_that_is_not_utf8(watch: Watch, tmp_path: Path) -> None:
    watch.folder(str(tmp_path))
    name = os.path.join(os.fsencode(tmp_path), b"\xff.jsonl")
    with open(name, "wb") as file:
        file.write(b"x")
    assert os.fsdecode(name) in collect(watch).touched


def test_nothing_happens(watch: Watch, tmp_path: Path) -> None:
    watch.folder(str(tmp_path))
    assert watch.wait(0) == Changes({}, set(), False)
    assert (watch.blind, watch.interval) == (False, module.SWEEP)
    assert watch._inotify
    assert list(watch._inotify.read()) == []


def test_a_file_that_is_written_by_another_name(watch: Watch, tmp_path: Path) -> None:
    (tmp_path / "here").mkdir()
    (tmp_path / "there").mkdir()
    link, hard = tmp_path / "here" / "link", tmp_path / "here" / "hard"
    target = tmp_path / "there" / "target"
    target.touch()
    link.symlink_to(target)
    os.link(target, hard)
    watch.folder(str(tmp_path / "here"))
    watch.file(str(link))
    watch.file(str(hard))
    watch.file(str(link))  # twice is once
    _append(target)
    assert set(collect(watch).touched) == {str(link), str(hard)}
    _replace(target)
    watch.file(str(link))  # now the new one
    collect(watch)
    _append(target)
    assert set(collect(watch).touched) == {str(link)}
    watch.file(str(tmp_path / "missing"))
    assert not watch.blind


def test_two_links_to_one_folder(watch: Watch, tmp_path: Path) -> None:
    real = tmp_path / "real"
    real.mkdir()
    (tmp_path / "link").symlink_to(real)
    watch.folder(str(real))
    watch.folder(str(tmp_path / "link"))
    (real / "f").touch()
    assert set(collect(watch).touched) == {str(real / "f"), str(tmp_path / "link" / "f")}


def test_a_folder_that_comes_to_be(watch: Watch, tmp_path: Path) -> None:
    folder = tmp_path / "sessions"
    watch.folder(str(folder))
    assert (watch.blind, watch.interval) == (True, module.POLL)
    watch.refresh()
    assert watch.blind
    folder.mkdir()
    watch.refresh()
    assert not watch.blind
    (folder / "f").touch()
    assert set(collect(watch).touched) == {str(folder / "f")}


@pytest.mark.parametrize("lose", [os.rmdir, lambda path: os.rename(path, f"{path}.away")])
def test_a_folder_that_goes_and_comes_back(lose: Callable[[Path], object], watch: Watch, tmp_path: Path) -> None:
    folder = tmp_path / "sessions"
    folder.mkdir()
    watch.folder(str(folder))
    lose(folder)
    assert collect(watch).everything
    assert watch.blind
    folder.mkdir()
    watch.refresh()
    (folder / "f").touch()
    assert str(folder / "f") in collect(watch).touched
    assert not watch.blind


def test_a_folder_whose_parent_is_moved_away(watch: Watch, tmp_path: Path) -> None:
    folder = tmp_path / "agent" / "sessions"
    folder.mkdir(parents=True)
    watch.folder(str(folder))
    (tmp_path / "agent").rename(tmp_path / "old")
    folder.mkdir(parents=True)
    watch.refresh()
    (tmp_path / "old" / "sessions" / "f").touch()
    (folder / "g").touch()
    assert set(collect(watch).touched) == {str(folder / "g")}


def test_lost_events_mean_everything(watch: Watch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    watch.folder(str(tmp_path))
    assert watch._inotify
    monkeypatch.setattr(type(watch._inotify), "read", lambda _: iter([(-1, 0x4000, "")]))
    (tmp_path / "f").touch()
    assert watch.wait(LONG).everything


def test_stop_from_another_thread(watch: Watch) -> None:
    thread = threading.Thread(target=watch.stop)
    thread.start()
    assert watch.wait(LONG) == Changes({}, set(), False)
    thread.join()
    assert watch.ended
    watch.close()
    watch.stop()  # nobody waits any more


@pytest.mark.parametrize("inotify", [True, False])
def test_a_closed_pipe_ends_it(inotify: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not inotify:
        monkeypatch.setattr(module, "_open_inotify", lambda: None)
    reader, writer = os.pipe()
    try:
        with Watch(until_closed=writer) as watch:
            watch.wait(0)
            assert not watch.ended
            os.close(reader)
            watch.wait(LONG)
            assert watch.ended
    finally:
        os.close(writer)


def test_a_file_as_output_is_never_closed(tmp_path: Path) -> None:
    with (tmp_path / "out").open("wb") as file, Watch(until_closed=file.fileno()) as watch:
        watch.wait(0.01)
        assert not watch.ended


class _NoInotify:
    def __init__(self, *_: object, **__: object) -> None:
        pass


class _NoneLeft:
    def __init__(self, *_: object, **__: object) -> None:
        self.inotify_init1 = self.inotify_add_watch = self.inotify_rm_watch = lambda *_: -1


@pytest.mark.parametrize("library", [_NoInotify, _NoneLeft])
def test_without_inotify_it_is_polled(library: type, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ctypes, "CDLL", library)
    with Watch() as watch:
        watch.folder(str(tmp_path))
        watch.file(str(tmp_path / "f"))
        watch.refresh()
        (tmp_path / "f").touch()
        assert watch.wait(0) == Changes({}, set(), False)
        assert (watch.blind, watch.interval) == (True, module.POLL)


def test_descriptors_are_given_back(tmp_path: Path) -> None:
    before = len(os.listdir("/proc/self/fd"))
    with Watch() as watch:
        watch.folder(str(tmp_path))
    assert len(os.listdir("/proc/self/fd")) == before


MOUNTS = """\
22 1 254:1 / / rw,relatime - ext4 /dev/vda1 rw
40 22 0:52 / /mnt/nfs rw,relatime shared:7 - nfs4 server:/export rw,vers=4.2
41 22 0:53 / /mnt/ssh rw,nosuid - fuse.sshfs user@host:/ rw
42 22 0:54 / /mnt/with\\040space rw master:1 - 9p share rw
broken
"""


@pytest.mark.parametrize(
    ("device", "remote"),
    [((254, 1), False), ((0, 52), True), ((0, 53), True), ((0, 54), True), ((9, 9), False)],
)
def test_network_file_systems(device: tuple[int, int], remote: bool) -> None:
    assert is_remote(os.makedev(*device), MOUNTS) is remote


def test_a_folder_on_a_network_is_polled_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    device = tmp_path.stat().st_dev
    line = f"40 22 {os.major(device)}:{os.minor(device)} / /mnt rw - nfs4 server:/ rw\n"
    monkeypatch.setattr(module, "_mounts", lambda: line)
    with Watch() as watch:
        watch.folder(str(tmp_path))
        assert watch.blind
        (tmp_path / "f").touch()
        assert set(collect(watch).touched) == {str(tmp_path / "f")}  # what this machine does is reported all the same


def test_a_system_without_mountinfo(monkeypatch: pytest.MonkeyPatch) -> None:
    assert module._mounts()

    def missing(*_: object, **__: object) -> None:
        raise FileNotFoundError

    monkeypatch.setattr("builtins.open", missing)
    assert module._mounts() == ""
