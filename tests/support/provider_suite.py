"""What every provider that reaches a service over HTTP must do; the tests of each subclass ProviderSuite."""

from __future__ import annotations

import json
import logging
import re
import sys
import traceback
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from time import monotonic
from typing import Any, ClassVar

import pytest

from memcli import llm
from memcli.errors import ConfigurationError, MemcliError, ProviderFailed, UsageError
from memcli.llm import endpoint, trying
from memcli.model import Message, ModelCall, ModelTool, Question, Reply
from support.model_server import Answer, ModelServer, serving

KEY = "sk-loopback-0123456789-abcdef"
ASKED = Question((Message("system", "Be brief."), Message("user", "What is 你好?")))
TOOL = ModelTool("edit_file", "Change it.", {"type": "object", "properties": {"old": {"type": "string"}}})
TALK = Question(
    (
        Message("system", "Be brief."),
        Message("user", "Mend it."),
        Message("assistant", "", (ModelCall("c1", "read_file", "{}"), ModelCall("c2", "edit_file", '{"old": "甲"}'))),
        Message("tool", "the text", answers="c1"),
        Message("tool", "done", answers="c2"),
        Message("assistant", "Half way.", (ModelCall("c3", "edit_file", '{"old": '),)),
        Message("tool", "broken", answers="c3"),
        Message("user", "Go on."),
    ),
    (TOOL,),
    most=77,
)
PLENTY = 30.0
"""Seconds that no test waits for."""


class ProviderSuite(ABC):
    """The suite. A subclass says how its service writes what it answers."""

    name: ClassVar[str]
    """The provider, which is also the name of its SDK and of its extra."""
    variable: ClassVar[str]
    """Where its key is when nobody says where."""
    path: ClassVar[str]
    """What it asks for."""
    home: ClassVar[str]
    """The service's own address."""
    base: ClassVar[str] = ""
    """What of the path is in base_url."""
    refused: ClassVar[Mapping[str, Any]]
    """A refusal as the service words it, with {} in its sentence."""
    shapes: ClassVar[Mapping[str, Any]]
    """Answers of a wrong shape: what the error says of them -> the answer."""

    @abstractmethod
    def said(self, text: Any, stopped: bool = False) -> Any:
        """The service's answer with this content."""

    @abstractmethod
    def called(self, *calls: tuple[Any, Any, Any]) -> Any:
        """The service's answer that calls tools: (id, name, arguments)."""

    @pytest.fixture
    def server(self) -> Iterator[ModelServer]:
        with serving() as server:
            server.answers = [Answer(self.said("Hello 世界"))]
            yield server

    @pytest.fixture(autouse=True)
    def variables(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """No variable of whoever runs the tests; a proxy that nobody may ask; no pauses."""
        for name in ("NO_PROXY", "no_proxy", f"{self.name.upper()}_BASE_URL", self.variable):
            monkeypatch.delenv(name, raising=False)
        for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
            monkeypatch.setenv(name, "http://127.0.0.1:9")
            monkeypatch.setenv(name.lower(), "http://127.0.0.1:9")
        monkeypatch.setenv("MY_KEY", KEY)
        monkeypatch.setattr(trying, "FIRST", 0.0)

    def provider(self, server: ModelServer, **table: Any) -> llm.Model:
        url = server.url + self.base
        found = llm.load(self.name, {"model": "tiny", "base_url": url, "key_env": "MY_KEY", **table})
        assert not llm.is_reader(found)
        return found

    def fails(self, server: ModelServer, words: str, seconds: float = PLENTY, **table: Any) -> ProviderFailed:
        """The failure that a question ends with: one sentence, without the key, and so is all that could be shown of it."""
        with pytest.raises(ProviderFailed) as caught:
            self.provider(server, **table).reply(ASKED, seconds)
        error = caught.value
        assert re.search(words, error.sentence), error.sentence
        assert error.sentence.endswith(". Nothing was changed.")
        assert error.facts["provider"] == self.name
        shown = "".join(traceback.format_exception(error)) + repr(error.facts)
        assert KEY not in shown
        assert KEY[3:14] not in shown
        return error

    def test_a_good_answer(self, server: ModelServer) -> None:
        reply = self.provider(server).reply(ASKED, PLENTY)
        assert reply == Reply("Hello 世界", spent=12)
        (asked,) = server.asked
        assert (asked.path, asked.key) == (self.path, KEY)
        assert asked.body["model"] == "tiny"
        assert "stream" not in asked.body
        assert "tools" not in asked.body
        assert "What is 你好?" in json.dumps(asked.body, ensure_ascii=False)

    def test_names(self, server: ModelServer) -> None:
        provider = self.provider(server)
        assert (provider.name, provider.model, provider.tools) == (self.name, "tiny", True)
        assert not self.provider(server, tools=False).tools

    def test_settings_reach_the_service(self, server: ModelServer) -> None:
        provider = self.provider(server, max_tokens=99, extra={"temperature": 0.5, "reasoning": {"effort": "low"}})
        provider.reply(ASKED, PLENTY)
        body = server.asked[0].body
        assert (body["max_tokens"], body["temperature"], body["reasoning"]) == (99, 0.5, {"effort": "low"})

    def test_an_answer_that_was_cut(self, server: ModelServer) -> None:
        server.answers = [Answer(self.said("Hello", stopped=True))]
        assert self.provider(server).reply(ASKED, PLENTY) == Reply("Hello", cut=True, spent=12)

    def test_tools_are_called(self, server: ModelServer) -> None:
        server.answers = [Answer(self.called(("c4", "edit_file", {"old": "甲"}), ("c5", "read_file", {})))]
        reply = self.provider(server).reply(TALK, PLENTY)
        assert [(call.id, call.name, json.loads(call.arguments)) for call in reply.calls] == [
            ("c4", "edit_file", {"old": "甲"}),
            ("c5", "read_file", {}),
        ]
        assert (reply.text, reply.cut) == ("", False)

    @pytest.mark.parametrize("ids", [("", ""), ("same", "same"), (None, 7)])
    def test_calls_are_told_apart(self, server: ModelServer, ids: tuple[Any, Any]) -> None:
        server.answers = [Answer(self.called(*((one, "read_file", {}) for one in ids)))]
        calls = self.provider(server).reply(TALK, PLENTY).calls
        assert len({call.id for call in calls}) == 2
        assert all(call.id for call in calls)

    def test_a_long_answer_is_cut(self, server: ModelServer) -> None:
        server.answers = [Answer(self.said("世" * (1 << 20)))]
        reply = self.provider(server).reply(ASKED, PLENTY)
        assert reply.cut
        assert reply.text == "世" * ((256 << 10) // 3)

    def test_an_answer_without_end_is_not_read(self, server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(endpoint, "LARGEST", 1 << 20)
        server.answers = [Answer(b" " * (2 << 20))]
        self.fails(server, "its answer is longer than 1 MiB")

    def test_long_calls_are_refused(self, server: ModelServer) -> None:
        server.answers = [Answer(self.called(("c1", "edit_file", {"old": "x" * (300 << 10)})))]
        self.fails(server, "its tool calls are longer than 256 KiB")

    def test_thoughts_are_no_answer(self, server: ModelServer) -> None:
        server.answers = [Answer(self.said("\n<think>\nWell, hm.\n</think>\n\nYes.")), Answer(self.said("<think>Well"))]
        assert self.provider(server).reply(ASKED, PLENTY).text == "Yes."
        self.fails(server, "its answer says nothing")

    def test_halves_of_characters_go_nowhere(self, server: ModelServer) -> None:
        server.answers = [Answer(self.said("a\ud83d."))]
        reply = self.provider(server).reply(Question((Message("user", "b\ude00."),)), PLENTY)
        assert reply.text == "a?."
        assert "b?." in json.dumps(server.asked[0].body)

    def test_a_thinking_model_that_never_answers(self, server: ModelServer) -> None:
        server.answers = [Answer(self.said("", stopped=True))]
        self.fails(server, "it spent all of its 2048 tokens without an answer; .* a larger max_tokens")

    def test_wrong_shapes(self, server: ModelServer) -> None:
        whole = json.dumps(self.said("Hello")).encode()
        shapes = {
            "it answers with a web page; base_url must lead to the API": b"<!DOCTYPE html><html>Welcome</html>",
            "its answer is empty": b"",
            "its answer is no whole JSON": whole[:-9],
            "its answer is no JSON object": b'["Hello"]',
            "no whole JSON": b"[" * 100_000,
            "it tells of an error: No such model": {"error": {"message": "No such model."}},
            "it tells of an error": {"error": True},
            "it is asked too much .429.: Slow": {"error": {"code": 429, "message": "Slow!"}},
            **self.shapes,
        }
        for words, body in shapes.items():
            server.answers = [Answer(body)]
            self.fails(server, words, tries=1)
        assert len(server.asked) == len(shapes)

    @pytest.mark.parametrize("slow", ["never", "drops", "head"])
    def test_a_slow_service(self, server: ModelServer, slow: str) -> None:
        server.answers = [Answer(self.said("Hello" * 99), slow=slow)]
        begin = monotonic()
        error = self.fails(server, r"it took longer than 0\.\d+ s", seconds=0.6)
        assert monotonic() - begin < PLENTY / 2
        assert (error.facts["why"], error.facts["tries"]) == ("too-slow", 1)
        assert len(server.asked) == 1

    @pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 529])
    def test_what_passes_is_tried_again(self, server: ModelServer, status: int) -> None:
        server.answers = [Answer({}, status), Answer(self.said("Hello"))]
        assert self.provider(server).reply(ASKED, PLENTY).text == "Hello"
        assert [asked.body for asked in server.asked] == [server.asked[0].body] * 2

    def test_a_failure_for_ever(self, server: ModelServer) -> None:
        server.answers = [Answer(self.refusal("Out of order."), 500)]
        error = self.fails(server, "gave no answer in 4 tries: it has a failure .500.: Out of order. Nothing", tries=4)
        assert (error.facts["status"], error.facts["tries"], error.facts["why"]) == (500, 4, "server")
        assert len(server.asked) == 4

    def test_the_wait_that_is_asked_for_is_too_long(self, server: ModelServer) -> None:
        server.answers = [Answer({}, 429, {"retry-after": "3600"})]
        error = self.fails(server, "asks to wait 3600 s, and there is no time for another try")
        assert error.facts["tries"] == 1

    def test_a_body_that_breaks_off(self, server: ModelServer) -> None:
        server.answers = [Answer(self.said("Hello"), lost=50)]
        error = self.fails(server, "the connection broke off", tries=2)
        assert (error.facts["why"], error.facts["tries"]) == ("connection", 2)
        server.answers = [*server.answers * 3, Answer(self.said("Hello"))]
        assert self.provider(server).reply(ASKED, PLENTY).text == "Hello"

    def test_a_refusal_that_breaks_off(self, server: ModelServer) -> None:
        server.answers = [Answer(b'{"error"', 400, lost=50)]
        self.fails(server, r"it refuses the question \(400\)\.")

    def test_nobody_is_there(self) -> None:
        with serving() as server:
            provider = self.provider(server, tries=2)
        with pytest.raises(ProviderFailed, match=r"in 2 tries: there is no connection \(Connection refused\)"):
            provider.reply(ASKED, PLENTY)

    @pytest.mark.parametrize("echo", [KEY, KEY[:12] + "…", KEY[-10:]])
    @pytest.mark.parametrize("status", [400, 401, 403, 404, 413, 422, 451, 500])
    def test_a_refusal_never_shows_the_key(self, server: ModelServer, status: int, echo: str) -> None:
        server.answers = [Answer(self.refusal(f"Wrong key {echo}."), status)]
        error = self.fails(server, rf"\({status}\)", tries=1)
        assert error.facts["status"] == status
        assert "Wrong key" not in error.sentence

    def test_a_wrong_key_is_tried_once(self, server: ModelServer) -> None:
        server.answers = [Answer(self.refusal("No."), 401)]
        error = self.fails(server, r"it refuses the key \(401\); look at \$MY_KEY")
        assert error.facts["why"] == "key"
        assert len(server.asked) == 1

    def test_credit_that_is_used_up_does_not_come_back(self, server: ModelServer) -> None:
        server.answers = [Answer({"error": {"message": "You exceeded it.", "code": "insufficient_quota"}}, 429)]
        self.fails(server, r"there is no credit left \(429\): You exceeded it")
        assert len(server.asked) == 1

    def test_words_of_the_service_are_short_and_hold_no_secret(self, server: ModelServer) -> None:
        told = "Bad\n request by\tann@example.org " + "x" * 999
        server.answers = [Answer(self.refusal(told), 400)]
        error = self.fails(server, r"\(400\): Bad request by \[email\] xxx")
        assert len(error.sentence) < 320

    @pytest.mark.parametrize("status", [301, 302, 307, 308])
    def test_no_redirect_is_followed(self, server: ModelServer, status: int) -> None:
        with serving() as other:
            other.answers = [Answer(self.said("Hello"))]
            server.answers = [Answer(b"", status, {"location": f"http://localhost:{other.port}/v1"})]
            self.fails(server, "it answers with a redirect to localhost, which is not followed")
            assert other.asked == []
        assert len(server.asked) == 1

    @pytest.mark.parametrize("location", ["/elsewhere", "http://[", "", f"http://{KEY}/"])
    def test_redirects_to_nowhere(self, server: ModelServer, location: str) -> None:
        server.answers = [Answer(b"", 302, {"location": location})]
        self.fails(server, "it answers with a redirect")

    def test_a_local_service_needs_no_key(self, server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv(self.variable, KEY)  # which is for the service itself
        table = {"model": "tiny", "base_url": server.url + self.base}
        provider = llm.load(self.name, table)
        assert not llm.is_reader(provider)
        assert provider.reply(ASKED, PLENTY).text == "Hello 世界"
        assert KEY not in str(server.asked)
        server.answers = [Answer({}, 401)]
        with pytest.raises(ProviderFailed, match="it wants a key: name it with key_env or key_file"):
            provider.reply(ASKED, PLENTY)

    def test_variables_of_the_sdk_do_not_matter(self, server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> None:
        prefix = self.name.upper()
        for name in ("ORG_ID", "PROJECT_ID", "ADMIN_KEY", "AUTH_TOKEN", "LOG", "PROFILE"):
            monkeypatch.setenv(f"{prefix}_{name}", "debug")
        monkeypatch.setenv(f"{prefix}_CUSTOM_HEADERS", "x-mine: secret")
        monkeypatch.setenv(f"{prefix}_BASE_URL", "http://127.0.0.1:9")
        self.provider(server).reply(ASKED, PLENTY)
        (asked,) = server.asked
        assert {"x-mine", "openai-organization", "openai-project"}.isdisjoint(asked.headers)
        assert asked.key == KEY

    def test_nothing_is_logged_with_the_key(
        self, server: ModelServer, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
    ) -> None:
        caplog.set_level(logging.DEBUG)
        server.answers = [Answer({}, 500), Answer(self.said("Hello"))]
        self.provider(server).reply(ASKED, PLENTY)
        assert KEY not in caplog.text
        assert capfd.readouterr() == ("", "")

    def test_a_provider_does_not_show_its_key(self, server: ModelServer) -> None:
        provider = self.provider(server)
        assert KEY not in repr(vars(provider)) + repr(
            [vars(value) for value in vars(provider).values() if hasattr(value, "__dict__")]
        )

    def test_without_the_sdk(self, server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, self.name, None)
        with pytest.raises(UsageError, match=rf"needs its SDK: pip install 'memcli\[{self.name}\]'"):
            self.provider(server)

    def test_with_an_sdk_that_cannot_be_used(self, server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> None:
        provider = self.provider(server)
        monkeypatch.setitem(sys.modules, self.name, None)
        with pytest.raises(ProviderFailed, match="its SDK cannot be used"):
            provider.reply(ASKED, PLENTY)
        assert server.asked == []

    def test_a_failure_inside_the_sdk(self, server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> None:
        def failing(*_: object) -> object:
            raise TypeError(f"unexpected {KEY}")

        monkeypatch.setattr(endpoint, "_body", failing)
        self.fails(server, r"the SDK failed \(TypeError\)")

    def test_the_key_of_the_service_itself(self, monkeypatch: pytest.MonkeyPatch) -> None:
        with pytest.raises(ProviderFailed, match=rf"variable {self.variable} is not set") as caught:
            llm.load(self.name, {"model": "m"})
        assert caught.value.facts["why"] == "no-key"
        monkeypatch.setenv(self.variable, KEY)
        for table in ({"model": "m"}, {"model": "m", "base_url": self.home}):
            assert llm.load(self.name, table).model == "m"

    @pytest.mark.parametrize(
        ("table", "words"),
        [
            ({"api_key": KEY}, "api_key in .llm. .*a key of a service never stands there"),
            ({"modle": "m"}, "modle in .llm. .*is not known: the known ones are provider, model"),
            ({"model": 7}, "model in .llm. .*must be a text"),
            ({"tries": 0}, "tries .*whole number from 1 to 10"),
            ({"tries": True}, "tries .*whole number"),
            ({"max_tokens": "9"}, "max_tokens .*whole number"),
            ({"tools": "yes"}, "tools .*true or false"),
            ({"extra": []}, "extra .*must be a table"),
            ({"extra": {"messages": []}}, "extra .*must not have messages"),
            ({"base_url": "localhost:1"}, "base_url .*must look like"),
            ({"base_url": "ftp://localhost/"}, "base_url .*must look like"),
            ({"base_url": "http://user:pass@localhost/"}, "base_url .*must look like"),
            ({"base_url": "http://localhost/v1?key=1"}, "base_url .*must look like"),
            ({"base_url": "http://[::1/"}, "base_url .*must look like"),
            ({"base_url": "http://localhost:99999/"}, "base_url .*must look like"),
            ({"base_url": "http://"}, "base_url .*must look like"),
            ({"base_url": "http://local host/"}, "base_url .*must look like"),
            ({"base_url": "http://models.example.org/v1", "key_env": "MY_KEY"}, "base_url .*must begin with https"),
            ({"base_url": "http://8.8.8.8/v1", "key_env": "MY_KEY"}, "base_url .*must begin with https"),
            ({"base_url": "https://models.example.org/v1"}, "base_url .*is not on this machine: name the variable"),
            ({"key_env": "MY_KEY", "key_file": "k"}, "key_file .*exclude each other"),
            ({"key_env": KEY}, "key_env .*must be the name of an environment variable"),
        ],
    )
    def test_configuration(self, table: Mapping[str, Any], words: str) -> None:
        with pytest.raises(ConfigurationError) as caught:
            llm.load(self.name, {"model": "m", **table})
        assert re.search(words, caught.value.sentence), caught.value.sentence
        assert KEY not in caught.value.sentence

    def test_a_model_must_be_named(self) -> None:
        with pytest.raises(UsageError, match="needs the name of a model: model in"):
            llm.load(self.name, {})

    @pytest.mark.parametrize(
        "base_url",
        [
            *("https://models.example.org/v1", "http://192.168.1.5:8000/v1", "http://[fd00::1]/v1", "http://box/v1"),
            *("http://localhost:11434/v1", "http://[::1]:8080", "http://gpu.home.arpa/v1"),
        ],
    )
    def test_addresses(self, base_url: str) -> None:
        assert llm.load(self.name, {"model": "m", "base_url": base_url, "key_env": "MY_KEY"}).model == "m"

    def test_all_errors_are_of_the_house(self, server: ModelServer) -> None:
        """Whatever bytes come, there is a reply or a failure of ours."""
        for body in (b"\xff\xfe", b"\x00", b"null", b'{"choices": [[]], "content": {}}', b'{"error": {"code": "x"}}'):
            server.answers = [Answer(body)]
            with pytest.raises(MemcliError):
                self.provider(server).reply(ASKED, PLENTY)

    def refusal(self, sentence: str) -> Any:
        """A refusal of the service with this sentence."""
        return json.loads(json.dumps(self.refused).replace("{}", json.dumps(sentence)[1:-1]))


__all__ = ["ASKED", "KEY", "PLENTY", "TALK", "TOOL", "Answer", "ModelServer", "ProviderSuite", "serving"]
