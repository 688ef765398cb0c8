"""Tables: aligned by display width, never wider than the terminal."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.output.columns import Column, cut, pad, size_words, table, width, wrapped

WIDTHS = [("abc", 3), ("中文", 4), ("é", 1), ("e\u0301", 1), ("👍", 2), ("ｆ", 2), ("a\u200db", 2), ("", 0)]


@pytest.mark.parametrize(("text", "columns"), WIDTHS)
def test_width(text: str, columns: int) -> None:
    assert width(text) == columns


@pytest.mark.parametrize(
    ("text", "limit", "made"),
    [
        ("abcdef", 6, "abcdef"),
        ("abcdef", 5, "abcd…"),
        ("中文字", 5, "中文…"),
        ("中文字", 4, "中…"),
        ("abc", 0, ""),
        ("abc", 1, "…"),
    ],
)
def test_cut(text: str, limit: int, made: str) -> None:
    assert cut(text, limit) == made


@pytest.mark.parametrize(
    ("count", "words"),
    [(0, "0"), (999, "999"), (1000, "1.0K"), (4400, "4.3K"), (200_000, "195K"), (10**9, "954M"), (2**31, "2.0G")],
)
def test_size_words(count: int, words: str) -> None:
    assert size_words(count) == words


@given(st.text(max_size=30), st.integers(0, 20))
def test_cut_fits(text: str, limit: int) -> None:
    assert width(cut(text, limit)) <= limit


@given(
    st.lists(st.tuples(st.text(max_size=40), st.text(max_size=12), st.text(max_size=60)), max_size=5),
    st.integers(20, 120),
)
def test_no_line_is_wider_than_the_terminal(rows: list[tuple[str, str, str]], limit: int) -> None:
    columns = [Column("KEY", least=8), Column("SIZE", right=True, drop=1), Column("TITLE", drop=2)]
    lines = table(columns, rows, limit)
    assert len(lines) == len(rows) + 1
    assert all(width(line) <= limit for line in lines)


def test_columns_line_up_in_chinese() -> None:
    lines = table([Column("KEY"), Column("TITLE")], [("中文键", "一"), ("ascii", "two")], 40)
    assert [
        line.index(word) + width(line[: line.index(word)]) - len(line[: line.index(word)])
        for line, word in zip(lines, ("TITLE", "一", "two"), strict=True)
    ] == [8, 8, 8]


def test_narrow_terminals_lose_columns_in_their_order() -> None:
    columns = [Column("KEY", least=8), Column("SIZE", drop=2), Column("DAMAGE", least=6, drop=1)]
    row = ("desktop:main", "4.3K", "torn-tail")
    assert table(columns, [row], 80)[0].split() == ["KEY", "SIZE", "DAMAGE"]
    assert table(columns, [row], 20)[0].split() == ["KEY", "DAMAGE"]


def test_pad() -> None:
    assert pad("中", 4) == "中  "
    assert pad("1", 3, right=True) == "  1"


def test_a_column_wider_than_the_terminal_is_cut_to_it() -> None:
    lines = table([Column("KEY", least=26), Column("TITLE", drop=1)], [("desktop:1748822400000", "hello")], 20)
    assert lines == ["KEY", "desktop:17488224000…"]


@pytest.mark.parametrize(
    ("text", "limit", "lines"),
    [
        ("", 10, [""]),
        ("   ", 10, [""]),
        ("one two", 10, ["one two"]),
        ("one two three", 8, ["one two", "three"]),
        ("one  two", 8, ["one  two"]),
        ("abcdefghij", 4, ["abcd", "efgh", "ij"]),
        ("x abcdefghij", 4, ["x", "abcd", "efgh", "ij"]),
        ("会话打不开", 6, ["会话打", "不开"]),
        ("会话打，不开", 6, ["会话", "打，不", "开"]),
        ("see 会话 now", 8, ["see 会话", "now"]),
        ("会", 1, ["会"]),
        ("é\u0301é", 1, ["é\u0301", "é"]),
    ],
)
def test_wrapped(text: str, limit: int, lines: list[str]) -> None:
    assert wrapped(text, limit) == lines


@given(st.text(alphabet="ab 会，。é👍\u0301", max_size=60), st.integers(2, 20))
def test_wrapped_keeps_every_character_and_the_width(text: str, limit: int) -> None:
    lines = wrapped(text, limit)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")
    assert all(width(line) <= max(limit, 2) or len(line) == 1 for line in lines)
