"""Rows of the archive read as sessions: grep, tail and sessions show, with damage named, and nothing left behind."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path

import pytest
from support import archives, faults, lost
from support.cli import run

from memcli.core import archived, discovering, listing
from memcli.model import SessionRef
from memcli.storage import row_archive, state

KEY = "desktop:main"
OTHER = "desktop:two"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two chats of 30 rows, of which 20 and 5 are in the archive, and one of which none is."""
    monkeypatch.setenv("MEMCLI_STATE_DIR", str(tmp_path / "state"))
    faults.quick_disk(monkeypatch)
    root = tmp_path / "ws"
    lost.put(root / "memory" / "MEMORY.md", b"# Memory\n")
    for key, count in ((KEY, 20), (OTHER, 5), ("desktop:three", 0)):
        rows = [lost.compact(lost.cat_row(n, key, f"word{n} of {key}")) for n in range(1, 31)]
        path = lost.put(root / "sessions" / lost.cat_name(key), lost.lines([lost.compact(lost.cat_header(key)), *rows]))
        if count:
            archives.trim(root, path, count, key=key)
    return root


def series(home: Path, key: str = KEY) -> row_archive.Series:
    found = archived.series(reference(home, key))
    assert found is not None
    return found


def reference(home: Path, key: str = KEY) -> SessionRef:
    workspaces = discovering.find([str(home)])
    return next(listing.reference(row, workspaces) for row in listing.sessions(workspaces) if row.key == key)


def test_grep_finds_rows_of_the_archive_and_says_that_they_are(home: Path) -> None:
    assert run("grep", "word3 of", "-W", home).rows == [
        ["desktop:three", "3", "user", lost.stamp(3), "word3 of desktop:three"]
    ]
    found = run("grep", "--archive", "word3 of", "-W", home).rows
    assert [row[:2] for row in found] == [["desktop:three", "3"], [KEY, "archive:3"], [OTHER, "archive:3"]]
    rows = [json.loads(line) for line in run("grep", "--archive", "word3 of", "--json", "-W", home).out.splitlines()]
    assert [(row["key"], row["row"], row.get("archived")) for row in rows] == [
        ("desktop:three", 3, None),
        (KEY, 3, True),
        (OTHER, 3, True),
    ]
    assert rows[1]["path"] == series(home).folder


def test_grep_of_one_session_searches_its_archive_only(home: Path) -> None:
    assert [row[:2] for row in run("grep", "--archive", "word3 of", OTHER, "-W", home).rows] == [[OTHER, "archive:3"]]
    assert run("grep", "--archive", "word3 of", "desktop:three", "-W", home).rows[0][:2] == ["desktop:three", "3"]


THREE, TWO = "desktop:three", OTHER
FORMS: dict[str, tuple[list[str], list[list[str]]]] = {
    "count": (["-c", "word1"], [[THREE, "11"], [TWO, "10"], [KEY, "11"], [TWO, "1"]]),
    "only": (
        ["-o", "-E", "word2[01] of"],
        [[KEY, "1"], [THREE, "20"], [THREE, "21"], [TWO, "15"], [TWO, "16"], [KEY, "archive:20"]],
    ),
    "context": (
        ["-C", "1", "word19 of"],
        [
            *([THREE, "18-"], [THREE, "19"], [THREE, "20-"], [TWO, "13-"], [TWO, "14"], [TWO, "15-"]),
            *([KEY, "archive:18-"], [KEY, "archive:19"], [KEY, "archive:20-"]),
        ],
    ),
    "most": (["-m", "1", "word1"], [[THREE, "1"], [TWO, "5"], [KEY, "archive:1"], [TWO, "archive:1"]]),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_grep_has_them(home: Path, form: str) -> None:
    options, lines = FORMS[form]
    assert [row[:2] for row in run("grep", "--archive", *options, "-W", home).rows if len(row) > 1] == lines


def test_what_is_left_of_sessions_that_are_gone(home: Path) -> None:
    (home / "sessions" / lost.cat_name(OTHER)).unlink()
    assert [row[:2] for row in run("grep", "--archive", "word4 of", "-W", home).rows][-1] == [OTHER, "archive:4"]


def test_files_of_the_archive_are_named_by_their_folder(home: Path) -> None:
    paths = run("grep", "--archive", "-l", "word2 of desktop:main", "-W", home).out.splitlines()
    assert paths == [series(home).folder]
    assert "word20 of" in run("tail", paths[0], "-n", "1").out
    assert run("sessions", "show", paths[0], "--row", "7", "--json").rows
    assert json.loads(run("sessions", "show", paths[0], "--json").out)["rows"] == 20
    assert run("tail", os.path.dirname(paths[0])).code == 2


@pytest.mark.parametrize(
    ("count", "words"),
    [(0, []), (3, [28, 29, 30]), (10, list(range(21, 31))), (12, list(range(19, 31))), (99, list(range(1, 31)))],
)
def test_tail_goes_on_into_the_archive(home: Path, count: int, words: list[int]) -> None:
    ran = run("tail", KEY, "--archive", "-n", str(count), "--json", "-W", home)
    rows = [json.loads(line) for line in ran.out.splitlines()]
    assert [row["text"].split()[0] for row in rows] == [f"word{n}" for n in words]
    assert [row.get("archived", False) for row in rows] == [n <= 20 for n in words]
    assert [row["row"] for row in rows] == [n if n <= 20 else n - 20 for n in words]


def test_tail_of_all_sessions_merges_by_time(home: Path) -> None:
    ran = run("tail", "--all", "--archive", "-n", "90", "--json", "-W", home)
    rows = [json.loads(line) for line in ran.out.splitlines()]
    assert len(rows) == 90
    assert [row["timestamp"] for row in rows] == sorted(row["timestamp"] for row in rows)
    assert sum(row.get("archived", False) for row in rows) == 25
    assert run("tail", "--all", "--archive", "-n", "0", "-W", home).out == ""


def test_tail_with_a_role(home: Path) -> None:
    ran = run("tail", KEY, "--archive", "-n", "12", "--role", "user", "-W", home)
    assert "word7 of" in ran.out
    assert "word5 of" not in ran.out


def test_sessions_show_says_how_many_and_since_when(home: Path) -> None:
    page = run("sessions", "show", KEY, "-W", home).out
    assert f"  archive 20 more rows since {archives.AT}; tail and grep show them with --archive\n" in page
    assert "  archive " not in run("sessions", "show", "desktop:three", "-W", home).out
    told = json.loads(run("sessions", "show", KEY, "--json", "-W", home).out)
    assert (told["archived"], told["archived_since"]) == (20, archives.AT)


def test_a_session_that_was_renamed_has_its_archive(home: Path) -> None:
    path = home / "sessions" / lost.cat_name(KEY)
    path.rename(path.with_name("desktop_main (1).jsonl"))
    assert json.loads(run("sessions", "show", KEY, "--json", "-W", home).out)["archived"] == 20


def test_damage_is_named_and_what_is_whole_is_read(home: Path) -> None:
    path = Path(series(home).members[0].path)
    path.write_bytes(path.read_bytes()[:-40])
    for command in (("grep", "--archive", "word1 of desktop:main"), ("tail", KEY, "--archive", "-n", "30")):
        ran = run(*command, "-W", home)
        assert ran.code == 3
        assert "word1 of desktop:main" in ran.out
        assert f"{path} is damaged from row 1 on: its end is missing; what is whole was read." in ran.err


def test_a_state_folder_of_another_user_has_nothing(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from memcli.errors import RefusedForSafety

    def refuse(base: str) -> None:
        raise RefusedForSafety("Not yours.")

    monkeypatch.setattr(state, "_refuse_foreign", refuse)
    assert archived.series(reference(home)) is None
    assert archived.every(reference(home).workspace) == []
    assert run("sessions", "ls", "--long", "-W", home).code == 0


def test_nothing_unpacked_is_left(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "scratch"))
    (tmp_path / "scratch").mkdir()
    run("grep", "--archive", "word", "-W", home)
    run("tail", "--all", "--archive", "-W", home)
    assert [path for path in (tmp_path / "scratch").rglob("*") if path.is_file()] == []


def test_the_series_of_a_workspace_that_is_gone_can_be_read(home: Path) -> None:
    folder = series(home).folder
    home.rename(home.with_name("moved"))
    ref = archived.at(folder, lambda place: None)
    assert ref is not None
    assert (ref.key, ref.agent, ref.archived, ref.shown) == (KEY, "catbuddy", True, folder)
    assert archived.at(os.path.dirname(folder), lambda place: None) is None


def test_a_series_that_tells_nothing_is_read_all_the_same(home: Path) -> None:
    path = Path(series(home).members[0].path)
    raw = path.read_bytes()
    path.write_bytes(raw.replace(b'"session":"desktop:main"', b'"session":"desktop:MAIN"', 1))
    ref = archived.at(str(path.parent), lambda place: None)
    assert ref is not None
    assert ref.key == path.parent.name
    assert Path(ref.path).read_bytes().count(b"\n") == 20
