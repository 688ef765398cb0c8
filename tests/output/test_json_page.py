"""JSON documents: one on a line, records as elsewhere, exact values."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from memcli.core.exporting import Entry, Facts
from memcli.model import Record, ToolCall
from memcli.output import json_page

FACTS = Facts("catbuddy", "", "k", "t", "p", "/x", 10, updated_at="2026-05-20T08:30:00", messages=1, roles={"user": 1})


def document(*entries: Entry, **more: object) -> dict[str, object]:
    data = b"".join(json_page.session(FACTS, entries, **more))
    assert data.count(b"\n") == 1
    assert data.endswith(b"\n")
    return json.loads(data)


def test_a_document() -> None:
    call = ToolCall("c1", "run", "a: 1")
    value = document(
        Entry(1, 2, 100, 10, "", (Record("assistant", "x", calls=(call,)), Record("user", "y"))),
        Entry(2, 3, 111, 20, "torn-line", ()),
        masked=True,
        tz="Asia/Shanghai",
    )
    records = value.pop("records")
    assert value == {
        "type": "session",
        "agent": "catbuddy",
        "era": None,
        "key": "k",
        "title": "t",
        "preview": "p",
        "created_at": None,
        "updated_at": "2026-05-20T08:30:00",
        "updated_at_utc": "2026-05-20T00:30:00.000Z",
        "path": "/x",
        "size": 10,
        "first": None,
        "last": None,
        "messages": 1,
        "roles": {"user": 1},
        "unreadable": 0,
        "unreadable_bytes": 0,
        "damage": [],
        "masked": True,
        "header": [],
    }
    assert [record["type"] for record in records] == ["record", "record", "unreadable"]
    assert records[0]["text"] == "x\nrun\na: 1"
    assert records[0]["content"] == "x"
    assert records[0]["calls"] == [{"id": "c1", "name": "run", "arguments": "a: 1"}]
    assert "content" not in records[1]
    assert records[2] == {"type": "unreadable", "line": 3, "row": 2, "offset": 111, "length": 20, "flaw": "torn-line"}


@given(st.text())
def test_any_text_comes_back(text: str) -> None:
    [record] = document(Entry(1, 1, 0, 1, "", (Record("user", text, name=text),)))["records"]
    assert (record["text"], record["name"]) == (text, text)


def test_the_index() -> None:
    sessions = [(FACTS, "k.json"), (FACTS._replace(why="gone"), "")]
    value = json.loads(b"".join(json_page.index(sessions)))
    assert (value["type"], value["masked"]) == ("index", False)
    assert [(one["file"], one.get("why")) for one in value["sessions"]] == [("k.json", None), (None, "gone")]
