"""The git repositories that agents keep memory in: what will lose versions, or stop them from being made."""

from __future__ import annotations

import os
from collections.abc import Iterator

from memcli.damage.framework import Class, VersionState, WorkspaceSnapshot
from memcli.model import Action, Edit, Finding

SCOPE = "workspace"
CLASSES = (
    Class(
        "memory-dirty",
        "memory that is in no commit yet",
        "info",
        "report",
        looks="A memory file is not as the last commit of the agent's repository has it.",
        does="Nothing: edits by hand look so until the agent commits them.",
        lost="Nothing yet; going back to an earlier version would lose the edits.",
    ),
    Class(
        "memory-nested-repo",
        "a repository in the way of the memory's own",
        "warning",
        "report",
        looks="Inside the folder that the agent keeps under git another folder is a repository of its own.",
        does="Nothing.",
        lost="Versions of what lies in the inner folder: the outer repository keeps a pointer only, or cannot commit at all.",
    ),
    Class(
        "memory-not-versioned",
        "memory without versions",
        "warning",
        "report",
        looks="The repository that the agent would keep its memory in is not there, or git cannot read it.",
        does="Nothing.",
        lost="Every earlier state of the memory files, from now on.",
    ),
)
DIRTY, NESTED, NONE = CLASSES


def detect(snapshot: WorkspaceSnapshot) -> Iterator[Finding]:
    """Findings folder by folder."""
    for one in snapshot.versions:
        yield from _missing(one)
        for path in one.changed:
            message = "It is not as the last commit has it: nothing could bring this text back."
            yield DIRTY.finding(path, message, data={"repository": one.folder})
        for path, committed in one.nested:
            if committed:
                message = f"It is a repository of its own: that of {os.path.basename(one.folder)} only points to it."
                yield NESTED.finding(path, message, severity="info", data={"repository": one.folder})
            else:
                message = "It is a repository without a commit: git can add nothing to the one around it."
                yield NESTED.finding(path, message, severity="error", data={"repository": one.folder})


def mend(snapshot: WorkspaceSnapshot, finding: Finding) -> list[Edit | Action]:
    """Nothing is changed: git has commands of its own."""
    return []


def _missing(one: VersionState) -> Iterator[Finding]:
    data = {"around": one.around or None}
    if one.state == "broken":
        message = f"Its repository cannot be read: {one.why}."
        if one.around:
            message += f" A git that looks for it further up takes that of {one.around} instead."
        yield NONE.finding(one.folder, message, severity="error", data=data)
    elif one.state == "none" and one.expected:
        if one.around:
            message = f"It lies in another repository, {one.around}: the agent makes none of its own then."
            yield NONE.finding(one.folder, message, data=data)
        else:
            message = "It has no repository of its own: the agent brings no earlier state of the memory back."
            yield NONE.finding(one.folder, message, severity="info", data=data)
