"""`sessions ls`: golden rows over every sample, then filters, order and what a damaged file looks like."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from support import golden
from support.cli import run
from support.clock import NOW

FORMS = {"tsv": [], "jsonl": ["--json"], "long.tsv": ["--long"], "long.jsonl": ["--long", "--json"]}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("workspace", golden.WORKSPACES)
def test_golden(stage: dict[str, Path], workspace: str, form: str) -> None:
    ran = run("sessions", "ls", "-W", stage[workspace], *FORMS[form])
    assert (ran.code, ran.err) == (0, "")
    golden.check(f"sessions_ls/{workspace}.{form}", ran.out, {"SAMPLES": stage[workspace].parent})


MAIN, TRAVEL, PORT = "desktop:main", "desktop:1748736000000", "desktop:1748822400000"
TORN, EMPTY, NULS = "desktop:1748908800000", "desktop:1748995200000", "desktop:1749081600000"
CHOICES = {
    # arguments: the keys in order
    "": [NULS, EMPTY, MAIN, TORN, PORT, TRAVEL],
    "--sort key": [TRAVEL, PORT, TORN, EMPTY, NULS, MAIN],
    "--sort size": [NULS, MAIN, PORT, TRAVEL, TORN, EMPTY],
    "--sort created": [MAIN, TORN, PORT, TRAVEL, NULS, EMPTY],
    "--limit 2": [NULS, EMPTY],
    "--limit 0": [],
    "--damaged": [NULS, EMPTY, TORN, PORT],
    "--damaged --limit 1 --sort size": [NULS],
    "--since 2026-05-15": [NULS, EMPTY, MAIN],
    "--since 201d": [NULS, EMPTY, MAIN, TORN],
    "--until 2026-05-13": [PORT, TRAVEL],
    "--since 2026-05-13 --until 2026-05-14T21:30:29Z": [PORT],
    "--since yesterday": [],
    "--where size>`1000`": [NULS, MAIN, PORT],
    "--where contains(damage,'torn-tail')": [TORN],
}


@pytest.mark.parametrize("arguments", CHOICES)
def test_choices(demonstration: Path, arguments: str) -> None:
    ran = run("sessions", "ls", "-W", demonstration, *arguments.split())
    assert (ran.code, ran.err) == (0, "")
    assert [row[1] for row in ran.rows] == CHOICES[arguments]


def test_query_shapes_each_row(demonstration: Path) -> None:
    ran = run("sessions", "ls", "-W", demonstration, "--query", "[key, size]", "--limit", "2")
    assert [json.loads(line) for line in ran.out.splitlines()] == [[NULS, 4096], [EMPTY, 0]]


@pytest.mark.parametrize(
    ("age", "state"), [(0, "live"), (59, "live"), (61, "idle"), (44 * 60, "idle"), (46 * 60, "ended")]
)
def test_state(tmp_path: Path, age: int, state: str) -> None:
    path = tmp_path / "chat.jsonl"
    path.write_text('{"role":"user","content":"hi"}\n')
    os.utime(path, (NOW - age, NOW - age))
    ran = run("sessions", "ls", "--long", "--json", "-W", path)
    assert json.loads(ran.out)["state"] == state


def test_a_session_is_as_young_as_its_last_row_or_its_file(tmp_path: Path) -> None:
    path = tmp_path / "chat.jsonl"
    path.write_text('{"role":"user","content":"hi","timestamp":"2026-11-30T23:59:50Z"}\n')
    os.utime(path, (NOW - 90000, NOW - 90000))
    assert run("sessions", "ls", "--long", "-W", path).rows[0][7] == "live"


def test_a_file_that_cannot_be_read_has_no_state(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"role":"user","content":"hi"}\n')
    os.mkfifo(tmp_path / "b.jsonl")
    ran = run("sessions", "ls", "--long", "--json", "-W", tmp_path)
    rows = {row["key"]: row for row in map(json.loads, ran.out.splitlines())}
    assert rows["b"]["state"] == "unreadable"
    assert (rows["b"]["messages"], rows["b"]["damage"], rows["b"]["why"]) == (None, ["odd-file"], "a FIFO")
    assert rows["a"]["messages"] == 1


def test_columns_of_several_agents_and_leftovers_on_a_terminal_only(stage: dict[str, Path]) -> None:
    ran = run("sessions", "ls", "-W", stage["catbuddy"], "-W", stage["cococat-v2-layout"])
    assert sorted({row[2] for row in ran.rows}) == ["catbuddy", "cococat"]
    assert ran.err == ""
