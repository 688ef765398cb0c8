"""The one sanitizer: nothing that came from a file reaches a terminal, a pipe or a log without passing here.

What a terminal would obey (ESC, other C0 and C1 controls, CR, bidirectional overrides, invisible tags) is shown as an
escape such as `\\x1b` or `\\u202e`. Lone surrogates, which cannot be encoded, are shown the same way.
"""

from __future__ import annotations

import re

# Bidirectional controls, line and paragraph separators, interlinear marks, byte order mark, tags: invisible, and able to
# reorder or hide what stands around them. Joiners (200C, 200D) and variation selectors stay: emoji and scripts need them.
_ODD = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u180e\u200e\u200f\u2028-\u202e\u2061-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff"
    "\U000e0000-\U000e007f"
)
# Strings, not compiled: most runs meet nothing odd, and re keeps what it compiled.
_DOCUMENT = f"[{_ODD}]"
_CELL = f"[{_ODD}\t\n]"
_FIELD = f"[{_ODD}\t\n\\\\]"
_JSON = "[\x7f-\x9f\u061c\u180e\u200e\u200f\u2028-\u202e\u2061-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff]|[\U000e0000-\U000e007f]"


def document(text: str) -> str:
    """`text` for a page: newlines and tabs stay, everything a terminal would obey is made visible."""
    if text.isprintable():
        return text
    return re.sub(_DOCUMENT, _show, text)


def cell(text: str) -> str:
    """`text` for one line of a page: as `document`, with newlines and tabs shown as a space."""
    if text.isprintable():
        return text
    return re.sub(_CELL, _show_cell, text)


def field(text: str) -> str:
    """`text` for a tab-separated column: `\\t`, `\\n` and `\\\\` escaped, so that a script gets the text back whole."""
    if text.isprintable() and "\\" not in text:
        return text
    return re.sub(_FIELD, _show_field, text)


def json_text(line: str) -> str:
    """A line of JSON with the characters of `document` as \\u escapes: the same value, and harmless when looked at."""
    if line.isprintable():
        return line
    return re.sub(_JSON, _show_json, line)


def pasted(command: str, encoding: str = "utf-8") -> str:
    """A command line, quoted for a shell, that is still the same command when it is copied from a terminal: words with
    something that a terminal would obey, or that `encoding` lacks, are written byte by byte, as bash, zsh and ksh read it."""
    if _is_safe(command, encoding):
        return command
    import shlex

    words = shlex.split(command)
    return " ".join(shlex.quote(word) if _is_safe(word, encoding) else _in_bytes(word) for word in words)


def _is_safe(text: str, encoding: str) -> bool:
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return False
    return cell(text) == text


def _in_bytes(word: str) -> str:
    try:
        raw = word.encode("utf-8", "surrogateescape")  # a path with bytes that are not UTF-8
    except UnicodeEncodeError:
        raw = word.encode("utf-8", "surrogatepass")
    plain = (chr(byte) if 32 <= byte < 127 and byte not in b"\\'" else f"\\x{byte:02x}" for byte in raw)
    return f"$'{''.join(plain)}'"


def encode(text: str, encoding: str = "utf-8") -> bytes:
    """The bytes to write for sanitized text; what the encoding lacks is shown as an escape, never an error."""
    return text.encode(encoding, "backslashreplace")


def _show(match: re.Match[str]) -> str:
    point = ord(match[0])
    if point == 0x0D:
        return "\\r"
    return f"\\x{point:02x}" if point < 0x100 else f"\\u{point:04x}" if point < 0x10000 else f"\\U{point:08x}"


def _show_cell(match: re.Match[str]) -> str:
    return " " if match[0] in "\t\n" else _show(match)


def _show_field(match: re.Match[str]) -> str:
    plain = {"\t": "\\t", "\n": "\\n", "\\": "\\\\"}.get(match[0])
    return plain if plain is not None else _show(match)


def _show_json(match: re.Match[str]) -> str:
    point = ord(match[0])
    if point < 0x10000:
        return f"\\u{point:04x}"
    point -= 0x10000
    return f"\\u{0xD800 | point >> 10:04x}\\u{0xDC00 | point & 0x3FF:04x}"
