"""Where workspaces are found: trees that archives bring, single files, folders of damage, caps."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from memcli.core import discovering, listing
from memcli.errors import NothingFound, UsageError
from memcli.model import Workspace

HEADER = {
    "key": "desktop:a",
    "title": "",
    "preview": "hi",
    "created_at": "2026-05-20T08:30:00.000Z",
    "updated_at": "2026-05-20T08:30:00.000Z",
    "last_consolidated": 0,
    "metadata": {},
}
ROW = '{"role":"user","content":"hi"}\n'
NAIVE = '{"role":"user","content":"hi","timestamp":"2026-05-20T08:30:00.000001"}\n'


def catbuddy(sessions: Path) -> None:
    """A sessions folder that only catbuddy writes."""
    sessions.mkdir(parents=True)
    for name in "ac":
        header = {**HEADER, "key": f"desktop:{name}"}
        (sessions / f"desktop_{name}.jsonl").write_text(
            json.dumps(header) + '\n{"id":1,"role":"user","content":"hi"}\n'
        )


def found(*values: Path | str, agent: str | None = None) -> list[tuple[str, str]]:
    return [(w.agent, w.root) for w in discovering.find([str(value) for value in values], agent)]


def test_a_workspace_some_folders_down(tmp_path: Path) -> None:
    catbuddy(tmp_path / "backup" / "home" / "user" / "sessions")
    [(agent, root)] = found(tmp_path)
    assert (agent, root) == ("catbuddy", str(tmp_path / "backup" / "home" / "user"))


def test_every_workspace_of_a_tree(tmp_path: Path) -> None:
    catbuddy(tmp_path / "a" / "sessions")
    catbuddy(tmp_path / "b" / "c" / "sessions")
    assert [os.path.relpath(root, tmp_path) for _, root in found(tmp_path)] == ["a", "b/c"]


def test_a_tree_of_plain_files(tmp_path: Path) -> None:
    for folder in ("", "x", "x/y", ".git"):
        (tmp_path / folder).mkdir(exist_ok=True)
        (tmp_path / folder / "chat.jsonl").write_text(ROW)
    assert [os.path.relpath(root, tmp_path) for _, root in found(tmp_path)] == [".", "x", "x/y"]
    with pytest.raises(NothingFound):
        discovering.find([str(tmp_path)], "cococat")


def test_deeper_than_that_nothing_is_looked_for(tmp_path: Path) -> None:
    catbuddy(tmp_path / "1" / "2" / "3" / "4" / "5" / "6" / "sessions")
    with pytest.raises(NothingFound):
        discovering.find([str(tmp_path)])


def test_a_large_tree_is_said_to_be_looked_at_in_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(discovering, "FOLDERS", 3)
    catbuddy(tmp_path / "a" / "sessions")
    for number in range(5):
        (tmp_path / f"b{number}").mkdir()
    [workspace] = discovering.find([str(tmp_path)])
    assert workspace.root == str(tmp_path / "a")
    assert workspace.notes == (f"Only the first 3 folders below {tmp_path} were looked at; name one nearer with -W.",)


def test_symlinks_are_not_walked(tmp_path: Path) -> None:
    (tmp_path / "down").mkdir()
    os.symlink("..", tmp_path / "down" / "up")
    (tmp_path / "down" / "chat.jsonl").write_text(ROW)
    assert len(found(tmp_path)) == 1


SINGLE = {
    # what the file holds: the agent it is taken for where nothing else tells
    "a header": (json.dumps(HEADER) + "\n" + ROW, "catbuddy"),
    "a nanobot header": ('{"_type":"metadata","key":"cli:x","created_at":"x","metadata":{}}\n', "nanobot"),
    "a task": ('{"prompt":"p","response_summary":"r","iterations":1,"timestamp":"2026-05-20T08:30:00"}\n', "cococat"),
    "roles and contents": (ROW, "jsonl"),
    "naive times": (NAIVE, "jsonl"),
    "nothing": ("", "jsonl"),
    "prose": ("hello\n", "jsonl"),
    "NUL": ("\0" * 9, "jsonl"),
}


@pytest.mark.parametrize("name", SINGLE)
def test_a_single_file_is_told_by_its_content(tmp_path: Path, name: str) -> None:
    content, agent = SINGLE[name]
    path = tmp_path / "chat.jsonl"
    path.write_text(content)
    workspace = discovering.single(str(path), None)
    assert (workspace.agent, workspace.files, workspace.shown) == (agent, (str(path),), str(path))


@pytest.mark.parametrize("content", ["", ROW, NAIVE, "\0" * 9])
def test_a_single_file_that_tells_nothing_is_told_by_its_place(tmp_path: Path, content: str) -> None:
    catbuddy(tmp_path / "sessions")
    path = tmp_path / "sessions" / "desktop_b.jsonl"
    path.write_text(content)
    assert discovering.single(str(path), None).agent == "catbuddy"


def test_a_forced_agent_is_taken_at_its_word(tmp_path: Path) -> None:
    path = tmp_path / "desktop_b.jsonl"
    path.write_text(ROW)
    [workspace] = discovering.at(str(path), "catbuddy")
    assert [row.key for row in listing.sessions([workspace])] == ["desktop:b"]
    assert [w.agent for w in discovering.at(str(tmp_path), "catbuddy")] == ["catbuddy"]


def test_a_folder_of_nothing_but_damage_can_be_forced(tmp_path: Path) -> None:
    (tmp_path / "sessions").mkdir()
    (tmp_path / "sessions" / "desktop_b.jsonl").write_bytes(b"\0" * 100)
    [workspace] = discovering.find([str(tmp_path)], "catbuddy")
    assert [(row.key, row.damage[0]) for row in listing.sessions([workspace])] == [("desktop:b", "nul-run")]


def test_an_unknown_agent_is_said_before_anything_else() -> None:
    with pytest.raises(UsageError, match="no agent format called 'frob'"):
        discovering.find(["/nowhere"], "frob")


def test_homes_of_one_agent_or_of_all(no_home: Path) -> None:
    assert discovering.usual_homes("nanobot") == [str(no_home / ".nanobot")]
    assert discovering.usual_homes()[:2] == [str(no_home / ".catbuddy"), str(no_home / ".nanobot")]


def test_the_same_place_twice_is_one_workspace(tmp_path: Path) -> None:
    catbuddy(tmp_path / "sessions")
    once = found(tmp_path / "sessions")
    assert found(tmp_path / "sessions", f"{tmp_path}/sessions/", tmp_path / "sessions") == once


def test_two_files_of_one_folder_are_two_workspaces(tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / f"{name}.jsonl").write_text(ROW)
    workspaces = discovering.find([str(tmp_path / "a.jsonl"), str(tmp_path / "b.jsonl")])
    assert sorted(row.key for row in listing.sessions(workspaces)) == ["a", "b"]
    assert all(isinstance(workspace, Workspace) for workspace in workspaces)


def test_loose_files_above_the_current_folder_are_chance(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chat = tmp_path / "chat.jsonl"
    chat.write_text('{"key":"desktop:x","preview":"","updated_at":"2026-05-20T08:30:00.000Z","last_consolidated":0}\n')
    (tmp_path / "below").mkdir()
    monkeypatch.chdir(tmp_path / "below")
    with pytest.raises(NothingFound):
        discovering.find(None)
    monkeypatch.chdir(tmp_path)
    assert [workspace.root for workspace in discovering.find(None)] == [str(tmp_path)]
