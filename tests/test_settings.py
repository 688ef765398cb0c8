"""Environment and default places."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from memcli import settings

STATE = {
    # variables: where the state is, HOME standing for the home
    (): "HOME/.local/state/memcli",
    (("XDG_STATE_HOME", "/elsewhere"),): "/elsewhere/memcli",
    (("XDG_STATE_HOME", "relative"),): "HOME/.local/state/memcli",
    (("MEMCLI_STATE_DIR", "/mine"), ("XDG_STATE_HOME", "/elsewhere")): "/mine",
}
CACHE = {
    (): "HOME/.cache/memcli",
    (("XDG_CACHE_HOME", "/elsewhere"),): "/elsewhere/memcli",
    (("MEMCLI_CACHE_DIR", "/mine"),): "/mine",
}


@pytest.mark.parametrize("variables", STATE)
def test_state_folder(variables: tuple[tuple[str, str], ...], no_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in variables:
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "platform", "linux")
    assert settings.state_folder() == STATE[variables].replace("HOME", str(no_home))


@pytest.mark.parametrize("variables", CACHE)
def test_cache_folder(variables: tuple[tuple[str, str], ...], no_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in variables:
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "platform", "linux")
    assert settings.cache_folder() == CACHE[variables].replace("HOME", str(no_home))


def test_places_of_a_mac(no_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    assert settings.state_folder() == f"{no_home}/Library/Application Support/memcli"
    assert settings.cache_folder() == f"{no_home}/Library/Caches/memcli"


@pytest.mark.parametrize(("value", "names"), [("", []), ("/a", ["/a"]), ("/a::/b:", ["/a", "/b"]), (":", [])])
def test_named_workspaces(value: str, names: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMCLI_WORKSPACE", value.replace(":", os.pathsep))
    assert settings.named_workspaces() == names


@pytest.mark.parametrize(("value", "on"), [("", False), ("0", False), ("1", True), ("yes", True)])
def test_debugging(value: str, on: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMCLI_DEBUG", value)
    assert settings.debugging() is on
