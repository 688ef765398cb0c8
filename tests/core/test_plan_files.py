"""Plans as files: carried out on the very bytes that they were made for, or not at all."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from support import damaging, faults
from support.chats import CATBUDDY, NANOBOT
from support.repairs import Place, inside, wishes

from memcli.core import applying, plan_files
from memcli.core.blueprint import Blueprint
from memcli.core.discovering import at
from memcli.core.planning import plan
from memcli.errors import RefusedForSafety, UsageError

TORN = damaging.joined(*CATBUDDY.lines[:4]) + CATBUDDY.lines[4][:50]


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MEMCLI_STATE_DIR", str(tmp_path / "state"))
    faults.quick_disk(monkeypatch)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """A workspace with a torn chat, an equal copy of another one, and a counter that is behind."""
    made = Place(tmp_path / "home", CATBUDDY, TORN)
    other = CATBUDDY.whole.replace(b"desktop:main", b"desktop:other")
    made.put(made.sessions / "desktop_other.jsonl", other)
    made.put(made.sessions / "desktop_other (conflicted copy).jsonl", other)
    made.put(made.root / "memory" / "history.jsonl", b'{"cursor":5,"content":"x","at":"2026-05-20T08:30:00.000Z"}\n')
    made.put(made.root / "memory" / ".cursor", b"2")
    return made


def planned(place: Place, **flags: str) -> Blueprint:
    [workspace] = at(str(place.root), "catbuddy")
    return plan(workspace, wishes(False, flags))


def saved(place: Place, to: Path, **flags: str) -> dict[str, Any]:
    plan_files.save(str(to), [planned(place, **flags)])
    value: dict[str, Any] = json.loads(to.read_text("utf-8"))
    return value


def carry_out(path: Path) -> list[applying.Applied]:
    return [applying.apply(one, wishes=wishes(False, {}), command=[], idle=0.0) for one in plan_files.load(str(path))]


def test_a_plan_does_the_same_from_its_file(place, tmp_path):
    file = tmp_path / "plan.json"
    saved(place, file)
    assert file.stat().st_mode & 0o777 == 0o600
    [again] = plan_files.load(str(file))
    first = planned(place)
    assert again.plan() == first.plan()
    assert again.items == first.items
    assert again.views == first.views
    [done] = carry_out(file)
    assert done.id
    assert place.path.read_bytes() == damaging.joined(*CATBUDDY.lines[:4])
    assert (place.root / "memory" / ".cursor").read_text() == "5"
    assert not (place.sessions / "desktop_other (conflicted copy).jsonl").exists()
    place.undo()
    assert place.path.read_bytes() == TORN


def test_a_checkpoint_and_a_named_file_are_part_of_it(tmp_path):
    data = damaging.joined(*NANOBOT.lines[:2], NANOBOT.lines[2][:30], *NANOBOT.lines[3:])
    place = Place(tmp_path / "home", NANOBOT, data)
    beside = place.path.with_name(place.path.stem + ".checkpoint.json")
    place.put(beside, b'{"base_message_count": 6}')
    [workspace] = at(str(place.path), "nanobot")
    file = tmp_path / "plan.json"
    plan_files.save(str(file), [plan(workspace, wishes(False, {}))])
    [done] = carry_out(file)
    assert len(done.outcomes) == 2
    assert beside.read_bytes() == b'{"base_message_count": 5}'


@pytest.mark.parametrize(
    "change",
    [
        lambda place: place.put(place.path, TORN + b"x"),
        lambda place: place.put(place.path, TORN[:-1] + b"!"),
        lambda place: place.path.unlink(),
        lambda place: place.put(place.root / "memory" / ".cursor", b"3"),
        lambda place: (place.root / "memory" / ".cursor").unlink(),
        lambda place: place.put(place.sessions / "desktop_other (conflicted copy).jsonl", b"{}\n"),
    ],
)
def test_it_is_refused_when_anything_changed(place, tmp_path, change):
    file = tmp_path / "plan.json"
    saved(place, file)
    change(place)
    before = inside(place.root)
    with pytest.raises(RefusedForSafety, match="changed since the plan was made"):
        carry_out(file)
    assert inside(place.root) == before


def spoiled(value: dict[str, Any], name: str, place: Place) -> None:
    """A plan that somebody else wrote."""
    [workspace] = value["workspaces"]
    change = workspace["changes"][0]
    outside = place.root.parent / "outside.jsonl"
    place.put(outside, TORN)
    if name == "edits a file outside":
        change["path"] = str(outside)
    elif name == "writes text to a file outside":
        workspace["actions"][0].update(kind="write-text", path=str(outside))
        workspace["inputs"] = {str(outside): None}
    elif name == "renames to a place outside":
        path = str(place.path)
        workspace["actions"] = [{"kind": "rename", "path": path, "code": "x", "detail": str(outside) + ".new"}]
        workspace["inputs"] = {path: change["sha256"], str(outside) + ".new": None}
    elif name == "renames over what it has no hash of":
        path = str(place.path)
        workspace["actions"] = [{"kind": "rename", "path": path, "code": "x", "detail": str(outside)}]
        workspace["inputs"] = {path: change["sha256"]}
    elif name == "climbs":
        change["path"] = str(place.sessions / ".." / ".." / "outside.jsonl")
    elif name == "another result":
        change["result"] = "0" * 64
    elif name == "overlapping edits":
        change["edits"] = [{**change["edits"][0], "offset": 0, "length": 9}, {**change["edits"][0], "offset": 3}]
    elif name == "no edits":
        del change["edits"]
    elif name == "another version":
        value["version"] = 99
    elif name == "another kind":
        value["type"] = "session"
    elif name == "an action that is none":
        workspace["actions"][0]["kind"] = "run"
    elif name == "a workspace that is gone":
        workspace["root"] = str(place.root / "sessions" / "x")
    else:
        raise AssertionError(name)


@pytest.mark.parametrize(
    "name",
    [
        "edits a file outside",
        "writes text to a file outside",
        "renames to a place outside",
        "renames over what it has no hash of",
        "climbs",
        "another result",
        "overlapping edits",
        "no edits",
        "another version",
        "another kind",
        "an action that is none",
        "a workspace that is gone",
    ],
)
def test_a_plan_that_is_wrong_or_reaches_out_is_no_plan(place, tmp_path, name):
    file = tmp_path / "plan.json"
    value = saved(place, file)
    spoiled(value, name, place)
    file.write_text(json.dumps(value))
    before = inside(tmp_path / "home")
    with pytest.raises((UsageError, RefusedForSafety)):
        carry_out(file)
    assert inside(tmp_path / "home") == before
    assert (tmp_path / "outside.jsonl").read_bytes() == TORN


@pytest.mark.parametrize("text", [b"", b"{}", b"[]", b"null", b'{"type": "memcli-plan"}', b"\xff\xfe", b"[" * 100_000])
def test_a_file_that_is_no_plan(tmp_path, text):
    file = tmp_path / "plan.json"
    file.write_bytes(text)
    with pytest.raises(UsageError, match="no plan"):
        plan_files.load(str(file))


def test_a_plan_is_never_written_over_a_file(place, tmp_path):
    file = tmp_path / "plan.json"
    file.write_text("mine")
    with pytest.raises(UsageError, match="exists already"):
        plan_files.save(str(file), [planned(place)])
    with pytest.raises(UsageError, match="no folder"):
        plan_files.save(str(tmp_path / "none" / "plan.json"), [planned(place)])
    os.symlink(tmp_path / "nowhere", tmp_path / "link")
    with pytest.raises(UsageError, match="exists already"):
        plan_files.save(str(tmp_path / "link"), [planned(place)])
    assert file.read_text() == "mine"
