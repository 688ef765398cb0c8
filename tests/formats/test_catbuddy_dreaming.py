"""How a Dream writes into catbuddy's memory: its blocks, byte for byte, the user's in the home, a project's in the project."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from support.dreaming_suite import DAY, DreamingSuite, item

from memcli.formats import dreaming, load, longterm
from memcli.formats.facets import Target
from memcli.memory.blocks import blocks
from memcli.model import Item, Workspace

FACET = dreaming("catbuddy")
YOU = Target("/home/memory/MEMORY.md", "/home", ("user",), "user")
PROJECT = Target("/project/memory/MEMORY.md", "/project", ("project",), "project")
BOTH = Target("/home/memory/MEMORY.md", "/home", ("user", "project"))
TABS, PORT = item("prefers tabs", "user", "preference"), item("port is 8080")
DATE = "2026-05-28"


class TestCatbuddy(DreamingSuite):
    """It passes the suite."""

    agent = "catbuddy"
    targets = (YOU, PROJECT, BOTH)

    def told(self, one: Item) -> tuple[set[str], set[str]]:
        return {""}, {one.layer}


@pytest.mark.parametrize(
    ("target", "old", "items", "new"),
    [
        (YOU, "x\n", [TABS, PORT], f"x\n\n\n## Dream — User Profile — {DATE}\n- prefers tabs\n"),
        (YOU, "x", [TABS], f"x\n\n## Dream — User Profile — {DATE}\n- prefers tabs\n"),
        (PROJECT, "x\n", [TABS, PORT], f"x\n\n\n## Dream — Project — {DATE}\n- port is 8080\n"),
        (PROJECT, "x\n", [TABS], "x\n"),
        (PROJECT, None, [PORT], f"# Long-term Memory\n\n\n## Dream — Project — {DATE}\n- port is 8080\n"),
        (PROJECT, "", [PORT], f"# Long-term Memory\n\n\n## Dream — Project — {DATE}\n- port is 8080\n"),
        (
            BOTH,
            "x\n",
            [PORT, TABS],
            f"x\n\n\n## Dream — {DATE}\n## User Profile\n- prefers tabs\n\n## Project Context\n- port is 8080\n",
        ),
        (
            BOTH,
            "x\n",
            [PORT],
            f"x\n\n\n## Dream — {DATE}\n## Project Context\n- port is 8080\n",
        ),
        (
            BOTH,
            "x\n",
            [TABS],
            f"x\n\n\n## Dream — {DATE}\n## User Profile\n- prefers tabs\n",
        ),
        (YOU, "x\r\ny\r\n", [TABS], f"x\r\ny\r\n\r\n\r\n## Dream — User Profile — {DATE}\r\n- prefers tabs\r\n"),
    ],
)
def test_the_block_is_as_the_agent_writes_it(target: Target, old: str | None, items: list[Item], new: str) -> None:
    assert FACET.put(target, None if old is None else old.encode(), items, DAY).decode() == new


HEAD = f"x\n\n\n## Dream — Project — {DATE}\n"
WHOLE = f"x\n\n\n## Dream — {DATE}\n"


@pytest.mark.parametrize(
    ("target", "old", "items", "added"),
    [
        (PROJECT, f"{HEAD}- a\n", [PORT], "- port is 8080\n"),
        (PROJECT, f"{HEAD}- a", [PORT], "\n- port is 8080\n"),
        (PROJECT, f"{HEAD}words of a model\n", [PORT], f"\n\n## Dream — Project — {DATE}\n- port is 8080\n"),
        (PROJECT, f"{HEAD}- a\n\n", [PORT], f"\n\n## Dream — Project — {DATE}\n- port is 8080\n"),
        (PROJECT, HEAD.replace("-28", "-27") + "- a\n", [PORT], f"\n\n## Dream — Project — {DATE}\n- port is 8080\n"),
        (
            PROJECT,
            f"{HEAD}- a\n\n\n## Archived — Project — {DATE}\n- b\n",
            [PORT],
            f"\n\n## Dream — Project — {DATE}\n- port is 8080\n",
        ),
        (BOTH, f"{WHOLE}## User Profile\n- a\n\n## Project Context\n- b", [PORT], "\n- port is 8080\n"),
        (
            BOTH,
            f"{WHOLE}## User Profile\n- a\n\n## Project Context\n(nothing)\n",
            [PORT],
            f"\n\n## Dream — {DATE}\n## Project Context\n- port is 8080\n",
        ),
        (BOTH, f"{WHOLE}## User Profile\n- a\n", [PORT], "\n## Project Context\n- port is 8080\n"),
        (
            BOTH,
            f"{WHOLE}## User Profile\n- a",
            [TABS, PORT],
            "\n- prefers tabs\n\n## Project Context\n- port is 8080\n",
        ),
        (BOTH, f"{WHOLE}## Project Context\n- a\n", [PORT], "- port is 8080\n"),
        (
            BOTH,
            f"{WHOLE}## Project Context\n- a\n",
            [TABS],
            f"\n\n## Dream — {DATE}\n## User Profile\n- prefers tabs\n",
        ),
    ],
)
def test_a_second_dream_of_the_day(target: Target, old: str, items: list[Item], added: str) -> None:
    assert FACET.put(target, old.encode(), items, DAY).decode() == old + added


def test_a_second_dream_goes_on_both_lists() -> None:
    old = FACET.put(BOTH, b"x\r\ny\r\n", [TABS, PORT], DAY)
    new = FACET.put(BOTH, old, [item("works at night", "user", "pattern"), item("uses pnpm")], DAY)
    assert new.decode().split("\r\n") == [
        *("x", "y", "", "", f"## Dream — {DATE}"),
        *("## User Profile", "- prefers tabs", "- works at night", ""),
        *("## Project Context", "- port is 8080", "- uses pnpm", ""),
    ]
    again = FACET.put(BOTH, old, [item("works at night", "user", "pattern")], DAY)
    assert again.decode().split("\r\n")[-3:] == ["## Project Context", "- port is 8080", ""]


def test_the_sample_stays_and_ends_in_the_new_block(samples: Path) -> None:
    path = samples / "catbuddy/home-workspace/memory/MEMORY.md"
    new = FACET.put(Target(str(path), "", ("user",), "user"), path.read_bytes(), [TABS], DAY)
    assert new.startswith(path.read_bytes())
    last = blocks(new, longterm("catbuddy").shape(str(path)))[-1]
    assert (last.kind, last.date, last.section) == ("dream", DATE, "user")


def test_the_day_is_that_of_utc(monkeypatch: pytest.MonkeyPatch) -> None:
    import time

    monkeypatch.setenv("TZ", "Pacific/Kiritimati")
    time.tzset()
    assert DATE.encode() in FACET.put(PROJECT, b"", [PORT], DAY)
    monkeypatch.undo()
    time.tzset()


def test_where_items_go(no_home: Path, samples: Path) -> None:
    root = no_home / "project" / ".catbuddy"
    for folder in ("sessions", "memory"):
        (root / folder).mkdir(parents=True)
    project = Workspace("catbuddy", str(root), memory=(str(root / "memory"),), era="project")
    home = str(no_home / ".catbuddy/workspace")
    alone = [Target(f"{root}/memory/MEMORY.md", str(root), ("user", "project"))]
    assert FACET.targets(project, "") == alone  # the agent never made the home's memory: a project of another machine
    os.makedirs(f"{home}/memory")
    assert FACET.targets(project, "") == [
        Target(f"{home}/memory/MEMORY.md", home, ("user",), "user"),
        Target(f"{root}/memory/MEMORY.md", str(root), ("project",), "project"),
    ]
    sent = project._replace(shown="project.zip")
    assert FACET.targets(sent, "") == alone
    [plain] = load("catbuddy").layout.recognise(str(samples / "catbuddy/home-workspace"))
    [target] = FACET.targets(plain, "")
    assert (target.layers, target.section) == (("user", "project"), "")
    assert target.path == str(samples / "catbuddy/home-workspace/memory/MEMORY.md")
    assert FACET.targets(project, "somebody") == []
    bare = Workspace("catbuddy", "/w")
    assert [target.path for target in FACET.targets(bare, "")] == ["/w/memory/MEMORY.md"]


def test_sessions_are_what_is_read() -> None:
    assert FACET.SOURCE == "sessions"
    assert FACET.subject("dream", DAY, 2) == "dream: 2 items"


def test_an_entry_says_what_stands_in_it() -> None:
    row = {"cursor": 1, "content": "[assistant] Done.", "at": "2026-05-20T08:30:09.413Z"}
    assert FACET.said(load("catbuddy").records.record(row)) == "[assistant] Done."
    assert not FACET.inner("desktop:main")
