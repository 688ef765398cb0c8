"""A session read for an export: its facts, its rows in their places, what it says of damage."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from memcli.core import rows, selecting
from memcli.core.exporting import LONGEST_HEADER, Entry, Facts, Session, unread
from memcli.core.redacting import Redactor
from memcli.errors import CannotRead

KEY = "sk-ant-api03-PfYoZJkJiNc4uXqmTdiRBkXd"
HEADER = {
    "key": "desktop:main",
    "title": "A title",
    "preview": "cut",
    "created_at": "2026-05-20T08:00:00.000Z",
    "updated_at": "2026-05-20T09:00:00.000Z",
    "last_consolidated": 0,
}


def said(number: int, text: str, role: str = "user") -> str:
    stamp = f"2026-05-20T08:30:{number:02}.000Z"
    return json.dumps({"id": number, "sessionKey": "desktop:main", "role": role, "content": text, "timestamp": stamp})


def session(folder: Path, *lines: str, header: dict[str, object] | None = None, end: str = "\n") -> Path:
    path = folder / "desktop_main.jsonl"
    path.write_text("\n".join([json.dumps(HEADER if header is None else header), *lines]) + end)
    return path


def read(path: Path, redactor: Redactor | None = None) -> tuple[Facts, list[Entry]]:
    with Session(selecting.of_file(str(path), None), redactor) as opened:
        return opened.facts(), list(opened.entries())


def test_facts(tmp_path: Path) -> None:
    path = session(tmp_path, said(1, "hello"), said(2, "hi", "assistant"), said(3, "again"))
    facts, entries = read(path)
    assert facts == Facts(
        agent="catbuddy",
        era="",
        key="desktop:main",
        title="A title",
        preview="cut",
        path=str(path),
        size=path.stat().st_size,
        created_at="2026-05-20T08:00:00.000Z",
        updated_at="2026-05-20T09:00:00.000Z",
        first="2026-05-20T08:30:01.000Z",
        last="2026-05-20T08:30:03.000Z",
        messages=3,
        roles={"user": 2, "assistant": 1},
        updated=1779267600.0,
        header=("\n".join(f"{name}: {value}" for name, value in HEADER.items()),),
    )
    assert [(entry.row, entry.line, entry.flaw, entry.records[0].content) for entry in entries] == [
        (1, 2, "", "hello"),
        (2, 3, "", "hi"),
        (3, 4, "", "again"),
    ]


def test_damage_is_told_in_its_place(tmp_path: Path) -> None:
    torn, glued = said(2, "lost")[:-9], said(3, "one") + said(4, "two")
    path = session(tmp_path, said(1, "first"), torn, "", glued, said(5, "cut")[:-3], end="")
    facts, entries = read(path)
    assert (facts.messages, facts.lost) == (3, 2)
    assert facts.lost_bytes == len(torn) + len(said(5, "cut")[:-3])
    assert sorted(facts.damage) == ["glued-lines", "torn-line", "torn-tail"]
    assert [(entry.row, len(entry.records)) for entry in entries] == [(1, 1), (2, 0), (3, 2), (4, 0)]
    lost = entries[1]
    assert (lost.line, lost.length, lost.flaw) == (3, len(torn), "torn-line")
    assert path.read_bytes()[lost.offset : lost.offset + lost.length] == torn.encode()


def test_without_a_header(tmp_path: Path) -> None:
    path = tmp_path / "chat.jsonl"
    path.write_text('{"role":"user","content":"one"}\n{"role":"assistant","content":"two"}\n')
    os.utime(path, (5, 5))
    facts, _ = read(path)
    assert (facts.key, facts.title, facts.preview, facts.header) == ("chat", "", "one", ())
    assert (facts.created_at, facts.first, facts.last, facts.updated) == (None, None, None, 5.0)


def test_an_empty_file(tmp_path: Path) -> None:
    path = tmp_path / "chat.jsonl"
    path.touch()
    facts, entries = read(path)
    assert (facts.messages, facts.damage, entries) == (0, ("empty-file",), [])


def test_a_header_that_only_its_agent_can_read(tmp_path: Path) -> None:
    path = session(tmp_path, said(1, "x"), header={**HEADER, "metadata": {"state": "s" * LONGEST_HEADER}})
    facts, _ = read(path)
    assert facts.title == "A title"
    assert facts.header == (f"({len(path.read_text().splitlines()[0]):,} bytes, for the agent only)",)


def test_everything_is_masked(tmp_path: Path) -> None:
    header = {
        **HEADER,
        "title": f"use {KEY[:20]}",
        "preview": f"use {KEY[:16]}",
        "metadata": {"mail": "ann@firm.example"},
    }
    path = session(
        tmp_path, said(1, f"use {KEY} for ann@firm.example"), said(2, "-p" + "Shop@2026", "tool"), header=header
    )
    path.write_text(path.read_text() + said(3, "密码：Shop@2026", "assistant") + "\n")
    facts, entries = read(path, Redactor())
    text = repr((facts, entries))
    for value in ("sk-ant", "ann@", "Shop@2026"):
        assert value not in text
    assert facts.title == "use [api-key-2]"
    assert facts.preview == "use [api-key-1] for [email-1]"
    assert entries[0].records[0].content == "use [api-key-1] for [email-1]"
    assert entries[1].records[0].content == "-p[password-1]"


def test_what_is_written_meanwhile_is_not_looked_at(tmp_path: Path) -> None:
    path = session(tmp_path, said(1, "x"))
    with Session(selecting.of_file(str(path), None)) as opened:
        facts = opened.facts()
        with path.open("a") as file:
            file.write(said(2, "later") + "\n")
        assert len(list(opened.entries())) == facts.messages == 1


def test_progress_tells_the_bytes_of_both_readings(tmp_path: Path) -> None:
    path = session(tmp_path, *(said(number % 60, "x" * 50) for number in range(2100)))
    told: list[int] = []
    with Session(selecting.of_file(str(path), None), progress=told.append) as opened:
        opened.facts()
        list(opened.entries())
        assert opened.told == 2 * path.stat().st_size
    assert told == sorted(told)
    assert len(told) == 4


def test_a_disk_that_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = session(tmp_path, said(1, "x"))

    def fail(*_: object) -> None:
        raise OSError(5, "Input/output error")

    with Session(selecting.of_file(str(path), None)) as opened:
        monkeypatch.setattr(rows, "read", fail)
        with pytest.raises(CannotRead, match="input/output error"):
            opened.facts()


def test_what_cannot_be_opened(tmp_path: Path) -> None:
    ref = selecting.of_file(str(session(tmp_path, said(1, "x"))), None)
    ref = ref._replace(path=str(tmp_path / "gone"), shown="/home/mei/Y2xpOmRpcmVjdA", key="13812345678")
    with pytest.raises(CannotRead):
        Session(ref)
    facts = unread(ref, "it is gone", Redactor())
    assert (facts.key, facts.path, facts.why) == ("[phone-1]", "/home/[user-1]/[name]", "it is gone")
    assert (facts.damage, facts.messages, facts.size) == (("unreadable",), 0, 0)
    assert unread(ref, "it is gone").key == "13812345678"
