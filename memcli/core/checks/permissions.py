"""Files that others can read, and files that are no plain files."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from memcli.core.checks.framework import SHOWN, Case, Check, evidence, groups, many, repair_words

CHECK = "permissions"
LOOKED = "permissions"
CODES = ("odd-file", "world-readable")
KINDS: tuple[str, ...] = ()


def look(case: Case) -> Iterator[Check]:
    """A line for each of the two classes."""
    for group in groups(case.told[CHECK]):
        words = repair_words(group)
        if words:
            number = sum(finding.data.get("files", 1) for finding in group.findings)
            what = f"{many(number, 'file')} can be read by other users of this machine"
            command = case.command(*words)
        else:
            what = f"{many(len(group.paths), 'file')} {'is' if len(group.paths) == 1 else 'are'} not a plain file of your own"
            command = shlex.join(["ls", "-ld", "--", *group.paths[:SHOWN]])
        yield Check(CHECK, group.state, what, len(group.paths), command, evidence(case, group.findings))
