"""Words that several classes say about a damaged line."""

from __future__ import annotations

from typing import Any

from memcli.damage.snapshots import LineSnapshot

SHOWN = 60
"""So many characters of a member's text are told."""


def count(number: int, noun: str) -> str:
    """`1 record`, `2 records`, `1,234 records`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def fragment_words(snapshot: LineSnapshot) -> str:
    """A sentence on what is cut away, with the id and role that can still be read in it; "" when nothing is."""
    verdict = snapshot.judged
    if not verdict.fragments:
        return ""
    size = sum(end - start for start, end in verdict.fragments)
    known = [f"{name} {_word(value)}" for name, value in verdict.members.items() if name in NAMES]
    what = f"; it was {', '.join(known)}" if known else ""
    return f" {count(size, 'byte')} of a record that was cut {'go' if size != 1 else 'goes'} to quarantine{what}."


def members(snapshot: LineSnapshot) -> dict[str, Any]:
    """The same for programs."""
    verdict = snapshot.judged
    known = {name: _word(value) for name, value in verdict.members.items() if name in NAMES}
    return {"fragment": known} if known else {}


def excerpt(snapshot: LineSnapshot, limit: int = SHOWN) -> str:
    """The beginning of the line, as far as it is text."""
    raw = snapshot.line.raw or b""
    text = raw[: 4 * limit].decode("utf-8", "replace").strip()
    return text if len(text) <= limit and len(raw) <= 4 * limit else text[:limit] + "..."


NAMES = ("id", "uuid", "cursor", "key", "_type", "role", "timestamp", "at")


def _word(value: Any) -> str:
    return str(value).strip('"').encode("latin-1", "replace").decode("utf-8", "replace")[:SHOWN]
