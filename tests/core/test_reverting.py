"""Reverting: one Dream goes, the others stay; hand edits stay; what cannot be done is told, and then nothing is changed."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support import faults
from support.cli import snapshot
from support.dreamt import CURSOR, FIRST, MEMORY, SECOND, START, USER, Nanobot, catbuddy, land
from support.repository import git

from memcli.core import discovering, journals, positions, revert_plan, reverting, revisions, sealing
from memcli.core.revert_plan import Wish
from memcli.core.reverting import Reverted
from memcli.errors import CannotRead, CannotWrite, MemcliError, NoHistory, NothingToRevert, UnknownRevision, UsageError
from memcli.storage import undo
from memcli.storage.git_writing import BY_HAND

HAND = "\n- 手写的一行\n"
WITHOUT_FIRST = START + "- The harbour crane is painted red\n"


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MEMCLI_STATE_DIR", str(tmp_path / "state"))
    faults.quick_disk(monkeypatch)


@pytest.fixture
def bot(tmp_path: Path) -> Nanobot:
    return Nanobot(tmp_path / "workspace")


def revert(bot: Nanobot, commit: str = "", *, idle: float = 0.0, force_live: bool = False, **wish: Any) -> Reverted:
    wanted = Wish(commit, **wish)
    made = revert_plan.plan(wanted, bot.repositories)
    assert not made.clashes
    return reverting.carry_out(
        wanted, bot.repositories, made, command=["memcli", "revert"], idle=idle, force_live=force_live
    )


def refused(bot: Nanobot, kind: type[MemcliError], phrase: str, *words: str, **wish: Any) -> None:
    before = snapshot(bot.root)
    with pytest.raises(kind, match=phrase):
        revert(bot, *words, **wish)
    assert snapshot(bot.root) == before


class TestOneCommit:
    def test_the_first_of_two_dreams_goes_and_the_second_stays(self, bot: Nanobot) -> None:
        done = revert(bot, bot.first)
        assert bot.read() == bot.held() + "\n" == WITHOUT_FIRST
        assert bot.read(USER) == "# User\n"
        assert bot.log()[0] == f"revert: undo {bot.first[:8]}"
        assert done.commit is not None
        assert done.commit.id == bot.head
        assert git(bot.root, "log", "-1", "--format=%an <%ae>%n%(trailers:only)").splitlines() == [
            "memcli <memcli@localhost>",
            f"Memcli-Reverts: {bot.first}",
            f"Memcli-Operation: {undo.listed(sealing.store(bot.workspace))[0].id}",
        ]
        assert bot.status() == ""
        assert bot.read(CURSOR) == "4"

    def test_the_second_goes_and_the_first_stays(self, bot: Nanobot) -> None:
        revert(bot, bot.second)
        assert bot.read() == FIRST
        assert bot.read(USER) == "# User\n\n- Called Ada\n"

    def test_both_in_either_order(self, bot: Nanobot, tmp_path: Path) -> None:
        other = Nanobot(tmp_path / "other")
        for one, order in ((bot, (bot.first, bot.second)), (other, (other.second, other.first))):
            for commit in order:
                revert(one, commit)
            assert one.read() == START
            assert one.held() + "\n" == START

    def test_edits_by_hand_stay_and_stay_uncommitted(self, bot: Nanobot) -> None:
        bot.write(MEMORY, SECOND.replace("# Long", "# My long") + HAND)
        bot.write("SOUL.md", "mine")
        git(bot.root, "add", "SOUL.md")
        revert(bot, bot.first)
        assert bot.read() == WITHOUT_FIRST.replace("# Long", "# My long") + HAND
        assert bot.held() + "\n" == WITHOUT_FIRST
        assert bot.status() == f"A  SOUL.md\n M {MEMORY}"

    def test_what_was_undone_by_hand_is_only_committed(self, bot: Nanobot) -> None:
        bot.write(MEMORY, WITHOUT_FIRST)
        bot.write(USER, "# User\n")
        before = snapshot(bot.root / "memory")
        revert(bot, bot.first)
        assert snapshot(bot.root / "memory") == before
        assert bot.status() == ""

    def test_a_revert_is_reverted(self, bot: Nanobot) -> None:
        revert(bot, bot.first)
        revert(bot, "HEAD")
        assert bot.read() == SECOND
        assert bot.read(USER) == "# User\n\n- Called Ada\n"
        assert bot.log()[:2] == [
            f"revert: undo {git(bot.root, 'rev-parse', 'HEAD~1')[:8]}",
            f"revert: undo {bot.first[:8]}",
        ]

    def test_the_commit_that_brought_a_file(self, bot: Nanobot) -> None:
        soul = bot.dream({"SOUL.md": "calm\n"})
        revert(bot, soul)
        assert not (bot.root / "SOUL.md").exists()
        assert "SOUL.md" not in git(bot.root, "ls-tree", "-r", "--name-only", "HEAD").split()
        revert(bot, "HEAD")
        assert bot.read("SOUL.md") == "calm\n"

    def test_the_very_first_commit(self, bot: Nanobot) -> None:
        revert(bot, bot.init, file=USER)
        assert bot.read(USER) == "\n- Called Ada\n"
        assert bot.read() == SECOND

    def test_the_commit_that_took_a_file(self, bot: Nanobot) -> None:
        gone = bot.dream({USER: None})
        revert(bot, gone)
        assert bot.read(USER) == "# User\n\n- Called Ada\n"

    def test_one_file_of_it(self, bot: Nanobot) -> None:
        revert(bot, bot.first, file="USER.md")
        assert bot.read(USER) == "# User\n"
        assert bot.read() == SECOND

    def test_a_merge_is_what_it_brought_to_its_first_parent(self, bot: Nanobot) -> None:
        git(bot.root, "checkout", "-q", "-b", "side")
        bot.dream({MEMORY: SECOND.replace("# Long", "# Very long")})
        git(bot.root, "checkout", "-q", "main")
        bot.dream({MEMORY: SECOND + "- one more\n"})
        git(bot.root, "merge", "-q", "--no-edit", "side")
        revert(bot, "HEAD")
        assert bot.read() == SECOND + "- one more\n"

    def test_ends_of_lines_of_a_checkout(self, bot: Nanobot) -> None:
        bot.write(MEMORY, SECOND.replace("\n", "\r\n").encode())
        git(bot.root, "config", "core.autocrlf", "true")
        revert(bot, bot.first)
        assert bot.read() == WITHOUT_FIRST.replace("\n", "\r\n")
        assert "\r" not in bot.held()

    def test_bytes_that_are_no_text(self, bot: Nanobot) -> None:
        bot.dream({MEMORY: b"\xff\xfe\n"})
        odd = bot.dream({MEMORY: b"\xff\xfe\n\x00\xe9\n"})
        bot.dream({MEMORY: b"\xff\xfe\n\x00\xe9\n\xe9 end"})
        revert(bot, odd)
        assert (bot.root / MEMORY).read_bytes() == b"\xff\xfe\n\xe9 end"

    def test_the_id_as_older_agents_printed_it(self, bot: Nanobot) -> None:
        revert(bot, bot.first[:8].encode().hex())
        assert bot.read() == WITHOUT_FIRST

    def test_nothing_is_asked_of_whoever_runs_it(self, bot: Nanobot, monkeypatch: pytest.MonkeyPatch) -> None:
        """No identity anywhere, and variables that lead astray."""
        for name in ("GIT_DIR", "GIT_INDEX_FILE", "GIT_AUTHOR_NAME", "GIT_COMMITTER_EMAIL"):
            monkeypatch.setenv(name, "/nowhere")
        git(bot.root, "config", "user.useConfigOnly", "true")
        git(bot.root, "config", "commit.gpgSign", "true")
        made = revert(bot, bot.first)
        monkeypatch.undo()
        assert made.commit is not None
        assert made.commit.id == bot.head


class TestStepByStep:
    """What the commits in between tell: a line went, and another one came in its place later."""

    def test_all_of_it_went(self, bot: Nanobot) -> None:
        bot.dream({MEMORY: FIRST})
        bot.dream({MEMORY: FIRST + "- third\n"})
        refused(bot, NothingToRevert, f"Nothing of {bot.second[:8]}", bot.second)

    def test_a_part_of_it_went(self, bot: Nanobot) -> None:
        commit = bot.dream({MEMORY: SECOND + "- x\n- y\n"})
        bot.dream({MEMORY: SECOND + "- x\n"})
        bot.dream({MEMORY: SECOND + "- x\n- z\n"})
        bot.write(MEMORY, bot.read() + HAND)
        revert(bot, commit)
        assert bot.held() + "\n" == SECOND + "- z\n"
        assert bot.read() == SECOND + "- z\n" + HAND


class TestConflicts:
    def clashes(self, bot: Nanobot, commit: str) -> list[tuple[str, bool, int]]:
        before = snapshot(bot.root)
        made = revert_plan.plan(Wish(commit), bot.repositories)
        assert snapshot(bot.root) == before
        return [(clash.file.name, clash.committed, clash.conflict.line) for clash in made.clashes]

    def test_an_edit_on_disk(self, bot: Nanobot) -> None:
        bot.write(MEMORY, SECOND.replace("5432", "6543"))
        assert self.clashes(bot, bot.first) == [(MEMORY, False, 6)]

    def test_an_edit_in_a_commit(self, bot: Nanobot) -> None:
        bot.dream({MEMORY: SECOND.replace("5432", "6543")})
        assert self.clashes(bot, bot.first) == [(MEMORY, False, 6)]

    def test_an_edit_in_a_commit_alone(self, bot: Nanobot) -> None:
        bot.dream({MEMORY: SECOND.replace("5432", "6543")})
        bot.write(MEMORY, SECOND)
        assert self.clashes(bot, bot.first) == [(MEMORY, True, 6)]

    def test_a_file_that_is_gone(self, bot: Nanobot) -> None:
        changed = bot.dream({USER: "# User\n\n- Called Bob\n"})
        bot.write(USER, None)
        assert self.clashes(bot, changed) == [(USER, False, 1)]


class TestWhich:
    def chosen(self, bot: Nanobot, **wish: Any) -> str:
        return revert_plan.plan(Wish(**wish), bot.repositories).target.commit.id

    def test_the_newest_dream_that_changed_memory(self, bot: Nanobot) -> None:
        bot.dream({}, 5)
        bot.dream({MEMORY: SECOND + "- by hand\n"}, message="my own words")
        assert self.chosen(bot) == bot.second
        assert self.chosen(bot, file=USER) == bot.first

    def test_one_that_was_reverted_is_left_out(self, bot: Nanobot) -> None:
        revert(bot)
        assert self.chosen(bot) == bot.first
        revert(bot)
        with pytest.raises(NothingToRevert, match="No Dream"):
            self.chosen(bot)

    def test_until_that_is_reverted(self, bot: Nanobot) -> None:
        revert(bot)
        revert(bot, "HEAD")
        assert self.chosen(bot) == bot.second

    def test_the_agents_own_revert_takes_back_all_that_came_later(self, bot: Nanobot) -> None:
        third = bot.dream({MEMORY: SECOND + "- third\n"}, 5)
        bot.dream({MEMORY: FIRST}, 2, f"revert: undo {bot.second[:8]}")
        assert self.chosen(bot) == bot.first
        with pytest.raises(NothingToRevert, match=f"Nothing of {third[:8]}"):
            self.chosen(bot, commit=third)

    def test_what_a_state_took_back(self, bot: Nanobot) -> None:
        bot.dream({MEMORY: SECOND + "- third\n"}, 5)
        revert(bot, to=bot.first)
        assert self.chosen(bot) == bot.first
        revert(bot, "HEAD")
        assert bot.read() == SECOND + "- third\n"

    def test_an_agents_revert_of_nothing_that_is_known(self, bot: Nanobot) -> None:
        bot.dream({}, 2, "revert: undo 00000000")
        assert self.chosen(bot) == bot.second

    def test_among_a_hundred_other_commits(self, bot: Nanobot) -> None:
        for number in range(70):
            bot.dream({}, message=f"by hand {number}")
        assert self.chosen(bot) == bot.second

    @pytest.mark.parametrize("commit", ["nothing", "HEAD~9", "", " "])
    def test_unknown(self, bot: Nanobot, commit: str) -> None:
        refused(bot, UnknownRevision, "no commit", **({"commit": commit} if commit.strip() else {"commit": "^HEAD"}))

    def test_of_another_branch(self, bot: Nanobot) -> None:
        git(bot.root, "reset", "-q", "--hard", bot.first)
        refused(bot, UsageError, rf"revert --to {bot.second[:8]}' brings its state back", bot.second)
        revert(bot, to=bot.second)
        assert bot.read() == SECOND

    def test_no_memory_in_it(self, bot: Nanobot) -> None:
        commit = bot.dream({}, 5)
        refused(bot, NothingToRevert, r"changed no memory file \(.*/memory/.dream_cursor\)", commit)
        refused(bot, NothingToRevert, "did not change .*USER.md", bot.second, file=USER)

    def test_no_memory_file(self, bot: Nanobot) -> None:
        refused(bot, UsageError, "only these are reverted", bot.second, file=str(bot.root / "memory" / "history.jsonl"))

    def test_not_any_more(self, bot: Nanobot) -> None:
        bot.dream({MEMORY: START, USER: "# User\n"})
        refused(bot, NothingToRevert, f"Nothing of {bot.first[:8]} is in .*MEMORY.md.* any more", bot.first)

    def test_a_clone_that_begins_with_it(self, bot: Nanobot, tmp_path: Path) -> None:
        clone = tmp_path / "clone"
        git(tmp_path, "clone", "-q", "--depth", "1", f"file://{bot.root}", str(clone))
        shutil.copytree(bot.root / "sessions", clone / "sessions")
        shutil.copy(bot.root / "memory" / "history.jsonl", clone / "memory")
        bot.root = clone
        refused(bot, CannotRead, "shallow clone that begins with", "HEAD")


class TestToAState:
    def test_all_files_as_a_new_commit(self, bot: Nanobot) -> None:
        third = bot.dream({"SOUL.md": "calm\n"})
        revert(bot, to=bot.init)
        assert (bot.read(), bot.read(USER)) == (START, "# User\n")
        assert not (bot.root / "SOUL.md").exists()
        assert bot.log()[0] == f"memcli revert: back to {bot.init[:8]}"
        assert bot.status() == ""
        assert f"Memcli-Restores: {bot.init}" in git(bot.root, "log", "-1", "--format=%B")
        revert(bot, to=third)
        assert (bot.read(), bot.read("SOUL.md")) == (SECOND, "calm\n")

    def test_what_was_edited_by_hand_is_committed_first(self, bot: Nanobot) -> None:
        bot.write(MEMORY, SECOND + HAND)
        bot.write("SOUL.md", "never committed\n")
        revert(bot, to=bot.first)
        assert bot.read() == FIRST
        assert bot.log()[1] == BY_HAND
        assert bot.held(commit="HEAD~1") + "\n" == SECOND + HAND
        assert bot.read("SOUL.md") == "never committed\n"
        assert bot.status() == ""
        revert(bot, "HEAD")
        assert bot.read() == SECOND + HAND

    def test_also_where_the_last_commit_is_that_state(self, bot: Nanobot) -> None:
        bot.write(MEMORY, SECOND + HAND)
        revert(bot, to="HEAD")
        assert bot.read() == SECOND
        assert bot.held(commit="HEAD~1") + "\n" == SECOND + HAND
        assert bot.held() + "\n" == SECOND
        assert bot.status() == ""

    def test_one_file(self, bot: Nanobot) -> None:
        revert(bot, to=bot.init, file="MEMORY.md")
        assert (bot.read(), bot.read(USER)) == (START, "# User\n\n- Called Ada\n")

    def test_as_it_is(self, bot: Nanobot) -> None:
        refused(bot, NothingToRevert, "is as it was in", to="HEAD")

    def test_ends_of_lines_of_a_checkout(self, bot: Nanobot) -> None:
        git(bot.root, "config", "core.autocrlf", "true")
        bot.write(MEMORY, SECOND.replace("\n", "\r\n").encode())
        revert(bot, to=bot.first)
        assert bot.read() == FIRST.replace("\n", "\r\n")
        assert bot.log()[0].startswith("memcli revert")
        assert BY_HAND not in bot.log()


class TestPosition:
    def sentence(self, bot: Nanobot, **wish: Any) -> str:
        made = revert_plan.plan(Wish(rewind=True, **wish), bot.repositories)
        assert made.rewind is not None
        return made.rewind.sentence

    def test_goes_back_with_it(self, bot: Nanobot) -> None:
        assert self.sentence(bot, commit=bot.second).endswith("back from 4 to 2: entries 3 to 4 will be dreamt again.")
        revert(bot, bot.second, rewind=True)
        assert (bot.read(), bot.read(CURSOR), bot.held(CURSOR)) == (FIRST, "2", "2")
        assert bot.status() == ""
        assert "Memcli-Cursor: 4..2 memory/history.jsonl" in git(bot.root, "log", "-1", "--format=%B")

    def test_and_comes_again(self, bot: Nanobot) -> None:
        revert(bot, bot.second, rewind=True)
        assert self.sentence(bot, commit="HEAD").endswith("goes from 2 to 4.")
        revert(bot, "HEAD", rewind=True)
        assert (bot.read(), bot.read(CURSOR)) == (SECOND, "4")

    def test_one_that_is_in_no_commit(self, tmp_path: Path) -> None:
        bot = Nanobot(tmp_path / "workspace", tracked=False)
        refused(bot, UsageError, "does not say that it moved", bot.second, rewind=True)
        commit = bot.dream(
            {MEMORY: SECOND + "- x\n"}, 5, "dream: memcli, 1 item\n\nMemcli-Cursor: 4..5 memory/history.jsonl"
        )
        revert(bot, commit, rewind=True)
        assert (bot.read(), bot.read(CURSOR)) == (SECOND, "4")
        assert CURSOR not in git(bot.root, "ls-tree", "-r", "--name-only", "HEAD").split()

    def test_not_below_later_dreams(self, bot: Nanobot) -> None:
        refused(
            bot,
            UsageError,
            "at 2, and entries 3 to 4 were dreamt since; entries 1 to 4 would be dreamt again.* Nothing was changed",
            bot.first,
            rewind=True,
        )

    def test_not_when_it_was_set_since(self, bot: Nanobot) -> None:
        bot.write(CURSOR, "3")
        refused(bot, UsageError, "at 4, and it is 3 now; entries 3 to 3 would", bot.second, rewind=True)
        bot.write(CURSOR, "1")
        refused(bot, UsageError, "at 4, and it is 1 now[.]", bot.second, rewind=True)

    def test_not_forward(self, bot: Nanobot) -> None:
        odd = bot.dream({MEMORY: SECOND + "- x\n"}, 1)
        refused(bot, UsageError, "is 1, and 4 would skip the entries between", odd, rewind=True)

    def test_not_where_another_program_keeps_it(self, bot: Nanobot) -> None:
        bot.write(CURSOR, "2026-05-06T10:00:00")
        refused(bot, UsageError, "no position of this agent", bot.second, rewind=True)

    def test_not_of_what_read_sessions(self, bot: Nanobot) -> None:
        said = "dream: memcli, 1 item\n\nMemcli-Cursor: 2 sessions sessions"
        commit = bot.dream({MEMORY: SECOND + "- x\n"}, message=said)
        refused(bot, UsageError, "noted row by row", commit, rewind=True)

    def test_to_that_of_a_state(self, bot: Nanobot) -> None:
        assert self.sentence(bot, to=bot.first).endswith("back from 4 to 2: entries 3 to 4 will be dreamt again.")
        revert(bot, to=bot.first, rewind=True)
        assert (bot.read(), bot.read(CURSOR), bot.held(CURSOR)) == (FIRST, "2", "2")
        refused(bot, UsageError, "nothing says what Dream's position was", to=bot.init, rewind=True)

    def test_to_that_of_a_state_which_is_told_by_an_older_commit(self, tmp_path: Path) -> None:
        bot = Nanobot(tmp_path / "workspace", tracked=False)
        bot.dream({MEMORY: SECOND + "- x\n"}, 5, "dream: memcli, 1 item\n\nMemcli-Cursor: 4..5 memory/history.jsonl")
        state = bot.dream({USER: "# User\n"}, message="by hand")
        bot.dream({MEMORY: SECOND}, 6)
        assert self.sentence(bot, to=state).endswith("goes back from 6 to 5: entry 6 will be dreamt again.")

    def test_it_is_there_already(self, bot: Nanobot) -> None:
        bot.write(CURSOR, "2")
        assert self.sentence(bot, to=bot.first).endswith("is 2 already.")
        revert(bot, to=bot.first, rewind=True)
        assert (bot.read(), bot.read(CURSOR), bot.held(CURSOR)) == (FIRST, "2", "4")


class Own:
    """A workspace of catbuddy's, whose repository is memcli's."""

    def __init__(self, root: Path) -> None:
        self.workspace = catbuddy(root)
        self.path = Path(self.workspace.memory[0]) / "MEMORY.md"
        [self.journal] = journals.find([self.workspace])

    def land(self, text: str, moved: str = "", seconds: float = 1767300000.0) -> str:
        """A Dream of memcli's; its commit."""
        moved = moved and f"{moved} {self.journal.label or self.journal.shown}"
        return land(self.workspace, text, cursor=moved, seconds=seconds).record.commits[0].id

    def revert(self, commit: str = "", *, rewind: bool = False) -> Reverted:
        wish, found = Wish(commit, rewind=rewind), revisions.repositories([self.workspace])
        made = revert_plan.plan(wish, found)
        return reverting.carry_out(wish, found, made, command=["memcli"], idle=0.0, force_live=False)


class TestMemclisOwn:
    @pytest.fixture
    def own(self, tmp_path: Path) -> Own:
        return Own(tmp_path / "home")

    def test_one_of_two(self, own: Own) -> None:
        own.path.write_text("# 记忆\n")
        first, second = own.land("Falcon uses PostgreSQL", seconds=1767200000.0), own.land("The crane is red")
        own.path.write_text(own.path.read_text() + "- mine\n")
        done = own.revert(first)
        text = own.path.read_text()
        assert "PostgreSQL" not in text
        assert text.startswith("# 记忆\n")
        assert text.endswith("- The crane is red\n- mine\n")
        assert done.commit is not None
        assert done.commit.message.startswith(f"memcli revert: undo {first[:8]}\n\n")
        name = done.plan.changes[0].file.name
        assert "- mine" not in git(Path(done.plan.repository.folder), "show", f"HEAD:{name}")
        assert own.revert().plan.target.commit.id == second

    def test_its_own_position(self, own: Own) -> None:
        positions.put(positions.state(own.journal), 3, command=["memcli"], idle=0.0, force_live=False)
        own.land("The crane is red", "1..3")
        own.revert(rewind=True)
        assert positions.position(own.journal)[0].used == 1
        own.revert("HEAD", rewind=True)
        assert positions.position(own.journal)[0].used == 3

    def test_the_file_that_it_made(self, own: Own) -> None:
        own.land("The crane is red")
        text = own.path.read_text()
        for there in (False, True):
            own.revert("HEAD")
            assert own.path.exists() == there
        assert own.path.read_text() == text


def test_cococat_keeps_records_that_came_later(tmp_path: Path) -> None:
    """Its own revert drops them from the journal and cannot get them back; the time of its position file is Dream's clock."""
    folder = tmp_path / "agents" / "leader" / "memory"
    folder.mkdir(parents=True)
    record = {"prompt": "x", "response_summary": "", "iterations": 1, "timestamp": "2026-05-06T10:00:00"}
    line = json.dumps(record) + "\n"
    texts = ["# Leader Memory\n", "# Leader Memory\n\n### 2026-05-06 Dream Consolidation\n- 决定用 PostgreSQL\n"]
    git(folder, "init", "-q")
    for count, text in enumerate(texts, 1):
        (folder / "MEMORY.md").write_text(text)
        (folder / "history.jsonl").write_text(line * count)
        (folder / ".dream_cursor").write_text(str(count))
        git(folder, "add", "-A")
        git(folder, "commit", "-q", "-m", f"dream: 2026-05-06 10:0{count}:00", at=count)
    (folder / "history.jsonl").write_text(line * 3)
    os.utime(folder / ".dream_cursor", (1767000000, 1767000000))
    found = revisions.repositories(discovering.find([str(tmp_path)], "cococat"))
    wish = Wish(rewind=True)
    made = revert_plan.plan(wish, found)
    assert made.rewind is not None
    assert made.rewind.sentence.endswith("goes back from 2 to 1: entry 2 will be dreamt again.")
    reverting.carry_out(wish, found, made, command=["memcli"], idle=0.0, force_live=False)
    assert (folder / "MEMORY.md").read_text() == texts[0]
    assert (folder / "history.jsonl").read_text() == line * 3
    assert (folder / ".dream_cursor").read_text() == "1"
    assert (folder / ".dream_cursor").stat().st_mtime == 1767000000
    assert git(folder, "log", "--format=%s").splitlines()[0].startswith("memcli revert: undo ")
    assert git(folder, "status", "--porcelain") == "M history.jsonl"


def _lock(bot: Nanobot) -> None:
    (bot.root / ".git" / "index.lock").touch()


def _detach(bot: Nanobot) -> None:
    git(bot.root, "checkout", "-q", "--detach")


def _merge(bot: Nanobot) -> None:
    (bot.root / ".git" / "MERGE_HEAD").write_text(bot.first + "\n")


def _nested(bot: Nanobot) -> None:
    git(bot.root / "memory", "init", "-q")


def _filter(bot: Nanobot) -> None:
    (bot.root / ".git" / "info").mkdir(exist_ok=True)
    (bot.root / ".git" / "info" / "attributes").write_text("*.md filter=lfs\n")


def _lose(name: str) -> Callable[[Nanobot], None]:
    def lose(bot: Nanobot) -> None:
        id = git(bot.root, "rev-parse", name)
        (bot.root / ".git" / "objects" / id[:2] / id[2:]).unlink()

    return lose


STATES = {
    "index.lock": (_lock, CannotWrite, r"index.lock[.] Nothing was changed[.]$"),
    "detached": (_detach, CannotWrite, "detached HEAD"),
    "a merge": (_merge, CannotWrite, "a merge is under way"),
    "nested": (
        _nested,
        CannotWrite,
        "changed .*memory/MEMORY.md as well, which lies in a repository of its own by now",
    ),
    "a filter": (_filter, CannotWrite, "goes through the filter 'lfs'"),
    "a lost blob": (_lose(f"HEAD:{MEMORY}"), CannotRead, "lost or damaged"),
    "a lost commit": (_lose("HEAD"), CannotRead, "lost or damaged|cannot be read"),
    "a lost tree": (_lose("HEAD^{tree}"), CannotRead, "cannot be read"),
}


@pytest.mark.parametrize("case", STATES)
def test_what_no_commit_can_be_made_in(bot: Nanobot, case: str) -> None:
    spoil, kind, phrase = STATES[case]
    spoil(bot)
    refused(bot, kind, phrase, bot.first)


def test_no_commit_yet(bot: Nanobot) -> None:
    shutil.rmtree(bot.root / ".git")
    git(bot.root, "init", "-q")
    for wish in ({}, {"commit": "HEAD"}, {"to": "HEAD"}):
        refused(bot, NoHistory, "There is no commit in .* yet", **wish)


def test_somebody_elses_project(bot: Nanobot, tmp_path: Path) -> None:
    project = tmp_path / "project"
    shutil.copytree(bot.root, project / "bot", ignore=shutil.ignore_patterns(".git"))
    git(project, "init", "-q")
    git(project, "add", "-A")
    git(project, "commit", "-q", "-m", "dream: all of it")
    bot.root = project / "bot"
    refused(bot, CannotWrite, "which is not the agent's own", "HEAD")
    assert git(project, "log", "--format=%s") == "dream: all of it"


class TestOthersAtWork:
    def test_the_agent_is(self, bot: Nanobot) -> None:
        os.utime(bot.root / MEMORY)
        before = snapshot(bot.root)
        done = revert(bot, bot.first, idle=60.0)
        assert done.record is done.commit is None
        assert any("try again later" in sentence for sentence in done.refused)
        assert snapshot(bot.root) == before
        assert revert(bot, bot.first, idle=60.0, force_live=True).commit

    def test_what_was_written_meanwhile_is_looked_at_anew(self, bot: Nanobot) -> None:
        wish = Wish()
        made = revert_plan.plan(wish, bot.repositories)
        bot.write(MEMORY, SECOND + HAND)
        done = reverting.carry_out(wish, bot.repositories, made, command=["memcli"], idle=0.0, force_live=False)
        assert done.plan.target.commit.id == bot.second
        assert bot.read() == FIRST + HAND

    def test_so_is_what_was_committed(self, bot: Nanobot) -> None:
        for wish in (Wish(), Wish(to=bot.first)):
            made = revert_plan.plan(wish, bot.repositories)
            bot.dream({MEMORY: bot.read() + "- third\n"})
            reverting.carry_out(wish, bot.repositories, made, command=["memcli"], idle=0.0, force_live=False)
            assert bot.read() == FIRST + ("" if wish.to else "- third\n")
            assert bot.status() == ""

    def test_a_conflict_that_came_meanwhile(self, bot: Nanobot) -> None:
        wish = Wish(bot.first)
        made = revert_plan.plan(wish, bot.repositories)
        bot.write(MEMORY, SECOND.replace("5432", "1"))
        before = snapshot(bot.root)
        done = reverting.carry_out(wish, bot.repositories, made, command=["memcli"], idle=0.0, force_live=False)
        assert [clash.file.name for clash in done.plan.clashes] == [MEMORY]
        assert snapshot(bot.root) == before

    def test_a_dream_at_the_same_time(self, bot: Nanobot) -> None:
        """Whichever comes first, both are done."""
        facts = [
            "Tea is served at noon",
            "Our lighthouse is green",
            "仓库在港口旁边",
            "Backups run every night",
            "Lin leads it",
        ]
        for number, fact in enumerate(facts):
            commit = bot.dream({MEMORY: bot.read() + f"- line {number}\n"})
            child = faults.fork()
            if not child:
                code = 1
                try:
                    land(bot.workspace, fact)
                    code = 0
                finally:
                    os._exit(code)
            revert(bot, commit)
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
            assert fact in bot.read()
            assert f"- line {number}\n" not in bot.read()
            assert bot.held() + "\n" == bot.read()
            assert bot.status() == ""
