"""Session keys and file names: lossy up to nanobot 0.2.2 (E0 to E2), base64url of the key since 0.3.0
(E3, E4)."""

from __future__ import annotations

from binascii import a2b_base64, b2a_base64

SUFFIX = ".jsonl"
LOSSY_ERAS = ("E0", "E1", "E2")


def lossy_name(key: str) -> str:
    """The file name of `key` up to 0.2.2: telegram:a_b, telegram:a:b and telegram/a:b share one
    (safe_filename)."""
    return key.translate(_UNSAFE).strip() + SUFFIX


def encoded_name(key: str) -> str:
    """The file name of `key` since 0.3.0: base64url of its UTF-8 without padding (storage_key)."""
    return _encoded(key.encode("utf-8", "surrogatepass")) + SUFFIX


def stem_of(name: str) -> str:
    """A file name without `.jsonl`; any other name as it is."""
    return name[: -len(SUFFIX)] if name.endswith(SUFFIX) else name


def decoded_key(name: str) -> str | None:
    """The key that nanobot 0.3 and later reads from a file name; None for a name that it does not count.

    A stem counts only when encoding the key again gives the same stem (session_key_from_path).
    """
    stem = stem_of(name)
    if not stem or stem == name:
        return None
    try:
        packed = a2b_base64(stem.translate(_TO_STANDARD) + "=" * (-len(stem) % 4))
        key = packed.decode("utf-8")
    except ValueError:
        return None
    return key if _encoded(packed) == stem else None


def is_surely_encoded(name: str) -> bool:
    """Whether a file name is base64url beyond doubt: it decodes to `channel:chat`, which no lossy name
    does by chance."""
    key = decoded_key(name)
    if key is None:
        return False
    channel, colon, _ = key.partition(":")
    return bool(colon) and channel.isascii() and channel.replace("_", "").replace("-", "").isalnum()


def told_key(name: str, era: str) -> str:
    """The key that a file name alone tells: decoded where it is encoded, else guessed back from the lossy
    name.

    A lossy name with exactly one underscore is read as `channel:chat`; with more of them several keys are
    possible and the stem stays as it is.
    """
    key = decoded_key(name)
    if key and (is_surely_encoded(name) or (era not in LOSSY_ERAS and not _CONTROLS.intersection(key))):
        return key
    stem = stem_of(name)
    if stem.count("_") == 1 and not stem.startswith("_") and not stem.endswith("_"):
        return stem.replace("_", ":")
    return stem or name or "?"


def _encoded(packed: bytes) -> str:
    return b2a_base64(packed, newline=False).decode("ascii").rstrip("=").translate(_TO_URL)


_UNSAFE = {ord(character): "_" for character in '<>:"/\\|?*'}
_TO_STANDARD = str.maketrans("-_", "+/")
_TO_URL = str.maketrans("+/", "-_")
_CONTROLS = frozenset(map(chr, (*range(32), *range(127, 160))))
