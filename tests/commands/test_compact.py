"""memcli compact on the command line: the queue, one chat, the inbox, the archive, and what scripts see of them."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from support import compacted, dreams
from support.cli import one_sentence, run
from support.compacted import AGENTS, LONG, Chat

TALK = compacted.talk(*LONG, calls=1)


@pytest.fixture(autouse=True)
def own_state(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("state", "cache"):
        monkeypatch.setenv(f"MEMCLI_{name.upper()}_DIR", str(tmp_path / name))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))


@pytest.fixture(params=AGENTS)
def chat(request: pytest.FixtureRequest, tmp_path: Path) -> Chat:
    return compacted.chat(tmp_path, request.param, TALK)


def rows(out: str) -> list[dict]:
    return [json.loads(line) for line in out.splitlines()]


def test_the_queue(chat):
    asked = run("compact", "--dry-run", "--json", "-W", chat.workspace.root)
    assert asked.code == 0, asked.err
    first = rows(asked.out)[0]
    key = "leader/abc" if chat.agent == "cococat" else compacted.KEY
    assert (first["type"], first["chosen"], first["key"], first["rows"]) == ("candidate", True, key, len(chat.rows))
    assert first["score"] == pytest.approx(first["minutes"] * first["rows"], rel=0.01)
    piped = run("compact", "--dry-run", "-W", chat.workspace.root)
    assert piped.rows[0][:3] == ["chosen", key, "ended"]
    shown = run("compact", "--dry-run", "-W", chat.workspace.root, columns=100)
    assert key[-10:] in shown.out
    assert "now" in shown.out
    narrow = run("compact", "--dry-run", "-W", chat.workspace.root, columns=60).out
    assert key[-10:] in narrow, "keys differ at their ends"
    assert "now" in narrow
    assert not list(chat.path.parent.glob("*memcli*"))


def test_one_run_and_the_next(chat):
    done = run("compact", "--json", "-W", chat.workspace.root)
    assert done.code == 0, done.err
    first, *points = rows(done.out)
    assert (first["type"], first["outcome"]) == ("compact", "compacted")
    assert first["summarised"] == first["last"] - first["first"] + 1 == len(chat.rows) - first["stay"]
    assert {one["type"] for one in points} == {"point"}
    assert done.err.splitlines()[-1].startswith("Undo: memcli ")
    again = run("compact", "--cron", "-W", chat.workspace.root)
    assert (again.code, again.out, again.err) == (0, "", "")
    assert run("compact", "-W", chat.workspace.root).err.startswith("No chat is to be compacted now; --dry-run ")
    assert run("verify", "--fail-on", "warning", chat.path).code == 0


def test_one_chat_on_a_terminal(tmp_path):
    chat = compacted.chat(tmp_path, "nanobot-E4", TALK)
    shown = run("compact", "cli:direct", "--keep", "2", "-W", chat.workspace.root, columns=100)
    assert shown.code == 0, shown.err
    assert "+ We decided to use PostgreSQL 16" in shown.out
    assert "decision; row 9\x1b" in shown.out
    assert "rows 1 to 36 summarised with offline" in shown.err
    trimmed = run("compact", "cli:direct", "--trim", "10", "-W", chat.workspace.root)
    assert trimmed.rows[0][:2] == ["trim", "trimmed"]
    assert run("grep", "pnpm", "--archive", "-c", "-W", chat.workspace.root).code == 0
    assert run("undo", "-W", chat.workspace.root).code == 0
    assert len(chat.lines) == len(chat.rows) + 1


def test_trim_for_a_whole_workspace(tmp_path):
    chat = compacted.chat(tmp_path, "catbuddy", TALK)
    refused = run("compact", "--trim", "10", "-W", chat.workspace.root)
    assert (refused.code, refused.out) == (0, "")
    assert "no summary stands for more than 0 of its 40 rows" in refused.err
    assert run("compact", "-W", chat.workspace.root).code == 0
    planned = run("compact", "--trim", "10", "--dry-run", "--json", "-W", chat.workspace.root)
    assert [(row["type"], row["outcome"], row["removed"]) for row in rows(planned.out)] == [("trim", "planned", 28)]
    assert run("compact", "--trim", "10", "-W", chat.workspace.root).code == 0
    assert chat.kept == chat.rows


def test_the_inbox(tmp_path):
    chat = compacted.chat(tmp_path, "catbuddy", TALK)
    proposed = run("compact", "--propose", "--json", "-W", chat.workspace.root)
    assert rows(proposed.out)[0]["proposal"] == "p1"
    assert chat.summary == ""
    assert "PostgreSQL 16" in run("proposals", "show", "p1", "-W", chat.workspace.root).out
    assert run("proposals", "approve", "p1", "--dry-run", "-W", chat.workspace.root).code == 0
    done = run("proposals", "approve", "p1", "--force-live", "-W", chat.workspace.root)
    assert done.code == 0, done.err
    assert "PostgreSQL 16" in chat.summary
    assert chat.kept == chat.rows


def test_where_a_line_came_from(tmp_path):
    chat = compacted.chat(tmp_path, "catbuddy", TALK)
    assert run("compact", "-W", chat.workspace.root).code == 0
    blamed = run("blame", Path(chat.workspace.memory[0]) / "MEMORY.md", "--json", "-W", chat.workspace.root)
    [line] = [row for row in rows(blamed.out) if "PostgreSQL 16" in row["text"]]
    assert [one["session"] for one in line["sources"]] == [compacted.KEY]
    assert line["sources"][0]["rows"] == [9, 9]
    head = run("log", "--json", "-W", chat.workspace.root)
    commit = rows(head.out)[0]["commit"]
    assert run("revert", commit, "--force-live", "-W", chat.workspace.root).code == 0
    assert "PostgreSQL" not in (Path(chat.workspace.memory[0]) / "MEMORY.md").read_text()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["a", "b"], "takes one session"),
        (["--keep", "2"], "are for one session"),
        (["--budget", "20"], "are for one session"),
        (["--dry-run", "--propose"], "leave one out"),
        (["--trim", "--provider", "offline"], "leave the other options out"),
        (["--trim", "1", "2"], "takes one session"),
        (["nobody"], "nobody"),
    ],
)
def test_wrong_usage(arguments, words, tmp_path):
    chat = compacted.chat(tmp_path, "catbuddy", TALK)
    one_sentence(run("compact", *arguments, "-W", chat.workspace.root), 2, words)


def test_a_format_without_summaries(tmp_path):
    path = dreams.old(tmp_path / "logs" / "a.jsonl", '{"role":"user","content":"x"}\n' * 20)
    one_sentence(run("compact", "-W", path.parent), 2, "jsonl keeps no summaries")


def test_an_agent_at_work(tmp_path):
    chat = compacted.chat(tmp_path, "nanobot-E4", TALK)
    code = f"import time\nf = open({str(chat.path)!r}, 'ab')\nprint('on', flush=True)\ntime.sleep(60)"
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as writer:
        assert writer.stdout is not None
        writer.stdout.readline()
        by_name = run("compact", "cli:direct", "-W", chat.workspace.root)
        unattended = run("compact", "--cron", "-W", chat.workspace.root)
        queued = run("compact", "--dry-run", "-W", chat.workspace.root)
        writer.kill()
    assert by_name.code == 4
    assert "open for writing" in by_name.err
    assert (unattended.code, unattended.err) == (0, "")
    assert queued.rows[0][0] == "locked"


def test_a_damaged_chat_is_told_once_and_waits(tmp_path):
    chat = compacted.chat(tmp_path, "catbuddy", TALK)
    chat.path.write_bytes(chat.path.read_bytes()[:-40])
    dreams.rested(chat.path)
    told = run("compact", "--cron", "-W", chat.workspace.root)
    assert told.code == 4
    assert "memcli repair" in told.err
    again = run("compact", "--cron", "-W", chat.workspace.root)
    assert (again.code, again.err) == (0, "")
    assert run("compact", "--dry-run", "-W", chat.workspace.root).rows[0][0] == "backed-off"


def test_an_archive_is_not_written_to(tmp_path):
    compacted.chat(tmp_path, "catbuddy", TALK)
    packed = tmp_path / "x.tar.gz"
    subprocess.run(["tar", "czf", packed, "-C", tmp_path / "shop", "."], check=True)
    assert run("compact", "-W", packed).code == 2
    assert run("compact", "--dry-run", "-W", packed).code == 0


def test_a_chat_by_its_file_names_its_workspace_to_take_it_back(tmp_path):
    chat = compacted.chat(tmp_path, "catbuddy", TALK)
    memory = Path(chat.workspace.memory[0]) / "MEMORY.md"
    before = memory.read_bytes()
    done = run("compact", str(chat.path))
    assert done.code == 0, done.err
    last = shlex.split(done.err.splitlines()[-1])
    assert last[:3] == ["Undo:", "memcli", "revert"]
    assert run(*last[2:], "--idle", "0").code == 0
    assert memory.read_bytes() == before


def test_a_revert_tells_what_stays(tmp_path):
    chat = compacted.chat(tmp_path, "catbuddy", TALK)
    undo = run("compact", "-W", chat.workspace.root).err.splitlines()[-1]
    assert undo.startswith("Undo: memcli revert ")
    ran = run(*shlex.split(undo)[2:], "--idle", "0")
    assert ran.code == 0, ran.err
    assert "The summaries in the chats stay as they are, and so do their rows.\n" in ran.err
    assert "dreamt" not in ran.err
