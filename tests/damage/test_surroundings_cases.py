"""The classes of files and of workspaces, by data: tests/cases/<class>/<case>/ with case.json, setup.json, findings.json.

setup.json lists what is there: path, and text, hex, symlink, hardlink or fifo; mode (octal, 600) and age in seconds. With
`commit` the path is made a git repository, and the files that are named are committed as they are then.
case.json tells agent, scope, flags, and what repair would do: actions, and `after`, the text of the files it edits. `later`: so
many seconds after the files were made.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from support.machine import Machine
from support.repairs import built
from support.row_cases import about, as_json, cases, is_wanted, rows_of, spliced, told

from memcli.core import listing, surroundings
from memcli.core.discovering import at
from memcli.damage import modules
from memcli.model import Action, Edit, Finding

UP = 10_000_000.0
AROUND = cases("setup.json", "workspace") + cases("setup.json", "file")


def named(folder: Path) -> str:
    return f"{folder.parent.name}/{folder.name}"


class Around:
    """One workspace with everything that its classes found."""

    def __init__(self, root: Path, case: dict[str, Any], flags: list[str]) -> None:
        [workspace] = at(str(root), case["agent"])
        self.root = root
        places = surroundings.places(workspace, list(listing.paths(workspace)))
        seen = []
        for place in places:
            if place.kind == "session" and os.path.isfile(place.path):
                rows = rows_of(Path(place.path), case["agent"], "session", workspace.era)
                seen.append(surroundings.Seen(place.path, rows.header or {}, rows))

        def screen(path: str, kind: str) -> Any:
            return rows_of(Path(path), case["agent"], kind, workspace.era) if os.path.isfile(path) else None

        options = dict.fromkeys((flag.strip("-") for flag in flags), "")
        self.files = [
            file._replace(reachable=case.get("reachable", True), user=case.get("user", file.user))
            for file in surroundings.file_snapshots(workspace, places)
        ]
        whole = surroundings.snapshot(workspace, places, seen, screen, options)
        self.whole = whole._replace(now=whole.now + case.get("later", 0), files=self.files)
        self.found: list[tuple[Finding, list[Edit | Action]]] = []
        for scope, snapshots in (("file", self.files), ("workspace", [self.whole])):
            for snapshot in snapshots:
                for module in modules(scope):
                    for finding in module.detect(snapshot):
                        changes = module.mend(snapshot, finding) if is_wanted_by(finding, flags) else []
                        self.found.append((finding, changes))

    def relative(self, path: str) -> str:
        return os.path.relpath(path, self.root)


def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: dict[str, Any]) -> None:
    """The machine that the case is about, whatever runs on the one that runs the tests."""
    made = Machine(tmp_path / "proc", monkeypatch, up=UP)
    for process, seconds in case.get("runs", {}).items():
        pid, _, name = process.partition(" ")
        made.runs(int(pid), name or "node", started=UP - seconds)


def is_wanted_by(finding: Finding, flags: list[str]) -> bool:
    return is_wanted(finding, flags) or any(flag in flags for flag in finding.flag.split("|"))


@pytest.mark.parametrize("folder", AROUND, ids=named)
def test_what_is_found_around_the_files(folder, tmp_path, monkeypatch):
    machine(tmp_path, monkeypatch, about(folder))
    root = tmp_path / "home"
    built(root, folder)
    around = Around(root, about(folder), [])
    expected = json.loads((folder / "findings.json").read_text("utf-8"))
    findings = [finding._replace(path=around.relative(finding.path)) for finding, _ in around.found]
    assert [one.code for one in findings] == [one["code"] for one in expected]
    assert [told(finding, wish) for finding, wish in zip(findings, expected, strict=True)] == expected
    for finding in findings:
        json.dumps(dict(finding.data))
        assert bool(finding.flag) == (finding.repair == "flag")


@pytest.mark.parametrize("folder", AROUND, ids=named)
def test_what_repair_makes_of_what_is_around(folder, tmp_path, monkeypatch):
    machine(tmp_path, monkeypatch, about(folder))
    root = tmp_path / "home"
    built(root, folder)
    case = about(folder)
    around = Around(root, case, case.get("flags", []))
    changes = [(finding, change) for finding, made in around.found for change in made]
    assert [as_json(change) for _, change in changes if isinstance(change, Action)] == case.get("actions", [])
    after = {}
    for finding, change in changes:
        if isinstance(change, Edit):
            data = Path(finding.path).read_bytes()
            after[around.relative(finding.path)] = spliced(data, [change]).decode()
    assert after == case.get("after", {})
