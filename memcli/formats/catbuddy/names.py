"""From session key to file name, and back as far as it goes (session manager, `_safeKey`)."""

from __future__ import annotations

import os

SUFFIX = ".jsonl"
UNITS = 200
"""A name keeps this many UTF-16 units of the key."""


def file_name(key: str) -> str:
    """The name of the file that catbuddy keeps the session `key` in.

    Different keys can share one: `desktop:a/b`, `desktop:a:b` and `desktop:a_b`, or two with the same first
    200 units.
    """
    safe = key.translate(_UNSAFE)
    if safe.isascii() and len(safe) <= UNITS:
        return safe + SUFFIX
    units = safe.encode("utf-16-le", "surrogatepass")[: 2 * UNITS].decode("utf-16-le", "surrogatepass")
    # the cut may go through a pair; Node writes the half that is left as U+FFFD
    return "".join("\ufffd" if "\ud800" <= character <= "\udfff" else character for character in units) + SUFFIX


def key_of_name(name: str) -> str:
    """The key that a file name tells: what stands before its first `_` is the channel. Never empty."""
    stem = name.removesuffix(SUFFIX)
    channel, underscore, chat = stem.partition("_")
    if channel and underscore:
        return f"{channel}:{chat}"
    return stem or name


def key_of_path(path: str) -> str:
    """The key that a path tells."""
    return key_of_name(os.path.basename(path) or path)


# by place, not by a dictionary: looking up what is not in it costs more than all the rest, for 20,000 names at once
_UNSAFE = "".join("_" if chr(code) in '<>:"/\\|?*' else chr(code) for code in range(128))
