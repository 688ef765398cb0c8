"""What is so large that it hurts: sessions that are rewritten with every message, journal entries over the agent's own cap."""

from __future__ import annotations

import os
from collections.abc import Iterator

from memcli.core.checks.framework import SHOWN, Case, Check, many
from memcli.damage.framework import JournalState
from memcli.errors import CannotRead
from memcli.formats import habits, load
from memcli.model import SessionRef
from memcli.storage.reading import open_regular

CHECK = "sizes"
LOOKED = "sizes"
CODES = ("oversize-line", "too-deep", "huge-number")
KINDS: tuple[str, ...] = ()
LARGE = 16 << 20
"""From so many bytes on a session is slow to load and to save."""
SAMPLE = 64 << 10
"""Tokens are counted in so many bytes from the middle of a large session."""


def look(case: Case) -> Iterator[Check]:
    """A line for large sessions, for lines that are too much for readers, and for entries over the cap."""
    found = sorted(
        (ref for ref in case.refs.values() if case.sizes[ref.path] >= LARGE), key=lambda ref: -case.sizes[ref.path]
    )
    if found:
        told = [f"{ref.key}: {case.sizes[ref.path]:,} bytes{_tokens(ref)}." for ref in found[:SHOWN]]
        message = (
            f"{many(len(found), 'session')} of over {LARGE >> 20} MiB: slow to load, and to save with every message"
        )
        yield Check(
            CHECK, "warning", message, len(found), case.command("sessions", "ls", "--sort", "size"), tuple(told)
        )
    lines = case.told[CHECK]
    if lines:
        first = lines[0]
        message = (
            f"{many(len(lines), 'line')} that readers choke on ({', '.join(dict.fromkeys(one.code for one in lines))})"
        )
        where = ["--line", str(first.line)] if first.line else []
        command = case.about(first.path, "sessions", "show", behind=where)
        yield Check(CHECK, "warning", message, len(lines), command, tuple(one.message for one in lines[:SHOWN]))
    yield from _entries(case)


def _entries(case: Case) -> Iterator[Check]:
    """Journal entries that the agent would have cut: an older version wrote them, and they go into prompts whole."""
    cap = habits(case.workspace.agent).ENTRY_CAP
    told: list[str] = []
    count = 0
    for journal in case.snapshot.journals if cap is not None else ():
        for entry, characters in _long(case, journal, cap or 0):
            count += 1
            if len(told) < SHOWN:
                told.append(f"{case.name(journal.path)} row {entry}: {characters:,} characters.")
    if count:
        noun = many(count, "journal entry", "journal entries")
        message = f"{noun} of over {cap:,} characters, which the agent of today would cut; each goes into prompts whole"
        yield Check(CHECK, "warning", message, count, "", tuple(told))


def _long(case: Case, journal: JournalState, cap: int) -> Iterator[tuple[int, int]]:
    """(row, characters of its text) of the entries over the cap."""
    rows = journal.snapshot
    if rows is None:
        return
    offsets = [*rows.facts.offsets, case.sizes.get(journal.path, 0)]
    record = load(case.workspace.agent).records.record
    for entry in range(len(rows.facts)):
        if offsets[entry + 1] - offsets[entry] > cap:  # a character has at least one byte
            characters = len(record(rows.value(entry)).content)
            if characters > cap:
                yield rows.facts.row(entry), characters


def _tokens(ref: SessionRef) -> str:
    """About how many tokens the file has, told from a sample."""
    from memcli import tokens

    try:
        fd = open_regular(ref.path)
    except CannotRead:
        return ""
    try:
        size = os.fstat(fd).st_size
        sample = os.pread(fd, SAMPLE, max(0, (size - SAMPLE) // 2))
    except OSError:
        return ""
    finally:
        os.close(fd)
    if not sample:
        return ""
    return f", about {tokens.count([sample.decode('utf-8', 'replace')]) * size // len(sample):,} tokens"
