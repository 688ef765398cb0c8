"""How a Dream writes into CocoCat's memory (dream.py): a dated block behind all that is there, of an agent in MEMORY.md, of a
user in the PROFILE.md of that user alone; V2 keeps one plain fact a line in memory.md."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence

from memcli.formats.cococat import longterm
from memcli.formats.cococat.places import scene_users, survey, users
from memcli.formats.facets import Target
from memcli.memory import placing
from memcli.memory.blocks import Block, blocks, lines_of
from memcli.memory.phrasing import one_line
from memcli.model import Item, Record, Workspace

SOURCE = "journal"
SURGERY = True
_LAYERS = ("user", "project")
_LABELS = {"decision": "Key Decision", "fact": "Fact Learned", "preference": "Preference", "pattern": "Pattern"}
"""In the order in which its prompt asks for them."""
_ECHO = "You are a memory consolidation agent. Your task is to update "
_ANSWER = "\nresponse_summary: "
"""How a task is read (records.py): the prompt, then this and the answer."""
_PROFILE, _PLAIN = "PROFILE.md", "memory.md"


def said(record: Record) -> str:
    """A task as a question and its answer, a user's row with its role; nothing of the record that a Dream leaves of itself."""
    if record.role != "task":
        return f"[{record.role}] {record.content}" if record.role in ("user", "assistant") else record.content
    if record.content.startswith(_ECHO):
        return ""
    prompt, mark, answer = record.content.rpartition(_ANSWER)
    if not mark:
        return f"[user] {record.content}"
    return f"[user] {prompt}\n[assistant] {answer}"


def inner(key: str) -> bool:
    """None: Dream keeps no session of its own."""
    return False


def targets(workspace: Workspace, user: str) -> list[Target]:
    """The memory file of each agent, or what each keeps of the user in the folder `user`, beside the journal that is about them:
    where none keeps anything of that user, the file that each of them would begin."""
    found = survey(workspace.root)
    if found is None:
        return []
    if not user:
        v1 = [os.path.join(agent.memory, "MEMORY.md") for agent in found.agents if agent.v1]
        v2 = [os.path.join(agent.memory, _PLAIN) for agent in found.agents if agent.v2]
        return [Target(path, workspace.root, _LAYERS) for path in (*v1, *v2)]
    if user in (".", "..") or os.path.basename(user) != user:
        return []
    known = [folder for agent in found.agents if agent.v1 for folder in users(agent.memory)]
    mine = [os.path.join(folder, _PROFILE) for folder in known if os.path.basename(folder) == user]
    scenes = [folder for scene in found.scenes for folder in scene_users(scene, "memory")]
    mine += [os.path.join(folder, _PLAIN) for folder in scenes if os.path.basename(folder) == user]
    if not mine:
        mine = [os.path.join(agent.memory, "users", user, _PROFILE) for agent in found.agents if agent.v1]
    return [Target(path, workspace.root, _LAYERS, "user") for path in mine]


def put(target: Target, old: bytes | None, items: Sequence[Item], seconds: float) -> bytes:
    """The file with a block of this day (the machine's zone) behind all that is there; where such a one with nothing but labelled
    facts ends it, they go on that."""
    facts = lines(target, sorted(items, key=lambda item: list(_LABELS).index(item.category)))
    if not facts:
        return old or b""
    placing.check(target.path, old or b"")
    name = os.path.basename(target.path)
    if name == _PLAIN:
        return placing.at_end(old or b"", facts)
    day = time.strftime("%Y-%m-%d", time.localtime(seconds))
    head = f"## Dream Consolidation ({day})" if name == _PROFILE else f"### {day} Dream Consolidation"
    text = old or (b"" if name == _PROFILE else _begin(target.path))
    last = _last(text, head, target)
    if last is not None and all(_is_own(line) for line in lines_of(last.body)):
        return placing.at_end(text, facts)
    return placing.at_end(text, [head, *facts], gap=1)


def lines(target: Target, items: Sequence[Item]) -> list[str]:
    """A bullet with the category's label for each item; V2 has neither."""
    kept = [item for item in items if item.layer in target.layers]
    if os.path.basename(target.path) == _PLAIN:
        return [one_line(item.text) for item in kept]
    return [f"- **{_LABELS[item.category]}**: {one_line(item.text)}" for item in kept]


def subject(kind: str, seconds: float, count: int) -> str:
    """It must not begin with what CocoCat takes for its own: "dream: " and "dream-user: "."""
    stamp = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(seconds))
    return f"memcli {kind}: {stamp}, {count} item{'' if count == 1 else 's'}"


def _begin(path: str) -> bytes:
    """What stands at the beginning of an agent's file."""
    agent = os.path.basename(os.path.dirname(os.path.dirname(path)))
    name = agent.replace("_", " ").title()
    return f"# {name} Memory\n\nPersonal memories and learnings for {agent}.\n\n".encode()


def _last(text: bytes, head: str, target: Target) -> Block | None:
    """The block at the end, if it has this heading."""
    found = blocks(text, longterm.shape(target.path))
    return found[-1] if found and found[-1].head.rstrip(b"\r\n") == head.encode() else None


def _is_own(line: bytes) -> bool:
    return line.startswith(tuple(f"- **{label}**: ".encode() for label in _LABELS.values()))
