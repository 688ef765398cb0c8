"""The text of memory files: what is in them that does not belong there."""

from __future__ import annotations

from collections.abc import Iterator

from memcli.core.checks.framework import Case, Check, evidence, groups, many, titles

CHECK = "memory"
LOOKED = "memory files"
CODES: tuple[str, ...] = ()
KINDS = ("memory",)


def look(case: Case) -> Iterator[Check]:
    """A line for each way to mend them."""
    for group in groups(case.told[CHECK]):
        message = f"{many(len(group.paths), 'memory file')}: {titles(group.findings)} ({group.codes})"
        command = case.command("lint", *(group.paths if len(group.paths) == 1 else ()))
        yield Check(CHECK, group.state, message, len(group.findings), command, evidence(case, group.findings))
