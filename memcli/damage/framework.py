"""What every class of damage is made of: its description, and the snapshot of the scope that it looks at.

A class module has CLASSES (the codes it names, described), SCOPE, `detect(snapshot)` which yields findings, and
`mend(snapshot, finding)` which gives the edits or actions that undo the damage ([] where nothing is ever changed). It
knows no agent and reads nothing but its snapshot; it never writes. Scopes and their snapshots:

    whole      WholeSnapshot      one file before its lines are read: its two ends
    line       LineSnapshot       one line that is not a clean record, and whatever follows it
    header     HeaderSnapshot     the leading lines of a session file
    bytes      WholeSnapshot      one file after its lines were read: what was counted, what was sealed
    rows       RowsSnapshot       the facts of every record of a session or journal
    text       TextSnapshot       a memory file
    file       FileSnapshot       what stat tells
    workspace  WorkspaceSnapshot  all files of a workspace together
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from memcli.model import NOTHING, Action, Edit, Finding
from memcli.storage.facts import SHARED

if TYPE_CHECKING:
    import os

    from memcli.model import Decoded, Line, Workspace
    from memcli.storage.facts import Facts, RowRules
    from memcli.storage.holders import Holder
    from memcli.storage.memory_rules import MemoryRules

SCOPES = ("whole", "line", "header", "bytes", "rows", "text", "file", "workspace")


class Class(NamedTuple):
    """One code, described; docs/damage.md is made from these.

    `severity` and `repair` are the defaults of its findings (model.Finding). `looks` says what it looks like, `does`
    what memcli does about it, `lost` what is lost: one sentence each. `flag` is the option that allows the change,
    two that exclude each other joined by "|".
    What a class of the scope "whole" finds explains the whole file: no line, header or row of that file is judged then.
    """

    code: str
    title: str
    severity: str
    repair: str
    looks: str
    does: str
    lost: str = "Nothing."
    flag: str = ""

    def finding(self, path: str, message: str, **more: Any) -> Finding:
        """A finding of this class; `more` are other members of Finding, to be set or to differ from the defaults."""
        members = {"severity": self.severity, "repair": self.repair, "flag": self.flag, **more}
        return Finding(path, self.code, message=message, **members)


class ClassModule(Protocol):
    """A module of damage/."""

    CLASSES: tuple[Class, ...]
    SCOPE: str

    def detect(self, snapshot: Any) -> Iterator[Finding]:
        """The damage of these classes in the snapshot of their scope."""
        ...

    def mend(self, snapshot: Any, finding: Finding) -> list[Edit | Action]:
        """What undoes `finding`, which came from `detect` on this snapshot; [] when nothing does."""
        ...


class RowsSnapshot:
    """The records of one session or journal.

    `key` is the session key that the file belongs to (its header's, else what its name tells), "" when unknown;
    `header` the leading header as decoded, with where its line starts, None when there is none. `raw` and `value` read
    a record again; `span` is the whole line of an entry, its newline included. `kind` is "session" or "journal";
    `home` tells the path of the file in which the agent keeps another session's key, None where no rule does. `others` are
    the lines above the first row that are no header, with their values. `limit` is how many findings of a class are listed: for
    more a class may yield one finding with their number in `data["more"]`.
    """

    def __init__(
        self,
        path: str,
        facts: Facts,
        rules: RowRules,
        *,
        key: str = "",
        header: Mapping[str, Any] | None = None,
        header_line: Line | None = None,
        raw: Callable[[int], bytes],
        decode: Callable[[bytes], Decoded],
        kind: str = "session",
        home: Callable[[str], str | None] = lambda key: None,
        others: Sequence[tuple[Line, Any]] = (),
        limit: int | None = None,
    ) -> None:
        self.path, self.facts, self.rules, self.key = path, facts, rules, key
        self.header, self.header_line = header, header_line
        self.kind, self.home, self.others, self.limit = kind, home, others, limit
        self._raw, self._decode = raw, decode

    def raw(self, entry: int) -> bytes:
        """The line that an entry stands on, with its newline where it has one."""
        return self._raw(self.facts.offsets[entry])

    def span(self, entry: int) -> tuple[int, int]:
        """(offset, length with the newline) of the line that an entry stands on."""
        return self.facts.offsets[entry], len(self.raw(entry))

    def value(self, entry: int) -> Any:
        """The record of an entry as decoded; None when its line gives none."""
        values = self._decode(self.raw(entry).removesuffix(b"\n")).values
        first = entry
        while first and self.facts.flags[first] & SHARED:  # glued lines: which of the line's records it is
            first -= 1
        return values[entry - first] if entry - first < len(values) else None

    def place(self, entry: int) -> dict[str, Any]:
        """The members of a finding that say where an entry is; core adds the line number."""
        offset, length = self.span(entry)
        return {"row": self.facts.row(entry), "offset": offset, "length": length}


class TextSnapshot(NamedTuple):
    """A memory file with its bytes. `rules` is what the agent keeps in it, None for a file that is no long-term memory of an
    agent (a log of older versions)."""

    path: str
    raw: bytes
    rules: MemoryRules | None = None


class FileSnapshot(NamedTuple):
    """One file or what pretends to be one. `kind` is session, journal, cursor, memory or leftover.

    `status` is its lstat, `target` the stat of what a symlink leads to (the same for anything else), None where it
    cannot be had. `inside` tells whether it really lies in the workspace, links followed. `user` is our own uid.
    `reachable` tells whether others than the owner can get into its folder at all.
    """

    path: str
    kind: str
    status: os.stat_result | None
    target: os.stat_result | None
    inside: bool
    user: int
    reachable: bool = True


class CursorState(NamedTuple):
    """One cursor file. `text` is None when there is none, `number` None when the text is no whole number as the agent
    reads it; `dialect` tells that the text is another agent's cursor (a time, JSON), not garbage. `used` is the number
    that the agent goes by, None when it goes by none."""

    path: str
    text: str | None = None
    number: int | None = None
    dialect: str = ""
    used: int | None = None


class JournalState(NamedTuple):
    """One journal with its cursors. `counts` is "numbers" when cursors name entries (`facts.ids`) and "records" when
    they count the records read; `reset` is the number that an empty journal's cursor has. `upcoming` is the number that
    the agent would give the next entry, None when it gives none. `snapshot` has no entries where the journal is missing, and
    is None where it cannot be read."""

    path: str
    snapshot: RowsSnapshot | None
    allocated: CursorState | None
    processed: CursorState | None
    counts: str = "numbers"
    reset: int = 0
    upcoming: int | None = None


class PartState(NamedTuple):
    """A file that memcli itself makes beside the one that it replaces. `awaited`: an unfinished operation knows it, and the
    next memcli that writes removes it; `at_work`: that operation is being carried out right now."""

    path: str
    awaited: bool = False
    at_work: bool = False


class VersionState(NamedTuple):
    """A folder of memory files that the agent keeps under git. `state` of its own repository is "there", "none" or "broken";
    `expected` tells that there would be one, were nothing in the way. `around` is the repository that the folder lies in, ""
    for none. `changed` are the files that are not as the last commit has them, `nested` the folders inside that have a
    repository of their own, with whether that has a commit. `why` is why git could not tell, "" when it could."""

    folder: str
    state: str
    expected: bool = False
    around: str = ""
    changed: tuple[str, ...] = ()
    nested: tuple[tuple[str, bool], ...] = ()
    why: str = ""


class SessionState(NamedTuple):
    """What is known of one session file beside the others: `key` by its header, `told` by its name, `expected` the name
    that its key maps to (None: no rule), `snapshot` None where it could not be read."""

    path: str
    key: str | None
    told: str
    expected: str | None
    snapshot: RowsSnapshot | None
    header: Mapping[str, Any] = NOTHING


class WorkspaceSnapshot(NamedTuple):
    """Everything in one workspace.

    `copies` are (path, path of what it looks like a copy of), `temporaries` (temporary file, path it was to become),
    `parts` what memcli itself left, `versions` the folders that the agent keeps under git.
    `read` gives the first bytes of any of the files (at most `limit`, b"" when it cannot be read). `screen` reads another
    file of rows (a temporary, a copy) the way sessions are read, None where it cannot be read. `locks` are the locks of the
    agent's protocol that are held, and by whom. `now` is the time in epoch seconds. `options` are the class flags that
    repair was given, without dashes.
    """

    workspace: Workspace
    files: Sequence[FileSnapshot]
    sessions: Sequence[SessionState]
    journals: Sequence[JournalState]
    copies: Sequence[tuple[str, str]]
    temporaries: Sequence[tuple[str, str]]
    locks: Sequence[Holder]
    read: Callable[[str, int], bytes]
    screen: Callable[[str], RowsSnapshot | None]
    now: float
    options: Mapping[str, str] = NOTHING
    parts: Sequence[PartState] = ()
    versions: Sequence[VersionState] = ()
