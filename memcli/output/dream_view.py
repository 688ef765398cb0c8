"""How a Dream looks: what was read, what it added and where from, what it left out and why; and how things stand with it."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import Any

from memcli.core.causes.framework import command
from memcli.core.dream.running import Dreamt
from memcli.core.dream.status import Status, as_json
from memcli.core.provenance import Origins, item_json, origins
from memcli.model import Item
from memcli.output import BOLD, DIM, GREEN, RED, YELLOW, Printer, passage_view, say, undo_view
from memcli.output.columns import Column
from memcli.output.safe_text import cell
from memcli.output.words import duration, many
from memcli.storage import run_log
from memcli.storage.passages import between

QUIET = frozenset({"nothing", "not-due"})
"""Outcomes of which a run that is to be silent says nothing."""


class View:
    """Shows batch after batch; `code` is the exit code that all of them together come to."""

    def __init__(self, printer: Printer, *, forgiving: bool) -> None:
        """`forgiving`: a place that is in use is no failure, and what went well is told in the log alone (unless rows of JSON
        are wanted): cron mails every word."""
        self.printer = printer
        self.forgiving = forgiving
        self.code = 0

    def show(self, results: Iterable[Dreamt]) -> int:
        """Show the batches as they come; the exit code."""
        for one in results:
            self._one(one)
        return self.code

    def _one(self, one: Dreamt) -> None:
        printer = self.printer
        _log(one)
        if one.outcome == "error" and one.passing and self.forgiving:
            return  # the next run will find it free
        for row in rows(one):
            if printer.wants(row):
                if printer.json:
                    printer.row(row)
                elif not printer.terminal and not self.forgiving:
                    printer.tabs([_fields(row)])
        if printer.terminal and not printer.json and not self.forgiving:
            self._page(one)
        self._talk(one)

    def _page(self, one: Dreamt) -> None:
        printer, landing = self.printer, one.landing
        if landing is None:
            return
        known = {said.number: said.origin for said in one.said}
        for file in landing.files:
            if one.outcome == "planned":
                passage_view.page(printer, between(file.shown, file.old or b"", file.new))
                continue
            printer.page(printer.paint(cell(file.shown), BOLD))
            for item in file.items:
                printer.page(printer.paint(f"  + {cell(item.text)}", GREEN))
                places = "; ".join(dict.fromkeys(known[s.cursor].shown for s in item.sources if s.cursor in known))
                printer.page(printer.paint(f"    {item.category}, {item.layer}; from {cell(places)}", DIM))
        for item, path, line in landing.conflicts:
            printer.page(printer.paint(f"  ! {cell(item.text)}", YELLOW))
            printer.page(printer.paint(f"    contradicts {cell(path)}:{line}; it was not added", DIM))
        for item, why in landing.refused:
            printer.page(printer.paint(f"  x {cell(item.category)} left out: {cell(why)}", RED))

    def _talk(self, one: Dreamt) -> None:
        printer = self.printer
        for sentence in one.notes:
            printer.note(sentence)
        if one.outcome == "error":
            say(f"memcli: {one.why}")
            self.code = max(self.code, one.code)
        elif one.outcome in ("failed", "set-aside"):
            say(f"memcli: {one.why}")
            after = (
                "the batch was set aside; 'memcli dream --status' lists it"
                if one.outcome == "set-aside"
                else ("nothing was changed, and the next unattended run waits a while")
            )
            say(f"memcli: {one.place.shown}: {after}.")
            self.code = max(self.code, 3)
        elif one.outcome == "nothing":
            # only --consolidate asks a provider and has nothing to show for it
            printer.note(f"{one.why}." if one.provider else f"{one.place.shown}: nothing waits for Dream.")
        elif one.outcome == "not-due":
            printer.note(f"{one.place.shown}: not due: {one.why}.")
        else:
            self._summary(one)

    def _summary(self, one: Dreamt) -> None:
        printer, landing = self.printer, one.landing
        assert landing is not None
        maker = f"{one.provider} {one.model}".strip()
        if one.made is None:  # --consolidate, which reads no entries
            verb = "would be proposed" if one.outcome == "planned" else "is proposed"
            for file in landing.files:
                size = f"{len(file.new):,} bytes instead of {len(file.old or b''):,}"
                printer.note(f"{file.shown}: a shorter text {verb} with {maker}, {size}.")
            self._onwards(one)
            return
        if not one.said:
            printer.note(
                f"{one.place.shown}: what waited says nothing; Dream's position moves behind it ({one.made.moved})."
            )
            self._onwards(one)
            return
        added = sum(len(file.items) for file in landing.files)
        verb = {"planned": "would be added", "proposed": "proposed", "dreamt": "added"}[one.outcome]
        parts = [f"{added:,} {verb}"]
        if landing.known:
            parts.append(f"{len(landing.known):,} known already")
        if landing.conflicts:
            parts.append(many(len(landing.conflicts), "conflict"))
        if landing.refused:
            parts.append(f"{len(landing.refused):,} left out")
        checked = "" if one.extracted is None or one.extracted.verified else ", unverified"
        left = f"; {many(one.left, 'entry', 'entries')} still wait" if one.left > 0 else ""
        printer.note(
            f"{one.place.shown}: read {many(len(one.said), 'entry', 'entries')} with {maker}{checked}: {', '.join(parts)}{left}."
        )
        self._onwards(one)

    def _onwards(self, one: Dreamt) -> None:
        """The commands that go on from there."""
        printer = self.printer
        if one.proposal is not None:
            id = one.proposal.id
            if one.outcome == "dreamt":
                printer.note(f"{many(len(one.proposal.ids), 'item')} could not be verified, and went into the inbox.")
            printer.note(f"Review: {command(one.place.workspace, 'proposals', 'show', id)}")
            printer.note(f"Write it: {command(one.place.workspace, 'proposals', 'approve', id)}")
        if one.landed is not None:
            undo_view.undo(printer, one.place.workspace, one.landed.record)


def _log(one: Dreamt) -> None:
    """What the log of unattended runs keeps of a batch."""
    if one.outcome in QUIET:
        return
    counts = {} if one.landing is None else {"added": sum(len(file.items) for file in one.landing.files)}
    commits = [made.id for made in (one.landed.record.commits if one.landed else ()) if made.id]
    why = f"{one.place.shown}: {one.why}" if one.why else ""
    more = {"commit": commits[-1]} if commits else {}
    if one.notes and one.extracted is not None and not one.extracted.verified:
        more["notes"] = " ".join(one.notes)[:2000]
    run_log.note(outcome=one.outcome, read=len(one.said), provider=one.provider, why=why, **counts, **more)


def rows(one: Dreamt) -> list[dict[str, Any]]:
    """The documented JSON objects of one batch: the batch, then its items."""
    if one.outcome in QUIET:
        return []
    landing, landed = one.landing, one.landed
    known = origins(one.made.about()) if one.made else {}
    found: list[dict[str, Any]] = []
    files = landing.files if landing else ()
    state = {"planned": "planned", "proposed": "proposed"}.get(one.outcome, "added")
    for file in files:
        for item, line in zip(file.items, file.lines, strict=False):
            found.append({**_item(item, known), "state": state, "path": file.shown, "line": line})
    for item, line in landing.known if landing else ():
        found.append({**_item(item, known), "state": "known", "line": line})
    for item, path, number in landing.conflicts if landing else ():
        found.append({**_item(item, known), "state": "conflict", "path": path, "line_number": number})
    refused = [
        {"type": "item", "state": "refused", "category": i.category, "layer": i.layer, "why": why}
        for i, why in (landing.refused if landing else ())
    ]
    batch = {
        "type": "dream",
        "outcome": one.outcome,
        "agent": one.place.workspace.agent,
        "workspace": one.place.workspace.shown or one.place.workspace.root,
        "source": one.place.source,
        "place": one.place.name,
        "user": one.place.user or None,
        "entries": len(one.said),
        "left": one.left,
        "moved": one.made.moved if one.made else None,
        "provider": one.provider or None,
        "model": one.model or None,
        "verified": one.extracted.verified if one.extracted else None,
        "spent": one.extracted.spent if one.extracted else None,
        "operation": landed.record.id if landed and landed.record.changes else None,
        "commits": [
            {"repository": made.folder, "commit": made.id or None, "why": made.why or None}
            for made in (landed.record.commits if landed else ())
        ],
        "proposal": one.proposal.id if one.proposal else None,
        "why": one.why or None,
    }
    return [batch, *found, *refused]


def status(printer: Printer, found: Sequence[Status]) -> None:
    """Write how things stand with each place."""
    columns = [
        Column("PLACE", least=12, front=True),
        Column("WAIT", right=True),
        Column("CHARS", right=True, drop=3),
        Column("LAST", least=8, drop=2),
        Column("DUE", least=3),
        Column("WHY", least=16, drop=4),
    ]
    now = time.time()

    def ago(one: Status) -> str:
        return "never" if one.last is None else f"{duration(max(0, now - one.last))} ago"

    def why(one: Status) -> str:
        return one.fails or one.due.why

    printer.rows(
        columns,
        found,
        cells=lambda one: [
            one.place.shown,
            str(one.entries),
            str(one.characters),
            ago(one),
            _yes(one.due.now),
            why(one),
        ],
        fields=lambda one: [
            one.place.source,
            one.place.name,
            str(one.entries),
            str(one.characters),
            str(as_json(one)["last"] or ""),
            _yes(one.due.now),
            why(one),
        ],
        as_json=as_json,
    )
    for sentence in dict.fromkeys(one.triggers.sentence for one in found):
        printer.note(sentence)
    for one in found:
        for sentence in one.notes:
            printer.note(sentence)
        if one.dreams:
            printer.note(f"{one.place.shown}: the agent's own Dream: {one.dreams.why}.")
        for each in one.aside:
            printer.note(f"Set aside at {each.time}: {each.entries} entries from {each.first} on: {each.why}")


def _item(item: Item, known: Origins) -> dict[str, Any]:
    return {"type": "item", **item_json(item, known)}


def _fields(row: dict[str, Any]) -> list[str]:
    if row["type"] == "dream":
        commits = ",".join(one["commit"] or "" for one in row["commits"])
        values = (row["outcome"], row["place"], row["entries"], row["left"], row["provider"], row["operation"], commits)
        return ["dream", *("" if value is None else str(value) for value in values)]
    place = row.get("path") or ""
    return ["item", row["state"], row["layer"], row["category"], place, row.get("text") or row.get("why") or ""]


def _yes(value: bool) -> str:
    return "yes" if value else "no"
