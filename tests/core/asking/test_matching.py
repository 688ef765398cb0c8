"""Where in the entries a line comes from."""

from __future__ import annotations

import pytest

from memcli.core.asking.matching import holds, invented, sources_of, standing
from memcli.core.asking.sending import show
from memcli.model import Batch, Entry

ENTRIES = (
    Entry(1, "[user] hi there\n[assistant] hello", "2026-05-02T09:14:00Z"),
    Entry(2, "[user] the staging database lives on db-7.corp.example:5433. Nothing else.\n[assistant] Noted."),
    Entry(3, "[user] 我们决定以后统一用 pnpm 管理依赖\n[assistant] 好的"),
)
SHOWN = show(Batch(ENTRIES, "- the old port was 5432"))


@pytest.mark.parametrize(
    ("text", "cursor", "words"),
    [
        ("Staging database: db-7.corp.example:5433", 2, "staging database lives on"),
        ("统一用 pnpm 管理依赖", 3, "我们决定以后统一用 pnpm 管理依赖"),
        ("预发数据库在 db-7.corp.example:5433", 2, "db-7.corp.example:5433"),
    ],
)
def test_a_line_with_a_source(text: str, cursor: int, words: str) -> None:
    sources = sources_of(text, SHOWN)
    assert [source.cursor for source in sources] == [cursor]
    assert words in sources[0].quote
    assert sources[0].quote in ENTRIES[cursor - 1].content


@pytest.mark.parametrize(
    "text", ["Backups go to Lisbon", "Staging database: db-7.corp.example:543", "每周五备份数据库"]
)
def test_a_line_without_one(text: str) -> None:
    assert sources_of(text, SHOWN) == ()


@pytest.mark.parametrize(
    ("quote", "found"),
    [
        ("db-7.corp.example:5433", "db-7.corp.example:5433"),
        ("the  staging\ndatabase …", "the staging database"),
        ("...", ""),
        ("th", ""),
        ("用", ""),
        ("The staging database", ""),
    ],
)
def test_a_quotation(quote: str, found: str) -> None:
    assert standing(quote, [ENTRIES[1].content, ENTRIES[2].content]) == found


def test_values_that_nobody_said() -> None:
    assert invented("Port 5433, no longer 5432, since 2026-05-02, by read-only e.g. x", [1, 2], SHOWN) == []
    assert invented("Port 543 and /srv/data/x", [2], SHOWN) == ["/srv/data/x", "543"]
    assert invented("2026-05-02", [2], SHOWN) == ["2026-05-02"]


@pytest.mark.parametrize(
    ("text", "value", "found"), [("8080", "80", False), ("80 8080", "80", True), ("v80", "80", True), ("", "8", False)]
)
def test_numbers_stand_alone(text: str, value: str, found: bool) -> None:
    assert holds(text, value) is found
