"""memcli doctor WORDS, as it is typed."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest
from support.cli import one_sentence, run, snapshot, spawn
from support.hazards import HAZARDS, HELD, good

from memcli.output.columns import width

CHATS = "catbuddy/home-workspace"


def words(*arguments: str | Path, **options: object) -> tuple[int, list[dict[str, object]]]:
    ran = run("doctor", *arguments, "--json", **options)
    return ran.code, [json.loads(line) for line in ran.out.splitlines()]


@pytest.mark.parametrize("hazard", HAZARDS)
def test_whatever_lies_beside_a_chat_it_is_found(tmp_path: Path, hazard: str) -> None:
    folder = tmp_path / "chats"
    folder.mkdir()
    good(folder)
    HAZARDS[hazard][0](folder)
    before = snapshot(folder)
    arguments = ("doctor", "needle", "-W", folder)
    ran = spawn(*arguments, mortal=True) if hazard == "no permission" else run(*arguments)
    assert snapshot(folder) == before
    while HELD:
        os.close(HELD.pop())
    assert "not-lost  good\n" in ran.out
    others = [line for line in ran.out.splitlines() if line.endswith("  odd") and not line.startswith("not-lost")]
    assert ran.code == bool(others)
    assert "Traceback" not in ran.err
    unread = bool(HAZARDS[hazard][2]) or hazard == "sparse"  # one line, too long to be read
    assert unread == (f"Not checked: {folder}/odd.jsonl: " in ran.err)


def test_words_and_sessions_of_a_healthy_chat(samples: Path) -> None:
    for asked in ("add vitest", "desktop:main"):
        code, rows = words(asked, "-W", samples / CHATS)
        mine = [row for row in rows if row["key"] == "desktop:main"]
        assert [(row["cause"], row["recoverable"], row["lost"]) for row in mine] == [("not-lost", 0, 0)]
        assert code == int(len(rows) > len(mine))


def test_the_page_of_a_damaged_chat(tmp_path: Path, samples: Path) -> None:
    shutil.copytree(samples / CHATS, tmp_path / "家")
    ran = run("doctor", "desktop:1730456789000", "-W", tmp_path / "家", columns=60)
    lines = ran.out.replace("\x1b", "").splitlines()
    assert ran.code == 1
    assert "desktop:1730456789000" in lines[0]
    assert any(f"-W '{tmp_path}/家'" in line for line in lines)
    plain = run("doctor", "desktop:1730456789000", "-W", tmp_path / "家", "--color", "never", columns=60).out
    assert all(width(line) <= 60 for line in plain.splitlines() if not line.startswith("  memcli "))
    assert "Looked at session files, " in ran.err


def test_a_locale_without_chinese(tmp_path: Path, samples: Path) -> None:
    shutil.copytree(samples / CHATS, tmp_path / "家")
    ran = run("doctor", "add vitest", "-W", tmp_path / "家", encoding="ascii")
    assert r"/\xe5\xae\xb6'" in ran.out  # bash, zsh and ksh read it back as the folder
    assert ran.out.isascii()


@pytest.mark.parametrize("text", ["", "  "])
def test_no_words(samples: Path, text: str) -> None:
    one_sentence(run("doctor", text, "-W", samples / CHATS), 2, "Tell some words")


@pytest.mark.parametrize(
    ("options", "code", "out"),
    [
        (["--query", "cause"], 1, '"unknown"\n'),
        (["--where", "cause != 'unknown'"], 0, ""),
        (["--fail-on", "never", "--query", "[cause, layer]"], 0, '["unknown","none"]\n'),
        (["-q", "--query", "lost"], 1, "null\n"),
    ],
)
def test_words_that_stand_nowhere(samples: Path, options: list[str], code: int, out: str) -> None:
    ran = run("doctor", "nothing of the kind", "-W", samples / CHATS, *options)
    assert (ran.code, ran.out) == (code, out)
    assert (ran.err == "") == ("-q" in options)


def test_nothing_is_written(tmp_path: Path, samples: Path, no_home: Path) -> None:
    shutil.copytree(samples / CHATS, tmp_path / "w")
    before = snapshot(tmp_path)
    for asked in ("vitest", "desktop:main", "desktop:gone", "nothing of the kind"):
        run("doctor", asked, "-W", tmp_path / "w")
    assert snapshot(tmp_path) == before
    assert list(no_home.iterdir()) == []
