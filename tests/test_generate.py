"""What scripts/generate.py writes: a man page for each command that a formatter accepts, and the tables of the READMEs."""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
from support.cli import CHECKOUT

from memcli.quick_flags import COMMANDS as FLAGS
from memcli.registry import COMMANDS, GROUPS

PAGES = {name: CHECKOUT / "man" / f"memcli-{name.replace(' ', '-')}.1" for name in (*COMMANDS, *GROUPS)}
EVERY_PAGE = [CHECKOUT / "man" / "memcli.1", *PAGES.values()]
FORMATTERS = {
    "mandoc": ["mandoc", "-Tlint", "-Wwarning"],
    "groff": ["groff", "-man", "-ww", "-z", "-Tutf8"],
}
INSTALLED = [name for name in FORMATTERS if shutil.which(name)]


@pytest.fixture(scope="module")
def generate() -> ModuleType:
    spec = importlib.util.spec_from_file_location("generate", CHECKOUT / "scripts" / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def plain(page: str) -> str:
    return page.replace("\\-", "-").replace("\\e", "\\").replace("\\&", "")


@pytest.mark.parametrize("formatter", INSTALLED)
@pytest.mark.parametrize("page", EVERY_PAGE, ids=lambda path: path.name)
def test_a_formatter_has_nothing_to_say(formatter: str, page: Path) -> None:
    done = subprocess.run([*FORMATTERS[formatter], page], capture_output=True, text=True, check=False)
    assert (done.stdout + done.stderr, done.returncode) == ("", 0)


def test_there_is_a_page_for_everything_and_nothing_else() -> None:
    assert sorted(CHECKOUT.glob("man/*")) == sorted(EVERY_PAGE)


@pytest.mark.parametrize("name", COMMANDS)
def test_a_page_has_every_option(name: str) -> None:
    text = plain(PAGES[name].read_text(encoding="utf-8"))
    assert re.findall(r"^\.SH (.+)$", text, re.MULTILINE)[:3] == ["NAME", "SYNOPSIS", "DESCRIPTION"]
    assert f"memcli-{name.replace(' ', '-')} - " in text
    for flag in FLAGS[name][1]:
        assert re.search(rf"^\.B .*(?<!\S){re.escape(flag)}(?![\w-])", text, re.MULTILINE), f"{flag} is not described"
    for section in ("EXIT STATUS", "SEE ALSO"):
        assert f".SH {section}" in text


def test_the_first_page_names_the_others() -> None:
    text = plain(EVERY_PAGE[0].read_text(encoding="utf-8"))
    for page in PAGES.values():
        assert f".BR {page.stem} (1)" in text
    for variable in ("MEMCLI_WORKSPACE", "MEMCLI_STATE_DIR", "MEMCLI_CACHE_DIR", "MEMCLI_DEBUG", "NO_COLOR"):
        assert f".B {variable}" in text


@pytest.mark.parametrize(
    ("text", "roff"),
    [
        ("plain", "plain"),
        ("--json", "\\-\\-json"),
        ("a\\b", "a\\eb"),
        (".hidden", "\\&.hidden"),
        ("'quoted'", "\\&'quoted'"),
        ("a\n.SH b", "a\n\\&.SH b"),
    ],
)
def test_roff(generate: ModuleType, text: str, roff: str) -> None:
    assert generate.roff(text) == roff


@pytest.mark.parametrize("name", ["README.md", "README.zh-CN.md"])
def test_readmes_have_a_row_for_every_command(name: str) -> None:
    text = (CHECKOUT / name).read_text(encoding="utf-8")
    for full in COMMANDS:
        assert f"| `memcli {full}` | " in text


def test_the_chinese_table_is_chinese(generate: ModuleType) -> None:
    for row in generate.command_table(True).splitlines()[2:]:
        assert re.search("[\u4e00-\u9fff]", row), f"not translated: {row}"


def test_stale_files_are_found(tmp_path: Path) -> None:
    for part in ("man", "completions", "memcli", "scripts"):
        shutil.copytree(CHECKOUT / part, tmp_path / part, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("README.md", "README.zh-CN.md"):
        shutil.copy(CHECKOUT / name, tmp_path)
    command = [sys.executable, str(tmp_path / "scripts" / "generate.py")]

    def run(*arguments: str) -> tuple[int, list[str]]:
        done = subprocess.run(
            [*command, *arguments],
            cwd=tmp_path,
            env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(tmp_path)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.stderr == ""
        return done.returncode, done.stdout.splitlines()

    run()
    assert run("--check") == (0, [])
    page = tmp_path / "man" / "memcli-grep.1"
    page.write_text(page.read_text() + "more\n")
    (tmp_path / "completions" / "stranger").touch()
    assert run("--check") == (1, ["stale: completions/stranger", "stale: man/memcli-grep.1"])
    assert run() == (0, ["removed: completions/stranger", "wrote: man/memcli-grep.1"])
    assert run("--check") == (0, [])
