"""Lines made to exhaust a reader: bounded memory, one finding, no crash. Smaller than an attacker's, large enough to show."""

from __future__ import annotations

import os
import resource
import sys
from collections import Counter
from pathlib import Path

import pytest
from support import faults
from support.chats import CATBUDDY, NANOBOT
from support.mending import MINE

from memcli.core import examining
from memcli.core.examining import Examination, Target
from memcli.damage import snapshots
from memcli.model import Finding, Workspace

HEADER, ROW = CATBUDDY.lines[0], CATBUDDY.lines[1]
MIB = 1 << 20
HOSTILE = [
    pytest.param(b"{}," * (50 * MIB // 3), ["oversize-line"], id="50 MB of {},"),
    pytest.param(b"[" + b"{}," * (20 * MIB // 3) + b"{}]", ["oversize-line"], id="an array of millions of objects"),
    pytest.param(b"[" * 100_000, ["too-deep"], id="100,000 brackets"),
    pytest.param(b"[" * 100_000 + b"]" * 100_000, ["too-deep"], id="100,000 brackets, closed"),
    pytest.param(b'{"a":' * 100_000 + b"1" + b"}" * 100_000, ["too-deep"], id="100,000 objects"),
    pytest.param(b'{"id":' + b"7" * 5000 + b"}", ["huge-number"], id="5,000 digits"),
    pytest.param(b'{"a":"' + b"\\" * (4 * MIB), ["torn-line"], id="millions of escapes"),
    pytest.param(b'{"' * MIB, ["broken-record"], id="a million beginnings"),
    pytest.param(b'"' * (4 * MIB), ["not-json"], id="millions of quotes"),
    pytest.param(b"\0x" * (2 * MIB), ["nul-run"], id="millions of NUL"),
    pytest.param(ROW.replace(b'"media"', b"\t" * 50_000 + b'"media"'), [], id="white space is no damage"),
    pytest.param(ROW[:-1] + b"\t" * 50_000, ["missing-brace"], id="a brace missing behind white space"),
    pytest.param(b"{'a':" * 3000, ["broken-record"], id="Python, 3,000 deep"),
    pytest.param(b"{'a':[" + b"'b'," * 400_000 + b"]}", ["broken-record"], id="Python, too long to be read"),
    pytest.param(b" " * (4 * MIB), ["not-json"], id="white space alone"),
    pytest.param(b"7" * (2 * MIB), ["huge-number"], id="millions of digits"),
    pytest.param(b"\xef\xbb\xbf" * MIB, ["not-json"], id="a million byte order marks"),
]


def judged(tmp_path, data: bytes) -> list[Finding]:
    path = tmp_path / CATBUDDY.name
    path.write_bytes(data)
    workspace = Workspace("catbuddy", str(tmp_path), (str(tmp_path),))
    return [hit.finding for hit in Examination(Target(str(path), str(path), "session", workspace)).hits()]


@pytest.mark.parametrize(("line", "codes"), HOSTILE)
def test_one_line(line, codes, tmp_path):
    found = judged(tmp_path, b"\n".join([HEADER, ROW, line, CATBUDDY.lines[4]]) + b"\n")
    assert [finding.code for finding in found if finding.line == 3 and finding.code in MINE] == codes


@pytest.mark.parametrize(
    "line",
    [b'{"a', b"{", b'{"a":[', b"Segmentation fault", b"<<<<<<< HEAD", b"7", b"\0", b"}", b'{"a":"' + b"x" * 500],
    ids=repr,
)
def test_many_lines_are_listed_up_to_a_thousand(line, tmp_path):
    found = judged(tmp_path, b"\n".join([HEADER, ROW, *[line] * 3000]) + b"\n")
    listed = [finding for finding in found if finding.row is not None and finding.row > 1]
    assert len(listed) == 1000
    more = [finding for finding in found if "more" in finding.data]
    assert [finding.data["more"] for finding in more] == [2000]


@pytest.mark.parametrize("line", [b"{},", b'{"a":' * 30, b"7", b"{}{}", b'{"a":1}\r{'], ids=lambda line: repr(line[:9]))
def test_beyond_some_lines_are_only_counted_and_rows_left_alone(line, tmp_path, monkeypatch):
    monkeypatch.setattr(examining, "TOLD", 3000)
    found = judged(tmp_path, b"\n".join([HEADER, ROW, *[line] * 200_000, ROW]) + b"\n")
    [rest] = [finding for finding in found if finding.code == "damaged-throughout"]
    [more] = [finding for finding in found if "more" in finding.data]
    assert rest.data["lines"] + more.data["more"] + 1000 == 200_000
    assert rest.data["lines"] > 150_000
    assert {finding.repair for finding in found} >= {"report"}
    assert len(found) < 1010


def test_so_much_is_tried_on_lines_that_look_like_many_beginnings(tmp_path, monkeypatch):
    monkeypatch.setattr(snapshots, "EFFORT", 10_000)
    found = judged(tmp_path, b"\n".join([HEADER, ROW, *[b'{"a":' * 20] * 5000]) + b"\n")
    assert [finding.data["lines"] > 3000 for finding in found if finding.code == "damaged-throughout"] == [True]


def called(number: int, *, twice: bool = False) -> bytes:
    """A row of nanobot that makes one call, or two with one id."""
    call = b'{"id": "call_%d", "type": "function", "function": {"name": "f", "arguments": "{}"}}' % number
    calls = b", ".join([call] * (1 + twice))
    return b'{"role": "assistant", "content": "", "tool_calls": [%s], "timestamp": "2026-05-20T08:30:01.1"}' % calls


def answered(number: int) -> bytes:
    return b'{"role": "tool", "tool_call_id": "call_%d", "name": "f", "content": "x"}' % number


STORM = {
    "calls without results": lambda number: [called(number)],
    "one id again and again": lambda number: [called(7)],
    "two calls with one id": lambda number: [called(number, twice=True), answered(number)],
    "results behind other rows": lambda number: [called(number), NANOBOT.lines[1], answered(number)],
    "rows without a role": lambda number: [b'{"content": "%d"}' % number, b'{"role": 1}'],
    "calls that are none": lambda number: [b'{"role": "assistant", "content": "", "tool_calls": "%d"}' % number],
}


def examined(folder: Path, rows: list[bytes], limit: int | None, header: bytes = NANOBOT.lines[0]) -> list[Finding]:
    path = folder / NANOBOT.name
    path.write_bytes(b"\n".join([header, *rows, b""]))
    workspace = Workspace("nanobot", str(folder), (str(folder),), era="E4")
    return [hit.finding for hit in Examination(Target(str(path), str(path), "session", workspace), limit=limit).hits()]


@pytest.mark.parametrize("storm", STORM)
def test_what_is_not_listed_is_counted(storm, tmp_path):
    rows = [row for number in range(50) for row in STORM[storm](number)]
    every = Counter(finding.code for finding in examined(tmp_path, rows, None))
    assert max(every.values()) >= 49
    found = examined(tmp_path, rows, 10)
    listed = Counter(finding.code for finding in found if "more" not in finding.data)
    more = {finding.code: finding.data["more"] for finding in found if "more" in finding.data}
    assert {code: number + more.get(code, 0) for code, number in listed.items()} == every
    assert max(listed.values()) == 10


def test_memory_of_many_rows_is_bounded(tmp_path):
    """Hundreds of thousands of calls that nothing answers, and no header, whose times are those of the rows."""
    number = 300_000
    path = tmp_path / NANOBOT.name
    with open(path, "wb") as file:
        file.writelines(called(each) + b"\n" for each in range(number))
    workspace = Workspace("nanobot", str(tmp_path), (str(tmp_path),), era="E4")
    grown, codes = grown_by(Target(str(path), str(path), "session", workspace))
    assert {"missing-header", "unanswered-tool-call"} <= set(codes)
    assert grown < 64 * MIB + 40 * number


def grown_by(target: Target) -> tuple[int, list[str]]:
    """How many bytes a process grows by that judges a file, and the codes that it finds."""
    reader, writer = os.pipe()
    pid = faults.fork()
    if pid == 0:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        codes = dict.fromkeys(hit.finding.code for hit in Examination(target).hits())
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        os.write(writer, f"{grown} {' '.join(codes)}".encode())
        os._exit(0)
    os.waitpid(pid, 0)
    grown, *codes = os.read(reader, 4096).decode().split()
    os.close(reader)
    os.close(writer)
    return int(grown) * (1 if sys.platform == "darwin" else 1024), codes


def test_memory_is_bounded(tmp_path):
    """A line over 64 MiB and 50 MB of values: the process stays far below what reading them would take."""
    path = tmp_path / CATBUDDY.name
    with open(path, "wb") as file:
        file.write(HEADER + b"\n" + ROW + b"\n" + b'{"content":"')
        for _ in range(70):
            file.write(b"x" * MIB)
        file.write(b'"}\n[' + b"{}," * (50 * MIB // 3) + b"{}]\n" + b"{}," * (50 * MIB // 3) + b"\n")
    workspace = Workspace("catbuddy", str(tmp_path), (str(tmp_path),))
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        codes = [hit.finding.code for hit in Examination(Target(str(path), str(path), "session", workspace)).hits()]
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        os.write(writer, f"{grown} {codes.count('oversize-line')}".encode())
        os._exit(0)
    os.waitpid(pid, 0)
    grown, oversize = map(int, os.read(reader, 100).split())
    unit = 1 if sys.platform == "darwin" else 1024
    assert oversize == 3
    assert grown * unit < 300 * MIB
