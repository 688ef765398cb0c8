"""The table [llm] is what docs/providers.md says."""

from __future__ import annotations

import ast
import re
import shutil
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memcli import llm
from memcli.llm.table import KEYS

DOCUMENT = Path(__file__).parents[2] / "docs" / "providers.md"
TEXT = DOCUMENT.read_text(encoding="utf-8")
EXAMPLES = [tomllib.loads(block)["llm"] for block in re.findall(r"```toml\n(.*?)```", TEXT, re.DOTALL)]


def named(example: dict[str, Any]) -> str:
    return f"{example['provider']} {example.get('model', '')}"


@pytest.mark.parametrize("example", EXAMPLES, ids=named)
def test_the_examples_work(example: dict[str, Any], no_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "DEEPSEEK_API_KEY"):
        monkeypatch.setenv(name, "sk-example")
    key = no_home / ".config" / "memcli" / "anthropic.key"
    key.parent.mkdir(parents=True)
    key.write_text("sk-example\n")
    key.chmod(0o600)
    monkeypatch.setattr(shutil, "which", lambda name: f"/usr/bin/{name}")
    provider = llm.load(example["provider"], example)
    assert provider.name == example["provider"]
    assert provider.model == example.get("model", "ollama")


def test_there_is_an_example_of_each_service() -> None:
    assert len(EXAMPLES) == 7
    assert {example["provider"] for example in EXAMPLES} == {"openai", "anthropic", "command"}


def rows(heading: str) -> list[list[str]]:
    """The cells of the table below a heading."""
    section = TEXT.partition(f"## {heading}\n")[2].partition("\n## ")[0]
    return [re.split(r" *\| *", line.strip("| ")) for line in section.splitlines() if line.startswith("| `")]


def test_keys_are_documented() -> None:
    found = rows("The table [llm]")
    assert [key.strip("`") for key, _, _ in found] == list(KEYS)
    mentioned = {name for _, names, _ in found for name in names.split(", ")}
    assert mentioned == set(llm.PROVIDERS) - {"offline"} | {"all"}


def kinds(tree: ast.AST) -> Iterator[ast.expr]:
    """Where the code names a kind of failure."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
            yield from node.args[1:2] if name in ("Failure", "_failed") else ()
            yield from (word.value for word in node.keywords if word.arg == "why")
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id == "kind":
            yield node.value


def test_kinds_of_failures_are_documented() -> None:
    modules = [path.read_text(encoding="utf-8") for path in Path(llm.__file__).parent.glob("*.py")]
    named = [part for text in modules for kind in kinds(ast.parse(text)) for part in ast.walk(kind)]
    used = {part.value for part in named if isinstance(part, ast.Constant) and isinstance(part.value, str)}
    assert used == {kind.strip("`") for kind, _ in rows("When there is no answer")}
