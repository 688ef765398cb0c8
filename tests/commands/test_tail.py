"""`tail`: golden pages over the samples, which records are the last ones, and following what an agent does to a file."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from queue import Empty, Queue
from typing import IO

import pytest
from support import golden
from support.cli import MEMCLI, TIMEOUT, environment, one_sentence, run
from support.hazards import GOOD

SAMPLES = {
    # golden file: (workspace, arguments)
    "catbuddy.txt": ("catbuddy", ["desktop:main"]),
    "catbuddy_torn.txt": ("catbuddy", ["desktop:1730456789000"]),
    "catbuddy.jsonl": ("catbuddy", ["desktop:main", "--json"]),
    "catbuddy_all.txt": ("catbuddy", ["--all"]),
    "cococat_healthy.txt": ("cococat-v1-healthy", ["leader"]),
    "cococat_damaged.txt": ("cococat-v1-damaged", ["employee_a", "-n", "3"]),
    "cococat_damaged_all.jsonl": ("cococat-v1-damaged", ["--all", "--json"]),
    "cococat_glued.txt": ("cococat-v1-damaged", ["9cfc09aa", "-n", "2"]),
    "cococat_v2.txt": ("cococat-v2-layout", []),
    "nanobot_0.1.5.txt": ("nanobot-v0.1.5.post3", ["telegram:a:b"]),
    "nanobot_0.2.2_all.txt": ("nanobot-v0.2.2", ["--all", "-n", "3"]),
    "nanobot_0.3.0_all.jsonl": ("nanobot-v0.3.0", ["--all", "--json", "-n", "4"]),
    "nanobot_0.3.5.txt": ("nanobot-v0.3.5", ["-n", "4"]),
    "nanobot_0.3.5_tool.txt": ("nanobot-v0.3.5", ["cli:direct", "--role", "tool"]),
    "nanobot_killed.txt": ("nanobot-v0.3.5-killed", []),
}


@pytest.mark.parametrize("name", SAMPLES)
def test_samples(stage: dict[str, Path], name: str) -> None:
    workspace, arguments = SAMPLES[name]
    ran = run("tail", "-W", stage[workspace], *arguments)
    assert ran.code == 0
    golden.check(f"tail/{name}", ran.out + ran.err, {"SAMPLES": stage[workspace].parent})


DEMO = {
    "default.txt": ["desktop:main"],
    "three.txt": ["desktop:main", "-n", "3"],
    "chinese.txt": ["desktop:1748736000000"],
    "spliced.txt": ["desktop:1748822400000"],
    "nul.txt": ["desktop:1749081600000"],
    "empty.txt": ["desktop:1748995200000"],
    "roles.txt": ["desktop:main", "--role", "user", "--role", "tool"],
    "raw.txt": ["desktop:main", "--raw", "-n", "2"],
    "where.txt": ["desktop:main", "--where", "contains(text, 'vitest')"],
    "query.jsonl": ["desktop:main", "--query", "[line, row, role]"],
    "spliced.jsonl": ["desktop:1748822400000", "--json"],
    "all.txt": ["--all", "-n", "5"],
}


@pytest.mark.parametrize("name", DEMO)
def test_demonstration(demonstration: Path, name: str) -> None:
    ran = run("tail", "-W", demonstration, *DEMO[name])
    assert ran.code == 0
    golden.check(f"tail/demo/{name}", ran.out + ran.err, {"DEMO": demonstration})


@pytest.mark.parametrize(
    ("count", "texts"), [("0", []), ("1", ["5"]), ("2", ["4", "5"]), ("6", list("012345")), ("99", list("012345"))]
)
def test_so_many_records_are_shown(tmp_path: Path, count: str, texts: list[str]) -> None:
    path = tmp_path / "chat.jsonl"
    path.write_text("\n".join(f'{{"role":"user","content":"{n}"}}\n' for n in range(6)))
    ran = run("tail", "-W", path, "-n", count, "--query", "text")
    assert (ran.code, ran.err) == (0, "")
    assert [json.loads(line) for line in ran.out.splitlines()] == texts


def test_roles_count_towards_the_number(tmp_path: Path) -> None:
    path = tmp_path / "chat.jsonl"
    path.write_text("".join(f'{{"role":"{role}","content":"{n}"}}\n' for n in range(9) for role in ("user", "tool")))
    ran = run("tail", "-W", path, "-n", "2", "--role", "user", "--query", "text")
    assert ran.out == '"7"\n"8"\n'


def test_raw_lines_are_the_bytes_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "chat.jsonl"
    lines = [b'{"role":"user","content":"\xff"}', b'{"role":"user","content":"\\u001b\\ud83d"}', b'{"a":1}{"b":2}']
    path.write_bytes(b"\n".join(lines))
    ran = run("tail", "-W", path, "--raw")
    assert ran.out_bytes == b"\n".join(lines) + b"\n"


def test_sessions_of_a_workspace_are_merged_by_time(tmp_path: Path) -> None:
    for name, minutes in (("a", (1, 4)), ("b", (2, 3)), ("c", (5,))):
        rows = (f'{{"role":"user","content":"{n}","timestamp":"2026-05-01T10:0{n}:00Z"}}\n' for n in minutes)
        (tmp_path / f"{name}.jsonl").write_text("".join(rows))
    os.mkfifo(tmp_path / "d.jsonl")
    ran = run("tail", "--all", "-W", tmp_path, "-n", "4", "--query", "[key, text]")
    assert [json.loads(line) for line in ran.out.splitlines()] == [["b", "2"], ["b", "3"], ["a", "4"], ["c", "5"]]
    one_sentence(ran, 3, "d.jsonl is a FIFO")


WRONG = {
    "--all and a session": (["--all", "chat"], "--all means every session, and a SESSION one"),
    "-f of standard input": (["-f", "-W", "-"], "Standard input cannot be followed"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_together(tmp_path: Path, name: str) -> None:
    (tmp_path / "chat.jsonl").write_text(GOOD)
    arguments, phrase = WRONG[name]
    one_sentence(run("tail", *arguments, cwd=tmp_path, env={"MEMCLI_WORKSPACE": str(tmp_path)}), 2, phrase)


class Follower:
    """`tail -f` as a process; its lines come from threads, so that a test can wait for one and never hangs."""

    def __init__(self, *arguments: str | Path) -> None:
        self.process = subprocess.Popen(
            [*MEMCLI, "tail", "-f", *map(str, arguments)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment(),
        )
        self.lines, self.said = (_queued(stream) for stream in (self.process.stdout, self.process.stderr))

    def texts(self, count: int) -> list[object]:
        """The next `count` rows."""
        return [json.loads(self.lines.get(timeout=TIMEOUT)) for _ in range(count)]

    def quiet(self) -> bool:
        """Whether nothing more comes for a while."""
        try:
            self.lines.get(timeout=0.3)
        except Empty:
            return True
        return False

    def stop(self, number: int) -> int:
        self.process.send_signal(number)
        return self.process.wait(TIMEOUT)


def _queued(stream: IO[str] | None) -> Queue[str]:
    queue: Queue[str] = Queue()

    def pass_on() -> None:
        assert stream is not None
        with stream:
            for line in stream:
                queue.put(line)

    threading.Thread(target=pass_on, daemon=True).start()
    return queue


def row(text: str) -> str:
    return json.dumps({"role": "user", "content": text}, ensure_ascii=False) + "\n"


@pytest.fixture
def chat(tmp_path: Path) -> Path:
    path = tmp_path / "chat.jsonl"
    path.write_text(row("one"))
    return path


@pytest.fixture
def follower(chat: Path) -> Iterator[Follower]:
    """Follows `chat`, and has shown its first row."""
    found = Follower("-W", chat, "--query", "text")
    assert found.texts(1) == ["one"]
    yield found
    found.process.kill()
    found.process.wait()


def append(path: Path, text: str) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write(text)


def test_follow_an_agent_that_appends(chat: Path, follower: Follower) -> None:
    append(chat, row("two"))
    assert follower.texts(1) == ["two"]
    append(chat, row("三") + row("four"))
    assert follower.texts(2) == ["三", "four"]


def test_follow_shows_no_half_record(chat: Path, follower: Follower) -> None:
    whole = row("two")
    append(chat, whole[:-9])
    assert follower.quiet()
    append(chat, whole[-9:-1])
    assert follower.quiet()
    append(chat, "\n" + row("three"))
    assert follower.texts(2) == ["two", "three"]


def test_follow_an_agent_that_rewrites_the_file_at_each_message(chat: Path, follower: Follower) -> None:
    for texts in (["one", "two"], ["one", "two", "three"], ["one", "two", "three", "four"]):
        fresh = chat.with_suffix(".jsonl.tmp")
        fresh.write_text("".join(map(row, texts)))
        fresh.replace(chat)
        assert follower.texts(1) == texts[-1:]
    assert follower.quiet()


def test_follow_a_file_that_is_cut_and_goes_on(chat: Path, follower: Follower) -> None:
    append(chat, row("two"))
    assert follower.texts(1) == ["two"]
    os.truncate(chat, 0)
    append(chat, row("three"))
    assert follower.texts(1) == ["three"]


def test_follow_a_file_that_goes_and_comes_back(chat: Path, follower: Follower) -> None:
    chat.unlink()
    assert follower.quiet()
    chat.write_text(row("new"))
    assert follower.texts(1) == ["new"]


def test_follow_says_what_it_cannot_read_and_goes_on(chat: Path, follower: Follower) -> None:
    append(chat, "what is this\n" + row("two"))
    assert follower.texts(1) == ["two"]
    assert "1 unreadable line passed over (12 bytes)" in follower.said.get(timeout=TIMEOUT)


def test_follow_a_whole_workspace(tmp_path: Path, chat: Path) -> None:
    follower = Follower("--all", "-W", tmp_path, "--query", "[key, text]")
    assert follower.texts(1) == [["chat", "one"]]
    (tmp_path / "later.jsonl").write_text(row("from elsewhere"))
    assert follower.texts(1) == [["later", "from elsewhere"]]
    append(chat, row("two"))
    assert follower.texts(1) == [["chat", "two"]]
    assert follower.stop(signal.SIGTERM) == 143


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_follow_is_ended_by_signals_without_a_word(follower: Follower, number: int, code: int) -> None:
    assert follower.stop(number) == code
    assert follower.said.empty()


def test_follow_ends_when_nobody_reads(chat: Path) -> None:
    reader, writer = os.pipe()
    command = [*MEMCLI, "tail", "-f", "-W", str(chat)]
    process = subprocess.Popen(command, stdout=writer, stderr=subprocess.PIPE, env=environment())
    os.close(writer)
    os.read(reader, 1)
    os.close(reader)
    append(chat, row("two"))
    _, said = process.communicate(timeout=TIMEOUT)
    assert (process.returncode, said) == (0, b"")
