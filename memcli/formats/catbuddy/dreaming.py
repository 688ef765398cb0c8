"""How a Dream writes into catbuddy's memory (layered-memory.ts, `appendToMemoryFile` and `splitMemorySections`): in blocks that
are appended, those of the user in the home's MEMORY.md, those of a project in its own."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Mapping, Sequence

from memcli.formats.catbuddy import longterm
from memcli.formats.facets import Target
from memcli.memory import placing
from memcli.memory.blocks import Block, blocks, lines_of
from memcli.memory.phrasing import one_line
from memcli.model import Item, Record, Workspace

SOURCE = "sessions"
"""Its journal holds neither prompts nor plain answers."""
SURGERY = False
_LAYERS = ("user", "project")
_NAMES = {"user": "User Profile", "project": "Project"}
_INNER = {"user": "## User Profile", "project": "## Project Context"}
_BEGIN = b"# Long-term Memory\n"
"""A file that begins with a block looks as if an error of reading had emptied it."""


def said(record: Record) -> str:
    """The entry as it stands: it holds turns."""
    return record.content


def inner(key: str) -> bool:
    """None: Dream keeps no session of its own."""
    return False


def targets(workspace: Workspace, user: str) -> list[Target]:
    """In a project the home's MEMORY.md and that of the project, else (and where the agent never made the home's folder) the one
    of the workspace; one more for each further memory folder. None for a user's folder: there is one user."""
    if user:
        return []
    own = [
        os.path.join(folder, "MEMORY.md") for folder in workspace.memory or (os.path.join(workspace.root, "memory"),)
    ]
    home = longterm.home_of(workspace) if workspace.era == "project" else ""
    if not home or not os.path.isdir(os.path.join(home, "memory")):
        return [Target(path, workspace.root, _LAYERS) for path in own]
    you = Target(os.path.join(home, "memory", "MEMORY.md"), home, ("user",), "user")
    return [you, *(Target(path, workspace.root, ("project",), "project") for path in own)]


def put(target: Target, old: bytes | None, items: Sequence[Item], seconds: float) -> bytes:
    """The file with a block of this day (UTC) behind all that is there; where such a one with nothing but facts ends it, they go
    on that."""
    return block("Dream", target, old, items, seconds)


def block(label: str, target: Target, old: bytes | None, items: Sequence[Item], seconds: float) -> bytes:
    """The same for blocks with another label than Dream's."""
    facts = {layer: lines(target, [item for item in items if item.layer == layer]) for layer in target.layers}
    if not any(facts.values()):
        return old or b""
    placing.check(target.path, old or b"")
    text = old or _BEGIN
    name = f"{_NAMES[target.section]} — " if target.section else ""
    head = f"## {label} — {name}{time.strftime('%Y-%m-%d', time.gmtime(seconds))}"
    last = blocks(text, longterm.shape(target.path))[-1]
    longer = _longer(text, last, target, facts) if last.head.rstrip(b"\r\n") == head.encode() else None
    if longer is not None:
        return longer
    end = placing.ending(text)
    body = facts[target.section] if target.section else _body(facts)
    return text + placing.breaks(text, 2, end) + placing.text_of([head, *body], end)


def lines(target: Target, items: Sequence[Item]) -> list[str]:
    """A bullet for each item of the target's layers."""
    return [f"- {one_line(item.text)}" for item in items if item.layer in target.layers]


def subject(kind: str, seconds: float, count: int) -> str:
    """The repository is memcli's own, so that nothing else gives commits a first line."""
    return f"{kind}: {count} item{'' if count == 1 else 's'}"


def _body(facts: Mapping[str, Sequence[str]]) -> list[str]:
    """What stands below the heading where one file has all: a part for each layer that there is something of. The agent's model
    writes "(nothing)" below the heading of one that is empty, and every prompt would carry it."""
    found: list[str] = []
    for layer in _LAYERS:
        if facts[layer]:
            found += [*([""] if found else []), _INNER[layer], *facts[layer]]
    return found


def _longer(text: bytes, last: Block, target: Target, facts: Mapping[str, Sequence[str]]) -> bytes | None:
    """The text with the facts on its last block; None where that is not as `put` writes it, or lacks a part that is needed."""
    if target.section:
        bare = all(line.startswith(b"- ") for line in lines_of(last.body))
        return placing.at_end(text, facts[target.section]) if bare else None
    found = _OWN.fullmatch(last.body)
    if found is None or (facts["user"] and not found["user"]):
        return None
    if not found["project"]:
        heading = ["", _INNER["project"]] if facts["project"] else []
        return placing.at_end(text, [*facts["user"], *heading, *facts["project"]])
    place = len(text) - len(last.body) + max(found.end("user"), 0)
    text = text[:place] + placing.text_of(facts["user"], placing.ending(text)) + text[place:]
    return placing.at_end(text, facts["project"])


_OWN = re.compile(
    rb"(?=#)(?:## User Profile\r?\n(?P<user>(?:- [^\n]*\n)*(?:- [^\n]+)?))?"
    rb"(?:(?:\r?\n)?## Project Context\r?\n(?P<project>(?:- [^\n]*\n)*(?:- [^\n]+)?))?"
)
