"""What a service may answer, in whatever shape, as one Reply; and texts as a service can take them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from memcli.llm.trying import Failure
from memcli.model import ModelCall, Reply

TEXT = 256 << 10
"""Bytes of UTF-8 that an answer may have; what is longer is cut."""
THOUGHT = ("<think>", "</think>")
"""Between these, at the beginning, local servers leave what a model thought before it answered."""


def parsed(raw: bytes) -> dict[str, Any]:
    """The JSON object that a service answered. Raises Failure."""
    text = raw.decode("utf-8", "replace").strip()
    if not text:
        raise Failure("its answer is empty", "shape")
    if text.startswith("<"):
        raise Failure("it answers with a web page; base_url must lead to the API", "shape")
    try:
        answer = json.loads(text)
    except (ValueError, RecursionError):
        raise Failure("its answer is no whole JSON", "shape") from None
    if not isinstance(answer, dict):
        raise Failure("its answer is no JSON object", "shape")
    return answer


def reply(text: str, calls: Iterable[ModelCall], *, stopped: bool, spent: int | None, most: int) -> Reply:
    """The Reply of an answer, cut where it is too long. `stopped`: at the limit of `most` tokens. Raises Failure for an answer
    that says nothing."""
    answer, cut = capped(without_thought(clean(text)))
    asked = _told_apart(calls)
    if sum(len(call.name) + len(call.arguments) for call in asked) > TEXT:
        raise Failure("its tool calls are longer than 256 KiB", "shape")
    if not answer.strip() and not asked:
        if stopped:
            raise Failure(
                f"it spent all of its {most} tokens without an answer; models that think first need a larger max_tokens",
                "shape",
            )
        raise Failure("its answer says nothing", "shape")
    return Reply(answer, asked, stopped or cut, spent)


def clean(text: str) -> str:
    """A text without halves of characters, which no UTF-8 can carry."""
    return text.encode("utf-8", "replace").decode()


def capped(text: str) -> tuple[str, bool]:
    """A text of at most TEXT bytes, and whether it was longer."""
    raw = text.encode("utf-8")
    return (text, False) if len(raw) <= TEXT else (raw[:TEXT].decode("utf-8", "ignore"), True)


def without_thought(text: str) -> str:
    """A text without what a model thought before it answered."""
    start, end = THOUGHT
    return text.partition(end)[2].lstrip() if text.lstrip().startswith(start) else text


def call(id: object, name: object, arguments: object) -> ModelCall:
    """A tool call as a service tells of it: arguments as JSON text or as the object itself. Raises Failure where no name is."""
    if not isinstance(name, str) or not name:
        raise Failure("it calls a tool without a name", "shape")
    text = arguments if isinstance(arguments, str) else json.dumps(arguments or {}, ensure_ascii=False)
    return ModelCall(clean(id) if isinstance(id, str) else "", clean(name), clean(text))


def arguments(call: ModelCall) -> dict[str, Any]:
    """The arguments of a call as an object, for services that take no others; what is none stands under one name."""
    try:
        value = json.loads(call.arguments)
    except (ValueError, RecursionError):
        value = None
    return value if isinstance(value, dict) else {"arguments": clean(call.arguments)}


def texts(content: object, kind: str = "text") -> str:
    """The text of a content: text itself, nothing, or a list of parts of which those of `kind` count. Raises Failure."""
    if content is None or isinstance(content, str):
        return content or ""
    if not isinstance(content, list):
        raise Failure("its answer has a content of an unknown shape", "shape")
    found = (part if isinstance(part, str) else part.get("text") for part in content if _is_text(part, kind))
    return "".join(text for text in found if isinstance(text, str))


def count(table: object, *names: str) -> int | None:
    """The sum of the counts that a table has under `names`; None when it has none."""
    values = [table.get(name) for name in names] if isinstance(table, Mapping) else []
    counts = [value for value in values if isinstance(value, int) and not isinstance(value, bool) and value >= 0]
    return sum(counts) if counts else None


def _is_text(part: object, kind: str) -> bool:
    return isinstance(part, str) or (isinstance(part, dict) and part.get("type", kind) == kind)


def _told_apart(calls: Iterable[ModelCall]) -> tuple[ModelCall, ...]:
    """Calls with an id each: some servers give none, or one to all."""
    kept: list[ModelCall] = []
    for number, one in enumerate(calls, 1):
        known = {other.id for other in kept}
        kept.append(one if one.id and one.id not in known else one._replace(id=f"call_{number}_of_memcli"))
    return tuple(kept)
