"""Text as HTML: the text comes back exactly, code in fences is code, the language is told by the script."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.output.export_words import exact
from memcli.output.html_text import attribute, block, inline, language


class Text(HTMLParser):
    def __init__(self, source: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.data = ""
        self.feed(source)
        self.close()

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        self.data += data


@given(st.text() | st.text(alphabet="`~\n\r <&>\"'ab汉", max_size=80), st.booleans())
def test_every_character_is_where_it_was(text: str, mono: bool) -> None:
    page = Text(block(text, mono=mono))
    assert page.data == exact(text)
    assert set(page.tags) <= {"div", "code"}


def test_the_line_ends_of_windows_stay_and_others_are_shown() -> None:
    assert Text(block("a\r\nb\rc")).data == "a\r\nb\\rc"
    assert "\r" not in block("a\r\nb\rc")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("no code", []),
        ("a\n```py\nx = 1\n```\nb", ["```py\nx = 1\n```\n"]),
        ("```\nx\n```", ["```\nx\n```"]),
        ("~~~\n```\n~~~\nb", ["~~~\n```\n~~~\n"]),
        ("````\n```\n````\n", ["````\n```\n````\n"]),
        ("```\nnever closed", ["```\nnever closed"]),
        ("a ``` b", []),
        ("```a\n1\n```\n```b\n2\n```", ["```a\n1\n```\n", "```b\n2\n```"]),
    ],
)
def test_fences(text: str, code: list[str]) -> None:
    found = block(text).split("<code>")[1:]
    assert [piece.partition("</code>")[0] for piece in found] == code


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", ""),
        ("hello", ""),
        ("端口 8081", "zh"),
        ("こんにちは、世界", "ja"),
        ("这个 の 中文句子里只有一个假名，其余全部都是汉字而已，所以算中文。", "zh"),
        ("안녕하세요 世界", "ko"),
        ("مرحبا", ""),
    ],
)
def test_language(text: str, told: str) -> None:
    assert language(text) == told


def test_lines() -> None:
    assert inline('<b>\n"x"\u202e') == "<bdi>&lt;b&gt; &quot;x&quot;\\u202e</bdi>"
    assert inline("会话") == '<bdi lang="zh">会话</bdi>'
    assert attribute('"><script>') == "&quot;&gt;&lt;script&gt;"
