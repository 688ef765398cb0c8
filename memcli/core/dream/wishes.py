"""What a run of dream was asked for: the options, and the table [dream] of the configuration below them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from memcli import settings
from memcli.errors import ConfigurationError

JOURNAL, SESSIONS = "journal", "sessions"


class Triggers(NamedTuple):
    """When a Dream is due: so many minutes after the last; or so many records and minutes; or so many characters. Source:
    the design's four triggers; the fourth is a run by hand."""

    minutes: float = 30.0
    records: int = 3
    records_minutes: float = 10.0
    characters: int = 6000

    @property
    def sentence(self) -> str:
        """The same in words."""
        return (
            f"Due when something waits and the last Dream was {self.minutes:g} minutes ago; or {self.records:,} records and "
            f"{self.records_minutes:g} minutes; or {self.characters:,} characters."
        )


class Limits(NamedTuple):
    """How much one batch is: entries, characters of each. And how much a run may take: tokens and seconds of a model."""

    entries: int = 30
    entry_characters: int = 1000
    tokens: int = 100_000
    seconds: float = 120.0


class Wishes(NamedTuple):
    """What was asked for. `source` is "journal", "sessions" or "" for what suits the format; `provider` "" is that of [llm]
    in the configuration."""

    source: str = ""
    provider: str = ""
    every: bool = False
    allow_loss: bool = False
    idle: float = 10.0
    force_live: bool = False
    triggers: Triggers = Triggers()
    limits: Limits = Limits()


_KEYS: Mapping[str, tuple[str, type]] = {
    "from": ("source", str),
    "minutes": ("minutes", float),
    "records": ("records", int),
    "records_minutes": ("records_minutes", float),
    "characters": ("characters", int),
    "batch_entries": ("entries", int),
    "entry_characters": ("entry_characters", int),
    "tokens": ("tokens", int),
    "seconds": ("seconds", float),
}


def wishes(
    *,
    source: str | None,
    provider: str | None,
    every: bool,
    allow_loss: bool,
    idle: float,
    force_live: bool,
) -> Wishes:
    """The options, and what the configuration says where they say nothing. Raises ConfigurationError."""
    said = _configured(settings.configuration("dream"))
    from_configuration = said.pop("source", "")
    if from_configuration not in ("", JOURNAL, SESSIONS):
        raise ConfigurationError(f"dream.from is {JOURNAL} or {SESSIONS}, and not {from_configuration!r}.")
    return Wishes(
        source or from_configuration,
        provider or "",
        every,
        allow_loss,
        idle,
        force_live,
        Triggers(**{name: said[name] for name in Triggers._fields if name in said}),
        Limits(**{name: said[name] for name in Limits._fields if name in said}),
    )


def _configured(table: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in table.items():
        if key not in _KEYS:
            raise ConfigurationError(f"[dream] has no setting {key!r}; there are {', '.join(_KEYS)}.")
        name, kind = _KEYS[key]
        fits = isinstance(value, int | float) if kind is float else isinstance(value, kind)
        if not fits or isinstance(value, bool):
            what = "text" if kind is str else "a number" if kind is float else "a whole number"
            raise ConfigurationError(f"dream.{key} is {what}, and not {value!r}.")
        if kind is not str and not 0 < value < 1e9 and not (value == 0 and "minutes" in key):
            raise ConfigurationError(f"dream.{key} is more than nothing, and {value} is not.")
        found[name] = value
    return found
