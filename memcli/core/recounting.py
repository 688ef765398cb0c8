"""Checksums of lines that were masked: the one behind a line must be right again, and as long as it was."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, product
from zlib import crc32

from memcli.core.fillers import LETTERS, RUN, Runs

TRIES = 20_000
"""So many variants of a line are tried: of a thousand checksums one has less than eight digits."""


def checked(check: str, record: str, masked: str, runs: Runs) -> tuple[str, str]:
    """The masked line, with letters of its filler changed where the checksum would have another length, and the checksum,
    written as `check` is. `record` is the line before it was masked, of which `check` is the CRC-32."""
    word = check.strip(' \t\r"')
    form, end = next((form, end) for form in _FORMS for end in ("", "\n") if word == form % _sum(record + end))
    for line in islice(_variants(record, masked, runs), TRIES):
        told = form % _sum(line + end)
        if len(told) == len(word):
            return line, check.replace(word, told)
    return masked, check.replace(word, "1" * len(word))


def _variants(record: str, masked: str, runs: Runs) -> Iterator[str]:
    """The line, then the line with other letters at the end of its longest filler."""
    yield masked
    places = _longest(record, masked)[-4:]
    for letters in product(LETTERS, repeat=len(places)) if places else ():
        changed = list(masked)
        for place, letter in zip(places, letters, strict=True):
            changed[place] = letter
        line = "".join(changed)
        first = max(0, places[0] - RUN + 1)
        if not any(line[place : place + RUN] in runs for place in range(first, places[-1] + 1)):
            yield line


def _longest(record: str, masked: str) -> list[int]:
    """The places of the letters in the longest stretch without a quote of which any was changed."""
    best: list[int] = []
    place = 0
    for text in masked.split('"'):
        letters = [at for at in range(place, place + len(text)) if masked[at] != record[at] and masked[at] in LETTERS]
        best = max(best, letters, key=len)
        place += len(text) + 1
    return best


def _sum(text: str) -> int:
    return crc32(text.encode("utf-8", "surrogateescape"))


_FORMS = ("%d", "%08x", "%08X")
