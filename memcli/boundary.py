"""The one boundary where failures become a sentence on stderr and an exit code."""

from __future__ import annotations

import sys
from collections.abc import Callable


def guarded(arguments: list[str], call: Callable[[], int]) -> int:
    """What `call` returns, or the exit code of its failure, told on stderr. Unattended runs (--cron) leave a line in the log."""
    return _logged(arguments, call) if UNATTENDED in arguments else _guarded(arguments, call)


def _logged(arguments: list[str], call: Callable[[], int]) -> int:
    import time

    from memcli.storage import run_log

    began = time.time()
    run_log.begin(arguments, began)
    code = 70
    try:
        code = _guarded(arguments, call)
    except SystemExit as error:
        code = error.code if isinstance(error.code, int) else 70
        run_log.note(why="It was told to end." if code > 128 else "")
        raise
    finally:
        run_log.write(arguments, code, began)
    return code


def _guarded(arguments: list[str], call: Callable[[], int]) -> int:
    try:
        if sys.stdout is None:  # closed by whoever started us
            from memcli.errors import MemcliError

            raise MemcliError("Standard output is closed: there is nowhere to write to. Nothing was changed.")
        code = call()
        sys.stdout.flush()
        return code
    except KeyboardInterrupt:
        if UNATTENDED in arguments:
            from memcli.storage import run_log

            run_log.note(why="It was interrupted.")
        return 130
    except BrokenPipeError:  # whoever read our output has gone: no reason to complain
        close_stdout()
        return 0
    except Exception as error:
        code = _failure(arguments, error)
        try:
            sys.stdout.flush()
        except (OSError, ValueError, AttributeError):  # a full disk: told already, and the exit would try again
            close_stdout()
        return code


UNATTENDED = "--cron"


def report(arguments: list[str], sentence: str, exit_code: int, code: str, facts: dict[str, object]) -> int:
    """Say a failure on stderr, as JSON when --json was given; the exit code."""
    from memcli.output import say, talk

    if UNATTENDED in arguments:
        from memcli.storage import run_log

        run_log.note(why=sentence)
    before_dashes = arguments[: arguments.index("--")] if "--" in arguments else arguments
    if "--json" in before_dashes:
        from memcli.output.rows import line

        row = {"type": "error", "code": code, "exit": exit_code, "message": sentence, **facts}
        talk(line(row))
    else:
        say(sentence if sentence.startswith("memcli") else f"memcli: {sentence}")
    return exit_code


def close_stdout() -> None:
    """Point stdout at /dev/null, so that the interpreter's last flush does not complain about a closed pipe."""
    import os

    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def _failure(arguments: list[str], error: Exception) -> int:
    from memcli import settings
    from memcli.errors import MemcliError

    if isinstance(error, MemcliError):
        return report(arguments, error.sentence, error.exit_code, error.code, error.facts)
    if settings.debugging():
        raise error
    if isinstance(error, OSError):
        place = f"{error.filename}: " if error.filename else ""
        return report(arguments, f"{place}{error.strerror or error}. Nothing was changed.", 3, "system", {})
    sentence = (
        f"memcli has a bug ({type(error).__name__}: {error}). Nothing was changed; run again with MEMCLI_DEBUG=1 for "
        "the details to report."
    )
    return report(arguments, sentence, 70, "bug", {})
