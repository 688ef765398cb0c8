"""What interrupted writes and sync tools left beside the files."""

from __future__ import annotations

from collections.abc import Iterator

from memcli.core import listing
from memcli.core.checks.framework import Case, Check, Group, evidence, groups, many, repair_words

CHECK = "leftovers"
LOOKED = "temporary files and conflict copies"
CODES = ("leftover-temp", "conflict-copy")
KINDS = ("leftover",)


def look(case: Case) -> Iterator[Check]:
    """A line for each code and way to mend it."""
    for code in (*CODES, ""):
        found = [one for one in case.told[CHECK] if one.code == code or (not code and one.code not in CODES)]
        for group in groups(found):
            words = repair_words(group)
            command = case.command(*words) if words else _showing(case, group)
            told = evidence(case, group.findings, place_first=True)
            yield Check(CHECK, group.state, _words(code, group), len(group.paths), command, told)


def _words(code: str, group: Group) -> str:
    if code == "conflict-copy":
        copies = many(len(group.paths), "second copy", "second copies")
        if group.repair == "safe":
            return f"{copies} of files, made by a sync tool, from which nothing would be lost"
        return f"{copies} of files that cannot be told from the better one"
    if code == "leftover-temp":
        files = many(len(group.paths), "temporary file")
        return (
            f"{files} may hold rows that the chat lost"
            if group.repair == "flag"
            else f"{files} of {'an interrupted write' if len(group.paths) == 1 else 'interrupted writes'}"
        )
    return f"{many(len(group.paths), 'file')} beside the others: {group.codes}"


def _showing(case: Case, group: Group) -> str:
    """What looks at a copy or a temporary file and at the one that it belongs to."""
    data, path = group.findings[0].data, group.paths[0]
    original, target = data.get("original"), data.get("target")
    if data.get("state") == "fork" and original and original.endswith(".jsonl"):
        return case.about(listing.shown(case.workspace, original), "sessions", "diff", behind=[path])
    other = listing.shown(case.workspace, target) if target else ""
    return case.about(other, "doctor") if other in case.refs else case.command("verify")
