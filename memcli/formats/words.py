"""The words that agents write by themselves into their files: what a masked copy keeps, since nobody's words are in them."""

from __future__ import annotations

from typing import NamedTuple


class Vocabulary(NamedTuple):
    """One format's own words.

    `names` are names of members, `kinds` those of them whose value is one of `words` (roles, types), `times` those whose
    value is a time, `numbers` those whose number means a place or an order (ids, cursors, offsets), `keys` those that hold
    the key of a session. `files` are names of files and folders.
    """

    names: frozenset[str]
    kinds: frozenset[str]
    words: frozenset[str]
    times: frozenset[str]
    numbers: frozenset[str]
    keys: frozenset[str]
    files: frozenset[str]


def vocabulary(
    names: str = "",
    *,
    kinds: str = "",
    words: str = "",
    times: str = "",
    numbers: str = "",
    keys: str = "",
    files: str = "",
) -> Vocabulary:
    """A format's words beside those that most agents have; each argument is a list, parted by blanks."""
    own = [frozenset(text.split()) for text in (names, kinds, words, times, numbers, keys, files)]
    base = [frozenset(text.split()) for text in (_NAMES, _KINDS, _WORDS, _TIMES, _NUMBERS, "", _FILES)]
    named, kind, word, time, number, key, file = (ours | theirs for ours, theirs in zip(own, base, strict=True))
    return Vocabulary(named | kind | time | number | key, kind, word, time, number, key, file)


_NAMES = """content name title message text arguments function input output result metadata media tool_calls tool_call_id
tool_use_id call_id reasoning_content thinking thinking_blocks size model usage"""
_KINDS = "role type _type"
_WORDS = "user assistant tool system function text message metadata thinking tool_use tool_result"
_TIMES = "timestamp created_at updated_at"
_NUMBERS = "id cursor index"
_FILES = """sessions memory workspace history.jsonl .cursor .dream_cursor MEMORY.md USER.md SOUL.md HISTORY.md .git HEAD
refs heads main index config packed-refs shallow index.lock jsonl tmp lock bak md json"""
