"""memcli proposals: ls, show, approve, reject."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support import dreams
from support.cli import one_sentence, run

from memcli.core import inbox, proposing
from memcli.core.sealing import store
from memcli.model import Item, Source, Workspace

Intact = Callable[[Path], Path]
MEMORY = "# M\n\n## Project Context\n\n- Falcon is in Rust\n- falcon is in Rust.\n- The API listens on port 8080\n"
ITEMS = [
    Item("喜欢简短的回答", "user", "preference", (Source(1, "我喜欢简短的\x1b[31m回答"),), 0.8),
    Item("Uses PostgreSQL 16", "project", "decision", (Source(2, "PostgreSQL 16"),), 0.9, "2027-01-31"),
    Item("Falcon is in Rust", "project", "fact", (), 0.5),
    Item("The API listens on port 9090", "project", "fact", (), 0.5),
    Item("The password is hunter2-Xy93kQ!", "project", "fact", (), 0.5),
]
ABOUT = {
    "said": [
        {"number": 1, "kind": "session", "name": "desktop:main", "first": 3, "last": 4},
        {"number": 2, "kind": "journal", "name": "history.jsonl", "first": 2, "last": 2},
    ]
}


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    monkeypatch.setenv("MEMCLI_STATE_DIR", str(tmp_path / "state"))
    made = dreams.nanobot(tmp_path / "bot", [])
    dreams.old(Path(made.root) / "memory" / "MEMORY.md", MEMORY)
    return made


@pytest.fixture
def root(workspace: Workspace) -> Path:
    """A workspace with two proposals: p1 of items, p2 of an edit."""
    made = inbox.of_items(ITEMS, what="dream", seconds=0, provider="scripted m1", user="", about=ABOUT)
    proposing.put(workspace, made, command=["memcli"])
    run("lint", "--fix", "duplicates", "-W", workspace.root)
    return Path(workspace.root)


def memory(root: Path) -> str:
    return (root / "memory" / "MEMORY.md").read_text()


def rows(*words: object) -> list[dict[str, Any]]:
    return [json.loads(line) for line in run(*map(str, words), "--json").out.splitlines()]


class TestLs:
    def test_columns(self, root: Path, intact: Intact) -> None:
        ran = run("proposals", "ls", "-W", intact(root))
        assert (ran.code, ran.err) == (0, "")
        first, second = ran.rows
        assert first == [
            *("p1", "open", "dream", "1970-01-01T00:00:00Z", "5", "5", "scripted m1", "", str(root), "喜欢简短的回答")
        ]
        assert (second[0], second[-1]) == ("p2", "duplicates: 1 change in MEMORY.md")

    def test_rows(self, root: Path) -> None:
        first, second = rows("proposals", "ls", "-W", root)
        assert first == {
            "type": "proposal",
            "id": "p1",
            "kind": "items",
            "what": "dream",
            "status": "open",
            "time": "1970-01-01T00:00:00Z",
            "provider": "scripted m1",
            "prompt": None,
            "user": None,
            "items": 5,
            "open": 5,
            "files": [],
            "agent": "nanobot",
            "workspace": str(root),
        }
        assert (second["kind"], second["files"]) == ("edits", ["memory/MEMORY.md"])
        assert rows("proposals", "ls", "-W", root, "--where", "kind=='edits'") == [second]

    def test_on_a_terminal(self, root: Path) -> None:
        out = run("proposals", "ls", "--all", "--color", "never", "-W", root, columns=100).out
        assert out.splitlines()[0].split() == ["ID", "STATUS", "TIME", "BY", "OPEN", "ABOUT"]
        assert "1970-01-01 00:00" in out
        assert "5/5" in out

    def test_of_several_workspaces(self, root: Path, tmp_path: Path) -> None:
        other = dreams.nanobot(tmp_path / "other", [])
        proposing.put(other, inbox.of_items(ITEMS[:1], what="dream", seconds=0), command=[])
        out = run("proposals", "ls", "-W", root, "-W", other.root, columns=140).out
        assert "WORKSPACE" in out
        one_sentence(run("proposals", "show", "p1", "-W", root, "-W", other.root), 2, "name one with -W")

    def test_nothing(self, workspace: Workspace) -> None:
        ran = run("proposals", "ls", "-W", workspace.root)
        assert (ran.code, ran.out, ran.err) == (0, "", "Nothing is proposed.\n")

    def test_what_was_decided(self, root: Path) -> None:
        run("proposals", "reject", "p1", "-W", root)
        run("proposals", "reject", "p2", "-W", root)
        ran = run("proposals", "ls", "-W", root)
        assert (ran.out, ran.err) == ("", "Nothing is open; --all lists what was decided on.\n")
        assert [row[1] for row in run("proposals", "ls", "--all", "-W", root).rows] == ["rejected", "rejected"]

    def test_a_damaged_one_is_named(self, root: Path, workspace: Workspace) -> None:
        path = Path(store(workspace).folder) / "inbox" / "p1.json"
        path.write_text("{")
        ran = run("proposals", "ls", "-W", root)
        assert (ran.code, [row[0] for row in ran.rows]) == (3, ["p2"])
        assert ran.err == f"memcli: {path} was passed over: it is no JSON.\n"


class TestShow:
    def test_items(self, root: Path, intact: Intact) -> None:
        ran = run("proposals", "show", "p1", "-W", intact(root))
        assert ran.code == 0
        assert ran.out.splitlines()[:6] == [
            f"p1  dream, open, 1970-01-01T00:00:00Z, by scripted m1, {root}",
            "1 open  preference, user, 0.80",
            "  喜欢简短的回答",
            "    from desktop:main rows 3-4: 我喜欢简短的\\x1b[31m回答",
            "2 open  decision, project, 0.90",
            "  Uses PostgreSQL 16 (until 2027-01-31)",
        ]
        assert ran.err.splitlines() == [
            f"Write it: memcli proposals approve p1 -W {root}",
            f"Set it aside: memcli proposals reject p1 -W {root}",
        ]

    def test_item_rows(self, root: Path) -> None:
        head, first, second, *_ = rows("proposals", "show", "p1", "-W", root)
        assert head["type"] == "proposal"
        assert first == {
            "type": "item",
            "id": "1",
            "text": "喜欢简短的回答",
            "layer": "user",
            "category": "preference",
            "sources": [{"cursor": 1, "quote": "我喜欢简短的\x1b[31m回答", "session": "desktop:main", "rows": [3, 4]}],
            "confidence": 0.8,
            "expires": None,
            "proposal": "p1",
            "status": "open",
            "decided": None,
            "because": None,
            "operation": None,
        }
        assert second["expires"] == "2027-01-31"

    def test_edits(self, root: Path) -> None:
        out = run("proposals", "show", "p2", "-W", root).out
        assert "1 open  line 6 says what line 5 says\n" in out
        assert "\n  -- falcon is in Rust.\n" in out
        [_, row] = rows("proposals", "show", "p2", "-W", root)
        assert row["old"] == "- falcon is in Rust.\n"
        assert (row["type"], row["replacement"], row["fits"], row["offset"]) == (
            "edit",
            "",
            True,
            MEMORY.index("- falcon"),
        )

    def test_what_fits_no_more(self, root: Path) -> None:
        dreams.old(root / "memory" / "MEMORY.md", "# M\n")
        assert "the file changed since, and this fits no more" in run("proposals", "show", "p2", "-W", root).out
        assert [row["fits"] for row in rows("proposals", "show", "p2", "-W", root) if row["type"] == "edit"] == [False]
        (root / "memory" / "MEMORY.md").unlink()
        assert "fits no more" in run("proposals", "show", "p2", "-W", root).out

    def test_where(self, root: Path) -> None:
        assert [
            row["id"] for row in rows("proposals", "show", "p1", "-W", root, "--where", "category=='decision'")
        ] == ["2"]
        assert run("proposals", "show", "p1", "-W", root, "--where", "`false`").out == ""

    @pytest.mark.parametrize(
        ("words", "said"), [((), "Name the proposal"), (("p9",), "no proposal 'p9'"), (("1",), "'1'")]
    )
    def test_no_such_one(self, root: Path, words: tuple[str, ...], said: str) -> None:
        one_sentence(run("proposals", "show", *words, "-W", root), 2, said)

    def test_decided(self, root: Path) -> None:
        run("proposals", "reject", "p1", "--only", "1", "--because", "太短", "-W", root)
        ran = run("proposals", "show", "p1", "-W", root)
        assert "1 rejected: 太短  preference, user, 0.80" in ran.out
        row = rows("proposals", "show", "p1", "-W", root)[1]
        assert (row["status"], row["because"]) == ("rejected", "太短")
        assert row["decided"]


class TestApprove:
    def test_an_edit(self, root: Path) -> None:
        ran = run("proposals", "approve", "p2", "-W", root)
        assert ran.code == 0
        assert memory(root) == MEMORY.replace("- falcon is in Rust.\n", "")
        assert "-- falcon is in Rust.\n" in ran.out
        said = ran.err.splitlines()
        assert said[0] == "Approved: the one item of p2."
        assert said[-1].startswith("Undo: memcli revert ")
        back = run(*said[-1].split()[2:])
        assert (back.code, memory(root)) == (0, MEMORY)
        assert [row[:2] for row in run("proposals", "ls", "-W", root).rows] == [["p1", "open"], ["p2", "open"]]

    def test_twice(self, root: Path) -> None:
        run("proposals", "approve", "p2", "-W", root)
        one_sentence(run("proposals", "approve", "p2", "-W", root), 1, "p2 was approved already")

    def test_items(self, root: Path) -> None:
        ran = run("proposals", "approve", "p1", "-W", root)
        assert ran.code == 0
        assert "Uses PostgreSQL 16" in memory(root)
        assert "简短" in (root / "USER.md").read_text()
        assert "hunter2" not in ran.out + ran.err + memory(root)
        assert "Known already: Falcon is in Rust" in ran.err
        assert "and stays open: The API listens on port 9090" in ran.err
        assert "Approved: items 1, 2, 3 of p1; 2 stay open.\n" in ran.err
        again = run("proposals", "approve", "p1", "-W", root, "--idle", "0")
        assert again.code == 1
        assert "memcli: Nothing of p1 could be landed; it stays open." in again.err

    def test_rows(self, root: Path) -> None:
        found = rows("proposals", "approve", "p1", "-W", root, "--only", "1,3", "--only", "4,5")
        items = {row["id"]: row for row in found if row["type"] == "item"}
        assert {id: row["state"] for id, row in items.items()} == {
            "1": "added",
            "3": "known",
            "4": "conflict",
            "5": "refused",
        }
        assert items["5"]["text"] is None
        assert items["4"]["line_number"] == 7
        assert found[0]["type"] == "passage"
        decision = found[-1]
        assert decision["commits"][0]["commit"]
        assert {name: decision[name] for name in ("type", "proposal", "status", "items", "open", "because")} == {
            "type": "decision",
            "proposal": "p1",
            "status": "approved",
            "items": ["1", "3"],
            "open": ["2", "4", "5"],
            "because": None,
        }

    def test_dry_run(self, root: Path, intact: Intact) -> None:
        ran = run("proposals", "approve", "p2", "--dry-run", "-W", intact(root))
        assert (ran.code, ran.err) == (0, "Nothing was changed.\n")
        assert "-- falcon is in Rust.\n" in ran.out
        *passages, decision = rows("proposals", "approve", "p2", "--dry-run", "-W", root)
        assert [row["type"] for row in passages] == ["passage"]
        assert (decision["status"], decision["items"]) == ("planned", ["1"])
        assert run("proposals", "approve", "p1", "--only", "4", "--dry-run", "-W", root).code == 1
        assert [row[:2] for row in run("proposals", "ls", "-W", root).rows] == [["p1", "open"], ["p2", "open"]]

    def test_the_agent_is_at_work(self, root: Path) -> None:
        os.utime(root / "memory" / "MEMORY.md")
        ran = run("proposals", "approve", "p2", "--idle", "3600", "-W", root)
        assert (ran.code, memory(root)) == (4, MEMORY)
        assert run("proposals", "approve", "p2", "--idle", "3600", "--force-live", "-W", root).code == 0

    def test_the_file_changed(self, root: Path) -> None:
        dreams.old(root / "memory" / "MEMORY.md", "- by hand\n" + MEMORY)
        assert run("proposals", "approve", "p2", "-W", root).code == 0
        assert memory(root).startswith("- by hand\n# M\n")
        run("lint", "--fix", "duplicates", "-W", root)

    def test_the_place_is_gone(self, root: Path) -> None:
        dreams.old(root / "memory" / "MEMORY.md", "# M\n")
        one_sentence(
            run("proposals", "approve", "p2", "-W", root), 4, "'memcli lint --fix duplicates' proposes it again"
        )
        assert memory(root) == "# M\n"

    def test_by_dream(self, root: Path) -> None:
        ran = run("dream", "--approve", "p1", "--only", "2", "-W", root)
        assert (ran.code, "Uses PostgreSQL 16" in memory(root)) == (0, True)
        assert "Approved: item 2 of p1; 4 stay open." in ran.err

    def test_quiet(self, root: Path) -> None:
        ran = run("proposals", "approve", "p2", "-q", "-W", root)
        assert (ran.code, ran.err) == (0, "")

    def test_a_repository_in_the_way(self, root: Path) -> None:
        """What cannot be committed is written all the same, and undo opens the proposal again."""
        from support.repository import git

        git(root, "init", "-q")
        (root / ".git" / "index.lock").write_text("")
        ran = run("proposals", "approve", "p2", "-W", root)
        assert ran.code == 0
        assert "The memory is written all the same." in ran.err
        undo = ran.err.splitlines()[-1]
        assert undo.startswith("Undo: memcli undo ")
        assert run(*undo.split()[2:], "--force-live").code == 0
        assert memory(root) == MEMORY
        assert [row[:2] for row in run("proposals", "ls", "-W", root).rows] == [["p1", "open"], ["p2", "open"]]


class TestOfADream:
    def test_from_the_chat_to_the_memory_and_back(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """What is known of the user lands in the home, the rest in the project; each is reverted by the command told."""
        home = tmp_path / "home"
        monkeypatch.setenv("HOME", str(home))
        monkeypatch.setenv("MEMCLI_STATE_DIR", str(tmp_path / "state"))
        mine = Path(dreams.catbuddy(home, {}, memory="# Mine\n").root) / "memory" / "MEMORY.md"
        shop = tmp_path / "shop" / ".catbuddy" / "workspace"
        dreams.catbuddy(tmp_path / "shop", {"desktop:a": ["answers", "postgres"]})
        ran = run("dream", "--propose", "-W", shop)
        assert ran.code == 0, ran.err
        found = rows("proposals", "show", "p1", "-W", shop)
        assert {row["sources"][0]["session"] for row in found[1:]} == {"desktop:a"}
        ran = run("proposals", "approve", "p1", "-W", shop)
        assert ran.code == 0, ran.err
        assert "简短" in mine.read_text()
        assert "PostgreSQL 16" in memory(shop)
        [line] = [row for row in rows("blame", "MEMORY.md", "-W", shop) if "PostgreSQL 16" in row["text"]]
        assert line["sources"][0]["session"] == "desktop:a"
        undo = [
            line.removeprefix("Undo: memcli ").split() for line in ran.err.splitlines() if line.startswith("Undo: ")
        ]
        assert len(undo) == 2
        for words in undo:
            back = run(*words, "--idle", "0")
            assert back.code == 0, back.err
        assert "PostgreSQL 16" not in memory(shop)
        assert mine.read_text() == "# Mine\n"


class TestReject:
    def test_with_a_reason(self, root: Path, intact: Intact) -> None:
        ran = run("proposals", "reject", "p1", "--because", "无用", "-W", intact(root))
        assert ran.code == 0
        assert "Rejected: all items of p1; 'memcli proposals ls --all' still lists it." in ran.err
        assert [row[0] for row in run("proposals", "ls", "-W", root).rows] == ["p2"]
        one_sentence(run("proposals", "reject", "p1", "-W", root), 1, "p1 was rejected already")
        assert run("undo", ran.err.split()[-1]).code == 0
        assert [row[0] for row in run("proposals", "ls", "-W", root).rows] == ["p1", "p2"]

    def test_rows(self, root: Path) -> None:
        [row] = rows("proposals", "reject", "p1", "--only", "2", "--because", "old", "-W", root)
        assert row.pop("operation")
        assert row == {
            "type": "decision",
            "proposal": "p1",
            "status": "rejected",
            "items": ["2"],
            "open": ["1", "3", "4", "5"],
            "because": "old",
            "commits": [],
        }

    def test_an_unknown_item(self, root: Path) -> None:
        one_sentence(run("proposals", "reject", "p1", "--only", "9", "-W", root), 2, "p1 has no item '9'")
