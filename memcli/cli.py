"""The front door: `--version` and plain command lines without Typer, everything else through the root Typer app."""

from __future__ import annotations

import sys

from memcli.boundary import guarded

OBJECTS = 50_000
"""So many new objects let Python look for cycles among all of them, instead of 700: importing makes as many, all to stay."""


def main() -> None:
    """Run memcli on the process's arguments and leave with its exit code."""
    own = sys._getframe(1).f_globals.get("__name__") == "__main__"  # nobody waits for this to come back
    if own:
        import gc

        gc.set_threshold(OBJECTS)
    code = _run(sys.argv[1:])
    if own:
        from memcli import leaving

        leaving.leave(code)
    sys.exit(code)


def run(arguments: list[str]) -> int:
    """Carry out one command line; the exit code. Nothing escapes but SystemExit, and with MEMCLI_DEBUG=1 tracebacks."""
    return guarded(arguments, lambda: _dispatch(arguments))


def _run(arguments: list[str]) -> int:
    if arguments == ["--version"]:
        from memcli import __version__

        return guarded(arguments, lambda: _write(f"memcli {__version__}\n"))
    from signal import SIGTERM, signal

    signal(SIGTERM, _terminate)
    return run(arguments)


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
