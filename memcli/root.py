"""The root Typer app: lazy dispatch to commands, option merging, help, completion, and what Typer itself complains about."""

from __future__ import annotations

from importlib import import_module
from typing import Any, get_type_hints

import typer
from typer.completion import completion_init
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from memcli import boundary, options
from memcli.options import AgentOption, VersionOption, WorkspaceOption
from memcli.registry import COMMANDS, GROUPS

NAMES = {"help_option_names": ["-h", "--help"], "max_content_width": 100}
PLAIN: dict[str, Any] = {"add_completion": False, "rich_markup_mode": None, "context_settings": NAMES}


class RootGroup(TyperGroup):
    """Knows every command's name and help line; imports a command's module when it is called."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        for name, (_, line) in COMMANDS.items():
            first = name.partition(" ")[0]
            self.commands[first] = TyperCommand(first, help=GROUPS.get(first, line))

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """As Typer's, with the real command in place of the stub that help and completion see."""
        name, _, rest = super().resolve_command(ctx, args)
        return name, load(name) if name else None, rest

    def make_context(self, *arguments: Any, **more: Any) -> Any:
        """As Typer's, with a closed pipe while the help is printed ending quietly, as in `invoke`."""
        try:
            return super().make_context(*arguments, **more)
        except BrokenPipeError:
            boundary.close_stdout()
            raise typer.Exit from None

    def invoke(self, ctx: Any) -> Any:
        """As Typer's, except that a closed pipe ends quietly: Typer itself would end it with 1."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            boundary.close_stdout()
            return 0


def load(name: str) -> Any:
    """The real Typer command, or group of commands, called `name`."""
    app = typer.Typer(**PLAIN)
    if name not in GROUPS:
        app.command(name, context_settings=NAMES)(function(name))
        return get_command(app)

    @app.callback(invoke_without_command=True, help=GROUPS[name])
    def group(ctx: typer.Context) -> None:
        if ctx.invoked_subcommand is None:
            print(ctx.get_help())

    for full in below(name):
        app.command(full.partition(" ")[2], context_settings=NAMES)(function(full))
    return get_command(app)


def below(name: str) -> list[str]:
    """The full names of the commands in a group."""
    return [full for full in COMMANDS if full.startswith(f"{name} ")]


def function(name: str) -> Any:
    """The function behind a command, its annotations resolved to the parameters of options.py."""
    module, _, attribute = COMMANDS[name][0].partition(":")
    found = getattr(import_module(module), attribute)
    found.__annotations__ = get_type_hints(found, vars(options), include_extras=True)
    return found


app = typer.Typer(**PLAIN, cls=RootGroup, pretty_exceptions_enable=False)


@app.callback(invoke_without_command=True)
def root(
    ctx: typer.Context, workspace: WorkspaceOption = None, agent: AgentOption = None, version: VersionOption = False
) -> None:
    """Inspect and mend the memory of AI agents: sessions, journals and cursors, MEMORY.md.

    Works directly on the files. Commands that read never write anything into an agent's folder. SESSION arguments are a
    session key (desktop:main), a file, @latest, or a unique part of a key or title. Exit codes: 0 done, 1 a negative
    answer, 2 usage, 3 could not do it, 4 refused for safety, 70 a bug, 130 interrupted.
    """
    if version:
        from memcli import __version__

        print(f"memcli {__version__}")
        raise typer.Exit
    if ctx.invoked_subcommand is None:
        print(ctx.get_help())
        return
    # -W and --agent given before the command become the command's defaults: what stands after it wins.
    given: dict[str, Any] = {n: v for n, v in (("workspace", workspace), ("agent", agent)) if v not in (None, [])}
    nested = {full.partition(" ")[2]: given for full in below(ctx.invoked_subcommand)}
    ctx.default_map = {ctx.invoked_subcommand: {**given, **nested}}


EXTRA = "unexpected extra argument(s)"
QUOTES = "Words with blanks go in quotes"


def run(arguments: list[str]) -> int:
    """Carry out one command line through Typer; failures other than Typer's own go to boundary.guarded."""
    completion_init()
    try:
        code = get_command(app).main(arguments, prog_name="memcli", standalone_mode=False)
        return code if isinstance(code, int) else 0
    except typer.TyperException as error:
        return boundary.report(arguments, _usage(error), getattr(error, "exit_code", 2), "usage", {})
    except typer.Abort:
        return boundary.report(arguments, "Stopped at the question; nothing was changed.", 130, "interrupted", {})


def _usage(error: Any) -> str:
    context = getattr(error, "ctx", None)
    path = context.command_path if context else "memcli"
    message = str(error.format_message()).strip().rstrip(".").replace("a valid int range", "a whole number")
    if EXTRA in message:
        words = message.rpartition("(")[2].rstrip(")")
        message = message.replace(EXTRA, EXTRA.removesuffix("(s)") + "s" * (" " in words)) + f". {QUOTES}"
    stop = "" if message.endswith("?") else "."
    return f"{path}: {message}{stop} See '{path} --help'."
