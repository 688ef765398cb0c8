"""Masking of secrets and personal data in one export: each value by a label such as `[email-1]`, the same one everywhere."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence

from memcli import secrets, settings
from memcli.errors import ConfigurationError
from memcli.model import Header, Record, ToolCall
from memcli.secrets import Found, Rule

SHORTEST, LONG, LONGEST = 6, 8, 512
"""Characters of a value that is looked for wherever it stands: a short one is too often something else. From LONG on also
in the middle of a word (`mysql -pX`)."""
KNOWN = 300
"""So many are looked for in every text; a chat with more of them is no chat but a list."""
_SECRET = frozenset(kind for kind in secrets.KINDS if secrets.is_secret(kind))


class Redactor:
    """Gives values their labels, numbered from 1 for each kind in the order in which they are met."""

    def __init__(self, more: Sequence[Rule] = ()) -> None:
        self.more = (*more, *_home())
        self.labels: dict[tuple[str, str], str] = {}
        self.counts: dict[str, int] = {}
        """How many different values of each kind were met."""
        self.known: dict[str, Found] = {}

    def learn(self, text: str) -> None:
        """Remember the passwords and keys in `text`: they are masked also where nothing says what they are (`mysql -pX`)."""
        for found in secrets.find(text, more=self.more, kinds=_SECRET):
            value = found.value
            odd = any(not char.isalpha() for char in value) and any(char.isalpha() for char in value)
            if odd and SHORTEST <= len(value) <= LONGEST and len(self.known) < KNOWN:
                self.known.setdefault(value, found)

    def text(self, text: str, *, cut: bool = False) -> str:
        """`text` with labels. `cut`: it is a title or a preview, which may end in half of a key."""
        return "".join(label or piece for piece, label in self.pieces(text, cut=cut))

    def pieces(self, text: str, *, cut: bool = False) -> list[tuple[str, str]]:
        """`text` in pieces, each with the label that is shown for it, "" for a piece that is shown as it is."""
        found: list[tuple[str, str]] = []
        place = 0
        for one in secrets.find(text, more=self.more, cut=cut):
            found += [(text[place : one.start], ""), (text[one.start : one.end], self._label(one))]
            place = one.end
        found.append((text[place:], ""))
        for value, one in self.known.items():
            if value in text:
                found = [part for piece in found for part in self._known_in(piece, one)]
        return [piece for piece in found if piece[0]]

    def record(self, record: Record) -> Record:
        """A record with every string of it masked; numbers stay."""
        text = self.text
        return Record(
            text(record.role),
            text(record.content),
            self.maybe(record.timestamp),
            text(record.id) if isinstance(record.id, str) else record.id,
            text(record.reasoning),
            tuple(ToolCall(self.maybe(call.id), text(call.name), text(call.arguments)) for call in record.calls),
            self.maybe(record.answers),
            self.maybe(record.name),
        )

    def header(self, header: Header) -> Header:
        """A header with every string of it masked."""
        return Header(*(None if value is None else self.text(value, cut=True) for value in header))

    def maybe(self, text: str | None) -> str | None:
        """`text` with labels, None for None."""
        return None if text is None else self.text(text)

    def _known_in(self, piece: tuple[str, str], known: Found) -> Iterator[tuple[str, str]]:
        text, label = piece
        place = 0
        if not label:
            for match in re.finditer(_alone(known.value), text):
                yield text[place : match.start()], ""
                yield match[0], self._label(known)
                place = match.end()
        yield text[place:], label

    def _label(self, found: Found) -> str:
        name = found.kind, found.value
        if name not in self.labels:
            self.counts[found.kind] = self.counts.get(found.kind, 0) + 1
            self.labels[name] = f"[{found.kind}-{self.counts[found.kind]}]"
        return self.labels[name]


def configured() -> tuple[Rule, ...]:
    """The rules of the user's configuration: `[redact] patterns = { "ticket" = "TICKET-[0-9]+" }`, kind -> regular expression.
    Raises ConfigurationError."""
    table = settings.configuration("redact")
    path = settings.config_file()
    unknown = ", ".join(sorted(set(table) - {"patterns"}))
    if unknown:
        raise ConfigurationError(f"[redact] in {path} has only patterns, not {unknown}.", path=path)
    patterns = table.get("patterns", {})
    if not isinstance(patterns, dict) or not all(isinstance(pattern, str) for pattern in patterns.values()):
        raise ConfigurationError(
            f"patterns of [redact] in {path} is no table of texts: kind = 'regular expression'.", path=path
        )
    try:
        return secrets.configured(patterns)
    except ValueError as error:
        raise ConfigurationError(f"[redact] in {path}: {error}.", path=path) from error


def _alone(value: str) -> str:
    """The pattern of a value; a short one must not be part of a longer word."""
    if len(value) >= LONG:
        return re.escape(value)
    return rf"(?<![^\W_]){re.escape(value)}(?![^\W_])"


def _home() -> tuple[Rule, ...]:
    """A rule for the user's own home where no rule would know it for one: /data/people/mei."""
    folder, name = os.path.split(settings.home().rstrip("/"))
    if not name or folder in ("", "/", "/home", "/Users"):
        return ()
    pattern = rf"{re.escape(folder)}/(?P<v>{re.escape(name)})(?![^/\s\"'`:,;)\]}}])"
    return (Rule("user", "a user's name", pattern, lambda match: match.span("v")),)
