"""What repair was asked to do, beyond what is safe."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from memcli.model import NOTHING, Finding

LOSSY = "--lossy"


class Wishes(NamedTuple):
    """`only` are codes (empty: all), `flags` the class flags without dashes with their values ("" for those without one).

    `reconstruct` lets records that were cut be rebuilt from what can be read of them; only for a copy.
    """

    lossy: bool = False
    only: tuple[str, ...] = ()
    flags: Mapping[str, str] = NOTHING
    reconstruct: bool = False

    def grants(self, finding: Finding) -> bool:
        """Whether the finding is to be mended."""
        if self.only and finding.code not in self.only:
            return False
        if finding.repair == "flag":
            return any(flag.strip("-") in self.flags for flag in finding.flag.split("|"))
        return finding.repair == "safe" or (finding.repair == "lossy" and self.lossy)

    def needs(self, finding: Finding) -> str:
        """The option that it would take, "" where none helps or none is missing."""
        if self.only and finding.code not in self.only:
            return "" if finding.repair == "report" else f"--only {finding.code}"
        if finding.repair == "lossy" and not self.lossy:
            return f"{LOSSY} or {finding.flag}" if finding.flag else LOSSY
        if finding.repair == "flag" and not self.grants(finding):
            return finding.flag.replace("|", " or ")
        return ""
