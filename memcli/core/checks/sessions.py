"""Session files that are damaged: what mends them, and what that brings in rows that the agent sees."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from memcli.core.checks.framework import Case, Check, Group, codes, evidence, groups, many, repair_words, titles, total
from memcli.core.wishes import Wishes
from memcli.model import Finding, SessionRef

CHECK = "sessions"
LOOKED = "the sessions and their rows"
CODES = ("trimmed", "id-gap", "overwritten-by-mirror", "hidden-branch")
KINDS = ("session",)
PLANNED = 2 << 20
SHARE = 40
"""Damaged files are planned for, the smallest first, up to PLANNED bytes or one SHARE-th of all there is: planning takes longer
than looking. The rest is told without its rows."""
GONE = ("trimmed", "id-gap", "seal-trimmed")


class Gain(NamedTuple):
    """What repair would bring to some files: rows that there are, that the agent sees now and then, that go to quarantine;
    `unplanned` files were not planned for."""

    rows: int = 0
    seen: int = 0
    then: int = 0
    quarantined: int = 0
    unplanned: int = 0


def look(case: Case) -> Iterator[Check]:
    """A line for each way to mend what is damaged, and one for rows that are gone."""
    findings = case.told[CHECK]
    gone = [one for one in findings if one.code in GONE]
    for group in groups(one for one in findings if one.code not in GONE):
        if group.repair == "info":
            message = f"{many(len(group.paths), 'session')}: {titles(group.findings)} ({group.codes})"
            yield Check(CHECK, "info", message, len(group.paths), _showing(case, group), evidence(case, group.findings))
        else:
            yield _damaged(case, group)
    if gone:
        paths = dict.fromkeys(one.path for one in gone)
        rows = total(gone, "missing")
        amount = f"{many(rows, 'row')} {'is' if rows == 1 else 'are'}" if rows else "rows are"
        message = f"{amount} gone from {many(len(paths), 'session')} ({codes(gone)}); doctor tells where they can be"
        yield Check(CHECK, "info", message, len(paths), case.about(next(iter(paths)), "doctor"), evidence(case, gone))


def gain(case: Case, paths: Sequence[str], *, lossy: bool = False) -> Gain:
    """What `repair` of these sessions would bring."""
    from memcli.core.planning import plan

    refs: list[SessionRef] = []
    used = 0
    most = max(PLANNED, sum(case.sizes[ref.path] for ref in case.refs.values()) // SHARE)
    for ref in sorted((case.refs[path] for path in paths if path in case.refs), key=lambda ref: case.sizes[ref.path]):
        used += case.sizes[ref.path]
        if used <= most or not refs:
            refs.append(ref)
    blueprint = plan(case.workspace, Wishes(lossy=lossy), only=refs, tz=case.tz)
    views = [(before, after) for before, after in blueprint.views.values() if after is not None]
    return Gain(
        sum(before.total for before, _ in views),
        sum(before.seen for before, _ in views),
        sum(after.seen for _, after in views),
        sum(counts.quarantined for counts in blueprint.counts.values()),
        len(set(paths)) - len(refs),
    )


def _damaged(case: Case, group: Group) -> Check:
    words = repair_words(group)
    sessions = many(len(case.refs), "session")
    among = f"{len(group.paths):,} of {sessions}" if len(case.refs) > 1 else many(len(group.paths), "session")
    verb = "is" if len(group.paths) == 1 else "are"
    if group.repair == "safe":
        message = f"{among} {verb} damaged ({group.codes}): {_words(gain(case, group.paths), 'once mended')}"
    elif group.repair == "lossy":
        brought = _words(gain(case, group.paths, lossy=True), "once those lines are in quarantine")
        message = f"{among} {'has' if verb == 'is' else 'have'} lines that cannot be mended ({group.codes}): {brought}"
    else:
        message = f"{among}: {titles(group.findings)} ({group.codes})"
    command = case.command(*words) if words else _showing(case, group)
    return Check(CHECK, group.state, message, len(group.paths), command, evidence(case, group.findings))


def _words(gain: Gain, when: str) -> str:
    if not gain.rows:
        return "the agent loses no row of them"
    words = f"the agent sees {gain.seen:,} of {many(gain.rows, 'row')}"
    if gain.then != gain.seen:
        words += f", {gain.then:,} {when}"
    if gain.quarantined:
        words += f"; {gain.quarantined:,} {'goes' if gain.quarantined == 1 else 'go'} to quarantine"
    if gain.unplanned:
        words += f"; {many(gain.unplanned, 'more file')} not counted"
    return words


def _showing(case: Case, group: Group) -> str:
    """The command that looks into the first file: at the place, or into every layer where rows may be lost."""
    first: Finding = group.findings[0]
    if group.state != "error" and first.row is not None:
        return case.about(first.path, "sessions", "show", behind=["--row", str(first.row), "-C", "2"])
    return case.about(first.path, "doctor")
