"""A proposal as plain JSON values, and back."""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from memcli.core.proposals import (
    APPROVED,
    EDITS,
    ITEMS,
    REJECTED,
    Decision,
    Proposal,
    ProposedEdit,
    ProposedItem,
)
from memcli.model import Item, Source

Kind = TypeVar("Kind")
LAYERS, CATEGORIES = ("user", "project"), ("decision", "fact", "preference", "pattern")


class Unreadable(Exception):
    """A value is no proposal; the text says why, in a clause."""


def value(proposal: Proposal) -> dict[str, Any]:
    """The JSON object of a proposal."""
    return {
        "id": proposal.id,
        "kind": proposal.kind,
        "what": proposal.what,
        "time": proposal.time,
        "provider": proposal.provider,
        "prompt": proposal.prompt,
        "status": proposal.status,
        "user": proposal.user,
        "beside": proposal.beside,
        "items": [{"id": one.id, **item_value(one.item)} for one in proposal.items],
        "edits": [_edit_value(one) for one in proposal.edits],
        "base": dict(proposal.base),
        "decisions": [one._asdict() for one in proposal.decisions],
        "trailers": {name: list(values) for name, values in proposal.trailers.items()},
        "about": dict(proposal.about),
    }


def item_value(item: Item) -> dict[str, Any]:
    """The JSON object of an item, as documented."""
    return {
        "text": item.text,
        "layer": item.layer,
        "category": item.category,
        "sources": [{"cursor": one.cursor, "quote": one.quote} for one in item.sources],
        "confidence": item.confidence,
        "expires": item.expires or None,
    }


def proposal(value: Any) -> Proposal:
    """The proposal that a JSON value is, without its id. Raises Unreadable."""
    if not isinstance(value, dict):
        raise Unreadable("it is no JSON object")
    kind = _text(value, "kind")
    if kind not in (ITEMS, EDITS):
        raise Unreadable(f"this version of memcli knows no kind {kind!r}")
    found = Proposal(
        kind,
        _text(value, "what"),
        _text(value, "time"),
        _text(value, "provider", ""),
        _text(value, "prompt", ""),
        _text(value, "user", ""),
        tuple(ProposedItem(_text(one, "id"), item(one)) for one in _objects(value, "items")),
        tuple(_edit(one) for one in _objects(value, "edits")),
        _member(value, "base", _texts, {}),
        tuple(_decision(one) for one in _objects(value, "decisions")),
        _text(value, "beside", ""),
        _member(value, "trailers", _lists, {}),
        _member(value, "about", lambda about: about if isinstance(about, dict) else None, {}),
    )
    if not found.ids or (found.edits if kind == ITEMS else found.items):
        raise Unreadable(f"it proposes no {kind}")
    if len({one.id for one in found.items}) < len(found.items):
        raise Unreadable("two of its items have the same id")
    return found


def item(value: Any) -> Item:
    """The item that a JSON value is. Raises Unreadable."""
    layer, category = _text(value, "layer"), _text(value, "category")
    if layer not in LAYERS or category not in CATEGORIES:
        raise Unreadable("an item has another layer or category than there are")
    confidence = _member(value, "confidence", _number)
    expires = value.get("expires") or ""
    if not isinstance(expires, str):
        raise Unreadable("its member expires is not as it should be")
    sources = tuple(
        Source(_member(one, "cursor", _whole), _text(one, "quote", "")) for one in _objects(value, "sources")
    )
    return Item(_text(value, "text"), layer, category, sources, confidence, expires)


def _edit_value(edit: ProposedEdit) -> dict[str, Any]:
    return {
        "id": edit.id,
        "path": edit.path,
        "offset": edit.offset,
        "length": len(edit.old),
        "old": _bytes_value(edit.old),
        "replacement": _bytes_value(edit.new),
        "why": edit.why,
        "before": _bytes_value(edit.before),
        "after": _bytes_value(edit.after),
    }


def _edit(value: Any) -> ProposedEdit:
    return ProposedEdit(
        _text(value, "id"),
        _text(value, "path"),
        _member(value, "offset", _whole),
        _member(value, "old", _bytes),
        _member(value, "replacement", _bytes),
        _text(value, "why", ""),
        _member(value, "before", _bytes, b""),
        _member(value, "after", _bytes, b""),
    )


def _decision(value: Any) -> Decision:
    status = _text(value, "status")
    if status not in (APPROVED, REJECTED):
        raise Unreadable(f"this version of memcli knows no status {status!r}")
    because, operation = _text(value, "because", ""), _text(value, "operation", "")
    return Decision(_text(value, "id"), status, _text(value, "time", ""), because, operation)


def _bytes_value(data: bytes) -> str | dict[str, str]:
    """Bytes as text where they are UTF-8, else in base64."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return {"base64": b64encode(data).decode("ascii")}


def _bytes(value: Any) -> bytes | None:
    if isinstance(value, str):
        return value.encode("utf-8", "surrogatepass")
    if isinstance(value, dict) and isinstance(value.get("base64"), str):
        try:
            return b64decode(value["base64"], validate=True)
        except ValueError:
            return None
    return None


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _whole(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _texts(value: Any) -> dict[str, str] | None:
    return value if isinstance(value, dict) and all(isinstance(one, str) for one in value.values()) else None


def _lists(value: Any) -> dict[str, tuple[str, ...]] | None:
    fits = isinstance(value, dict) and all(
        isinstance(several, list) and all(isinstance(one, str) for one in several) for several in value.values()
    )
    return {name: tuple(several) for name, several in value.items()} if fits else None


def _objects(value: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    def read(several: Any) -> list[dict[str, Any]] | None:
        fits = isinstance(several, list) and all(isinstance(one, dict) for one in several)
        return several if fits else None

    return _member(value, name, read, [])


def _text(value: Mapping[str, Any], name: str, missing: str | None = None) -> str:
    return _member(value, name, lambda one: one if isinstance(one, str) else None, missing)


def _member(
    value: Mapping[str, Any], name: str, read: Callable[[Any], Kind | None], missing: Kind | None = None
) -> Kind:
    """A member of an object as `read` has it, which gives None for what does not fit. Raises Unreadable."""
    if name not in value and missing is not None:
        return missing
    found = read(value[name]) if name in value else None
    if found is None:
        raise Unreadable(f"its member {name} is not as it should be" if name in value else f"it has no {name}")
    return found
