"""Names of files and folders with the words of users masked: what agents and tools make of a name can still be told from it."""

from __future__ import annotations

import os
import re
from collections.abc import Collection

from memcli.core.masking import Masker
from memcli.formats import load
from memcli.formats.copies import original_of
from memcli.model import Workspace
from memcli.storage.parts import is_part


class Names:
    """Masked names of one workspace's files, for paths relative to a folder. No two files get the same."""

    def __init__(self, masker: Masker, workspace: Workspace) -> None:
        self._masker, self._workspace = masker, workspace
        self._layout = load(workspace.agent).layout

    def path(self, relative: str, siblings: Collection[str]) -> str:
        """The masked path; `siblings` are the names in the file's folder."""
        folder, name = os.path.split(relative)
        folders = [self.folder(part) for part in folder.split(os.sep) if part]
        return os.path.join(*folders, self.file(name, relative, siblings))

    def folder(self, name: str) -> str:
        """The masked name of a folder."""
        return name if name in self._masker.words.files else self._plain(name)

    def file(self, name: str, path: str, siblings: Collection[str]) -> str:
        """The masked name of a file in a folder with the names `siblings`."""
        if name in self._masker.words.files or is_part(name) or _DATED.fullmatch(name):
            return name
        original = original_of(name, siblings)
        if original is not None and original != name:
            return self._copy(name, original, path, siblings)
        for suffix in _SUFFIXES:
            if name.endswith(suffix) and len(name) > len(suffix):
                return self.file(name.removesuffix(suffix), path, siblings) + suffix
        if name.startswith(_ATOMIC):
            return _ATOMIC + self._plain(name.removeprefix(_ATOMIC))
        hidden = _HIDDEN.fullmatch(name)
        if hidden:
            token = self._masker.filler.hexadecimal(hidden[2])
            return f".{self.file(hidden[1], path, siblings)}.{token}"
        key = self._layout.key_of(self._workspace, os.path.join(os.path.dirname(path), name))
        if self._layout.name_of(key, self._workspace.era) == name:
            return self._layout.name_of(self._masker.name(key), self._workspace.era) or name
        return ".".join(part if part in self._masker.words.files else self._plain(part) for part in name.split("."))

    def _copy(self, name: str, original: str, path: str, siblings: Collection[str]) -> str:
        """A copy stays the copy of the same file, made by the same tool."""
        stem, _, extension = original.rpartition(".")
        marker = name[len(stem) : len(name) - len(extension) - 1]
        masked, _, _ = self.file(original, path, siblings).rpartition(".")
        return f"{masked}{self._marker(marker)}.{extension}"

    def _marker(self, marker: str) -> str:
        """What a tool put into the name of a copy, without the names of people and machines in it."""
        inside = _CONFLICT.search(marker)
        if inside:
            rest = re.sub(r"\\d+", lambda digits: self._masker.filler.number(digits[0]), inside["rest"])
            said = self._plain(inside["who"])
            return f"{inside['open']}{said}{inside['what']}{self._words(rest)})"
        synced = _SYNCTHING.fullmatch(marker)
        if synced:
            return synced[1] + "".join(self._masker.name(synced[2]))
        return (
            marker
            if _HARMLESS.fullmatch(marker)
            else "-PC-" + "".join(c for c in self._plain(marker).upper() if c.isalnum())
        )

    def _words(self, text: str) -> str:
        return re.sub(r"[^\\W\\d_]+", lambda word: self._plain(word[0]), text)

    def _plain(self, text: str) -> str:
        if _HASH.fullmatch(text):
            return self._masker.filler.hexadecimal(text)
        return self._masker.name(text)


_ATOMIC = ".atomic_"
_SUFFIXES = (".tmp", ".lock", ".bak", ".checkpoint.json", "~", ".gz")
_DATED = re.compile(r"\d{4}-\d\d-\d\d\.md")
_HASH = re.compile(r"[0-9a-f]{16}|[0-9a-f]{32}")
_HIDDEN = re.compile(r"\.(.+)\.([0-9a-f]{16})")
_CONFLICT = re.compile(
    r"(?P<open> ?\()(?P<who>[^()]*?)(?P<what>(?i:conflicted copy|conflict copy|case conflict|conflicto|en conflit)|"
    r"in Konflikt stehende|冲突|衝突|競合)(?P<rest>[^()]*)\)"
)
_SYNCTHING = re.compile(r"((?:\.sync-conflict-|_conflict-)\d{8}-\d{6}-?)(\w*)")
_HARMLESS = re.compile(
    r" \d{1,3}| ?\(\d{1,3}\)| copy(?: \d+)?| - Copy(?: \(\d+\))?|(?: - | ?)(?:的)?副本(?: ?\d+| ?\(\d+\))?"
)
