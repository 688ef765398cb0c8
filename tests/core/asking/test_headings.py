"""Facts below headings, and words that say that there are none."""

from __future__ import annotations

import pytest

from memcli.core.asking.headings import category_of, guess_category, guess_layer, layer_of, rendered, says_nothing


@pytest.mark.parametrize(
    "text",
    [
        *(
            "(nothing)",
            "Nothing new.",
            "- None",
            "N/A",
            "[nothing]",
            "无",
            "暂无。",
            "没有新的内容",
            "（无）",
            "[]",
            "*(none)*",
        ),
        *("No significant decisions, facts or preferences were".removesuffix(" were"), "No new facts yet", "目前没有"),
        *("无重要决策、事实或偏好", "nothing to report"),
    ],
)
def test_nothing(text: str) -> None:
    assert says_nothing(text)


@pytest.mark.parametrize(
    "text",
    ["无人机项目用 C++", "No new dependencies without review", "None of the hosts is public", "没有测试不合并", "x"],
)
def test_something(text: str) -> None:
    assert not says_nothing(text)


@pytest.mark.parametrize(
    ("word", "layer", "category"),
    [
        ("user", "user", ""),
        ("Project Context", "project", ""),
        ("用户", "user", ""),
        ("key_decisions", "", "decision"),
        ("Fact-Learned", "", "fact"),
        ("偏好", "", "preference"),
        ("user preferences", "user", "preference"),
        ("team", "", ""),
        (None, "", ""),
        (7, "", ""),
        ("user" * 20, "", ""),
    ],
)
def test_words(word: object, layer: str, category: str) -> None:
    assert (layer_of(word), category_of(word)) == (layer, category)


@pytest.mark.parametrize(
    ("text", "layer", "category"),
    [
        ("The user prefers tabs", "user", "preference"),
        ("喜欢简短的回答", "user", "preference"),
        ("We decided to use pnpm", "project", "decision"),
        ("The staging host is stage-3.corp.example", "project", "fact"),
        ("gibberish", "project", "fact"),
    ],
)
def test_guesses(text: str, layer: str, category: str) -> None:
    assert (guess_layer(text, guess_category(text)), guess_category(text)) == (layer, category)


def test_text_without_headings() -> None:
    assert rendered("- a fact\n# Title\n- another") is None


def test_lines_below_a_fact_belong_to_it() -> None:
    found = rendered("## User Profile\n- likes tabs\n  in Go only\n## Project Context\nuses pnpm\n")
    assert found
    assert [bullet.text for bullet in found.bullets] == ["likes tabs in Go only", "uses pnpm"]
    assert found.faults == ()


def test_categories_with_nothing_below_them() -> None:
    found = rendered("### Key Decisions\n### Patterns\n")
    assert found
    assert found.faults == ("nothing stands under any of the headings, not even (nothing)",)
