"""How repair shows its plan and what became of it: pages on a terminal, columns in a pipe, documented rows with --json."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from memcli.core.applying import Applied
from memcli.core.blueprint import Blueprint
from memcli.core.items import Item, Shown
from memcli.core.verifying import SEVERITIES
from memcli.model import AgentView, Outcome
from memcli.output import BOLD, DIM, GREEN, RED, YELLOW, Printer, say
from memcli.output.columns import cut
from memcli.output.finding_view import INDENT, as_json, heading
from memcli.output.safe_text import cell, field
from memcli.output.words import many

EDITS = 4
"""So many edits of one finding are shown on a terminal."""


def visible(raw: bytes) -> str:
    """Bytes as text that hides nothing: newlines as \\n, what is no UTF-8 as \\x.., what a terminal would obey as escapes."""
    return field(raw.decode("utf-8", "backslashreplace"))


def edit_json(shown: Shown) -> dict[str, Any]:
    """One edit: where, how many bytes go and come, and the beginning of both."""
    return {
        "offset": shown.offset,
        "length": shown.removed,
        "added": shown.added,
        "before": visible(shown.before),
        "after": visible(shown.after),
    }


def item_json(item: Item, state: str) -> dict[str, Any]:
    """The documented JSON object of a finding with what becomes of it."""
    value = as_json(item.finding)
    value["state"] = state
    value["needs"] = item.needs or None
    if item.shown:
        value["edits"] = [edit_json(shown) for shown in item.shown]
    if item.actions:
        value["actions"] = [{"kind": one.kind, "path": one.path, "detail": one.detail} for one in item.actions]
    return value


def outcome_json(outcome: Outcome) -> dict[str, Any]:
    """The documented JSON object of what one operation did to one file."""
    return {"type": "operation", **outcome._asdict()}


def view_json(path: str, before: AgentView, after: AgentView) -> dict[str, Any]:
    """What the agent sees of a file before and afterwards."""
    value: dict[str, Any] = {"type": "view", "path": path}
    for name, view in (("before", before), ("after", after)):
        value[name] = {"seen": view.seen, "total": view.total, "listed": view.listed, "reason": view.reason}
    return value


class View:
    """Writes plans and results, and knows at the end what the command ends with.

    `fail_on` is the severity from which on a finding that is left ends it with 1. A plan with anything to do does, too.
    """

    def __init__(self, printer: Printer, fail_on: str = "warning") -> None:
        self.printer = printer
        self.mended = self.files = self.records = 0
        self.left: dict[str, int] = {}
        self.unchecked: list[str] = []
        self.refused: list[str] = []
        self.ids: list[str] = []
        self.failed = self.done = False
        self._counted = SEVERITIES[: SEVERITIES.index(fail_on) + 1] if fail_on in SEVERITIES else ()
        self._never = fail_on not in SEVERITIES
        self._path = ""

    def plan(self, blueprint: Blueprint, done: Applied | None = None, *, copied: bool = False) -> None:
        """Write one workspace's findings, and what becomes or became of each; `copied`: in a copy."""
        self.done = self.done or copied
        changed = {outcome.path for outcome in done.outcomes} if done else set()
        for item in blueprint.told:
            state = "mended" if copied and item.state == "mend" else item.state
            if state == "mend" and done is not None:
                touched = changed & {item.finding.path, *(action.path for action in item.actions)}
                state = "mended" if touched else "left"
            self._item(item, state)
        for path, (before, after) in blueprint.views.items():
            if after is not None:
                self._view(path, before, after)
        self.files += blueprint.files
        self.records += blueprint.records
        self.unchecked += blueprint.unchecked
        self.failed = self.failed or blueprint.failed
        for sentence in [*blueprint.notes, *(blueprint.busy if done is None else [])]:
            self.printer.note(sentence)

    def applied(self, blueprint: Blueprint, done: Applied) -> None:
        """Write what was done to one workspace."""
        self.done = True
        self.plan(blueprint, done)
        self._outcomes(done.outcomes)
        self.refused += done.refused
        if done.taken_back:
            self.refused.append(f"{done.taken_back} All was taken back.")
        if done.id:
            self.ids.append(done.id)

    def end(self, cron: bool = False) -> int:
        """Write how much was looked at, what is mended, what stays, and how to undo it; the exit code."""
        printer = self.printer
        left = sum(self.left.values())
        if printer.json:
            value = {
                "type": "summary",
                "files": self.files,
                "records": self.records,
                "findings": self.mended + left,
                "mend": self.mended,
                "left": left,
                "refused": self.refused,
                "unchecked": list(dict.fromkeys(self.unchecked)),
            }
            if printer.wants(value):
                printer.row(value)
        else:
            if printer.terminal and self._path:
                printer.page("")
            printer.note(self._words())
            for sentence in dict.fromkeys(self.unchecked):
                printer.note(f"Not checked: {sentence}.")
        if not cron:
            printer.flush()
            for sentence in self.refused:
                say(f"memcli: {sentence}")
        for one in self.ids:
            printer.note(f"Undo: memcli undo {one}")
        return self._code(cron)

    def _code(self, cron: bool) -> int:
        if self.failed:
            return 3
        if self.refused:
            return 0 if cron else 4
        if not self.done and self.mended and not self._never:
            return 1
        return int(any(self.left.get(severity) for severity in self._counted))

    def _outcomes(self, outcomes: Sequence[Outcome]) -> None:
        printer = self.printer
        for outcome in outcomes:
            value = outcome_json(outcome)
            if not printer.wants(value):
                continue
            if printer.json:
                printer.row(value)
            elif printer.terminal:
                if self._path:
                    printer.page("")
                    self._path = ""
                printer.page(printer.paint(cell(outcome.path), BOLD))
                printer.page(f"  {printer.paint('mended', GREEN)}  {_outcome_words(outcome)}")
            else:
                numbers = (outcome.kept, outcome.mended, outcome.quarantined, outcome.bytes_removed)
                printer.tabs([["operation", outcome.id, outcome.path, *map(str, numbers)]])

    def _words(self) -> str:
        looked = f"{many(self.files, 'file')}, {many(self.records, 'row')}"
        graver = self.left.get("error", 0) + self.left.get("warning", 0)
        if not self.mended and not graver:
            return f"{looked}: nothing to do."
        verb = "mended" if self.done else "would be mended"
        words = f"{looked}: {many(self.mended, 'finding')} {verb}, {graver:,} left."
        return words if self.done or not self.mended else f"{words} Nothing was changed; --apply does it."

    def _item(self, item: Item, state: str) -> None:
        printer = self.printer
        value = item_json(item, state)
        if not printer.wants(value):
            return
        finding = item.finding
        if state == "left":
            self.left[finding.severity] = self.left.get(finding.severity, 0) + 1
        else:
            self.mended += 1
        if printer.json:
            printer.row(value)
        elif printer.terminal:
            self._page(item, state)
        else:
            places = ["" if number is None else str(number) for number in (finding.line, finding.row)]
            told = [finding.repair, item.needs, finding.message, finding.effect]
            printer.tabs([[state, finding.severity, finding.code, finding.path, *places, *told]])

    def _page(self, item: Item, state: str) -> None:
        printer, finding = self.printer, item.finding
        heading(printer, finding, self._path)
        self._path = finding.path
        for shown in item.shown[:EDITS]:
            self._edit(shown)
        if len(item.shown) > EDITS:
            more = many(len(item.shown) - EDITS, "more edit")
            printer.page(f"{INDENT}{printer.paint(f'and {more}', DIM)}")
        for action in item.actions if len(item.actions) <= EDITS else ():
            printer.page(f"{INDENT}{printer.paint(_action_words(action.kind, action.detail), GREEN)}")
        if len(item.actions) > EDITS:
            words = (
                f"{_action_words(item.actions[0].kind, item.actions[0].detail)}, each of {len(item.actions):,} files"
            )
            printer.page(f"{INDENT}{printer.paint(words, GREEN)}")
        if state == "left":
            printer.page(f"{INDENT}{printer.paint(_left_words(item), YELLOW if item.needs else DIM)}")

    def _edit(self, shown: Shown) -> None:
        printer = self.printer
        size = max(10, printer.width - len(INDENT) - 2)
        at = f"at byte {shown.offset:,}: {many(shown.removed, 'byte')} out, {many(shown.added, 'byte')} in"
        printer.page(f"{INDENT}{printer.paint(at, DIM)}")
        for sign, raw, total, colour in (
            ("-", shown.before, shown.removed, RED),
            ("+", shown.after, shown.added, GREEN),
        ):
            if total:
                text = visible(raw) + ("…" if len(raw) < total else "")
                printer.page(f"{INDENT}{printer.paint(f'{sign} {cut(text, size)}', colour)}")

    def _view(self, path: str, before: AgentView, after: AgentView) -> None:
        printer = self.printer
        if printer.json:
            value = view_json(path, before, after)
            if printer.wants(value):
                printer.row(value)
        elif printer.terminal:
            why = f" ({cell(before.reason)})" if before.reason else ""
            then = f"{after.seen:,} of {after.total:,}"
            then += f" ({cell(after.reason)})" if after.reason else ""
            printer.page("")
            printer.page(f"{cell(path)}: the agent sees {before.seen:,} of {before.total:,} rows{why}; then {then}.")


def _action_words(kind: str, detail: str) -> str:
    words = {
        "rename": f"becomes {detail}",
        "chmod": f"gets the mode {detail}",
        "remove": "is removed; its bytes go to quarantine",
        "write-text": f"gets the text {detail}",
        "write-position": f"gets the text {detail}",
    }
    return words[kind]


def _left_words(item: Item) -> str:
    if item.needs:
        return f"left; {item.needs} changes it"
    return "left; nothing is changed for it" if item.finding.repair == "report" else "left as it is"


def _outcome_words(outcome: Outcome) -> str:
    parts = [f"{many(outcome.kept, 'row')} as before", f"{outcome.mended:,} mended"]
    if outcome.quarantined:
        parts.append(f"{outcome.quarantined:,} to quarantine")
    if outcome.bytes_removed:
        parts.append(f"{many(outcome.bytes_removed, 'byte')} taken out")
    return ", ".join(parts)
