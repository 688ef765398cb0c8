"""Anthropic's messages, through the SDK `anthropic`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from memcli.llm import shapes
from memcli.llm.endpoint import Endpoint
from memcli.llm.table import Table
from memcli.llm.trying import Failure
from memcli.model import Message, ModelTool, Question, Reply

HOME = "https://api.anthropic.com"


class Anthropic:
    """The provider `anthropic`."""

    name = "anthropic"

    def __init__(self, table: Mapping[str, Any]) -> None:
        """Raises ConfigurationError, UsageError without the SDK or the name of a model, ProviderFailed without the key."""
        values = Table(table)
        self.tools = values.flag("tools", True)
        self._most = values.number("max_tokens", 0, 1 << 20) if "max_tokens" in values else 0
        self._endpoint = Endpoint(self.name, "Anthropic", values, HOME, "ANTHROPIC_API_KEY")
        self.model = self._endpoint.model

    def reply(self, question: Question, seconds: float) -> Reply:
        """The answer, within `seconds` with all tries. Raises ProviderFailed."""
        most = self._most or question.most
        system = "\n\n".join(message.text for message in question.messages if message.role == "system")
        asked: dict[str, Any] = {"model": self.model, "messages": _turns(question.messages), "max_tokens": most}
        if system.strip():
            asked["system"] = shapes.clean(system)
        if question.tools:
            asked["tools"] = [_tool(tool) for tool in question.tools]
        return self._endpoint.ask(
            lambda client, left: client.messages.with_streaming_response.create(
                **asked, extra_body=self._endpoint.extra, timeout=left
            ),
            lambda answer: _reply(answer, most),
            seconds,
        )


def _turns(messages: Iterable[Message]) -> list[dict[str, Any]]:
    """The conversation as turns of the user and the assistant: what tools answer belongs to the user's, all in one turn."""
    turns: list[dict[str, Any]] = []
    for message in messages:
        if message.role == "system":
            continue
        role = "assistant" if message.role == "assistant" else "user"
        blocks = _blocks(message)
        if turns and turns[-1]["role"] == role:
            turns[-1]["content"] += blocks
        elif blocks:
            turns.append({"role": role, "content": blocks})
    return turns


def _blocks(message: Message) -> list[dict[str, Any]]:
    text = shapes.clean(message.text)
    if message.role == "tool":
        return [{"type": "tool_result", "tool_use_id": message.answers, "content": text}]
    said: list[dict[str, Any]] = [{"type": "text", "text": text}] if text.strip() else []  # an empty text is refused
    called = [
        {"type": "tool_use", "id": call.id, "name": call.name, "input": shapes.arguments(call)}
        for call in message.calls
    ]
    return said + called


def _tool(tool: ModelTool) -> dict[str, Any]:
    return {"name": tool.name, "description": tool.description, "input_schema": dict(tool.parameters)}


def _reply(answer: Mapping[str, Any], most: int) -> Reply:
    content = answer.get("content")
    if content is None:
        raise Failure("its answer has no content", "shape")
    reason = answer.get("stop_reason")
    if reason == "refusal":
        raise Failure("it declines to answer", "declined")
    blocks = [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []
    calls = [
        shapes.call(block.get("id"), block.get("name"), block.get("input"))
        for block in blocks
        if block.get("type") == "tool_use"
    ]
    spent = shapes.count(
        answer.get("usage"),
        *("input_tokens", "output_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"),
    )
    stopped = reason in ("max_tokens", "model_context_window_exceeded")
    return shapes.reply(shapes.texts(content), calls, stopped=stopped, spent=spent, most=most)
