"""The log of unattended runs: a line for each, whatever ended it, and never too many."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from support import dreams
from support.cli import MEMCLI, run

from memcli.storage import run_log


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MEMCLI_STATE_DIR", str(tmp_path / "state"))
    return tmp_path / "state" / "log"


def rows() -> list[dict[str, object]]:
    return list(run_log.rows())


def test_one_line_for_each_run(folder: Path) -> None:
    for number in range(3):
        run_log.begin(["dream", str(number)], 0.0)
        run_log.note(outcome="dreamt", read=2, added=1)
        run_log.note(outcome="dreamt", read=3, why="One was cut.")
        run_log.write(["dream", str(number)], number, 0.0, "It failed.")
    found = rows()
    assert [row["exit"] for row in found] == [0, 1, 2]
    assert [(row["read"], row["added"]) for row in found] == [(5, 1)] * 3
    assert {row["why"] for row in found} == {"It failed. One was cut."}
    assert found[0]["time"] == "1970-01-01T00:00:00Z"
    assert sorted(os.listdir(folder)) == ["lock", "runs.jsonl"]
    assert (folder / "runs.jsonl").stat().st_mode & 0o777 == 0o600


def test_what_others_noted_in_this_process_is_not_told() -> None:
    run_log.note(outcome="dreamt", read=7, why="It was another run.")
    run_log.begin(["dream"], 0.0)
    run_log.write(["dream"], 0, 0.0)
    [row] = rows()
    assert "read" not in row
    assert row["why"] is None


def test_the_oldest_lines_go(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    monkeypatch.setattr(run_log, "SIZE", 1000)
    for number in range(100):
        run_log.write(["compact", f"{number:03d}"], 0, 0.0)
    found = [row["command"][1] for row in rows()]
    assert found == sorted(found)
    assert found[-1] == "099"
    assert 10 < len(found) < 100
    assert sorted(os.listdir(folder)) == ["lock", *(f"runs.{n}.jsonl" for n in range(1, 5)), "runs.jsonl"]
    assert all(path.stat().st_size <= 1000 for path in folder.iterdir())


def test_half_a_line_hides_no_other(folder: Path) -> None:
    run_log.write(["dream"], 0, 0.0)
    with (folder / "runs.jsonl").open("ab") as file:
        file.write(b'{"type":"run","ti')
    run_log.write(["compact"], 0, 0.0)
    assert [row["command"] for row in rows()] == [["dream"], ["compact"]]


def test_a_killed_run_is_told_by_the_next(folder: Path) -> None:
    code = "import os; from memcli.storage import run_log; run_log.begin(['dream', '--cron'], 5.0); os.kill(os.getpid(), 9)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == -9
    run_log.begin(["compact", "--cron"], 9.0)
    run_log.write(["compact", "--cron"], 0, 9.0)
    killed, mine = rows()
    assert (killed["command"], killed["exit"], killed["why"]) == (["dream", "--cron"], None, "It was killed.")
    assert mine["exit"] == 0


@pytest.mark.parametrize(
    "word", ["", "{", "[]", '{"command": 3}', '{"began": "x"}', '{"began": 1e400}', '{"began": -1e300}', "[" * 60000]
)
def test_a_damaged_word_of_a_killed_run_fails_nothing(word: str, folder: Path) -> None:
    folder.mkdir(parents=True)
    (folder / "run-1").write_text(word)
    run_log.begin(["dream"], 5.0)
    run_log.write(["dream"], 0, 5.0)
    assert rows()[-1]["command"] == ["dream"]
    assert not (folder / "run-1").exists()


def test_a_run_under_way_is_not_called_killed(folder: Path) -> None:
    code = (
        "import sys, time; from memcli.storage import run_log; run_log.begin(['slow'], 5.0)\n"
        "print('ready', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"ready\n"
        run_log.begin(["quick"], 9.0)
        run_log.write(["quick"], 0, 9.0)
        assert [row["command"] for row in rows()] == [["quick"]]
        other.kill()


def test_a_log_that_cannot_be_written_fails_nothing(folder: Path) -> None:
    folder.parent.mkdir()
    folder.write_text("no folder")
    run_log.begin(["dream"], 0.0)
    run_log.write(["dream"], 0, 0.0)
    assert rows() == []


def test_the_command_line_leaves_lines(tmp_path: Path) -> None:
    bot = dreams.nanobot(tmp_path / "bot", ["pnpm"]).root
    assert run("dream", "--if-due", "--cron", "-W", bot, "--idle", "0").code == 0
    assert run("dream", "--if-due", "--cron", "-W", bot, "--idle", "0").code == 0
    assert run("dream", "--cron", "--provider", "oracle", "-W", bot).code == 2
    assert run("dream", "--cron", "-W", str(tmp_path / "nowhere")).code == 2
    assert run("dream", "-W", bot, "--idle", "0").code == 0
    found = [json.loads(line) for line in run("state", "log", "--json").out.splitlines()]
    assert [row["exit"] for row in found] == [0, 0, 2, 2]
    assert (found[0]["outcome"], found[0]["read"], found[0]["added"]) == ("dreamt", 1, 1)
    assert found[1]["why"] is None
    assert "oracle" in found[2]["why"]
    assert "nowhere" in found[3]["why"]
    assert len(run("state", "log", "-n", "2").out.splitlines()) == 2
    assert run("state", "-n", "2").code == 2
    assert run("state", "log", "--all").code == 2


def test_told_to_end(tmp_path: Path) -> None:
    bot = dreams.nanobot(tmp_path / "bot", ["pnpm"]).root
    config = tmp_path / "config.toml"
    config.write_text('[llm]\nprovider = "command"\ncommand = ["sleep", "60"]\n')
    words = [*MEMCLI, "dream", "--cron", "-W", bot, "--idle", "0"]
    env = {**os.environ, "MEMCLI_CONFIG": str(config)}
    for number, code in ((signal.SIGTERM, 143), (signal.SIGINT, 130)):
        with subprocess.Popen(words, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            deadline = time.monotonic() + 30
            while not list((tmp_path / "state").rglob("dreams/lock")) and time.monotonic() < deadline:
                time.sleep(0.05)
            time.sleep(0.3)
            process.send_signal(number)
            assert process.wait(30) == code
    assert [row["exit"] for row in rows()] == [143, 130]
    assert [row["why"] for row in rows()] == ["It was told to end.", "It was interrupted."]
