"""Repair from the command line's point of view: which workspaces, planned how, and carried out when."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from memcli import settings
from memcli.core import applying, listing, planning
from memcli.core.applying import Applied
from memcli.core.blueprint import Blueprint
from memcli.core.guarding import CRON_IDLE as CRON_IDLE
from memcli.core.guarding import IDLE as IDLE
from memcli.core.verifying import Scope
from memcli.core.wishes import Wishes
from memcli.damage import classes
from memcli.errors import RefusedForSafety, UsageError
from memcli.formats import load
from memcli.model import SessionRef, Workspace

TRIES = 4
"""So often a workspace is planned anew when an agent saved between plan and write."""
Progress = Callable[[int], None] | None


def wishes(
    *, lossy: bool, only: Sequence[str], flags: dict[str, str], reconstruct: bool = False, to: str | None = None
) -> Wishes:
    """What was asked for. Raises UsageError for an unknown code, an unknown encoding, or wishes that exclude each other."""
    import codecs

    known = {one.code for one in classes()}
    for code in only:
        if code not in known:
            near = ", ".join(sorted(one for one in known if code.split("-")[0] in one)[:5])
            hint = f"; perhaps {near}" if near else ""
            raise UsageError(f"There is no damage code {code!r}{hint}. docs/damage.md lists them all.")
    if "redream" in flags and "skip" in flags:
        raise UsageError("--redream and --skip exclude each other: start again, or go to the end.")
    if flags.get("encoding"):
        try:
            codecs.lookup(flags["encoding"])
        except LookupError as error:
            raise UsageError(
                f"There is no encoding called {flags['encoding']!r}; try gbk, latin-1 or utf-16."
            ) from error
    if reconstruct and to is None:
        raise UsageError(
            "--reconstruct fills in what nobody can know, so it only writes a copy: name it with --to FILE."
        )
    return Wishes(lossy, tuple(only), flags, reconstruct)


def check(*, apply: bool, to: str | None, save_plan: str | None, from_plan: str | None, named: bool) -> None:
    """Raise UsageError for options that exclude each other. `named`: what to look at, or what to mend, was named."""
    if apply and to is not None:
        raise UsageError("--to writes a copy and --apply writes in place; give one of them.")
    if from_plan is not None and (named or to is not None or save_plan is not None):
        raise UsageError("--from-plan holds all that is to be done; give it alone or with --apply.")


def plans(scope: Scope, wanted: Wishes, *, tz: str = "", progress: Progress = None) -> list[Blueprint]:
    """The plan for each workspace of the scope."""
    made = [planning.plan(workspace, wanted, tz=tz, progress=progress) for workspace in scope.workspaces]
    for workspace, refs in _grouped(scope.only):
        made.append(planning.plan(workspace, wanted, only=refs, tz=tz, progress=progress))
    return made


def may_write(scope: Scope, named: bool, *, copies: bool = False) -> list[Workspace]:
    """The workspaces that may be written to. Raises UsageError where it is not certain which one is meant, where files just lie
    in some folder that nobody named, and where what was named is an archive or a stream. `copies`: the command can write a
    copy (--to) instead."""
    workspaces = [*scope.workspaces, *(workspace for workspace, _ in _grouped(scope.only))]
    named = named or bool(settings.named_workspaces())
    for workspace in workspaces:
        if not named and _is_bare(workspace):
            raise UsageError(
                f"{workspace.root} is no known layout but a folder of such files; name it with -W to write there."
            )
    if len(workspaces) > 1 and not named:
        places = ", ".join(workspace.root for workspace in workspaces)
        raise UsageError(f"Several workspaces were found ({places}); name the one to write to with -W.")
    for workspace in workspaces:
        path = next(iter(workspace.files), workspace.root)
        if listing.shown(workspace, path) != path or (workspace.shown or path) not in (path, workspace.root):
            instead = (
                "a repaired copy can be written with --to FILE" if copies else "unpack it, and name the folder with -W"
            )
            raise UsageError(f"{workspace.shown} is no file in its place, but an archive or a stream; {instead}.")
    return workspaces


def _is_bare(workspace: Workspace) -> bool:
    """Whether a workspace is just a folder with files in it: such a one may lie above wherever memcli is started."""
    return workspace.root in (*workspace.sessions, *workspace.memory) or not load(workspace.agent).layout.homes("")


def carry_out(
    blueprint: Blueprint,
    wanted: Wishes,
    *,
    command: Sequence[str],
    idle: float,
    force_live: bool,
    again: Callable[[], Blueprint] | None = None,
    tz: str = "",
) -> tuple[Blueprint, Applied]:
    """Carry out one plan; where an agent saved meanwhile, a new one made by `again`. The plan that it was, and the result,
    which has the refusal when the files change faster than can be planned for. Raises CannotWrite.
    """
    for _ in range(TRIES):
        try:
            done = applying.apply(blueprint, wishes=wanted, command=command, idle=idle, force_live=force_live, tz=tz)
            return blueprint, done
        except RefusedForSafety as error:
            refused = error
        if again is None or refused.facts.get("why") != "changed":
            break
        blueprint = again()
    return blueprint, Applied(blueprint.workspace, "", [], [refused.sentence])


def replanned(blueprint: Blueprint, scope: Scope, wanted: Wishes, tz: str) -> Blueprint:
    """The plan for the same workspace, from what is there now."""
    refs = next((refs for workspace, refs in _grouped(scope.only) if workspace == blueprint.workspace), None)
    return planning.plan(blueprint.workspace, wanted, only=refs, tz=tz)


def _grouped(refs: Sequence[SessionRef]) -> list[tuple[Workspace, list[SessionRef]]]:
    """Named sessions by workspace; files named one by one that lie in one workspace belong together."""
    found: dict[Any, list[SessionRef]] = {}
    for ref in refs:
        found.setdefault((ref.agent, ref.workspace.root), []).append(ref)
    grouped = []
    for together in found.values():
        workspace = together[0].workspace
        if workspace.files:
            files = tuple(dict.fromkeys(path for ref in together for path in ref.workspace.files))
            workspace = workspace._replace(files=files)
        grouped.append((workspace, together))
    return grouped
