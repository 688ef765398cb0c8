"""A memory without what it says twice: each line of thin.jsonl is a text and what must become of it (by default nothing)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.core.asking.likeness import covers
from memcli.core.asking.thinning import thin

CASES = [json.loads(line) for line in (Path(__file__).parent / "thin.jsonl").read_text("utf-8").splitlines()]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_a_text_and_what_becomes_of_it(case: dict[str, Any]) -> None:
    found = thin(case["text"])
    assert found.text == case.get("thin", case["text"])
    for name in ("merged", "close", "conflicts"):
        assert [list(pair) for pair in getattr(found, name)] == case.get(name, []), name
    assert list(found.emptied) == case.get("emptied", [])


LINES = st.sampled_from(
    [
        "- uses pnpm",
        "- Uses pnpm.",
        "- port 80",
        "- port 81",
        "## A",
        "# B",
        "",
        "(nothing)",
        "  - more",
        "```",
        "prose here",
    ]
)


@given(st.lists(LINES, max_size=14))
def test_every_fact_that_went_stands_in_one_that_stayed(lines: list[str]) -> None:
    text = "\n".join(lines)
    found = thin(text)
    for kept, dropped in found.merged:
        assert covers(kept, dropped)
    once = thin(found.text)
    assert once.merged == ()
    remains = found.text.split("\n")
    assert len(remains) <= len(lines) or not lines
    places = iter(lines)
    assert all(any(line == other for other in places) for line in remains if line)


def test_a_large_memory_takes_no_pairs_of_all() -> None:
    text = "".join(
        f"- service {number} listens on port {20000 + number} in region r{number % 7}\n" for number in range(1200)
    )
    assert thin(text).text == text
