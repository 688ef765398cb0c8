"""Where each line came from that memcli wrote into a memory: kept in the state folder, named in the commit's message."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from memcli.model import Item
from memcli.storage import state
from memcli.storage.operation import Operation
from memcli.storage.state import Store

PREFIX, ENDING = "made-", ".json"
OPERATION = "Memcli-Operation"
"""The trailer that names the operation, and with it the file here."""
Origins = Mapping[int, Mapping[str, Any]]
"""Where entries come from, by the number that items name them by: members `kind` ("session" or "journal"), `name`, `first` and
`last` (rows, or the number of the entry), `digest`."""


def keep(operation: Operation, store: Store, about: Mapping[str, Any], placed: Iterable[tuple[str, Item, str]]) -> None:
    """Add to the operation the file about what it writes: `about` is what the run says of itself (`said` are the entries that it
    read, each an origin with its `number`), `placed` are path, item and line."""
    folder = state.place(store, "dreams")
    known = origins(about)
    lines = [{"path": path, "line": line, **item_json(item, known)} for path, item, line in placed]
    data = json.dumps({**about, "lines": lines}, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n"
    operation.create(os.path.join(folder, f"{PREFIX}{operation.id}{ENDING}"), data, root=folder)


def origins(about: Mapping[str, Any]) -> Origins:
    """Where the entries come from that a run read."""
    said = about.get("said")
    rows: Sequence[Any] = said if isinstance(said, list | tuple) else ()
    return {one["number"]: one for one in rows if isinstance(one, dict) and isinstance(one.get("number"), int)}


def item_json(item: Item, known: Origins) -> dict[str, Any]:
    """An item as the documented rows have it, with where its sources are."""
    sources = [{"cursor": one.cursor, "quote": one.quote, **_place(known.get(one.cursor))} for one in item.sources]
    return {
        "text": item.text,
        "layer": item.layer,
        "category": item.category,
        "sources": sources,
        "confidence": item.confidence,
        "expires": item.expires or None,
    }


def lines(store: Store, operation: str) -> list[dict[str, Any]]:
    """What is known of the lines that an operation wrote: members `path`, `line`, and those of `item_json`. It is looked for in
    the store of the workspace first, then in others: what is known of the user is written from projects, too. Nothing where
    the file is gone or damaged."""
    if not re.fullmatch(r"[0-9A-Za-z-]{1,40}", operation):
        return []
    name = f"{PREFIX}{operation}{ENDING}"
    for folder in dict.fromkeys([store.folder, *(one.folder for one in state.stores())]):
        path = os.path.join(folder, "dreams", name)
        if os.path.isfile(path):
            return [one for one in _lines(path) if isinstance(one, dict) and isinstance(one.get("line"), str)]
    return []


def _lines(path: str) -> list[Any]:
    try:
        with open(path, "rb") as file:
            value = json.load(file)
    except (OSError, ValueError, RecursionError):
        return []
    found = value.get("lines") if isinstance(value, dict) else None
    return found if isinstance(found, list) else []


def _place(origin: Mapping[str, Any] | None) -> dict[str, Any]:
    if origin is None:
        return {}
    if origin.get("kind") == "session":
        return {"session": origin.get("name"), "rows": [origin.get("first"), origin.get("last")]}
    return {"journal": origin.get("name")}
