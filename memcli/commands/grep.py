"""memcli grep: find text in sessions."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memcli.model import SessionRef, Workspace
    from memcli.options import (
        AfterOption,
        AgentOption,
        ArchiveOption,
        BeforeOption,
        ColorOption,
        ContextOption,
        CountsOption,
        FilesOption,
        IgnoreCaseOption,
        InvertOption,
        JsonOption,
        MaxOption,
        NullOption,
        OnlyOption,
        PatternArguments,
        PatternOption,
        QueryOption,
        QuietOption,
        RegexOption,
        RoleOption,
        SinceOption,
        ToolOption,
        TzOption,
        UntilOption,
        WhereOption,
        WordOption,
        WorkspaceOption,
    )


def grep(
    arguments: PatternArguments = None,
    workspace: WorkspaceOption = None,
    agent: AgentOption = None,
    regexp: PatternOption = None,
    regex: RegexOption = False,
    ignore_case: IgnoreCaseOption = False,
    word: WordOption = False,
    invert: InvertOption = False,
    count: CountsOption = False,
    files: FilesOption = False,
    null: NullOption = False,
    only: OnlyOption = False,
    limit: MaxOption = None,
    after: AfterOption = 0,
    before: BeforeOption = 0,
    context: ContextOption = 0,
    role: RoleOption = None,
    tool: ToolOption = None,
    since: SinceOption = None,
    until: UntilOption = None,
    archive: ArchiveOption = False,
    json: JsonOption = False,
    query: QueryOption = None,
    where: WhereOption = None,
    color: ColorOption = "auto",
    quiet: QuietOption = False,
    tz: TzOption = "",
) -> int:
    """Find text in sessions, whatever way it is escaped on disk.

    Searches the decoded text of content, reasoning, tool arguments and results. In a pipe, tab-separated: key, row, role,
    time, matching line of text (context rows have a - after the row, rows of the archive have archive: before it, where they
    are counted by themselves). Exit status: 0 found, 1 not found, 3 a file could not be read.
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
        silent=match_view.watched(printer),
        tz=tz,
    )
    targets = searching.targets(arguments or [], workspace, agent, tz)
    printer.notes([place for place, _ in targets])
    view = match_view.View(
        printer,
        form="count" if count else "files" if files else "only" if only else "lines",
        null=null,
        tz=tz,
        context=bool(wanted.before or wanted.after),
    )
    total = sum(len(paths) for _, paths in targets)
    known: dict[str, SessionRef] = {}
    every: Iterable[tuple[Workspace, list[str]]] = targets
    if archive:
        from memcli.core import archived  # it needs all that writes, which takes longer than many a search

        every = archived.searched(targets, known, view.broken, whole=not arguments)
    with match_view.progress(printer, total) as report:
        for item in searching.search(every, pattern, wanted, sessions=known):
            view.take(item)
            if isinstance(item, searching.Searched):
                report(view.files)
    return view.finish(total)
