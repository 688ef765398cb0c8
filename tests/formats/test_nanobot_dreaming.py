"""How a Dream writes into nanobot's memory: bullets at the end of the list below the heading that fits them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from support.dreaming_suite import DAY, DreamingSuite, item

from memcli.formats import dreaming, load, longterm
from memcli.formats.facets import Target
from memcli.model import Item, Workspace

FACET = dreaming("nanobot")
USER = Target("/w/USER.md", "/w", ("user",))
MEMORY = Target("/w/memory/MEMORY.md", "/w", ("project",))
TABS, NIGHT = item("prefers tabs", "user", "preference"), item("works at night", "user", "pattern")
PORT, SQLITE = item("port is 8080"), item("use SQLite", "project", "decision")


class TestNanobot(DreamingSuite):
    """It passes the suite."""

    agent = "nanobot"
    targets = (USER, MEMORY)

    def told(self, one: Item) -> tuple[set[str], set[str]]:
        return {"", one.category}, {"", one.layer}


MEMORY_TEMPLATE = """# Long-term Memory

This file stores important information that should persist across sessions.

## User Information

(Important facts about the user)

## Project Context

(Information about ongoing projects)

## Important Notes

(Things to remember)

---

*This file is automatically updated by nanobot when important information should be remembered.*
"""


def put(target: Target, old: str | None, *items: Item) -> str:
    return FACET.put(target, None if old is None else old.encode(), items, DAY).decode()


def test_a_template_keeps_its_placeholders() -> None:
    assert put(MEMORY, MEMORY_TEMPLATE, PORT, TABS, SQLITE) == MEMORY_TEMPLATE.replace(
        "(Information about ongoing projects)\n",
        "(Information about ongoing projects)\n\n- port is 8080\n- use SQLite\n",
    )


def test_the_notes_are_above_the_rule_where_nothing_else_fits() -> None:
    old = MEMORY_TEMPLATE.replace("## Project Context\n\n(Information about ongoing projects)\n\n", "")
    assert put(MEMORY, old, PORT) == old.replace("(Things to remember)\n", "(Things to remember)\n\n- port is 8080\n")


@pytest.mark.parametrize(
    ("target", "old", "items", "new"),
    [
        (
            USER,
            None,
            [TABS, NIGHT],
            "# User Profile\n\n## Preferences\n\n- prefers tabs\n\n## User Information\n\n- works at night\n",
        ),
        (MEMORY, None, [PORT], "# Long-term Memory\n\n## Project Context\n\n- port is 8080\n"),
        (MEMORY, "", [PORT], "# Long-term Memory\n\n## Project Context\n\n- port is 8080\n"),
        (
            MEMORY,
            "# Long-term Memory\n\n- x\n",
            [PORT],
            "# Long-term Memory\n\n- x\n\n## Project Context\n\n- port is 8080\n",
        ),
        (USER, "# User\n\n- Called Ada\n", [TABS], "# User\n\n- Called Ada\n- prefers tabs\n"),
        (USER, "# User\n\n- Called Ada", [TABS], "# User\n\n- Called Ada\n- prefers tabs\n"),
        (
            USER,
            "# User Profile\n\nWords.\n\n## Hobbies\n- chess\n",
            [TABS],
            "# User Profile\n\nWords.\n\n## Hobbies\n- chess\n\n## Preferences\n\n- prefers tabs\n",
        ),
        (
            USER,
            "# User\n## Preferences\n\n### Communication Style\n\n- [ ] Casual\n",
            [TABS],
            "# User\n## Preferences\n\n- prefers tabs\n\n### Communication Style\n\n- [ ] Casual\n",
        ),
        (
            USER,
            "# User\n## Preferences\n### Style\n",
            [TABS],
            "# User\n## Preferences\n\n- prefers tabs\n### Style\n",
        ),
        (
            MEMORY,
            "## Project Context\n- a\n  - nested\n\n  more of it\n\nWords.\n## Decisions\n* b\n",
            [PORT, SQLITE],
            "## Project Context\n- a\n  - nested\n\n  more of it\n- port is 8080\n\nWords.\n## Decisions\n* b\n- use SQLite\n",
        ),
        (
            MEMORY,
            "## Project Context\n**Decisions**:\n- a\n**Food**\n- b\n",
            [SQLITE, PORT],
            "## Project Context\n\n- port is 8080\n\n**Decisions**:\n- a\n- use SQLite\n\n**Food**\n- b\n",
        ),
        (
            MEMORY,
            "## Project Context\n```\n- code\n```\n## X\n",
            [PORT],
            "## Project Context\n```\n- code\n```\n\n- port is 8080\n## X\n",
        ),
        (
            MEMORY,
            "## Project Context\n- a\n  ```\n  code\n  ```\n```\ncode\n```\n",
            [PORT],
            "## Project Context\n- a\n  ```\n  code\n  ```\n- port is 8080\n\n```\ncode\n```\n",
        ),
        (
            MEMORY,
            "## Project Context\ntext\n```\n- code\n",
            [PORT],
            "## Project Context\ntext\n\n- port is 8080\n\n```\n- code\n",
        ),
        (MEMORY, "# X\n````py\ncode", [PORT], "# X\n````py\ncode\n````\n\n## Project Context\n\n- port is 8080\n"),
        (
            MEMORY,
            "# 长期记忆\n\n## 备注\n\n- 无\n",
            [PORT],
            "# 长期记忆\n\n## 备注\n\n- 无\n\n## 项目背景\n\n- port is 8080\n",
        ),
        (
            USER,
            "# 用户\n## 其他\n",
            [TABS, NIGHT],
            "# 用户\n## 其他\n\n## 偏好\n\n- prefers tabs\n\n## 用户信息\n\n- works at night\n",
        ),
        (MEMORY, "## 项目信息\n- 甲\n", [PORT], "## 项目信息\n- 甲\n- port is 8080\n"),
        (
            MEMORY,
            "## 项目信息\r\n- 甲\r\n\r\n## 备注\r\n",
            [PORT],
            "## 项目信息\r\n- 甲\r\n- port is 8080\r\n\r\n## 备注\r\n",
        ),
        (USER, "\ufeff## Preferences\n- x\n", [TABS], "\ufeff## Preferences\n- x\n- prefers tabs\n"),
        (
            MEMORY,
            "## Preferences\n- x\n",
            [item("tabs", "project", "preference")],
            "## Preferences\n- x\n\n## Project Context\n\n- tabs\n",
        ),
        (MEMORY, "## Project Context\n", [TABS], "## Project Context\n"),
    ],
)
def test_where_a_bullet_goes(target: Target, old: str | None, items: list[Item], new: str) -> None:
    assert put(target, old, *items) == new


def test_bytes_that_are_no_utf_8_stay() -> None:
    old = b"## Project Context\n- caf\xe9\n\xff\xfe\n"
    assert FACET.put(MEMORY, old, [PORT], DAY) == b"## Project Context\n- caf\xe9\n\xff\xfe\n- port is 8080\n"


def test_real_files_only_grow(nanobot: Path) -> None:
    found = [path for path in nanobot.rglob("*.md") if path.name in ("USER.md", "MEMORY.md")]
    assert len(found) > 5
    for path in found:
        old = path.read_bytes()
        for target, items in ((USER, [TABS, NIGHT]), (MEMORY, [PORT, SQLITE])):
            new = FACET.put(target, old, items, DAY).split(b"\n")
            rest = iter(new)
            assert all(line in rest for line in old.split(b"\n"))
            assert {f"- {one.text}".encode() for one in items} <= set(new)


def test_where_items_go(nanobot: Path) -> None:
    for root in sorted(nanobot.glob("**/workspace")):
        for workspace in load("nanobot").layout.recognise(str(root)):
            targets = FACET.targets(workspace, "")
            assert {(Path(one.path).name, one.layers) for one in targets} == {
                ("USER.md", ("user",)),
                ("MEMORY.md", ("project",)),
            }
            assert FACET.targets(workspace, "somebody") == []
    assert FACET.targets(Workspace("nanobot", "/w"), "") == []


@pytest.mark.parametrize(
    ("kind", "subject"),
    [("dream", "dream: memcli, 3 items"), ("consolidate", "dream: memcli consolidate, 3 items")],
)
def test_the_agents_own_log_shows_it(kind: str, subject: str) -> None:
    assert FACET.subject(kind, DAY, 3) == subject
    assert any(kind == "dream" and re.fullmatch(pattern, subject) for kind, pattern in longterm("nanobot").SUBJECTS)
    assert FACET.SOURCE == "journal"


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (
            "- [permanent] User is Ada\n- [skip] small talk\n- [durable] port 8080",
            "- [permanent] User is Ada\n- [durable] port 8080",
        ),
        (
            "[RAW] 2 messages\n[2026-05-06T10:00] USER: hi\n[2026-05-06T10:00] ASSISTANT: yes",
            "[user] hi\n[assistant] yes",
        ),
        ("(nothing)", ""),
        ("[no summary]", ""),
        ("plain words", "plain words"),
    ],
)
def test_what_an_entry_says(content: str, text: str) -> None:
    row = {"cursor": 1, "timestamp": "2026-05-06 10:00", "content": content}
    assert FACET.said(load("nanobot").records.record(row)) == text


@pytest.mark.parametrize(("key", "inner"), [("dream:20260506", True), ("cli:direct", False)])
def test_whose_sessions_are_nobodys_chat(key: str, inner: bool) -> None:
    assert FACET.inner(key) is inner
