"""memcli lint --fix: a proposal, and nothing else."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support import dreams
from support.cli import one_sentence, run

from memcli.model import Workspace

Intact = Callable[[Path], Path]
TWICE = "# M\n\n- Lives in Hangzhou\n- lives in Hangzhou.\n- 喜欢喝茶\n- 用户喜欢喝茶。\n"
PILED = """# M


## Archived — Project — 2026-05-20
- 数据库用的是 PostgreSQL 16
- Ships on Fridays


## Archived — Project — 2026-05-21
- 数据库用的是 PostgreSQL 16。
- Ships on Fridays
- The API listens on port 8080
"""


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MEMCLI_STATE_DIR", str(tmp_path / "state"))
    return tmp_path / "state"


@pytest.fixture
def nanobot_root(tmp_path: Path) -> Path:
    return root(dreams.nanobot(tmp_path / "bot", []), TWICE)


@pytest.fixture
def catbuddy_root(tmp_path: Path) -> Path:
    return root(dreams.catbuddy(tmp_path / "cat", {}), PILED)


def root(workspace: Workspace, memory: str) -> Path:
    dreams.old(Path(workspace.root) / "memory" / "MEMORY.md", memory)
    return Path(workspace.root)


def rows(*words: object) -> list[dict[str, Any]]:
    ran = run(*map(str, words), "--json")
    return [json.loads(line) for line in ran.out.splitlines()]


def test_duplicates(nanobot_root: Path, intact: Intact) -> None:
    ran = run("lint", "--fix", "duplicates", "-W", intact(nanobot_root))
    assert ran.code == 0
    [[id, status, what, _, *rest]] = ran.rows
    assert (id, status, what) == ("p1", "open", "lint")
    assert rest == ["2", "2", "", "", str(nanobot_root), "duplicates: 2 changes in MEMORY.md"]
    assert ran.err.splitlines() == [
        f"{nanobot_root}: p1 proposes to say 2 facts only once; the memory was not touched.",
        f"Review: memcli proposals show p1 -W {nanobot_root}",
        f"Write it: memcli proposals approve p1 -W {nanobot_root}",
    ]


def test_archived(catbuddy_root: Path, intact: Intact) -> None:
    ran = run("lint", "--fix", "archived", "-W", intact(catbuddy_root))
    assert ran.code == 0
    assert "p1 proposes to merge the summaries of 1 chat; the memory was not touched." in ran.err
    [row, *_] = rows("proposals", "show", "p1", "-W", catbuddy_root)
    assert (row["kind"], row["items"], row["files"]) == ("edits", 1, ["memory/MEMORY.md"])


def test_the_commands_that_it_tells_work(catbuddy_root: Path) -> None:
    import shlex

    ran = run("lint", "--fix", "archived", "-W", catbuddy_root)
    for line in ran.err.splitlines()[1:]:
        words = shlex.split(line.partition(": ")[2])
        assert run(*words[1:]).code == 0
    memory = (catbuddy_root / "memory" / "MEMORY.md").read_text()
    assert memory.count("## Archived") == 1
    assert memory.count("PostgreSQL 16") == memory.count("Ships on Fridays") == memory.count("port 8080") == 1


@pytest.mark.parametrize(
    ("fix", "said"),
    [
        ("duplicates", "no fact is said twice that could be said once. Nothing was changed."),
        ("archived", "no summary repeats an earlier one. Nothing was changed."),
    ],
)
def test_nothing_to_fix(tmp_path: Path, intact: Intact, fix: str, said: str) -> None:
    folder = root(dreams.catbuddy(tmp_path / "cat", {}), "# M\n")
    ran = run("lint", "--fix", fix, "-W", intact(folder))
    assert (ran.code, ran.out, ran.err) == (0, "", f"{folder}: {said}\n")
    assert run("proposals", "ls", "--all", "-W", folder).out == ""


def test_proposed_once(nanobot_root: Path) -> None:
    run("lint", "--fix", "duplicates", "-W", nanobot_root)
    ran = run("lint", "--fix", "duplicates", "-W", nanobot_root)
    assert "p1 already proposes to say 2 facts only once" in ran.err
    assert len(run("proposals", "ls", "-W", nanobot_root).rows) == 1
    run("proposals", "reject", "p1", "--only", "1", "-W", nanobot_root)
    assert [row["id"] for row in rows("lint", "--fix", "duplicates", "-W", nanobot_root)] == ["p2"]


def test_of_one_file(nanobot_root: Path) -> None:
    dreams.old(nanobot_root / "USER.md", "- likes tea\n- likes tea\n")
    [row] = rows("lint", "USER.md", "--fix", "duplicates", "-W", nanobot_root)
    assert row["files"] == ["USER.md"]
    [row] = rows("lint", "--fix", "duplicates", "-W", nanobot_root)
    assert sorted(row["files"]) == ["USER.md", "memory/MEMORY.md"]
    one_sentence(run("lint", "nothing.md", "--fix", "duplicates", "-W", nanobot_root), 2, "is no memory file")


def test_what_is_not_utf8_is_passed_over(nanobot_root: Path) -> None:
    path = nanobot_root / "memory" / "MEMORY.md"
    path.write_bytes(b"- caf\xe9\n- caf\xe8\n")
    ran = run("lint", "--fix", "duplicates", "-W", nanobot_root)
    assert ran.code == 3
    assert f"memcli: {path} was passed over: it is not UTF-8." in ran.err
    path.unlink()
    path.mkdir()
    assert "was passed over" in run("lint", "--fix", "duplicates", "-W", nanobot_root).err


def test_no_archive(nanobot_root: Path, tmp_path: Path) -> None:
    import shutil

    archive = shutil.make_archive(str(tmp_path / "sent"), "zip", nanobot_root)
    one_sentence(run("lint", "--fix", "duplicates", "-W", archive), 2, "unpack it, and name the folder with -W")


def test_an_unknown_fix(nanobot_root: Path) -> None:
    assert run("lint", "--fix", "all", "-W", nanobot_root).code == 2
