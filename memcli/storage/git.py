"""Reading the git repositories that agents and users keep memory in, through GitPython; nothing is ever written.

A repository is somebody else's: none of its programs run (hooks, file system monitor, external diffs, text conversions,
signature checks, remotes), no lock is taken, and neither the user's configuration nor GIT_* variables have a say.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import BinaryIO, NamedTuple

from memcli.errors import CannotRead
from memcli.storage.git_process import NAME as NAME
from memcli.storage.git_process import SECONDS, Running


class Hunk(NamedTuple):
    """What one commit changed at one place of a file: the lines that went, from line `old` on, and those that came, from
    line `new` on, without their ends. `time` is the committer's, ISO with a zone; `path` as it was asked for."""

    commit: str
    time: str
    path: str
    old: int
    removed: tuple[bytes, ...]
    new: int
    added: tuple[bytes, ...]


def around(path: str) -> list[str]:
    """The folders with a repository of their own that `path` lies in, the nearest first."""
    found = []
    folder = os.path.realpath(os.path.dirname(path))
    while True:
        if os.path.lexists(os.path.join(folder, NAME)):
            found.append(folder)
        above = os.path.dirname(folder)
        if above == folder:
            return found
        folder = above


def changes(
    folder: str,
    paths: Sequence[str],
    text: str,
    seconds: float = SECONDS,
    *,
    ignore_case: bool = False,
    tree: str | None = None,
) -> Iterator[Hunk]:
    """The changes of the commits that made `text` stand in one of `paths` more or less often, the newest commit first.

    With `ignore_case` upper and lower case are not told apart. `folder` is the work tree, the paths are below it, or below
    `tree` where the repository is a bare one. All branches count, and what only the reflog remembers. Raises CannotRead when
    git does not get to the end, after what it did find.
    """
    names = {os.path.relpath(path, tree or folder): path for path in paths}
    command = [*_LOG, *(["-i"] if ignore_case else []), f"-S{text}", "--", *names]
    with Running(folder, command, seconds) as out:
        yield from _hunks(out, names)


def committed(folder: str, names: Sequence[str]) -> dict[str, str] | None:
    """The ids of the versions that the last commit has of the files `names` (relative, those that it has); None where there is
    no commit yet. Raises CannotRead."""
    try:
        with Running(folder, ["ls-tree", "-z", "HEAD", "--", *names]) as out:
            entries = [entry.partition(b"\t") for entry in out.read().split(b"\0") if entry]
    except CannotRead as error:
        if "Not a valid object name HEAD" in str(error.facts["why"]):
            return None
        raise
    return {os.fsdecode(name): about.split()[2].decode() for about, _, name in entries}


def commits(folder: str) -> int:
    """How many commits the branch that is checked out has. Raises CannotRead."""
    with Running(folder, ["rev-list", "--count", "HEAD"]) as out:
        return int(out.read() or b"0")


def is_version(raw: bytes, identity: str) -> bool:
    """Whether bytes are what the object with this id holds; a checkout may have ended the lines in CR LF."""
    import hashlib

    make = hashlib.sha256 if len(identity) == 64 else hashlib.sha1

    def named(content: bytes) -> str:
        return make(b"blob %d\0" % len(content) + content).hexdigest()

    return identity in (named(raw), named(raw.replace(b"\r\n", b"\n")))


def named_on(raw: bytes) -> str:
    """The file that a line `--- a/NAME` or `+++ b/NAME` of a difference names; one with odd characters stands in quotes. ""
    for one that is not there."""
    raw = raw[4:].rstrip(b"\n\t")
    if raw.startswith(b'"'):
        raw = _QUOTED.sub(
            lambda found: bytes([int(found[1], 8)]) if found[1] else _SHORT.get(found[2], found[2]), raw[1:-1]
        )
    return os.fsdecode(raw.partition(b"/")[2])


def _hunks(out: BinaryIO, names: Mapping[str, str]) -> Iterator[Hunk]:
    """What stands in the output of git log, whatever the files hold: changed lines are counted, not recognised."""
    commit = time = path = ""
    for line in out:
        hunk = _AT.match(line)
        if line.startswith(b"\0"):
            commit, _, time = line[1:].decode().strip().partition(" ")
        elif line.startswith(_NAMES):
            path = names.get(named_on(line), path)
        elif hunk:
            old, gone, new, came = (1 if number is None else int(number) for number in hunk.groups())
            yield Hunk(commit, time, path, old, _lines(out, gone), new, _lines(out, came))


def _lines(out: BinaryIO, number: int) -> tuple[bytes, ...]:
    lines: list[bytes] = []
    while len(lines) < number:
        line = out.readline()
        if not line:
            break
        if not line.startswith(b"\\"):  # "\ No newline at end of file" is no line of it
            lines.append(line[1:].removesuffix(b"\n"))
    return tuple(lines)


_LOG = (
    *("log", "--all", "--reflog", "--full-history", "-m", "--format=format:%x00%H %cI", "--no-color", "--no-notes"),
    *("--patch", "--unified=0", "--inter-hunk-context=0", "--src-prefix=a/", "--dst-prefix=b/", "--text"),
    *("--no-ext-diff", "--no-textconv", "--no-renames", "--ignore-submodules", "--no-relative"),
)
_NAMES = (b"--- a/", b"+++ b/", b'--- "a/', b'+++ "b/')
_AT = re.compile(rb"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_QUOTED = re.compile(rb"\\(?:([0-7]{3})|(.))")
_SHORT = {b"a": b"\a", b"b": b"\b", b"t": b"\t", b"n": b"\n", b"v": b"\v", b"f": b"\f", b"r": b"\r"}
