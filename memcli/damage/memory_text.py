"""Memory files (MEMORY.md and its like) that are no clean text."""

from __future__ import annotations

from collections.abc import Iterator

from memcli.damage.framework import Class, TextSnapshot
from memcli.model import Action, Edit, Finding

SCOPE = "text"
_SEE = "Nothing: the text is the agent's and the user's; which character stood there is not known."
UTF8 = Class(
    "invalid-utf8",
    "bytes that are not UTF-8",
    "error",
    "report",
    looks="A memory file holds bytes of another encoding.",
    does=_SEE,
)
UTF16 = Class(
    "utf16", "UTF-16 instead of UTF-8", "error", "report", looks="A memory file was saved as UTF-16.", does=_SEE
)
NUL = Class("nul-run", "NUL bytes", "error", "report", looks="NUL bytes stand in a memory file.", does=_SEE)
CLASSES: tuple[Class, ...] = ()
"""The codes are described where the files of rows have them."""


def detect(snapshot: TextSnapshot) -> Iterator[Finding]:
    """The first place of each kind."""
    raw = snapshot.raw
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        yield UTF16.finding(snapshot.path, "The file is UTF-16, not UTF-8.", offset=0, length=len(raw))
        return
    place = raw.find(0)
    if place >= 0:
        message = f"{raw.count(0):,} NUL bytes, the first at byte {place:,}."
        yield NUL.finding(snapshot.path, message, line=raw.count(b"\n", 0, place) + 1, offset=place)
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError as error:
        message = f"Not UTF-8 at byte {error.start:,}."
        line = raw.count(b"\n", 0, error.start) + 1
        yield UTF8.finding(snapshot.path, message, line=line, offset=error.start, length=error.end - error.start)


def mend(snapshot: TextSnapshot, finding: Finding) -> list[Edit | Action]:
    """Nothing."""
    return []
