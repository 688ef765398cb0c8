"""Text as HTML: everything escaped, control and bidirectional characters visible, the language told, code in code's type."""

from __future__ import annotations

import re
from html import escape

from memcli.output.export_words import exact
from memcli.output.safe_text import cell

LOOKED_AT = 4000
"""Characters by which the language of a text is told."""
FENCE = r"[ \t]{0,3}(`{3,}|~{3,})"


def inline(text: str) -> str:
    """`text` for a line; its direction does not reach what stands around it."""
    told = language(text)
    return f'<bdi lang="{told}">{escape(cell(text))}</bdi>' if told else f"<bdi>{escape(cell(text))}</bdi>"


def attribute(text: str) -> str:
    """`text` for an attribute in double quotes, or for a title."""
    return escape(cell(text))


def block(text: str, *, mono: bool = False) -> str:
    """`text` with every character of it where it was: a block that keeps blanks and lines, as prose or all as code."""
    kind = "text mono" if mono else "text"
    body = _escaped(text) if mono else _prose(text)
    return f'<div class="{kind}" lang="{language(text)}" dir="auto">{body}</div>'


def language(text: str) -> str:
    """The language that the script tells: "zh", "ja", "ko", or "" where it tells none. Fonts draw the same character
    differently for each."""
    if text.isascii():
        return ""
    looked = text[:LOOKED_AT]
    han = len(re.findall("[\u3400-\u9fff\uf900-\ufaff]", looked))
    kana = len(re.findall("[\u3041-\u30ff]", looked))
    hangul = len(re.findall("[\uac00-\ud7a3]", looked))
    if hangul > han + kana:
        return "ko"
    if 10 * kana > han + kana:  # a の alone makes no Japanese
        return "ja"
    return "zh" if han else ""


def _prose(text: str) -> str:
    """Prose with what stands in Markdown fences, the fences too, as code. No character is added or left out."""
    if "```" not in text and "~~~" not in text:
        return _escaped(text)
    pieces: list[str] = []
    held: list[str] = []
    fence = ""
    for line in text.splitlines(keepends=True) if "\n" in text else [text]:
        mark = re.match(FENCE, line)
        if not fence and mark:
            pieces.append(_escaped("".join(held)))
            held, fence = [line], mark[1]
            continue
        held.append(line)
        if fence and mark and mark[1].startswith(fence) and not line.strip().strip(fence[0]):
            pieces.append(f"<code>{_escaped(''.join(held))}</code>")
            held, fence = [], ""
    rest = _escaped("".join(held))
    return "".join([*pieces, f"<code>{rest}</code>" if fence else rest])


def _escaped(text: str) -> str:
    # a parser would make a newline of CR LF
    return escape(exact(text), quote=False).replace("\r", "&#13;")
