"""memcli grep: find text in sessions."""

from __future__ import annotations

from typing import Annotated

import typer

from memcli.options import (
    AgentOption,
    Color,
    ColorOption,
    JsonOption,
    QueryOption,
    QuietOption,
    SinceOption,
    TzOption,
    UntilOption,
    WhereOption,
    WorkspaceOption,
    complete_session,
)


def grep(
    arguments: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="PATTERN [SESSION]...",
            help="What to find, then where: keys, files, @latest or parts of a key. Default: every session.",
            autocompletion=complete_session,
            show_default=False,
        ),
    ] = None,
    workspace: WorkspaceOption = None,
    agent: AgentOption = None,
    regexp: Annotated[
        list[str] | None,
        typer.Option("-e", "--regexp", metavar="PATTERN", help="A pattern; may be repeated.", show_default=False),
    ] = None,
    regex: Annotated[bool, typer.Option("-E", "--extended", help="Patterns are Python regular expressions.")] = False,
    ignore_case: Annotated[bool, typer.Option("-i", "--ignore-case", help="Upper and lower case are one.")] = False,
    word: Annotated[bool, typer.Option("-w", "--word", help="Match whole words only.")] = False,
    invert: Annotated[bool, typer.Option("-v", "--invert", help="Records that do not match.")] = False,
    count: Annotated[bool, typer.Option("-c", "--count", help="Print how many records match, per session.")] = False,
    files: Annotated[bool, typer.Option("-l", "--files", help="Print the paths of files with a match.")] = False,
    null: Annotated[bool, typer.Option("-Z", "--null", help="With -l, end each path with NUL.")] = False,
    only: Annotated[bool, typer.Option("-o", "--only", help="Print the matching parts only.")] = False,
    limit: Annotated[
        int | None,
        typer.Option("-m", "--max-count", metavar="N", min=1, help="At most N per session.", show_default=False),
    ] = None,
    after: Annotated[int, typer.Option("-A", "--after", metavar="N", min=0, help="N records after each.")] = 0,
    before: Annotated[int, typer.Option("-B", "--before", metavar="N", min=0, help="N records before each.")] = 0,
    context: Annotated[int, typer.Option("-C", "--context", metavar="N", min=0, help="Both.")] = 0,
    role: Annotated[
        list[str] | None, typer.Option("--role", metavar="ROLE", help="Only this role; repeatable.", show_default=False)
    ] = None,
    tool: Annotated[
        list[str] | None,
        typer.Option("--tool", metavar="NAME", help="Only rows that call or answer it.", show_default=False),
    ] = None,
    since: SinceOption = None,
    until: UntilOption = None,
    json: JsonOption = False,
    query: QueryOption = None,
    where: WhereOption = None,
    color: ColorOption = Color.auto,
    quiet: QuietOption = False,
    tz: TzOption = "",
) -> int:
    """Find text in sessions, whatever way it is escaped on disk.

    Searches the decoded text of content, reasoning, tool arguments and results. In a pipe, tab-separated: key, row, role,
    time, matching line of text (context rows have a - after the row). Exit status: 0 found, 1 not found, 3 a file could
    not be read.
    """
    from memcli import times
    from memcli.core import searching
    from memcli.errors import UsageError
    from memcli.output import Printer, match_view
    from memcli.search.pattern import compile_pattern

    times.zone(tz)
    if not regexp:
        if not arguments:
            raise UsageError("grep needs a pattern: memcli grep PATTERN [SESSION]...")
        regexp, arguments = arguments[:1], arguments[1:]
    if null and not files:
        raise UsageError("-Z ends paths with NUL; it goes with -l.")
    if sum((count, files, only)) > 1:
        raise UsageError("-c, -l and -o each print something else; give one of them.")
    if invert and only:
        raise UsageError("-v has no matching part that -o could print.")
    printer = Printer(json=json, query=query, where=where, color=color, quiet=quiet)
    pattern = compile_pattern(regexp, regex=regex, ignore_case=ignore_case, word=word)
    whole = printer.keep is not None  # --where decides on rows, so they must be made even to be counted
    wanted = searching.Wanted(
        roles=tuple(role or ()),
        tools=tuple(tool or ()),
        since=since,
        until=until,
        invert=invert,
        limit=1 if files and not whole else limit,
        before=0 if count or files else max(before, context),
        after=0 if count or files else max(after, context),
        hits=whole or not (count or files),
        tz=tz,
    )
    targets = searching.targets(arguments or [], workspace, agent, tz)
    printer.notes([place for place, _ in targets])
    view = match_view.View(printer, form="count" if count else "files" if files else "only" if only else "lines",
                           null=null, tz=tz, context=bool(wanted.before or wanted.after))
    total = sum(len(paths) for _, paths in targets)
    with match_view.progress(printer, total) as report:
        for item in searching.search(targets, pattern, wanted):
            view.take(item)
            if isinstance(item, searching.Searched):
                report(view.files)
    return view.finish(total)
