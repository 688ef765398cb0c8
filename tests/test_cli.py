"""The front door as a whole: help, version, where memcli looks, and how options before and after a command merge."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from support.cli import environment, one_sentence, run, short, spawn
from support.hazards import GOOD

from memcli import __version__
from memcli.registry import COMMANDS, GROUPS


def chats(folder: Path, *names: str) -> Path:
    """A folder of plain chat files with these names."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        (folder / f"{name}.jsonl").write_text(GOOD)
    return folder


def catbuddy(folder: Path, *names: str) -> Path:
    """A catbuddy workspace below `folder`, which holds `.catbuddy`."""
    sessions = folder / ".catbuddy" / "workspace" / "sessions"
    sessions.mkdir(parents=True)
    for name in names:
        header = {
            "key": f"desktop:{name}",
            "created_at": "2026-05-20T08:30:00.000Z",
            "updated_at": "2026-05-20T08:30:00.000Z",
        }
        row = {"id": 1, "sessionKey": f"desktop:{name}", "role": "user", "content": "a needle in here"}
        (sessions / f"desktop_{name}.jsonl").write_text(json.dumps(header) + "\n" + json.dumps(row) + "\n")
    return folder / ".catbuddy"


def keys(*arguments: str | Path, cwd: Path | None = None, env: dict[str, str | None] | None = None) -> list[str]:
    """The keys that `sessions ls` lists, in the order of the alphabet."""
    ran = run(*arguments, cwd=cwd, env=env)
    assert (ran.code, ran.err) == (0, "")
    return sorted(row[1] for row in ran.rows)


@pytest.mark.parametrize("arguments", [[], ["--help"], ["-h"]], ids=short)
def test_help_names_every_command(arguments: list[str]) -> None:
    ran = run(*arguments)
    assert (ran.code, ran.err) == (0, "")
    for name in {full.partition(" ")[0] for full in COMMANDS}:
        assert f"\n  {name} " in ran.out
    for code in ("0 done", "1 a negative answer", "2 usage", "70 a bug", "130 interrupted"):
        assert code in " ".join(ran.out.split())


@pytest.mark.parametrize("group", GROUPS)
@pytest.mark.parametrize("flag", [[], ["--help"], ["-h"]], ids=short)
def test_help_of_a_group(group: str, flag: list[str]) -> None:
    ran = run(group, *flag)
    assert (ran.code, ran.err) == (0, "")
    for full in COMMANDS:
        if full.startswith(f"{group} "):
            assert f"\n  {full.partition(' ')[2]} " in ran.out


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("flag", ["--help", "-h"])
def test_help_of_a_command(name: str, flag: str) -> None:
    ran = run(*name.split(), flag)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith(f"Usage: memcli {name} ")
    assert max(map(len, ran.out.splitlines())) <= 100


def test_help_has_no_colour_on_any_stream() -> None:
    assert "\x1b" not in spawn("grep", "--help", env={"FORCE_COLOR": "1", "TERM": "xterm"}).out


@pytest.mark.parametrize("arguments", [["--version"], ["--version", "grep"], ["-W", "x", "--version"]], ids=short)
def test_version(arguments: list[str]) -> None:
    assert run(*arguments) == (0, f"memcli {__version__}\n", "")


@pytest.mark.parametrize(
    "arguments",
    [
        ["-W", "a", "sessions", "ls"],
        ["sessions", "ls", "-W", "a"],
        ["--workspace=a", "sessions", "ls"],
        ["-W", "b", "sessions", "ls", "-W", "a"],
        ["-W", "b", "-W", "c", "sessions", "ls", "--workspace", "a"],
    ],
    ids=short,
)
def test_a_workspace_stands_before_or_after_the_command_and_the_later_wins(
    tmp_path: Path, arguments: list[str]
) -> None:
    for name in "abc":
        chats(tmp_path / name, name)
    assert keys(*arguments, cwd=tmp_path) == ["a"]


@pytest.mark.parametrize(
    "arguments", [["-W", "a", "-W", "b", "sessions", "ls"], ["sessions", "ls", "-W", "a", "-W", "b"]]
)
def test_several_workspaces(tmp_path: Path, arguments: list[str]) -> None:
    for name in "abc":
        chats(tmp_path / name, name)
    assert keys(*arguments, cwd=tmp_path) == ["a", "b"]


def test_the_same_workspace_twice_is_one(tmp_path: Path) -> None:
    chats(tmp_path / "a", "a")
    os.symlink("a", tmp_path / "link")
    assert keys("sessions", "ls", "-W", tmp_path / "a", "-W", f"{tmp_path}/a/", "-W", tmp_path / "link") == ["a"]


def test_agents_too_stand_before_or_after(tmp_path: Path) -> None:
    chats(tmp_path, "desktop_main")
    assert keys("sessions", "ls", "--agent", "catbuddy", "-W", tmp_path) == ["desktop:main"]
    assert keys("--agent", "catbuddy", "sessions", "ls", "-W", tmp_path) == ["desktop:main"]
    assert keys("--agent", "catbuddy", "sessions", "ls", "--agent", "jsonl", "-W", tmp_path) == ["desktop_main"]


def test_every_command_takes_the_options_before_it(tmp_path: Path) -> None:
    chats(tmp_path / "a", "a")
    for command in (["sessions", "ls"], ["sessions", "show"], ["grep", "needle"], ["tail"]):
        for arguments in (["-W", "a", *command], [*command, "-W", "a"]):
            ran = run(*arguments, cwd=tmp_path)
            assert (ran.code, ran.err) == (0, "")
            assert "a" in ran.out


def test_the_variable_names_workspaces(tmp_path: Path) -> None:
    for name in "ab":
        chats(tmp_path / name, name)
    both = {"MEMCLI_WORKSPACE": os.pathsep.join([str(tmp_path / "a"), "", str(tmp_path / "b")])}
    assert keys("sessions", "ls", env=both) == ["a", "b"]
    assert keys("sessions", "ls", "-W", tmp_path / "b", env=both) == ["b"]
    wrong = run("sessions", "ls", env={"MEMCLI_WORKSPACE": "/nowhere"})
    one_sentence(wrong, 2, "/nowhere does not exist")


def test_the_nearest_layout_at_or_above_the_current_folder(tmp_path: Path, no_home: Path) -> None:
    catbuddy(no_home, "home")
    project = tmp_path / "project"
    catbuddy(project, "project")
    deep = project / "src" / "deep"
    deep.mkdir(parents=True)
    assert keys("sessions", "ls", cwd=tmp_path) == ["desktop:home"]
    for here in (project, deep, project / ".catbuddy", project / ".catbuddy" / "workspace" / "sessions"):
        assert keys("sessions", "ls", cwd=here) == ["desktop:project"]


def test_every_home_is_looked_at(tmp_path: Path, no_home: Path, nanobot: Path) -> None:
    catbuddy(no_home, "home")
    os.symlink(nanobot / "nanobot-v0.3.0" / ".nanobot", no_home / ".nanobot")
    assert keys("sessions", "ls", cwd=tmp_path) == ["cli:direct", "desktop:home", "telegram:a:b", "telegram:a_b"]
    assert keys("sessions", "ls", "--agent", "catbuddy", cwd=tmp_path) == ["desktop:home"]


def test_a_tilde_is_the_home(no_home: Path) -> None:
    chats(no_home / "kept", "a")
    assert keys("sessions", "ls", "-W", "~/kept") == ["a"]


def test_sessions_by_key_file_part_and_latest(tmp_path: Path, no_home: Path) -> None:
    catbuddy(no_home, "main", "1748736000000")
    loose = chats(tmp_path, "loose") / "loose.jsonl"
    cases = {
        "desktop:main": "desktop:main",
        "MAIN": "desktop:main",
        "17487": "desktop:1748736000000",
        "@latest": "desktop:1748736000000",
        str(loose): "loose",
        "loose.jsonl": "loose",
        "./loose.jsonl": "loose",
    }
    for typed, key in cases.items():
        assert run("sessions", "show", typed, "--query", "key", cwd=tmp_path).out == f'"{key}"\n'


def test_a_title_finds_its_session(tmp_path: Path) -> None:
    folder = catbuddy(tmp_path, "1", "2")
    path = folder / "workspace" / "sessions" / "desktop_2.jsonl"
    path.write_text(path.read_text().replace('"created_at"', '"title": "Trip to 杭州", "created_at"', 1))
    assert run("sessions", "show", "杭州", "--query", "key", "-W", folder).out == '"desktop:2"\n'


def test_two_files_with_one_key_are_told_apart_by_path(tmp_path: Path) -> None:
    folder = catbuddy(tmp_path, "1")
    sessions = folder / "workspace" / "sessions"
    (sessions / "copy.jsonl").write_bytes((sessions / "desktop_1.jsonl").read_bytes())
    ran = run("sessions", "show", "desktop:1", "-W", folder)
    one_sentence(ran, 2, f"can mean {sessions}/copy.jsonl, {sessions}/desktop_1.jsonl; give a whole key or a path")
    assert run("sessions", "show", sessions / "copy.jsonl", "-W", folder).code == 0


def test_module_and_script_are_the_same(tmp_path: Path) -> None:
    chats(tmp_path, "a")
    assert spawn("sessions", "ls", "-W", tmp_path) == run("sessions", "ls", "-W", tmp_path)


def test_a_bug_is_told_as_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chats(tmp_path, "a")

    def broken(*arguments: object) -> None:
        raise ZeroDivisionError("so much for that")

    monkeypatch.setattr("memcli.core.discovering.find", broken)
    ran = run("sessions", "ls", "-W", tmp_path)
    one_sentence(ran, 70, "memcli has a bug (ZeroDivisionError: so much for that). Nothing was changed")
    assert json.loads(run("sessions", "ls", "--json", "-W", tmp_path).err)["code"] == "bug"
    with pytest.raises(ZeroDivisionError):
        run("sessions", "ls", "-W", tmp_path, env={"MEMCLI_DEBUG": "1"})


def test_the_environment_of_these_tests_is_their_own() -> None:
    assert not [name for name in environment() if name.startswith("MEMCLI_")]
