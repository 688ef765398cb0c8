"""Every way in which catbuddy loses a chat, by the signature that it leaves: a workspace each, the verdict, and the command
that the verdict names, carried out and counted by what catbuddy shows before and afterwards."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from support.cli import Snapshot, run, snapshot
from support.lost import (
    KEY,
    Catbuddy,
    Expected,
    cat_chat,
    cat_header,
    cat_name,
    cat_row,
    cat_rows,
    compact,
    lines,
    put,
)

MAIN = cat_name(KEY)
OTHER = "desktop:1730000000000"
WORDS = "问题 3"
"""Stands in row 3 of every chat."""


class Lost(NamedTuple):
    """`rows` are those of the table of ways in the format's description that it is a case of; `make` builds it in a sessions
    folder; asked is for `ask`. `changed` are the names that the command may touch, `key` the chat that comes back."""

    name: str
    rows: tuple[int, ...]
    make: Callable[[Path], None]
    expected: Expected
    ask: str = KEY
    changed: tuple[str, ...] = (MAIN,)
    key: str = KEY


def broken(*, at: int, by: bytes, rows: int = 6) -> Callable[[Path], None]:
    """A chat in which row `at` was replaced."""

    def make(sessions: Path) -> None:
        made = cat_rows(rows)
        made[at - 1] = by
        put(sessions / MAIN, lines([compact(cat_header()), *made]))

    return make


def written(content: bytes | Callable[[], bytes], *more: tuple[str, bytes]) -> Callable[[Path], None]:
    """A file with just these bytes, and others beside it."""

    def make(sessions: Path) -> None:
        put(sessions / MAIN, content if isinstance(content, bytes) else content())
        for name, beside in more:
            put(sessions / name, beside)

    return make


HEALTHY = cat_chat(6)
HEAD, BODY = HEALTHY.split(b"\n", 1)
BESIDE = (cat_name(OTHER), cat_chat(3, OTHER))
ROW = cat_rows(6)
GBK = compact(cat_row(3, text="问题 3: 面包怎么烤?")).decode().encode("gb18030")
LATIN = compact(cat_row(3, text="Où est le café?")).decode().encode("cp1252")

CALL: dict[str, Any] = {"role": "assistant", "toolCalls": [{"id": "c1", "name": "exec", "arguments": {}}]}
RESULT: dict[str, Any] = {"role": "tool", "toolCallId": "c1", "name": "exec"}
ANSWER: dict[str, Any] = {"role": "assistant"}
LONG = "desktop:" + "会" * 100


def renamed(name: str, content: bytes = HEALTHY) -> Callable[[Path], None]:
    return lambda sessions: put(sessions / name, content) and None


def shared(key: str, other: str) -> Callable[[Path], None]:
    """Two chats in one file: the second one's rows were saved under the first one's header."""

    def make(sessions: Path) -> None:
        theirs = [compact(cat_row(number, other, f"row {number} of the other")) for number in (5, 6)]
        put(sessions / cat_name(key), lines([compact(cat_header(key)), *cat_rows(4, key), *theirs]))

    return make


def astray(sessions: Path) -> None:
    """Two rows of the chat stand in the file of another."""
    put(sessions / MAIN, cat_chat(4))
    theirs = [compact(cat_row(number, KEY, f"row {number} astray")) for number in (5, 6)]
    put(sessions / cat_name(OTHER), lines([compact(cat_header(OTHER)), *cat_rows(4, OTHER), *theirs]))


def mirrored() -> bytes:
    """What `importWebuiThread` writes: a header of its own time, tool rows that hold the call."""
    rows = [
        cat_row(1),
        cat_row(2, role="tool", toolCalls=CALL["toolCalls"], name="trace"),
        cat_row(3, role="assistant"),
    ]
    rows[0].pop("media")
    header = cat_header(created_at="2026-06-01T00:00:00.000Z", updated_at="2026-06-01T00:00:00.000Z", metadata={})
    return lines(map(compact, [header, *rows]))


def turn(*parts: dict[str, Any]) -> Callable[[Path], None]:
    """A question, and what was stored of the turn."""

    def make(sessions: Path) -> None:
        rows = [cat_row(1), *(cat_row(number, **part) for number, part in enumerate(parts, 2))]
        put(sessions / MAIN, lines(map(compact, [cat_header(), *rows])))

    return make


CASES = [
    # 1: one row that does not parse
    Lost("torn-tail", (1,), written(HEALTHY[:-30]), Expected("unreadable-row", "session", 5, 1)),
    Lost("torn-middle", (1,), broken(at=3, by=ROW[2][:60]), Expected("unreadable-row", "session", 5, 1)),
    Lost("glued", (1,), broken(at=3, by=ROW[2] + ROW[2].replace(b'"id":3', b'"id":7')),
         Expected("unreadable-row", "session", 7, 0)),
    Lost("prose", (1,), broken(at=3, by=b"segmentation fault (core dumped)"),
         Expected("unreadable-row", "session", 5, 1)),
    Lost("words-in-a-broken-chat", (1,), written(HEALTHY[:-30]), Expected("unreadable-row", "session", 5, 1), WORDS),
    Lost("raw-control", (1,), broken(at=3, by=ROW[2].replace(b"how do", b"how\tdo")),
         Expected("unreadable-row", "session", 6, 0)),
    # encodings
    Lost("bom", (1,), written(b"\xef\xbb\xbf" + HEALTHY), Expected("bad-encoding", "session", 6, 0)),
    Lost("utf-16", (1,), written(HEALTHY.decode().encode("utf-16")), Expected("bad-encoding", "session", 6, 0)),
    Lost("gbk-row", (1,), broken(at=3, by=GBK), Expected("bad-encoding", "session", 1, 0)),
    Lost("latin-row", (1,), broken(at=3, by=LATIN), Expected("bad-encoding", "session", 1, 0)),
    # 4: no fsync
    Lost("nul-in-the-middle", (4,), broken(at=3, by=bytes(512)), Expected("power-loss", "session", 5, None)),
    Lost("nul-tail", (4,), written(HEALTHY + bytes(1024)), Expected("power-loss", "session", 6, None)),
    # 9: the list
    Lost("header-cut", (9,), written(HEAD[:40] + b"\n" + BODY), Expected("hidden-by-list", "session", 6, 0)),
    Lost("header-missing", (9,), written(BODY), Expected("hidden-by-list", "session", 6, 0)),
    Lost("header-without-key", (9,), written(lines([compact({**cat_header(), "key": None}), *ROW])),
         Expected("hidden-by-list", "session", 6, 0)),
    Lost("without-updated-at", (9,), written(lines([compact(cat_header(updated_at=None)), *ROW]), BESIDE),
         Expected("hidden-by-list", "session", 6, 0)),
    Lost("another-without-updated-at", (9,),
         written(HEALTHY, (cat_name(OTHER), cat_chat(3, OTHER, updated_at=None))),
         Expected("hidden-by-list", "session", 6, 0), changed=(cat_name(OTHER),)),
    # 10: names
    Lost("renamed", (10,), renamed("backup of my chat.jsonl"), Expected("renamed", "session", 6, 0),
         changed=(MAIN, "backup of my chat.jsonl")),
    Lost("renamed-words", (10,), renamed("old.jsonl"), Expected("renamed", "session", 6, 0), WORDS,
         changed=(MAIN, "old.jsonl")),
    Lost("renamed-and-torn", (1, 10), renamed("old.jsonl", HEALTHY[:-30]), Expected("renamed", "session", 5, 1),
         changed=(MAIN, "old.jsonl")),
    Lost("two-keys-in-one-file", (10,), shared("desktop:a/b", "desktop:a:b"),
         Expected("name-collision", "session", 0, 0), "desktop:a:b", key="desktop:a:b"),
    Lost("words-of-the-other-key", (10,), shared("desktop:a/b", "desktop:a_b"),
         Expected("name-collision", "session", 0, 0), "of the other", key="desktop:a_b"),
    Lost("rows-in-another-file", (10,), astray, Expected("name-collision", "session", 2, 0),
         changed=(MAIN, cat_name(OTHER))),
    Lost("words-in-another-file", (10,), astray, Expected("name-collision", "session", 2, 0), "astray",
         changed=(MAIN, cat_name(OTHER))),
    Lost("a-key-too-long", (10,), written(HEALTHY), Expected("never-written", "session", 0, None), LONG, changed=(),
         key=LONG),
    # 3: the mirror
    Lost("mirrored", (2, 3), written(mirrored), Expected("overwritten-by-mirror", "session", 0, None), changed=()),
    # 12, 13: the order of a turn
    Lost("results-left-out", (12,), turn(CALL, ANSWER), Expected("agent-order-bug", "session", 0, 1), changed=()),
    Lost("old-call-repeated", (12,), turn(CALL, RESULT, CALL, ANSWER), Expected("agent-order-bug", "session", 0, 1),
         changed=()),
    Lost("result-without-call", (13,), turn(RESULT, ANSWER), Expected("agent-order-bug", "session", 0, 1), changed=()),
    Lost("result-before-call", (13,), turn(RESULT, CALL, ANSWER), Expected("agent-order-bug", "session", 0, 0),
         changed=()),
]  # fmt: skip


@pytest.fixture
def sessions(no_home: Path) -> Path:
    folder = no_home / ".catbuddy" / "workspace" / "sessions"
    folder.mkdir(parents=True)
    return folder


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_lost_chat_is_explained_and_comes_back(case: Lost, sessions: Path) -> None:
    case.make(sessions)
    agent = Catbuddy(sessions)
    before, shown = snapshot(sessions.parents[1]), counted(case, agent)
    first = asked(case, sessions)[0]
    assert Expected(first["cause"], first["layer"], first["recoverable"], first["lost"]) == case.expected, first
    assert first["key"] == case.key
    assert first["evidence"]
    assert snapshot(sessions.parents[1]) == before, "doctor changed something"
    if first["command"]:
        done = run(*shlex.split(first["command"])[1:])
        assert done.code in (0, 1), done.err
    assert counted(case, agent) - shown == case.expected.recoverable
    assert changed(before, snapshot(sessions.parents[1])) <= set(case.changed)
    assert asked(case, sessions)[0]["recoverable"] in (0, None), "it is not back"


def asked(case: Lost, sessions: Path) -> list[dict[str, object]]:
    done = run("doctor", "--json", case.ask, "-W", sessions.parent)
    assert done.code in (0, 1), done.err
    return [json.loads(line) for line in done.out.splitlines()]


def changed(before: Snapshot, after: Snapshot) -> set[str]:
    """The names of the files that were written, made or removed."""
    paths = {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}
    return {Path(path).name for path in paths if not Path(path).is_dir()}


def counted(case: Lost, agent: Catbuddy) -> int:
    """The rows that can be read in what catbuddy shows."""
    if case.key not in agent.listed():
        return 0
    return sum("\ufffd" not in text for text in agent.texts(case.key))
