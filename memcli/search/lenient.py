"""Whether a line that is no JSON holds a pattern all the same."""

from __future__ import annotations

import re

from memcli.search.pattern import Pattern

DEPTH = 4
"""How often JSON inside JSON is unescaped."""

_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_SHORT = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}


def contains(raw: bytes, pattern: Pattern) -> bool:
    """Whether `pattern` is in the line as it stands, or with JSON's escapes undone up to DEPTH times."""
    text = raw.replace(b"\0", b"").decode("utf-8", "replace")
    for _ in range(DEPTH):
        if pattern.search(text):
            return True
        plain = unescape(text)
        if plain == text:
            return False
        text = plain
    return pattern.search(text)


def unescape(text: str) -> str:
    """`text` with every JSON escape undone once; surrogate pairs joined, lone surrogates kept."""
    if "\\" not in text:
        return text
    plain = _ESCAPE.sub(lambda found: chr(int(found[1], 16)) if found[1] else _SHORT.get(found[2], found[2]), text)
    return plain.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
