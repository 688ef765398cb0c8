"""memcli log, diff, blame, lint: memory over time."""

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
from support.display import width
from support.repository import commit, git

Intact = Callable[[Path], Path]
NAME = "memory/MEMORY.md"
TEXTS = ["# M\n- a\n- b\n", "# M\n- a\n- 港口\n", "# M\n- 港口\n- z\n"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A workspace of nanobot's whose memory was changed three times, with its cursor."""
    root = tmp_path / "workspace"
    for at, text in enumerate(TEXTS):
        (root / "memory").mkdir(parents=True, exist_ok=True)
        (root / "memory" / ".dream_cursor").write_text(f"{at}\n")
        commit_all(root, {NAME: text}, at)
    (root / "sessions").mkdir()
    (root / "SOUL.md").write_text("# Soul\n")
    (root / "memory" / "history.jsonl").write_text('{"cursor": 1, "timestamp": "2026-01-01 00:00", "content": "x"}\n')
    (root / "memory" / ".cursor").write_text("1")
    return root


def commit_all(root: Path, texts: dict[str, str], at: int, message: str = "") -> str:
    """Write files and commit all that there is."""
    if not (root / ".git").exists():
        root.mkdir(parents=True, exist_ok=True)
        git(root, "init", "-q")
    for name, text in texts.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    git(root, "add", "-A")
    git(root, "commit", "-q", "--allow-empty", "-m", message or f"dream: {at}", at=at)
    return git(root, "rev-parse", "HEAD")


def rows(*words: object) -> list[dict[str, Any]]:
    return [json.loads(line) for line in run(*words, "--json").out.splitlines()]


class TestLog:
    def test_columns(self, folder: Path, intact: Intact) -> None:
        ran = run("log", "-W", intact(folder))
        assert (ran.code, ran.err) == (0, "")
        head = git(folder, "rev-parse", "HEAD")
        cursor = f"{folder}/memory/.dream_cursor"
        assert ran.rows[0] == [
            head,
            "2026-01-01T00:00:02.000Z",
            "nobody",
            "dream: 2",
            f"{cursor} +1 -1, {folder}/{NAME} +1 -1",
            "dream",
            str(folder),
        ]
        assert len(ran.rows) == 3

    def test_rows(self, folder: Path) -> None:
        id = commit_all(folder, {NAME: "x\n"}, 5, "hand\n\nwhy\n\nMemcli-Source: desktop:main#3")
        [row, second] = rows("log", "-W", folder, "-n", "2")
        assert (row["type"], row["commit"], row["kind"]) == ("commit", id, "memcli")
        assert (row["trailers"], row["body"]) == (
            {"Memcli-Source": ["desktop:main#3"]},
            "why\n\nMemcli-Source: desktop:main#3",
        )
        assert (second["kind"], second["said"]) == ("dream", None)
        cursor = {"path": f"{folder}/memory/.dream_cursor", "before": "1", "after": "2"}
        assert second["cursors"] == [cursor]
        assert second["files"][1] == {"path": f"{folder}/{NAME}", "added": 1, "removed": 1}
        [first] = rows("log", "-W", folder, "--where", "cursors[0].before == null && kind == 'dream'")
        assert first["cursors"][0]["after"] == "0"

    def test_one_file(self, folder: Path) -> None:
        commit_all(folder, {"SOUL.md": "# Soul 2\n"}, 9)
        for word in ("MEMORY.md", "memory.md", "memory/MEMORY.md", f"{folder}/{NAME}"):
            assert [row[3] for row in run("log", word, "-W", folder).rows] == ["dream: 2", "dream: 1", "dream: 0"]
        assert len(run("log", f"{folder}/memory/.dream_cursor", "-W", folder).rows) == 3
        ran = run("log", "USER.md", "-W", folder)
        assert (ran.code, ran.out) == (1, "")
        assert "No commit changed USER.md." in ran.err
        one_sentence(run("log", "nope.md", "-W", folder), 2, "'nope.md' is no memory file with a history; there are")

    def test_no_more_than_n(self, folder: Path) -> None:
        assert [len(run("log", "-W", folder, "-n", n).rows) for n in ("0", "1", "9")] == [0, 1, 3]

    def test_by_the_words_of_the_agent(self, tmp_path: Path) -> None:
        memory = tmp_path / "agents" / "leader" / "memory"
        user = memory / "users" / "9cfc09aa76ff341a"
        commit_all(memory, {"MEMORY.md": "# M\n"}, 1, "dream: 2026-05-06 10:00:00")
        commit_all(user, {"PROFILE.md": "- x\n"}, 2, "dream-user: 2026-05-06 11:00:00")
        commit_all(user, {"PROFILE.md": "- y\n"}, 3, "dream: soon")
        found = rows("log", "-W", tmp_path)
        assert [(row["kind"], row["said"]) for row in found] == [
            (None, None),
            ("dream-user", "2026-05-06 11:00:00"),
            ("dream", "2026-05-06 10:00:00"),
        ]
        assert [row["repository"] for row in found] == [str(user), str(user), str(memory)]
        assert len(run("log", "PROFILE.md", "-W", tmp_path).rows) == 2
        assert len(run("log", "-W", tmp_path, "-n", "1").rows) == 1
        id = git(memory, "rev-parse", "HEAD")
        assert run("diff", id, "-W", tmp_path).out == ""

    def test_samples(self, stage: dict[str, Path], intact: Intact) -> None:
        root = intact(stage["nanobot-v0.3.5"])
        golden.check("log/nanobot-v0.3.5.txt", run("log", "-W", root).out, {"root": root})

    def test_terminal(self, folder: Path) -> None:
        commit_all(
            folder, {NAME: "x\n"}, 5, "dream: 港口和偏好的记忆整理,很长很长很长很长很长很长的一行主题 with words"
        )
        shown = run("log", "-W", folder, columns=60).out
        assert all(width(line) <= 60 for line in shown.splitlines())
        assert "dream: 港口" in shown


class TestDiff:
    def test_nothing(self, folder: Path, intact: Intact) -> None:
        ran = run("diff", "-W", intact(folder), "--file", "MEMORY.md")
        assert (ran.code, ran.out, ran.err) == (0, "", "Nothing differs.\n")

    def test_by_hand(self, folder: Path) -> None:
        (folder / NAME).write_text("# M\n- 港口\n- hand")
        head = git(folder, "rev-parse", "--short=8", "HEAD")
        ran = run("diff", "-W", folder, "--file", "MEMORY.md")
        assert ran.out == (
            f"--- {folder}/{NAME}\t{head}\n+++ {folder}/{NAME}\ton disk\n@@ -1,3 +1,3 @@\n # M\n - 港口\n-- z\n+- hand\n"
            "\\ No newline at end of file\n"
        )

    def test_between_commits(self, folder: Path) -> None:
        [row] = rows("diff", "HEAD~2", "HEAD", "-W", folder)
        assert row == {
            "type": "passage",
            "path": f"{folder}/{NAME}",
            "old": git(folder, "rev-parse", "HEAD~2"),
            "new": git(folder, "rev-parse", "HEAD"),
            "old_line": 1,
            "new_line": 1,
            "lines": [
                {"change": "same", "text": "# M"},
                {"change": "removed", "text": "- a"},
                {"change": "removed", "text": "- b"},
                {"change": "added", "text": "- 港口"},
                {"change": "added", "text": "- z"},
            ],
        }
        [first] = [row for row in rows("diff", "HEAD~2", "-W", folder) if row["path"].endswith(NAME)]
        assert (first["new"], first["lines"]) == (None, row["lines"])
        cursor = f"{folder}/memory/.dream_cursor"
        assert "+2" in run("diff", "HEAD~1", "HEAD", "--file", cursor, "-W", folder).out

    def test_a_checkout_with_cr_lf_is_no_difference(self, folder: Path) -> None:
        (folder / NAME).write_bytes(TEXTS[2].replace("\n", "\r\n").encode())
        assert rows("diff", "-W", folder, "--file", "MEMORY.md") == []

    def test_gone(self, folder: Path) -> None:
        (folder / NAME).unlink()
        assert "-- 港口" in run("diff", "-W", folder).out.splitlines()

    def test_wrong(self, folder: Path) -> None:
        one_sentence(
            run("diff", "nope", "-W", folder), 2, f"'nope' is no commit in {folder}, or the beginning of several"
        )
        one_sentence(run("diff", "HEAD", "nope", "-W", folder), 2, "'nope' is no commit")
        one_sentence(run("diff", "a", "b", "c", "-W", folder), 2, "two commits at most")

    def test_what_a_terminal_would_obey(self, folder: Path) -> None:
        (folder / NAME).write_text("\x1b[31mred\n")
        assert "+\\x1b[31mred" in run("diff", "-W", folder).out.splitlines()


class TestBlame:
    def test_lines(self, folder: Path, intact: Intact) -> None:
        (folder / NAME).write_text("# M\n- hand\n- 港口\n- z\n")
        intact(folder)
        ids = git(folder, "rev-list", "HEAD").split()
        ran = run("blame", "MEMORY.md", "-W", folder)
        assert [(row[0], row[4], row[5]) for row in ran.rows] == [
            (ids[2], "1", "# M"),
            ("", "2", "- hand"),
            (ids[1], "3", "- 港口"),
            (ids[0], "4", "- z"),
        ]
        assert ran.err == f"1 line of {folder}/{NAME} is in no commit yet.\n"

    def test_rows_name_the_source(self, folder: Path) -> None:
        id = commit_all(folder, {NAME: f"{TEXTS[2]}- dreamt\n"}, 9, "memcli dream\n\nMemcli-Source: desktop:main#3")
        *_, last = rows("blame", NAME, "-W", folder)
        assert last == {
            "type": "line",
            "path": f"{folder}/{NAME}",
            "line": 4,
            "text": "- dreamt",
            "commit": id,
            "time": "2026-01-01T00:00:09+00:00",
            "time_utc": "2026-01-01T00:00:09.000Z",
            "author": "nobody",
            "subject": "memcli dream",
            "kind": "memcli",
            "trailers": {"Memcli-Source": ["desktop:main#3"]},
            "was": 4,
            "boundary": False,
            "sources": [],
        }

    def test_at_a_commit_and_of_a_file_that_is_gone(self, folder: Path) -> None:
        (folder / NAME).unlink()
        assert [row[5] for row in run("blame", "MEMORY.md", "-W", folder).rows] == ["# M", "- 港口", "- z"]
        assert [row[5] for row in run("blame", "MEMORY.md", "--at", "HEAD~2", "-W", folder).rows] == [
            "# M",
            "- a",
            "- b",
        ]
        one_sentence(run("blame", "MEMORY.md", "--at", "nope", "-W", folder), 2, "'nope' is no commit")

    def test_no_commit_has_it(self, folder: Path) -> None:
        one_sentence(run("blame", "SOUL.md", "-W", folder), 3, f"No commit has {folder}/SOUL.md yet")

    def test_of_nothing(self, folder: Path) -> None:
        one_sentence(run("blame", "-W", folder), 2, "needs the memory file")

    def test_two_of_a_name(self, tmp_path: Path) -> None:
        for agent in ("a", "b"):
            commit_all(tmp_path / "agents" / agent / "memory", {"MEMORY.md": "# M\n"}, 1)
        one_sentence(run("blame", "MEMORY.md", "-W", tmp_path), 2, "'MEMORY.md' can mean")
        assert len(run("blame", "b/memory/MEMORY.md", "-W", tmp_path).rows) == 1

    def test_terminal(self, folder: Path) -> None:
        (folder / NAME).write_text("# M\n- " + "港口" * 60 + "\n")
        shown = run("blame", "MEMORY.md", "-W", folder, columns=60).out
        assert all(width(line) <= 60 for line in shown.splitlines() if "no commit yet" not in line)
        assert "not yet" in shown


class TestOddRepositories:
    def test_none(self, folder: Path) -> None:
        shutil.rmtree(folder / ".git")
        for words in (("log",), ("diff",), ("blame", "MEMORY.md")):
            one_sentence(run(*words, "-W", folder), 3, f"The memory in {folder} has no git repository")

    def test_no_memory(self, tmp_path: Path) -> None:
        (tmp_path / "x.jsonl").write_text('{"role": "user", "content": "x"}\n')
        one_sentence(run("log", "-W", tmp_path), 3, "no long-term memory of an agent")

    def test_without_a_commit(self, folder: Path) -> None:
        shutil.rmtree(folder / ".git")
        git(folder, "init", "-q")
        ran = run("log", "-W", folder)
        assert (ran.code, ran.out, ran.err) == (1, "", "There is no commit yet.\n")
        assert "+# Soul" in run("diff", "-W", folder).out
        one_sentence(run("blame", "MEMORY.md", "-W", folder), 3, "No commit has")

    def test_the_users_project_around_it(self, folder: Path) -> None:
        shutil.rmtree(folder / ".git")
        git(folder.parent, "init", "-q")
        ran = run("log", "-W", folder)
        one_sentence(
            ran, 3, f"it lies in the repository {os.path.realpath(folder.parent)}, which has none of its files"
        )
        (folder.parent / "code").write_text("x\n")
        commit(folder.parent, f"workspace/{NAME}", TEXTS[0], 1)
        commit(folder.parent, "code", "y\n", 2)
        ran = run("log", "-W", folder)
        assert [row[3] for row in ran.rows] == ["dream: 1"]
        assert ran.err.startswith("The memory has no repository of its own: what is shown is in ")
        assert len(run("blame", "MEMORY.md", "-W", folder).rows) == 3
        one_sentence(run("log", f"{folder.parent}/code", "-W", folder), 2, "is no memory file with a history")

    def test_a_broken_one_inside_the_users_project(self, folder: Path) -> None:
        git(folder.parent, "init", "-q")
        commit(folder.parent, "code", "y\n", 2)
        (folder / ".git" / "HEAD").unlink()
        for words in (("log",), ("diff",), ("blame", "MEMORY.md"), ("memory", "show", "--at", "HEAD")):
            one_sentence(run(*words, "-W", folder), 3, "cannot be read: not a git repository")

    def test_detached(self, folder: Path) -> None:
        git(folder, "checkout", "-q", "HEAD~1")
        ran = run("log", "-W", folder)
        assert (len(ran.rows), ran.err) == (
            2,
            f"In {folder} no branch is checked out (detached HEAD): commits of branches are not shown.\n",
        )

    def test_shallow(self, folder: Path, tmp_path: Path) -> None:
        git(tmp_path, "clone", "-q", "--depth", "1", f"file://{folder}", "clone")
        for name in ("history.jsonl", ".cursor"):
            shutil.copy(folder / "memory" / name, tmp_path / "clone" / "memory" / name)
        shutil.copy(folder / "SOUL.md", tmp_path / "clone")
        ran = run("log", "-W", tmp_path / "clone")
        assert "is a shallow clone: its history begins in the middle." in ran.err
        assert {row["boundary"] for row in rows("blame", "MEMORY.md", "-W", tmp_path / "clone")} == {True}

    def test_damaged(self, folder: Path) -> None:
        id = git(folder, "rev-parse", "HEAD~1")
        (folder / ".git" / "objects" / id[:2] / id[2:]).unlink()
        one_sentence(run("log", "-W", folder), 3, "cannot be read: ")
        one_sentence(run("blame", "MEMORY.md", "-W", folder), 3, "cannot be read: ")

    def test_git_is_not_installed(self, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("PATH", str(tmp_path))
        one_sentence(run("log", "-W", folder), 3, "git is not installed")


class TestLint:
    def test_golden(self, stage: dict[str, Path], intact: Intact) -> None:
        root = intact(stage["cococat-v1-damaged"])
        ran = run("lint", "-W", root)
        golden.check("lint/cococat-v1-damaged.txt", ran.out, {"root": root})
        assert ran.code == 0

    def test_what_verify_says_of_memory_and_nothing_else(self, folder: Path) -> None:
        (folder / NAME).write_bytes(b"# M\n- a fact\n- b\n- a fact\n\xff\n")
        (folder / "sessions" / "x.jsonl").write_text("nonsense\n")
        mine = [row for row in rows("lint", "-W", folder) if row["type"] == "finding"]
        verified = [
            row
            for row in rows("verify", "-W", folder)
            if row["type"] == "finding" and (row["code"].startswith("memory-") or row["path"].endswith(".md"))
        ]
        key = lambda row: json.dumps(row, sort_keys=True)  # noqa: E731
        assert sorted(mine, key=key) == sorted(verified, key=key)
        assert {"memory-duplicates", "memory-dirty", "invalid-utf8"} <= {row["code"] for row in mine}
        assert run("lint", "-W", folder).code == 1

    def test_one_file(self, folder: Path) -> None:
        (folder / NAME).write_text("# M\n- a fact\n- a fact\n")
        found = rows("lint", "MEMORY.md", "-W", folder)
        assert {row["path"] for row in found if row["type"] == "finding"} == {f"{folder}/{NAME}"}
        assert found[-1]["files"] == 1
        one_sentence(run("lint", "nope.md", "-W", folder), 2, "'nope.md' is no memory file; there are")

    def test_a_file_that_cannot_be_read(self, folder: Path) -> None:
        (folder / "SOUL.md").unlink()
        os.mkfifo(folder / "SOUL.md")
        ran = run("lint", "-W", folder)
        assert ran.code == 3
        assert f"Not checked: {folder}/SOUL.md: it is a FIFO." in ran.err
