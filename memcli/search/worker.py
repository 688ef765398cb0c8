"""What a forked worker does, and the words that it and the crew exchange: tokens in, frames out."""

from __future__ import annotations

import fcntl
import gc
import marshal
import os
import select
import signal
from typing import Any, NoReturn

from memcli.search.engine import Engine
from memcli.search.parts import Part, Result, Unit

TOKEN = 40  # bytes of a numbered unit: five integers of 8 bytes
HEAD = 16  # bytes before each frame: length (4), kind (4), number of the unit (8)
MORE, LAST, FAILED = range(3)  # kinds of frames: results, the last results of a unit, a traceback

FRAME = 1 << 18
"""Bytes of hits that make a worker send what it has before its unit is done: each frame wakes the first process up,
which has to take a processor from a worker for that."""


def token(number: int, unit: Unit) -> bytes:
    """A unit as it is written to the workers."""
    return b"".join(value.to_bytes(8, "little") for value in (number, *unit))


def serve(engine: Engine, tokens: int, results: int) -> None:
    """What a worker does: run each unit that it reads from `tokens` and write what comes of it to `results`, until
    there are no more."""
    while asked := os.read(tokens, TOKEN):
        number, *unit = (int.from_bytes(asked[at : at + 8], "little") for at in range(0, TOKEN, 8))
        held: list[Result] = []
        size = 0
        for found in engine.run(Unit(*unit)):
            held += found
            size += sum(len(hit[3]) for result in found if isinstance(result, Part) for hit in result.hits)
            if size > FRAME:
                _send(results, MORE, number, _packed(held))
                held, size = [], 0
        _send(results, LAST, number, _packed(held))


def work(engine: Engine, tokens: int, results: int, life: int, others: list[int]) -> NoReturn:
    """The life of a worker from fork to exit."""
    code = 1
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the terminal sends it to all; the first process decides
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGIO):
            signal.signal(number, signal.SIG_DFL)
        for fd in others:
            os.close(fd)
        gc.freeze()  # what was there before the fork is shared as long as nobody touches it
        fcntl.fcntl(life, fcntl.F_SETOWN, os.getpid())
        fcntl.fcntl(life, fcntl.F_SETFL, fcntl.fcntl(life, fcntl.F_GETFL) | os.O_ASYNC)
        if not _closed(life):  # else it closed before SIGIO was asked for
            serve(engine, tokens, results)
        code = 0
    except BaseException:
        import traceback

        _send(results, FAILED, 0, traceback.format_exc())
    finally:
        os._exit(code)


def _closed(life: int) -> bool:
    poll = select.poll()
    poll.register(life, select.POLLIN)
    return bool(poll.poll(0))


def _packed(results: list[Result]) -> list[int | tuple[Any, ...]]:
    """Results as marshal takes them: without the names of their fields."""
    return [tuple(result) if isinstance(result, Part) else result for result in results]


def _send(results: int, kind: int, number: int, packed: Any) -> None:
    body = marshal.dumps(packed)
    head = len(body).to_bytes(4, "little") + kind.to_bytes(4, "little") + number.to_bytes(8, "little")
    data = memoryview(head + body)
    while data:
        data = data[os.write(results, data) :]
