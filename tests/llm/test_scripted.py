"""The provider for tests gives what its script says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from memcli import llm
from memcli.errors import ConfigurationError, ProviderFailed, UsageError
from memcli.model import Message, ModelCall, Question, Reply

ASKED = Question((Message("user", "?"),))


def model(folder: Path, *lines: Any, **table: Any) -> llm.Model:
    path = folder / "script.jsonl"
    path.write_text("\n".join(json.dumps(line) for line in lines) + "\n\n", encoding="utf-8")
    found = llm.load("scripted", {"script": str(path), **table})
    assert not llm.is_reader(found)
    return found


def test_answers_in_order(tmp_path: Path) -> None:
    calls = [{"name": "f", "arguments": {"a": "甲"}}, {"name": "g", "arguments": "{broken", "id": "x"}, {"name": "h"}]
    provider = model(
        tmp_path, {"text": "one", "spent": 5}, {"calls": calls, "cut": True}, {"fail": "it rains"}, {"sleep": 0.01}
    )
    assert (provider.name, provider.model, provider.tools) == ("scripted", "script", True)
    assert provider.reply(ASKED, 9) == Reply("one", spent=5)
    made = (ModelCall("call_1", "f", '{"a": "甲"}'), ModelCall("x", "g", "{broken"), ModelCall("call_3", "h", "{}"))
    assert provider.reply(ASKED, 9) == Reply("", made, cut=True)
    with pytest.raises(ProviderFailed, match=r"The script gave no answer: it rains\. Nothing was changed\."):
        provider.reply(ASKED, 9)
    assert provider.reply(ASKED, 9) == Reply("")
    with pytest.raises(ProviderFailed, match="the script has no more answers"):
        provider.reply(ASKED, 9)


def test_it_can_be_too_slow(tmp_path: Path) -> None:
    with pytest.raises(ProviderFailed, match=r"it took longer than 0\.01 s") as caught:
        model(tmp_path, {"text": "late", "sleep": 600}).reply(ASKED, 0.01)
    assert caught.value.facts["why"] == "too-slow"


def test_names_and_tools(tmp_path: Path) -> None:
    provider = model(tmp_path, model="tiny", tools=False)
    assert (provider.model, provider.tools) == ("tiny", False)


@pytest.mark.parametrize(
    "line", [7, {"txt": "x"}, {"text": 7}, {"calls": {}}, {"calls": [{"id": "x"}]}, {"calls": ["x"]}, {"sleep": "1"}]
)
def test_a_script_that_is_none(tmp_path: Path, line: Any) -> None:
    with pytest.raises(ConfigurationError, match=r"script .*whose answer 2 has an unknown or a wrong value"):
        model(tmp_path, {"text": "fine"}, line)


def test_a_script_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="needs a file of answers"):
        llm.load("scripted", {})
    (tmp_path / "odd").write_text("{")
    for path in (tmp_path / "odd", tmp_path / "none"):
        with pytest.raises(ConfigurationError, match="cannot be read as JSON lines"):
            llm.load("scripted", {"script": str(path)})
