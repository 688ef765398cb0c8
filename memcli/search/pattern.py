"""What to look for: literals or regular expressions, compiled into a test, a list of spans and the anchors.

Semantics, the same for literals and regular expressions: case is ignored as Python's re.IGNORECASE does; `^` and `$`
stand at each line of a text; of overlapping matches the leftmost counts, then the longest.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

from memcli.errors import UsageError
from memcli.search.anchors import Anchor, choose

UNSPACED = (
    "\u3005-\u3007\u3021-\u3029\u3038-\u303b\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3105-\u312f"
    "\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9d"
    "\U00016ff0-\U00016ff6\U0001aff0-\U0001b16f\U00020000-\U0003fffd"
)
"""Han, kana and bopomofo as the inside of a regex class: scripts that write no space between words."""

MOST_ANCHORS = 64
"""Each anchor costs a pass over the data; with more of them decoding every line is no slower."""

Span = tuple[int, int]


class Pattern(NamedTuple):
    """A compiled question. `sources` are the patterns as given; the next three say how they are meant."""

    sources: tuple[str, ...]
    regex: bool
    ignore_case: bool
    word: bool
    search: Callable[[str], bool]
    """Whether the pattern is found in a text."""
    spans: Callable[[str], list[Span]]
    """Where it is found: (start, end) in characters, ascending, without overlap and without empty ones."""
    anchors: tuple[Anchor, ...] | None
    """A line that matches meets one of these; None when nothing can be said about the bytes."""


def compile_pattern(
    patterns: list[str], *, regex: bool = False, ignore_case: bool = False, word: bool = False
) -> Pattern:
    """The question "is any of `patterns` in a text?"; an empty pattern is in every text.

    With `word` a match must not continue a word on either side. Word characters are those of `\\w`; Han, kana and
    bopomofo are written without spaces, so such a character never continues a word: 数据 is found in 查数据库, data
    in 查data库, but not in metadata.
    Raises UsageError for a regular expression that Python does not accept.
    """
    sources = tuple(dict.fromkeys(patterns))
    flags = re.MULTILINE | (re.IGNORECASE if ignore_case else re.NOFLAG)

    @cache
    def compiled() -> list[re.Pattern[str]]:
        if regex:
            return [_compiled(source, flags, word) for source in sources]
        return [re.compile(_bounded(re.escape(source), word), flags) for source in sources]

    plain = not (regex or ignore_case or word)
    search = _in(sources) if plain else _any(compiled())
    return Pattern(sources, regex, ignore_case, word, search, _spans(compiled), _anchors(sources, flags, regex))


def _compiled(source: str, flags: int, word: bool) -> re.Pattern[str]:
    import warnings

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # "possible nested set": for the author of a program, not for its user
            bare = re.compile(source, flags)
            return re.compile(*_lifted(source, bare.flags)) if word else bare
    except re.error as error:
        place = "" if error.pos is None else f" at character {error.pos + 1}"
        problem, position = error.msg, error.pos
    except (RecursionError, OverflowError, MemoryError):
        place, problem, position = "", "it is too large or nested too deep", None
    raise UsageError(
        f"The regular expression {source!r} is not valid{place}: {problem}. "
        "A character that is meant as itself takes a backslash before it.",
        pattern=source,
        position=position,
    )


def _lifted(source: str, flags: int) -> tuple[str, int]:
    """`source` as a whole word: flags set at its start hold for all of it and may only stand there, so they are moved
    into `flags`, where compiling put them; a comment at its end must not hide what follows."""
    body = re.sub(r"\A(?:\(\?[a-zA-Z]+\))+", "", source)
    return _bounded(body + "\n" if flags & re.VERBOSE else body, True), flags


def _bounded(expression: str, word: bool) -> str:
    if not word:
        return expression
    letter = rf"[^\W{UNSPACED}]"
    # -i: case means nothing here, and folding all of Han would take re 10 ms
    before = rf"(?-i:(?<!{letter})|(?=[{UNSPACED}]))"
    after = rf"(?-i:(?!{letter})|(?<=[{UNSPACED}]))"
    return f"{before}(?:{expression}){after}"


def _in(sources: tuple[str, ...]) -> Callable[[str], bool]:
    if len(sources) == 1:
        needle = sources[0]
        return lambda text: needle in text
    return lambda text: any(needle in text for needle in sources)


def _any(compiled: list[re.Pattern[str]]) -> Callable[[str], bool]:
    if len(compiled) == 1:
        search = compiled[0].search
        return lambda text: search(text) is not None
    return lambda text: any(each.search(text) for each in compiled)


def _spans(compiled: Callable[[], list[re.Pattern[str]]]) -> Callable[[str], list[Span]]:
    def spans(text: str) -> list[Span]:
        found = {match.span() for each in compiled() for match in each.finditer(text)}
        kept: list[Span] = []
        end = 0
        for start, stop in sorted(found, key=lambda span: (span[0], -span[1])):
            if start >= end and stop > start:
                kept.append((start, stop))
                end = stop
        return kept

    return spans


def _anchors(sources: tuple[str, ...], flags: int, regex: bool) -> tuple[Anchor, ...] | None:
    needed = _required(sources, flags) if regex else [(source, bool(flags & re.IGNORECASE)) for source in sources]
    if needed is None:
        return None
    found = dict.fromkeys(choose(literal, ignore_case) for literal, ignore_case in needed)
    anchors = tuple(anchor for anchor in found if anchor)
    return anchors if len(anchors) == len(found) <= MOST_ANCHORS else None


def _required(sources: tuple[str, ...], flags: int) -> list[tuple[str, bool]] | None:
    from memcli.search.required import required

    needs = [required(source, flags) for source in sources]
    if None in needs:
        return None
    return [(literal, need.ignore_case) for need in needs if need for literal in need.literals]
