"""Start-up time is user time: the hot paths must not import what they do not need."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.repository import commit

from memcli import __version__

HEAVY = {"rich", "git", "tiktoken", "jmespath", "pymysql", "pygments", "asyncio", "multiprocessing", "sqlite3"}
WRITING = {"memcli.storage.operation", "memcli.storage.atomic", "memcli.storage.locks", "memcli.core.guarding"}
"""What only commands that write have a use for."""
PATHS = [
    pytest.param(["--version"], {}, HEAVY | {"typer", "re", "json", "orjson"}, id="version"),
    pytest.param(["sessions", "ls", "-W", "SAMPLE"], {}, HEAVY | WRITING | {"subprocess", "orjson"}, id="ls"),
    pytest.param(["sessions", "ls", "--json", "-W", "SAMPLE"], {}, HEAVY, id="ls-json"),
    pytest.param(["tail", "-W", "SAMPLE", "desktop:main"], {}, HEAVY | WRITING, id="tail"),
    pytest.param(["grep", "vitest", "-W", "SAMPLE"], {}, HEAVY | WRITING, id="grep"),
    pytest.param(["--help"], {}, HEAVY | {"orjson"}, id="help"),
    pytest.param(
        [],
        {"_MEMCLI_COMPLETE": "complete_bash", "COMP_WORDS": "memcli sessions show des", "COMP_CWORD": "3"},
        HEAVY,
        id="tab",
    ),
]


@pytest.mark.parametrize(("arguments", "environment", "forbidden"), PATHS)
def test_imports(
    arguments: list[str], environment: dict[str, str], forbidden: set[str], samples: Path, tmp_path: Path
) -> None:
    sample = str(samples / "catbuddy" / "home-workspace")
    words = [sample if word == "SAMPLE" else word for word in arguments]
    loaded = modules(words, tmp_path, {"MEMCLI_WORKSPACE": sample, **environment})
    assert not loaded & forbidden


def test_imports_of_a_history(tmp_path: Path) -> None:
    commit(tmp_path, "memory/MEMORY.md", "# M\n", 0)
    (tmp_path / "memory" / "history.jsonl").write_text('{"cursor":1,"timestamp":"2026-01-01 00:00","content":"x"}\n')
    loaded = modules(["log", "-W", str(tmp_path)], tmp_path, {})
    assert "git" in loaded
    assert not loaded & (HEAVY - {"git"} | WRITING | {"stringzilla", "orjson"})


def modules(arguments: list[str], folder: Path, environment: dict[str, str]) -> set[str]:
    """What memcli has imported when it ends."""
    code = (
        "import atexit, sys\n"
        "atexit.register(lambda: sys.stderr.write('\\nMODULES ' + ' '.join(sys.modules) + '\\n'))\n"
        "from memcli.cli import main\nmain()"
    )
    # measuring coverage imports a great deal into every child that it follows
    unmeasured = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE")}
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        env={**unmeasured, **environment},
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout
    loaded = set(done.stderr.rpartition("MODULES ")[2].split())
    assert "memcli.cli" in loaded
    return loaded


PROVIDERS = """
import sys
from memcli import llm
for name in ("openai", "anthropic"):
    llm.load(name, {"model": "m", "base_url": "http://localhost:1/"})
llm.load("command", {"command": [sys.executable]})
print(*sys.modules)
"""


def test_a_provider_imports_its_sdk_when_it_is_asked() -> None:
    unmeasured = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE")}
    command = [sys.executable, "-c", PROVIDERS]
    done = subprocess.run(command, env=unmeasured, capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert {"memcli.llm.openai", "memcli.llm.anthropic", "memcli.llm.command"} <= loaded
    assert not loaded & (HEAVY | {"openai", "anthropic", "httpx", "httpx2", "pydantic", "anyio", "subprocess", "email"})


def test_version_is_the_literal() -> None:
    done = subprocess.run([sys.executable, "-m", "memcli", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"memcli {__version__}\n"
