"""Questions that nobody answered: legal, and what a crash in the middle of a turn leaves."""

from __future__ import annotations

from collections.abc import Iterator

from memcli.damage.entries import is_message
from memcli.damage.framework import Class, RowsSnapshot
from memcli.damage.telling import count
from memcli.model import Action, Edit, Finding
from memcli.storage.facts import ROLE

SCOPE = "rows"
CLASSES = (
    Class(
        "unanswered-turn",
        "a question without an answer",
        "info",
        "report",
        looks="A user's row is followed by another user's row or by the end of the file.",
        does="Nothing: a failed or interrupted turn leaves it so.",
    ),
)
ASKER = "user"


def detect(snapshot: RowsSnapshot) -> Iterator[Finding]:
    """One finding for the file."""
    facts = snapshot.facts
    if snapshot.rules.linked or ASKER not in facts.roles:
        return  # with links, what stands behind a row need not follow it
    asker = facts.roles.index(ASKER)
    asked = bytes(is_message(flag) and flag & ROLE == asker for flag in facts.flags)
    open_turns = asked.count(b"\1") - _runs(asked) + asked.endswith(b"\1")
    if not open_turns:
        return
    last = asked.rfind(b"\1\1")
    entry = len(asked) - 1 if asked.endswith(b"\1") else last
    message = f"{count(open_turns, 'user row')} {'has' if open_turns == 1 else 'have'} no answer"
    message += (
        "; the last is the end of the file." if asked.endswith(b"\1") else f"; the last is row {facts.row(entry)}."
    )
    yield CLASSES[0].finding(snapshot.path, message, data={"rows": open_turns}, **snapshot.place(entry))


def mend(snapshot: RowsSnapshot, finding: Finding) -> list[Edit | Action]:
    """Nothing is changed."""
    return []


def _runs(asked: bytes) -> int:
    """How many runs of user rows there are."""
    return asked.count(b"\0\1") + asked.startswith(b"\1")
