"""The JSON in an answer."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.core.asking.answers import Listed, listed, unfenced

ONE, TWO = {"text": "a"}, {"text": "b", "sources": [{"quote": "[x] {y}"}]}


@pytest.mark.parametrize(
    ("text", "members", "torn"),
    [
        (json.dumps([ONE, TWO]), [ONE, TWO], False),
        (json.dumps({"items": [ONE], "n": 1}), [ONE], False),
        (json.dumps(TWO), [TWO], False),
        ("```json\n[]\n```", [], False),
        (f"~ [1] {json.dumps([ONE])} and {json.dumps([TWO])}", [ONE], False),
        (json.dumps([ONE, TWO])[:-1], [ONE, TWO], True),
        (json.dumps([ONE, TWO])[:-4], [ONE], True),
        (json.dumps({"items": [ONE, TWO]})[:-4], [ONE], True),
        ("[] is all", [], False),
        ("\ufeff[]", [], False),
        (json.dumps([ONE, 3]), [ONE, 3], False),
    ],
)
def test_lists(text: str, members: list[Any], torn: bool) -> None:
    assert listed(text, "text") == Listed(tuple(members), torn)


@pytest.mark.parametrize("text", ["", "x", "null", "[1]", "{}", '{"a": [], "b": []}', "a[0] = []x", "[{", '["text"]'])
def test_no_list(text: str) -> None:
    assert listed(text, "text") is None


@given(st.text(alphabet='[]{}",:text\\u0a1 \n`', max_size=120))
def test_nothing_breaks_it(text: str) -> None:
    found = listed(text, "text")
    assert found is None or isinstance(found, Listed)


@given(st.integers(0, 200), st.integers(1, 6))
def test_the_whole_objects_of_a_torn_list(cut: int, count: int) -> None:
    members = [{"text": f"fact {number} {{[", "sources": [{"quote": '"'}]} for number in range(count)]
    text = json.dumps(members)
    found = listed(text[: len(text) - cut % len(text)], "text")
    kept = list(found.members) if found else []
    assert kept == members[: len(kept)]
    assert len(kept) >= count - 1 - cut // 20


def test_a_fence_around_all_of_it() -> None:
    assert unfenced("```markdown\n# A\n```\n") == "# A"
    assert unfenced("# A\n```\ncode\n```") == "# A\n```\ncode\n```"
