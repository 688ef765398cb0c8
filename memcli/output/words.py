"""Small phrases that several commands use: counts with their plural, durations."""

from __future__ import annotations


def many(count: int, noun: str, plural: str = "") -> str:
    """`1 row`, `3 rows`, `1,204 rows`."""
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


def duration(seconds: float) -> str:
    """A pause for people: `45 s`, `12 min`, `3 h`, `5 days`."""
    for size, unit in ((86400, "day"), (3600, "h"), (60, "min")):
        if seconds >= size:
            amount = int(seconds // size)
            return f"{amount} {unit}{'s' if unit == 'day' and amount != 1 else ''}"
    return f"{int(seconds)} s"


def passed_over(lines: int, size: int) -> str:
    """The clause that tells what a reader could not show."""
    return f"{many(lines, 'unreadable line')} passed over ({many(size, 'byte')})"
