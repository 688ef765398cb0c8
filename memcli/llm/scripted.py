"""The provider for tests: its answers stand in a file, one JSON object a line, and are given in order whatever is asked."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from typing import Any

from memcli.errors import ProviderFailed, UsageError
from memcli.llm.table import Table, wrong
from memcli.model import ModelCall, Question, Reply

TYPES: Mapping[str, type | tuple[type, ...]] = {
    "text": str,
    "calls": list,
    "fail": str,
    "sleep": (int, float),
    "cut": bool,
    "spent": int,
}
"""What a line may have: the answer, its tool calls ({"name", "arguments", "id"}), or the words of a failure; how many seconds it
takes; whether it was cut, and the tokens spent."""


class Scripted:
    """The provider `scripted`; `model` is the name in [llm], or "script"."""

    name = "scripted"

    def __init__(self, table: Mapping[str, Any]) -> None:
        """Raises ConfigurationError for a script that is none, UsageError where none is named."""
        values = Table(table)
        self.tools = values.flag("tools", True)
        self.model = values.text("model") or "script"
        path = values.path("script")
        if not path:
            raise UsageError("The provider scripted needs a file of answers: script in [llm].")
        self._lines = iter(_read(path))

    def reply(self, question: Question, seconds: float) -> Reply:
        """The next answer of the script. Raises ProviderFailed where that line says so, and at its end."""
        line = next(self._lines, None)
        if line is None:
            raise self._failed("the script has no more answers", "script")
        sleep = line.get("sleep", 0)
        time.sleep(min(sleep, seconds))
        if sleep > seconds:
            raise self._failed(f"it took longer than {seconds:.3g} s", "too-slow")
        if "fail" in line:
            raise self._failed(line["fail"], "script")
        calls = (_call(number, call) for number, call in enumerate(line.get("calls", []), 1))
        return Reply(line.get("text", ""), tuple(calls), line.get("cut", False), line.get("spent"))

    def _failed(self, why: str, kind: str) -> ProviderFailed:
        sentence = f"The script gave no answer: {why}. Nothing was changed."
        return ProviderFailed(sentence, provider=self.name, why=kind)


def _call(number: int, call: Mapping[str, Any]) -> ModelCall:
    arguments = call.get("arguments", {})
    text = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    return ModelCall(call.get("id", f"call_{number}"), call["name"], text)


def _read(path: str) -> list[dict[str, Any]]:
    try:
        with open(path, encoding="utf-8") as file:
            lines = [json.loads(line) for line in file if line.strip()]
    except (OSError, ValueError) as error:
        raise wrong("script", f"names a file that cannot be read as JSON lines ({error})") from error
    for number, line in enumerate(lines, 1):
        if not isinstance(line, dict) or not all(_fits(name, value) for name, value in line.items()):
            raise wrong("script", f"names a file whose answer {number} has an unknown or a wrong value")
    return lines


def _fits(name: str, value: object) -> bool:
    if name == "calls" and isinstance(value, list):
        return all(isinstance(call, dict) and isinstance(call.get("name"), str) for call in value)
    return name in TYPES and isinstance(value, TYPES[name])
