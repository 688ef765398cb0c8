"""What a conversation came to, before its rows are put away: goal, decisions, facts, open points, each with its rows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple, cast

from memcli import secrets
from memcli.core.asking import gist, prompts
from memcli.core.asking.budget import Limits, Meter, unheard
from memcli.core.asking.extracting import ANSWER, once_more
from memcli.core.asking.judging import short
from memcli.core.asking.orders import is_order
from memcli.core.asking.points import DECISION, FACT, GOAL, KINDS, OPEN, Judged, Point, among, judge
from memcli.core.asking.sending import LEFT_OUT, clean, fence_for, fenced, masked, masker
from memcli.errors import ProviderFailed
from memcli.llm import Model, Reader, is_reader
from memcli.llm.offline.segments import CJK
from memcli.model import Batch, Entry, Message, Question, Record

ROW, PART = 300, 24_000
"""Characters of one row, and of all rows together, that a model gets at a time."""


class Summary(NamedTuple):
    """`text` are the points as they are read, "" where there are none. `through` is the last row that was read: what stands
    behind it is not in the summary, and must not be put away. The other fields are those of Extracted."""

    text: str
    points: tuple[Point, ...]
    through: int
    verified: bool
    notes: tuple[str, ...] = ()
    spent: int = 0
    rounds: int = 0
    prompt: str = ""


def summarise(provider: Reader | Model, rows: Sequence[tuple[int, Record]], limits: Limits | None = None) -> Summary:
    """The summary of rows, each with its number, in order. Reasoning is never read. Raises ProviderFailed when a model answered
    for none of them, OverBudget when it could not be asked."""
    last = rows[-1][0] if rows else 0
    if is_reader(provider):
        points, notes = _by_rules(provider, rows)
        return Summary(rendered(points), tuple(points), last, True, tuple(notes))
    if not any(record.content.strip() or record.calls for _, record in rows):
        return Summary("", (), last, True, prompt=prompts.PROMPT)
    return _Run(cast("Model", provider), rows, Meter(limits or Limits())).summary()


def rendered(points: Sequence[Point]) -> str:
    """The points under their titles, in the language that most of them are in, each with its rows."""
    chinese = sum(CJK.search(point.text) is not None for point in points) * 2 > len(points)
    lines: list[str] = []
    for kind in KINDS:
        of_kind = [point for point in points if point.kind == kind]
        if of_kind:
            lines.append(f"{_CHINESE[kind]}：" if chinese else f"{_ENGLISH[kind]}:")
            lines += [f"- {point.text}{_rows(point.rows, chinese)}" for point in of_kind]
    return "\n".join(lines)


def _by_rules(reader: Reader, rows: Sequence[tuple[int, Record]]) -> tuple[list[Point], list[str]]:
    said = [
        gist.Said(number, record.role, clean(record.content[:_LONGEST]))
        for number, record in rows
        if record.role in ("user", "assistant") and record.content.strip()
    ]
    points: list[Point] = []
    goal = gist.goal(said)
    if goal:
        points.append(Point(GOAL, goal.text, (goal.row,)))
    for item in reader.extract(Batch(tuple(_entries(said)))):
        kind = DECISION if item.category == "decision" else FACT
        points.append(Point(kind, item.text, tuple(sorted({one.cursor for one in item.sources})), item.layer))
    left = gist.open_points(said)
    points += [Point(OPEN, line.text, (line.row,)) for line in left[-_OPENS:]]
    notes = [f"Of {len(left):,} open points only the last {_OPENS} are told."] if len(left) > _OPENS else []
    return [point._replace(text=_without_secrets(point.text)) for point in points], notes


def _entries(said: Sequence[gist.Said]) -> Iterator[Entry]:
    """What was said as a journal has it: each turn of the person with the answer to it, under the number of its row."""
    content, row = "", 0
    for one in said:
        if one.role == "user" and content:
            yield Entry(row, content)
            content = ""
        row = row if content else one.row
        content += f"[{one.role}] {one.text}\n"
    if content:
        yield Entry(row, content)


def _without_secrets(text: str) -> str:
    """The text with a label for what opens something; what is about a person stays: this never leaves the machine."""
    pieces: list[str] = []
    place = 0
    for found in secrets.find(text, kinds=[kind for kind in secrets.KINDS if secrets.is_secret(kind)]):
        pieces += [text[place : found.start], f"[{found.kind}]"]
        place = found.end
    return "".join([*pieces, text[place:]])


class _Row(NamedTuple):
    number: int
    text: str
    held: bool


class _Run:
    """One conversation at one model, part by part."""

    def __init__(self, model: Model, rows: Sequence[tuple[int, Record]], meter: Meter) -> None:
        self.model, self.meter = model, meter
        cut = [(number, record.role, _words(record)[: 4 * ROW]) for number, record in rows]
        self.redactor = masker(text for _, _, text in cut)
        self.rows = [self._row(number, role, text) for number, role, text in cut]
        held = [row.number for row in self.rows if row.held]
        self.notes = [f"Not shown to the model, as orders to the memory: {_listed(held)}."] if held else []
        self.verified = True

    def summary(self) -> Summary:
        points: list[Point] = []
        through = 0
        for part in _parts(self.rows):
            try:
                found = self._part(part, points)
            except ProviderFailed as error:
                if not through:
                    raise
                self.verified = False
                self.notes.append(f"The summary ends at row {through}. {error.sentence}")
                break
            points = self._joined(points, found)
            through = part[-1].number
        return Summary(
            rendered(points),
            tuple(points),
            through,
            self.verified and all(point.verified for point in points),
            tuple(self.notes),
            self.meter.spent,
            self.meter.rounds,
            prompts.PROMPT,
        )

    def _row(self, number: int, role: str, text: str) -> _Row:
        held = is_order(text)
        shown = LEFT_OUT if held else masked(self.redactor, text)
        line = " ".join(shown.split())
        word = role if _ROLE.fullmatch(role) else "row"
        return _Row(number, f"{number} [{word}] {line if len(line) <= ROW else line[: ROW - 1] + '…'}", held)

    def _part(self, part: Sequence[_Row], points: Sequence[Point]) -> list[Point]:
        blocks = [("rows", "\n".join(row.text for row in part))]
        if points:
            blocks.insert(0, ("summary so far", rendered(points)[-4000:]))
        fence = fence_for(text for _, text in blocks)
        question = Question(
            (
                Message("system", prompts.SUMMARISE.replace("FENCE", fence)),
                Message("user", fenced(blocks, fence) + prompts.SUMMARISE_ASKED),
            ),
            most=ANSWER,
        )
        known = {row.number: row.text for row in self.rows if row.number <= part[-1].number}
        reply = self.meter.ask(self.model, question)
        first = judge(reply, known, self.redactor, fence)
        if not first.faults:
            return self._kept(first)
        try:
            again = self.meter.ask(self.model, once_more(question, reply, tuple(first.faults)))
            second = judge(again, known, self.redactor, fence)
        except ProviderFailed as error:
            if not first.points:
                raise
            self.verified = False
            self.notes.append(f"The answer had faults, and the model was not heard again: {unheard(error)}")
            return self._kept(first)
        if not second.formed and not first.points:
            raise ProviderFailed(
                f"The model {self.model.name} answered twice with nothing that can be read ({second.faults[0]}); "
                "nothing was changed.",
                spent=self.meter.spent,
                rounds=self.meter.rounds,
            )
        self.verified = self.verified and not second.faults
        kept = self._kept(second)
        return [*kept, *(one for one in first.points if one.verified and not among(one, kept))]

    def _kept(self, judged: Judged) -> list[Point]:
        self.notes += judged.gone
        return judged.points

    def _joined(self, points: list[Point], found: list[Point]) -> list[Point]:
        """The points so far and those of the next part; what was open and is not named again is told."""
        still = [point for point in points if point.kind != OPEN or among(point, found)]
        closed = [point for point in points if point not in still]
        self.notes += [f"No longer open, as the model has it: {short(point.text)}." for point in closed]
        return [*still, *(point for point in found if not among(point, still))]


def _words(record: Record) -> str:
    """What a row says, without its reasoning: of calls only what is called."""
    calls = ", ".join(dict.fromkeys(call.name for call in record.calls))
    return f"{record.content}\n(calls {calls})" if calls else record.content


def _parts(rows: Sequence[_Row]) -> Iterator[list[_Row]]:
    part: list[_Row] = []
    size = 0
    for row in rows:
        if part and size + len(row.text) > PART:
            yield part
            part, size = [], 0
        part.append(row)
        size += len(row.text) + 1
    if part:
        yield part


def _rows(rows: tuple[int, ...], chinese: bool) -> str:
    if not rows:
        return ""
    numbers = ", ".join(map(str, rows[:12])) + (" …" if len(rows) > 12 else "")
    if chinese:
        return f"（第 {numbers.replace(', ', '、')} 行）"
    return f" ({'row' if len(rows) == 1 else 'rows'} {numbers})"


def _listed(rows: Sequence[int]) -> str:
    more = f" and {len(rows) - 8} more" if len(rows) > 8 else ""
    return f"{'row' if len(rows) == 1 else 'rows'} {', '.join(map(str, rows[:8]))}{more}"


_LONGEST, _OPENS = 4000, 20
_ROLE = re.compile(r"[A-Za-z_-]{1,20}")
_ENGLISH = {GOAL: "Goal", DECISION: "Decisions", FACT: "Facts", OPEN: "Open points"}
_CHINESE = {GOAL: "目标", DECISION: "决定", FACT: "事实", OPEN: "待办"}
TITLES = {
    f"{title}{colon}": kind for titles, colon in ((_ENGLISH, ":"), (_CHINESE, "：")) for kind, title in titles.items()
}
"""The lines above the points of each kind in a text of `rendered`."""
