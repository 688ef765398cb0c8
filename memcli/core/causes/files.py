"""Which file of a workspace a session is in, with as few headers read as that takes."""

from __future__ import annotations

import os
from functools import cached_property

from memcli.core import listing
from memcli.core.sources.copies import copies
from memcli.formats import load
from memcli.model import SessionRef, Workspace


class Files:
    """The sessions of one workspace, by key: the key is the header's where there is one, else the one that the name tells.

    Of several files with one key it is the one that the agent itself would open, then one that is no copy, then the newest.
    """

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self._form = load(workspace.agent)

    def find(self, key: str, headers: bool = True) -> SessionRef | None:
        """The session with this key, None where no file has it. Without `headers` only files count whose name tells it."""
        path = self._named_so(key) or (self._headed.get(key) if headers else None)
        return SessionRef(self.workspace.agent, key, path, self._shown(path), self.workspace) if path else None

    def _named_so(self, key: str) -> str | None:
        name = self._form.layout.name_of(key, self.workspace.era)
        paths = self._by_name.get(key, [])
        for path in sorted(paths, key=lambda path: (os.path.basename(path) != name, path)):
            if listing.header_key(self._form, path) in (None, key):
                return path
        return None

    @cached_property
    def _by_name(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for path in self._paths:
            found.setdefault(self._form.layout.key_of(self.workspace, path), []).append(path)
        return found

    @cached_property
    def _headed(self) -> dict[str, str]:
        """Key of the header -> file, from reading every header."""
        twice = copies(self.workspace, self._paths)
        return {
            key: path
            for path in sorted(self._paths, key=lambda path: (path not in twice, _changed(path)))
            if (key := listing.header_key(self._form, path))
        }

    @cached_property
    def _paths(self) -> list[str]:
        return sorted(listing.paths(self.workspace))

    def _shown(self, path: str) -> str:
        return listing.shown(self.workspace, path)


def _changed(path: str) -> float:
    try:
        return os.stat(path).st_mtime
    except OSError:
        return 0.0
