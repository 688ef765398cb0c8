"""A repository of somebody else's: every way to make git run something is real, and none of them is run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from support import faults
from support.cli import run, snapshot
from support.repository import commit, git
from support.traps import NAME, TRAPS, Trap, lay, spring

from memcli.storage import state, undo
from memcli.storage.commit_step import Commit
from memcli.storage.git_writing import Keep
from memcli.storage.reaching import Folders
from memcli.storage.versions import read_version

JOURNAL = '{"cursor": 1, "timestamp": "2026-01-01 00:00", "content": "x"}\n'


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A workspace of nanobot's with three commits."""
    folder = tmp_path / "workspace"
    for at, text in enumerate(["# M\n", "# M\n- harbour 港口\n", "# M\n- harbour 港口\n- none\n"]):
        commit(folder, NAME, text, at)
    (folder / "sessions").mkdir()
    (folder / "memory" / "history.jsonl").write_text(JOURNAL)
    (folder / "memory" / ".cursor").write_text("1")
    return folder


COMMANDS: tuple[tuple[str, ...], ...] = (
    ("log",),
    ("log", "MEMORY.md", "--json"),
    ("diff",),
    ("diff", "HEAD~1"),
    ("diff", "HEAD~1", "HEAD"),
    ("diff", "HEAD~2", "HEAD", "--file", "MEMORY.md"),
    ("blame", "MEMORY.md"),
    ("blame", "MEMORY.md", "--at", "HEAD"),
    ("memory", "show", "--at", "HEAD"),
    ("memory", "show", "--at", "2026-01-01"),
    ("memory", "show", "--dream"),
    ("lint",),
    ("verify",),
    ("doctor",),
)


@pytest.mark.parametrize("trap", TRAPS.values(), ids=TRAPS)
def test_no_trap_is_sprung(workspace: Path, tmp_path: Path, trap: Trap) -> None:
    trapped = lay(trap, workspace, tmp_path / "beside")
    assert spring(trap, trapped), "plain git does not fall into it: it proves nothing"
    before = snapshot(workspace)
    done = [run(*command, "-W", workspace).code for command in COMMANDS]
    assert not trapped.mark.exists(), trapped.mark.read_text()
    assert snapshot(workspace) == before
    assert set(done) <= {0, 1, 3}
    assert trapped.lost or done[:3] == [0, 0, 0]


@pytest.mark.parametrize("trap", TRAPS.values(), ids=TRAPS)
def test_no_trap_is_sprung_by_writing(
    workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, trap: Trap
) -> None:
    """Two commits, one of them killed and completed by the next start, and one that is taken back."""
    monkeypatch.setenv("MEMCLI_STATE_DIR", str(tmp_path / "state"))
    trapped = lay(trap, workspace, tmp_path / "beside")
    assert spring(trap, trapped), "plain git does not fall into it: it proves nothing"
    keep, store = Keep(str(workspace), str(workspace)), state.store(str(workspace))
    before = git(workspace, "rev-parse", "HEAD")

    def dream(text: str) -> str:
        path = workspace / NAME
        old = path.read_bytes()
        with undo.begin(store, "dream") as operation:
            operation.rewrite(str(path), read_version(str(path)), text.encode(), root=str(workspace))
            contents = {NAME: text.encode()}
            operation.version(keep, contents, "dream: x", seconds=1767300000.0, hand={NAME: old})
            [commit] = operation.commit().commits
        assert commit.id or "filter" in commit.why, commit.why
        return commit.id

    made = dream("# M\n- one\n")
    calls = faults.run(lambda: dream("# M\n- two\n")).calls
    faults.run(lambda: dream("# M\n- three\n"), faults.KILL, calls.index("exchange") + 2)
    with undo.begin(store, "next"):
        pass
    assert not trapped.mark.exists(), trapped.mark.read_text()
    assert (workspace / NAME).read_text() == "# M\n- three\n"
    if made:
        with Folders() as folders:
            step = Commit(folders, undo.listed(store)[0].commits[0], str(tmp_path / "scratch"))
            assert step.progress() == "after"
            step.revert()
            step.finish()
        assert not trapped.mark.exists(), trapped.mark.read_text()
        assert git(workspace, "rev-list", "--count", f"{before}..HEAD") == "3"


def test_the_commands_do_their_work_among_all_traps_at_once(workspace: Path, tmp_path: Path) -> None:
    for name, trap in TRAPS.items():
        if not name.startswith("fetch"):
            trapped = lay(trap, workspace, tmp_path / "beside")
    assert [row[3] for row in run("log", "-W", workspace).rows] == ["dream: 2", "dream: 1", "dream: 0"]
    assert "+- by hand" in run("diff", "-W", workspace).out
    assert [row[5] for row in run("blame", "MEMORY.md", "-W", workspace).rows][:2] == ["# M", "- harbour 港口"]
    assert "- none" in run("memory", "show", "--at", "HEAD", "-W", workspace).out
    assert not trapped.mark.exists()


def refs(folder: Path) -> None:
    """A name of a branch that looks like an option."""
    head = git(folder, "rev-parse", "HEAD")
    (folder / ".git" / "refs" / "heads" / "--output=trap").write_text(f"{head}\n")


@pytest.mark.parametrize("harm", [refs])
@pytest.mark.parametrize(
    "word", ["--output=trap", "--upload-pack=trap", "-h", "", "HEAD\n--all", "HEAD..HEAD~1", "^HEAD"]
)
def test_an_argument_is_never_an_option(workspace: Path, harm: Callable[[Path], None], word: str) -> None:
    harm(workspace)
    before = snapshot(workspace)
    for command in (("diff", "--", word), ("blame", "MEMORY.md", f"--at={word}"), ("memory", "show", f"--at={word}")):
        ran = (
            run(command[0], "-W", workspace, *command[1:]) if command[0] != "memory" else run(*command, "-W", workspace)
        )
        assert ran.code == 2, (command, ran)
    assert snapshot(workspace) == before
