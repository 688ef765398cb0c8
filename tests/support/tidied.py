"""Fixes of memory files without a workspace: what they make of the bytes of one file."""

from __future__ import annotations

from importlib import import_module
from typing import NamedTuple

from memcli.core import tidying
from memcli.core.tidying.framework import Fix, Piece
from memcli.damage.framework import TextSnapshot
from memcli.formats import longterm, remembering
from memcli.formats.facets import MemoryFile
from memcli.model import Workspace

ROOT = "/nowhere/workspace"


class Tidied(NamedTuple):
    """The fixes that were found, and the file with all of them."""

    fixes: list[Fix]
    text: bytes


def tidied(fix: str, raw: bytes, agent: str = "catbuddy", name: str = "memory/MEMORY.md") -> Tidied:
    """What a fix makes of a file; its pieces must be of that file, and meet nowhere."""
    path = f"{ROOT}/{name}"
    rules = remembering(agent).memory_rules(Workspace(agent, ROOT), MemoryFile(path, "global"))
    found = import_module(tidying.FIXES[fix]).fixes(TextSnapshot(path, raw, rules), longterm(agent).shape(path))
    return Tidied(found, with_pieces(raw, [piece for one in found for piece in one.pieces]))


def with_pieces(raw: bytes, pieces: list[Piece]) -> bytes:
    """The file with these pieces."""
    made = []
    at = 0
    for piece in sorted(one for one in pieces if one.old != one.new):
        assert piece.offset >= at, "two pieces meet"
        assert raw[piece.offset : piece.offset + len(piece.old)] == piece.old
        made += [raw[at : piece.offset], piece.new]
        at = piece.offset + len(piece.old)
    return b"".join([*made, raw[at:]])
