"""What catbuddy's memory files are made of (`layered-memory.ts`, `dream.ts`, templates/memory/MEMORY.md)."""

from __future__ import annotations

import os

from memcli.formats.facets import MemoryFile
from memcli.model import Workspace
from memcli.storage.memory_rules import CATEGORIES, FILLERS, Limit, MemoryRules

_UNFILLED = frozenset(
    (
        *("(Important facts about the user)", "(User preferences learned over time)"),
        *("(Information about ongoing projects)", "(Things to remember)"),
    )
)
_TEMPLATE = frozenset(
    (
        *("Long-term Memory", "User Information", "Preferences", "Project Context", "Important Notes"),
        "This file stores important information that should persist across sessions.",
        "This file is automatically updated by catbuddy when important information should be remembered.",
    )
)
_PROMPT = (
    r"^(?:Existing (?:MEMORY|USER|SOUL)\.md|New conversation entries \(up to \d+\)):"
    r"|^\[Previous conversation summary\]:|^Previous conversation summary \(last active "
)
_ECHOES = (
    (r"^\[(?:user|assistant|tool|system)\] \S", "a line of a conversation, as the journal has it"),
    (_PROMPT, "a line of one of the agent's prompts"),
)
_BLOCK = r"^(?:Dream|Archived)(?: — (?:User Profile|Project))? — \d{4}-\d{2}-\d{2}$"
_CATEGORIES = CATEGORIES | {"project"}
_DREAM = Limit(
    3000,
    "Dream reads",
    "Dream does not know what stands behind them, and may write it once more; every prompt has all of it.",
    utf16=True,
)


def memory_rules(workspace: Workspace, file: MemoryFile) -> MemoryRules | None:
    """Dream is shown 3,000 UTF-16 units of MEMORY.md; of USER.md and SOUL.md, to which it does not write, fewer. Prompts leave
    out a MEMORY.md that is its template."""
    if os.path.basename(file.path) != "MEMORY.md":
        return MemoryRules(fillers=FILLERS, echoes=_ECHOES, categories=_CATEGORIES)
    return MemoryRules(_TEMPLATE, _UNFILLED, True, FILLERS, _ECHOES, _BLOCK, _CATEGORIES, _DREAM)
