"""Where else CocoCat's chats can be: its database with the full dialogues, and what it made of its sessions."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from memcli.formats.cococat.places import names, survey
from memcli.formats.facets import Neighbour, StoreFile
from memcli.model import Workspace

DATABASE = "cococat.db"


def standing(workspace: Workspace) -> str:
    """CocoCat has one workspace, and opens it."""
    return ""


def neighbours(workspaces: Sequence[Workspace]) -> Iterator[Neighbour | str]:
    """None: nothing tells of another checkout."""
    return iter(())


def stores(workspace: Workspace) -> Iterator[StoreFile]:
    """`cococat.db`, where the daemon keeps every message whole (table `messages`), summaries of sessions and compiled days
    (V2)."""
    found = None if workspace.files else survey(workspace.root)
    if found is None:
        return
    if DATABASE in names(found.root):
        yield StoreFile("database", os.path.join(found.root, DATABASE), "database")
    for agent in found.agents:
        for name in names(os.path.join(agent.memory, "summaries")):
            if name.endswith(".json"):
                key = f"{agent.name}/{name.removesuffix('.json')}"
                yield StoreFile("summary", os.path.join(agent.memory, "summaries", name), "text", key)
        for name in names(os.path.join(agent.memory, "compiled")):
            if name.endswith(".md"):
                yield StoreFile("memory", os.path.join(agent.memory, "compiled", name), "text")


def key_in(row: Mapping[str, Any]) -> str:
    """The agent whose message a row of `messages` is: its journal is the session that memcli knows."""
    agent = row.get("agent_id")
    return agent if isinstance(agent, str) else ""
