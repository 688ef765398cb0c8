"""Summaries that repeat each other: by cases on disk, and for any pile of them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.tidied import tidied

from memcli.formats import longterm
from memcli.memory.blocks import blocks

CASES = sorted((Path(__file__).parent / "cases" / "archived").iterdir())


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_case(case: Path) -> None:
    before, after = (case / "before.md").read_bytes(), (case / "after.md").read_bytes()
    agent = case.name.partition("-")[0]
    found = tidied("archived", before, agent)
    assert found.text.decode() == after.decode()
    assert (found.fixes == []) == (before == after)
    assert tidied("archived", after, agent).fixes == [], "a second run has nothing to do"


class Told(NamedTuple):
    """A fact and the ways in which a summary may put it: each says all of it."""

    words: tuple[str, ...]


POOL = [
    Told(("The shop uses pnpm for builds", "the shop uses pnpm for builds.", "The shop is using pnpm for builds")),
    Told(("The shop does not use pnpm for builds",)),
    Told(("The API listens on port 8080", "The API listens on port 8080.")),
    Told(("The API listens on port 9090",)),
    Told(("The API listens on port 8080 in staging",)),
    Told(("Prefers vitest over jest", "The user prefers vitest over jest")),
    Told(("Prefers jest over vitest",)),
    Told(("Orders are exported as CSV", "Orders are exported as CSV, and invoices are sent as PDF files")),
    Told(("Orders were exported as CSV",)),
    Told(("Logging is on in staging",)),
    Told(("Logging is off in staging",)),
    Told(("用户喜欢简短的回答", "喜欢简短的回答。", "用户喜欢简短的回答，请注意")),
    Told(("用户不喜欢简短的回答",)),
    Told(("项目使用 pnpm 管理依赖", "项目采用 pnpm 管理依赖", "项目目前使用 pnpm 管理依赖")),
    Told(("项目使用 npm 管理依赖",)),
    Told(("前端监听 8081 端口", "前端监听 8081 端口。")),
    Told(("前端监听 3000 端口",)),
    Told(("备份在每天凌晨三点", "备份在每天凌晨三点；")),
    Told(("备份在每天凌晨五点",)),
    Told(("可能改用 Go 语言",)),
]
"""Facts of which no two say the same, though many are near each other."""


@st.composite
def bodies(draw: st.DrawFn) -> tuple[list[str], list[int]]:
    """A summary's lines, and which facts are in them."""
    lines: list[str] = []
    told = []
    for number in draw(st.lists(st.integers(0, len(POOL) - 1), max_size=7, unique=True)):
        if draw(st.integers(0, 5)) == 0:
            lines.append(draw(st.sampled_from(["### Tools", "## Project Context", "**Open**", "", "(nothing)", "---"])))
        mark = draw(st.sampled_from(["- ", "- ", "- ", "* ", ""]))
        lines.append(mark + draw(st.sampled_from(POOL[number].words)))
        told.append(number)
    return lines, told


HEADS = st.tuples(
    st.sampled_from(["Archived — Project", "Archived — Project", "Archived", "Dream — Project"]),
    st.sampled_from(["2026-05-20", "2026-05-21", "2026-05-22"]),
)


@st.composite
def files(draw: st.DrawFn) -> tuple[str, set[int]]:
    """A memory file with a pile of summaries, some of them copies that were put a little otherwise."""
    text = "# Long-term Memory\n\n- Own words\n"
    every: set[int] = set()
    before: tuple[list[str], list[int]] = ([], [])
    for kind, date in draw(st.lists(HEADS, max_size=6)):
        lines, told = draw(bodies())
        if draw(st.booleans()):
            lines, told = [*before[0], *lines], [*before[1], *told]
        before = lines, told
        every |= set(told)
        text += "\n".join(["", "", f"## {kind} — {date}", *lines, ""])
    return text, every


def says(text: str, fact: Told) -> bool:
    """Whether a line of a text is a fact in one of its spellings."""
    lines = {line.lstrip("-* ").rstrip("。.；") for line in text.split("\n")}
    return any(word.rstrip("。.；") in lines for word in fact.words)


@given(files())
def test_every_distinct_fact_of_before_stands_after(made: tuple[str, set[int]]) -> None:
    text, every = made
    after = tidied("archived", text.encode()).text.decode()
    assert [POOL[number].words[0] for number in every if not says(after, POOL[number])] == []
    shape = longterm("catbuddy").shape("MEMORY.md")
    untouched = [block.raw for block in blocks(text.encode(), shape) if block.kind != "archived"]
    assert [block.raw for block in blocks(after.encode(), shape) if block.kind != "archived"] == untouched
    for _ in range(5):
        again = tidied("archived", after.encode())
        assert [POOL[number].words[0] for number in every if not says(again.text.decode(), POOL[number])] == []
        if not again.fixes:
            break
        after = again.text.decode()
    else:
        raise AssertionError("it never comes to an end")


@given(files())
def test_the_newest_stays(made: tuple[str, set[int]]) -> None:
    text, _ = made
    for fix in tidied("archived", text.encode()).fixes:
        [kept] = [piece for piece in fix.pieces if re.match(r"the summary in line \d+ stays", piece.why)]
        rest = iter(kept.new.splitlines())
        assert all(line in rest for line in kept.old.splitlines()), "its own lines stay, in their order"
        shape = longterm("catbuddy").shape("MEMORY.md")
        [newest] = blocks(kept.old, shape)
        every = [blocks(piece.old, shape)[0] for piece in fix.pieces]
        assert newest.date == max(block.date for block in every if "- " in block.body.decode() or block == newest)


@given(st.binary(max_size=200))
def test_any_bytes(raw: bytes) -> None:
    text = "## Archived — Project — 2026-05-20\n".encode() + raw + "\n## Archived — Project — 2026-05-20\n".encode()
    assert tidied("archived", text).text is not None
