"""The provider `anthropic` with a service on this machine."""

from __future__ import annotations

from typing import Any, ClassVar

import pytest
from support.provider_suite import ASKED, PLENTY, TALK, Answer, ModelServer, ProviderSuite

from memcli.model import Message, Question, Reply


def content(*blocks: Any, reason: str = "end_turn") -> dict[str, Any]:
    return {"id": "msg_1", "type": "message", "role": "assistant", "content": list(blocks), "stop_reason": reason}


def text(said: str) -> dict[str, Any]:
    return {"type": "text", "text": said}


class TestAnthropic(ProviderSuite):
    name = "anthropic"
    variable = "ANTHROPIC_API_KEY"
    path = "/v1/messages"
    home = "https://api.anthropic.com/"
    refused: ClassVar = {"type": "error", "error": {"type": "api_error", "message": "{}"}}
    shapes: ClassVar = {
        "its answer has no content": {"type": "message"},
        "has no content": {"content": None},
        "its answer has a content of an unknown shape": {"content": {"text": "Hello"}},
        "its answer says nothing": content(),
        "answer says nothing": content({"type": "thinking", "thinking": "I think."}),
        "says nothing": content("", 7, {"type": "text"}, {"type": "text", "text": None}),
        "it declines to answer": content(text("Hel"), reason="refusal"),
        "it calls a tool without a name": content({"type": "tool_use", "id": "c", "input": {}}),
    }

    def said(self, text: Any, stopped: bool = False) -> Any:
        blocks = [{"type": "text", "text": text}] if text else []
        usage = {"input_tokens": 3, "output_tokens": 7, "cache_read_input_tokens": 2, "cache_creation": {}}
        return {**content(*blocks, reason="max_tokens" if stopped else "end_turn"), "usage": usage}

    def called(self, *calls: tuple[Any, Any, Any]) -> Any:
        made = [{"type": "tool_use", "id": id, "name": name, "input": arguments} for id, name, arguments in calls]
        return content(*made, reason="tool_use")

    def test_a_talk_with_tools(self, server: ModelServer) -> None:
        self.provider(server).reply(TALK, PLENTY)
        body = server.asked[0].body
        assert body["system"] == "Be brief."
        assert body["messages"] == [
            {"role": "user", "content": [text("Mend it.")]},
            {
                "role": "assistant",
                "content": [
                    {"type": "tool_use", "id": "c1", "name": "read_file", "input": {}},
                    {"type": "tool_use", "id": "c2", "name": "edit_file", "input": {"old": "甲"}},
                ],
            },
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": "c1", "content": "the text"},
                    {"type": "tool_result", "tool_use_id": "c2", "content": "done"},
                ],
            },
            {
                "role": "assistant",
                "content": [
                    text("Half way."),
                    {"type": "tool_use", "id": "c3", "name": "edit_file", "input": {"arguments": '{"old": '}},
                ],
            },
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": "c3", "content": "broken"},
                    text("Go on."),
                ],
            },
        ]
        schema = {"type": "object", "properties": {"old": {"type": "string"}}}
        assert body["tools"] == [{"name": "edit_file", "description": "Change it.", "input_schema": schema}]
        assert body["max_tokens"] == 77

    def test_a_talk_with_nothing_said(self, server: ModelServer) -> None:
        asked = Question((Message("user", "Hello"), Message("assistant", " "), Message("user", "Well?")))
        self.provider(server).reply(asked, PLENTY)
        assert server.asked[0].body["messages"] == [{"role": "user", "content": [text("Hello"), text("Well?")]}]
        assert "system" not in server.asked[0].body

    @pytest.mark.parametrize(
        ("answer", "reply"),
        [
            ({"content": "Hello"}, Reply("Hello")),
            (content({"type": "thinking", "thinking": "I think."}, text("Hel"), text("lo")), Reply("Hello")),
            (content(text("Hello"), reason="model_context_window_exceeded"), Reply("Hello", cut=True)),
            ({**content(text("Hello")), "usage": {"output_tokens": "7"}}, Reply("Hello")),
        ],
    )
    def test_contents(self, server: ModelServer, answer: Any, reply: Reply) -> None:
        server.answers = [Answer(answer)]
        assert self.provider(server).reply(ASKED, PLENTY) == reply
