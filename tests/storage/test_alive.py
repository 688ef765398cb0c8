"""Signs that an agent is at work."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from memcli.storage import alive
from memcli.storage.locks import Lock
from memcli.storage.versions import read_version

OPEN = """
import os, sys, time
fd = os.open(sys.argv[1], int(sys.argv[2]))
print("ready", flush=True)
time.sleep(60)
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "chat.jsonl"
    path.write_bytes(b"line\n")
    os.utime(path, (time.time() - 3600,) * 2)
    return path


def kinds(file: Path, **more: object) -> list[str]:
    return [sign.kind for sign in alive.signs([str(file)], **{"idle": 10, **more})]


@pytest.mark.parametrize(
    ("flags", "expected"),
    [(os.O_RDONLY, []), (os.O_WRONLY, ["open"]), (os.O_RDWR, ["open"]), (os.O_WRONLY | os.O_APPEND, ["open"])],
)
def test_open_descriptors(file: Path, flags: int, expected: list[str]) -> None:
    script = [sys.executable, "-c", OPEN, str(file), str(flags)]
    with subprocess.Popen(script, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        signs = alive.signs([str(file), str(file.with_name("not there"))], idle=10)
        process.kill()
    assert [sign.kind for sign in signs] == expected
    for sign in signs:
        assert (sign.path, sign.pid) == (str(file), process.pid)
        assert sign.sentence.endswith(f"(process {process.pid}) has {file} open for writing.")
    assert kinds(file) == []


def test_our_own_descriptor_is_no_sign(file: Path) -> None:
    with file.open("ab"):
        assert kinds(file) == []


def test_recent_change(file: Path) -> None:
    now = time.time()
    os.utime(file, (now, now - 3))
    [sign] = alive.signs([str(file)], idle=10, now=now)
    assert (sign.kind, sign.pid) == ("recent", None)
    assert "3 seconds ago" in sign.sentence
    assert kinds(file, now=now, idle=2) == []


@pytest.mark.parametrize(("ahead", "expected"), [(3, ["recent"]), (3600, [])])
def test_a_clock_that_goes_wrong(file: Path, ahead: float, expected: list[str]) -> None:
    now = time.time()
    os.utime(file, (now, now + ahead))
    assert kinds(file, now=now) == expected


def test_what_memcli_itself_left_is_no_sign(file: Path) -> None:
    file.write_bytes(b"mended\n")
    left = {str(file): read_version(str(file))}
    assert kinds(file) == ["recent"]
    assert kinds(file, left=left) == []
    file.write_bytes(b"mended, and written to\n")
    assert kinds(file, left=left) == ["recent"]


def test_locks(file: Path, tmp_path: Path) -> None:
    lock = Lock("exclusive-file", str(tmp_path / "lock"))
    assert kinds(file, locks=[lock]) == []
    Path(lock.path).write_text("1")
    [sign] = alive.signs([str(file)], idle=10, locks=[lock])
    assert (sign.kind, sign.path, sign.pid) == ("lock", lock.path, 1)
    Path(lock.path).write_text("4194305")  # nobody: stale, and no sign of life
    assert kinds(file, locks=[lock]) == []
    Path(lock.path).write_text("?")
    assert kinds(file, locks=[lock]) == ["lock"]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (json.dumps({"pid": os.getpid(), "port": 18790}), ["beacon"]),
        (json.dumps({"pid": 4_194_305}), []),
        (json.dumps({"pid": str(os.getpid())}), []),
        (json.dumps({"pid": True}), []),
        (json.dumps([os.getpid()]), []),
        ("{", []),
        ("[" * 100_000, []),
        ("\xff", []),
    ],
)
def test_beacons(file: Path, tmp_path: Path, content: str, expected: list[str]) -> None:
    beacon = tmp_path / "gateway.json"
    beacon.write_text(content, encoding="latin-1")
    assert kinds(file, beacons=[str(beacon), str(tmp_path / "no.json")]) == expected


def test_a_beacon_of_before_the_last_boot(file: Path, tmp_path: Path) -> None:
    beacon = tmp_path / "gateway.json"
    beacon.write_text(json.dumps({"pid": os.getpid()}))
    os.utime(beacon, (5, 5))
    assert kinds(file, beacons=[str(beacon)]) == []


def test_where_nothing_can_be_looked_into(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No /proc (macOS), or processes that come and go."""
    monkeypatch.setattr(os, "listdir", lambda folder: ["1", "2", "self"] if folder == "/proc" else 1 / 0)
    with pytest.raises(ZeroDivisionError):
        kinds(file)

    def gone(folder: str) -> list[str]:
        raise FileNotFoundError

    monkeypatch.setattr(os, "listdir", gone)
    assert kinds(file) == []
