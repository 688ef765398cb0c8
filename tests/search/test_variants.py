"""The claim behind -i: `variants` is exactly what re.IGNORECASE takes for the same, over all of Unicode."""

from __future__ import annotations

import re
import sys

import pytest
import stringzilla

from memcli.search.variants import variants

ALL = "".join(map(chr, range(sys.maxunicode + 1)))
CASED = [char for char in ALL if len(variants(char)) > 1]


def test_every_character_is_its_own_variant():
    assert all(char in variants(char) for char in ALL)


def test_what_has_no_variant_matches_no_other_character():
    alone = "".join(char for char in ALL if len(variants(char)) == 1)
    cased = re.compile("[" + "".join(CASED) + "]", re.IGNORECASE)
    assert cased.findall(alone) == []


def test_variants_are_what_re_matches():
    cased = "".join(CASED)
    wrong = [
        char
        for char in CASED
        if re.compile(char, re.IGNORECASE).findall(cased) != list(variants(char))
        or re.compile(f"[{char}-{char}]", re.IGNORECASE).findall(cased) != list(variants(char))
    ]
    assert wrong == []


@pytest.fixture(params=[("serial",), ("serial", "haswell"), None])
def processor(request):
    """stringzilla as on a processor with these abilities; as on this one for None."""
    own = stringzilla.__capabilities__
    stringzilla.reset_capabilities(request.param or own)
    yield
    stringzilla.reset_capabilities(own)


@pytest.mark.usefixtures("processor")
@pytest.mark.parametrize("around", ["", "x", "数", " " * 70])
def test_folding_search_finds_every_variant_of_ascii(around):
    missed = {
        (char, form)
        for char in map(chr, range(0x20, 0x7F))
        for form in variants(char)
        if stringzilla.utf8_uncased_search(f"{around}{form}{around}".encode(), char.encode()) < 0
    }
    assert {char for char, _ in missed} <= {"i", "I"}
    assert {form for _, form in missed} <= {"\u0130", "\u0131"}, "anchors look for these two themselves"
