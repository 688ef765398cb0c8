"""What a salvaged record must look like to be believed."""

from __future__ import annotations

import os

import pytest

from memcli.storage import shapes
from memcli.storage.shapes import Shapes, gather

USER = {"id": 1, "role": "user", "content": "x"}
TOOL = {"id": 2, "role": "tool", "content": "x", "name": "run"}
HEADER = {"key": "a", "updated_at": "b"}


def known(*values: dict) -> Shapes:
    found = Shapes()
    for value in values:
        found.add(value)
    found.add(HEADER, header=True)
    return found


@pytest.mark.parametrize(
    ("value", "fits", "same"),
    [
        (USER, True, False),  # a tool row begins just so
        (TOOL, True, True),
        (HEADER, True, True),
        ({"role": "user", "id": 1, "content": "x"}, True, True),
        ({"id": 3, "role": "user", "content": "x", "media": []}, True, False),
        ({"content": "x", "id": 3, "role": "user", "media": []}, False, False),
        ({"id": "c1", "name": "run"}, False, False),
        ({}, False, False),
    ],
)
def test_which_objects_may_be_records(value, fits, same):
    found = known(USER, TOOL)
    assert found.fits(value) is fits
    assert found.same(value) is same


def test_one_common_member_is_not_enough():
    found = known({"a": 1, "b": 2}, {"a": 1, "c": 2})
    assert not found.fits({"a": 1, "d": 2})


def test_where_no_record_was_seen_likelihood_decides():
    found = Shapes(lambda value: "role" in value)
    found.add(HEADER, header=True)
    assert found.empty
    assert found.fits({"role": "user"})
    assert not found.fits({"text": "user"})
    assert not found.same({"role": "user"})


def test_gathering_takes_clean_records_from_both_ends(tmp_path, monkeypatch):
    monkeypatch.setattr(shapes, "SAMPLE", 40)
    path = tmp_path / "x.jsonl"
    path.write_bytes(b'{"a": 1}\nprose\n[1]\n{"b":\n{"a": 1}{"c": 1}\n' + b'{"m":1}\n' * 50 + b'{"z":1}\n{"y":1}')
    fd = os.open(path, os.O_RDONLY)
    try:
        found = gather(fd, os.fstat(fd).st_size, lambda value: "y" in value)
    finally:
        os.close(fd)
    assert [name for name in "abcmyz" if found.same({name: 1})] == ["a", "m", "y", "z"]
    assert found.spaced


def test_so_many_kinds_are_kept_and_no_more(monkeypatch):
    monkeypatch.setattr(shapes, "KINDS", 3)
    found = known(*({f"k{number}": 1} for number in range(10)))
    assert [number for number in range(10) if found.same({f"k{number}": 1})] == [0, 1, 2]
