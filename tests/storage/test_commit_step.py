"""An operation and its commit: both or neither after a kill at any call; what keeps a commit back never keeps files back."""

from __future__ import annotations

import errno
import os
import subprocess
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from support import faults
from support.repository import git

from memcli.errors import RefusedForSafety, UsageError
from memcli.storage import commit_step, git_making, git_writing, intents, state, undo
from memcli.storage.git_writing import BY_HAND, FOUND, Keep
from memcli.storage.locks import own
from memcli.storage.records import Record
from memcli.storage.state import Store
from memcli.storage.versions import read_version

NAME, CURSOR = "memory/MEMORY.md", "memory/.cursor"
BASE, OLD, NEW = b"# M\n", b"# M\n- by hand\n", b"# M\n- by hand\n- dreamt\n"
MESSAGE = "dream: two facts\n\nMemcli-Operation: x\n"
SECONDS = 1767300000.0
DIRTY = f"M {NAME}\nA  other"


class Ground:
    """A workspace whose memory was committed, then changed by hand; somebody has staged another file."""

    root: Path
    store: Store
    keep: Keep

    def __init__(self, folder: Path, *, bare: bool) -> None:
        self.folder, self.bare = folder, bare
        self.number = 0

    def fresh(self) -> None:
        self.number += 1
        base = self.folder / str(self.number)
        self.root = base / "workspace"
        self.root.joinpath("memory").mkdir(parents=True)
        os.environ["MEMCLI_STATE_DIR"] = str(base / "state")
        self.store = state.store(str(self.root))
        for kind in state.KINDS:
            state.place(self.store, kind)
        self.write(BASE, b"1")
        if self.bare:
            at = os.path.join(state.place(self.store, "git"), "memory.git")
            git_making.make(f"{at}.part", at, bare=True)
            self.keep = Keep(at, str(self.root))
        else:
            git(self.root, "init", "-q")
            git(self.root, "add", "-A")
            git(self.root, "commit", "-q", "-m", "init")
            self.keep = Keep(str(self.root), str(self.root))
            (self.root / "other").write_text("staged")
            git(self.root, "add", "other")
        self.write(OLD, b"1")

    def write(self, memory: bytes, cursor: bytes) -> None:
        (self.root / NAME).write_bytes(memory)
        (self.root / CURSOR).write_bytes(cursor)

    def dream(self, new: bytes = NEW) -> Record:
        path, cursor = str(self.root / NAME), str(self.root / CURSOR)
        old = Path(path).read_bytes()
        with undo.begin(self.store, "dream") as operation:
            operation.rewrite(path, read_version(path), new, root=str(self.root))
            operation.rewrite(cursor, read_version(cursor), b"2", root=str(self.root))
            contents = {NAME: new, CURSOR: b"2"}
            operation.version(self.keep, contents, MESSAGE, seconds=SECONDS, hand={NAME: old})
            return operation.commit()

    def git(self, *words: str) -> str:
        return git(Path(self.keep.folder), *words)

    def now(self) -> tuple[bytes, bytes]:
        return (self.root / NAME).read_bytes(), (self.root / CURSOR).read_bytes()

    def log(self) -> list[str]:
        """The subjects, oldest first."""
        if not self.git("for-each-ref"):
            return []
        return self.git("log", "--format=%s", "--reverse").splitlines()

    def committed(self) -> tuple[str, str]:
        return self.git("show", f"HEAD:{NAME}"), self.git("show", f"HEAD:{CURSOR}")

    def status(self) -> str:
        return "" if self.bare else self.git("status", "--porcelain")

    def next_start(self) -> None:
        with undo.begin(self.store, "next"):
            pass

    def left(self) -> list[str]:
        """What should not be there: parts, locks, indexes."""
        found = [path for path in self.root.rglob("*") if ".memcli" in path.name or path.name.endswith(".lock")]
        kept = [path for path in Path(self.store.folder).rglob("*") if ".commit" in path.name]
        return [path.name for path in (*found, *kept)]


@pytest.fixture(params=["work tree", "bare"])
def ground(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Ground:
    monkeypatch.setenv("MEMCLI_STATE_DIR", "")
    faults.quick_disk(monkeypatch)
    made = Ground(tmp_path, bare=request.param == "bare")
    made.fresh()
    return made


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ground:
    """With a work tree."""
    monkeypatch.setenv("MEMCLI_STATE_DIR", "")
    faults.quick_disk(monkeypatch)
    made = Ground(tmp_path, bare=False)
    made.fresh()
    return made


def test_files_and_commit(ground: Ground) -> None:
    record = ground.dream()
    [commit] = record.commits
    first = FOUND if ground.bare else BY_HAND
    assert ground.now() == (NEW, b"2")
    assert ground.log() == [*([] if ground.bare else ["init"]), first, "dream: two facts"]
    assert ground.committed() == (NEW.decode().strip(), "2")
    assert ground.git("show", f"HEAD~1:{NAME}") == OLD.decode().strip()
    assert (commit.id, commit.why) == (ground.git("rev-parse", "HEAD"), "")
    assert commit.commits == tuple(ground.git("rev-list", "--max-count=2", "--reverse", "HEAD").split())
    assert ground.git("log", "-1", "--format=%an <%ae> %cn <%ce> %at %ct %B") == (
        f"memcli <memcli@localhost> memcli <memcli@localhost> 1767300000 1767300000 {MESSAGE.strip()}"
    )
    assert ground.status() == ("" if ground.bare else "A  other")
    assert ground.git("fsck", "--strict", "--no-dangling") == ""
    assert ground.left() == []
    assert undo.listed(ground.store) == [record]


def test_what_is_committed_is_taken_back_by_revert(ground: Ground) -> None:
    record = ground.dream()
    for operation in (None, record.id):
        with pytest.raises(
            UsageError, match=rf"'memcli revert {record.commits[0].id[:8]} -W [^']+' takes it back"
        ) as caught:
            undo.undo(ground.store, operation)
        assert caught.value.exit_code == 2
    assert ground.now() == (NEW, b"2")


def test_a_second_one_needs_no_commit_by_hand(ground: Ground) -> None:
    ground.dream()
    before = len(ground.log())
    ground.dream(NEW + b"- more\n")
    assert len(ground.log()) == before + 1
    assert ground.status() == ("" if ground.bare else "A  other")


def test_nothing_to_commit(tree: Ground) -> None:
    git(tree.root, "commit", "-q", "-a", "-m", "all of it")
    path = str(tree.root / NAME)
    with undo.begin(tree.store, "dream") as operation:
        operation.rewrite(path, read_version(path), OLD, root=str(tree.root))
        operation.version(tree.keep, {NAME: OLD}, MESSAGE, seconds=SECONDS)
        record = operation.commit()
    assert record.commits == record.changes == ()
    assert undo.listed(tree.store) == []


def test_a_commit_alone(ground: Ground) -> None:
    with undo.begin(ground.store, "init") as operation:
        operation.version(ground.keep, {NAME: OLD, "gone": None}, "memcli: first", seconds=SECONDS)
        record = operation.commit()
    assert record.commits[0].id == ground.git("rev-parse", "HEAD")
    assert undo.listed(ground.store) == [record]
    with pytest.raises(UsageError, match="memcli revert"):
        undo.undo(ground.store)


def test_a_file_that_goes(tree: Ground) -> None:
    path = str(tree.root / NAME)
    with undo.begin(tree.store, "forget") as operation:
        operation.remove(path, read_version(path), root=str(tree.root))
        operation.version(tree.keep, {NAME: None}, "memcli: gone", seconds=SECONDS, hand={NAME: OLD})
        operation.commit()
    assert tree.git("ls-tree", "-r", "--name-only", "HEAD") == CURSOR
    assert tree.git("show", f"HEAD~1:{NAME}") == OLD.decode().strip()
    assert tree.status() == "A  other"


def test_on_top_of_another_commit_than_the_contents_are_for(ground: Ground) -> None:
    path = str(ground.root / NAME)
    for onto, message in (("0" * 40, "got another commit"), (ground.dream().commits[0].id, "")):
        with undo.begin(ground.store, "revert") as operation:
            operation.rewrite(path, read_version(path), BASE, root=str(ground.root))
            operation.version(ground.keep, {NAME: BASE}, MESSAGE, seconds=SECONDS, onto=onto)
            if message:
                with pytest.raises(RefusedForSafety, match=message) as caught:
                    operation.commit()
                assert caught.value.facts["why"] == "changed"
            else:
                assert operation.commit().commits[0].id
    assert ground.now()[0] == BASE
    assert ground.left() == []


def test_twice_in_one_repository_is_a_mistake(ground: Ground) -> None:
    with undo.begin(ground.store, "dream") as operation:
        operation.version(ground.keep, {NAME: OLD}, "x", seconds=SECONDS)
        with pytest.raises(ValueError, match="commits once"):
            operation.version(ground.keep, {CURSOR: b"2"}, "x", seconds=SECONDS)


# ---------------------------------------------------------------- killed, refused, no space


def judge(ground: Ground, ended: faults.Ended, where: str) -> None:
    """Files, cursor and commit agree after the next start; without a kill a commit can be missing, and the record says so."""
    assert ended.code in (0, 3, 4, -9), f"{where}: {ended.said}"
    ground.next_start()
    records = undo.listed(ground.store)
    if ground.now() == (OLD, b"1"):
        assert ended.code != 0, where
        assert records == [], where
        assert ground.log() == ([] if ground.bare else ["init"]), where
        assert ground.status() == ("" if ground.bare else DIRTY), where
    else:
        assert ground.now() == (NEW, b"2"), f"{where}: mixed"
        [commit] = records[0].commits
        assert ended.code != -9 or commit.id, f"{where}: killed, and no commit: {commit.why}"
        if commit.id:
            assert commit.id == ground.git("rev-parse", "HEAD"), where
            assert ground.committed() == (NEW.decode().strip(), "2"), where
            assert ground.log()[-2:] == [FOUND if ground.bare else BY_HAND, "dream: two facts"], where
            assert len(ground.log()) == 3 - ground.bare, where
            assert ground.status() == ("" if ground.bare else "A  other"), where
        else:
            assert commit.why, where
            assert ground.log() == ([] if ground.bare else ["init"]), where
    assert ground.git("fsck", "--strict", "--no-dangling") == "", where
    assert ground.left() == [], where


@pytest.mark.parametrize(
    "how",
    [
        faults.KILL,
        pytest.param(faults.DEAD, marks=pytest.mark.slow),
        pytest.param(errno.ENOSPC, marks=pytest.mark.slow),
    ],
)
def test_failed_at_every_call(ground: Ground, how: str | int) -> None:
    fired = set()
    for where, ended in faults.every(ground.dream, ground.fresh, how):
        fired.add(ended.fired)
        judge(ground, ended, where)
    assert {faults.GIT, "rename", "exchange"} <= fired


def test_recovery_killed_too(tree: Ground) -> None:
    """Whoever completes a commit is killed at every call, and the next one completes that."""
    calls = faults.run(tree.dream).calls
    moved = max(place for place, name in enumerate(calls, 1) if name == faults.GIT)  # update-ref
    exchanged = max(place for place, name in enumerate(calls, 1) if name == "exchange")
    nested = 0
    for at in (exchanged, moved, moved + 1):

        def interrupted(at: int = at) -> None:
            tree.fresh()
            assert faults.run(tree.dream, faults.KILL, at).code == -9

        for where, ended in faults.every(tree.next_start, interrupted, faults.KILL):
            nested += 1
            judge(tree, ended, f"killed at {at}, then {where}")
            assert tree.now() == (NEW, b"2")
    assert nested > 30


# ---------------------------------------------------------------- others at work


def between(ground: Ground, monkeypatch: pytest.MonkeyPatch, *acts: Callable[[], object]) -> Record:
    """A Dream during which these happen, one before each attempt to move the branch."""
    waiting = list(acts)
    real = git_writing.move

    def move(*arguments: object) -> None:
        if waiting:
            waiting.pop(0)()
        real(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(commit_step, "move", move)
        record = ground.dream()
    assert not waiting
    return record


def commit_beside(ground: Ground, name: str, content: bytes, subject: str) -> None:
    """Commit as an agent does that asks nobody: without the index that memcli keeps locked."""
    root = Path(ground.keep.folder)
    extra = {**os.environ, "GIT_INDEX_FILE": str(ground.folder / "their-index")}
    blob = subprocess.run(["git", "hash-object", "-w", "--stdin"], cwd=root, input=content, capture_output=True)
    for words in (
        ["read-tree", "HEAD"],
        ["update-index", "--add", "--cacheinfo", f"100644,{blob.stdout.decode().strip()},{name}"],
    ):
        subprocess.run(["git", *words], cwd=root, env=extra, check=True)
    written = subprocess.run(["git", "write-tree"], cwd=root, env=extra, capture_output=True, text=True).stdout.strip()
    made = git(root, "commit-tree", written, "-p", "HEAD", "-m", subject)
    git(root, "update-ref", "HEAD", made)


def test_another_commit_meanwhile_is_built_upon(tree: Ground, monkeypatch: pytest.MonkeyPatch) -> None:
    acts = [partial(commit_beside, tree, f"{n}.md", b"x", f"theirs {n}") for n in range(3)]
    record = between(tree, monkeypatch, *acts)
    assert tree.log() == ["init", "theirs 0", "theirs 1", "theirs 2", BY_HAND, "dream: two facts"]
    assert record.commits[0].id == tree.git("rev-parse", "HEAD")
    assert tree.git("show", "HEAD:2.md") == "x"
    assert tree.left() == []


def test_what_stood_there_by_hand_was_committed_meanwhile(tree: Ground, monkeypatch: pytest.MonkeyPatch) -> None:
    between(tree, monkeypatch, partial(commit_beside, tree, NAME, OLD, "theirs"))
    assert tree.log() == ["init", "theirs", "dream: two facts"]
    assert tree.committed() == (NEW.decode().strip(), "2")


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"# else\n", f"somebody committed another version of {NAME} meanwhile"),
        (NEW, ""),
    ],
)
def test_our_file_was_committed_meanwhile(
    tree: Ground, monkeypatch: pytest.MonkeyPatch, content: bytes, why: str
) -> None:
    record = between(tree, monkeypatch, partial(commit_beside, tree, NAME, content, "theirs"))
    [commit] = record.commits
    assert tree.now() == (NEW, b"2")
    assert commit.why == why
    assert tree.log() == ["init", "theirs", *(["dream: two facts"] if not why else [])]
    assert tree.left() == []
    if why:
        assert undo.listed(tree.store)[0].commits[0].why == why
        assert undo.undo(tree.store).undoes == record.id  # what is in no commit is undone
        assert tree.now() == (OLD, b"1")


def test_all_of_it_was_committed_meanwhile(tree: Ground, monkeypatch: pytest.MonkeyPatch) -> None:
    def theirs() -> None:
        commit_beside(tree, NAME, NEW, "theirs")
        commit_beside(tree, CURSOR, b"2", "theirs too")

    [commit] = between(tree, monkeypatch, theirs).commits
    assert (
        commit.why == f"the commit {tree.git('rev-parse', 'HEAD')[:8]}, which somebody made meanwhile, has it already"
    )
    assert tree.log() == ["init", "theirs", "theirs too"]


def test_a_git_that_never_rests(tree: Ground, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commit_step, "WAIT", 0.1)
    (tree.root / ".git" / "index.lock").write_bytes(b"")
    [commit] = tree.dream().commits
    assert commit.why.startswith("another git is at work there, or one that was killed left ")
    assert tree.now() == (NEW, b"2")
    assert (tree.root / ".git" / "index.lock").read_bytes() == b""  # theirs
    (tree.root / ".git" / "index.lock").unlink()
    assert tree.left() == []


def test_a_git_that_rests_in_time(tree: Ground, monkeypatch: pytest.MonkeyPatch) -> None:
    lock = tree.root / ".git" / "index.lock"
    lock.write_bytes(b"")
    naps = []

    def nap(seconds: float) -> None:
        naps.append(seconds)
        if len(naps) == 3:
            lock.unlink()

    monkeypatch.setattr(commit_step.time, "sleep", nap)
    [commit] = tree.dream().commits
    assert commit.id
    assert len(naps) == 3
    assert tree.status() == "A  other"


def test_something_is_staged_between(tree: Ground, monkeypatch: pytest.MonkeyPatch) -> None:
    """While the index is made, before it is locked: it is made anew, with what was staged."""
    from memcli.storage.git_index import Index

    real, staged = Index.lock, []

    def lock(index: Index) -> bool:
        if not staged:
            (tree.root / "late").write_text("x")
            git(tree.root, "add", "late")
            staged.append(1)
        return real(index)

    monkeypatch.setattr(Index, "lock", lock)
    assert tree.dream().commits[0].id
    assert tree.status() == "A  late\nA  other"


@pytest.mark.parametrize(
    ("stage", "status"),
    [
        (b"# M\n- only staged\n", f"MM {NAME}\nA  other"),
        (OLD, "A  other"),
        (NEW, "A  other"),
    ],
)
def test_what_is_staged_and_nowhere_else_stays(tree: Ground, stage: bytes, status: str) -> None:
    (tree.root / NAME).write_bytes(stage)
    git(tree.root, "add", NAME)
    (tree.root / NAME).write_bytes(OLD)
    assert tree.dream().commits[0].id
    assert tree.status() == status
    if status.startswith("MM"):
        assert tree.git("show", f":{NAME}") == stage.decode().strip()


def test_two_memclis(tree: Ground, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With two state folders, so that they do not wait for each other: the second finds the index locked."""

    def second() -> None:
        os.environ["MEMCLI_STATE_DIR"] = str(tmp_path / "elsewhere")
        store, tree.store = tree.store, state.store(str(tree.root))
        try:
            path = str(tree.root / "new.md")
            with undo.begin(tree.store, "dream") as operation:
                operation.create(path, b"x", root=str(tree.root))
                operation.version(tree.keep, {"new.md": b"x"}, "dream: second", seconds=SECONDS)
                with monkeypatch.context() as patch:
                    patch.setattr(commit_step, "WAIT", 0.1)
                    assert "another git is at work" in operation.commit().commits[0].why
        finally:
            tree.store = store

    assert between(tree, monkeypatch, second).commits[0].id
    assert tree.log() == ["init", BY_HAND, "dream: two facts"]
    assert tree.status() == "A  other\n?? new.md"
    assert tree.left() == []


def test_the_work_tree_is_merged_after_a_kill(tree: Ground) -> None:
    calls = faults.run(tree.dream).calls
    tree.fresh()
    moved = max(place for place, name in enumerate(calls, 1) if name == faults.GIT)
    assert faults.run(tree.dream, faults.KILL, moved).code == -9
    (tree.root / ".git" / "MERGE_HEAD").write_text(tree.git("rev-parse", "HEAD") + "\n")
    tree.next_start()
    [record] = undo.listed(tree.store)
    assert record.commits[0].why == "a merge is under way in it"
    assert tree.now() == (NEW, b"2")
    assert tree.left() == []


def test_committed_upon_after_a_kill(tree: Ground) -> None:
    """Between the kill and the next start somebody commits, on top of ours or in its place."""
    calls = faults.run(tree.dream).calls
    moved = max(place for place, name in enumerate(calls, 1) if name == faults.GIT)
    for at, log in (
        (moved, ["init", "theirs", BY_HAND, "dream: two facts"]),
        (moved + 1, ["init", BY_HAND, "dream: two facts", "theirs"]),
    ):
        tree.fresh()
        assert faults.run(tree.dream, faults.KILL, at).code == -9
        commit_beside(tree, "their.md", b"x", "theirs")
        tree.next_start()
        assert tree.log() == log
        assert undo.listed(tree.store)[0].commits[0].id
        assert tree.left() == []


def test_taken_back_with_its_commit(ground: Ground) -> None:
    """Killed after the commit, and an agent wrote one of the files in the meantime as it was: all of it is old again."""
    calls = faults.run(ground.dream).calls
    ground.fresh()
    first = max(place for place, name in enumerate(calls, 1) if name == "unlink") - 1  # the first part is let go of
    while True:
        assert faults.run(ground.dream, faults.KILL, first).code == -9
        parts = [path for path in ground.root.rglob(".memcli*.part") if ".git" not in path.parts]
        if len(parts) == 1:
            break
        ground.fresh()
        first -= 1
    (ground.root / NAME).write_bytes(OLD)
    with own(ground.store):
        [one] = intents.recover(ground.store)
    assert one.outcome == "dropped"
    assert ground.log() == ([] if ground.bare else ["init"])
    assert ground.now() == (OLD, b"1")
    assert ground.status() == ("" if ground.bare else DIRTY)
    assert ground.left() == []


# ---------------------------------------------------------------- what keeps a commit back


def test_no_repository_at_all(tree: Ground) -> None:
    os.rename(tree.root / ".git", tree.folder / "away")
    record = tree.dream()
    assert [(one.id, one.why) for one in record.commits] == [("", "there is no repository")]
    assert tree.now() == (NEW, b"2")
    assert undo.listed(tree.store) == [record]


def test_a_commit_alone_that_cannot_be_made_is_no_operation(tree: Ground) -> None:
    os.rename(tree.root / ".git", tree.folder / "away")
    with undo.begin(tree.store, "init") as operation:
        operation.version(tree.keep, {NAME: OLD}, "x", seconds=SECONDS)
        record = operation.commit()
    assert record.commits[0].why == "there is no repository"
    assert undo.listed(tree.store) == []


def test_no_git(tree: Ground, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    [commit] = tree.dream().commits
    assert commit.why == "git is not installed"
    assert tree.now() == (NEW, b"2")


def test_a_record_from_before_there_were_commits(ground: Ground) -> None:
    import json

    record = ground.dream()
    path = Path(ground.store.folder, "undo", record.folder, "record.json")
    value = json.loads(path.read_text())
    del value["commits"]
    path.write_text(json.dumps(value))
    assert undo.listed(ground.store) == [record._replace(commits=())]
