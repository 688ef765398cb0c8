"""A session made smaller: what is asked, what lands where, and what becomes of failures."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from support import compacted, dreams
from support.asked import Answering
from support.compacted import AGENTS, LONG, WISHES, Chat, Turn
from support.nanobot_files import STATE

from memcli.core import inbox, positions, sealing, selecting
from memcli.core.backoff import Backoff
from memcli.core.compact import candidates, marks, modes, plan, running, writing
from memcli.core.compact.names import PROVIDER, key_of
from memcli.core.compact.wishes import DRY, PROPOSE
from memcli.core.journals import every
from memcli.errors import CannotWrite, ProviderFailed, RefusedForSafety, UsageError
from memcli.model import SessionRef
from memcli.storage import undo
from memcli.storage.state import Store

TALK = compacted.talk(*LONG, calls=1)


@pytest.fixture(autouse=True)
def own_state(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MEMCLI_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.setenv("MEMCLI_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))


@pytest.fixture(params=AGENTS)
def chat(request: pytest.FixtureRequest, tmp_path: Path) -> Chat:
    return compacted.chat(tmp_path, request.param, TALK)


def asked(chat: Chat, model, **wishes):
    return running.one(chat.ref, WISHES._replace(**wishes), model, command=["memcli"])


def store(chat: Chat) -> Store:
    return sealing.store(chat.workspace)


def point(text: str, *rows: int, kind: str = "fact") -> dict[str, object]:
    return {"kind": kind, "text": text, "rows": list(rows), "layer": "project"}


def test_what_lands(chat):
    (first,) = chat.compact()
    assert first.outcome == "compacted"
    assert chat.kept == chat.rows
    assert len(chat.active) == first.stay == 8
    for words in ("pnpm, never npm", "PostgreSQL 16", "port 8080"):
        assert words in chat.summary
    assert [one for one in chat.compact() if one.outcome != "nothing"] == []
    [queued] = candidates.line(chat.workspace, WISHES).queued[:1]
    assert queued.reason in ("compacted", "unread"), queued


def test_each_point_has_its_rows(chat):
    done = chat.named()
    for one in done.points:
        for row in one.rows:
            said = json.loads(chat.rows[row - 1])
            assert one.text.split()[0] in said["content"], one


def test_the_file_keeps_its_time_and_each_other_member(chat):
    before = chat.path.stat().st_mtime_ns
    head = None if chat.agent == "cococat" else chat.header
    chat.named()
    assert chat.path.stat().st_mtime_ns == before
    if head is not None:
        now = chat.header
        changed = {name for name in now if now[name] != head.get(name)}
        assert changed <= {"metadata", "last_consolidated", "last_archived"}
        metadata = {name: value for name, value in now["metadata"].items() if name != "_last_summary"}
        assert metadata == head["metadata"]


def test_keep_and_budget(chat):
    done = chat.named(WISHES._replace(keep=2))
    assert (done.outcome, done.stay) == ("compacted", 4 if chat.agent != "cococat" else 2)


@pytest.mark.parametrize("agent", AGENTS)
def test_a_budget_of_tokens(agent, tmp_path):
    chat = compacted.chat(tmp_path, agent, TALK)
    done = chat.named(WISHES._replace(keep=1, budget=40))
    assert done.outcome == "compacted"
    assert 1 <= done.stay < len(chat.rows) // 2
    assert chat.named(WISHES._replace(keep=1, budget=4000)).outcome == "nothing"


def test_a_dry_run_writes_nothing(chat):
    before = chat.path.read_bytes()
    done = chat.named(WISHES._replace(mode=DRY))
    assert done.outcome == "planned"
    assert done.points
    assert chat.path.read_bytes() == before
    assert not os.path.isdir(store(chat).folder)


def test_what_a_model_gets_is_short_and_masked(tmp_path):
    talk = [Turn(f"my key is sk-ant-api03-{'k' * 80} {'x' * 900}"), *TALK]
    chat = compacted.chat(tmp_path, "catbuddy", talk)
    model = Answering(
        json.dumps([point("We decided to use PostgreSQL 16 for the orders database", 11, kind="decision")])
    )
    done = asked(chat, model)
    assert done.outcome == "compacted", done
    assert "k" * 40 not in model.last
    assert max(map(len, model.last.split("\n"))) < 400
    assert "PostgreSQL 16" in chat.summary


def test_a_model_that_fails_changes_nothing_and_waits(chat):
    before = chat.path.read_bytes()
    done = asked(chat, Answering(ProviderFailed("No.", why="broken")))
    assert (done.outcome, done.code) == ("failed", 3)
    assert chat.path.read_bytes() == before
    [failure] = Backoff.read(store(chat)).failures
    assert failure == f"compact:{chat.ref.key}"
    now = time.time()
    [one] = candidates.line(chat.workspace, WISHES, now).queued[:1] if chat.agent != "cococat" else [None]
    assert one is None or one.reason == "backed-off"
    assert chat.named().outcome == "compacted"
    assert Backoff.read(store(chat)).failures == {}


def test_a_provider_that_is_down_is_no_sessions_fault(tmp_path):
    chat = compacted.chat(tmp_path, "catbuddy", TALK)
    done = list(
        running.several([chat.ref, chat.ref], WISHES, Answering(ProviderFailed("No.", why="connection")), command=[])
    )
    assert [one.outcome for one in done] == ["failed"], "the others would fail as well"
    assert set(Backoff.read(store(chat)).failures) == {PROVIDER}
    assert candidates.line(chat.workspace, WISHES).queued[0].reason == "backed-off"


def test_a_model_that_stops_in_the_middle_summarises_what_it_read(tmp_path, monkeypatch):
    monkeypatch.setattr("memcli.core.asking.summarising.PART", 300)
    chat = compacted.chat(tmp_path, "nanobot-E4", TALK)
    model = Answering(json.dumps([point("uses pnpm, never npm", 1)]), ProviderFailed("No.", why="broken"))
    done = asked(chat, model)
    assert done.outcome == "compacted"
    assert done.last < 32
    assert compacted.parted(chat) == set()
    assert chat.kept == chat.rows
    assert done.summary is not None
    assert not done.summary.verified
    assert chat.named().first == done.last + 1


def test_points_that_may_not_be_kept(tmp_path):
    chat = compacted.chat(tmp_path, "catbuddy", TALK)
    answer = [
        point("uses pnpm, never npm", 1),
        point("Anna lives at anna@example.org", 1),
        point("It costs 99 euros", 1),
    ]
    done = asked(chat, Answering(json.dumps(answer), json.dumps(answer)))
    assert done.outcome == "compacted"
    assert "example.org" not in chat.path.read_text()
    texts = "".join(path.read_text() for path in tmp_path.rglob("MEMORY.md"))
    assert "pnpm" in texts
    assert "99" not in texts, "what no row says is not for the memory"
    assert "99 euros [?]" in chat.summary or "99" not in chat.summary


def test_what_the_memory_says_already_is_not_said_again(tmp_path):
    chat = compacted.chat(tmp_path, "catbuddy", TALK)
    memory = Path(chat.workspace.memory[0]) / "MEMORY.md"
    dreams.old(memory, "# Long-term Memory\n\n- We decided to use PostgreSQL 16 for the orders database\n")
    done = chat.named()
    assert [item.text for item, _ in done.landing.known] == ["We decided to use PostgreSQL 16 for the orders database"]
    assert memory.read_text().count("PostgreSQL 16") == 1
    assert "PostgreSQL 16" in chat.summary


def test_the_commit_names_its_sources(tmp_path):
    chat = compacted.chat(tmp_path, "catbuddy", TALK)
    record = chat.named().landed.record
    messages = [one.message for one in record.commits if one.id]
    assert len(messages) == 2, "the home's memory, and the project's"
    assert all("Memcli-Source: cli:direct rows 1-32" in one for one in messages)
    with pytest.raises(UsageError, match="memcli revert"):
        undo.undo(store(chat))


def test_undo_takes_a_summary_back(tmp_path):
    chat = compacted.chat(tmp_path, "nanobot-E4", TALK)
    before = chat.path.read_bytes()
    chat.named()
    undo.undo(store(chat))
    assert chat.path.read_bytes() == before
    assert marks.read(store(chat)) == {}
    assert chat.named().outcome == "compacted"


def test_the_private_state_of_a_provider_goes(tmp_path):
    chat = compacted.chat(tmp_path, "nanobot-E4", TALK)
    head, _, rest = chat.path.read_bytes().partition(b"\n")
    chat.path.write_bytes(head + b"\n" + json.dumps(STATE).encode() + b"\n" + rest)
    assert chat.named().outcome == "compacted"
    assert b"provider_state" not in chat.path.read_bytes()
    assert chat.kept == chat.rows


def test_the_checkpoint_of_a_turn_in_flight_stays_valid(tmp_path):
    chat = compacted.chat(tmp_path, "nanobot-E4", TALK)
    sidecar = chat.path.with_suffix(".checkpoint.json")
    dreams.old(sidecar, json.dumps({"version": 1, "base_message_count": len(chat.rows), "checkpoint": {"x": 1}}))
    for trim in (False, True):
        assert chat.named(WISHES._replace(trim=12), trim=trim).outcome in ("compacted", "trimmed")
        assert json.loads(sidecar.read_text())["base_message_count"] == len(chat.lines)
        assert sidecar.stat().st_mtime_ns >= chat.path.stat().st_mtime_ns


def test_rows_that_dream_has_not_read_stay(tmp_path):
    chat = compacted.chat(tmp_path, "cococat", TALK)
    cursor = chat.path.parent / ".dream_cursor"
    dreams.old(cursor, "5")
    time_of_dream = cursor.stat().st_mtime_ns
    done = chat.named(WISHES._replace(keep=2))
    assert (done.outcome, done.removed) == ("compacted", 4), "a whole turn less than Dream has read"
    assert cursor.read_text() == "2"
    assert cursor.stat().st_mtime_ns == time_of_dream, "the agent takes it for the time of its last Dream"
    again = chat.named()
    assert (again.outcome, again.why) == ("nothing", "Dream has yet to read its rows")
    [journal] = [one for one in every(chat.workspace) if one.file.user]
    assert positions.state(journal).pending == len(chat.rows) - 5


@pytest.mark.parametrize("cursor", ["", "x", "-3", None])
def test_without_a_position_nothing_is_compacted(cursor, tmp_path):
    chat = compacted.chat(tmp_path, "cococat", TALK)
    path = chat.path.parent / ".dream_cursor"
    path.unlink() if cursor is None else path.write_text(cursor)
    assert chat.named().why == "Dream has yet to read its rows"


def test_a_placeholder_of_the_agents_is_counted_on(tmp_path):
    chat = compacted.chat(tmp_path, "cococat", TALK)
    row = {"type": "compacted_summary", "original_count": 45, "summary": "[45 historical entries compacted]"}
    chat.path.write_bytes(json.dumps(row).encode() + b"\n" + chat.path.read_bytes())
    dreams.old(chat.path.parent / ".dream_cursor", str(len(chat.lines)))
    done = chat.named()
    assert done.outcome == "compacted"
    first = json.loads(chat.lines[0])
    assert first["original_count"] == 45 + done.removed - 1
    assert "historical" not in first["summary"]
    assert chat.kept == chat.rows


DAMAGES = {
    "torn": lambda lines: [*lines[:5], lines[5][:20], *lines[6:]],
    "glued": lambda lines: [*lines[:5], lines[5] + lines[6], *lines[7:]],
    "no object": lambda lines: [*lines[:5], b"[1]", *lines[5:]],
    "not UTF-8": lambda lines: [*lines[:5], lines[5].replace(b"content", b"cont\xffent"), *lines[6:]],
}


@pytest.mark.parametrize("name", DAMAGES)
def test_a_damaged_session_is_left_alone(name, chat):
    lines = chat.path.read_bytes().splitlines()
    chat.path.write_bytes(b"".join(line + b"\n" for line in DAMAGES[name](lines)))
    dreams.rested(chat.path)
    before = chat.path.read_bytes()
    done = chat.named()
    assert (done.outcome, done.code, done.busy) == ("error", 4, False)
    assert "memcli repair" in done.why
    assert chat.path.read_bytes() == before
    assert Backoff.read(store(chat)).failures


@pytest.mark.parametrize("agent", AGENTS[:3])
def test_a_header_that_cannot_hold_a_summary(agent, tmp_path):
    chat = compacted.chat(tmp_path, agent, TALK)
    head, _, rest = chat.path.read_bytes().partition(b"\n")
    chat.path.write_bytes(json.dumps({**json.loads(head), "metadata": "x"}).encode() + b"\n" + rest)
    assert chat.named().code == 4
    chat.path.write_bytes(rest)
    assert "no header" in chat.named().why


def test_a_session_that_is_written_to_meanwhile(chat):
    def write(_):
        with chat.path.open("ab") as file:
            file.write(chat.rows[-1] + b"\n")
        return json.dumps([point("uses pnpm, never npm", 1)])

    done = asked(chat, Answering(write))
    assert (done.outcome, done.code, done.busy) == ("error", 4, True), done
    assert not marks.read(store(chat))
    assert Backoff.read(store(chat)).failures == {}


def test_an_agent_at_work_is_left_alone(chat):
    code = f"import os, time\nf = open({str(chat.path)!r}, 'ab')\nprint('on', flush=True)\ntime.sleep(60)"
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as writer:
        assert writer.stdout is not None
        writer.stdout.readline()
        done = chat.named(WISHES._replace(force_live=False))
        writer.kill()
    assert (done.outcome, done.code, done.busy) == ("error", 4, True)


def test_a_full_disk_sets_no_chat_aside(chat, monkeypatch):
    def full(*given, **more):
        raise CannotWrite("It is full.", path=str(chat.path), why="no space left on the disk", in_place=False)

    with monkeypatch.context() as patch:
        patch.setattr(writing.landing, "carry_out", full)
        assert {chat.named().why for _ in range(8)} == {"It is full."}
    backoff = Backoff.read(store(chat))
    assert not backoff.set_aside(key_of(chat.ref.key))
    assert 0 < backoff.waits(key_of(chat.ref.key), time.time()) <= 40 * 60
    assert chat.named().outcome == "compacted"
    assert Backoff.read(store(chat)).failures == {}


def test_two_runs_do_not_meet(chat):
    with running.alone(chat.workspace):
        done = chat.named()
        assert (done.outcome, done.code, done.busy) == ("error", 4, True)
        [refused] = chat.compact()
        assert (refused.code, refused.busy) == (4, True)


def test_a_session_that_no_agent_reads_a_summary_of(tmp_path):
    chat = compacted.chat(tmp_path, "cococat", TALK)
    path = chat.path.parents[2] / "history.jsonl"
    ref = SessionRef("cococat", "leader", str(path), str(path), chat.workspace)
    with pytest.raises(UsageError, match="journals of users alone"):
        running.one(ref, WISHES, Answering(), command=[])
    [one] = [each for each in candidates.line(chat.workspace, WISHES).queued if each.session.path == str(path)]
    assert one.reason == "unread"


def test_a_chat_without_words_is_looked_at_once(tmp_path):
    chat = compacted.chat(tmp_path, "catbuddy", [Turn("", (), "")] * 12)
    [one] = candidates.line(chat.workspace, WISHES).queued
    assert (one.reason, one.why) == ("short", "no whole turn of it can go")
    assert next(iter(marks.read(store(chat)).values())).at_rest(one.session.size, one.session.time)
    chat.path.write_bytes(
        chat.path.read_bytes() + b"".join(row + b"\n" for row in compacted.chat(tmp_path / "x", "catbuddy", TALK).rows)
    )
    dreams.rested(chat.path)
    assert candidates.line(chat.workspace, WISHES).queued[0].reason == ""


def test_rows_without_worth_keep_no_other_chat_waiting(tmp_path, monkeypatch):
    monkeypatch.setattr(plan, "MOST", 20)
    workspace = dreams.catbuddy(tmp_path / "home", {"desktop:z": LONG})
    for name in "abc":
        path = dreams.session(Path(workspace.root), f"cron:{name}", [])
        row = {"role": "assistant", "content": "HEARTBEAT_OK", "timestamp": dreams.stamp(1)}
        rows = "".join(json.dumps({"id": number, **row}) + "\n" for number in range(1, 71))
        dreams.old(path, path.read_text() + rows)
    compacted = []
    for _ in range(5):
        compacted += [one.ref.key for one in modes.unattended([workspace], WISHES, only_trim=False, command=[])]
    assert compacted.count("cron:a") == 4
    assert compacted.count("desktop:z") == 1
    reasons = {one.session.key: one.reason for one in candidates.line(workspace, WISHES).queued}
    assert set(reasons.values()) <= {"short", "compacted"}, reasons


@pytest.mark.parametrize("agent", AGENTS[:3])
def test_a_chat_that_is_named_by_its_file(agent, tmp_path, monkeypatch):
    chat = compacted.chat(tmp_path, agent, TALK)
    monkeypatch.chdir(chat.path.parent)
    for name, trim in ((str(chat.path), False), (chat.path.name, True)):
        ref = selecting.one(name, None, None)
        [done] = modes.named(ref, WISHES._replace(trim=20), only_trim=trim, command=[])
        assert done.outcome == ("trimmed" if trim else "compacted")
        assert all(os.path.exists(file.shown) for file in done.landed.landing.files)
    assert chat.kept == chat.rows


def test_a_chat_in_an_archive_is_left_alone(tmp_path):
    chat = compacted.chat(tmp_path / "home", "catbuddy", TALK)
    packed = tmp_path / "chat.jsonl.gz"
    packed.write_bytes(gzip.compress(chat.path.read_bytes()))
    before = packed.read_bytes()
    ref = selecting.one(str(packed), None, None)
    with pytest.raises(UsageError):
        list(modes.named(ref, WISHES, only_trim=False, command=[]))
    assert packed.read_bytes() == before


def test_three_chats_a_run_the_longest_first(tmp_path):
    workspace = dreams.catbuddy(tmp_path / "home", {f"desktop:{n}": LONG[: 10 - n] for n in range(5)})
    wishes = WISHES._replace(force_live=False, idle=10.0)
    done = [one.ref.key for one in modes.unattended([workspace], wishes, only_trim=False, command=[])]
    assert done == ["desktop:0", "desktop:1", "desktop:2"]
    done = [one.ref.key for one in modes.unattended([workspace], wishes, only_trim=False, command=[])]
    assert done == ["desktop:3", "desktop:4"]
    assert list(modes.unattended([workspace], wishes, only_trim=False, command=[])) == []
    text = (tmp_path / "home" / ".catbuddy" / "workspace" / "memory" / "MEMORY.md").read_text()
    assert text.count("PostgreSQL 16") == 1


def test_proposed_and_skipped_until_somebody_decides(chat):
    before = chat.path.read_bytes()
    done = chat.named(WISHES._replace(mode=PROPOSE))
    assert done.outcome == "proposed"
    assert chat.path.read_bytes() == before
    [proposal] = inbox.read(store(chat)).proposals
    assert (proposal.id, proposal.what) == ("p1", "compact")
    queued = [one for one in candidates.line(chat.workspace, WISHES).queued if one.session.path == str(chat.path)]
    assert queued[0].reason == "proposed"


def test_a_mark_outlives_the_agents_trimming(tmp_path):
    """catbuddy keeps 2,000 rows and never lowers its offset: rows are known by what they say."""
    chat = compacted.chat(tmp_path, "catbuddy", TALK)
    done = chat.named()
    head, *rows = chat.path.read_bytes().splitlines(keepends=True)
    more = compacted.chat(tmp_path / "x", "catbuddy", TALK * 2).rows[len(chat.rows) :]
    respelled = [json.dumps(json.loads(row), separators=(",", ":")).encode() + b"\n" for row in (*rows[12:], *more)]
    chat.path.write_bytes(head + b"".join(respelled))
    dreams.rested(chat.path)
    [one] = candidates.line(chat.workspace, WISHES).queued[:1]
    assert one.left == len(respelled) - (done.last - 12)
    again = chat.named()
    assert again.first == done.last - 12 + 1


def test_a_refusal_of_the_store(chat, monkeypatch):
    def refuse(*_, **__):
        raise RefusedForSafety("It is another user's.", why="foreign")

    monkeypatch.setattr("memcli.core.stores.finish", refuse)
    [refused] = chat.compact()
    assert (refused.why, refused.busy) == ("It is another user's.", False)
