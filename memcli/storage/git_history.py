"""The history of files in a git repository: commits, contents, differences, and which commit a line comes from.

Only plumbing that reads objects: rev-list, rev-parse, cat-file, diff-tree, and blame of a commit, never of the work tree.
Names of files are relative to the work tree. Everything raises CannotRead when git cannot tell.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from io import BufferedReader
from typing import BinaryIO, NamedTuple, cast

from memcli.errors import CannotRead
from memcli.storage.git import named_on
from memcli.storage.git_process import FAILS, NAME, Running, output, unread
from memcli.storage.passages import UNENDED, Passage
from memcli.storage.reading import open_regular

EMPTY = {
    40: "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    64: "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
}
"""The tree without files, by the length of the repository's ids: git knows it without its being there."""


class FileChange(NamedTuple):
    """One file that a commit changed: lines that came and went, None for a file with binary content."""

    name: str
    added: int | None
    removed: int | None


class Commit(NamedTuple):
    """One commit. `time` is the committer's and `written` the author's, ISO with a zone; `subject` is the first line of the
    message, `body` the rest of it."""

    id: str
    parents: tuple[str, ...]
    time: str
    written: str
    author: str
    subject: str
    body: str
    changes: tuple[FileChange, ...] = ()

    @property
    def trailers(self) -> dict[str, list[str]]:
        """The `Name: value` lines at the end of the message, if its last paragraph has nothing else."""
        return trailers(self.body)


class Origin(NamedTuple):
    """Where a line comes from: its commit and its number in that commit's version. `boundary`: the history ends there (a shallow
    clone), so that an older commit may have brought it."""

    commit: str
    line: int
    boundary: bool


def resolve(folder: str, name: str) -> str | None:
    """The id of the commit that a name (an id or the beginning of one, a branch, HEAD~2 ...) means; None for no single one."""
    if not name or name.startswith("-") or "\n" in name or "\0" in name:
        return None
    try:
        found = output(folder, ["rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}"])
    except CannotRead as error:
        if error.facts["why"] == FAILS or re.search(_UNKNOWN, str(error.facts["why"])):
            return None
        raise
    id = found.strip()  # of "^NAME" and "NAME..OTHER" it is no id
    return id.decode() if re.fullmatch(_ID, id) else None


def head(folder: str) -> str | None:
    """The id of the commit that is checked out; None where there is no commit yet."""
    found = resolve(folder, "HEAD")
    if found is None:
        try:
            id = output(folder, ["rev-parse", "--verify", "--quiet", "HEAD"]).decode().strip()
        except CannotRead as error:
            if error.facts["why"] == FAILS:
                return None
            raise
        raise unread(folder, f"the last commit, {id[:8]}, is lost or damaged")
    return found


def before(folder: str, seconds: float) -> str | None:
    """The id of the last commit on the checked out branch that was made up to a time; None where there is none."""
    words = ["rev-list", "--max-count=1", f"--min-age={int(seconds)}", "HEAD"]
    try:
        return output(folder, words).decode().strip() or None
    except CannotRead as error:
        if re.search(_UNBORN, str(error.facts["why"])):
            return None
        raise


def log(folder: str, count: int, names: Sequence[str] = (), start: str = "HEAD") -> list[Commit]:
    """The newest commits, at most `count`, that changed one of `names` (none: anything); what is said of their changes is about
    these names only. [] where there is no commit yet."""
    try:
        ids = output(folder, ["rev-list", f"--max-count={count}", start, "--", *names])
    except CannotRead as error:
        if start == "HEAD" and re.search(_UNBORN, str(error.facts["why"])):
            return []
        raise
    if not ids:
        return []
    words = ["diff-tree", "--stdin", "--always", "--root", "-r", "--diff-merges=first-parent", "--numstat", *_QUIETLY]
    return _commits(output(folder, [*words, "--encoding=UTF-8", _FORMAT, "--", *names], ids))


def described(folder: str, ids: Iterable[str]) -> dict[str, Commit]:
    """What commits say of themselves, by id, without their changes."""
    given = "".join(f"{id}\n" for id in dict.fromkeys(ids)).encode()
    if not given:
        return {}
    words = ["diff-tree", "--stdin", "--always", "-s", "--root", "--encoding=UTF-8", _FORMAT]
    return {commit.id: commit for commit in _commits(output(folder, words, given))}


def contents(folder: str, places: Sequence[tuple[str, str]]) -> list[bytes | None]:
    """What files held in commits (whole ids), given as (commit, name); None where the commit has no such file."""
    plain = [place for place in places if "\n" not in place[1]]
    given = b"".join(os.fsencode(f"{commit}:{name}\n") for commit, name in plain)
    found: dict[tuple[str, str], bytes | None] = {}
    if plain:
        with Running(folder, ["cat-file", "--batch"], given=given) as out:
            for place in plain:
                found[place] = _object(out)
    for commit, name in plain:
        if found[commit, name] is None and _is_file(folder, commit, name):
            raise unread(folder, f"what {commit[:8]} has of {name} is lost or damaged")
    return [found.get(place) for place in places]


def differences(folder: str, old: str | None, new: str, names: Sequence[str] = ()) -> Iterator[Passage]:
    """What differs between two commits (`old` None: everything is new) in the files `names` (none: in all)."""
    tree = old or EMPTY[len(new)]
    words = ["diff-tree", "-p", "-r", "--text", "--unified=3", "--inter-hunk-context=0", "--no-color", *_QUIETLY]
    words += ["--src-prefix=a/", "--dst-prefix=b/", tree, new, "--", *names]
    with Running(folder, words) as out:
        path = ""
        for line in out:
            at = re.match(_AT, line)
            if at:
                yield _passage(out, path, at)
            elif line.startswith((b"--- ", b"+++ ")):
                path = named_on(line) or path


def blame(folder: str, commit: str, name: str) -> list[Origin]:
    """Where each line of a file as a commit has it comes from."""
    found: list[Origin] = []
    cut = _shallow(folder)
    out = output(folder, ["blame", "--porcelain", "--root", "--no-textconv", commit, "--", name])
    for line in out.split(b"\n"):
        start = None if line.startswith(b"\t") else re.match(_LINE, line)
        if start:
            found.append(Origin(start[1].decode(), int(start[2]), start[1].decode() in cut))
    return found


def is_shallow(folder: str) -> bool:
    """Whether the history was cut off when the repository was cloned."""
    return bool(_shallow(folder))


def is_boundary(folder: str, commit: str) -> bool:
    """Whether a shallow clone was cut off at a commit: it has parents, and they are not there."""
    return commit in _shallow(folder)


def detached(folder: str) -> bool:
    """Whether a commit is checked out and no branch, so that commits of branches are not in the history that is shown."""
    return re.fullmatch(_ID, _own_file(folder, "HEAD").strip()) is not None


def trailers(body: str) -> dict[str, list[str]]:
    """The `Name: value` lines at the end of a message's body."""
    last = re.split(r"\n[ \t]*\n", body.strip())[-1]
    found: dict[str, list[str]] = {}
    for line in last.split("\n"):
        trailer = re.fullmatch(_TRAILER, line)
        if trailer is None:
            return {}
        found.setdefault(trailer[1], []).append(trailer[2].strip())
    return found


def _is_file(folder: str, commit: str, name: str) -> bool:
    """Whether a commit has a file of that name, its content apart."""
    return output(folder, ["ls-tree", "-z", commit, "--", name]).split(b" ")[1:2] == [b"blob"]


def _shallow(folder: str) -> set[str]:
    """The commits at which a shallow clone ends."""
    return set(_own_file(folder, "shallow").decode("ascii", "replace").split())


def _own_file(folder: str, name: str) -> bytes:
    """A small file of the repository itself; b"" where there is none, also in a linked work tree, whose .git is a file."""
    try:
        own = os.path.join(folder, NAME)
        fd = open_regular(os.path.join(own if os.path.lexists(own) else folder, name))
    except CannotRead:
        return b""
    try:
        return os.pread(fd, 1 << 20, 0)
    finally:
        os.close(fd)


def _commits(out: bytes) -> list[Commit]:
    """What diff-tree said: seven fields for each commit, then a line for each file."""
    pieces = out.split(b"\0")[1:]
    found = []
    for place in range(0, len(pieces) - 7, 8):
        id, parents, time, written, author, message, _, counts = pieces[place : place + 8]
        subject, _, body = message.decode("utf-8", "replace").strip("\n").partition("\n")
        about = (time.decode(), written.decode(), author.decode("utf-8", "replace"), subject, body.strip("\n"))
        changes = tuple(_counts(counts))
        found.append(Commit(id.decode(), tuple(parents.decode().split()), *about, changes))
    return found


def _counts(lines: bytes) -> Iterator[FileChange]:
    for line in lines.split(b"\n"):
        added, tab, rest = line.partition(b"\t")
        removed, _, name = rest.partition(b"\t")
        if tab:
            numbers = [None if number == b"-" else int(number) for number in (added, removed)]
            yield FileChange(
                named_on(b"+++ b/" + name if not name.startswith(b'"') else b'+++ "b/' + name[1:]), *numbers
            )


def _object(out: BinaryIO) -> bytes | None:
    """The next answer of cat-file --batch."""
    about = out.readline().split()
    if len(about) != 3 or not about[2].isdigit():
        return None
    content = out.read(int(about[2]))
    out.read(1)
    return content if about[1] == b"blob" else None


def _passage(out: BinaryIO, path: str, at: re.Match[bytes]) -> Passage:
    old, gone, new, came = (1 if number is None else int(number) for number in at.groups())
    lines: list[tuple[str, bytes]] = []
    while gone or came:
        raw = out.readline()
        if not raw:
            break
        mark = raw[:1].decode("ascii", "replace")
        if mark == "\\":
            lines.append(("\\", UNENDED))
            continue
        gone -= mark in " -"
        came -= mark in " +"
        lines.append((mark, raw[1:].removesuffix(b"\n")))
    if cast(BufferedReader, out).peek(1)[:1] == b"\\":
        out.readline()
        lines.append(("\\", UNENDED))
    return Passage(path, old, new, tuple(lines))


_FORMAT = "--format=%x00%H%x00%P%x00%cI%x00%aI%x00%an%x00%B%x00%x00"
_QUIETLY = ("--no-ext-diff", "--no-textconv", "--no-renames", "--ignore-submodules", "--no-relative")
_AT = rb"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@"
_LINE = rb"([0-9a-f]{40}(?:[0-9a-f]{24})?) (\d+) (\d+)(?: \d+)?$"
_ID = rb"[0-9a-f]{40}(?:[0-9a-f]{24})?"
_UNBORN = r"bad revision 'HEAD'|ambiguous argument 'HEAD'|unknown revision"
_UNKNOWN = r"Needed a single revision|ambiguous|unknown revision|expected commit type"
_TRAILER = r"([A-Za-z][A-Za-z0-9-]*): ?(.+)"
