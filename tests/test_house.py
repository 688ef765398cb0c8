"""The rules of the house that no linter knows: what belongs together is together, and what is documented is so."""

from __future__ import annotations

import ast
import inspect
import json
import os
import re
import shlex
import socket
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path

import pytest
from support.cli import environment

from memcli import errors, secrets
from memcli.core.causes import causes
from memcli.formats import FORMATS, load
from memcli.quick_flags import COMMANDS as FLAGS
from memcli.registry import COMMANDS, GROUPS

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "memcli"
REAL_HOME = os.path.expanduser("~")
MODULES = sorted(PACKAGE.rglob("*.py"))
DOCUMENTS = [ROOT / "README.md", ROOT / "README.zh-CN.md", ROOT / "CONTRIBUTING.md", *sorted(ROOT.glob("docs/**/*.md"))]


def short(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def test_every_command_module_is_reached_and_every_command_exists() -> None:
    reached = {target.partition(":")[0] for target, _ in COMMANDS.values()}
    modules = {f"memcli.commands.{path.stem}" for path in PACKAGE.glob("commands/*.py") if path.stem != "__init__"}
    assert reached == modules
    assert set(FLAGS) == set(COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_is_described_once(name: str) -> None:
    target, line = COMMANDS[name]
    module, _, attribute = target.partition(":")
    function = getattr(import_module(module), attribute)
    assert (inspect.getdoc(function) or "").splitlines()[0] == line
    assert line.endswith(".")
    assert len(line) <= 90


def test_groups_are_those_of_the_commands() -> None:
    groups = {name.partition(" ")[0] for name in COMMANDS if " " in name}
    assert set(GROUPS) == groups
    for group, line in GROUPS.items():
        for name in COMMANDS:
            word = name.partition(" ")[2]
            assert not name.startswith(f"{group} ") or re.search(rf"\b{word}\b", line), f"{group}: {word} is not named"


def test_every_format_is_registered() -> None:
    packages = {path.parent.name for path in PACKAGE.glob("formats/*/__init__.py")}
    assert set(FORMATS) == packages
    for name in FORMATS:
        assert load(name).name == name


@pytest.mark.parametrize("path", MODULES, ids=short)
def test_a_module_keeps_to_its_floor(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    name = path.relative_to(PACKAGE).as_posix()
    imported = set(imports(tree))
    if name != "output/rich_view.py":
        assert "rich" not in imported, "only output/rich_view.py imports Rich"
    if name != "settings.py":
        used = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
        assert not used & {"environ", "getenv", "environb"}, "only settings.py reads the environment"
    if name not in ("root.py", "options.py"):
        assert "typer" not in imported, "Typer stays in root.py and options.py"
    assert ast.get_docstring(tree), "a module says what it is for"


def imports(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module.partition(".")[0]


AGENTS = re.compile("|".join(name for name in FORMATS if name != "jsonl"), re.IGNORECASE)


@pytest.mark.parametrize("path", [path for path in MODULES if "formats" not in path.parts], ids=short)
def test_only_formats_know_agents_by_name(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    if path.name == "options.py":  # the help text of --agent
        text = re.sub(r"help=\"Read files as this agent writes them: [^\"]*\"", "", text)
    assert not AGENTS.findall(text)


UNDONE = re.compile(r"\bTODO\b|\bFIXME\b|\bXXX\b|pragma: no cover|pytest\.skip")
UNTYPED = re.compile(r"# type: ignore")
SOURCES = [path for path in (*MODULES, *sorted((ROOT / "tests").rglob("*.py"))) if path != Path(__file__)]


@pytest.mark.parametrize("path", SOURCES, ids=short)
def test_nothing_is_left_undone(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert not UNDONE.findall(text)
    assert not UNTYPED.findall(text)


CROSS = {
    # test files (as patterns) about more than one module: what they look at
    "commands/test_bad_input.py": "every command",
    "commands/test_hazards.py": "every command",
    "commands/test_hostile.py": "every command",
    "commands/test_streams.py": "every command",
    "commands/test_terminal.py": "every command",
    "commands/test_unattended.py": "dream and compact, run by cron",
    r"damage/test_(\w+_)?(cases|generators|samples).py": "every class of damage",
    r"core/test_repair_(beside_a_writer|faults).py": "core/repairing.py and what it writes with",
    "core/test_oracle.py": "every format's loader",
    r"core/causes/test_\w+_cases.py": "every cause",
    "core/compact/test_properties.py": "compact and trim in whole",
    "damage/test_hostile.py": "every class of damage",
    "formats/test_compacting.py": "compacting.py of every format",
    "output/test_printer.py": "output/__init__.py",
    "peers/test_dream.py": "dream, revert and history beside the agent's own",
    "peers/test_lost_chats.py": "every cause",
    "peers/test_nanobot.py": "formats/nanobot/ and repair",
    "peers/test_nanobot_compact.py": "compact and trim beside the agent's own",
    "secrets/test_cases.py": "every rule",
    "search/test_contract.py": "search/__init__.py",
    "storage/test_operation_faults.py": "every step of every writer",
    "storage/test_writers.py": "every writer",
    "test_completion.py": "completions/",
    "test_generate.py": "scripts/generate.py",
    "test_house.py": "everything",
    "test_startup.py": "cli.py",
}


@pytest.mark.parametrize("path", sorted((ROOT / "tests").rglob("test_*.py")), ids=short)
def test_a_test_file_mirrors_a_module(path: Path) -> None:
    name = path.relative_to(ROOT / "tests").as_posix()
    if any(re.fullmatch(pattern, name) for pattern in CROSS):
        return
    folder = PACKAGE / path.relative_to(ROOT / "tests").parent
    words = path.stem.removeprefix("test_").split("_")
    mirrored = ["_".join(part) for n in range(len(words)) for part in (words[: len(words) - n], words[n:])]
    found = [stem for stem in mirrored if (folder / f"{stem}.py").exists() or (folder / stem).is_dir()]
    assert found, f"{name} tests no module; name it after one, or say in CROSS what it looks at"


def test_exit_codes_are_documented() -> None:
    text = (ROOT / "docs" / "exit-codes.md").read_text(encoding="utf-8")
    documented = set(re.findall(r"^\| (\d+) \|", text, re.MULTILINE))
    raised = {
        str(kind.exit_code)
        for kind in vars(errors).values()
        if isinstance(kind, type) and issubclass(kind, errors.MemcliError)
    }
    assert raised | {"0", "1", "70", "130"} <= documented
    assert "143" in text


ERRORS = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, errors.MemcliError)]


@pytest.mark.parametrize("kind", ERRORS, ids=lambda kind: kind.__name__)
def test_an_error_says_what_it_is(kind: type[errors.MemcliError]) -> None:
    error = kind("What happened.", path="/x")
    assert (str(error), error.sentence, error.facts) == ("What happened.", "What happened.", {"path": "/x"})
    assert re.fullmatch("[a-z]+(-[a-z]+)*", kind.code)
    assert kind.__doc__


def rows() -> Iterator[tuple[str, dict[str, object]]]:
    """Every JSON row that the golden files hold, with the command that prints it."""
    for path in sorted((ROOT / "tests" / "golden").rglob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.startswith('{"type"'):
                yield path.relative_to(ROOT / "tests" / "golden").parts[0], json.loads(line)


def test_json_keys_are_documented() -> None:
    text = (ROOT / "docs" / "json-rows.md").read_text(encoding="utf-8")
    words = set(re.findall(r"`\"?([a-z_]+)\"?`", text))
    printed = set()
    for _, row in rows():
        printed.add(row["type"])
        printed.update(row)
        for name in ("unreadable", "gaps", "calls"):
            listed = row.get(name)
            printed.update(*(listed if isinstance(listed, list) else []))
    assert len(printed) > 40
    assert printed - words == set()


def test_causes_are_documented() -> None:
    text = (ROOT / "docs" / "json-rows.md").read_text(encoding="utf-8")
    words = set(re.findall(r"`([a-z-]+)`", text))
    named = {cause.CAUSE for cause in causes()} | {"unknown"}
    assert len(named) > 20
    assert named - words == set()


def test_damage_codes_are_documented() -> None:
    text = (ROOT / "docs" / "damage.md").read_text(encoding="utf-8")
    words = set(re.findall(r"`([a-z0-9-]+)`", text))
    shown: set[object] = set()
    for _, row in rows():
        damage = row.get("damage")
        shown.update(damage if isinstance(damage, list) else [])
    for source in ("storage/decode.py", "damage/ends.py", "core/listing.py"):
        tree = ast.parse((PACKAGE / source).read_text(encoding="utf-8"))
        shown.update(
            node.value
            for node in ast.walk(tree)
            if isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and re.fullmatch("[a-z0-9]+(-[a-z0-9]+)+", node.value)
        )
    not_codes = {"utf-8"}
    assert len(shown) > 15
    assert shown - not_codes - words == set()


def test_kinds_of_secrets_are_documented() -> None:
    text = (ROOT / "docs" / "export.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| `([a-z-]+)` \|", text, re.MULTILINE)[3:] == list(secrets.KINDS)


@pytest.mark.parametrize("path", DOCUMENTS, ids=short)
def test_links_lead_somewhere(path: Path) -> None:
    for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", path.read_text(encoding="utf-8")):
        if "://" not in target:
            assert (path.parent / target).exists(), f"{short(path)} links to {target}"


def command_lines(path: Path) -> Iterator[list[str]]:
    """What stands behind `memcli` in the code of a document, as words."""
    text = path.read_text(encoding="utf-8")
    code = [*re.findall(r"^```\w*\n(.*?)^```", text, re.MULTILINE | re.DOTALL), *re.findall(r"`([^`\n]+)`", text)]
    for block in code:
        for line in block.splitlines():
            if "memcli" not in line:
                continue
            lexer = shlex.shlex(line.removeprefix("$ ").replace("<TAB>", ""), posix=True, punctuation_chars="|&;")
            lexer.whitespace_split = True
            words: list[str] = []
            for token in [*lexer, "|"]:
                if not token or token[0] not in "|&;":
                    words.append(token)
                    continue
                names = [place for place, word in enumerate(words) if word == "memcli" or word.endswith("bin/memcli")]
                if names and words[0] != "man":
                    yield words[names[0] + 1 :]
                words = []


@pytest.mark.parametrize("path", DOCUMENTS, ids=short)
def test_commands_in_documents_exist(path: Path) -> None:
    for words in command_lines(path):
        plain = [word for word in words if not word.startswith("-")]
        if not plain:
            continue
        name = plain[0] if plain[0] in FLAGS else " ".join(plain[:2])
        if name in GROUPS or (plain[0] in GROUPS and len(plain) == 1):
            continue
        assert name in FLAGS, f"{short(path)} names memcli {' '.join(words)}"
        known = FLAGS[name][1]
        for word in words:
            if word.startswith("-") and word not in ("-", "--help", "-h", "--"):
                flag = word.partition("=")[0]
                assert flag in known or flag[:2] in known, f"{short(path)}: memcli {name} has no {word}"


def test_documents_name_many_commands() -> None:
    assert len(list(command_lines(ROOT / "README.md"))) > 15


@pytest.mark.parametrize("marker", ["try", "test"])
def test_the_two_commands_of_the_readme(marker: str) -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    found = re.search(rf"^<!-- {marker} -->\n```sh\n(.+)\n```$", text, re.MULTILINE)
    assert found, f"the README has no one-line command behind <!-- {marker} -->"
    assert text.index(found[0]) < 1500, "a newcomer must not have to look for it"
    assert f"```sh\n{found[1]}\n```" in (ROOT / "README.zh-CN.md").read_text(encoding="utf-8")


def test_the_wheel_carries_what_it_promises() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    for source in project["tool"]["hatch"]["build"]["targets"]["wheel"]["shared-data"]:
        assert (ROOT / source).exists()
    assert (PACKAGE / "py.typed").exists()


WAYS: dict[str, Callable[[str], object]] = {
    "open": lambda path: open(path, "w"),  # noqa: SIM115
    "append": lambda path: open(path, "ab"),  # noqa: SIM115
    "os.open": lambda path: os.open(path, os.O_WRONLY | os.O_CREAT),
    "mkdir": os.mkdir,
    "remove": os.remove,
    "rmdir": os.rmdir,
    "rename": lambda path: os.rename(path, f"{path}.new"),
    "rename to": lambda path: os.rename("/nonexistent", path),
    "chmod": lambda path: os.chmod(path, 0o600),
    "symlink": lambda path: os.symlink("x", path),
    "link": lambda path: os.link("/nonexistent", path),
    "truncate": lambda path: os.truncate(path, 0),
    "utime": lambda path: os.utime(path, (0, 0)),
    "Path.write_text": lambda path: Path(path).write_text("x"),
}


@pytest.mark.parametrize("way", WAYS)
def test_the_guard_keeps_the_real_home(way: str) -> None:
    path = os.path.join(REAL_HOME, ".memcli-guard-test")
    with pytest.raises(AssertionError, match="below the real home"):
        WAYS[way](path)
    assert not os.path.lexists(path)


def test_the_guard_keeps_the_network() -> None:
    with socket.socket() as connection:
        connection.settimeout(1)
        with pytest.raises(AssertionError, match="tried to reach"):
            connection.connect(("192.0.2.1", 80))
    with pytest.raises(AssertionError, match="asked for the address"):
        socket.getaddrinfo("example.invalid", 80)
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen(1)
        with socket.create_connection(server.getsockname()):
            pass


def test_golden_files_are_not_written_in_ci() -> None:
    variables = environment({"CI": "1", "MEMCLI_WRITE_GOLDEN": "1", "PYTHONPATH": str(ROOT / "tests")})
    command = [sys.executable, "-c", "import support.golden"]
    done = subprocess.run(command, env=variables, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "Golden files are written by hand, never in CI" in done.stderr


def test_the_home_of_a_test_is_its_own(no_home: Path) -> None:
    assert os.path.expanduser("~") == str(no_home) != REAL_HOME
    assert list(no_home.iterdir()) == []
