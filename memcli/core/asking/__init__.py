"""What is asked of a model provider, and the guards around its answer: extraction, edits, shrinking, summaries.

A reader is asked as it is. A model gets what it is shown masked and fenced as data; its answer is validated, asked for once more
with what is wrong with it, and else kept as far as it is usable.
"""

from __future__ import annotations

from memcli.core.asking.budget import Limits, OverBudget
from memcli.core.asking.extracting import Extracted, extract
from memcli.core.asking.prompts import PROMPT

__all__ = ["PROMPT", "Extracted", "Limits", "OverBudget", "extract"]
