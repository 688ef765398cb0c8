"""Rows that memcli's compact took out: told with where they are, and the command brings exactly them back."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest
from support import archives, faults, lost
from support.cli import run

from memcli.storage import kept, row_archive

CHATS = {"catbuddy": ("desktop:main", "desktop_main.jsonl"), "nanobot": ("cli:a", "cli_a.jsonl")}


@pytest.fixture(params=sorted(CHATS))
def agent(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def home(agent: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A chat of 30 rows, 20 of which are in the archive, and whose undo copy is gone."""
    monkeypatch.setenv("MEMCLI_STATE_DIR", str(tmp_path / "state"))
    faults.quick_disk(monkeypatch)
    key, name = CHATS[agent]
    root = tmp_path / "ws"
    lost.put(root / "memory" / "MEMORY.md", b"# Memory\n")
    header: dict[str, Any] = lost.cat_header(key, last_consolidated=22)
    rows: list[dict[str, Any]] = [lost.cat_row(n, key, f"word{n} 你好") for n in range(1, 31)]
    if agent == "nanobot":
        header = {"_type": "metadata", "key": key, "created_at": "2026-05-20T08:00:00", "last_consolidated": 22}
        header |= {"updated_at": "2026-05-20T09:00:00", "metadata": {}}
        rows = [
            {name: row[name] for name in ("role", "content")} | {"timestamp": row["timestamp"][:-5]} for row in rows
        ]
    path = lost.put(root / "sessions" / name, lost.lines(map(lost.spaced, [header, *rows])))
    other = {**header, "key": key.replace(":", ":other")}
    lost.put(
        path.with_name(name.replace("_", "_other")),
        lost.lines(map(lost.spaced, [other, {"role": "user", "content": "x"}])),
    )
    archives.trim(root, path, 20, agent, key)
    kept.prune(archives.store_of(root, agent), keep=0)
    lost.age(path, 1)
    return root


def told(home: Path, agent: str, words: str) -> tuple[int, list[dict[str, Any]]]:
    ran = run("doctor", words, "--json", "-W", home, "--agent", agent)
    return ran.code, [json.loads(line) for line in ran.out.splitlines()]


def path_of(home: Path, agent: str) -> Path:
    return home / "sessions" / CHATS[agent][1]


def rows_of(path: Path) -> list[str]:
    return [json.loads(line).get("content", "") for line in path.read_bytes().splitlines()][1:]


@pytest.mark.parametrize("question", ["the session", "word3 你好"])
def test_the_command_brings_them_back(home: Path, agent: str, question: str) -> None:
    code, [verdict] = told(home, agent, CHATS[agent][0] if question == "the session" else question)
    assert code == 1
    assert (verdict["cause"], verdict["layer"], verdict["recoverable"]) == ("trimmed", "archive", 20)
    assert verdict["evidence"][0] == f"20 rows of it are in memcli's archive, the first since {archives.AT}."
    path = path_of(home, agent)
    assert rows_of(path) == [f"word{n} 你好" for n in range(21, 31)]
    words = shlex.split(verdict["command"])
    assert words[0] == "memcli"
    ran = run(*words[1:], "--agent", agent)
    assert ran.code == 0, ran.err
    assert rows_of(path) == [f"word{n} 你好" for n in range(1, 31)]
    assert json.loads(path.read_bytes().split(b"\n")[0])["last_consolidated"] == 22


def test_words_that_the_chat_still_has_are_not_lost(home: Path, agent: str) -> None:
    code, [verdict] = told(home, agent, "word25 你好")
    assert (code, verdict["cause"]) == (0, "not-lost")


def test_rows_that_cannot_be_put_back_are_shown(home: Path, agent: str) -> None:
    path = path_of(home, agent)
    path.write_bytes(b"\xff\xfe no row of it can be read\n" * 3)
    _, verdicts = told(home, agent, "word3 你好")
    assert all(one["command"] for one in verdicts)
    words = shlex.split(next(one["command"] for one in verdicts if one["layer"] == "archive"))
    assert "word" in run(*words[1:], "--agent", agent).out


def test_rows_of_a_chat_that_is_gone_are_had_all_the_same(home: Path, agent: str) -> None:
    """The first command shows them, or makes the chat anew from them."""
    path_of(home, agent).unlink()
    code, verdicts = told(home, agent, CHATS[agent][0])
    assert code == 1
    assert verdicts[0]["layer"] == "archive"
    words = shlex.split(verdicts[0]["command"])
    ran = run(*words[1:], "--agent", agent)
    assert ran.code == 0, ran.err
    if verdicts[0]["recoverable"]:
        assert len(rows_of(path_of(home, agent))) >= verdicts[0]["recoverable"]
    else:
        assert "word20 你好" in ran.out


def test_a_damaged_archive_is_told(home: Path, agent: str) -> None:
    found = row_archive.of(archives.store_of(home, agent), str(path_of(home, agent)))
    assert found is not None
    member = Path(found.members[0].path)
    member.write_bytes(member.read_bytes()[:-30])
    ran = run("doctor", "word1 你好", "-W", home, "--agent", agent)
    assert f"{member} is damaged from row 1 on: its end is missing; what is whole was read." in ran.err
