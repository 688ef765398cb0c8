"""Facts that are said more than once: by cases on disk, and for any file."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.tidied import tidied

from memcli.core.tidying.framework import Fix
from memcli.damage.remembered import plain

CASES = sorted((Path(__file__).parent / "cases" / "duplicates").iterdir())


def read(case: Path) -> tuple[bytes, bytes, str, str]:
    """Before, after, agent and name of the file."""
    name = (case / "name").read_text(encoding="utf-8").strip() if (case / "name").exists() else "memory/MEMORY.md"
    agent = case.name.partition("-")[0]
    return (case / "before.md").read_bytes(), (case / "after.md").read_bytes(), agent, name


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_case(case: Path) -> None:
    before, after, agent, name = read(case)
    found = tidied("duplicates", before, agent, name)
    assert found.text.decode() == after.decode()
    assert (found.fixes == []) == (before == after)
    assert tidied("duplicates", after, agent, name).fixes == [], "a second run has nothing to do"


def stays(fix: Fix) -> list[bytes]:
    return [piece.old for piece in fix.pieces if piece.old == piece.new]


def test_each_fix_names_what_stays() -> None:
    text = (
        b"# M\n\n- Lives in Hangzhou\n- lives in Hangzhou.\n- the user lives in Hangzhou\n- tea\n- Lives in Hangzhou\n"
    )
    [fix] = tidied("duplicates", text, "nanobot").fixes
    assert stays(fix) == [b"- Lives in Hangzhou\n"]
    assert [piece.why for piece in fix.pieces if piece.new == b""] == [
        "lines 4 to 5 say what line 3 says",
        "line 7 says what line 3 says",
    ]


def test_a_byte_order_mark_stays() -> None:
    text = "\ufeff- Likes tea\n- **Preferences**: Likes tea\n".encode()
    assert tidied("duplicates", text, "nanobot").fixes == []


LINES = st.sampled_from(
    [
        *("- Likes tea", "- likes tea.", "* The user likes tea", "  - Likes tea", "- Likes coffee", "1. Likes tea"),
        *(
            "- 喜欢喝茶",
            "- 用户喜欢喝茶。",
            "- 喜欢喝咖啡",
            "## Preferences",
            "## 项目甲",
            "### Tools",
            "",
            "",
            "```",
            "---",
        ),
        *("- Port: 8080", "- Port: 9090", "> Likes tea", "| tea |", "**Staging**", "<!-- x -->", "Likes tea"),
        "## Dream — Project — 2026-05-20",
    ]
)


def facts(lines: list[str]) -> set[str]:
    """What the lines say, whoever is its subject."""
    return {plain(line).removeprefix("the user ").removeprefix("用户") for line in lines} - {""}


@given(st.lists(LINES, max_size=30), st.sampled_from(["catbuddy", "nanobot", "cococat"]))
def test_nothing_is_lost(lines: list[str], agent: str) -> None:
    text = "\n".join([*lines, ""]).encode()
    found = tidied("duplicates", text, agent)
    before, after = (raw.decode().split("\n") for raw in (text, found.text))
    assert facts(after) == facts(before)
    rest = iter(before)
    assert all(line in rest for line in after), "lines that stay stay in their order"
    if agent == "nanobot":
        free = ("-", "*")
        assert [line for line in after if line and not line.lstrip().startswith(free)] == [
            line for line in before if line and not line.lstrip().startswith(free)
        ]
