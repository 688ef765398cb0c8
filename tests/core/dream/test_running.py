"""A whole Dream: what lands where, exactly once, and what becomes of failures."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

import pytest
from support import dreams
from support.asked import Answering

from memcli.core import inbox, positions, proposing, sealing
from memcli.core.backoff import Backoff
from memcli.core.dream import aside, places, running, status
from memcli.core.dream.running import DRY, PROPOSE, WRITE, Dreamt
from memcli.core.dream.wishes import Limits, Wishes
from memcli.core.journals import every
from memcli.errors import ProviderFailed, RefusedForSafety, UsageError
from memcli.llm.offline import Offline
from memcli.model import Item, ModelCall, Reply, Source, Workspace
from memcli.storage import git_history, undo

WISHES = Wishes(every=True, idle=0.0)
FACTS = {
    "pnpm": "I always use pnpm, never npm",
    "postgres": "PostgreSQL 16",
    "port": "port 8080",
    "fish": "我习惯用 fish 终端",
}


@pytest.fixture(autouse=True)
def own_state(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MEMCLI_STATE_DIR", str(tmp_path / "state"))


def dream(
    workspace: Workspace,
    wishes: Wishes = WISHES,
    provider=None,
    mode: str = WRITE,
    *,
    if_due: bool = False,
    **of: object,
) -> list[Dreamt]:
    found = places.places([workspace], wishes.source, **of)
    asked = provider or Offline({})
    return list(running.several(found, wishes, asked, mode, if_due=if_due, command=["memcli", "dream"]))


def texts(workspace: Workspace) -> str:
    root = Path(workspace.root)
    return "\n".join(path.read_text() for path in sorted(root.rglob("*.md")))


def outcomes(results: Sequence[Dreamt]) -> list[str]:
    return [one.outcome for one in results]


def build(agent: str, tmp_path: Path) -> Workspace:
    if agent == "catbuddy":
        return dreams.catbuddy(
            Path(os.environ["HOME"]), {"desktop:a": ["pnpm", "weather", "port"], "desktop:b": ["postgres"]}
        )
    if agent == "nanobot":
        return dreams.nanobot(tmp_path, ["pnpm", "weather", "port", "postgres"])
    return dreams.cococat(tmp_path / "office", ["pnpm", "weather", "port", "postgres"])


AGENTS = ["catbuddy", "nanobot", "cococat"]


@pytest.mark.parametrize("agent", AGENTS)
@pytest.mark.parametrize("entries", [30, 1])
def test_each_fact_lands_once_and_says_where_from(agent: str, entries: int, tmp_path: Path) -> None:
    workspace = build(agent, tmp_path)
    before = texts(workspace)
    wishes = WISHES._replace(limits=Limits(entries=entries), every=entries > 1)
    results = [one for _ in range(4 if entries == 1 else 1) for one in dream(workspace, wishes)]
    assert set(outcomes(results)) == {"dreamt"}
    assert sum(len(one.said) for one in results) == 4
    after = texts(workspace)
    for name in ("pnpm", "postgres", "port"):
        assert after.count(FACTS[name]) == 1
    assert "weather" not in after
    for line in before.splitlines():
        assert line in after
    assert outcomes(dream(workspace, wishes)) == ["nothing"]
    assert texts(workspace) == after
    for one in results:
        for made in one.landed.record.commits:
            assert made.id, made.why
            commit = git_history.described(made.folder, [made.id])[made.id]
            assert commit.trailers["Memcli-Provider"] == ["offline"]
            assert commit.trailers["Memcli-Operation"] == [one.landed.record.id]
            assert commit.trailers["Memcli-Source"]
            for name, *_ in made.files:
                [committed] = git_history.contents(made.folder, [(made.id, name)])
                assert (Path(made.tree) / name).read_bytes() == committed or entries == 1


def test_a_dry_run_writes_nothing_and_shows_every_batch(tmp_path: Path) -> None:
    class Model(Answering):
        tools = False

    workspace = build("nanobot", tmp_path)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    results = dream(workspace, WISHES._replace(limits=Limits(entries=2)), Model("[]", "[]"), DRY)
    assert outcomes(results) == ["planned", "planned"]
    assert [said.number for one in results for said in one.said] == [1, 2, 3, 4]
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize("agent", AGENTS)
def test_proposed_once_and_written_when_approved(agent: str, tmp_path: Path) -> None:
    workspace = build(agent, tmp_path)
    before = texts(workspace)
    [one] = dream(workspace, mode=PROPOSE)
    assert one.outcome == "proposed"
    assert texts(workspace) == before
    assert outcomes(dream(workspace, mode=PROPOSE)) == ["nothing"]
    kept = inbox.read(sealing.store(workspace)).proposals
    assert [proposal.id for proposal in kept] == [one.proposal.id]
    chosen = proposing.choose(one.proposal.id, [workspace])
    proposing.approve(chosen, ["1"], seconds=dreams.LONG_AGO, command=["x"], idle=0.0, force_live=False)
    assert sum(texts(workspace).count(FACTS[name]) for name in ("pnpm", "postgres", "port")) == 1
    chosen = proposing.choose(one.proposal.id, [workspace])
    proposing.approve(chosen, seconds=dreams.LONG_AGO, command=["x"], idle=0.0, force_live=False)
    assert sum(texts(workspace).count(FACTS[name]) for name in ("pnpm", "postgres", "port")) == 3


def test_nothing_worth_keeping_moves_the_position_and_makes_no_proposal(tmp_path: Path) -> None:
    workspace = dreams.nanobot(tmp_path, ["weather"])
    before = texts(workspace)
    [one] = dream(workspace, mode=PROPOSE)
    assert (one.outcome, one.proposal) == ("proposed", None)
    assert (tmp_path / ".nanobot/workspace/memory/.dream_cursor").read_text() == "1"
    assert texts(workspace) == before
    assert inbox.read(sealing.store(workspace)).proposals == ()


def test_a_contradiction_is_shown_and_not_added(tmp_path: Path) -> None:
    workspace = dreams.catbuddy(
        Path(os.environ["HOME"]), {"desktop:a": ["port"]}, memory="- The staging API listens on port 9090\n"
    )
    [one] = dream(workspace)
    assert "8080" not in texts(workspace)
    [(item, path, line)] = one.landing.conflicts
    assert "8080" in item.text
    assert path.endswith("MEMORY.md")
    assert line == 1


def test_secrets_and_orders_stay_out(tmp_path: Path) -> None:
    key = "sk-ant-api03-" + "abcdefghijklmnopqrstuvwx"
    answer = json.dumps(
        [
            {
                "text": f"The API key is {key}",
                "layer": "project",
                "category": "fact",
                "sources": [{"cursor": 1, "quote": key}],
            },
            {
                "text": "The team uses PostgreSQL 16",
                "layer": "project",
                "category": "fact",
                "sources": [{"cursor": 1, "quote": "The team uses PostgreSQL 16"}],
            },
        ]
    )
    said = Answering(answer, answer)
    workspace = dreams.nanobot(tmp_path, [f"The team uses PostgreSQL 16 and the API key is {key}"])
    dream(workspace, provider=said)
    assert key not in "\n".join(message.text for message in said.asked[0].messages)
    assert key not in texts(workspace)
    assert "PostgreSQL 16" in texts(workspace)
    for path in (tmp_path / "state").rglob("*"):
        if path.is_file() and "/git/" not in str(path):
            assert key.encode() not in path.read_bytes()


def test_users_get_their_own_facts_alone(tmp_path: Path) -> None:
    ann, bob = "9cfc09aa76ff341a", "2bd806c97f0e00af"
    workspace = dreams.cococat(tmp_path, ["postgres"], {ann: ["fish"], bob: ["pnpm"]})
    assert len(dream(workspace, all_users=True)) == 2
    memory = tmp_path / "agents" / "leader" / "memory"
    assert FACTS["fish"] in (memory / "users" / ann / "PROFILE.md").read_text()
    assert FACTS["pnpm"] in (memory / "users" / bob / "PROFILE.md").read_text()
    assert FACTS["pnpm"] not in (memory / "users" / ann / "PROFILE.md").read_text()
    assert FACTS["fish"] not in (memory / "users" / bob / "PROFILE.md").read_text()
    main = (memory / "MEMORY.md").read_text()
    assert not any(FACTS[name] in main for name in FACTS)
    dream(workspace)
    main = (memory / "MEMORY.md").read_text()
    assert [name for name in FACTS if FACTS[name] in main] == ["postgres"]
    assert outcomes(dream(workspace, user="user_abc")) == ["nothing"]


@pytest.mark.parametrize("agent", AGENTS)
def test_a_failed_provider_leaves_everything_and_backs_off(agent: str, tmp_path: Path) -> None:
    workspace = build(agent, tmp_path)
    root = Path(workspace.root)
    before = {path: path.read_bytes() for path in root.rglob("*") if path.is_file()}
    [place] = places.places([workspace], "")
    for failures in (1, 2, 3):
        [one] = dream(workspace, provider=Answering(ProviderFailed("It is down.")))
        assert (one.outcome, one.why) == ("failed", "It is down.")
        assert {path: path.read_bytes() for path in root.rglob("*") if path.is_file()} == before
        told = status.status(place, WISHES)
        assert told.failures == failures
        assert told.waits == pytest.approx(300 * 2 ** (failures - 1), abs=30)
        assert not told.due.now
        assert outcomes(dream(workspace, if_due=True)) == ["not-due"]
    assert outcomes(dream(workspace)) == ["dreamt"]
    assert Backoff.read(sealing.store(workspace)).failures == {}


def test_what_fails_for_ever_is_set_aside_and_dream_goes_on(tmp_path: Path) -> None:
    workspace = dreams.nanobot(tmp_path, ["pnpm", "postgres"])
    wishes = WISHES._replace(limits=Limits(entries=1), every=False)
    results = [dream(workspace, wishes, Answering(ProviderFailed("It is down.")))[0].outcome for _ in range(5)]
    assert results == ["failed"] * 4 + ["set-aside"]
    [kept] = aside.read(sealing.store(workspace))
    assert (kept.entries, kept.first, kept.why) == (1, "memory/history.jsonl entry 1", "It is down.")
    [one] = dream(workspace, wishes)
    assert [said.number for said in one.said] == [2]
    assert FACTS["postgres"] in texts(workspace)
    assert FACTS["pnpm"] not in texts(workspace)
    record = next(one for one in undo.listed(sealing.store(workspace)) if one.what == "dream set aside")
    assert len(record.changes) == 2


def test_undoing_a_set_aside_batch_lets_it_wait_again(tmp_path: Path) -> None:
    workspace = dreams.nanobot(tmp_path, ["pnpm"])
    for _ in range(5):
        dream(workspace, provider=Answering(ProviderFailed("It is down.")))
    store = sealing.store(workspace)
    undo.undo(store)
    assert aside.read(store) == []
    dream(workspace)
    assert FACTS["pnpm"] in texts(workspace)


def test_a_batch_is_not_set_aside_while_an_agent_is_at_work_on_the_position(tmp_path: Path) -> None:
    workspace = dreams.nanobot(tmp_path, ["pnpm"], position=0)
    path = tmp_path / ".nanobot/workspace/memory/.dream_cursor"
    for _ in range(4):
        dream(workspace, provider=Answering(ProviderFailed("It is down.")))
    path.touch()
    [one] = dream(workspace, WISHES._replace(idle=1000.0), Answering(ProviderFailed("It is down.")))
    assert (one.outcome, one.passing) == ("error", True)
    assert (path.read_text(), aside.read(sealing.store(workspace))) == ("0", [])
    dreams.rested(path)
    assert outcomes(dream(workspace, provider=Answering(ProviderFailed("It is down.")))) == ["set-aside"]


def test_a_position_of_another_program_is_left_alone(tmp_path: Path) -> None:
    workspace = dreams.nanobot(tmp_path, ["pnpm"])
    path = dreams.old(tmp_path / ".nanobot/workspace/memory/.dream_cursor", "2026-04-10T08:00:00")
    [one] = dream(workspace)
    assert (one.outcome, one.code) == ("error", 4)
    assert path.read_text() == "2026-04-10T08:00:00"
    assert FACTS["pnpm"] not in texts(workspace)


def test_an_agent_at_work_is_not_disturbed(tmp_path: Path) -> None:
    workspace = dreams.nanobot(tmp_path, ["pnpm"])
    (tmp_path / ".nanobot/workspace/USER.md").touch()
    [one] = dream(workspace, WISHES._replace(idle=10.0))
    assert (one.outcome, one.code) == ("error", 4)
    assert not (tmp_path / ".nanobot/workspace/memory/.dream_cursor").exists()
    assert outcomes(dream(workspace, WISHES._replace(idle=10.0, force_live=True))) == ["dreamt"]


def test_a_hand_edit_during_the_answer_is_kept(tmp_path: Path) -> None:
    workspace = dreams.nanobot(tmp_path, ["postgres"])
    memory = tmp_path / ".nanobot/workspace/memory/MEMORY.md"

    class Slow(Offline):
        def extract(self, batch):
            memory.write_text(memory.read_text() + "- written by hand\n")
            return super().extract(batch)

    [one] = dream(workspace, provider=Slow({}))
    assert one.outcome == "dreamt"
    assert "- written by hand" in memory.read_text()
    assert FACTS["postgres"] in memory.read_text()
    [made] = one.landed.record.commits
    assert len(made.commits) == 2


def test_a_batch_that_another_run_took_is_not_written_twice(tmp_path: Path) -> None:
    workspace = dreams.nanobot(tmp_path, ["postgres"])
    [place] = places.places([workspace], "")

    class Overtaken(Offline):
        def extract(self, batch):
            list(running.run(place, WISHES, Offline({}), WRITE, command=["x"]))
            return super().extract(batch)

    with pytest.raises(RefusedForSafety):
        list(running.run(place, WISHES, Overtaken({}), WRITE, command=["x"]))
    assert texts(workspace).count(FACTS["postgres"]) == 1
    assert positions.state(every(workspace)[0]).pending == 0


def test_two_runs_at_once(tmp_path: Path) -> None:
    workspace = build("nanobot", tmp_path)
    found: list[str] = []

    def one() -> None:
        found.extend(outcomes(dream(workspace)))

    threads = [threading.Thread(target=one) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert "dreamt" in found
    assert set(found) <= {"dreamt", "nothing", "error"}
    for name in ("pnpm", "postgres", "port"):
        assert texts(workspace).count(FACTS[name]) == 1


def test_a_journal_that_grows_meanwhile_loses_nothing(tmp_path: Path) -> None:
    workspace = dreams.nanobot(tmp_path, ["pnpm"])
    path = tmp_path / ".nanobot/workspace/memory/history.jsonl"
    row = {"timestamp": "2026-05-01 10:00", "content": dreams.SAID["postgres"][0], "cursor": 2}

    class Growing(Offline):
        def extract(self, batch):
            if b'"cursor": 2' not in path.read_bytes():
                with path.open("ab") as file:
                    file.write(json.dumps(row).encode() + b"\n")
            return super().extract(batch)

    dream(workspace, provider=Growing({}))
    dream(workspace)
    assert all(texts(workspace).count(FACTS[name]) == 1 for name in ("pnpm", "postgres"))


def test_numbers_that_stand_twice_are_read_together(tmp_path: Path) -> None:
    workspace = dreams.nanobot(tmp_path, ["pnpm", "postgres", "port"])
    path = tmp_path / ".nanobot/workspace/memory/history.jsonl"
    dreams.old(path, path.read_text().replace('"cursor": 2', '"cursor": 1'))
    wishes = WISHES._replace(limits=Limits(entries=1), every=False)
    assert [len(one.said) for _ in range(2) for one in dream(workspace, wishes)] == [2, 1]
    assert all(texts(workspace).count(FACTS[name]) == 1 for name in ("pnpm", "postgres", "port"))


def test_damage_in_a_journal_is_named_and_passed_over(tmp_path: Path) -> None:
    workspace = dreams.nanobot(tmp_path, ["pnpm", "postgres", "port"])
    path = tmp_path / ".nanobot/workspace/memory/history.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    dreams.rested(path) if path.write_bytes(lines[0] + lines[1][:40] + b"\n" + b"\xff\xfe\n" + lines[2]) else None
    [one] = dream(workspace)
    assert any(":2 is passed over" in sentence for sentence in one.notes)
    assert all(FACTS[name] in texts(workspace) for name in ("pnpm", "port"))


def test_a_memory_that_is_not_utf_8_keeps_its_bytes(tmp_path: Path) -> None:
    workspace = dreams.nanobot(tmp_path, ["postgres"])
    memory = tmp_path / ".nanobot/workspace/memory/MEMORY.md"
    memory.write_bytes(b"# Notes\n\n- caf\xe9\n")
    dreams.rested(memory)
    dream(workspace)
    assert b"caf\xe9" in memory.read_bytes()
    assert FACTS["postgres"].encode() in memory.read_bytes()


def test_no_git_no_commit_but_a_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    workspace = dreams.nanobot(tmp_path, ["postgres"])
    script = (
        "import sys; from memcli.core import discovering; from memcli.core.dream import places, running\n"
        "from memcli.core.dream.wishes import Wishes; from memcli.llm.offline import Offline\n"
        "[w] = discovering.find([sys.argv[1]], 'nanobot')\n"
        "found = places.places([w], '')\n"
        "for one in running.several(found, Wishes(idle=0.0), Offline({}), 'write', if_due=False, command=['x']):\n"
        "    print(one.outcome, one.why, [made.why for made in one.landed.record.commits])\n"
    )
    bin = tmp_path / "bin"
    bin.mkdir()
    ran = subprocess.run(
        [sys.executable, "-c", script, workspace.root],
        capture_output=True,
        text=True,
        env={**os.environ, "PATH": str(bin)},
        check=False,
    )
    assert ran.stdout.startswith("dreamt"), ran.stderr
    assert FACTS["postgres"] in texts(workspace)


def test_a_read_only_folder_is_told_and_nothing_moves(tmp_path: Path) -> None:
    if os.geteuid() == 0:
        folder = tmp_path / ".nanobot/workspace/memory"
        workspace = dreams.nanobot(tmp_path, ["postgres"])
        (folder / "MEMORY.md").unlink()
        (folder / "MEMORY.md").mkdir()
    else:
        workspace = dreams.nanobot(tmp_path, ["postgres"])
        folder = tmp_path / ".nanobot/workspace/memory"
        folder.chmod(0o500)
    [one] = dream(workspace)
    folder.chmod(0o700)
    assert one.outcome == "error"
    assert one.code in (3, 4)
    assert not (folder / ".dream_cursor").exists()


def test_layers_of_a_project(tmp_path: Path) -> None:
    home = dreams.catbuddy(Path(os.environ["HOME"]), {}, memory="# Mine\n")
    project = dreams.catbuddy(tmp_path / "shop", {"desktop:a": ["pnpm", "postgres"]})
    [one] = dream(project)
    assert one.outcome == "dreamt"
    mine = (Path(home.memory[0]) / "MEMORY.md").read_text()
    theirs = (Path(project.memory[0]) / "MEMORY.md").read_text()
    assert FACTS["pnpm"] in mine
    assert FACTS["pnpm"] not in theirs
    assert FACTS["postgres"] in theirs
    assert FACTS["postgres"] not in mine
    assert len(one.landed.record.commits) == 2
    assert all(made.id for made in one.landed.record.commits)


def test_what_cannot_be_verified_goes_into_the_inbox(tmp_path: Path) -> None:
    sure = {"text": "The team uses PostgreSQL 16", "layer": "project", "category": "fact"}
    doubtful = {"text": "The office is in Oslo", "layer": "project", "category": "fact"}
    answer = json.dumps(
        [
            {**sure, "sources": [{"cursor": 1, "quote": "The team uses PostgreSQL 16"}]},
            {**doubtful, "sources": [{"cursor": 1, "quote": "we all moved to Oslo"}]},
        ]
    )
    workspace = dreams.nanobot(tmp_path, ["The team uses PostgreSQL 16. The office is in Oslo, they say."])
    [one] = dream(workspace, provider=Answering(answer, answer))
    assert one.outcome == "dreamt"
    assert one.extracted is not None
    assert not one.extracted.verified
    assert "PostgreSQL 16" in texts(workspace)
    assert "Oslo" not in texts(workspace)
    [kept] = inbox.read(sealing.store(workspace)).proposals
    assert [each.item.text for each in kept.items] == ["The office is in Oslo"]


def test_what_an_item_quotes_is_kept_without_secrets(tmp_path: Path) -> None:
    key = "sk-ant-api03-" + "abcdefghijklmnopqrstuvwx"
    workspace = dreams.nanobot(tmp_path / "bot", [f"We decided to use Hetzner for staging; the key is {key}."])

    class Quoting(Offline):
        def extract(self, batch):
            [entry] = batch.entries
            return [Item("Staging runs on Hetzner", "project", "decision", (Source(1, entry.content),), 0.9)]

    dream(workspace, provider=Quoting({}))
    assert "Staging runs on Hetzner" in texts(workspace)
    kept = [path for path in (tmp_path / "state").rglob("*") if path.is_file()]
    assert any(path.name.startswith("made-") for path in kept)
    assert all(key.encode() not in path.read_bytes() for path in kept)


def test_a_fact_whose_file_there_is_not_goes_into_the_one_that_is(tmp_path: Path) -> None:
    dreams.nanobot(tmp_path, ["pnpm", "postgres"])
    alone = Workspace("nanobot", str(tmp_path / "copy"), memory=(str(tmp_path / "copy"),))
    (tmp_path / ".nanobot/workspace/memory").rename(tmp_path / "copy")
    dream(alone)
    memory = (tmp_path / "copy" / "MEMORY.md").read_text()
    assert FACTS["pnpm"] in memory
    assert FACTS["postgres"] in memory


def test_of_several_agents_one_must_be_named(tmp_path: Path) -> None:
    workspace = dreams.cococat(tmp_path, ["postgres"])
    other = tmp_path / "agents" / "helper" / "memory"
    dreams.old(other / "MEMORY.md", "# Helper Memory\n")
    dreams.old(other / "history.jsonl", "")
    assert outcomes(dream(workspace)) == ["nothing", "dreamt"]
    assert FACTS["postgres"] not in (other / "MEMORY.md").read_text()
    dreams.old(
        tmp_path / "agents" / "leader" / "sessions" / "a.jsonl",
        '{"role":"user","content":"I always use pnpm, never npm."}\n',
    )
    with pytest.raises(UsageError, match="Several memory files"):
        dream(workspace, WISHES._replace(source="sessions"))


def test_edits_that_do_not_end_are_told_and_the_entries_asked_about(tmp_path: Path) -> None:
    workspace = dreams.cococat(tmp_path, ["postgres"])
    call = ModelCall("c1", "edit_file", json.dumps({"path": "elsewhere.md", "old_string": "a", "new_string": "b"}))
    item = {
        "text": "We decided to use PostgreSQL 16 for the orders database",
        "layer": "project",
        "category": "decision",
    }
    answer = json.dumps([{**item, "sources": [{"cursor": 1, "quote": "We decided to use PostgreSQL 16"}]}])
    lost = Answering(Reply("", (call,)), "I do not know.", "I do not know.", answer)
    [one] = dream(workspace, provider=lost)
    assert one.outcome == "dreamt"
    assert any("did not come to an end" in sentence for sentence in one.notes)
    assert any("elsewhere.md" in sentence for sentence in one.notes)
    assert "- **Key Decision**: We decided to use PostgreSQL 16" in texts(workspace)


def test_a_model_with_tools_edits_the_file(tmp_path: Path) -> None:
    workspace = dreams.cococat(tmp_path, ["postgres"])
    old = "Personal memories and learnings for leader."
    new = f"{old}\n- **Key Decision**: PostgreSQL 16 for the orders database"
    call = ModelCall("c1", "edit_file", json.dumps({"old_string": old, "new_string": new}))
    [one] = dream(workspace, provider=Answering(Reply("", (call,)), "Done."))
    assert one.outcome == "dreamt"
    assert new in texts(workspace)
    [file] = one.landing.files
    assert [(item.category, [source.cursor for source in item.sources]) for item in file.items] == [("decision", [1])]
