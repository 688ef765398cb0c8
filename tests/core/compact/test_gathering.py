"""Points become items for the memory, and one text that does not grow for ever."""

from __future__ import annotations

import pytest

from memcli.core.asking.points import Point
from memcli.core.compact import gathering
from memcli.core.compact.gathering import LONGEST, gather, item, merged

GOAL = Point("goal", "Deploy the shop", (1,))
DECISION = Point("decision", "We use pnpm", (3, 5), "user")
OPEN = Point("open", "谁来写测试？", (9,))
UNSURE = Point("fact", "It costs 99 euros", (), verified=False)


@pytest.mark.parametrize(
    ("point", "text", "category"),
    [
        (GOAL, "Goal: Deploy the shop", "fact"),
        (DECISION, "We use pnpm", "decision"),
        (OPEN, "待办：谁来写测试？", "fact"),
        (Point("open", "Who writes tests?", (1,)), "Open: Who writes tests?", "fact"),
        (UNSURE, "It costs 99 euros", "fact"),
    ],
)
def test_items(point: Point, text: str, category: str) -> None:
    made = item(point)
    assert (made.text, made.category, made.layer) == (text, category, point.layer)
    assert [source.cursor for source in made.sources] == list(point.rows)
    assert (made.confidence > 0.5) is point.verified


def test_what_may_not_be_kept() -> None:
    found = gather([GOAL, Point("fact", "Mail anna@example.org", (2,)), UNSURE])
    assert found.points == (GOAL, UNSURE)
    assert [why for _, why in found.refused] == ["it holds an e-mail address"]
    assert [one.text for one in found.sure] == ["Goal: Deploy the shop"]


def test_a_text_goes_on() -> None:
    first, left = merged("", [GOAL, DECISION])
    assert first == "Goal:\n- Deploy the shop (row 1)\nDecisions:\n- We use pnpm (rows 3, 5)"
    assert left == 0
    second, _ = merged(first, [Point("decision", "We use pnpm", (40,)), UNSURE])
    assert (
        second
        == "Goal:\n- Deploy the shop (row 1)\nDecisions:\n- We use pnpm (row 40)\nFacts:\n- It costs 99 euros [?]"
    )
    assert merged(second, [])[0] == second


def test_what_the_agent_wrote_stays_in_front() -> None:
    text, _ = merged("They talked about a shop.\n\n- of red bricks", [GOAL])
    assert text == "They talked about a shop.\n\n- of red bricks\nGoal:\n- Deploy the shop (row 1)"
    assert merged(text, [])[0] == text


def test_in_chinese() -> None:
    first, _ = merged("", [OPEN])
    assert first == "待办：\n- 谁来写测试？（第 9 行）"
    assert merged(first, [OPEN._replace(rows=(20, 21))])[0] == "待办：\n- 谁来写测试？（第 20、21 行）"


def test_it_does_not_grow_for_ever() -> None:
    text = "Told by the agent. " * 20
    gone = 0
    for number in range(400):
        points = [
            Point("fact", f"fact {number} {'x' * 90}", (number,)),
            Point("goal", f"goal {number // 40}", (number,)),
        ]
        text, left = merged(text, points)
        gone += left
        assert len(text) <= LONGEST
        assert f"fact {number} " in text
    assert gone > 200
    assert "goal 0" in text, "facts go first"
    assert "fact 0 " not in text


def test_more_than_there_is_room_for_at_once() -> None:
    text, _ = merged("old", [Point("fact", "x" * 500, (n,)) for n in range(40)])
    assert len(text) <= gathering.LONGEST
    assert text.endswith("…")
