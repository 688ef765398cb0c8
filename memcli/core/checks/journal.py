"""The journal that Dream reads, and its cursors."""

from __future__ import annotations

from collections.abc import Iterator

from memcli.core.checks.framework import Case, Check, evidence, groups, many, repair_words, titles

CHECK = "journal"
LOOKED = "the journal and its cursors"
CODES = ("cursor-behind", "cursor-garbage", "cursor-ahead", "duplicate-cursor", "null-cursor", "foreign-cursor")
KINDS = ("journal", "cursor")


def look(case: Case) -> Iterator[Check]:
    """A line for each way to mend what is wrong."""
    for group in groups(case.told[CHECK]):
        words = repair_words(group)
        what = f"{many(len(group.paths), 'file')} of the journal"
        verb = "is" if len(group.paths) == 1 else "are"
        message = f"{what} {verb} damaged ({group.codes})"
        if group.state == "info":
            message = f"{what}: {titles(group.findings)} ({group.codes})"
        command = case.command(*words) if words else case.command("verify")
        yield Check(CHECK, group.state, message, len(group.findings), command, evidence(case, group.findings))
