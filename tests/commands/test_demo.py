"""`demo`: what it writes, what it prints, and what it leaves alone."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from support import golden
from support.cli import run, snapshot

from memcli.core import demonstrating


def test_page(tmp_path: Path) -> None:
    ran = run("demo", "try me", cwd=tmp_path)
    assert (ran.code, ran.err) == (0, "Wrote a demonstration workspace in try me.\n")
    golden.check("demo/page.txt", ran.out, {"TMP": tmp_path})


def test_the_commands_that_it_names_work(tmp_path: Path) -> None:
    page = run("demo", cwd=tmp_path).out
    named = [line.strip() for line in page.splitlines() if line.startswith("  memcli ")]
    assert len(named) == 6
    for command in named:
        words = command.replace("'", "").split()[1:]
        ran = run(*words, cwd=tmp_path)
        assert (ran.code, ran.out != "") == (0, True), command


def test_a_second_run_inspects_what_the_first_one_wrote(tmp_path: Path) -> None:
    first = run("demo", tmp_path / "it")
    before = snapshot(tmp_path)
    again = run("demo", tmp_path / "it")
    assert (again.code, again.out) == (0, first.out)
    assert again.err == f"Found a demonstration workspace in {tmp_path}/it.\n"
    assert snapshot(tmp_path) == before


def test_quiet(tmp_path: Path) -> None:
    ran = run("demo", "-q", tmp_path / "it")
    assert (ran.code, ran.err) == (0, "")


def test_an_empty_folder_is_taken(tmp_path: Path) -> None:
    (tmp_path / "it").mkdir()
    assert run("demo", tmp_path / "it").code == 0
    assert (tmp_path / "it" / "README.txt").is_file()


@pytest.mark.parametrize("kind", ["folder", "file", "symlink", "broken symlink"])
def test_nothing_of_the_users_is_touched(tmp_path: Path, kind: str) -> None:
    place, elsewhere = tmp_path / "mine", tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "notes.txt").write_text("mine")
    if kind == "folder":
        place.mkdir()
        (place / "notes.txt").write_text("mine")
    elif kind == "file":
        place.write_text("mine")
    else:
        os.symlink(elsewhere if kind == "symlink" else tmp_path / "nowhere", place)
    before = snapshot(tmp_path)
    ran = run("demo", place)
    assert ran.code == 2
    assert ran.err == (
        f"memcli: {place} exists and is not a demonstration workspace; nothing was written. "
        "Name another folder: memcli demo DIR\n"
    )
    assert snapshot(tmp_path) == before


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    ran = run("demo", tmp_path / "file" / "below")
    assert (ran.code, ran.out) == (3, "")
    sentence = f"memcli: The demonstration could not be written to {tmp_path}/file/below: Not a directory.\n"
    assert ran.err == sentence


def test_the_same_bytes_at_every_call() -> None:
    assert demonstrating.files() == demonstrating.files()
    assert all(isinstance(content, bytes) for content in demonstrating.files().values())
