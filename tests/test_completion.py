"""TAB in real shells: commands, options, choices, session keys with their colons, and nothing that a file name could run."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pexpect
import pytest
from support.cli import CHECKOUT, environment
from support.hazards import GOOD

# pexpect forks, and says so in a process with threads, as those of xdist are
pytestmark = pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
COMPLETIONS = CHECKOUT / "completions"
SHOW = "\x18\x10"
"""Ctrl-X Ctrl-P, bound in each shell to print the line as it stands."""
BASH = r"""PS1='> '; bind 'set enable-bracketed-paste off'
bind -x '"\C-x\C-p": printf "LINE<%s>\n" "$READLINE_LINE"'
source COMPLETIONS/memcli.bash
"""
ZSH = r"""PS1='> '; fpath=(COMPLETIONS $fpath); autoload -U compinit; compinit -u -d HOME/zcompdump
pl() { print -r -- "LINE<$BUFFER>" }; zle -N pl; bindkey '^X^P' pl
"""
FISH = r"""function fish_prompt; echo '> '; end
bind \cx\cp 'echo LINE"<"(commandline)">"'
source COMPLETIONS/memcli.fish
"""
SHELLS = {
    "bash": (["--norc", "--noprofile", "-i"], BASH),
    "bash without : in COMP_WORDBREAKS": (
        ["--norc", "--noprofile", "-i"],
        f"COMP_WORDBREAKS=${{COMP_WORDBREAKS//:}}\n{BASH}",
    ),
    "zsh": (["-f", "-i"], ZSH),
    "fish": (["--no-config", "-i"], FISH),
}
INSTALLED = [name for name in SHELLS if shutil.which(name.partition(" ")[0])]
"""bash is everywhere; zsh and fish are on the machine that checks every change."""


class Shell:
    """An interactive shell with memcli on its PATH and the completion loaded as a user would load it."""

    def __init__(self, name: str, home: Path, workspace: Path) -> None:
        program = home / "bin" / "memcli"
        program.parent.mkdir(parents=True)
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m memcli "$@"\n')
        program.chmod(0o755)
        arguments, setup = SHELLS[name]
        variables = environment(
            {name: None for name in os.environ if name.startswith(("XDG_", "MEMCLI_"))}
            | {
                "PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}",
                "HOME": str(home),
                "TERM": "dumb",
                "MEMCLI_WORKSPACE": str(workspace),
            }
        )
        self.process = pexpect.spawn(
            name.partition(" ")[0],
            arguments,
            cwd=str(home),
            env=variables,
            encoding="utf-8",
            timeout=60,
            dimensions=(24, 250),
            use_poll=True,  # select() knows no descriptor over 1,023, and a worker that ran a thousand tests may have them
        )
        for line in setup.replace("COMPLETIONS", str(COMPLETIONS)).replace("HOME", str(home)).splitlines():
            self.process.sendline(line)
        self.process.sendline("echo rea''dy")
        self.process.expect("ready\r\n")

    def tab(self, typed: str) -> str:
        """The line after TAB."""
        self.process.send(typed + "\t" + SHOW)
        self.process.expect("LINE<(.*?)>\r?\n")
        line = self.process.match.group(1)
        self.process.send("\x15")
        return line


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two catbuddy chats."""
    folder = tmp_path_factory.mktemp("workspace")
    shutil.copytree(CHECKOUT / "tests" / "samples" / "catbuddy" / "home-workspace", folder / "it")
    return folder / "it"


@pytest.fixture(scope="module", params=INSTALLED)
def shell(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, workspace: Path) -> Iterator[Shell]:
    found = Shell(request.param, tmp_path_factory.mktemp("home"), workspace)
    yield found
    found.process.close(force=True)


TYPED = {
    # what is typed: the line after TAB
    "memcli ses": "memcli sessions ",
    "memcli sessions l": "memcli sessions ls ",
    "memcli sessions sh": "memcli sessions show ",
    "memcli gre": "memcli grep ",
    "memcli --ver": "memcli --version ",
    "memcli grep --ign": "memcli grep --ignore-case ",
    "memcli sessions ls --so": "memcli sessions ls --sort ",
    "memcli sessions ls --sort si": "memcli sessions ls --sort size ",
    "memcli tail --fol": "memcli tail --follow ",
    "memcli tail desktop:ma": "memcli tail desktop:main ",
    "memcli tail desk": "memcli tail desktop:",
    "memcli tail -f desktop:17": "memcli tail -f desktop:1730456789000 ",
    "memcli sessions show desktop:ma": "memcli sessions show desktop:main ",
    "memcli grep 'two words' desktop:ma": "memcli grep 'two words' desktop:main ",
    'memcli grep "two words" desktop:ma': 'memcli grep "two words" desktop:main ',
    "memcli grep two\\ words desktop:ma": "memcli grep two\\ words desktop:main ",
    "memcli grep x desktop:main desktop:17": "memcli grep x desktop:main desktop:1730456789000 ",
    "memcli grep -e x desktop:ma": "memcli grep -e x desktop:main ",
    "memcli tail nothing-like-th": "memcli tail nothing-like-th",
    "memcli frob": "memcli frob",
}


@pytest.mark.parametrize("typed", TYPED)
def test_tab(shell: Shell, typed: str) -> None:
    assert shell.tab(typed) == TYPED[typed]


def test_tab_looks_where_w_points(shell: Shell, tmp_path: Path) -> None:
    for name in ("alpha", "beta"):
        (tmp_path / f"{name}.jsonl").write_text(GOOD)
    for before, after in (("", f" -W {tmp_path}"), (f" -W {tmp_path}", "")):
        typed = f"memcli{before} tail{after} al"
        assert shell.tab(typed) == f"{typed}pha "


def test_tab_completes_paths_where_it_knows_nothing(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "a-folder-of-chats").mkdir()
    assert shell.tab(f"memcli demo {tmp_path}/a-fo").rstrip(" /") == f"memcli demo {tmp_path}/a-folder-of-chats"
    assert shell.tab(f"memcli tail -W {tmp_path}/a-fo").rstrip(" /") == f"memcli tail -W {tmp_path}/a-folder-of-chats"


HOSTILE = (
    "$(touch pwned)",
    "`touch pwned`",
    ";touch pwned",
    "'$(touch pwned)'",
    '"; touch pwned; "',
    "a\nb",
    "\x1b[31m",
    "zz)) ; touch pwned ; ((",
)


def test_hostile_names_are_never_offered(shell: Shell, tmp_path: Path) -> None:
    for name in (*HOSTILE, "zz-safe"):
        (tmp_path / f"{name.replace('/', '_')}.jsonl").write_text(GOOD)
    line = f"memcli tail -W {tmp_path} "
    assert shell.tab(line).rstrip() == f"{line}zz-safe"
    assert shell.tab(f"{line}zz").rstrip() == f"{line}zz-safe"
    for name in HOSTILE:
        shell.tab(f"{line}{name[0] if name[0] not in chr(27) else 'x'}")
    home = Path(shell.process.cwd)
    assert not list(home.rglob("pwned"))
    assert not list(tmp_path.rglob("pwned"))


def test_tab_is_silent_where_nothing_is_found(shell: Shell, tmp_path: Path) -> None:
    line = f"memcli tail -W {tmp_path}/nowhere x"
    assert shell.tab(line) == line
    assert "memcli:" not in shell.process.before
    assert "Traceback" not in shell.process.before
