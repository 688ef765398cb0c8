"""Files of other programs in the agent's own folders: build output, database files, libraries, another kind of file."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator

from memcli.core.checks.framework import SHOWN, Case, Check, evidence, groups, many
from memcli.formats import habits

CHECK = "foreign"
LOOKED = "files of other programs"
CODES = ("foreign-type",)
KINDS: tuple[str, ...] = ()
KNOWN = (
    (
        "Java",
        re.compile(
            r".*\.(class|jar|war|java)|hibernate.*\.(xml|properties)|persistence\.xml|pom\.xml|.*\.mv\.db|.*\.trace\.db",
            re.I,
        ),
    ),
    ("Gradle", re.compile(r"(build|settings)\.gradle(\.kts)?|gradlew(\.bat)?", re.I)),
    ("Node", re.compile(r"node_modules|package(-lock)?\.json|yarn\.lock|pnpm-lock\.yaml", re.I)),
    ("Python", re.compile(r"__pycache__|.*\.py[co]|\.venv|venv|requirements\.txt|.*\.egg-info", re.I)),
    ("a database", re.compile(r".*\.(db|sqlite3?|db3|mdb|frm|ibd|faiss)(-wal|-shm|-journal)?", re.I)),
)


def look(case: Case) -> Iterator[Check]:
    """A line for each folder that holds such files, and one for sessions that are another kind of file."""
    own = habits(case.workspace.agent).OWN
    for folder in dict.fromkeys((*case.workspace.sessions, *case.workspace.memory)):
        found = [(name, kind) for name in _names(folder) if name not in own and (kind := _kind(name))]
        if not found:
            continue
        kinds = ", ".join(dict.fromkeys(kind for _, kind in found))
        told = [f"{os.path.join(folder, name)} belongs to {kind}." for name, kind in found[:SHOWN]]
        message = f"{many(len(found), 'file')} of other programs ({kinds}) in {case.name(folder)}: no agent writes or reads these"
        paths = [os.path.join(folder, name) for name, _ in found]
        yield Check(CHECK, "warning", message, len(found), _aside(case, paths), tuple(told))
    for group in groups(case.told[CHECK]):
        message = (
            f"{many(len(group.paths), 'session file')} {'is' if len(group.paths) == 1 else 'are'} another kind of file"
        )
        command = case.about(group.paths[0], "doctor")
        yield Check(CHECK, group.state, message, len(group.paths), command, evidence(case, group.findings))


def _kind(name: str) -> str:
    return next((kind for kind, pattern in KNOWN if pattern.fullmatch(name)), "")


def _aside(case: Case, paths: list[str]) -> str:
    """What moves them out of the agent's folder, to one beside the workspace, replacing nothing."""
    into = f"{case.workspace.root}.foreign"
    return f"{shlex.join(['mkdir', '-p', into])} && {shlex.join(['mv', '-n', '-t', into, '--', *paths])}"


def _names(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []
