"""memcli history: show, append, check, cursor."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memcli.options import (
        AgentOption,
        ColorOption,
        EntryTextArgument,
        FailOnOption,
        ForceLiveOption,
        IdleOption,
        JournalOption,
        JsonOption,
        LastOption,
        NamedSessionOption,
        PendingOption,
        QueryOption,
        QuietOption,
        SetOption,
        SinceNumberOption,
        TzOption,
        UserOption,
        WhereOption,
        WorkspaceOption,
    )


def show(
    since: SinceNumberOption = None,
    pending: PendingOption = False,
    lines: LastOption = None,
    user: UserOption = None,
    journal: JournalOption = None,
    workspace: WorkspaceOption = None,
    agent: AgentOption = None,
    json: JsonOption = False,
    query: QueryOption = None,
    where: WhereOption = None,
    color: ColorOption = "auto",
    quiet: QuietOption = False,
    tz: TzOption = "",
) -> None:
    """Show the entries of the journal, the agent's running log that Dream reads.

    Where entries have no numbers, they are counted. Lines that a reader passes over are named on stderr. In a pipe,
    tab-separated: number, time, pending (Dream has not read it) or nothing, line, journal, role, text. Exit status: 0, 3 a
    journal could not be read.
    """
    from memcli import times
    from memcli.core import discovering, entries, journals
    from memcli.output import Printer, entry_view

    times.zone(tz)
    printer = Printer(json=json, query=query, where=where, color=color, quiet=quiet)
    workspaces = discovering.find(workspace, agent)
    printer.notes(workspaces)
    found = journals.find(workspaces, user=user, name=journal)
    wish = entries.Wish(since, pending, lines)
    entry_view.write(printer, found, entries.read(found, wish), tz)


def append(
    text: EntryTextArgument = "",
    session: NamedSessionOption = "",
    user: UserOption = None,
    journal: JournalOption = None,
    workspace: WorkspaceOption = None,
    agent: AgentOption = None,
    json: JsonOption = False,
    query: QueryOption = None,
    where: WhereOption = None,
    color: ColorOption = "auto",
    quiet: QuietOption = False,
) -> None:
    """Append an entry to the journal as the agent would, for Dream to read.

    The entry gets the number that follows, and the agent's counter goes with it: both or neither, wherever memcli is killed.
    A missing final newline is added; behind a line that was cut off nothing is appended. Undo takes out that entry alone, and
    its number is not given again. In a pipe, tab-separated: operation, number, path. Exit status: 0 appended, 2 the format
    cannot hold it, 3 it could not be written, 4 a lock is held, or the last line was cut off.
    """
    import sys

    from memcli.core import discovering, journals, noting, repairing, verifying
    from memcli.output import Printer, entry_view

    printer = Printer(json=json, query=query, where=where, color=color, quiet=quiet)
    said = noting.text_of(sys.stdin.buffer.read() if text == "-" else text)
    workspaces = discovering.find(workspace, agent)
    printer.notes(workspaces)
    repairing.may_write(verifying.Scope(workspaces), bool(workspace))
    chosen = journals.one(journals.find(workspaces, user=user, name=journal))
    entry_view.appended(printer, noting.append(chosen, said, session=session, command=sys.argv))


def check(
    workspace: WorkspaceOption = None,
    agent: AgentOption = None,
    fail_on: FailOnOption = "warning",
    json: JsonOption = False,
    query: QueryOption = None,
    where: WhereOption = None,
    color: ColorOption = "auto",
    quiet: QuietOption = False,
    tz: TzOption = "",
) -> int:
    """Judge the journals and their cursors by every class of damage; nothing is changed.

    What verify finds in these files, and nothing else. In a pipe, tab-separated: severity, code, path, line, row, repair,
    message, effect. Exit status: 0 nothing wrong, 1 findings from --fail-on on, 3 a file could not be read.
    """
    from memcli import times
    from memcli.core import discovering, journals, verifying
    from memcli.output import Printer, finding_view

    times.zone(tz)
    printer = Printer(json=json, query=query, where=where, color=color, quiet=quiet)
    workspaces = discovering.find(workspace, agent)
    printer.notes(workspaces)
    places = list(dict.fromkeys(one.workspace for one in journals.find(workspaces)))
    scope = verifying.Scope(places, kinds=verifying.JOURNALS)
    return finding_view.report(printer, verifying.verify(scope, tz=tz), fail_on)


def cursor(
    set_to: SetOption = None,
    idle: IdleOption = None,
    force_live: ForceLiveOption = False,
    user: UserOption = None,
    journal: JournalOption = None,
    workspace: WorkspaceOption = None,
    agent: AgentOption = None,
    json: JsonOption = False,
    query: QueryOption = None,
    where: WhereOption = None,
    color: ColorOption = "auto",
    quiet: QuietOption = False,
) -> int:
    """Show the counter of the journal and how far Dream has come, or set the latter.

    Dream's position is the agent's file where it keeps one, else memcli's own. With --set it is written, and undo takes that
    back; a number beyond the journal is refused. In a pipe, tab-separated: journal, entries, counter, number of the next
    entry, position, pending, whose position it is (agent, memcli), path of the position, what the agent itself would do; with
    --set: operation, old position, new position, path. Exit status: 0, 2 no such position, 4 an agent is at work.
    """
    import sys

    from memcli.core import discovering, journals, positions, repairing, verifying
    from memcli.output import Printer, cursor_view

    printer = Printer(json=json, query=query, where=where, color=color, quiet=quiet)
    workspaces = discovering.find(workspace, agent)
    printer.notes(workspaces)
    found = journals.find(workspaces, user=user, name=journal)
    if set_to is None:
        cursor_view.write(printer, [positions.state(one) for one in found])
        return 0
    repairing.may_write(verifying.Scope(workspaces), bool(workspace))
    state = positions.state(journals.one(found))
    number = positions.target(state, set_to)
    wait = repairing.IDLE if idle is None else float(idle)
    return cursor_view.put(printer, positions.put(state, number, command=sys.argv, idle=wait, force_live=force_live))
