"""Every way in which CocoCat loses what was said, by the signature that it leaves: a workspace each, the verdict, and the
command that the verdict names, carried out and counted by what CocoCat's own readers give before and afterwards."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from support.cli import Snapshot, run, snapshot
from support.lost import (
    Expected,
    coco_journal,
    coco_task,
    coco_user,
    group,
    lines,
    put,
    spaced,
    stamp,
    strict,
    tolerant,
    undreamt,
)

USER = "9cfc09aa76ff341a"
MEMORY = "agents/leader/memory"
JOURNAL = f"{MEMORY}/history.jsonl"
COPY = f"{MEMORY}/history (conflicted copy 2026-05-21).jsonl"
OF_USER = f"{MEMORY}/users/{USER}/history.jsonl"
GROUP = "chat/kitchen/messages.jsonl"
V2 = "agents/main/sessions/0123456789abcdef.jsonl"
WORDS = "任务 3"
"""Stands in row 3 of every agent's journal."""


class Lost(NamedTuple):
    """`ways` are those of the list of losses in the format's description that it is a case of; `files` what stands where below
    the project; `count` what CocoCat's reader of `path` gives. `changed` are the files that the command may touch."""

    name: str
    ways: tuple[str, ...]
    files: dict[str, bytes]
    expected: Expected
    ask: str = "leader"
    path: str = JOURNAL
    count: Callable[[Path], int] = strict
    changed: tuple[str, ...] = (JOURNAL,)
    before: Callable[[Path], None] = lambda root: None


TASKS = [spaced(coco_task(number)) for number in range(1, 7)]
HEALTHY = coco_journal(6)
SAYINGS = [spaced(coco_user(number)) for number in range(1, 7)]
SUMMARY = {
    "type": "compacted_summary",
    "original_count": 20,
    "summary": "[20 historical entries compacted]",
    "timestamp": stamp(26)[:19],
}
COMPACTED = b"\n".join([spaced(SUMMARY), *(spaced(coco_user(number)) for number in range(21, 26))])
"""As auto_compact.py leaves it: without a newline at the end."""
MESSAGES = [
    spaced({"content": f"第 {number} message", "from": "leader", "recalled": False, "read_by": []})
    for number in range(1, 6)
]
TURNS = [spaced({"role": ("user", "assistant")[number % 2], "content": f"row {number} 面包"}) for number in range(1, 6)]


def with_row(rows: list[bytes], at: int, by: bytes) -> bytes:
    return lines([*rows[: at - 1], by, *rows[at:]])


def agent(content: bytes, **more: bytes) -> dict[str, bytes]:
    """An agent with this journal, of which two rows were dreamt."""
    files = {JOURNAL: content, f"{MEMORY}/.dream_cursor": b"2", f"{MEMORY}/MEMORY.md": b"# Leader Memory\n"}
    return {**files, **{f"{MEMORY}/{name}": data for name, data in more.items()}}


def user(content: bytes, cursor: bytes = b"2") -> dict[str, bytes]:
    return {**agent(HEALTHY), OF_USER: content, f"{MEMORY}/users/{USER}/.dream_cursor": cursor}


def after_undo(content: bytes | None, path: str = JOURNAL) -> Callable[[Path], None]:
    """memcli mended the journal and keeps a copy; later it was cut to this, or removed."""

    def make(root: Path) -> None:
        assert run("repair", "--apply", "-W", root).code in (0, 1)
        (root / path).unlink()
        if content is not None:
            put(root / path, content)

    return make


def entries(path: Path) -> int:
    return undreamt(path.parent)


CASES = [
    Lost("bad-line", ("L1",), agent(with_row(TASKS, 3, b"oops")), Expected("unreadable-row", "session", 5, 1),
         changed=(JOURNAL, f"{MEMORY}/.dream_cursor")),
    Lost("bad-line-words", ("L1",), agent(with_row(TASKS, 2, b"oops")), Expected("unreadable-row", "session", 5, 1),
         WORDS, changed=(JOURNAL, f"{MEMORY}/.dream_cursor")),
    Lost("torn-append", ("L2",), agent(lines([*TASKS[:2], TASKS[2][:30] + TASKS[3], *TASKS[4:]])),
         Expected("unreadable-row", "session", 5, 1), changed=(JOURNAL, f"{MEMORY}/.dream_cursor")),
    Lost("glued-append", ("L2",), agent(with_row(TASKS[:5], 5, TASKS[4] + TASKS[5])),
         Expected("unreadable-row", "session", 6, 0), changed=(JOURNAL, f"{MEMORY}/.dream_cursor")),
    Lost("torn-tail", ("L2",), agent(HEALTHY[:-20]), Expected("unreadable-row", "session", 5, 1)),
    Lost("glued-by-compaction", ("L3",), user(COMPACTED + spaced(coco_user(27)) + b"\n"),
         Expected("unreadable-row", "session", 7, 0), f"leader/{USER}", OF_USER,
         changed=(OF_USER, f"{MEMORY}/users/{USER}/.dream_cursor")),
    Lost("group-chat", (), {**agent(HEALTHY), GROUP: with_row(MESSAGES, 2, MESSAGES[1][:20])},
         Expected("unreadable-row", "session", 3, 1), "group:kitchen", GROUP, group, (GROUP,)),
    Lost("v2-glued", (), {V2: with_row(TURNS[:4], 4, TURNS[3] + TURNS[4]), "agents/main/memory/memory.md": b"x\n"},
         Expected("unreadable-row", "session", 2, 0), "main/0123456789abcdef", V2, tolerant, (V2,)),
    Lost("bom", (), agent(b"\xef\xbb\xbf" + HEALTHY), Expected("bad-encoding", "session", 6, 0),
         changed=(JOURNAL, f"{MEMORY}/.dream_cursor")),
    Lost("utf-16", (), agent(HEALTHY.decode().encode("utf-16")), Expected("bad-encoding", "session", 6, 0)),
    Lost("gbk-row", (), agent(with_row(TASKS, 3, TASKS[2].decode().encode("gb18030"))),
         Expected("bad-encoding", "session", 6, 0), changed=(JOURNAL, f"{MEMORY}/.dream_cursor")),
    Lost("nul-tail", (), agent(HEALTHY + bytes(600)), Expected("power-loss", "session", 6, None)),
    Lost("empty-and-copy", (), {**agent(b""), COPY: HEALTHY}, Expected("power-loss", "conflict-copy", 6, None)),
    Lost("copy-went-on", (), {**agent(coco_journal(4)), COPY: HEALTHY},
         Expected("conflict-copy", "conflict-copy", 2, 0)),
    Lost("cursor-kept-by-compaction", ("L4", "L6"), user(COMPACTED + b"\n", b"50"),
         Expected("never-dreamt", "journal", 6, 0), f"leader/{USER}", OF_USER, entries,
         (f"{MEMORY}/users/{USER}/.dream_cursor",)),
    Lost("cursor-past-the-end", ("L6",), {**agent(HEALTHY), f"{MEMORY}/.dream_cursor": b"17"},
         Expected("never-dreamt", "journal", 6, 0), count=entries, changed=(f"{MEMORY}/.dream_cursor",)),
    Lost("cursor-negative", ("L6",), {**agent(HEALTHY), f"{MEMORY}/.dream_cursor": b"-2"},
         Expected("never-dreamt", "journal", 4, 0), count=entries, changed=(f"{MEMORY}/.dream_cursor",)),
    Lost("compacted", ("L5",), user(COMPACTED + b"\n"), Expected("overwritten-by-agent", "session", 0, 20),
         f"leader/{USER}", OF_USER, changed=()),
    Lost("compacted-and-copy", ("L5",),
         {**user(COMPACTED + b"\n"), OF_USER.replace(".jsonl", " 2.jsonl"): coco_journal(15, coco_user)},
         Expected("overwritten-by-agent", "conflict-copy", 15, 5), f"leader/{USER}", OF_USER, changed=(OF_USER,)),
    Lost("cut-by-a-reset", ("L8",), agent(HEALTHY[:-1]), Expected("overwritten-by-agent", "undo", 3, None), "任务 6",
         before=after_undo(coco_journal(3))),
    Lost("deleted", (), agent(HEALTHY[:-1]), Expected("deleted", "undo", 6, None), before=after_undo(None)),
    Lost("stale-lock", ("L10",), {**agent(HEALTHY), f"{MEMORY}/MEMORY.md.lock": b"4194304"},
         Expected("locked-out", "session", 0, None), changed=(f"{MEMORY}/MEMORY.md.lock",)),
    Lost("no-memory-file", ("L11",), {JOURNAL: HEALTHY, f"{MEMORY}/.dream_cursor": b"6"},
         Expected("never-dreamt", "journal", 0, 0), count=entries, changed=()),
]  # fmt: skip


@pytest.fixture
def root(no_home: Path) -> Path:
    return no_home / "CocoCat"


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_what_was_lost_is_explained_and_comes_back(case: Lost, root: Path) -> None:
    for name, content in case.files.items():
        put(root / name, content)
    case.before(root)
    before, shown = snapshot(root), counted(case, root)
    first = asked(case, root)[0]
    assert Expected(first["cause"], first["layer"], first["recoverable"], first["lost"]) == case.expected, first
    assert first["evidence"]
    assert snapshot(root) == before, "doctor changed something"
    if first["command"]:
        done = run(*shlex.split(str(first["command"]))[1:])
        assert done.code in (0, 1), done.err
    assert counted(case, root) - shown == (case.expected.recoverable or 0)
    assert changed(before, snapshot(root), root) <= set(case.changed)
    assert asked(case, root)[0]["recoverable"] in (0, None), "it is not back"


WHY_NOT = {
    # ways of the list that no workspace can show, and why
    "L7": "a Dream that edited nothing looks like one that had nothing to edit",
    "L9": "the reset of a project around a broken repository leaves files that are whole, of an earlier day",
    "L12": "what was cut when it was written was never on disk; the cut text looks like any other",
    "L13": "facts in agents/memory are there and are found as words of a memory file",
    "L14": "no record was written, and a day without tasks looks the same",
    "L15": "a backlog is what a frozen Dream leaves, and what any Dream leaves that is not due",
    "L16": "two facts on one line are both there",
}


@pytest.mark.parametrize("way", [f"L{number}" for number in range(1, 17)])
def test_every_way_to_lose_data_has_a_case_or_a_reason(way: str) -> None:
    cases = [case.name for case in CASES if way in case.ways]
    assert bool(cases) != (way in WHY_NOT), cases


def test_a_fact_in_the_memory_of_nobody_is_found(root: Path) -> None:
    put(root / JOURNAL, HEALTHY)
    put(root / "agents/memory/MEMORY.md", "- 喜欢蓝色 products\n".encode())
    done = run("doctor", "--json", "喜欢蓝色", "-W", root)
    [verdict] = map(json.loads, done.out.splitlines())
    assert verdict["layer"] == "memory"
    assert "agents/memory/MEMORY.md" in verdict["evidence"][0]


def test_what_leaves_no_trace_is_unknown(root: Path) -> None:
    put(root / JOURNAL, HEALTHY)
    done = run("doctor", "--json", "what no record says", "-W", root)
    [verdict] = map(json.loads, done.out.splitlines())
    assert (done.code, verdict["cause"], verdict["recoverable"], verdict["lost"]) == (1, "unknown", None, None)
    assert any("leave nothing on disk" in sentence for sentence in verdict["evidence"])


def asked(case: Lost, root: Path) -> list[dict[str, Any]]:
    done = run("doctor", "--json", case.ask, "-W", root)
    assert done.code in (0, 1), done.err
    return [json.loads(line) for line in done.out.splitlines()]


def counted(case: Lost, root: Path) -> int:
    path = root / case.path
    return case.count(path) if path.exists() else 0


def changed(before: Snapshot, after: Snapshot, root: Path) -> set[str]:
    """The files that were written, made or removed, below the project."""
    paths = {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}
    return {str(Path(path).relative_to(root)) for path in paths if not Path(path).is_dir()}
