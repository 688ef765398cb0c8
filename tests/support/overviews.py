"""Small workspaces for the checks of doctor, as data: what lies where, and the lines that it must and must not give."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from memcli.core import checking
from memcli.core.checks.framework import OK, Check

Files = Mapping[str, bytes | str]


class Line(NamedTuple):
    """One line of an overview: the beginning of its message, and its command without the words that name the workspace;
    {W} in it stands for the workspace."""

    name: str
    state: str
    message: str
    number: int
    command: str


class Case(NamedTuple):
    """A workspace of `agent` that gives exactly these lines, apart from those that say that nothing was found."""

    agent: str
    files: Files
    lines: Sequence[Line]
    modes: Mapping[str, int] = {}
    ages: Mapping[str, float] = {}


def chat(key: str = "desktop:main", rows: int = 4, **header: Any) -> bytes:
    """A healthy catbuddy chat: questions and answers, a minute apart."""
    stamps = [f"2026-05-20T08:{number:02d}:00.000Z" for number in range(rows + 1)]
    head = {"key": key, "title": "", "preview": "端口?", "created_at": stamps[0], "updated_at": stamps[-1]}
    lines: list[Any] = [{**head, "last_consolidated": 0, "metadata": {}, **header}]
    for number in range(1, rows + 1):
        role = "user" if number % 2 else "assistant"
        row = {"id": number, "sessionKey": key, "role": role, "content": f"端口 {number}?"}
        lines.append({**row, "timestamp": stamps[number]})
    return joined(lines)


def entries(count: int, first: int = 1, day: int = 20, content: str = "[assistant] 用户住在杭州") -> bytes:
    """Journal entries of catbuddy, a minute apart."""
    return joined(
        {"cursor": number, "content": content, "at": f"2026-05-{day:02d}T08:{number % 60:02d}:00.000Z"}
        for number in range(first, first + count)
    )


def joined(rows: Any) -> bytes:
    """One compact JSON object a line."""
    return b"".join(json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode() + b"\n" for row in rows)


def build(root: Path, case: Case, now: float) -> Path:
    """Write the files of a case, a day old and readable for the owner only."""
    for name, content in case.files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        path.chmod(case.modes.get(name, 0o600))
        when = now - case.ages.get(name, 86400.0)
        os.utime(path, (when, when))
    return root


def lines_of(root: Path, agent: str | None = None) -> list[Check]:
    """What the overview of a workspace says, without what is well."""
    checked = checking.check(checking.scope([str(root)], agent), True, agent)
    return [check for overview in checked.overviews for check in overview.checks if check.state != OK]
