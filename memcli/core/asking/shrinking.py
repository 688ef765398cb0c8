"""A memory text that has grown too large, made shorter without losing a fact: by rules, or by a model part for part."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple, cast

from memcli.core.asking import answers, prompts
from memcli.core.asking.budget import Limits, Meter, OverBudget, estimate
from memcli.core.asking.extracting import once_more
from memcli.core.asking.judging import short
from memcli.core.asking.likeness import plain
from memcli.core.asking.matching import holds, stated
from memcli.core.asking.orders import is_order
from memcli.core.asking.sending import clean, fence_for, fenced, masker
from memcli.core.asking.thinning import Thinned, thin
from memcli.errors import ProviderFailed
from memcli.llm import Model, Reader, is_reader
from memcli.llm.offline.wording import share, words
from memcli.model import Message, Question, Reply

PART = 6000
"""Characters of a memory that a model gets at a time."""


class Shrunk(NamedTuple):
    """A shorter text. `conflicts` are pairs of lines that contradict each other and both stand in it as far as a rule can tell.
    `vanished` are numbers, paths, names, headings and lines of the old text, masked, that are not in the new one; a person must
    look. `verified` tells that there are none, and that no part was left as it was. `notes` are sentences on all of it."""

    text: str
    notes: tuple[str, ...]
    conflicts: tuple[tuple[str, str], ...]
    vanished: tuple[str, ...]
    verified: bool
    spent: int
    rounds: int
    prompt: str


def consolidate(provider: Reader | Model, text: str, limits: Limits | None = None) -> Shrunk:
    """A memory text merged and shrunk; rules go first, a model after them. Raises ProviderFailed when a model did not answer for
    any part of it, OverBudget when it could not be asked."""
    thinned = thin(text)
    notes = _told(thinned, masker([text]).text)
    if is_reader(provider) or not thinned.text.strip():
        return Shrunk(thinned.text, tuple(notes), thinned.conflicts, (), True, 0, 0, "")
    run = _Run(cast("Model", provider), thinned.text, Meter(limits or Limits()))
    shrunk = run.shrunk()
    vanished = tuple(dict.fromkeys(run.vanished))
    if vanished:
        run.notes.append(f"Not in the new text any more: {', '.join(map(short, vanished[:20]))}.")
    return Shrunk(
        shrunk,
        (*notes, *run.notes),
        thinned.conflicts,
        vanished,
        not vanished and not run.left,
        run.meter.spent,
        run.meter.rounds,
        prompts.PROMPT,
    )


def _told(thinned: Thinned, masked: Callable[[str], str]) -> list[str]:
    """What the rules did, in sentences."""

    def pair(one: str, other: str, word: str) -> str:
        return f"{short(masked(one))}{word}{short(masked(other))}."

    return [
        *(f"Merged into {pair(kept, dropped, ': ')}" for kept, dropped in thinned.merged),
        *(f"A section with nothing in it went: {short(masked(title))}." for title in thinned.emptied),
        *(f"Perhaps the same, and both kept: {pair(one, other, ' and ')}" for one, other in thinned.close),
        *(f"Different values, and both kept: {pair(one, other, ' and ')}" for one, other in thinned.conflicts),
    ]


def lost(old: str, new: str) -> list[str]:
    """What of the old text is not in the new one: values and names, headings without a date, then lines of whose words less than
    half are."""
    folded = new.casefold()
    titles = [line.strip(" #\r") for line in old.split("\n") if line.startswith("#")]
    headings = [title for title in titles if not re.search(r"\d", title) and title.casefold() not in folded]
    values = [value for value in sorted(stated(_facts(old)) | _names(old)) if not holds(folded, value.casefold())]
    every = words(new)
    lines = [
        line.strip()
        for line in _facts(old).split("\n")
        if words(line)
        and share(words(line), every) < 0.5
        and not any(value.casefold() in line.casefold() for value in values)
    ]
    return [*values, *headings, *lines]


class _Run:
    """One text at one model."""

    def __init__(self, model: Model, text: str, meter: Meter) -> None:
        self.model, self.meter = model, meter
        self.redactor = masker([text])
        self.whole = text
        self.notes: list[str] = []
        self.vanished: list[str] = []
        self.left = 0
        self.done = 0

    def shrunk(self) -> str:
        made = []
        stopped = ""
        for part in parts(self.whole, PART):
            if stopped or not words(part):
                made.append(part)
                self.left += bool(stopped)
                continue
            try:
                made.append(self._part(part))
                self.done += 1
            except ProviderFailed as error:
                if not self.done:
                    raise
                stopped = error.sentence
                made.append(part)
                self.left += 1
        if stopped:
            self.notes.append(f"{self.left} parts of the text were left as they are. {stopped}")
        return "".join(made)

    def _part(self, part: str) -> str:
        body = part.strip("\r\n")
        pieces = self.redactor.pieces(body)
        shown = "".join(label or piece for piece, label in pieces)
        values = {label: piece for piece, label in reversed(pieces) if label}
        fence = fence_for([shown])
        question = Question(
            (
                Message("system", prompts.SHRINK.replace("FENCE", fence)),
                Message("user", fenced([("part", clean(shown))], fence) + prompts.SHRINK_ASKED),
            ),
            most=estimate(shown) + 256,
        )
        reply = self.meter.ask(self.model, question)
        best = self._judged(shown, reply, fence)
        if best.faults:
            second = self._second(question, reply, best.faults, lambda again: self._judged(shown, again, fence))
            if second and not second.bad and (best.bad or len(second.faults) <= len(best.faults)):
                best = second
        if best.bad:
            self.left += 1
            self.notes.append(f"A part was left as it is, as {best.bad}: {short(shown)}.")
            return part
        self.vanished += best.lost
        new = best.text.replace("\n", "\r\n") if "\r\n" in body else best.text
        return part.replace(body, _restored(new, values), 1)

    def _second(
        self, question: Question, reply: Reply, faults: tuple[str, ...], judged: Callable[[Reply], _Judged]
    ) -> _Judged | None:
        try:
            return judged(self.meter.ask(self.model, once_more(question, reply, faults)))
        except OverBudget:
            return None
        except ProviderFailed as error:
            self.notes.append(f"The model was not heard again: {error.sentence}")
            return None

    def _judged(self, old: str, reply: Reply, fence: str) -> _Judged:
        new = answers.unfenced(clean(reply.text[: 2 * len(old) + 1000]).strip())
        new = "\n".join(line for line in new.split("\n") if fence not in line).strip("\n")
        bad = ""
        strange = sorted(value for value in stated(new) if not holds(old.casefold(), value))
        orders = [line for line in new.split("\n") if is_order(line) and line not in old]
        if not new.strip():
            bad = "the answer is empty"
        elif reply.cut:
            bad = "the answer breaks off"
        elif len(new) > len(old):
            bad = "the answer is longer than what it is to replace"
        elif strange:
            bad = f"the answer has what the text does not: {', '.join(strange[:6])}"
        elif orders:
            bad = f"the answer gives orders: {short(orders[0])}"
        if bad:
            return _Judged(new, bad, (bad,), ())
        gone = lost(old, new)
        return _Judged(new, "", tuple(f"it has lost {short(value)}" for value in gone), tuple(gone))


class _Judged(NamedTuple):
    """A shorter part: `bad` is why it cannot be taken, "" where it can; `lost` what is not in it any more."""

    text: str
    bad: str
    faults: tuple[str, ...]
    lost: tuple[str, ...]


def parts(text: str, most: int) -> list[str]:
    """The text in pieces of about so many characters that begin at headings, or else at lines; together they are the text."""
    made: list[str] = []
    for section in re.split(r"(?m)^(?=#{1,6}[ \t])", text):
        for piece in _halves(section, most):
            if made and len(made[-1]) + len(piece) <= most:
                made[-1] += piece
            else:
                made.append(piece)
    return made


def _halves(text: str, most: int) -> list[str]:
    made = []
    while len(text) > most:
        cut = text.rfind("\n", 0, most) + 1 or text.find("\n", most) + 1 or len(text)
        made.append(text[:cut])
        text = text[cut:]
    return [*made, text] if text else made


def _restored(text: str, values: dict[str, str]) -> str:
    """The text with what its labels stand for: values of the same file, which go back to where they came from."""
    for label, value in values.items():
        text = text.replace(label, value)
    return text


def _facts(text: str) -> str:
    """The text without its headings: dates in them go when blocks are joined."""
    return "\n".join(line for line in text.split("\n") if not line.lstrip().startswith("#"))


def _names(text: str) -> frozenset[str]:
    """Names in the facts: in backquotes or quotation marks, with a capital inside a sentence, in capitals, Latin ones in Chinese,
    and labels of what is masked."""
    found = {match[0].strip('`“”"「」 ') for match in _NAME.finditer(_facts(text))}
    return frozenset(name for name in found if len(plain(name)) > 1)


_NAME = re.compile(
    r"`[^`\n]{1,60}`|“[^”\n]{1,40}”|\"[^\"\n]{1,40}\"|「[^」\n]{1,40}」|\[[\w-]{1,32}-\d{1,6}\]"
    r"|\b[a-z]+[A-Z]\w*\b|\b[A-Z]{2,}\w*\b|(?<=[a-z,，] )[A-Z][a-z]+\w*"
    r"|[A-Za-z][\w.+#-]*(?=[\u3400-\u9fff])|(?<=[\u3400-\u9fff])\s?[A-Za-z][\w.+#-]*"
)
