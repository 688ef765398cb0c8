"""Removing sessions: what goes with each, what stays, that undo brings every byte back, and that a mirror is told."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from support import faults
from support.cli import snapshot
from support.copies import chat, header, joined, row
from support.repairs import OLD, inside

from memcli.core import removing, sealing, selecting
from memcli.core.removing import Removal, Removed
from memcli.errors import CannotRead, CannotWrite, RefusedForSafety, UsageError
from memcli.storage import tombstones, undo

NAME = "dGVsZWdyYW06NDI"
NOW = 1_780_000_000.0


@pytest.fixture
def nanobot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of nanobot 0.3.5 with two chats, and what lies beside the first."""
    monkeypatch.setenv("MEMCLI_STATE_DIR", str(tmp_path / "state"))
    faults.quick_disk(monkeypatch)
    root = tmp_path / ".nanobot"
    sessions = root / "workspace" / "sessions"
    sessions.mkdir(parents=True)
    files = {
        f"{NAME}.jsonl": chat("nanobot", [1, 2, 3]),
        f"{NAME}.checkpoint.json": b'{"base_message_count": 3}',
        f".{NAME}.jsonl.0123456789abcdef.tmp": chat("nanobot", [1, 2]),
        f"{NAME}.jsonl.tmp": b"",
        f"{NAME} (1).jsonl": chat("nanobot", [1]),
        "dGVsZWdyYW06Nw.jsonl": joined(*header("nanobot", key="telegram:7"), row("nanobot", 1)),
        "dGVsZWdyYW06Nw.checkpoint.json": b"{}",
        ".dGVsZWdyYW06Nw.jsonl.0123456789abcdef.tmp": b"{}",
        "../../webui/telegram_42.jsonl": b"shown\n",
        "../../webui/telegram_7.jsonl": b"shown\n",
    }
    for name, data in files.items():
        path = sessions / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)
        os.utime(path, ns=(OLD, OLD))
    return root


def planned(key: str, root: Path) -> list[Removal]:
    return removing.plan(removing.named([key], [str(root)], None, exact=True))


def carry_out(removals: list[Removal], **more: object) -> list[Removed]:
    return removing.carry_out(removals, command=["memcli", "sessions", "rm"], idle=0, now=NOW, **more)


def test_what_goes_and_what_stays(nanobot: Path) -> None:
    [one] = planned("telegram:42", nanobot)
    assert (one.ref.key, one.rows, one.version.size) == ("telegram:42", 3, len(chat("nanobot", [1, 2, 3])))
    names = {Path(sidecar.path).name for sidecar in one.sidecars}
    assert names == {f"{NAME}.checkpoint.json", f".{NAME}.jsonl.0123456789abcdef.tmp", f"{NAME}.jsonl.tmp"}
    assert [Path(path).name for path in one.left] == [f"{NAME} (1).jsonl", "telegram_42.jsonl"]


def test_there_and_back(nanobot: Path) -> None:
    before = inside(nanobot)
    removals = planned("telegram:42", nanobot)
    [done] = carry_out(removals)
    gone = {removals[0].ref.path, *(one.path for one in removals[0].sidecars)}
    assert set(before) - set(inside(nanobot)) == gone
    store = sealing.store(done.workspace)
    [stone] = tombstones.standing(store)
    assert stone == (
        "telegram:42",
        "nanobot",
        done.workspace.root,
        "2026-05-28T20:26:40.000Z",
        removals[0].version.sha256,
        3,
        removals[0].ref.path,
        done.id,
    )
    undo.undo(store, done.id)
    assert inside(nanobot) == before
    assert tombstones.standing(store) == []


def test_several_of_one_workspace_go_together(nanobot: Path) -> None:
    before = inside(nanobot)
    refs = removing.named(["telegram:42", "telegram:7", "telegram:42"], [str(nanobot)], None, exact=True)
    assert len(refs) == 2
    [done] = carry_out(removing.plan(refs))
    assert [stone.key for stone in tombstones.standing(sealing.store(done.workspace))] == ["telegram:42", "telegram:7"]
    undo.undo(sealing.store(done.workspace), done.id)
    assert inside(nanobot) == before


def test_those_of_two_workspaces_are_two_operations(nanobot: Path, tmp_path: Path) -> None:
    other = tmp_path / "logs"
    other.mkdir()
    (other / "chat.jsonl").write_bytes(chat("jsonl", [1, 2]))
    os.utime(other / "chat.jsonl", ns=(OLD, OLD))
    refs = removing.named(["telegram:42", str(other / "chat.jsonl")], [str(nanobot)], None, exact=True)
    done = carry_out(removing.plan(refs))
    assert len({one.id for one in done}) == len(done) == 2
    assert not (other / "chat.jsonl").exists()
    undo.undo(sealing.store(done[1].workspace), done[1].id)
    assert (other / "chat.jsonl").read_bytes() == chat("jsonl", [1, 2])


def test_a_journal_that_is_a_session_takes_its_cursor_with_it(samples: Path, tmp_path: Path) -> None:
    import shutil

    root = tmp_path / "cococat"
    shutil.copytree(samples / "cococat" / "v1-healthy", root)
    key = next(ref.key for ref in selecting.refs(_workspaces(root)) if Path(ref.path).name == "history.jsonl")
    [one] = planned(key, root)
    assert ".dream_cursor" in {Path(sidecar.path).name for sidecar in one.sidecars}


def test_a_journal_that_is_none_is_left_alone(samples: Path, tmp_path: Path) -> None:
    import shutil

    root = tmp_path / "catbuddy"
    shutil.copytree(samples / "catbuddy" / "home-workspace", root)
    journal = next(root.rglob("history.jsonl"))
    with pytest.raises(UsageError, match="journal and no session"):
        removing.plan(removing.named([str(journal)], None, None, exact=True))


def _workspaces(root: Path) -> list[object]:
    from memcli.core import discovering

    return discovering.find([str(root)])


def test_an_agent_at_work_keeps_everything(nanobot: Path) -> None:
    removals = planned("telegram:42", nanobot)
    os.utime(removals[0].sidecars[0].path)
    before = snapshot(nanobot)
    done = removing.carry_out(removals, command=[], idle=60, now=NOW)
    assert done[0].id == ""
    assert "seconds ago" in done[0].refused[0]
    assert done[0].refused[-1].endswith("or with --force-live.")
    assert snapshot(nanobot) == before
    assert not os.path.exists(sealing.store(done[0].workspace).folder)
    assert removing.carry_out(removals, command=[], idle=60, force_live=True, now=NOW)[0].id


def test_a_file_that_was_written_since_stays(nanobot: Path) -> None:
    removals = planned("telegram:42", nanobot)
    Path(removals[0].ref.path).write_bytes(chat("nanobot", [1, 2, 3, 4]))
    before = snapshot(nanobot)
    with pytest.raises(RefusedForSafety, match="changed after it was read"):
        carry_out(removals)
    assert snapshot(nanobot) == before
    assert tombstones.read(sealing.store(removals[0].ref.workspace)) == []


def test_a_tombstone_that_cannot_be_written_is_told_of(nanobot: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*arguments: object) -> None:
        raise CannotWrite("No space.")

    monkeypatch.setattr(tombstones, "add", fail)
    removals = planned("telegram:42", nanobot)
    with pytest.raises(CannotWrite):
        carry_out(removals)
    undo.undo(sealing.store(removals[0].ref.workspace))
    assert Path(removals[0].ref.path).exists()


@pytest.mark.parametrize(
    ("data", "rows"),
    [
        (b"", 0),
        (joined(*header("nanobot")), 0),
        (chat("nanobot", [1, 2])[:-1], 2),
        (joined(*header("nanobot"), b"", row("nanobot", 1), b"torn"), 2),
    ],
    ids=["empty", "header alone", "no newline", "blank and torn"],
)
def test_how_many_rows(nanobot: Path, data: bytes, rows: int) -> None:
    path = nanobot / "workspace" / "sessions" / f"{NAME}.jsonl"
    path.write_bytes(data)
    [one] = removing.plan(removing.named([str(path)], None, None, exact=True))
    assert one.rows == rows


def test_what_is_named(nanobot: Path, tmp_path: Path) -> None:
    import gzip

    with pytest.raises(UsageError, match=r"only a part of telegram:7"):
        removing.named(["m:7"], [str(nanobot)], None, exact=True)
    assert removing.named(["m:7"], [str(nanobot)], None, exact=False)[0].key == "telegram:7"
    packed = tmp_path / "chat.jsonl.gz"
    packed.write_bytes(gzip.compress(chat("nanobot", [1])))
    with pytest.raises(UsageError, match="no file in its place"):
        removing.named([str(packed)], None, None, exact=True)
    [ref] = removing.named(["telegram:7"], [str(nanobot)], None, exact=True)
    os.unlink(ref.path)
    with pytest.raises(CannotRead):
        removing.plan([ref])
