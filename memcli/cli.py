"""The front door: `--version` and plain command lines without Typer, everything else through the root Typer app."""

from __future__ import annotations

import sys

from memcli.boundary import guarded


def main() -> None:
    """Run memcli on the process's arguments and leave with its exit code."""
    arguments = sys.argv[1:]
    if arguments == ["--version"]:
        from memcli import __version__

        sys.exit(guarded(arguments, lambda: _write(f"memcli {__version__}\n")))
    from signal import SIGTERM, signal

    signal(SIGTERM, _terminate)
    sys.exit(run(arguments))


def run(arguments: list[str]) -> int:
    """Carry out one command line; the exit code. Nothing escapes but SystemExit, and with MEMCLI_DEBUG=1 tracebacks."""
    return guarded(arguments, lambda: _dispatch(arguments))


def _dispatch(arguments: list[str]) -> int:
    from memcli import quick

    call = quick.parse(arguments)
    if call is not None:
        return call()
    from memcli import root

    return root.run(arguments)


def _write(text: str) -> int:
    sys.stdout.write(text)
    return 0


def _terminate(number: int, frame: object) -> None:
    """SIGTERM ends the process as usual, but after atexit has removed temporary folders."""
    raise SystemExit(128 + number)
