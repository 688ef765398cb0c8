"""How a schedule looks: one text that says what goes where, or a row for each part of it."""

from __future__ import annotations

from typing import Any

from memcli.core import scheduling
from memcli.core.scheduling import CRONTAB, MINUTES, NAME, SERVICE, UNITS, Part, Plan
from memcli.output import Printer
from memcli.output.safe_text import document

HEADS = {
    CRONTAB: f"# With cron: 'crontab -e', and these lines. They run every {MINUTES} minutes.\n",
    SERVICE: f"""# Or with systemd: these two files in {UNITS}, then
#   systemctl --user daemon-reload && systemctl --user enable --now {NAME}.timer
#   loginctl enable-linger     # goes on while nobody is logged in

""",
}


def write(printer: Printer, made: Plan) -> None:
    """Write the crontab and the units."""
    for part in scheduling.parts(made):
        if not printer.wants(_row(part)):
            continue
        if printer.json:
            printer.row(_row(part))
            continue
        name = f"# {part.path}\n" if part.path else ""
        printer.page(document(HEADS.get(part.kind, "") + name + part.text))
    for sentence in scheduling.notes(made):
        printer.note(sentence)
    printer.note("What each run did: memcli state log; what is wrong: memcli doctor.")


def _row(part: Part) -> dict[str, Any]:
    """The documented JSON object."""
    return {"type": "schedule", "kind": part.kind, "path": part.path or None, "text": part.text}
