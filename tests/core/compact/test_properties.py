"""Whatever was said, whatever tools were called: nothing is lost, parted or done twice, and all of it can be taken back."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import compacted, faults, oracle
from support.cli import snapshot
from support.compacted import AGENTS, WISHES, Call, Turn

from memcli.core import sealing
from memcli.storage import undo

TEXTS = st.sampled_from(
    ["We decided to use PostgreSQL 16.", "我喜欢简短的回答。", "ok", "What is it?", "The API listens on port 8080."]
)
CALLS = st.builds(Call, st.booleans(), st.booleans())
TURNS = st.builds(Turn, TEXTS, st.lists(CALLS, max_size=5).map(tuple), st.one_of(st.none(), TEXTS))
LOADERS = {"catbuddy": oracle.catbuddy, "cococat": oracle.cococat}
CHATS = st.lists(TURNS, min_size=1, max_size=14)


@contextmanager
def ground() -> Iterator[Path]:
    """A home and a state of its own for each example."""
    kept = {name: os.environ.get(name) for name in ("HOME", "MEMCLI_STATE_DIR", "MEMCLI_CACHE_DIR")}
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        faults.quick_disk(patch)
        for name in kept:
            patch.setenv(name, os.path.join(folder, name.lower()))
        yield Path(folder)


@pytest.mark.parametrize("agent", AGENTS)
@settings(max_examples=8)
@given(turns=CHATS, keep=st.sampled_from([1, 2, 8]), trim=st.integers(1, 30))
def test_nothing_is_lost_parted_or_done_twice(agent: str, turns: list[Turn], keep: int, trim: int) -> None:
    check(agent, turns, keep, trim)


@pytest.mark.slow
@pytest.mark.parametrize("agent", AGENTS)
@settings(max_examples=150)
@given(turns=st.lists(TURNS, min_size=1, max_size=40), keep=st.integers(1, 20), trim=st.integers(1, 80))
def test_the_same_for_longer_chats(agent: str, turns: list[Turn], keep: int, trim: int) -> None:
    check(agent, turns, keep, trim)


def check(agent: str, turns: list[Turn], keep: int, trim: int) -> None:
    """Compact a chat, trim it, and do both once more."""
    with ground() as base:
        chat = compacted.chat(base, agent, turns)
        before = chat.lines
        done = chat.named(WISHES._replace(keep=keep))
        assert done.outcome in ("compacted", "nothing"), done
        assert chat.kept == chat.rows
        assert compacted.parted(chat) == set()
        assert len(chat.active) >= min(keep, len(before))
        if agent in LOADERS:
            assert LOADERS[agent](chat.path.read_bytes()).seen == len(chat.lines), "the agent loads every row"
        if done.outcome == "compacted":
            assert chat.summary
            assert done.stay == len(chat.active)
        again = snapshot(base)
        assert chat.named(WISHES._replace(keep=keep)).outcome == "nothing"
        changed = {path for path, seen in snapshot(base).items() if again.get(path) != seen}
        assert not {path for path in changed if path.endswith((".jsonl", ".md"))}
        if agent == "cococat":
            return
        cut = chat.named(WISHES._replace(trim=trim), trim=True)
        assert cut.outcome in ("trimmed", "nothing"), cut
        assert chat.kept == chat.rows
        assert compacted.parted(chat) == set()
        assert len(chat.archived) == cut.removed
        if agent in LOADERS:
            assert LOADERS[agent](chat.path.read_bytes()).seen == len(chat.lines)
        assert chat.named(WISHES._replace(trim=trim), trim=True).outcome == "nothing"


@pytest.mark.parametrize("agent", AGENTS[1:])
@settings(max_examples=5)
@given(turns=CHATS, trim=st.integers(1, 9))
def test_all_of_it_is_taken_back(agent: str, turns: list[Turn], trim: int) -> None:
    with ground() as base:
        chat = compacted.chat(base, agent, turns)
        files = [path for path in base.rglob("*") if path.is_file() and "state" not in str(path)]
        before = {path: path.read_bytes() for path in files if path.name != ".cursor"}
        operations = [chat.named(WISHES._replace(keep=2))]
        if agent != "cococat":
            operations.append(chat.named(WISHES._replace(trim=trim), trim=True))
        store = sealing.store(chat.workspace)
        for done in reversed(operations):
            if done.landed:
                undo.undo(store, done.landed.record.id)
        assert {path: path.read_bytes() for path in before} == before
        assert chat.archived == []


@pytest.mark.parametrize("agent", AGENTS)
@settings(max_examples=5)
@given(
    first=st.lists(TURNS, min_size=4, max_size=8), more=st.lists(st.lists(TURNS, min_size=1, max_size=4), max_size=4)
)
def test_a_chat_that_goes_on_is_summarised_row_by_row_once(
    agent: str, first: list[Turn], more: list[list[Turn]]
) -> None:
    with ground() as base:
        chat = compacted.chat(base, agent, first)
        said: list[tuple[int, int]] = []
        rows = list(chat.rows)
        turns = list(first)
        for following in [[], *more]:
            if following:
                turns += following
                fresh = compacted.chat(base / f"other-{len(turns)}", agent, turns).rows[len(rows) :]
                with chat.path.open("ab") as file:
                    file.write(b"".join(line + b"\n" for line in fresh))
                rows += fresh
                if agent == "cococat":
                    (chat.path.parent / ".dream_cursor").write_text(str(len(chat.lines)))
            done = chat.named(WISHES._replace(keep=2))
            assert done.outcome in ("compacted", "nothing"), done
            if done.outcome == "compacted":
                said.append((done.first, done.last))
            assert chat.kept == rows
        for (_, last), (begin, _) in pairwise(said):
            assert begin == last + 1 + (agent == "cococat")  # the summary itself is a row
