"""Filler for text: as long, in the same script, and telling nothing of what stood there.

Each character becomes another one by a keyed one-way function of all that stands before it, so that equal texts stay equal,
one that begins another still does, and different ones stay different. No six characters in a row are like six in a row of
the texts that were learned.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from functools import lru_cache
from hashlib import blake2b
from typing import NamedTuple

RUN = 6
"""Runs of so many characters must not survive."""
_BITS = 26
_MASK = (1 << _BITS) - 1


class Unit(NamedTuple):
    """One character of a text. `others` are what may take its place beside the filler; None where it must stay."""

    character: str
    others: str | None


class Runs:
    """All runs of RUN characters of some texts. It may know too many: then a filler is only chosen once more."""

    def __init__(self) -> None:
        self._bits = bytearray(1 << (_BITS - 3))

    def learn(self, text: str) -> None:
        """Take the runs of a text."""
        bits = self._bits
        for place in range(len(text) - RUN + 1):
            known = hash(text[place : place + RUN]) & _MASK
            bits[known >> 3] |= 1 << (known & 7)

    def __contains__(self, run: str) -> bool:
        known = hash(run) & _MASK
        return bool(self._bits[known >> 3] >> (known & 7) & 1)


class Filler:
    """Makes filler with a key that nobody has: it is drawn here and kept nowhere."""

    def __init__(self, runs: Runs, key: bytes | None = None) -> None:
        self._runs = runs
        self._key = key or os.urandom(16)

    def text(self, text: str) -> str:
        """Filler for a plain text."""
        return "".join(self.fill(Unit(character, spare(character)) for character in text))

    def fill(self, units: Iterable[Unit]) -> list[str]:
        """A character for each unit."""
        state = self._key
        made: list[str] = []
        tail = ""
        for character, others in units:
            number = int.from_bytes(state[:4])
            filler = character if others is None else _replaced(character, number)
            if others is not None and len(tail) == RUN - 1 and tail + filler in self._runs:
                filler = self._another(character, filler, others, tail, number)
            made.append(filler)
            tail = (tail + filler)[1 - RUN :]
            said = "_" if character in FORBIDDEN else character  # a key and the file's name made of it stay alike
            state = blake2b(said.encode("utf-8", "surrogatepass"), key=state, digest_size=16).digest()
        return made

    def _another(self, character: str, filler: str, others: str, tail: str, number: int) -> str:
        choice = _alphabet(character) + others
        for step in range(1, len(choice) + 1 if len(choice) < MOST else MOST):
            other = choice[(number + step) % len(choice)]
            if other != character and tail + other not in self._runs:
                return other
        return filler

    def number(self, digits: str) -> str:
        """Other digits, as many, the first of them 0 only where it was."""
        made = digits
        for step in range(50):
            state = blake2b(digits.encode(), key=self._key, salt=step.to_bytes(2), digest_size=64).digest()
            moved = (int(one) + 1 + state[place % 64] % 9 for place, one in enumerate(digits))
            made = "".join(str(one % 10) for one in moved)
            if made[0] == "0" != digits[0]:
                made = "5" + made[1:] if digits[0] != "5" else "6" + made[1:]
            if not any(made[place : place + RUN] in self._runs for place in range(len(made) - RUN + 1)):
                break
        return made

    def hexadecimal(self, text: str) -> str:
        """Other hexadecimal digits in the place of those of an id; what is none stays."""
        state = blake2b(text.encode(), key=self._key, digest_size=64).digest()
        made = []
        for place, one in enumerate(text):
            known = _HEX.find(one)
            made.append(one if known < 0 else _HEX[(known + 1 + state[place % 64] % 15) % 16])
        return "".join(made)


def spare(character: str) -> str:
    """What may take the place of a character whose filler will not do: as many bytes of UTF-8, and no mark of JSON."""
    if character < " " or character in "\x7f\ufeff" or "\ud800" <= character <= "\udfff":
        return ""
    size = len(character.encode())
    return _SPARE.get(size, "") if size > 1 else _SPARE[1]


FORBIDDEN = frozenset('<>:"/\\|?*')
"""What agents write as `_` in names of files."""
MOST = 200
_SPARE = {1: "~^`;!#", 2: "·¡¿§¶", 3: "、。，；：！？", 4: ""}
_CONSONANTS = "bcdfghjklmnpqrstvwxz"
LETTERS = "".join(lower + lower.upper() for lower in _CONSONANTS)
_HEX = "0123456789abcdef"
_HAN = (0x4E00, 0x9FA5)


def _replaced(character: str, number: int) -> str:
    """The filler for a character; itself where it is a mark."""
    if "0" <= character <= "9":
        return str((int(character) + 1 + number % 9) % 10)
    if character.isascii():
        if not character.isalpha():
            return character
        place = ord(character.lower()) - ord("a")
        filler = LETTERS[(place + number) % len(LETTERS)]
        return filler if filler != character else LETTERS[(26 + place + number) % len(LETTERS)]
    if "\udc80" <= character <= "\udcff":
        return _byte(character, number)
    if "\ud800" <= character <= "\udbff":  # half a pair stays that half of one
        return chr(0xD800 + (ord(character) - 0xD800 + 1 + number % 1023) % 1024)
    alphabet = _alphabet(character)
    if len(alphabet) < 2:
        return character
    place = _place(character)
    return alphabet[(place + 1 + number % (len(alphabet) - 1)) % len(alphabet)]


def _byte(character: str, number: int) -> str:
    """A byte that is not UTF-8 becomes one that a decoder takes for the same: a beginning, or what goes on."""
    byte = ord(character) - 0xDC00
    for first, last in _BYTES:
        if first <= byte <= last:
            size = last - first + 1
            return chr(0xDC00 + first + (byte - first + 1 + number % (size - 1)) % size)
    return character


_BYTES = ((0x80, 0x8F), (0x90, 0x9F), (0xA0, 0xBF), (0xC2, 0xDF), (0xE1, 0xEC), (0xEE, 0xEF), (0xF1, 0xF3))


@lru_cache(maxsize=4096)
def _alphabet(character: str) -> str:
    """The characters among which the filler for one is chosen, "" for marks."""
    from unicodedata import category

    if character.isascii():
        return LETTERS if character.isalnum() else ""
    code = ord(character)
    if _HAN[0] <= code <= _HAN[1]:
        return _han()
    kind = category(character)
    if kind[0] not in "LN" and kind not in ("So", "Co", "Cn"):
        return ""
    size = len(character.encode())
    first = code & ~0xFF
    block = [chr(one) for one in range(first, first + 256) if category(chr(one)) == kind]
    return "".join(one for one in block if len(one.encode()) == size)


@lru_cache(maxsize=4096)
def _place(character: str) -> int:
    place = _alphabet(character).find(character)
    return place if place >= 0 else ord(character)


@lru_cache(maxsize=1)
def _han() -> str:
    """Without those of which a byte of UTF-16 would be a newline, a return or NUL."""
    codes = range(_HAN[0], _HAN[1] + 1)
    kept = [one for one in codes if not {one & 0xFF, one >> 8} & {0, 0x0A, 0x0D, 0x22, 0x5C}]
    return "".join(map(chr, kept))
