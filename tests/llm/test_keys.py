"""Where keys come from, and that they are not shown."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest

from memcli.errors import ConfigurationError, MemcliError, ProviderFailed
from memcli.llm.keys import Key, find
from memcli.llm.table import Table

KEY = "sk-0123456789abcdef"


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the configuration, with a private key file in it."""
    folder = tmp_path / "config"
    folder.mkdir()
    monkeypatch.setenv("MEMCLI_CONFIG", str(folder / "config.toml"))
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    private(folder / "key", f"{KEY}\n".encode())
    return folder


def private(path: Path, content: bytes, mode: int = 0o600) -> None:
    path.write_bytes(content)
    path.chmod(mode)


def found(table: dict[str, Any], own: bool = False, local: bool = False) -> Key:
    return find(Table(table), "OPENAI_API_KEY", own=own, local=local)


@pytest.mark.parametrize("path", ["key", "./key", "FOLDER/key", "~/key"])
def test_a_private_file(config: Path, no_home: Path, path: str) -> None:
    private(no_home / "key", KEY.encode())
    key = found({"key_file": path.replace("FOLDER", str(config))})
    assert key.reveal() == KEY
    assert os.path.basename(key.place) == "key"


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660, 0o644, 0o620, 0o777])
def test_a_file_that_others_can_read(config: Path, mode: int) -> None:
    (config / "key").chmod(mode)
    with pytest.raises(ConfigurationError, match=r"key_file .*others may read or write: run chmod 600 /"):
        found({"key_file": "key"})


@pytest.mark.parametrize(
    "content", [b"", b" \n", b"two words", b"a\nb", b"\xff\xfe", "é".encode(), b"k" * 5000, b"a\x00b"]
)
def test_what_is_no_key(config: Path, content: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    private(config / "odd", content)
    with pytest.raises(ProviderFailed, match="odd is no key: it must be one word"):
        found({"key_file": "odd"})
    text = content.decode("latin-1").replace("\0", " x")
    monkeypatch.setenv("MY_KEY", text)
    with pytest.raises(ProviderFailed, match=r"MY_KEY is (no key|not set)"):
        found({"key_env": "MY_KEY"})


def test_what_is_no_file(config: Path) -> None:
    os.mkfifo(config / "pipe", 0o600)
    for path, why in {"pipe": "it is a FIFO", "none": "it does not exist", ".": "it is a folder"}.items():
        with pytest.raises(ProviderFailed, match=re.escape(f"cannot be read ({why})")) as caught:
            found({"key_file": path})
        assert caught.value.facts["why"] == "no-key"
    with pytest.raises(ConfigurationError, match=r"key_file .*must be the path of a file"):
        found({"key_file": ""})


def test_a_variable(config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", f" {KEY}\n")
    key = found({"key_env": "MY_KEY"}, own=True)
    assert (key.reveal(), key.place) == (KEY, "$MY_KEY")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("NOT_THERE", "the environment variable NOT_THERE is not set"),
        ("aB3dE5fG7hI9", "the environment variable that key_env names is not set"),
        ("A" * 70, "the environment variable that key_env names is not set"),
        (KEY, "must be the name of an environment variable, not a key itself"),
    ],
)
def test_a_variable_that_is_not_there(config: Path, name: str, words: str) -> None:
    with pytest.raises(MemcliError, match=words) as caught:
        found({"key_env": name})
    assert name == "NOT_THERE" or name not in caught.value.sentence


def test_no_key(config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    assert found({}, own=True).reveal() == KEY
    assert not found({}, local=True)
    assert not found({"key_env": ""}, own=True)
    with pytest.raises(ConfigurationError, match=r"base_url .*is not on this machine"):
        found({})


def test_a_key_shows_itself_to_nobody() -> None:
    key = Key(KEY, "$MY_KEY")
    assert (repr(key), str(key), f"{key}") == ("[key]",) * 3
    assert not hasattr(key, "__dict__")


@pytest.mark.parametrize(
    ("value", "text", "there"),
    [
        (KEY, f"key {KEY}!", True),
        (KEY, f"key {KEY[:8]}…", True),
        (KEY, f"…{KEY[-8:]}", True),
        (KEY, f"key {KEY[:7]}*****{KEY[-7:]}", False),
        ("short", "a short key", True),
        ("short", "a shor", False),
        ("", "nothing", False),
    ],
)
def test_a_piece_of_a_key_is_seen(value: str, text: str, there: bool) -> None:
    assert Key(value, "").is_in(text) is there
