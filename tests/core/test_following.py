"""Following real files that real processes and threads write: every record once and in order, however they write."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support import writing
from support.writing import END, begun, header, row

from memcli.core import following
from memcli.core.followed import mark
from memcli.core.following import follow
from memcli.core.tailing import last
from memcli.storage import watch

PATIENCE = 60.0  # seconds until a test that hangs fails; nothing waits for it


class Reader:
    """Runs `follow` in a thread and keeps what it gives until the END line has come from `ends` files."""

    def __init__(self, *arguments: Any, ends: int = 1, **named: Any) -> None:
        self.got: list[tuple[str, bytes]] = []
        self.notices: list[str] = []
        self.failure: BaseException | None = None
        self._ends = ends
        self._gone, self._held = os.pipe()
        self._stream = follow(*arguments, until_closed=self._held, notice=self.notices.append, **named)
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._started = threading.Event()
        self._thread.start()

    def _run(self) -> None:
        try:
            for path, line in self._stream:
                self.got.append((path, line.raw or b""))
                if line.raw == END:
                    self._ends -= 1
                    if self._ends == 0:
                        break
        except BaseException as error:
            self.failure = error
        finally:
            self._stream.close()

    def rows(self, path: Path | None = None) -> list[bytes]:
        """The lines (of one file) once END has come."""
        self._thread.join(PATIENCE)
        ended = not self._thread.is_alive()
        os.close(self._gone)
        self._thread.join(PATIENCE)
        os.close(self._held)
        if self.failure:
            raise self.failure
        assert ended, f"END never came: {self.got[-5:]}"
        return [raw for name, raw in self.got if path is None or name == str(path)]


def content(rows: list[bytes]) -> list[bytes]:
    return [one for one in rows if b'"key"' not in one and one != END]


@pytest.fixture(params=["inotify", "polling"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "polling":
        monkeypatch.setattr(watch, "_open_inotify", lambda: None)
    return str(request.param)


@pytest.mark.parametrize(
    ("writer", "count"),
    [
        (writing.byte_by_byte, 60),
        (writing.in_pieces, 2000),
        (writing.replacing, 300),
        (writing.writing_over, 150),
    ],
)
def test_every_record_once_and_in_order(
    writer: Callable[[Path, int], None], count: int, way: str, tmp_path: Path
) -> None:
    path = begun(tmp_path / "会话.jsonl", header(0))
    reader = Reader([str(path)], {str(path): path.stat().st_size})
    with writing.start(writer, path, count):
        got = reader.rows()
    assert content(got) == list(map(row, range(count)))


def test_a_burst_of_large_rows(tmp_path: Path) -> None:
    path = begun(tmp_path / "a.jsonl")
    reader = Reader([str(path)], {str(path): 0})
    rows = [b'{"x":"%s"}' % (b"x" * 300_000) for _ in range(30)]
    begun(tmp_path / "b", *rows, END).replace(tmp_path / "c")
    with path.open("ab") as file:
        file.write((tmp_path / "c").read_bytes())
    assert content(reader.rows()) == rows


def test_nothing_is_lost_between_tail_and_follow(tmp_path: Path) -> None:
    path = begun(tmp_path / "a.jsonl", header(0), row(1), row(2))
    fd = os.open(path, os.O_RDONLY)
    found = last(fd, 2, lambda *_: True)
    start = mark(fd, found.end)
    os.close(fd)
    begun(tmp_path / "tmp", header(8), row(1), row(2), row(3)).replace(path)
    reader = Reader([str(path)], {str(path): start})
    with path.open("ab") as file:
        file.write(row(4) + b"\n" + END + b"\n")
    assert content(reader.rows()) == [row(3), row(4)]


def test_truncated_deleted_and_made_anew(way: str, tmp_path: Path) -> None:
    path = begun(tmp_path / "a.jsonl", header(0), row(0))
    reader = Reader([str(path)], {str(path): 0})
    settle(reader, 2)
    with path.open("ab") as file:
        file.write(row(1) + b"\n")
    settle(reader, 3)
    os.truncate(path, len(header(0)) + 1)
    time.sleep(0.05)
    with path.open("ab") as file:
        file.write(row(2) + b"\n")
    settle(reader, 4)
    path.unlink()
    settle(reader, 4, lambda: any("does not exist" in notice for notice in reader.notices))
    begun(path, header(1), row(0), row(3))
    settle(reader, 7)
    begun(path, header(2), row(0), row(3), row(4), END)
    assert content(reader.rows()) == [row(0), row(1), row(2), row(0), row(3), row(4)]


def settle(reader: Reader, count: int, also: Callable[[], bool] = lambda: True) -> None:
    """Until so many lines have come; returns without them after a while, and the test fails on what came."""
    for _ in range(2000):
        if len(reader.got) >= count and also():
            return
        time.sleep(0.005)


def test_a_whole_workspace_with_files_that_come_to_be(
    way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(following, "OPEN", 20)
    for name in range(40):
        begun(tmp_path / f"{name}.jsonl", header(0))

    def listed() -> list[str]:
        return [str(path) for path in tmp_path.iterdir() if path.suffix == ".jsonl"]

    reader = Reader(listed, dict.fromkeys(listed(), 0), folders=[str(tmp_path)], ends=60)
    settle(reader, 40)
    processes = [writing.start(writing.thirty_chats, tmp_path / first, 12) for first in ("0", "30")]
    reader.rows()
    assert [process.wait() for process in processes] == [0, 0]
    for name in range(60):
        got = [raw for path, raw in reader.got if path == str(tmp_path / f"{name}.jsonl")]
        assert content(got) == list(map(row, range(12))), name


def test_a_folder_that_does_not_exist_yet(tmp_path: Path) -> None:
    folder = tmp_path / "sessions"
    begun(tmp_path / "ready.jsonl", row(0))

    def listed() -> list[str]:
        return [str(path) for path in tmp_path.rglob("*.jsonl")]

    reader = Reader(listed, {str(tmp_path / "ready.jsonl"): 0}, folders=[str(folder)])
    settle(reader, 1)
    folder.mkdir()
    begun(folder / "a.jsonl", header(0), row(1), END)
    assert reader.rows(folder / "a.jsonl") == [header(0), row(1), END]


def test_a_file_behind_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "here").mkdir()
    target = begun(tmp_path / "real" / "target", header(0))
    link = tmp_path / "here" / "a.jsonl"
    link.symlink_to(target)
    reader = Reader([str(link)], {str(link): 0})
    settle(reader, 1)
    with target.open("ab") as file:
        file.write(row(1) + b"\n")
    settle(reader, 2)
    begun(tmp_path / "real" / "tmp", header(5), row(1), row(2)).replace(target)
    settle(reader, 3)
    begun(tmp_path / "here" / "b", header(5), row(1), row(2), row(3), END)
    link.unlink()
    link.symlink_to(tmp_path / "here" / "b")
    assert content(reader.rows()) == [row(1), row(2), row(1), row(2), row(3)]  # another link is another file


def test_a_relative_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    begun(tmp_path / "a.jsonl", header(0))
    reader = Reader(["a.jsonl"], {"a.jsonl": 0})
    settle(reader, 1)
    with open("a.jsonl", "ab") as file:
        file.write(END + b"\n")
    assert reader.rows() == [header(0), END]
    assert {path for path, _ in reader.got} == {"a.jsonl"}


def test_nobody_reads_any_more(tmp_path: Path) -> None:
    path = begun(tmp_path / "a.jsonl", header(0))
    reader, writer = os.pipe()
    os.close(reader)
    stream = follow([str(path)], {str(path): 0}, until_closed=writer)
    assert [line.raw for _, line in stream] == [header(0)]
    os.close(writer)


def test_everything_is_given_back(tmp_path: Path) -> None:
    paths = [str(begun(tmp_path / f"{number}", row(1))) for number in range(5)]
    before = len(os.listdir("/proc/self/fd"))
    stream = follow(paths, dict.fromkeys(paths, 0))
    assert next(stream)[1].raw == row(1)
    assert len(os.listdir("/proc/self/fd")) > before
    stream.close()
    assert len(os.listdir("/proc/self/fd")) == before
    assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL


PROGRAM = """
import sys
from memcli.core.following import follow
try:
    for path, line in follow(sys.argv[1:], dict.fromkeys(sys.argv[1:], 0), until_closed=1):
        print(line.raw.decode(), flush=True)
    print("ended", file=sys.stderr)
except KeyboardInterrupt:
    print("interrupted", file=sys.stderr)
"""


def started(path: Path) -> subprocess.Popen[str]:
    code = f"import sys; sys.path[:0] = {sys.path!r}\n{PROGRAM}"
    return subprocess.Popen(
        [sys.executable, "-c", code, str(path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


@pytest.mark.parametrize(("number", "said"), [(signal.SIGTERM, "ended\n"), (signal.SIGINT, "interrupted\n")])
def test_signals_end_it_cleanly(number: int, said: str, tmp_path: Path) -> None:
    with started(begun(tmp_path / "a.jsonl", row(1))) as process:
        assert process.stdout
        assert process.stdout.readline() == row(1).decode() + "\n"  # it follows now
        process.send_signal(number)
        assert process.communicate(timeout=PATIENCE) == ("", said)
        assert process.returncode == 0


def test_the_reader_of_the_pipe_goes_while_nothing_is_written(tmp_path: Path) -> None:
    with started(begun(tmp_path / "a.jsonl", row(1))) as process:
        assert process.stdout
        assert process.stderr
        assert process.stdout.readline() == row(1).decode() + "\n"
        process.stdout.close()
        assert process.stderr.read() == "ended\n"
        assert process.wait(PATIENCE) == 0
