"""What a pattern means: literals, regular expressions, case, words, spans, and what is refused."""

from __future__ import annotations

import warnings

import pytest

from memcli.errors import UsageError
from memcli.search.pattern import compile_pattern

# (patterns, options, text, spans)
FOUND = [
    (["b"], {}, "abcb", [(1, 2), (3, 4)]),
    (["a.c"], {}, "abc a.c", [(4, 7)]),
    (["x", "b"], {}, "abc", [(1, 2)]),
    (["ab", "abc", "bc"], {}, "abc", [(0, 3)]),
    (["bc", "ab"], {}, "abc", [(0, 2)]),
    (["aa"], {}, "aaa", [(0, 2)]),
    (['say "hi"\n'], {}, 'he said: say "hi"\nnow', [(9, 18)]),
    (["a.c"], {"regex": True}, "abc a.c", [(0, 3), (4, 7)]),
    (["^b"], {"regex": True}, "ab\nb", [(3, 4)]),
    (["a$"], {"regex": True}, "ba\nb", [(1, 2)]),
    (["(?i)B", "c"], {"regex": True}, "bC c", [(0, 1), (3, 4)]),
    ([r"(.)\1", r"(x)\1"], {"regex": True}, "aaxx", [(0, 2), (2, 4)]),
    (["error"], {"ignore_case": True}, "ERROR Error", [(0, 5), (6, 11)]),
    (["straße"], {"ignore_case": True}, "STRAẞE", [(0, 6)]),
    (["ΣΊΣΥΦΟΣ"], {"ignore_case": True}, "σίσυφος", [(0, 7)]),
    (["kiss"], {"ignore_case": True}, "\u212aıſS", [(0, 4)]),
    (["ИЯ"], {"ignore_case": True}, "ия", [(0, 2)]),
    (["data"], {"word": True}, "metadata data_x (data)", [(17, 21)]),
    (["数据"], {"word": True}, "查数据库", [(1, 3)]),
    (["data"], {"word": True}, "查data库", [(1, 5)]),
    (["编程"], {"word": True}, "用Python编程", [(7, 9)]),
    (["テスト"], {"word": True}, "単体テストです", [(2, 5)]),
    (["data数"], {"word": True}, "xdata数据 data数据", [(8, 13)]),
    (["@x"], {"word": True}, "a@x @x", [(4, 6)]),
    (["DATA"], {"word": True, "ignore_case": True}, "xdata data", [(6, 10)]),
    (["da|data"], {"word": True, "regex": True}, "data", [(0, 4)]),
    (["(?i)(?x) d a t a  # comment"], {"word": True, "regex": True}, "xdata DATA", [(6, 10)]),
    (["(?i:D)ata"], {"word": True, "regex": True}, "data DATA", [(0, 4)]),
]
MISSED = [
    (["B"], {}, "abc"),
    (["a\\.c"], {}, "a.c"),
    (["ss"], {"ignore_case": True}, "ß"),
    (["data"], {"word": True}, "metadata"),
    (["é"], {"word": True}, "née"),
    (["a.b"], {"regex": True}, "a\nb"),
]


@pytest.mark.parametrize(("patterns", "options", "text", "spans"), FOUND)
def test_found(patterns, options, text, spans):
    pattern = compile_pattern(patterns, **options)
    assert pattern.search(text)
    assert pattern.spans(text) == spans


@pytest.mark.parametrize(("patterns", "options", "text"), MISSED)
def test_missed(patterns, options, text):
    pattern = compile_pattern(patterns, **options)
    assert not pattern.search(text)
    assert pattern.spans(text) == []


@pytest.mark.parametrize("options", [{}, {"regex": True}, {"ignore_case": True}])
def test_the_empty_pattern_is_in_every_text_and_nowhere_in_it(options):
    pattern = compile_pattern([""], **options)
    assert pattern.search("")
    assert pattern.search("abc")
    assert pattern.spans("abc") == []
    assert pattern.anchors is None


@pytest.mark.parametrize(("source", "position", "problem"), [
    ("a(", 1, "missing ), unterminated subpattern"),
    ("*", 0, "nothing to repeat"),
    ("a[b", 1, "unterminated character set"),
    ("数(?P<1>x)", 5, "bad character in group name '1'"),
    ("x(?i)", 1, "global flags not at the start of the expression"),
])  # fmt: skip
@pytest.mark.parametrize("word", [False, True])
def test_a_bad_expression_is_refused_with_its_place(source, position, problem, word):
    with pytest.raises(UsageError) as raised:
        compile_pattern(["fine", source], regex=True, word=word)
    assert raised.value.facts == {"pattern": source, "position": position}
    assert raised.value.sentence.startswith(
        f"The regular expression {source!r} is not valid at character {position + 1}: {problem}"
    )


@pytest.mark.parametrize("source", ["(" * 5000 + ")" * 5000, "a{99999999999999999999}"])
def test_an_expression_beyond_the_means_of_re_is_refused(source):
    with pytest.raises(UsageError, match="too large or nested too deep"):
        compile_pattern([source], regex=True)


def test_hints_for_programmers_are_not_shown_to_users():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert compile_pattern(["[[a]"], regex=True).search("[")


def test_a_literal_is_no_expression():
    assert compile_pattern(["a("]).spans("a(") == [(0, 2)]


def test_anchors_of_several_patterns_are_all_needed():
    assert {anchor.exact for anchor in compile_pattern(["abc", "xyz"]).anchors} == {(b"abc",), (b"xyz",)}
    assert compile_pattern(["abc", '"']).anchors is None
    assert compile_pattern(["abc", "[0-9]+"], regex=True).anchors is None
    assert compile_pattern([f"word{number}" for number in range(100)]).anchors is None
