"""Parameters that several commands share, each written once."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

import typer


class Color(StrEnum):
    """When to use colour."""

    auto = "auto"
    always = "always"
    never = "never"


def complete_session(ctx: typer.Context, incomplete: str) -> list[str]:
    """Session keys for TAB: from file names, only those that no shell could run as code."""
    try:
        from memcli.core.selecting import safe_keys

        given = ctx.params.get("workspace") or _from_parents(ctx)
        return safe_keys(list(given or []), incomplete)
    except Exception:
        return []  # TAB must never print an error into a half-typed command line


def _from_parents(ctx: Any) -> Any:
    while ctx is not None:
        if ctx.params.get("workspace"):
            return ctx.params["workspace"]
        ctx = ctx.parent
    return None


WorkspaceOption = Annotated[
    list[str] | None,
    typer.Option(
        "-W",
        "--workspace",
        metavar="PATH",
        help="A workspace, a sessions or memory folder, one file (.jsonl, .gz), - for standard input, or a .zip/.tar.gz; "
        "may be repeated. Default: $MEMCLI_WORKSPACE, else the nearest known layout, else the agents' usual homes.",
        show_default=False,
    ),
]
AgentOption = Annotated[
    str | None,
    typer.Option(
        "--agent",
        metavar="NAME",
        help="Read files as this agent writes them: catbuddy, nanobot, cococat or jsonl.",
        show_default=False,
    ),
]
VersionOption = Annotated[bool, typer.Option("--version", help="Print the version and leave.")]
JsonOption = Annotated[bool, typer.Option("--json", help="One JSON object a line (docs/json-rows.md).")]
QueryOption = Annotated[
    str | None,
    typer.Option(
        "--query", metavar="JMESPATH", help="Shape each JSON row; implies --json.", show_default=False
    ),
]
WhereOption = Annotated[
    str | None,
    typer.Option(
        "--where", metavar="JMESPATH", help="Keep the rows for which this is true.", show_default=False
    ),
]
ColorOption = Annotated[
    Color, typer.Option("--color", metavar="WHEN", help="Use colour: auto, always or never.", show_default=True)
]
QuietOption = Annotated[bool, typer.Option("-q", "--quiet", help="Print data and errors only.")]
TzOption = Annotated[
    str,
    typer.Option(
        "--tz",
        metavar="NAME",
        help="Time zone of times stored without one, such as Asia/Shanghai. Default: local.",
        show_default=False,
    ),
]
SinceOption = Annotated[
    str | None,
    typer.Option(
        "--since", metavar="TIME", help="Not before: an ISO time, 2d, 36h, today or yesterday.", show_default=False
    ),
]
UntilOption = Annotated[
    str | None,
    typer.Option("--until", metavar="TIME", help="Not after; the same forms as --since.", show_default=False),
]
