"""Bytes that are not UTF-8."""

from __future__ import annotations

from collections.abc import Iterator

from memcli.damage.framework import Class
from memcli.damage.snapshots import LineSnapshot
from memcli.damage.telling import count
from memcli.model import Action, Edit, Finding

SCOPE = "line"
CLASSES = (
    Class(
        "invalid-utf8",
        "bytes that are not UTF-8",
        "error",
        "lossy",
        looks="A line holds bytes of another encoding (GBK, Latin-1), or one that was damaged.",
        does="Moves the line to quarantine with --lossy; --encoding NAME converts it, if it then is a record.",
        lost="The record, unless --encoding can read it.",
        flag="--encoding",
    ),
)


def detect(snapshot: LineSnapshot) -> Iterator[Finding]:
    """One finding for the line. With the option `encoding` it tells whether that can read the line."""
    if snapshot.judged.code != "invalid-utf8":
        return
    raw = snapshot.line.raw or b""
    bad = count(len(_invalid(raw)), "place")
    place = snapshot.line.offset + _invalid(raw)[0]
    message = f"Not UTF-8 at {bad}, the first at byte {place:,}."
    encoding = snapshot.context.options.get("encoding", "")
    if encoding:
        readable = _converted(raw, encoding, snapshot) is not None
        message += f" As {encoding} it {'is a record' if readable else 'makes no record either'}."
        repair = "flag" if readable else "lossy"
        yield CLASSES[0].finding(snapshot.path, message, repair=repair, **snapshot.place)
        return
    yield CLASSES[0].finding(snapshot.path, message, **snapshot.place)


def mend(snapshot: LineSnapshot, finding: Finding) -> list[Edit | Action]:
    """Convert the line when an encoding was named that can read it, else take it away."""
    raw = snapshot.line.raw or b""
    encoding = snapshot.context.options.get("encoding", "")
    converted = _converted(raw, encoding, snapshot) if encoding else None
    if converted is None:
        return [snapshot.removal(finding.code, len(raw))]
    line = snapshot.line
    return [Edit(line.offset, line.length, converted, finding.code, 0, snapshot.row, 1 - snapshot.judged.before)]


def _invalid(raw: bytes) -> list[int]:
    """Where decoding fails, at most a hundred places."""
    found: list[int] = []
    place = 0
    while len(found) < 100:
        try:
            raw[place:].decode("utf-8")
            break
        except UnicodeDecodeError as error:
            found.append(place + error.start)
            place += error.end
    return found


def _converted(raw: bytes, encoding: str, snapshot: LineSnapshot) -> bytes | None:
    """The line as UTF-8, None when it is then no record like the others."""
    from memcli.storage.decode import loads

    try:
        text = raw.decode(encoding).encode("utf-8")
        value = loads(text)
    except (ValueError, LookupError, RecursionError):
        return None
    shapes = snapshot.context.shapes()
    fits = isinstance(value, dict) and bool(value) and (shapes.empty or shapes.fits(value))
    return text if fits else None
