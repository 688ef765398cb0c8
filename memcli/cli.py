"""The front door: `memcli --version` without any import, everything else through the root Typer app."""

from __future__ import annotations

import sys


def main() -> None:
    """Run memcli on the process's arguments and leave with its exit code."""
    arguments = sys.argv[1:]
    if arguments == ["--version"]:
        from memcli import __version__

        try:
            sys.stdout.write(f"memcli {__version__}\n")
            sys.stdout.flush()
        except BrokenPipeError:
            close_stdout()
        return
    try:
        from memcli.root import run

        code = run(arguments)
        sys.stdout.flush()
    except KeyboardInterrupt:  # before the boundary in root stands, or after it has gone
        code = 130
    except BrokenPipeError:
        close_stdout()
        code = 0
    sys.exit(code)


def close_stdout() -> None:
    """Point stdout at /dev/null, so that the interpreter's last flush does not complain about a closed pipe."""
    import os

    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
