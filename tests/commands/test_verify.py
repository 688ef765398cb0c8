"""`verify` and `seal`: golden findings over every sample, exit codes, what is told as unchecked, and nothing ever written."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support import golden
from support.chats import CATBUDDY
from support.cli import CHECKOUT, environment, run, snapshot, spawn
from support.clock import NOW
from support.machine import Machine

from memcli.core import halving, sharing

FORMS = {"tsv": [], "jsonl": ["--json"]}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("workspace", golden.WORKSPACES)
def test_golden(
    stage: dict[str, Path], workspace: str, form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Machine(tmp_path / "proc", monkeypatch, now=NOW)
    ran = run("verify", "-W", stage[workspace], *FORMS[form])
    assert ran.code == (workspace in ("catbuddy", "cococat-v1-damaged"))
    golden.check(f"verify/{workspace}.{form}", ran.out, {"SAMPLES": stage[workspace].parent})


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A workspace with one healthy chat, a damaged one beside it, and a journal."""
    sessions = tmp_path / "ws" / "sessions"
    memory = tmp_path / "ws" / "memory"
    sessions.mkdir(parents=True)
    memory.mkdir()
    (sessions / CATBUDDY.name).write_bytes(CATBUDDY.whole)
    other = CATBUDDY.whole.replace(b"desktop:main", b"desktop:two")
    (sessions / "desktop_two.jsonl").write_bytes(other[:-30])
    (memory / "history.jsonl").write_bytes(b'{"cursor":1,"content":"[assistant] x","at":"2026-05-20T08:30:00.000Z"}\n')
    (memory / ".cursor").write_text("1")
    (memory / "MEMORY.md").write_text("# Memory\n")
    return tmp_path / "ws"


def test_the_rows_are_as_documented(home: Path) -> None:
    ran = run("verify", "-W", home, "--json")
    *findings, summary = map(json.loads, ran.out.splitlines())
    assert ran.code == 1
    assert {
        *("type", "path", "line", "row", "offset", "length", "code", "severity", "repair", "flag", "message", "effect")
    } <= set(findings[0])
    torn = next(one for one in findings if one["code"] == "torn-tail")
    assert (torn["type"], torn["line"], torn["row"], torn["severity"], torn["repair"]) == (
        *("finding", 8, 7),
        *("error", "safe"),
    )
    assert torn["path"] == str(home / "sessions" / "desktop_two.jsonl")
    assert torn["offset"] + torn["length"] == (home / "sessions" / "desktop_two.jsonl").stat().st_size
    assert "opens empty" in torn["effect"]
    assert torn["data"] == {"fragment": {"id": "7", "role": "user"}}
    assert summary["type"] == "summary"
    assert (summary["files"], summary["records"]) == (4, 15)
    assert summary["findings"] == len(findings)
    assert any("no seal" in one for one in summary["unchecked"])


CODES = {
    (): 1,
    ("--fail-on", "error"): 1,
    ("--fail-on", "never"): 0,
    ("--where", "code=='crlf'"): 0,
    ("--where", "severity=='error'", "--fail-on", "warning"): 1,
    ("desktop:main",): 0,
    ("desktop:main", "--fail-on", "info"): 1,  # its last row has no answer
    ("desktop:two",): 1,
    ("desktop:nobody",): 2,
    ("--fail-on", "sometimes"): 2,
    ("--where", "nonsense=="): 2,
    ("--tz", "Nowhere/City"): 2,
}


@pytest.mark.parametrize("arguments", CODES, ids=" ".join)
def test_exit_codes(home: Path, arguments: tuple[str, ...]) -> None:
    assert run("verify", *arguments, "-W", home).code == CODES[arguments]


def test_a_healthy_workspace_says_so(home: Path) -> None:
    (home / "sessions" / "desktop_two.jsonl").unlink()
    ran = run("verify", "-W", home, "--where", "severity!='info'")
    assert (ran.code, ran.out) == (0, "")
    assert "3 files, 8 rows: nothing wrong." in ran.err


def test_quiet_says_nothing_but_data(home: Path) -> None:
    ran = run("verify", "-q", "-W", home)
    assert ran.err == ""
    assert "torn-tail" in ran.out


def test_targets_are_sessions_files_and_folders(home: Path) -> None:
    file = home / "sessions" / "desktop_two.jsonl"
    for arguments in (["desktop:two", "-W", home], [file], ["two", "-W", home], [home]):
        rows = run("verify", *arguments).rows
        assert "torn-tail" in [row[1] for row in rows]
    assert "Not checked: the files around the named ones." in run("verify", file).err


def test_an_unreadable_file_is_told_and_ends_with_3(home: Path) -> None:
    locked = home / "sessions" / CATBUDDY.name
    locked.chmod(0)
    ran = spawn("verify", "-W", home, mortal=True)
    assert ran.code == 3
    assert f"Not checked: {locked}: permission denied." in ran.err
    assert "torn-tail" in ran.out


def test_a_vanished_journal_and_odd_files_do_not_stop_it(home: Path) -> None:
    (home / "memory" / "history.jsonl").unlink()
    os.mkfifo(home / "sessions" / "desktop_fifo.jsonl")
    (home / "sessions" / "desktop_loop.jsonl").symlink_to("desktop_loop.jsonl")
    ran = spawn("verify", "-W", home)
    assert ran.code == 3  # a loop of links cannot be read; a FIFO is named by its class
    assert "its symlinks form a loop" in ran.err
    assert "it is a FIFO" in ran.err
    assert "Traceback" not in ran.err


def test_databases_are_named_as_unchecked(home: Path) -> None:
    (home / "sessions" / "sessions.db").write_bytes(b"SQLite format 3\0")
    assert "sessions.db: a database is not read" in run("verify", "-W", home).err


def test_versions_are_named_as_unchecked_without_git(stage: dict[str, Path], tmp_path: Path) -> None:
    home = tmp_path / "home"
    shutil.copytree(stage["nanobot-v0.3.5"], home)
    ran = run("verify", "-W", home, env={"PATH": ""})
    assert ran.code == 0
    assert "the versions of memory files: git is not installed" in ran.err


@pytest.mark.parametrize("name", ["latin", "nul", "utf16"])
def test_memory_files_are_text(home: Path, name: str) -> None:
    data = {"latin": b"# Memory\n- caf\xe9\n", "nul": b"# Memory\n- a\0b\n", "utf16": "# 记忆\n".encode("utf-16")}[name]
    (home / "memory" / "MEMORY.md").write_bytes(data)
    rows = [row for row in run("verify", "-W", home).rows if row[2].endswith("MEMORY.md") and row[0] == "error"]
    assert [row[1] for row in rows] == [{"latin": "invalid-utf8", "nul": "nul-run", "utf16": "utf16"}[name]]
    assert rows[0][3] == ("" if name == "utf16" else "2")
    assert rows[0][7]


def test_damage_in_the_journal_has_its_own_effect(home: Path) -> None:
    with open(home / "memory" / "history.jsonl", "ab") as file:
        file.write(b'{"cursor":2,"content":"[assist')
    rows = [row for row in run("verify", "-W", home).rows if row[1] == "torn-tail" and "history" in row[2]]
    assert [row[7] for row in rows] == ["Dream passes over the line: what it says is never remembered."]


def test_two_processes_find_what_one_finds(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(12):
        data = CATBUDDY.whole.replace(b"desktop:main", b"desktop:x%d" % number)
        lines = data.split(b"\n")
        lines[3 + number % 4] = lines[3 + number % 4][: 20 + number]
        (home / "sessions" / f"desktop_x{number}.jsonl").write_bytes(b"\n".join(lines))
    alone = run("verify", "-W", home, "--json").out
    monkeypatch.setattr(sharing, "ENOUGH", 1)
    assert run("verify", "-W", home, "--json").out == alone
    assert alone.count("torn-line") == 12


@pytest.mark.parametrize("damage", [b"", b"prose", b'{"id":5', CATBUDDY.lines[0], b"\0" * 64])
def test_two_halves_of_a_file_are_the_whole(home: Path, monkeypatch: pytest.MonkeyPatch, damage: bytes) -> None:
    header, *rows = CATBUDDY.lines
    path = home / "sessions" / CATBUDDY.name
    path.write_bytes(b"\n".join([header, *rows * 20, damage, *rows * 21, damage, *rows, b""]))
    alone = run("verify", path, "--json").out
    for module in (halving,):
        monkeypatch.setattr(module, "FROM", 1)
    assert run("verify", path, "--json").out == alone


def test_many_findings_are_folded_in_both_halves(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    header, *rows = CATBUDDY.lines
    path = home / "sessions" / CATBUDDY.name
    path.write_bytes(b"\n".join([header, rows[0], *[b"prose"] * 2500, b""]))
    alone = run("verify", path, "--json").out
    assert '"more":1500' in alone
    monkeypatch.setattr(halving, "FROM", 1)
    assert run("verify", path, "--json").out == alone


# ------------------------------------------------------------------ seal


def sealed(home: Path) -> list[list[str]]:
    ran = run("seal", "-W", home)
    assert ran.code == 0, ran.err
    return ran.rows


def test_seal_tells_what_it_sealed_and_touches_nothing(home: Path) -> None:
    before = snapshot(home)
    rows = sealed(home)
    assert snapshot(home) == before
    sizes = {
        str(path): str(path.stat().st_size) for path in (*home.glob("sessions/*"), home / "memory" / "history.jsonl")
    }
    assert {row[2]: row[1] for row in rows} == sizes
    assert sorted(row[0] for row in rows) == ["1", "8", "8"]
    again = json.loads(run("seal", "desktop:main", "-W", home, "--json").out)
    assert again == {
        "type": "seal",
        "path": str(home / "sessions" / CATBUDDY.name),
        "lines": 8,
        "size": len(CATBUDDY.whole),
    }
    assert "no seal" not in run("verify", "-W", home).err


CHANGES = {
    "appended": (lambda lines: [*lines, lines[-1].replace(b'"id":7', b'"id":8')], ["seal-appended"]),
    "trimmed": (lambda lines: [lines[0], *lines[3:]], ["seal-trimmed"]),
    "changed": (
        lambda lines: [*lines[:5], lines[5].replace("谢谢".encode(), "谢了".encode()), *lines[6:]],
        ["checksum-mismatch"],
    ),
}


@pytest.mark.parametrize("change", CHANGES)
def test_verify_tells_what_was_done_since(home: Path, change: str) -> None:
    sealed(home)
    path = home / "sessions" / CATBUDDY.name
    make, codes = CHANGES[change]
    path.write_bytes(b"\n".join(make(list(CATBUDDY.lines))) + b"\n")
    rows = [row for row in run("verify", path).rows if row[1].startswith(("seal", "checksum"))]
    assert [row[1] for row in rows] == codes
    assert [row[0] for row in rows] == ["error" if change == "changed" else "info"]
    assert [row[3] for row in rows] == ["6" if change == "changed" else ""]


def test_a_file_that_cannot_be_sealed_is_told(home: Path) -> None:
    (home / "sessions" / CATBUDDY.name).chmod(0)
    ran = spawn("seal", "-W", home, mortal=True)
    assert ran.code == 3
    assert "permission denied" in ran.err
    assert len(ran.rows) == 2


def test_a_state_folder_that_cannot_be_written_is_one_sentence(home: Path, tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o500)
    ran = spawn("seal", "-W", home, env={"MEMCLI_STATE_DIR": str(closed / "state")}, mortal=True)
    assert ran.code == 3
    assert ran.err.count("\n") == 1
    assert "cannot be written" in ran.err


# ------------------------------------------------------------------ read-only


WATCHED = """
import os, sys
ROOT = {root!r}
WRITES = ("os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.chmod", "os.chown", "os.link", "os.symlink", "os.truncate",
          "os.utime", "os.setxattr", "os.removexattr", "os.mkfifo", "shutil.rmtree")
def watch(event, arguments):
    if event == "open":
        path, _, flags = arguments
        bad = isinstance(flags, int) and flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND)
        if bad and isinstance(path, (str, bytes)) and os.path.abspath(os.fsdecode(path)).startswith(ROOT):
            os.write(2, f"WROTE {{event}} {{arguments}}\\n".encode())
    elif event in WRITES and any(str(one).startswith(ROOT) for one in arguments):
        os.write(2, f"WROTE {{event}} {{arguments}}\\n".encode())
sys.addaudithook(watch)
from memcli.cli import main
main()
"""


def test_nothing_is_written(home: Path) -> None:
    """Under an audit hook, in both processes: no call that writes to the workspace or the state folder beside it, and not a
    byte or a time changed."""
    big = CATBUDDY.whole.partition(b"\n")
    (home / "sessions" / "desktop_big.jsonl").write_bytes(big[0] + b"\n" + big[2] * 4000)
    before = snapshot(home)
    done = subprocess.run(
        [sys.executable, "-c", WATCHED.format(root=str(home.parent)), "verify", "-W", str(home)],
        env=environment({"MEMCLI_STATE_DIR": str(home.parent / "state"), "PYTHONPATH": str(CHECKOUT)}),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    assert "WROTE" not in done.stderr
    assert "torn-tail" in done.stdout
    assert snapshot(home) == before


@pytest.mark.slow
def test_no_system_call_writes(home: Path, tmp_path: Path) -> None:
    """Under strace: nothing but reading calls on the workspace."""
    strace = shutil.which("strace")
    assert strace, "strace is needed for this test: apt-get install strace"
    trace = tmp_path / "trace"
    calls = "trace=open,openat,creat,rename,renameat,renameat2,unlink,unlinkat,mkdir,mkdirat,rmdir,link,linkat,symlink,symlinkat,"
    calls += "truncate,ftruncate,chmod,fchmod,fchmodat,chown,fchown,lchown,fchownat,utimensat,setxattr,fsetxattr,mknod,mknodat"
    done = subprocess.run(
        [strace, "-f", "-y", "-e", calls, "-o", str(trace), sys.executable, "-m", "memcli", "verify", "-W", str(home)],
        env=environment({"PYTHONDONTWRITEBYTECODE": "1"}),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    lines = trace.read_text(errors="replace").splitlines()
    opened = [line for line in lines if str(home) in line]
    assert any("O_RDONLY" in line for line in opened)
    allowed = ("O_RDONLY",)
    assert [line for line in opened if not any(word in line for word in allowed)] == []
    assert [line for line in opened if any(word in line for word in ("O_WRONLY", "O_RDWR", "O_CREAT", "O_TRUNC"))] == []
