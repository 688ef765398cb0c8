"""The words that agents write by themselves into their files: what a masked copy keeps, since nobody's words are in them."""

from __future__ import annotations

from typing import NamedTuple


class Vocabulary(NamedTuple):
    """One format's own words.

    `names` are names of members, `kinds` those of them whose value is one of `words` (roles, types), `times` those whose
    value is a time, `numbers` those whose number means a place or an order (ids, cursors, offsets), `keys` those that hold
    the key of a session. `files` are names of files and folders, `headings` those of memory files, in lower case.
    """

    names: frozenset[str]
    kinds: frozenset[str]
    words: frozenset[str]
    times: frozenset[str]
    numbers: frozenset[str]
    keys: frozenset[str]
    files: frozenset[str]
    headings: frozenset[str]


def vocabulary(
    names: str = "",
    *,
    kinds: str = "",
    words: str = "",
    times: str = "",
    numbers: str = "",
    keys: str = "",
    files: str = "",
    headings: str = "",
) -> Vocabulary:
    """A format's words beside those that most agents have; each argument is a list, parted by blanks, `headings` by lines."""
    own = [frozenset(text.split()) for text in (names, kinds, words, times, numbers, keys, files)]
    base = [frozenset(text.split()) for text in (_NAMES, _KINDS, _WORDS, _TIMES, _NUMBERS, "", _FILES)]
    named, kind, word, time, number, key, file = (ours | theirs for ours, theirs in zip(own, base, strict=True))
    titles = frozenset(line.strip() for text in (headings, _HEADINGS) for line in text.splitlines() if line.strip())
    return Vocabulary(named | kind | time | number | key, kind, word, time, number, key, file, titles)


_NAMES = """content name title message text arguments function input output result metadata media tool_calls tool_call_id
tool_use_id call_id reasoning_content thinking thinking_blocks size model usage"""
_KINDS = "role type _type"
_WORDS = "user assistant tool system function text message metadata thinking tool_use tool_result"
_TIMES = "timestamp created_at updated_at"
_NUMBERS = "id cursor index"
_FILES = """sessions memory workspace history.jsonl .cursor .dream_cursor MEMORY.md USER.md SOUL.md HISTORY.md .git HEAD
refs heads main index config packed-refs shallow index.lock jsonl tmp lock bak md json"""
_HEADINGS = """
memory
memories
long-term memory
user
user profile
user information
about the user
preferences
user preferences
project
projects
project context
facts
notes
important notes
decisions
patterns
habits
dream
archived
记忆
长期记忆
用户
用户信息
用户画像
关于用户
偏好
用户偏好
项目
项目背景
项目信息
重要事项
重要信息
决策
事实
备注
笔记
"""
