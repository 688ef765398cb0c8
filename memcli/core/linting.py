"""Memory files judged: what stands in them twice, or should not, and what the versions of them lack."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence

from memcli.core import holding, repositories, texts
from memcli.core.memory_places import memory_files
from memcli.core.naming import shown
from memcli.core.verifying import SEVERITIES, Summary
from memcli.damage import modules
from memcli.damage.framework import WorkspaceSnapshot
from memcli.errors import CannotRead, UsageError
from memcli.formats import effects
from memcli.model import Finding, Workspace

OWN = "memory-"
"""How the codes begin of classes that are about memory alone."""


def lint(workspaces: Sequence[Workspace], file: str = "") -> Iterator[Finding | Summary]:
    """What is wrong with the memory files, or with the one that `file` means (a path, or the end of one), then with the versions
    of them; a Summary at the end. Raises UsageError for a file that there is not."""
    pairs = files(workspaces, file)
    judged = findings = 0
    unchecked: list[str] = []
    worst = len(SEVERITIES)
    for workspace, path in pairs:
        judged += 1
        try:
            for finding in texts.judge(workspace, path):
                findings, worst = findings + 1, min(worst, SEVERITIES.index(finding.severity))
                yield finding
        except CannotRead as error:
            unchecked.append(f"{shown(workspace, path)}: {error.facts['why']}")
    failed = bool(unchecked)
    named = {shown(workspace, path) for workspace, path in pairs} if file else None
    for workspace in {id(workspace): workspace for workspace, _ in pairs}.values():
        snapshot = _snapshot(workspace)
        unchecked += repositories.unread(snapshot.versions)
        table = effects(workspace.agent)
        for module in modules("workspace"):
            if not any(one.code.startswith(OWN) for one in module.CLASSES):
                continue
            for finding in module.detect(snapshot):
                place = shown(workspace, finding.path)
                if finding.code.startswith(OWN) and (named is None or place in named):
                    findings, worst = findings + 1, min(worst, SEVERITIES.index(finding.severity))
                    yield finding._replace(path=place, effect=finding.effect or table.get(finding.code, ""))
    name = SEVERITIES[worst] if worst < len(SEVERITIES) else ""
    yield Summary(judged, 0, findings, 0, tuple(dict.fromkeys(unchecked)), failed, name)


def files(workspaces: Sequence[Workspace], file: str) -> list[tuple[Workspace, str]]:
    """The memory files that there are, each with its workspace, or the one that `file` means. Raises UsageError where none is."""
    every = [(workspace, memory.path) for workspace in workspaces for memory in memory_files(workspace)]
    there = [pair for pair in every if os.path.lexists(pair[1])]
    if not file:
        return there
    path = os.path.realpath(os.path.expanduser(file))
    exact = [pair for pair in there if os.path.realpath(pair[1]) == path or shown(*pair) == file]
    end = file.casefold().strip("/")
    found = exact or [pair for pair in there if f"/{shown(*pair)}".casefold().endswith(f"/{end}")]
    if not found:
        raise UsageError(
            f"{file!r} is no memory file; there are {', '.join(shown(*pair) for pair in there[:8]) or 'none'}."
        )
    return found


def _snapshot(workspace: Workspace) -> WorkspaceSnapshot:
    """As much of a workspace as the classes about memory look at: its versions, and who locks them."""
    return WorkspaceSnapshot(
        workspace,
        files=(),
        sessions=(),
        journals=(),
        copies=(),
        temporaries=(),
        locks=holding.held(workspace),
        read=lambda path, limit: b"",
        screen=lambda path: None,
        now=time.time(),
        versions=repositories.states(workspace),
    )
