"""Asking a service again that failed for now: pauses that grow and are drawn by lot, within a time that is never exceeded."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping
from typing import TypeVar

Answer = TypeVar("Answer")
FIRST, LONGEST = 0.5, 20.0
"""Seconds: the longest first pause, which doubles with every try, and the longest of all."""
AGAIN = (408, 409, 429)
"""The refusals that pass with time, besides all from 500 on."""


class Failure(Exception):
    """A try that failed: `why` is a clause, `kind` one word for programs, `status` that of HTTP or 0; `again` tells whether
    another try may do better, not before `after` seconds."""

    def __init__(self, why: str, kind: str, *, status: int = 0, again: bool = False, after: float = 0.0) -> None:
        super().__init__(why)
        self.why = why
        self.kind = kind
        self.status = status
        self.again = again
        self.after = after
        self.tries = 1


def persist(
    attempt: Callable[[float], Answer],
    seconds: float,
    tries: int,
    *,
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
    lot: Callable[[], float] = random.random,
) -> Answer:
    """What `attempt(seconds left)` returns, in at most `tries` tries. Raises the last Failure, with the number of tries.

    A pause is drawn between 0 and a bound that doubles ("full jitter": many clients that fail together do not come back
    together), and is never shorter than the service asked for.
    """
    end = clock() + seconds
    for number in range(1, tries + 1):
        left = end - clock()
        if left <= 0:
            break
        try:
            return attempt(left)
        except Failure as failure:
            failure.tries = number
            if not failure.again or number == tries:
                raise
            pause = max(failure.after, lot() * min(LONGEST, FIRST * 2.0 ** (number - 1)))
            if clock() + pause >= end:
                asked = f" and asks to wait {failure.after:.0f} s" if failure.after else ""
                failure.why += f"{asked}, and there is no time for another try"
                raise
        sleep(pause)
    raise late(seconds)


def late(seconds: float) -> Failure:
    """The failure of an answer that does not come."""
    return Failure(f"it took longer than {seconds:.3g} s", "too-slow")


def within(seconds: float, call: Callable[[], Answer]) -> Answer:
    """What `call` returns or raises, or a Failure when it takes longer, wherever it hangs: in a look-up of a name, a handshake,
    or with a server that sends a byte now and then. It is left alone then, and ends with the process."""
    from threading import TIMEOUT_MAX, Thread

    results: list[Answer] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            results.append(call())
        except BaseException as error:
            errors.append(error)

    thread = Thread(target=run, daemon=True)
    thread.start()
    thread.join(min(seconds, TIMEOUT_MAX))
    if errors:
        raise errors[0]
    if not results:
        raise late(seconds)
    return results[0]


def asked_to_wait(headers: Mapping[str, str], now: Callable[[], float] = time.time) -> float:
    """The seconds that a response's headers ask for (Retry-After of RFC 9110 10.2.3, in seconds or as a date, and the
    retry-after-ms that some services add), 0 when they ask for none that can be read."""
    for name, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        value = headers.get(name, "")
        try:
            wait = float(value) / unit
        except ValueError:
            wait = _until(value, now()) if name == "retry-after" else 0.0
        if 0 < wait < float("inf"):
            return wait
    return 0.0


def _until(date: str, now: float) -> float:
    from email.utils import parsedate_to_datetime

    try:
        return parsedate_to_datetime(date).timestamp() - now
    except (ValueError, OverflowError):
        return 0.0
