"""The agents' on-disk formats, one package each; loaded when first asked for."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, cast

from memcli.errors import UsageError
from memcli.formats.facets import Format

if TYPE_CHECKING:
    from memcli.formats.protocols import Compacting, Dreaming, Habits, LongTerm, Remembering, Rules, Whereabouts
    from memcli.formats.words import Vocabulary

FORMATS = {
    # Order is the order of detection: the most particular first, `jsonl` takes what is left.
    "catbuddy": "memcli.formats.catbuddy:FORMAT",
    "nanobot": "memcli.formats.nanobot:FORMAT",
    "cococat": "memcli.formats.cococat:FORMAT",
    "jsonl": "memcli.formats.jsonl:FORMAT",
}


def load(name: str) -> Format:
    """The format called `name`. Raises UsageError for a name that is not in FORMATS."""
    if name not in FORMATS:
        raise UsageError(f"There is no agent format called {name!r}; the known ones are {', '.join(FORMATS)}.")
    module, _, attribute = FORMATS[name].partition(":")
    return cast(Format, getattr(import_module(module), attribute))


def rules(name: str, era: str = "") -> Rules:
    """What the agent called `name` expects of rows and headers; for verify and repair. An agent whose generations differ in
    that has a function `of(era)` in its rules, which gives the module for one of them."""
    load(name)
    module = import_module(f"memcli.formats.{name}.rules")
    return cast("Rules", module.of(era) if era and hasattr(module, "of") else module)


def faults(name: str) -> dict[str, str]:
    """What the agent called `name` is known to do wrong by itself: cause that doctor names -> sentence."""
    load(name)
    return cast("dict[str, str]", getattr(import_module(f"memcli.formats.{name}.effects"), "FAULTS", {}))


def written_anew(name: str, head: str) -> str:
    """Whether the beginning of a memory file shows that the agent called `name` wrote it over: why, in a clause, "" when
    nothing does."""
    load(name)
    judge = getattr(import_module(f"memcli.formats.{name}.effects"), "written_anew", None)
    return str(judge(head)) if judge else ""


def effects(name: str) -> dict[str, str]:
    """What the agent called `name` makes of each damage: code -> sentence. Codes without one are not known to matter."""
    load(name)
    return cast("dict[str, str]", import_module(f"memcli.formats.{name}.effects").EFFECTS)


def longterm(name: str) -> LongTerm:
    """What the long-term memory of the agent called `name` says as text. Its facet `memory` must not be None."""
    load(name)
    return cast("LongTerm", import_module(f"memcli.formats.{name}.longterm"))


def dreaming(name: str) -> Dreaming:
    """How a Dream writes into the memory of the agent called `name`. Its facet `memory` must not be None."""
    load(name)
    return cast("Dreaming", import_module(f"memcli.formats.{name}.dreaming"))


def compacting(name: str) -> Compacting:
    """Where summaries of sessions go for the agent called `name`. Raises UsageError for one that reads none."""
    if load(name).memory is None:
        raise UsageError(f"{name} keeps no summaries of its sessions, so that nothing reads one. Nothing was changed.")
    return cast("Compacting", import_module(f"memcli.formats.{name}.compacting"))


def whereabouts(name: str) -> Whereabouts:
    """Where else chats of the agent called `name` can be; for doctor."""
    load(name)
    return cast("Whereabouts", import_module(f"memcli.formats.{name}.whereabouts"))


def habits(name: str) -> Habits:
    """What the agent called `name` does by itself; for doctor."""
    load(name)
    return cast("Habits", import_module(f"memcli.formats.{name}.habits"))


def remembering(name: str) -> Remembering:
    """What the memory files of the agent called `name`, which has some, are made of; for verify and repair."""
    load(name)
    return cast("Remembering", import_module(f"memcli.formats.{name}.memory_rules"))


def vocabulary(name: str) -> Vocabulary:
    """The words that the agent called `name` itself writes; for masked copies."""
    load(name)
    return cast("Vocabulary", import_module(f"memcli.formats.{name}.vocabulary").VOCABULARY)
