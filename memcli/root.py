"""The root Typer app: lazy dispatch to commands, option merging, and the one boundary where failures become exit codes."""

from __future__ import annotations

import signal
import sys
from importlib import import_module
from typing import Any

import typer
from typer.completion import completion_init
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from memcli import settings
from memcli.cli import close_stdout
from memcli.errors import MemcliError
from memcli.options import AgentOption, VersionOption, WorkspaceOption
from memcli.registry import COMMANDS

HELP_NAMES = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


class RootGroup(TyperGroup):
    """Knows every command's name and help line; imports a command's module when it is called."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        for name, (_, line) in COMMANDS.items():
            self.commands[name] = TyperCommand(name, help=line)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """As Typer's, with the real command in place of the stub that help and completion see."""
        name, _, rest = super().resolve_command(ctx, args)
        return name, load(name) if name else None, rest

    def invoke(self, ctx: Any) -> Any:
        """As Typer's, except that a closed pipe ends quietly: Typer itself would end it with 1."""
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()
            return result
        except BrokenPipeError:
            close_stdout()
            return 0


def load(name: str) -> Any:
    """The real Typer command or group called `name` in COMMANDS."""
    module, _, attribute = COMMANDS[name][0].partition(":")
    target = getattr(import_module(module), attribute)
    if not isinstance(target, typer.Typer):
        app, function = typer.Typer(add_completion=False, rich_markup_mode=None), target
        app.command(name, context_settings=HELP_NAMES)(function)
        target = app
    return get_command(target)


app = typer.Typer(
    cls=RootGroup,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings=HELP_NAMES,
)


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
        return
    if ctx.invoked_subcommand is None:
        print(ctx.get_help())
        return
    # -W and --agent given before the command become the command's defaults: what stands after it wins.
    given: dict[str, Any] = {name: value for name, value in (("workspace", workspace), ("agent", agent)) if value}
    nested = dict.fromkeys(_names_below(ctx.invoked_subcommand), given)
    ctx.default_map = {ctx.invoked_subcommand: {**given, **nested}}


def _names_below(name: str) -> list[str]:
    return list(getattr(load(name), "commands", {}))


def run(arguments: list[str]) -> int:
    """Carry out one command line; every failure ends here as a sentence on stderr and an exit code."""
    completion_init()
    signal.signal(signal.SIGTERM, _terminate)
    try:
        code = get_command(app).main(arguments, prog_name="memcli", standalone_mode=False)
        return code if isinstance(code, int) else 0
    except MemcliError as error:
        return _report(arguments, error.sentence, error.exit_code, error.code, error.facts)
    except typer.TyperException as error:
        return _report(arguments, _usage_sentence(error), getattr(error, "exit_code", 2), "usage", {})
    except typer.Abort:
        return _report(arguments, "Stopped at the question; nothing was changed.", 130, "interrupted", {})
    except BrokenPipeError:
        raise
    except OSError as error:
        if settings.debugging():
            raise
        place = f"{error.filename}: " if error.filename else ""
        return _report(arguments, f"{place}{error.strerror or error}. Nothing was changed.", 3, "system", {})
    except Exception as error:
        if settings.debugging():
            raise
        sentence = (
            f"memcli has a bug ({type(error).__name__}: {error}). Nothing was changed; run again with MEMCLI_DEBUG=1 "
            "for the details to report."
        )
        return _report(arguments, sentence, 70, "bug", {})


def _usage_sentence(error: Any) -> str:
    context = getattr(error, "ctx", None)
    path = context.command_path if context else "memcli"
    message = str(error.format_message()).strip().rstrip(".")
    stop = "" if message.endswith("?") else "."
    return f"{path}: {message}{stop} See '{path} --help'."


def _report(arguments: list[str], sentence: str, exit_code: int, code: str, facts: dict[str, object]) -> int:
    from memcli.output import say

    before_dashes = arguments[: arguments.index("--")] if "--" in arguments else arguments
    if "--json" in before_dashes:
        from memcli.output.rows import line

        row = {"type": "error", "code": code, "exit": exit_code, "message": sentence, **facts}
        sys.stderr.write(line(row).decode())
    else:
        say(sentence if sentence.startswith("memcli") else f"memcli: {sentence}")
    return exit_code


def _terminate(number: int, frame: object) -> None:
    """SIGTERM ends the process as usual, but after atexit has removed temporary folders."""
    raise SystemExit(128 + number)
