"""The lines that have cron or systemd run memcli: quoted so that each workspace is the one that was meant, whatever its name."""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from memcli import settings
from memcli.core import discovering
from memcli.core.dream.users import keeps_users
from memcli.errors import UsageError

DREAM, COMPACT = ("dream", "--if-due", "--cron"), ("compact", "--cron")
RUNS = (DREAM, COMPACT)
"""What an unattended run does for a workspace, in this order: what is remembered first, then what can go."""
USERS = (*DREAM, "--all-users")
"""Comes between them where an agent keeps a memory for each user."""
MINUTES = 15
SPREAD = 300
"""Seconds within which a timer of systemd begins."""
UNITS = "~/.config/systemd/user"
NAME = "memcli"
USUAL = ("/usr/local/bin", "/usr/bin", "/bin")
"""Where programs are looked for after the folders that are known to have one that is needed."""
LONGEST = 998
"""Characters that the oldest cron takes of a command."""
KINDS = CRONTAB, SERVICE, TIMER = "crontab", "service", "timer"


class Plan(NamedTuple):
    """What is to run: `program` are the words of memcli itself, `workspaces` its folders, `variables` what cron would not know,
    `idly` the words of a program that gives the disk to others first; `with_users` are folders of agents with memory by user."""

    program: tuple[str, ...]
    workspaces: tuple[str, ...]
    agent: str = ""
    variables: tuple[tuple[str, str], ...] = ()
    idly: tuple[str, ...] = ()
    with_users: frozenset[str] = frozenset()


class Part(NamedTuple):
    """One text for one place: `kind` is one of KINDS, `path` where it goes, "" for a crontab."""

    kind: str
    path: str
    text: str


def plan(named: Sequence[str] | None, agent: str | None, argv: Sequence[str]) -> Plan:
    """What is to run for the workspaces that are meant; `argv` is the command line of this process. Raises UsageError for what
    is no folder, and for names that no crontab can hold; NothingFound."""
    folders, with_users = _folders(named, agent)
    variables = [("PATH", os.pathsep.join(_path())), *settings.chosen().items()]
    made = Plan(tuple(_program(argv)), tuple(folders), agent or "", tuple(variables), _idly(), frozenset(with_users))
    for text in (*made.program, *made.workspaces, *(value for _, value in made.variables)):
        if re.search(_ODD, text):
            raise UsageError(f"A schedule cannot name {text!r}: a crontab holds nothing but text of one line.")
    return made


def alone(given: Mapping[str, Any]) -> None:
    """Raises UsageError when anything was given beside --schedule."""
    names = [name for name, value in given.items() if value]
    if names:
        raise UsageError(
            f"--schedule prints lines for {' and '.join(_words(run) for run in RUNS)}; leave {', '.join(names)} out. "
            "What such a run reads, and with which provider, is in the configuration."
        )


def parts(made: Plan) -> list[Part]:
    """The crontab, and the units of systemd."""
    lines = "".join(crontab(made, folder) + "\n" for folder in made.workspaces)
    return [
        Part(CRONTAB, "", lines),
        Part(SERVICE, f"{UNITS}/{NAME}.service", service(made)),
        Part(TIMER, f"{UNITS}/{NAME}.timer", TIMER_TEXT),
    ]


def notes(made: Plan) -> list[str]:
    """Sentences on what may keep the lines from working."""
    found = []
    if any(len(command(made, folder).encode()) > LONGEST for folder in made.workspaces):
        found.append(f"A line of the crontab is longer than the {LONGEST} characters that some crons take.")
    table = settings.configuration("llm")
    if table.get("provider") in _ASKING and not table.get("key_file") and table.get("key_env") != "":
        found.append(
            f"The provider {table['provider']} takes its key from the environment, which cron and systemd do not have: "
            "put it into a file, and name that with key_file in [llm] (docs/providers.md)."
        )
    return found


def crontab(made: Plan, folder: str) -> str:
    """The line of a crontab for one workspace, at minutes of its own. A `%` would end the command, so that it has a backslash
    before it, and no other backslash stands before one or before another, which not all crons read alike."""
    from zlib import crc32

    first = crc32(folder.encode()) % MINUTES
    return f"{first}-59/{MINUTES} * * * * " + command(made, folder).replace("\\", "\\''").replace("%", "\\%")


def command(made: Plan, folder: str) -> str:
    """The command for one workspace, as /bin/sh reads it. It is one line; a word with a backslash in it is in single quotes."""
    export = " ".join(f"{name}={shlex.quote(value)}" for name, value in made.variables)
    runs = [shlex.join([*made.idly, *words]) for words in _runs(made, folder)]
    return "; ".join([f"export {export}", *runs])


def service(made: Plan) -> str:
    """The unit that runs memcli once for each workspace, whatever came of the ones before."""
    lines = [f"Environment={_quoted(f'{name}={value}')}" for name, value in made.variables]
    for folder in made.workspaces:
        for program, *words in _runs(made, folder):
            if re.search(r"[\\'\"]", program):  # systemd starts no program that is called so
                program, words = "/bin/sh", ["-c", 'exec "$0" "$@"', program, *words]
            # in the name of the program itself it puts no variables in
            lines.append(f"ExecStart=-{_quoted(program)} {' '.join(_quoted(word, dollar='$$') for word in words)}")
    return SERVICE_TEXT.format(lines="\n".join(lines))


SERVICE_TEXT = """[Unit]
Description=memcli: dream and compact

[Service]
Type=oneshot
{lines}
Nice=19
IOSchedulingClass=idle
TimeoutStartSec=1h
"""
TIMER_TEXT = f"""[Unit]
Description=memcli: dream and compact

[Timer]
OnCalendar=*:0/{MINUTES}
RandomizedDelaySec={SPREAD}
Persistent=true

[Install]
WantedBy=timers.target
"""
_ASKING = ("openai", "anthropic")
_ODD = "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2061-\u206f\ufeff\ud800-\udfff]"
"""Breaks of lines, what a terminal would obey or hide, and bytes that are no UTF-8."""


def _words(run: Sequence[str]) -> str:
    return f"'{' '.join((NAME, *run))}'"


def _runs(made: Plan, folder: str) -> list[list[str]]:
    agent = ["--agent", made.agent] if made.agent else []
    runs = (DREAM, USERS, COMPACT) if folder in made.with_users else RUNS
    return [[*made.program, *run, "-W", folder, *agent] for run in runs]


def _folders(named: Sequence[str] | None, agent: str | None) -> tuple[list[str], list[str]]:
    """The folders that are meant, and those of them whose agents keep users apart."""
    values = list(named or settings.named_workspaces())
    if not values:
        found = {one.root: [one] for one in discovering.find(None, agent)}
    else:
        found = {}
        for value in values:
            folder = os.path.abspath(os.path.expanduser(value))
            workspaces = discovering.find([value], agent)  # raises when it is not there
            if not os.path.isdir(folder):
                raise UsageError(f"{value} is no folder; unattended runs need the folder of a workspace.")
            found[folder] = workspaces
    return list(found), [folder for folder, inside in found.items() if any(map(keeps_users, inside))]


def _program(argv: Sequence[str]) -> list[str]:
    """The words that start this memcli from anywhere."""
    first = argv[0] if argv else ""
    beside = os.path.join(os.path.dirname(sys.executable), NAME)
    for path in (os.path.abspath(first) if os.path.basename(first) == NAME and os.sep in first else "", beside):
        if path and os.access(path, os.X_OK) and os.path.isfile(path):
            return [path]
    return [sys.executable, "-m", NAME]


def _path() -> list[str]:
    """Where git is, and the program of the provider `command`; then the usual folders."""
    import shutil

    table = settings.configuration("llm")
    words = table.get("command") if table.get("provider") == "command" else None
    names = ["git", *(words[:1] if isinstance(words, list) else [])]
    found = [shutil.which(name) for name in names if isinstance(name, str)]
    folders = [os.path.dirname(os.path.abspath(path)) for path in found if path]
    return [*dict.fromkeys(folder for folder in folders if folder not in USUAL), *USUAL]


def _idly() -> tuple[str, ...]:
    import shutil

    idle = ("ionice", "-t", "-c", "3") if shutil.which("ionice") else ()
    return ("nice", "-n", "19", *idle)


def _quoted(word: str, dollar: str = "$") -> str:
    """A word as a unit of systemd has it: `%` and, where variables are put in, `$` stand for themselves when doubled."""
    text = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("$", dollar)
    return f'"{text}"'
