"""Which of the loaded messages reach the model: Session.get_history over one small fact a message."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from memcli.formats.nanobot.eras import Rules

USER, ASSISTANT, TOOL, OTHER, ROLELESS = range(5)
DELIVERY, COMMAND, SILENT, UNREPLAYABLE = 8, 16, 32, 64


class Replay(NamedTuple):
    """What the next turn sends: `sent` of the loaded messages.

    `offset` messages lie before the archive offset; then `leading` come before the first user message,
    then `unpaired` are cut off because the tool result at place `orphan` answers no call. `breaking` is
    the place of the first message (0: none) that makes building the replay fail, every turn anew.
    """

    sent: int
    offset: int
    leading: int
    unpaired: int
    orphan: int
    breaking: int


class Messages:
    """The facts about the messages loaded so far: one byte each, and the ids of tool calls and results."""

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self._facts = bytearray()
        self._ids: dict[int, tuple[int, tuple[str, ...]]] = {}  # message -> its place, its call or result ids
        self._odd: dict[int, int] = {}  # messages that can make a turn fail -> their places

    def __len__(self) -> int:
        return len(self._facts)

    def add(self, message: dict[str, Any], place: int) -> None:
        """Take the next message, read from `place` (see Loading)."""
        number = len(self._facts)
        fact = self._role(message)
        calls = message.get("tool_calls")
        if fact == ASSISTANT:
            if calls and self._rules.pairs:
                ids = _call_ids(calls)
                if ids is None:
                    fact |= UNREPLAYABLE
                elif ids:
                    self._ids[number] = place, ids
            if self._rules.flags and _is_silent(message):
                fact |= SILENT
        elif fact == TOOL:
            answered = message.get("tool_call_id")
            if answered and self._rules.pairs:
                self._ids[number] = place, (str(answered),)
        if self._rules.flags:
            fact |= DELIVERY if message.get("_channel_delivery") else 0
            fact |= COMMAND if message.get("_command") else 0
        if fact & 7 == ROLELESS or fact & UNREPLAYABLE:
            self._odd[number] = place
        self._facts.append(fact)

    def replay(self, offset: int) -> Replay:
        """What get_history gives for an archive offset; negative ones count from the end (0.1.4 did not
        check)."""
        facts = self._facts
        total = len(facts)
        begin = range(total)[slice(offset, None)].start
        start = begin
        if self._rules.pairs:
            user = next((n for n in range(begin, total) if facts[n] & 7 == USER), None)
            if user is not None:
                start = user - 1 if user > begin and facts[user - 1] & DELIVERY else user
        legal, orphan = self._legal_start(start)
        kept = range(legal, total)
        sent = sum(not facts[n] & (COMMAND | SILENT) for n in kept)
        breaking = next((place for n, place in self._odd.items() if self._breaks(n, start, legal)), 0)
        return Replay(sent, begin, start - begin, legal - start, orphan, breaking)

    def unsent(self, start: int) -> Iterator[int]:
        """The messages from `start` on that a replay leaves out one by one."""
        return (n for n in range(start, len(self._facts)) if self._facts[n] & (COMMAND | SILENT))

    def _role(self, message: dict[str, Any]) -> int:
        if "role" not in message or (not self._rules.pairs and "content" not in message):
            return ROLELESS
        role = message["role"]
        return _ROLES.get(role, OTHER) if isinstance(role, str) else OTHER

    def _legal_start(self, start: int) -> tuple[int, int]:
        """find_legal_message_start: the message behind the last tool result without its call, and that
        one's place."""
        declared: set[str] = set()
        legal, orphan = start, 0
        for number, (place, ids) in self._ids.items():
            if number < start:
                continue
            if self._facts[number] & 7 == ASSISTANT:
                declared.update(ids)
            elif ids[0] not in declared:
                legal, orphan = number + 1, place
                declared.clear()
        return legal, orphan

    def _breaks(self, number: int, start: int, legal: int) -> bool:
        """Unreadable calls fail while pairs are looked for, a missing role when the message is copied."""
        fact = self._facts[number]
        if fact & UNREPLAYABLE:
            return number >= start
        return number >= legal and not fact & COMMAND


_ROLES = {"user": USER, "assistant": ASSISTANT, "tool": TOOL}


def _call_ids(calls: Any) -> tuple[str, ...] | None:
    """The ids that an assistant message declares; None when nanobot cannot even walk its tool_calls."""
    if not isinstance(calls, list | dict | str):
        return None
    return tuple(str(call["id"]) for call in calls if isinstance(call, dict) and call.get("id"))


def _is_silent(message: dict[str, Any]) -> bool:
    """An assistant message without text, calls and reasoning is not replayed."""
    content = message.get("content", "")
    return isinstance(content, str) and not content.strip() and _WORDLESS.isdisjoint(message)


_WORDLESS = frozenset({"tool_calls", "reasoning_content", "thinking_blocks"})
