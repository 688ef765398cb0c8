"""How findings look: a page grouped by file on a terminal, columns in a pipe, documented rows with --json."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from memcli.core.verifying import SEVERITIES, Summary
from memcli.model import Finding
from memcli.output import BOLD, CYAN, DIM, GREEN, RED, YELLOW, Printer
from memcli.output.safe_text import cell
from memcli.output.words import many

INDENT = "          "
COLOURS = {"error": RED, "warning": YELLOW, "info": CYAN}
REPAIRS = {
    "safe": "repair --apply mends it",
    "lossy": "repair --apply --lossy moves it to quarantine",
    "report": "nothing is changed for it",
}


def as_json(finding: Finding) -> dict[str, Any]:
    """The documented JSON object of one finding."""
    value: dict[str, Any] = {
        "type": "finding",
        "path": finding.path,
        "line": finding.line,
        "row": finding.row,
        "offset": finding.offset,
        "length": finding.length,
        "code": finding.code,
        "severity": finding.severity,
        "repair": finding.repair,
        "flag": finding.flag or None,
        "message": finding.message,
        "effect": finding.effect,
    }
    if finding.data:
        value["data"] = dict(finding.data)
    return value


def summary_json(summary: Summary) -> dict[str, Any]:
    """The documented JSON object that ends a verification."""
    return {
        "type": "summary",
        "files": summary.files,
        "records": summary.records,
        "findings": summary.findings,
        "checks": summary.checks,
        "unchecked": list(summary.unchecked),
    }


def report(printer: Printer, items: Iterable[Finding | Summary], fail_on: str) -> int:
    """Write a verification as it goes on; the exit code: 3 for a file that could not be read, 1 for findings from `fail_on`
    on (error, warning, info or never)."""
    view = View(printer)
    failed = False
    for item in items:
        if isinstance(item, Summary):
            view.summary(item)
            failed = item.failed
        else:
            view.finding(item)
    counted = {"error": ("error",), "warning": ("error", "warning"), "info": SEVERITIES, "never": ()}[fail_on]
    return 3 if failed else int(any(severity in counted for severity in view.shown))


class View:
    """Writes findings as they come, then the summary. `shown` counts by severity what --where kept."""

    def __init__(self, printer: Printer) -> None:
        self.printer = printer
        self.shown: dict[str, int] = {}
        self._path = ""

    def finding(self, finding: Finding) -> None:
        """Write one finding."""
        printer = self.printer
        value = as_json(finding)
        if not printer.wants(value):
            return
        self.shown[finding.severity] = self.shown.get(finding.severity, 0) + 1
        if printer.json:
            printer.row(value)
        elif printer.terminal:
            self._page(finding)
        else:
            place = "" if finding.line is None else str(finding.line)
            row = "" if finding.row is None else str(finding.row)
            printer.tabs(
                [
                    [
                        finding.severity,
                        finding.code,
                        finding.path,
                        place,
                        row,
                        finding.repair,
                        finding.message,
                        finding.effect,
                    ]
                ]
            )

    def summary(self, summary: Summary) -> None:
        """Write how much was looked at, what was found, and what was not checked."""
        printer = self.printer
        if printer.json:
            value = summary_json(summary)
            if printer.wants(value):
                printer.row(value)
            return
        if printer.terminal and self._path:
            printer.page("")
        printer.note(_words(summary, self.shown))
        for sentence in summary.unchecked:
            printer.note(f"Not checked: {sentence}.")

    def _page(self, finding: Finding) -> None:
        printer = self.printer
        heading(printer, finding, self._path)
        self._path = finding.path
        colour = GREEN if finding.repair == "safe" else DIM
        printer.page(f"{INDENT}{printer.paint(repair_words(finding), colour)}")


def heading(printer: Printer, finding: Finding, before: str) -> None:
    """What and where a finding is, and its effect; above it the file, unless the finding `before` was in it too."""
    if finding.path != before:
        if before:
            printer.page("")
        printer.page(printer.paint(cell(finding.path), BOLD))
    place = [f"line {finding.line}"] if finding.line is not None else []
    place += [f"row {finding.row}"] if finding.row is not None else []
    severity = printer.paint(f"{finding.severity:<7}", COLOURS[finding.severity])
    where = f" {', '.join(place)}" if place else ""
    printer.page(f"  {severity} {printer.paint(finding.code, BOLD)}{where}")
    printer.page(f"{INDENT}{cell(finding.message)}")
    if finding.effect:
        printer.page(f"{INDENT}{cell(finding.effect)}")


def repair_words(finding: Finding) -> str:
    """What repair does about a finding, in a clause."""
    if finding.repair == "flag":
        return f"repair --apply {finding.flag} changes it"
    return REPAIRS[finding.repair]


def _words(summary: Summary, shown: dict[str, int]) -> str:
    looked = f"{many(summary.files, 'file')}, {many(summary.records, 'row')}"
    parts = [
        many(count, noun)
        for noun, count in (("error", shown.get("error", 0)), ("warning", shown.get("warning", 0)))
        if count
    ]
    if shown.get("info"):
        parts.append(f"{shown['info']:,} for information")
    checks = f" {many(summary.checks, 'checksum')} right." if summary.checks else ""
    return f"{looked}: {', '.join(parts) if parts else 'nothing wrong'}.{checks}"
