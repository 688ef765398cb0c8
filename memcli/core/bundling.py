"""A small masked copy of what is damaged, for a bug report: `verify` finds the same in it, and nobody's words are there."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from memcli import __version__
from memcli.core import bundle_manifest
from memcli.core.bundle_part import LARGEST, Part, place_of
from memcli.core.verifying import Scope, verify
from memcli.errors import NothingFound
from memcli.model import Finding, Workspace
from memcli.storage.scratch import private_folder


class Member(NamedTuple):
    """One file of a bundle: its name in it, and where it lies now."""

    name: str
    path: str


class Bundle(NamedTuple):
    """A bundle as it lies in a private folder. `left_out` are sentences on what it does not hold, `apart` clauses on findings
    that do not show in it or only there, `findings` how many show, `healthy` how many sessions were only counted."""

    folder: str
    members: tuple[Member, ...]
    findings: int
    healthy: int
    files: int
    left_out: tuple[str, ...]
    apart: tuple[str, ...]
    failed: bool = False


def make(scope: Scope, limit: int = LARGEST) -> Bundle:
    """Mask what is damaged in the workspaces, and what lies around it; of `scope.only` those sessions, damaged or not.

    Raises NothingFound when there is nothing that could be put in, CannotRead when the private folder cannot be written.
    """
    into = private_folder()
    made = [Part(number, workspace, scope.only) for number, workspace in enumerate(_workspaces(scope), 1)]
    for part in made:
        limit -= part.choose(limit)
    if not any(part.entries for part in made):
        raise NothingFound(
            "Nothing is damaged, so there is nothing to put into a bundle; name the session that you mean."
        )
    for part in made:
        part.write(into)
    manifest = {
        "type": "bundle",
        "memcli": __version__,
        "workspaces": [part.told() for part in made],
        "entries": [entry for part in made for entry in sorted(part.written, key=_order)],
        "healthy": sum(part.healthy for part in made),
        "left_out": [sentence for part in made for sentence in part.left_out],
    }
    save_manifest(into, manifest)
    apart: list[str] = []
    found: list[dict[str, Any]] = []
    for part, workspace in zip(made, bundle_manifest.workspaces(into, manifest), strict=True):
        masked = [one for one in verify(Scope([workspace._replace(shown=part.shown)])) if isinstance(one, Finding)]
        apart += part.compared(masked)
        found += [_row(one) for one in masked]
    manifest["findings"], manifest["apart"] = found, apart
    save_manifest(into, manifest)
    second = {entry["path"] for part in made for entry in part.written if entry["kind"] == "name"}
    members = tuple(member for member in sorted(_members(into)) if member.name not in second)
    return Bundle(
        into,
        members,
        len(found),
        sum(part.healthy for part in made),
        sum(len(part.entries) for part in made),
        tuple(sentence for part in made for sentence in part.left_out),
        tuple(apart),
        any(part.failed for part in made),
    )


def save_manifest(folder: str, manifest: Mapping[str, Any]) -> None:
    """Write the manifest of a bundle."""
    import json

    with open(os.path.join(folder, bundle_manifest.NAME), "w", encoding="utf-8") as file:
        json.dump(manifest, file, ensure_ascii=False, indent=1)
        file.write("\n")


def _order(entry: Mapping[str, Any]) -> int:
    """Folders are needed before what lies in them, files before the links to them."""
    return ("folder", "file").index(entry["kind"]) if entry["kind"] in ("folder", "file") else 2


def _workspaces(scope: Scope) -> list[Workspace]:
    return list(dict.fromkeys([*scope.workspaces, *(ref.workspace for ref in scope.only)]))


def _members(into: str) -> Iterator[Member]:
    for folder, _, files in os.walk(into):
        for name in files:
            path = os.path.join(folder, name)
            if stat.S_ISREG(os.lstat(path).st_mode):
                yield Member(os.path.relpath(path, into), path)


def _row(one: Finding) -> dict[str, Any]:
    """A finding as the manifest has it: without its sentences, which `verify` says again."""
    members = zip(("code", "severity", "repair", "flag", "line", "row", "offset", "length"), place_of(one), strict=True)
    return {"path": one.path, **{name: value for name, value in members if value not in (None, "")}}
