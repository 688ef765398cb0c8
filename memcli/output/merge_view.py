"""How `sessions merge` shows its plan and what became of it."""

from __future__ import annotations

from textwrap import wrap
from typing import Any

from memcli.core.differing import conflict
from memcli.core.merging import Counts, Merge, Merged
from memcli.model import AgentView
from memcli.output import BOLD, GREEN, YELLOW, Printer, say
from memcli.output.columns import cut
from memcli.output.difference_view import View as Differences
from memcli.output.difference_view import member_json, path_end, value_text
from memcli.output.safe_text import cell
from memcli.output.words import many

DECIDE = "decide with --prefer a, --prefer b or --keep-both"


def as_json(merge: Merge, state: str, operation: str = "", refused: list[str] | None = None) -> dict[str, Any]:
    """The documented JSON object of a merge."""
    return {
        "type": "merge",
        "state": state,
        "id": operation or None,
        "key": merge.a.key,
        "a": merge.a.shown,
        "b": merge.b.shown,
        "new": merge.new,
        **merge.counts._asdict(),
        "header": [member_json(member) for member in merge.made.changed] if merge.made else [],
        "before": _view_json(merge.before),
        "after": _view_json(merge.after),
        "notes": list(merge.notes),
        "refused": [*(refused or []), *([merge.worse] if merge.worse else [])],
    }


class View:
    """Writes one merge and knows what the command ends with."""

    def __init__(self, printer: Printer, tz: str = "") -> None:
        self.printer, self.tz = printer, tz
        self._carried: tuple[dict[str, Any], list[str], Counts] | None = None
        self._code = 0

    def plan(self, merge: Merge) -> int:
        """Write what would be done; 0 when there is nothing to do."""
        state = _state(merge)
        self._show(merge, state)
        self.printer.note(_words(merge, state))
        return int(state != "nothing")

    def written(self, merge: Merge, to: str) -> int:
        """Write what was written to another file."""
        self._show(merge, "written")
        self.printer.note(f"Written: {to}; {merge.a.shown} and {merge.b.shown} stay as they are.")
        return 0

    def carried_out(self, merge: Merge, done: Merged) -> None:
        """Write what was done, or why nothing was."""
        state = "merged" if done.id else "refused" if done.refused else _state(merge)
        self._show(merge, state, done)
        if done.id:
            self.printer.note(_words(merge, "merged"))
        elif not done.refused:
            self.printer.note(_words(merge, state))
        self._code = int(state == "undecided" or bool(merge.worse))

    def end(self, done: Merged) -> int:
        """Say how to undo it, or why nothing was written; the exit code."""
        for sentence in done.refused:
            say(f"memcli: {sentence}")
        if done.id:
            self.printer.note(f"Undo: memcli undo {done.id}")
        return self._code or (4 if done.refused else 0)

    def _show(self, merge: Merge, state: str, done: Merged | None = None) -> None:
        printer = self.printer
        pages = printer.terminal and not printer.json
        if pages:
            self._names(merge)
        if merge.comparison is not None:
            differences = Differences(printer, self.tz)
            for i, j in [*merge.found.conflicts, *merge.found.clashes]:
                differences.one(conflict(merge.comparison, i, j))
            differences.close()
        value = as_json(merge, state, done.id if done else "", [] if merge.worse or not done else done.refused)
        if not printer.wants(value):
            return
        if printer.json:
            printer.row(value)
        elif pages:
            self._page(merge)
        else:
            numbers = map(str, merge.counts)
            printer.tabs([["merge", state, done.id if done else "", merge.a.shown, *numbers]])

    def _names(self, merge: Merge) -> None:
        printer = self.printer
        for name, path in (("A", merge.a.shown), ("B", merge.b.shown)):
            more = "  (new)" if name == "A" and merge.new else ""
            printer.page(f"{printer.paint(name, BOLD)}  {path_end(path, printer.width - 3 - len(more))}{more}")

    def _page(self, merge: Merge) -> None:
        printer, counts = self.printer, merge.counts
        lines = (
            ("both", counts.both, f"{many(counts.both, 'row')} in both"),
            ("only A", counts.only_a, f"{many(counts.only_a, 'row')} only in A"),
            ("+", counts.added, f"{many(counts.added, 'row')} of B"),
            ("-/+", counts.replaced, f"{many(counts.replaced, 'row')} in the version of B"),
            ("left", counts.dropped, f"{many(counts.dropped, 'version')} of B"),
            ("left", counts.repeated, f"{many(counts.repeated, 'row')} of B that another row repeats"),
            ("left", counts.left_out, f"{many(counts.left_out, 'damaged line')} of B"),
            ("number", counts.renumbered, f"{many(counts.renumbered, 'row')} with another number"),
        )
        for label, count, words in lines:
            if count > 0:
                painted = printer.paint(f"{label:<8}", GREEN) if label.endswith("+") else f"{label:<8}"
                printer.page(f"  {painted}{words}")
        for member in merge.made.changed if merge.made else ():
            old, new = (cell(value_text(value)) for value in (member.a, member.b))
            arrow = f"{old} → {new}" if old else new
            printer.page(cut(f"  {'header':<8}{cell(member.name)}: {arrow}", printer.width))
        if merge.after is not None:
            before = f"{_seen(merge.before)}; then " if merge.before else ""
            printer.page(cut(f"  {'agent':<8}sees {before}{_seen(merge.after)}", printer.width))
        for note in merge.notes:
            for number, line in enumerate(wrap(cell(note), max(20, printer.width - 10))):
                printer.page(f"  {'' if number else 'note':<8}{printer.paint(line, YELLOW)}")


def _state(merge: Merge) -> str:
    if merge.undecided:
        return "undecided"
    if merge.worse:
        return "refused"
    return "nothing" if merge.nothing else "plan"


def _words(merge: Merge, state: str) -> str:
    counts = merge.counts
    if state == "nothing":
        left = f" {many(counts.left_out, 'damaged line')} of B cannot be copied." if counts.left_out else ""
        return f"Nothing to merge: A has every row of B that can be read.{left}"
    if state == "undecided":
        verb = "is" if counts.conflicts == 1 else "are"
        return f"{many(counts.conflicts, 'row')} {verb} in conflict; {DECIDE}. Nothing was changed."
    if state == "refused":
        return f"{merge.worse} Nothing was changed."
    rows = [many(counts.added, "row")] if counts.added else []
    rows += [many(counts.replaced, "version")] if counts.replaced else []
    rows = rows or ["what the header"]
    what = f"{' and '.join(rows)} of {merge.b.shown}"
    if state == "merged":
        return f"{'Made' if merge.new else 'Merged into'} {merge.a.shown}: {what}."
    verb = "would be made from" if merge.new else "would get"
    return f"{merge.a.shown} {verb} {what}. Nothing was changed; --apply does it."


def _seen(view: AgentView | None) -> str:
    if view is None:
        return ""
    reason = f" ({cell(view.reason)})" if view.reason else ""
    return f"{view.seen:,} of {many(view.total, 'row')}{reason}"


def _view_json(view: AgentView | None) -> dict[str, Any] | None:
    if view is None:
        return None
    return {"seen": view.seen, "total": view.total, "listed": view.listed, "reason": view.reason}
