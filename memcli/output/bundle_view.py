"""Writing a bundle: where it goes, what is in it, and how to look at it before it is sent."""

from __future__ import annotations

import os
import shlex
from typing import Any

from memcli.core import bundle_archive, bundling, discovering, export_places, selecting, verifying
from memcli.model import SessionRef
from memcli.output import Printer
from memcli.output.rich_view import progress
from memcli.output.safe_text import document
from memcli.output.words import many

SUFFIXES = (".tar.gz", ".tgz", ".zip")


def write(
    printer: Printer,
    to: str,
    sessions: list[str],
    named: list[str] | None,
    agent: str | None,
    *,
    force: bool,
    tz: str = "",
) -> int:
    """Make the bundle and tell about it; the exit code. Raises UsageError, NothingFound, CannotRead, CannotWrite."""
    from memcli.errors import UsageError

    path = os.path.expanduser(to)
    if not path.lower().endswith(SUFFIXES):
        raise UsageError(f"{to} ends in none of {', '.join(SUFFIXES)}. Nothing was written.", path=to)
    refs = selecting.several(sessions, named, agent, tz) if sessions else []
    workspaces = list(dict.fromkeys(ref.workspace for ref in refs)) or discovering.find(named, agent)
    printer.notes(workspaces)
    places = [SessionRef(one.agent, "", one.root, one.shown, one) for one in workspaces]
    export_places.check([path], [*refs, *places], force=force, option="--bundle")
    scope = verifying.Scope([] if refs else workspaces, tuple(refs))
    with progress("masking", verifying.bytes_of(scope), printer.quiet):
        made = bundling.make(scope)
        packed = bundle_archive.packed(made.members, path)
    export_places.save(path, [packed], force=force)
    row = as_json(path, made, len(packed))
    if printer.json:
        if printer.wants(row):
            printer.row(row)
    elif printer.wants(row):
        printer.page(page(path, made, len(packed)))
    return 3 if made.failed else int(bool(made.apart))


def as_json(path: str, made: bundling.Bundle, size: int) -> dict[str, Any]:
    """The documented row."""
    return {
        "type": "bundle",
        "path": path,
        "size": size,
        "files": made.files,
        "findings": made.findings,
        "healthy": made.healthy,
        "apart": list(made.apart),
        "left_out": list(made.left_out),
    }


def page(path: str, made: bundling.Bundle, size: int) -> str:
    """The same for people."""
    healthy = f"; {many(made.healthy, 'healthy session')} only counted" if made.healthy else ""
    shown = shlex.quote(path)
    look = f"unzip -l {shown}" if path.lower().endswith(bundle_archive.ZIP) else f"tar tzf {shown}"
    lines = [
        f"Wrote {path}: {many(made.files, 'file')}, {many(made.findings, 'finding')}, {many(size, 'byte')}{healthy}.",
        "All text is replaced by filler; names and ids are others. Times, sizes and the agent's own words stay.",
        *made.left_out,
        *(f"Not the same: {clause}." for clause in made.apart),
        f"Look at it before you send it:  {look}",
        f"What verify finds in it:        memcli verify -W {shown}",
    ]
    return "\n".join(map(document, lines))
