"""A model for nanobot on this machine: what it is asked to dream of, it writes down word for word."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from support.model_server import Answer, ModelServer

HEADING = "## Important Notes"
"""Under this heading of nanobot's MEMORY.md it writes; memcli does not."""
_ENTRIES = "## Conversation History\n"
_STREAM = {"content-type": "text/event-stream"}


class NanobotModel(ModelServer):
    """Speaks as OpenAI's services do. `dreamt` has what each Dream was given: the entries of its prompt."""

    def __init__(self) -> None:
        super().__init__()
        self.dreamt: list[list[str]] = []

    def next(self) -> Answer:
        """The answer to the last request, by what that says."""
        body = self.asked[-1].body
        messages = body["messages"]
        prompt = next(text(one) for one in reversed(messages) if one["role"] == "user")
        if _ENTRIES not in prompt:
            return said(body, {"content": f"echo: {prompt[-200:]}"})
        if messages[-1]["role"] == "tool":
            return said(body, {"content": "It is written down."})
        self.dreamt.append(re.findall(r"^\[\d{4}-\d\d-\d\d \d\d:\d\d\] (.*)", prompt.split(_ENTRIES)[1], re.M))
        facts = "".join(f"\n- {entry}" for entry in self.dreamt[-1])
        change = {"path": "memory/MEMORY.md", "old_text": HEADING, "new_text": f"{HEADING}\n{facts}"}
        called = {"name": "edit_file", "arguments": json.dumps(change)}
        id = f"call_{len(self.asked)}"
        return said(body, {"content": None, "tool_calls": [{"id": id, "type": "function", "function": called}]})

    def configure(self, home: Path) -> None:
        """Let the nanobot of this home ask here."""
        defaults = {"provider": "custom", "model": "tiny", "maxTokens": 512, "contextWindowTokens": 200000}
        service = {"apiKey": "sk-loopback", "apiBase": f"{self.url}/v1"}
        config = {"agents": {"defaults": {**defaults, "timezone": "UTC"}}, "providers": {"custom": service}}
        (home / "config.json").write_text(json.dumps(config))


def text(message: dict[str, Any]) -> str:
    """What a message says, whichever way it is written."""
    content = message.get("content") or ""
    return content if isinstance(content, str) else "\n".join(part.get("text", "") for part in content)


def said(body: Any, message: dict[str, Any]) -> Answer:
    """One answer of the service, in a stream where that was asked for."""
    why = "tool_calls" if "tool_calls" in message else "stop"
    spent = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
    head = {"id": "x", "created": 1, "model": "tiny"}
    if not body.get("stream"):
        choice = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": why}
        return Answer({**head, "object": "chat.completion", "choices": [choice], "usage": spent})
    calls = [{**one, "index": number} for number, one in enumerate(message.get("tool_calls", ()))]
    delta = {"role": "assistant", **message, **({"tool_calls": calls} if calls else {})}
    head["object"] = "chat.completion.chunk"
    parts: list[dict[str, Any]] = [
        {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]},
        {**head, "choices": [{"index": 0, "delta": {}, "finish_reason": why}]},
        {**head, "choices": [], "usage": spent},
    ]
    stream = "".join(f"data: {json.dumps(one)}\n\n" for one in parts) + "data: [DONE]\n\n"
    return Answer(stream.encode(), headers=_STREAM)


@contextmanager
def modelling() -> Iterator[NanobotModel]:
    """A model for a while."""
    server = NanobotModel()
    server.start()
    try:
        yield server
    finally:
        server.stop()
