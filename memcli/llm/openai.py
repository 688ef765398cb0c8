"""Any service that speaks like OpenAI's chat completions, through the SDK `openai`: OpenAI, DeepSeek, Ollama, llama.cpp, vLLM."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from memcli.llm import shapes
from memcli.llm.endpoint import Endpoint
from memcli.llm.table import Table
from memcli.llm.trying import Failure
from memcli.model import Message, ModelCall, ModelTool, Question, Reply

HOME = "https://api.openai.com/v1"


class OpenAI:
    """The provider `openai`."""

    name = "openai"

    def __init__(self, table: Mapping[str, Any]) -> None:
        """Raises ConfigurationError, UsageError without the SDK or the name of a model, ProviderFailed without the key."""
        values = Table(table)
        self.tools = values.flag("tools", True)
        self._most = values.number("max_tokens", 0, 1 << 20) if "max_tokens" in values else 0
        self._endpoint = Endpoint(self.name, "OpenAI", values, HOME, "OPENAI_API_KEY")
        self.model = self._endpoint.model

    def reply(self, question: Question, seconds: float) -> Reply:
        """The answer, within `seconds` with all tries. Raises ProviderFailed."""
        most = self._most or question.most
        # the models of the service itself refuse max_tokens, which the others know alone
        limit = (
            "max_completion_tokens"
            if self._endpoint.host.endswith((".openai.com", ".openai.azure.com"))
            else "max_tokens"
        )
        asked: dict[str, Any] = {
            "model": self.model,
            "messages": [_message(message) for message in question.messages],
            limit: most,
        }
        if question.tools:
            asked["tools"] = [_tool(tool) for tool in question.tools]
        return self._endpoint.ask(
            lambda client, left: client.chat.completions.with_streaming_response.create(
                **asked, extra_body=self._endpoint.extra, timeout=left
            ),
            lambda answer: _reply(answer, most),
            seconds,
        )


def _message(message: Message) -> dict[str, Any]:
    text = shapes.clean(message.text)
    if message.role == "tool":
        return {"role": "tool", "tool_call_id": message.answers, "content": text}
    made: dict[str, Any] = {"role": message.role, "content": text}
    if message.calls:
        made["content"] = text or None
        made["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                # servers that parse what the model wrote fail where it is broken
                "function": {"name": call.name, "arguments": json.dumps(shapes.arguments(call), ensure_ascii=False)},
            }
            for call in message.calls
        ]
    return made


def _tool(tool: ModelTool) -> dict[str, Any]:
    function = {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)}
    return {"type": "function", "function": function}


def _reply(answer: Mapping[str, Any], most: int) -> Reply:
    choices = answer.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(message, dict):
        raise Failure("its answer has no choices", "shape")
    reason = choice.get("finish_reason") if isinstance(choice, dict) else None
    text = shapes.texts(message.get("content"))
    if reason == "content_filter" or (message.get("refusal") and not text):
        raise Failure("it declines to answer", "declined")
    usage = answer.get("usage")
    spent = shapes.count(usage, "total_tokens") or shapes.count(usage, "prompt_tokens", "completion_tokens")
    return shapes.reply(text, _calls(message), stopped=reason == "length", spent=spent, most=most)


def _calls(message: Mapping[str, Any]) -> list[ModelCall]:
    calls = message.get("tool_calls") or []
    if not isinstance(calls, list):
        raise Failure("its tool calls have an unknown shape", "shape")
    made = []
    for call in calls:
        function = call.get("function") if isinstance(call, dict) else None
        if not isinstance(function, dict):
            raise Failure("its tool calls have an unknown shape", "shape")
        made.append(shapes.call(call.get("id"), function.get("name"), function.get("arguments")))
    return made
