"""Data cases of damage: one folder a case, with what is there before, what is found, and what is there afterwards."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from memcli.core.clocks import seconds_of
from memcli.damage.framework import RowsSnapshot
from memcli.formats import load, rules
from memcli.model import Action, Edit, Finding
from memcli.storage.collecting import Collector
from memcli.storage.decode import decode
from memcli.storage.screen import Reader, Screening

CASES = Path(__file__).parents[1] / "cases"


def cases(marker: str, scope: str) -> list[Path]:
    """The case folders whose file `marker` is there and whose case.json names the scope."""
    found = [path.parent for path in sorted(CASES.glob(f"*/*/{marker}"))]
    return [folder for folder in found if about(folder).get("scope") == scope]


def about(folder: Path) -> dict[str, Any]:
    """What case.json says: agent, scope, kind, name, flags; {} when there is none."""
    try:
        value: dict[str, Any] = json.loads((folder / "case.json").read_text("utf-8"))
        return value
    except FileNotFoundError:
        return {}


def rows_of(path: Path, agent: str, kind: str = "session", era: str = "") -> RowsSnapshot:
    """The snapshot of one file of rows, as verify makes it."""
    form, expected = load(agent), rules(agent, era)
    journal = kind == "journal"
    reader = Reader(
        (lambda value: False) if journal else form.records.is_preamble,
        (lambda values: ()) if journal else expected.headers,
        expected.journal_columns if journal else expected.columns,
    )
    collector = Collector(seconds_of("UTC"))
    screening = Screening(reader, collector)
    fd = os.open(path, os.O_RDONLY)
    try:
        list(screening.suspects(fd, 0, os.fstat(fd).st_size))
    finally:
        os.close(fd)
    data = path.read_bytes()
    leading = [(line, decoded.values[0]) for line, decoded in screening.leading if decoded.values]
    header = next(((line, value) for line, value in leading if form.records.header(value)), (None, None))
    told = header[1].get("key") if header[1] else None

    def home(key: str) -> str | None:
        name = form.layout.name_of(key, era)
        return None if name is None else str(path.parent / name)

    return RowsSnapshot(
        str(path),
        collector.facts,
        expected.JOURNAL if journal else expected.ROWS,
        key=told or "",
        header=header[1],
        header_line=header[0],
        raw=lambda offset: data[offset : (data.find(b"\n", offset) + 1) or len(data)],
        decode=decode,
        kind=kind,
        home=home,
        others=[(line, value) for line, value in leading if not form.records.header(value)],
    )


def spliced(data: bytes, edits: list[Edit]) -> bytes:
    """The bytes after the edits, which must not overlap; insertions come before what is replaced at the same place."""
    made, place = [], 0
    for edit in sorted(edits, key=lambda one: (one.offset, one.length)):
        assert edit.offset >= place, f"{edit} overlaps the one before"
        made += [data[place : edit.offset], edit.replacement]
        place = edit.offset + edit.length
    return b"".join([*made, data[place:]])


def is_wanted(finding: Finding, flags: list[str]) -> bool:
    """Whether repair would mend the finding when it was given these flags."""
    return finding.repair == "safe" or (finding.repair == "flag" and finding.flag in flags)


def told(finding: Finding, wanted: dict[str, Any]) -> dict[str, Any]:
    """The finding, as far as a case says how it should be."""
    value = finding._asdict()
    return {
        name: {inner: finding.data.get(inner) for inner in wish} if name == "data" else value[name]
        for name, wish in wanted.items()
    }


def as_json(action: Action) -> dict[str, str]:
    """An action with the base names of its paths, as cases write them."""
    detail = os.path.basename(action.detail) if os.sep in action.detail else action.detail
    return {"kind": action.kind, "path": os.path.basename(action.path), "detail": detail}
