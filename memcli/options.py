"""Every command's parameters, each written once, as types that a command's signature names.

Commands name them in annotations that stay text until Typer asks (root.py), so that a plain command line runs without
Typer (quick.py).
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

import typer

Sort = Literal["updated", "created", "size", "key"]
Color = Literal["auto", "always", "never"]


def complete_session(ctx: typer.Context, incomplete: str) -> list[str]:
    """Session keys for TAB: from file names, only those that no shell could run as code."""
    try:
        from memcli.core.selecting import safe_keys

        given = ctx.params.get("workspace") or _from_parents(ctx)
        return safe_keys(list(given or []), incomplete)
    except Exception:
        return []  # TAB must never print an error into a half-typed command line


def complete_searched(ctx: typer.Context, incomplete: str) -> list[str]:
    """Session keys for TAB behind a pattern; the pattern itself is nothing that TAB could know."""
    return complete_session(ctx, incomplete) if ctx.params.get("arguments") or ctx.params.get("regexp") else []


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
    typer.Option("--query", metavar="JMESPATH", help="Shape each JSON row; implies --json.", show_default=False),
]
WhereOption = Annotated[
    str | None,
    typer.Option("--where", metavar="JMESPATH", help="Keep the rows for which this is true.", show_default=False),
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

SessionArgument = Annotated[
    str,
    typer.Argument(
        metavar="[SESSION]",
        help="A key, a file, @latest, or a unique part of a key or title.",
        autocompletion=complete_session,
    ),
]
FolderArgument = Annotated[str, typer.Argument(metavar="[DIR]", help="Where to write it: a new or empty folder.")]

# sessions ls
SortOption = Annotated[Sort, typer.Option("--sort", metavar="BY", help="Order by updated, created, size or key.")]
LimitOption = Annotated[
    int | None, typer.Option("--limit", metavar="N", min=0, help="Show at most N.", show_default=False)
]
DamagedOption = Annotated[bool, typer.Option("--damaged", help="Only sessions that show damage.")]
LongOption = Annotated[
    bool, typer.Option("--long", "-l", help="Read whole files: messages, tokens, state, the damage of every line.")
]

# sessions show
RowOption = Annotated[int | None, typer.Option("--row", metavar="N", min=1, help="Show row N.", show_default=False)]
LineOption = Annotated[
    int | None, typer.Option("--line", metavar="N", min=1, help="Show physical line N.", show_default=False)
]
NeighboursOption = Annotated[
    int, typer.Option("-C", "--context", metavar="N", min=0, help="With --row or --line: N neighbours.")
]

# tail
CountOption = Annotated[int, typer.Option("-n", "--lines", metavar="N", min=0, help="Show the last N records.")]
FollowOption = Annotated[bool, typer.Option("-f", "--follow", help="Go on and show records as they are written.")]
AllOption = Annotated[bool, typer.Option("--all", help="Every session of the workspace.")]
ArchiveOption = Annotated[
    bool, typer.Option("--archive", help="Also the rows that compact took out and keeps in memcli's archive.")
]
RawOption = Annotated[bool, typer.Option("--raw", help="The lines as they are on disk.")]
RoleOption = Annotated[
    list[str] | None,
    typer.Option("--role", metavar="ROLE", help="Only this role; may be repeated.", show_default=False),
]

# grep
TargetsArgument = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[TARGET]...",
        help="Sessions (keys, files, @latest, parts of a key or title) or folders. Default: the whole workspace.",
        autocompletion=complete_session,
        show_default=False,
    ),
]
FailOn = Literal["error", "warning", "info", "never"]
FailOnOption = Annotated[
    FailOn, typer.Option("--fail-on", help="From which severity on findings end the command with 1.")
]
PatternArguments = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="PATTERN [SESSION]...",
        help="What to find, then where: keys, files, @latest or parts of a key. Default: every session.",
        autocompletion=complete_searched,
        show_default=False,
    ),
]
PatternOption = Annotated[
    list[str] | None,
    typer.Option("-e", "--regexp", metavar="PATTERN", help="A pattern; may be repeated.", show_default=False),
]
RegexOption = Annotated[bool, typer.Option("-E", "--extended", help="Patterns are Python regular expressions.")]
IgnoreCaseOption = Annotated[bool, typer.Option("-i", "--ignore-case", help="Upper and lower case are one.")]
WordOption = Annotated[bool, typer.Option("-w", "--word", help="Match whole words only.")]
InvertOption = Annotated[bool, typer.Option("-v", "--invert", help="Records that do not match.")]
CountsOption = Annotated[bool, typer.Option("-c", "--count", help="How many records match, for each session with any.")]
FilesOption = Annotated[bool, typer.Option("-l", "--files", help="The paths of files with a match.")]
NullOption = Annotated[bool, typer.Option("-Z", "--null", help="With -l, end each path with NUL.")]
OnlyOption = Annotated[bool, typer.Option("-o", "--only", help="The matching parts only.")]
MaxOption = Annotated[
    int | None,
    typer.Option("-m", "--max-count", metavar="N", min=1, help="At most N per session.", show_default=False),
]
AfterOption = Annotated[int, typer.Option("-A", "--after", metavar="N", min=0, help="N records after each.")]
BeforeOption = Annotated[int, typer.Option("-B", "--before", metavar="N", min=0, help="N records before each.")]
ContextOption = Annotated[int, typer.Option("-C", "--context", metavar="N", min=0, help="N before and after each.")]
ToolOption = Annotated[
    list[str] | None,
    typer.Option("--tool", metavar="NAME", help="Only rows that call this tool or answer it.", show_default=False),
]

# repair
ApplyOption = Annotated[bool, typer.Option("--apply", help="Do it. Without, only the plan is shown.")]
OnlyCodeOption = Annotated[
    list[str] | None,
    typer.Option("--only", metavar="CODE", help="Mend this class only; may be repeated.", show_default=False),
]
LossyOption = Annotated[
    bool, typer.Option("--lossy", help="Also take out lines that cannot be mended; they go to quarantine.")
]
RerouteOption = Annotated[
    bool, typer.Option("--reroute", help="Move files and rows to where the session that they name is kept.")
]
RenumberOption = Annotated[
    bool, typer.Option("--renumber", help="Give rows whose id is taken the numbers that follow.")
]
AdoptOption = Annotated[
    bool, typer.Option("--adopt-temp", help="Put a whole, newer temporary file in the place of its file.")
]
SynthesizeOption = Annotated[
    bool, typer.Option("--synthesize-results", help="Answer calls without a result by a row that says it was lost.")
]
EncodingOption = Annotated[
    str | None,
    typer.Option("--encoding", metavar="NAME", help="Read lines that are no UTF-8 as this.", show_default=False),
]
EolOption = Annotated[
    Literal["lf"] | None, typer.Option("--eol", metavar="lf", help="Take the CRs of CR LF out.", show_default=False)
]
PermsOption = Annotated[bool, typer.Option("--fix-perms", help="Take the rights of group and others away.")]
DropOption = Annotated[bool, typer.Option("--drop-bad-rows", help="Take out rows that the agent chokes on.")]
RedreamOption = Annotated[
    bool, typer.Option("--redream", help="Set Dream's lost position to the start of what is left of the journal.")
]
SkipOption = Annotated[bool, typer.Option("--skip", help="Set Dream's lost position to the end of the journal.")]
IdleOption = Annotated[
    int | None,
    typer.Option(
        "--idle",
        metavar="SECONDS",
        min=0,
        help="How long a file must be unchanged. Default: 10, with --cron 120.",
        show_default=False,
    ),
]
ForceLiveOption = Annotated[
    bool, typer.Option("--force-live", help="Also while an agent seems to be at work; what it saves meanwhile wins.")
]
CronOption = Annotated[
    bool, typer.Option("--cron", help="As -q, waits for a longer silence, and ends with 0 when an agent is at work.")
]
ScheduleOption = Annotated[
    bool,
    typer.Option(
        "--schedule", help="Print lines for cron and units for systemd that run dream and compact, and no more."
    ),
]
ToOption = Annotated[
    str | None,
    typer.Option(
        "--to",
        metavar="FILE",
        help="Write a repaired copy of one session to FILE and what was done to FILE.log; the original stays as it is.",
        show_default=False,
    ),
]
ReconstructOption = Annotated[
    bool, typer.Option("--reconstruct", help="With --to: fill in records that were cut, marked to be looked at.")
]
SavePlanOption = Annotated[
    str | None,
    typer.Option("--save-plan", metavar="FILE", help="Write the plan to a new file as well.", show_default=False),
]
FromPlanOption = Annotated[
    str | None,
    typer.Option(
        "--from-plan",
        metavar="FILE",
        help="Take the plan from FILE; refused when anything that it is about changed since.",
        show_default=False,
    ),
]

# locks
LocksArgument = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[LOCK]...",
        help="Lock files: paths, or parts that only one of them has. Default: every stale one.",
        show_default=False,
    ),
]
DryRunOption = Annotated[bool, typer.Option("--dry-run", help="Only show what would be done.")]

# sessions diff, merge, rm
FirstArgument = Annotated[
    str,
    typer.Argument(
        metavar="A",
        help="A key, or a file: a backup, a conflict copy, a .tmp, an undo copy, a .gz.",
        autocompletion=complete_session,
        show_default=False,
    ),
]
SecondArgument = Annotated[
    str,
    typer.Argument(
        metavar="B", help="The other copy, in the same way.", autocompletion=complete_session, show_default=False
    ),
]
PreferOption = Annotated[
    Literal["a", "b"] | None,
    typer.Option(
        "--prefer", metavar="a|b", help="Of two versions of a row, keep that of A or of B.", show_default=False
    ),
]
KeepBothOption = Annotated[
    bool,
    typer.Option("--keep-both", help="Keep both versions; where ids are numbers, later rows get those that follow."),
]
MergedToOption = Annotated[
    str | None,
    typer.Option(
        "--to", metavar="FILE", help="Write what comes out to a new FILE; A stays as it is.", show_default=False
    ),
]
RemovedArgument = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="SESSION...",
        help="What to remove: keys or files; with --yes whole keys only.",
        autocompletion=complete_session,
        show_default=False,
    ),
]
YesOption = Annotated[bool, typer.Option("-y", "--yes", help="Do not ask.")]

# undo, state
OperationArgument = Annotated[
    str | None,
    typer.Argument(
        metavar="[OPERATION]", help="The id that an operation told. Default: the newest.", show_default=False
    ),
]
ListOption = Annotated[bool, typer.Option("--list", help="Show the operations that can be undone, newest first.")]
PruneOption = Annotated[bool, typer.Option("--prune", help="Forget old operations; quarantined bytes are kept.")]
KeepOption = Annotated[
    int | None,
    typer.Option(
        "--keep", metavar="N", min=0, help="With --prune: keep the newest N. Default: 200.", show_default=False
    ),
]
RemoveOption = Annotated[
    str | None,
    typer.Option(
        "--remove",
        metavar="WORKSPACE",
        help="Remove what is kept for this workspace: its path, or the name of its store.",
        show_default=False,
    ),
]
EverythingOption = Annotated[bool, typer.Option("--all", help="Remove what is kept for every workspace.")]

StateArgument = Annotated[
    Literal["log"] | None,
    typer.Argument(
        metavar="[log]", help="log: what unattended runs (--cron) did, the newest last.", show_default=False
    ),
]
RunsOption = Annotated[
    int | None,
    typer.Option("-n", "--lines", metavar="N", min=0, help="Of the log only the last N.", show_default=False),
]

# doctor
LostArgument = Annotated[
    str | None,
    typer.Argument(
        metavar="[TEXT|SESSION]",
        help="Words that you remember of the chat, matched as grep does; or a session: its key, its file, @latest. Default: "
        "the whole workspace.",
        show_default=False,
        autocompletion=complete_session,
    ),
]
FixOption = Annotated[bool, typer.Option("--fix", help="Mend what loses nothing, as repair --apply does.")]
BundleOption = Annotated[
    str | None,
    typer.Option(
        "--bundle",
        metavar="FILE",
        help="Write a masked copy of what is damaged to FILE (.tar.gz or .zip), to be sent with a bug report.",
        show_default=False,
    ),
]

# history
SinceNumberOption = Annotated[
    int | None,
    typer.Option("--since", metavar="N", min=0, help="Only entries with a number beyond N.", show_default=False),
]
PendingOption = Annotated[bool, typer.Option("--pending", help="Only entries that Dream has not read.")]
LastOption = Annotated[
    int | None, typer.Option("-n", "--lines", metavar="N", min=0, help="Only the last N.", show_default=False)
]
UserOption = Annotated[
    str | None,
    typer.Option(
        "--user",
        metavar="ID|HASH",
        help="The journal of this user: an id, or the name of its folder.",
        show_default=False,
    ),
]
JournalOption = Annotated[
    str | None,
    typer.Option(
        "--journal",
        metavar="NAME",
        help="This journal of several: its name, its file, or a part that only one has.",
        show_default=False,
    ),
]
EntryTextArgument = Annotated[
    str, typer.Argument(metavar="TEXT", help="What it says; - reads standard input.", show_default=False)
]
NamedSessionOption = Annotated[
    str, typer.Option("--session", metavar="KEY", help="The session that it is about.", show_default=False)
]
SetOption = Annotated[
    str | None,
    typer.Option(
        "--set", metavar="N|start|end", help="Set Dream's position: what is beyond it is pending.", show_default=False
    ),
]

# memory show, log, diff, blame
AtOption = Annotated[
    str | None,
    typer.Option(
        "--at", metavar="COMMIT|TIME", help="As it was in a commit, or at a time as in --since.", show_default=False
    ),
]
AtCommitOption = Annotated[
    str | None, typer.Option("--at", metavar="COMMIT", help="As it was in a commit.", show_default=False)
]
MemoryOfOption = Annotated[
    str | None,
    typer.Option(
        "--user",
        metavar="ID",
        help="Of what is kept by user that of this one: the id, or its hash.",
        show_default=False,
    ),
]
AsDreamOption = Annotated[
    bool, typer.Option("--dream", help="As the agent's Dream gets it: cut, with the age of lines.")
]
MemoryFileArgument = Annotated[
    str, typer.Argument(metavar="[FILE]", help="A memory file: its path, or the end of it. Default: all.")
]
RequiredMemoryFileArgument = Annotated[
    str, typer.Argument(metavar="FILE", help="A memory file: its path, or the end of it.", show_default=False)
]
MemoryFileOption = Annotated[
    str, typer.Option("--file", metavar="FILE", help="Only this memory file.", show_default=False)
]
CommitsArgument = Annotated[
    list[str] | None,
    typer.Argument(metavar="[COMMIT [COMMIT]]", help="From which commit, and to which.", show_default=False),
]
CommitsOption = Annotated[int, typer.Option("-n", "--limit", metavar="N", min=0, help="At most N commits.")]

# revert
RevertedArgument = Annotated[
    str, typer.Argument(metavar="[COMMIT]", help="Whose change. Default: the newest Dream's.", show_default=False)
]
BackToOption = Annotated[
    str,
    typer.Option("--to", metavar="COMMIT", help="Make memory what it was in this commit instead.", show_default=False),
]
RewindOption = Annotated[
    bool, typer.Option("--rewind-cursor", help="Set Dream's position back as well: what it read is dreamt again.")
]

# sessions export
ExportFormat = Literal["md", "html", "json"]
ExportedArgument = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[SESSION]...",
        help="Keys, files, @latest, or unique parts of a key or title. Default: @latest.",
        autocompletion=complete_session,
        show_default=False,
    ),
]
ExportFormatOption = Annotated[
    ExportFormat | None,
    typer.Option(
        "--format",
        metavar="FORM",
        help="md, html or json. Default: what the suffix of -o FILE tells, else md.",
        show_default=False,
    ),
]
ExportToOption = Annotated[
    str | None,
    typer.Option(
        "-o", "--output", metavar="FILE|DIR", help="Where to write; - is standard output.", show_default=False
    ),
]
RedactOption = Annotated[
    bool,
    typer.Option("--redact", help="Mask secrets and personal data, by kind: [email-1]; more patterns: docs/export.md."),
]
ForceOption = Annotated[bool, typer.Option("--force", help="Replace files that are there.")]

# dream
IfDueOption = Annotated[
    bool, typer.Option("--if-due", help="Only where a Dream is due; else nothing is done, and that is no failure.")
]
DreamStatusOption = Annotated[
    bool, typer.Option("--status", help="Show what waits, whether it is due, and what the agent itself would do.")
]
ProposeOption = Annotated[bool, typer.Option("--propose", help="Put what is new into the inbox instead of the memory.")]
ApproveOption = Annotated[
    str | None,
    typer.Option("--approve", metavar="ID", help="Write a proposal, as 'proposals approve' does.", show_default=False),
]
DreamFrom = Literal["journal", "sessions"]
FromOption = Annotated[
    DreamFrom | None,
    typer.Option(
        "--from",
        metavar="PLACE",
        help="Read the journal, or the sessions. Default: what has the prompts in this format.",
        show_default=False,
    ),
]
DreamUserOption = Annotated[
    str | None,
    typer.Option(
        "--user",
        metavar="ID|HASH",
        help="Dream for this user, into their memory alone: an id, or the name of its folder.",
        show_default=False,
    ),
]
AllUsersOption = Annotated[bool, typer.Option("--all-users", help="Dream for each user who has a journal.")]
ProviderOption = Annotated[
    str | None,
    typer.Option(
        "--provider",
        metavar="NAME",
        help="offline (asks nobody), openai, anthropic or command; docs/providers.md. Default: that of the configuration, else "
        "offline.",
        show_default=False,
    ),
]
EveryBatchOption = Annotated[bool, typer.Option("--all", help="Batch after batch, until nothing waits.")]
ConsolidateOption = Annotated[
    bool, typer.Option("--consolidate", help="Propose a shorter memory: what is said twice is said once.")
]
AllowLossOption = Annotated[
    bool, typer.Option("--allow-loss", help="Let a run remove more than a quarter of a memory file.")
]
InitGitOption = Annotated[
    bool, typer.Option("--init-git", help="Make the repository in place that keeps the versions of the memory.")
]

# compact
CompactArguments = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[SESSION]",
        help="One chat: a key, a file, @latest, or a unique part of a key or title. Default: those whose turn it is. With "
        "--trim also a number of rows.",
        autocompletion=complete_session,
        show_default=False,
    ),
]
KeepRowsOption = Annotated[
    int | None,
    typer.Option(
        "--keep", metavar="N", min=1, help="At least the last N rows stay active. Default: 8.", show_default=False
    ),
]
BudgetOption = Annotated[
    int | None,
    typer.Option(
        "--budget",
        metavar="TOKENS",
        min=1,
        help="As many of the last rows stay active as have no more tokens than this.",
        show_default=False,
    ),
]
TrimOption = Annotated[
    bool,
    typer.Option(
        "--trim",
        help="Put rows beyond the newest N away, if a summary stands for them; N behind it, else 2,000.",
    ),
]

# users
UserIdArgument = Annotated[
    str | None, typer.Argument(metavar="ID", help="The id as the agent knows it.", show_default=False)
]

# proposals, lint
ProposalArgument = Annotated[
    str, typer.Argument(metavar="ID", help="The proposal, as 'proposals ls' names it.", show_default=False)
]
OnlyItemsOption = Annotated[
    list[str] | None,
    typer.Option("--only", metavar="ITEM[,ITEM]", help="Only these items of it; may be repeated.", show_default=False),
]
BecauseOption = Annotated[
    str, typer.Option("--because", metavar="TEXT", help="The reason, which is kept with it.", show_default=False)
]
DecidedOption = Annotated[bool, typer.Option("--all", help="Also what was approved or rejected.")]
LintFix = Literal["duplicates", "archived"]
LintFixOption = Annotated[
    LintFix | None,
    typer.Option(
        "--fix",
        metavar="WHAT",
        help="Propose to take out duplicates (facts said twice), or archived (summaries of a chat that later ones repeat).",
        show_default=False,
    ),
]
