"""Which characters Python's re.IGNORECASE takes for the same, found without going through all of Unicode."""

from __future__ import annotations

from functools import cache
from importlib import import_module

_ODD = "\u0130\u03f4\u1e9e\u2126\u212a\u212b"
"""Capitals that are not the capital of their own small letter, so no string method leads from that to them."""


@cache
def variants(character: str) -> tuple[str, ...]:
    """Every character that `character` matches under re.IGNORECASE, itself included, in code point order."""
    small = _small(character)
    found = {small, character}
    for equal in (small, *_equals(small)):
        found.update(form for form in (equal, equal.upper(), equal.title()) if len(form) == 1)
        found.update(odd for odd in _ODD if _small(odd) == equal)
    return tuple(sorted(found))


def _small(character: str) -> str:
    return character.lower()[0]  # U+0130 alone has two, and re takes the first


def _equals(small: str) -> list[str]:
    extra: dict[int, tuple[int, ...]] = import_module("re._casefix")._EXTRA_CASES
    return [chr(code) for code in extra.get(ord(small), ())]
