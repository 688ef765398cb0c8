"""memcli sessions export: chats as documents for people and programs."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memcli.options import (
        AgentOption,
        AllOption,
        ExportedArgument,
        ExportFormatOption,
        ExportToOption,
        ForceOption,
        QuietOption,
        RedactOption,
        TzOption,
        WorkspaceOption,
    )


def export(
    sessions: ExportedArgument = None,
    workspace: WorkspaceOption = None,
    agent: AgentOption = None,
    every: AllOption = False,
    form: ExportFormatOption = None,
    output: ExportToOption = None,
    redact: RedactOption = False,
    force: ForceOption = False,
    quiet: QuietOption = False,
    tz: TzOption = "",
) -> int:
    """Write chats as Markdown, self-contained HTML pages or JSON; --redact masks secrets.

    One session goes to standard output, or to the file that -o names. Several go into the folder that -o names, one file
    each, named by their keys, with an index page (index.md, index.html, index.json) that links all, newest first; as JSON
    they may also go to standard output, one document a line. The folder is made 0700, files are 0600. Nothing is written
    into an agent's folder, nor over a file without --force. Lines that cannot be read are named in their place. Exit status: 3
    when a session could not be read at all; the others are written.
    """
    from memcli import times
    from memcli.core import discovering, redacting, selecting
    from memcli.errors import UsageError
    from memcli.output import Printer
    from memcli.output.export_view import Exporter

    times.zone(tz)
    if every and sessions:
        raise UsageError("--all means every session, and a SESSION one; give one of them.")
    printer = Printer(quiet=quiet)
    redactor = redacting.Redactor(redacting.configured()) if redact else None
    workspaces = discovering.find(workspace, agent) if every else []
    names = sessions or [selecting.LATEST]
    refs = selecting.refs(workspaces, tz) if every else selecting.several(names, workspace, agent, tz)
    printer.notes([*workspaces, *(ref.workspace for ref in refs)])
    exporter = Exporter(printer, redactor, form=form, to=output, many=every or len(refs) > 1, force=force, tz=tz)
    return exporter.write(refs)
