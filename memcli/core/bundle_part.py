"""One workspace of a bundle: which of its files are put in, under which names, and how each is written masked."""

from __future__ import annotations

import os
import stat
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from memcli.core import bundle_manifest, holding, listing, surroundings
from memcli.core.bundle_repository import remake
from memcli.core.mask_names import Names
from memcli.core.masking import Masker
from memcli.core.surroundings import Place
from memcli.core.verifying import Looked, Scope, verify
from memcli.errors import CannotRead
from memcli.formats import load, vocabulary
from memcli.model import Finding, SessionRef, Workspace
from memcli.storage.reading import open_regular

LARGEST = 4 << 20
"""Bytes of all files together that are masked and put in whole."""
OWN = ("template", "filler")
"""Kinds of lines that the finding memory-placeholder is about and nobody but the agent wrote."""
RELATED = ("other", "original", "home", "target")
"""Members of a finding's data that name another file on which it depends."""


class _Entry(NamedTuple):
    place: Place
    raw: bytes
    status: os.stat_result


class Part:
    """One workspace of a bundle."""

    def __init__(self, number: int, workspace: Workspace, only: Sequence[SessionRef]) -> None:
        self.workspace, self.root = workspace, f"workspace-{number}"
        self.only = {ref.path for ref in only if ref.workspace == workspace}
        self.masker = Masker(vocabulary(workspace.agent))
        self.names = Names(self.masker, workspace)
        self.entries: list[_Entry] = []
        self.healthy = 0
        self.failed = False
        self.left_out: list[str] = []
        self.written: list[dict[str, Any]] = []
        self.findings: list[Finding] = []
        self.chosen: dict[str, str] = {}
        self._looked: list[Looked] = []
        self._siblings: dict[str, list[str]] = {}

    def choose(self, limit: int) -> int:
        """Verify the workspace and take what is damaged and what lies around it; the bytes that it takes."""
        workspace = self.workspace
        found = [one for one in verify(Scope([workspace]), looked=self._looked.append) if isinstance(one, Finding)]
        places = surroundings.places(workspace, list(listing.paths(workspace)))
        locks = [lock.path for lock in holding.locks(workspace) if os.path.lexists(lock.path)]
        places += [Place(path, "lock") for path in locks if all(path != place.path for place in places)]
        folders = (workspace.root, *workspace.sessions, *workspace.memory)
        by_shown = {listing.shown(workspace, path): path for path in (*folders, *(place.path for place in places))}
        damaged = {by_shown.get(one.path, one.path) for one in found}
        for one in found:
            related = (one.data.get(name) for name in RELATED)
            damaged |= {path for path in related if isinstance(path, str) and path}
        journal = load(workspace.agent).journal
        damaged |= {one.path for one in (journal.files(workspace) if journal and not workspace.files else ())}
        damaged |= _alike([by_shown.get(one.path, one.path) for one in found if one.offset is None], places)
        taken = 0
        for place in places:
            if place.kind == "session" and place.path not in (self.only or damaged):
                self.healthy += 1
                continue
            size = _size(place.path)
            if taken + size > limit:
                what = f"a {place.kind} of {size:,} bytes was left out: there is room for {limit - taken:,}"
                self.left_out.append(f"In {self.root} {what}.")
                continue
            entry = self._entry(place)
            if entry is None:
                continue
            taken += len(entry.raw)
            self.entries.append(entry)
        kept = {entry.place.path for entry in self.entries}
        self.findings = [one._replace(path=by_shown.get(one.path, one.path)) for one in found]
        self.findings = [one for one in self.findings if one.path in kept or not os.path.isfile(one.path)]
        return taken

    def write(self, into: str) -> None:
        """Mask and write the files, and note what archives do not keep of them."""
        for entry in self.entries:
            self.masker.learn(entry.raw)
            for text in (*entry.place.path.split(os.sep), self._key(entry.place)):
                self.masker.learn(text.encode("utf-8", "surrogateescape"))
        used: dict[str, str] = {}
        for entry in self.entries:
            name = self.name(entry.place.path)
            while used.setdefault(name, entry.place.path) != entry.place.path:
                folder, base = os.path.split(name)
                name = os.path.join(folder, f"b{base}")
            self.chosen[entry.place.path] = name
        names: dict[tuple[int, int], str] = {}
        inside = [entry for entry in self.entries if _in_git(entry.place.path)]
        for entry in self.entries:
            if entry not in inside:
                self._write(into, entry, names)
        folders = dict.fromkeys(os.path.dirname(path) for path in self.chosen.values())
        original = {os.path.dirname(name): os.path.dirname(path) for path, name in self.chosen.items()}
        for folder in _upwards(folders):
            mode = stat.S_IMODE(os.stat(original[folder]).st_mode) if folder in original else 0o755
            open_to_all = folder not in original or surroundings.reachable(original[folder])
            self._note(into, {"path": folder, "kind": "folder", "mode": f"{mode if open_to_all else 0o700:04o}"})
        if self._looked:
            self.left_out += remake(into, self._looked[0].snapshot.versions, self.name)
            for entry in inside:  # locks of git, which would have kept it out
                self._write(into, entry, names)
            for holder in self._looked[0].snapshot.locks:
                if holder.lock.path in self.chosen:
                    name = self.chosen[holder.lock.path]
                    self._note(into, {"path": name, "kind": "lock", "alive": holder.alive})
            bundle_manifest.restore(into, {"entries": self.written})  # the times that git's files have cost

    @property
    def shown(self) -> str:
        """What findings call the workspace: one file that was named by itself, else the folder."""
        return next((self.chosen[path] for path in self.workspace.files if path in self.chosen), self.root)

    def told(self) -> dict[str, Any]:
        """The workspace as the manifest has it."""
        workspace = self.workspace
        places = {name: [self.folder(path) for path in getattr(workspace, name)] for name in ("sessions", "memory")}
        files = [self.chosen[path] for path in workspace.files if path in self.chosen]
        versions = self._looked[0].snapshot.versions if self._looked else ()
        around = [self.folder(state.folder) for state in versions if state.around]
        return {
            "agent": workspace.agent,
            "era": workspace.era,
            "root": self.root,
            **places,
            "files": files,
            "around": around,
        }

    def compared(self, masked: Sequence[Finding]) -> list[str]:
        """Clauses on the findings that the original and the bundle do not have in common."""
        mine = Counter((self.name(one.path), *place_of(one)) for one in self.findings if "secret" not in one.code)
        its = Counter((one.path, *place_of(one)) for one in masked if "secret" not in one.code)
        gone = [f"{one[1]} of {one[0]} does not show in the bundle" for one in (mine - its).elements()]
        return gone + [f"{one[1]} of {one[0]} shows in the bundle only" for one in (its - mine).elements()]

    def name(self, path: str) -> str:
        """The name in the bundle of a file of the workspace."""
        if path in self.chosen:
            return self.chosen[path]
        if os.path.isdir(path):
            return self.folder(path)
        folder, base = os.path.split(path)
        if folder not in self._siblings:
            self._siblings[folder] = _names(folder)
        return f"{self.folder(folder)}/{self.names.file(base, path, self._siblings[folder])}"

    def folder(self, path: str) -> str:
        """The name in the bundle of a folder of the workspace."""
        workspace = self.workspace
        if path == workspace.root:
            return self.root
        if path.startswith(os.path.join(workspace.root, "")):
            parts = os.path.relpath(path, workspace.root).split(os.sep)
            return "/".join([self.root, *map(self.names.folder, parts)])
        parts = [part for part in path.split(os.sep) if part][-2:]
        return "/".join([f"{self.root}-beside", *map(self.names.folder, parts)])

    def _key(self, place: Place) -> str:
        key = load(self.workspace.agent).layout.key_of(self.workspace, place.path)
        return key.encode("utf-8", "replace").decode()

    def _entry(self, place: Place) -> _Entry | None:
        """A file with its bytes, none for what is no plain file; None for what cannot be read."""
        try:
            status = os.lstat(place.path)
            if not stat.S_ISREG(status.st_mode):
                return _Entry(place, b"", status)
            with os.fdopen(open_regular(place.path), "rb") as file:
                return _Entry(place, file.read(), status)
        except (CannotRead, OSError):
            self.failed = True
            self.left_out.append(f"In {self.root} a {place.kind} cannot be read, and is not in the bundle.")
            return None

    def _write(self, into: str, entry: _Entry, names: dict[tuple[int, int], str]) -> None:
        name, status = self.chosen[entry.place.path], entry.status
        path = os.path.join(into, name)
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        mode = f"{stat.S_IMODE(status.st_mode):04o}"
        if stat.S_ISLNK(status.st_mode):
            self._note(into, {"path": name, "kind": "link", "to": self._target(into, entry)})
            return
        if stat.S_ISFIFO(status.st_mode):
            self._note(into, {"path": name, "kind": "fifo"})
            return
        if stat.S_ISDIR(status.st_mode):
            self._note(into, {"path": name, "kind": "folder", "mode": mode})
            return
        first = names.setdefault((status.st_dev, status.st_ino), name)
        if first != name:
            self._note(into, {"path": name, "kind": "name", "to": first})
            return
        with open(path, "xb") as file:
            file.write(self._masked(entry))
        os.chmod(path, 0o600)
        self._note(into, {"path": name, "kind": "file", "mode": mode, "time": status.st_mtime})
        if status.st_nlink > 1 and sum(one.status.st_ino == status.st_ino for one in self.entries) == 1:
            self._note(into, {"path": f"{self.root}-beside/{self.names.folder(name)}", "kind": "name", "to": name})

    def _masked(self, entry: _Entry) -> bytes:
        path, kind = entry.place
        if _in_git(path):
            return bytes(len(entry.raw))
        if kind == "memory" or path.endswith(".md"):
            return self.masker.prose(entry.raw, self._own_lines(path))
        return self.masker.cursor(entry.raw) if kind == "cursor" else self.masker.rows(entry.raw)

    def _own_lines(self, path: str) -> set[int]:
        """The lines of a memory file that are word for word what the agent puts into a new one, or says for nothing."""
        found = [one.data for one in self.findings if one.path == path and one.data.get("kind") in OWN]
        return {number for data in found for number in data.get("lines", ())}

    def _target(self, into: str, entry: _Entry) -> str:
        """Where a link of the bundle leads: to the same file, else out of the workspace, or nowhere."""
        real = os.path.realpath(entry.place.path)
        inside = next(
            (path for path in self.chosen if os.path.realpath(path) == real and path != entry.place.path), None
        )
        if inside is not None:
            return self.chosen[inside]
        outside = f"{self.root}-beside/elsewhere"
        if os.path.exists(real):
            os.makedirs(os.path.join(into, os.path.dirname(outside)), mode=0o700, exist_ok=True)
            with open(os.path.join(into, outside), "wb") as file:
                file.write(self._elsewhere(real))
            return outside
        return f"{self.root}-beside/nowhere"

    def _elsewhere(self, path: str) -> bytes:
        """The masked beginning of a file outside of the workspace, nothing of what is none."""
        try:
            with os.fdopen(open_regular(path), "rb") as source:
                raw = source.read(LARGEST)
        except (CannotRead, OSError):
            return b""
        self.masker.learn(raw)
        return self.masker.rows(raw)

    def _note(self, into: str, entry: dict[str, Any]) -> None:
        self.written.append(entry)
        bundle_manifest.restore(into, {"entries": [entry]})


def _alike(paths: Sequence[str], places: Sequence[Place]) -> set[str]:
    """Two sessions of each mode in the folders that findings on whole files are about: those compare a file with the others."""
    folders = {path if os.path.isdir(path) else os.path.dirname(path) for path in paths}
    groups: dict[tuple[str, int], list[str]] = {}
    for path, kind in places:
        folder = os.path.dirname(path)
        if kind == "session" and folder in folders and os.path.isfile(path):
            groups.setdefault((folder, stat.S_IMODE(os.lstat(path).st_mode)), []).append(path)
    return {path for group in groups.values() for path in sorted(group, key=_size)[:2]}


def _size(path: str) -> int:
    try:
        status = os.lstat(path)
    except OSError:
        return 0
    return status.st_size if stat.S_ISREG(status.st_mode) else 0


def _in_git(path: str) -> bool:
    return f"{os.sep}.git{os.sep}" in path


def _upwards(folders: Mapping[str, None]) -> list[str]:
    """The folders, and those that they lie in."""
    found: dict[str, None] = {}
    for folder in folders:
        parts = folder.split("/")
        found.update(dict.fromkeys("/".join(parts[: size + 1]) for size in range(len(parts))))
    return list(found)


def place_of(one: Finding) -> tuple[Any, ...]:
    """All of a finding but its file and its words."""
    return one.code, one.severity, one.repair, one.flag, one.line, one.row, one.offset, one.length


def _names(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []
