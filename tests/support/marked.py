"""Texts in which what is to be found is marked: `mail ⟦email|ann@firm.example⟧ today`."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import NamedTuple

CASES = Path(__file__).parents[1] / "secrets" / "cases.jsonl"


class Marked(NamedTuple):
    """A text without its marks, and the marked spans as (start, end, kind). No spans: a near miss."""

    text: str
    spans: tuple[tuple[int, int, str], ...]


def marked(text: str) -> Marked:
    """Take the marks out."""
    plain = ""
    spans = []
    place = 0
    for match in re.finditer(r"⟦([a-z-]+)\|(.*?)⟧", text, re.DOTALL):
        plain += text[place : match.start()]
        spans.append((len(plain), len(plain) + len(match[2]), match[1]))
        plain += match[2]
        place = match.end()
    return Marked(plain + text[place:], tuple(spans))


def cases() -> list[Marked]:
    """The labelled set: English and Chinese, each thing once in the words that people use, and what only looks like one."""
    return [marked(json.loads(line)["text"]) for line in CASES.read_text(encoding="utf-8").splitlines()]
