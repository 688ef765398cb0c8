"""Merging: what holds for any two copies, what becomes of conflicts and damage in each format, and that it can be undone."""

from __future__ import annotations

import itertools
import json
import os
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from support import faults
from support.chats import compact, spaced
from support.cli import snapshot
from support.copies import AGENTS, Desk, chat, header, joined, row, stamp
from support.repairs import OLD, inside

from memcli.core import headings, merging, sealing
from memcli.core.copies import Pair
from memcli.core.uniting import is_whole
from memcli.errors import RefusedForSafety, UsageError
from memcli.model import AgentView
from memcli.storage import quarantine, undo
from memcli.storage.facts import SHARED

SOME = st.lists(st.integers(1, 14), unique=True, max_size=9)
SORTED = SOME.map(sorted)
AGENT = st.sampled_from(AGENTS)
LOOSE = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MEMCLI_STATE_DIR", str(tmp_path / "state"))
    faults.quick_disk(monkeypatch)


@pytest.fixture
def desks(tmp_path: Path) -> Any:
    """A fresh desk for every call."""
    numbers = itertools.count()
    return lambda agent: Desk(tmp_path / f"desk{next(numbers)}", agent)


def rows(data: bytes, agent: str) -> list[bytes]:
    return data.split(b"\n")[len(header(agent)) : -1]


class TestForAnyTwoCopies:
    @LOOSE
    @given(AGENT, SORTED, SORTED, SORTED)
    def test_the_order_of_merging_does_not_matter(self, desks, agent, a, b, c):
        desk = desks(agent)
        one, two, three = (chat(agent, numbers) for numbers in (a, b, c))
        left = desk.merged(desk.merged(one, two).data, three).data
        right = desk.merged(one, desk.merged(two, three).data).data
        assert left == right
        assert left == chat(agent, sorted({*a, *b, *c}))

    @LOOSE
    @given(AGENT, SOME, SOME, SOME)
    def test_whatever_the_order_of_rows_the_same_rows_come_out(self, desks, agent, a, b, c):
        desk = desks(agent)
        one, two, three = (chat(agent, numbers) for numbers in (a, b, c))
        left = desk.merged(desk.merged(one, two).data, three).data
        right = desk.merged(three, desk.merged(two, one).data).data
        expected = Counter(row(agent, number) for number in {*a, *b, *c})
        assert Counter(rows(left, agent)) == Counter(rows(right, agent)) == expected

    @LOOSE
    @given(AGENT, SOME, SOME)
    @example("catbuddy", [1], [])
    @example("nanobot", [], [2, 1])
    def test_the_order_of_a_is_kept_and_that_of_b_where_a_says_nothing(self, desks, agent, a, b):
        desk = desks(agent)
        done = desk.merged(chat(agent, a), chat(agent, b))
        found = rows(done.data, agent)
        places = {line: place for place, line in enumerate(found)}
        mine = [places[row(agent, number)] for number in a]
        its = [places[row(agent, number)] for number in b if number not in a]
        assert mine == sorted(mine)
        anchored = [number for number in b if number in a]
        if [number for number in a if number in b] == anchored:
            assert its == sorted(its)
        assert done.counts.added == len(set(b) - set(a))
        assert done.nothing == (set(b) <= set(a))

    @LOOSE
    @given(AGENT, SOME, SOME)
    def test_once_merged_there_is_nothing_to_merge(self, desks, agent, a, b):
        desk = desks(agent)
        one, two = chat(agent, a), chat(agent, b)
        assert desk.merged(one, one).nothing
        both = desk.merged(one, two).data
        assert desk.merged(both, two).nothing
        assert desk.merged(both, one).nothing
        assert desk.merged(both, both).data == both

    @LOOSE
    @given(AGENT, SORTED, SORTED, st.sets(st.integers(1, 14), max_size=5), st.sampled_from(["a", "b", "both"]))
    def test_versions_of_a_row(self, desks, agent, a, b, changed, decision):
        desk = desks(agent)
        theirs = joined(*header(agent), *(row(agent, n, **({"latency_ms": n} if n in changed else {})) for n in b))
        undecided = desk.merged(chat(agent, a), theirs)
        conflicts = changed & set(a) & set(b)
        assert undecided.counts.conflicts == len(conflicts)
        assert not conflicts or undecided.data == chat(agent, a)
        done = desk.merged(chat(agent, a), theirs, decision)
        found = [json.loads(line) for line in rows(done.data, agent)]
        texts = Counter(one["content"] for one in found)
        versions = Counter(one["content"] for one in found if "latency_ms" in one)
        for number in {*a, *b}:
            text = json.loads(row(agent, number))["content"]
            twice = number in conflicts and decision == "both"
            assert texts[text] == (2 if twice else 1)
            kept = number in changed & set(b) and (number not in conflicts or decision != "a")
            assert versions[text] == int(kept)
        ids = [one["id"] for one in found if isinstance(one.get("id"), int)]
        assert len(ids) == len(set(ids))

    @LOOSE
    @given(SORTED, SORTED, st.integers(0, 14), st.integers(0, 14))
    def test_an_offset_hides_the_rows_of_a_that_it_hid(self, desks, a, b, archived, consolidated):
        desk = desks("nanobot")
        archived, consolidated = min(archived, len(a)), min(consolidated, len(a))
        lines = [*header("nanobot", last_archived=archived, last_consolidated=consolidated)]
        lines += [row("nanobot", number) for number in a]
        done = desk.merged(joined(*lines), chat("nanobot", b))
        head, *found = map(json.loads, done.lines)
        texts = [one["content"] for one in found]
        for name, old in (("last_archived", archived), ("last_consolidated", consolidated)):
            hidden = texts[: head[name]]
            mine = [json.loads(line)["content"] for line in lines[1:]]
            assert [text for text in mine if text in hidden] == mine[:old]
            assert 0 <= head[name] <= len(found)


def calls(name: str, at: int) -> list[bytes]:
    call = {"id": name, "type": "function", "function": {"name": "run", "arguments": "{}"}}
    return [
        row("nanobot", at, f"ask {name}", role="user"),
        row("nanobot", at + 1, "", role="assistant", tool_calls=[call]),
        row("nanobot", at + 20, f"result {name}", role="tool", tool_call_id=name),
        row("nanobot", at + 21, f"done {name}", role="assistant"),
    ]


class TestOrder:
    def test_an_answer_stays_with_its_call_when_turns_were_at_one_time(self, desks):
        one, two = calls("c1", 10), calls("c2", 15)
        done = desks("nanobot").merged(joined(*header("nanobot"), *one), joined(*header("nanobot"), *two))
        found = [json.loads(line)["content"] for line in done.lines[1:]]
        for name in ("c1", "c2"):
            answer = found.index(f"result {name}")
            assert json.loads(done.lines[answer])["tool_calls"][0]["id"] == name
        assert not done.worse
        assert done.counts.added == 4

    def test_rows_without_times_come_behind_those_of_a(self, desks):
        desk = desks("cococat")

        def plain(*texts: str) -> bytes:
            return joined(*(spaced({"role": "user", "content": text}) for text in texts))

        assert desk.merged(plain("x", "a", "y"), plain("x", "b", "c", "y")).data == plain("x", "a", "b", "c", "y")
        assert desk.merged(plain("ok", "a", "ok"), plain("ok", "ok")).nothing
        assert desk.merged(plain("ok"), plain("ok", "ok")).data == plain("ok", "ok")

    def test_a_row_without_a_time_goes_with_the_row_before_it(self, desks):
        desk = desks("cococat")
        loose = spaced({"role": "assistant", "content": "no time"})
        theirs = joined(row("cococat", 2), loose, row("cococat", 9))
        done = desk.merged(joined(row("cococat", 1), row("cococat", 5)), theirs)
        assert done.lines == [row("cococat", 1), row("cococat", 2), loose, row("cococat", 5), row("cococat", 9)]


def numbered(*rows: tuple[int, int]) -> bytes:
    """A catbuddy chat whose rows have these numbers and were said at these times."""
    return joined(*header("catbuddy"), *(row("catbuddy", n, f"t{at}", at=at, role="user") for n, at in rows))


A, B = chat("catbuddy", [1, 2, 3]), chat("catbuddy", [1, 2, 3, 4])
TORN = row("catbuddy", 9)[:60]
CASES: dict[str, tuple[str, bytes, bytes, str, bytes | None, dict[str, int]]] = {
    # name: agent, A, B, decision, what A becomes (None: nothing is written), counts
    "what b has more of is added": ("catbuddy", A, B, "", B, {"both": 3, "added": 1}),
    "what a has more of stays": ("catbuddy", B, A, "", B, {"both": 3, "only_a": 1}),
    "an empty a gets the header of b too": ("catbuddy", b"", B, "", B, {"added": 4}),
    "an a without a newline at its end": ("catbuddy", A[:-1], B, "", B, {"both": 3, "added": 1}),
    "a b without a newline at its end": ("catbuddy", A, B[:-1], "", B, {"both": 3, "added": 1}),
    "crlf in b is not copied in": ("catbuddy", A, A.replace(b"\n", b"\r\n"), "", A, {"both": 3}),
    "the same rows written otherwise": (
        "nanobot",
        chat("nanobot", [1, 2]),
        joined(*header("nanobot"), *(compact(json.loads(row("nanobot", n))) for n in (1, 2, 3))),
        "",
        joined(*header("nanobot"), row("nanobot", 1), row("nanobot", 2), compact(json.loads(row("nanobot", 3)))),
        {"both": 2, "added": 1},
    ),
    "a line of a that cannot be read stays in its place": (
        "catbuddy",
        joined(*header("catbuddy"), row("catbuddy", 1), TORN, row("catbuddy", 3)),
        B,
        "",
        joined(
            *header("catbuddy"), row("catbuddy", 1), TORN, row("catbuddy", 2), row("catbuddy", 3), row("catbuddy", 4)
        ),
        {"both": 2, "only_a": 1, "added": 2},
    ),
    "a torn end of a gets a newline": (
        "catbuddy",
        A + TORN,
        B,
        "",
        A + TORN + b"\n" + row("catbuddy", 4) + b"\n",
        {"both": 3, "only_a": 1, "added": 1},
    ),
    "a line of b that cannot be read is not copied": (
        "catbuddy",
        A,
        B + TORN + b"\n",
        "",
        B,
        {"both": 3, "added": 1, "left_out": 1},
    ),
    "a line of b that other readers cannot read is not copied": (
        "catbuddy",
        A,
        A + row("catbuddy", 5, "x").replace(b'"x"', b"NaN") + b"\n" + row("catbuddy", 6) + b"\n",
        "",
        A + row("catbuddy", 6) + b"\n",
        {"both": 3, "added": 1, "left_out": 1},
    ),
    "half an emoji is copied as it is": (
        "catbuddy",
        A,
        A + row("catbuddy", 5, "x").replace(b'"x"', b'"\\ud83d"') + b"\n",
        "",
        A + row("catbuddy", 5, "x").replace(b'"x"', b'"\\ud83d"') + b"\n",
        {"both": 3, "added": 1},
    ),
    "glued rows of b come one by one": (
        "catbuddy",
        A,
        A[:-1] + row("catbuddy", 4) + b" " + row("catbuddy", 5) + b"\n",
        "",
        A + joined(row("catbuddy", 4), row("catbuddy", 5)),
        {"both": 3, "added": 2},
    ),
    "glued rows of a are rows": (
        "catbuddy",
        A + row("catbuddy", 4) + row("catbuddy", 5) + b"\n",
        chat("catbuddy", [1, 2, 3, 4, 5, 6]),
        "",
        A + row("catbuddy", 4) + row("catbuddy", 5) + b"\n" + row("catbuddy", 6) + b"\n",
        {"both": 5, "added": 1},
    ),
    "a row that b repeats comes once": (
        "catbuddy",
        A,
        B + joined(row("catbuddy", 2), row("catbuddy", 4)),
        "",
        B,
        {"both": 3, "added": 1, "repeated": 2},
    ),
    "what a repeats stays": ("catbuddy", A + row("catbuddy", 2) + b"\n", A, "", None, {"both": 3, "only_a": 1}),
    "two rows that got one number, undecided": (
        "catbuddy",
        A + row("catbuddy", 4, "mine", at=4) + b"\n",
        A + row("catbuddy", 4, "yours", at=6) + b"\n",
        "",
        None,
        {"both": 4, "conflicts": 1},
    ),
    "two rows that got one number, both kept": (
        "catbuddy",
        A + joined(row("catbuddy", 4, "mine", at=4), row("catbuddy", 5, "mine too", at=5)),
        A + joined(row("catbuddy", 4, "yours", at=6), row("catbuddy", 5, "yours too", at=7)),
        "both",
        A
        + joined(
            *(row("catbuddy", 4, "mine", at=4), row("catbuddy", 5, "mine too", at=5)),
            *(row("catbuddy", 6, "yours", at=6), row("catbuddy", 7, "yours too", at=7)),
        ),
        {"both": 5, "added": 2, "conflicts": 2, "renumbered": 2},
    ),
    "a copy that counts from one again": (
        "catbuddy",
        joined(*header("catbuddy"), *(row("catbuddy", n + 10, f"t{n}", at=n) for n in (3, 4, 5))),
        joined(*header("catbuddy"), *(row("catbuddy", n, f"t{n}", at=n) for n in (1, 2, 3, 4))),
        "",
        joined(
            *header("catbuddy"),
            *(row("catbuddy", n, f"t{n}", at=n) for n in (1, 2)),
            *(row("catbuddy", n + 10, f"t{n}", at=n) for n in (3, 4, 5)),
        ),
        {"both": 2, "only_a": 1, "added": 2},
    ),
    "a number that another row has": (
        "catbuddy",
        numbered((1, 2), (2, 3)),
        numbered((1, 1), (7, 2), (8, 3)),
        "a",
        numbered((1, 1), (2, 2), (3, 3)),
        {"both": 2, "added": 1, "conflicts": 1, "renumbered": 2},
    ),
    "ids that are text: both stay where they are": (
        "jsonl",
        joined(row("jsonl", 1), row("jsonl", 2, "mine"), row("jsonl", 3)),
        joined(row("jsonl", 1), row("jsonl", 2, "yours"), row("jsonl", 3)),
        "both",
        joined(row("jsonl", 1), row("jsonl", 2, "mine"), row("jsonl", 2, "yours"), row("jsonl", 3)),
        {"both": 3, "added": 1, "conflicts": 1},
    ),
    "rows without an id of no agent are known by all they hold": (
        "jsonl",
        joined(compact({"role": "user", "content": "x", "timestamp": "2026-05-20T08:00:00Z", "n": 1})),
        joined(compact({"role": "user", "content": "x", "timestamp": "2026-05-20T08:00:00Z", "n": 2})),
        "",
        joined(
            compact({"role": "user", "content": "x", "timestamp": "2026-05-20T08:00:00Z", "n": 1}),
            compact({"role": "user", "content": "x", "timestamp": "2026-05-20T08:00:00Z", "n": 2}),
        ),
        {"only_a": 1, "added": 1},
    ),
    "of a row that b has moved the place is that of a": (
        "nanobot",
        chat("nanobot", [1, 2, 3]),
        chat("nanobot", [2, 3, 1, 4]),
        "",
        chat("nanobot", [1, 2, 3, 4]),
        {"both": 3, "added": 1},
    ),
    "a header further down in b is not copied": (
        "nanobot",
        chat("nanobot", [1]),
        chat("nanobot", [1]) + chat("nanobot", [2]),
        "",
        chat("nanobot", [1, 2]),
        {"both": 1, "added": 1},
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_case(desks, name):
    agent, a, b, decision, expected, counts = CASES[name]
    done = desks(agent).merged(a, b, decision)
    assert done.data == (a if expected is None else expected)
    assert not done.worse
    assert {key: value for key, value in done.counts._asdict().items() if value} == counts


HEADERS: dict[str, tuple[str, dict[str, Any], dict[str, Any], dict[str, Any]]] = {
    # agent, members of A, of B, what A has afterwards
    "the earlier start and the later change": (
        "catbuddy",
        {"created_at": "2026-05-03T00:00:00.000Z", "updated_at": "2026-05-04T00:00:00.000Z", "preview": "old"},
        {"created_at": "2026-05-02T00:00:00.000Z", "updated_at": "2026-05-05T00:00:00.000Z", "preview": "新"},
        {"created_at": "2026-05-02T00:00:00.000Z", "updated_at": "2026-05-05T00:00:00.000Z", "preview": "新"},
    ),
    "nothing of an older copy": (
        "catbuddy",
        {"updated_at": "2026-05-04T00:00:00.000Z", "preview": "mine", "title": "T"},
        {
            "created_at": "2026-06-02T00:00:00.000Z",
            "updated_at": "2026-05-01T00:00:00.000Z",
            "preview": "x",
            "title": "U",
        },
        {"updated_at": "2026-05-04T00:00:00.000Z", "preview": "mine", "title": "T"},
    ),
    "a title that a has not": ("catbuddy", {"title": ""}, {"title": '标题 "x"'}, {"title": '标题 "x"'}),
    "a title inside metadata": (
        "nanobot",
        {"metadata": {"last_channel": "x"}},
        {"metadata": {"title": "Oslo"}},
        {"metadata": {"title": "Oslo", "last_channel": "x"}},
    ),
    "a title in no metadata": (
        "nanobot",
        {"metadata": None},
        {"metadata": {"title": "Oslo"}},
        {"metadata": {"title": "Oslo"}},
    ),
    "members that only a has stay": ("nanobot", {"extra": [1]}, {"other": 2}, {"extra": [1]}),
}


@pytest.mark.parametrize("name", HEADERS)
def test_the_header(desks, name):
    agent, mine, its, expected = HEADERS[name]
    a, b = (joined(*header(agent, **members), row(agent, 1)) for members in (mine, its))
    done = desks(agent).merged(a, b)
    assert done.lines[0] == header(agent, **{**mine, **expected})[0] or agent == "nanobot"
    assert json.loads(done.lines[0]) == json.loads(header(agent, **{**mine, **expected})[0])
    assert done.lines[1:] == [row(agent, 1)]
    assert done.nothing == (mine == expected)


def test_a_header_of_b_for_rows_of_a_hides_none_of_them(desks):
    theirs = joined(*header("nanobot", last_archived=2), row("nanobot", 1), row("nanobot", 2), row("nanobot", 3))
    done = desks("nanobot").merged(joined(row("nanobot", 1), row("nanobot", 3)), theirs)
    assert json.loads(done.lines[0])["last_archived"] == 0
    assert done.lines[1:] == [row("nanobot", n) for n in (1, 2, 3)]
    assert "no header" in done.notes[0]


def test_a_corrupt_header_of_a_stays_below_that_of_b(desks):
    torn = header("catbuddy")[0][:40]
    done = desks("catbuddy").merged(joined(torn, row("catbuddy", 1)), B)
    assert done.lines[:3] == [*header("catbuddy"), torn, row("catbuddy", 1)]
    assert not done.worse


class TestWriting:
    def apply(self, pair: Pair, decision: str = "", **more: Any) -> merging.Merged:
        return merging.apply(pair, decision, command=["memcli"], idle=0, **more)

    @pytest.mark.parametrize("agent", AGENTS)
    def test_there_and_back(self, desks, agent):
        desk = desks(agent)
        pair = desk.pair(chat(agent, [1, 3]), chat(agent, [1, 2, 3, 4]))
        before = inside(desk.folder)
        done = self.apply(pair)
        assert not done.refused
        assert desk.path.read_bytes() == chat(agent, [1, 2, 3, 4])
        assert desk.path.stat().st_mtime_ns == OLD
        assert desk.other.read_bytes() == chat(agent, [1, 2, 3, 4])
        undo.undo(sealing.store(pair.a.workspace), done.id)
        assert inside(desk.folder) == before

    def test_a_new_session_is_made_byte_for_byte_and_undone(self, desks):
        desk = desks("nanobot")
        pair = desk.new(chat("nanobot", [1, 2]))
        before = inside(desk.folder)
        done = self.apply(pair)
        assert desk.path.read_bytes() == chat("nanobot", [1, 2])
        assert (desk.path.stat().st_mtime_ns, desk.path.stat().st_mode & 0o777) == (OLD, 0o600)
        undo.undo(sealing.store(pair.a.workspace), done.id)
        assert inside(desk.folder) == before

    def test_versions_that_are_replaced_are_kept_for_ever(self, desks):
        desk = desks("catbuddy")
        pair = desk.pair(A, joined(*header("catbuddy"), row("catbuddy", 1), row("catbuddy", 2, "new")))
        done = self.apply(pair, "b")
        store = sealing.store(pair.a.workspace)
        [record] = undo.listed(store)
        assert (record.id, record.pieces) == (done.id, 1)
        [(about, piece)] = quarantine.pieces(store, record.folder)
        assert piece == row("catbuddy", 2) + b"\n"
        assert (about["offset"], about["code"]) == (A.index(piece), "merge")

    def test_a_healthy_file_that_has_all_is_not_touched(self, desks):
        desk = desks("catbuddy")
        pair = desk.pair(B, A)
        before = snapshot(desk.folder)
        assert self.apply(pair) == ("", [])
        assert snapshot(desk.folder) == before
        assert not os.path.exists(sealing.store(pair.a.workspace).folder)

    def test_an_undecided_conflict_writes_nothing(self, desks):
        desk = desks("catbuddy")
        pair = desk.pair(A, chat("catbuddy", [1, 2]) + row("catbuddy", 3, "other") + b"\n")
        assert self.apply(pair) == ("", [])
        assert desk.path.read_bytes() == A

    def test_a_file_that_was_just_changed_is_left_alone(self, desks):
        desk = desks("catbuddy")
        pair = desk.pair(A, B)
        os.utime(desk.path)
        done = merging.apply(pair, command=["memcli"], idle=60)
        assert done.id == ""
        assert "seconds ago" in done.refused[0]
        assert merging.apply(pair, command=["memcli"], idle=60, force_live=True).id

    def test_an_agent_that_saves_in_between_is_merged_with(self, desks, monkeypatch):
        desk = desks("catbuddy")
        pair = desk.pair(A, B)
        real = merging.carry_out
        saves = iter([chat("catbuddy", [1, 2, 3, 7])])

        def carry_out(*arguments: Any, **more: Any) -> merging.Merged:
            data = next(saves, None)
            if data is not None:
                desk.path.write_bytes(data)
            return real(*arguments, **more)

        monkeypatch.setattr(merging, "carry_out", carry_out)
        assert self.apply(pair).id
        assert desk.path.read_bytes() == chat("catbuddy", [1, 2, 3, 4, 7])

    def test_one_that_never_stops_wins(self, desks, monkeypatch):
        desk = desks("catbuddy")
        pair = desk.pair(A, B)
        real = merging.carry_out
        numbers = itertools.count(7)

        def carry_out(*arguments: Any, **more: Any) -> merging.Merged:
            desk.path.write_bytes(chat("catbuddy", [1, next(numbers)]))
            return real(*arguments, **more)

        monkeypatch.setattr(merging, "carry_out", carry_out)
        done = self.apply(pair)
        assert done.id == ""
        assert "changed after it was read" in done.refused[0]

    @pytest.mark.parametrize("which", ["path", "other"])
    def test_a_copy_that_changes_while_it_is_read(self, desks, monkeypatch, which):
        desk = desks("catbuddy")
        pair = desk.pair(A, B)
        real = merging.compare

        def compare(*sides: Any) -> Any:
            getattr(desk, which).write_bytes(b"")
            return real(*sides)

        monkeypatch.setattr(merging, "compare", compare)
        with pytest.raises(RefusedForSafety, match="changed after it was read"):
            merging.plan(pair)

    def test_the_file_that_counts_messages_goes_on_counting_them(self, desks):
        desk = desks("nanobot")
        pair = desk.pair(chat("nanobot", [2, 3]), chat("nanobot", [1, 2, 3]))
        counted = desk.path.with_suffix(".checkpoint.json")
        counted.write_text('{"version": 1, "base_message_count": 2}')
        os.utime(counted, ns=(OLD, OLD))
        before = inside(desk.folder)
        done = self.apply(pair)
        assert counted.read_text() == '{"version": 1, "base_message_count": 3}'
        undo.undo(sealing.store(pair.a.workspace), done.id)
        assert inside(desk.folder) == before

    def test_what_memcli_itself_keeps_is_not_written_to(self, desks, tmp_path):
        own = tmp_path / "state" / "workspaces" / "x"
        own.mkdir(parents=True)
        desk = desks("catbuddy")
        kept = desk.ref(own / "0.old", A)
        with pytest.raises(UsageError, match="memcli itself keeps"):
            self.apply(desk.pair(A, B)._replace(a=kept))
        assert (own / "0.old").read_bytes() == A

    def test_a_copy_is_written_elsewhere(self, desks):
        desk = desks("catbuddy")
        pair = desk.pair(A, B)
        with merging.plan(pair) as merge:
            merging.write(merge, str(desk.folder / "out.jsonl"))
            with pytest.raises(UsageError, match="exists already"):
                merging.write(merge, str(desk.folder / "out.jsonl"))
            with pytest.raises(UsageError, match="take it for a chat"):
                merging.write(merge, str(desk.sessions / "out.jsonl"))
        assert (desk.folder / "out.jsonl").read_bytes() == B
        assert desk.path.read_bytes() == A

    def test_with_nothing_to_merge_the_copy_is_that_of_a(self, desks):
        desk = desks("catbuddy")
        with merging.plan(desk.pair(B, A)) as merge:
            merging.write(merge, str(desk.folder / "out.jsonl"))
        assert (desk.folder / "out.jsonl").read_bytes() == B


class TestNew:
    def made(self, desks: Any, agent: str, data: bytes) -> tuple[bytes, merging.Counts, list[str]]:
        with merging.plan(desks(agent).new(data)) as merge:
            return Path(merge.result).read_bytes(), merge.counts, merge.notes

    def test_lines_that_cannot_be_read_are_left_out(self, desks):
        data, counts, _ = self.made(desks, "catbuddy", A + TORN + b"\n" + row("catbuddy", 4) + b"\n" + TORN)
        assert data == B
        assert (counts.added, counts.left_out) == (4, 2)

    def test_a_line_that_nothing_mends_is_left_out(self, desks):
        garbage = joined(*header("nanobot", last_archived=2), row("nanobot", 1), b"garbage", row("nanobot", 2))
        data, counts, _ = self.made(desks, "nanobot", garbage)
        assert data == joined(*header("nanobot", last_archived=1), row("nanobot", 1), row("nanobot", 2))
        assert (counts.added, counts.left_out) == (2, 1)

    def test_an_offset_moves_with_the_rows_before_it(self, desks):
        lines = [
            *header("nanobot", last_archived=3),
            row("nanobot", 1),
            b'{"role": "us',
            row("nanobot", 2),
            row("nanobot", 3),
        ]
        data, _, _ = self.made(desks, "nanobot", joined(*lines))
        assert json.loads(data.split(b"\n")[0])["last_archived"] == 2

    def test_a_header_is_built_where_there_is_none(self, desks):
        data, _, notes = self.made(desks, "catbuddy", joined(row("catbuddy", 1, "hi"), row("catbuddy", 2)))
        head = json.loads(data.split(b"\n")[0])
        assert (head["key"], head["preview"]) == ("desktop:main", "hi")
        assert (head["created_at"], head["updated_at"]) == (stamp(1) + ".000Z", stamp(2) + ".000Z")
        assert data.split(b"\n")[1:] == [row("catbuddy", 1, "hi"), row("catbuddy", 2), b""]
        assert "mended on their way" in notes[0]

    def test_from_nothing_comes_nothing(self, desks):
        with pytest.raises(UsageError, match="no rows that could be brought back"):
            self.made(desks, "catbuddy", joined(*header("catbuddy")))


def test_a_row_that_shares_its_line_is_not_replaced(desks):
    mine = A[:-1] + row("catbuddy", 4) + b"\n"
    theirs = joined(
        *header("catbuddy"), row("catbuddy", 1, "x"), *(row("catbuddy", n) for n in (2, 3)), row("catbuddy", 4, "y")
    )
    done = desks("catbuddy").merged(mine, theirs, "b")
    assert done.data == joined(*header("catbuddy"), row("catbuddy", 1, "x"), *mine.split(b"\n")[2:-1])
    assert done.counts.replaced == done.counts.dropped == 1
    assert "share a line" in done.notes[0]


def test_an_agent_that_would_see_less_is_spared(desks, monkeypatch):
    desk = desks("catbuddy")
    seen = iter([AgentView(3, 3, True), AgentView(2, 4, True)])
    monkeypatch.setattr(merging, "view", lambda *more: next(seen))
    done = desk.merged(A, B)
    assert done.worse == "The agent would see 2 rows of it instead of 3."


@pytest.mark.parametrize(
    ("line", "path", "expected"),
    [
        (b'{"a": 1}', ("b",), b'{"b": "x", "a": 1}'),
        (b'{"a":1}', ("b",), b'{"b":"x","a":1}'),
        (b" { }", ("b",), b' {"b":"x" }'),
        (b'{"b": {"c": 1}}', ("b", "d"), b'{"b": {"d": "x", "c": 1}}'),
        (b'{"b": [1]}', ("b", "d"), b'{"b": {"d":"x"}}'),
        (b"[1]", ("b",), b"[1]"),
    ],
)
def test_a_member_is_put_in(line, path, expected):
    assert headings.with_member(line, path, "x") == expected


def test_copies_of_different_chats_are_not_merged(desks):
    with pytest.raises(UsageError, match=r"the chat desktop:main and .* the chat desktop:b"):
        desks("catbuddy").merged(A, joined(*header("catbuddy", key="desktop:b"), row("catbuddy", 9)))


def test_what_would_get_worse_is_not_written(desks):
    desk = desks("nanobot")
    mine, its = calls("c1", 10), calls("c1", 10)
    its[1] = row("nanobot", 11, "", role="assistant", tool_calls=json.loads(its[1])["tool_calls"], latency_ms=3)
    pair = desk.pair(joined(*header("nanobot"), *mine), joined(*header("nanobot"), *its))
    done = merging.apply(pair, "both", command=["memcli"], idle=0)
    assert done.id == ""
    assert "would show" in done.refused[0]
    assert desk.path.read_bytes() == joined(*header("nanobot"), *mine)
    with merging.plan(pair, "both") as merge, pytest.raises(RefusedForSafety, match="Nothing was written"):
        merging.write(merge, str(desk.folder / "out"))
    assert merging.apply(pair, "b", command=["memcli"], idle=0).id
    assert desk.path.read_bytes() == joined(*header("nanobot"), *its)


def test_more_rows_than_the_agent_keeps_are_told(desks):
    numbers = range(1, 2002)
    done = desks("catbuddy").merged(chat("catbuddy", numbers[1:]), chat("catbuddy", numbers))
    assert done.counts.added == 1
    assert any("2,000 rows" in note for note in done.notes)


def test_a_refusal_for_another_reason_is_not_tried_again(desks, monkeypatch):
    desk = desks("catbuddy")
    tried = []

    def carry_out(*arguments: Any, **more: Any) -> merging.Merged:
        tried.append(1)
        raise RefusedForSafety("It is locked.", why="locked")

    monkeypatch.setattr(merging, "carry_out", carry_out)
    assert merging.apply(desk.pair(A, B), command=[], idle=0) == ("", ["It is locked."])
    assert len(tried) == 1


@pytest.mark.parametrize("flaw", ["too-deep-inside", ""])
def test_a_flaw_that_no_class_knows_is_not_copied(desks, flaw):
    made = desks("catbuddy").compared(A, B)
    made.b.flaws[3] = flaw
    assert is_whole(made.b, 3) is (not flaw)
    made.b.flaws[3] = "glued-lines"
    made.b.facts.flags[3] |= SHARED
    assert not is_whole(made.b, 3)
