"""What every fix of a memory file is made of."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from memcli.damage.framework import TextSnapshot
from memcli.storage.memory_shape import Shape


class Piece(NamedTuple):
    """`new` in the place of `old` at byte `offset`. Where both are the same, that is what must still stand when it lands."""

    offset: int
    old: bytes
    new: bytes
    why: str


class Fix(NamedTuple):
    """Changes of one file that only make sense together."""

    pieces: tuple[Piece, ...]


Find = Callable[[TextSnapshot, Shape], list[Fix]]
