"""A memory file judged by every class that looks at its text."""

from __future__ import annotations

import os
from collections.abc import Iterator

from memcli.core import listing
from memcli.damage import modules
from memcli.damage.framework import TextSnapshot
from memcli.formats import effects, load, remembering
from memcli.model import Finding, Workspace
from memcli.storage.lines import MAX_LINE
from memcli.storage.memory_rules import MemoryRules
from memcli.storage.reading import open_regular


def judge(workspace: Workspace, path: str) -> Iterator[Finding]:
    """What is wrong with the memory file at `path`, and what the agent makes of it. Raises CannotRead."""
    table = effects(workspace.agent)
    seen = snapshot(workspace, path)
    for module in modules("text"):
        for finding in module.detect(seen):
            said = finding.effect or table.get(f"memory:{finding.code}", "") or table.get(finding.code, "")
            yield finding._replace(effect=said)


def snapshot(workspace: Workspace, path: str) -> TextSnapshot:
    """The memory file at `path` with what the agent keeps in it. Raises CannotRead when it cannot be opened; of a file of over
    64 MiB only the beginning is read."""
    fd = open_regular(path)
    try:
        raw = os.pread(fd, MAX_LINE, 0)
    finally:
        os.close(fd)
    return TextSnapshot(listing.shown(workspace, path), raw, _rules(workspace, path))


def _rules(workspace: Workspace, path: str) -> MemoryRules | None:
    form = load(workspace.agent)
    files = form.memory.files(workspace) if form.memory else []
    file = next((one for one in files if one.path == path), None)
    return remembering(form.name).memory_rules(workspace, file) if file else None
