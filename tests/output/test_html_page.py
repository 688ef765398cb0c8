"""HTML pages: inert whatever the chat holds, every row to be linked, calls and reasoning folded."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.pages import inert

from memcli.core.exporting import Entry, Facts
from memcli.model import Record, ToolCall
from memcli.output import html_page
from memcli.output.export_words import exact

HOSTILE = (
    "<script>alert(1)</script>",
    "</div></article></main><script src=//evil.example/x.js></script>",
    "<img src=x onerror=alert(1)>",
    '" onmouseover="alert(1)',
    "[click](javascript:alert(1))",
    "javascript:alert(1)",
    '<a href="https://evil.example">x</a>',
    "![x](https://evil.example/pixel.png)",
    '<iframe src="data:text/html,<script>alert(1)</script>"></iframe>',
    "<style>@import url(//evil.example)</style></style>",
    "</title><script>alert(1)</script>",
    "<!-- --><meta http-equiv=refresh content='0;url=//evil.example'>",
    "<![CDATA[ ]]><svg onload=alert(1)>",
    "&lt;script&gt;",
    "&#60;script&#62;",
    "```html\n<script>alert(1)</script>\n```",
    "user\u202etxt.exe\u2066x\u2069",
    "\x1b]52;c;aaaa\x07\x00",
    "half \ud83d",
    "data:text/html;base64,PHNjcmlwdD4=",
)


def page(facts: Facts, *entries: Entry, **more: object) -> str:
    return b"".join(html_page.session(facts, entries, **more)).decode()


def facts(text: str = "x", **more: object) -> Facts:
    values = dict.fromkeys(("agent", "era", "key", "title", "preview", "path"), text)
    return Facts(**{**values, "size": 1, "messages": 1, "roles": {text: 1}, "damage": (text,), **more})


def entry(row: int, *records: Record, flaw: str = "") -> Entry:
    return Entry(row, row + 1, 100 * row, 10, flaw, records)


def everywhere(text: str) -> Record:
    return Record(text, text, text, text, text, (ToolCall(text, text, text),), text, text)


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_content_is_inert_and_shown(text: str) -> None:
    told = facts(text, header=(text,), created_at=text, updated_at=text, first=text, last=text + "2", lost=1)
    source = page(
        told, entry(1, everywhere(text)), entry(2, flaw=text), entry(3, Record("user", text)), index="index.html"
    )
    found = inert(source, links={"index.html"})
    assert found.texts.count(exact(text)) == 5
    assert "\u202e" not in source


@pytest.mark.parametrize("text", HOSTILE)
def test_the_index_is_inert(text: str) -> None:
    sessions = [(facts(text), "a.html"), (facts(text, why=text), "")]
    found = inert(b"".join(html_page.index(sessions)).decode(), links={"a.html"})
    assert found.shown.count("2 sessions") == 2


@given(st.text(), st.text())
def test_any_text_comes_back(text: str, name: str) -> None:
    found = inert(
        page(facts(name), entry(1, Record("user", text, name=name)), entry(2, Record("tool", text))), links=set()
    )
    assert found.texts == [exact(text)] * 2 if text else found.texts == []


def test_rows_can_be_linked_and_keep_their_numbers() -> None:
    entries = [
        entry(1, Record("user", "a")),
        entry(3, flaw="torn-line"),
        entry(12, Record("user", "b"), Record("x", "c")),
    ]
    found = inert(page(facts(), *entries), links=set())
    assert [anchor for anchor in found.anchors if anchor.startswith("row")] == ["row-1", "row-3", "row-12", "row-12-2"]
    assert "Row 3 (line 4, byte 300) cannot be read: torn-line; 10 bytes passed over." in found.shown


def test_calls_results_and_reasoning_are_folded_and_texts_are_not() -> None:
    call = ToolCall("c1", "read_file", "path: a.txt\nlimit: 2")
    source = page(
        facts(),
        entry(1, Record("user", "question")),
        entry(2, Record("assistant", "answer", reasoning="thought", calls=(call, ToolCall(None, "", "")))),
        entry(3, Record("tool", "result " * 40, answers="c1", name="read_file")),
    )
    folded = "".join(piece.partition("</details>")[0] for piece in source.split("<details>")[1:])
    assert all(text in folded for text in ("thought", "path: a.txt\nlimit: 2", "result " * 40, "(no name)"))
    assert "question" not in folded
    assert "answer" not in folded
    assert "<details open" not in source
    assert "<i><bdi>path: a.txt…</bdi></i> 20 characters" in source


def test_languages_times_and_notes() -> None:
    record = Record("user", "端口", "2026-05-20T08:30:00", name="张三")
    source = page(facts(), entry(1, record, flaw="bom"), masked=True, tz="Asia/Shanghai")
    assert '<div class="text" lang="zh" dir="auto">端口</div>' in source
    assert '<time datetime="2026-05-20T00:30:00.000Z"><bdi>2026-05-20T08:30:00</bdi></time>' in source
    assert '<span class="flaw">bom</span>' in source
    assert "replaced by labels" in source
    assert "All sessions" not in source


def test_the_index_tells_what_there_is() -> None:
    sessions = [
        (
            facts("k", key="desktop:main", title="标题", updated_at="2026-05-20T08:30:00Z", lost=2, lost_bytes=130),
            "主 main.html",
        ),
        (facts("k", preview="", damage=("unreadable",), why="permission denied"), ""),
    ]
    source = b"".join(html_page.index(sessions, masked=True)).decode()
    found = inert(source, links={"%E4%B8%BB%20main.html"})
    assert "2 unreadable lines passed over (130 bytes)" in found.shown
    assert "cannot be read: permission denied" in found.shown
    assert "replaced by labels" in found.shown
    assert source.index("标题") < source.index("permission denied")
