"""Where exports may be written, and how: whole or not at all, for their owner only, never over what is there."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from support import damaging
from support.chats import CATBUDDY

from memcli.core import discovering, export_places, selecting
from memcli.errors import CannotRead, CannotWrite, RefusedForSafety, UsageError
from memcli.model import SessionRef
from memcli.storage import system


@pytest.fixture
def refs(tmp_path: Path) -> list[SessionRef]:
    sessions = tmp_path / "home" / "sessions"
    sessions.mkdir(parents=True)
    (tmp_path / "home" / "memory").mkdir()
    (sessions / "desktop_main.jsonl").write_bytes(damaging.joined(*CATBUDDY.lines))
    return selecting.refs(discovering.find([str(tmp_path / "home")]))


def refused(path: Path | str, refs: list[SessionRef], phrase: str, *, force: bool = False) -> None:
    with pytest.raises(UsageError, match=phrase):
        export_places.check([str(path)], refs, force=force)


@pytest.mark.parametrize("inside", ["sessions/x.html", "sessions/deep/x.html", "memory/x.md", "x.md", "sessions"])
def test_an_agents_folder_is_refused(refs: list[SessionRef], tmp_path: Path, inside: str) -> None:
    refused(tmp_path / "home" / inside, refs, "a folder of the agent", force=True)


def test_a_link_into_an_agents_folder_is_refused(refs: list[SessionRef], tmp_path: Path) -> None:
    (tmp_path / "out").symlink_to(tmp_path / "home" / "sessions")
    refused(tmp_path / "out" / "x.md", refs, "a folder of the agent")


def test_the_usual_homes_are_refused_whatever_is_exported(refs: list[SessionRef], no_home: Path) -> None:
    refused(no_home / ".catbuddy" / "out" / "x.md", refs, "a folder of the agent")
    refused(no_home / ".nanobot" / "x.md", [], "a folder of the agent")
    export_places.check([str(no_home / "out" / "x.md")], refs, force=False)


def test_a_file_by_itself_makes_no_agents_folder(tmp_path: Path) -> None:
    path = tmp_path / "desktop_main.jsonl"
    path.write_bytes(damaging.joined(*CATBUDDY.lines))
    ref = selecting.of_file(str(path), None)
    export_places.check([str(tmp_path / "x.html")], [ref], force=False)
    refused(path, [ref], "in the place of the session itself", force=True)


def test_what_is_there_stays(refs: list[SessionRef], tmp_path: Path) -> None:
    there = tmp_path / "x.md"
    there.touch()
    refused(there, refs, "exists already; --force replaces it")
    export_places.check([str(there)], refs, force=True)
    refused(tmp_path, refs, "is a folder", force=True)


def test_folders_are_private(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    export_places.make_folder(str(folder))
    assert folder.stat().st_mode & 0o777 == 0o700
    folder.chmod(0o755)
    export_places.make_folder(str(folder))
    assert folder.stat().st_mode & 0o777 == 0o755


def test_folders_that_cannot_be_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    for path, phrase in (("file", "file is no folder"), ("a/b", "a is no folder")):
        with pytest.raises(UsageError, match=phrase):
            export_places.make_folder(str(tmp_path / path))

    def full(*_: object) -> None:
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr(system, "mkdir", full)
    with pytest.raises(CannotWrite, match="no space left"):
        export_places.make_folder(str(tmp_path / "out"))


def test_files_are_private_and_whole(tmp_path: Path) -> None:
    path = tmp_path / "x.md"
    export_places.save(str(path), [b"one ", b"two"], force=False)
    assert path.read_bytes() == b"one two"
    assert path.stat().st_mode & 0o777 == 0o600
    with pytest.raises(RefusedForSafety, match="exists already"):
        export_places.save(str(path), [b"three"], force=False)
    path.chmod(0o644)
    export_places.save(str(path), [b"three"], force=True)
    assert (path.read_bytes(), path.stat().st_mode & 0o777) == (b"three", 0o600)
    assert os.listdir(tmp_path) == ["x.md"]


def test_a_link_is_replaced_and_what_it_leads_to_is_not(tmp_path: Path) -> None:
    (tmp_path / "other").write_text("mine")
    (tmp_path / "x.md").symlink_to("other")
    export_places.save(str(tmp_path / "x.md"), [b"new"], force=True)
    assert (tmp_path / "other").read_text() == "mine"
    assert not (tmp_path / "x.md").is_symlink()


def broken() -> Iterator[bytes]:
    yield b"half"
    raise CannotRead("The disk failed.")


@pytest.mark.parametrize("force", [False, True])
def test_what_breaks_off_leaves_nothing(tmp_path: Path, force: bool) -> None:
    path = tmp_path / "x.md"
    if force:
        path.write_text("old")
    with pytest.raises(CannotRead):
        export_places.save(str(path), broken(), force=force)
    assert [one.read_text() for one in tmp_path.iterdir()] == ["old"] * force


def test_a_rename_that_fails_leaves_the_old(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.md"
    path.write_text("old")
    rename = system.rename

    def fail(old: str, new: str, *more: int | None) -> None:
        if new == str(path):
            raise OSError(13, os.strerror(13))
        rename(old, new, *more)

    monkeypatch.setattr(system, "rename", fail)
    with pytest.raises(CannotWrite, match="permission denied"):
        export_places.save(str(path), [b"new"], force=True)
    assert [one.read_text() for one in tmp_path.iterdir()] == ["old"]


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is no folder"):
        export_places.save(str(tmp_path / "a" / "x.md"), [b""], force=False)
