"""Where did this chat go: from what the user types to verdicts."""

from __future__ import annotations

from typing import NamedTuple

from memcli.core import causes, discovering, listing, selecting
from memcli.core.causes.framework import Case
from memcli.core.sources import layers
from memcli.core.sources.framework import Question, Scope
from memcli.model import Verdict


class Answer(NamedTuple):
    """`verdicts`, the likeliest first, and the places that were `looked` at, in words."""

    question: Question
    verdicts: tuple[Verdict, ...]
    looked: tuple[str, ...]


def ask(argument: str, named: list[str] | None, agent: str | None, tz: str = "") -> Answer:
    """What became of a session, or of the chat with these words.

    A session is meant where `argument` is @latest, a key that there is, or a file; anything else is words, as `grep`
    matches them; where nothing holds them, a word without spaces may have been the key of a chat that is gone.
    """
    workspaces = tuple(discovering.find(named, agent))
    scope = Scope(workspaces, tz)
    question = _question(argument, scope)
    case = Case(scope, question)
    if not question.key and not case.traces and _may_be_a_key(argument):
        case = Case(scope, Question(key=argument))
    found = causes.verdicts(case)
    return Answer(case.question, tuple(found), tuple(layer.LOOKED for layer in layers()))


def _question(argument: str, scope: Scope) -> Question:
    from memcli.search.pattern import compile_pattern

    rows = listing.sessions(list(scope.workspaces), scope.tz)
    if argument == selecting.LATEST:
        return Question(key=selecting.match(argument, rows).key)
    for row in rows:
        if argument == row.key or (selecting.is_file(argument) and _same(argument, row.file)):
            return Question(key=row.key)
    return Question(argument, compile_pattern([argument]))


def _same(argument: str, path: str) -> bool:
    import os

    try:
        return os.path.samefile(os.path.expanduser(argument), path)
    except OSError:
        return False


def _may_be_a_key(argument: str) -> bool:
    """One word of plain characters, or a channel, a colon and anything without blanks."""
    channel, colon, chat = argument.partition(":")
    plain = selecting.SAFE_KEY.fullmatch(argument) is not None
    return plain or bool(colon and chat and channel.isascii() and channel.isalnum() and len(argument.split()) == 1)
