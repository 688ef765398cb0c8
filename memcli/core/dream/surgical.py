"""A model that calls tools edits the one memory file itself; what it made of it is screened and written as any other Dream."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple, cast

from memcli.core import landing, loss, screening_items
from memcli.core.asking import Extracted, Limits
from memcli.core.asking.surgery import edit
from memcli.core.dream.feed import Said
from memcli.core.dream.places import Place
from memcli.core.landing import Landing
from memcli.errors import ProviderFailed, RefusedForSafety
from memcli.formats import dreaming, longterm
from memcli.formats.facets import Target
from memcli.llm import Model, Reader, is_reader
from memcli.memory.blocks import blocks, items
from memcli.model import Batch, Item, Source

PROJECT, FACT = "project", "fact"
UNFINISHED = (
    "The model's edits did not come to an end; none of them was kept, and it was asked about the entries instead."
)
SURE = 0.5
"""The confidence of a line whose entry the model did not name."""


class Operated(NamedTuple):
    """What the model made of the file, and how; `landing` None: it did not come to an end, and nothing of it is to be kept."""

    extracted: Extracted
    landing: Landing | None


def tooled(place: Place, provider: Reader | Model) -> Model | None:
    """The provider, where the agent's own Dream edits its file with tools and this one can."""
    if not dreaming(place.workspace.agent).SURGERY or is_reader(provider):
        return None
    model = cast("Model", provider)
    return model if model.tools else None


def operate(
    place: Place, model: Model, said: Sequence[Said], batch: Batch, limits: Limits, *, allow_loss: bool, seconds: float
) -> Operated | None:
    """Let the model edit the file; None where that is no text, or empty. Raises ProviderFailed, also for edits that may not be
    kept: asked again it may do better, and if not its batch is set aside; and CannotRead."""
    [target, *more] = landing.targets_of(place.workspace, user=place.user, beside=place.beside)
    change = landing.change_of(place.workspace, target.path, target.root, b"")
    old = change.old or b""
    try:
        text = old.decode("utf-8")
    except UnicodeDecodeError:
        return None
    if more or not text.strip():
        return None
    name = os.path.basename(target.path)
    edited = edit(model, text, batch, limits, name=name, heading=_heading(place, target, seconds))
    if not edited.finished:
        return Operated(
            Extracted((), False, (*edited.notes, UNFINISHED), edited.spent, edited.rounds, edited.prompt), None
        )
    new = edited.text.encode()
    found = list(_new(place, target, old, new, said))
    refused = screening_items.refused([item for item, _ in found])
    if refused:
        raise _unfit(model, f"wrote a line into {change.shown} that must not stand there: {refused[0][1]}.")
    try:
        loss.check(old, new, allow_loss)
    except RefusedForSafety as error:
        raise _unfit(model, f"took too much out of {change.shown}: {error.sentence}") from error
    placed = tuple(item for item, _ in found)
    change = change._replace(new=new, items=placed, lines=tuple(line for _, line in found))
    files = (change,) if new != old else ()
    extracted = Extracted(placed, True, edited.notes, edited.spent, edited.rounds, edited.prompt)
    return Operated(extracted, Landing(files))


def _unfit(model: Model, what: str) -> ProviderFailed:
    return ProviderFailed(f"{model.name} {model.model} {what} Nothing was changed.", provider=model.name, why="edits")


def _heading(place: Place, target: Target, seconds: float) -> str:
    """The heading under which the agent's own Dream adds facts on this day."""
    sample = Item("x", PROJECT, FACT, (), 1.0)
    made = dreaming(place.workspace.agent).put(target, b"", [sample], seconds).decode("utf-8", "replace")
    return next((line for line in reversed(made.split("\n")) if line.startswith("##")), "")


def _new(place: Place, target: Target, old: bytes, new: bytes, said: Sequence[Said]) -> Iterator[tuple[Item, str]]:
    """The facts that came, with their lines; which entry each is from the model does not say, so that all of them are named."""
    shape = longterm(place.workspace.agent).shape(target.path)
    before = Counter(line.rstrip("\r") for line in old.decode("utf-8", "replace").split("\n"))
    after = new.decode("utf-8", "replace").split("\n")
    sources = tuple(Source(one.number, "") for one in said)
    for block in blocks(new, shape):
        for item in items(block, shape):
            line = after[item.line - 1].rstrip("\r")
            if before[line] > 0:
                before[line] -= 1
                continue
            yield Item(item.text, item.section or PROJECT, item.category or FACT, sources, SURE), line
