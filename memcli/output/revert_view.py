"""How a revert looks: what changes on disk, file by file, or the places at which it cannot be told apart from later edits."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import Any

from memcli.core import rewinding
from memcli.core.revert_plan import SHORT, Change, Clash, Plan
from memcli.core.reverting import Reverted
from memcli.output import BOLD, DIM, GREEN, RED, YELLOW, Printer, say
from memcli.output.revision_view import passage, passage_json
from memcli.output.safe_text import cell
from memcli.output.words import many
from memcli.storage.passages import Passage, between


def planned(printer: Printer, plan: Plan, why: str) -> int:
    """Write what would be done; `why` nothing can be committed now, "" when it can."""
    _about(printer, plan)
    if plan.clashes:
        return _clashes(printer, plan)
    _changes(printer, plan, None)
    _talk(printer, plan)
    if why:
        printer.note(f"Nothing can be committed in {plan.repository.shown} now: {why}.")
    printer.note("Nothing was changed (--dry-run).")
    return 0


def done(printer: Printer, reverted: Reverted) -> int:
    """Write what was done; the exit code."""
    plan, record, commit = reverted.plan, reverted.record, reverted.commit
    if reverted.refused:
        for sentence in reverted.refused:
            say(f"memcli: {sentence}")
        return 4
    _about(printer, plan)
    if plan.clashes:
        return _clashes(printer, plan)
    _changes(printer, plan, reverted)
    _talk(printer, plan)
    if record is None or commit is None:
        return 0
    if commit.id:
        printer.note(f"Committed as {commit.id[:SHORT]} in {plan.repository.shown}.")
        rewind = " --rewind-cursor" if plan.rewind and plan.rewind.moves else ""
        where = shlex.quote(plan.repository.workspace.root)
        printer.note(f"Undo: memcli revert {commit.id[:SHORT]}{rewind} -W {where}")
        return 0
    in_place = "The files were changed" if record.changes else "Nothing was changed"
    say(f"memcli: No commit was made in {plan.repository.shown}: {commit.why}. {in_place}.")
    if record.changes:
        printer.note(f"Undo: memcli undo {record.id}")
    return 3


def change_json(plan: Plan, change: Change, reverted: Reverted | None) -> dict[str, Any]:
    """The documented JSON object of one file."""
    target = plan.target.commit.id
    record, commit = (reverted.record, reverted.commit) if reverted else (None, None)
    come, gone = _counts(change)
    return {
        "type": "operation",
        "id": record.id if record else None,
        "commit": (commit.id or None) if commit else None,
        "reverts": None if plan.restores else target,
        "restores": target if plan.restores else None,
        "repository": plan.repository.shown,
        "path": change.file.shown,
        "state": _state(change),
        "added": come,
        "removed": gone,
        "position": plan.rewind.number if plan.rewind else None,
        "applied": record is not None,
    }


def clash_json(clash: Clash) -> dict[str, Any]:
    """The documented JSON object of one conflict."""
    conflict = clash.conflict
    texts = {"found": conflict.found, "left": conflict.left, "restore": conflict.restore}
    return {
        "type": "conflict",
        "path": clash.file.shown,
        "line": conflict.line,
        "committed": clash.committed,
        "moved": conflict.moved,
        **{name: [_text(line) for line in lines] for name, lines in texts.items()},
    }


def _about(printer: Printer, plan: Plan) -> None:
    commit = plan.target.commit
    what = "Back to" if plan.restores else "Reverting"
    printer.note(f"{what} {commit.id[:SHORT]} of {commit.time} in {plan.repository.shown}: {commit.subject}")


def _changes(printer: Printer, plan: Plan, reverted: Reverted | None) -> None:
    """The differences, then a line for each file."""
    for change in plan.changes:
        on_disk = change.new != change.old
        old, new = (change.old, change.new) if on_disk else (change.held, change.kept)
        label = "on disk" if on_disk else "in the last commit"
        names = (label if old is not None else "nothing", "after" if new is not None else "nothing")
        _difference(printer, between(change.file.shown, old or b"", new or b""), names)
    rows = []
    for change in plan.changes:
        value = change_json(plan, change, reverted)
        if not printer.wants(value):
            continue
        if printer.json:
            printer.row(value)
        elif printer.terminal:
            printer.page(f"{cell(change.file.shown)}: {value['state']}, +{value['added']} -{value['removed']}")
        else:
            rows.append(
                [value["commit"] or "", value["state"], str(value["added"]), str(value["removed"]), change.file.shown]
            )
    printer.tabs(rows)


def _difference(printer: Printer, found: Sequence[Passage], names: tuple[str, str]) -> None:
    kept = [(one, value) for one in found if printer.wants(value := passage_json(one, None, None))]
    if printer.json:
        for _, value in kept:
            printer.row(value)
    elif kept:
        for mark, name in zip(("---", "+++"), names, strict=True):
            printer.page(printer.paint(f"{mark} {cell(kept[0][0].path)}\t{name}", BOLD))
        for one, _ in kept:
            passage(printer, one)


def _clashes(printer: Printer, plan: Plan) -> int:
    for clash in plan.clashes:
        value = clash_json(clash)
        if not printer.wants(value):
            continue
        if printer.json:
            printer.row(value)
            continue
        conflict = clash.conflict
        where = " in the last commit" if clash.committed else ""
        what = "moved here since" if conflict.moved else "changed since"
        printer.page(printer.paint(f"{clash.file.shown}:{conflict.line}{where}: {what}", BOLD))
        for title, lines, colour in (
            ("the commit left", conflict.left, RED),
            ("there is now", conflict.found, GREEN),
            ("undoing it would bring back", conflict.restore, YELLOW),
        ):
            if lines and not (conflict.moved and lines is conflict.left):
                printer.page(printer.paint(f"  {title}:", DIM))
                for line in lines:
                    printer.page(printer.paint(f"    {_text(line)}", colour))
    count = len(plan.clashes)
    places = "1 place was" if count == 1 else f"{many(count, 'place')} were"
    printer.note(
        f"{places} edited after {plan.target.commit.id[:SHORT]}, and what is right there cannot be told. Nothing was changed; "
        "edit by hand, or leave a file out with --file."
    )
    return 1


def _talk(printer: Printer, plan: Plan) -> None:
    own = plan.rewind.name if plan.rewind else ""
    others = [name for name in plan.others if not own or name != plan.repository.show(own)]
    if others:
        names = ", ".join(others[:8]) + (f" and {len(others) - 8} more" if len(others) > 8 else "")
        printer.note(
            f"It changed {names} as well, which {'stays as it is' if len(others) == 1 else 'stay as they are'}."
        )
    hand = [change.file.shown for change in plan.by_hand]
    loose = [change.file.shown for change in plan.loose]
    if hand:
        printer.note(f"What was changed by hand in {', '.join(hand)} and in no commit gets one of its own first.")
    if loose:
        printer.note(f"What was changed by hand in {', '.join(loose)} stays, and stays uncommitted.")
    if plan.rewind is not None:
        printer.note(plan.rewind.sentence)
    elif plan.restores:
        printer.note("What was dreamt since stays read; --rewind-cursor sets Dream's position back as well.")
    else:
        printer.note(rewinding.stays(plan.target))


def _counts(change: Change) -> tuple[int, int]:
    """Lines that come and go, on disk."""
    marks = [mark for one in between("", change.old or b"", change.new or b"") for mark, _ in one.lines]
    return marks.count("+"), marks.count("-")


def _state(change: Change) -> str:
    if change.new == change.old:
        return "left"
    return "created" if change.old is None else "removed" if change.new is None else "changed"


def _text(line: bytes) -> str:
    return line.rstrip(b"\r\n").decode("utf-8", "replace")
