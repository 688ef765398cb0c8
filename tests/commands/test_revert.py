"""memcli revert: what it prints, what it says it does, and that it does nothing else."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support import faults
from support.cli import Ran, one_sentence, run, spawn
from support.display import width
from support.dreamt import CURSOR, FIRST, MEMORY, SECOND, START, USER, Nanobot
from support.repository import git
from support.traps import NAME, TRAPS, Trap, lay

from memcli.core import sealing
from memcli.errors import CannotWrite
from memcli.storage import undo

Intact = Callable[[Path], Path]
STAYS = "What it read (entries 1 to 2 of the journal) stays read, and is not dreamt again"
HAND = "\n- 手写的一行\n"
WITHOUT_FIRST = START + "- The harbour crane is painted red\n"


@pytest.fixture
def bot(tmp_path: Path) -> Nanobot:
    return Nanobot(tmp_path / "workspace")


def revert(bot: Nanobot, *words: str) -> Ran:
    return run("revert", *words, "-W", bot.root, "--idle", "0")


def rows(bot: Nanobot, *words: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in revert(bot, *words, "--json").out.splitlines()]


class TestOutput:
    def test_what_is_written_and_said(self, bot: Nanobot) -> None:
        bot.write(MEMORY, SECOND + HAND)
        ran = revert(bot, bot.first[:8])
        memory, user = bot.root / MEMORY, bot.root / USER
        id = bot.head
        assert ran.code == 0
        assert ran.out.splitlines() == [
            f"--- {memory}\ton disk",
            f"+++ {memory}\tafter",
            "@@ -3,9 +3,6 @@",
            " ## Project Context",
            " ",
            " (Information about ongoing projects)",
            "-",
            "-- Falcon stores its data in PostgreSQL",
            "-- 数据库端口是 5432",
            " - The harbour crane is painted red",
            " ",
            " - 手写的一行",
            f"--- {user}\ton disk",
            f"+++ {user}\tafter",
            "@@ -1,3 +1,1 @@",
            " # User",
            "-",
            "-- Called Ada",
            f"{id}\tchanged\t0\t3\t{memory}",
            f"{id}\tchanged\t0\t2\t{user}",
        ]
        assert ran.err.splitlines() == [
            f"Reverting {bot.first[:8]} of 2026-01-01T00:02:00+00:00 in {bot.root}: dream: periodic memory consolidation",
            f"It changed {bot.root / CURSOR} as well, which stays as it is.",
            f"What was changed by hand in {memory} stays, and stays uncommitted.",
            f"{STAYS}; --rewind-cursor sets Dream's position back with it.",
            f"Committed as {id[:8]} in {bot.root}.",
            f"Undo: memcli revert {id[:8]} -W {bot.root}",
        ]

    def test_the_last_line_takes_it_back(self, bot: Nanobot) -> None:
        ran = revert(bot, "--rewind-cursor")
        assert (bot.read(), bot.read(CURSOR)) == (FIRST, "2")
        words = ran.err.splitlines()[-1].removeprefix("Undo: memcli ").split()
        assert run(*words, "--idle", "0").code == 0
        assert (bot.read(), bot.read(CURSOR)) == (SECOND, "4")
        assert bot.status() == ""

    def test_undo_points_to_it(self, bot: Nanobot) -> None:
        revert(bot)
        one_sentence(run("undo", "-W", bot.root, "--idle", "0"), 2, f"'memcli revert {bot.head[:8]} -W {bot.root}'")

    def test_rows(self, bot: Nanobot) -> None:
        *passages, operation = rows(bot)
        assert [(row["type"], row["path"], row["old"], row["new"]) for row in passages] == [
            ("passage", str(bot.root / MEMORY), None, None)
        ]
        assert operation == {
            "type": "operation",
            "id": undo.listed(sealing.store(bot.workspace))[0].id,
            "commit": bot.head,
            "reverts": bot.second,
            "restores": None,
            "repository": str(bot.root),
            "path": str(bot.root / MEMORY),
            "state": "changed",
            "added": 0,
            "removed": 1,
            "position": None,
            "applied": True,
        }

    def test_rows_of_a_state(self, bot: Nanobot) -> None:
        soul = bot.dream({"SOUL.md": "calm\n"})
        found = [row for row in rows(bot, "--to", bot.first, "--rewind-cursor") if row["type"] == "operation"]
        assert {(row["restores"], row["reverts"], row["position"]) for row in found} == {(bot.first, None, 2)}
        assert {os.path.basename(row["path"]): row["state"] for row in found} == {
            "MEMORY.md": "changed",
            "SOUL.md": "removed",
            "USER.md": "left",
        }
        found = [row for row in rows(bot, "--to", soul) if row["type"] == "operation"]
        assert {os.path.basename(row["path"]): row["state"] for row in found}["SOUL.md"] == "created"

    def test_chosen_rows(self, bot: Nanobot) -> None:
        ran = revert(bot, "--where", "type == 'operation'", "--query", "[state, added, removed]")
        assert ran.out == '["changed",0,1]\n'

    def test_only_the_file_lines(self, bot: Nanobot) -> None:
        ran = revert(bot, "--where", "type == 'operation'", "--dry-run")
        assert ran.rows == [["", "changed", "0", "1", str(bot.root / MEMORY)]]
        assert revert(bot, "--where", "type == 'nothing'", "--dry-run").out == ""

    def test_silent(self, bot: Nanobot) -> None:
        assert revert(bot, "-q").err == ""

    def test_terminal(self, bot: Nanobot) -> None:
        ran = run("revert", "-W", bot.root, "--idle", "0", columns=200)
        assert "\x1b[31m-- The harbour crane is painted red\x1b[0m" in ran.out
        assert f"{bot.root / MEMORY}: changed, +0 -1" in ran.out
        assert all(width(line) <= 260 for line in ran.out.splitlines())

    def test_what_a_terminal_would_obey(self, bot: Nanobot) -> None:
        commit = bot.dream({MEMORY: SECOND + "\x1b]0;owned\x07\n"}, message="dream: \x1b[2J")
        bot.write(MEMORY, SECOND + "\x1b]0;edited\x07\n")
        for ran in (revert(bot, commit), revert(bot, "--to", bot.first)):
            assert "\x1b" not in ran.out + ran.err
            assert "\x07" not in ran.out + ran.err

    def test_what_is_only_committed(self, bot: Nanobot) -> None:
        bot.write(MEMORY, FIRST)
        ran = revert(bot)
        assert ran.out.startswith(f"--- {bot.root / MEMORY}\tin the last commit\n")
        assert ran.rows[-1][1:] == ["left", "0", "0", str(bot.root / MEMORY)]


class TestDryRun:
    @pytest.mark.parametrize("words", [[], ["HEAD"], ["--to", "HEAD~1"], ["--rewind-cursor"], ["--json"]])
    def test_changes_nothing(self, bot: Nanobot, intact: Intact, tmp_path: Path, words: list[str]) -> None:
        intact(bot.root)
        ran = revert(bot, *words, "--dry-run")
        assert (ran.code, ran.err.splitlines()[-1]) == (0, "Nothing was changed (--dry-run).")
        assert "MEMORY.md" in ran.out

    def test_says_what_is_in_the_way(self, bot: Nanobot, intact: Intact) -> None:
        (bot.root / ".git" / "index.lock").touch()
        intact(bot.root)
        ran = revert(bot, "--dry-run")
        assert ran.code == 0
        assert f"Nothing can be committed in {bot.root} now: " in ran.err

    def test_rows(self, bot: Nanobot) -> None:
        operation = rows(bot, "--dry-run")[-1]
        assert (operation["applied"], operation["id"], operation["commit"]) == (False, None, None)

    @pytest.mark.parametrize("name", ["nanobot-v0.3.5", "nanobot-v0.2.2"])
    def test_samples(self, stage: dict[str, Path], name: str) -> None:
        ran = run("revert", "HEAD" if name.endswith("2.2") else "", "-W", stage[name], "--dry-run")
        assert ran.code == 0
        assert ("PostgreSQL" in ran.out) == (name == "nanobot-v0.3.5")


class TestConflicts:
    def test_are_shown_and_nothing_is_changed(self, bot: Nanobot, intact: Intact) -> None:
        bot.write(MEMORY, SECOND.replace("5432", "6543"))
        intact(bot.root)
        ran = revert(bot, bot.first)
        assert ran.code == 1
        assert ran.out.splitlines() == [
            f"{bot.root / MEMORY}:6: changed since",
            "  the commit left:",
            "    ",
            "    - Falcon stores its data in PostgreSQL",
            "    - 数据库端口是 5432",
            "  there is now:",
            "    ",
            "    - Falcon stores its data in PostgreSQL",
            "    - 数据库端口是 6543",
            "    - The harbour crane is painted red",
        ]
        assert ran.err.splitlines()[-1] == (
            f"1 place was edited after {bot.first[:8]}, and what is right there cannot be told. Nothing was changed; edit by "
            "hand, or leave a file out with --file."
        )

    def test_rows(self, bot: Nanobot) -> None:
        changed = bot.dream({MEMORY: SECOND.replace("5432", "6543")})
        bot.dream({MEMORY: SECOND.replace("5432", "1")})
        bot.write(MEMORY, SECOND.replace("5432", "6543"))
        [row] = rows(bot, changed)
        assert row == {
            "type": "conflict",
            "path": str(bot.root / MEMORY),
            "line": 8,
            "committed": True,
            "moved": False,
            "found": ["- 数据库端口是 1"],
            "left": ["- 数据库端口是 6543"],
            "restore": ["- 数据库端口是 5432"],
        }
        ran = revert(bot, changed)
        assert f"{bot.root / MEMORY}:8 in the last commit: changed since\n" in ran.out
        assert "  undoing it would bring back:\n    - 数据库端口是 5432\n" in ran.out
        assert revert(bot, changed, "--where", "moved", "--dry-run").out == ""

    def test_a_line_that_was_moved(self, bot: Nanobot) -> None:
        rest = START + "\n- one\n- two\n- three\n"
        bot.dream({MEMORY: rest})
        commit = bot.dream({MEMORY: rest + "- it\n"})
        bot.write(MEMORY, "- it\n" + rest)
        ran = revert(bot, commit)
        assert ran.code == 1
        assert ran.out.splitlines() == [f"{bot.root / MEMORY}:1: moved here since", "  there is now:", "    - it"]


class TestRefused:
    def test_two_meanings(self, bot: Nanobot, intact: Intact) -> None:
        one_sentence(run("revert", "HEAD", "--to", "HEAD", "-W", intact(bot.root)), 2, "give one of them")

    def test_nothing_to_revert(self, bot: Nanobot, intact: Intact) -> None:
        commit = bot.dream({}, 5)
        one_sentence(revert(bot, commit), 1, "changed no memory file")
        one_sentence(run("revert", "--to", "HEAD", "-W", intact(bot.root)), 1, "is as it was in")

    def test_an_agent_at_work(self, bot: Nanobot, intact: Intact) -> None:
        os.utime(bot.root / MEMORY)
        intact(bot.root)
        ran = run("revert", "-W", bot.root, "--idle", "60")
        assert ran.code == 4
        assert "try again later, or with --force-live" in ran.err
        assert ran.out == ""

    def test_no_repository(self, bot: Nanobot, intact: Intact) -> None:
        shutil.rmtree(bot.root / ".git")
        one_sentence(run("revert", "-W", intact(bot.root)), 3, "has no git repository")

    def test_a_lock(self, bot: Nanobot, intact: Intact) -> None:
        (bot.root / ".git" / "index.lock").touch()
        one_sentence(run("revert", "-W", intact(bot.root), "--idle", "0"), 3, "index.lock")

    def test_git_is_not_installed(self, bot: Nanobot, intact: Intact, tmp_path: Path) -> None:
        (tmp_path / "bin").mkdir()
        ran = spawn("revert", "-W", intact(bot.root), env={"PATH": str(tmp_path / "bin")})
        one_sentence(ran, 3, "git is not installed")

    def test_an_archive(self, bot: Nanobot, tmp_path: Path) -> None:
        archive = shutil.make_archive(str(tmp_path / "sent"), "zip", bot.root.parent, bot.root.name)
        one_sentence(run("revert", "-W", archive), 2, "no file in its place")

    def test_a_folder_that_may_not_be_written(self, bot: Nanobot, intact: Intact) -> None:
        (bot.root / "memory").chmod(0o500)
        intact(bot.root)
        ran = spawn("revert", "-W", bot.root, "--idle", "0", mortal=True)
        (bot.root / "memory").chmod(0o500)
        assert ran.code in (3, 4)
        assert "Traceback" not in ran.err

    def test_a_commit_that_fails_at_the_end(self, bot: Nanobot, monkeypatch: pytest.MonkeyPatch) -> None:
        """Somebody takes the index when memcli has looked: the files are changed, and the exit code tells."""
        from memcli.storage import git_writing

        monkeypatch.setattr(git_writing, "refusal", lambda *_: "")
        (bot.root / ".git" / "rebase-merge").mkdir()
        ran = revert(bot)
        assert ran.code == 3
        assert "No commit was made in" in ran.err
        assert "a rebase is under way in it. The files were changed." in ran.err
        assert bot.read() == FIRST
        words = ran.err.splitlines()[-1].removeprefix("Undo: memcli ").split()
        assert run(*words, "--idle", "0").code == 0
        assert bot.read() == SECOND


@pytest.mark.parametrize("trap", TRAPS.values(), ids=TRAPS)
def test_nothing_of_the_repository_runs(bot: Nanobot, tmp_path: Path, trap: Trap) -> None:
    trapped = lay(trap, bot.root, tmp_path / "beside")
    done = [revert(bot, *words).code for words in (["HEAD"], ["--to", "HEAD~1"], [], ["HEAD", "--dry-run"])]
    assert not trapped.mark.exists(), trapped.mark.read_text()
    assert set(done) <= {0, 1, 3}
    assert (bot.root / NAME).read_text().endswith("- by hand\n") or done[1] == 0


def test_a_process_without_a_terminal(bot: Nanobot, tmp_path: Path) -> None:
    own = {
        "MEMCLI_STATE_DIR": str(tmp_path / "own"),
        "MEMCLI_CACHE_DIR": str(tmp_path / "cache"),
    }  # not those of who runs this
    ran = spawn("revert", bot.first, "-W", bot.root, "--idle", "0", env={"HOME": None, "TERM": None, **own})
    assert ran.code == 0
    assert bot.read() == WITHOUT_FIRST


def test_the_real_first_dream_goes_and_a_later_one_stays(stage: dict[str, Path], tmp_path: Path) -> None:
    """On what nanobot itself committed: its Dream wrote two files anew; another one added to them; a person did, too."""
    root = tmp_path / "copy"
    shutil.copytree(stage["nanobot-v0.3.5"] / ".nanobot" / "workspace", root)
    init, dream = git(root, "rev-list", "--reverse", "HEAD").split()[:2]
    for name, text in ((MEMORY, "- The crane is red\n"), (USER, "- Drinks tea\n")):
        (root / name).write_text((root / name).read_text() + text)
    git(root, "commit", "-q", "-a", "-m", "dream: manual run", at=60000000)
    (root / USER).write_text("mine\n" + (root / USER).read_text())
    assert run("revert", dream, "-W", root, "--idle", "0").code == 0
    assert (root / MEMORY).read_text() == git(root, "show", f"{init}:{MEMORY}") + "\n- The crane is red\n"
    assert (root / USER).read_text() == "mine\n" + git(root, "show", f"{init}:{USER}") + "\n- Drinks tea\n"
    assert git(root, "status", "--porcelain", "-uno") == f"M {USER}"
    assert run("revert", "-W", root, "--idle", "0").code == 0
    assert (root / MEMORY).read_text() == git(root, "show", f"{init}:{MEMORY}") + "\n"


class Ground:
    """A fresh workspace for each try, edited by hand; what it has before, and after a revert."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.number = folder, 0
        self.bot = Nanobot(folder / "first")
        self.bot.write(MEMORY, SECOND + HAND)

    def fresh(self) -> None:
        self.number += 1
        base = self.folder / str(self.number)
        os.environ["MEMCLI_STATE_DIR"] = str(base / "state")
        shutil.copytree(self.folder / "first", base / "workspace")
        self.bot.root = base / "workspace"

    def revert(self) -> None:
        ran = revert(self.bot, "--rewind-cursor", "-q")
        if ran.code:
            raise CannotWrite(ran.err)

    def state(self) -> tuple[str, str, str, str]:
        bot = self.bot
        return bot.read(), bot.read(CURSOR), bot.held() + "\n", bot.held(CURSOR)


BEFORE = (SECOND + HAND, "4", SECOND, "4")
AFTER = (FIRST + HAND, "2", FIRST, "2")


@pytest.fixture
def ground(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ground:
    monkeypatch.setenv("MEMCLI_STATE_DIR", "")
    faults.quick_disk(monkeypatch)
    return Ground(tmp_path)


def agree(ground: Ground, where: str) -> tuple[str, str, str, str]:
    """After the next start memory, position and commit are those before, or those after it; which they are."""
    with undo.begin(sealing.store(ground.bot.workspace), "next"):
        pass
    state = ground.state()
    assert state in (BEFORE, AFTER), where
    assert git(ground.bot.root, "fsck", "--strict", "--no-dangling") == "", where
    assert ground.bot.status() == f"M {MEMORY}", where
    left = [path.name for path in ground.bot.root.rglob("*") if ".memcli" in path.name or path.suffix == ".lock"]
    assert left == [], where
    assert revert(ground.bot, ground.bot.second, "-q").code == (0 if state == BEFORE else 1), where
    return state


@pytest.mark.parametrize(
    "how",
    [pytest.param(faults.KILL, marks=pytest.mark.slow), faults.TORN, pytest.param(faults.DEAD, marks=pytest.mark.slow)],
    ids=str,
)
def test_memory_position_and_commit_agree_wherever_it_is_killed(ground: Ground, how: str) -> None:
    seen = {agree(ground, where) for where, _ in faults.every(ground.revert, ground.fresh, how)}
    assert seen == {BEFORE, AFTER} or how == faults.TORN


def test_killed_between_the_steps_of_git(ground: Ground) -> None:
    ground.fresh()
    calls = faults.run(ground.revert).calls.count(faults.GIT)
    assert calls > 5
    for number in range(1, calls + 1):
        ground.fresh()
        assert faults.run(ground.revert, faults.KILL, (faults.GIT, number)).fired
        agree(ground, f"git {number}")
