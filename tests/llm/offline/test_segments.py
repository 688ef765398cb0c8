"""Turns, sentences and clauses of an entry; what is pasted is not said."""

from __future__ import annotations

import pytest

from memcli.llm.offline.segments import clauses, listed, said, sentences, split


def test_turns_have_roles_and_replies() -> None:
    found = list(sentences(7, "[user] First. Second?\n[assistant] Yes.\n[tool] 12 rows\n[user] 第三句。第四句！"))
    assert [(one.role, one.text, one.reply) for one in found] == [
        ("user", "First.", "Yes."),
        ("user", "Second?", "Yes."),
        ("assistant", "Yes.", ""),
        ("user", "第三句。", ""),
        ("user", "第四句！", ""),
    ]
    assert {one.cursor for one in found} == {7}


def test_text_without_roles_is_the_users() -> None:
    assert [(one.role, one.text) for one in sentences(1, "we use Go")] == [("user", "we use Go")]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("Use 3.12. Not 3.11!", ["Use 3.12.", "Not 3.11!"]),
        ("it fails, e.g. on ARM. Always", ["it fails, e.g. on ARM.", "Always"]),
        ("put it in .env. thanks", ["put it in .env.", "thanks"]),
        ("好。行！走吧", ["好。", "行！", "走吧"]),
        ("他说“好。”我走了", ["他说“好。”", "我走了"]),
        ("a; b", ["a;", "b"]),
        ("wait... what", ["wait...", "what"]),
        ("", []),
    ],
)
def test_sentences(text: str, parts: list[str]) -> None:
    assert list(split(text)) == parts


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("look:\n2026-01-01T10:00:00Z ERROR we always fail", "look:"),
        ("why\nTraceback (most recent call last)\nValueError: from now on", "why"),
        ("see below:\nwe always use X", "see below:"),
        ("first line\nsecond line", "first line\nsecond line"),
        ("he wrote “我们以后所有的项目全部都必须用这个工具” today", "he wrote   today"),
        ("the name is “云图”", "the name is “云图”"),
        ("文件叫“供应商_日期_金额.pdf”", "文件叫“供应商_日期_金额.pdf”"),
        ("> we always use X", ""),
    ],
)
def test_what_is_pasted_is_left_out(text: str, kept: str) -> None:
    assert said(text) == kept


def test_code_is_left_out() -> None:
    assert [one.text for one in sentences(1, "[user] run ```\nwe always use X\n``` now")] == ["run   now"]


@pytest.mark.parametrize(
    "text",
    [
        "I live in Oslo, so please use 24 h times",
        "我是后端，前端不太懂，多解释两句",
        "we use Go - always",
        "no clause here",
    ],
)
def test_clauses_are_the_sentence(text: str) -> None:
    assert "".join(clauses(text)) == text
    assert len(clauses(text)) == {"I": 2, "我": 3, "w": 2, "n": 1}[text[0]]


@pytest.mark.parametrize(
    ("text", "points"),
    [
        ("some rules for this repo:\n- tabs\n2) squash merges", ["tabs", "squash merges"]),
        ("说几个约定：\n1、错误码六位\n\n2、日志不打手机号", ["错误码六位", "日志不打手机号"]),
        ("explain these rules:\n- tabs\n- squash", []),
        ("their conventions:\n- tabs", []),
        ("帮我看下这些规定：\n- 甲\n- 乙", []),
        ("our rules:\n- tabs\nand then some", []),
        ("our rules:", []),
        ("no list", []),
    ],
)
def test_a_list_is_told_where_a_line_says_so(text: str, points: list[str]) -> None:
    assert [point for point, _ in listed(text)] == points
    assert all(under == text.partition("\n")[0] for _, under in listed(text))
