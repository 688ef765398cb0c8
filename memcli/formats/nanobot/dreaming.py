"""How a Dream writes into nanobot's memory: bullets under fitting headings, about the user in USER.md, about projects in
memory/MEMORY.md; SOUL.md is never written to."""

from __future__ import annotations

import re
from collections.abc import Sequence

from memcli.formats.facets import Target
from memcli.formats.nanobot import longterm
from memcli.formats.nanobot.memory import files
from memcli.memory import placing
from memcli.memory.phrasing import one_line
from memcli.model import Item, Record, Workspace

SOURCE = "journal"
SURGERY = False
_LAYERS = {"user": "user", "global": "project"}
_BEGIN = {"user": b"# User Profile\n", "project": b"# Long-term Memory\n"}
_PREFERENCES = ("Preferences", "偏好")
_RAW = "[RAW] "
_EMPTY = ("(nothing)", "[no summary]")
_ROW = re.compile(r"^\[[^\]\n]*\] (USER|ASSISTANT|TOOL|SYSTEM)(?: \[[^\]\n]*\])?: ?", re.MULTILINE)
_SKIPPED = "- [skip]"
_NAMES = {"user": ("User Information", "用户信息"), "project": ("Project Context", "项目背景")}


def said(record: Record) -> str:
    """A summary with the marks that tell how long each fact holds, without those that its model wanted left out; the rows of a
    raw archive as turns; nothing of a placeholder."""
    text = record.content.strip()
    if text in _EMPTY:
        return ""
    if text.startswith(_RAW):
        return _ROW.sub(lambda found: f"[{found[1].lower()}] ", text.partition("\n")[2])
    return "\n".join(line for line in text.split("\n") if not line.startswith(_SKIPPED)).strip()


def inner(key: str) -> bool:
    """The sessions in which Dream works."""
    return key.startswith("dream:")


def targets(workspace: Workspace, user: str) -> list[Target]:
    """USER.md and memory/MEMORY.md. None for a user's folder: there is one user."""
    if user:
        return []
    found = {_LAYERS[one.layer]: one.path for one in files(workspace) if one.layer in _LAYERS}
    return [Target(path, workspace.root, (layer,)) for layer, path in found.items()]


def put(target: Target, old: bytes | None, items: Sequence[Item], seconds: float) -> bytes:
    """The file with each item at the end of the list below the heading that fits it best; where none does, below a new one at the
    end, in Chinese where the headings are."""
    text = old or b""
    shape = longterm.shape(target.path)
    kept = [item for item in items if item.layer in target.layers]
    if kept:
        placing.check(target.path, text)
    for layer, category in dict.fromkeys((item.layer, item.category) for item in kept):
        facts = lines(target, [item for item in kept if (item.layer, item.category) == (layer, category)])
        placed = placing.below(text, shape, category, layer, facts) if text else None
        if placed is None:
            names = _PREFERENCES if (layer, category) == ("user", "preference") else _NAMES[layer]
            placed = placing.with_heading(text or _BEGIN[layer], shape, names[placing.is_chinese(text, shape)], facts)
        text = placed
    return text


def lines(target: Target, items: Sequence[Item]) -> list[str]:
    """A bullet for each item of the target's layers."""
    return [f"- {one_line(item.text)}" for item in items if item.layer in target.layers]


def subject(kind: str, seconds: float, count: int) -> str:
    """/dream-log shows what begins with "dream:"."""
    what = "" if kind == "dream" else f" {kind}"
    return f"dream: memcli{what}, {count} item{'' if count == 1 else 's'}"
