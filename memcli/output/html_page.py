"""Sessions as HTML: one page each, with everything in it and nothing fetched from anywhere."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from urllib.parse import quote

from memcli import times
from memcli.core.exporting import Entry, Facts
from memcli.model import Record
from memcli.output.export_words import MASKED, batched, gap, heading, is_result, lines, lost
from memcli.output.html_style import STYLE
from memcli.output.html_text import attribute, block, inline
from memcli.output.words import many

SUFFIX = ".html"
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
"""Whatever a page should hold in spite of all care, a browser neither runs nor fetches."""
HINT = 72
"""Characters of a folded text that are shown all the same."""
ROLES = ("user", "assistant", "tool", "system")


def session(
    facts: Facts, entries: Iterable[Entry], *, masked: bool = False, index: str = "", tz: str = ""
) -> Iterator[bytes]:
    """The page of one session. `index` is the name of a page that it links back to."""
    return batched(_session(facts, entries, masked, index, tz))


def index(sessions: Sequence[tuple[Facts, str]], *, masked: bool = False, tz: str = "") -> Iterator[bytes]:
    """The page that links all: facts and the name of the page ("" for what could not be read), in that order."""
    return batched(_index(sessions, masked, tz))


def _page(title: str) -> str:
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n<meta name="referrer" content="no-referrer">\n'
        '<meta name="generator" content="memcli">\n'
        f"<title>{attribute(title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n"
    )


def _session(facts: Facts, entries: Iterable[Entry], masked: bool, index: str, tz: str) -> Iterator[str]:
    title = heading(facts)
    yield _page(title)
    back = f'<a href="{quote(index)}">All sessions</a>' if index else ""
    yield f'<header id="top">\n<nav class="nav">{back}<a href="#end">To the end</a></nav>\n<h1>{inline(title)}</h1>\n'
    yield '<dl class="facts">\n'
    for label, text in lines(facts):
        yield f"<dt>{label}</dt><dd>{inline(text)}</dd>\n"
    yield "</dl>\n"
    if masked:
        yield f'<p class="note">{MASKED}</p>\n'
    if facts.header:
        texts = "".join(block(text, mono=True) for text in facts.header)
        yield f"<details><summary>Header</summary>{texts}</details>\n"
    yield "</header>\n<main>\n"
    for entry in entries:
        if not entry.records:
            yield f'<article class="bad" id="row-{entry.row}"><p>{attribute(gap(entry))}</p></article>\n'
        for number, record in enumerate(entry.records, 1):
            anchor = f"row-{entry.row}" if number == 1 else f"row-{entry.row}-{number}"
            yield from _record(entry, record, anchor, tz)
    yield '</main>\n<footer id="end"><nav class="nav"><a href="#top">To the top</a></nav></footer>\n</body>\n</html>\n'


def _record(entry: Entry, record: Record, anchor: str, tz: str) -> Iterator[str]:
    kind = record.role if record.role in ROLES else "other"
    parts = [f'<a href="#{anchor}">{entry.row}</a>', f"<b>{inline(record.role or '(no role)')}</b>"]
    if record.name:
        parts.append(inline(record.name))
    if record.timestamp:
        parts.append(_time(record.timestamp, tz))
    if entry.flaw:
        parts.append(f'<span class="flaw">{attribute(entry.flaw)}</span>')
    yield f'<article class="{kind}" id="{anchor}">\n<div class="head">{" ".join(parts)}</div>\n'
    if record.reasoning:
        yield _folded("Reasoning", record.reasoning, many(len(record.reasoning), "character"))
    if record.content:
        if is_result(record):
            yield _folded("Result", record.content, _hint(record.content), mono=True)
        else:
            yield block(record.content) + "\n"
    for call in record.calls:
        about = f"<b>{inline(call.name or '(no name)')}</b> {_hint(call.arguments)}"
        yield _folded("Call", call.arguments, about, mono=True)
    yield "</article>\n"


def _hint(text: str) -> str:
    """The beginning of a folded text, and how much there is of it."""
    first = text.lstrip().partition("\n")[0]
    if first.strip() == text.strip() and len(first) <= HINT:
        return f"<i>{inline(first)}</i>"
    return f"<i>{inline(first[:HINT] + '…')}</i> {many(len(text), 'character')}"


def _folded(title: str, text: str, about: str, *, mono: bool = False) -> str:
    return f"<details><summary>{title} {about}</summary>{block(text, mono=mono) if text else ''}</details>\n"


def _time(stamp: str, tz: str) -> str:
    utc = times.utc(stamp, tz)
    return f'<time datetime="{utc}">{inline(stamp)}</time>' if utc else inline(stamp)


def _index(sessions: Sequence[tuple[Facts, str]], masked: bool, tz: str) -> Iterator[str]:
    title = many(len(sessions), "session")
    yield _page(title)
    yield f"<header><h1>{title}</h1>\n"
    if masked:
        yield f'<p class="note">{MASKED}</p>\n'
    yield '</header>\n<main>\n<ol class="list">\n'
    for facts, name in sessions:
        shown = inline(heading(facts))
        link = f'<a href="{quote(name)}">{shown}</a>' if name else shown
        yield f'<li><div class="title">{link}</div>\n<div class="about">{" ".join(_about(facts, tz))}</div>\n'
        if facts.preview.strip():
            yield f'<p class="preview">{inline(facts.preview.strip())}</p>\n'
        yield "</li>\n"
    yield "</ol>\n</main>\n</body>\n</html>\n"


def _about(facts: Facts, tz: str) -> Iterator[str]:
    if facts.key != heading(facts):
        yield f'<span class="key">{inline(facts.key)}</span>'
    yield f"<span>{inline(f'{facts.agent} {facts.era}'.strip())}</span>"
    stamp = facts.updated_at or facts.last
    if stamp:
        yield _time(stamp, tz)
    if facts.why:
        yield f'<span class="flaw">{attribute(f"cannot be read: {facts.why}")}</span>'
    else:
        yield f"<span>{many(facts.messages, 'record')}</span>"
    if facts.lost:
        yield f'<span class="flaw">{lost(facts)}</span>'
    if facts.damage:
        yield f'<span class="flaw">{attribute(", ".join(facts.damage))}</span>'
