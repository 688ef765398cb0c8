"""File names for exported sessions: from their keys, safe on every file system, and no two the same on any."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from unicodedata import category, normalize

LONGEST = 100
"""Bytes of a name without its suffix: ecryptfs allows 143, and people put dates in front."""
HASH = 8
RESERVED = frozenset(
    # names that Windows keeps for devices, and the name of the index page
    ("con", "prn", "aux", "nul", "index", *(f"{name}{number}" for name in ("com", "lpt") for number in range(10)))
)


def names(keys: Sequence[str], places: Sequence[str], suffix: str) -> list[str]:
    """A file name for each key, in order. Names that would be one on a file system that takes capitals or accents for the
    same all get a hash of the key, so that they do not depend on the order; where two keys are one, of their places (the
    sessions' paths) too."""
    slugs = [slug(key) for key in keys]
    taken = Counter(map(folded, slugs))
    same = Counter(keys)
    used: set[str] = set()
    found = []
    for key, place, stem in zip(keys, places, slugs, strict=True):
        long = len(normalize("NFC", key).encode("utf-8", "replace")) > LONGEST
        marked = f"{stem}-{_hash(key if same[key] == 1 else key + place)}"
        name = marked if long or taken[folded(stem)] > 1 or folded(stem) in RESERVED else stem
        number = 1
        while folded(name) in used:  # the same chat named twice, or two that masking made one
            number += 1
            name = f"{marked}-{number}"
        used.add(folded(name))
        found.append(name + suffix)
    return found


def slug(key: str) -> str:
    """A key as a name: letters of any script, digits, `-`, `_` and `.` stay, anything else is `_`."""
    kept = "".join(char if _stays(char) else "_" for char in normalize("NFC", key))
    name = re.sub(r"_{2,}", "_", kept).strip("._-")
    return name.encode()[:LONGEST].decode("utf-8", "ignore").rstrip("._-") or "session"


def folded(name: str) -> str:
    """What two names have in common that a file system may take for one."""
    return normalize("NFKC", normalize("NFC", name).casefold())


def _stays(char: str) -> bool:
    return char in "-_." or char.isalnum() or category(char) in ("Mn", "Mc")


def _hash(text: str) -> str:
    from hashlib import sha256

    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:HASH]
