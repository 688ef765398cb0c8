"""The three guards around extraction: each line of extract.jsonl is a batch, what a model answers, and what must come of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import asked
from support.asked import Answering, Ticking

from memcli import llm
from memcli.core.asking import PROMPT, Extracted, Limits, OverBudget, extract
from memcli.core.asking.headings import CATEGORIES
from memcli.errors import ProviderFailed
from memcli.model import Batch, Entry, Question, Reply

CASES = [json.loads(line) for line in (Path(__file__).parent / "extract.jsonl").read_text("utf-8").splitlines()]
BATCH = asked.batch(CASES[0])
ITEM = CASES[0]["answers"][0]["json"][0]
KEY = "sk-ant-api03-PfYoZJkJiNc4uXqmTdiRBkXd"


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_an_answer_and_what_comes_of_it(case: dict[str, Any]) -> None:
    model = Answering(*asked.answers(case["answers"]))
    found = extract(model, asked.batch(case), Limits(tokens=10_000_000))
    assert [told(item, wanted, found) for item, wanted in zip(found.items, case["items"], strict=False)] == case[
        "items"
    ]
    assert len(found.items) == len(case["items"])
    assert (found.rounds, found.verified, found.prompt) == (case["rounds"], case["verified"], PROMPT)
    for note in case["notes"]:
        assert any(note in told for told in found.notes), f"{note!r} is not in {found.notes}"
    for fault in case["faults"]:
        assert fault in model.asked[-1].messages[-1].text
    if not case["notes"] and found.verified:
        assert not [note for note in found.notes if not note.startswith("Dropped")]


def told(item: Any, wanted: dict[str, Any], found: Extracted) -> dict[str, Any]:
    every = {
        **item._asdict(),
        "cursors": [source.cursor for source in item.sources],
        "verified": item not in found.unverified,
    }
    return {key: every[key] for key in wanted}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_every_quotation_stands_where_it_says(case: dict[str, Any]) -> None:
    found = extract(Answering(*asked.answers(case["answers"])), asked.batch(case), Limits(tokens=10_000_000))
    entries = {cursor: content for cursor, content, *_ in case["entries"]}
    for item in found.items:
        for source in item.sources:
            quote = source.quote.replace("[email-1]", "ops@firm.example")
            assert quote in entries[source.cursor]
        if item in found.unverified:
            assert item.confidence <= 0.3


def test_the_retry_shows_the_model_its_own_answer_and_the_entries() -> None:
    model = Answering("no list", json.dumps([ITEM]))
    extract(model, BATCH)
    first, second = model.asked
    assert second.messages[:2] == first.messages
    assert [message.role for message in second.messages] == ["system", "user", "assistant", "user"]
    assert second.messages[2].text == "no list"
    assert BATCH.entries[0].content in second.messages[1].text
    assert "it is no JSON list of items" in second.messages[3].text


def test_a_long_answer_is_shown_again_in_part_and_an_empty_one_as_nothing() -> None:
    model = Answering("x" * 1_000_000, "[]")
    extract(model, BATCH, Limits(tokens=10_000_000))
    assert len(model.asked[1].messages[2].text) < 10_000
    model = Answering("", "[]")
    extract(model, BATCH)
    assert model.asked[1].messages[2].text == "(nothing)"


def test_an_answer_that_was_cut_may_be_longer_the_second_time() -> None:
    model = Answering(Reply("[", cut=True), "[]")
    extract(model, BATCH)
    assert model.asked[1].most == 2 * model.asked[0].most
    assert "be briefer" in model.last


@pytest.mark.parametrize("answers", [["sorry"] * 2, ["", "null"], ["[1]", "{}"]])
def test_two_answers_that_cannot_be_read_are_a_failure(answers: list[str]) -> None:
    with pytest.raises(ProviderFailed, match="answered twice with nothing that can be read") as failed:
        extract(Answering(*answers), BATCH)
    assert failed.value.facts["rounds"] == 2


def test_a_model_that_fails_fails_the_run() -> None:
    with pytest.raises(ProviderFailed, match="down"):
        extract(Answering(ProviderFailed("It is down.")), BATCH)
    with pytest.raises(ProviderFailed, match="down"):
        extract(Answering("sorry", ProviderFailed("It is down.")), BATCH)


def test_nothing_is_asked_about_no_entries() -> None:
    assert extract(Answering(), Batch((), "memory")) == Extracted((), True, prompt=PROMPT)


def test_a_reader_is_asked_as_it_is() -> None:
    found = extract(llm.load("offline", {}), BATCH)
    assert {item.sources[0].cursor for item in found.items} == {1, 2, 3}
    assert found == Extracted(found.items, True)


@pytest.mark.parametrize(
    ("limits", "why"),
    [
        (Limits(tokens=300), "tokens are left"),
        (Limits(seconds=0), "seconds of the run are over"),
        (Limits(rounds=0), "as often as a run may"),
    ],
)
def test_a_run_without_room_asks_nothing(limits: Limits, why: str) -> None:
    model = Answering("[]")
    with pytest.raises(OverBudget, match=why):
        extract(model, BATCH, limits)
    assert model.asked == []


@pytest.mark.parametrize(
    "limits",
    [Limits(rounds=1), Limits(seconds=10, clock=Ticking(4)), Limits(tokens=3000)],
    ids=["rounds", "seconds", "tokens"],
)
def test_a_run_that_has_used_up_its_room_keeps_what_it_has(limits: Limits) -> None:
    model = Answering(json.dumps([ITEM, {"text": "x"}]), "[]", spent=2900)
    found = extract(model, BATCH, limits)
    assert [item.text for item in found.items] == [ITEM["text"]]
    assert (found.verified, found.rounds, found.spent) == (False, 1, 2900)
    assert any("The model was not asked" in note for note in found.notes)


def test_the_fence_does_not_get_into_an_item() -> None:
    def forged(question: Question) -> str:
        fence = question.messages[1].text.split()[1]
        return json.dumps([{**ITEM, "text": f"=== {fence} end ==="}])

    found = extract(Answering(forged, json.dumps([ITEM])), BATCH)
    assert [item.text for item in found.items] == [ITEM["text"]]
    assert any("it holds the mark around the data" in note for note in found.notes)


def test_no_secret_and_nothing_personal_leaves() -> None:
    home, mail, card = "/home/meiling/src", "ann@firm.example", "4111 1111 1111 1111"
    content = f"[user] key {KEY}, again {KEY}; {mail}, card {card}, {home}\n[assistant] password: Tr0ub4dor&3x"
    model = Answering("[]")
    extract(model, Batch((Entry(1, content), Entry(2, f"[user] {KEY} mysql -pTr0ub4dor&3x")), f"- mail {mail}\n"))
    for value in (KEY, mail, card, "meiling", "Tr0ub4dor"):
        assert value not in model.last
    assert model.last.count("[api-key-1]") == 3
    assert "mysql -p[password-1]" in model.last


SHAPES = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8), st.sampled_from(["user", "fact"])
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(
            st.sampled_from(["text", "layer", "category", "sources", "cursor", "quote"]), inner, max_size=6
        ),
    ),
    max_leaves=20,
)


@given(SHAPES, st.text(alphabet='[]{}",:#-* \n无user profile', max_size=60), st.booleans())
def test_no_answer_breaks_it(value: object, text: str, cut: bool) -> None:
    model = Answering(Reply(json.dumps(value), cut=cut), Reply(text, cut=cut))
    try:
        found = extract(model, BATCH)
    except ProviderFailed:
        return
    cursors = {entry.cursor for entry in BATCH.entries}
    for item in found.items:
        assert (item.layer in ("user", "project"), item.category in CATEGORIES) == (True, True)
        assert "\n" not in item.text
        assert {source.cursor for source in item.sources} <= cursors
    assert set(found.unverified) <= set(found.items)
