"""Who reads a batch of entries and says what of it is worth keeping: one module per provider, the table of them here."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Protocol, cast

from memcli.errors import UsageError
from memcli.model import Batch, Item

__all__ = ["PROVIDERS", "Provider", "load"]


class Provider(Protocol):
    """A provider: `name` is how it is chosen and what each run says made it."""

    @property
    def name(self) -> str: ...

    def extract(self, batch: Batch) -> list[Item]:
        """What of the batch is worth keeping; every item names entries of the batch as its sources."""
        ...


PROVIDERS: Mapping[str, str] = {"offline": "memcli.llm.offline:Offline"}
"""name -> "module:class"; a class is called without arguments."""


def load(name: str) -> Provider:
    """The provider called `name`. Raises UsageError for a name that is not in PROVIDERS."""
    if name not in PROVIDERS:
        raise UsageError(f"There is no model provider called {name!r}; the known ones are {', '.join(PROVIDERS)}.")
    module, _, attribute = PROVIDERS[name].partition(":")
    return cast(Provider, getattr(import_module(module), attribute)())
