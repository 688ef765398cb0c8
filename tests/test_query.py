"""JMESPath expressions: what they shape and keep, and the sentence for each way to write them wrong."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli import query
from memcli.errors import UsageError

ROW = {
    "type": "session",
    "key": "desktop:main",
    "title": "部署网站",
    "size": 0,
    "damage": ["nul-run", "torn-tail"],
    "preview": "",
    "updated_at": None,
    "long": {"messages": 7},
}


@pytest.mark.parametrize(
    ("expression", "result"),
    [
        ("key", "desktop:main"),
        ("title", "部署网站"),
        ("missing", None),
        ("{k: key, n: length(damage)}", {"k": "desktop:main", "n": 2}),
        ("damage[0]", "nul-run"),
        ("damage[?starts_with(@, 'torn')]", ["torn-tail"]),
        ("damage[::-1]", ["torn-tail", "nul-run"]),
        ("sort_by([{a: `2`}, {a: `1`}], &a)[0].a", 1),
        ("map(&length(@), damage)", [7, 9]),
        ("`word`", "word"),
        ("@", ROW),
        ("not_null(updated_at, title)", "部署网站"),
        ("a" + "[0]" * 500, None),
    ],
)
def test_shape(expression: str, result: Any) -> None:
    assert query.compiled(expression).shape(ROW) == result


@pytest.mark.parametrize(
    ("expression", "kept"),
    [
        ("key", True),
        ("key == 'desktop:main'", True),
        ("key == 'other'", False),
        ("contains(title, '网站')", True),
        ("size", True),  # 0 is true in JMESPath
        ("`0.0`", True),
        ("`false`", False),
        ("`true`", True),
        ("preview", False),
        ("updated_at", False),
        ("missing", False),
        ("`[]`", False),
        ("`{}`", False),
        ("`[0]`", True),
        ("damage", True),
        ("long.messages > `5` && !preview", True),
        ("contains(damage, 'bom')", False),
    ],
)
def test_keeps(expression: str, kept: bool) -> None:
    assert query.compiled(expression).keeps(ROW) is kept


@pytest.mark.parametrize(
    ("expression", "position", "why"),
    [
        ("", 1, "empty"),
        ("a.[", 4, "ends too early"),
        ("length(", 8, "ends too early"),
        ("a b", 3, "unexpected token"),
        ("a['x", 3, "unclosed"),
        ("标题", 1, "unknown"),
        ("a #", 3, "unknown"),
        ("key == lenght(damage)", 8, "no function lenght()"),
        ("nope.x || nope (x)", 11, "no function nope()"),
        ("[?length(a, b)]", 3, "length() takes 1 argument, not 2"),
        ("{a: contains(a)}", 5, "contains() takes 2 arguments, not 1"),
        ("merge()", 1, "merge() takes at least 1 argument, not 0"),
        ("a[::0]", 3, "step of a slice"),
        ("&a", 1, "only for arguments"),
        ("type(&a)", 6, "only for arguments"),
        ("(" * 3000 + "a" + ")" * 3000, 1, "nested too deeply"),
    ],
)
def test_wrong_expression(expression: str, position: int, why: str) -> None:
    with pytest.raises(UsageError) as caught:
        query.compiled(expression)
    assert caught.value.facts["position"] == position
    assert f"at character {position}: " in caught.value.sentence
    assert why in caught.value.sentence
    assert len(caught.value.sentence) < 400


@pytest.mark.parametrize(
    ("expression", "row", "why"),
    [
        (
            "length(size)",
            ROW,
            "a row of type 'session': length() takes string or array or object, not number",
        ),
        ("sum(damage)", ROW, "a row of type 'session': sum() takes array of number, not "),
        ("sort(@)", ["a", 1], "fit a row: sort() takes"),
        ("floor(`1e999`)", ROW, "a row of type 'session': cannot convert float infinity"),
        (
            "abs(text)",
            {"type": "record", "text": "x" * 1_000_000},
            "a row of type 'record': abs() takes number",
        ),
        ("@" + " | @" * 5000, ROW, "a row of type 'session': it or the row is nested too deeply"),
    ],
)
def test_row_of_the_wrong_type(expression: str, row: Any, why: str) -> None:
    ready = query.compiled(expression)
    with pytest.raises(UsageError) as caught:
        ready.shape(row)
    assert why in caught.value.sentence
    assert len(caught.value.sentence) < 500
    with pytest.raises(UsageError):
        ready.keeps(row)


@given(st.text(alphabet="ab.[]{}()*?@&|!=<>`'\"0:,-  长length", max_size=30))
def test_any_expression_gives_a_value_or_a_usage_error(expression: str) -> None:
    with contextlib.suppress(UsageError):
        assert query.compiled(expression).keeps(ROW) in (True, False)
