"""Literals that a regular expression cannot do without."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.search.required import required

NEEDED = [
    ("foo", ("foo",), False),
    ("fo+bar", ("obar",), False),
    ("fo+b", ("ob",), False),
    ("colou?r", ("color", "colour"), False),
    ("(abc|abd)x+", ("abc", "abd"), False),
    ("error|warn|fatal", ("error", "warn", "fatal"), False),
    ("(?i)hello wor(ld|k)", ("hello world", "hello work"), True),
    ("(?i:abc)DEF", ("abcDEF",), True),
    ("(?i)(?-i:abc)[0-9]+", ("abc",), False),
    ("fools(?=bar)", ("fools",), False),
    ("(?<=longer)val", ("longer",), False),
    ("(?!never)val", ("val",), False),
    (r"fetch\w+Timeout\(\d+\)", ("Timeout(",), False),
    ("(?:abc){3}", ("abcabcabc",), False),
    ("(abc)?def", ("def",), False),
    ("(?:ab|cd)+efg", ("abefg", "cdefg"), False),
    ("(?>foobar)x", ("foobarx",), False),
    ("foo.*+bars", ("bars",), False),
    (r"\bword\b", ("word",), False),
    ("[Ee]rror", ("Error", "error"), False),
    ("[a-c]xyz", ("axyz", "bxyz", "cxyz"), False),
    ("[a-z]xyz", ("xyz",), False),
    ("ab{0}cd", ("acd",), False),
    ("(a)(?(1)bcd|efg)", ("a",), False),
    (r"(abc)\1", ("abc",), False),
    ("(?x) a b c # comment", ("abc",), False),
    ("(?:(?:abc|[0-9]x)y)+", ("y",), False),
    ("(?:a[0-9]+b|c)def", ("def",), False),
    ("数据(库|表)", ("数据库", "数据表"), False),
]


@pytest.mark.parametrize(("source", "literals", "ignore_case"), NEEDED)
def test_needed(source, literals, ignore_case):
    found = required(source, 0)
    assert (sorted(found.literals), found.ignore_case) == (sorted(literals), ignore_case)


@pytest.mark.parametrize("source", [
    "", "x*", "(abc)?", "[A-Z]{4}", "a|", "(?:a|[0-9]+)", "(?!abc)", '"', r"\n", "(a*)(?(1)b|c)", ".", "a{0,3}",
    "|".join(f"{chr(0x4E00 + number) * 3}[0-9]" for number in range(40)), "(?:abc|[0-9])*", "[^a]",
])  # fmt: skip
def test_nothing_is_needed_or_known(source):
    assert required(source, 0) is None


def test_the_flag_given_beside_counts_as_well():
    assert required("abc", re.IGNORECASE).ignore_case


LEAVES = st.sampled_from(
    ["a", "b", "abc", "K", "ſt", "数", "[ab]", "[0-9]", ".", r"\d", "x?", "é", r"\.", "[^a]", "ab{2}", "(?i:k)"]
)
EXPRESSIONS = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=4).map("".join),
        st.lists(inner, min_size=1, max_size=3).map(lambda parts: "(?:" + "|".join(parts) + ")"),
        st.tuples(inner, st.sampled_from(["*", "+", "?", "{2}", "{1,2}", "*?", "++"])).map("(?:{0[0]}){0[1]}".format),
        inner.map("({})".format),
        inner.map("(?={})".format),
        inner.map("(?:{}|)".format),
    ),
    max_leaves=8,
)


@given(EXPRESSIONS, st.booleans(), st.data())
def test_whatever_matches_holds_one_of_the_literals(source, ignore_case, data):
    flags = re.IGNORECASE if ignore_case else 0
    found = required(source, flags)
    texts = st.text(alphabet="abcABCkKKſstT数é1.x ", max_size=12)
    text = data.draw(texts)
    if re.search(source, text, flags) and found:
        options = re.IGNORECASE if found.ignore_case else 0
        assert any(re.search(re.escape(literal), text, options) for literal in found.literals)
