"""An offset in the header that points behind the rows that there are."""

from __future__ import annotations

from collections.abc import Iterator

from memcli.damage.entries import is_message, member_place
from memcli.damage.framework import Class, RowsSnapshot
from memcli.damage.telling import count
from memcli.model import Action, Edit, Finding

SCOPE = "rows"
CLASSES = (
    Class(
        "offset-out-of-range",
        "the header's offset is beyond the rows",
        "error",
        "safe",
        looks="A member of the header that counts rows is larger than their number, negative, or no whole number.",
        does="Sets it to what the agent itself resets it to, and says what will be replayed or summarised again.",
        lost="The old number; what it hid comes back.",
    ),
)
SHOWN = 40


def detect(snapshot: RowsSnapshot) -> Iterator[Finding]:
    """A finding for each offset that is out of range."""
    header, line = snapshot.header, snapshot.header_line
    if not header or line is None:
        return
    total = sum(map(is_message, snapshot.facts.flags))
    for name in snapshot.rules.offsets:
        if name not in header or _is_in(header[name], total):
            continue
        reset = snapshot.rules.reset
        again = count(total - reset, "row")
        message = (
            f"{name} is {repr(header[name])[:SHOWN]}, but the file has {count(total, 'row')}. It is set to {reset}, so that "
            f"{again} can be replayed, and summarised again."
        )
        data = {"name": name, "value": reset, "again": total - reset}
        place = {"line": line.number, "offset": line.offset, "length": line.length}
        yield CLASSES[0].finding(snapshot.path, message, data=data, **place)


def mend(snapshot: RowsSnapshot, finding: Finding) -> list[Edit | Action]:
    """Write the value that the finding names in the place of the old one."""
    line = snapshot.header_line
    place = member_place(line.raw or b"", finding.data["name"]) if line else None
    if line is None or place is None:
        return []
    new = b"%d" % finding.data["value"]
    return [Edit(line.offset + place[0], place[1] - place[0], new, finding.code)]


def _is_in(value: object, total: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= total
