"""No line that matches is ever left out, however it is spelled."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from search.helpers import record, texts

from memcli.search.anchors import choose
from memcli.search.pattern import compile_pattern
from memcli.search.prefilter import PATIENCE, Prefilter
from memcli.search.variants import variants

OTHERS = b'{"role":"user","content":"\\u001b[0m \\u00e9t\\u00E9 \\u4f60 \\u0047 \\u7684 plain"}\n'
"""A line full of escapes that are nobody's business."""

ALPHABET = 'aabcksiISK09 :,.u5C"\\/\n\t\u2028\x7f\x00\ud83d\ufffdſKİıßẞéÉσςяЯ量子纠的数😀👍𐐀'
WORDS = st.text(alphabet=ALPHABET, max_size=16)


def candidates(prefilter, data: bytes, ends=None) -> list[bytes]:
    """The lines of `data` that the prefilter lets through."""
    buffer = bytearray(data)
    find = prefilter.finder(buffer, memoryview(buffer), len(buffer), lambda: ends or [len(buffer)])
    lines = []
    place = 0
    while find and place < len(buffer) and (at := find(place)) >= 0:
        assert at >= place
        start, place = buffer.rfind(b"\n", 0, at) + 1, buffer.find(b"\n", at) + 1
        lines.append(bytes(buffer[start : place - 1]))
    return lines


@settings(max_examples=400)
@given(
    content=WORDS,
    arguments=st.none() | st.dictionaries(WORDS, WORDS, max_size=2),
    cut=st.tuples(st.integers(0, 40), st.integers(1, 8)),
    ignore_case=st.booleans(),
    junk=st.sampled_from([b"", b"", b"\0", b"\0\0\0", b"\xff", b"\xe4\xb8"]),
    crowd=st.sampled_from([0, 0, 1, 10]),
    rng=st.randoms(use_true_random=False),
)
def test_a_part_of_a_text_is_found_in_its_line(content, arguments, cut, ignore_case, junk, crowd, rng):
    line = record(content, arguments, rng)
    split = rng.randrange(len(line))
    line = line[:split] + junk + line[split:]
    for text in texts(line) or []:
        start = cut[0] % (len(text) + 1)
        literal = text[start : start + cut[1]]
        if ignore_case:
            literal = "".join(rng.choice(variants(char)) for char in literal)
        pattern = compile_pattern([literal], ignore_case=ignore_case)
        assert pattern.search(text)
        if pattern.anchors is not None:
            data = OTHERS * crowd + line + b"\n" + OTHERS * crowd
            assert line in candidates(Prefilter(pattern.anchors), data)


SPELLINGS = [
    ("needle", False, ["needle", "\\u006eeedle", "needl\\u0065", "nee\\u0064le", "\\\\u006eeedle", "\\u005cu006eeedle"]),
    ("NEEDLE", True, ["needle", "nEEDle", "\\u006EeEdle", "\\\\\\\\u004eeedle"]),
    ("kiss", True, ["KISS", "\u212aiss", "k\u0131ss", "k\u0130ss", "ki\u017fs", "\\u212aiss", "k\\u0131ss", "kis\\u017F"]),
    ("é", True, ["É", "\\u00c9", "\\u00E9", "\\\\u00E9"]),
    ("量子", False, ["量子", "\\u91cf\\u5B50", "量\\u5b50", "\\u91CF子", "\\\\u91cf\\\\u5b50", "\\\\\\\\u91cf\\\\\\\\u5b50",
                    "\\u91cf\\\\u5b50", "\\u005cu91cf\\\\u5b50", "\\\\u\\u0039\\u0031cf子"]),
    ("x量子纠缠y", False, ["x量子纠缠y", "x量子纠\\u7f20y", "x\\u91cf子纠缠y", "x量\\u5b50纠缠y", "x量子\\u7ea0缠\\u0079"]),
    ("😀", False, ["😀", "\\ud83d\\ude00", "\\uD83D\\uDE00", "\\\\ud83d\\\\ude00"]),
    ("的😀了", False, ["的\\ud83d\\ude00了", "\\u7684😀\\u4e86"]),
    ("Я", True, ["я", "\\u044f", "\\u042F"]),
    ("/", False, ["/", "\\/", "\\u002f", "\\u002F"]),
    ("a/b", False, ["a/b", "a\\/b", "\\u0061/b", "a\\u002fb"]),
    ("\t", False, ["\\t", "\\u0009", "\\\\t"]),
    ("\\", False, ["\\\\", "\\u005c", "\\u005C"]),
    ("\ud83d", False, ["\\ud83d", "\\uD83D", "\\\\ud83d"]),
    ("\u2028", False, ["\u2028", "\\u2028"]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("literal", "ignore_case", "spelling"),
    [(literal, ignore_case, spelling) for literal, ignore_case, forms in SPELLINGS for spelling in forms],
)
@pytest.mark.parametrize("crowd", [0, PATIENCE])
def test_spellings(literal, ignore_case, spelling, crowd):
    line = f'{{"role":"user","content":"<{spelling}>"}}'.encode()
    prefilter = Prefilter([choose(literal, ignore_case)])
    assert line in candidates(prefilter, OTHERS * crowd + line + b"\n" + OTHERS * crowd + line + b"\n")


@pytest.mark.parametrize(("literal", "ignore_case"), [
    ("needle", False), ("needle", True), ("量子", False), ("量子", True), ("😀", False), ("ошибка", True),
])  # fmt: skip
@pytest.mark.parametrize("crowd", [1, PATIENCE])
def test_lines_of_other_escapes_are_not_decoded(literal, ignore_case, crowd):
    prefilter = Prefilter([choose(literal, ignore_case)])
    assert candidates(prefilter, OTHERS * crowd) == []


def test_in_a_crowd_of_escapes_half_a_word_is_not_enough():
    half = '{"content":"\\u91cf 量 \\u91cf\\u91cf \\ud83d\\ude01 子\\u91cf"}\n'.encode()
    for literal in ("量子", "😀"):
        assert candidates(Prefilter([choose(literal, False)]), OTHERS * PATIENCE + half * 3) == []


def test_a_file_full_of_escapes_does_not_spoil_the_next():
    prefilter = Prefilter([choose("量子", False)])
    crowd = OTHERS * PATIENCE
    line = '{"content":"量\\u5b50"}'.encode()
    data = crowd + line + b"\n" + line + b"\n" + crowd + line + b"\n"
    ends = [len(crowd) + len(line) + 1, 2 * (len(crowd) + len(line)) + 2 - len(crowd), len(data)]
    assert candidates(prefilter, data, ends) == [line] * 3


def test_lines_with_nul_bytes_are_always_decoded():
    prefilter = Prefilter([choose("needle", False)])
    assert candidates(prefilter, b'{"content":"nee\0dle"}\n\0\0\0\n{"content":""}\n') == [
        b'{"content":"nee\0dle"}',
        b"\0\0\0",
    ]


def test_escapes_are_told_apart_by_re_when_there_are_many():
    low = Prefilter([choose("zq", False)]).low
    assert [match.group() for match in re.finditer(low, rb"\u007a \u0071 \u007A \u005c \u0000 \u0062 \u001b \u0079")] == [
        rb"\u007a", rb"\u0071", rb"\u007A", rb"\u005c", rb"\u0062",
    ]  # fmt: skip
