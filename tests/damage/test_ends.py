"""What the two ends of a file tell: one case for each code, clean files, and lines longer than the window."""

from __future__ import annotations

import json

import pytest

from memcli.damage import ends
from memcli.model import Decoded

ROW = b'{"role":"user","content":"hi"}\n'
OTHER = '{"role":"assistant","content":"你好 \\ud83d\\ude00"}\n'.encode()
LONG = b'{"content":"' + b"x" * 9000 + b'"}'
NESTED = b'{"a":' * 600 + b"1" + b"}" * 600


def windows(data: bytes) -> tuple[bytes, bytes, int]:
    head = data[: ends.WINDOW]
    return head, head if len(data) <= ends.WINDOW else data[-ends.WINDOW :], len(data)


def codes(data: bytes) -> list[str]:
    return ends.codes(*windows(data))


def is_clean(data: bytes) -> bool:
    return ends.is_clean(*windows(data))


CASES = {
    # name: (bytes of the file, the codes in order)
    "one row": (ROW, []),
    "many rows": (ROW * 1000, []),
    "Chinese and an emoji": (OTHER * 3, []),
    "two windows that overlap": (ROW * 170, []),
    "blank lines": (ROW + b"\n\n" + ROW + b"\r\n" + ROW, []),
    "CRLF": (ROW.replace(b"\n", b"\r\n") * 3, []),
    "line separators in text": ('{"content":"a\u2028b\u2029c\u0085d"}\n'.encode() * 3, []),
    "a long row": (LONG + b"\n", []),
    "long rows around": (ROW + LONG + b"\n" + LONG + b"\n" + ROW, []),
    "empty": (b"", ["empty-file"]),
    "only NUL": (b"\0" * 20_000, ["nul-run"]),
    "few NULs": (b"\0" * 3, ["nul-run"]),
    "NUL at the end": (ROW + b"\0" * 64, ["nul-run"]),
    "NUL behind a long row": (LONG + b"\n" + b"\0" * 5000, ["nul-run"]),
    "NUL in front of a row": (ROW + b"\0" * 16 + ROW, ["nul-run"]),
    "one NUL in a row": (ROW + ROW.replace(b"hi", b"h\0i"), ["nul-run"]),
    "BOM": (b"\xef\xbb\xbf" + ROW * 2, ["bom"]),
    "UTF-16 with BOM": ("\ufeff{}\n".encode("utf-16-le") * 9, ["utf16"]),
    "UTF-16 LE": (ROW.decode().encode("utf-16-le"), ["utf16"]),
    "UTF-16 BE": (ROW.decode().encode("utf-16-be"), ["utf16"]),
    "gzip": (b"\x1f\x8b\x08\0\0\0\0\0\0\3abc", ["foreign-type"]),
    "zip": (b"PK\x03\x04" + b"\0" * 40, ["foreign-type"]),
    "SQLite": (b"SQLite format 3\0" + b"\0" * 5000, ["foreign-type"]),
    "PNG": (b"\x89PNG\r\n\x1a\n", ["foreign-type"]),
    "a JSON array": (b'[\n {"role":"user"}\n]\n', ["json-document"]),
    "an array on one line": (b'[{"role":"user"}]\n', ["json-document"]),
    "no final newline": (ROW + ROW[:-1], ["missing-final-newline"]),
    "no final newline, one row": (ROW[:-1], ["missing-final-newline"]),
    "no newline behind a long row": (LONG, ["missing-final-newline"]),
    "torn": (ROW + ROW[:-9], ["torn-tail"]),
    "torn in a character": (ROW + OTHER[: OTHER.index("你".encode()) + 1], ["torn-tail"]),
    "torn behind a brace": (ROW + b'{"a":{"b":1}', ["torn-tail"]),
    "a long row torn": (ROW + LONG[:-2], ["torn-tail"]),
    "nothing but a long torn row": (LONG[:-2], ["torn-tail"]),
    "spliced": (ROW + ROW[:-9] + ROW + ROW, ["spliced-line"]),
    "cut in the middle": (ROW + ROW[:-9] + b"\n" + ROW, ["torn-line"]),
    "spliced and torn": (ROW[:-9] + ROW + ROW[:9], ["spliced-line", "torn-tail"]),
    "glued": (ROW[:-1] + ROW + ROW, ["glued-lines"]),
    "glued at the end": (ROW + ROW[:-1] + ROW[:-1], ["glued-lines", "missing-final-newline"]),
    "not UTF-8": (ROW + b'{"content":"\xff\xfe"}\n' + ROW, ["invalid-utf8"]),
    "a lone surrogate": (b'{"content":"\\ud83d"}\n' + ROW, ["lone-surrogate"]),
    "NaN": (b'{"content":NaN}\n', ["nan"]),
    "prose": (ROW + b"Traceback (most recent call last):\n" + ROW, ["not-json"]),
    "prose behind a row": (ROW[:-1] + b" # note\n" + ROW, ["junk-around-record"]),
    "a scalar": (ROW + b"42\n" + ROW, ["not-a-record"]),
    "an array among rows": (ROW + b'["a"]\n' + ROW, ["not-a-record"]),
    "a scalar at the end": (ROW + b"42", ["not-a-record", "missing-final-newline"]),
    "nested deep": (ROW + NESTED + b"\n" + ROW, []),
    "a huge number, longer than a window": (ROW + b'{"a":' + b"9" * 5000 + b"}\n" + ROW, []),
    "damage between the windows only": (ROW * 200 + b"oops\n" + ROW * 200, []),
    "every code once": (
        b"\xef\xbb\xbf" + ROW + b"x\n" + ROW + b"\0" * 8 + b"\n" + ROW[:-9] + b"\n1\n" + ROW[:9],
        ["bom", "nul-run", "not-json", "torn-line", "not-a-record", "torn-tail"],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_codes(name: str) -> None:
    data, expected = CASES[name]
    assert codes(data) == expected


@pytest.mark.parametrize("name", CASES)
def test_a_file_that_lies_in_the_windows_is_clean_only_without_damage(name: str) -> None:
    data, expected = CASES[name]
    if data and is_clean(data):
        assert expected == [] or len(data) > 2 * ends.WINDOW


CLEAN = ("one row", "many rows", "Chinese and an emoji", "long rows around", "two windows that overlap")


@pytest.mark.parametrize("name", CLEAN)
def test_clean_files_are_told_without_a_look_at_their_lines(name: str) -> None:
    assert is_clean(CASES[name][0])


@pytest.mark.parametrize("rows", [2, 100, 200, 260, 300, 1000])
@pytest.mark.parametrize("cut", [ROW[:-9] + ROW, ROW[:-1] + ROW, b"oops\n"])
def test_damage_in_a_file_of_up_to_two_windows_is_always_seen(rows: int, cut: bytes) -> None:
    """Every byte of such a file is looked at, so a listing can say for certain that it is clean."""
    data = ROW * (rows // 2) + cut + ROW * (rows // 2)
    assert is_clean(data) == (len(data) > 2 * ends.WINDOW)


IN_LISTS = b'{"content":"","calls":[{"role":1}, {"role":2},{"role":3}]}\n'
BRIEF = {
    # whole small files and whether they pass for clean where there is no time to parse each of thousands
    "alike": (ROW * 9, True),
    "with a header": (b'{"key":"a"}\n' + ROW * 9, True),
    "the words of a row in lists": (b'{"key":"a"}\n' + ROW + IN_LISTS + ROW, True),
    "rows that begin in different ways": (b'{"key":"a"}\n' + b'{"a":1}\n{"bcd":2}\n' + ROW, True),
    "one row": (ROW, True),
    "no words to go by": (b'{"a":1}\n[2]\n{"a":3}\n', False),
    "spliced": (b'{"key":"a"}\n' + ROW + ROW[:-9] + ROW + ROW, False),
    "glued": (b'{"key":"a"}\n' + ROW + ROW[:-1] + ROW + ROW, False),
    "spliced among lists": (b'{"key":"a"}\n' + ROW + IN_LISTS + ROW[:-9] + ROW + ROW, False),
    "NUL": (ROW + b'{"role":"\0"}\n', False),
    "cut at a line's end": (ROW + ROW[:-9] + b"\n" + ROW, False),
    "a blank line": (ROW + b"\n" + ROW, False),
    "the last row is none": (ROW + b'{"role":}\n', False),
    "no newline": (ROW + ROW[:-1], False),
    "not the beginning of a row": (b'"' + ROW, False),
    "empty": (b"", False),
    "a row in the middle is none": (ROW + b'{"role":}\n' + ROW, False),
    "one behind a header": (b'{"key":"a"}\n' + ROW + b'{"role":}\n' + ROW, True),
}


@pytest.mark.parametrize("name", BRIEF)
def test_a_short_look(name: str) -> None:
    data, expected = BRIEF[name]
    assert ends.is_clean_whole(data, thorough=False) is expected
    assert not ends.is_clean_whole(data) or expected, "a longer look sees no less"


@pytest.mark.parametrize(
    ("line", "within", "last"),
    [
        (Decoded(({},)), [], ["missing-final-newline"]),
        (Decoded((3,)), ["not-a-record"], ["not-a-record", "missing-final-newline"]),
        (Decoded(({},), "bom"), ["bom"], ["bom", "missing-final-newline"]),
        (Decoded((), "torn-line"), ["torn-line"], ["torn-tail"]),
        (Decoded((), "spliced-line"), ["spliced-line"], ["torn-tail"]),
        (Decoded((), "not-json"), ["not-json"], ["torn-tail"]),
        (Decoded((), "nul-run"), ["nul-run"], ["nul-run"]),
        (Decoded((), "oversize-line"), ["oversize-line"], ["oversize-line"]),
        (Decoded((), "too-deep"), ["too-deep"], ["too-deep"]),
        (Decoded((), "huge-number"), ["huge-number"], ["huge-number"]),
    ],
)
def test_the_codes_of_one_line(line: Decoded, within: list[str], last: list[str]) -> None:
    assert (ends.line_codes(line), ends.end_codes(line)) == (within, last)


def test_every_case_is_what_its_name_says() -> None:
    assert json.loads(ROW)
    assert json.loads(OTHER)
    assert json.loads(LONG)
