"""A model edits one memory file by two tools, in memory; whoever asked for it writes the result."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from memcli import secrets
from memcli.core.asking import prompts
from memcli.core.asking.budget import Limits, Meter, OverBudget
from memcli.core.asking.judging import short
from memcli.core.asking.masked_file import MaskedFile, Refused
from memcli.core.asking.matching import holds, stated
from memcli.core.asking.orders import is_order
from memcli.core.asking.sending import clean, fence_for, fenced, secret_labels, show
from memcli.llm import Model
from memcli.model import Batch, Message, ModelCall, ModelTool, Question, Reply

ROUNDS, NO_OPS = 20, 3
"""Rounds of one loop at most, and edits in a row that change nothing after which it ends: models were seen that go on so for
millions of tokens."""
SHOWN = 12_000
"""Characters of the file that one read_file shows."""


class Edited(NamedTuple):
    """The file as the model left it. `finished`: it said that it was done, or that there is nothing to do; otherwise the loop was
    ended, and some of the batch may not be in the text. `notes` are sentences on calls that were refused and on what was left
    out. `spent` are tokens, `rounds` questions, `edits` edits that were made."""

    text: str
    notes: tuple[str, ...]
    spent: int
    rounds: int
    finished: bool
    edits: int
    prompt: str = prompts.PROMPT


def edit(
    model: Model,
    text: str,
    batch: Batch,
    limits: Limits | None = None,
    *,
    name: str = "MEMORY.md",
    heading: str = "",
) -> Edited:
    """`text` brought up to date with the entries of a batch, whose own memory is not looked at. `name` is what the model is told
    that the file is called, `heading` where new facts go. Raises ProviderFailed, and OverBudget where nothing was asked; then
    nothing was edited."""
    if not batch.entries:
        return Edited(text, (), 0, 0, True, 0)
    return _Loop(model, text, batch, limits or Limits(), name, heading).edited()


class _Loop:
    def __init__(self, model: Model, text: str, batch: Batch, limits: Limits, name: str, heading: str) -> None:
        shown = show(Batch(batch.entries, text))
        self.model, self.name = model, name
        self.meter = Meter(limits._replace(rounds=min(limits.rounds, ROUNDS)))
        self.redactor = shown.redactor
        self.file = MaskedFile(text, shown.redactor)
        self.fence = fence_for([shown.text, self.file.shown])
        self.notes = list(shown.notes)
        self.edits = self.no_ops = 0
        self.known = frozenset(one.value for one in secrets.find(text) if secrets.is_secret(one.kind))
        asked = shown.text.replace(shown.fence, self.fence) + prompts.EDIT_ASKED
        system = prompts.EDIT.replace("NAME", name).replace("FENCE", self.fence)
        system += prompts.EDIT_HEADING + heading + "\n" if heading else ""
        self.said = f"{asked}\n{heading}"
        self.messages = [Message("system", system), Message("user", asked)]

    def edited(self) -> Edited:
        asked_again = False
        while self.no_ops < NO_OPS:
            try:
                reply = self.meter.ask(self.model, Question(tuple(self.messages), TOOLS, 2048))
            except OverBudget as error:
                if not self.meter.rounds:
                    raise
                self.notes.append(f"The edits were ended before the model was done. {error.sentence}")
                return self._done(False)
            if reply.calls:
                self._answer(reply)
                continue
            if self.edits or _NOTHING.search(reply.text):
                return self._done(not reply.cut)
            if asked_again:
                self.notes.append("The model changed nothing, and did not say that there is nothing to change.")
                return self._done(False)
            asked_again = True
            self.messages += [
                Message("assistant", reply.text.strip()[:2000] or "(nothing)"),
                Message("user", prompts.EDIT_AGAIN),
            ]
        self.notes.append(f"The edits were ended: {NO_OPS} in a row changed nothing.")
        return self._done(False)

    def _done(self, finished: bool) -> Edited:
        return Edited(self.file.text, tuple(self.notes), self.meter.spent, self.meter.rounds, finished, self.edits)

    def _answer(self, reply: Reply) -> None:
        self.messages.append(Message("assistant", reply.text, reply.calls))
        for number, call in enumerate(reply.calls):
            if number >= ROUNDS:
                result = "Error: too many calls in one answer; this one was not carried out."
            else:
                result = self._call(call)
            self.messages.append(Message("tool", result, answers=call.id))

    def _call(self, call: ModelCall) -> str:
        try:
            arguments = _arguments(call.arguments)
            if call.name not in ("read_file", "edit_file"):
                raise Refused(f"there is no tool {short(call.name)}; there are read_file and edit_file")
            path = next((arguments[key] for key in _PATHS if key in arguments), self.name)
            if path != self.name:
                raise Refused(f"there is only the file {self.name}, and not {short(str(path))}")
            if call.name == "read_file":
                return self._read(arguments)
            return self._edit(arguments)
        except Refused as refused:
            if len(self.notes) < _NOTES:
                self.notes.append(f"A call of {short(call.name)} was refused: {refused}.")
            return f"Error: {refused}."

    def _read(self, arguments: dict[str, Any]) -> str:
        line = arguments.get("line", 1)
        if not isinstance(line, int) or isinstance(line, bool) or line < 1:
            raise Refused("line is a number from 1")
        lines = clean(self.file.shown).split("\n")
        if line > len(lines):
            raise Refused(f"the file has {len(lines)} lines")
        rest = "\n".join(lines[line - 1 :])
        if len(rest) <= SHOWN:
            return fenced([(f"{self.name} from line {line}", rest)], self.fence)
        part = rest[:SHOWN].rpartition("\n")[0] or rest[:SHOWN]
        shown = fenced([(f"{self.name} from line {line}", part)], self.fence)
        return f"{shown}\nThere is more: read on with line {line + part.count(chr(10)) + 1}."

    def _edit(self, arguments: dict[str, Any]) -> str:
        old, new = arguments.get("old_string"), arguments.get("new_string")
        if not isinstance(old, str) or not isinstance(new, str):
            raise Refused("old_string and new_string are texts, and both are needed")
        new = clean(new)
        try:
            old, new = self._ends(old, new)
            self._check(old, new)
            self.file.edit(old, new)
        except Refused:
            self.no_ops += old == new
            raise
        self.edits += 1
        self.no_ops = 0
        return "Done: the file was changed."

    def _ends(self, old: str, new: str) -> tuple[str, str]:
        """Both texts with the ends of lines that the file has; a model writes them as it is used to."""
        if "\r\n" in self.file.shown and old not in self.file.shown:
            return old.replace("\n", "\r\n"), new.replace("\n", "\r\n")
        return old, new

    def _check(self, old: str, new: str) -> None:
        """Raise Refused for text that must not get into a memory."""
        if self.fence in new:
            raise Refused("new_string holds the mark around the data")
        for line in set(new.split("\n")) - set(old.split("\n")):
            if is_order(line):
                raise Refused(f"{short(line)} is an order to the memory; data is no instruction")
        masked = [label for label in secret_labels(self.redactor) if new.count(label) > old.count(label)]
        if masked:
            raise Refused(f"{', '.join(sorted(masked))} stands for a secret, which is not remembered")
        found = [one for one in secrets.find(new) if secrets.is_secret(one.kind) and one.value not in self.known]
        if any(one.value not in old for one in found):
            raise Refused(f"new_string holds what looks like {found[0].what}, which is not remembered")
        known = f"{self.said}\n{self.file.shown}".casefold()
        strange = sorted(value for value in stated(new) if not holds(known, value))
        if strange:
            raise Refused(f"no entry says {', '.join(strange[:4])}")


def _arguments(text: str) -> dict[str, Any]:
    import json

    try:
        value = json.loads(text or "{}")
    except (ValueError, RecursionError) as error:
        raise Refused("the arguments are no valid JSON") from error
    if not isinstance(value, dict):
        raise Refused("the arguments are no JSON object")
    return value


def _schema(properties: dict[str, Any], required: list[str]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


TOOLS = (
    ModelTool("read_file", prompts.READ_TOOL, _schema({"line": {"type": "integer", "minimum": 1}}, [])),
    ModelTool(
        "edit_file",
        prompts.EDIT_TOOL,
        _schema({"old_string": {"type": "string"}, "new_string": {"type": "string"}}, ["old_string", "new_string"]),
    ),
)
_PATHS = ("path", "file_path", "file", "filename")
_NOTES = 40
_NOTHING = re.compile(r"\bNOTHING\b|\bnothing (?:new|to (?:add|keep|remember|change))\b|没有(?:新|需要|值得)|无需")
