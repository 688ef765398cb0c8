"""What a schedule prints is run here: by /bin/sh as cron does, and by systemd's rules; whatever the workspaces are called."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support import dreams
from support.cli import CHECKOUT, Ran, run

from memcli.core import scheduling
from memcli.core.scheduling import Plan

NAMES = ["plain", 'two words & 100% "it\'s" $HOME `id`', "家庭 工作 #1; \\%d \\\\n\\", "%%i \\x41 ${X} *'\\''"]


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "where 100% of the 状态 \\is"
    monkeypatch.setenv("MEMCLI_STATE_DIR", str(folder))
    monkeypatch.setenv("XDG_STATE_HOME", "not/absolute")
    return folder


@pytest.fixture
def bots(tmp_path: Path, state: Path) -> list[str]:
    return [dreams.nanobot(tmp_path / name, ["pnpm", "port"]).root for name in NAMES]


def parts(*arguments: str | Path, command: str = "dream", **more: Any) -> dict[str, str]:
    ran = run(command, "--schedule", "--json", *arguments, **more)
    assert ran.code == 0, ran.err
    rows = [json.loads(line) for line in ran.out.splitlines()]
    assert {row["type"] for row in rows} == {"schedule"}
    assert [row["path"] for row in rows] == [
        None,
        "~/.config/systemd/user/memcli.service",
        "~/.config/systemd/user/memcli.timer",
    ]
    return {row["kind"]: row["text"] for row in rows}


def named(bots: list[str]) -> list[str]:
    return [word for bot in bots for word in ("-W", bot)]


def as_cron(line: str, *, older: bool) -> str:
    """The command of a line of a crontab, as cron passes it to the shell: up to the first `%` without a backslash before it.
    Those of Vixie take the backslash away before `%` and before another one, `older` ones only before `%`."""
    text = line.split(None, 5)[5]
    found, at = "", 0
    while at < len(text) and text[at] != "%":
        if text[at] == "\\" and at + 1 < len(text):
            kept = "" if text[at + 1] == "%" or (text[at + 1] == "\\" and not older) else "\\"
            found += kept + text[at + 1]
            at += 2
        else:
            found += text[at]
            at += 1
    return found


@pytest.mark.parametrize("older", [False, True])
def test_cron_gives_the_shell_what_was_meant(older: bool) -> None:
    folders = tuple(f"/x/{name}/y" for name in [*NAMES, "a\\'b", "\\\\%\\", "%"])
    made = Plan(("/opt/my tools/memcli",), folders, "nanobot", (("PATH", "/a:/b c"), ("X", "5% \\")))
    for folder in folders:
        line = scheduling.crontab(made, folder)
        assert re.match(r"\d+-59/15 \* \* \* \* export ", line)
        lexer = shlex.shlex(as_cron(line, older=older), posix=True, punctuation_chars=";")
        lexer.whitespace_split, lexer.commenters = True, ""
        assert list(lexer) == [
            *("export", "PATH=/a:/b c", "X=5% \\", ";"),
            *("/opt/my tools/memcli", "dream", "--if-due", "--cron", "-W", folder, "--agent", "nanobot", ";"),
            *("/opt/my tools/memcli", "compact", "--cron", "-W", folder, "--agent", "nanobot"),
        ]


def alone(words: list[str], home: Path, variables: dict[str, str] | None = None) -> Ran:
    """Run something as cron does: nearly no environment, no terminal, in the home folder. The checkout is told to Python in the
    one way that needs no variable."""
    env = {"HOME": str(home), "LOGNAME": "me", "SHELL": "/bin/sh", "PATH": "/usr/bin:/bin", **(variables or {})}
    done = subprocess.run(
        words,
        cwd=home,
        env=env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        start_new_session=True,
        timeout=60,
        check=False,
    )
    return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A memcli of this checkout, in a folder with an odd name."""
    path = tmp_path / 'the "tools" 100% $5' / "memcli"
    path.parent.mkdir()
    path.write_text(
        f"#!{sys.executable}\nimport sys\nsys.path.insert(0, {str(CHECKOUT)!r})\n"
        "from memcli.cli import main\nsys.exit(main())\n"
    )
    path.chmod(0o755)
    monkeypatch.setattr(scheduling, "_program", lambda argv: [str(path)])
    return path


def told() -> list[tuple[list[str], int]]:
    rows = [json.loads(line) for line in run("state", "log", "--json").out.splitlines()]
    return [(row["command"], row["exit"]) for row in rows]


def expected(bots: list[str]) -> list[tuple[list[str], int]]:
    return [([*words, "-W", bot], 0) for bot in bots for words in scheduling.RUNS]


def dreamt(bot: str) -> bool:
    return "pnpm" in Path(bot, "USER.md").read_text()


def test_the_crontab_runs(bots: list[str], program: Path, no_home: Path) -> None:
    lines = parts(*named(bots))["crontab"].splitlines()
    assert len(lines) == len(bots)
    for line in lines:
        ran = alone(["/bin/sh", "-c", as_cron(line, older=False)], no_home)
        assert ran == (0, "", "")
    assert told() == expected(bots)
    assert all(map(dreamt, bots))
    again = alone(["/bin/sh", "-c", as_cron(lines[1], older=True)], no_home)
    assert again == (0, "", "")
    assert list(no_home.iterdir()) == []  # all that is kept went where it was told


def words(value: str) -> Iterator[str]:
    """The words of a value, as systemd takes them apart (systemd.syntax(7)): double quotes, escapes of C in them."""
    escapes = {"\\": "\\", '"': '"', "n": "\n", "t": "\t"}
    for match in re.finditer(r'((?:[^\s"]|"(?:[^"\\]|\\.)*")+)', value):
        text = re.sub(r'"((?:[^"\\]|\\.)*)"', lambda one: one[1], match[0])
        yield re.sub(r"\\(.)", lambda one: escapes[one[1]], text).replace("%%", "%")


def test_the_units_run(bots: list[str], program: Path, no_home: Path) -> None:
    service = parts(*named(bots))["service"]
    settings = re.findall(r"^(\w+)=(.*)$", service, re.MULTILINE)
    variables = dict(word.split("=", 1) for key, value in settings if key == "Environment" for word in words(value))
    commands = [list(words(value)) for key, value in settings if key == "ExecStart"]
    assert len(commands) == 2 * len(bots)
    for first, *rest in commands:
        line = [first.removeprefix("-"), *(word.replace("$$", "$") for word in rest)]
        assert alone(line, no_home, variables) == (0, "", "")
    assert told() == expected(bots)
    assert all(map(dreamt, bots))


@pytest.mark.parametrize("names", [NAMES])
def test_systemd_finds_no_fault(names: list[str], bots: list[str], program: Path, tmp_path: Path) -> None:
    made = parts(*named(bots))
    for kind in ("service", "timer"):
        (tmp_path / f"memcli.{kind}").write_text(made[kind])
        assert re.findall(r"^\[\w+\]$", made[kind], re.MULTILINE)[0] == "[Unit]"
    judge = shutil.which("systemd-analyze")
    if judge:
        files = [str(tmp_path / f"memcli.{kind}") for kind in ("service", "timer")]
        done = subprocess.run([judge, "verify", *files], capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")


def test_the_text_has_all_of_it(bots: list[str], program: Path) -> None:
    ran = run("dream", "--schedule", *named(bots))
    assert ran.code == 0
    for text in parts(*named(bots)).values():
        assert text in ran.out
    rest = ran.out
    for text in parts(*named(bots)).values():
        rest = rest.replace(text, "")
    assert all(line.startswith("#") or not line for line in rest.splitlines())
    assert "memcli state log" in ran.err


def test_no_other_workspace_than_those_that_are_meant(bots: list[str], program: Path, tmp_path: Path) -> None:
    plain, odd = bots[0], bots[1]
    assert odd not in parts("-W", plain)["crontab"]
    assert f"-W {plain}" in parts(cwd=Path(plain))["crontab"]  # that of the current folder
    relative = parts("-W", os.path.relpath(plain, tmp_path), cwd=tmp_path)["crontab"]
    assert f"-W {plain};" in relative
    several = parts(env={"MEMCLI_WORKSPACE": f"{plain}:{odd}"})
    assert several["crontab"].count("\n") == 2


def test_agents_that_keep_users_apart(program: Path, state: Path, tmp_path: Path, no_home: Path) -> None:
    office = dreams.cococat(tmp_path / "office", ["port"]).root
    made = parts("-W", office)
    [line] = made["crontab"].splitlines()
    assert alone(["/bin/sh", "-c", as_cron(line, older=False)], no_home) == (0, "", "")  # nobody has come yet
    assert [words[:-2] for words, code in told()] == [
        ["dream", "--if-due", "--cron"],
        ["dream", "--if-due", "--cron", "--all-users"],
        ["compact", "--cron"],
    ]
    assert made["service"].count("ExecStart=") == 3
    dreams.cococat(tmp_path / "office", ["port"], {"abc": ["pnpm"]})
    assert alone(["/bin/sh", "-c", as_cron(line, older=False)], no_home) == (0, "", "")
    profile = Path(office, "agents", "leader", "memory", "users", "abc", "PROFILE.md")
    assert "pnpm" in profile.read_text()


def test_where_git_and_the_provider_are(bots: list[str], program: Path, tmp_path: Path) -> None:
    folder = tmp_path / "own tools"
    folder.mkdir()
    for name in ("git", "reader"):
        (folder / name).write_text("#!/bin/sh\n")
        (folder / name).chmod(0o755)
    env = {"PATH": f"{folder}:{os.environ['PATH']}"}
    assert f'"PATH={folder}:/usr/local/bin:/usr/bin:/bin"' in parts("-W", bots[0], env=env)["service"]
    (folder / "git").unlink()
    config = tmp_path / "config.toml"
    config.write_text('[llm]\nprovider = "command"\ncommand = ["reader"]\n')
    made = parts("-W", bots[0], env={**env, "MEMCLI_CONFIG": str(config)})
    assert f'"PATH={folder}:/usr/local/bin:/usr/bin:/bin"' in made["service"]
    assert f'"MEMCLI_CONFIG={config}"' in made["service"]


@pytest.mark.parametrize(
    ("table", "warned"),
    [
        ('provider = "openai"\nmodel = "m"', True),
        ('provider = "anthropic"\nmodel = "m"\nkey_env = "KEY"', True),
        ('provider = "openai"\nmodel = "m"\nkey_env = ""', False),
        ('provider = "openai"\nmodel = "m"\nkey_file = "key"', False),
        ('provider = "offline"', False),
    ],
)
def test_a_key_that_cron_would_not_have(table: str, warned: bool, bots: list[str], tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text(f"[llm]\n{table}\n")
    ran = run("dream", "--schedule", "-W", bots[0], env={"MEMCLI_CONFIG": str(config)})
    assert ("key_file in [llm]" in ran.err) == warned


def test_a_line_that_is_long(bots: list[str]) -> None:
    assert scheduling.notes(Plan(("/bin/memcli",), ("/x",))) == []
    [sentence] = scheduling.notes(Plan(("/bin/memcli",), ("/x" * 400,)))
    assert "998" in sentence


@pytest.mark.parametrize("name", ["two\nlines", "tab\t", "\u202egnp", "\udcff"])
def test_names_that_no_crontab_holds(name: str, tmp_path: Path) -> None:
    bot = dreams.nanobot(tmp_path / name, ["pnpm"]).root
    ran = run("dream", "--schedule", "-W", bot)
    assert ran.code == 2
    assert "A schedule cannot name" in ran.err
    assert ran.out == ""


def test_what_is_no_folder(tmp_path: Path) -> None:
    bot = dreams.nanobot(tmp_path, ["pnpm"]).root
    ran = run("dream", "--schedule", "-W", f"{bot}/memory/history.jsonl")
    assert ran.code == 2
    assert "is no folder" in ran.err
    assert run("dream", "--schedule", "-W", str(tmp_path / "nowhere")).code == 2


def test_dream_and_compact_print_the_same(bots: list[str]) -> None:
    assert parts("-W", bots[0], "--agent", "nanobot", command="compact") == parts("-W", bots[0], "--agent", "nanobot")


@pytest.mark.parametrize("command", ["dream", "compact"])
@pytest.mark.parametrize("option", [["--dry-run"], ["--propose"], ["--idle", "0"], ["--provider", "offline"]])
def test_nothing_else_goes_with_it(command: str, option: list[str], bots: list[str]) -> None:
    ran = run(command, "--schedule", *option, "-W", bots[0])
    assert ran.code == 2
    assert option[0] in ran.err


def test_the_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = tmp_path / "memcli"
    own.write_text("#!/bin/sh\n")
    own.chmod(0o755)
    assert scheduling._program([str(own)]) == [str(own)]
    monkeypatch.chdir(tmp_path)
    assert scheduling._program(["./memcli"]) == [str(own)]
    python = tmp_path / "bin" / "python"
    monkeypatch.setattr(sys, "executable", str(python))
    assert scheduling._program([str(CHECKOUT / "memcli" / "__main__.py")]) == [str(python), "-m", "memcli"]
    python.parent.mkdir()
    shutil.copy(own, python.parent / "memcli")
    assert scheduling._program(["memcli"]) == [str(python.parent / "memcli")]
