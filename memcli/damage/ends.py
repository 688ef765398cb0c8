"""The damage that the first and the last bytes of a file show: listings must not read whole files."""

from __future__ import annotations

from typing import Any

from stringzilla import count  # three times as fast as bytes.count, and a listing asks for every file

from memcli.model import Decoded
from memcli.storage.decode import decode, loads, loads_many

WINDOW = 4096
"""How many bytes of each end are looked at."""
BOTH = 2 * WINDOW

_FOREIGN = (
    b"\x1f\x8b",
    b"PK\x03\x04",
    b"SQLite format 3\0",
    b"%PDF-",
    b"\x7fELF",
    b"\x89PNG",
    b"\xff\xd8\xff",
    b"GIF8",
)


def is_clean(head: bytes, tail: bytes, size: int) -> bool:
    """Whether both ends of a file of `size` bytes look like whole records, one a line.

    The last line is parsed; of the others the first and the last byte count. A file that lies whole in the two windows
    is parsed.
    """
    if size <= BOTH:
        return is_clean_whole(head if size <= WINDOW else head + tail[BOTH - size :])
    return _framed(head, True) and _framed(tail, False) and _ends_well(tail)


def is_clean_whole(whole: bytes, thorough: bool = True) -> bool:
    """The same of a whole file that is no longer than the two windows: it is parsed when `thorough`; else it is when a line
    seems to begin a second time behind its start."""
    if thorough:
        return whole_values(whole) is not None
    if whole[:1] != b"{" or 0 in whole or whole[-2:] != b"}\n":
        return False
    lines = count(whole, b"\n")
    start = whole.find(b"\n") + 1
    words = whole[start : whole.find(b":", start) + 1]  # what the second line begins with, and nearly always all others
    telling = 4 < len(words) < 40
    alike = telling and count(whole, b"}\n" + words) == lines - 1
    if not alike and count(whole, b"}\n{") != lines - 1:
        return False
    if telling and len(whole) <= WINDOW:
        inside = count(whole, words) - (lines - 1 if alike else count(whole, b"\n" + words))
        if inside and _is_spliced(whole, words, inside) and whole_values(whole) is None:
            return False
    return _ends_well(whole)


def whole_values(whole: bytes) -> list[Any] | None:
    """The JSON objects of a whole small file, one a line; None when it is anything else, however little."""
    if not _framed(whole, True) or whole[-2:] != b"}\n":
        return None
    lines = whole.count(b"\n")
    try:
        values = loads_many(whole) if lines > 1 else [loads(whole)]
    except (ValueError, RecursionError):
        return None
    return values if len(values) == lines else None


def _is_spliced(whole: bytes, words: bytes, inside: int) -> bool:
    """Whether some of the `inside` places in lines where `words` stand are not the beginning of an object in a list."""
    for before in (b"[", b",", b", "):
        inside -= count(whole, before + words)
        if not inside:
            return False
    return True


def _ends_well(window: bytes) -> bool:
    """Whether the last line of a window is a whole record."""
    if window[-2:] != b"}\n":
        return False
    try:
        loads(window[window.rfind(b"\n", 0, -1) + 1 :])
    except (ValueError, RecursionError):
        return False
    return True


def _framed(window: bytes, start: bool) -> bool:
    """Whether every newline of a window stands between two braces; `start`: the window begins with a line."""
    if 0 in window or (start and window[:1] != b"{"):
        return False
    return bool(count(window, b"}\n{") == count(window, b"\n") - (window[-1:] == b"\n"))


def codes(head: bytes, tail: bytes, size: int) -> list[str]:
    """The damage codes that the two windows of a file of `size` bytes show, the gravest first."""
    if not size:
        return ["empty-file"]
    found = _whole_file(head, tail)
    if found:
        return found
    if head.startswith(b"\xef\xbb\xbf"):
        found.append("bom")
        head = head[3:]
    if b"\0" * 8 in head or b"\0" * 8 in tail:
        found.append("nul-run")
    found += _lines(head, tail, size)
    return list(dict.fromkeys(found))


def _whole_file(head: bytes, tail: bytes) -> list[str]:
    if not head.strip(b"\0") and not tail.strip(b"\0"):
        return ["nul-run"]
    if head.startswith(_FOREIGN):
        return ["foreign-type"]
    if head.startswith((b"\xff\xfe", b"\xfe\xff")) or _every_other_is_nul(head):
        return ["utf16"]
    if head.lstrip()[:1] == b"[" and b"\n{" not in head[:1024]:
        return ["json-document"]
    return []


def _every_other_is_nul(head: bytes) -> bool:
    sample = head[:200]
    return len(sample) >= 8 and b"\0" in (sample[:1], sample[1:2]) and sample.count(b"\0") >= len(sample) // 3


def _lines(head: bytes, tail: bytes, size: int) -> list[str]:
    """Flaws of the lines that lie whole in a window, and of the end of the file."""
    *ended, last = head.split(b"\n")
    end: list[str] = []
    if size > WINDOW:
        # what the head window ends with was cut by it, not by a crash; the tail's first piece began before it
        begun, *more = tail.split(b"\n")
        ended += more[:-1]
        last = more[-1] if more else b""
        end = [] if more else _long_end(begun)
    found: list[str] = []
    for line in ended:
        if line not in (b"", b"\r"):
            found += line_codes(decode(line))
    if last.strip(b"\0"):
        end = end_codes(decode(last))
    return found + end


def _long_end(piece: bytes) -> list[str]:
    """What the end of a last line longer than the window tells: no newline, and perhaps no closing brace."""
    text = piece.rstrip(b"\0 \t\r")
    if not text:
        return []
    return ["missing-final-newline" if text.endswith(b"}") else "torn-tail"]


def line_codes(line: Decoded) -> list[str]:
    """The documented codes for what decoding one line reported."""
    if line.flaw:
        return [line.flaw]
    return [] if all(isinstance(value, dict) for value in line.values) else ["not-a-record"]


def end_codes(line: Decoded) -> list[str]:
    """The documented codes for a last line without a newline: whole, or cut off."""
    if line.values:
        return [*line_codes(line), "missing-final-newline"]
    return [line.flaw] if line.flaw in _NOT_FROM_A_CUT else ["torn-tail"]


_NOT_FROM_A_CUT = ("nul-run", "oversize-line", "too-deep", "huge-number")
