"""Environment and default places: the only module that reads os.environ."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from memcli.errors import ConfigurationError

if TYPE_CHECKING:  # typing imports re, which --version has no use for
    from typing import Any


def variable(name: str) -> str:
    """The environment variable `name`, "" when unset."""
    return os.environ.get(name, "")


def forget(prefix: str) -> None:
    """Unset every environment variable that begins with `prefix`, for this process and those that it starts."""
    for name in [name for name in os.environ if name.startswith(prefix)]:
        del os.environ[name]


class Hidden:
    """A block within which no environment variable begins with one of `prefixes`; after it they are all back."""

    def __init__(self, *prefixes: str) -> None:
        self._prefixes = prefixes
        self._kept: dict[str, str] = {}

    def __enter__(self) -> None:
        self._kept = {name: value for name, value in os.environ.items() if name.startswith(self._prefixes)}
        for name in self._kept:
            del os.environ[name]

    def __exit__(self, *_: object) -> None:
        os.environ.update(self._kept)


def home() -> str:
    """The user's home folder, as the shell would expand `~`."""
    return os.path.expanduser("~")


def debugging() -> bool:
    """Whether a traceback may be shown (MEMCLI_DEBUG=1)."""
    return variable("MEMCLI_DEBUG") not in ("", "0")


def named_workspaces() -> list[str]:
    """The workspaces of MEMCLI_WORKSPACE, os.pathsep-separated."""
    return [part for part in variable("MEMCLI_WORKSPACE").split(os.pathsep) if part]


def colour_refused() -> bool:
    """NO_COLOR present and not empty (no-color.org), or a terminal that cannot show colour."""
    return variable("NO_COLOR") != "" or variable("TERM") == "dumb"


def state_folder() -> str:
    """Where memcli keeps undo copies, quarantine, seals and marks; not created here."""
    return variable("MEMCLI_STATE_DIR") or os.path.join(_base("XDG_STATE_HOME", ".local/state"), "memcli")


def cache_folder() -> str:
    """Where memcli keeps what it can compute again (index, token counts); not created here."""
    return variable("MEMCLI_CACHE_DIR") or os.path.join(_base("XDG_CACHE_HOME", ".cache"), "memcli")


def config_file() -> str:
    """The user's configuration, in TOML; it need not exist."""
    return variable("MEMCLI_CONFIG") or os.path.join(_base("XDG_CONFIG_HOME", ".config"), "memcli", "config.toml")


CHOSEN = (
    *("MEMCLI_STATE_DIR", "MEMCLI_CACHE_DIR", "MEMCLI_CONFIG"),
    *("XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "TZ"),
)
"""Variables that say where memcli keeps things, and what the local time is."""


def chosen() -> dict[str, str]:
    """Those of CHOSEN that are set, paths of memcli's own from the root on: what a process started elsewhere must be told."""
    found = {name: variable(name) for name in CHOSEN if variable(name)}
    return {
        name: os.path.abspath(value) if name.startswith("MEMCLI_") else value
        for name, value in found.items()
        if not name.startswith("XDG_") or os.path.isabs(value)
    }


def configuration(table: str) -> dict[str, Any]:
    """One table of the configuration, {} where there is none. Raises ConfigurationError for a file that cannot be read or is
    no TOML, and for a table that is none."""
    import tomllib

    path = config_file()
    try:
        with open(path, "rb") as file:
            found = tomllib.load(file).get(table, {})
    except FileNotFoundError as error:
        if variable("MEMCLI_CONFIG"):
            raise ConfigurationError(f"{path}, which MEMCLI_CONFIG names, does not exist.", path=path) from error
        return {}
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        raise ConfigurationError(f"The configuration {path} cannot be read: {why}.", path=path) from error
    except (ValueError, RecursionError) as error:
        raise ConfigurationError(f"The configuration {path} is no valid TOML: {error}.", path=path) from error
    if not isinstance(found, dict):
        raise ConfigurationError(f"{table} in {path} is no table; write [{table}].", path=path)
    return found


def _base(name: str, below_home: str) -> str:
    value = variable(name)
    if os.path.isabs(value):  # the XDG specification: a relative value is to be ignored
        return value
    if sys.platform == "darwin":
        mac = "Caches" if "cache" in below_home else "Application Support"
        return os.path.join(home(), "Library", mac)
    return os.path.join(home(), below_home)


def temporary_folder() -> str:
    """Where temporary files go, told without trying whether one can be made there, as tempfile does."""
    return next((path for name in ("TMPDIR", "TEMP", "TMP") if (path := os.environ.get(name))), "/tmp")
