"""The state folder."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

import pytest
from support import faults

from memcli.errors import CannotWrite, RefusedForSafety
from memcli.storage import locks, state, system
from memcli.storage.state import Store, Usage


@pytest.fixture
def base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    faults.quick_disk(monkeypatch)
    monkeypatch.setenv("MEMCLI_STATE_DIR", str(tmp_path / "a" / "state"))
    return tmp_path / "a" / "state"


@pytest.fixture
def store(base: Path, tmp_path: Path) -> Store:
    return state.store(str(tmp_path / "workspace"))


def test_naming_a_store_creates_nothing(base: Path, store: Store) -> None:
    assert store.folder.startswith(str(base))
    assert state.usage(store) == {}
    assert state.stores() == []
    state.remove(store)
    assert not base.exists()


def test_one_workspace_by_any_path(tmp_path: Path, base: Path) -> None:
    (tmp_path / "workspace").mkdir()
    (tmp_path / "link").symlink_to("workspace")
    every = [state.store(str(tmp_path / name)) for name in ("workspace", "link", "workspace/../link/.")]
    assert len(set(every)) == 1
    assert state.store(str(tmp_path)).id != every[0].id


@pytest.mark.parametrize("own_id", ["2fe6625b62483f8ab07192e0c885299b", "a-B_9"])
def test_the_agents_own_id(base: Path, own_id: str) -> None:
    assert state.store("/one", own_id).id == own_id
    assert state.store("/two", own_id).id == own_id


@pytest.mark.parametrize("own_id", ["../../etc", "a/b", "x" * 65, "工作区", ".."])
def test_an_id_that_is_no_name(base: Path, own_id: str) -> None:
    made = state.store("/one", own_id).id
    assert len(made) == 16
    assert made == state.store("/two", own_id).id


@pytest.mark.parametrize("umask", [0, 0o022, 0o777])
def test_private_whatever_the_umask(base: Path, store: Store, umask: int) -> None:
    before = os.umask(umask)
    try:
        os.close(state.new_file(os.path.join(state.place(store, "undo"), "file")))
        with locks.own(store):
            pass
    finally:
        os.umask(before)
    for folder, folders, files in os.walk(base):
        for name in folders:
            assert stat.S_IMODE(os.stat(os.path.join(folder, name)).st_mode) == 0o700
        for name in files:
            assert stat.S_IMODE(os.stat(os.path.join(folder, name)).st_mode) == 0o600
    assert stat.S_IMODE(base.stat().st_mode) == 0o700


def test_usage_and_listing(base: Path, store: Store, tmp_path: Path) -> None:
    undo = state.place(store, "undo")
    state.make_folder(os.path.join(undo, "one"))
    state.write_file(os.path.join(undo, "one", "0.old"), b"x" * 100)
    state.write_file(os.path.join(undo, "two"), b"x" * 11)
    state.place(store, "archive")
    assert state.usage(store) == {"undo": Usage(2, 111)}
    assert state.stores() == [store]
    (base / "workspaces" / "unknown").mkdir()
    (base / "workspaces" / "file").touch()
    assert [one.root for one in state.stores()] == [str(tmp_path / "workspace"), ""]


@pytest.mark.parametrize("about", ["", "{", "[]", "{}", '{"root":3}'])
def test_a_store_that_does_not_say_what_it_is_for(base: Path, store: Store, about: str) -> None:
    state.place(store, "undo")
    Path(store.folder, "workspace.json").write_text(about)
    assert [one.root for one in state.stores()] == [""]


def test_removing(base: Path, store: Store, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "kept").touch()
    os.symlink(outside, os.path.join(state.place(store, "undo"), "link"))
    with locks.own(store), pytest.raises(RefusedForSafety):
        state.remove(store)
    state.remove(store)
    assert state.stores() == []
    assert (outside / "kept").exists()


def test_writing_is_whole_or_not(base: Path, store: Store) -> None:
    path = os.path.join(state.place(store, "seals"), "file")
    state.write_file(path, b"old")
    for how in faults.HOW:
        for where, _ in faults.every(
            lambda: state.write_file(path, b"new"), lambda: state.write_file(path, b"old"), how
        ):
            assert Path(path).read_bytes() in (b"old", b"new"), where


def test_another_users_state_folder(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    base.mkdir(parents=True)
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    if os.getuid() == 0:
        os.chown(base, 12345, -1)
    with pytest.raises(RefusedForSafety, match="another user"):
        state.store("/one")


def test_a_file_in_the_way(base: Path, store: Store) -> None:
    base.parent.mkdir()
    base.write_text("")
    with pytest.raises(CannotWrite, match="MEMCLI_STATE_DIR"):
        state.place(store, "undo")


def test_no_space(base: Path, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.ENOSPC, "")

    monkeypatch.setattr(system, "mkdir", refuse)
    with pytest.raises(CannotWrite, match=r"there is no space left\. No file of the agent was changed") as caught:
        state.place(store, "undo")
    assert caught.value.exit_code == 3


def test_a_folder_that_somebody_else_makes_at_the_same_time(
    base: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = system.mkdir

    def made_before(name: str, mode: int) -> None:
        os.mkdir(name)
        real(name, mode)

    monkeypatch.setattr(system, "mkdir", made_before)
    assert os.path.isdir(state.place(store, "undo"))


def test_what_is_gone_already_is_removed(tmp_path: Path) -> None:
    state.remove_tree(str(tmp_path / "nothing"))
