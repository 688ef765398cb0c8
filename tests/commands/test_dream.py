"""`dream` and `users` on the command line: pages, rows, exit codes, and what a cron job sees."""

from __future__ import annotations

import json
import os
import shlex
from pathlib import Path

import pytest
from support import dreams
from support.cli import run

KEY = "sk-ant-api03-" + "abcdefghijklmnopqrstuvwx"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MEMCLI_STATE_DIR", str(tmp_path / "state"))
    return Path(os.environ["HOME"])


@pytest.fixture
def bot(home: Path, tmp_path: Path) -> str:
    return dreams.nanobot(tmp_path / "bot", ["pnpm", "weather", "port", "postgres"]).root


def memory(bot: str) -> str:
    return (Path(bot) / "memory" / "MEMORY.md").read_text() + (Path(bot) / "USER.md").read_text()


def test_dream_and_take_it_back(bot: str) -> None:
    before = memory(bot)
    ran = run("dream", "-W", bot, "--idle", "0")
    assert ran.code == 0
    rows = [line.split("\t") for line in ran.out.splitlines()]
    assert rows[0][:5] == ["dream", "dreamt", "memory/history.jsonl", "4", "0"]
    assert sorted(row[1:4] for row in rows[1:]) == [
        ["added", "project", "decision"],
        ["added", "project", "fact"],
        ["added", "user", "pattern"],
    ]
    assert "with offline: 3 added" in ran.err
    undo = ran.err.strip().splitlines()[-1]
    assert undo.startswith("Undo: memcli revert ")
    assert "PostgreSQL 16" in memory(bot)
    reverted = run(*shlex.split(undo)[2:], "--idle", "0")
    assert reverted.code == 0, reverted.err
    assert memory(bot) == before


def test_rows_of_json_name_sources(bot: str) -> None:
    ran = run("dream", "-W", bot, "--idle", "0", "--json")
    batch, *items = [json.loads(line) for line in ran.out.splitlines()]
    assert (batch["type"], batch["outcome"], batch["provider"], batch["moved"]) == (
        "dream",
        "dreamt",
        "offline",
        "0..4",
    )
    assert batch["commits"][0]["commit"]
    assert {item["state"] for item in items} == {"added"}
    for item in items:
        [source] = item["sources"]
        assert source["journal"] == "memory/history.jsonl"
        assert source["quote"] in dreams.SAID["pnpm"][0] + dreams.SAID["port"][0] + dreams.SAID["postgres"][0]
    blamed = [json.loads(line) for line in run("blame", "memory/MEMORY.md", "-W", bot, "--json").out.splitlines()]
    [traced] = [line for line in blamed if "PostgreSQL" in line["text"]]
    assert traced["sources"] == next(item for item in items if "PostgreSQL" in item["text"])["sources"]


def test_status(bot: str) -> None:
    ran = run("dream", "--status", "-W", bot)
    assert ran.code == 0
    assert (
        ran.out == "journal\tmemory/history.jsonl\t4\t" + ran.out.split("\t")[3] + "\t\tyes\tthere was no Dream yet\n"
    )
    assert "the agent's own Dream:" in ran.err
    run("dream", "-W", bot, "--idle", "0")
    [told] = [json.loads(line) for line in run("dream", "--status", "-W", bot, "--json").out.splitlines()]
    assert (told["entries"], told["due"], told["why"]) == (0, False, "nothing waits")
    assert told["last"] is not None


def test_cron_is_silent_when_there_is_nothing_to_do(bot: str) -> None:
    assert run("dream", "--if-due", "--cron", "-W", bot, "--idle", "0").code == 0
    ran = run("dream", "--if-due", "--cron", "-W", bot)
    assert (ran.code, ran.out, ran.err) == (0, "", "")


def test_cron_says_nothing_of_what_went_well(bot: str) -> None:
    ran = run("dream", "--cron", "-W", bot, "--idle", "0")
    assert (ran.code, ran.out, ran.err) == (0, "", "")
    assert "PostgreSQL" in memory(bot)


def test_cron_tells_of_what_no_later_run_will_find_better(bot: str, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere.md"
    elsewhere.write_text("# Not here\n")
    (Path(bot) / "USER.md").unlink()
    (Path(bot) / "USER.md").symlink_to(elsewhere)
    ran = run("dream", "--cron", "-W", bot, "--idle", "0")
    assert ran.code == 4
    assert "USER.md" in ran.err
    assert elsewhere.read_text() == "# Not here\n"


def test_cron_does_not_disturb_an_agent_at_work(bot: str) -> None:
    (Path(bot) / "USER.md").touch()
    before = memory(bot)
    ran = run("dream", "--if-due", "--cron", "-W", bot)
    assert (ran.code, ran.out, ran.err) == (0, "", "")
    assert memory(bot) == before
    loud = run("dream", "-W", bot)
    assert loud.code == 4
    assert "USER.md" in loud.err


def test_a_dry_run_shows_the_difference_and_writes_nothing(bot: str, tmp_path: Path) -> None:
    before = memory(bot)
    ran = run("dream", "--dry-run", "-W", bot)
    assert ran.code == 0
    assert "\tplanned\t" in ran.out
    assert memory(bot) == before
    assert not (tmp_path / "state").exists()


def test_proposed_shown_approved_by_either_command(bot: str) -> None:
    before = memory(bot)
    ran = run("dream", "--propose", "-W", bot, "--idle", "0")
    assert ran.code == 0
    assert "Review: memcli proposals show p1" in ran.err
    assert memory(bot) == before
    listed = [json.loads(line) for line in run("proposals", "ls", "-W", bot, "--json").out.splitlines()]
    assert [one["id"] for one in listed if one["type"] == "proposal"] == ["p1"]
    assert run("dream", "--approve", "p1", "--only", "1", "-W", bot, "--idle", "0").code == 0
    assert run("proposals", "approve", "p1", "-W", bot, "--idle", "0").code == 0
    assert all(fact in memory(bot) for fact in ("pnpm", "8080", "PostgreSQL 16"))
    again = run("dream", "--approve", "p1", "-W", bot, "--idle", "0")
    assert again.code == 1


def test_consolidate_proposes(home: Path, tmp_path: Path) -> None:
    text = "# Memory\n\n- I prefer tabs\n- likes tea\n- I prefer tabs\n- Falcon is in Rust\n- The API is on port 8080\n"
    workspace = dreams.catbuddy(home, {}, memory=text)
    ran = run("dream", "--consolidate", "-W", workspace.root)
    assert ran.code == 0, ran.err
    path = Path(workspace.memory[0]) / "MEMORY.md"
    size = len(text.encode())
    assert f"{path}: a shorter text is proposed with offline, {size - 16} bytes instead of {size}.\n" in ran.err
    assert "Review: memcli proposals show p1 -W " in ran.err
    assert path.read_text() == text
    assert run("proposals", "approve", "p1", "-W", workspace.root, "--idle", "0").code == 0
    assert path.read_text().count("I prefer tabs") == 1
    assert path.read_text().count("likes tea") == 1
    again = run("dream", "--consolidate", "-W", workspace.root)
    assert again.code == 0
    assert f"{path} says nothing twice.\n" in again.err
    assert (
        len(json.loads("[" + ",".join(run("proposals", "ls", "-W", workspace.root, "--json").out.splitlines()) + "]"))
        == 0
    )


def test_a_failing_provider(bot: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = tmp_path / "config.toml"
    config.write_text('[llm]\nprovider = "command"\ncommand = ["sh", "-c", "echo it is broken >&2; exit 3"]\n')
    monkeypatch.setenv("MEMCLI_CONFIG", str(config))
    before = memory(bot)
    ran = run("dream", "-W", bot, "--idle", "0")
    assert ran.code == 3
    assert "it is broken" in ran.err
    assert memory(bot) == before
    quiet = run("dream", "--if-due", "--cron", "-W", bot, "--idle", "0")
    assert (quiet.code, quiet.out, quiet.err) == (0, "", "")
    told = json.loads(run("dream", "--status", "-W", bot, "--json").out)
    assert told["failures"] == 1
    assert "left alone" in told["why"]


def test_a_program_as_provider_gets_no_secret(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bot = dreams.nanobot(tmp_path / "bot", [f"We deploy to Hetzner, and the key is {KEY}."]).root
    item = {"text": "We deploy to Hetzner", "layer": "project", "category": "fact"}
    answer = json.dumps([{**item, "sources": [{"cursor": 1, "quote": item["text"]}]}])
    script = tmp_path / "program.sh"
    script.write_text(f"cat > {tmp_path}/asked; cat <<'END'\n{answer}\nEND\n")
    config = tmp_path / "config.toml"
    config.write_text(f'[llm]\nprovider = "command"\ncommand = ["sh", "{script}"]\n')
    monkeypatch.setenv("MEMCLI_CONFIG", str(config))
    ran = run("dream", "-W", bot, "--idle", "0")
    assert ran.code == 0, ran.err
    assert "- We deploy to Hetzner" in memory(bot)
    assert KEY not in (tmp_path / "asked").read_text()
    assert "with command" in ran.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--status", "--propose"], "--status"),
        (["--only", "1"], "--only"),
        (["--dry-run", "--propose"], "--dry-run"),
        (["--if-due", "--consolidate"], "--if-due"),
        (["--user", "x", "--all-users"], "--user"),
        (["--from", "sessions", "--all-users"], "sessions"),
        (["--user", "x"], "user"),
        (["--provider", "oracle"], "oracle"),
        (["--from", "moon"], "moon"),
        (["--approve", "p9"], "p9"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_wrong_words(bot: str, words: list[str], said: str) -> None:
    before = memory(bot)
    ran = run("dream", *words, "-W", bot, "--idle", "0")
    assert ran.code == 2
    assert said in ran.err
    assert memory(bot) == before


def test_no_long_term_memory(home: Path, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"role":"user","content":"hi"}\n')
    ran = run("dream", "-W", str(tmp_path / "a.jsonl"))
    assert ran.code == 2
    assert "keeps a long-term memory" in ran.err


def test_users(home: Path, tmp_path: Path) -> None:
    ann, bob = "9cfc09aa76ff341a", "2bd806c97f0e00af"
    root = dreams.cococat(tmp_path / "office", ["postgres"], {ann: ["fish"], bob: ["pnpm", "port"]}).root
    listed = [json.loads(line) for line in run("users", "ls", "-W", root, "--json").out.splitlines()]
    assert [(one["folder"], one["entries"], one["pending"], one["memory"]) for one in listed] == [
        (bob, 2, 2, None),
        (ann, 1, 1, None),
    ]
    assert run("users", "hash", "user_abc").out == f"{ann}\tcococat\n"
    ran = run("dream", "--user", "user_abc", "-W", root, "--idle", "0")
    assert ran.code == 0, ran.err
    [mine] = Path(root).rglob("PROFILE.md")
    assert mine.parent.name == ann
    assert "fish" in mine.read_text()
    assert run("users", "ls", "-W", root).out.splitlines()[1].split("\t")[2] != ""
    nobody = run("dream", "--user", "nobody", "-W", root)
    assert (nobody.code, nobody.err.count(ann), nobody.err.count(bob)) == (2, 1, 1)


def test_nobody_keeps_users(bot: str) -> None:
    assert run("users", "ls", "-W", bot).code == 2


def test_doctor_tells_what_memcli_dreams(bot: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run("dream", "--propose", "-W", bot, "--idle", "0")
    told = run("doctor", "-W", bot).out
    assert "3 items in 1 proposal wait for a decision" in told
    config = tmp_path / "config.toml"
    config.write_text('[llm]\nprovider = "command"\ncommand = ["false"]\n')
    monkeypatch.setenv("MEMCLI_CONFIG", str(config))
    run("history", "append", "The team works in Oslo time.", "-W", bot)
    for _ in range(2):
        run("dream", "-W", bot, "--idle", "0")
    assert "failed 2 times in a row" in run("doctor", "-W", bot).out
    for _ in range(3):
        run("dream", "-W", bot, "--idle", "0")
    assert "1 batch could not be read by any provider and was set aside" in run("doctor", "-W", bot).out


def test_a_repository_in_place(home: Path, tmp_path: Path) -> None:
    workspace = dreams.catbuddy(home, {"desktop:a": ["postgres"]})
    ran = run("dream", "--init-git", "-W", workspace.root, "--idle", "0")
    assert ran.code == 0, ran.err
    assert (Path(workspace.root) / ".git").is_dir()
    [newest, *_] = run("log", "-W", workspace.root, "--json").out.splitlines()
    assert json.loads(newest)["trailers"]["Memcli-Provider"] == ["offline"]


def test_a_dream_of_chats_has_no_position_to_rewind(home: Path) -> None:
    root = dreams.catbuddy(home, {"desktop:a": ["postgres"]}).root
    run("dream", "-W", root, "--idle", "0")
    ran = run("revert", "--rewind-cursor", "-W", root, "--idle", "0")
    assert ran.code == 2
    assert "noted row by row" in ran.err
    assert run("revert", "-W", root, "--idle", "0").code == 0


def test_what_says_nothing_is_passed(home: Path, tmp_path: Path) -> None:
    root = dreams.nanobot(tmp_path / "bot", ["(nothing)", "[no summary]"]).root
    ran = run("dream", "-W", root, "--idle", "0")
    assert ran.code == 0
    assert "says nothing; Dream's position moves behind it (0..2)" in ran.err
