"""Which repository memory is committed to, memcli's own where the agent has none, and making one in place as the agent would."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest
from support import dreams, faults
from support.cli import run
from support.looking import look
from support.repository import commit, git

from memcli.core import keeping, revisions, sealing
from memcli.core.sources import memory_history
from memcli.errors import CannotWrite, RefusedForSafety, UsageError
from memcli.formats import load
from memcli.model import Workspace
from memcli.storage import undo
from memcli.storage.git_writing import FOUND, Keep
from memcli.storage.parts import part_name
from memcli.storage.versions import read_version

SECONDS = 1767300000.0


@pytest.fixture(autouse=True)
def state_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMCLI_STATE_DIR", str(tmp_path / "state"))
    faults.quick_disk(monkeypatch)


@pytest.fixture
def tidy(tmp_path: Path) -> Path:
    """A workspace of nanobot's, as it is after the start; without a repository."""
    root = tmp_path / "workspace"
    for name in ("sessions", "memory"):
        (root / name).mkdir(parents=True)
    for name in ("SOUL.md", "USER.md", "memory/MEMORY.md"):
        (root / name).write_text(f"# {name}\n")
    (root / "memory" / "history.jsonl").write_text('{"cursor": 1, "timestamp": "2026-01-01 00:00", "content": "x"}\n')
    (root / "memory" / ".cursor").write_text("1")
    return root


@pytest.fixture
def cat(tmp_path: Path) -> Path:
    """A workspace of catbuddy's, which keeps nothing under git."""
    return Path(dreams.catbuddy(tmp_path / "cat", {"desktop:a": ["pnpm"]}, memory="# Long-term Memory\n").root)


@pytest.fixture
def coco(tmp_path: Path) -> Path:
    """A project of CocoCat's with one agent and one user."""
    root = tmp_path / "project"
    user = root / "agents" / "a" / "memory" / "users" / "2bd806c97f0e00af"
    user.mkdir(parents=True)
    (user / "PROFILE.md").write_text("# Profile\n")
    (user / "history.jsonl").write_text('{"timestamp": "2026-01-01T00:00:00", "prompt": "a", "response": "b"}\n')
    (user.parents[1] / "MEMORY.md").write_text("# Memory\n")
    (user.parents[1] / "history.jsonl").write_text(
        '{"timestamp": "2026-01-01T00:00:00", "prompt": "a", "response": "b"}\n'
    )
    return root


def workspace(agent: str, root: Path) -> Workspace:
    return load(agent).layout.recognise(str(root))[0]


def keep(agent: str, root: Path, name: str, *, make: bool = False) -> Keep | None:
    return keeping.keep_of(workspace(agent, root), str(root / name), make=make)


def dream(agent: str, root: Path, name: str, new: bytes) -> str:
    """Write a memory file and commit it; the commit."""
    one = workspace(agent, root)
    path = str(root / name)
    old = (root / name).read_bytes()
    where = keeping.keep_of(one, path, make=True)
    assert where is not None
    inner = os.path.relpath(os.path.realpath(path), where.tree)
    with undo.begin(sealing.store(one), "dream") as operation:
        operation.rewrite(path, read_version(path), new, root=str(root))
        operation.version(where, {inner: new}, "memcli dream: x", seconds=SECONDS, hand={inner: old})
        [made] = operation.commit().commits
    assert made.why == ""
    return made.id


MEMORY = "memory/MEMORY.md"
CAT = "workspace/memory/MEMORY.md"
AGENT = "agents/a/memory/MEMORY.md"
USER = "agents/a/memory/users/2bd806c97f0e00af/PROFILE.md"


def test_the_agents_own(tidy: Path) -> None:
    commit(tidy, MEMORY, "# M\n")
    assert keep("nanobot", tidy, MEMORY) == keep("nanobot", tidy, "SOUL.md", make=True) == Keep(str(tidy), str(tidy))
    assert keeping.bare_of(workspace("nanobot", tidy)) is None


def test_none_is_made_by_looking(cat: Path, tmp_path: Path) -> None:
    assert keep("catbuddy", cat, CAT) is None
    assert not (tmp_path / "state").exists()


def test_memclis_own_where_the_agent_has_none(cat: Path, tmp_path: Path) -> None:
    before = sorted(path.name for path in cat.rglob("*"))
    where = keep("catbuddy", cat, CAT, make=True)
    assert where is not None
    assert where.folder.startswith(str(tmp_path / "state"))
    assert where == keep("catbuddy", cat, CAT) == keep("catbuddy", cat, CAT, make=True)
    assert keeping.place_of(workspace("catbuddy", cat)) == keeping.bare_of(workspace("catbuddy", cat)) == where.folder
    assert where.tree == str(cat)
    assert sorted(path.name for path in cat.rglob("*")) == before
    assert git(Path(where.folder), "rev-parse", "--is-bare-repository") == "true"


def test_no_repository_for_a_file_that_lies_elsewhere(cat: Path, tmp_path: Path) -> None:
    assert keeping.keep_of(workspace("catbuddy", cat), str(tmp_path / "MEMORY.md"), make=True) is None


@pytest.mark.parametrize("tracked", [True, False])
def test_not_the_repository_of_a_project(coco: Path, tracked: bool) -> None:
    """That somebody keeps the project in git is no reason to commit to it."""
    commit(coco, "README.md", "x")
    if tracked:
        git(coco, "add", "-A")
        git(coco, "commit", "-q", "-m", "all")
    where = keep("cococat", coco, AGENT, make=True)
    assert where is not None
    assert where.folder != str(coco)
    assert where.tree == str(coco)


def test_each_user_in_a_repository_of_its_own(coco: Path) -> None:
    memory, user = (coco / AGENT).parent, (coco / USER).parent
    commit(memory, "MEMORY.md", "# M\n")
    assert keep("cococat", coco, AGENT) == Keep(str(memory), str(memory))
    assert keep("cococat", coco, USER) is None
    git(memory, "add", "-A")
    git(memory, "commit", "-q", "-m", "dream: all")
    assert keep("cococat", coco, USER) == Keep(str(memory), str(memory))  # the agent has put it there
    commit(user, "PROFILE.md", "# P\n")
    assert keep("cococat", coco, USER) == Keep(str(user), str(user))


def test_a_damaged_one_is_still_the_agents_own(tidy: Path) -> None:
    commit(tidy, MEMORY, "# M\n")
    (tidy / ".git" / "HEAD").unlink()
    assert keep("nanobot", tidy, MEMORY, make=True) == Keep(str(tidy), str(tidy))


def test_it_cannot_be_made(cat: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    with pytest.raises(CannotWrite, match=r"No repository could be made at .*: git is not installed"):
        keep("catbuddy", cat, CAT, make=True)
    assert os.listdir(os.path.dirname(keeping.place_of(workspace("catbuddy", cat)))) == []


def test_two_make_it_at_once(cat: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from memcli.storage import git_making

    real = git_making.make

    def slower(part: str, at: str, **named: object) -> None:
        if not os.path.lexists(at):
            real(f"{part}2", at, **named)
        real(part, at, **named)

    monkeypatch.setattr(git_making, "make", slower)
    where = keep("catbuddy", cat, CAT, make=True)
    assert where is not None
    assert os.listdir(os.path.dirname(where.folder)) == [keeping.BARE]


# ---------------------------------------------------------------- the commands find it


def test_log_diff_blame_and_memory_show(cat: Path) -> None:
    made = dream("catbuddy", cat, CAT, b"# Long-term Memory\n- likes tea\n")
    (cat / CAT).write_text("# Long-term Memory\n- likes tea\n- by hand\n")
    folder = keeping.place_of(workspace("catbuddy", cat))
    ran = run("log", "-W", cat, "--json")
    rows = [json.loads(line) for line in ran.out.splitlines()]
    assert [row["subject"] for row in rows] == ["memcli dream: x", FOUND]
    assert rows[0]["files"][0]["path"] == str(cat / CAT)
    assert {row["repository"] for row in rows} == {folder}
    assert run("log", "MEMORY.md", "-W", cat).rows[0][3] == "memcli dream: x"
    assert "+- by hand" in run("diff", "-W", cat).out
    assert "+- likes tea" in run("diff", "HEAD~1", "HEAD", "-W", cat).out
    lines = [json.loads(line) for line in run("blame", "MEMORY.md", "-W", cat, "--json").out.splitlines()]
    assert [(row["commit"] or "")[:8] for row in lines] == [git(Path(folder), "rev-parse", "HEAD~1")[:8], made[:8], ""]
    assert "likes tea" in run("memory", "show", "--at", made[:8], "-W", cat).out
    assert "likes tea" not in run("memory", "show", "--at", f"{made[:8]}~1", "-W", cat).out
    assert f"memcli keeps its history in {folder}" in run("blame", "MEMORY.md", "-W", cat).err
    assert run("lint", "-W", cat).code in (0, 1)


def test_doctor_finds_what_was_taken_out(cat: Path) -> None:
    dream("catbuddy", cat, CAT, b"# Long-term Memory\n- the harbour is open\n")
    dream("catbuddy", cat, CAT, b"# Long-term Memory\n")
    found = look(memory_history, cat, words="harbour").traces
    assert [(trace.source.detail["change"], trace.text) for trace in found] == [
        ("removed", "- the harbour is open"),
        ("added", "- the harbour is open"),
    ]
    assert {trace.source.path for trace in found} == {str(cat / CAT)}


def test_an_empty_one_is_no_history(cat: Path) -> None:
    keep("catbuddy", cat, CAT, make=True)
    ran = run("log", "-W", cat)
    assert (ran.code, ran.out) == (3, "")


def test_what_the_agent_began_to_keep_later(tidy: Path) -> None:
    """The history that memcli kept before is shown too; the agent's own is asked first."""
    old = dream("nanobot", tidy, MEMORY, b"# M\n- first\n")
    new = commit(tidy, MEMORY, "# M\n- first\n- second\n")
    subjects = [row[3] for row in run("log", "-W", tidy).rows]
    assert sorted(subjects) == sorted(["dream: 0", "memcli dream: x", FOUND])
    found = revisions.repositories([workspace("nanobot", tidy)])
    assert [one.tree for one in found] == [str(tidy), str(tidy)]
    assert [row[5] for row in run("blame", "MEMORY.md", "-W", tidy).rows] == ["# M", "- first", "- second"]
    for id, text in ((old, "- first"), (new, "- second")):
        assert text in run("memory", "show", "--at", id, "-W", tidy).out
    assert "second" not in run("memory", "show", "--at", old, "-W", tidy).out
    assert dream("nanobot", tidy, MEMORY, b"# M\n- third\n") == git(tidy, "rev-parse", "HEAD")


# ---------------------------------------------------------------- in place


def init(agent: str, root: Path) -> list[str]:
    return list(keeping.init(workspace(agent, root), command=["memcli"]))


def test_as_nanobot_makes_it(tidy: Path) -> None:
    [sentence] = init("nanobot", tidy)
    head = git(tidy, "rev-parse", "HEAD")
    assert sentence == f"{tidy} is a repository now; its first commit is {head[:8]}."
    assert (tidy / ".gitignore").read_text() == "/*\n!memory/\n!SOUL.md\n!USER.md\n!memory/MEMORY.md\n!.gitignore\n"
    assert git(tidy, "ls-files").split() == [".gitignore", "SOUL.md", "USER.md", "memory/MEMORY.md"]
    assert git(tidy, "log", "--format=%s") == "init: nanobot memory store"
    assert git(tidy, "status", "--porcelain").split("\n") == ["?? memory/.cursor", "?? memory/history.jsonl"]
    assert keep("nanobot", tidy, MEMORY) == Keep(str(tidy), str(tidy))
    assert init("nanobot", tidy) == [f"{tidy} has a repository already."]
    assert git(tidy, "rev-parse", "HEAD") == head
    [record] = undo.listed(sealing.store(workspace("nanobot", tidy)))
    with pytest.raises(UsageError, match="memcli revert"):
        undo.check(record, str(tidy))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("*.log", "*.log\n/*\n!memory/\n!SOUL.md\n!USER.md\n!memory/MEMORY.md\n!.gitignore\n"),
        ("/*\n!memory/\nmine\n\n", "/*\n!memory/\nmine\n!SOUL.md\n!USER.md\n!memory/MEMORY.md\n!.gitignore\n"),
        ("", "/*\n!memory/\n!SOUL.md\n!USER.md\n!memory/MEMORY.md\n!.gitignore\n"),
        ("/*\n!memory/\n!SOUL.md\n!USER.md\n!memory/MEMORY.md\n!.gitignore", None),
    ],
)
def test_what_was_ignored_stays_so(tidy: Path, before: str, after: str | None) -> None:
    (tidy / ".gitignore").write_text(before)
    init("nanobot", tidy)
    assert (tidy / ".gitignore").read_text() == (before if after is None else after)
    assert ".gitignore" not in git(tidy, "status", "--porcelain")


def test_as_cococat_makes_them(coco: Path) -> None:
    memory, user = (coco / AGENT).parent, (coco / USER).parent
    said = init("cococat", coco)
    assert [sentence.partition(" is ")[0] for sentence in said] == [str(user), str(memory)]
    for folder, name in ((memory, "MEMORY.md"), (user, "PROFILE.md")):
        assert git(folder, "ls-files") == name
        config = str(folder / ".git" / "config")
        assert git(folder, "config", "--file", config, "user.name") == "cococat-memory"
        assert git(folder, "config", "--file", config, "user.email") == "memory@cococat.local"
    git(memory, "add", "-A")  # as the agent does: the inner one has a commit, so that this works
    assert keep("cococat", coco, USER) == Keep(str(user), str(user))


def test_no_repository_without_memory(coco: Path) -> None:
    """One without a commit would keep the agent from adding anything to the one around it."""
    (coco / USER).unlink()
    said = init("cococat", coco)
    assert said[0].endswith("has no memory yet, and got no repository.")
    assert not (coco / USER).parent.joinpath(".git").exists()


def test_in_the_workspace_of_an_agent_without_git(cat: Path) -> None:
    [sentence] = init("catbuddy", cat)
    assert "is a repository now" in sentence
    assert git(cat, "ls-files") == CAT
    assert git(cat, "status", "--porcelain") == ""
    git(cat, "add", "-A")  # chats are private
    assert git(cat, "ls-files") == CAT
    assert keep("catbuddy", cat, CAT, make=True) == Keep(str(cat), str(cat))
    assert dream("catbuddy", cat, CAT, b"# Long-term Memory\n- x\n") == git(cat, "rev-parse", "HEAD")
    ran = run("log", "-W", cat)
    assert [row[3] for row in ran.rows] == ["memcli dream: x", FOUND]
    assert "no repository of its own" not in ran.err


@pytest.mark.parametrize("agent", ["nanobot", "catbuddy"])
def test_not_inside_another_repository(tidy: Path, cat: Path, agent: str) -> None:
    root = tidy if agent == "nanobot" else cat
    git(root.parent, "init", "-q")
    with pytest.raises(RefusedForSafety, match=f"lies in the repository {root.parent}") as caught:
        init(agent, root)
    assert caught.value.exit_code == 4
    assert not (root / ".git").exists()
    assert not (root / ".gitignore").exists()


def test_there_is_no_memory(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text('{"role": "user", "content": "x"}\n')
    with pytest.raises(UsageError, match="No long-term memory belongs to"):
        init("jsonl", tmp_path)


def test_without_git(tidy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    before = sorted(path.name for path in tidy.rglob("*"))
    with pytest.raises(CannotWrite, match="git is not installed"):
        init("nanobot", tidy)
    assert sorted(path.name for path in tidy.rglob("*")) == before


def test_killed_at_every_call(tidy: Path, tmp_path: Path) -> None:
    """The repository is whole or not there, and the next one makes what is missing."""
    number = 0

    def fresh() -> None:
        nonlocal number
        number += 1
        shutil.rmtree(tmp_path / "state", ignore_errors=True)
        for name in (".git", ".gitignore"):
            path = tidy / name
            shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
        for path in tidy.glob(".memcli*"):
            shutil.rmtree(path) if path.is_dir() else path.unlink()

    for where, ended in faults.every(lambda: init("nanobot", tidy), fresh, faults.KILL):
        assert ended.code == -9, where
        if (tidy / ".git").exists():
            git(tidy, "status")
        init("nanobot", tidy)
        assert git(tidy, "log", "--format=%s") == "init: nanobot memory store", where
        assert git(tidy, "ls-files").split() == [".gitignore", "SOUL.md", "USER.md", "memory/MEMORY.md"], where
        assert (tidy / ".gitignore").exists(), where
        assert [path.name for path in tidy.glob(".memcli*")] == [], where
    assert number > 30


def test_one_without_a_commit_gets_its_first(tidy: Path) -> None:
    git(tidy, "init", "-q")
    [sentence] = init("nanobot", tidy)
    assert sentence == f"{tidy} is a repository now; its first commit is {git(tidy, 'rev-parse', 'HEAD')[:8]}."


def test_a_part_that_is_no_folder_stays(tidy: Path) -> None:
    part = tidy / part_name("0123456789abcdef")
    part.write_text("an operation's")
    init("nanobot", tidy)
    assert part.exists()
