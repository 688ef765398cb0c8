"""The provider `command`: small programs as models."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from threading import Timer
from typing import Any

import pytest

from memcli import llm
from memcli.errors import ConfigurationError, ProviderFailed, UsageError
from memcli.llm.command import Command, prompt
from memcli.model import Message, ModelCall, Question, Reply

ASKED = Question((Message("system", "Be brief."), Message("user", "What is 你好?")))
PLENTY = 60.0


def program(code: str, *arguments: str) -> Command:
    return Command({"command": [sys.executable, "-c", code, *arguments]})


def wait_for(there: Callable[[], bool]) -> None:
    end = time.monotonic() + PLENTY
    while not there():
        assert time.monotonic() < end
        time.sleep(0.01)


def gone(pid: int) -> bool:
    """Whether a process has ended; one that nobody has asked about yet has."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def test_question_in_answer_out() -> None:
    found = llm.load("command", {"command": ["cat"]})
    assert not llm.is_reader(found)
    assert (found.name, found.model, found.tools) == ("command", "cat", False)
    assert found.reply(ASKED, PLENTY) == Reply("Be brief.\n\nWhat is 你好?\n")


def test_a_conversation_has_its_roles() -> None:
    talk = (
        *ASKED.messages,
        Message("assistant", "Hello", (ModelCall("c", "f", "{}"),)),
        Message("user", "Again: a half \ud83d."),
    )
    text = prompt(talk)
    assert text == (
        "[system]\nBe brief.\n\n[user]\nWhat is 你好?\n\n[assistant]\nHello\n\n[user]\nAgain: a half \ud83d.\n\n[assistant]\n"
    )
    assert Command({"command": ["cat"]}).reply(Question(talk), PLENTY).text == text.replace("\ud83d", "?")


def test_words_are_handed_over_as_they_are() -> None:
    words = ("a b", "$HOME", "'", "~", "", "*")
    assert program("import sys; print(sys.argv[1:])", *words).reply(ASKED, PLENTY).text == f"{list(words)}\n"


@pytest.mark.parametrize(
    ("code", "reply"),
    [
        ("print('<think>hm</think>\\n\\nYes')", Reply("Yes\n")),
        ("import sys; sys.stdout.buffer.write(b'a\\xff')", Reply("a�")),
        ("import sys; sys.stdin.close(); print('without reading')", Reply("without reading\n")),
        ("import sys; print('fine'); print('by the way', file=sys.stderr)", Reply("fine\n")),
        ("import sys; sys.stderr.write('x' * 1000000); print('fine')", Reply("fine\n")),
    ],
)
def test_answers(code: str, reply: Reply) -> None:
    assert program(code).reply(Question((Message("user", "x" * 300_000),)), PLENTY) == reply


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (
            "import sys; sys.stderr.write('one\\ntwo:\\t three.\\n\\n'); sys.exit(3)",
            "ended with status 3: two: three. Nothing",
        ),
        ("import sys; sys.exit(1)", "ended with status 1. Nothing was changed."),
        ("import sys; print('half'); sys.exit(1)", "ended with status 1."),
        (
            "import sys; sys.exit('mail ann@example.org with pass' + 'word: hunter22x')",
            r"mail \[email\] with password: \[password\]",
        ),
        ("import sys; sys.stderr.buffer.write(b'a\\xff' + b'x' * 9999); sys.exit(1)", "status 1: x{200}. Nothing"),
        ("import os; os.kill(os.getpid(), 9)", "was ended by signal 9"),
        ("", "printed nothing"),
        ("print(' ')", "printed nothing"),
    ],
)
def test_failures(code: str, words: str) -> None:
    with pytest.raises(ProviderFailed, match=words) as caught:
        program(code).reply(ASKED, PLENTY)
    assert caught.value.sentence.startswith("The program python")
    assert caught.value.facts["provider"] == "command"


def test_too_long_an_answer_is_cut_and_the_program_ended() -> None:
    reply = program("while True: print('世' * 1000)").reply(ASKED, PLENTY)
    assert reply.cut
    assert len(reply.text.encode()) <= 256 << 10
    assert set(reply.text) == {"世", "\n"}


STARTS = """
import subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
with open(sys.argv[1], "w") as file:
    file.write(f"{child.pid} ")
"""


def child(path: Path) -> int:
    wait_for(lambda: path.exists() and path.read_text().endswith(" "))
    return int(path.read_text())


@pytest.mark.parametrize("end", ["time.sleep(600)", "sys.stdout.close(); time.sleep(600)"])
def test_what_takes_too_long_is_ended_with_all_that_it_started(tmp_path: Path, end: str) -> None:
    path = tmp_path / "pid"
    with pytest.raises(ProviderFailed, match=r"it took longer than 3 s and was ended") as caught:
        program(STARTS + end, str(path)).reply(ASKED, 3)
    assert caught.value.facts["why"] == "too-slow"
    wait_for(lambda: gone(child(path)))


@pytest.mark.parametrize(
    "code",
    [
        STARTS + "print('done')",  # what it started holds its output open
        STARTS + "print('done', flush=True); sys.stdout.close(); sys.stderr.close()",
    ],
)
def test_what_it_leaves_running_is_ended(tmp_path: Path, code: str) -> None:
    path = tmp_path / "pid"
    begin = time.monotonic()
    assert program(code, str(path)).reply(ASKED, PLENTY).text == "done\n"
    assert time.monotonic() - begin < PLENTY / 2
    wait_for(lambda: gone(child(path)))


def test_an_interrupt_ends_it_too(tmp_path: Path) -> None:
    path = tmp_path / "pid"
    asking = program(STARTS + "time.sleep(600)", str(path))

    def interrupt() -> None:
        child(path)
        os.kill(os.getpid(), signal.SIGINT)

    timer = Timer(0, interrupt)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        asking.reply(ASKED, PLENTY)
    timer.join()
    wait_for(lambda: gone(child(path)))


def test_a_file_that_is_no_program(tmp_path: Path) -> None:
    path = tmp_path / "odd"
    path.write_bytes(b"\x7fELF nothing")
    path.chmod(0o755)
    with pytest.raises(ProviderFailed, match="The program odd gave no answer: it cannot be started: exec format error"):
        Command({"command": [str(path)]}).reply(ASKED, PLENTY)


def test_a_program_in_the_home(no_home: Path) -> None:
    path = no_home / "model"
    path.write_text("#!/bin/sh\necho hi\n")
    path.chmod(0o755)
    assert Command({"command": ["~/model"]}).reply(ASKED, PLENTY).text == "hi\n"


@pytest.mark.parametrize(
    ("table", "kind", "words"),
    [
        ({}, UsageError, "needs a program"),
        ({"command": []}, UsageError, "needs a program"),
        ({"command": [""]}, UsageError, "needs a program"),
        ({"command": ["no-such-program-here"]}, UsageError, "no-such-program-here, .*is not there or not executable"),
        ({"command": "cat"}, ConfigurationError, "must be a list of words"),
        ({"command": ["cat", 1]}, ConfigurationError, "must be a list of words"),
        ({"command": ["cat", "a\0b"]}, ConfigurationError, "must be a list of words"),
        ({"command": ["cat"], "shell": True}, ConfigurationError, "shell in .llm. .*is not known"),
        ({"command": ["cat", "--password=hunter22xyz"]}, ConfigurationError, "has a secret in it"),
    ],
)
def test_configuration(table: dict[str, Any], kind: type[UsageError], words: str) -> None:
    with pytest.raises(kind, match=words) as caught:
        Command(table)
    assert "hunter22" not in caught.value.sentence
