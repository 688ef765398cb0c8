"""What `doctor` looks at in a workspace, what hurts most first; and the look over one workspace by all of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, cast

from memcli.core import listing
from memcli.core.checks.framework import OK, STATES, Case, Check, CheckModule
from memcli.core.verifying import Looked
from memcli.model import Finding

if TYPE_CHECKING:
    from memcli.damage.framework import WorkspaceSnapshot

_CHECKS = (
    "unread",
    "disk",
    "chain",
    "encodings",
    "sessions",
    "locks",
    "journal",
    "dream",
    "ours",
    "leftovers",
    "generations",
    "memory",
    "versions",
    "repository",
    "foreign",
    "turns",
    "sizes",
    "permissions",
)


@cache
def checks() -> tuple[CheckModule, ...]:
    """The modules of this package that are checks."""
    return tuple(cast("CheckModule", import_module(f"{__name__}.{name}")) for name in _CHECKS)


def case(looked: Looked, findings: Iterable[Finding], options: Sequence[str], tz: str = "") -> Case:
    """The case of a workspace, every finding given to the one check that tells it."""
    kinds = _kinds(looked.snapshot)
    told: dict[str, list[Finding]] = {module.CHECK: [] for module in checks()}
    for finding in findings:
        told[teller(finding.code, kinds.get(finding.path, ""))].append(finding)
    return Case(looked, told, options, tz)


def teller(code: str, kind: str) -> str:
    """The check that tells a damage: the one that names its code, else the one of that kind of file."""
    for module in checks():
        if code in module.CODES:
            return module.CHECK
    return next((module.CHECK for module in checks() if kind in module.KINDS), "sessions")


def overview(case: Case) -> Iterator[Check]:
    """Every line about a workspace, what hurts most first; then a line for each check that found nothing."""
    found = [(module, list(module.look(case))) for module in checks()]
    lines = [check for _, made in found for check in made]
    yield from sorted(lines, key=lambda check: STATES.index(check.state))  # the order of the table among equals
    yield from (Check(module.CHECK, OK, f"nothing wrong with {module.LOOKED}") for module, made in found if not made)


def _kinds(snapshot: WorkspaceSnapshot) -> dict[str, str]:
    """What kind of file each path is, by the paths that findings have; a journal is one wherever it is listed."""
    workspace = snapshot.workspace
    kinds = {listing.shown(workspace, file.path): file.kind for file in snapshot.files}
    kinds.update((listing.shown(workspace, journal.path), "journal") for journal in snapshot.journals)
    return kinds
