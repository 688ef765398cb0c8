"""Committing to a repository by plumbing alone: blobs, trees, commits and the branch that is checked out.

Nothing that the repository names is run, the files of the work tree are not touched, nobody's identity is needed, and what
others have staged stays staged (git_index.py). Everything raises CannotRead when git does not do it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

from memcli.storage import git_history, system
from memcli.storage.git_keep import ID, Keep, Site, attributes, configured, refusal
from memcli.storage.git_process import output, unread

__all__ = ["BY_HAND", "FOUND", "Held", "Keep", "chain", "entries", "held", "move", "reached", "refusal"]

BY_HAND = "memcli: changes made by hand"
"""The commit of what stood in a file and in no commit, made before memcli changes it."""
FOUND = "memcli: the memory as it was found"
"""The same where there is no commit yet."""
WHO, EMAIL = "memcli", "memcli@localhost"
PLAIN = "100644"


class Held(NamedTuple):
    """What commits have of a file: entries of trees ("MODE ID", "" for none) before, then with what was changed by hand (as
    before where that is in the commit already), then `after`."""

    name: str
    before: str
    hand: str
    after: str


def entries(keep: Keep, commit: str | None, names: Sequence[str]) -> dict[str, str]:
    """The entries that a commit (None: there is none) has of the files `names`; "" for one that it has not."""
    found = dict.fromkeys(names, "")
    if commit is None or not names:
        return found
    for entry in output(keep.folder, ["ls-tree", "-z", commit, "--", *names]).split(b"\0"):
        about, tab, name = entry.partition(b"\t")
        if tab and os.fsdecode(name) in found:
            mode, kind, id = about.decode().split()
            if kind != "blob" or mode == "120000":
                what = "a symlink" if kind == "blob" else "no file"
                raise unread(keep.folder, f"{os.fsdecode(name)} is {what} in its last commit")
            found[os.fsdecode(name)] = f"{mode} {id}"
    return found


def held(
    keep: Keep, at: Site, commit: str | None, contents: Mapping[str, bytes | None], hand: Mapping[str, bytes | None]
) -> tuple[Held, ...]:
    """What is to be committed on top of a commit, the contents written to the repository, without files that stay as they are."""
    names = sorted({*contents, *hand})
    before = entries(keep, commit, names)
    store = _Storing(keep, at, commit)
    found = []
    for name in names:
        was = before[name]
        by_hand = store.entry(name, hand[name], was) if name in hand else was
        after = store.entry(name, contents[name], by_hand or was) if name in contents else by_hand
        if {was, by_hand, after} != {was}:
            found.append(Held(name, was, by_hand, after))
    return tuple(found)


def chain(
    keep: Keep, parent: str | None, files: Sequence[Held], message: str, seconds: float, scratch: str
) -> tuple[str, ...]:
    """The commits that bring `files` on top of `parent`, written but not on any branch, oldest first: what was changed by hand,
    where there is that, and the rest with `message`. `scratch` is a path for an index of their own."""
    trees = _Trees(keep, parent, scratch)
    made: list[str] = []
    try:
        for changed, said in (
            ({one.name: one.hand for one in files if one.hand != one.before}, BY_HAND if parent else FOUND),
            ({one.name: one.after for one in files if one.after != one.hand}, message),
        ):
            if changed:
                tree = trees.write(changed)
                made.append(_commit(keep, tree, made[-1] if made else parent, said, seconds))
    finally:
        drop_scratch(scratch)
    return tuple(made)


def move(keep: Keep, new: str, old: str, seconds: float) -> None:
    """Let the branch that is checked out lead to commit `new`, if it still leads to `old` ("" on either side: there is none)."""
    length = len(new or old)
    words = ["update-ref", "-m", f"memcli: {new[:8] or 'taken back'}"]
    words += ["HEAD", new, old or "0" * length] if new else ["-d", "HEAD", old]
    run(keep, words, seconds=seconds)


def reached(keep: Keep, commit: str) -> bool:
    """Whether a commit is in the history of the one that is checked out."""
    if git_history.head(keep.folder) is None or git_history.resolve(keep.folder, commit) is None:
        return False
    return not output(keep.folder, ["rev-list", "--max-count=1", commit, "--not", "HEAD"]).strip()


def index_info(entries: Mapping[str, str], length: int) -> bytes:
    """What `update-index -z --index-info` is given to have these entries, "" for none."""
    lines = [f"{entry or '0 ' + '0' * length}\t".encode() + os.fsencode(name) for name, entry in entries.items()]
    return b"".join(line + b"\0" for line in lines)


def update_index(keep: Keep, path: str, entries: Mapping[str, str]) -> None:
    """Give the index in a file of ours these entries."""
    length = max(len(entry.partition(" ")[2]) for entry in [*entries.values(), "0 " + "0" * 40])
    run(keep, ["update-index", "-z", "--index-info"], index_info(entries, length), {"GIT_INDEX_FILE": path})


def drop_scratch(path: str) -> None:
    """Remove an index of ours, and what a git that was killed left of it, where they are. Never raises OSError."""
    for one in (path, f"{path}.lock"):
        if os.path.lexists(one):
            with suppress(OSError):
                system.unlink(one)


class _Storing:
    """Writes contents as blobs, as git would store them: a repository can say that lines end in LF in its commits."""

    def __init__(self, keep: Keep, at: Site, commit: str | None) -> None:
        self._keep, self._site, self._commit = keep, at, commit

    def entry(self, name: str, content: bytes | None, like: str) -> str:
        """The entry of a file with this content, of the mode of the entry `like`."""
        if content is None:
            return ""
        if b"\r\n" in content and not self._site.bare and self._converted(name, content):
            content = content.replace(b"\r\n", b"\n")
        id = run(self._keep, ["hash-object", "-w", "--stdin", "--no-filters"], content).decode().strip()
        return f"{like.partition(' ')[0] or PLAIN} {id}"

    def _converted(self, name: str, content: bytes) -> bool:
        found = attributes(self._keep, self._site, [name]).get(name, {})
        text = found.get("text", "")
        if text == "unset":
            return False
        if text == "set" or (not text and "eol" in found):
            return True
        if (text != "auto" and not self._auto()) or b"\0" in content:
            return False
        [before] = git_history.contents(self._keep.folder, [(self._commit, name)]) if self._commit else [None]
        return b"\r\n" not in (before or b"")

    def _auto(self) -> bool:
        found = configured(self._keep.folder, r"^core\.autocrlf$").get("core.autocrlf", "")
        return found.lower() in ("true", "yes", "on", "1", "input")


class _Trees:
    """Trees that differ from a commit's in a few files."""

    def __init__(self, keep: Keep, parent: str | None, scratch: str) -> None:
        self._keep, self._scratch = keep, scratch
        self._extra = {"GIT_INDEX_FILE": scratch}
        drop_scratch(scratch)
        run(keep, ["read-tree", parent or "--empty"], extra=self._extra)

    def write(self, entries: Mapping[str, str]) -> str:
        """The id of the tree that also has these entries."""
        update_index(self._keep, self._scratch, entries)
        return run(self._keep, ["write-tree", "--missing-ok"], extra=self._extra).decode().strip()


def _commit(keep: Keep, tree: str, parent: str | None, message: str, seconds: float) -> str:
    words = ["commit-tree", "--no-gpg-sign", tree, *(["-p", parent] if parent else [])]
    text = message.replace("\0", "").strip("\n") + "\n"
    id = run(keep, words, text.encode("utf-8", "replace"), seconds=seconds).decode().strip()
    if not ID.fullmatch(id):
        raise unread(keep.folder, "git names no commit")
    return id


def run(
    keep: Keep,
    words: Sequence[str],
    given: bytes | None = None,
    extra: Mapping[str, str] | None = None,
    seconds: float = 0.0,
) -> bytes:
    """All that one git says that writes; the only place where such a one is started."""
    return output(keep.folder, [*_WRITING, *words], given, extra={**_identity(seconds), **(extra or {})})


def _identity(seconds: float) -> dict[str, str]:
    import time

    offset = time.localtime(seconds).tm_gmtoff // 60
    zone = f"{'-' if offset < 0 else '+'}{abs(offset) // 60:02d}{abs(offset) % 60:02d}"
    found: dict[str, str] = {}
    for who in ("AUTHOR", "COMMITTER"):
        found |= {f"GIT_{who}_NAME": WHO, f"GIT_{who}_EMAIL": EMAIL, f"GIT_{who}_DATE": f"@{int(seconds)} {zone}"}
    return found


_WRITING = (
    *("-c", "core.fsync=all"),
    *("-c", "core.splitIndex=false"),
    *("-c", "i18n.commitEncoding=UTF-8"),
)
