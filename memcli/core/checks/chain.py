"""Sessions that nothing can look up: the key, the file's name and what asks for it do not go together."""

from __future__ import annotations

import os
from collections.abc import Iterator

from memcli.core import listing
from memcli.core.checks.framework import SHOWN, Case, Check, Group, evidence, groups, many, repair_words, titles
from memcli.damage.framework import SessionState
from memcli.formats import habits
from memcli.model import Finding

CHECK = "chain"
LOOKED = "keys and file names"
CODES = ("name-mismatch", "key-collision", "header-incomplete", "foreign-record")
KINDS: tuple[str, ...] = ()
NAME = 255
"""A file's name has at most so many bytes."""
NUL = "holds a NUL, at which many programs take it to end"
HALF = "holds half a character, which cannot be stored as UTF-8"
LONG = "gives a file name that is longer than file systems allow"
NAMELESS = (NUL, HALF, LONG)
"""Faults of keys after which no file can be called."""


def look(case: Case) -> Iterator[Check]:
    """A line for each way to mend them, and one for keys that cannot be typed or kept."""
    odd = [(session, why) for session in case.snapshot.sessions if session.key and (why := _fault(session))]
    nameless = {listing.shown(case.workspace, session.path) for session, why in odd if why in NAMELESS}
    # repair leaves a file its name where none can be called after the key, or another one is
    taken = {one.path: other for one in case.told[CHECK] if one.code == "name-mismatch" and (other := _twin(one))}
    moved = {one.path: str(one.data["key"]) for one in case.told[CHECK] if _is_moved(case, one)}
    settled = {"name-mismatch": nameless | set(taken) | set(moved), "key-collision": {*taken, *taken.values()}}
    for group in groups(one for one in case.told[CHECK] if one.path not in settled.get(one.code, ())):
        words = repair_words(group)
        first = group.findings[0].path
        command = case.command(*words) if words else case.about(first, "doctor")
        yield Check(CHECK, group.state, _words(group), len(group.paths), command, evidence(case, group.findings))
    copies = {one.path for findings in case.told.values() for one in findings if one.code == "conflict-copy"}
    twins = [path for path in taken if path not in copies]
    if twins:
        message = f"{many(len(twins), 'file has', 'files have')} the key of a session that another file is named after"
        told = [f"{path} has the key of {taken[path]}." for path in twins[:SHOWN]]
        command = case.about(taken[twins[0]], "sessions", "diff", behind=[twins[0]])
        yield Check(CHECK, "error", message, len(twins), command, tuple(told))
    beside = {path: key for path, key in moved.items() if _place(case, key) in case.refs}
    if beside:
        path, key = next(iter(beside.items()))
        are = many(len(beside), "file of an older version is", "files of older versions are")
        told = [f"{one} has rows of {its}, which is in {_place(case, its)} now." for one, its in beside.items()][:SHOWN]
        command = case.command("sessions", "diff", _place(case, key), path)
        yield Check(
            CHECK, "info", f"{are} beside the file that its session is in now", len(beside), command, tuple(told)
        )
    moved = {path: key for path, key in moved.items() if path not in beside}
    if moved:
        message = f"{many(len(moved), 'session is', 'sessions are')} where only an older version of the agent looks for"
        told = [f"{path} has the rows of {key}." for path, key in moved.items()][:SHOWN]
        command = case.command("doctor", next(iter(moved.values())))
        yield Check(
            CHECK, "error", f"{message} {'it' if len(moved) == 1 else 'them'}", len(moved), command, tuple(told)
        )
    if odd:
        told = [f"{session.key!r} {why}." for session, why in odd[:SHOWN]]
        keep = many(len(odd), "session has a key", "sessions have keys")
        message = f"{keep} that cannot be looked up as {'it is' if len(odd) == 1 else 'they are'} written"
        command = case.about(listing.shown(case.workspace, odd[0][0].path), "sessions", "show")
        yield Check(CHECK, "warning", message, len(odd), command, tuple(told))


def _is_moved(case: Case, finding: Finding) -> bool:
    """Whether a file stands where an older version left it, so that another name there would not help."""
    if finding.code != "name-mismatch":
        return False
    found = habits(case.workspace.agent).moved(case.workspace, str(finding.data["key"]))
    return found is not None and finding.path in {listing.shown(case.workspace, path) for path in found.former}


def _place(case: Case, key: str) -> str:
    """Where the version in use keeps a session that an older one left elsewhere."""
    found = habits(case.workspace.agent).moved(case.workspace, key)
    return listing.shown(case.workspace, found.place) if found else ""


def _twin(finding: Finding) -> str:
    """The file that stands where the agent looks for the session, "" when there is none."""
    path = os.path.join(os.path.dirname(finding.path), str(finding.data["expected"]))
    return path if "\0" not in path and os.path.lexists(path) else ""


def _words(group: Group) -> str:
    files = many(len(group.paths), "session")
    return f"{files} cannot be found by its key: {titles(group.findings)} ({group.codes})".replace(
        "sessions cannot be found by its key", "sessions cannot be found by their keys"
    )


def _fault(session: SessionState) -> str:
    """Why a key cannot be stored or typed as it is, "" when it can."""
    key = session.key or ""
    if "\0" in key:
        return NUL
    if any(ord(char) < 0x20 or 0x7F <= ord(char) < 0xA0 for char in key):
        return "holds a control character"
    if any(0xD800 <= ord(char) < 0xE000 for char in key):
        return HALF
    if key != key.strip():
        return "begins or ends with a blank, which is lost where it is typed"
    if session.expected is not None and len(session.expected.encode("utf-8", "replace")) > NAME:
        return LONG
    return ""
