"""Secrets in memory files: only that one is there, of which kind, and where, is ever told."""

from __future__ import annotations

from collections.abc import Iterator

from memcli import secrets
from memcli.damage.framework import Class, TextSnapshot
from memcli.model import Action, Edit, Finding

SCOPE = "text"
CLASSES = (
    Class(
        "memory-secret",
        "a secret in memory",
        "warning",
        "report",
        looks="A key, token or password stands in a memory file: something with the form of one, no placeholder.",
        does="Nothing; the secret itself is never shown, only its kind and its place. It should be made invalid where it was "
        "issued: taking it out of the file does not take it out of old versions and of chats.",
    ),
)
[SECRET] = CLASSES
LISTED = 100
"""So many of them are told one by one."""


def detect(snapshot: TextSnapshot) -> Iterator[Finding]:
    """A finding for each of them, in order."""
    raw = snapshot.raw
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        text, encoding = raw.decode("utf-16", "replace"), ""
    else:
        text, encoding = raw.decode("utf-8", "surrogateescape"), "utf-8"
    found = [one for one in secrets.find(text) if secrets.is_secret(one.kind)]
    place, offset, line = 0, 0, 1
    for one in found[:LISTED]:
        line += text.count("\n", place, one.start)
        message = f"In this line stands {one.what}."
        members = {"line": line, "data": {"kind": one.kind}}
        if encoding:
            offset += len(text[place : one.start].encode(encoding, "surrogateescape"))
            length = len(text[one.start : one.end].encode(encoding, "surrogateescape"))
            members |= {"offset": offset, "length": length}
        place = one.start
        yield SECRET.finding(snapshot.path, message, **members)
    if len(found) > LISTED:
        rest = len(found) - LISTED
        yield SECRET.finding(snapshot.path, f"{rest:,} more secrets stand behind them.", data={"more": rest - 1})


def mend(snapshot: TextSnapshot, finding: Finding) -> list[Edit | Action]:
    """Nothing is changed."""
    return []
