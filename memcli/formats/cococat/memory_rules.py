"""What CocoCat's memory files are made of (`dream.py`, `tools.py`, `auto_compact.py`; agents/*/memory as committed)."""

from __future__ import annotations

import os

from memcli.formats.facets import MemoryFile
from memcli.model import Workspace
from memcli.storage.memory_rules import CATEGORIES, FILLERS, Limit, MemoryRules

_FILLERS = (
    FILLERS + r"|^no (?:significant|notable|new|important)\b.*\b(?:decisions?|facts?|preferences?|patterns?)\b"
    r"|^\(none explicitly\b|^(?:\S{0,12}[，,])?(?:暂)?无(?:重要|显著|明显|新的?|明确的?)*(?:决策|事实|偏好|模式)"
)
_PROMPT = r"^You are a memory consolidation agent\. Your task is to update |^(?:What to Extract|What to Ignore|History Entries)$"
_TAKEN_OUT = (
    r"^\[Consolidated(?: \d+ messages)?[\]:]|^\[\d+ (?:historical entries compacted\]|previous messages snipped)"
    r"|^\[Earlier conversation trimmed\]"
)
_ECHOES = (
    (_PROMPT, "a line of one of Dream's prompts"),
    (_TAKEN_OUT, "what stands in a conversation for rows that were taken out"),
)
_BLOCK = r"^\d{4}-\d{2}-\d{2}\s+Dream(?:\s+Consolidation)?$|^Dream Consolidation \(\d{4}-\d{2}-\d{2}\)$"
_CATEGORIES = CATEGORIES | {
    *("key decision", "key decisions", "fact learned", "facts learned", "preference", "pattern"),
    *("关键决策", "学到的事实", "事实", "偏好", "模式"),
}
_DREAM = Limit(
    3000,
    "Dream is shown",
    "Dream does not know what stands behind them, and may write it once more; every prompt has all of it.",
)


def memory_rules(workspace: Workspace, file: MemoryFile) -> MemoryRules | None:
    """V1's Dream is shown 3,000 characters of MEMORY.md; what it keeps of a user is appended unread, and V2 reads all."""
    limit = _DREAM if os.path.basename(file.path) == "MEMORY.md" else None
    return MemoryRules(fillers=_FILLERS, echoes=_ECHOES, block=_BLOCK, categories=_CATEGORIES, limit=limit)
