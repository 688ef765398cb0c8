"""Reading a repository: what it once held is found, nothing of it runs, nothing in it changes, damage is a sentence."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from support.cli import snapshot
from support.repository import commit, git

from memcli.errors import CannotRead
from memcli.storage.git import Hunk, around, changes

NAME = "memory/MEMORY.md"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A workspace whose memory was changed three times."""
    root = tmp_path / "workspace"
    for at, text in enumerate(["# M\n", "# M\n- harbour 港口\n", "# M\n- none\n"]):
        commit(root, NAME, text, at)
    return root


def told(folder: Path, text: str, *names: str) -> list[tuple[str, list[str], list[str]]]:
    """What changes() gives: (time, lines that went, lines that came)."""
    paths = [str(folder / name) for name in names or (NAME,)]
    return [
        (hunk.time[11:19], [line.decode() for line in hunk.removed], [line.decode() for line in hunk.added])
        for hunk in changes(str(folder), paths, text)
    ]


def test_lines_that_came_and_went(folder: Path) -> None:
    assert told(folder, "港口") == [
        ("00:00:02", ["- harbour 港口"], ["- none"]),
        ("00:00:01", [], ["- harbour 港口"]),
    ]
    [gone, came] = changes(str(folder), [str(folder / NAME)], "港口")
    head = git(folder, "rev-parse", "HEAD")
    assert gone == Hunk(
        head,
        "2026-01-01T00:00:02+00:00",
        str(folder / NAME),
        2,
        (b"- harbour \xe6\xb8\xaf\xe5\x8f\xa3",),
        2,
        (b"- none",),
    )
    assert (came.old, came.new) == (1, 2)


@pytest.mark.parametrize("text", ["--all", "-e", "x\ny", '"', "\\", ".*", "é"])
def test_any_text_is_meant_as_it_stands(tmp_path: Path, text: str) -> None:
    commit(tmp_path, NAME, f"a {text} b\n")
    commit(tmp_path, NAME, "xxyy", 1)
    assert told(tmp_path, text)[-1] == ("00:00:00", [], f"a {text} b".split("\n"))
    assert told(tmp_path, f"{text}{text}") == []


@pytest.mark.parametrize(
    "line",
    ["++ b/other", "-- a/memory/MEMORY.md", "@@ -1 +1 @@", "\0abc 2026", "\\ No newline", "diff --git a/x b/x", ""],
)
def test_a_file_that_looks_like_the_output_of_git(tmp_path: Path, line: str) -> None:
    commit(tmp_path, "other", "words\n")
    commit(tmp_path, NAME, f"{line}\nwords\n{line}", 1)
    commit(tmp_path, NAME, None, 2)
    assert told(tmp_path, "words") == [
        ("00:00:02", [line, "words", *([line] if line else [])], []),
        ("00:00:01", [], [line, "words", *([line] if line else [])]),
    ]


@pytest.mark.parametrize("name", ["MEMORY.md", "with space.md", "记忆.md", 'quo"te.md', "tab\tx.md", "*.md", ":(top)x"])
def test_any_name(tmp_path: Path, name: str) -> None:
    commit(tmp_path, "zzz.md", "words\n")
    git_name = f"./{name}" if name.startswith(":") else name
    (tmp_path / name).write_text("words\n")
    git(tmp_path, "--literal-pathspecs", "add", "--", git_name)
    git(tmp_path, "commit", "-q", "-m", "x", at=1)
    [hunk] = changes(str(tmp_path), [str(tmp_path / name)], "words")
    assert hunk.path == str(tmp_path / name)


def test_all_files_that_were_asked_for_and_no_others(tmp_path: Path) -> None:
    for at, name in enumerate(["SOUL.md", "USER.md", "other.md"]):
        commit(tmp_path, name, "words\n", at)
    paths = [str(tmp_path / name) for name in ("SOUL.md", "USER.md", "never.md")]
    assert [Path(hunk.path).name for hunk in changes(str(tmp_path), paths, "words")] == ["USER.md", "SOUL.md"]


def test_side_branches_merges_and_what_was_reset_away(tmp_path: Path) -> None:
    commit(tmp_path, NAME, "a\n")
    commit(tmp_path, NAME, "reset words\n", 1)
    git(tmp_path, "reset", "-q", "--hard", "HEAD~1")
    git(tmp_path, "checkout", "-q", "-b", "side")
    commit(tmp_path, NAME, "side words\n", 2)
    git(tmp_path, "checkout", "-q", "main")
    commit(tmp_path, NAME, "main\n", 3)
    git(tmp_path, "merge", "-q", "--no-commit", "-s", "ours", "side", at=4)
    commit(tmp_path, NAME, "merge words\n", 5)
    found = {line for _, _, added in told(tmp_path, "words") for line in added}
    assert found == {"reset words", "side words", "merge words"}


def test_nothing_in_an_empty_repository(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    assert told(tmp_path, "words") == []


def test_no_more_is_read_than_is_wanted(folder: Path) -> None:
    found = changes(str(folder), [str(folder / NAME)], "港口")
    assert next(found).time.endswith("02+00:00")
    found.close()


def test_the_repositories_around_a_file(tmp_path: Path) -> None:
    inner = tmp_path / "agent" / "memory"
    commit(inner, "MEMORY.md", "x")
    commit(tmp_path, "README", "x")
    real = os.path.realpath(tmp_path)
    assert around(str(inner / "MEMORY.md"))[:2] == [f"{real}/agent/memory", real]
    assert around(str(tmp_path / "agent" / "gone" / "MEMORY.md"))[:1] == [real]


def test_a_linked_work_tree_and_a_bare_repository(folder: Path) -> None:
    linked = folder.parent / "linked"
    git(folder, "worktree", "add", "-q", str(linked))
    assert len(told(linked, "港口")) == 2
    git(folder, "config", "core.bare", "true")
    assert len(told(folder, "港口")) == 2


# ---------------------------------------------------------------- nothing runs, nothing changes


def trap(root: Path) -> tuple[Path, Path]:
    """A program that leaves a mark when it runs, and the mark."""
    mark = root / "ran"
    program = root / "trap.sh"
    program.write_text(f"#!/bin/sh\necho \"$0 $@\" >> '{mark}'\ncat\n")
    program.chmod(0o755)
    return program, mark


TRAPS = {
    "core.fsmonitor": "{}",
    "core.pager": "{}",
    "pager.log": "{}",
    "diff.external": "{}",
    "diff.trap.command": "{}",
    "diff.trap.textconv": "{}",
    "gpg.program": "{}",
    "log.showSignature": "true",
    "core.sshCommand": "{}",
    "remote.origin.url": "ext::{}",
    "remote.origin.promisor": "true",
    "extensions.partialClone": "origin",
    "core.repositoryFormatVersion": "1",
    "protocol.ext.allow": "always",
    "diff.noprefix": "true",
    "diff.mnemonicPrefix": "true",
    "diff.context": "7",
    "color.ui": "always",
    "log.decorate": "full",
    "i18n.logOutputEncoding": "UTF-16",
    "format.pretty": "raw",
}


def test_no_program_of_a_repository_runs(folder: Path, tmp_path: Path) -> None:
    program, mark = trap(tmp_path)
    for name, value in TRAPS.items():
        git(folder, "config", name, value.format(program))
    for hook in ("post-index-change", "reference-transaction", "fsmonitor-watchman"):
        path = folder / ".git" / "hooks" / hook
        path.parent.mkdir(exist_ok=True)
        shutil.copy(program, path)
    (folder / ".git" / "info").mkdir(exist_ok=True)
    (folder / ".git" / "info" / "attributes").write_text("*.md diff=trap\n")
    mark.unlink(missing_ok=True)
    before = snapshot(folder)
    assert len(told(folder, "港口")) == 2
    assert not mark.exists()
    assert snapshot(folder) == before


def test_an_object_that_is_missing_is_not_fetched(folder: Path, tmp_path: Path) -> None:
    program, mark = trap(tmp_path)
    for name, value in TRAPS.items():
        git(folder, "config", name, value.format(program))
    blob = git(folder, "rev-parse", f"HEAD~1:{NAME}")
    mark.unlink(missing_ok=True)
    (folder / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    with pytest.raises(CannotRead, match="cannot be read"):
        told(folder, "港口")
    assert not mark.exists()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("GIT_DIR", "{other}/.git"),
        ("GIT_WORK_TREE", "{other}"),
        ("GIT_OBJECT_DIRECTORY", "{other}/.git/objects"),
        ("GIT_EXTERNAL_DIFF", "{trap}"),
        ("GIT_PAGER", "{trap}"),
        ("GIT_CONFIG_COUNT", "nonsense"),
        ("GIT_NAMESPACE", "x"),
        ("GIT_LITERAL_PATHSPECS", "nonsense"),
        ("GIT_PYTHON_GIT_EXECUTABLE", "{trap}"),
        ("GIT_TRACE", "{folder}/trace"),
    ],
)
def test_the_environment_has_no_say(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    program, mark = trap(tmp_path)
    other = tmp_path / "other"
    commit(other, "x", "x")
    monkeypatch.setenv(name, value.format(other=other, trap=program, folder=folder))
    before = snapshot(folder)
    assert len(told(folder, "港口")) == 2
    assert not mark.exists()
    assert snapshot(folder) == before


def test_the_users_own_configuration_has_no_say(folder: Path, no_home: Path) -> None:
    (no_home / ".gitconfig").write_text("[diff]\n\texternal = false\n[core]\n\tworktree = /nonexistent\n")
    assert len(told(folder, "港口")) == 2


# ---------------------------------------------------------------- damage


def headless(folder: Path) -> None:
    (folder / ".git" / "HEAD").unlink()


def hollow(folder: Path) -> None:
    shutil.rmtree(folder / ".git")
    (folder / ".git").mkdir()


def lost(folder: Path) -> None:
    shutil.rmtree(folder / ".git")
    (folder / ".git").write_text("gitdir: /nonexistent/place\n")


def nonsense(folder: Path) -> None:
    (folder / ".git" / "config").write_text("[core\nworktree")


def future(folder: Path) -> None:
    git(folder, "config", "core.repositoryformatversion", "99")


def commitless(folder: Path) -> None:
    head = git(folder, "rev-parse", "HEAD")
    (folder / ".git" / "objects" / head[:2] / head[2:]).unlink()


@pytest.mark.parametrize("harm", [headless, hollow, lost, nonsense, future, commitless])
def test_a_broken_repository_is_a_sentence(folder: Path, harm: object) -> None:
    commit(folder.parent, "outer", "x")  # which must not be taken for the broken one
    assert callable(harm)
    harm(folder)
    with pytest.raises(CannotRead, match=r"^The history in .*/\.git cannot be read: .+\.$") as caught:
        told(folder, "港口")
    assert "\n" not in str(caught.value)


def test_a_repository_that_takes_too_long_is_left(folder: Path) -> None:
    (folder / ".git" / "config").unlink()
    os.mkfifo(folder / ".git" / "config")
    with pytest.raises(CannotRead, match="it takes too long"):
        list(changes(str(folder), [str(folder / NAME)], "港口", seconds=0.3))


def test_a_repository_that_cannot_be_entered(folder: Path) -> None:
    with pytest.raises(CannotRead):
        list(changes(str(folder / "gone"), [str(folder / "gone" / NAME)], "港口"))


def test_git_is_not_installed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(folder))
    with pytest.raises(CannotRead, match="git is not installed"):
        told(folder, "港口")
