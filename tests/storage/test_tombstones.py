"""Tombstones: kept, read again whatever stands in the file, and void once the removal is undone."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from support import faults

from memcli.errors import CannotWrite
from memcli.storage import state, tombstones, undo
from memcli.storage.state import Store
from memcli.storage.tombstones import Tombstone
from memcli.storage.versions import read_version

STONE = Tombstone(
    "desktop:你好", "catbuddy", "/w", "2026-05-20T08:30:00.000Z", "ab" * 32, 7, "/w/s/\udcff.jsonl", "op-1"
)


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    monkeypatch.setenv("MEMCLI_STATE_DIR", str(tmp_path / "state"))
    faults.quick_disk(monkeypatch)
    (tmp_path / "home").mkdir()
    return state.store(str(tmp_path / "home"))


def test_there_are_none_and_nothing_is_made(store: Store) -> None:
    assert tombstones.read(store) == []
    assert tombstones.standing(store) == []
    assert not os.path.exists(store.folder)


def test_what_is_added_is_read_in_order(store: Store) -> None:
    tombstones.add(store, [STONE])
    tombstones.add(store, [STONE._replace(key="b"), STONE._replace(key="c")])
    assert tombstones.read(store) == [STONE, STONE._replace(key="b"), STONE._replace(key="c")]
    assert tombstones.standing(store) == tombstones.read(store)
    assert state.usage(store)["tombstones"].files == 1


@pytest.mark.parametrize(
    "line",
    [b"", b"{", b"[1]", b"null", b'{"key":"x"}', b"\xff", b'{"key":1,"agent":"a"}', b"[" * 5000],
    ids=["empty", "cut", "list", "null", "incomplete", "bytes", "wrong", "deep"],
)
def test_lines_that_are_none_are_passed_over(store: Store, line: bytes) -> None:
    tombstones.add(store, [STONE])
    path = Path(store.folder) / "tombstones" / tombstones.FILE
    path.write_bytes(path.read_bytes() + line)
    tombstones.add(store, [STONE._replace(key="b")])
    assert [stone.key for stone in tombstones.read(store)] == [STONE.key, "b"]


@pytest.mark.parametrize(("name", "value"), [("rows", '"7"'), ("key", "7"), ("operation", "null")])
def test_a_member_of_another_kind_makes_a_line_none(store: Store, name: str, value: str) -> None:
    import json

    path = Path(state.place(store, "tombstones")) / tombstones.FILE
    path.write_text(json.dumps({**STONE._asdict(), name: json.loads(value)}) + "\n")
    assert tombstones.read(store) == []


def test_an_undone_removal_has_no_tombstone_and_a_redone_one_has(store: Store) -> None:
    path = Path(store.root) / "chat.jsonl"
    path.write_text("x\n")
    with undo.begin(store, "rm") as operation:
        operation.remove(str(path), read_version(str(path)), root=store.root)
        record = operation.commit()
        tombstones.add(store, [STONE._replace(operation=record.id)])
    assert len(tombstones.standing(store)) == 1
    back = undo.undo(store, record.id)
    assert tombstones.standing(store) == []
    assert len(tombstones.read(store)) == 1
    undo.undo(store, back.id)
    assert not path.exists()
    assert len(tombstones.standing(store)) == 1


def test_a_folder_that_cannot_be_written_is_told_of(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*arguments: object) -> None:
        raise OSError(28, "No space left on device")

    state.place(store, "tombstones")
    monkeypatch.setattr(state, "write_file", fail)
    with pytest.raises(CannotWrite, match="new content is in place"):
        tombstones.add(store, [STONE])
