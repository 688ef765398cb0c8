"""Turns: cut only between them, calls and results together, over chats of every format."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.core import turns
from memcli.formats import load
from memcli.model import Record, ToolCall

Q, A = Record("user", "?"), Record("assistant", "!")


def call(*ids: str | None, content: str = "") -> Record:
    return Record("assistant", content, calls=tuple(ToolCall(one, "run", "") for one in ids))


def result(own: str | None = None) -> Record:
    return Record("tool", "done", answers=own)


SUMMARY = Record("compacted_summary", "[3 historical entries compacted]")
THOUGHT = Record("assistant", "", reasoning="hm")

CHATS: list[tuple[str, list[Record], list[int]]] = [
    ("nothing", [], []),
    ("one question", [Q], [0]),
    ("questions and answers", [Q, A, Q, A], [0, 2]),
    ("unanswered questions", [Q, Q, A, Q], [0, 1, 3]),
    ("before the first question", [A, A, Q, A], [0, 2]),
    ("a system row first", [Record("system", "be kind"), Q, A], [0, 1]),
    ("a system row between", [Q, A, Record("system", "[Consolidated]"), Q, A], [0, 3]),
    ("a call with its result", [Q, call("a"), result("a"), A, Q, A], [0, 4]),
    ("several calls in a row", [Q, call("a", "b"), result("b"), result("a"), A, Q], [0, 5]),
    ("a result behind the next question", [Q, call("a"), Q, result("a"), A, Q], [0, 5]),
    ("one of two results behind it", [Q, call("a", "b"), result("a"), Q, result("b"), A, Q], [0, 6]),
    ("a second result", [Q, call("a"), result("a"), A, Q, result("a"), A, Q], [0, 7]),
    ("an id given again", [Q, call("a"), result("a"), A, Q, call("a"), result("a"), A, Q], [0, 4, 8]),
    ("an id given again before its result", [Q, call("a"), Q, call("a"), result("a"), result("a"), A, Q], [0, 7]),
    ("one id for two calls", [Q, call("a", "a"), result("a"), Q, result("a"), A, Q], [0, 6]),
    ("a call that nothing answered", [Q, call("a"), Q, A, Q], [0, 2, 4]),
    ("a call in flight", [Q, A, Q, call("a")], [0, 2]),
    ("a call in flight behind a question", [Q, A, Q, call("a"), Q], [0, 2]),
    ("in flight, partly answered", [Q, A, Q, call("a", "b"), result("a"), Q, Q], [0, 2]),
    ("an orphan result", [Q, A, Q, result("x"), A, Q], [0, 2, 5]),
    ("an orphan before its call", [Q, result("x"), Q, call("x"), A, Q], [0, 5]),
    ("an orphan with another id", [Q, call("fc-1"), result("97cb"), A, Q], [0, 4]),
    ("results without ids", [Q, call(None, None), result(), result(), A, Q, A], [0, 5]),
    ("without ids, behind a question", [Q, call(None), Q, result(), A, Q], [0, 5]),
    ("a call with an id, a result without", [Q, call("a"), Q, result(), A, Q], [0, 5]),
    ("a call without an id, a result with one", [Q, call(None), Q, result("z"), A, Q], [0, 5]),
    ("an orphan without an id", [Q, A, Q, result(), A, Q], [0, 2, 5]),
    ("a call and its result in one row", [Q, Record("tool", "x", calls=(ToolCall("a", "run", ""),), answers="a"), Q], [0, 2]),
    ("a result in a user's row", [Q, call("a"), Record("user", "done", answers="a"), A, Q], [0, 4]),
    ("thoughts", [Q, THOUGHT, A, Q, Record("reasoning", "hm"), A], [0, 3]),
    ("tasks", [Record("task", "a"), Record("task", "b"), SUMMARY, Record("task", "c")], [0, 1, 3]),
    ("answers only", [A, A, A], [0, 1, 2]),
    ("a summary and answers", [SUMMARY, A, A], [0, 1, 2]),
    ("a group", [Record("", "hi", name="x"), Record("recalled", "", name="y"), Record("", "ho", name="x")], [0, 1, 2]),
    ("a job without questions", [A, call("a"), result("a"), A, A, call("b"), result("b"), A], [0, 1, 4, 5]),
    ("a job that thinks", [A, THOUGHT, A, A], [0, 1, 3]),
    ("a job with a late result", [A, call("a"), A, A, result("a"), A, A], [0, 1, 6]),
]  # fmt: skip
ASKERS = ("user", "task")


@pytest.mark.parametrize(("records", "starts"), [one[1:] for one in CHATS], ids=[one[0] for one in CHATS])
def test_turns_begin_where_a_chat_may_be_cut(records: list[Record], starts: list[int]) -> None:
    found = turns.turns(records, ASKERS)
    assert [turn.first for turn in found] == starts
    assert [row for turn in found for row in range(turn.first, turn.last + 1)] == list(range(len(records)))


@pytest.mark.parametrize(
    ("keep", "goes"), [(0, 6), (1, 6), (2, 6), (3, 2), (6, 2), (7, 0), (8, 0), (100, 0)], ids=lambda value: str(value)
)
def test_at_least_so_many_stay(keep: int, goes: int) -> None:
    chat = [Q, A, Q, call("a"), result("a"), A, Q, A]
    assert turns.cut(chat, keep) == goes


def test_eight_stay_by_itself() -> None:
    assert turns.cut([Q, A] * 8) == 8
    assert turns.cut([]) == 0


def test_the_turn_with_a_call_in_flight_stays() -> None:
    assert turns.cut([Q, A, Q, call("a"), Q, Q], 0) == 2


@pytest.mark.parametrize(
    ("budget", "keep", "goes"),
    [(80, 0, 0), (79, 0, 2), (60, 0, 2), (59, 0, 6), (20, 0, 6), (1, 0, 6), (1, 3, 2), (1, 8, 0), (60, 8, 0)],
    ids=lambda value: str(value),
)
def test_as_much_goes_as_the_budget_asks_for(budget: int, keep: int, goes: int) -> None:
    chat = [Q, A, Q, call("a"), result("a"), A, Q, A]
    assert turns.fit(chat, [10] * 8, budget, keep) == goes


def test_a_budget_for_nothing() -> None:
    assert turns.fit([], [], 10) == 0


def test_tokens_are_those_of_each_record() -> None:
    from memcli import tokens

    chat = [Record("user", "hello world"), call("a", content="你好"), Record()]
    assert turns.counted(chat) == [tokens.count([record.text]) for record in chat]
    assert turns.counted(chat)[0] == 2
    assert turns.counted(chat)[2] == 0


IDS = st.sampled_from(["call_0", "call_1", "c2", "c3"])


def _catbuddy(role: str, calls: Sequence[str | None], own: str | None, text: str) -> Any:
    value: dict[str, Any] = {"id": 1, "sessionKey": "k", "role": role, "content": text}
    if calls:
        value["toolCalls"] = [{"id": one, "name": "run", "arguments": {}} for one in calls]
    if own is not None:
        value["toolCallId"] = own
    return value


def _snake(role: str, calls: Sequence[str | None], own: str | None, text: str) -> Any:
    value: dict[str, Any] = {"role": role, "content": text}
    if calls:
        function = {"name": "run", "arguments": "{}"}
        value["tool_calls"] = [{"id": one, "type": "function", "function": function} for one in calls]
    if own is not None:
        value["tool_call_id"] = own
    return value


ROWS = {"catbuddy": _catbuddy, "nanobot": _snake, "cococat": _snake, "jsonl": _snake}


@st.composite
def chats(draw: st.DrawFn) -> tuple[list[Record], tuple[str, ...]]:
    """A chat of one format: turns as its agent writes them, with late, missing, repeated and orphaned calls and results."""
    agent = draw(st.sampled_from(sorted(ROWS)))
    form, row = load(agent), ROWS[agent]
    values: list[Any] = []
    late: list[str | None] = []
    asked = draw(st.booleans())
    for _ in range(draw(st.integers(0, 12))):
        kind = draw(st.sampled_from(("turn", "turn", "turn", "question", "orphan", "late", "system", "answer")))
        if kind in ("turn", "question") and asked:
            values.append(row("user", (), None, draw(st.sampled_from(("hi", "你好")))))
        if kind == "turn":
            for _ in range(draw(st.integers(0, 2))):
                made = draw(st.lists(st.one_of(IDS, IDS, IDS, st.none()), min_size=1, max_size=3))
                values.append(row("assistant", made, None, ""))
                for own in draw(st.permutations(made)):
                    what = draw(st.sampled_from(("now", "now", "now", "late", "never", "twice")))
                    values += [row("tool", (), own, "done")] * {"now": 1, "twice": 2}.get(what, 0)
                    late += [own] * (what == "late")
            values.append(row("assistant", (), None, "well"))
        elif kind == "orphan":
            values.append(row("tool", (), draw(st.one_of(IDS, st.none())), "done"))
        elif kind == "late" and late:
            values.append(row("tool", (), late.pop(), "done"))
        elif kind in ("system", "answer"):
            values.append(row(kind.replace("answer", "assistant"), (), None, "so"))
    return [form.records.record(value) for value in values], form.askers


def pairs(records: Sequence[Record]) -> set[tuple[int, int]]:
    """Which row answers which call, looked up naively: the nearest call before it with the id that nothing answered yet."""
    found: set[tuple[int, int]] = set()
    taken: set[tuple[int, int]] = set()
    for row, record in enumerate(records):
        if record.answers is None:
            continue
        for before in range(row - 1, -1, -1):
            if records[before].role == "tool":
                continue
            free = [
                (before, n)
                for n, one in enumerate(records[before].calls)
                if one.id == record.answers and (before, n) not in taken
            ]
            if free:
                taken.add(free[-1])
                found.add((before, row))
                break
    return found


@given(chats(), st.integers(0, 14))
def test_pairs_stay_together_and_a_second_cut_takes_nothing(
    chat: tuple[list[Record], tuple[str, ...]], keep: int
) -> None:
    records, askers = chat
    goes = turns.cut(records, keep, askers)
    assert not any(first < goes <= last for first, last in pairs(records))
    kept = records[goes:]
    assert len(kept) >= min(keep, len(records))
    assert turns.cut(kept, keep, askers) == 0
    made = {one.id for record in kept if record.role != "tool" for one in record.calls}
    gone = {one.id for record in records[:goes] if record.role != "tool" for one in record.calls} - made
    assert not [record for record in kept if record.answers is not None and record.answers in gone]


@given(chats(), st.integers(0, 14))
def test_what_is_cut_off_is_whole_turns(chat: tuple[list[Record], tuple[str, ...]], keep: int) -> None:
    records, askers = chat
    goes = turns.cut(records, keep, askers)
    found = turns.turns(records, askers)
    assert goes == 0 or goes in {turn.first for turn in found}
    if goes and any(record.role in askers for record in records):
        assert records[goes].role in askers
    assert [turn.first for turn in turns.turns(records[goes:], askers)] == [
        turn.first - goes for turn in found if turn.first >= goes
    ]


@given(chats(), st.integers(0, 14), st.integers(0, 400), st.data())
def test_a_budget_is_kept_to_where_turns_let_it(
    chat: tuple[list[Record], tuple[str, ...]], keep: int, budget: int, data: st.DataObject
) -> None:
    records, askers = chat
    sizes = st.lists(st.integers(0, 60), min_size=len(records), max_size=len(records))
    counts = data.draw(sizes)
    goes = turns.fit(records, counts, budget, keep, askers)
    most = turns.cut(records, keep, askers)
    assert goes <= most
    assert sum(counts[goes:]) <= budget or goes == most
    assert turns.fit(records[goes:], counts[goes:], budget, keep, askers) == 0
    starts = [turn.first for turn in turns.turns(records, askers) if turn.first < goes]
    assert all(sum(counts[start:]) > budget for start in starts)
