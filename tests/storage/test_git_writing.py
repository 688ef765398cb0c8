"""Committing by plumbing: in every kind of repository it works as git would, or a clause says why it does not."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from support import faults
from support.repository import git

from memcli.storage import git_history, git_making, git_process, state, undo
from memcli.storage.git_writing import BY_HAND, FOUND, Keep, refusal
from memcli.storage.records import Committed
from memcli.storage.versions import read_version

NAME = "memory/MEMORY.md"
OLD, NEW = b"# M\n", b"# M\n- dreamt \xe8\xae\xb0\xe5\xbf\x86\n"
SECONDS = 1767300000.0


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace with one commit."""
    monkeypatch.setenv("MEMCLI_STATE_DIR", str(tmp_path / "state"))
    faults.quick_disk(monkeypatch)
    folder = tmp_path / "workspace"
    (folder / "memory").mkdir(parents=True)
    (folder / NAME).write_bytes(OLD)
    started(folder)
    return folder


def started(folder: Path, *options: str) -> None:
    git(folder, "init", "-q", *options)
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "init")


def dream(folder: Path, new: bytes = NEW, name: str = NAME, keep: Keep | None = None) -> Committed:
    """An operation that writes a memory file and commits it."""
    path = str(folder / name)
    old = (folder / name).read_bytes()
    with undo.begin(state.store(str(folder)), "dream") as operation:
        operation.rewrite(path, read_version(path), new, root=str(folder))
        at = keep or Keep(str(folder), str(folder))
        operation.version(at, {name: new}, "dream: 记忆", seconds=SECONDS, hand={name: old})
        [commit] = operation.commit().commits
    assert (folder / name).read_bytes() == new, "the file is always written"
    return commit


def log(folder: Path) -> list[str]:
    return git(folder, "log", "--format=%s", "--reverse").splitlines()


# ---------------------------------------------------------------- repositories that it works in


def nothing(folder: Path) -> None:
    """As it is."""


def unborn(folder: Path) -> None:
    shutil.rmtree(folder / ".git")
    git(folder, "init", "-q")


def sha256(folder: Path) -> None:
    shutil.rmtree(folder / ".git")
    started(folder, "--object-format=sha256")


def sha256_unborn(folder: Path) -> None:
    shutil.rmtree(folder / ".git")
    git(folder, "init", "-q", "--object-format=sha256")


def packed(folder: Path) -> None:
    git(folder, "pack-refs", "--all", "--prune")
    git(folder, "gc", "-q")


def a_branch_below(folder: Path) -> None:
    git(folder, "checkout", "-q", "-b", "mine/记忆/x")


def split_index(folder: Path) -> None:
    git(folder, "config", "core.splitIndex", "true")
    git(folder, "update-index", "--split-index")


def sparse_index(folder: Path) -> None:
    (folder / "a").mkdir()
    (folder / "a" / "b").write_text("x")
    (folder / "b").mkdir()
    (folder / "b" / "c").write_text("x")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "more")
    git(folder, "sparse-checkout", "set", "--cone", "--sparse-index", "memory")


def old_index(folder: Path) -> None:
    git(folder, "update-index", "--index-version", "4")


def strange_settings(folder: Path) -> None:
    for key, value in (
        ("i18n.commitEncoding", "ISO-8859-1"),
        ("commit.gpgSign", "true"),
        ("user.useConfigOnly", "true"),
        ("core.bare", "true"),
        ("core.preloadIndex", "true"),
        ("core.untrackedCache", "true"),
        ("core.logAllRefUpdates", "always"),
        ("core.sharedRepository", "group"),
        ("extensions.worktreeConfig", "true"),
    ):
        git(folder, "config", key, value)


def bundle_of_attributes(folder: Path) -> None:
    (folder / ".gitattributes").write_text("*.md diff=words merge=union -whitespace\n")


def gone_from_the_index(folder: Path) -> None:
    git(folder, "rm", "-q", "--cached", NAME)
    git(folder, "commit", "-q", "-m", "no file")


def intent_to_add(folder: Path) -> None:
    gone_from_the_index(folder)
    git(folder, "add", "-N", NAME)


def ignored(folder: Path) -> None:
    (folder / ".git" / "info").mkdir(exist_ok=True)
    (folder / ".git" / "info" / "exclude").write_text("*\n")


def executable(folder: Path) -> None:
    (folder / NAME).chmod(0o755)
    git(folder, "commit", "-q", "-a", "-m", "mode")


def shallow(folder: Path) -> None:
    (folder / "x").write_text("x")
    git(folder, "add", "x")
    git(folder, "commit", "-q", "-m", "second")
    kept = folder.with_name("full")
    folder.rename(kept)
    git(kept.parent, "clone", "-q", "--depth=1", f"file://{kept}", str(folder))


GOOD = [
    *(nothing, unborn, sha256, sha256_unborn, packed, a_branch_below, split_index, sparse_index, old_index),
    *(strange_settings, bundle_of_attributes, gone_from_the_index, intent_to_add, ignored, executable, shallow),
]


@pytest.mark.parametrize("become", GOOD)
def test_it_works(root: Path, become: Callable[[Path], None]) -> None:
    become(root)
    keep = Keep(str(root), str(root))
    assert refusal(keep, [NAME]) == ""
    before = git(root, "status", "--porcelain") if become is not strange_settings else ""
    commit = dream(root)
    assert commit.why == ""
    git(root, "config", "core.bare", "false")
    assert commit.id == git(root, "rev-parse", "HEAD")
    assert git(root, "show", f"HEAD:{NAME}") == NEW.decode().strip()
    assert git(root, "log", "-1", "--format=%s%n%an%n%e") == "dream: 记忆\nmemcli"
    left = [line for line in before.splitlines() if NAME not in line and "memory/" not in line]
    assert git(root, "status", "--porcelain").splitlines() == left
    assert git(root, "fsck", "--strict", "--no-dangling") == ""
    first = {FOUND} if "unborn" in become.__name__ else {BY_HAND} if "index" in become.__name__ else set()
    assert not first or become in (split_index, sparse_index, old_index) or first & set(log(root))
    assert dream(root, NEW + b"- more\n").why == ""
    assert git(root, "rev-parse", "HEAD~1") == commit.id
    mode = git(root, "ls-tree", "HEAD", NAME).split()[0]
    assert mode == ("100755" if become is executable else "100644")


def test_a_linked_work_tree(root: Path) -> None:
    linked = root.with_name("linked")
    git(root, "worktree", "add", "-q", "-b", "side", str(linked))
    assert dream(linked).why == ""
    assert log(linked) == ["init", "dream: 记忆"]
    assert log(root) == ["init"]
    assert git(linked, "status", "--porcelain") == git(root, "status", "--porcelain") == ""


def test_a_submodule(root: Path) -> None:
    outer = root.with_name("outer")
    outer.mkdir()
    git(outer, "init", "-q")
    git(outer, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(root), "agent")
    assert (outer / "agent" / ".git").is_file()
    assert dream(outer / "agent").why == ""
    assert git(outer / "agent", "status", "--porcelain") == ""


def test_a_separate_git_folder_that_knows_its_tree(root: Path) -> None:
    git(root, "init", "-q", f"--separate-git-dir={root.with_name('away.git')}")
    git(root, "config", "core.worktree", str(root))
    assert dream(root).why == ""
    assert git(root, "status", "--porcelain") == ""


def test_a_bare_repository_beside(root: Path) -> None:
    shutil.rmtree(root / ".git")
    at = root.with_name("kept.git")
    git_making.make(str(root.with_name("part")), str(at), bare=True)
    keep = Keep(str(at), str(root))
    assert refusal(keep, [NAME]) == ""
    commit = dream(root, keep=keep)
    assert (commit.why, log(at)) == ("", [FOUND, "dream: 记忆"])
    assert git_history.head(str(at)) == commit.id
    assert not (at / "index").exists()
    assert {path.stat().st_mode & 0o077 for path in at.rglob("*") if path.is_file()} == {0}
    assert sorted(path.name for path in root.rglob("*")) == ["MEMORY.md", "memory"]


def test_no_identity_and_no_home(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HOME")
    monkeypatch.setenv("GIT_AUTHOR_NAME", "")
    monkeypatch.setenv("EMAIL", "someone@example.invalid")
    assert dream(root).why == ""
    assert (
        git(root, "log", "-1", "--format=%an <%ae>|%cn <%ce>") == "memcli <memcli@localhost>|memcli <memcli@localhost>"
    )


@pytest.mark.parametrize(
    ("zone", "shown"), [("UTC", "+0000"), ("Asia/Shanghai", "+0800"), ("America/St_Johns", "-0330")]
)
def test_the_time_is_told_in_the_zone_of_the_machine(
    root: Path, monkeypatch: pytest.MonkeyPatch, zone: str, shown: str
) -> None:
    import time

    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        dream(root)
    finally:
        monkeypatch.setenv("TZ", "UTC")
        time.tzset()
    assert git(root, "log", "-1", "--date=raw", "--format=%ad") == f"1767300000 {shown}"


@pytest.mark.parametrize(
    ("settings", "attributes", "old", "new", "stored"),
    [
        ("", "", OLD, b"# M\r\n- x\r\n", b"# M\r\n- x\r\n"),
        ("true", "", OLD, b"# M\r\n- x\r\n", b"# M\n- x\n"),
        ("input", "", OLD, b"# M\r\n- x\r\n", b"# M\n- x\n"),
        ("false", "* text\n", OLD, b"# M\r\n- x\r\n", b"# M\n- x\n"),
        ("", "* text=auto\n", OLD, b"# M\r\n- x\r\n", b"# M\n- x\n"),
        ("", "* text=auto\n", OLD, b"# M\r\n\0\r\n", b"# M\r\n\0\r\n"),
        ("", "*.md eol=crlf\n", OLD, b"# M\r\n- x\r\n", b"# M\n- x\n"),
        ("true", "*.md -text\n", OLD, b"# M\r\n- x\r\n", b"# M\r\n- x\r\n"),
    ],
)
def test_ends_of_lines(root: Path, settings: str, attributes: str, old: bytes, new: bytes, stored: bytes) -> None:
    if settings:
        git(root, "config", "core.autocrlf", settings)
    if attributes:
        (root / ".gitattributes").write_text(attributes)
    assert dream(root, new).why == ""
    assert git_history.contents(str(root), [(git(root, "rev-parse", "HEAD"), NAME)]) == [stored]
    assert NAME not in git(root, "-c", f"core.autocrlf={settings or 'false'}", "status", "--porcelain")


def test_ends_of_lines_that_the_last_commit_has_too(root: Path) -> None:
    (root / NAME).write_bytes(b"# M\r\n")
    git(root, "commit", "-q", "-a", "-m", "crlf")
    git(root, "config", "core.autocrlf", "true")
    assert dream(root, b"# M\r\n- x\r\n").why == ""
    assert git_history.contents(str(root), [(git(root, "rev-parse", "HEAD"), NAME)]) == [b"# M\r\n- x\r\n"]


@pytest.mark.parametrize("message", ["one\0two", "\n\nfirst", "\ud800 half", "a\nb\n\n\n", "# not a comment", ""])
def test_any_message(root: Path, message: str) -> None:
    path = str(root / NAME)
    with undo.begin(state.store(str(root)), "dream") as operation:
        operation.rewrite(path, read_version(path), NEW, root=str(root))
        operation.version(Keep(str(root), str(root)), {NAME: NEW}, message, seconds=SECONDS)
        [commit] = operation.commit().commits
    assert commit.why == ""
    wanted = message.replace("\0", "").replace("\ud800", "?").strip()
    assert git(root, "log", "-1", "--format=%B") == wanted


@pytest.mark.parametrize(
    "name", ["记忆.md", "with space.md", 'quo"te.md', "tab\tx.md", "line\nx.md", "*.md", ":(top)x", "-x"]
)
def test_any_name(root: Path, name: str) -> None:
    (root / name).write_bytes(OLD)
    assert dream(root, name=name).why == ""
    assert git(root, "status", "--porcelain") == ""
    assert git_history.contents(str(root), [(git(root, "rev-parse", "HEAD"), name)]) == [
        NEW if "\n" not in name else None
    ]


# ---------------------------------------------------------------- repositories that it does not work in


def detached(folder: Path) -> None:
    git(folder, "checkout", "-q", "--detach")


def merging(folder: Path) -> None:
    git(folder, "checkout", "-q", "-b", "side")
    (folder / NAME).write_bytes(b"side\n")
    git(folder, "commit", "-q", "-a", "-m", "side")
    git(folder, "checkout", "-q", "-")
    git(folder, "merge", "--no-commit", "--no-ff", "-q", "side")


def picking(folder: Path) -> None:
    (folder / ".git" / "CHERRY_PICK_HEAD").write_text("x")


def rebasing(folder: Path) -> None:
    (folder / ".git" / "rebase-merge").mkdir()


def nested(folder: Path) -> None:
    git(folder / "memory", "init", "-q")


def symlinked(folder: Path) -> None:
    (folder / ".git").rename(folder.with_name("away"))
    (folder / ".git").symlink_to(folder.with_name("away"))


def leads_elsewhere(folder: Path) -> None:
    """A .git file as that of a linked work tree, in a folder that was copied from it or made to look like it."""
    other = folder.with_name("other")
    shutil.copytree(folder, other)
    shutil.rmtree(folder / ".git")
    (folder / ".git").write_text(f"gitdir: {other}/.git\n")


def shares_elsewhere(folder: Path) -> None:
    other = folder.with_name("other")
    shutil.copytree(folder, other)
    (folder / ".git" / "commondir").write_text(f"{other}/.git\n")


def reflog_elsewhere(folder: Path) -> None:
    """git would append a line to whatever that leads to."""
    victim = folder.with_name("victim")
    victim.write_text("precious\n")
    (folder / ".git" / "logs" / "HEAD").unlink()
    (folder / ".git" / "logs" / "HEAD").symlink_to(victim)


def branch_log_elsewhere(folder: Path) -> None:
    branch = git(folder, "symbolic-ref", "HEAD")
    path = folder / ".git" / "logs" / branch
    path.unlink()
    path.symlink_to(folder.with_name("victim"))


def objects_elsewhere(folder: Path) -> None:
    objects = folder / ".git" / "objects"
    objects.rename(folder.with_name("objects"))
    objects.symlink_to(folder.with_name("objects"))


def index_elsewhere(folder: Path) -> None:
    index = folder / ".git" / "index"
    index.rename(folder.with_name("index"))
    index.symlink_to(folder.with_name("index"))


def filtered(folder: Path) -> None:
    (folder / ".gitattributes").write_text("*.md filter=crypt\n")


def encoded(folder: Path) -> None:
    (folder / "memory" / ".gitattributes").write_text("*.md working-tree-encoding=UTF-16\n")


def link_committed(folder: Path) -> None:
    (folder / NAME).unlink()
    (folder / NAME).symlink_to("elsewhere")
    git(folder, "commit", "-q", "-a", "-m", "link")
    (folder / NAME).unlink()
    (folder / NAME).write_bytes(OLD)


def folder_committed(folder: Path) -> None:
    (folder / NAME).unlink()
    (folder / NAME).mkdir()
    (folder / NAME / "x").write_text("x")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "folder")
    shutil.rmtree(folder / NAME)
    (folder / NAME).write_bytes(OLD)


def head_gone(folder: Path) -> None:
    (folder / ".git" / "HEAD").unlink()


def head_garbage(folder: Path) -> None:
    (folder / ".git" / "HEAD").write_bytes(b"\xff\0 garbage")


def config_garbage(folder: Path) -> None:
    (folder / ".git" / "config").write_text("[core\n")


def commit_lost(folder: Path) -> None:
    id = git(folder, "rev-parse", "HEAD")
    (folder / ".git" / "objects" / id[:2] / id[2:]).unlink()


def commit_damaged(folder: Path) -> None:
    id = git(folder, "rev-parse", "HEAD")
    path = folder / ".git" / "objects" / id[:2] / id[2:]
    path.chmod(0o600)
    path.write_bytes(b"\0\0\0")


def tree_lost(folder: Path) -> None:
    id = git(folder, "rev-parse", "HEAD^{tree}")
    (folder / ".git" / "objects" / id[:2] / id[2:]).unlink()


def index_garbage(folder: Path) -> None:
    (folder / ".git" / "index").write_bytes(b"DIRCgarbage")


def empty_git(folder: Path) -> None:
    shutil.rmtree(folder / ".git")
    (folder / ".git").mkdir()


def newer_format(folder: Path) -> None:
    git(folder, "config", "core.repositoryFormatVersion", "99")


def locked_branch(folder: Path) -> None:
    branch = git(folder, "symbolic-ref", "HEAD")
    (folder / ".git" / f"{branch}.lock").write_bytes(b"")


BAD = {
    detached: "no branch is checked out",
    merging: "a merge is under way in it",
    picking: "a cherry-pick is under way in it",
    rebasing: "a rebase is under way in it",
    nested: "memory in it is a repository of its own",
    symlinked: "its .git is a symlink",
    leads_elsewhere: "its .git leads to the repository of another folder",
    shares_elsewhere: "its .git leads to the repository of another folder",
    reflog_elsewhere: "logs/HEAD in it is no plain file or folder",
    branch_log_elsewhere: "in it is no plain file or folder",
    objects_elsewhere: "objects in it is no plain file or folder",
    index_elsewhere: "index in it is no plain file or folder",
    filtered: f"{NAME} goes through the filter 'crypt' there, which memcli does not run",
    encoded: f"{NAME} has another encoding in its commits",
    link_committed: f"{NAME} is a symlink in its last commit",
    folder_committed: f"{NAME} is no file in its last commit",
    head_gone: "not a git repository",
    head_garbage: "not a git repository",
    config_garbage: "bad config",
    commit_lost: "the last commit, ",
    commit_damaged: "",
    tree_lost: "",
    index_garbage: "index",
    empty_git: "not a git repository",
    newer_format: "repo version",
    locked_branch: "lock",
}
ONLY_WHILE_WRITING = {link_committed, folder_committed, tree_lost, index_garbage, locked_branch}


@pytest.mark.parametrize("become", BAD)
def test_it_says_why_not(root: Path, monkeypatch: pytest.MonkeyPatch, become: Callable[[Path], None]) -> None:
    monkeypatch.setattr("memcli.storage.commit_step.WAIT", 0.1)
    become(root)
    (root / NAME).write_bytes(OLD)
    around = {
        path: path.read_bytes() for path in root.parent.rglob("*") if path.is_file() and "state" not in path.parts
    }
    keep = Keep(str(root), str(root))
    assert (refusal(keep, [NAME]) == "") == (become in ONLY_WHILE_WRITING)
    commit = dream(root)
    assert commit.id == ""
    assert BAD[become] in commit.why
    assert commit.why
    assert "\n" not in commit.why
    after = {path: path.read_bytes() for path in root.parent.rglob("*") if path.is_file() and "state" not in path.parts}
    fresh = {path for path in after.keys() ^ around.keys() if "objects" not in path.parts}
    assert fresh == set()
    assert {path for path in around if after[path] != around[path]} == {root / NAME}


def test_the_lock_of_another_git(root: Path) -> None:
    keep = Keep(str(root), str(root))
    (root / ".git" / "index.lock").write_bytes(b"")
    assert refusal(keep, [NAME]).startswith("another git is at work there, or one that was killed left ")
    (root / ".git" / "index.lock").unlink()
    assert refusal(keep, [NAME]) == ""


def test_an_enclosing_repository_is_never_taken(root: Path) -> None:
    """An agent's damaged one inside a project: git would look further up."""
    inner = root / "agents" / "a"
    inner.mkdir(parents=True)
    (inner / "MEMORY.md").write_bytes(OLD)
    started(inner)
    (inner / ".git" / "HEAD").unlink()
    assert "not a git repository" in dream(inner, name="MEMORY.md").why
    assert log(root) == ["init"]


def test_no_repository(root: Path) -> None:
    shutil.rmtree(root / ".git")
    assert refusal(Keep(str(root), str(root))) == "there is no repository"


def test_no_git(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    assert refusal(Keep(str(root), str(root))) == "git is not installed"


def test_root_leaves_the_repository_of_a_user_alone(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.stat

    def other(path: str, **named: object) -> os.stat_result:
        found = real(path, **named)
        return os.stat_result([*found[:4], 4242, *found[5:]]) if str(path) == os.path.realpath(root / ".git") else found

    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(os, "stat", other)
    assert refusal(Keep(str(root), str(root))) == "it belongs to another user, who could not write to it any more"


@pytest.mark.parametrize("place", [".git", ".git/objects"])
def test_read_only(root: Path, monkeypatch: pytest.MonkeyPatch, place: str) -> None:
    real = os.access
    forbidden = os.path.realpath(root / place)
    monkeypatch.setattr(os, "access", lambda path, mode: path != forbidden and real(path, mode))
    assert dream(root).why == f"{forbidden} is read-only"


def test_no_space(root: Path) -> None:
    """Objects of more than a few bytes cannot be written."""
    new = OLD + os.urandom(60000).hex().encode()
    path = str(root / NAME)
    keep = Keep(str(root), str(root))
    real = git_process._start

    def small(*arguments: object) -> object:
        before = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (8192, before[1]))
        ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        try:
            return real(*arguments)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
            signal.signal(signal.SIGXFSZ, ignored)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(git_process, "_start", small)
        with undo.begin(state.store(str(root)), "dream") as operation:
            operation.rewrite(path, read_version(path), new, root=str(root))
            operation.version(keep, {NAME: new}, "x", seconds=SECONDS)
            [commit] = operation.commit().commits
    assert commit.id == ""
    assert commit.why
    assert (root / NAME).read_bytes() == new
    assert log(root) == ["init"]
    assert dream(root).why == ""
    assert log(root) == ["init", BY_HAND, "dream: 记忆"]


def test_a_git_that_takes_too_long(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = git_process.Running.__init__

    def hasty(running: git_process.Running, folder: str, words: list[str], *rest: object, **named: object) -> None:
        late = "commit-tree" in words
        if late:
            (root / "slow").write_text("#!/bin/sh\nexec sleep 30\n")
            (root / "slow").chmod(0o755)
            os.rename(root / "slow", root.with_name("git"))
            with pytest.MonkeyPatch.context() as patch:
                patch.setenv("PATH", f"{root.parent}:{os.environ['PATH']}")
                real(running, folder, words, 0.2, *rest[1:], **named)
            return
        real(running, folder, words, *rest, **named)

    monkeypatch.setattr(git_process.Running, "__init__", hasty)
    assert dream(root).why == "it takes too long"
    assert log(root) == ["init"]


# ---------------------------------------------------------------- making one


def test_a_new_one_is_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    part, at = tmp_path / "part", tmp_path / "x" / ".git"
    at.parent.mkdir()
    monkeypatch.setenv("PATH", "/nonexistent")
    with pytest.raises(Exception, match="git is not installed"):
        git_making.make(str(part), str(at))
    monkeypatch.undo()
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["x"]
    git_making.make(str(part), str(at), settings=[("user.name", "记忆"), ("a.b", "c")], ignored=["/*", "!x"])
    assert git(at.parent, "config", "--file", str(at / "config"), "user.name") == "记忆"
    assert git(at.parent, "symbolic-ref", "HEAD") == "refs/heads/main"
    assert (at / "info" / "exclude").read_text() == "/*\n!x\n"
    assert "worktree" not in (at / "config").read_text()
    with pytest.raises(FileExistsError):
        git_making.make(str(part), str(at))
    assert not part.exists()
    assert subprocess.run(["git", "-C", at.parent, "status"], capture_output=True).returncode == 0
