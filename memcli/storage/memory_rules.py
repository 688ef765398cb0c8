"""What a format says about the text of its memory files; the classes that look at that text go by it."""

from __future__ import annotations

from typing import NamedTuple


class Limit(NamedTuple):
    """That the agent reads only the beginning of a file: so many characters, or UTF-16 units where `utf16`. `reader` is who
    reads it, for a sentence; `effect` what follows from it."""

    characters: int
    reader: str
    effect: str
    utf16: bool = False


class MemoryRules(NamedTuple):
    """One memory file as the agent keeps it.

    `template` are the lines of what the agent makes a new file of, `unfilled` those of them that only hold the place of
    something. `skipped` tells that the agent leaves a file out that is still its template. `fillers` finds a line by which the
    agent's model says that it has nothing to say, where it stands under no heading of the user's. `echoes` are patterns of
    lines that are no memory but a piece of something else, each with what that is. `block` finds the heading of what the
    agent appends in one piece. `categories` are headings and labels that sort facts and name no subject. All patterns are
    searched for in a line without its list mark and emphasis; words are compared regardless of case.
    """

    template: frozenset[str] = frozenset()
    unfilled: frozenset[str] = frozenset()
    skipped: bool = False
    fillers: str = ""
    echoes: tuple[tuple[str, str], ...] = ()
    block: str = ""
    categories: frozenset[str] = frozenset()
    limit: Limit | None = None


FILLERS = r"^(?:none|n/a|无|暂无|[\[(（](?:nothing|none|n/?a|empty|no summary|无|暂无|空)[\])）])[.。]?$"
"""How models say that there is nothing to say."""
CATEGORIES = frozenset(
    (
        *("memory", "memories", "long-term memory", "facts", "notes", "important notes", "user", "user information"),
        *(
            "user profile",
            "about the user",
            "preferences",
            "user preferences",
            "projects",
            "project context",
            "decisions",
        ),
        *(
            "patterns",
            "habits",
            "记忆",
            "长期记忆",
            "事实",
            "备注",
            "笔记",
            "用户",
            "用户信息",
            "用户画像",
            "关于用户",
            "偏好",
        ),
        *(
            "用户偏好",
            "喜好",
            "项目",
            "项目背景",
            "项目信息",
            "重要事项",
            "重要信息",
            "决策",
            "关键决策",
            "习惯",
            "模式",
        ),
    )
)
"""Headings that sort facts, whoever wrote them."""
