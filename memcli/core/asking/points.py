"""The points of a summary, and the guard around those that a model names."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from memcli.core.asking import answers, headings
from memcli.core.asking.judging import short
from memcli.core.asking.likeness import same
from memcli.core.asking.matching import holds, stated
from memcli.core.asking.orders import is_order
from memcli.core.asking.sending import clean, opens, secret_labels
from memcli.core.redacting import Redactor
from memcli.model import Reply

GOAL, DECISION, FACT, OPEN = KINDS = ("goal", "decision", "fact", "open")


class Point(NamedTuple):
    """One thing that a conversation came to: `kind` is one of KINDS, `layer` "user" or "project", `rows` where it comes from.
    `verified`: its rows have every value that it names."""

    kind: str
    text: str
    rows: tuple[int, ...]
    layer: str = "project"
    verified: bool = True


class Judged(NamedTuple):
    """An answer as it was understood: `faults` are clauses for the model, `gone` sentences for the user."""

    formed: bool
    points: list[Point]
    faults: list[str]
    gone: list[str]


def judge(reply: Reply, known: dict[int, str], redactor: Redactor, fence: str) -> Judged:
    """The points of an answer; `known` are the rows that it may name."""
    text = clean(reply.text)
    if not text.strip():
        return Judged(False, [], ["it is empty"], [])
    if headings.says_nothing(answers.unfenced(text)):
        return Judged(True, [], [], [])
    found = answers.listed(text, "text")
    if found is None:
        return Judged(False, [], ["it is no JSON list of points with a text"], [])
    judged = Judged(True, [], [], [])
    if found.torn or reply.cut or len(text) > answers.LONGEST:
        judged.faults.append("it breaks off, or is no valid JSON; only the whole points in it were read")
    for number, member in enumerate(found.members[:_MOST], 1):
        point, why, final = _point(member, known, secret_labels(redactor), fence)
        if why and not final:
            judged.faults.append(f"point {number}: {why}")
        if point is None:
            told = str(_of(member, "text"))
            judged.gone.append(f"Dropped, as {why}{'' if opens(told) else f': {short(told)}'}.")
        elif not among(point, judged.points):
            judged.points.append(point)
            if why:
                judged.gone.append(f"Kept unverified, as {why}: {short(point.text)}.")
    if len(found.members) > _MOST:
        judged.faults.append(f"it has {len(found.members):,} points, and only the first {_MOST} were read")
        judged.gone.append(f"Of {len(found.members):,} points only the first {_MOST} were read.")
    return judged


def among(point: Point, points: Iterable[Point]) -> bool:
    return any(point.kind == one.kind and same(point.text, one.text) for one in points)


def _point(value: Any, known: dict[int, str], labels: Iterable[str], fence: str) -> tuple[Point | None, str, bool]:
    """A point, why it is doubtful or none, and whether asking again is of no use."""
    text, kind, rows = _of(value, "text"), _of(value, "kind"), _of(value, "rows")
    if (
        not isinstance(text, str)
        or not text.strip(" -*#\n")
        or headings.says_nothing(text)
        or len(text) > _LONGEST
        or fence in text
    ):
        return None, f"it has no text of at most {_LONGEST} characters", False
    line = " ".join(text.split()).lstrip("-*# ")
    if is_order(line):
        return None, "it is an order to the memory", True
    if any(label in line for label in labels) or opens(line):
        return None, "it is about a secret", True
    named = [row for row in (rows if isinstance(rows, list) else [rows]) if isinstance(row, int) and row in known]
    numbers = tuple(sorted({row for row in named if not isinstance(row, bool)}))
    layer = headings.layer_of(_of(value, "layer")) or "project"
    word = kind.strip().casefold() if isinstance(kind, str) else ""
    said = " ".join(known[row] for row in numbers).casefold()
    strange = sorted(one for one in stated(line) if not holds(said, one))
    why = ""
    if not numbers:
        why = "it names no row that there is"
        if not stated(line) <= stated(" ".join(known.values())):
            return None, f"{why}, and no row says it", False
    elif strange:
        why = f"its rows do not say {', '.join(strange[:4])}"
    elif word not in KINDS:
        why = "its kind is none of goal, decision, fact and open"
    return Point(word if word in KINDS else FACT, line, numbers, layer, not why), why, False


def _of(value: Any, key: str) -> Any:
    return value.get(key) if isinstance(value, dict) else None


_MOST, _LONGEST = 100, 600
