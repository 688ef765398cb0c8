"""memcli sessions diff."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.cli import one_sentence, run
from support.copies import chat, header, joined, row
from support.display import width

A = chat("catbuddy", [1, 2, 3, 4, 5, 6])
B = joined(
    *header("catbuddy", title="标题"),
    row("catbuddy", 5),
    row("catbuddy", 1),
    row("catbuddy", 3, "另一个版本\x1b[31m " * 9),
    row("catbuddy", 4, latencyMs=[1, {"a": None}]),
    row("catbuddy", 6),
    row("catbuddy", 7, "new\tline\n"),
    b'{"id":9,"se',
)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / ".catbuddy" / "workspace" / "sessions"
    folder.mkdir(parents=True)
    (folder / "desktop_main.jsonl").write_bytes(A)
    (tmp_path / "old.bak").write_bytes(B)
    return tmp_path


def diff(home: Path, *more: str, columns: int = 0) -> Any:
    return run("sessions", "diff", "-W", home / ".catbuddy", "desktop:main", home / "old.bak", *more, columns=columns)


def test_in_a_pipe(home: Path) -> None:
    ran = diff(home)
    assert ran.code == 1
    assert ran.rows == [
        ["header", "", "", "", "", "title", "", "标题"],
        ["only-a", "2", "", "assistant", "2026-05-20T08:00:02.000Z", "", "你好，世界 2", ""],
        [
            "conflict",
            "3",
            "3",
            "user",
            "2026-05-20T08:00:03.000Z",
            "content",
            "тест 👩\u200d💻 3",
            "另一个版本\\x1b[31m " * 9,
        ],
        ["conflict", "4", "4", "assistant", "2026-05-20T08:00:04.000Z", "latencyMs", "", '[1, {"a": null}]'],
        ["moved", "5", "1", "user", "2026-05-20T08:00:05.000Z", "", " 5", " 5"],
        ["only-b", "", "6", "user", "2026-05-20T08:00:07.000Z", "", "", "new\\tline\\n"],
        ["unreadable-b", "", "7", "", "", "", "", "torn-line"],
    ]
    assert ran.err == (
        "Each has something that the other has not, or has otherwise. 3 rows in both; 1 only in A; 2 only in B at its end; "
        "1 in another place; 2 in two versions; 1 line of B cannot be read.\n"
    )
    assert diff(home, "-q").err == ""


def test_json(home: Path) -> None:
    *rows, last = map(json.loads, diff(home, "--json").out.splitlines())
    assert [one["what"] for one in rows] == [one[0] for one in diff(home).rows]
    assert rows[0]["members"] == [{"name": "title", "a": "", "b": "标题"}]
    conflict = rows[3]
    assert conflict["members"] == [{"name": "latencyMs", "b": [1, {"a": None}]}]
    assert (conflict["id"], conflict["role"]) == (4, "assistant")
    assert conflict["a"] == {
        "row": 4,
        "line": 5,
        "offset": A.index(row("catbuddy", 4)),
        "length": len(row("catbuddy", 4)),
    }
    assert rows[-1]["flaw"] == "torn-line"
    assert (last["type"], last["state"], last["same"], last["conflicts"]) == ("summary", "mixed", 3, 2)
    assert (last["a"]["key"], last["a"]["rows"], last["b"]["rows"]) == ("desktop:main", 6, 7)
    assert diff(home, "--json", "--where", "what == 'moved'").out.count("\n") == 1
    assert json.loads(diff(home, "--where", "type == 'summary'", "--query", "tail_b").out) == 2


@pytest.mark.parametrize("columns", [120, 60, 30])
def test_on_a_terminal(home: Path, columns: int) -> None:
    ran = diff(home, "--color", "never", columns=columns)
    lines = ran.out.splitlines()
    assert max(map(width, lines)) <= columns
    assert "\x1b" not in ran.out
    assert lines[1].endswith("old.bak  7 rows")
    assert "! header" in lines
    assert any(line.startswith("- A #2") for line in lines)
    assert any(line.startswith("+ B #6") for line in lines)
    assert any(line.startswith("> A #5 / B #1") for line in lines)
    assert any(line.startswith("    + 另一个") for line in lines)
    assert any(line.startswith("? B #7") for line in lines)


def test_a_long_run_is_cut_on_a_terminal_only(home: Path) -> None:
    (home / "old.bak").write_bytes(chat("catbuddy", range(1, 60)))
    ran = diff(home, columns=80)
    assert ran.out.count("\x1b[32m+ B #") == 20
    assert "and 33 more; --json has them all" in ran.out
    assert "B has all rows of A and goes on." in ran.err
    assert len(diff(home).rows) == 53


def test_where_on_a_terminal(home: Path) -> None:
    assert diff(home, "--where", "what == 'only-b'", "--color", "never", columns=80).out.count("B #") == 1


@pytest.mark.parametrize(
    ("b", "code", "sentence"),
    [
        (A, 0, "They are the same. 6 rows in both.\n"),
        (
            A.replace(b'"title":""', b'"title":"x"'),
            1,
            "Their rows are the same; their headers differ. 6 rows in both.\n",
        ),
        (chat("catbuddy", [1, 2]), 1, "A has all rows of B and goes on. 2 rows in both; 4 only in A at its end.\n"),
        (
            chat("catbuddy", [1, 2, 8]),
            1,
            "They begin alike and went apart. 2 rows in both; 4 only in A at its end; 1 only in B at its end.\n",
        ),
        (A.replace(b"\n", b"\r\n"), 0, "They are the same. 6 rows in both; 6 written otherwise.\n"),
    ],
    ids=["same", "header", "shorter", "fork", "crlf"],
)
def test_how_they_stand_to_each_other(home: Path, b: bytes, code: int, sentence: str) -> None:
    (home / "old.bak").write_bytes(b)
    ran = diff(home)
    assert (ran.code, ran.err) == (code, sentence)


@pytest.mark.parametrize(
    ("arguments", "code", "phrase"),
    [
        ([], 2, "memcli sessions diff A B"),
        (["desktop:main"], 2, "memcli sessions diff A B"),
        (["desktop:main", "nobody"], 2, "No session answers to 'nobody'"),
        (["desktop:main", "/nonexistent/x.jsonl"], 2, "does not exist"),
    ],
)
def test_what_cannot_be_compared(home: Path, arguments: list[str], code: int, phrase: str) -> None:
    one_sentence(run("sessions", "diff", "-W", home / ".catbuddy", *arguments), code, phrase)


def test_a_folder_with_a_jsonl_name_is_no_copy(home: Path) -> None:
    (home / "x.jsonl").mkdir()
    one_sentence(run("sessions", "diff", home / "x.jsonl", home / "old.bak"), 2, "is a folder")


def test_nothing_is_changed(home: Path, intact: Any) -> None:
    intact(home)
    diff(home)
