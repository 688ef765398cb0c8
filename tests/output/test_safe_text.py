"""The sanitizer: whatever the text, nothing comes out that a terminal would obey."""

from __future__ import annotations

import unicodedata

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.output import safe_text

ANY = st.text(st.characters(exclude_categories=()))  # surrogates too
OBEYED = {"Cc", "Cs", "Zl", "Zp"}
BIDI = set("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")

CASES = [
    ("\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m"),
    ("\x1b]52;c;aGk=\x07", "\\x1b]52;c;aGk=\\x07"),  # OSC 52 writes the clipboard
    ("\x9b31m", "\\x9b31m"),  # the C1 form of ESC [
    ("safe\rEVIL", "safe\\rEVIL"),
    ("abc\u202edcb", "abc\\u202edcb"),
    ("\ud83d", "\\ud83d"),
    ("tag\U000e0041", "tag\\U000e0041"),
    ("a\u2028b", "a\\u2028b"),
    ("[red]markup[/red]", "[red]markup[/red]"),
    ("家族 👨\u200d👩\u200d👧 ☕\ufe0f　全角", "家族 👨\u200d👩\u200d👧 ☕\ufe0f　全角"),
]


@pytest.mark.parametrize(("text", "shown"), CASES)
def test_document_shows_what_a_terminal_would_obey(text: str, shown: str) -> None:
    assert safe_text.document(text) == shown


@given(ANY)
def test_nothing_obeyed_survives(text: str) -> None:
    for made, allowed in (
        (safe_text.document(text), "\n\t"),
        (safe_text.cell(text), ""),
        (safe_text.field(text), ""),
    ):
        for char in made:
            assert char in allowed or unicodedata.category(char) not in OBEYED, repr(char)
            assert char not in BIDI


@given(ANY)
def test_a_field_gives_the_text_back(text: str) -> None:
    made = safe_text.field(text)
    assert "\t" not in made
    assert "\n" not in made
    assert _unescaped(made) == text


@given(ANY)
def test_every_form_can_be_written_in_any_encoding(text: str) -> None:
    for encoding in ("utf-8", "ascii", "latin-1"):
        assert safe_text.encode(safe_text.document(text), encoding).decode(encoding) is not None


@given(st.dictionaries(st.text(), st.text(), max_size=4))
def test_json_keeps_the_value_and_loses_the_power(row: dict[str, str]) -> None:
    line = safe_text.json_text(orjson.dumps(row).decode())
    assert orjson.loads(line) == row
    assert all(unicodedata.category(char) not in OBEYED for char in line)


def test_document_keeps_lines_and_cell_does_not() -> None:
    assert safe_text.document("a\n\tb") == "a\n\tb"
    assert safe_text.cell("a\n\tb") == "a  b"
    assert safe_text.field("a\n\tb\\") == "a\\n\\tb\\\\"


def _unescaped(made: str) -> str:
    out = []
    position = 0
    while position < len(made):
        char = made[position]
        if char != "\\":
            out.append(char)
            position += 1
            continue
        kind = made[position + 1]
        plain = {"t": "\t", "n": "\n", "r": "\r", "\\": "\\"}.get(kind)
        if plain is not None:
            out.append(plain)
            position += 2
            continue
        digits = {"x": 2, "u": 4, "U": 8}[kind]
        out.append(chr(int(made[position + 2 : position + 2 + digits], 16)))
        position += 2 + digits
    return "".join(out)
