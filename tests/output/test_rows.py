"""JSON lines: the value survives whatever it is."""

from __future__ import annotations

import json
from typing import Any

import pytest

from memcli.output.rows import line

VALUES: list[Any] = [
    {"a": 1, "中": "文"},
    {"half": "\ud83d"},
    {"big": 10**40},
    {"control": "\x1b[0m\x9b\u202e\x7f"},
    "plain",
    None,
    [1.5, True],
]


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_round_trip(value: Any) -> None:
    made = line(value)
    assert made.endswith(b"\n")
    assert made.count(b"\n") == 1
    assert json.loads(made) == value
    assert b"\x1b" not in made
    assert "\u202e" not in made.decode()


def test_chinese_stays_readable() -> None:
    assert line({"text": "端口"}) == '{"text":"端口"}\n'.encode()
