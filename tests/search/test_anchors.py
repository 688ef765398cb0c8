"""Anchors keep the contract of memcli.search: nothing that a text may hold and its line may not."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.search.anchors import MOST_SPELLINGS, choose
from memcli.search.variants import variants

# (literal, what the bytes are searched for)
EXACT = [
    ("NEEDLE", [b"NEEDLE"]),
    ("key: value", [b"value"]),
    ("key:", [b"key"]),
    ("one, three", [b"three"]),
    ("std::vector", [b"std::vector"]),
    (" padded ", [b"padded "]),
    ("first\nsecond", [b"second"]),
    ('say "zebra"', [b"zebra"]),
    ("C:\\temp\\x", [b"temp"]),
    ("src/main.py", [b"main.py"]),
    ("items[0]", [b"items"]),
    ("broken \ufffd", [b"broken "]),
    ("量子纠缠态", ["量子纠缠".encode()]),
    ("error 错", [b"error "]),
    ("x量子", ["量子".encode()]),
    ("naïve", ["naïve".encode()]),
    ("👍", ["👍".encode()]),
    ("\u2028", ["\u2028".encode()]),
    ("/", [b"/"]),
    ("//", [b"/"]),
    ("\t", [b"\\", b"\t"]),
    ("\\", [b"\\"]),
    ("\0", [b"\\", b"\0"]),
    ("\ud83d", [b"\\u"]),
]
NONE = ["", '"', "\n", ": ", ":", ",", " ", "[]", '{"', '": "', "\ufffd", "\n\n"]


@pytest.mark.parametrize(("literal", "searched"), EXACT)
def test_exact(literal, searched):
    anchor = choose(literal, False)
    assert (list(anchor.exact), anchor.folded) == (searched, b"")


@pytest.mark.parametrize("literal", NONE)
@pytest.mark.parametrize("ignore_case", [False, True])
def test_no_anchor(literal, ignore_case):
    assert choose(literal, ignore_case) is None


def test_case_is_folded_for_ascii_without_the_letter_i():
    assert choose("Needle", True)[:2] == ((), b"Needle")
    assert choose("mixedCase", True)[:2] == ((), b"xedCase")


def test_dotted_and_dotless_i_are_searched_where_i_cannot_be_left_out():
    assert choose("tip", True)[:2] == (("İ".encode(), "ı".encode()), b"tip")


def test_folding_search_gets_eight_characters_at_most():
    assert choose("a jazzy quartz sphynx", True).folded == b"jazzy qu"


@pytest.mark.parametrize("literal", ["ошибка", "straßé", "Σίσυφος", "ДА", "ſſſ", "ﬁx", "量子"])
def test_other_scripts_are_spelled_out(literal):
    anchor = choose(literal, True)
    spelled = {form.decode() for form in anchor.exact}
    if anchor.folded:
        assert anchor.folded.isascii()
    else:
        assert 1 <= len(spelled) <= MOST_SPELLINGS
        assert all(re.search(form, literal, re.IGNORECASE) for form in spelled)


TEXT = st.text(alphabet='abIi数 é:,/\\"\n\t[]{}\ufffd\ud83dſ子😀', max_size=12)


@given(TEXT, st.booleans())
def test_an_anchor_lies_inside_one_piece(literal, ignore_case):
    anchor = choose(literal, ignore_case)
    if anchor is None or not anchor.units:
        return
    run = "".join(min(unit, key=lambda form: (form not in literal, form)) for unit in anchor.units)
    # what is left when everything that may be part of a joint, or spelled otherwise, is taken out
    inside = re.sub(r'[:,] +|^ +|[:,]+$|[\x00-\x1f"\\/\[\]{}\ufffd\ud800-\udfff] *', "\n", literal)
    inside = literal if run == "/" else re.sub(r"[:,]+\n", "\n", inside)
    assert all(set(unit) in [{char}, set(variants(char))] for unit, char in zip(anchor.units, run, strict=True))
    if ignore_case:
        assert re.search(re.escape(run), inside, re.IGNORECASE)
    else:
        assert run in inside
