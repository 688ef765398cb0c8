"""What a run of compact was asked for: the options, and the table [compact] of the configuration below them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from memcli import settings
from memcli.core import queue, turns
from memcli.errors import ConfigurationError, UsageError

TRIM = 2000
"""Rows that a file keeps when it is trimmed, unless another number is named."""
WRITE, DRY, PROPOSE = "write", "dry", "propose"


class Wishes(NamedTuple):
    """What was asked for. `keep` rows stay active, or as many as have no more than `budget` tokens; `sessions` in one run; `trim`
    rows stay in a file (None: nothing is trimmed); `tokens` and `seconds` of a model for one session."""

    mode: str = WRITE
    provider: str = ""
    keep: int = turns.KEEP
    budget: int | None = None
    sessions: int = queue.MOST
    trim: int | None = None
    tokens: int = 60_000
    seconds: float = 180.0
    idle: float = 10.0
    force_live: bool = False


class Asked(NamedTuple):
    """The session and the number that stand on the command line, "" and None where none does."""

    session: str
    number: int | None


_KEYS = ("keep", "budget", "sessions", "trim", "tokens", "seconds")


def wishes(
    *,
    mode: str,
    provider: str | None,
    keep: int | None,
    budget: int | None,
    trim: int | None,
    idle: float,
    force_live: bool,
) -> Wishes:
    """The options, and what the configuration says where they say nothing. Raises ConfigurationError."""
    said = _configured(settings.configuration("compact"))
    given = {"keep": keep, "budget": budget, "trim": trim}
    said.update({name: value for name, value in given.items() if value is not None})
    return Wishes(mode, provider or "", idle=idle, force_live=force_live)._replace(**said)


def asked(words: list[str], *, trim: bool) -> Asked:
    """What the words behind the command mean: a session, and with --trim the number of rows that stay. Raises UsageError."""
    numbers = [word for word in words if trim and word.isascii() and word.isdecimal()]
    names = [word for word in words if word not in numbers]
    if len(numbers) > 1 or len(names) > 1:
        raise UsageError("compact takes one session, and with --trim one number. Nothing was done.")
    if numbers and not 0 < int(numbers[0]) < 1 << 40:
        raise UsageError("--trim keeps at least one row. Nothing was done.")
    return Asked(names[0] if names else "", int(numbers[0]) if numbers else None)


def check(*, session: bool, keep: bool, budget: bool, trim: bool, dry_run: bool, propose: bool, provider: bool) -> str:
    """The mode. Raises UsageError for options that exclude each other."""
    if (keep or budget) and not session:
        raise UsageError("--keep and --budget are for one session; name it. Nothing was done.")
    if dry_run and propose:
        raise UsageError("--dry-run writes nothing, and does not keep what --propose does; leave one out.")
    if trim and (propose or keep or budget or provider):
        raise UsageError(
            "--trim puts rows away that a summary stands for, and makes none; leave the other options out."
        )
    return PROPOSE if propose else DRY if dry_run else WRITE


def _configured(table: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in table.items():
        if key not in _KEYS:
            raise ConfigurationError(f"[compact] has no setting {key!r}; there are {', '.join(_KEYS)}.")
        fits = isinstance(value, int | float) if key == "seconds" else isinstance(value, int)
        if not fits or isinstance(value, bool) or not 0 < value < 1e9:
            raise ConfigurationError(f"compact.{key} is a number, and not {value!r}.")
        found[key] = value
    return found
