"""The part of a literal by which lines are picked out before they are decoded.

The bytes of a line may spell a character raw or as \\uXXXX, at any depth of JSON inside JSON; some characters have yet
other spellings, and between two pieces of a text (contract: memcli.search) there may be anything. So an anchor is a
run of characters of the literal that has only the two spellings and lies inside one piece for certain.
"""

from __future__ import annotations

import re
from itertools import product
from math import prod
from typing import NamedTuple

from memcli.search.variants import variants

MOST_SPELLINGS = 8
"""How many exact byte strings may be searched for one anchor: each costs a pass over the data."""

JOINTS = re.compile(r"""[:,]\ |[\x00-\x1f"\\/\[\]{}\ud800-\udfff\ufffd]""", re.VERBOSE)
"""What no anchor may hold: joints between pieces, characters with a third spelling, and U+FFFD, which may stand for
any broken bytes."""

_RARE = " skietaonrhldcumfpgwybvxjqz0123456789"
"""The commonest first; before them s and k, which have variants beyond ASCII, whose escapes would have to be searched too."""

_LONG_DOTS = "iI"
"""re takes U+0130 and U+0131 for these, Unicode case folding does not."""


class Anchor(NamedTuple):
    """A condition that every line with the literal meets: one of `exact` is among its bytes, or `folded` is (ASCII,
    compared with Unicode case folding), or one of `units`, the variants of each character, is spelled \\uXXXX."""

    exact: tuple[bytes, ...]
    folded: bytes
    units: tuple[tuple[str, ...], ...]
    score: float
    """How well it selects: about the number of ASCII letters that would select as well."""


def choose(literal: str, ignore_case: bool) -> Anchor | None:
    """The best anchor of `literal`; None when every line must be decoded."""
    runs = [run.lstrip(" ").rstrip(":,") for run in JOINTS.split(literal)]
    offers = [offer for run in runs if run for offer in (_folding(run) if ignore_case else _exact(run))]
    return max(offers, key=lambda offer: offer.score) if offers else _special(literal)


def _special(literal: str) -> Anchor | None:
    """The anchor of a literal without an ordinary character, e.g. a lone slash or tab."""
    if "/" in literal:
        return Anchor((b"/",), b"", (("/",),), 0.5)  # `\\/` holds the bare slash too
    if any(char == "\\" or (char < " " and char != "\n") for char in literal):
        return Anchor((b"\\", *(char.encode() for char in literal if char < " " and char != "\n")), b"", (), 0.4)
    if any("\ud800" <= char <= "\udfff" for char in literal):
        return Anchor((b"\\u",), b"", (), 0.3)
    return None


def _exact(run: str) -> list[Anchor]:
    """Pure ASCII suits best, since other files' escapes need not be looked for; then four characters of any other
    script; then what there is."""
    pieces = re.findall(r"[\x00-\x7f]+", run)
    pieces += [piece[:4] for piece in re.findall(r"[^\x00-\x7f]+", run)]
    offers = [_offer(piece, (piece,), tuple((char,) for char in piece)) for piece in pieces]
    if len(pieces) > 1:
        whole = _offer(run, (run,), tuple((char,) for char in run))
        offers.append(whole._replace(score=min(whole.score, 8) - 2))
    return offers


def _folding(run: str) -> list[Anchor]:
    offers = []
    for piece in re.findall(r"[\x00-\x7f]+", run):
        if set(piece) & set(_LONG_DOTS):
            whole = _folded(piece)
            offers.append(whole._replace(exact=("\u0130".encode(), "\u0131".encode()), score=whole.score - 2))
        offers += [_folded(part) for part in re.split(f"[{_LONG_DOTS}]", piece) if part]
    units = tuple(map(variants, run))
    for start in range(len(run)):
        stop = start
        while stop < min(len(run), start + 6) and prod(map(len, units[start : stop + 1])) <= MOST_SPELLINGS:
            stop += 1
        if not run[start:stop].isascii():
            spelled = tuple("".join(choice) for choice in product(*units[start:stop]))
            offer = _offer(run[start:stop], spelled, units[start:stop])
            offers.append(offer._replace(score=offer.score - len(spelled) / 4))
    return offers


def _folded(piece: str) -> Anchor:
    """Case-folding search is fastest for short needles: eight characters, the rarest in a row."""
    starts = range(max(1, len(piece) - 7))
    start = max(starts, key=lambda at: sum(map(_RARE.find, piece[at : at + 8].lower())))
    part = piece[start : start + 8]
    return Anchor((), part.encode(), tuple(map(variants, part)), _score(part))


def _offer(piece: str, spelled: tuple[str, ...], units: tuple[tuple[str, ...], ...]) -> Anchor:
    return Anchor(tuple(each.encode() for each in spelled), b"", units, _score(piece))


def _score(piece: str) -> float:
    length = min(sum(1 if char.isascii() else 2 for char in piece), 10)  # longer ones are rare enough all the same
    return length + (2 if piece.isascii() and len(piece) > 3 else 0)
