"""How `sessions diff` looks: the rows that differ marked - and +, columns in a pipe, documented rows with --json."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from memcli.core.comparing import Comparison, Member
from memcli.core.differing import Difference, Tally, differences, tally
from memcli.core.sides import Side
from memcli.output import BOLD, CYAN, DIM, GREEN, RED, YELLOW, Printer
from memcli.output.columns import cut, ending, width
from memcli.output.safe_text import cell
from memcli.output.words import many

LISTED = 20
"""So many things of one kind in a row are shown on a terminal."""
MARKS = {
    "only-a": ("-", RED),
    "only-b": ("+", GREEN),
    "moved": (">", CYAN),
    "renumbered": ("=", CYAN),
    "conflict": ("!", YELLOW),
    "header": ("!", YELLOW),
    "unreadable-a": ("?", RED),
    "unreadable-b": ("?", RED),
}
SHAPES = {
    "same": "They are the same.",
    "header": "Their rows are the same; their headers differ.",
    "a-goes-on": "A has all rows of B and goes on.",
    "b-goes-on": "B has all rows of A and goes on.",
    "fork": "They begin alike and went apart.",
    "mixed": "Each has something that the other has not, or has otherwise.",
}


def difference_json(one: Difference) -> dict[str, Any]:
    """The documented JSON object of one difference."""
    record = one.record
    return {
        "type": "difference",
        "what": one.what,
        "a": one.a._asdict() if one.a else None,
        "b": one.b._asdict() if one.b else None,
        "id": record.id if record else None,
        "role": record.role if record else None,
        "timestamp": record.timestamp if record else None,
        "text": record.text if record else None,
        "members": [member_json(member) for member in one.members],
        "flaw": one.flaw or None,
    }


def member_json(member: Member) -> dict[str, Any]:
    """One member in which two objects differ; a side that has none of the name has no key."""
    return {
        "name": member.name,
        **{side: value for side, value in (("a", member.a), ("b", member.b)) if value is not ...},
    }


def summary_json(made: Comparison, seen: Tally) -> dict[str, Any]:
    """The documented JSON object at the end."""
    return {"type": "summary", "state": seen.shape, "a": _side(made.a), "b": _side(made.b), **seen._asdict()}


def path_end(path: str, room: int) -> str:
    """A path in so many columns: its end is what tells it from others."""
    safe = cell(path)
    return safe if width(safe) <= room else "…" + ending(safe, max(1, room - 1))


def value_text(value: Any) -> str:
    """A member's value for people: text as it is, anything else as JSON, "" for none."""
    if value is ... or isinstance(value, str):
        return "" if value is ... else value
    import json

    return json.dumps(value, ensure_ascii=False)


class View:
    """Writes what two copies differ in."""

    def __init__(self, printer: Printer, tz: str = "") -> None:
        self.printer, self.tz = printer, tz
        self._what = ""
        self._run = 0

    def write(self, made: Comparison) -> int:
        """Write everything; 1 when they differ."""
        printer = self.printer
        seen = tally(made)
        pages = printer.terminal and not printer.json
        if pages:
            self.names(made.a, made.b)
        for one in differences(made):
            self.one(one)
        self.close()
        value = summary_json(made, seen)
        if not printer.json:
            printer.note(summary(seen))
        elif printer.wants(value):
            printer.row(value)
        return int(seen.differ)

    def names(self, a: Side, b: Side) -> None:
        """Say which files these are."""
        for name, side in (("A", a), ("B", b)):
            words = f"  {many(side.facts.rows, 'row')}"
            path = path_end(side.ref.shown, self.printer.width - 3 - len(words))
            self.printer.page(f"{self.printer.paint(name, BOLD)}  {path}{words}")

    def one(self, one: Difference) -> None:
        """Write one difference."""
        printer = self.printer
        if printer.json or printer.keep is not None:
            value = difference_json(one)
            if not printer.wants(value):
                return
            if printer.json:
                printer.row(value)
                return
        if printer.terminal:
            if one.what != self._what:
                self.close()
                self._what = one.what
            self._run += 1
            if self._run <= LISTED:
                self._page(one)
        else:
            printer.tabs(_fields(one))

    def close(self) -> None:
        """Say how many of a long run were not shown."""
        if self._run > LISTED:
            words = f"and {self._run - LISTED:,} more; --json has them all"
            self.printer.page(f"  {self.printer.paint(words, DIM)}")
        self._what, self._run = "", 0

    def _page(self, one: Difference) -> None:
        printer = self.printer
        mark, colour = MARKS[one.what]
        head = _head(one)
        room = max(10, printer.width - 2)
        text = cell(one.record.text) if one.record and not one.members else ""
        line = cut(f"{mark} {head}{'  ' if text else ''}{text}", room + 2)
        printer.page(printer.paint(line, colour))
        for member in one.members:
            printer.page(f"    {printer.paint(cell(member.name), BOLD)}")
            for sign, value, shade in (("-", member.a, RED), ("+", member.b, GREEN)):
                if value is not ...:
                    printer.page(printer.paint(cut(f"    {sign} {cell(value_text(value))}", room), shade))


def summary(seen: Tally) -> str:
    """The numbers in sentences."""
    parts = [f"{many(seen.same + seen.renumbered, 'row')} in both"]
    if seen.prefix:
        parts[0] += f", the first {seen.prefix:,} in a row" if seen.prefix < seen.same else ""
    counted = (
        (seen.only_a, f"{seen.only_a:,} only in A{_tail(seen.only_a, seen.tail_a)}"),
        (seen.only_b, f"{seen.only_b:,} only in B{_tail(seen.only_b, seen.tail_b)}"),
        (seen.moved, f"{seen.moved:,} in another place"),
        (seen.renumbered, f"{seen.renumbered:,} under another number"),
        (seen.conflicts, f"{seen.conflicts:,} in two versions"),
        (seen.rewritten, f"{seen.rewritten:,} written otherwise"),
        (seen.unreadable_a, f"{many(seen.unreadable_a, 'line')} of A cannot be read"),
        (seen.unreadable_b, f"{many(seen.unreadable_b, 'line')} of B cannot be read"),
    )
    return f"{SHAPES[seen.shape]} {'; '.join([*parts, *(words for count, words in counted if count)])}."


def _tail(count: int, tail: int) -> str:
    """How many of them stand at the end."""
    return "" if not tail or tail > count else " at its end" if tail == count else f", {tail:,} at its end"


def _head(one: Difference) -> str:
    places = [f"{name} #{place.row}" for name, place in (("A", one.a), ("B", one.b)) if place]
    where = " / ".join(places)
    if one.what == "header":
        return "header"
    if one.flaw:
        place = one.a or one.b
        assert place is not None
        return f"{where} (line {place.line}, byte {place.offset:,}, {many(place.length, 'byte')}): {one.flaw}"
    record = one.record
    role = record.role or "(no role)" if record else ""
    stamp = record.timestamp or "" if record else ""
    named = {"conflict": "two versions", "moved": "moved", "renumbered": "another number"}.get(one.what, "")
    return cell("  ".join(part for part in (where, named, role, stamp) if part))


def _fields(one: Difference) -> list[Sequence[str]]:
    """The columns of one difference: a line for each member that differs."""
    record = one.record
    rows = [str(place.row) if place else "" for place in (one.a, one.b)]
    about = [one.what, *rows, record.role if record else "", (record.timestamp or "") if record else ""]
    if one.members:
        return [[*about, member.name, value_text(member.a), value_text(member.b)] for member in one.members]
    text = one.flaw or (record.text if record else "")
    return [[*about, "", text if one.a else "", text if one.b else ""]]


def _side(side: Side) -> dict[str, Any]:
    return {"key": side.ref.key, "agent": side.ref.agent, "path": side.ref.shown, "rows": side.facts.rows}
