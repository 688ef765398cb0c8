"""A repository full of traps: whatever git can be told to run leaves a mark of its own when it runs."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from support.repository import git

NAME = "memory/MEMORY.md"


class Trap(NamedTuple):
    """One way to make git run something: settings of the repository (each {} is the program), other files of it, and a plain
    command that falls into it."""

    settings: tuple[tuple[str, str], ...]
    files: tuple[tuple[str, str], ...]
    plain: tuple[str, ...]


_SOMEBODY = (("user.name", "t"), ("user.email", "t@example.invalid"))
TRAPS = {
    "fsmonitor": Trap((("core.fsmonitor", "{}"),), (), ("status",)),
    "hook": Trap((), ((".git/hooks/post-index-change", "{}"),), ("update-index", "--force-write-index", "--refresh")),
    "hooks-path": Trap((("core.hooksPath", "traps"),), (("traps/post-index-change", "{}"),), ("add", "--", NAME)),
    "filter-clean": Trap(
        (("filter.trap.clean", "{}"),), ((".git/info/attributes", f"{NAME} filter=trap\n"),), ("diff",)
    ),
    "filter-in-tree": Trap((("filter.in.clean", "{}"),), ((".gitattributes", "*.md filter=in\n"),), ("diff",)),
    "filter-process": Trap(
        (("filter.long.process", "{}"),), ((".git/info/attributes", "*.md filter=long\n"),), ("diff",)
    ),
    "filter-smudge": Trap(
        (("filter.out.smudge", "{}"),),
        ((".git/info/attributes", "*.md filter=out\n"),),
        ("cat-file", "--filters", f"HEAD:{NAME}"),
    ),
    "textconv-diff": Trap(
        (("diff.words.textconv", "{}"),), ((".git/info/attributes", "*.md diff=words\n"),), ("log", "-p")
    ),
    "textconv-blame": Trap(
        (("diff.words.textconv", "{}"),),
        ((".git/info/attributes", "*.md diff=words\n"),),
        ("blame", "HEAD", "--", NAME),
    ),
    "textconv-show": Trap(
        (("diff.words.textconv", "{}"),),
        ((".gitattributes", "*.md diff=words\n"),),
        ("cat-file", "--textconv", f"HEAD:{NAME}"),
    ),
    "external-diff": Trap((("diff.external", "{}"),), (), ("diff", "HEAD~1")),
    "diff-driver": Trap(
        (("diff.mine.command", "{}"),), ((".git/info/attributes", "*.md diff=mine\n"),), ("diff", "HEAD~1")
    ),
    "gpg": Trap((("gpg.program", "{}"), ("log.showSignature", "true")), (), ("log", "-1")),
    "gpg-ssh": Trap(
        (
            ("gpg.format", "ssh"),
            ("gpg.ssh.program", "{}"),
            ("gpg.openpgp.program", "{}"),
            ("log.showSignature", "true"),
        ),
        (),
        ("show", "-s"),
    ),
    "hook-reference": Trap(
        (), ((".git/hooks/reference-transaction", "{}"),), ("update-ref", "refs/heads/other", "HEAD")
    ),
    "hooks-commit": Trap(
        _SOMEBODY,
        tuple(
            (f".git/hooks/{name}", "{}") for name in ("pre-commit", "prepare-commit-msg", "commit-msg", "post-commit")
        ),
        ("commit", "--allow-empty", "-m", "x"),
    ),
    "gpg-commit": Trap(
        (*_SOMEBODY, ("gpg.program", "{}"), ("commit.gpgSign", "true")), (), ("commit", "--allow-empty", "-m", "x")
    ),
    "editor": Trap((*_SOMEBODY, ("core.editor", "{}")), (), ("commit", "--allow-empty")),
    "filter-add": Trap(
        (("filter.in.clean", "{}"), ("filter.in.required", "true")),
        (("memory/.gitattributes", "MEMORY.md filter=in\n"),),
        ("hash-object", NAME),
    ),
    "include": Trap((("include.path", "more"),), ((".git/more", "[diff]\n\texternal = {}\n"),), ("diff", "HEAD~1")),
    "include-if": Trap(
        (("includeIf.gitdir:**.path", "more"),), ((".git/more", "[core]\n\tfsmonitor = {}\n"),), ("status",)
    ),
    "fetch": Trap(
        (
            ("core.repositoryFormatVersion", "1"),
            ("extensions.partialClone", "origin"),
            ("remote.origin.promisor", "true"),
            ("remote.origin.url", "ext::{}"),
            ("protocol.ext.allow", "always"),
        ),
        (),
        ("cat-file", "-p", "{lost}"),
    ),
    "fetch-ssh": Trap(
        (
            ("core.repositoryFormatVersion", "1"),
            ("extensions.partialClone", "origin"),
            ("remote.origin.promisor", "true"),
            ("remote.origin.url", "ssh://nowhere.invalid/x"),
            ("core.sshCommand", "{}"),
        ),
        (),
        ("cat-file", "-p", "{lost}"),
    ),
    "fetch-upload-pack": Trap(
        (
            ("core.repositoryFormatVersion", "1"),
            ("extensions.partialClone", "origin"),
            ("remote.origin.promisor", "true"),
            ("remote.origin.url", "{folder}"),
            ("remote.origin.uploadpack", "{}"),
        ),
        (),
        ("cat-file", "-p", "{lost}"),
    ),
}


class Trapped(NamedTuple):
    """A repository with a trap in it. `mark` is there once it was sprung; `lost` is the id of a blob that is missing,
    "" for none."""

    folder: Path
    mark: Path
    lost: str


def lay(trap: Trap, folder: Path, beside: Path) -> Trapped:
    """Put a trap into a repository whose last commit is signed and has NAME, which was edited since."""
    beside.mkdir(exist_ok=True)
    mark, program = beside / "ran", beside / "trap.sh"
    program.write_text(f"#!/bin/sh\necho \"$0 $@\" >> '{mark}'\nexit 1\n")
    program.chmod(0o755)
    sign(folder)
    lost = ""
    if "{lost}" in trap.plain:
        lost = git(folder, "rev-parse", f"HEAD~1:{NAME}")
        (folder / ".git" / "objects" / lost[:2] / lost[2:]).unlink()
    (folder / NAME).write_text((folder / NAME).read_text() + "- by hand\n")
    for name, text in trap.files:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(program.read_text() if text == "{}" else text.format(program))
        if text == "{}":
            path.chmod(0o755)
    for key, value in trap.settings:
        git(folder, "config", key, value.format(program, folder=folder))
    mark.unlink(missing_ok=True)
    return Trapped(folder, mark, lost)


def spring(trap: Trap, trapped: Trapped) -> bool:
    """Whether plain git, run there as its user would, falls into the trap. The mark is taken away again."""
    plain(trapped.folder, [word.format(lost=trapped.lost) if "{lost}" in word else word for word in trap.plain])
    sprung = trapped.mark.exists()
    trapped.mark.unlink(missing_ok=True)
    return sprung


def plain(folder: Path, words: Sequence[str]) -> int:
    """Run git with nothing but the repository's own configuration; its exit status."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    own = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "GIT_TERMINAL_PROMPT": "0"}
    return subprocess.run(["git", *words], cwd=folder, env={**kept, **own}, capture_output=True, timeout=60).returncode


def sign(folder: Path) -> None:
    """Give the last commit a signature, of nobody, so that showing it is a reason to check one."""
    text = git(folder, "cat-file", "commit", "HEAD")
    about, blank, message = text.partition("\n\n")
    signature = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n iQ==\n -----END PGP SIGNATURE-----"
    made = subprocess.run(
        ["git", "hash-object", "-t", "commit", "-w", "--stdin"],
        cwd=folder,
        input=f"{about}\n{signature}{blank}{message}\n",
        capture_output=True,
        text=True,
        check=True,
    )
    git(folder, "update-ref", "HEAD", made.stdout.strip())
