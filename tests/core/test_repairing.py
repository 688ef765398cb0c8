"""Repair carried out: what stands afterwards, what is kept, what is refused, and that it can all be taken back."""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from support import damaging, faults
from support.chats import ALL, CATBUDDY, COCOCAT, NANOBOT
from support.mending import Chat
from support.repairs import OLD, Place, built, inside, wishes
from support.row_cases import CASES, about

from memcli.core import applying, planning, repairing, sealing, surroundings
from memcli.core.blueprint import Blueprint
from memcli.core.discovering import at
from memcli.core.drafts import Draft
from memcli.core.examining import Examination
from memcli.core.verifying import Scope
from memcli.errors import RefusedForSafety, UsageError
from memcli.model import SessionRef, Workspace
from memcli.storage import quarantine, undo
from memcli.storage.reaching import changed

TORN = damaging.joined(*CATBUDDY.lines[:4]) + CATBUDDY.lines[4][:50]
MENDED = damaging.joined(*CATBUDDY.lines[:4])


def named(folder: Path) -> str:
    return f"{folder.parent.name}/{folder.name}"


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MEMCLI_STATE_DIR", str(tmp_path / "state"))
    faults.quick_disk(monkeypatch)


@pytest.fixture
def torn(tmp_path: Path) -> Place:
    return Place(tmp_path / "home", CATBUDDY, TORN)


def files(marker: str) -> list[Path]:
    return [path.parent for path in sorted(CASES.glob(f"*/*/{marker}"))]


@pytest.mark.parametrize("folder", files("before.jsonl"), ids=named)
def test_a_damaged_file_becomes_what_its_case_says_and_can_be_had_back(folder, tmp_path):
    case = about(folder)
    header = case["agent"] in ("catbuddy", "nanobot")
    chat = Chat(case["agent"], case.get("name", "chat.jsonl"), (), case.get("era", ""), header)
    before = (folder / "before.jsonl").read_bytes()
    place = Place(tmp_path / "home", chat, before)
    if case.get("kind") == "journal":
        place.workspace = place.workspace._replace(memory=(str(place.sessions),), sessions=())
    given = case.get("flags", [])
    flags = {flag.strip("-"): "" for flag in given if flag != "--lossy"} | case.get("options", {})
    codes = {one["code"] for one in json.loads((folder / "findings.json").read_text("utf-8"))} | {folder.parent.name}
    only = tuple(sorted(codes - {"foreign-record"}))
    found = inside(place.root)
    done = place.repair(lossy="--lossy" in given, flags=flags, only=only)
    after = folder / "after.jsonl"
    expected = after.read_bytes() if after.exists() and "foreign-record" not in codes else before
    renamed = [one["detail"] for one in case.get("actions", []) if one["kind"] == "rename"]
    now = place.sessions / renamed[0] if renamed else place.path
    assert now.read_bytes() == expected
    assert bool(done.id) == (expected != before or bool(renamed))
    assert not done.refused
    if done.id:
        assert now.stat().st_mtime_ns == OLD
        again = inside(place.root)
        assert not place.repair(lossy="--lossy" in given, flags=flags, only=only).id
        assert inside(place.root) == again
        place.undo()
    assert inside(place.root) == found


@pytest.mark.parametrize("folder", files("setup.json"), ids=named)
def test_what_is_around_the_files_is_set_right_and_can_be_had_back(folder, tmp_path, monkeypatch):
    case = about(folder)
    monkeypatch.setattr(surroundings, "reachable", lambda folder, top="": case.get("reachable", True))
    monkeypatch.setattr(surroundings, "time", SimpleNamespace(time=lambda: time.time() + case.get("later", 0)))
    root = tmp_path / "home"
    built(root, folder)
    [workspace] = at(str(root), case["agent"])
    before = inside(root)
    wanted = wishes(
        False,
        {flag.strip("-"): "" for flag in case.get("flags", [])},
        only=tuple({one["code"] for one in json.loads((folder / "findings.json").read_text("utf-8"))}) or ("none",),
    )

    def repair() -> applying.Applied:
        return applying.apply(planning.plan(workspace, wanted), wishes=wanted, command=["memcli"], idle=0.0)

    done = repair()
    actions = case.get("actions", [])
    assert bool(done.id) == bool(actions or case.get("after"))
    for action in actions:
        [path] = [Path(one) for one in before if os.path.basename(one) == action["path"]] or [None]
        if action["kind"] in ("write-text", "write-position"):
            written = [one for one in root.rglob("*") if one.name == action["path"]]
            assert action["detail"] in [one.read_text() for one in written]
        elif action["kind"] == "chmod":
            assert path is not None
            assert path.stat().st_mode & 0o777 == int(action["detail"], 8)
        else:
            assert path is not None
            assert not path.exists()
            target = path.parent / (action["detail"] or "-")
            assert action["kind"] == "remove" or inside(root)[str(target)][2] == before[str(path)][2]
    for name, text in case.get("after", {}).items():
        assert (root / name).read_text("utf-8") == text
    again = inside(root)
    assert not repair().id
    assert inside(root) == again
    if done.id:
        undo.undo(sealing.store(workspace))
    assert inside(root) == before


@pytest.mark.parametrize("generator", damaging.ALL, ids=lambda one: one.__name__)
@pytest.mark.parametrize("chat", ALL, ids=lambda one: one.agent)
def test_undo_brings_every_byte_back_and_nothing_is_removed_that_is_not_kept(chat, generator, tmp_path):
    for number, (data, _) in enumerate(generator(chat)):
        if number % 61 != 5:
            continue
        place = Place(tmp_path / str(number), chat, data)
        blueprint = place.plan(lossy=True)
        done = place.repair(lossy=True)
        if not done.id:
            assert place.path.read_bytes() == data
            continue
        [outcome] = done.outcomes
        [record, *_] = undo.listed(sealing.store(place.workspace))
        kept = (
            {row["offset"]: piece for row, piece in quarantine.pieces(sealing.store(place.workspace), record.folder)}
            if outcome.bytes_removed
            else {}
        )
        gone = blueprint.drafts[str(place.path)].rope.gone()
        assert kept == {span.offset: data[span.offset : span.offset + span.length] for span in gone}
        assert sum(map(len, kept.values())) == outcome.bytes_removed
        place.undo()
        assert place.path.read_bytes() == data
        assert place.path.stat().st_mtime_ns == OLD


def test_healthy_files_are_not_touched(tmp_path, torn):
    healthy = torn.sessions / "desktop_other.jsonl"
    torn.put(healthy, CATBUDDY.whole.replace(b"desktop:main", b"desktop:other"))
    before = healthy.stat()
    assert torn.repair().id
    after = healthy.stat()
    assert (after.st_ino, after.st_mtime_ns, after.st_ctime_ns) == (
        before.st_ino,
        before.st_mtime_ns,
        before.st_ctime_ns,
    )
    assert sorted(path.name for path in torn.sessions.iterdir()) == ["desktop_main.jsonl", "desktop_other.jsonl"]


def test_mode_and_time_stay(torn):
    torn.path.chmod(0o640)
    torn.repair()
    assert torn.path.read_bytes() == MENDED
    assert torn.path.stat().st_mode & 0o777 == 0o640
    assert torn.path.stat().st_mtime_ns == OLD


def test_without_lossy_a_line_that_cannot_be_read_stays(tmp_path):
    data = damaging.joined(*CATBUDDY.lines[:3], b"no json", CATBUDDY.lines[3])
    place = Place(tmp_path / "home", CATBUDDY, data)
    assert not place.repair().id
    [item] = [item for item in place.plan().items if item.finding.code == "not-json"]
    assert (item.state, item.needs) == ("left", "--lossy")
    done = place.repair(lossy=True)
    assert place.path.read_bytes() == damaging.joined(*CATBUDDY.lines[:4])
    assert done.outcomes == [(done.id, str(place.path), 3, 0, 1, 8)]
    assert place.quarantined() == b"no json\n"


def test_only_some_classes(tmp_path):
    data = damaging.joined(*CATBUDDY.lines[:2], CATBUDDY.lines[2] + CATBUDDY.lines[3]) + CATBUDDY.lines[4][:9]
    place = Place(tmp_path / "home", CATBUDDY, data)
    [item] = [item for item in place.plan(only=("glued-lines",)).items if item.finding.code == "torn-tail"]
    assert item.needs == "--only torn-tail"
    place.repair(only=("glued-lines",))
    assert place.path.read_bytes() == damaging.joined(*CATBUDDY.lines[:4]) + CATBUDDY.lines[4][:9]


def test_a_checkpoint_beside_a_session_goes_on_fitting_it(tmp_path):
    data = damaging.joined(*NANOBOT.lines[:2], NANOBOT.lines[2][:30], *NANOBOT.lines[3:])
    place = Place(tmp_path / "home", NANOBOT, data)
    beside = place.path.with_name(place.path.stem + ".checkpoint.json")
    place.put(beside, b'{"version": 1, "base_message_count": 6, "checkpoint": {"base_message_count": 9}}')
    done = place.repair()
    assert beside.read_bytes() == b'{"version": 1, "base_message_count": 5, "checkpoint": {"base_message_count": 9}}'
    assert beside.stat().st_mtime_ns >= place.path.stat().st_mtime_ns
    assert len(done.outcomes) == 2
    place.undo()
    assert place.path.read_bytes() == data
    assert b'"base_message_count": 6' in beside.read_bytes()


@pytest.mark.parametrize("text", [b"{", b"[]", b'{"base_message_count": null}', b'{"base_message_count": 77}', b"{}"])
def test_a_checkpoint_that_does_not_fit_is_left_alone(tmp_path, text):
    place = Place(
        tmp_path / "home", NANOBOT, damaging.joined(*NANOBOT.lines[:2], NANOBOT.lines[2][:30], *NANOBOT.lines[3:])
    )
    beside = place.path.with_name(place.path.stem + ".checkpoint.json")
    place.put(beside, text)
    assert len(place.repair().outcomes) == 1
    assert beside.read_bytes() == text


def journal(folder: Path, data: bytes, cursor: str) -> tuple[Workspace, Path]:
    """A CocoCat agent with a journal, and the cursor that counts what is read of it."""
    memory = folder / "agents" / "leader" / "memory"
    Place.put(memory / "history.jsonl", data)
    Place.put(memory / ".dream_cursor", cursor.encode())
    [workspace] = at(str(folder), "cococat")
    return workspace, memory / ".dream_cursor"


@pytest.mark.parametrize(
    ("lines", "cursor", "moved"),
    [
        # two records that no reader saw come back before the cursor: they must not push others out of sight
        ((COCOCAT.lines[0] + COCOCAT.lines[1], *COCOCAT.lines[2:]), "1", "3"),
        ((COCOCAT.lines[0], COCOCAT.lines[1] + COCOCAT.lines[2], COCOCAT.lines[3]), "1", "1"),
        ((COCOCAT.lines[0], COCOCAT.lines[0], *COCOCAT.lines[1:]), "3", "2"),
        ((COCOCAT.lines[0], COCOCAT.lines[1][:20], *COCOCAT.lines[2:]), "2", "2"),
    ],
)
def test_a_cursor_that_counts_records_moves_with_them(tmp_path, lines, cursor, moved):
    workspace, position = journal(tmp_path / "coco", damaging.joined(*lines), cursor)
    plan = planning.plan(workspace, wishes(False, {}))
    assert not [item for item in plan.items if item.finding.code == "dream-cursor-ahead"]
    done = applying.apply(plan, wishes=wishes(False, {}), command=[], idle=0.0)
    assert position.read_text() == moved
    assert position.stat().st_mtime_ns == OLD  # the time of the last Dream
    assert len(done.outcomes) == 1 + (moved != cursor)


def test_rows_of_another_session_go_to_its_file(tmp_path):
    place = Place(tmp_path / "home", CATBUDDY, CATBUDDY.whole)
    theirs = [line.replace(b"desktop:main", b"desktop:other") for line in CATBUDDY.lines]
    other = place.sessions / "desktop_other.jsonl"
    place.put(other, damaging.joined(*theirs[:3], *theirs[4:6]))
    place.put(place.path, damaging.joined(*CATBUDDY.lines[:5], theirs[3], *CATBUDDY.lines[5:6], theirs[5]))
    done = place.repair(flags={"reroute": ""})
    assert place.path.read_bytes() == damaging.joined(*CATBUDDY.lines[:6])
    assert other.read_bytes() == damaging.joined(*theirs[:6])  # by its time; the one that was there already once
    assert len(done.outcomes) == 2
    place.undo()
    assert other.read_bytes() == damaging.joined(*theirs[:3], *theirs[4:6])


@pytest.mark.parametrize(
    ("there", "why"),
    [
        (None, "that session has no file here"),
        (CATBUDDY.lines[:2], "some of their ids are taken"),
        ((CATBUDDY.lines[0], b"no json"), "not all of"),
    ],
)
def test_rows_stay_where_their_own_file_cannot_take_them(tmp_path, there, why):
    data = damaging.joined(*CATBUDDY.lines[:3], CATBUDDY.lines[1].replace(b"desktop:main", b"desktop:other"))
    place = Place(tmp_path / "home", CATBUDDY, data)
    if there:
        lines = [line.replace(b"desktop:main", b"desktop:other").replace(b"Why", b"Because") for line in there]
        place.put(place.sessions / "desktop_other.jsonl", damaging.joined(*lines))
    plan = place.plan(flags={"reroute": ""})
    assert any(why in note for note in plan.notes)
    assert not place.repair(flags={"reroute": ""}).id
    assert place.path.read_bytes() == data


def test_rows_are_counted_where_their_file_is_now(tmp_path):
    place = Place(tmp_path / "home", CATBUDDY, CATBUDDY.whole)
    lines = [line.replace(b"desktop:main", b"desktop:third") for line in CATBUDDY.lines]
    place.put(place.sessions / "desktop_renamed.jsonl", damaging.joined(*lines[:5]) + lines[5][:40])
    place.put(place.sessions / "desktop_main (conflicted copy).jsonl", CATBUDDY.whole)
    done = place.repair(flags={"reroute": ""})
    found = {os.path.basename(one.path): one[2:] for one in done.outcomes}
    assert found == {
        "desktop_third.jsonl": (4, 0, 1, 0),
        "desktop_renamed.jsonl": (0, 0, 0, 40),
        "desktop_main (conflicted copy).jsonl": (0, 0, 7, len(CATBUDDY.whole)),
    }
    assert (place.sessions / "desktop_third.jsonl").read_bytes() == damaging.joined(*lines[:5])
    place.undo()
    assert (place.sessions / "desktop_renamed.jsonl").read_bytes() == damaging.joined(*lines[:5]) + lines[5][:40]


def test_a_file_gets_its_name_and_its_mode_at_once(tmp_path, monkeypatch):
    monkeypatch.setattr(surroundings, "reachable", lambda folder, top="": True)
    place = Place(tmp_path / "home", CATBUDDY, CATBUDDY.whole)
    other = place.sessions / "desktop_renamed.jsonl"
    place.put(other, TORN.replace(b"desktop:main", b"desktop:third"))
    other.chmod(0o644)
    place.path.chmod(0o644)
    flags = {"reroute": "", "fix-perms": ""}
    assert place.repair(flags=flags).id
    third = place.sessions / "desktop_third.jsonl"
    assert third.read_bytes() == MENDED.replace(b"desktop:main", b"desktop:third")
    assert {path.stat().st_mode & 0o777 for path in place.sessions.iterdir()} == {0o600}
    assert not place.repair(flags=flags).id
    place.undo()
    assert other.stat().st_mode & 0o777 == 0o644


@pytest.mark.parametrize("data", [CATBUDDY.whole, TORN], ids=["whole", "torn"])
def test_what_a_new_name_mends_is_not_left_as_well(tmp_path, data):
    place = Place(tmp_path / "home", CATBUDDY, CATBUDDY.whole)
    place.put(place.sessions / "my chat.jsonl", data.replace(b"desktop:main", b"desktop:third"))
    states = [item.state for item in place.plan(flags={"reroute": ""}).items if item.finding.code == "name-mismatch"]
    assert states == ["mend"]


def test_a_later_round_names_the_place_in_the_file_as_it_is(tmp_path):
    data = damaging.joined(CATBUDDY.lines[0], CATBUDDY.lines[1][:30], *CATBUDDY.lines[1:3], CATBUDDY.lines[3] * 2)
    place = Place(tmp_path / "home", CATBUDDY, data)
    [double] = [item.finding for item in place.plan().items if item.finding.code == "duplicate-record"]
    assert double.line == 5
    assert double.offset == data.rindex(CATBUDDY.lines[3])


def test_a_file_is_not_renamed_over_another(tmp_path):
    place = Place(tmp_path / "home", CATBUDDY, CATBUDDY.whole)
    copy = place.sessions / "desktop_renamed.jsonl"
    place.put(copy, CATBUDDY.whole.replace(b"desktop:main", b"desktop:third"))
    place.put(place.sessions / "desktop_third.jsonl", b"")
    before = inside(place.root)
    plan = place.plan(flags={"reroute": ""})
    assert any("exists already" in note for note in plan.notes)
    assert not place.repair(flags={"reroute": ""}).id
    assert inside(place.root) == before


def applied(place: Place, **more: object) -> applying.Applied:
    wanted = wishes(False, {})
    return applying.apply(
        planning.plan(place.workspace, wanted),
        wishes=wanted,
        command=[],
        **{"idle": 10.0, **more},
    )


def test_a_file_that_was_just_changed_is_left_alone(torn):
    os.utime(torn.path)
    done = applied(torn)
    assert not done.id
    assert any("was changed" in sentence for sentence in done.refused)
    assert torn.path.read_bytes() == TORN
    assert applied(torn, force_live=True).id


def test_what_memcli_itself_just_wrote_is_no_sign_of_life(torn):
    os.utime(torn.path)
    assert applied(torn, force_live=True).id
    torn.undo()
    assert applied(torn).id


def test_a_file_that_a_program_holds_open_for_writing_is_left_alone(torn):
    code = "import sys; f = open(sys.argv[1], 'ab'); print('ready', flush=True); sys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", code, str(torn.path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout is not None
        other.stdout.readline()
        done = applied(torn, idle=0.0)
        other.communicate()
    assert any("open for writing" in sentence for sentence in done.refused)
    assert torn.path.read_bytes() == TORN


def test_a_running_agent_that_says_so_is_minded(tmp_path):
    home = tmp_path / ".nanobot"
    place = Place(home / "workspace", NANOBOT, NANOBOT.whole[:-5])
    os.utime(place.path, ns=(OLD, OLD))
    beacon = home / "run" / "gateway.json"
    beacon.parent.mkdir()
    beacon.write_text(json.dumps({"pid": os.getpid()}))
    done = applied(place)
    assert any("agent runs" in sentence for sentence in done.refused)
    beacon.unlink()
    assert applied(place).id


def test_the_lock_of_the_agent_is_joined(tmp_path, monkeypatch):
    place = Place(tmp_path / "home", NANOBOT, NANOBOT.whole[:-5])
    lock = place.sessions / ".session-files.lock"
    lock.touch()
    held = []
    rewrite = undo.Operation.rewrite

    def watched(self: undo.Operation, path: str, *arguments: object, **more: object) -> None:
        with lock.open() as other:
            try:
                fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                held.append(path)
        rewrite(self, path, *arguments, **more)

    monkeypatch.setattr(undo.Operation, "rewrite", watched)
    assert place.repair().id
    assert held == [str(place.path)]


@pytest.mark.parametrize("odd", ["hardlink", "outside"])
def test_odd_files_are_left_alone_and_told_of(tmp_path, torn, odd):
    other = torn.sessions / "desktop_odd.jsonl"
    if odd == "hardlink":
        os.link(torn.path, other)
    else:
        elsewhere = tmp_path / "elsewhere.jsonl"
        torn.path.rename(elsewhere)
        torn.path.symlink_to(elsewhere)
    done = torn.repair()
    assert not done.id
    assert any("hard links" in one or "outside" in one for one in done.refused)
    assert torn.path.read_bytes() == TORN


def test_one_file_in_use_does_not_keep_the_others_from_being_mended(torn):
    other = torn.sessions / "desktop_other.jsonl"
    torn.put(other, TORN.replace(b"desktop:main", b"desktop:other"))
    os.utime(other)
    done = applied(torn)
    assert [outcome.path for outcome in done.outcomes] == [str(torn.path)]
    assert any("desktop_other" in sentence for sentence in done.refused)
    assert other.read_bytes() == TORN.replace(b"desktop:main", b"desktop:other")


def test_a_file_that_changed_after_it_was_planned_is_left_alone(torn):
    wanted = wishes(False, {})
    plan = planning.plan(torn.workspace, wanted)
    newer = TORN + b"more"
    torn.put(torn.path, newer)
    with pytest.raises(RefusedForSafety, match="changed"):
        applying.apply(plan, wishes=wanted, command=[], idle=0.0)
    assert torn.path.read_bytes() == newer
    assert sorted(path.name for path in torn.sessions.iterdir()) == ["desktop_main.jsonl"]


def test_a_file_that_was_put_in_the_place_of_another_meanwhile_is_not_written_over(torn, tmp_path):
    wanted = wishes(False, {})
    plan = planning.plan(torn.workspace, wanted)
    secret = tmp_path / "secret"
    secret.write_bytes(b"secret")
    torn.path.unlink()
    torn.path.symlink_to(secret)
    done = applying.apply(plan, wishes=wanted, command=[], idle=0.0)
    assert not done.id
    assert done.refused
    assert secret.read_bytes() == b"secret"
    assert torn.path.is_symlink()


def test_a_file_that_is_saved_at_every_look_is_named_and_left(torn, monkeypatch):
    other = torn.sessions / "desktop_other.jsonl"
    torn.put(other, TORN.replace(b"desktop:main", b"desktop:other"))
    real = Draft.make

    def make(self, edits):
        if self.path == str(torn.path):
            raise changed(self.path)
        real(self, edits)

    monkeypatch.setattr(Draft, "make", make)
    plan = torn.plan()
    assert len(plan.busy) == 1
    assert list(plan.drafts) == [str(other)]
    done = torn.repair()
    assert done.id
    assert any(str(torn.path) in sentence for sentence in done.refused)
    assert torn.path.read_bytes() == TORN


def test_rows_and_counts_that_change_meanwhile_leave_both_files_alone(tmp_path, monkeypatch):
    data = damaging.joined(*NANOBOT.lines[:2], NANOBOT.lines[2][:30], *NANOBOT.lines[3:])
    place = Place(tmp_path / "home", NANOBOT, data)
    beside = place.path.with_name(place.path.stem + ".checkpoint.json")
    place.put(beside, b'{"base_message_count": 6}')
    real = Draft.make

    def make(self, edits):
        if self.path == str(beside):
            raise changed(self.path)
        real(self, edits)

    monkeypatch.setattr(Draft, "make", make)
    done = place.repair()
    assert not done.id
    assert any("checkpoint" in sentence for sentence in done.refused)
    assert place.path.read_bytes() == data


def test_a_cursor_that_moves_on_while_it_is_planned_for_is_left(tmp_path, monkeypatch):
    lines = (COCOCAT.lines[0] + COCOCAT.lines[1], *COCOCAT.lines[2:])
    workspace, position = journal(tmp_path / "coco", damaging.joined(*lines), "1")
    real = surroundings.snapshot

    def late(*arguments, **more):
        position.write_text("2")
        return real(*arguments, **more)

    monkeypatch.setattr(surroundings, "snapshot", late)
    plan = planning.plan(workspace, wishes(False, {}))
    assert plan.actions == []
    assert plan.empty
    assert any(".dream_cursor changed" in sentence for sentence in plan.busy)


def test_a_temporary_file_is_adopted_for_the_named_session_alone(tmp_path):
    place = Place(tmp_path / "home", CATBUDDY, CATBUDDY.whole[:-9])
    other = place.sessions / "desktop_other.jsonl"
    whole = CATBUDDY.whole.replace(b"desktop:main", b"desktop:other")
    place.put(other, whole[:-9])
    for path, content in ((place.path, CATBUDDY.whole), (other, whole)):
        place.put(path.with_name(path.name + ".tmp"), content)
        os.utime(path.with_name(path.name + ".tmp"), ns=(OLD + 9, OLD + 9))
    ref = SessionRef("catbuddy", "desktop:main", str(place.path), str(place.path), place.workspace)
    assert not planning.plan(place.workspace, wishes(False, {}), only=[ref]).actions
    wanted = wishes(False, {"adopt-temp": ""})
    plan = planning.plan(place.workspace, wanted, only=[ref])
    assert [(action.kind, action.detail) for action in plan.actions] == [("rename", str(place.path))]
    assert applying.apply(plan, wishes=wanted, command=["memcli"], idle=0.0).id
    assert place.path.read_bytes() == CATBUDDY.whole
    assert other.read_bytes() == whole[:-9]
    assert other.with_name(other.name + ".tmp").exists()


def test_a_temporary_file_is_mended_on_the_way_to_its_place(tmp_path):
    place = Place(tmp_path / "home", CATBUDDY, damaging.joined(*CATBUDDY.lines[:3]))
    temporary = place.sessions / "desktop_main.jsonl.tmp"
    glued = damaging.joined(*CATBUDDY.lines[:3], CATBUDDY.lines[3] + CATBUDDY.lines[4], *CATBUDDY.lines[5:])
    place.put(temporary, glued)
    os.utime(temporary, ns=(OLD + 9, OLD + 9))
    done = place.repair(flags={"adopt-temp": ""})
    assert done.id
    assert place.path.read_bytes() == CATBUDDY.whole
    assert not temporary.exists()
    assert not place.repair(flags={"adopt-temp": ""}).id
    place.undo()
    assert temporary.read_bytes() == glued
    assert place.path.read_bytes() == damaging.joined(*CATBUDDY.lines[:3])


def test_a_temporary_file_that_goes_while_it_is_looked_at_is_no_failure(torn, monkeypatch):
    temporary = torn.sessions / "desktop_main.jsonl.tmp"
    torn.put(temporary, CATBUDDY.whole)
    real = surroundings.snapshot

    def late(workspace, places, seen, screen, *more):
        def screened(path: str, kind: str) -> object:
            found = screen(path, kind)
            temporary.unlink(missing_ok=True)
            return found

        return real(workspace, places, seen, screened, *more)

    monkeypatch.setattr(surroundings, "snapshot", late)
    plan = torn.plan(flags={"adopt-temp": ""})
    assert [item.state for item in plan.items if item.finding.code == "torn-tail"] == ["mend"]
    assert plan.actions == []


def test_files_that_cannot_be_read_are_told_of(torn, monkeypatch):
    gone = torn.sessions / "desktop_gone.jsonl"
    gone.symlink_to("nowhere")
    plan = torn.plan()
    assert any("desktop_gone.jsonl: it does not exist" in sentence for sentence in plan.unchecked), plan.unchecked
    assert not plan.failed
    assert plan.drafts

    def broken(*_: object, **__: object) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(planning, "Mending", broken)
    plan = torn.plan()
    assert plan.failed
    assert plan.empty
    assert any("input/output error" in sentence for sentence in plan.unchecked)


def test_a_key_that_two_files_claim_is_written_into_the_right_header(tmp_path):
    place = Place(tmp_path / "home", CATBUDDY, CATBUDDY.whole)
    theirs = CATBUDDY.whole.replace(b"desktop:main", b"desktop:other")
    wrong = theirs.replace(b'"key":"desktop:other"', b'"key":"desktop:main"') + CATBUDDY.lines[1][:20]
    other = place.sessions / "desktop_other.jsonl"
    place.put(other, wrong)
    done = place.repair(flags={"reroute": ""})
    assert other.read_bytes() == theirs
    assert len(done.outcomes) == 1
    place.undo()
    assert other.read_bytes() == wrong


def test_it_is_planned_anew_when_the_agent_saved_meanwhile(torn):
    scope = Scope([torn.workspace])
    wanted = wishes(False, {})
    [plan] = repairing.plans(scope, wanted)
    torn.put(torn.path, TORN + b'"')
    again = lambda: repairing.replanned(plan, scope, wanted, "")  # noqa: E731
    used, done = repairing.carry_out(plan, wanted, command=[], idle=0.0, force_live=False, again=again)
    assert used is not plan
    assert done.id
    assert torn.path.read_bytes() == MENDED


def test_it_gives_up_when_the_agent_saves_every_time(torn):
    scope = Scope([torn.workspace])
    wanted = wishes(False, {})
    [plan] = repairing.plans(scope, wanted)
    tries = []

    def again() -> Blueprint:
        made = repairing.replanned(plan, scope, wanted, "")
        tries.append(1)
        torn.put(torn.path, TORN + b"x" * len(tries))
        return made

    torn.put(torn.path, TORN + b"!")
    _, done = repairing.carry_out(plan, wanted, command=[], idle=0.0, force_live=True, again=again)
    assert not done.id
    assert len(tries) == repairing.TRIES
    assert "changed" in done.refused[0]
    assert torn.path.read_bytes() == TORN + b"x" * len(tries)


def test_what_got_worse_is_taken_back(torn, monkeypatch):
    class Pessimist(Examination):
        def hits(self):
            yield from super().hits()
            bad = SimpleNamespace(code="not-json", severity="error")
            yield SimpleNamespace(finding=bad)

    monkeypatch.setattr(applying, "Examination", Pessimist)
    done = torn.repair()
    assert not done.id
    assert "not-json" in done.taken_back
    assert torn.path.read_bytes() == TORN
    assert torn.path.stat().st_mtime_ns == OLD


def test_what_somebody_saved_right_after_is_not_taken_back(torn, monkeypatch):
    read = applying.read_version

    def late(path: str):
        torn.put(torn.path, CATBUDDY.whole)
        return read(path)

    monkeypatch.setattr(applying, "read_version", late)
    assert torn.repair().id
    assert torn.path.read_bytes() == CATBUDDY.whole


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"only": ["torn-tial"]}, "no damage code 'torn-tial'; perhaps torn-line, torn-tail"),
        ({"only": ["xyzzy"]}, "no damage code 'xyzzy'. docs"),
        ({"flags": {"redream": "", "skip": ""}}, "exclude each other"),
        ({"flags": {"encoding": "klingon"}}, "no encoding called 'klingon'"),
        ({"reconstruct": True}, "--to FILE"),
    ],
)
def test_wishes_that_cannot_be(more, message):
    with pytest.raises(UsageError, match=message):
        repairing.wishes(**{"lossy": False, "only": [], "flags": {}, **more})


@pytest.mark.parametrize(
    "more",
    [
        {"apply": True, "to": "x"},
        {"from_plan": "x", "named": True},
        {"from_plan": "x", "to": "y"},
        {"from_plan": "x", "save_plan": "y"},
    ],
)
def test_options_that_exclude_each_other(more):
    with pytest.raises(UsageError):
        repairing.check(**{"apply": False, "to": None, "save_plan": None, "from_plan": None, "named": False, **more})


def test_writing_needs_one_workspace_that_is_meant(torn, tmp_path):
    other = Place(tmp_path / "other", NANOBOT, NANOBOT.whole)
    with pytest.raises(UsageError, match="Several workspaces"):
        repairing.may_write(Scope([torn.workspace, other.workspace]), named=False)
    assert len(repairing.may_write(Scope([torn.workspace, other.workspace]), named=True)) == 2
    assert repairing.may_write(Scope([torn.workspace]), named=False) == [torn.workspace]
    anybody = torn.workspace._replace(agent="jsonl")
    with pytest.raises(UsageError, match="no known layout"):
        repairing.may_write(Scope([anybody]), named=False)
    unpacked = torn.workspace._replace(shown=str(tmp_path / "sent.zip"))
    with pytest.raises(UsageError, match="--to FILE"):
        repairing.may_write(Scope([unpacked]), named=True, copies=True)
    with pytest.raises(UsageError, match="unpack it"):
        repairing.may_write(Scope([unpacked]), named=True)


def test_times_of_the_file_stand_in_for_rows_that_have_none(tmp_path):
    """The header that is built anew gets the time of the file, not that of the draft."""
    rows = [
        json.dumps({"role": "user", "content": "a"}).encode(),
        json.dumps({"role": "assistant", "content": "b"}).encode(),
    ]
    place = Place(tmp_path / "home", NANOBOT, damaging.joined(*rows, rows[0][:12]))
    place.repair()
    header = json.loads(place.path.read_bytes().split(b"\n")[0])
    assert header["updated_at"].startswith("2001-09-09")


@pytest.mark.parametrize(
    "key",
    [
        "desktop:../../x",
        "..",
        ".",
        "/etc/passwd",
        "a\\u0000b",
        "a\\nb",
        "x" * 300,
        "\\ud83d",
        "\\u202e",
        "con",
        "a/../../b",
        "",
    ],
)
@pytest.mark.parametrize("chat", [CATBUDDY, NANOBOT], ids=lambda one: one.agent)
def test_a_key_cannot_lead_a_file_out_of_its_folder(tmp_path, chat, key):
    owner = json.loads(chat.lines[0])["key"]
    data = chat.whole.replace(f'"{owner}"'.encode(), f'"{key}"'.encode())
    place = Place(tmp_path / "home", chat, data + chat.lines[1][:20])
    outside = inside(tmp_path / "home" / "..")
    done = place.repair(flags={"reroute": ""})
    left = {path for path in inside(tmp_path) if "/state/" not in path}
    assert {os.path.dirname(path) for path in left} == {str(place.sessions)}
    assert len(left) == 1
    if not done.id:
        assert {path: seen for path, seen in inside(tmp_path).items() if path in left} == {
            path: seen for path, seen in outside.items() if path in left
        }
    else:
        place.undo()
        assert place.path.read_bytes() == data + chat.lines[1][:20]
