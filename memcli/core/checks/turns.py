"""Turns without an answer, and times that go back: what an agent that "does not remember" leaves in its files."""

from __future__ import annotations

from collections.abc import Iterator

from memcli.core.checks.framework import Case, Check, evidence, many, total

CHECK = "turns"
LOOKED = "answers and the order of times"
CODES = ("unanswered-turn", "time-regression")
KINDS: tuple[str, ...] = ()


def look(case: Case) -> Iterator[Check]:
    """At most one line for each of the two."""
    for code, noun, verb in (
        ("unanswered-turn", "question", ("has no answer", "have no answer")),
        ("time-regression", "row", ("is older than the row before it", "are older than the row before them")),
    ):
        found = [one for one in case.told[CHECK] if one.code == code]
        if not found:
            continue
        rows, first = total(found, "rows"), found[0]
        message = (
            f"{many(rows, noun)} {verb[rows != 1]}, in {many(len(found), 'file')}; the order in the file is what counts"
        )
        if code == "unanswered-turn":
            message = (
                f"{many(rows, noun)} {verb[rows != 1]}, in {many(len(found), 'session')}: interrupted or failed turns"
            )
        where = ["--row", str(first.row), "-C", "2"] if first.row else []
        command = case.about(first.path, "sessions", "show", behind=where)
        yield Check(CHECK, "info", message, rows, command, evidence(case, found))
