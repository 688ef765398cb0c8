"""Environment and default places."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from memcli import settings
from memcli.errors import ConfigurationError

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


CONFIG = {
    (): "HOME/.config/memcli/config.toml",
    (("XDG_CONFIG_HOME", "/elsewhere"),): "/elsewhere/memcli/config.toml",
    (("XDG_CONFIG_HOME", "relative"),): "HOME/.config/memcli/config.toml",
    (("MEMCLI_CONFIG", "/mine.toml"), ("XDG_CONFIG_HOME", "/elsewhere")): "/mine.toml",
}


@pytest.mark.parametrize("variables", CONFIG)
def test_config_file(variables: tuple[tuple[str, str], ...], no_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in variables:
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "platform", "linux")
    assert settings.config_file() == CONFIG[variables].replace("HOME", str(no_home))


def test_configuration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert settings.configuration("redact") == {}
    path = tmp_path / "config.toml"
    monkeypatch.setenv("MEMCLI_CONFIG", str(path))
    with pytest.raises(ConfigurationError, match="which MEMCLI_CONFIG names, does not exist"):
        settings.configuration("redact")
    path.write_text("[redact]\npatterns = { a = 'b' }\n[other]\n")
    assert settings.configuration("redact") == {"patterns": {"a": "b"}}
    assert settings.configuration("missing") == {}


@pytest.mark.parametrize(
    ("content", "phrase"),
    [
        (b"redact = 1", r"redact in .* is no table; write \[redact\]"),
        (b"[redact", "is no valid TOML"),
        (b"\xff", "is no valid TOML"),
        (None, "cannot be read: is a directory"),
    ],
)
def test_a_bad_configuration(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes | None, phrase: str
) -> None:
    path = tmp_path / "config.toml"
    if content is None:
        path.mkdir()
    else:
        path.write_bytes(content)
    monkeypatch.setenv("MEMCLI_CONFIG", str(path))
    with pytest.raises(ConfigurationError, match=phrase):
        settings.configuration("redact")


@pytest.mark.parametrize(
    ("variables", "expected"),
    [({}, "/tmp"), ({"TMP": "/c"}, "/c"), ({"TMP": "/c", "TEMP": "/b"}, "/b"), ({"TEMP": "/b", "TMPDIR": "/a"}, "/a")],
)
def test_temporary_folder(variables, expected, monkeypatch):
    for name in ("TMPDIR", "TEMP", "TMP"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert settings.temporary_folder() == expected


def test_variables_are_hidden_for_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AA_ONE", "AA_TWO", "BB_ONE", "CC_ONE"):
        monkeypatch.setenv(name, name)

    def hide() -> None:
        with settings.Hidden("AA_", "BB_"):
            assert [settings.variable(name) for name in ("AA_ONE", "AA_TWO", "BB_ONE", "CC_ONE")] == [
                "",
                "",
                "",
                "CC_ONE",
            ]
            raise KeyError

    with pytest.raises(KeyError):
        hide()
    assert [settings.variable(name) for name in ("AA_ONE", "AA_TWO", "BB_ONE")] == ["AA_ONE", "AA_TWO", "BB_ONE"]
