"""What to look for: literals or regular expressions, compiled into one test and one list of spans.

Semantics, the same for literals and regular expressions: case is ignored as Python's re.IGNORECASE does; `^` and `$`
stand at each line of a text; of overlapping matches the leftmost counts, then the longest.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from memcli.errors import UsageError

UNSPACED = "\u3005-\u3007\u3021-\u3029\u3038-\u303b\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3105-\u312f\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9d\U00016ff0-\U00016ff6\U0001aff0-\U0001b16f\U00020000-\U0003fffd"
"""Han, kana and bopomofo as the inside of a regex class: scripts that write no space between words."""


class Pattern(NamedTuple):
    """A compiled question. `sources` are the patterns as given; the rest says how they are meant."""

    sources: tuple[str, ...]
    regex: bool
    ignore_case: bool
    word: bool
    search: Callable[[str], bool]
    """Whether the pattern is found in a text."""
    spans: Callable[[str], list[tuple[int, int]]]
    """Where it is found: (start, end) in characters, ascending, without overlap and without empty ones."""


def compile_pattern(
    patterns: list[str], *, regex: bool = False, ignore_case: bool = False, word: bool = False
) -> Pattern:
    """The question "is any of `patterns` in a text?"; an empty pattern is in every text, no patterns in none.

    With `word` a match must not continue a word on either side. Word characters are those of `\\w`; Han, kana and
    bopomofo are written without spaces, so such a character never continues a word: 数据 is found in 查数据库, data
    in 查data库, but not in metadata.
    Raises UsageError for a regular expression that Python does not accept.
    """
    sources = tuple(dict.fromkeys(patterns))
    flags = re.IGNORECASE if ignore_case else re.NOFLAG
    if not (regex or ignore_case or word):
        return Pattern(
            sources,
            regex,
            ignore_case,
            word,
            _plain(sources),
            _spans([_compiled(re.escape(s), s, flags) for s in sources]),
        )
    compiled = [_compiled(_bounded(s if regex else re.escape(s), word), s, flags) for s in sources]
    return Pattern(sources, regex, ignore_case, word, _any(compiled), _spans(compiled))


def _bounded(expression: str, word: bool) -> str:
    if not word:
        return expression
    letter = rf"[^\W{UNSPACED}]"
    before = rf"(?:(?<!{letter})|(?=[{UNSPACED}]))"
    after = rf"(?:(?!{letter})|(?<=[{UNSPACED}]))"
    return f"{before}(?:{expression}){after}"


def _compiled(expression: str, source: str, flags: re.RegexFlag) -> re.Pattern[str]:
    return re.compile(expression, flags | re.MULTILINE)


def _plain(sources: tuple[str, ...]) -> Callable[[str], bool]:
    if len(sources) == 1:
        needle = sources[0]
        return lambda text: needle in text
    return lambda text: any(needle in text for needle in sources)


def _any(compiled: list[re.Pattern[str]]) -> Callable[[str], bool]:
    if len(compiled) == 1:
        search = compiled[0].search
        return lambda text: search(text) is not None
    return lambda text: any(each.search(text) for each in compiled)


def _spans(compiled: list[re.Pattern[str]]) -> Callable[[str], list[tuple[int, int]]]:
    def spans(text: str) -> list[tuple[int, int]]:
        found = {match.span() for each in compiled for match in each.finditer(text)}
        kept: list[tuple[int, int]] = []
        end = 0
        for start, stop in sorted(found, key=lambda span: (span[0], -span[1])):
            if start >= end and stop > start:
                kept.append((start, stop))
                end = stop
        return kept

    return spans
