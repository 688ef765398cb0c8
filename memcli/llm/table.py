"""The table [llm] of the configuration, read with types: one table for all providers, each takes what it needs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memcli import settings
from memcli.errors import ConfigurationError

KEYS = (
    *("provider", "model", "base_url", "key_env", "key_file", "tries", "max_tokens", "tools", "extra"),
    *("command", "script"),
)
"""Every key that the table may have."""


class Table:
    """The table, without keys that nobody knows. Every method raises ConfigurationError for a value of another type."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = values
        for key in values:
            if key not in KEYS:
                hint = "a key of a service never stands there; name its place with key_env or key_file"
                known = f"the known ones are {', '.join(KEYS)}"
                raise wrong(key, f"is not known: {hint if 'key' in key or 'token' in key else known}")

    def __contains__(self, key: str) -> bool:
        return key in self._values

    def text(self, key: str) -> str:
        """A text, "" where there is none."""
        value = self._values.get(key, "")
        if not isinstance(value, str):
            raise wrong(key, "must be a text in quotes")
        return value.strip()

    def number(self, key: str, default: int, most: int) -> int:
        """A whole number from 1 to `most`."""
        value = self._values.get(key, default)
        if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= most:
            raise wrong(key, f"must be a whole number from 1 to {most}")
        return value

    def flag(self, key: str, default: bool) -> bool:
        """True or false."""
        value = self._values.get(key, default)
        if not isinstance(value, bool):
            raise wrong(key, "must be true or false")
        return value

    def words(self, key: str) -> tuple[str, ...]:
        """A list of texts, () where there is none."""
        value = self._values.get(key, [])
        if not isinstance(value, list) or not all(isinstance(word, str) and "\0" not in word for word in value):
            raise wrong(key, 'must be a list of words: ["program", "argument"]')
        return tuple(value)

    def table(self, key: str) -> dict[str, Any]:
        """A table in the table, {} where there is none."""
        value = self._values.get(key, {})
        if not isinstance(value, dict):
            raise wrong(key, "must be a table")
        return dict(value)

    def path(self, key: str) -> str:
        """A path, from the folder of the configuration on; "" where there is none."""
        import os

        value = self.text(key)
        folder = os.path.dirname(os.path.abspath(settings.config_file()))
        return os.path.join(folder, os.path.expanduser(value)) if value else ""


def wrong(key: str, why: str) -> ConfigurationError:
    """The error that tells what is wrong with the value of a key; the value itself may be a secret and is not shown."""
    path = settings.config_file()
    return ConfigurationError(f"{key} in [llm] of {path} {why}. Nothing was asked.", path=path)
