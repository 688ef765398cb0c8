"""How the two kinds of services write their answers, for a model on this machine that memcli asks."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

SPENT = 12
"""Tokens of every answer."""


class Wire(NamedTuple):
    """One kind: `provider` is memcli's name for it, `base` what of the path belongs to base_url. `said` makes an answer with a
    text (and whether it was stopped at its limit), `called` one that calls a tool: (name, arguments)."""

    provider: str
    path: str
    base: str
    said: Callable[[str, bool], Any]
    called: Callable[[tuple[str, Mapping[str, Any]]], Any]


def _openai(text: str, stopped: bool = False) -> Any:
    return _choice({"role": "assistant", "content": text}, "length" if stopped else "stop")


def _openai_call(call: tuple[str, Mapping[str, Any]]) -> Any:
    name, arguments = call
    made = {"id": "c1", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
    return _choice({"role": "assistant", "content": None, "tool_calls": [made]}, "tool_calls")


def _choice(message: Any, reason: str) -> Any:
    choices = [{"index": 0, "message": message, "finish_reason": reason}]
    return {"choices": choices, "usage": {"prompt_tokens": 5, "completion_tokens": 7, "total_tokens": SPENT}}


def _anthropic(text: str, stopped: bool = False) -> Any:
    return _message({"type": "text", "text": text}, "max_tokens" if stopped else "end_turn")


def _anthropic_call(call: tuple[str, Mapping[str, Any]]) -> Any:
    return _message({"type": "tool_use", "id": "c1", "name": call[0], "input": call[1]}, "tool_use")


def _message(block: Any, reason: str) -> Any:
    head = {"id": "msg_1", "type": "message", "role": "assistant", "content": [block], "stop_reason": reason}
    return {**head, "usage": {"input_tokens": 5, "output_tokens": 7}}


WIRES = (
    Wire("openai", "/v1/chat/completions", "/v1", _openai, _openai_call),
    Wire("anthropic", "/v1/messages", "", _anthropic, _anthropic_call),
)
