"""Every file of a workspace judged by every class of damage, read-only; what was not checked is told as well."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from memcli.core import discovering, listing, repositories, sealing, selecting, sharing, surroundings, texts
from memcli.core.examining import Examination, Target, screened
from memcli.core.halving import FROM as LARGE
from memcli.core.surroundings import Place, Seen
from memcli.damage import modules
from memcli.damage.framework import RowsSnapshot, WorkspaceSnapshot
from memcli.errors import CannotRead, RefusedForSafety
from memcli.formats import effects
from memcli.model import Finding, SessionRef, Workspace
from memcli.storage import seals
from memcli.storage.lines import MAX_LINE
from memcli.storage.state import Store

Progress = Callable[[int], None]
SEVERITIES = ("error", "warning", "info")
JOURNALS = ("journal", "cursor")
"""The kinds of file that the journals are."""


class Scope(NamedTuple):
    """What is to be verified: whole workspaces, or (`only`) just these files of theirs; with `kinds` only files of these
    kinds (surroundings.Place)."""

    workspaces: list[Workspace]
    only: tuple[SessionRef, ...] = ()
    kinds: tuple[str, ...] = ()


class Summary(NamedTuple):
    """What was looked at. `records` counts rows, `checks` checksum lines that matched, `unchecked` are sentences; `failed`
    tells that a file could not be read that should have been."""

    files: int
    records: int
    findings: int
    checks: int
    unchecked: tuple[str, ...]
    failed: bool
    worst: str


class Looked(NamedTuple):
    """One workspace as it was looked at, when its last finding was told: `unread` are the files that could not be read
    (path, why), `files` and `records` what was read of it."""

    workspace: Workspace
    snapshot: WorkspaceSnapshot
    unread: tuple[tuple[str, str], ...]
    files: int
    records: int


class _Result(NamedTuple):
    """What one file gave, in plain values that can go from process to process. `why` is why it could not be read."""

    findings: list[Any]
    records: int = 0
    checks: int = 0
    oversize: int = 0
    header: dict[str, Any] = {}  # noqa: RUF012  (never changed)
    why: str = ""
    failed: bool = False
    sealed: bool = False


class _Job(NamedTuple):
    place: Place
    workspace: Workspace
    size: int


def scope(targets: list[str], named: list[str] | None, agent: str | None, tz: str = "") -> Scope:
    """What the arguments of a command mean: folders are workspaces, anything else is a session; none is everything."""
    folders = [target for target in targets if os.path.isdir(target)]
    sessions = [target for target in targets if target not in folders]
    workspaces = discovering.find(folders or named, agent) if folders or not targets else []
    return Scope(workspaces, tuple(selecting.several(sessions, named, agent, tz)) if sessions else ())


def verify(
    scope: Scope,
    *,
    facts: bool = True,
    tz: str = "",
    progress: Progress | None = None,
    looked: Callable[[Looked], None] | None = None,
) -> Iterator[Finding | Summary]:
    """The findings, file by file, and a Summary at the end. Never raises for what a file holds.

    `facts` asks for the classes of rows, files and workspaces as well as for those of bytes, lines and headers;
    `progress` is told the bytes read so far, `looked` each workspace when it is done (with `facts` only).
    """
    run = _Run(facts, tz, scope.kinds)
    for workspace in scope.workspaces:
        yield from run.workspace(workspace, progress)
        if looked and facts:
            looked(run.looked(workspace))
    for ref in scope.only:
        yield from run.only(ref)
    if scope.only:
        run.unchecked.append("the files around the named ones")
    yield run.summary()


def bytes_of(scope: Scope) -> int:
    """How many bytes there are to read."""
    sessions = [path for workspace in scope.workspaces for path in listing.paths(workspace)]
    return sum(map(_size, [*sessions, *(ref.path for ref in scope.only)]))


class _Run:
    """One verification: its counts grow with each file."""

    def __init__(self, facts: bool, tz: str, kinds: tuple[str, ...] = ()) -> None:
        self.facts, self.tz, self.kinds = facts, tz, kinds
        self.files = self.records = self.findings = self.checks = self.oversize = self.unsealed = 0
        self.unchecked: list[str] = []
        self.failed = False
        self.worst = len(SEVERITIES)
        self.rows: dict[str, RowsSnapshot | None] = {}
        self._stores: dict[str, Store | None] = {}
        self._snapshot: WorkspaceSnapshot | None = None
        self._unread: list[tuple[str, str]] = []
        self._before = (0, 0)

    def workspace(self, workspace: Workspace, progress: Progress | None) -> Iterator[Finding]:
        self._snapshot, self._unread, self._before = None, [], (self.files, self.records)
        places = self._places(workspace)
        jobs = [_Job(place, workspace, _size(place.path)) for place in places]
        readable = [job for job in jobs if job.place.kind in ("session", "journal", "memory")]
        order = [job for job in readable if job.size >= 2 * LARGE]  # both processes work on each of these
        rest = [job for job in readable if job.size < 2 * LARGE]
        results: dict[str, _Result] = {job.place.path: self._examine(job, split=True) for job in order}
        # what the classes of workspaces need the facts of stays in this process
        rest.sort(key=lambda job: job.place.kind == "session")
        shared = sharing.share(rest, [job.size for job in rest], self._examine, progress)
        results.update((job.place.path, _Result(*result)) for job, result in zip(rest, shared, strict=True))
        seen = []
        for job in readable:
            result = results[job.place.path]
            yield from self._counted(job, result)
            if job.place.kind == "session" and not result.why:
                seen.append(Seen(job.place.path, result.header, self.rows.get(job.place.path)))
        if self.facts:
            yield from self._around(workspace, places, seen)
        self._not_judged(workspace)

    def _places(self, workspace: Workspace) -> list[Place]:
        """What is looked at; a journal that is a session as well is a journal to whom asks for journals."""
        if not self.kinds:
            return surroundings.places(workspace, list(listing.paths(workspace)))
        return [place for place in surroundings.places(workspace, []) if place.kind in self.kinds]

    def only(self, ref: SessionRef) -> Iterator[Finding]:
        job = _Job(Place(ref.path, "session"), ref.workspace, _size(ref.path))
        yield from self._counted(job, self._examine(job, split=True))

    def looked(self, workspace: Workspace) -> Looked:
        """The workspace that was judged last."""
        assert self._snapshot is not None
        files, records = self._before
        unread = tuple(self._unread)
        return Looked(workspace, self._snapshot, unread, self.files - files, self.records - records)

    def summary(self) -> Summary:
        unchecked = list(dict.fromkeys(self.unchecked))
        if self.oversize:
            unchecked.append(f"the inside of {_many(self.oversize, 'line')} of over {MAX_LINE >> 20} MiB")
        if self.unsealed:
            unchecked.append(
                f"whether the text of {_many(self.unsealed, 'file')} is what was written: no seal ('memcli seal')"
            )
        worst = SEVERITIES[self.worst] if self.worst < len(SEVERITIES) else ""
        return Summary(self.files, self.records, self.findings, self.checks, tuple(unchecked), self.failed, worst)

    def _examine(self, job: _Job, split: bool = False) -> _Result:
        """What one file gives. A file that cannot be read is no exception here."""
        try:
            if job.place.kind == "memory":
                return self._memory(job)
            return self._rows(job, split)
        except CannotRead as error:
            return _Result([], why=str(error.facts["why"]), failed=_should_be_readable(job.place.path))
        except OSError as error:
            return _Result([], why=(error.strerror or str(error)).lower(), failed=True)

    def _rows(self, job: _Job, split: bool) -> _Result:
        path, kind = job.place
        target = Target(path, listing.shown(job.workspace, path), kind, job.workspace)
        compared: list[Any] = []
        store = self._sealed(job.workspace)

        def seal(fd: int, headers: int) -> Any:
            compared.append(seals.compare(store, path, fd, headers) if store else None)
            return compared[-1]

        examination = Examination(target, facts=self.facts, tz=self.tz, split=split, seal=seal)
        found = [(*hit.finding[:-1], dict(hit.finding.data)) for hit in examination.hits()]
        self.rows[path] = examination.rows
        return _Result(
            found,
            examination.records,
            examination.checks,
            examination.oversize,
            examination.header,
            sealed=bool(compared and compared[0]),
        )

    def _sealed(self, workspace: Workspace) -> Store | None:
        """Where the seals of a workspace are, None when nothing of it was ever sealed."""
        if workspace.root not in self._stores:
            try:
                store = sealing.store(workspace)
                self._stores[workspace.root] = store if seals.exist(store) else None
            except RefusedForSafety as error:  # looking at files needs no state folder
                self._stores[workspace.root] = None
                self.unchecked.append(f"the seals: {error.sentence.partition('.')[0]}")
        return self._stores[workspace.root]

    def _memory(self, job: _Job) -> _Result:
        judged = texts.judge(job.workspace, job.place.path)
        found = [(*finding[:-1], dict(finding.data)) for finding in judged]
        return _Result(found, sealed=True)

    def _counted(self, job: _Job, result: _Result) -> Iterator[Finding]:
        self.files += 1
        self.records += result.records
        self.checks += result.checks
        self.oversize += result.oversize
        if result.why:
            self.failed = self.failed or result.failed
            self.unchecked.append(f"{listing.shown(job.workspace, job.place.path)}: {result.why}")
            self._unread.append((job.place.path, result.why))
            return
        self.unsealed += not result.sealed
        found = [Finding(*values) for values in result.findings]
        for finding in sorted(found, key=lambda one: one.offset or 0):
            yield self._noted(finding)

    def _around(self, workspace: Workspace, places: Sequence[Place], seen: Sequence[Seen]) -> Iterator[Finding]:
        """What the classes of files and of workspaces find."""
        table = effects(workspace.agent)
        found: list[Finding] = []
        for file in surroundings.file_snapshots(workspace, places):
            found += [finding for module in modules("file") for finding in module.detect(file)]
        self._snapshot = snapshot = surroundings.snapshot(
            workspace, places, seen, lambda path, kind: self._screened(workspace, path, kind)
        )
        found += [finding for module in modules("workspace") for finding in module.detect(snapshot)]
        if self.kinds:
            asked = {place.path for place in places} | self._missing(snapshot)
            found = [finding for finding in found if finding.path in asked]
        for finding in found:
            effect = finding.effect or table.get(finding.code, "")
            yield self._noted(finding._replace(path=listing.shown(workspace, finding.path), effect=effect))

    def _missing(self, snapshot: WorkspaceSnapshot) -> set[str]:
        """The cursor files that findings can be about and that do not exist."""
        cursors = [one for journal in snapshot.journals for one in (journal.allocated, journal.processed) if one]
        return {one.path for one in cursors} if "cursor" in self.kinds else set()

    def _screened(self, workspace: Workspace, path: str, kind: str) -> RowsSnapshot | None:
        return screened(Target(path, path, kind, workspace), self.tz)

    def _not_judged(self, workspace: Workspace) -> None:
        """What no class looks at: stores that are no files of rows."""
        if self.kinds:
            self.unchecked.append(f"everything but the {' and '.join(f'{kind}s' for kind in self.kinds)}")
            return
        for folder in (workspace.root, *workspace.sessions):
            for name in _names(folder):
                if name.endswith((".db", ".sqlite", ".sqlite3", ".db.bak")):
                    path = os.path.join(folder, name)
                    self.unchecked.append(f"{listing.shown(workspace, path)}: a database is not read")
        if not self.facts:
            self.unchecked.append("rows against each other, and the files around them")
        elif self._snapshot is not None:
            self.unchecked += repositories.unread(self._snapshot.versions)

    def _noted(self, finding: Finding) -> Finding:
        self.findings += 1
        self.worst = min(self.worst, SEVERITIES.index(finding.severity))
        return finding


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except OSError:
        return 0


def _should_be_readable(path: str) -> bool:
    """Whether it is a plain file that could not be read, and not a FIFO or a folder, which a class names."""
    try:
        return stat.S_ISREG(os.stat(path).st_mode)
    except FileNotFoundError:
        return not os.path.islink(path)
    except OSError:
        return True


def _names(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


def _many(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
