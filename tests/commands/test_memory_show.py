"""memcli memory show: every layer as the agent's prompt gets it."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support import golden
from support.cli import one_sentence, run
from support.repository import commit, git

Intact = Callable[[Path], Path]


def rows(*words: object) -> list[dict[str, Any]]:
    return [json.loads(line) for line in run("memory", "show", *words, "--json").out.splitlines()]


def nanobot_of(tmp_path: Path, era: str = "E2") -> Path:
    """A workspace of nanobot's with a repository; E4 by its mark."""
    folder = tmp_path / "workspace"
    commit(folder, "SOUL.md", "# Soul\n")
    commit(folder, "USER.md", "# User\n- 名字: 安\n", 1)
    commit(folder, "memory/MEMORY.md", "# Long-term Memory\n\n- old fact\n", 2)
    commit(folder, "memory/MEMORY.md", "# Long-term Memory\n\n- old fact\n- new fact\n", 86400 * 30)
    (folder / "sessions").mkdir()
    if era == "E4":
        (folder / ".nanobot").mkdir()
        (folder / ".nanobot" / "workspace-id").write_text("0" * 32)
    (folder / "memory" / "history.jsonl").write_text('{"cursor": 1, "timestamp": "2026-01-01 00:00", "content": "x"}\n')
    (folder / "memory" / ".cursor").write_text("1")
    return folder


@pytest.mark.parametrize(
    "name", ["catbuddy", "cococat-v1-healthy", "cococat-v1-damaged", "cococat-v2-layout", "nanobot-v0.3.5"]
)
def test_golden(stage: dict[str, Path], intact: Intact, name: str) -> None:
    root = intact(stage[name])
    ran = run("memory", "show", "-W", root)
    assert (ran.code, ran.err) == (0, "")
    golden.check(f"memory_show/{name}.txt", ran.out, {"root": root})


def test_rows(stage: dict[str, Path]) -> None:
    [memory, profile] = rows("-W", stage["cococat-v1-healthy"])
    assert profile == {
        "type": "layer",
        "agent": "cococat",
        "of": "leader",
        "layer": "user:9cfc09aa76ff341a",
        "path": str(stage["cococat-v1-healthy"] / "agents/leader/memory/users/9cfc09aa76ff341a/PROFILE.md"),
        "title": "## Current User",
        "state": "sent",
        "why": None,
        "characters": 74,
        "cut": 0,
        "aged": 0,
        "commit": None,
        "time": None,
        "text": "- likes blue products\n\n## Dream Consolidation (2026-05-06)\n- prefers blue",
    }
    assert memory["layer"] == "global"


@pytest.mark.parametrize("user", ["user_abc", "9cfc09aa76ff341a"])
def test_of_one_user(stage: dict[str, Path], tmp_path: Path, user: str) -> None:
    root = tmp_path / "home"
    shutil.copytree(stage["cococat-v1-healthy"], root)
    other = root / "agents/leader/memory/users/1d841bc0ee98309c"
    other.mkdir()
    (other / "PROFILE.md").write_text("- 张三 likes tea\n")
    assert [row["layer"] for row in rows("-W", root, "--user", user)] == ["global", "user:9cfc09aa76ff341a"]
    assert "张三" not in run("memory", "show", "-W", root, "--user", user).out
    assert [row["layer"] for row in rows("-W", root, "--user", "张三")][1:] == ["user:1d841bc0ee98309c"]


def test_a_user_of_whom_nothing_is_kept(stage: dict[str, Path]) -> None:
    ran = run("memory", "show", "-W", stage["cococat-v1-healthy"], "--user", "alice")
    one_sentence(ran, 2, "folder 2bd806c97f0e00af); there is something of 9cfc09aa76ff341a")
    ran = run("memory", "show", "-W", stage["catbuddy"], "--user", "alice")
    one_sentence(ran, 2, "catbuddy keeps no memory by user")


def test_dream_gets_the_beginning(tmp_path: Path) -> None:
    memory = tmp_path / ".catbuddy" / "workspace" / "memory"
    memory.mkdir(parents=True)
    (memory / "MEMORY.md").write_text("🐈" * 1499 + "港口" + "x" * 98)
    (memory / "history.jsonl").write_text('{"cursor":1,"content":"x","at":"2026-01-01T00:00:00.000Z"}\n')
    (memory.parent / "USER.md").write_text("u" * 1001)
    [long, user, soul] = rows("-W", tmp_path / ".catbuddy", "--dream")
    assert (long["text"], long["cut"]) == ("🐈" * 1499 + "港口", 98)
    assert (user["text"], user["cut"], soul["state"]) == ("u" * 1000, 1, "missing")
    assert {row["cut"] for row in rows("-W", tmp_path / ".catbuddy")} == {0}


def test_a_project_gets_the_users_memory_first(tmp_path: Path, no_home: Path) -> None:
    you = no_home / ".catbuddy" / "workspace"
    project = tmp_path / "p" / ".catbuddy"
    for folder, text in ((you, "- you\n"), (project, "- project\n")):
        (folder / "memory").mkdir(parents=True)
        (folder / "memory" / "MEMORY.md").write_text(text)
        (folder / "memory" / ".cursor").write_text("0")
        (folder / "USER.md").write_text(f"# {text}")
    (no_home / ".catbuddy" / "workspace-folders.json").write_text('{"folders": []}')
    found = rows("-W", tmp_path / "p", "--agent", "catbuddy")
    assert [(row["title"], row["text"]) for row in found if row["state"] == "sent"] == [
        ("## USER.md", "# - you\n"),
        ("## Long-Term Memory (You)", "- you\n"),
        ("## Project Memory", "- project\n"),
    ]


def test_lines_get_their_age(tmp_path: Path) -> None:
    folder = nanobot_of(tmp_path)
    head = git(folder, "rev-parse", "HEAD")
    [memory, soul, user] = rows("-W", folder, "--dream", "--at", head)
    assert memory["text"] == "# Long-term Memory  ← 30d\n\n- old fact  ← 30d\n- new fact\n"
    assert (memory["aged"], memory["commit"], memory["time"]) == (2, head, "2026-01-31T00:00:00+00:00")
    assert (soul["aged"], user["text"]) == (0, "# User\n- 名字: 安\n")
    assert "2 lines with an age" in run("memory", "show", "-W", folder, "--dream", "--at", head).out
    later = rows("-W", folder, "--dream", "--at", "2026-03-02")
    assert later[0]["text"].splitlines()[-1] == "- new fact  ← 30d"
    assert rows("-W", folder, "--dream")[0]["aged"] == 3
    (folder / "memory" / "MEMORY.md").write_text("# Long-term Memory\n\n- old fact\n- new fact\n- by hand\n")
    assert rows("-W", folder, "--dream")[0]["aged"] == 0  # the numbers of lines differ: the agent leaves them all out


@pytest.mark.parametrize(
    ("at", "text"),
    [
        ("HEAD~1", "- old fact"),
        ("2026-01-01", "- old fact"),
        ("2026-01-01T00:00:02Z", "- old fact"),
        ("2026-01-31", "- new fact"),
        ("today", "- new fact"),
    ],
)
def test_at(tmp_path: Path, intact: Intact, at: str, text: str) -> None:
    folder = intact(nanobot_of(tmp_path))
    found = rows("-W", folder, "--at", at)
    assert [row["layer"] for row in found] == ["persona", "user", "global"]
    assert found[2]["text"].splitlines()[-1] == text


def test_before_there_was_anything(tmp_path: Path) -> None:
    folder = nanobot_of(tmp_path)
    assert {row["state"] for row in rows("-W", folder, "--at", "2025-12-31")} == {"unknown"}
    assert run("memory", "show", "-W", folder, "--at", "2025-12-31").code == 1
    assert [row["state"] for row in rows("-W", folder, "--at", "2026-01-01T00:00:00Z")] == [
        "sent",
        "missing",
        "missing",
    ]


def test_an_id_with_its_digits_as_digits(tmp_path: Path) -> None:
    folder = nanobot_of(tmp_path)
    id = git(folder, "rev-parse", "HEAD~1")
    [*_, memory] = rows("-W", folder, "--at", id[:6].encode().hex())
    assert memory["commit"] == id


def test_no_such_commit(tmp_path: Path) -> None:
    folder = nanobot_of(tmp_path)
    one_sentence(run("memory", "show", "-W", folder, "--at", "nope"), 2, "'nope' is no commit in")


def test_no_history(tmp_path: Path) -> None:
    shutil.rmtree(nanobot_of(tmp_path) / ".git")
    one_sentence(run("memory", "show", "-W", tmp_path / "workspace", "--at", "HEAD"), 3, "has no git repository")


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    folder = nanobot_of(tmp_path)
    (folder / "USER.md").write_bytes(b"caf\xe9\x1b[31m\n")
    ran = run("memory", "show", "-W", folder)
    assert "every turn fails: it is not UTF-8, and the agent fails on that" in ran.out
    assert "\\x1b[31m" in ran.out
    [row] = [row for row in rows("-W", folder) if row["layer"] == "user"]
    assert (row["state"], row["text"]) == ("fails", "caf\ufffd\x1b[31m\n")


def test_odd_files(tmp_path: Path) -> None:
    folder = nanobot_of(tmp_path)
    (folder / "USER.md").unlink()
    os.mkfifo(folder / "USER.md")
    (folder / "SOUL.md").write_text(" \n")
    (folder / "memory" / "MEMORY.md").write_text(
        "# Long-term Memory\n\n## User Information\n\n(Important facts about the user)\n"
    )
    assert [row["state"] for row in rows("-W", folder)] == ["empty", "unreadable", "left-out"]
    assert run("memory", "show", "-W", folder).code == 1


def test_where(stage: dict[str, Path]) -> None:
    assert len(rows("-W", stage["cococat-v1-healthy"], "--where", "layer == 'global'")) == 1
    ran = run("memory", "show", "-W", stage["cococat-v1-healthy"], "--query", "[layer, characters]")
    assert ran.out.splitlines()[0] == '["global",313]'
    ran = run("memory", "show", "-W", stage["cococat-v1-healthy"], "--where", "layer == 'x'")
    assert (ran.code, ran.out) == (1, "")
