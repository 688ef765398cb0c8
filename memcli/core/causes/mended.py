"""What repair of just one session file would bring, with the mildest options that bring the most."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial
from typing import NamedTuple

from memcli.core.causes.framework import Case, Chat, Gain, command
from memcli.core.causes.peeking import beginning
from memcli.core.causes.showing import named, shown
from memcli.model import NOTHING, Finding, Verdict

HEADER = frozenset({"missing-header", "corrupt-header", "stray-header", "duplicate-header", "header-incomplete"})
ENCODING = frozenset({"bom", "utf16", "invalid-utf8", "lone-cr"})
POWER = frozenset({"nul-run"})
NO_LOSS = frozenset({"corrupt-header", "duplicate-header", "duplicate-record"})
"""What goes to quarantine for these is no row, or stands in the file once more."""
MOST = 5
"""So many damages of a file are told as evidence."""
CHINESE = re.compile(rb"[\xa1-\xf7][\xa1-\xfe]")
READ = 1 << 20


class Way(NamedTuple):
    """A way to mend a file: the options, what it brings, how many `rows` more a person sees, the codes that it mends, and how
    many rows are `lost` by it."""

    options: tuple[str, ...]
    gain: Gain
    rows: int
    codes: frozenset[str]
    lost: int


def way(case: Case, chat: Chat) -> Way | None:
    """The mildest way of those that bring the most rows; None where none brings any."""
    found: Way | None = case.kept(("way", chat.workspace.root, chat.key), partial(_way, case, chat))
    return found


def _way(case: Case, chat: Chat) -> Way | None:
    best: Way | None = None
    before = shown(case, chat)
    for options, lossy, flags in _ways(case, chat):
        gain = case.gain(chat, lossy=lossy, flags=flags)
        if gain is None:
            continue
        items = case.blueprint(chat, lossy=lossy, flags=flags).items
        codes = frozenset(item.finding.code for item in items if item.state == "mend")
        rows = gain.after.seen - before if gain.after.seen else 0
        garbled = sum(item.finding.code == "invalid-utf8" for item in items if item.state == "mend")
        if "--encoding" in options and not gain.rows:  # the agent shows the row, and nobody can read it
            rows = garbled
        if rows > 0 and (best is None or rows > best.rows):
            spare = sum(item.finding.code in NO_LOSS for item in items if item.state == "mend")
            best = Way(options, gain, rows, codes, max(0, gain.quarantined - spare))
    return best


def verdict(case: Case, chat: Chat, cause: str, found: Way, *told: str) -> Verdict:
    """The verdict that repair brings the rows back."""
    view = case.view(chat)
    assert view is not None
    sentences = list(told)
    if view.seen < view.total:
        sentences.append(f"The agent sees {view.seen} of {view.total} rows: {view.reason}.")
    sentences += [_said(finding) for finding in case.findings(chat) if finding.code in found.codes][:MOST]
    words = ("repair", named(case, chat), "--apply", *found.options)
    return Verdict(
        chat.key, cause, "session", found.rows, found.lost, tuple(sentences), command(chat.workspace, *words)
    )


def encoding(case: Case, chat: Chat) -> tuple[str, str]:
    """The encoding that lines which are no UTF-8 seem to have, and such a line read in it; ("", "") for none."""
    lines = list(_foreign(case, chat))
    raw = b"".join(lines)
    high = sum(byte >= 0x80 for byte in raw)
    chinese = high and 2 * len(CHINESE.findall(raw)) >= 0.8 * high
    for name in (["gb18030"] if chinese else []) + ["cp1252"]:
        try:
            texts = [line.decode(name) for line in lines]
        except UnicodeDecodeError:
            continue
        return (name, texts[0]) if texts else ("", "")
    return "", ""


def _ways(case: Case, chat: Chat) -> Iterator[tuple[tuple[str, ...], bool, Mapping[str, str]]]:
    """Options of repair, the mildest first."""
    yield (), False, NOTHING
    name, _ = encoding(case, chat)
    if name:
        yield ("--encoding", name), False, {"encoding": name}
    if any(finding.severity == "error" for finding in case.findings(chat)):
        yield ("--lossy",), True, NOTHING


def _foreign(case: Case, chat: Chat) -> Iterator[bytes]:
    """The lines of a chat that are no UTF-8."""
    for finding in case.findings(chat):
        if chat.ref and finding.code == "invalid-utf8" and finding.offset is not None and finding.length:
            yield beginning(chat.ref.path, min(finding.length, READ), finding.offset)


def _said(finding: Finding) -> str:
    return f"Line {finding.line}: {finding.message}" if finding.line else finding.message
