"""memcli repair as it is typed: what is shown where, the exit codes, and what is written."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest
from support import damaging, faults
from support.chats import CATBUDDY, NANOBOT
from support.cli import Ran, one_sentence, run, spawn
from support.repairs import OLD, Place, inside

from memcli.core import discovering, guarding

TORN = damaging.joined(*CATBUDDY.lines[:4]) + CATBUDDY.lines[4][:50]
MENDED = damaging.joined(*CATBUDDY.lines[:4])


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MEMCLI_STATE_DIR", str(tmp_path / "state"))
    faults.quick_disk(monkeypatch)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path / "home", CATBUDDY, TORN)


def repair(place: Place, *arguments: str, **more: object) -> Ran:
    return run("repair", "-W", place.root, *arguments, **more)


def rows(ran: Ran, kind: str) -> list[dict[str, object]]:
    found = [json.loads(line) for line in ran.out.splitlines()]
    return [row for row in found if row["type"] == kind]


def test_the_plan_is_shown_and_nothing_is_changed(place, tmp_path):
    before = inside(place.root)
    ran = repair(place)
    assert ran.code == 1
    [row] = [row for row in ran.rows if row[0] == "mend"]
    assert row[1:4] == ["error", "torn-tail", str(place.path)]
    assert row[4:8] == ["5", "4", "safe", ""]
    assert "Nothing was changed; --apply does it." in ran.err
    assert inside(place.root) == before
    assert not (tmp_path / "state").exists()


def test_a_healthy_workspace_has_nothing_to_do(tmp_path):
    place = Place(tmp_path / "home", CATBUDDY, CATBUDDY.whole)
    for more in ((), ("--apply",)):
        ran = repair(place, *more)
        assert ran.code == 0
        assert "nothing to do" in ran.err
    assert place.path.stat().st_mtime_ns == OLD


def test_it_is_done_told_and_undone_by_the_last_line(place):
    ran = repair(place, "--apply")
    assert ran.code == 0
    assert place.path.read_bytes() == MENDED
    [row] = [row for row in ran.rows if row[0] == "operation"]
    assert row[2:] == [str(place.path), "3", "0", "1", "50"]
    assert ran.err.splitlines()[-1] == f"Undo: memcli undo {row[1]}"
    assert f"Writing to {place.root}." in ran.err
    again = repair(place, "--apply")
    assert again.code == 0
    assert "operation" not in again.out
    assert "Undo" not in again.err


def test_q_leaves_data_and_errors(place):
    assert repair(place, "-q").err == ""
    ran = repair(place, "--apply", "-q")
    assert ran.err == ""
    assert "operation\t" in ran.out


@pytest.mark.parametrize("columns", [20, 44, 80, 200])
def test_the_page_shows_both_sides_of_each_edit_within_the_width(tmp_path, columns):
    lines = [*CATBUDDY.lines[:3], CATBUDDY.lines[3] + CATBUDDY.lines[4], b"\0" * 600 + CATBUDDY.lines[5]]
    place = Place(tmp_path / "home", CATBUDDY, damaging.joined(*lines))
    ran = repair(place, columns=columns)
    assert "\0" not in ran.out
    assert "  error   glued-lines" in ran.out.replace("\x1b[1m", "").replace("\x1b[0m", "").replace("\x1b[31m", "")
    assert "+ \\n" in ran.out
    assert "600 bytes out, 0 bytes in" in ran.out
    assert "the agent sees 0 of 4 rows" in ran.out
    assert "then 5 of 5." in ran.out
    shown = [line for line in ran.out.splitlines() if "\x1b[31m- " in line or "\x1b[32m+ " in line]
    assert shown
    for line in shown:
        assert len(line.replace("\x1b[31m", "").replace("\x1b[32m", "").replace("\x1b[0m", "")) <= max(columns, 22)


def test_what_a_terminal_would_obey_is_made_visible(tmp_path):
    evil = b"\x1b]52;c;aGk=\x07 \xe2\x80\xae \xc2\x9b31m \x1b[2J"
    lines = [*CATBUDDY.lines[:3], evil, CATBUDDY.lines[3]]
    place = Place(tmp_path / "home", CATBUDDY, damaging.joined(*lines))
    for more in ((), ("--json",)):
        ran = repair(place, "--lossy", *more)
        assert not set("\x1b\x07\u202e\x9b") & set(ran.out)
    page = repair(place, "--lossy", "--color", "never", columns=80).out
    assert not set("\x1b\x07\u202e\x9b") & set(page)
    assert "\\x1b]52" in page


def test_every_finding_that_stays_says_what_it_would_take(tmp_path):
    lines = [*CATBUDDY.lines[:3], b"no json", CATBUDDY.lines[3], CATBUDDY.lines[5].replace(b'"id":5', b'"id":2')]
    place = Place(tmp_path / "home", CATBUDDY, damaging.joined(*lines))
    place.put(place.sessions / "desktop_main.jsonl.tmp", damaging.joined(*lines[:3], *lines[4:], *CATBUDDY.lines[6:]))
    os.utime(place.sessions / "desktop_main.jsonl.tmp", ns=(OLD + 1, OLD + 1))
    needs = {row[2]: row[7] for row in repair(place).rows}
    assert needs["not-json"] == "--lossy"
    assert needs["duplicate-id"] == "--renumber"
    assert needs["leftover-temp"] == "--adopt-temp"
    page = repair(place, "--color", "never", columns=100).out
    assert "left; --lossy changes it" in page
    assert repair(place, "--apply").code == 1
    ran = repair(place, "--apply", "--lossy", "--renumber", "--only", "not-json", "--only", "duplicate-id")
    assert place.path.read_bytes() == damaging.joined(
        *lines[:3], lines[4], CATBUDDY.lines[5].replace(b'"id":5', b'"id":4')
    )
    assert ran.code == 1  # the temporary file is there still
    ran = repair(place, "--apply", "--adopt-temp")
    assert not (place.sessions / "desktop_main.jsonl.tmp").exists()


def test_json_rows(place):
    ran = repair(place, "--json")
    [finding] = [row for row in rows(ran, "finding") if row["code"] == "torn-tail"]
    assert (finding["state"], finding["needs"], finding["line"], finding["repair"]) == ("mend", None, 5, "safe")
    [edit] = finding["edits"]
    assert edit == {
        "offset": len(MENDED),
        "length": 50,
        "added": 0,
        "before": CATBUDDY.lines[4][:50].decode(),
        "after": "",
    }
    [view] = rows(ran, "view")
    assert view["before"] == {"seen": 0, "total": 4, "listed": True, "reason": "row 4 does not parse"}
    assert view["after"] == {"seen": 3, "total": 3, "listed": True, "reason": ""}
    [summary] = rows(ran, "summary")
    assert (summary["files"], summary["mend"], summary["refused"]) == (1, 1, [])
    ran = repair(place, "--apply", "--json")
    [operation] = rows(ran, "operation")
    assert operation == {
        "type": "operation",
        "id": operation["id"],
        "path": str(place.path),
        "kept": 3,
        "mended": 0,
        "quarantined": 1,
        "bytes_removed": 50,
    }
    assert {row["state"] for row in rows(ran, "finding") if row["code"] == "torn-tail"} == {"mended"}
    assert repair(place, "--query", "type").out == '"summary"\n'


def test_where_keeps_rows(place):
    assert repair(place, "--where", "code=='none'", "--json").out == ""
    ran = repair(place, "--where", "type=='view'", "--json")
    assert [row["type"] for row in map(json.loads, ran.out.splitlines())] == ["view"]
    assert repair(place, "--apply", "--where", "type=='operation'").rows[0][0] == "operation"


def test_one_session_by_name(place):
    other = place.sessions / "desktop_other.jsonl"
    place.put(other, TORN.replace(b"desktop:main", b"desktop:other"))
    ran = repair(place, "--apply", "desktop:main")
    assert ran.code == 0
    assert "the files around the named ones" in ran.err
    assert place.path.read_bytes() == MENDED
    assert other.read_bytes() == TORN.replace(b"desktop:main", b"desktop:other")
    assert run("repair", "--apply", other).code == 0
    assert other.read_bytes() == MENDED.replace(b"desktop:main", b"desktop:other")


def test_a_file_in_use_is_refused(place):
    os.utime(place.path)
    ran = repair(place, "--apply")
    assert ran.code == 4
    assert "was changed" in ran.err
    assert "--force-live" in ran.err
    assert "operation" not in ran.out
    assert place.path.read_bytes() == TORN
    assert repair(place, "--apply", "--cron").code == 0
    assert repair(place, "--apply", "--cron").err == ""
    assert repair(place, "--apply", "--idle", "0").code == 0
    assert place.path.read_bytes() == MENDED


def test_a_copy_that_goes_leaves_no_finding_of_its_name(place):
    lines = CATBUDDY.whole.splitlines(keepends=True)
    place.put(place.path.with_name("desktop_main (conflicted copy).jsonl"), b"".join(lines))
    place.put(place.path, b"".join(lines[:3]))
    ran = repair(place, "--apply")
    assert ["mended", "conflict-copy"] in [[row[0], row[2]] for row in ran.rows]
    assert "name-mismatch" not in ran.out
    assert ran.code == 0


def test_cron_waits_longer(place, monkeypatch):
    waited = []
    real = guarding.alive.signs
    monkeypatch.setattr(guarding.alive, "signs", lambda *a, idle, **k: waited.append(idle) or real(*a, idle=idle, **k))
    repair(place, "--apply", "--cron", "--only", "bom")
    repair(place, "--apply", "--cron")
    place.put(place.path, TORN)
    repair(place, "--apply")
    assert waited == [120.0, 10.0]


def test_force_live(place):
    os.utime(place.path)
    assert repair(place, "--apply", "--force-live").code == 0
    assert place.path.read_bytes() == MENDED


def test_a_file_that_cannot_be_read_ends_it_with_3(place):
    other = place.sessions / "desktop_other.jsonl"
    place.put(other, TORN)
    other.chmod(0)
    ran = spawn("repair", "-W", place.root, "--apply", mortal=True)
    assert ran.code == 3
    assert "desktop_other.jsonl: permission denied" in ran.err
    assert place.path.read_bytes() == MENDED


def test_state_that_cannot_be_written_changes_nothing(place, tmp_path):
    (tmp_path / "state").write_text("a file")
    ran = repair(place, "--apply")
    assert ran.code == 3
    one_sentence(Ran(3, "", ran.err.splitlines(keepends=True)[-1]), 3, "cannot be written")
    assert place.path.read_bytes() == TORN


@pytest.mark.parametrize(
    ("arguments", "phrase"),
    [
        (["--only", "torn"], "no damage code"),
        (["--redream", "--skip"], "exclude each other"),
        (["--encoding", "klingon"], "no encoding"),
        (["--reconstruct"], "--to FILE"),
        (["--apply", "--to", "x"], "give one of them"),
        (["--from-plan", "x"], "give it alone"),
        (["--to", "x"], "one session"),
    ],
)
def test_what_is_typed_wrongly(place, arguments, phrase):
    ran = repair(place, *arguments)
    one_sentence(ran, 2, phrase)
    assert place.path.read_bytes() == TORN


def test_several_homes_are_read_but_not_written(tmp_path, monkeypatch, no_home):
    shutil.copytree(
        Path(__file__).parents[1] / "samples" / "catbuddy" / "home-workspace", no_home / ".catbuddy" / "workspace"
    )
    place = Place(no_home / ".nanobot" / "workspace", NANOBOT, NANOBOT.whole[:-9])
    monkeypatch.setattr(discovering, "_upwards", lambda here: [])  # whatever lies above the tests' folder
    assert run("repair").code == 1
    ran = run("repair", "--apply")
    one_sentence(ran, 2, "name the one to write to with -W")
    assert place.path.read_bytes() == NANOBOT.whole[:-9]
    assert repair(place, "--apply").code == 0


@pytest.mark.parametrize("agent", ["jsonl", "nanobot"])
def test_a_folder_without_a_layout_is_written_to_only_by_name(tmp_path, monkeypatch, agent):
    """Wherever memcli is started, files that look like chats may lie around."""
    chat = tmp_path / "chat.jsonl"
    rows = [json.dumps({"role": "user", "content": str(number)}).encode() for number in range(3)]
    rows = list(NANOBOT.lines[:3]) if agent == "nanobot" else rows
    chat = tmp_path / NANOBOT.name if agent == "nanobot" else chat
    Place.put(chat, damaging.joined(*rows) + b'{"ro')
    there = discovering.at(str(tmp_path), None)
    monkeypatch.setattr(discovering, "find", lambda named, agent=None: there)
    assert run("repair").code == 1
    ran = run("repair", "--apply")
    one_sentence(ran, 2, "name it with -W")
    assert chat.read_bytes().endswith(b'{"ro')
    assert run("repair", "--apply", "-W", tmp_path, "--only", "torn-tail").code in (0, 1)
    assert chat.read_bytes() == damaging.joined(*rows)


def test_an_archive_is_read_only_but_a_copy_can_be_made(place, tmp_path):
    sent = shutil.make_archive(str(tmp_path / "sent"), "zip", place.root)
    assert run("repair", "-W", sent).code == 1
    ran = run("repair", "-W", sent, "--apply")
    one_sentence(ran, 2, "--to FILE")
    copy = tmp_path / "copy.jsonl"
    ran = run("repair", "-W", sent, "desktop:main", "--to", copy)
    assert ran.code == 0
    assert copy.read_bytes() == MENDED


def test_a_copy_with_its_log(place, tmp_path):
    copy = tmp_path / "copy.jsonl"
    before = inside(place.root)
    ran = run("repair", place.path, "--to", copy, "--reconstruct")
    assert ran.code == 0
    assert copy.read_bytes().startswith(MENDED)
    log = Path(f"{copy}.log").read_text("utf-8")
    assert "TO BE LOOKED AT BY A PERSON: 1 line" in log
    assert f"- {CATBUDDY.lines[4][:50].decode()}" in log
    assert "Written:" in ran.err
    assert inside(place.root) == before
    assert not (tmp_path / "state" / "workspaces").exists()
    ran = run("repair", place.path, "--to", copy)
    one_sentence(ran, 2, "exists already")


def test_a_healthy_copy(tmp_path):
    place = Place(tmp_path / "home", CATBUDDY, CATBUDDY.whole)
    ran = run("repair", place.path, "--to", tmp_path / "copy")
    assert ran.code == 0
    assert (tmp_path / "copy").read_bytes() == CATBUDDY.whole
    assert "Nothing was mended" in (tmp_path / "copy.log").read_text()


def test_a_plan_is_saved_looked_at_and_carried_out(place, tmp_path):
    file = tmp_path / "plan.json"
    ran = repair(place, "--save-plan", file)
    assert ran.code == 1
    again = run("repair", "--from-plan", file)
    assert again.out == ran.out
    done = run("repair", "--from-plan", file, "--apply")
    assert done.code == 0
    assert place.path.read_bytes() == MENDED
    ran = run("repair", "--from-plan", file, "--apply")
    one_sentence(ran, 4, "changed since the plan was made")


def test_conversions(tmp_path):
    crlf = Place(tmp_path / "crlf", CATBUDDY, CATBUDDY.whole.replace(b"\n", b"\r\n"))
    assert repair(crlf, "--apply").code == 0
    assert crlf.path.read_bytes() == CATBUDDY.whole.replace(b"\n", b"\r\n")
    assert repair(crlf, "--apply", "--eol", "lf").code == 0
    assert crlf.path.read_bytes() == CATBUDDY.whole
    lines = [*CATBUDDY.lines[:-2], CATBUDDY.lines[-2].decode().encode("gbk"), CATBUDDY.lines[-1]]
    gbk = Place(tmp_path / "gbk", CATBUDDY, damaging.joined(*lines))
    assert repair(gbk, "--apply").code == 1
    assert repair(gbk, "--apply", "--encoding", "gbk").code == 0
    assert gbk.path.read_bytes() == CATBUDDY.whole


@pytest.mark.parametrize(("fail_on", "code"), [("error", 0), ("warning", 1), ("info", 1), ("never", 0)])
def test_fail_on_moves_the_line(tmp_path, fail_on, code):
    double = CATBUDDY.lines[5].replace(b'"id":5', b'"id":4')
    place = Place(tmp_path / "home", CATBUDDY, damaging.joined(*CATBUDDY.lines[:5], double))
    assert repair(place, "--apply", "--fail-on", fail_on).code == code


def test_the_demo_can_be_repaired(tmp_path, demonstration):
    copy = tmp_path / "demo"
    shutil.copytree(demonstration, copy)
    ran = run("repair", "-W", copy, "--apply", "--idle", "0")
    assert ran.code in (0, 1)
    assert "operation\t" in ran.out
    again = inside(copy)
    run("repair", "-W", copy, "--apply", "--idle", "0")
    assert inside(copy) == again


def test_every_sample_is_repaired_once_and_for_all(tmp_path, stage):
    for name, sample in stage.items():
        copy = tmp_path / name
        shutil.copytree(sample, copy, symlinks=True)
        run("repair", "-W", copy, "--apply", "--idle", "0")
        again = inside(copy)
        ran = run("repair", "-W", copy, "--apply", "--idle", "0")
        assert "operation\t" not in ran.out, name
        assert inside(copy) == again, name
