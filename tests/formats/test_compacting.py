"""Where summaries go: what each agent finds in the header, in the rows, in memory and journal."""

from __future__ import annotations

import json
from typing import Any

import pytest

from memcli.errors import UsageError
from memcli.formats import compacting
from memcli.formats.facets import Essence, Target
from memcli.model import Item, Workspace

NOON = 1_767_268_800.0
ESSENCE = Essence("Goal:\n- 部署 (row 3)", 12, NOON, "2026-05-01T10:10:00.000123")
ITEM = Item("We use pnpm", "project", "decision", (), 0.9)
MINE = Item("Open: buy tea", "user", "fact", (), 0.9, "2026-06-01")


def header(agent: str, **members: Any) -> dict[str, Any]:
    return {"last_consolidated": 4, "metadata": {"_last_summary": {"text": "so far"}}, **members}


def lines(*rows: Any) -> list[bytes]:
    return [json.dumps(row, ensure_ascii=False).encode() + b"\n" for row in rows]


def test_jsonl_has_no_reader() -> None:
    with pytest.raises(UsageError, match="jsonl keeps no summaries"):
        compacting("jsonl")


@pytest.mark.parametrize(
    ("agent", "era", "members", "first", "rows", "summarised"),
    [
        ("catbuddy", "", {}, {"id": 1}, 20, 4),
        ("catbuddy", "", {}, {"id": 5}, 20, 0),  # the agent cut rows off
        ("catbuddy", "", {"metadata": {}}, {"id": 1}, 20, 0),  # it counts up, without a summary on the disk
        ("catbuddy", "", {"last_consolidated": 21}, {"id": 1}, 20, 0),
        ("catbuddy", "", {"last_consolidated": True}, {"id": 1}, 20, 0),
        ("nanobot", "E2", {}, {}, 20, 4),
        ("nanobot", "E2", {"last_archived": 7}, {}, 20, 4),
        ("nanobot", "E4", {"last_archived": 7}, {}, 20, 7),
        ("nanobot", "E4", {"last_archived": "7"}, {}, 20, 4),
        ("nanobot", "E4", {"last_archived": 21}, {}, 20, 0),
        ("nanobot", "E4", {"last_consolidated": None}, {}, 20, 0),
        ("cococat", "V1", {}, {"type": "compacted_summary"}, 20, 1),
        ("cococat", "V1", {}, {"role": "user"}, 20, 0),
    ],
)
def test_summarised(agent: str, era: str, members: Any, first: Any, rows: int, summarised: int) -> None:
    assert compacting(agent).summarised(header(agent, **members), rows, first, era) == summarised


@pytest.mark.parametrize(
    ("agent", "value", "unsaid"),
    [
        ("catbuddy", {"role": "user", "content": "x"}, False),
        ("nanobot", {"role": "user", "content": "x"}, False),
        ("nanobot", {"role": "user", "content": "/help", "_command": True}, True),
        ("nanobot", {"role": "user", "content": compacting("nanobot").CONTINUED, "_hidden_history": True}, True),
        ("nanobot", {"role": "user", "content": "reminder", "_hidden_history": True}, False),
        ("nanobot", [], False),
        ("cococat", {"type": "compacted_summary"}, True),
        ("cococat", {"role": "assistant", "content": "x"}, False),
    ],
)
def test_unsaid(agent: str, value: Any, unsaid: bool) -> None:
    assert compacting(agent).unsaid(value) is unsaid


@pytest.mark.parametrize("metadata", [None, [], {}, {"_last_summary": "text"}, {"_last_summary": {"text": 3}}])
def test_no_summary_so_far(metadata: Any) -> None:
    for agent in ("catbuddy", "nanobot"):
        assert compacting(agent).summary({"metadata": metadata}, None) == ""


def test_the_summary_so_far() -> None:
    assert compacting("catbuddy").summary(header("catbuddy"), None) == "so far"
    assert compacting("nanobot").summary(header("nanobot"), None) == "so far"
    facet = compacting("cococat")
    assert facet.summary({}, {"type": "compacted_summary", "summary": "so far"}) == "so far"
    assert facet.summary({}, {"type": "compacted_summary", "summary": "[45 historical entries compacted]"}) == ""
    assert facet.summary({}, {"role": "user"}) == ""


def test_catbuddys_header() -> None:
    facet = compacting("catbuddy")
    head = lines({"key": "a", "updated_at": "2026-05-01T10:10:00.000Z", "last_consolidated": 0, "metadata": {"x": 1}})
    [made] = facet.head(head, ESSENCE, "") or []
    assert json.loads(made) == {
        **json.loads(head[0]),
        "last_consolidated": 12,
        "metadata": {"x": 1, "_last_summary": {"text": ESSENCE.text, "last_active": "2026-05-01"}},
    }
    [undated] = facet.head(head, ESSENCE._replace(changed=""), "") or []
    assert json.loads(undated)["metadata"]["_last_summary"]["last_active"] == "2026-01-01"
    assert facet.head(lines({"metadata": "x"}), ESSENCE, "") is None
    assert facet.moved([made], json.loads(made), 5, "") == [
        made.replace(b'"last_consolidated": 12', b'"last_consolidated": 7')
    ]
    assert facet.moved(head, json.loads(head[0]), 5, "") == head
    assert facet.inserted(ESSENCE, None, "") == b""
    assert facet.entry([ITEM]) == ""


def test_catbuddys_memory_by_layer() -> None:
    facet = compacting("catbuddy")
    whole = Target("/w/memory/MEMORY.md", "/w", ("user", "project"))
    assert facet.put(whole, b"# Mine\n", [ITEM, MINE], NOON).decode() == (
        "# Mine\n\n\n## Archived — 2026-01-01\n## User Profile\n- Open: buy tea\n\n## Project Context\n- We use pnpm\n"
    )
    yours = Target("/w/memory/MEMORY.md", "/w", ("user",), "user")
    once = facet.put(yours, b"# Mine\n", [ITEM, MINE], NOON)
    assert once.decode() == "# Mine\n\n\n## Archived — User Profile — 2026-01-01\n- Open: buy tea\n"
    assert facet.lines(yours, [ITEM, MINE]) == ["- Open: buy tea"]
    assert facet.put(yours, once, [MINE._replace(text="likes tea")], NOON) == once + b"- likes tea\n"
    assert facet.refusal(Workspace("catbuddy", "/w", memory=("/w/memory",)), "/w/x.jsonl") == ""
    assert facet.refusal(Workspace("catbuddy", "/w"), "/w/x.jsonl") != ""


STATE = {"_type": "provider_state", "state": {"kind": "k"}}


def test_nanobots_header() -> None:
    facet = compacting("nanobot")
    head = lines({"_type": "metadata", "metadata": None, "last_archived": 0, "last_consolidated": 0}, STATE)
    made = facet.head([head[0], b"\n", head[1]], ESSENCE, "E4")
    assert made is not None
    assert [json.loads(made[0]), *made[1:]] == [
        {
            "_type": "metadata",
            "metadata": {"_last_summary": {"text": ESSENCE.text, "last_active": ESSENCE.changed}},
            "last_archived": 12,
            "last_consolidated": 12,
        },
        b"\n",
    ], "the provider would go on from what came before"
    moved = facet.moved(made, json.loads(made[0]), 5, "E4")
    assert moved is not None
    assert [json.loads(moved[0])[name] for name in ("last_archived", "last_consolidated")] == [7, 7]
    assert facet.head(lines({"_type": "metadata", "metadata": []}), ESSENCE, "E4") is None
    older = facet.head(lines({"_type": "metadata", "metadata": {}}), ESSENCE._replace(changed="x"), "E2")
    assert older is not None
    assert json.loads(older[0])["last_consolidated"] == 12
    assert json.loads(older[0])["metadata"]["_last_summary"]["last_active"] == "2026-01-01T12:00:00"


def test_nanobots_row_and_entry() -> None:
    facet = compacting("nanobot")
    assert facet.inserted(ESSENCE, None, "E2") == b""
    assert json.loads(facet.inserted(ESSENCE, None, "E4")) == {
        "role": "user",
        "content": facet.CONTINUED,
        "_hidden_history": True,
        "timestamp": "2026-01-01T12:00:00",
    }
    assert facet.entry([ITEM, MINE]) == "- [durable] We use pnpm\n- [ephemeral] Open: buy tea"
    for era, refused in (("E0", True), ("E1", True), ("E2", False), ("E4", False)):
        workspace = Workspace("nanobot", "/w", memory=("/w/memory",), era=era)
        assert bool(facet.refusal(workspace, "/w/x.jsonl")) is refused
    assert facet.refusal(Workspace("nanobot", "/w", era="E4"), "/w/x.jsonl")


def test_cococats_record() -> None:
    facet = compacting("cococat")
    made = facet.inserted(ESSENCE, {"role": "user"}, "V1")
    assert made.endswith(b"\n")
    assert json.loads(made) == {
        "type": "compacted_summary",
        "original_count": 12,
        "summary": ESSENCE.text,
        "timestamp": "2026-01-01T12:00:00",
    }
    again = facet.inserted(ESSENCE, {"type": "compacted_summary", "original_count": 45}, "V1")
    assert json.loads(again)["original_count"] == 45 + 11
    assert facet.head([], ESSENCE, "V1") == []
    assert facet.moved([], {}, 3, "V1") == []
    assert facet.entry([ITEM]) == ""


@pytest.mark.parametrize(
    ("path", "read"),
    [
        ("agents/leader/memory/users/abc/history.jsonl", True),
        ("agents/leader/memory/history.jsonl", False),
        ("scenes/default/users/local/history.jsonl", False),
        ("chat/general/messages.jsonl", False),
        ("agents/leader/sessions/1.jsonl", False),
    ],
)
def test_cococat_has_summaries_of_users_alone(path: str, read: bool) -> None:
    assert (compacting("cococat").refusal(Workspace("cococat", "/w"), f"/w/{path}") == "") is read
