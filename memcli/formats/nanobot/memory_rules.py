"""What nanobot's memory files are made of (templates/, agent/memory.py, agent/context.py)."""

from __future__ import annotations

import os

from memcli.formats.facets import MemoryFile
from memcli.model import Workspace
from memcli.storage.memory_rules import CATEGORIES, FILLERS, Limit, MemoryRules

_MEMORY_UNFILLED = frozenset(
    (
        *("(Important facts about the user)", "(User preferences learned over time)"),
        *("(Information about ongoing projects)", "(Things to remember)"),
    )
)
_MEMORY = frozenset(
    (
        *("Long-term Memory", "User Information", "Preferences", "Project Context", "Important Notes"),
        "This file stores important information that should persist across sessions.",
        "This file is automatically updated by nanobot when important information should be remembered.",
    )
)
_USER_UNFILLED = frozenset(
    (
        *("Name: (your name)", "Timezone: (your timezone, e.g., UTC+8)", "Language: (preferred language)"),
        *("Primary Role: (your role, e.g., developer, researcher)", "Main Projects: (what you're working on)"),
        "Tools You Use: (IDEs, languages, frameworks)",
        "(Any specific instructions for how the assistant should behave)",
    )
)
_USER_SECTIONS = (
    *("User Profile", "Basic Information", "Preferences", "Communication Style", "Response Length", "Technical Level"),
    *("Work Context", "Topics of Interest", "Special Instructions"),
)
_USER = frozenset(
    (
        *_USER_SECTIONS,
        "Information about the user to help personalize interactions.",
        *("[ ] Casual", "[ ] Professional", "[ ] Technical", "[ ] Brief and concise", "[ ] Detailed explanations"),
        *("[ ] Adaptive based on question", "[ ] Beginner", "[ ] Intermediate", "[ ] Expert"),
        "Edit this file to customize nanobot's behavior for your needs.",
    )
)
_MARKED = r"^\[(?:permanent|durable|ephemeral|correction|skip)\] \S"
_SAID = (
    r"^\[RAW\] \d+ messages"
    r"|^\[\d{4}-\d\d-\d\d[ T]\d\d:\d\d[\d:.]*\] (?:USER|ASSISTANT|TOOL|SYSTEM)\b[^:]{0,200}:"
)
_PROMPT = (
    r"^You are (?:running Dream\b|a memory consolidation engine\b)"
    r"|^\[(?:Archived Context Summary|Previous archived context|Newly archived raw context)\]"
    r"|^Previous conversation summary \(last active "
)
_ECHOES = (
    (_MARKED, "an entry of the journal, with the mark that is for Dream"),
    (_SAID, "a line of a conversation, as the archive has it"),
    (_PROMPT, "a line of one of the agent's prompts"),
)
_CATEGORIES = CATEGORIES | {*_USER_SECTIONS}
_EFFECT = "Dream does not know what stands behind them, and may write it once more; every prompt has all of it."
_LIMITS = {"MEMORY.md": 32_000, "USER.md": 16_000, "SOUL.md": 16_000}


def memory_rules(workspace: Workspace, file: MemoryFile) -> MemoryRules | None:
    """Up to 0.2.1 Dream is given 32,000 characters of MEMORY.md and 16,000 of the others; all later ones read whole files.
    Prompts leave out a MEMORY.md that is its template, and from 0.3.5 on such a USER.md. HISTORY.md and daily notes are logs."""
    name = os.path.basename(file.path)
    if name not in _LIMITS:
        return None
    template, unfilled = {"MEMORY.md": (_MEMORY, _MEMORY_UNFILLED), "USER.md": (_USER, _USER_UNFILLED)}.get(
        name, (frozenset(), frozenset())
    )
    skipped = name == "MEMORY.md" or workspace.era == "E4"
    limit = Limit(_LIMITS[name], "Dream reads up to 0.2.1", _EFFECT) if workspace.era == "E2" else None
    return MemoryRules(template, unfilled, skipped, FILLERS, _ECHOES, "", _CATEGORIES, limit)
