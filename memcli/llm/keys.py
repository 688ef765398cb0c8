"""Keys of services: from an environment variable or a private file, and never shown."""

from __future__ import annotations

import os
import re

from memcli import settings
from memcli.errors import ProviderFailed
from memcli.llm.table import Table, wrong

PART = 8
"""So many characters of a key in a row, or more, are taken for a piece of it."""
LONGEST = 4096


class Key:
    """A key that shows itself to nobody; `place` tells where it comes from. An empty one is no key."""

    __slots__ = ("_value", "place")

    def __init__(self, value: str, place: str) -> None:
        self._value = value
        self.place = place

    def reveal(self) -> str:
        """The key itself, for the one who sends it."""
        return self._value

    def is_in(self, text: str) -> bool:
        """Whether the key, or a piece of it, stands in a text."""
        value = self._value
        if len(value) < PART:
            return value != "" and value in text
        return any(value[start : start + PART] in text for start in range(len(value) - PART + 1))

    def __bool__(self) -> bool:
        return self._value != ""

    def __repr__(self) -> str:
        return "[key]"


def find(table: Table, usual: str, *, own: bool, local: bool) -> Key:
    """The key that the table names: in the variable `key_env` ("" for none at all) or the file `key_file`.

    Without either it is the variable `usual` for the service's own address (`own`), no key for an address on this machine
    (`local`), and anywhere else the user has to say which: a key must not go to another company because the address was
    changed. Raises ConfigurationError, and ProviderFailed when the key is not there.
    """
    if "key_file" in table and "key_env" in table:
        raise wrong("key_file", "and key_env exclude each other")
    if "key_file" in table:
        return _usable(_read(table.path("key_file")), table.path("key_file"))
    if "key_env" in table:
        name = table.text("key_env")
        return _usable(_variable(name), f"${name}") if name else Key("", "")
    if own:
        return _usable(_variable(usual), f"${usual}")
    if local:
        return Key("", "")
    raise wrong(
        "base_url", 'is not on this machine: name the variable that has its key with key_env (key_env = "" for none)'
    )


def _variable(name: str) -> str:
    if not re.fullmatch("[A-Za-z_][A-Za-z0-9_]*", name):
        raise wrong("key_env", "must be the name of an environment variable, not a key itself")
    value = settings.variable(name).strip()
    if not value:
        # what is no name in capitals may be a key that stands in the wrong place
        shown = name if re.fullmatch("[A-Z][A-Z0-9_]{0,60}", name) else "that key_env names"
        raise ProviderFailed(
            f"There is no key for the model: the environment variable {shown} is not set. Set it, or name a private file "
            "with key_file in [llm]; nothing was asked and nothing was changed.",
            why="no-key",
        )
    return value


def _read(path: str) -> str:
    import stat

    from memcli.errors import CannotRead
    from memcli.storage.reading import open_regular

    if not path:
        raise wrong("key_file", "must be the path of a file")
    try:
        fd = open_regular(path)
    except CannotRead as error:
        raise ProviderFailed(
            f"There is no key for the model: {path} cannot be read ({error.facts['why']}). Nothing was asked and nothing "
            "was changed.",
            path=path,
            why="no-key",
        ) from None
    with open(fd, "rb") as file:
        if stat.S_IMODE(os.fstat(fd).st_mode) & 0o077:
            raise wrong("key_file", f"names a file that others may read or write: run chmod 600 {path}")
        return file.read(LONGEST + 1).decode("ascii", "replace").strip()


def _usable(value: str, place: str) -> Key:
    """A key that can be sent: everything else would be shown by the error that tells so."""
    if not value or len(value) > LONGEST or not re.fullmatch("[!-~]+", value):
        raise ProviderFailed(
            f"What stands in {place} is no key: it must be one word of visible ASCII characters. Nothing was asked and "
            "nothing was changed.",
            why="no-key",
        )
    return Key(value, place)
