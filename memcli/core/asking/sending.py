"""What a model gets to see: entries and memory masked, cut, and fenced with marks that nothing in them can hold."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from memcli import secrets
from memcli.core.asking.orders import turns
from memcli.core.redacting import Redactor, configured
from memcli.model import Batch

ENTRY, MEMORY = 1000, 3000
"""Characters of one entry and of the memory that are shown."""
LEFT_OUT = "(left out: it gives orders to whoever reads it)"


class Shown(NamedTuple):
    """A batch as a model sees it. `entries` are cursor -> the texts under it (one, in a sound journal), `held` cursor -> the
    turns of it that were left out, `times` cursor -> when. `memory` is all of it, masked. `text` is the fenced message,
    `fence` what its marks hold. `notes` are sentences on what was left out."""

    entries: Mapping[int, tuple[str, ...]]
    held: Mapping[int, tuple[str, ...]]
    times: Mapping[int, str]
    memory: str
    text: str
    fence: str
    notes: tuple[str, ...]
    redactor: Redactor

    @property
    def secret_labels(self) -> frozenset[str]:
        """The labels that stand for something that opens something."""
        return secret_labels(self.redactor)


def show(batch: Batch) -> Shown:
    """The batch as it may be sent. Raises ConfigurationError for [redact] in the configuration."""
    redactor = masker([batch.memory, *(entry.content for entry in batch.entries)])
    entries: dict[int, tuple[str, ...]] = {}
    held: dict[int, tuple[str, ...]] = {}
    times: dict[int, str] = {}
    cut: list[int] = []
    blocks: list[tuple[str, str]] = []
    for entry in batch.entries:
        kept, left = _without_orders(entry.content)
        text = masked(redactor, kept)
        if len(text) > ENTRY:
            text = text[:ENTRY]
            cut.append(entry.cursor)
        if left:
            held[entry.cursor] = (*held.get(entry.cursor, ()), *(masked(redactor, turn) for turn in left))
        at = entry.at if _TIME.fullmatch(entry.at) else ""
        entries[entry.cursor] = (*entries.get(entry.cursor, ()), text)
        times[entry.cursor] = f"{times.get(entry.cursor, '')} {at}".strip()
        blocks.append((f"entry {entry.cursor}{f' {at}' if at else ''}", text))
    memory = masked(redactor, batch.memory)
    known = excerpt(memory, MEMORY)
    if known.strip():
        blocks.insert(0, ("memory", known))
    fence = fence_for(text for _, text in blocks)
    notes = []
    if held:
        notes.append(f"Not shown to the model, as orders to the memory: parts of {_entries(held)}.")
    if cut:
        notes.append(f"Shown to the model up to {ENTRY:,} characters: {_entries(cut)}.")
    return Shown(entries, held, times, memory, fenced(blocks, fence), fence, tuple(notes), redactor)


def masker(texts: Iterable[str]) -> Redactor:
    """Labels for what is secret or personal in these texts, the same one for the same value in all of them; none is one that
    stands in the texts already."""
    redactor = Redactor(configured())
    for text in texts:
        redactor.learn(clean(text))
        for kind, number in _LABEL.findall(text):
            redactor.counts[kind] = max(redactor.counts.get(kind, 0), int(number))
    return redactor


def masked(redactor: Redactor, text: str) -> str:
    """The text as it may be sent: with labels, where it ends also for half of a key, and without characters that are not seen."""
    head, line, last = redactor.text(clean(text)).rpartition("\n")
    return head + line + redactor.text(last, cut=True)


def secret_labels(redactor: Redactor) -> frozenset[str]:
    """The labels given so far that stand for something that opens something."""
    return frozenset(label for (kind, _), label in redactor.labels.items() if secrets.is_secret(kind))


def opens(text: str) -> bool:
    """Whether a text holds what opens something, however it came there."""
    return any(secrets.is_secret(found.kind) for found in secrets.find(text))


def clean(text: str) -> str:
    """The text without what no model must get: lone surrogates, control characters, letters that are not seen and can hide words,
    marks that turn the direction of writing."""
    return _UNSEEN.sub("", _BROKEN.sub("\ufffd", text))


def fence_for(texts: Iterable[str]) -> str:
    """A word that stands in none of the texts, and that nobody who wrote one of them could have known."""
    from hashlib import sha256

    every = "\0".join(texts)
    word = sha256(every.encode("utf-8", "surrogatepass")).hexdigest()[:20]
    while word in every:
        word = sha256(word.encode()).hexdigest()[:20]
    return word


def fenced(blocks: Sequence[tuple[str, str]], fence: str) -> str:
    """Named texts, each between two lines that hold the fence."""
    return "\n\n".join(f"=== {fence} {name} ===\n{text}\n=== {fence} end ===" for name, text in blocks)


def excerpt(text: str, most: int) -> str:
    """At most so many characters: the beginning, where the headings are, and twice as much of the end, where the newest is."""
    if len(text) <= most:
        return text
    gap = "\n[...]\n"
    first = most // 3
    head = text[:first]
    tail = text[-(most - first - len(gap)) :]
    return (head.rpartition("\n")[0] or head) + gap + (tail.partition("\n")[2] or tail)


def _without_orders(content: str) -> tuple[str, list[str]]:
    """An entry with the turns in which somebody gives orders left out, and these turns."""
    found = turns(content)
    left = [turn.text for turn in found if turn.order]
    if not left:
        return content, []
    return "".join(f"{turn.mark}{LEFT_OUT}\n" if turn.order else turn.mark + turn.text for turn in found), left


def _entries(cursors: Iterable[int]) -> str:
    numbers = list(dict.fromkeys(cursors))
    more = f" and {len(numbers) - 8} more" if len(numbers) > 8 else ""
    return f"{'entry' if len(numbers) == 1 else 'entries'} {', '.join(map(str, numbers[:8]))}{more}"


_TIME = re.compile(r"[0-9T:.Z+ -]{1,40}")
_LABEL = re.compile(r"\[([\w-]{1,32})-(\d{1,6})\]")
_BROKEN = re.compile("[\ud800-\udfff]")
_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f]"
)
