"""Damaged bytes through the classes of bytes, lines and headers, mended as repair would, and checked against what was there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

from memcli.core.examining import Examination, Target
from memcli.damage import modules
from memcli.model import Edit, Finding, Workspace
from memcli.storage import edits as splicing
from memcli.storage.decode import decode

SCOPES = ("whole", "line", "header", "bytes")
MINE = {one.code for scope in SCOPES for module in modules(scope) for one in module.CLASSES}


class Chat(NamedTuple):
    """A healthy file of one agent: its name, its era and its lines (the header among them, if the agent has one)."""

    agent: str
    name: str
    lines: tuple[bytes, ...]
    era: str = ""
    header: bool = True

    @property
    def whole(self) -> bytes:
        return b"".join(line + b"\n" for line in self.lines)


class Mended(NamedTuple):
    """What came of damaged bytes."""

    after: bytes
    findings: list[Finding]

    @property
    def records(self) -> list[bytes]:
        """The lines that a strict reader takes for records."""
        return [line for line in self.after.split(b"\n") if is_record(line)]


def mend(chat: Chat, data: bytes, folder: Path, *, lossy: bool = False) -> Mended:
    """Everything that is safe (and lossy) mended, as often as there is something."""
    findings: list[Finding] = []
    for _ in range(3):
        found, data, changed = _once(chat, data, folder, lossy)
        findings = findings or found
        if not changed:
            return Mended(data, findings)
    raise AssertionError(f"still something to mend after three rounds: {found}")


def _once(chat: Chat, data: bytes, folder: Path, lossy: bool) -> tuple[list[Finding], bytes, bool]:
    path = folder / chat.name
    path.write_bytes(data)
    workspace = Workspace(chat.agent, str(folder), (str(folder),), era=chat.era)
    examination = Examination(Target(str(path), str(path), "session", workspace), limit=None)
    wanted = ("safe", "lossy") if lossy else ("safe",)
    found, groups = [], []
    for hit in examination.hits():
        if hit.finding.code in MINE:
            found.append(hit.finding)
            if hit.finding.repair in wanted:
                groups.append([one for one in hit.module.mend(hit.snapshot, hit.finding) if isinstance(one, Edit)])
    now, _ = splicing.together(groups)
    after = splicing.spliced(data, [edit for index in now for edit in groups[index]])
    return found, after, after != data


def is_record(line: bytes) -> bool:
    values, flaw = decode(line.removesuffix(b"\r"))
    return len(values) == 1 and isinstance(values[0], dict) and not flaw


def keeps_valid_lines(before: bytes, mended: Mended) -> None:
    """A line that was valid before stands there afterwards, byte for byte, and as often."""
    left = [line.removesuffix(b"\r") for line in mended.after.split(b"\n")]
    for line in before.split(b"\n"):
        if is_record(line):
            assert line.removesuffix(b"\r") in left
            left.remove(line.removesuffix(b"\r"))


def invents_nothing(chat: Chat, before: bytes, mended: Mended) -> None:
    """Every record that comes out is one of the healthy file, or stood so in the damaged one. A header may be built anew, by
    rule; a control character may have become an escape."""
    known = {*chat.lines, *(line.removesuffix(b"\r") for line in before.split(b"\n") if is_record(line))}
    built = chat.header and any(finding.code.endswith("-header") for finding in mended.findings)
    for number, line in enumerate(mended.records):
        if line.removesuffix(b"\r") in known or (built and number == 0):
            continue
        assert any(_same(line, other) for other in _lenient(before)), f"invented: {line!r}"


def _lenient(before: bytes) -> list[Any]:
    """What a reader makes of the damaged lines that allows control characters in strings, over two lines too."""
    found = []
    lines = before.split(b"\n")
    for one, other in zip(lines, [*lines[1:], b""], strict=True):
        for text in (one, one + b"\n" + other, one + other):
            try:
                found.append(json.loads(text, strict=False))
            except ValueError:
                continue
    return found


def _same(line: bytes, value: Any) -> bool:
    return bool(json.loads(line) == value)
