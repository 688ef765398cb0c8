"""The provider `openai` with a service on this machine."""

from __future__ import annotations

import json
from typing import Any, ClassVar

import pytest
from support.provider_suite import ASKED, PLENTY, TALK, Answer, ModelServer, ProviderSuite

from memcli import llm
from memcli.llm import openai
from memcli.model import Reply


def choice(message: Any, reason: str = "stop") -> dict[str, Any]:
    return {"choices": [{"index": 0, "message": message, "finish_reason": reason}]}


class TestOpenAI(ProviderSuite):
    name = "openai"
    variable = "OPENAI_API_KEY"
    path = "/v1/chat/completions"
    base = "/v1"
    home = "https://api.openai.com/v1/"
    refused: ClassVar = {"error": {"message": "{}", "type": "server_error", "param": None, "code": None}}
    shapes: ClassVar = {
        "its answer has no choices": {"object": "chat.completion"},
        "has no choices": {"choices": []},
        "no choices": {"choices": {"message": {"content": "Hello"}}},
        "choices": {"choices": [{"text": "Hello"}]},
        "its answer says nothing": choice({"role": "assistant", "content": None}),
        "answer says nothing": choice({"role": "assistant"}),
        "says nothing": choice({"content": " \n", "reasoning_content": "I think.", "reasoning": "I think."}),
        "its answer has a content of an unknown shape": choice({"content": {"text": "Hello"}}),
        "it declines to answer": choice({"content": None, "refusal": "No."}),
        "declines to answer": choice({"content": "Hel"}, "content_filter"),
        "its tool calls have an unknown shape": choice({"tool_calls": {"name": "x"}}),
        "tool calls have an unknown shape": choice({"tool_calls": ["x"]}),
        "it calls a tool without a name": choice({"tool_calls": [{"function": {"arguments": "{}"}}]}),
    }

    def said(self, text: Any, stopped: bool = False) -> Any:
        usage = {"prompt_tokens": 5, "completion_tokens": 7, "total_tokens": 12}
        return {**choice({"role": "assistant", "content": text}, "length" if stopped else "stop"), "usage": usage}

    def called(self, *calls: tuple[Any, Any, Any]) -> Any:
        made = [
            {"id": id, "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
            for id, name, arguments in calls
        ]
        return choice({"role": "assistant", "content": None, "tool_calls": made}, "tool_calls")

    def test_a_talk_with_tools(self, server: ModelServer) -> None:
        self.provider(server).reply(TALK, PLENTY)
        body = server.asked[0].body
        call = {"id": "c1", "type": "function", "function": {"name": "read_file", "arguments": "{}"}}
        edit = {"id": "c2", "type": "function", "function": {"name": "edit_file", "arguments": '{"old": "甲"}'}}
        broken = {"name": "edit_file", "arguments": '{"arguments": "{\\"old\\": "}'}
        assert body["messages"] == [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Mend it."},
            {"role": "assistant", "content": None, "tool_calls": [call, edit]},
            {"role": "tool", "tool_call_id": "c1", "content": "the text"},
            {"role": "tool", "tool_call_id": "c2", "content": "done"},
            {
                "role": "assistant",
                "content": "Half way.",
                "tool_calls": [{"id": "c3", "type": "function", "function": broken}],
            },
            {"role": "tool", "tool_call_id": "c3", "content": "broken"},
            {"role": "user", "content": "Go on."},
        ]
        parameters = {"type": "object", "properties": {"old": {"type": "string"}}}
        function = {"name": "edit_file", "description": "Change it.", "parameters": parameters}
        assert body["tools"] == [{"type": "function", "function": function}]
        assert body["max_tokens"] == 77

    @pytest.mark.parametrize(
        ("message", "text"),
        [
            (
                {"content": [{"type": "text", "text": "Hel"}, {"type": "image"}, {"type": "text", "text": "lo"}]},
                "Hello",
            ),
            ({"content": ["Hel", "lo"]}, "Hello"),
            ({"content": "Hello", "tool_calls": None, "refusal": None, "reasoning_content": "I think."}, "Hello"),
            ({"content": [{"type": "reasoning", "text": "I think."}, {"text": "Hello"}, {"text": 7}, 7]}, "Hello"),
        ],
    )
    def test_contents(self, server: ModelServer, message: Any, text: str) -> None:
        server.answers = [Answer(choice(message))]
        assert self.provider(server).reply(ASKED, PLENTY) == Reply(text)

    @pytest.mark.parametrize(
        ("arguments", "text"), [({"old": "甲"}, '{"old": "甲"}'), (None, "{}"), ('{"old": ', '{"old": ')]
    )
    def test_arguments(self, server: ModelServer, arguments: Any, text: str) -> None:
        server.answers = [
            Answer(choice({"tool_calls": [{"id": "c", "function": {"name": "f", "arguments": arguments}}]}))
        ]
        assert self.provider(server).reply(ASKED, PLENTY).calls[0].arguments == text

    @pytest.mark.parametrize(
        ("usage", "spent"),
        [
            ({"prompt_tokens": 5, "completion_tokens": 7}, 12),
            ({"total_tokens": "12"}, None),
            ({"total_tokens": -1, "prompt_tokens": True}, None),
            ([12], None),
        ],
    )
    def test_tokens(self, server: ModelServer, usage: Any, spent: int | None) -> None:
        server.answers = [Answer({**choice({"content": "Hello"}), "usage": usage})]
        assert self.provider(server).reply(ASKED, PLENTY).spent == spent

    def test_the_service_itself_has_another_word_for_the_limit(self, monkeypatch: pytest.MonkeyPatch) -> None:
        bodies: list[dict[str, Any]] = []

        class Completions:
            def create(self, **body: Any) -> None:
                bodies.append(body)

        class Client:
            completions = chat = property(lambda self: self)
            with_streaming_response = Completions()

        def ask(self: object, start: Any, read: Any, seconds: float) -> Reply:
            start(Client(), seconds)
            return Reply("")

        monkeypatch.setattr(openai.Endpoint, "ask", ask)
        for url in (openai.HOME, "https://mine.openai.azure.com/openai/v1", "https://openai.com.example.org/v1"):
            provider = llm.load("openai", {"model": "m", "base_url": url, "key_env": "MY_KEY"})
            assert not llm.is_reader(provider)
            provider.reply(ASKED, PLENTY)
        names = ["max_completion_tokens", "max_completion_tokens", "max_tokens"]
        assert [body[name] for name, body in zip(names, bodies, strict=True)] == [2048] * 3
        assert not any({"max_tokens", "max_completion_tokens"} <= set(body) for body in bodies)
