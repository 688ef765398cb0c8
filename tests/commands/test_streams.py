"""Pipes, terminals without UTF-8, standard input, archives, and names that are not UTF-8."""

from __future__ import annotations

import gzip
import io
import json
import os
import signal
import subprocess
import tarfile
import zipfile
from pathlib import Path

import pytest
from support.cli import MEMCLI, environment, one_sentence, run, short, snapshot, spawn
from support.hazards import GOOD

CHINESE = "desktop:1748736000000"
COMMANDS = (["sessions", "ls"], ["sessions", "show", CHINESE], ["grep", ""], ["tail", CHINESE])


def piped(script: str, folder: Path, **changes: str) -> subprocess.CompletedProcess[bytes]:
    """Run a bash script in which "$@" is memcli; it fails when any part of a pipe fails."""
    return subprocess.run(
        ["bash", "-c", f"set -o pipefail\n{script}", "bash", *MEMCLI],
        cwd=folder,
        env=environment({"MEMCLI_WORKSPACE": str(folder), **changes}),
        capture_output=True,
        timeout=60,
        check=False,
    )


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Enough rows to fill a pipe many times over."""
    folder = tmp_path_factory.mktemp("many")
    for number in range(300):
        (folder / f"chat-{number:03}.jsonl").write_text(GOOD * 60)
    return folder


CLOSED = (
    '"$@" grep needle | head -1',
    '"$@" grep needle --json | head -c 10',
    '"$@" grep -l needle | true',
    '"$@" grep -c needle | head -1',
    '"$@" sessions ls | head -1',
    '"$@" sessions ls --json | head -1',
    '"$@" sessions show | head -1',
    '"$@" sessions show --row 1 -C 60 | head -1',
    '"$@" tail -n 60 | head -1',
    '"$@" tail -n 60 --json | true',
    '"$@" --help | true',
    '"$@" grep --help | head -1',
    '"$@" --version | true',
    '"$@" demo d | head -1',
)


@pytest.mark.parametrize("script", CLOSED)
def test_a_closed_pipe_ends_quietly(many: Path, tmp_path: Path, script: str) -> None:
    done = piped(script.replace("demo d", f'demo "{tmp_path}/d"'), many)
    notes = b"Wrote a demonstration workspace in " + os.fsencode(tmp_path) + b"/d.\n" if "demo" in script else b""
    assert (done.returncode, done.stderr) == (0, notes)


@pytest.mark.parametrize("arguments", ["grep needle", "sessions ls", "sessions ls --json", "--help", "tail -n 60"])
def test_a_full_disk_is_said(many: Path, arguments: str) -> None:
    done = piped(f'"$@" {arguments} > /dev/full', many)
    assert done.returncode == 3
    sentence = b"No space left on device. Nothing was changed."
    assert sentence in done.stderr
    assert done.stderr.startswith(b'{"type":"error","code":"system","exit":3,' if "json" in arguments else b"memcli: ")


MISSING = (
    '"$@" grep needle >&-',
    '"$@" sessions ls >&-',
    '"$@" grep -E "(" 2>&-',
    '"$@" grep -E "(" --json 2>&-',
)


@pytest.mark.parametrize("script", MISSING)
def test_a_stream_that_is_not_there(many: Path, script: str) -> None:
    done = piped(script, many)
    if ">&-" in script and "2>&-" not in script:
        assert (done.returncode, done.stdout) == (3, b"")
        assert b"Standard output is closed: there is nowhere to write to." in done.stderr
    else:
        assert (done.returncode, done.stderr) == (2, b"")


NARROW = {
    # what makes the standard streams unable to hold Chinese
    "LC_ALL=C": {"LC_ALL": "C", "PYTHONUTF8": None, "PYTHONIOENCODING": None},
    "LANG=C": {"LC_ALL": None, "LANG": "C", "PYTHONUTF8": None, "PYTHONIOENCODING": None},
    "C, and Python kept from helping": {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"},
    "ASCII": {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"},
    "ASCII, strict": {"PYTHONIOENCODING": "ascii:strict", "PYTHONUTF8": "0"},
    "Latin-1": {"PYTHONIOENCODING": "latin-1", "PYTHONUTF8": "0"},
    "GBK": {"PYTHONIOENCODING": "gbk", "PYTHONUTF8": "0"},
}


@pytest.mark.parametrize("narrow", NARROW)
@pytest.mark.parametrize("command", COMMANDS, ids=short)
def test_chinese_where_the_locale_has_none(demonstration: Path, narrow: str, command: list[str]) -> None:
    ran = spawn(*command, "-W", demonstration, env=NARROW[narrow])
    assert ran.code == 0
    assert "Traceback" not in ran.err
    if narrow == "GBK":
        assert "西湖".encode("gbk") in ran.out_bytes
    elif narrow in ("LC_ALL=C", "LANG=C"):  # Python itself takes UTF-8 then
        assert "西湖" in ran.out
    else:
        assert "\\u897f\\u6e56" in ran.out


@pytest.mark.parametrize("narrow", NARROW)
def test_json_is_utf8_in_every_locale(demonstration: Path, narrow: str) -> None:
    ran = spawn("grep", "--json", "-E", r"\u897f\u6e56", "-W", demonstration, env=NARROW[narrow])
    assert ran.code == 0
    assert [json.loads(line)["row"] for line in ran.out.splitlines()] == [3, 4]
    assert "西湖" in ran.out


@pytest.mark.parametrize("narrow", NARROW)
def test_a_chinese_sentence_where_the_locale_has_none(demonstration: Path, narrow: str) -> None:
    ran = spawn("sessions", "show", "没有", "-W", demonstration, env=NARROW[narrow])
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("memcli: No session answers to '")


def test_the_encoding_of_streams_in_this_process(demonstration: Path) -> None:
    ran = run("grep", "杭州", "-W", demonstration, encoding="ascii")
    assert ran.out.endswith("\\u51fa\\u5dee,\\u5e2e\\u6211\\u5217\\u4e2a\\u6e05\\u5355\n")


NOT_UTF8 = os.fsdecode(b"odd\xff\xfe")


def test_names_that_are_not_utf8_come_out_as_the_bytes_they_are(tmp_path: Path) -> None:
    path = tmp_path / f"{NOT_UTF8}.jsonl"
    path.write_text(GOOD)
    raw = os.fsencode(path)
    assert spawn("sessions", "ls", "-W", tmp_path).out_bytes.rstrip(b"\n").endswith(b"\t" + raw)
    assert spawn("grep", "-l", "needle", "-W", tmp_path).out_bytes == raw + b"\n"
    assert spawn("grep", "-lZ", "needle", "-W", tmp_path).out_bytes == raw + b"\0"
    assert json.loads(spawn("sessions", "ls", "--json", "-W", tmp_path).out)["path"] == str(path)


@pytest.mark.parametrize("command", [["sessions", "show"], ["grep", "needle"], ["tail"]], ids=short)
def test_names_that_are_not_utf8_can_be_given(tmp_path: Path, command: list[str]) -> None:
    path = tmp_path / f"{NOT_UTF8}.jsonl"
    path.write_text(GOOD)
    for ran in (run(*command, "-W", path), run(*command, path), spawn(*command, NOT_UTF8, "-W", tmp_path)):
        assert (ran.code, ran.err) == (0, "")
        assert ran.out


def test_xargs_gets_paths_back(tmp_path: Path) -> None:
    for name in ("one two.jsonl", "three\nfour.jsonl", f"{NOT_UTF8}.jsonl", "'\".jsonl"):
        (tmp_path / name).write_text(GOOD)
    done = piped('"$@" grep -lZ needle | xargs -0 cat | wc -l', tmp_path)
    assert done.stdout.strip() == b"4"


def test_standard_input(tmp_path: Path) -> None:
    listed = run("sessions", "ls", "--json", "-W", "-", stdin=GOOD.encode() * 2)
    row = json.loads(listed.out)
    assert (row["path"], row["size"], row["agent"]) == ("-", 90, "jsonl")
    found = run("grep", "needle", "-W", "-", stdin=GOOD.encode() * 2)
    assert [fields[1:] for fields in found.rows] == [
        ["1", "user", "", "a needle in here"],
        ["2", "user", "", "a needle in here"],
    ]
    assert (
        run("sessions", "show", "-W", "-", "--row", "2", stdin=GOOD.encode() * 2).out
        == "#2 user\n  a needle in here\n\n"
    )


@pytest.mark.parametrize("data", [b"", b"\0" * 100, b"\xff\xfe", b"no records here\n" * 3])
@pytest.mark.parametrize("command", [["sessions", "ls"], ["sessions", "show"], ["grep", "x"], ["tail"]], ids=short)
def test_anything_on_standard_input(command: list[str], data: bytes) -> None:
    ran = run(*command, "-W", "-", stdin=data)
    assert ran.code == (1 if command[0] == "grep" else 0)
    assert "Traceback" not in ran.err


def test_a_compressed_stream(stage: dict[str, Path]) -> None:
    data = (stage["catbuddy"] / "sessions" / "desktop_main.jsonl").read_bytes()
    ran = run("grep", "-c", "vitest", "-W", "-", stdin=gzip.compress(data))
    assert ran.rows == [["desktop:main", "4"]]


def packed(kind: str, members: dict[str, bytes]) -> bytes:
    """An archive with these members."""
    into = io.BytesIO()
    if kind == "zip":
        with zipfile.ZipFile(into, "w", zipfile.ZIP_DEFLATED) as bundle:
            for name, data in members.items():
                bundle.writestr(name, data)
    else:
        with tarfile.open(fileobj=into, mode="w:gz") as ball:
            for name, data in members.items():
                info = tarfile.TarInfo(name)
                info.size = len(data)
                ball.addfile(info, io.BytesIO(data))
    return into.getvalue()


def tree(folder: Path) -> dict[str, bytes]:
    return {
        f"backup/{path.relative_to(folder)}": path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()
    }


@pytest.mark.parametrize("kind", ["zip", "tar.gz"])
def test_a_workspace_that_a_user_sent(stage: dict[str, Path], tmp_path: Path, kind: str) -> None:
    sent = tmp_path / f"report.{kind}"
    sent.write_bytes(packed(kind, tree(stage["catbuddy"])))
    before = snapshot(tmp_path)
    direct = run("sessions", "ls", "--long", "-W", stage["catbuddy"])
    ran = run("sessions", "ls", "--long", "-W", sent)
    assert (ran.code, ran.err) == (0, "")
    assert [row[1:7] for row in ran.rows] == [row[1:7] for row in direct.rows]
    assert {row[-1] for row in ran.rows} == {
        f"{sent}/backup/sessions/desktop_main.jsonl",
        f"{sent}/backup/sessions/desktop_1730456789000.jsonl",
    }
    assert run("sessions", "show", "-W", sent, "desktop:main", "--row", "4").out.endswith("Added vitest with pnpm.\n\n")
    assert run("grep", "-c", "vitest", "-W", sent).rows == [["desktop:1730456789000", "1"], ["desktop:main", "4"]]
    assert snapshot(tmp_path) == before


HOSTILE = {
    "a name that climbs": {"../../escaped.jsonl": GOOD.encode()},
    "a name that climbs inside": {"a/../../escaped.jsonl": GOOD.encode()},
    "an absolute name": {"/tmp/escaped.jsonl": GOOD.encode()},
}


@pytest.mark.parametrize("kind", ["zip", "tar.gz"])
@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("command", [["sessions", "ls"], ["sessions", "show"], ["grep", "x"], ["tail"]], ids=short)
def test_an_archive_that_points_outside(tmp_path: Path, kind: str, name: str, command: list[str]) -> None:
    sent = tmp_path / f"report.{kind}"
    sent.write_bytes(packed(kind, {"sessions/fine.jsonl": GOOD.encode(), **HOSTILE[name]}))
    before = snapshot(tmp_path)
    one_sentence(run(*command, "-W", sent), 3, "points out of the archive")
    assert snapshot(tmp_path) == before
    assert not Path("/tmp/escaped.jsonl").exists()


@pytest.mark.parametrize("kind", ["zip", "tar.gz"])
@pytest.mark.parametrize("cut", [1, 30, 200])
def test_a_torn_archive(stage: dict[str, Path], tmp_path: Path, kind: str, cut: int) -> None:
    sent = tmp_path / f"report.{kind}"
    sent.write_bytes(packed(kind, tree(stage["catbuddy"]))[:-cut])
    ran = run("sessions", "ls", "-W", sent)
    assert "Traceback" not in ran.err
    assert ran.err
    assert ran.code in (0, 3)


def test_signals(many: Path) -> None:
    """SIGTERM and Ctrl-C end with 143 and 130, without a word."""
    for number, code in ((signal.SIGTERM, 143), (signal.SIGINT, 130)):
        reader, writer = os.pipe()
        os.set_blocking(reader, True)
        process = subprocess.Popen(
            [*MEMCLI, "grep", "", "-W", str(many)], stdout=writer, stderr=subprocess.PIPE, env=environment()
        )
        os.close(writer)
        os.read(reader, 1)  # it is at work, and blocks when the pipe is full
        process.send_signal(number)
        _, said = process.communicate(timeout=60)
        os.close(reader)
        assert (process.returncode, said) == (code, b"")
