"""A fact as one line of Markdown that is nothing but text: no heading, list, fence, comment or label begins in it."""

from __future__ import annotations

import re


def one_line(text: str) -> str:
    """The text as one line. White space of any kind becomes one blank, characters that do not show or turn the direction of
    writing are left out, marks that a model put before the fact go, and what else would mean something to Markdown where a
    line begins is escaped. It changes nothing when it is applied once more."""
    plain = _UNSEEN.sub("", _CONTROL.sub(" ", text)).translate(_LONE)
    line = _COMMENT.sub("&lt;!--", _TICKS.sub("`", " ".join(plain.split())))
    while (bare := _BOLD.sub(r"\1", _MARK.sub("", line)).strip()) != line:
        line = bare
    return _MEANING.sub(r"\\\g<0>", _NUMBER.sub(r"\1\\\2", line))


_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f]")
_UNSEEN = re.compile("[\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]")
_LONE = dict.fromkeys(range(0xD800, 0xE000), "\ufffd")
_COMMENT = re.compile("<!--")
_TICKS = re.compile("`{3,}")
_MARK = re.compile(r"^(?:[-*+•](?: |$)|~{3,}|(?:[-_*=] ?){3,}$)")
"""A list mark, a fence or a rule: no part of the fact."""
_BOLD = re.compile(r"^\*\*([^*]+)\*\*")
"""Bold words at the beginning would be read as the label of the fact."""
_NUMBER = re.compile(r"^(\d{1,9})([.)])(?= |$)")
_MEANING = re.compile(r"^(?:#{1,6}(?= |$)|>|\[[^\]]*\]:)")
"""A heading, a quotation, the definition of a link."""
