"""What was asked for, by options and configuration."""

from __future__ import annotations

from pathlib import Path

import pytest

from memcli.core.dream import wishes
from memcli.core.dream.wishes import Limits, Triggers, Wishes
from memcli.errors import ConfigurationError

PLAIN = {"source": None, "provider": None, "every": False, "allow_loss": False, "idle": 10.0, "force_live": False}


@pytest.fixture
def configured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def write(text: str) -> None:
        path = tmp_path / "config.toml"
        path.write_text(text)
        monkeypatch.setenv("MEMCLI_CONFIG", str(path))

    return write


def test_nothing_said() -> None:
    assert wishes.wishes(**PLAIN) == Wishes()


def test_configuration_is_below_options(configured) -> None:
    configured('[dream]\nfrom = "journal"\nminutes = 5\nrecords = 7\nbatch_entries = 3\nseconds = 1.5\n')
    found = wishes.wishes(**PLAIN)
    assert (found.provider, found.source) == ("", "journal")
    assert found.triggers == Triggers(minutes=5, records=7)
    assert found.limits == Limits(entries=3, seconds=1.5)
    above = wishes.wishes(**{**PLAIN, "provider": "offline", "source": "sessions"})
    assert (above.provider, above.source) == ("offline", "sessions")


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ('colour = "red"', "colour"),
        ("minutes = true", "minutes"),
        ('records = "3"', "records"),
        ("records = 2.5", "records"),
        ("batch_entries = 0", "batch_entries"),
        ("seconds = -1", "seconds"),
        ('from = "moon"', "from"),
        ('provider = "offline"', "provider"),
    ],
)
def test_wrong_settings_are_named(configured, line: str, named: str) -> None:
    configured(f"[dream]\n{line}\n")
    with pytest.raises(ConfigurationError, match=named):
        wishes.wishes(**PLAIN)


def test_zero_minutes_are_allowed(configured) -> None:
    configured("[dream]\nminutes = 0\nrecords_minutes = 0\n")
    assert wishes.wishes(**PLAIN).triggers == Triggers(minutes=0, records_minutes=0)
