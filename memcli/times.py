"""Stored times and the time phrases of --since and --until, as seconds since the epoch.

A stored time without a zone is local to whoever wrote it: it is read in the machine's zone, or in the zone
that --tz names. Times that a clock change skips or repeats are read as zoneinfo does (PEP 495, fold=0).
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from memcli.errors import UsageError

if TYPE_CHECKING:
    from datetime import datetime, tzinfo

FORMS = "2d, 36h, 90m, 2w, today, yesterday, now, 2026-05-20, 2026-05-20T08:30 or 2026-05-20T08:30:00Z"


def parse(text: str | None, tz: str = "") -> float | None:
    """The time that `text` stands for, in seconds since the epoch; None when it is not a time.

    Read are ISO 8601 (with or without a zone, `Z`, any fraction, basic form, date only, a space for the T)
    and a decimal epoch: 9 or 10 digits are seconds (1973 to 2286), 12 or 13 are milliseconds, each with or
    without a fraction. Any other number is not a time: it may as well be a counter. `tz` is a zoneinfo name,
    "" the machine's zone.
    """
    import datetime  # a look-up once it is loaded, and not needed by commands that read no time

    if not text:
        return None
    if text[:9].isdecimal() and len(text) > 8:
        return _epoch(text)
    try:
        moment = datetime.datetime.fromisoformat(text)
    except ValueError:
        return _second_look(text, tz)
    if tz:
        return _seconds(moment, tz)
    try:
        return moment.timestamp()
    except (ValueError, OverflowError, OSError):  # year 1 or 9999 in a zone that leaves the calendar
        return None


def utc(text: str | None, tz: str = "") -> str | None:
    """The time that `text` stands for as `2026-05-20T08:30:00.123Z`; None when it is not a time."""
    seconds = parse(text, tz)
    return None if seconds is None else iso(seconds)


def iso(seconds: float) -> str:
    """Seconds since the epoch as `2026-05-20T08:30:00.123Z`, what is finer than a millisecond cut off."""
    whole, micro = divmod(round(seconds * 1_000_000), 1_000_000)  # a float holds today's times to 0.24 microseconds
    year, month, day, hour, minute, second = time.gmtime(whole)[:6]
    return f"{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{micro // 1000:03}Z"


def since(phrase: str, now: float, tz: str = "") -> float:
    """The moment that a --since phrase names, in seconds since the epoch; a day stands for its beginning.

    `2d` is 48 hours before `now` (m, h, d, w: minutes, hours, days, weeks), `today` and `yesterday` are days
    in the zone `tz`. Raises UsageError for anything else than FORMS.
    """
    return _bounds(phrase, now, tz)[0]


def until(phrase: str, now: float, tz: str = "") -> float:
    """The moment that an --until phrase names: as `since`, but a day stands for its end, to be included."""
    return _bounds(phrase, now, tz)[1]


def zone(name: str) -> tzinfo | None:
    """The time zone called `name`; None, the machine's, for "". Raises UsageError for an unknown name."""
    if not name:
        return None
    if name not in _zones:
        _zones[name] = _load_zone(name)
    return _zones[name]


_zones: dict[str, tzinfo] = {}
_UNITS = {"m": 60, "h": 3600, "d": 86400, "w": 604800}


def _load_zone(name: str) -> tzinfo:
    if name.upper() in ("UTC", "Z"):  # also where the system has no zone files
        from datetime import UTC

        return UTC
    from zoneinfo import ZoneInfo

    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError) as error:  # unknown; not a zone file; a folder ("Europe")
        raise UsageError(
            f"There is no time zone called {name!r} on this machine; names look like Asia/Shanghai or UTC."
        ) from error


def _seconds(moment: datetime, tz: str) -> float | None:
    try:
        if tz and moment.tzinfo is None:
            return moment.replace(tzinfo=zone(tz)).timestamp()
        return moment.timestamp()
    except (ValueError, OverflowError, OSError):  # year 1 or 9999 in a zone that leaves the calendar
        return None


def _is_number(text: str) -> bool:
    # nine digits begin no ISO time, but fromisoformat takes any character between date and time: also a digit
    return text[:9].isdecimal() and len(text) > 8


def _epoch(text: str) -> float | None:
    whole, _, fraction = text.partition(".")
    if not (whole.isascii() and whole.isdecimal() and (not fraction or (fraction.isascii() and fraction.isdecimal()))):
        return None
    if len(whole) in (9, 10):
        return float(text)
    return float(text) / 1000 if len(whole) in (12, 13) else None


def _second_look(text: str, tz: str) -> float | None:
    """What fromisoformat refuses and others write: blanks around, a small z, UTC or GMT as the zone."""
    import datetime

    body = text.strip()
    for suffix in (" UTC", " GMT", "UTC", "GMT", "z"):
        if body.endswith(suffix):
            body = body.removesuffix(suffix) + "Z"
            break
    if body == text:
        return None
    if _is_number(body):
        return _epoch(body)
    try:
        return _seconds(datetime.datetime.fromisoformat(body), tz)
    except ValueError:
        return None


def _bounds(phrase: str, now: float, tz: str) -> tuple[float, float]:
    word = phrase.strip()
    lower = word.lower()
    if lower == "now":
        return now, now
    if lower in ("today", "yesterday"):
        return _day(now, tz, -1 if lower == "yesterday" else 0)
    amount, unit = lower[:-1], lower[-1:]
    if unit in _UNITS and amount.isascii() and amount.isdecimal() and len(amount) <= 6:
        moment = now - int(amount) * _UNITS[unit]
        return moment, moment
    seconds = parse(word, tz)
    if seconds is None:
        raise UsageError(f"{phrase!r} is not a time; write {FORMS}.")
    if any(mark in word for mark in ":.") or _is_number(word) or "T" in word.upper():
        return seconds, seconds
    return _day(seconds, tz, 0)


def _day(moment: float, tz: str, shift: int) -> tuple[float, float]:
    """The first moment of the day of `moment`, `shift` days on, and the last millisecond of that day."""
    from datetime import datetime, timedelta

    where = zone(tz)
    midnight = datetime.fromtimestamp(moment, where).replace(hour=0, minute=0, second=0, microsecond=0, fold=0)
    midnight += timedelta(days=shift)  # on the wall clock: a day with a clock change has 23 or 25 hours
    return midnight.timestamp(), (midnight + timedelta(days=1)).timestamp() - 0.001
