"""Where did this chat go: from what the user types to verdicts."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, NamedTuple

from memcli.core import causes, discovering, listing, selecting
from memcli.core.causes.framework import Case
from memcli.core.sources import layers
from memcli.core.sources.framework import Question, Scope
from memcli.errors import AmbiguousSession, UnknownSession, UsageError
from memcli.formats import load
from memcli.model import Verdict, Workspace

if TYPE_CHECKING:
    from memcli.search.pattern import Pattern

CHATS = 20
"""Words are followed into so many chats, those with the most places first."""


class Answer(NamedTuple):
    """`verdicts`, the likeliest first; the places that were `looked` at, in words; what could not be looked at, sentences
    without their full stop; how many `more` chats have the words; and whether they were found only `loose`ly, with upper and
    lower case and blanks not told apart."""

    question: Question
    verdicts: tuple[Verdict, ...]
    looked: tuple[str, ...]
    unchecked: tuple[str, ...] = ()
    more: int = 0
    loose: bool = False


def ask(argument: str, named: list[str] | None, agent: str | None, tz: str = "", most: int | None = CHATS) -> Answer:
    """What became of a session, or of the chat with these words; `most` is how many chats are followed (None: all).

    A session is meant where `argument` is a file, @latest, or a key that there is; anything else is words, as `grep`
    matches them. Where nothing holds them they may be a part of one key or title, or the key of a chat that is gone; and
    where that is not known, either, upper and lower case and blanks are not told apart.
    Raises UsageError for an empty argument, NothingFound and CannotRead as `discovering.find`.
    """
    if not argument.strip():
        raise UsageError(
            "Tell some words of the chat, or name a session; without either, doctor looks over the workspace."
        )
    case = _case(argument, named, agent, tz, most)
    found = causes.verdicts(case)
    in_vain = not case.traces and (case.question.text or case.question.words)
    if in_vain and found[0].cause == causes.UNKNOWN:
        loosely = case.asked(Question(argument, _loose(argument)), most)
        if loosely.traces:
            case, found = loosely, causes.verdicts(loosely)
    notes = [note.removesuffix(".") for workspace in case.scope.workspaces for note in workspace.notes]
    unchecked = (*dict.fromkeys(notes), *case.unchecked)
    loose = case.question.pattern is not None and case.question.pattern.ignore_case
    return Answer(case.question, tuple(found), tuple(layer.LOOKED for layer in layers()), unchecked, case.more, loose)


def _case(argument: str, named: list[str] | None, agent: str | None, tz: str, most: int | None) -> Case:
    from memcli.search.pattern import compile_pattern

    if _is_written_as_file(argument):
        workspaces, key = _of_file(argument, named, agent)
        if key:
            return Case(Scope(tuple(workspaces), tz), Question(key=key))
    scope = Scope(tuple(discovering.find(named, agent)), tz)
    if argument == selecting.LATEST:
        rows = listing.sessions(list(scope.workspaces), tz)
        return Case(scope, Question(key=selecting.match(argument, rows).key))
    case = Case(scope, Question(key=argument))
    headers = _may_be_a_key(argument)  # words with blanks are keys only where a file's name says so
    if any(case.file(workspace, argument, headers) for workspace in scope.workspaces):
        return case
    case = case.asked(Question(argument, compile_pattern([argument])), most)
    if case.traces:
        return case
    key = _part(argument, case)
    if key:
        return case.asked(Question(key=key))
    return case.asked(Question(key=argument, words=True)) if headers else case


def _loose(argument: str) -> Pattern:
    """What finds words however they are capitalised, and whatever blanks are between them."""
    from memcli.search.pattern import compile_pattern

    words = [re.escape(word) for word in argument.split()]
    return compile_pattern([r"\s+".join(words)], regex=True, ignore_case=True)


def _is_written_as_file(argument: str) -> bool:
    """Whether an argument can be meant as a file: `notes` is a word even where a file is called so, `notes.md` is not."""
    return (os.sep in argument or "." in argument) and "\n" not in argument and selecting.is_file(argument)


def _of_file(path: str, named: list[str] | None, agent: str | None) -> tuple[list[Workspace], str]:
    """The workspace that is meant by a file, the whole of it where that can be told, and the session; "" where the path
    leads to none, so that it may be words."""
    path = os.path.abspath(os.path.expanduser(path))
    if not os.path.lexists(path):
        return _of_gone_file(path, named, agent)
    ref = selecting.of_file(path, agent)
    whole = ref.workspace._replace(files=(), shown=ref.workspace.root)
    if ref.workspace.files == (path,) and path in set(listing.paths(whole)):
        found = Case(Scope((whole,)), Question()).file(whole, ref.key)
        if found is not None and found.path == path:
            return [whole], ref.key
    return [ref.workspace], ref.key


def _of_gone_file(path: str, named: list[str] | None, agent: str | None) -> tuple[list[Workspace], str]:
    """The session that a file would be which does not exist (any more)."""
    folder = os.path.dirname(path)
    if not os.path.isdir(folder):
        return [], ""
    for workspace in [*(discovering.find(named, agent) if named else []), *discovering.exactly(folder, agent)]:
        if os.path.realpath(folder) in map(os.path.realpath, workspace.sessions):
            return [workspace], load(workspace.agent).layout.key_of(workspace, path)
    return [], ""


def _part(argument: str, case: Case) -> str:
    """The key of the one session that has these words in its key or title, "" where there is none or several."""
    try:
        rows = [row for workspace in case.scope.workspaces for row in case.listed(workspace)]
        return selecting.match(argument, rows).key
    except (UnknownSession, AmbiguousSession):
        return ""


def _may_be_a_key(argument: str) -> bool:
    """One word of plain characters, or a channel, a colon and anything without blanks."""
    channel, colon, chat = argument.partition(":")
    plain = selecting.SAFE_KEY.fullmatch(argument) is not None
    return plain or bool(colon and chat and channel.isascii() and channel.isalnum() and len(argument.split()) == 1)
