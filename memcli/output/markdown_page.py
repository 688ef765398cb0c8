"""Sessions as Markdown: every text stands exactly in a fence, so that nothing in it is markup."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from urllib.parse import quote

from memcli.core.exporting import Entry, Facts
from memcli.model import Record
from memcli.output.export_words import MASKED, batched, exact, gap, heading, is_result, lines, lost
from memcli.output.safe_text import cell
from memcli.output.words import many

SUFFIX = ".md"
EXACT = ("Session", "File")
"""Facts that are copied and pasted."""


def session(facts: Facts, entries: Iterable[Entry], *, masked: bool = False, index: str = "") -> Iterator[bytes]:
    """The page of one session. `index` is the name of a page that it links back to."""
    return batched(_session(facts, entries, masked, index))


def index(sessions: Sequence[tuple[Facts, str]], *, masked: bool = False) -> Iterator[bytes]:
    """The page that links all: facts and the name of the page (none for what could not be read), in that order."""
    return batched(_index(sessions, masked))


def fenced(text: str) -> str:
    """`text` in a fence longer than any in it; what stands between the fences is `text` and a newline."""
    safe = exact(text)
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", safe)), default=0))
    return f"{fence}\n{safe}\n{fence}\n"


def code(text: str) -> str:
    """`text` as code in a line."""
    safe = cell(text)
    ticks = "`" * (1 + max(map(len, re.findall("`+", safe)), default=0))
    edge = " " if safe[:1] in ("`", " ") or safe[-1:] in ("`", " ") else ""
    return f"{ticks}{edge}{safe}{edge}{ticks}" if safe else "(none)"


def plain(text: str) -> str:
    """`text` in a line with nothing in it taken for markup or for an address."""
    safe = re.sub(r"([\\`*_{}\[\]<>#|~!&$])", r"\\\1", cell(text))
    return re.sub(r":(?=//)|(?<=www)\.|@", lambda match: f"\\{match[0]}", safe)


def _session(facts: Facts, entries: Iterable[Entry], masked: bool, index: str) -> Iterator[str]:
    yield f"# {_heading(facts)}\n\n"
    if index:
        yield f"[All sessions]({quote(index)})\n\n"
    for label, text in lines(facts):
        yield f"- {label}: {code(text) if label in EXACT else plain(text)}\n"
    if masked:
        yield f"\n{MASKED}\n"
    if facts.header:
        yield "\n" + _folded("Header", facts.header)
    for entry in entries:
        if not entry.records:
            yield f"\n---\n\n**{gap(entry)}**\n"
        for record in entry.records:
            yield from _record(entry, record)


def _heading(facts: Facts) -> str:
    title = heading(facts)
    return code(title) if title == facts.key else plain(title)


def _record(entry: Entry, record: Record) -> Iterator[str]:
    parts = [str(entry.row), plain(record.role or "(no role)")]
    parts += [plain(part) for part in (record.name, record.timestamp) if part]
    if entry.flaw:
        parts.append(f"\\[{entry.flaw}\\]")
    yield f"\n## {' · '.join(parts)}\n"
    if record.reasoning:
        yield "\n" + _folded("Reasoning", [record.reasoning])
    if record.content:
        if is_result(record):
            yield "\n" + _folded(f"Result, {many(len(record.content), 'character')}", [record.content])
        else:
            yield "\n" + fenced(record.content)
    for call in record.calls:
        yield "\n" + _folded(f"Call: {call.name}", [call.arguments])


def _folded(title: str, texts: Iterable[str]) -> str:
    body = "\n".join(fenced(text) for text in texts if text)
    return f"<details>\n<summary>{escape(cell(title))}</summary>\n\n{body}\n</details>\n"


def _index(sessions: Sequence[tuple[Facts, str]], masked: bool) -> Iterator[str]:
    yield f"# {many(len(sessions), 'session')}\n\n"
    if masked:
        yield f"{MASKED}\n\n"
    for facts, name in sessions:
        title = _heading(facts)
        yield f"- [{title}](<{quote(name)}>)\n" if name else f"- {title}\n"
        about = [code(facts.key)] if heading(facts) != facts.key else []
        about.append(f"{facts.agent} {facts.era}".strip())
        if facts.updated_at or facts.last:
            about.append(plain(facts.updated_at or facts.last or ""))
        about.append(plain(f"cannot be read: {facts.why}") if facts.why else many(facts.messages, "record"))
        if facts.lost:
            about.append(lost(facts))
        if facts.damage:
            about.append(f"damage: {', '.join(facts.damage)}")
        yield f"  {' · '.join(about)}\n"
        if facts.preview.strip():
            yield f"  > {plain(facts.preview.strip())}\n"
