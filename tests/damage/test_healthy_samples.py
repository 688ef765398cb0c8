"""No class of rows or of what is around the files takes what the agents themselves wrote for damage."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from memcli.core.discovering import at
from memcli.core.verifying import Scope, verify
from memcli.damage import modules
from memcli.formats import effects
from memcli.model import Finding

SAMPLES = Path(__file__).parents[1] / "samples"
HEALTHY = ("cococat/v1-healthy", "cococat/v2-layout", *sorted(path.name for path in SAMPLES.glob("nanobot-*.tar.gz")))
CODES = {one.code for scope in ("rows", "file", "workspace") for module in modules(scope) for one in module.CLASSES}
LOUD = {"leftover-temp"}
"""What the damaged file of the catbuddy sample has beside it."""


def found(sample: str | Path) -> list[Finding]:
    results = list(verify(Scope(at(str(SAMPLES / sample), None))))
    return [one for one in results if isinstance(one, Finding) and one.code in CODES]


@pytest.mark.parametrize("sample", HEALTHY)
def test_a_healthy_workspace_gives_nothing_above_info(sample, monkeypatch, tmp_path):
    monkeypatch.setenv("MEMCLI_STATE_DIR", str(tmp_path))
    assert [(one.code, one.path) for one in found(sample) if one.severity != "info"] == []


def test_the_one_damaged_chat_of_a_workspace_is_all_that_is_told(monkeypatch, tmp_path):
    monkeypatch.setenv("MEMCLI_STATE_DIR", str(tmp_path))
    home = tmp_path / "home"
    shutil.copytree(SAMPLES / "catbuddy/home-workspace", home)
    for number, path in enumerate(sorted(home.rglob("*"))):  # a checkout gives files any times; .tmp sorts last
        os.utime(path, (1_000_000 + number, 1_000_000 + number))
    findings = [one for one in found(home) if one.severity != "info"]
    assert {one.code for one in findings} == LOUD
    assert [Path(one.path).name for one in findings] == ["desktop_1730456789000.jsonl.tmp"]


def test_the_damaged_workspace_shows_what_is_around_it(monkeypatch, tmp_path):
    monkeypatch.setenv("MEMCLI_STATE_DIR", str(tmp_path))
    findings = {(one.code, Path(one.path).name) for one in found("cococat/v1-damaged") if one.severity != "info"}
    assert ("dream-cursor-ahead", ".dream_cursor") in findings
    assert {code for code, _ in findings} <= {"dream-cursor-ahead", "stale-lock"}


NEVER = {
    "catbuddy": {"stale-lock", "memory-dirty", "memory-nested-repo", "memory-not-versioned"},
    "nanobot": {"overwritten-by-mirror"},
}


@pytest.mark.parametrize(("agent", "never"), NEVER.items())
def test_what_the_agent_makes_of_each_class_is_said(agent, never):
    told = {code.rpartition(":")[2] for code in effects(agent)}
    links = {"broken-parent", "parent-cycle", "hidden-branch"}  # these agents link no records
    files = {"odd-file", "world-readable"}  # the same for every agent
    assert CODES - told == links | files | never
