"""Whether a statement is worth keeping, and as what."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from memcli.llm.offline.signals import Signals


class Reading(NamedTuple):
    """What a statement is taken for; `score` grows with what speaks for keeping it."""

    layer: str
    category: str
    score: float


NEEDED = 2.9
"""What a statement and the reply to it must come to."""


def read(own: Signals, turn: Signals, answer: Signals, ordered: bool, echoed: bool) -> Reading | None:
    """`own` is the statement, `turn` all that was said with it, `answer` the beginning of the reply to it; `ordered`: the
    turn also asks for something, which a report of work done is then about; `echoed`: the reply says it again."""
    best = first(own, turn, answer)
    if best is None:
        return None
    score = best.score + 0.3 * own.lasting + 1.0 * turn.told - 1.0 * own.jest
    score += 0.4 * (answer.promise or answer.noted) + 0.2 * answer.noted
    if not answer.report:
        score += 0.4 * echoed
    elif not ordered:
        score -= 0.9
    return best._replace(score=score) if score >= NEEDED else None


def first(own: Signals, turn: Signals, answer: Signals) -> Reading | None:
    """The likeliest reading of a statement by itself."""
    found = _readings(own, turn, answer)
    best = max(found, key=lambda reading: reading.score, default=None)
    return best and best._replace(category=_category(best, found, own))


def _category(best: Reading, found: list[Reading], own: Signals) -> str:
    """What a statement is that several categories claim: what people came to together is a decision, a like is a preference;
    how or where something is, and how much it may be, is a fact, although it was decided once."""
    if best.category == "fact" and own.liking and not own.self_fact:
        return "preference"
    if best.layer == "user":
        return best.category
    if best.category == "pattern" or (best.category == "preference" and not own.liking):
        return "decision" if own.agreed else best.category
    if best.category == "preference" or not any(reading.category == "decision" for reading in found):
        return best.category
    if own.agreed:
        return "decision"
    if own.place or own.state or (own.limited and not (own.decided or own.habit)):
        return "fact"
    return "decision" if own.decided or own.habit or own.acts or not own.strong else best.category


def _readings(own: Signals, turn: Signals, answer: Signals) -> list[Reading]:
    ours = own.project and not (own.across or own.mine)
    layer = "user" if (own.speaker or own.mine) and not ours else "project"
    lasting = own.lasting or own.across or turn.across
    found = [*_patterns(own, layer, ours), *_preferences(own, turn, answer, lasting, ours)]
    if own.self_choice:
        found.append(Reading("project" if ours else "user", "decision", 3.4 + lasting))
    if own.self_fact:
        wanted = own.across or (own.lasting and own.addressing)
        score = 3.0 + 0.4 * own.across - 0.6 * own.passes
        found.append(Reading("user", "preference" if wanted else "fact", score))
    return [*found, *_decisions(own, turn, layer), *_facts(own, layer)]


def _patterns(own: Signals, layer: str, ours: bool) -> Iterator[Reading]:
    """What happens again and again: to the code, or what the speaker does."""
    if own.recurring and (own.trouble or own.event) and not own.bidding and not (own.manner and own.you):
        code = own.seen or (own.trouble and not own.self_habit)
        yield Reading("project" if code else layer, "pattern", 3.4 + 0.5 * own.project)
    mine = own.recurring and own.speaker and not (ours or own.seen or own.self_fact or own.trouble)
    if (own.self_habit or mine) and not own.instructs:
        yield Reading("user", "pattern", 3.6)


def _preferences(own: Signals, turn: Signals, answer: Signals, lasting: bool, ours: bool) -> Iterator[Reading]:
    """How somebody likes it: the speaker wherever it is, or people of the project."""
    layer = "project" if ours else "user"
    if own.liking:
        theirs = own.others and not (own.myself or own.across)
        held = lasting or own.style or own.manner or own.value or own.project or answer.promise
        score = (3.2 if held else 2.4) + own.across + 0.3 * own.style + 0.4 * own.addressing
        yield Reading("project" if theirs else layer, "preference", score)
    if own.manner:
        asked = own.addressing or (own.myself and not ours)
        yield Reading(layer, "preference", 2.1 + own.across + 0.8 * lasting + 0.5 * asked + 0.5 * own.style)
    if own.style and (lasting or answer.lasting or turn.told):
        yield Reading(layer, "preference", 3.0 + own.across + 0.3 * own.myself + 0.4 * own.addressing)
    elif own.style and answer.promise and own.you and (own.value or own.speaker):
        yield Reading(layer, "preference", 2.4)
    if own.across and own.order and own.you:
        yield Reading("user", "preference", 3.2)


def _decisions(own: Signals, turn: Signals, layer: str) -> Iterator[Reading]:
    """What was chosen, and rules that people gave themselves; of one person alone a rule is how they like it."""
    if turn.announces:
        yield Reading(layer, "decision", 3.0)
    chosen = own.decided and (layer == "project" or own.self_choice) and (own.project or not own.manner)
    if own.agreed or chosen:
        yield Reading(layer, "decision", 3.3 + 0.2 * own.lasting)
    elif own.decided:
        yield Reading(layer, "preference", 2.6 + 0.2 * own.lasting)
    ruled = "preference" if layer == "user" else "decision"
    if own.norm and (own.project or own.value or own.fact or own.lasting or own.rule):
        bare = not (own.project or own.must or (own.fact and own.value))
        yield Reading(layer, ruled, 2.3 - 0.3 * bare + 0.2 * own.value + 0.3 * own.project + 0.3 * own.rule)
    elif own.rule and own.lasting and own.value:
        yield Reading(layer, ruled, 2.4)
    if own.bidding and own.project and not own.order:
        yield Reading("project", "decision", 2.5)
    if own.habit and not own.dated:
        yield Reading(layer, "decision", 2.3 + 0.2 * own.value)


def _facts(own: Signals, layer: str) -> list[Reading]:
    if own.bidding:
        return []
    if own.fact and (own.value or own.rule):
        score = 2.3 + 1.0 * own.place + 0.2 * own.value + 0.3 * own.project + 0.5 * own.strong
        score += 0.2 * own.rule + 0.2 * (own.rule and own.strong) - 0.6 * (own.passes and not own.strong)
        if layer == "user":
            return [Reading(layer, "preference" if own.lasting else "fact", score - 0.4)]
        return [Reading(layer, "fact", score)]
    if own.defines and not own.passes:
        return [Reading(layer, "fact", 2.5)]
    if own.fact and own.project:
        return [Reading(layer, "fact", 2.2)]
    if own.strong and ((own.rule and own.value) or _LABELLED.search(own.text)):
        return [Reading(layer, "fact", 2.5)]
    if own.place and _LABELLED.search(own.text):
        return [Reading(layer, "fact", 2.6)]
    return []


_LABELLED = re.compile(r"^[^:：=]{2,40}[:：=]\s*\S")
