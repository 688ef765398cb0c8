"""English: what its words signal."""

from __future__ import annotations

from memcli.llm.offline.english.kept import KEPT
from memcli.llm.offline.english.left import LEFT
from memcli.llm.offline.english.words import STOP
from memcli.llm.offline.marks import Marks

__all__ = ["ENGLISH", "STOP"]

ENGLISH = Marks(**KEPT, **LEFT)
