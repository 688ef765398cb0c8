"""Every way in which catbuddy loses a chat, by the signature that it leaves: a workspace each, the verdict, and the command
that the verdict names, carried out and counted by what catbuddy shows before and afterwards."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from contextlib import closing
from functools import partial
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
    stamp,
)
from support.repository import commit

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


Content = bytes | Callable[[], bytes]


def made(content: Content) -> bytes:
    return content if isinstance(content, bytes) else content()


def written(content: Content, *more: tuple[str, Content]) -> Callable[[Path], None]:
    """A file with just these bytes, and others beside it."""

    def make(sessions: Path) -> None:
        for name, one in ((MAIN, content), *more):
            put(sessions / name, made(one))

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


TEMP = MAIN + ".tmp"
COPY = "desktop_main (conflicted copy 2026-05-21).jsonl"


def beside_temp(content: bytes, temporary: bytes, days: float = 0.5) -> Callable[[Path], None]:
    """A chat's file a day old, and the temporary file of a write."""

    def make(sessions: Path) -> None:
        put(sessions / MAIN, content)
        put(sessions / TEMP, temporary, days)

    return make


def after_undo(content: Content | None, kept: Content = HEALTHY) -> Callable[[Path], None]:
    """memcli keeps a copy of an operation that took a BOM out; later the agent wrote, emptied or removed the file."""

    def make(sessions: Path) -> None:
        path = put(sessions / MAIN, b"\xef\xbb\xbf" + made(kept))
        assert run("repair", KEY, "--apply", "-W", sessions.parent).code == 0
        path.unlink()
        if content is not None:
            put(path, made(content))

    return make


def removed(sessions: Path) -> None:
    put(sessions / MAIN, HEALTHY)
    assert run("sessions", "rm", KEY, "--yes", "-W", sessions.parent).code == 0


def fork() -> bytes:
    theirs = [compact(cat_row(number, KEY, f"row {number} only in the copy")) for number in (6, 7)]
    return lines([compact(cat_header()), *cat_rows(4), *theirs])


LOST_PROJECT = "unregistered-project"


def project(known: tuple[str, ...] | None, key: str) -> Callable[[Path], None]:
    """A home with two projects of which the registry names these (None: it cannot be read); the last one, or the one that is
    not named, has the chat."""

    def make(sessions: Path) -> None:
        home = sessions.parents[1]
        name = key.partition(":")[2]
        put(sessions / MAIN, cat_chat(2))
        put(home / "projects" / name / "sessions" / cat_name(key), cat_chat(6, key))
        listed = [{"id": one, "name": one} for one in known or () if one != name or name == "blog"]
        text = json.dumps({"activeFolderId": None, "folders": listed}).encode()
        put(home / "workspace-folders.json", text if known is not None else b"{")

    return make


def both_have_it(sessions: Path) -> None:
    """The project has a chat of its own under the key that the global workspace uses as well."""
    project((), KEY.replace("main", "shop"))(sessions)
    own = lines([compact(cat_header()), compact(cat_row(1, text="row 1 only in the project"))])
    put(sessions.parents[1] / "projects" / "shop" / "sessions" / MAIN, own)


def stray(sessions: Path) -> None:
    """A project folder beside the home that the registry does not name."""
    put(sessions / MAIN, cat_chat(2))
    put(sessions.parents[1] / "workspace-folders.json", b'{"folders":[]}')
    folder = sessions.parents[2] / "bread" / ".catbuddy" / "workspace" / "sessions"
    put(folder / cat_name("desktop:bread"), cat_chat(6, "desktop:bread"))


def sqlite(sessions: Path) -> None:
    import sqlite3

    put(sessions / cat_name(OTHER), cat_chat(2, OTHER))
    with closing(sqlite3.connect(sessions / "sessions.db.bak")) as database:
        database.execute("create table messages (session_key text, role text, content text)")
        database.execute("insert into messages values (?, 'user', 'words in the old store')", (KEY,))
        database.commit()


def whole() -> bytes:
    """What was there before the mirror: the same questions, the calls, and two rows that were never sent."""
    rows = [cat_row(1), cat_row(2, **CALL), cat_row(3, **RESULT), cat_row(4, role="assistant")]
    rows += [cat_row(5, text="question never sent"), cat_row(6, text="answer never sent")]
    return lines(map(compact, [cat_header(), *rows]))


def journal(*cursors: int | None) -> Callable[[Path], None]:
    """A journal with these numbers, and a chat beside it."""

    def make(sessions: Path) -> None:
        put(sessions / MAIN, cat_chat(2))
        entries = [
            {"cursor": cursor, "content": f"[assistant] entry {number}", "at": stamp(number)}
            for number, cursor in enumerate(cursors, 1)
        ]
        put(sessions.parent / "memory" / "history.jsonl", lines(map(compact, entries)))
        put(sessions.parent / "memory" / ".cursor", str(cursors[-1] or 0).encode())

    return make


def memory(sessions: Path) -> None:
    """A user's own git around the workspace; Dream could not read MEMORY.md and wrote its block over it."""
    put(sessions / MAIN, cat_chat(2))
    commit(sessions.parent, "memory/MEMORY.md", "# Long-term Memory\n\n- allergic to nuts\n")
    commit(sessions.parent, "memory/MEMORY.md", "\n\n## Dream — 2026-05-20\n- likes bread\n", at=1)


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
    # 4: nothing in the file, and what stands beside it
    Lost("empty", (4,), written(b""), Expected("power-loss", "session", 0, None), changed=()),
    Lost("empty-and-temp", (4, 5), beside_temp(b"", HEALTHY), Expected("power-loss", "temp", 6, 0)),
    Lost("nul-and-temp", (4, 5), beside_temp(bytes(4096), HEALTHY), Expected("power-loss", "temp", 6, 0)),
    Lost("empty-and-torn-temp", (4, 5), beside_temp(b"", HEALTHY[:-30]), Expected("power-loss", "temp", 5, 1)),
    Lost("empty-and-copy", (4,), written(b"", (COPY, HEALTHY)), Expected("power-loss", "conflict-copy", 6, None)),
    Lost("nul-and-copy", (4,), written(bytes(512), (COPY, HEALTHY)), Expected("power-loss", "conflict-copy", 6, None)),
    Lost("empty-and-undo", (4,), after_undo(b""), Expected("power-loss", "undo", 6, None)),
    Lost("empty-words", (4,), written(b"", (COPY, HEALTHY)), Expected("power-loss", "conflict-copy", 6, None), WORDS),
    # 5: between write and rename
    Lost("temp-newer", (5,), beside_temp(HEALTHY, cat_chat(7)), Expected("crash-before-rename", "temp", 1, 0)),
    Lost("temp-newer-words", (5,), beside_temp(HEALTHY, cat_chat(7)), Expected("crash-before-rename", "temp", 1, 0),
         "问题 7"),
    Lost("temp-torn", (5,), beside_temp(HEALTHY, cat_chat(7)[:-30]), Expected("crash-before-rename", "temp", 0, 1),
         changed=()),
    Lost("temp-torn-early", (5,), beside_temp(HEALTHY, cat_chat(7)[:-300]),
         Expected("crash-before-rename", "temp", 0, None), changed=()),
    Lost("temp-whole-file-torn", (1, 5), beside_temp(HEALTHY[:-30], cat_chat(7)),
         Expected("crash-before-rename", "temp", 7, 0), changed=(MAIN, TEMP)),
    Lost("temp-alone", (5,), lambda sessions: put(sessions / TEMP, cat_chat(1)) and None,
         Expected("crash-before-rename", "temp", 1, 0)),
    Lost("temp-alone-torn", (5,), lambda sessions: put(sessions / TEMP, cat_chat(3)[:-30]) and None,
         Expected("crash-before-rename", "temp", 2, 1)),
    # 6: emptied
    Lost("cleared", (6,), written(HEAD + b"\n"), Expected("cleared", "session", 0, None), changed=()),
    Lost("cleared-and-copy", (6,), written(HEAD + b"\n", (COPY, HEALTHY)),
         Expected("cleared", "conflict-copy", 6, None)),
    Lost("cleared-and-undo", (6,), after_undo(HEAD + b"\n"), Expected("cleared", "undo", 6, None)),
    Lost("cleared-and-old-temp", (6,), beside_temp(HEAD + b"\n", HEALTHY, days=3), Expected("cleared", "temp", 6, None)),
    Lost("cleared-words", (6,), after_undo(HEAD + b"\n"), Expected("cleared", "undo", 6, None), WORDS),
    # 7: deleted
    Lost("deleted-and-undo", (7,), after_undo(None), Expected("deleted", "undo", 6, None)),
    Lost("deleted-words", (7,), after_undo(None), Expected("deleted", "undo", 6, None), WORDS),
    Lost("deleted-but-for-a-copy", (7,), lambda sessions: put(sessions / COPY, HEALTHY) and None,
         Expected("deleted", "conflict-copy", 6, None), changed=(MAIN, COPY)),
    Lost("removed-with-memcli", (7,), removed, Expected("deleted", "undo", 6, 0)),
    # 8: the limit
    Lost("trimmed", (8,), written(partial(cat_chat, 2000, first=51)), Expected("trimmed", "session", 0, 50), changed=()),
    Lost("trimmed-and-copy", (8,), written(partial(cat_chat, 2000, first=51), (COPY, cat_chat(100))),
         Expected("trimmed", "conflict-copy", 50, 0)),
    Lost("trimmed-and-undo", (8,), after_undo(cat_chat(2000, first=51), cat_chat(40)),
         Expected("trimmed", "undo", 40, 10)),
    Lost("trimmed-words", (8,), after_undo(cat_chat(2000, first=51), cat_chat(40)),
         Expected("trimmed", "undo", 40, 10), WORDS + ":"),
    # 11: projects that the registry lost
    Lost("folder-removed", (11,), project(("shop",), "desktop:shop"), Expected("unregistered-project", LOST_PROJECT, 6, 0),
         "desktop:shop", (cat_name("desktop:shop"),), "desktop:shop"),
    Lost("registry-emptied", (11,), project((), "desktop:shop"), Expected("unregistered-project", LOST_PROJECT, 6, 0),
         "desktop:shop", (cat_name("desktop:shop"),), "desktop:shop"),
    Lost("registry-corrupt", (11,), project(None, "desktop:shop"), Expected("unregistered-project", LOST_PROJECT, 6, 0),
         "desktop:shop", (cat_name("desktop:shop"),), "desktop:shop"),
    Lost("registry-words", (11,), project((), "desktop:shop"), Expected("unregistered-project", LOST_PROJECT, 6, 0),
         WORDS, (cat_name("desktop:shop"),), "desktop:shop"),
    Lost("project-with-the-same-key", (11,), both_have_it, Expected("unregistered-project", LOST_PROJECT, 0, 0),
         "only in the project", ()),
    Lost("stray-project", (11,), stray, Expected("unregistered-project", LOST_PROJECT, 6, 0), "desktop:bread",
         (cat_name("desktop:bread"),), "desktop:bread"),
    Lost("registered-project", (), project(("shop", "blog"), "desktop:blog"),
         Expected("other-workspace", "other-workspace", 6, 0), "desktop:blog", (cat_name("desktop:blog"),),
         "desktop:blog"),
    Lost("registered-project-words", (), project(("shop", "blog"), "desktop:blog"),
         Expected("other-workspace", "other-workspace", 6, 0), WORDS, (cat_name("desktop:blog"),), "desktop:blog"),
    # 18: the SQLite era
    Lost("sqlite", (18,), sqlite, Expected("legacy-store", "legacy-store", None, None), changed=()),
    Lost("sqlite-words", (18,), sqlite, Expected("legacy-store", "legacy-store", None, None), "in the old store", ()),
    Lost("not-even-sqlite", (18,), lambda sessions: put(sessions / "sessions.db.bak", b"old") and None,
         Expected("legacy-store", "legacy-store", None, None), changed=()),
    # copies that went on
    Lost("fork", (), written(cat_chat(5), (COPY, fork)), Expected("conflict-copy", "conflict-copy", 2, 0)),
    Lost("fork-words", (), written(cat_chat(5), (COPY, fork)), Expected("conflict-copy", "conflict-copy", 2, 0),
         "only in the copy"),
    Lost("copy-longer", (), written(HEALTHY, (COPY, cat_chat(8))), Expected("conflict-copy", "conflict-copy", 2, 0)),
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
    Lost("corrupt-then-mirrored", (2, 3), after_undo(mirrored, whole), Expected("overwritten-by-mirror", "undo", 3, None)),
    Lost("mirrored-and-copy", (3,), written(mirrored, (COPY, whole)),
         Expected("overwritten-by-mirror", "conflict-copy", 3, None)),
    Lost("mirrored-words", (3,), written(mirrored, (COPY, whole)),
         Expected("overwritten-by-mirror", "conflict-copy", 3, None), "never sent"),
    # 14, 16: journal and memory
    Lost("cursor-set-back", (14,), journal(1, 2, 3, 2, 3), Expected("never-dreamt", "journal", 0, 0), "entry 4", (), ""),
    Lost("entry-without-cursor", (14,), journal(1, 2, None), Expected("never-dreamt", "journal", 0, 0), "entry 3", (), ""),
    Lost("memory-written-over", (16,), memory, Expected("overwritten-by-agent", "memory-history", 0, None),
         "allergic to nuts", (), ""),
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
    assert counted(case, agent) - shown == (case.expected.recoverable or 0)
    assert changed(before, snapshot(sessions.parents[1])) <= set(case.changed)
    assert asked(case, sessions)[0]["recoverable"] in (0, None), "it is not back"


def test_the_likelier_cause_and_the_lost_chat_come_first(sessions: Path) -> None:
    """A torn file and a whole temporary one: both ways back are told, the one that loses nothing first; a chat that is whole
    and has the words as well comes last."""
    beside_temp(HEALTHY[:-30], cat_chat(7))(sessions)
    whole = [cat_header(OTHER), cat_row(1, OTHER, f"{WORDS}, asked elsewhere")]
    put(sessions / cat_name(OTHER), lines(map(compact, whole)))
    done = run("doctor", "--json", WORDS, "-W", sessions.parent)
    verdicts = [json.loads(line) for line in done.out.splitlines()]
    told = [(verdict["key"], verdict["cause"], verdict["recoverable"], verdict["lost"]) for verdict in verdicts]
    assert told == [(KEY, "crash-before-rename", 7, 0), (KEY, "unreadable-row", 5, 1), (OTHER, "not-lost", 0, 0)]
    assert done.code == 1
    assert run(*shlex.split(verdicts[1]["command"])[1:]).code == 0
    assert Catbuddy(sessions).shows() == 5
    done = run("doctor", "--json", KEY, "-W", sessions.parent)
    assert json.loads(done.out.splitlines()[0])["recoverable"] == 2


WHY_NOT = {
    # rows of the table that no workspace can show, and what doctor says instead
    15: "Dream's position is in memory only, and moves before the model is asked: nothing on disk tells what it passed over",
    17: "Dream's blocks repeat each other, and nothing is lost by that",
}


@pytest.mark.parametrize("row", range(1, 19))
def test_every_way_to_lose_data_has_a_case_or_a_reason(row: int) -> None:
    cases = [case.name for case in CASES if row in case.rows]
    assert bool(cases) != (row in WHY_NOT), cases


def test_what_leaves_no_trace_is_unknown(sessions: Path) -> None:
    journal(1, 2, 3)(sessions)  # three entries, none of them in MEMORY.md: Dream may have passed over them, or not
    put(sessions.parent / "memory" / "MEMORY.md", "\n\n## Dream — 2026-05-20\n- likes bread\n".encode())
    done = run("doctor", "--json", "what Dream passed over", "-W", sessions.parent)
    [verdict] = map(json.loads, done.out.splitlines())
    assert (done.code, verdict["cause"], verdict["layer"]) == (1, "unknown", "none")
    assert (verdict["recoverable"], verdict["lost"], verdict["command"]) == (None, None, "")
    told = " ".join(verdict["evidence"])
    assert "leaves nothing on disk" in told
    assert "MEMORY.md was written anew" in told
    assert "would have been needed" in told


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
