"""memcli sessions merge."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from support import faults
from support.cli import one_sentence, run, snapshot
from support.copies import chat, header, joined, row
from support.display import width
from support.repairs import OLD, inside

NAME = "desktop_main.jsonl"
A = chat("catbuddy", [1, 2, 4])
B = joined(*header("catbuddy", title="标题"), *(row("catbuddy", n) for n in (1, 2, 3, 5)), b'{"id":9,"se')
DONE = joined(*header("catbuddy", title="标题"), *(row("catbuddy", n) for n in (1, 2, 3, 4, 5)))
FORK = joined(*header("catbuddy"), row("catbuddy", 1), row("catbuddy", 2, "另一个版本 " * 20), row("catbuddy", 4))


class Home:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.root = folder / ".catbuddy"
        self.path = self.root / "workspace" / "sessions" / NAME
        self.path.parent.mkdir(parents=True)
        self.copy = folder / "old.bak"
        self.put(A, B)

    def put(self, a: bytes, b: bytes) -> None:
        for path, data in ((self.path, a), (self.copy, b)):
            path.write_bytes(data)
            os.utime(path, ns=(OLD, OLD))

    def merge(self, *more: str, columns: int = 0) -> Any:
        return run("sessions", "merge", "-W", self.root, "desktop:main", self.copy, *more, columns=columns)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    monkeypatch.setenv("MEMCLI_STATE_DIR", str(tmp_path / "state"))
    faults.quick_disk(monkeypatch)
    return Home(tmp_path)


def test_the_plan(home: Home) -> None:
    before = snapshot(home.folder)
    ran = home.merge()
    assert ran.code == 1
    assert ran.rows == [["merge", "plan", "", str(home.path), "2", "1", "2", "0", "0", "0", "1", "0", "0"]]
    assert ran.err == f"{home.path} would get 2 rows of {home.copy}. Nothing was changed; --apply does it.\n"
    assert snapshot(home.folder) == before


def test_there_and_back(home: Home) -> None:
    before = inside(home.root)
    ran = home.merge("--apply")
    assert ran.code == 0
    assert home.path.read_bytes() == DONE
    assert home.copy.read_bytes() == B
    first, second, last = ran.err.splitlines()
    assert first.startswith("Writing to ")
    assert second == f"Merged into {home.path}: 2 rows of {home.copy}."
    assert last.startswith("Undo: memcli undo ")
    assert ran.rows[0][1:3] == ["merged", last.split()[-1]]
    assert home.merge("--apply").code == 0
    assert run(*last.split()[2:], "-q").code == 0
    assert inside(home.root) == before


def test_nothing_to_merge(home: Home) -> None:
    home.put(DONE, B)
    before = snapshot(home.folder)
    for more in ((), ("--apply",)):
        ran = home.merge(*more)
        assert ran.code == 0
        assert ran.rows[0][1] == "nothing"
        assert ran.err.splitlines()[-1] == (
            "Nothing to merge: A has every row of B that can be read. 1 damaged line of B cannot be copied."
        )
    assert snapshot(home.folder) == before
    assert run("sessions", "merge", "-W", home.root, "desktop:main", "desktop:main", "-q") == (
        0,
        f"merge\tnothing\t\t{home.path}\t5\t0\t0\t0\t0\t0\t0\t0\t0\n",
        "",
    )


def test_a_conflict_must_be_decided(home: Home) -> None:
    home.put(A, FORK)
    for more in ((), ("--apply",), ("--to", str(home.folder / "out"))):
        ran = home.merge(*more)
        assert ran.code == 1
        assert [line[0] for line in ran.rows] == ["conflict", "merge"]
        assert ran.rows[1][1] == "undecided"
        assert ran.err.splitlines()[-1] == (
            "1 row is in conflict; decide with --prefer a, --prefer b or --keep-both. Nothing was changed."
        )
    assert home.path.read_bytes() == A
    assert not (home.folder / "out").exists()


@pytest.mark.parametrize(
    ("how", "code", "expected"),
    [
        (["--prefer", "a"], 0, A),
        (["--prefer", "b"], 0, FORK),
        (
            ["--keep-both"],
            0,
            joined(
                *header("catbuddy"),
                row("catbuddy", 1),
                row("catbuddy", 2),
                row("catbuddy", 3, "另一个版本 " * 20, at=2, role="assistant"),
                row("catbuddy", 4),
            ),
        ),
    ],
    ids=["a", "b", "both"],
)
def test_a_decided_conflict(home: Home, how: list[str], code: int, expected: bytes) -> None:
    home.put(A, FORK)
    ran = home.merge(*how, "--apply")
    assert ran.code == code
    assert home.path.read_bytes() == expected


def test_json(home: Home) -> None:
    home.put(A, joined(*FORK.split(b"\n")[:-1], row("catbuddy", 5)))
    conflict, value = map(json.loads, home.merge("--json", "--keep-both").out.splitlines())
    assert (conflict["type"], conflict["what"]) == ("difference", "conflict")
    assert (value["type"], value["state"], value["key"], value["new"]) == ("merge", "plan", "desktop:main", False)
    assert (value["a"], value["b"], value["id"]) == (str(home.path), str(home.copy), None)
    assert (value["both"], value["only_a"], value["added"], value["renumbered"], value["conflicts"]) == (3, 0, 2, 1, 1)
    assert value["before"] == {"seen": 3, "total": 3, "listed": True, "reason": ""}
    assert value["after"]["seen"] == 5
    assert (value["header"], value["notes"], value["refused"]) == ([], [], [])
    assert home.merge("--json", "--where", "type == 'merge'").out.count("\n") == 1


@pytest.mark.parametrize("columns", [120, 60, 40])
def test_on_a_terminal(home: Home, columns: int) -> None:
    home.put(
        joined(*header("catbuddy"), row("catbuddy", 1), row("catbuddy", 2), row("catbuddy", 4)),
        FORK.replace(b'"title":""', '"title":"标题"'.encode()) + row("catbuddy", 7) + b"\n",
    )
    ran = home.merge("--keep-both", "--color", "never", columns=columns)
    lines = ran.out.splitlines()
    assert max(map(width, lines)) <= columns
    assert lines[0].endswith(NAME)
    for words in ("  both    3 rows in both", "  +       2 rows of B", "  number  1 row with another number"):
        assert words in lines
    assert any(line.startswith("  header  title: 标题") for line in lines)
    assert "  agent   sees 3 of 3 rows; then 5 of 5 rows" in lines or columns < 50


def test_notes_are_wrapped_on_a_terminal(home: Home) -> None:
    home.put(joined(row("catbuddy", 1), row("catbuddy", 2)), DONE)
    lines = home.merge("--color", "never", columns=40).out.splitlines()
    assert max(map(width, lines)) <= 40
    assert sum(line.startswith("  note") for line in lines) == 1


def test_a_new_session(home: Home) -> None:
    home.put(A, chat("catbuddy", [1, 2]))
    home.path.unlink()
    ran = home.merge("--color", "never", columns=80)
    assert ran.code == 1
    assert f"{NAME}  (new)" in ran.out
    assert "would be made from 2 rows of" in ran.err
    assert home.merge("--apply").code == 0
    assert home.path.read_bytes() == chat("catbuddy", [1, 2])
    assert run("undo", "-W", home.root, "--idle", "0").code == 0
    assert not home.path.exists()


def test_another_file_is_written(home: Home) -> None:
    out = home.folder / "out.jsonl"
    ran = home.merge("--to", str(out))
    assert ran.code == 0
    assert out.read_bytes() == DONE
    assert home.path.read_bytes() == A
    assert ran.rows[0][1] == "written"
    one_sentence(home.merge("--to", str(out)), 2, "exists already")
    one_sentence(home.merge("--to", str(home.path.parent / "x.jsonl")), 2, "would take it for a chat")


def test_an_agent_at_work(home: Home) -> None:
    os.utime(home.path)
    ran = home.merge("--apply", "--idle", "3600")
    assert ran.code == 4
    assert ran.rows[0][1] == "refused"
    assert "seconds ago" in ran.err
    assert home.path.read_bytes() == A
    assert home.merge("--apply", "--idle", "3600", "--force-live").code == 0


def test_what_would_be_worse_is_refused(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    from memcli.core import judging

    found = iter([{}, {}, {"torn-line": 1}] * 2)
    monkeypatch.setattr(judging, "codes", lambda *more: judging.Counter(next(found)))
    for more in ((), ("--apply",)):
        ran = home.merge(*more)
        assert ran.code == 1
        assert ran.rows[0][1] == "refused"
        assert "would show torn-line; repair the copies first" in ran.err
    assert home.path.read_bytes() == A


@pytest.mark.parametrize(
    ("arguments", "phrase"),
    [
        (["desktop:main"], "memcli sessions merge A B"),
        (["desktop:main", "COPY", "--apply", "--to", "x"], "give one of them"),
        (["desktop:main", "COPY", "--prefer", "a", "--keep-both"], "give one of them"),
        (["desktop:main", "COPY", "--prefer", "c"], "'c' is not one of"),
        (["COPY", "desktop:main", "--apply"], ""),
    ],
)
def test_usage(home: Home, arguments: list[str], phrase: str) -> None:
    words = [str(home.copy) if word == "COPY" else word for word in arguments]
    ran = run("sessions", "merge", "-W", home.root, *words)
    if phrase:
        one_sentence(ran, 2, phrase)
    else:  # the copy is a file like another: it is written to
        assert ran.code == 0
        assert home.copy.read_bytes() != B
    assert home.path.read_bytes() == A


def test_an_archive_is_not_written_to(home: Home) -> None:
    import gzip

    packed = home.folder / "old.gz"
    packed.write_bytes(gzip.compress(A))
    ran = run("sessions", "merge", packed, home.copy, "--apply")
    one_sentence(ran, 2, "is no file in its place")
