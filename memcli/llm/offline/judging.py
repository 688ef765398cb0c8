"""Whether a statement is worth keeping, and as what."""

from __future__ import annotations

import re
from typing import NamedTuple

from memcli.llm.offline.signals import Signals


class Reading(NamedTuple):
    """What a statement is taken for; `score` grows with what speaks for keeping it."""

    layer: str
    category: str
    score: float


NEEDED = 2.7


def read(own: Signals, turn: Signals, answer: Signals, ordered: bool) -> Reading | None:
    """`own` is the statement, `turn` all that was said with it, `answer` the beginning of the reply to it; `ordered`: the
    turn also asks for something, which a report of work done is then about."""
    kept = 0.4 * answer.promise - 0.9 * (answer.report and not ordered) + 1.0 * turn.told + 0.4 * own.lasting
    best = first(own, turn, answer)
    if best is None or best.score + kept < NEEDED:
        return None
    return best._replace(score=best.score + kept)


def first(own: Signals, turn: Signals, answer: Signals) -> Reading | None:
    """The likeliest reading of a statement by itself."""
    return max(_readings(own, turn, answer), key=lambda reading: reading.score, default=None)


def _readings(own: Signals, turn: Signals, answer: Signals) -> list[Reading]:
    lasting = own.lasting or own.across or turn.across
    ours = own.project and not own.across
    person = "project" if ours else "user"
    subject = "user" if own.speaker and not ours else "project"
    found = []
    if own.recurring and (own.trouble or own.event) and not (own.manner and own.you):
        found.append(Reading(subject if not own.seen else "project", "pattern", 3.4 + 0.5 * own.project))
    if own.self_habit or (own.recurring and subject == "user" and not own.seen):
        found.append(Reading("user", "pattern", 3.6))
    if own.liking:
        held = lasting or own.style or own.manner or own.value or own.project or answer.promise
        liked = 3.2 if held else 2.4
        found.append(Reading(person, "preference", liked + own.across + 0.3 * own.style + 0.4 * own.addressing))
    if own.manner:
        found.append(
            Reading(
                person,
                "preference",
                2.1
                + own.across
                + 0.8 * lasting
                + 0.5 * (own.addressing or (own.myself and not ours))
                + 0.5 * own.style,
            )
        )
    if own.style and (lasting or answer.lasting or turn.told):
        found.append(Reading(person, "preference", 3.0 + own.across + 0.3 * own.myself + 0.4 * own.addressing))
    elif own.style and answer.promise and own.you and (own.value or own.speaker):
        found.append(Reading(person, "preference", 2.4))
    if own.across and own.order and own.you:
        found.append(Reading("user", "preference", 3.2))
    if own.self_choice:
        found.append(Reading(subject, "decision", 3.4 + lasting))
    if own.self_fact:
        found.append(Reading("user", "preference" if own.across else "fact", 3.0 + 0.4 * own.across))
    if own.decided:
        settled = subject == "project" or not own.lasting
        found.append(Reading(subject, "decision" if settled else "preference", 3.3 + 0.2 * own.lasting))
    if own.norm and (own.project or own.value or own.fact or own.lasting or own.rule):
        category = "preference" if subject == "user" else "decision"
        bare = not (own.project or own.fact)
        found.append(
            Reading(subject, category, 2.2 - 0.3 * bare + 0.2 * own.value + 0.3 * own.project + 0.3 * own.rule)
        )
    elif own.rule and own.lasting and own.value:
        found.append(Reading(subject, "preference" if subject == "user" else "decision", 2.4))
    found += _facts(own, subject)
    return found


def _facts(own: Signals, subject: str) -> list[Reading]:
    if own.fact and (own.value or own.rule):
        score = (
            2.3
            - 0.2 * (own.trouble and not own.strong)
            + 1.0 * own.place
            + 0.2 * own.value
            + 0.3 * own.project
            + 0.5 * own.strong
        )
        if own.rule:
            score += 0.4 if own.strong else 0.1
        if subject == "user":
            return [Reading(subject, "preference" if own.lasting else "fact", score - 0.4)]
        return [Reading(subject, "fact", score)]
    if own.fact and own.project:
        return [Reading(subject, "fact", 2.2)]
    if own.rule and own.value and own.strong:
        return [Reading(subject, "fact", 2.3)]
    if own.place and _LABELLED.search(own.text):
        return [Reading(subject, "fact", 2.6)]
    return []


_LABELLED = re.compile(r"^[^:：=]{2,40}[:：=]\s*\S")
