"""What the pages of an export say alike: the facts at their head, and sentences about what could not be read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from memcli.core.exporting import Entry, Facts
from memcli.model import Record
from memcli.output.safe_text import document, encode
from memcli.output.words import many, passed_over

BATCH = 1 << 16
"""Characters that are written at once."""
MASKED = "Secrets and personal data are replaced by labels; one value has the same label everywhere in this export."


def heading(facts: Facts) -> str:
    """What a session is called at the head of its page."""
    return facts.title.strip() or facts.key


def lines(facts: Facts) -> Iterator[tuple[str, str]]:
    """The facts as (label, text from the files or about them)."""
    yield "Session", facts.key
    yield "Agent", f"{facts.agent} {facts.era}".strip()
    yield "File", facts.path
    yield "Size", many(facts.size, "byte")
    for label, text in (("Created", facts.created_at), ("Updated", facts.updated_at)):
        if text:
            yield label, text
    if facts.first:
        yield "Time", facts.first if facts.last == facts.first else f"{facts.first} to {facts.last}"
    yield "Records", counts(facts)
    if facts.lost:
        yield "Not readable", lost(facts)
    if facts.damage:
        yield "Damage", ", ".join(facts.damage)


def counts(facts: Facts) -> str:
    """`6: user 2, assistant 3, tool 1`"""
    each = ", ".join(f"{role or '(no role)'} {count:,}" for role, count in facts.roles.items())
    return f"{facts.messages:,}: {each}" if each else "0"


def lost(facts: Facts) -> str:
    """`2 unreadable lines passed over (130 bytes)`"""
    return passed_over(facts.lost, facts.lost_bytes)


def gap(entry: Entry) -> str:
    """What stands in the place of a row that gives no record."""
    where = f"Row {entry.row} (line {entry.line}, byte {entry.offset:,})"
    return f"{where} cannot be read: {entry.flaw}; {many(entry.length, 'byte')} passed over."


def is_result(record: Record) -> bool:
    """Whether a record is what a tool gave back."""
    return record.role == "tool" or record.answers is not None


def exact(text: str) -> str:
    """`text` made safe to look at. The line ends of Windows stay: they are no trick."""
    return "\r\n".join(map(document, text.split("\r\n"))) if "\r" in text else document(text)


def batched(pieces: Iterable[str]) -> Iterator[bytes]:
    """Small pieces of a page as larger ones in UTF-8."""
    held: list[str] = []
    size = 0
    for piece in pieces:
        held.append(piece)
        size += len(piece)
        if size >= BATCH:
            yield encode("".join(held))
            held, size = [], 0
    if held:
        yield encode("".join(held))
