"""A program of the user's as the model: the question on its standard input, the answer on its standard output."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from time import monotonic
from typing import IO, TYPE_CHECKING, Any

from memcli import secrets
from memcli.errors import ProviderFailed, UsageError
from memcli.llm.shapes import TEXT, capped, clean, without_thought
from memcli.llm.table import Table, wrong
from memcli.model import Message, Question, Reply

if TYPE_CHECKING:
    from subprocess import Popen

ERRORS = 4096
"""Bytes that are kept of the end of what a program says on standard error."""
LOOK, GRACE = 0.05, 1.0
"""Seconds between two looks whether a program has ended, and those that its last words then have to arrive: others may hold its
pipes for long."""


class Command:
    """The provider `command`; `model` is the program's name."""

    name = "command"
    tools = False

    def __init__(self, table: Mapping[str, Any]) -> None:
        """Raises ConfigurationError, and UsageError when no program is named or it is not there."""
        self._words = Table(table).words("command")
        if not self._words or not self._words[0]:
            raise UsageError('The provider command needs a program: command = ["PROGRAM", "ARGUMENT"] in [llm].')
        if any(secrets.is_secret(found.kind) for word in self._words for found in secrets.find(word)):
            raise wrong(
                "command", "has a secret in it, which everybody on this machine could read; use a variable or a file"
            )
        program = shutil.which(os.path.expanduser(self._words[0]))
        if program is None:
            raise UsageError(
                f"The program {self._words[0]}, which command in [llm] names, is not there or not executable."
            )
        self._program = program
        self.model = os.path.basename(self._words[0])

    def reply(self, question: Question, seconds: float) -> Reply:
        """What the program answers, within `seconds`; it and all that it started are ended then. Raises ProviderFailed."""
        try:
            running = _Running([self._program, *self._words[1:]])
        except OSError as error:
            raise self._failed(f"cannot be started: {(error.strerror or str(error)).lower()}", "program") from None
        try:
            running.talk(clean(prompt(question.messages)).encode(), seconds)
        finally:  # after an interrupt too: it is in a session of its own, where no Ctrl-C reaches it
            running.end()
        return self._read(running, seconds)

    def _read(self, running: _Running, seconds: float) -> Reply:
        if running.late:
            raise self._failed(f"took longer than {seconds:.3g} s and was ended", "too-slow")
        text, cut = capped(bytes(running.answer).decode("utf-8", "replace"))
        if not cut and running.status:
            ended = (
                f"was ended by signal {-running.status}"
                if running.status < 0
                else f"ended with status {running.status}"
            )
            said = _last_line(bytes(running.errors).decode("utf-8", "replace"))
            raise self._failed(f"{ended}{f': {said}' if said else ''}", "program")
        text = without_thought(text)
        if not text.strip():
            raise self._failed("printed nothing", "shape")
        return Reply(text, cut=cut)

    def _failed(self, why: str, kind: str) -> ProviderFailed:
        sentence = f"The program {self.model} gave no answer: it {why}. Nothing was changed."
        return ProviderFailed(sentence, provider=self.name, why=kind)


def prompt(messages: Sequence[Message]) -> str:
    """A conversation as one text: as it is where a model is only asked, with its roles where it has answered before."""
    if all(message.role in ("system", "user") for message in messages):
        return "\n\n".join(message.text for message in messages) + "\n"
    return "".join(f"[{message.role}]\n{message.text}\n\n" for message in messages) + "[assistant]\n"


class _Running:
    """A program in a session of its own, with a thread for each of its streams; more than fits is not read."""

    def __init__(self, words: Sequence[str]) -> None:
        from subprocess import PIPE, Popen

        self._process: Popen[bytes] = Popen(words, stdin=PIPE, stdout=PIPE, stderr=PIPE, start_new_session=True)
        self.answer = bytearray()
        self.errors = bytearray()
        self.late = False
        self.status = 0

    def talk(self, given: bytes, seconds: float) -> None:
        """Give it its input and wait for it to end, or to answer too much, or for `seconds`."""
        from subprocess import TimeoutExpired
        from threading import Thread

        end = monotonic() + seconds
        streams = self._process.stdin, self._process.stdout, self._process.stderr
        works = (lambda stream: _give(stream, given)), self._hear, self._note
        threads = [
            Thread(target=work, args=(stream,), daemon=True) for work, stream in zip(works, streams, strict=True)
        ]
        for thread in threads:
            thread.start()
        while threads[1].is_alive() and (left := end - monotonic()) > 0:
            threads[1].join(min(left, LOOK))
            if self._process.poll() is not None:
                threads[1].join(GRACE)
                break
        try:
            if len(self.answer) <= TEXT:
                self.status = self._process.wait(max(0.0, end - monotonic()))
        except TimeoutExpired:
            self.late = True
        self._kill()
        for thread in threads:
            thread.join(GRACE)

    def end(self) -> None:
        """Kill what is left of it, and of what it started."""
        self._kill()
        self._process.wait()

    def _kill(self) -> None:
        from signal import SIGKILL

        try:
            os.killpg(self._process.pid, SIGKILL)
        except (ProcessLookupError, PermissionError):  # nobody is left, or only what has become somebody else's
            pass

    def _hear(self, stream: IO[bytes]) -> None:
        with stream:
            while len(self.answer) <= TEXT and (some := os.read(stream.fileno(), 1 << 16)):
                self.answer += some

    def _note(self, stream: IO[bytes]) -> None:
        with stream:
            while some := os.read(stream.fileno(), 1 << 16):
                self.errors = (self.errors + some)[-ERRORS:]


def _give(stream: IO[bytes], given: bytes) -> None:
    try:
        with stream:
            stream.write(given)
    except OSError:
        pass  # it does not want to read all: its answer or its status tells why


def _last_line(said: str) -> str:
    lines = [line for line in said.split("\n") if line.strip()]
    last = " ".join(lines[-1].split()) if lines else ""
    return secrets.mask(last, lambda found: f"[{found.kind}]")[:200].rstrip(".")
