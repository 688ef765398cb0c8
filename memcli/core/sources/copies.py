"""Which session files are second copies that a sync tool, a file manager or an editor made of others."""

from __future__ import annotations

import os
from collections.abc import Iterable

from memcli.core import listing
from memcli.formats import load
from memcli.formats.copies import original_of
from memcli.model import Workspace


def copies(workspace: Workspace, paths: Iterable[str]) -> dict[str, str]:
    """The copies among `paths`: path -> path of the file that it is a copy of, which need not exist any more.

    A file that the agent itself would call so is a chat of its own, whatever its name looks like.
    """
    form = load(workspace.agent)
    names: dict[str, set[str]] = {}
    found = {}
    for path in paths:
        folder, name = os.path.split(path)
        if folder not in names:
            names[folder] = _names(folder)
        original = original_of(name, names[folder])
        if original is None:
            continue
        key = listing.header_key(form, path)
        if key is None or form.layout.name_of(key, workspace.era) != name:
            found[path] = os.path.join(folder, original)
    return found


def _names(folder: str) -> set[str]:
    try:
        return set(os.listdir(folder))
    except OSError:
        return set()
