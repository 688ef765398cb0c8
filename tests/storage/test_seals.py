"""Seals tell appended, trimmed at the front, and changed inside apart; nothing is added to the sealed file."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from memcli.storage import seals, state
from memcli.storage.seals import Compared, Sealed

HEADER = b'{"key":"a","updated_at":"1"}'
ROWS = [b'{"id":%d,"content":"row %d"}' % (number, number) for number in range(1, 9)]


@pytest.fixture
def store(tmp_path, monkeypatch):
    monkeypatch.setenv("MEMCLI_STATE_DIR", str(tmp_path / "state"))
    return state.store(str(tmp_path / "workspace"))


def sealed(store, path: Path, lines: list[bytes], headers: int = 1) -> Sealed:
    path.write_bytes(b"".join(line + b"\n" for line in lines))
    fd = os.open(path, os.O_RDONLY)
    try:
        return seals.seal(store, str(path), fd, headers)
    finally:
        os.close(fd)


def compared(store, path: Path, lines: list[bytes], headers: int = 1) -> Compared | None:
    path.write_bytes(b"".join(line + b"\n" for line in lines))
    fd = os.open(path, os.O_RDONLY)
    try:
        return seals.compare(store, str(path), fd, headers)
    finally:
        os.close(fd)


NEW = [b'{"id":9}', b'{"id":10}']
OTHER = HEADER.replace(b"1", b"2")
CHANGES = [
    pytest.param([HEADER, *ROWS], (0, 0, 0, ()), id="the same"),
    pytest.param([OTHER, *ROWS], (0, 0, 0, ()), id="a header that changed is no news"),
    pytest.param([HEADER, *ROWS, *NEW], (0, 2, 0, ()), id="appended"),
    pytest.param([OTHER, *ROWS[3:]], (3, 0, 0, ()), id="trimmed"),
    pytest.param([OTHER, *ROWS[3:], *NEW], (3, 2, 0, ()), id="trimmed and appended"),
    pytest.param([HEADER, *ROWS[:3], b'{"id":4}', *ROWS[4:]], (0, 0, 1, (5,)), id="changed inside"),
    pytest.param([HEADER, *ROWS[:3], b'{"id":4}', *ROWS[4:], *NEW], (0, 2, 1, (5,)), id="changed inside and appended"),
    pytest.param([HEADER, *ROWS[:3], *ROWS[4:]], (0, 0, 1, ()), id="a row is gone"),
    pytest.param([HEADER, *ROWS[:3], *NEW, *ROWS[3:]], (0, 0, 0, (5, 6)), id="rows put in between"),
    pytest.param([HEADER, *ROWS[:6]], (0, 0, 2, ()), id="cut at the end"),
    pytest.param([HEADER, *ROWS[:6], *NEW], (0, 0, 2, (8, 9)), id="replaced at the end"),
    pytest.param([HEADER, *NEW], (0, 0, 8, (2, 3)), id="all replaced"),
    pytest.param([HEADER], (0, 0, 8, ()), id="cleared"),
    pytest.param([HEADER, ROWS[1], ROWS[0], *ROWS[2:]], (1, 0, 0, (3,)), id="swapped"),
]


@pytest.mark.parametrize(("lines", "expected"), CHANGES)
def test_what_changed(lines, expected, store, tmp_path):
    path = tmp_path / "chat.jsonl"
    assert sealed(store, path, [HEADER, *ROWS]) == Sealed(str(path), 9, path.stat().st_size)
    found = compared(store, path, lines)
    assert found is not None
    assert found[1:] == expected
    assert found.sealed_at.endswith("Z")


def test_blank_lines_are_nothing(store, tmp_path):
    path = tmp_path / "chat.jsonl"
    sealed(store, path, [HEADER, *ROWS])
    found = compared(store, path, [HEADER, b"", *ROWS, b"\r"])
    assert found is not None
    assert found[1:] == (0, 0, 0, ())


def test_the_seal_holds_both_hashes_of_each_line(store, tmp_path):
    from hashlib import sha256
    from zlib import crc32

    path = tmp_path / "chat.jsonl"
    sealed(store, path, [HEADER, *ROWS])
    (file,) = Path(store.folder, "seals").iterdir()
    head, _, lines = file.read_bytes().partition(b"\n")
    assert json.loads(head)["sha256"] == sha256(path.read_bytes()).hexdigest()
    assert json.loads(head)["headers"] == 1
    assert lines == b"".join(crc32(line).to_bytes(4, "big") + sha256(line).digest() for line in [HEADER, *ROWS])
    assert file.stat().st_mode & 0o777 == 0o600
    assert sorted(os.listdir(tmp_path)) == ["chat.jsonl", "state"]


def test_a_second_seal_takes_the_place_of_the_first(store, tmp_path):
    path = tmp_path / "chat.jsonl"
    sealed(store, path, [HEADER, *ROWS])
    sealed(store, path, [HEADER, *ROWS, *NEW])
    found = compared(store, path, [HEADER, *ROWS, *NEW])
    assert found is not None
    assert found[1:] == (0, 0, 0, ())


def test_without_headers(store, tmp_path):
    path = tmp_path / "history.jsonl"
    sealed(store, path, ROWS, headers=0)
    found = compared(store, path, ROWS[2:], headers=0)
    assert found is not None
    assert found[1:] == (2, 0, 0, ())


@pytest.mark.parametrize("damage", [b"", b"{}\n", b"x", b'{"lines":1,"headers":0,"sealed_at":"x"}\nshort'])
def test_no_seal_and_a_damaged_one_are_the_same(damage, store, tmp_path):
    path = tmp_path / "chat.jsonl"
    assert compared(store, path, [HEADER, *ROWS]) is None
    sealed(store, path, [HEADER, *ROWS])
    (file,) = Path(store.folder, "seals").iterdir()
    file.write_bytes(damage)
    assert compared(store, path, [HEADER, *ROWS]) is None
