"""Blocks of memory files: byte for byte the same again, cut where the agents cut, facts sorted by their labels."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.formats import longterm
from memcli.memory.blocks import Block, blocks, fenced, items, join, parts
from memcli.storage.memory_shape import Shape

CATBUDDY = longterm("catbuddy").shape("MEMORY.md")
COCOCAT = longterm("cococat").shape("MEMORY.md")
NANOBOT = longterm("nanobot").shape("MEMORY.md")
PLAIN = longterm("cococat").shape("memory.md")
SHAPES = [CATBUDDY, COCOCAT, NANOBOT, PLAIN, longterm("catbuddy").shape("USER.md"), Shape()]

PIECES = st.sampled_from(
    [
        b"\n",
        b"\r\n",
        b"\r",
        b"\0",
        b"\xef\xbb\xbf",
        b"\xff\xfe",
        "\u2028".encode(),
        b"```",
        b"~~~~\n",
        b"# ",
        b"## Dream \xe2\x80\x94 User Profile \xe2\x80\x94 2026-05-20\n",
        b"## Archived \xe2\x80\x94 2026-05-20\r\n",
        b"## User Profile\n",
        b"### 2026-05-02 Dream Consolidation\n",
        b"## Dream Consolidation (2026-05-06)\n",
        b"- **Key Decision**: x\n",
        "- 用户 偏好\n".encode(),
    ]
)
TEXTS = st.one_of(
    st.binary(max_size=200), st.lists(st.one_of(PIECES, st.binary(max_size=6)), max_size=30).map(b"".join)
)


@pytest.mark.parametrize("shape", SHAPES)
@given(text=TEXTS)
def test_the_blocks_are_the_file_again(shape: Shape, text: bytes) -> None:
    found = blocks(text, shape)
    assert join(found) == text
    assert all(block.raw for block in found)
    for block in found:
        assert block.head.count(b"\n") <= 1
        places = [item.line for item in items(block, shape)]
        assert places == sorted(places)
        last = block.line + bool(block.head) + block.body.count(b"\n")
        assert all(block.line <= line <= last for line in places)


@pytest.mark.parametrize("shape", SHAPES)
@given(text=TEXTS)
def test_a_block_stands_on_the_line_that_it_tells(shape: Shape, text: bytes) -> None:
    lines = text.split(b"\n")
    for block in blocks(text, shape):
        if block.head:
            assert lines[block.line - 1] == block.head.removesuffix(b"\n")


def test_every_sample_is_the_same_again(samples: Path, nanobot: Path) -> None:
    found = [path for root in (samples, nanobot) for path in root.rglob("*.md")]
    assert len(found) > 10
    for path in found:
        for shape in SHAPES:
            assert join(blocks(path.read_bytes(), shape)) == path.read_bytes()


def told(text: str, shape: Shape) -> list[tuple[str, str, str, str, int]]:
    return [(one.kind, one.title, one.date, one.section, one.line) for one in blocks(text.encode(), shape)]


def facts(text: str, shape: Shape) -> list[tuple[str, str, str, int]]:
    return [
        (item.text, item.category, item.section, item.line)
        for block in blocks(text.encode(), shape)
        for item in items(block, shape)
    ]


def test_catbuddy(samples: Path) -> None:
    text = (samples / "catbuddy/home-workspace/memory/MEMORY.md").read_text()
    assert told(text, CATBUDDY) == [
        ("own", "Long-term Memory", "", "", 1),
        ("dream", "Dream — User Profile — 2026-05-20", "2026-05-20", "user", 6),
        ("archived", "Archived — User Profile — 2026-05-21", "2026-05-21", "user", 10),
        ("dream", "Dream — 2026-05-22", "2026-05-22", "", 14),
    ]
    last = blocks(text.encode(), CATBUDDY)[-1]
    assert b"## Project Context\n(nothing)" in last.body
    assert last.lead == b"\n\n"
    assert facts(text, CATBUDDY) == [
        ("Uses pnpm, not npm", "", "user", 7),
        ("Prefers short answers", "", "user", 11),
        ("Uses pnpm", "", "user", 16),
    ]


@pytest.mark.parametrize(
    "line",
    [
        "## Dream - User Profile - 2026-05-20",
        "### Dream — User Profile — 2026-05-20",
        "## Dream — Notes — 2026-05-20",
        "## Dream — User Profile — 2026-5-2",
        " ## Dream — 2026-05-20",
        "x ## Dream — 2026-05-20",
    ],
)
def test_what_is_no_heading_of_catbuddys(line: str) -> None:
    assert {one.kind for one in blocks(f"{line}\n- x\n".encode(), CATBUDDY)} == {"own"}


def test_a_body_with_headings_and_an_open_fence() -> None:
    text = "## Dream — Project — 2026-05-20\n## Ports\n- 8080\n```\n# no heading\n\n\n## Archived — 2026-05-21\n- x\n"
    assert [one[0] for one in told(text, CATBUDDY)] == ["dream", "archived"]
    assert facts(text, CATBUDDY) == [("8080", "", "project", 3), ("x", "", "", 9)]


def test_cococat(samples: Path) -> None:
    text = (samples / "cococat/v1-healthy/agents/leader/memory/MEMORY.md").read_text()
    assert told(text, COCOCAT) == [
        ("own", "Leader Memory", "", "", 1),
        ("dream", "2026-05-06 Dream Consolidation", "2026-05-06", "", 6),
    ]
    assert facts(text, COCOCAT) == [
        ("use SQLite in WAL mode", "decision", "", 7),
        ("site runs on one VPS", "fact", "", 8),
        ("short answers", "preference", "", 9),
        ("deploys happen on Fridays", "pattern", "", 10),
        ("remembered by tool, appended as a plain bullet", "", "", 11),
    ]


def test_a_doubled_heading_is_one_and_the_first_date_counts(samples: Path) -> None:
    text = (samples / "cococat/v1-damaged/agents/employee_a/memory/MEMORY.md").read_text()
    assert [(one.date, one.line) for one in blocks(text.encode(), COCOCAT)] == [
        ("", 1),
        ("2026-05-02", 4),
        ("2026-05-03", 8),
    ]


def test_categories_as_headings_stay_inside_and_other_headings_do_not() -> None:
    text = (
        "### 2026-05-02 Dream\n## Key Decisions\n- a\n\n**Patterns**:\n- b\n#### Deep\n- c\n"
        "## 关键决策\n- d\n## Notes\n- e\n"
    )
    assert told(text, COCOCAT) == [
        ("dream", "2026-05-02 Dream", "2026-05-02", "", 1),
        ("own", "Notes", "", "", 11),
    ]
    assert facts(text, COCOCAT) == [
        ("a", "decision", "", 3),
        ("b", "pattern", "", 6),
        ("c", "", "", 8),
        ("d", "decision", "", 10),
        ("e", "", "", 12),
    ]


def test_a_profile() -> None:
    text = "- likes blue products\n\n## Dream Consolidation (2026-05-06)\n- prefers blue\n"
    assert told(text, COCOCAT) == [
        ("own", "", "", "", 1),
        ("dream", "Dream Consolidation (2026-05-06)", "2026-05-06", "", 3),
    ]
    assert facts(text, COCOCAT) == [("likes blue products", "", "", 1), ("prefers blue", "", "", 4)]


def test_plain_lines() -> None:
    assert facts("fact one\n\n用户叫 Leaif\n- x\n", PLAIN) == [
        ("fact one", "", "", 1),
        ("用户叫 Leaif", "", "", 3),
        ("x", "", "", 4),
    ]


def test_nanobot() -> None:
    text = (
        "# Long-term Memory\n\nIntro.\n\n## User Information\n\n- Lives in 港口\n  near the sea\n- **Name**: Ann\n\n"
        "## Preferences\n* short\n\n## Project Context\n1. port 8080\n"
    )
    assert [one[1] for one in told(text, NANOBOT)] == [
        "Long-term Memory",
        "User Information",
        "Preferences",
        "Project Context",
    ]
    assert facts(text, NANOBOT) == [
        ("Lives in 港口\nnear the sea", "", "user", 7),
        ("**Name**: Ann", "", "user", 9),
        ("short", "preference", "user", 12),
        ("port 8080", "", "project", 15),
    ]


def test_a_heading_in_a_fence_and_one_with_a_byte_order_mark() -> None:
    text = "\ufeff# A\n```sh\n# no\n```\n## B\n~~~\n```\n# no\n~~~~\n# C #\n#\n#x\n"
    assert [one[1] for one in told(text, NANOBOT)] == ["A", "B", "C", ""]


def test_nothing() -> None:
    assert blocks(b"", NANOBOT) == []
    assert blocks(b"\n\n", NANOBOT) == [Block("own", b"", b"", b"\n\n", 1)]


def test_code_between_fences_holds_no_facts() -> None:
    text = "## Preferences\n- a\n```\n- code\n**Patterns**\n```\n- b\n  ```\n  - code\n  ```\n  more\n~~~\n- open\n"
    [block] = blocks(text.encode(), NANOBOT)
    assert [(one.text, one.category) for one in items(block, NANOBOT)] == [
        ("a", "preference"),
        ("b\nmore", "preference"),
        ("open", "preference"),
    ]
    assert [one.text for one in items(blocks(b"```\nfact\n```\n", PLAIN)[0], PLAIN)] == ["```", "fact", "```"]


def test_parts() -> None:
    text = "## Project Context\ntext\n**Decisions**:\n- a\n```\n**Patterns**\n```\n**Food**\n- b\n```\n**Facts**\n"
    [block] = blocks(text.encode(), NANOBOT)
    found = parts(block, NANOBOT)
    assert [(one.body, one.category, one.section) for one in found] == [
        (b"text\n", "", "project"),
        (b"- a\n```\n**Patterns**\n```\n", "decision", "project"),
        (b"- b\n", "", "project"),
    ]
    assert [block.body[one.offset :].startswith(one.body) for one in found] == [True] * 3


@pytest.mark.parametrize(
    ("body", "code", "left_open"),
    [
        (b"", [], None),
        (b"a\n```\nb\n```\n```\nc\n```", [0, 1, 1, 1, 2, 2, 2], None),
        (b"````\n```\n````\n~~~~\n", [1, 1, 1, 0], (3, "~~~~")),
        (b"```\n``` py\n", [0, 0], (0, "```")),
    ],
)
def test_fences(body: bytes, code: list[int], left_open: tuple[int, str] | None) -> None:
    assert fenced(body) == (code, left_open)
