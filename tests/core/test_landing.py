"""What stands in the message of a commit."""

from __future__ import annotations

import pytest

from memcli.core import landing


@pytest.mark.parametrize(
    ("value", "line"),
    [
        ("desktop:a rows 1-2", "desktop:a rows 1-2"),
        ("微信：小明  第 3 行", "微信：小明 第 3 行"),
        ("a\nMemcli-Operation: x\r\n\u2028y", "a Memcli-Operation: x y"),
        ("a\x1b[31mred\x9b0m", "a\ufffd[31mred\ufffd0m"),
        ("a\u202egnp\x00", "a\ufffdgnp\ufffd"),
        ("a\udc80b", "a\ufffdb"),
    ],
)
def test_no_name_of_a_chat_makes_a_terminal_obey(value: str, line: str) -> None:
    assert landing.message("dream: 1 item", {"Memcli-Source": [value]}) == f"dream: 1 item\n\nMemcli-Source: {line}\n"
