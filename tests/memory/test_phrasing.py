"""A fact as one line of Markdown: nothing begins in it, and nothing of it is lost but marks."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.memory.blocks import blocks, items
from memcli.memory.phrasing import one_line
from memcli.storage.memory_shape import Label, Shape

PLAIN = Shape(plain=True, labels=(Label("Pattern", "pattern"),))


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("uses pnpm", "uses pnpm"),
        ("  用  pnpm\n管理依赖。 ", "用 pnpm 管理依赖。"),
        ("a\r\nb\u2028c\u3000d\te\x00f", "a b c d e f"),
        ("- uses pnpm", "uses pnpm"),
        ("- * + uses pnpm", "uses pnpm"),
        ("-1 degrees", "-1 degrees"),
        ("---", ""),
        ("- - -", ""),
        ("# of replicas is 3", "\\# of replicas is 3"),
        ("#123 is fixed", "#123 is fixed"),
        ("####### seven", "####### seven"),
        ("> 80 % of tests pass", "\\> 80 % of tests pass"),
        ("3. release", "3\\. release"),
        ("3.5 is used", "3.5 is used"),
        ("12) ports", "12\\) ports"),
        ("[api]: /v2 is used", "\\[api]: /v2 is used"),
        ("[api](x) is used", "[api](x) is used"),
        ("```python print()", "`python print()"),
        ("the command is ```make```", "the command is `make`"),
        ("~~~ code", "code"),
        ("a <!-- hidden --> b", "a &lt;!-- hidden --> b"),
        ("**Key Decision**: use SQLite", "Key Decision: use SQLite"),
        ("**bold** words", "bold words"),
        ("**- x**", "x"),
        ("uses **bold** words", "uses **bold** words"),
        ("\ufeff\u202eevil\u2066", "evil"),
        ("half \ud83d of it", "half \ufffd of it"),
        ("👩\u200d💻 at work", "👩\u200d💻 at work"),
        ("", ""),
    ],
)
def test_one_line(text: str, line: str) -> None:
    assert one_line(text) == line


MARKS = st.sampled_from([*"#-*+>`~=_.)1:[]|\\\n\r\t <!•", "**", "```", "<!--", "1. ", "\u2028", "\ud83d", "字"])


@given(st.lists(MARKS | st.text(max_size=3), max_size=10).map("".join))
def test_it_is_text_and_nothing_else(text: str) -> None:
    line = one_line(text)
    assert one_line(line) == line
    assert line == " ".join(line.split())
    assert not re.search(r"<!--|```|^~~~|[\x00-\x1f]|[\ud800-\udfff]", line)
    line.encode()
    [*found] = [fact for block in blocks(f"{line}\n".encode(), PLAIN) for fact in items(block, PLAIN)]
    assert [fact.text for fact in found] == ([line] if line else [])
    assert {fact.category for fact in found} <= {""}
