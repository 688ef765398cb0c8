"""Approving and rejecting: whole, in parts, after the files changed, killed at any call."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from support import dreams, faults
from support.repository import git

from memcli.core import inbox, keeping, landing, proposing, revert_plan, reverting, revisions, stores, tidying
from memcli.core.inbox import EDITS, Decision, Proposal, ProposedEdit
from memcli.core.proposing import Found
from memcli.core.sealing import store
from memcli.errors import AlreadyDecided, RefusedForSafety, UnknownProposal, UsageError
from memcli.model import Item, Source, Workspace
from memcli.storage import git_history, undo

MEMORY = "# M\n\n- Lives in Hangzhou\n- lives in Hangzhou.\n- 喜欢喝茶\n- 用户喜欢喝茶。\n"
BOTH = "# M\n\n- Lives in Hangzhou\n- 喜欢喝茶\n"
NOW = 1_790_000_000.0


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """A workspace of nanobot whose MEMORY.md says two things twice."""
    monkeypatch.setenv("MEMCLI_STATE_DIR", str(tmp_path / "state"))
    made = dreams.nanobot(tmp_path / "bot", [])
    dreams.old(memory_of(made), MEMORY)
    return made


def memory_of(workspace: Workspace) -> Path:
    return Path(workspace.root) / "memory" / "MEMORY.md"


def linted(workspace: Workspace) -> Found:
    [made] = tidying.propose([workspace], "duplicates", seconds=NOW, command=["memcli"])
    assert made.proposal is not None
    return Found(workspace, made.proposal)


def approve(one: Found, *only: str, idle: float = 0.0, allow_loss: bool = False) -> proposing.Decided:
    return proposing.approve(
        one, only, allow_loss=allow_loss, seconds=NOW, command=["memcli"], idle=idle, force_live=False
    )


def again(one: Found) -> Found:
    """The proposal as it is in the inbox now."""
    return proposing.choose(one.proposal.id, [one.workspace])


class TestChoose:
    def test_by_its_id(self, workspace: Workspace) -> None:
        one = linted(workspace)
        assert proposing.choose(" P1 ", [workspace]) == one

    def test_unknown(self, workspace: Workspace) -> None:
        with pytest.raises(UnknownProposal, match="There is no proposal 'p1'; none is open"):
            proposing.choose("p1", [workspace])
        linted(workspace)
        with pytest.raises(UnknownProposal, match="Name the proposal by its id; open are p1"):
            proposing.choose("", [workspace])

    def test_damaged(self, workspace: Workspace) -> None:
        linted(workspace)
        path = Path(store(workspace).folder) / "inbox" / "p1.json"
        path.write_text("[]")
        with pytest.raises(UnknownProposal, match=f"{path} is no proposal that can be read: it is no JSON object"):
            proposing.choose("p1", [workspace])

    def test_of_several_workspaces(self, workspace: Workspace, tmp_path: Path) -> None:
        other = dreams.nanobot(tmp_path / "other", [])
        dreams.old(memory_of(other), MEMORY)
        linted(workspace)
        linted(other)
        with pytest.raises(UsageError, match="Several workspaces have a proposal p1"):
            proposing.choose("p1", [workspace, other])

    @pytest.mark.parametrize(
        ("only", "kind", "said"),
        [
            (["3"], UsageError, "p1 has no item '3'; it has 1, 2"),
            ([" , "], UsageError, "--only needs items of p1: 1, 2"),
            (["2,1"], AlreadyDecided, "Item 1 of p1 was rejected already, then: no"),
        ],
    )
    def test_items(self, workspace: Workspace, only: list[str], kind: type[Exception], said: str) -> None:
        proposal = linted(workspace).proposal
        part = proposal._replace(decisions=(Decision("1", "rejected", "then", "no"),))
        with pytest.raises(kind, match=said):
            proposing.chosen(part, only)
        assert proposing.chosen(part, []) == ["2"]
        assert proposing.chosen(proposal, ["2, 1", "2"]) == ["2", "1"]


class TestEdits:
    def test_all_of_it(self, workspace: Workspace) -> None:
        done = approve(linted(workspace))
        assert memory_of(workspace).read_text() == BOTH
        assert (done.ids, done.after.status) == (["1", "2"], "approved")
        assert {one.operation for one in done.after.decisions} == {done.operation}
        assert again(Found(workspace, done.after)).proposal == done.after
        with pytest.raises(AlreadyDecided, match=r"p1 was approved already, .*; none of its items is open"):
            approve(again(Found(workspace, done.after)))

    def test_the_commit_names_it(self, workspace: Workspace) -> None:
        done = approve(linted(workspace), "2")
        keep = keeping.keep_of(workspace, str(memory_of(workspace)), make=False)
        assert keep is not None
        assert done.landed is not None
        [made] = done.landed.record.commits
        told = git_history.described(keep.folder, [made.id])[made.id]
        assert told.trailers["Memcli-Proposal"] == ["p1 2"]
        assert told.trailers["Memcli-Operation"] == [done.operation]
        assert "lint" in told.subject

    def test_a_part_and_then_the_rest(self, workspace: Workspace) -> None:
        one = linted(workspace)
        first = approve(one, "1")
        assert memory_of(workspace).read_text() == MEMORY.replace("- lives in Hangzhou.\n", "")
        assert (first.after.open, first.after.status) == (["2"], "open")
        rest = approve(again(one))
        assert memory_of(workspace).read_text() == BOTH
        assert (rest.ids, rest.after.status) == (["2"], "approved")

    def test_where_the_old_text_stands(self, workspace: Workspace) -> None:
        one = linted(workspace)
        memory_of(workspace).write_text("# By hand\n\n" + MEMORY + "- more\n")
        approve(one)
        assert memory_of(workspace).read_text() == "# By hand\n\n" + BOTH + "- more\n"

    @pytest.mark.parametrize(
        ("now", "bad", "rest"),
        [
            (
                MEMORY.replace("- Lives in Hangzhou\n", ""),
                "item 1 of it no longer fits",
                " --only 2 lands the others, or",
            ),
            (
                MEMORY.replace("- lives in Hangzhou.\n", ""),
                "item 1 of it no longer fits",
                " --only 2 lands the others, or",
            ),
            (MEMORY + MEMORY, "items 1, 2 of it no longer fit", ""),
            (None, "items 1, 2 of it no longer fit", ""),
        ],
    )
    def test_what_fits_no_more(self, workspace: Workspace, now: str | None, bad: str, rest: str) -> None:
        one, path = linted(workspace), memory_of(workspace)
        if now is None:
            path.unlink()
        else:
            path.write_text(now)
        with pytest.raises(RefusedForSafety) as caught:
            approve(one)
        assert caught.value.sentence == (
            f"{path} changed since p1 was made, and {bad}. Nothing was changed;{rest} 'memcli lint --fix duplicates' proposes "
            "it again."
        )
        assert (path.read_text() if now is not None else None) == now
        assert again(one).proposal.open == ["1", "2"]
        if rest:
            approve(one, "2")
            assert path.read_text().count("喜欢喝茶") == 1

    def test_the_agent_is_at_work(self, workspace: Workspace) -> None:
        one = linted(workspace)
        os.utime(memory_of(workspace))
        with pytest.raises(RefusedForSafety, match="left as it was; try again later, or with --force-live"):
            approve(one, idle=3600)
        assert memory_of(workspace).read_text() == MEMORY

    def test_the_agent_saves_in_between(self, workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
        """Somebody writes between looking and writing: it is looked at anew, and what they wrote stays."""
        one = linted(workspace)
        plain = landing.carry_out
        left = ["- by the agent\n", "- and once more\n"]

        def beside(*words: Any, **more: Any) -> Any:
            if left:
                with memory_of(workspace).open("a") as file:
                    file.write(left.pop(0))
            return plain(*words, **more)

        monkeypatch.setattr(landing, "carry_out", beside)
        approve(one)
        assert memory_of(workspace).read_text() == BOTH + "- by the agent\n- and once more\n"

    def test_another_memcli_was_faster(self, workspace: Workspace) -> None:
        one = linted(workspace)
        proposing.reject(one, ["2"], seconds=NOW, command=["memcli"])
        with pytest.raises(RefusedForSafety, match="was decided on by another memcli meanwhile; nothing was changed"):
            approve(one)
        assert memory_of(workspace).read_text() == MEMORY

    @pytest.mark.parametrize("name", ["../../outside.md", "/etc/hostname", "memory/history.jsonl", "SECRET.md"])
    def test_no_other_file(self, workspace: Workspace, name: str) -> None:
        (Path(workspace.root) / "SECRET.md").write_text("x\n")
        edits = (ProposedEdit("1", name, 0, b"x\n", b"y\n"),)
        one = Found(workspace, proposing.put(workspace, Proposal(EDITS, "consolidate", "t", edits=edits), command=[]))
        with pytest.raises(
            RefusedForSafety, match=r"p1 would change .*, which is no memory file of .*\. Nothing was changed"
        ):
            approve(one)
        assert (Path(workspace.root) / "SECRET.md").read_text() == "x\n"

    def test_the_loss_guard(self, workspace: Workspace) -> None:
        edits = (ProposedEdit("1", "memory/MEMORY.md", 5, MEMORY.encode()[5:], b""),)
        made = Proposal(EDITS, "consolidate", "t", edits=edits)
        one = Found(workspace, proposing.put(workspace, made, command=[]))
        with pytest.raises(RefusedForSafety, match="--allow-loss"):
            approve(one)
        with pytest.raises(RefusedForSafety, match="--allow-loss"):
            proposing.plan(one, seconds=NOW)
        assert proposing.plan(one, allow_loss=True, seconds=NOW).files[0].new == b"# M\n\n"
        approve(one, allow_loss=True)
        assert memory_of(workspace).read_text() == "# M\n\n"

    def test_planning_changes_nothing(self, workspace: Workspace) -> None:
        one = linted(workspace)
        [file] = proposing.plan(one, ["1"], seconds=NOW).files
        assert file.new.decode() == MEMORY.replace("- lives in Hangzhou.\n", "")
        assert memory_of(workspace).read_text() == MEMORY
        assert again(one) == one

    def test_a_condition_alone_changes_nothing(self, workspace: Workspace) -> None:
        edits = (ProposedEdit("1", "memory/MEMORY.md", 0, b"# M\n", b"# M\n"),)
        one = Found(workspace, proposing.put(workspace, Proposal(EDITS, "lint", "t", edits=edits), command=[]))
        done = approve(one)
        assert (done.after.status, memory_of(workspace).read_text()) == ("approved", MEMORY)


class TestUndo:
    def test_without_a_commit_undo_opens_it_again(self, workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
        one = linted(workspace)
        monkeypatch.setenv("PATH", "/nonexistent")  # where there is no git
        done = approve(one)
        assert done.landed is not None
        assert [made.id for made in done.landed.record.commits] in ([], [""])
        undo.undo(store(workspace), done.operation)
        assert memory_of(workspace).read_text() == MEMORY
        assert again(one) == one

    def test_with_one_revert_does(self, workspace: Workspace) -> None:
        one = linted(workspace)
        done = approve(one)
        assert done.landed is not None
        [made] = done.landed.record.commits
        found = revisions.repositories([workspace])
        wish = revert_plan.Wish(made.id)
        back = reverting.carry_out(
            wish, found, revert_plan.plan(wish, found), command=["memcli"], idle=0.0, force_live=False
        )
        assert back.record is not None
        assert memory_of(workspace).read_text() == MEMORY
        assert again(one).proposal.open == ["1", "2"]
        approve(again(one))
        assert memory_of(workspace).read_text() == BOTH

    def test_rejecting_can_be_undone(self, workspace: Workspace) -> None:
        one = linted(workspace)
        done = proposing.reject(one, because="无用", seconds=NOW, command=["memcli"])
        assert (done.ids, done.after.status) == (["1", "2"], "rejected")
        assert [each.because for each in again(one).proposal.decisions] == ["无用", "无用"]
        with pytest.raises(AlreadyDecided, match=r"was rejected already, .*: 无用; none"):
            approve(again(one))
        undo.undo(store(workspace))
        assert again(one) == one


NEW = Item("Uses PostgreSQL 16", "project", "decision", (Source(1, "we use PostgreSQL 16"),), 0.9)
CHINESE = Item("喜欢简短的回答", "user", "preference", (Source(2, "我喜欢简短的回答"),), 0.8)
KNOWN = Item("likes tea", "user", "preference", (Source(3, "I like tea"),), 0.8)
CONFLICT = Item("The API listens on port 9090", "project", "fact", (Source(4, "port 9090"),), 0.8)
SECRET = Item("The password is hunter2-Xy93kQ!", "project", "fact", (Source(5, "password"),), 0.8)


class TestItems:
    @pytest.fixture
    def one(self, workspace: Workspace) -> Found:
        dreams.old(memory_of(workspace), "# M\n\n## Project Context\n\n- The API listens on port 8080\n")
        proposal = inbox.of_items(
            [NEW, CHINESE, KNOWN, CONFLICT, SECRET],
            what="dream",
            seconds=NOW,
            provider="scripted",
            trailers={"Memcli-Source": ("desktop:main 1-4",)},
            about={"said": [{"number": 1, "kind": "session", "name": "desktop:main", "first": 1, "last": 4}]},
        )
        return Found(workspace, proposing.put(workspace, proposal, command=["memcli"]))

    def test_what_can_be_landed_is(self, one: Found) -> None:
        done = approve(one)
        user = (Path(one.workspace.root) / "USER.md").read_text()
        memory = memory_of(one.workspace).read_text()
        assert "喜欢简短的回答" in user
        assert "PostgreSQL" not in user
        assert "Uses PostgreSQL 16" in memory
        assert "简短" not in memory
        assert "9090" not in memory
        assert "hunter2" not in memory + user
        assert user.count("likes tea") == 1
        assert (done.ids, done.after.open) == (["1", "2", "3"], ["4", "5"])
        assert [each.because for each in done.after.decisions] == ["", "", "the memory says it already"]
        assert done.landed is not None
        assert [item for item, *_ in done.landed.landing.conflicts] == [CONFLICT]
        assert [item for item, _ in done.landed.landing.refused] == [SECRET]

    def test_the_commit_has_the_sources(self, one: Found) -> None:
        done = approve(one, "1")
        assert done.landed is not None
        [made] = done.landed.record.commits
        told = git_history.described(made.folder, [made.id])[made.id]
        assert told.trailers["Memcli-Source"] == ["desktop:main 1-4"]
        assert told.trailers["Memcli-Proposal"] == ["p1 1"]
        assert list((Path(store(one.workspace).folder) / "dreams").glob("made-*.json"))

    def test_nothing_can_be_landed(self, one: Found) -> None:
        done = approve(one, "4,5")
        assert (done.ids, done.operation, done.after) == ([], "", one.proposal)
        assert again(one) == one

    def test_a_part(self, one: Found) -> None:
        approve(one, "2")
        assert again(one).proposal.open == ["1", "3", "4", "5"]
        planned = proposing.plan(again(one), seconds=NOW)
        assert [item for file in planned.files for item in file.items] == [NEW]

    def test_of_a_user(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("MEMCLI_STATE_DIR", str(tmp_path / "state"))
        workspace = dreams.cococat(tmp_path / "office", [], {"alice": ["answers"], "bob": ["fish"]})
        proposal = inbox.of_items([CHINESE], what="dream", seconds=NOW, user="alice")
        approve(Found(workspace, proposing.put(workspace, proposal, command=[])))
        texts = {path: path.read_text() for path in (tmp_path / "office").rglob("*.md")}
        assert [path.parent.name for path, text in texts.items() if "简短" in text] == ["alice"]


class Ground:
    """A fresh workspace each time, with a proposal in its inbox."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.number = folder, 0
        self.one = self.fresh()

    def fresh(self) -> Found:
        self.number += 1
        base = self.folder / str(self.number)
        os.environ["MEMCLI_STATE_DIR"] = str(base / "state")
        workspace = dreams.nanobot(base / "bot", [])
        dreams.old(memory_of(workspace), MEMORY)
        git(Path(workspace.root), "init", "-q")
        git(Path(workspace.root), "add", "SOUL.md", "USER.md", "memory/MEMORY.md")
        git(Path(workspace.root), "commit", "-q", "-m", "init: nanobot memory store")
        self.one = linted(workspace)
        return self.one

    def approve(self) -> None:
        approve(self.one)

    def check(self, where: str) -> None:
        """After the next start memory, inbox and commit agree, and the proposal can be approved, once."""
        stores.finish([self.one.workspace])
        with suppress(AlreadyDecided):
            approve(again(self.one))
        path = memory_of(self.one.workspace)
        assert path.read_text() == BOTH, where
        assert again(self.one).proposal.status == "approved", where
        assert git(Path(self.one.workspace.root), "show", "HEAD:memory/MEMORY.md") + "\n" == BOTH, where
        assert git(Path(self.one.workspace.root), "rev-list", "--count", "HEAD") == "2", where
        assert [one for one in path.parent.iterdir() if "memcli" in one.name] == [], where


@pytest.fixture
def ground(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ground:
    monkeypatch.setenv("MEMCLI_STATE_DIR", str(tmp_path))
    faults.quick_disk(monkeypatch)
    return Ground(tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("how", [faults.KILL, faults.TORN, faults.FULL])
def test_killed_at_every_call(ground: Ground, how: str) -> None:
    for where, _ in faults.every(ground.approve, ground.fresh, how):
        ground.check(where)


def test_some_calls(ground: Ground) -> None:
    plain = faults.run(ground.approve)
    assert plain.code == 0, plain.said
    for at in range(1, len(plain.calls), max(1, len(plain.calls) // 9)):
        ground.fresh()
        assert faults.run(ground.approve, faults.KILL, at).fired
        ground.check(f"killed at call {at} ({plain.calls[at - 1]})")
