"""Markdown pages: read by a Markdown parser, every text is exactly what it was, and nothing in it is markup."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from memcli.core.exporting import Entry, Facts
from memcli.model import Record, ToolCall
from memcli.output import markdown_page
from memcli.output.export_words import exact
from memcli.output.markdown_page import code, fenced, plain

PARSER = MarkdownIt("commonmark")
TRICKS = (
    "```\n</details>\n```\n# heading",
    "````` five\n```",
    "</details><script>alert(1)</script>",
    "# not a heading\n- nor a list",
    "    indented\n\ttab",
    "trailing blanks   \n\n\n",
    "\nleading line",
    "![x](https://evil.example/p.png) <https://evil.example> [a](javascript:x)",
    "`",
    "a `b` ``c``",
    "---\ntitle: x\n---",
    "| a | b |\n|---|---|",
    "中文，emoji 👩\u200d💻",
    "~~~\nx\n~~~",
)


def texts(source: str) -> list[str]:
    """What stands in the fences, without the newline that the last fence needs."""
    return [token.content[:-1] for token in PARSER.parse(source) if token.type == "fence"]


def facts(text: str = "x", **more: object) -> Facts:
    values = dict.fromkeys(("agent", "era", "key", "title", "preview", "path"), text)
    return Facts(**{**values, "size": 1, "messages": 1, "roles": {text: 1}, **more})


def page(told: Facts, *entries: Entry, **more: object) -> str:
    return b"".join(markdown_page.session(told, entries, **more)).decode()


def entry(row: int, *records: Record, flaw: str = "") -> Entry:
    return Entry(row, row + 1, 100 * row, 10, flaw, records)


@pytest.mark.parametrize("text", TRICKS)
def test_every_text_is_exact(text: str) -> None:
    record = Record("assistant", text, reasoning=text, calls=(ToolCall("c", text, text),), name=text, timestamp=text)
    source = page(facts(text, header=(text,)), entry(1, record), entry(2, Record("tool", text)))
    assert texts(source) == [text] * 5


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"]), min_size=1))
def test_any_text_comes_back(text: str) -> None:
    [found] = texts(fenced(text))
    assert found == exact(text).replace("\r\n", "\n")  # line ends are the parser's


def test_the_line_ends_of_windows_stay() -> None:
    assert "\na\r\nb\n" in page(facts(), entry(1, Record("user", "a\r\nb")))


@given(st.text(alphabet="`*_[]<>&#|~!\\ :/@.wa\n中\"'", max_size=60))
def test_titles_and_keys_are_text(text: str) -> None:
    told = facts(text, title=text)
    tokens = PARSER.parse(page(told))
    inner = [child for token in tokens if token.children for child in token.children]
    assert {child.type for child in inner} <= {"text", "text_special", "code_inline", "softbreak"}
    assert not any(token.type == "html_block" for token in tokens)
    assert [token.tag for token in tokens if token.type == "heading_open"] == ["h1"]


@pytest.mark.parametrize(
    ("text", "shown"),
    [("a", "`a`"), ("", "(none)"), ("`", "`` ` ``"), ("a``b", "```a``b```"), (" a ", "`  a  `"), ("a\nb", "`a b`")],
)
def test_code(text: str, shown: str) -> None:
    assert code(text) == shown


def test_addresses_are_no_links() -> None:
    assert plain("see https://x.example www.x.example a@x.example") == (
        "see https\\://x.example www\\.x.example a\\@x.example"
    )


def test_a_page() -> None:
    call = ToolCall("c1", "run <it>", "")
    told = facts("k", title="T", lost=1, lost_bytes=10, damage=("torn-line",), first="1", last="2", created_at="0")
    source = page(
        told,
        entry(1, Record("user", "question", "2026-05-20T08:30:00Z", name="ann")),
        entry(2, flaw="torn-line"),
        entry(3, Record("assistant", "", calls=(call,)), Record("", "b"), flaw="glued-lines"),
        index="index.md",
        masked=True,
    )
    assert source == (
        "# T\n\n[All sessions](index.md)\n\n- Session: `k`\n- Agent: k k\n- File: `k`\n- Size: 1 byte\n- Created: 0\n"
        "- Time: 1 to 2\n- Records: 1: k 1\n- Not readable: 1 unreadable line passed over (10 bytes)\n- Damage: torn-line\n"
        "\nSecrets and personal data are replaced by labels; one value has the same label everywhere in this export.\n"
        "\n## 1 · user · ann · 2026-05-20T08:30:00Z\n\n```\nquestion\n```\n"
        "\n---\n\n**Row 2 (line 3, byte 200) cannot be read: torn-line; 10 bytes passed over.**\n"
        "\n## 3 · assistant · \\[glued-lines\\]\n\n<details>\n<summary>Call: run &lt;it&gt;</summary>\n\n\n</details>\n"
        "\n## 3 · (no role) · \\[glued-lines\\]\n\n```\nb\n```\n"
    )


def test_the_index() -> None:
    sessions = [
        (
            facts(
                "k", key="desktop:main", title="标题 [x]", updated_at="2026", preview="hello <b>", lost=1, lost_bytes=5
            ),
            "主.md",
        ),
        (facts("k", title="", preview="", why="permission denied", damage=("unreadable",)), ""),
    ]
    source = b"".join(markdown_page.index(sessions, masked=True)).decode()
    assert re.findall(r"^- .*", source, re.MULTILINE) == ["- [标题 \\[x\\]](<%E4%B8%BB.md>)", "- `k`"]
    assert (
        "  `desktop:main` · k k · 2026 · 1 record · 1 unreadable line passed over (5 bytes)\n  > hello \\<b\\>\n"
        in source
    )
    assert "  k k · cannot be read: permission denied · damage: unreadable\n" in source
