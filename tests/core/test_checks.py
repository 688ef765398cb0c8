"""Every check of doctor: fires on its case, on nothing else and on no healthy sample, and its command is one that helps."""

from __future__ import annotations

import gzip
import json
import os
import shlex
import shutil
import subprocess
import time
from pathlib import Path
from typing import cast

import pytest
from support import repositories
from support.cli import run, snapshot
from support.overviews import Case, Line, build, chat, entries, joined, lines_of

from memcli.core import checks, verifying
from memcli.core.checks import disk, framework, locks, repository, sessions, sizes, unread
from memcli.core.checks.disk import Room
from memcli.core.locking import Row
from memcli.core.verifying import Looked
from memcli.damage import classes
from memcli.model import Finding, Workspace
from memcli.storage.processes import Process

MAIN = "sessions/desktop_main.jsonl"
OTHER = "sessions/desktop_two.jsonl"
TORN = chat("desktop:two")[:-30]
ROWS = chat("desktop:two").splitlines(keepends=True)
NANOBOT = "workspace/"


def nanobot(key: str = "cli:direct", rows: int = 4) -> bytes:
    """A chat as nanobot 0.2 writes it."""
    head = {"_type": "metadata", "key": key, "created_at": "2026-05-20T08:00:00.000000"}
    lines: list[dict[str, object]] = [
        {**head, "updated_at": "2026-05-20T09:00:00", "metadata": {}, "last_consolidated": 0}
    ]
    for number in range(1, rows + 1):
        role = "user" if number % 2 else "assistant"
        lines.append({"role": role, "content": f"端口 {number}", "timestamp": f"2026-05-20T08:{number:02d}:00"})
    return joined(lines)


def history(*days: int, content: str = "- [durable] 用户住在杭州") -> bytes:
    """nanobot's journal, an entry a day."""
    return joined(
        {"cursor": number, "timestamp": f"2026-05-{day:02d} 08:30", "content": content}
        for number, day in enumerate(days, 1)
    )


CASES = {
    "healthy": Case("catbuddy", {MAIN: chat(), OTHER: chat("desktop:two")}, []),
    "healthy-beside-its-own-old-database": Case(
        "catbuddy",
        {MAIN: chat(), "sessions/sessions.db.bak": b"SQLite format 3\0"},
        [
            Line(
                *("generations", "warning", "sessions.db.bak keeps the chats of a version", 1),
                "sqlite3 -readonly {W}/sessions/sessions.db.bak .tables",
            )
        ],
    ),
    "sessions-mendable": Case(
        "catbuddy",
        {MAIN: chat(), OTHER: TORN},
        [
            Line(
                *("sessions", "error"),
                "1 of 2 sessions is damaged (torn-tail): the agent sees 0 of 4 rows, 3 once mended; 1 goes to quarantine",
                *(1, "memcli repair --apply"),
            ),
        ],
    ),
    "sessions-only-lossy": Case(
        "catbuddy",
        {MAIN: chat(), OTHER: b"".join([*ROWS[:2], b"Traceback (most recent call last)\n", *ROWS[2:]])},
        [
            Line(
                *("sessions", "error"),
                "1 of 2 sessions has lines that cannot be mended (not-json): the agent sees 0 of 5 rows, 4 once those lines are",
                *(1, "memcli repair --apply --lossy"),
            )
        ],
    ),
    "sessions-empty": Case(
        "catbuddy",
        {MAIN: chat(), OTHER: b""},
        [Line("sessions", "error", "1 of 2 sessions: 0 bytes (empty-file)", 1, "memcli doctor desktop:two")],
    ),
    "sessions-trimmed": Case(
        "catbuddy",
        {MAIN: b"".join([chat().splitlines(keepends=True)[0], *chat(rows=6).splitlines(keepends=True)[3:]])},
        [Line("sessions", "info", "2 rows are gone from 1 session (trimmed)", 1, "memcli doctor desktop:main")],
    ),
    "chain-renamed": Case(
        "catbuddy",
        {MAIN: chat(), "sessions/backup of two.jsonl": chat("desktop:two")},
        [
            Line(
                *(
                    "chain",
                    "error",
                    "1 session cannot be found by its key: the file's name is not what its key maps to",
                    1,
                ),
                "memcli repair --apply --reroute",
            )
        ],
    ),
    "chain-key-missing": Case(
        "catbuddy",
        {OTHER: ROWS[0].replace(b'"key":"desktop:two",', b"") + b"".join(ROWS[1:])},
        [
            Line(
                "chain",
                "error",
                "1 session cannot be found by its key: a member of the header",
                1,
                "memcli repair --apply",
            )
        ],
    ),
    "chain-nul-in-the-key": Case(
        "catbuddy",
        {"sessions/desktop_x.jsonl": chat("desktop:x\0y"), MAIN: chat()},
        [
            Line(
                *("chain", "warning", "1 session has a key that cannot be looked up as it is written", 1),
                "memcli sessions show {W}/sessions/desktop_x.jsonl",
            ),
        ],
    ),
    "chain-control-character": Case(
        "catbuddy",
        {"sessions/desktop_a\tb.jsonl": chat("desktop:a\tb")},
        [
            Line(
                *("chain", "warning", "1 session has a key that cannot be looked up as it is written", 1),
                "memcli sessions show",
            )
        ],
    ),
    "chain-blank-at-the-end": Case(
        "catbuddy",
        {"sessions/desktop_a .jsonl": chat("desktop:a ")},
        [Line("chain", "warning", "1 session has a key that cannot be looked up", 1, "memcli sessions show")],
    ),
    "chain-too-long": Case(
        "catbuddy",
        {"sessions/x.jsonl": chat("desktop:" + "端" * 190)},
        [
            Line(
                "chain",
                "warning",
                "1 session has a key that cannot be looked up",
                1,
                "memcli sessions show {W}/sessions/x.jsonl",
            )
        ],
    ),
    "encodings-half-an-emoji": Case(
        "catbuddy",
        {MAIN: chat().replace("端口 2?".encode(), b"\\ud83d")},
        [
            Line(
                *("encodings", "warning", "1 file is not plain UTF-8 with LF (lone-surrogate)", 1),
                "memcli sessions show desktop:main --line 3",
            )
        ],
    ),
    "encodings-bom": Case(
        "catbuddy",
        {MAIN: b"\xef\xbb\xbf" + chat()},
        [Line("encodings", "error", "1 file is not plain UTF-8 with LF (bom)", 1, "memcli repair --apply")],
    ),
    "encodings-utf16": Case(
        "catbuddy",
        {MAIN: chat(), OTHER: chat("desktop:two").decode().encode("utf-16")},
        [Line("encodings", "error", "1 file is not plain UTF-8 with LF (utf16)", 1, "memcli repair --apply")],
    ),
    "encodings-gbk": Case(
        "catbuddy",
        {OTHER: b"".join([*ROWS[:3], *[row.decode().encode("gbk") for row in ROWS[3:]]])},
        [
            Line(
                *("encodings", "error"),
                "1 file is not plain UTF-8 with LF (invalid-utf8 2); read as gb18030 every one of these lines is a record",
                *(1, "memcli repair --apply --encoding gb18030"),
            )
        ],
    ),
    "encodings-nobody-knows": Case(
        "catbuddy",
        {OTHER: b"".join([*ROWS[:3], ROWS[3].replace("端口".encode(), b"\x81\xff"), ROWS[4]])},
        [
            Line(
                "encodings",
                "error",
                "1 file is not plain UTF-8 with LF (invalid-utf8)",
                1,
                "memcli repair --apply --lossy",
            )
        ],
    ),
    "encodings-crlf": Case(
        "catbuddy",
        {MAIN: chat().replace(b"\n", b"\r\n")},
        [Line("encodings", "info", "1 file is not plain UTF-8 with LF (crlf)", 1, "memcli repair --apply --eol lf")],
    ),
    "encodings-memory": Case(
        "catbuddy",
        {MAIN: chat(), "memory/MEMORY.md": "# 记忆\n".encode("utf-16")},
        [
            Line(
                *("encodings", "error", "1 memory file is no UTF-8 (utf16)", 1),
                "iconv -f UTF-16 -t UTF-8 -o {W}/memory/MEMORY.md.new {W}/memory/MEMORY.md",
            )
        ],
    ),
    "turns-without-an-answer": Case(
        "catbuddy",
        {MAIN: chat(rows=3)},
        [
            Line(
                *("turns", "info", "1 question has no answer, in 1 session", 1),
                "memcli sessions show desktop:main --row 3 -C 2",
            )
        ],
    ),
    "turns-in-the-wrong-order": Case(
        "catbuddy",
        {MAIN: chat().replace(b"T08:03:00", b"T07:03:00")},
        [
            Line(
                *("turns", "info", "1 row is older than the row before it, in 1 file", 1),
                "memcli sessions show desktop:main --row 3 -C 2",
            )
        ],
    ),
    "journal-glued": Case(
        "catbuddy",
        {
            MAIN: chat(),
            "memory/history.jsonl": entries(2).replace(b"}\n{", b"}{"),
            "memory/.cursor": "2",
            "memory/.dream_cursor": "2",
        },
        [Line("journal", "error", "1 file of the journal is damaged (glued-lines)", 1, "memcli repair --apply")],
    ),
    "journal-counter-behind": Case(
        "catbuddy",
        {MAIN: chat(), "memory/history.jsonl": entries(3), "memory/.cursor": "1", "memory/.dream_cursor": "3"},
        [Line("journal", "error", "1 file of the journal is damaged (cursor-behind)", 1, "memcli repair --apply")],
    ),
    "dream-never-again": Case(
        "catbuddy",
        {MAIN: chat(), "memory/history.jsonl": entries(3), "memory/.cursor": "3", "memory/.dream_cursor": "99"},
        [Line("dream", "error", "Dream never runs again", 1, "memcli repair --apply --redream")],
    ),
    "dream-in-memory-only": Case(
        "catbuddy",
        {MAIN: chat(), "memory/history.jsonl": entries(3), "memory/.cursor": "3"},
        [
            Line(
                *(
                    "dream",
                    "info",
                    "3 entries in memory/history.jsonl: this version keeps Dream's position in memory only",
                    3,
                ),
                "memcli tail {W}/memory/history.jsonl -n 3",
            )
        ],
    ),
    "dream-backlog": Case(
        "nanobot",
        {
            "workspace/sessions/cli_direct.jsonl": nanobot(),
            "workspace/memory/history.jsonl": history(20, 20, 20),
            "workspace/memory/.cursor": "3",
            "workspace/memory/.dream_cursor": "1",
        },
        [
            Line(
                *(
                    "dream",
                    "info",
                    "2 entries of memory/history.jsonl wait for Dream: a running gateway dreams every 2 hours",
                    2,
                ),
                "memcli tail {W}/workspace/memory/history.jsonl -n 2",
            )
        ],
    ),
    "dream-fails": Case(
        "nanobot",
        {
            "workspace/sessions/cli_direct.jsonl": nanobot(),
            "workspace/memory/history.jsonl": history(1, 5, 20),
            "workspace/memory/.cursor": "3",
            "workspace/memory/.dream_cursor": "0",
        },
        [
            Line(
                *("dream", "warning", "3 entries of memory/history.jsonl wait for Dream", 3),
                "memcli tail {W}/workspace/memory/history.jsonl -n 3",
            )
        ],
    ),
    "leftovers-adoptable": Case(
        "catbuddy",
        {MAIN: chat(rows=2), MAIN + ".tmp": chat()},
        [
            Line(
                "leftovers",
                "warning",
                "1 temporary file may hold rows that the chat lost",
                1,
                "memcli repair --apply --adopt-temp",
            )
        ],
        ages={MAIN: 2000, MAIN + ".tmp": 1000},
    ),
    "leftovers-old": Case(
        "catbuddy",
        {MAIN: chat(), MAIN + ".tmp": chat(rows=2)},
        [Line("leftovers", "info", "1 temporary file of an interrupted write", 1, "memcli doctor desktop:main")],
        ages={MAIN: 1000, MAIN + ".tmp": 2000},
    ),
    "leftovers-equal-copy": Case(
        "catbuddy",
        {"memory/MEMORY.md": "# x\n", "memory/MEMORY (conflicted copy 2026-05-20).md": "# x\n", MAIN: chat()},
        [Line("leftovers", "warning", "1 second copy of files, made by a sync tool", 1, "memcli repair --apply")],
    ),
    "chain-copied-by-hand": Case(
        "catbuddy",
        {MAIN: chat(), "sessions/old.jsonl": chat(rows=2)},
        [
            Line(
                *("chain", "error", "1 file has the key of a session that another file is named after", 1),
                "memcli sessions diff {W}/sessions/desktop_main.jsonl {W}/sessions/old.jsonl",
            )
        ],
    ),
    "leftovers-fork": Case(
        "catbuddy",
        {
            MAIN: chat().replace("端口 4?".encode(), b"mine"),
            "sessions/desktop_main (conflicted copy 2026-05-20).jsonl": chat(),
        },
        [
            Line(
                *("leftovers", "warning", "1 second copy of files that cannot be told from the better one", 1),
                "memcli sessions diff {W}/sessions/desktop_main.jsonl",
            ),
        ],
    ),
    "leftovers-whose-name-does-not-tell": Case(
        "cococat",
        {"agents/leader/memory/MEMORY.md": "# x\n", "agents/leader/memory/.atomic_ab12.tmp": "x"},
        [Line("leftovers", "info", "1 temporary file of an interrupted write", 1, "memcli verify")],
    ),
    "locks-that-say-nothing": Case(
        "cococat",
        {"agents/leader/memory/MEMORY.md": "# x\n", "agents/leader/memory/MEMORY.md.lock": "?"},
        [Line("locks", "info", "1 lock does not say who holds it", 1, "memcli locks ls")],
        ages={"agents/leader/memory/MEMORY.md.lock": 4000},
    ),
    "journal-counter-ahead": Case(
        "catbuddy",
        {MAIN: chat(), "memory/history.jsonl": entries(3), "memory/.cursor": "9", "memory/.dream_cursor": "3"},
        [
            Line(
                "journal",
                "info",
                "1 file of the journal: the counter is ahead of the journal (cursor-ahead)",
                1,
                "memcli verify",
            )
        ],
    ),
    "foreign-build-output": Case(
        "catbuddy",
        {
            MAIN: chat(),
            "sessions/Session.class": b"\xca\xfe\xba\xbe",
            "sessions/hibernate.cfg.xml": "<hibernate-configuration/>",
            "sessions/chats.mv.db": b"H:2",
            "memory/MEMORY.md": "# x\n",
            "memory/node_modules/left-pad/index.js": "",
            "memory/package.json": "{}",
        },
        [
            Line(
                *("foreign", "warning", "3 files of other programs (Java) in sessions", 3),
                "mkdir -p {W}.foreign && mv -n -t {W}.foreign -- {W}/sessions/Session.class {W}/sessions/chats.mv.db "
                "{W}/sessions/hibernate.cfg.xml",
            ),
            Line(
                *("foreign", "warning", "2 files of other programs (Node) in memory", 2),
                "mkdir -p {W}.foreign && mv -n -t {W}.foreign -- {W}/memory/node_modules {W}/memory/package.json",
            ),
        ],
    ),
    "foreign-archive-as-a-session": Case(
        "catbuddy",
        {MAIN: chat(), OTHER: gzip.compress(chat("desktop:two"), mtime=0)},
        [Line("foreign", "error", "1 session file is another kind of file", 1, "memcli doctor desktop:two")],
    ),
    "generations-of-nanobot": Case(
        "nanobot",
        {
            "workspace/sessions/cli_direct.jsonl": nanobot(),
            "workspace/memory/history.jsonl": history(20),
            "workspace/memory/.cursor": "1",
            "workspace/memory/.dream_cursor": "1",
            "workspace/memory/HISTORY.md": "[2026-01-02 10:00] 用户住在上海\n",
            "workspace/memory/2026-01-02.md": "# 2026-01-02\n",
        },
        [
            Line(
                *("generations", "warning", "HISTORY.md of 0.1.4 beside a journal that has entries", 1),
                "less {W}/workspace/memory/HISTORY.md",
            ),
            Line(
                *("generations", "warning", "1 daily note of 0.1.3 and before", 1),
                "less {W}/workspace/memory/2026-01-02.md",
            ),
        ],
    ),
    "memory-with-nul": Case(
        "catbuddy",
        {MAIN: chat(), "memory/MEMORY.md": b"# x\n" + b"\0" * 20},
        [Line("memory", "error", "1 memory file: a run of NUL bytes (nul-run)", 1, "memcli lint {W}/memory/MEMORY.md")],
    ),
    "locks-nobody-owns": Case(
        "cococat",
        {
            "agents/leader/memory/MEMORY.md": "# x\n",
            "agents/leader/memory/MEMORY.md.lock": str(2**22 + 1),
        },
        [Line("locks", "warning", "1 lock is left behind by processes that are gone", 1, "memcli locks clear")],
        ages={"agents/leader/memory/MEMORY.md.lock": 5},
    ),
    "sizes-over-the-cap": Case(
        "catbuddy",
        {
            MAIN: chat(),
            "memory/history.jsonl": entries(1, content="记" * 64_001),
            "memory/.cursor": "1",
            "memory/.dream_cursor": "1",
        },
        [Line("sizes", "warning", "1 journal entry of over 64,000 characters", 1, "")],
    ),
    "sizes-too-deep": Case(
        "catbuddy",
        {MAIN: chat().replace(b'"metadata":{}', b'"metadata":{"x":' + b"[" * 600 + b"]" * 600 + b"}")},
        [Line("sizes", "warning", "1 line that readers choke on (too-deep)", 1, "memcli sessions show")],
    ),
}


@pytest.fixture(autouse=True)
def roomy(monkeypatch: pytest.MonkeyPatch) -> None:
    """The disk of whoever runs the tests may be full."""
    monkeypatch.setattr(disk, "room", lambda folder: Room(1, 1 << 40, True))


@pytest.mark.parametrize("name", CASES)
def test_what_a_check_tells(name: str, tmp_path: Path) -> None:
    case = CASES[name]
    root = build(tmp_path / "ws", case, time.time())
    before = snapshot(root)
    found = lines_of(root, case.agent)
    assert [(one.name, one.state, one.number) for one in found] == [(*line[:2], line.number) for line in case.lines]
    for one, line in zip(found, case.lines, strict=True):
        assert one.message.startswith(line.message)
        assert one.command.startswith(line.command.replace("{W}", str(root)))
        assert bool(one.command) == bool(line.command)
        assert not one.message.endswith(".")
        assert all(one.evidence)
    assert snapshot(root) == before


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case.lines])
def test_its_command_helps(name: str, tmp_path: Path) -> None:
    """What memcli says to type is understood; what repair mends is not told again."""
    case = CASES[name]
    root = build(tmp_path / "ws", case, time.time())
    for check in lines_of(root, case.agent):
        words = shlex.split(check.command)
        if words[:1] != ["memcli"]:
            continue
        ran = run(*words[1:], "--idle", "0") if words[1] == "repair" else run(*words[1:])
        assert ran.code in (0, 1), ran.err
        assert "Traceback" not in ran.err
        if words[1] == "repair":
            again = lines_of(root, case.agent)
            assert (check.name, check.command) not in {(one.name, one.command) for one in again}


def versioned(tmp_path: Path) -> Path:
    """A nanobot workspace whose memory is committed."""
    files = {
        "workspace/sessions/cli_direct.jsonl": nanobot(),
        "workspace/SOUL.md": "# S\n",
        "workspace/memory/MEMORY.md": "# M\n",
        "workspace/memory/history.jsonl": history(20),
        "workspace/memory/.cursor": "1",
        "workspace/memory/.dream_cursor": "1",
    }
    root = build(tmp_path / "ws", Case("nanobot", files, []), time.time())
    repositories.commit(root / "workspace", ["SOUL.md", "memory/MEMORY.md"])
    return root


def test_memory_that_is_committed_is_well(tmp_path: Path) -> None:
    root = versioned(tmp_path)
    before = snapshot(root)
    assert lines_of(root, "nanobot") == []
    assert snapshot(root) == before


def test_memory_that_is_not_committed(tmp_path: Path) -> None:
    root = versioned(tmp_path)
    path = root / "workspace" / "memory" / "MEMORY.md"
    path.write_text("# M\n- 用户住在杭州\n")
    path.chmod(0o600)
    [check] = lines_of(root, "nanobot")
    assert check[:4] == ("versions", "info", "1 memory file is in no commit as it is now", 1)
    assert check.command == f"git -C {root / 'workspace'} diff HEAD -- {path}"
    done = subprocess.run(shlex.split(check.command), capture_output=True, text=True, check=True)
    assert "+- 用户住在杭州" in done.stdout


def test_memory_inside_another_repository(tmp_path: Path) -> None:
    root = versioned(tmp_path)
    shutil.rmtree(root / "workspace" / ".git")
    [check] = lines_of(root, "nanobot")
    assert check[:4] == ("versions", "info", "1 memory folder keeps no versions of its text", 1)
    repositories.commit(root, [])
    [check] = lines_of(root, "nanobot")
    assert check[:2] == ("versions", "warning")
    done = subprocess.run(shlex.split(check.command), capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str(root)


def test_a_repository_that_is_broken_is_told_once_and_nothing_above_is_asked(tmp_path: Path) -> None:
    root = versioned(tmp_path)
    repositories.commit(root, [])
    (root / "workspace" / ".git" / "HEAD").unlink()
    [check] = lines_of(root, "nanobot")
    assert check[:2] == ("versions", "error")
    assert "not a git repository" in check.evidence[1]
    assert str(root) in check.evidence[1]


def test_the_lock_of_git_is_told_with_the_locks(tmp_path: Path) -> None:
    root = versioned(tmp_path)
    lock = root / "workspace" / ".git" / "index.lock"
    lock.touch()
    os.utime(
        lock, (time.time() - 90 * 86400,) * 2
    )  # before the last start of the machine, most likely; else no git runs
    found = lines_of(root, "nanobot")
    assert {one.name for one in found} == {"locks"}
    assert len(found) == 1


def test_nothing_of_a_repository_is_run(tmp_path: Path) -> None:
    """A workspace that somebody sent may hold a repository made to run programs."""
    root = versioned(tmp_path)
    ran = tmp_path / "ran"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {ran}\ncat\n")
    program.chmod(0o755)
    folder = root / "workspace"
    for name in ("core.fsmonitor", "diff.external", "filter.x.clean", "filter.x.smudge", "core.pager", "gpg.program"):
        repositories.git(folder, "config", name, str(program))
    (folder / ".gitattributes").write_text("* filter=x diff=x\n")
    hooks = folder / ".git" / "hooks"
    hooks.mkdir(exist_ok=True)
    for name in ("post-index-change", "reference-transaction"):
        shutil.copy(program, hooks / name)
    (folder / "memory" / "MEMORY.md").write_text("# other\n")
    assert {one.name for one in lines_of(root, "nanobot")} >= {"versions"}
    assert not ran.exists()


def test_a_large_repository_is_packed_without_forgetting_anything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = versioned(tmp_path)
    folder = root / "workspace"
    monkeypatch.setattr(repository, "LOOSE", 6)
    assert lines_of(root, "nanobot") == []
    for number in range(3):
        (folder / "memory" / "MEMORY.md").write_text(f"# M {number}\n")
        repositories.commit(folder, ["memory/MEMORY.md"])
    lost = repositories.git(folder, "rev-parse", "HEAD").strip()
    repositories.git(folder, "reset", "--quiet", "--hard", "HEAD~1")
    (folder / "memory" / "MEMORY.md").chmod(0o600)
    [check] = lines_of(root, "nanobot")
    assert check[:2] == ("repository", "warning")
    assert check.evidence[1] == "3 commits lead to the present one."
    weight = repository.weigh(str(folder / ".git"))
    assert weight.loose == check.number > 6
    assert weight.packs == 0
    env = {**os.environ, **repositories.ENVIRONMENT}
    subprocess.run(shlex.split(check.command), env=env, capture_output=True, check=True)
    assert lines_of(root, "nanobot") == []
    packed = repository.weigh(str(folder / ".git"))
    assert packed.packs == 1
    assert repositories.git(folder, "cat-file", "-t", lost).strip() == "commit"


def test_every_damage_is_told_by_one_check() -> None:
    named = [code for module in checks.checks() for code in module.CODES]
    known = {one.code for one in classes()}
    assert set(named) <= known
    assert len(named) == len(set(named))
    kinds = [kind for module in checks.checks() for kind in module.KINDS]
    assert sorted(kinds) == ["cursor", "journal", "leftover", "memory", "session"]
    names = [module.CHECK for module in checks.checks()]
    assert len(names) == len(set(names))
    assert checks.teller("torn-tail", "session") == "sessions"
    assert checks.teller("torn-tail", "journal") == "journal"
    assert checks.teller("bom", "journal") == "encodings"
    assert checks.teller("torn-tail", "") == "sessions"


HARMLESS = {"dream", "turns", "memory"}
"""What healthy samples show all the same, as information."""


@pytest.mark.parametrize(
    "name", ["cococat-v1-healthy", "cococat-v2-layout", "0.1.5.post3", "0.2.2", "0.3.0", "0.3.5", "0.3.5-killed"]
)
def test_no_alarm_on_a_healthy_sample(name: str, samples: Path, nanobot: Path) -> None:
    agent, _, rest = name.partition("-")
    root = samples / agent / rest if agent == "cococat" else nanobot / f"nanobot-v{name}"
    found = lines_of(root)
    assert {one.name for one in found if one.name != "permissions"} <= HARMLESS
    assert {one.state for one in found} <= {"info"}


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    root = build(tmp_path / "ws", CASES["healthy"], time.time())
    seen: list[Looked] = []
    list(verifying.verify(verifying.scope([], [str(root)], "catbuddy"), looked=seen.append))
    (root / OTHER).chmod(0)
    looked = seen[0]._replace(unread=((str(root / OTHER), "permission denied"), (str(root / "gone"), "it is gone")))
    [check] = unread.look(checks.case(looked, [], []))
    assert check[:4] == ("unread", "error", "2 files could not be read: permission denied, it is gone", 2)
    assert check.evidence == ("desktop:two: permission denied.", "gone: it is gone.")
    shown = f"ls -ld -- {root / OTHER} {root / 'gone'}"
    assert check.command == (shown if os.geteuid() == 0 else f"chmod u+rwX -- {root / OTHER}")


def test_what_is_no_file(tmp_path: Path) -> None:
    root = build(tmp_path / "ws", CASES["healthy"], time.time())
    path = root / OTHER
    path.unlink()
    os.mkfifo(path)
    [odd] = lines_of(root, "catbuddy")
    assert odd[:5] == ("permissions", "error", "1 file is not a plain file of your own", 1, f"ls -ld -- {path}")


def test_others_can_read_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from memcli.core import surroundings

    monkeypatch.setattr(surroundings, "reachable", lambda folder, top="": True)
    root = build(tmp_path / "ws", CASES["healthy"]._replace(modes={MAIN: 0o644, OTHER: 0o666}), time.time())
    [check] = lines_of(root, "catbuddy")
    assert check[:4] == ("permissions", "warning", "2 files can be read by other users of this machine", 2)
    assert check.command.startswith("memcli repair --apply --fix-perms")


def test_a_folder_of_which_others_can_read_every_session_is_counted_by_its_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from memcli.core import surroundings

    monkeypatch.setattr(surroundings, "reachable", lambda folder, top="": True)
    root = build(tmp_path / "ws", CASES["healthy"]._replace(modes={MAIN: 0o644, OTHER: 0o644}), time.time())
    [check] = lines_of(root, "catbuddy")
    assert check[:4] == ("permissions", "info", "2 files can be read by other users of this machine", 1)


def test_a_storm_of_locks_is_told_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = str(tmp_path / "ws" / "sessions" / ".lock")
    root = build(tmp_path / "ws", CASES["healthy"], time.time())
    waiting = (Process(11, "python", None), Process(12, "", None))
    held = Row(
        path,
        "flock",
        "catbuddy",
        "alive",
        Process(9, "node", None),
        1.0,
        1.0,
        waiting,
        "It is held.",
        Workspace("catbuddy", str(root)),
    )
    unknown = held._replace(path=path + "2", state="unknown", waiting=())
    monkeypatch.setattr(locks.locking, "locks", lambda workspace: [held, unknown])
    storm, busy = lines_of(root, "catbuddy")
    assert storm[:4] == ("locks", "error", "2 processes wait for a lock", 2)
    assert storm.evidence == ("It is held.", "Process 11 (python) waits.", "Process 12 (unknown) waits.")
    assert storm.command.startswith("memcli locks ls")
    assert busy[:4] == ("locks", "info", "1 lock is held: an agent is at work, and repair waits until it is not", 1)


GIGA = 1 << 30
ROOMS = {
    "workspace-full": (
        {"ws": Room(1, 1 << 20, True), "state": Room(2, GIGA, True)},
        "error",
        "1,048,576 bytes are free where the",
    ),
    "state-full": (
        {"ws": Room(1, GIGA, True), "state": Room(2, 1000, True)},
        "error",
        "1,000 bytes are free where memcli's undo",
    ),
    "tight": (
        {"ws": Room(1, 20 << 20, True), "state": Room(1, 20 << 20, True)},
        "warning",
        "20,971,520 bytes are free",
    ),
    "read-only": (
        {"ws": Room(1, GIGA, False), "state": Room(2, GIGA, True)},
        "warning",
        "the file system of the workspace is",
    ),
    "unknown": ({"ws": None, "state": None}, "", ""),
}


@pytest.mark.parametrize("name", ROOMS)
def test_room_for_a_repair(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rooms, state, message = ROOMS[name]
    root = build(tmp_path / "ws", CASES["healthy"], time.time())
    os.truncate(root / MAIN, 11 << 20)  # NULs behind the rows: a repair would need twice of that
    monkeypatch.setattr(disk, "room", lambda folder: rooms["ws" if folder == str(root) else "state"])
    found = [one for one in lines_of(root, "catbuddy") if one.name == "disk"]
    assert [(one.state, one.message[: len(message)]) for one in found] == ([(state, message)] if state else [])
    assert all(one.command.startswith("df -h ") for one in found)


def test_the_room_of_a_folder_that_is_not_there_yet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    found, there = disk.room(str(tmp_path / "a" / "b")), disk.room(str(tmp_path))
    assert found is not None
    assert there is not None
    assert found.device == there.device
    assert found.writable


def test_large_sessions_are_told_with_their_tokens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sizes, "LARGE", 900)
    root = build(tmp_path / "ws", Case("catbuddy", {MAIN: chat(rows=40), OTHER: chat("desktop:two")}, []), time.time())
    [check] = lines_of(root, "catbuddy")
    assert check[:2] == ("sizes", "warning")
    assert check.number == 1
    size = (root / MAIN).stat().st_size
    [told] = check.evidence
    assert told.startswith(f"desktop:main: {size:,} bytes, about ")
    assert 0.2 < int(told.rpartition("about ")[2].partition(" ")[0].replace(",", "")) / size < 0.6


def test_too_many_damaged_files_are_not_all_planned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "PLANNED", 100)
    files = {f"sessions/desktop_{n}.jsonl": chat(f"desktop:{n}")[:-30] for n in range(5)}
    root = build(tmp_path / "ws", Case("catbuddy", files, []), time.time())
    [check] = lines_of(root, "catbuddy")
    assert check.message == (
        "5 of 5 sessions are damaged (torn-tail 5): the agent sees 0 of 4 rows, 3 once mended; 1 goes to quarantine; "
        "4 more files not counted"
    )


def test_commands_name_the_workspace_only_where_it_must_be_named(tmp_path: Path) -> None:
    root = build(tmp_path / "ws", CASES["sessions-mendable"], time.time())
    assert "mended; 1 goes to quarantine  memcli repair --apply\n" in run("doctor", cwd=root).out
    assert f"memcli repair --apply -W {root}" in run("doctor", "-W", root).out
    spaced = tmp_path / "my ws"
    shutil.copytree(root, spaced)
    assert (
        f"memcli repair --apply --agent catbuddy -W '{spaced}'"
        in run("doctor", "-W", spaced, "--agent", "catbuddy").out
    )


def test_an_archive_is_named_by_its_own_name(tmp_path: Path) -> None:
    root = build(tmp_path / "ws", CASES["sessions-mendable"], time.time())
    shutil.make_archive(str(tmp_path / "sent"), "zip", root)
    rows = [json.loads(line) for line in run("doctor", "--json", "-W", tmp_path / "sent.zip").out.splitlines()]
    torn = rows[0]
    assert torn["workspace"] == str(tmp_path / "sent.zip")
    assert torn["command"] == f"memcli repair -W {tmp_path / 'sent.zip'}"
    assert run(*shlex.split(torn["command"])[1:]).code == 1, "a plan, where --apply would be refused"


def test_evidence_has_an_end() -> None:
    many = [Finding(f"/x/{n}", "torn-tail", "error", "safe", f"Row {n}.", "Bad.", row=n) for n in range(1, 9)]

    class Named:
        def name(self, path: str) -> str:
            return path

    case = cast("framework.Case", Named())
    told = framework.evidence(case, many)
    assert told == ("Bad.", *(f"/x/{n} row {n}: Row {n}." for n in range(1, 6)), "And 3 more.")
    assert framework.evidence(case, many, place_first=True)[-1] == "Bad."
