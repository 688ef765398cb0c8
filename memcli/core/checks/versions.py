"""Whether the agent's memory is versioned: the repository is there, git can use it, and the text is in it."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from memcli.core.checks.framework import Case, Check, Group, evidence, groups, many

CHECK = "versions"
LOOKED = "the versions of memory files"
CODES = ("memory-not-versioned", "memory-nested-repo", "memory-dirty")
KINDS: tuple[str, ...] = ()
WORDS = {
    "memory-not-versioned": (
        "memory folder keeps no versions of its text",
        "memory folders keep no versions of their text",
    ),
    "memory-nested-repo": ("repository lies inside the memory's own", "repositories lie inside the memory's own"),
    "memory-dirty": ("memory file is in no commit as it is now", "memory files are in no commit as they are now"),
}


def look(case: Case) -> Iterator[Check]:
    """A line for each of them, and for each severity."""
    for code in CODES:
        for state in ("error", "warning", "info"):
            found = [one for one in case.told[CHECK] if (one.code, one.severity) == (code, state)]
            for group in groups(found):
                message = many(len(group.paths), *WORDS[code])
                yield Check(CHECK, state, message, len(group.paths), _showing(group), evidence(case, found))


def _showing(group: Group) -> str:
    """What git itself says there; it changes nothing."""
    first = group.findings[0]
    if first.code == "memory-dirty":
        return shlex.join(["git", "-C", first.data["repository"], "diff", "HEAD", "--", first.path])
    if first.code == "memory-nested-repo":
        return shlex.join(["git", "-C", first.path, "status"])
    return shlex.join(["git", "-C", first.path, "rev-parse", "--show-toplevel"])
