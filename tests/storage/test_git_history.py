"""History by plumbing: commits, contents, differences, sources of lines; damage and odd repositories are sentences."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from support.repository import commit, git

from memcli.errors import CannotRead
from memcli.storage import git_history, git_process
from memcli.storage.git_history import FileChange, Origin
from memcli.storage.passages import Passage

NAME = "memory/MEMORY.md"
TEXTS = ["# M\n- a\n- b", "# M\n- a\n- 港口\n", "# M\n- 港口\n- z\n"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "workspace"
    for at, text in enumerate(TEXTS):
        commit(root, NAME, text, at)
    return root


def ids(folder: Path) -> list[str]:
    return git(folder, "rev-list", "HEAD").split()


def test_log(folder: Path) -> None:
    commit(folder, "记忆 x.md", "x\ny\n", 3)
    git(
        folder,
        "commit",
        "-q",
        "--allow-empty",
        "-m",
        "subject 主题\n\nbody\n\nMemcli-Source: a\nOther: b\nMemcli-Source: c",
        at=4,
    )
    [last, other, third, *_] = git_history.log(str(folder), 10)
    assert (last.subject, last.body, last.changes) == (
        "subject 主题",
        "body\n\nMemcli-Source: a\nOther: b\nMemcli-Source: c",
        (),
    )
    assert last.trailers == {"Memcli-Source": ["a", "c"], "Other": ["b"]}
    assert (last.id, last.parents, last.author) == (ids(folder)[0], (other.id,), "nobody")
    assert last.time == last.written == "2026-01-01T00:00:04+00:00"
    assert other.changes == (FileChange("记忆 x.md", 2, 0),)
    assert (third.changes, third.trailers) == ((FileChange(NAME, 1, 1),), {})
    assert [one.subject for one in git_history.log(str(folder), 2, [NAME])] == ["dream: 2", "dream: 1"]
    assert len(git_history.log(str(folder), 10)) == 5
    assert git_history.log(str(folder), 10)[-1].parents == ()


@pytest.mark.parametrize("name", ['quo"te.md', "tab\tx.md", "*.md", "back\\slash.md", " .md", "new\nline.md"])
def test_any_name(tmp_path: Path, name: str) -> None:
    commit(tmp_path, "zzz.md", "words\n")
    (tmp_path / name).write_text("a\n")
    git(tmp_path, "--literal-pathspecs", "add", "--", name)
    git(tmp_path, "commit", "-q", "-m", "x", at=1)
    [last] = git_history.log(str(tmp_path), 5, [name])
    assert last.changes == (FileChange(name, 1, 0),)
    [passage] = git_history.differences(str(tmp_path), None, last.id, [name])
    assert passage == Passage(name, 0, 1, (("+", b"a"),))
    assert [one.commit for one in git_history.blame(str(tmp_path), last.id, name)] == [last.id]
    assert git_history.contents(str(tmp_path), [(last.id, name)]) == ([None] if "\n" in name else [b"a\n"])


def test_merges_count_against_their_first_parent(folder: Path) -> None:
    git(folder, "checkout", "-q", "-b", "side", "HEAD~1")
    commit(folder, "side.md", "x\n", 10)
    git(folder, "checkout", "-q", "main")
    git(folder, "merge", "-q", "side", "-m", "merge", at=11)
    [merge, *_] = git_history.log(str(folder), 10)
    assert (len(merge.parents), merge.changes) == (2, (FileChange("side.md", 1, 0),))


def test_binary(folder: Path) -> None:
    commit(folder, "bin", b"\0\1", 9)
    assert git_history.log(str(folder), 1)[0].changes == (FileChange("bin", None, None),)


def test_odd_messages_and_authors(folder: Path) -> None:
    raw = b"tree %s\nauthor  <> 1767225600 +0800\ncommitter \xff\x1b[31m <a@b> 1767225600 -0330\n\n\n\n  two\nlines \xff\n"
    made = subprocess.run(
        ["git", "hash-object", "-t", "commit", "-w", "--stdin", "--literally"],
        cwd=folder,
        input=raw % git(folder, "rev-parse", "HEAD^{tree}").encode(),
        capture_output=True,
        check=True,
    ).stdout.decode()
    git(folder, "update-ref", "HEAD", made.strip())
    [one] = git_history.log(str(folder), 5)
    assert (one.author, one.subject, one.body) == ("", "  two", "lines \ufffd")
    assert (one.written, one.time) == ("2026-01-01T08:00:00+08:00", "2025-12-31T20:30:00-03:30")


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("", {}),
        ("Memcli-Source: a", {"Memcli-Source": ["a"]}),
        ("words\nMemcli-Source: a", {}),
        ("words\n\nMemcli-Source: a\n \nB-c:d: e\n", {"B-c": ["d: e"]}),
        ("A: 来源\n\nwords", {}),
        ("Source: 来源", {"Source": ["来源"]}),
    ],
)
def test_trailers(body: str, found: dict[str, list[str]]) -> None:
    assert git_history.trailers(body) == found


def test_names_of_commits(folder: Path) -> None:
    [last, middle, first] = ids(folder)
    git(folder, "tag", "-a", "-m", "x", "mark", "HEAD~1")
    blob = git(folder, "rev-parse", f"HEAD:{NAME}")
    for name, id in {
        "HEAD": last,
        "main": last,
        "HEAD~2": first,
        last[:7]: last,
        "mark": middle,
        "HEAD^": middle,
        "nope": None,
        "HEAD~9": None,
        "0" * 40: None,
        blob: None,
        f"HEAD:{NAME}": None,
        "": None,
        "--all": None,
        "^HEAD": None,
        "HEAD..HEAD~1": None,
        "a\nb": None,
    }.items():
        assert git_history.resolve(str(folder), name) == id, name
    assert git_history.head(str(folder)) == last


def test_the_state_at_a_time(folder: Path) -> None:
    start = 1767225600
    assert [git_history.before(str(folder), start + at) for at in (-1, 0, 1.5, 99)] == [
        None,
        *(ids(folder)[place] for place in (2, 1, 0)),
    ]


def test_contents(folder: Path) -> None:
    [last, middle, first] = ids(folder)
    places = [(last, NAME), (first, NAME), (middle, "no"), (last, "memory"), (last, NAME)]
    found = git_history.contents(str(folder), places)
    assert found == [TEXTS[2].encode(), TEXTS[0].encode(), None, None, TEXTS[2].encode()]
    assert git_history.contents(str(folder), []) == []


def test_differences(folder: Path) -> None:
    [last, middle, first] = ids(folder)
    unended = ("\\", b" No newline at end of file")
    assert list(git_history.differences(str(folder), first, middle)) == [
        Passage(NAME, 1, 1, ((" ", b"# M"), (" ", b"- a"), ("-", b"- b"), unended, ("+", "- 港口".encode())))
    ]
    assert list(git_history.differences(str(folder), None, first)) == [
        Passage(NAME, 0, 1, (("+", b"# M"), ("+", b"- a"), ("+", b"- b"), unended))
    ]
    assert list(git_history.differences(str(folder), last, last)) == []
    assert list(git_history.differences(str(folder), first, last, ["other"])) == []


@pytest.mark.parametrize(
    "line", ["--- a/x", "+++ b/x", "@@ -1 +1 @@", "diff --git a/x b/x", "\\ No newline", "\0", "\r"]
)
def test_lines_like_those_of_a_difference(tmp_path: Path, line: str) -> None:
    first = commit(tmp_path, NAME, f"{line}\nb\n")
    last = commit(tmp_path, NAME, f"b\n{line}\n", 1)
    commit(tmp_path, "zzz", "", 2)
    [passage] = git_history.differences(str(tmp_path), first, last)
    assert (passage.path, sorted(mark for mark, _ in passage.lines)) == (NAME, [" ", "+", "-"])
    assert {text for _, text in passage.lines} == {line.encode(), b"b"}


def test_blame(folder: Path) -> None:
    [last, middle, first] = ids(folder)
    assert git_history.blame(str(folder), last, NAME) == [
        Origin(first, 1, False),
        Origin(middle, 3, False),
        Origin(last, 3, False),
    ]
    assert {one.commit for one in git_history.blame(str(folder), first, NAME)} == {first}
    assert set(git_history.described(str(folder), [last, first, last])) == {last, first}
    assert git_history.described(str(folder), []) == {}


def test_a_line_that_looks_like_the_head_of_a_blame(tmp_path: Path) -> None:
    text = f"{'a' * 40} 1 1\nboundary\n\t{'b' * 40} 1 1 1\n"
    id = commit(tmp_path, NAME, text)
    assert git_history.blame(str(tmp_path), id, NAME) == [Origin(id, number, False) for number in (1, 2, 3)]


def test_a_shallow_clone(folder: Path, tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", "--depth", "1", f"file://{folder}", str(clone))
    assert git_history.is_shallow(str(clone))
    assert not git_history.is_shallow(str(folder))
    assert len(git_history.log(str(clone), 9)) == 1
    [id] = ids(clone)
    assert git_history.blame(str(clone), id, NAME) == [Origin(id, number, True) for number in (1, 2, 3)]


def test_a_detached_head(folder: Path) -> None:
    assert not git_history.detached(str(folder))
    git(folder, "checkout", "-q", "HEAD~1")
    assert git_history.detached(str(folder))
    assert len(git_history.log(str(folder), 9)) == 2
    git(folder, "worktree", "add", "-q", "../linked", "main")
    assert not git_history.detached(str(folder.parent / "linked"))
    assert len(git_history.log(str(folder.parent / "linked"), 9)) == 3


def test_a_repository_without_a_commit(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    there = str(tmp_path)
    assert git_history.log(there, 9) == git_history.log(there, 9, [NAME]) == []
    assert git_history.head(there) is git_history.before(there, 9e9) is git_history.resolve(there, "HEAD") is None


def test_a_bare_repository_without_a_name_of_its_own(folder: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", "--bare", str(folder), "kept")
    assert len(git_history.log(str(tmp_path / "kept"), 9)) == 3


def test_a_repository_with_sha256(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "--object-format=sha256")
    id = commit(tmp_path, NAME, "a\n")
    assert len(id) == 64
    assert len(list(git_history.differences(str(tmp_path), None, id))) == 1
    assert git_history.blame(str(tmp_path), id, NAME) == [Origin(id, 1, False)]


def test_a_repository_of_another_owner(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """git itself refuses one (safe.directory), because of what it could run there; nothing is run here."""
    other = {"GIT_TEST_ASSUME_DIFFERENT_OWNER": "1"}
    assert (
        subprocess.run(["git", "log"], cwd=folder, env={**os.environ, **other}, capture_output=True).returncode == 128
    )
    monkeypatch.setattr(git_process, "ENVIRONMENT", {**git_process.ENVIRONMENT, **other})
    assert len(git_history.log(str(folder), 9)) == 3


# ---------------------------------------------------------------- damage


def object_of(folder: Path, name: str) -> Path:
    id = git(folder, "rev-parse", name)
    return folder / ".git" / "objects" / id[:2] / id[2:]


def overwritten(path: Path) -> None:
    path.chmod(0o644)
    path.write_bytes(b"nonsense")


@pytest.mark.parametrize("name", ["HEAD", "HEAD~1", "HEAD^{tree}", f"HEAD:{NAME}", f"HEAD~1:{NAME}"])
@pytest.mark.parametrize("harm", [Path.unlink, overwritten])
def test_a_damaged_object_is_a_sentence(folder: Path, harm: object, name: str) -> None:
    last = git(folder, "rev-parse", "HEAD")
    assert callable(harm)
    harm(object_of(folder, name))
    raised = []
    for look in (
        lambda: git_history.log(str(folder), 9),
        lambda: list(git_history.differences(str(folder), None, last)),
        lambda: git_history.blame(str(folder), last, NAME),
        lambda: git_history.contents(str(folder), [(last, NAME)]),
    ):
        try:
            look()
        except CannotRead as error:
            raised.append(error.sentence)
    assert raised
    for sentence in raised:
        assert sentence.startswith(f"The history in {folder}/.git cannot be read: ")
        assert "\n" not in sentence


@pytest.mark.parametrize("name", ["HEAD", "HEAD^{tree}", "HEAD:memory", f"HEAD:{NAME}"])
def test_what_is_lost_is_not_taken_for_what_never_was(folder: Path, name: str) -> None:
    last = git(folder, "rev-parse", "HEAD")
    object_of(folder, name).unlink()
    with pytest.raises(CannotRead):
        git_history.contents(str(folder), [(last, NAME)])
    if name == "HEAD":
        with pytest.raises(CannotRead, match=f"the last commit, {last[:8]}, is lost or damaged"):
            git_history.head(str(folder))


def test_a_repository_that_is_no_repository(folder: Path) -> None:
    commit(folder.parent, "outer", "x")
    shutil.rmtree(folder / ".git")
    (folder / ".git").mkdir()
    for look in (
        lambda: git_history.log(str(folder), 9),
        lambda: git_history.head(str(folder)),
        lambda: git_history.before(str(folder), 9e9),
        lambda: git_history.resolve(str(folder), "HEAD"),
    ):
        with pytest.raises(CannotRead, match="not a git repository"):
            look()


def test_much_on_standard_input(folder: Path) -> None:
    last = git(folder, "rev-parse", "HEAD")
    assert git_history.contents(str(folder), [(last, NAME)] * 5000) == [TEXTS[2].encode()] * 5000


def test_git_ends_before_it_has_read_all(folder: Path) -> None:
    with pytest.raises(CannotRead, match="unknown option"):
        git_process.output(str(folder), ["cat-file", "--batch", "--nonsense"], b"x\n" * 1_000_000)
