"""What the agent appended in one piece, line by line: which lines say something, under which headings and items."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import NamedTuple

from memcli.core.tidying.alike import Said, clauses, said
from memcli.damage.remembered import plain, worded
from memcli.llm.offline.segments import split
from memcli.storage.memory_rules import MemoryRules
from memcli.storage.passages import lines_of

BLANK, HEAD, FACT, VERBATIM = "blank", "head", "fact", "verbatim"
_HEADING = re.compile(r" {0,3}(#{1,6})(?=[ \t]|$)(.*)")
_BOLD = re.compile(r"\s*\*\*[^*]+\*\*\s*[:：]?\s*$")
_LISTED = re.compile(r"\s*(?:[-*+•]|\d{1,9}[.)])\s|\s*(?:\d{1,3}|[一二三四五六七八九十]{1,3})、")
_RULE = re.compile(r"\s*(?:[-*_=]\s*){3,}$")
_TABLE = re.compile(r"\s*\|")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_DEPTH_BOLD, _DEPTH_COLON = 7, 8


class Row(NamedTuple):
    """One line. `kind` is "blank" (it says nothing), "head" (it goes before others), "fact" or "verbatim" (code, a table, a
    number: nothing that can be said in other words). `heads` are the indexes of the headings above it, `above` those of the list
    items that it belongs to, `subject` what these name. `facts` are the statements of a fact, `whole` the same as one; `words` is
    all of what is verbatim, with the lines that belong to it. `depth` of a head counts as that of a heading's; `listed` tells a
    list item."""

    raw: bytes
    kind: str
    heads: tuple[int, ...] = ()
    above: tuple[int, ...] = ()
    subject: tuple[str, ...] = ()
    facts: tuple[Said, ...] = ()
    whole: Said | None = None
    clauses: tuple[Said, ...] = ()
    words: str = ""
    depth: int = 0
    title: str = ""
    listed: bool = False


def rows(body: bytes, rules: MemoryRules) -> list[Row]:
    """The lines of a body. `rules` tell which headings and labels only sort what stands there, and what says nothing."""
    return _Reader(rules).read(body)


def path(found: Sequence[Row], row: Row) -> tuple[str, ...]:
    """The titles of the headings above a line."""
    return tuple(found[at].title for at in row.heads)


class _Reader:
    def __init__(self, rules: MemoryRules) -> None:
        self.labels = frozenset(plain(one) for one in rules.categories)
        self.idle = re.compile(rules.fillers, re.IGNORECASE) if rules.fillers else None
        self.found: list[Row] = []
        self.heads: list[int] = []
        self.items: list[tuple[int, int]] = []
        """Indent and index of the list items that are open."""

    def read(self, body: bytes) -> list[Row]:
        lines = lines_of(body)
        at = 0
        while at < len(lines):
            size = max(1, self._together(lines, at))
            text = lines[at].decode("utf-8", "replace").rstrip("\r\n")
            if size > 1 or _FENCE.match(text) or _TABLE.match(text):
                self._verbatim(lines[at : at + size])
            else:
                self._line(lines[at], text)
            at += size
        return self.found

    def _together(self, lines: Sequence[bytes], at: int) -> int:
        """How many lines from here on are one piece of code, or one table."""
        texts = (line.decode("utf-8", "replace").rstrip("\r\n") for line in lines[at:])
        first = next(texts)
        mark = _FENCE.match(first)
        if mark:
            for number, text in enumerate(texts, 2):
                if text.strip().startswith(mark[1]) and not text.strip().strip(mark[1][0]):
                    return number
            return 1  # it was never closed: its lines are taken for what they are
        size = 0
        for text in chain((first,), texts):
            if not _TABLE.match(text):
                break
            size += 1
        return size

    def _line(self, raw: bytes, text: str) -> None:
        words = worded(text)
        if not text.strip() or _RULE.match(text) or not plain(words) or (self.idle and self.idle.search(words)):
            self.found.append(Row(raw, BLANK, tuple(self.heads)))
            return
        depth = _depth(text)
        if depth:
            self._head(raw, text, depth)
            return
        indent = self._indented(text)
        listed = _LISTED.match(text) is not None
        row = self._row(raw, listed)
        if any(map(str.isalpha, words)):
            whole = said(words, self.labels)
            cut = list(_statements(words))
            facts = tuple(said(one, self.labels) for one in cut) if len(cut) > 1 else (whole,)
            more = tuple(said(one, self.labels) for sentence in cut for one in clauses(sentence))
            row = row._replace(kind=FACT, facts=facts, whole=whole, clauses=more)
        else:
            row = row._replace(words=text.strip())
        self.items.append((indent, len(self.found)))
        self.found.append(row)

    def _head(self, raw: bytes, text: str, depth: int) -> None:
        heading = _HEADING.match(text)
        title = plain(heading[2].strip().rstrip("#") if heading else text).rstrip(":")
        self.heads = [at for at in self.heads if self.found[at].depth < depth]
        self.items = []
        self.found.append(Row(raw, HEAD, tuple(self.heads), depth=depth, title=title))
        self.heads.append(len(self.found) - 1)

    def _verbatim(self, lines: Sequence[bytes]) -> None:
        texts = [line.decode("utf-8", "surrogateescape").rstrip("\r\n") for line in lines]
        words = "\n".join(text.strip() for text in texts)
        self._indented(texts[0])
        for line in lines:
            self.found.append(self._row(line, False)._replace(words=words))

    def _indented(self, text: str) -> int:
        """How far a line is indented; list items that it does not belong to are over."""
        wide = text.expandtabs(4)
        indent = len(wide) - len(wide.lstrip())
        self.items = [one for one in self.items if one[0] < indent]
        return indent

    def _row(self, raw: bytes, listed: bool) -> Row:
        titles = [self.found[at].title for at in self.heads]
        above = tuple(at for _, at in self.items)
        named = (*(title for title in titles if title not in self.labels), *(_key(self.found[at]) for at in above))
        return Row(raw, VERBATIM, tuple(self.heads), above, named, listed=listed)


def _depth(text: str) -> int:
    heading = _HEADING.match(text)
    if heading:
        return len(heading[1])
    if _BOLD.match(text):
        return _DEPTH_BOLD
    return _DEPTH_COLON if text.rstrip().endswith((":", "：")) and not _LISTED.match(text) else 0


def _key(row: Row) -> str:
    return " ".join(one.key for one in row.facts) or row.words


def _statements(words: str) -> Iterator[str]:
    """The sentences of a line; the whole of one in which nothing is said but names."""
    yield from ([one for one in split(words) if any(map(str.isalnum, one))] or [words])
