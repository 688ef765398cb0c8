"""How the inbox looks: what is proposed, one proposal with its items, and what became of it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Any

from memcli.core import reviewing
from memcli.core.causes.framework import command
from memcli.core.inbox import APPROVED, EDITS, OPEN, Damaged, Proposal
from memcli.core.landing import Landing
from memcli.core.proposing import Decided, Found
from memcli.core.provenance import item_json, origins
from memcli.core.tidying import Proposed
from memcli.model import Item
from memcli.output import BOLD, CYAN, DIM, GREEN, RED, YELLOW, Printer, passage_view, say, undo_view
from memcli.output.columns import Column
from memcli.output.safe_text import cell, pasted
from memcli.output.words import many
from memcli.storage.passages import between

_COLOURS = {OPEN: YELLOW, APPROVED: GREEN}


def proposal_json(one: Found) -> dict[str, Any]:
    """The documented JSON object of a proposal."""
    proposal = one.proposal
    return {
        "type": "proposal",
        "id": proposal.id,
        "kind": proposal.kind,
        "what": proposal.what,
        "status": proposal.status,
        "time": proposal.time,
        "provider": proposal.provider or None,
        "prompt": proposal.prompt or None,
        "user": proposal.user or None,
        "items": len(proposal.ids),
        "open": len(proposal.open),
        "files": _files(proposal),
        "agent": one.workspace.agent,
        "workspace": one.workspace.shown or one.workspace.root,
    }


def ls(printer: Printer, found: Iterable[Found | Damaged], *, every: bool) -> int:
    """Write the proposals, the open ones unless `every`; the exit code: 3 where a file is damaged."""
    kept = list(found)
    rows = [one for one in kept if isinstance(one, Found) and (every or one.proposal.status == OPEN)]
    several = len({one.workspace.root for one in rows}) > 1
    columns = [
        Column("ID", least=3),
        *([Column("STATUS", least=8)] if every else []),
        Column("TIME", least=16, drop=2),
        Column("BY", least=6, drop=1),
        Column("OPEN", right=True, least=4),
        *([Column("WORKSPACE", least=12, drop=3, front=True)] if several else []),
        Column("ABOUT", least=20),
    ]

    def cells(one: Found) -> list[str]:
        proposal = one.proposal
        return [
            proposal.id,
            *([proposal.status] if every else []),
            proposal.time[:16].replace("T", " "),
            proposal.what,
            f"{len(proposal.open)}/{len(proposal.ids)}",
            *([one.workspace.shown or one.workspace.root] if several else []),
            _about(proposal),
        ]

    def fields(one: Found) -> list[str]:
        proposal = one.proposal
        numbers = (str(len(proposal.open)), str(len(proposal.ids)))
        place = one.workspace.shown or one.workspace.root
        by = (proposal.provider, proposal.user)
        return [proposal.id, proposal.status, proposal.what, proposal.time, *numbers, *by, place, _about(proposal)]

    count = printer.rows(columns, rows, cells=cells, fields=fields, as_json=proposal_json)
    if not count:
        printer.note("Nothing is proposed." if every or not any(isinstance(one, Found) for one in kept) else _NONE)
    return _damaged(kept)


def show(printer: Printer, one: Found) -> None:
    """Write a proposal with all its items."""
    if printer.json or printer.keep is not None:
        rows = [row for row in (proposal_json(one), *_item_rows(one)) if printer.wants(row)]
        if printer.json:
            for row in rows:
                printer.row(row)
            return
        if not rows:
            return
    proposal = one.proposal
    by = f", by {proposal.provider}" if proposal.provider else ""
    user = f", for {proposal.user}" if proposal.user else ""
    place = one.workspace.shown or one.workspace.root
    printer.page(
        printer.paint(proposal.id, BOLD)
        + printer.paint(f"  {cell(f'{proposal.what}, {proposal.status}, {proposal.time}{by}{user}, {place}')}", DIM)
    )
    if proposal.kind == EDITS:
        _show_edits(printer, one)
    else:
        _show_items(printer, proposal)
    if proposal.open:
        for what, verb in (("Write it", "approve"), ("Set it aside", "reject")):
            printer.note(f"{what}: {pasted(command(one.workspace, 'proposals', verb, proposal.id))}")


def proposed(printer: Printer, found: Sequence[Proposed], fix: str) -> int:
    """Write what a fix proposes, and the commands that go on from there; the exit code: 3 where a file was passed over."""
    rows = [Found(one.workspace, one.proposal) for one in found if one.proposal]
    if rows:
        ls(printer, rows, every=False)
    for sentence in [note for one in found for note in one.notes]:
        say(f"memcli: {sentence}")
    for one in found:
        place = one.workspace.shown or one.workspace.root
        if one.proposal is None:
            printer.note(f"{place}: {_NOTHING[fix]} Nothing was changed.")
            continue
        id, count = one.proposal.id, len(one.proposal.open)
        what = _FOUND[fix].format(many(count, *_NOUNS[fix]))
        printer.note(f"{place}: {id} {'already ' if one.old else ''}proposes to {what}; the memory was not touched.")
        printer.note(f"Review: {command(one.workspace, 'proposals', 'show', id)}")
        printer.note(f"Write it: {command(one.workspace, 'proposals', 'approve', id)}")
    return 3 if any(one.notes for one in found) else 0


def planned(printer: Printer, one: Found, landing: Landing, ids: Sequence[str]) -> int:
    """Write what approving would do; the exit code."""
    _landing(printer, one.proposal, landing, "planned")
    decision = {"type": "decision", "proposal": one.proposal.id, "status": "planned", "items": list(ids)}
    _decision(printer, {**decision, "open": one.proposal.open, "operation": None, "commits": [], "because": None})
    if not landing.files and (landing.conflicts or landing.refused):
        return 1
    printer.note("Nothing was changed.")
    return 0


def approved(printer: Printer, done: Decided) -> int:
    """Write what was landed and what stays open; the exit code: 1 where nothing could be landed."""
    landed = done.landed
    assert landed is not None
    _landing(printer, done.before, landed.landing, "added")
    record = landed.record
    commits = [
        {"repository": made.folder, "commit": made.id or None, "why": made.why or None} for made in record.commits
    ]
    _decision(printer, {**_decided_json(done, APPROVED), "commits": commits})
    if not done.ids:
        say(f"memcli: Nothing of {done.before.id} could be landed; it stays open.")
        return 1
    printer.note(f"Approved: {_items(done)} of {done.before.id}{_rest(done)}.")
    undo_view.undo(printer, done.workspace, record)
    return 0


def rejected(printer: Printer, done: Decided) -> None:
    """Write what was set aside."""
    _decision(printer, {**_decided_json(done, "rejected"), "commits": []})
    printer.note(
        f"Rejected: {_items(done)} of {done.before.id}{_rest(done)}; 'memcli proposals ls --all' still lists it."
    )
    printer.note(f"Undo: memcli undo {done.operation}")


_NOTHING = {
    "duplicates": "no fact is said twice that could be said once.",
    "archived": "no summary repeats an earlier one.",
}
_NOUNS = {"duplicates": ("fact", "facts"), "archived": ("chat", "chats")}
_FOUND = {"duplicates": "say {} only once", "archived": "merge the summaries of {}"}
_NONE = "Nothing is open; --all lists what was decided on."


def _landing(printer: Printer, proposal: Proposal, landing: Landing, state: str) -> None:
    """What is written, and what is not and why."""
    passages = [passage for file in landing.files for passage in between(file.shown, file.old or b"", file.new)]
    if printer.json:
        rows = [passage_view.as_json(one) for one in passages]
        rows += _landing_rows(proposal, landing, state)
        for row in rows:
            if printer.wants(row):
                printer.row(row)
    else:
        passage_view.page(printer, [one for one in passages if printer.wants(passage_view.as_json(one))])
    for item, line in landing.known:
        printer.note(f"Known already: {item.text} ({line.strip()})")
    for item, path, number in landing.conflicts:
        printer.note(f"Contradicts {path}:{number}, and stays open: {item.text}")
    for item, why in landing.refused:
        printer.note(f"Must not be kept, and stays open: a {item.category} ({why})")


def _landing_rows(proposal: Proposal, landing: Landing, state: str) -> Iterable[dict[str, Any]]:
    def row(item: Item, **more: Any) -> dict[str, Any]:
        id = next((one.id for one in proposal.items if one.item == item), None)
        return {
            "type": "item",
            "proposal": proposal.id,
            "id": id,
            **item_json(item, origins(proposal.about)),
            **more,
        }

    for file in landing.files:
        for item, line in zip(file.items, file.lines, strict=False):
            yield row(item, state=state, path=file.shown, line=line)
    for item, line in landing.known:
        yield row(item, state="known", line=line)
    for item, path, number in landing.conflicts:
        yield row(item, state="conflict", path=path, line_number=number)
    for item, why in landing.refused:
        yield {**row(item, state="refused", why=why), "text": None, "sources": []}


def _decided_json(done: Decided, status: str) -> dict[str, Any]:
    last = done.after.decisions[-1] if done.ids else None
    return {
        "type": "decision",
        "proposal": done.before.id,
        "status": status if done.ids else OPEN,
        "items": done.ids,
        "open": done.after.open,
        "operation": done.operation or None,
        "because": last.because if last and status != APPROVED and last.because else None,
    }


def _decision(printer: Printer, row: dict[str, Any]) -> None:
    if printer.json and printer.wants(row):
        printer.row(row)


def _show_items(printer: Printer, proposal: Proposal) -> None:
    known = origins(proposal.about)
    for one in proposal.items:
        value = item_json(one.item, known)
        _head(printer, proposal, one.id, f"{one.item.category}, {one.item.layer}, {one.item.confidence:.2f}")
        expires = f" (until {one.item.expires})" if one.item.expires else ""
        printer.page(f"  {printer.paint(cell(one.item.text) + cell(expires))}")
        for source in value["sources"]:
            printer.page(printer.paint(f"    from {_place(source)}: {cell(source['quote'])}", DIM))


def _show_edits(printer: Printer, one: Found) -> None:
    proposal = one.proposal
    for view in reviewing.views(one):
        whys = [edit.why for edit in proposal.edits if edit.id == view.id and edit.old != edit.new and edit.why]
        _head(printer, proposal, view.id, "; ".join(dict.fromkeys(whys)))
        if not view.fits and view.id in proposal.open:
            printer.page(printer.paint("  the file changed since, and this fits no more", RED))
        passage_view.page(printer, view.passages, indent="  ")


def _head(printer: Printer, proposal: Proposal, id: str, about: str) -> None:
    decision = proposal.decision(id)
    status = decision.status if decision else OPEN
    because = f": {decision.because}" if decision and decision.because else ""
    printer.page(
        printer.paint(id, BOLD, CYAN)
        + " "
        + printer.paint(status, _COLOURS.get(status, RED))
        + printer.paint(cell(f"{because}  {about}" if about else because), DIM)
    )


def _item_rows(one: Found) -> Iterable[dict[str, Any]]:
    proposal = one.proposal
    known = origins(proposal.about)

    def stands(id: str) -> dict[str, Any]:
        decision = proposal.decision(id)
        if decision is None:
            return {"status": OPEN, "decided": None, "because": None, "operation": None}
        about = (decision.time, decision.because or None, decision.operation or None)
        return {"status": decision.status, **dict(zip(("decided", "because", "operation"), about, strict=True))}

    for item in proposal.items:
        yield {"type": "item", "id": item.id, **item_json(item.item, known), "proposal": proposal.id, **stands(item.id)}
    fits = {view.id: view.fits for view in reviewing.views(one)} if proposal.edits else {}
    for edit in proposal.edits:
        if edit.old == edit.new:
            continue
        yield {
            "type": "edit",
            "id": edit.id,
            "proposal": proposal.id,
            "path": edit.path,
            "offset": edit.offset,
            "length": len(edit.old),
            "old": edit.old.decode("utf-8", "replace"),
            "replacement": edit.new.decode("utf-8", "replace"),
            "why": edit.why or None,
            "fits": fits[edit.id],
            **stands(edit.id),
        }


def _damaged(found: Iterable[Found | Damaged]) -> int:
    code = 0
    for one in found:
        if isinstance(one, Damaged):
            say(f"memcli: {one.path} was passed over: {one.why}.")
            code = 3
    return code


def _files(proposal: Proposal) -> list[str]:
    return list(dict.fromkeys(edit.path for edit in proposal.edits))


def _about(proposal: Proposal) -> str:
    """What a proposal is about, in a few words."""
    if proposal.kind == EDITS:
        changes = sum(edit.old != edit.new for edit in proposal.edits)
        names = ", ".join(os.path.basename(path) for path in _files(proposal))
        fix = proposal.about.get("fix")
        return f"{fix}: {many(changes, 'change')} in {names}" if fix else f"{many(changes, 'change')} in {names}"
    first = next((one for one in proposal.items if one.id in proposal.open), proposal.items[0])
    return first.item.text


def _place(source: dict[str, Any]) -> str:
    if "session" in source:
        first, last = source["rows"]
        return cell(
            f"{source['session']} {'row' if first == last else 'rows'} {first}{'' if first == last else f'-{last}'}"
        )
    return cell(f"{source.get('journal', 'the journal')} entry {source['cursor']}")


def _items(done: Decided) -> str:
    ids = done.ids
    if len(ids) == len(done.before.ids):
        return "all items" if len(ids) > 1 else "the one item"
    return f"item {ids[0]}" if len(ids) == 1 else f"items {', '.join(ids)}"


def _rest(done: Decided) -> str:
    left = len(done.after.open)
    return f"; {left:,} {'stays' if left == 1 else 'stay'} open" if left else ""
