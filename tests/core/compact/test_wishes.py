"""What a run was asked for: options, words, and the configuration below them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from memcli.core.compact import wishes
from memcli.core.compact.wishes import Asked
from memcli.errors import ConfigurationError, UsageError

NOTHING: dict[str, Any] = {"mode": "write", "provider": None, "keep": None, "budget": None, "trim": None}


@pytest.mark.parametrize(
    ("words", "trim", "asked"),
    [
        ([], False, Asked("", None)),
        (["desktop:main"], False, Asked("desktop:main", None)),
        (["500"], False, Asked("500", None)),
        (["500"], True, Asked("", 500)),
        (["500", "desktop:main"], True, Asked("desktop:main", 500)),
        (["desktop:main", "500"], True, Asked("desktop:main", 500)),
    ],
)
def test_words(words: list[str], trim: bool, asked: Asked) -> None:
    assert wishes.asked(words, trim=trim) == asked


@pytest.mark.parametrize(
    ("words", "trim"),
    [(["a", "b"], False), (["1", "2"], True), (["0"], True), (["a", "b", "3"], True), (["9" * 30], True)],
)
def test_words_that_do_not_go_together(words: list[str], trim: bool) -> None:
    with pytest.raises(UsageError, match="Nothing was done"):
        wishes.asked(words, trim=trim)


CHECK = {
    "session": True,
    "keep": False,
    "budget": False,
    "trim": False,
    "dry_run": False,
    "propose": False,
    "provider": False,
}


@pytest.mark.parametrize(
    ("given", "mode"),
    [({}, "write"), ({"dry_run": True}, "dry"), ({"propose": True}, "propose"), ({"trim": True}, "write")],
)
def test_modes(given: dict[str, bool], mode: str) -> None:
    assert wishes.check(**{**CHECK, **given}) == mode


@pytest.mark.parametrize(
    "given",
    [
        {"session": False, "keep": True},
        {"session": False, "budget": True},
        {"dry_run": True, "propose": True},
        {"trim": True, "keep": True},
        {"trim": True, "propose": True},
        {"trim": True, "provider": True},
    ],
)
def test_options_that_exclude_each_other(given: dict[str, bool]) -> None:
    with pytest.raises(UsageError):
        wishes.check(**{**CHECK, **given})


def configured(monkeypatch: pytest.MonkeyPatch, path: Path, text: str) -> None:
    path.write_text(f"[compact]\n{text}\n")
    monkeypatch.setenv("MEMCLI_CONFIG", str(path))


def test_the_configuration_below_the_options(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    configured(monkeypatch, tmp_path / "c.toml", "keep = 4\nsessions = 9\ntrim = 500\nseconds = 2.5\ntokens = 100")
    found = wishes.wishes(**{**NOTHING, "trim": 7}, idle=1.0, force_live=False)
    assert (found.keep, found.sessions, found.trim, found.seconds, found.tokens) == (4, 9, 7, 2.5, 100)


@pytest.mark.parametrize("text", ["keep = 0", "keep = 1.5", "keep = true", 'trim = "x"', "colour = 1", "sessions = -1"])
def test_a_configuration_that_says_something_else(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, text: str) -> None:
    configured(monkeypatch, tmp_path / "c.toml", text)
    with pytest.raises(ConfigurationError):
        wishes.wishes(**NOTHING, idle=1.0, force_live=False)
