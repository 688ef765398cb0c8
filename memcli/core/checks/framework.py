"""The workspace that `doctor` looks over, and what its checks share: what was found, the plan for it, the commands that help.

A module of this package is one check. It has CHECK (its name), LOOKED (what it looks at, in words), CODES (the damage codes that
it tells), KINDS (the kinds of file of which it tells every other code), and `look(case)`, which yields a Check for each thing
that is worth a line, and nothing when all is well.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple, Protocol

from memcli.core.verifying import SEVERITIES, Looked
from memcli.damage import module_of
from memcli.model import Finding, SessionRef

OK = "ok"
STATES = (*SEVERITIES, OK)
"""The worst first."""
SHOWN = 5
"""So many things of a kind are named one by one."""


class Check(NamedTuple):
    """One line of the overview: `state` is "ok" or a severity, `message` a sentence without its full stop, `number` how many
    things it is about. `command` is what helps, "" where nothing does; `evidence` are sentences, the weightiest first."""

    name: str
    state: str
    message: str
    number: int = 0
    command: str = ""
    evidence: tuple[str, ...] = ()


class CheckModule(Protocol):
    """A module of this package."""

    CHECK: str
    LOOKED: str
    CODES: tuple[str, ...]
    KINDS: tuple[str, ...]

    def look(self, case: Case) -> Iterator[Check]:
        """A Check for everything worth a line."""
        ...


class Group(NamedTuple):
    """Findings that the same option of repair mends: `repair` is that of a Finding or "info", `flag` the option."""

    repair: str
    flag: str
    findings: tuple[Finding, ...]

    @property
    def state(self) -> str:
        """The gravest severity."""
        return min((one.severity for one in self.findings), key=SEVERITIES.index)

    @property
    def paths(self) -> tuple[str, ...]:
        """The files, each once."""
        return tuple(dict.fromkeys(one.path for one in self.findings))

    @property
    def codes(self) -> str:
        """`torn-tail, nul-run 3`."""
        return codes(self.findings)


class Case:
    """One workspace and everything that is known about it. `told` are the findings by the name of the check that tells them,
    `options` are the words that name the workspace in a command."""

    def __init__(
        self, looked: Looked, told: Mapping[str, Sequence[Finding]], options: Sequence[str], tz: str = ""
    ) -> None:
        self.workspace, self.snapshot, self.unread, self.files, self.records = looked
        self.told, self.options, self.tz = told, tuple(options), tz

    def command(self, *words: str) -> str:
        """A memcli command that the user can paste. Nothing is written into an archive: there, repair shows its plan."""
        if self.workspace.shown not in ("", self.workspace.root):
            words = tuple(word for word in words if word != "--apply")
        return shlex.join(["memcli", *words, *self.options])

    def about(self, path: str, *words: str, behind: Sequence[str] = ()) -> str:
        """A memcli command about one file: a session by its key where that is short and certain, else by the file."""
        from memcli.core.selecting import SAFE_KEY

        ref = self.refs.get(path)
        if ref is not None and path not in self.journals and self._keys[ref.key] == 1 and SAFE_KEY.fullmatch(ref.key):
            return self.command(*words, ref.key, *behind)
        if not os.path.exists(path):  # inside an archive
            return self.command(*words, *([ref.key] if ref else []), *behind)
        agent = self.options[: self.options.index("-W")] if "-W" in self.options else self.options
        return shlex.join(["memcli", *words, path, *behind, *agent])  # a file tells its workspace by itself

    @cached_property
    def _keys(self) -> dict[str, int]:
        counts: dict[str, int] = {}
        for ref in self.refs.values():
            counts[ref.key] = counts.get(ref.key, 0) + 1
        return counts

    @cached_property
    def refs(self) -> dict[str, SessionRef]:
        """The session files by the path that output calls them by."""
        from memcli.core import listing

        found = {}
        for session in self.snapshot.sessions:
            shown = listing.shown(self.workspace, session.path)
            found[shown] = SessionRef(
                self.workspace.agent, session.key or session.told, session.path, shown, self.workspace
            )
        return found

    @cached_property
    def sizes(self) -> dict[str, int]:
        """The size of every file that was looked at, by its real path."""
        return {file.path: file.status.st_size for file in self.snapshot.files if file.status}

    @cached_property
    def journals(self) -> set[str]:
        """The journals, as output calls them."""
        from memcli.core import listing

        return {listing.shown(self.workspace, one.path) for one in self.snapshot.journals}

    def name(self, path: str) -> str:
        """A file as it is called in a sentence: the key of a session, else its path below the workspace."""
        if path in self.refs and path not in self.journals:
            return self.refs[path].key
        root = self.workspace.shown or self.workspace.root
        return os.path.relpath(path, root) if path.startswith(root + os.sep) else path


def groups(findings: Iterable[Finding]) -> list[Group]:
    """Findings by what mends them: safe, with options, lossy, nothing, and what is only good to know; in that order."""
    found: dict[tuple[str, str], list[Finding]] = {}
    for one in findings:
        kind = "info" if one.repair == "report" and one.severity == "info" else one.repair
        found.setdefault((kind, one.flag if kind == "flag" else ""), []).append(one)
    order = ("safe", "flag", "lossy", "report", "info")
    return [Group(*key, tuple(found[key])) for key in sorted(found, key=lambda key: (order.index(key[0]), key[1]))]


def repair_words(group: Group) -> list[str]:
    """The repair command that mends a group, [] where none does."""
    if group.repair == "safe":
        return ["repair", "--apply"]
    if group.repair == "lossy":
        return ["repair", "--apply", "--lossy"]
    if group.repair == "flag":
        flag = group.flag.partition("|")[0]
        return ["repair", "--apply", flag, *VALUES.get(flag, ())]
    return []


VALUES = {"--eol": ("lf",)}
"""Options that take a value, with the one that is meant."""


def codes(findings: Iterable[Finding]) -> str:
    """The codes, the most frequent first, with how often where that is more than once."""
    counts: dict[str, int] = {}
    for one in findings:
        counts[one.code] = counts.get(one.code, 0) + 1 + int(one.data.get("more", 0) or 0)
    ordered = sorted(counts, key=lambda code: -counts[code])
    return ", ".join(f"{code} {counts[code]:,}" if counts[code] > 1 else code for code in ordered)


def titles(findings: Iterable[Finding]) -> str:
    """What the classes are called in words."""
    named = dict.fromkeys(one.code for one in findings)
    return "; ".join(next(one.title for one in module_of(code).CLASSES if one.code == code) for code in named)


def evidence(case: Case, findings: Iterable[Finding], *, place_first: bool = False) -> tuple[str, ...]:
    """What the agent makes of it, then where and what, the gravest first, at most SHOWN; or the other way round."""
    ordered = sorted(findings, key=lambda one: SEVERITIES.index(one.severity))
    told = [f"{case.name(one.path)}{_place(one)}: {one.message}" for one in ordered[:SHOWN]]
    if len(ordered) > SHOWN:
        told.append(f"And {len(ordered) - SHOWN:,} more.")
    effects = [*dict.fromkeys(one.effect for one in ordered[:SHOWN] if one.effect)]
    return (*told, *effects) if place_first else (*effects, *told)


def total(findings: Iterable[Finding], member: str) -> int:
    """The sum of a number in the data of findings."""
    return sum(int(one.data.get(member, 0) or 0) for one in findings)


def many(count: int, noun: str, plural: str = "") -> str:
    """`1 row`, `3 rows`, `1,204 rows`."""
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


def _place(finding: Finding) -> str:
    if finding.row:
        return f" row {finding.row}"
    return f" line {finding.line}" if finding.line else ""
