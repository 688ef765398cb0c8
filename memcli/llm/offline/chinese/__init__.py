"""Chinese: what its words signal."""

from __future__ import annotations

from memcli.llm.offline.chinese.kept import KEPT
from memcli.llm.offline.chinese.left import LEFT
from memcli.llm.offline.chinese.words import STOP
from memcli.llm.offline.marks import Marks

__all__ = ["CHINESE", "STOP"]

CHINESE = Marks(**KEPT, **LEFT)
