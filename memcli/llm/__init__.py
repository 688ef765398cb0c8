"""Who reads what was said and tells what of it is worth keeping: one module per provider, the table of them here.

A provider is a reader, which finds the items by itself, or a model, which answers questions.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any, Protocol, TypeGuard, cast

from memcli.errors import UsageError
from memcli.model import Batch, Item, Question, Reply

__all__ = ["PROVIDERS", "Model", "Provider", "Reader", "is_reader", "load"]


class Provider(Protocol):
    """A provider: `name` is how it is chosen, `model` which of its models answers, "" where it has none."""

    @property
    def name(self) -> str: ...

    @property
    def model(self) -> str: ...


class Reader(Provider, Protocol):
    """A provider that finds the items by itself."""

    def extract(self, batch: Batch) -> list[Item]:
        """What of the batch is worth keeping; every item names entries of the batch as its sources."""
        ...


class Model(Provider, Protocol):
    """A provider that asks a language model. `tools`: it can be offered tools."""

    @property
    def tools(self) -> bool: ...

    def reply(self, question: Question, seconds: float) -> Reply:
        """The answer, within `seconds` with all tries. Raises ProviderFailed."""
        ...


PROVIDERS: Mapping[str, str] = {
    "offline": "memcli.llm.offline:Offline",
    "openai": "memcli.llm.openai:OpenAI",
    "anthropic": "memcli.llm.anthropic:Anthropic",
    "command": "memcli.llm.command:Command",
    "scripted": "memcli.llm.scripted:Scripted",
}
"""name -> "module:class"; a class is called with the table [llm] of the configuration."""


def load(name: str, table: Mapping[str, Any]) -> Reader | Model:
    """The provider called `name`, configured by the table [llm]. Raises UsageError for a name that is not in PROVIDERS, and for
    one that lacks what it needs (an extra, a model's name)."""
    if name not in PROVIDERS:
        raise UsageError(f"There is no model provider called {name!r}; the known ones are {', '.join(PROVIDERS)}.")
    module, _, attribute = PROVIDERS[name].partition(":")
    return cast("Reader | Model", getattr(import_module(module), attribute)(table))


def is_reader(provider: Reader | Model) -> TypeGuard[Reader]:
    """Whether a provider finds the items by itself."""
    return hasattr(provider, "extract")
