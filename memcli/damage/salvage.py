"""The one verdict on a damaged line: which class it is, which whole records it holds, what must be cut away.

Nothing is guessed: a record comes out only when all its bytes are there, and every byte of it is kept. What was tried
against this, and why no repair library is used, is told in docs/decisions/0006-own-salvager.md.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from itertools import islice, pairwise
from typing import Any, NamedTuple

from memcli.damage import grammar
from memcli.damage.grammar import Walk, walk
from memcli.damage.pieces import SEPARATORS, Piece, gaps, pieces, whole_at, without
from memcli.damage.rewriting import python_repr
from memcli.model import Decoded, Line
from memcli.storage.screen import is_check
from memcli.storage.shapes import Shapes

RUN = 8
"""So many NUL in a row are filler; fewer of them inside a string are characters."""
JOINED = 16 << 20
"""A record that is spread over several lines is put together up to so many bytes."""

Cut = tuple[int, int, bytes]
"""(start, end, what stands there afterwards), in bytes from the start of the line."""


class Verdict(NamedTuple):
    """What is wrong with a line, and what would make it right.

    `code` names the class. `cuts` are in order and do not overlap; () with `records` 0 means that nothing can be done
    but to take the line away, () with `records` 1 that it is to be left alone. `records` is how many whole records the
    line then holds, `before` how many a strict reader found in it. `fragments` are the parts of cut records that are
    cut away. `lines` is how many physical lines the verdict is on, `length` their bytes without the last newline.
    `members` are whole members of the fragment. `detail` is a clause that tells more. `keeps` tells that the last record
    stands at the end of the line.
    """

    code: str
    cuts: tuple[Cut, ...] = ()
    records: int = 0
    before: int = 0
    fragments: tuple[tuple[int, int], ...] = ()
    lines: int = 1
    length: int = 0
    members: dict[str, Any] = {}  # noqa: RUF012  (never changed)
    detail: str = ""


def judge(
    line: Line,
    decoded: Decoded,
    shapes: Callable[[], Shapes],
    following: Callable[[], Iterable[Line]],
    before: bytes = b"",
    checks: int = 0,
) -> Verdict:
    """The verdict on a line that is no clean record. `shapes` and `following` are asked for only when they are needed.

    `before` is the line before it, and `checks` how many lines so far were the CRC-32 of the line before them.
    """
    raw = line.raw
    if raw is None:
        return Verdict("oversize-line", length=line.length)
    found = _judge(raw, decoded, shapes, following, line.ended)
    if found.code == "not-a-record" and before and _CHECK.fullmatch(raw) and (checks or _checks_follow(following)):
        found = Verdict("checksum-mismatch", records=1, before=1)
    return found if found.length else found._replace(length=len(raw))


def _judge(
    raw: bytes, decoded: Decoded, shapes: Callable[[], Shapes], following: Callable[[], Iterable[Line]], ended: bool
) -> Verdict:
    values, flaw = decoded
    if flaw in _LEFT_ALONE or (flaw == "oversize-line"):
        return Verdict(flaw, records=len(values), before=len(values))
    if not flaw and len(values) == 1:
        if isinstance(values[0], dict):
            return Verdict("", records=1, before=1)
        return _no_record(raw, values[0], shapes)
    text = raw.decode("latin-1")
    if flaw == "cr-in-record":
        return Verdict(flaw, _returns(text), 1)
    if "\0" in text:
        return _with_nul(text, shapes)
    if flaw == "raw-control" and len(values) == 1 and isinstance(values[0], dict):
        return Verdict(flaw, _escapes(text), 1)
    if flaw == "bom" and len(values) == 1 and isinstance(values[0], dict):
        return Verdict(flaw, ((0, 3, b""),), 1)
    found = pieces(text, shapes())
    if found:
        return _with_pieces(text, found, shapes())
    return _without_pieces(raw, text, flaw, shapes, following, ended)


_LEFT_ALONE = ("lone-surrogate", "duplicate-keys", "too-deep", "nan", "huge-number")


def _with_pieces(text: str, found: list[Piece], shapes: Shapes) -> Verdict:
    """Records with nothing, with junk or with the rest of a cut record around them."""
    left = gaps(text, found)
    if not left:
        if len(found) == 1:
            return Verdict("junk-around-record", _alone(text, found), 1)
        if _parted_by_cr(text, found):
            return Verdict("lone-cr", _alone(text, found, len(text)), len(found))
        return Verdict("glued-lines", _alone(text, found), len(found))
    outer = without(text, found)
    if len(left) > 1 and outer.lstrip(SEPARATORS).startswith("{"):
        whole = whole_at(outer, outer.index("{"))
        if whole and not outer[whole.end :].strip(SEPARATORS) and shapes.fits(whole.value):
            return _interleaved(text, found, outer)
    members: dict[str, Any] = {}
    fragments = []
    for start, end in left:
        if _is_fragment(text[start:end]):
            fragments.append((start, end))
            members = members or walk(text, start).members
    code = "spliced-line" if fragments else "junk-around-record"
    return Verdict(code, _alone(text, found), len(found), 0, tuple(fragments), members=members)


def _alone(text: str, found: list[Piece], end: int | None = None) -> tuple[Cut, ...]:
    """Cuts that leave the pieces, each on a line of its own."""
    if end is None:
        end = len(text) - text.endswith("\r")  # the CR of a CRLF file stays
    cuts: list[Cut] = []
    place = 0
    for number, piece in enumerate(found):
        between = b"\n" if number else b""
        if piece.start > place or between:
            cuts.append((place, piece.start, between))
        place = piece.end
    if place < end:
        cuts.append((place, end, b""))
    return tuple(cuts)


def _parted_by_cr(text: str, found: list[Piece]) -> bool:
    return all("\r" in text[one.end : other.start] for one, other in pairwise(found))


def _interleaved(text: str, found: list[Piece], outer: str) -> Verdict:
    """Records inside a record: they come behind it, each on a line of its own."""
    inner = "".join("\n" + text[piece.start : piece.end] for piece in found).encode("latin-1")
    cuts: list[Cut] = [(piece.start, piece.end, b"") for piece in found]
    end = len(text) - text.endswith("\r")
    return Verdict("interleaved-lines", (*cuts, (end, end, inner)), 1 + len(found))


def _with_nul(text: str, shapes: Callable[[], Shapes]) -> Verdict:
    """NUL bytes: filler between records is cut away, a few of them inside a string are characters."""
    bare = text.strip("\0 \t\r")
    if not bare:
        return Verdict("nul-run", ((0, len(text), b""),), detail="only", fragments=())
    known = shapes()
    found = pieces(text, known)
    if not found and "\0" * RUN not in text:
        step = walk(text, _first(text), raw=True)
        if step.whole:
            return Verdict("raw-control", _escapes(text), 1)
    fragments: list[tuple[int, int]] = []
    members: dict[str, Any] = {}
    inside = False
    for start, end in gaps(text, found):
        step = walk(text, start, raw=True)
        inside = inside or (step.whole or ("\0" in text[start:end] and step.at >= end))
        for match in islice(_BETWEEN_NUL.finditer(text, start, end), MANY_FRAGMENTS - len(fragments)):
            fragments.append(match.span())
            members = members or walk(text, match.start()).members
    if inside and not found:
        return Verdict("nul-run", fragments=tuple(fragments), members=members, detail="inside")
    return Verdict("nul-run", _alone(text, found), len(found), 0, tuple(fragments), members=members)


def _escapes(text: str) -> tuple[Cut, ...]:
    """A cut for each control character inside strings; one for all of them where they are very many."""
    found = list(islice(grammar.escaped(text), MANY_ESCAPES + 1))
    if len(found) <= MANY_ESCAPES:
        return tuple(found)
    return ((0, len(text), grammar.with_escapes(text).encode("latin-1")),)


def _returns(text: str) -> tuple[Cut, ...]:
    """A cut for each CR inside the record; one for all of them where they are very many. None stands in a string."""
    start, end = text.index("{"), text.rindex("}")
    found = [(match.start(), match.end(), b"") for match in re.finditer(r"\r", text[start:end])]
    if len(found) > MANY_ESCAPES:
        return ((start, end, text[start:end].replace("\r", "").encode("latin-1")),)
    return tuple((start + one, start + other, new) for one, other, new in found)


def _without_pieces(
    raw: bytes,
    text: str,
    flaw: str,
    shapes: Callable[[], Shapes],
    following: Callable[[], Iterable[Line]],
    ended: bool,
) -> Verdict:
    """No whole record: perhaps one that lacks next to nothing, or goes on in the next line, or was cut."""
    start = _first(text)
    step = walk(text, start)
    if text[start : start + 1] == "{":
        # the end of a file is where records are cut: there a record that lacks only its brackets may lack members too
        mended = (
            (_completed(text, step, shapes) if ended else None) or _comma(text, start, shapes) or _python(raw, shapes)
        )
        if mended:
            return mended
        if ended:
            joined = _joined(raw, text, start, shapes, following)
            if joined:
                return joined
        if step.sound and not step.whole:
            return Verdict("torn-line", fragments=((start, len(text)),), members=step.members)
        if not _is_utf8(raw):
            return Verdict("invalid-utf8", members=step.members)
        return Verdict("broken-record", members=step.members)
    if not _is_utf8(raw):
        return Verdict("invalid-utf8")
    if flaw == "utf16":
        return Verdict("not-json", detail="utf16")
    if _is_rest(text):
        return Verdict("torn-line", fragments=((0, len(text)),), detail="head")
    return Verdict("not-json")


def _completed(text: str, step: Walk, shapes: Callable[[], Shapes]) -> Verdict | None:
    if not (step.sound and step.closed and step.closers) or step.in_string:
        return None
    end = len(text.rstrip(" \t\r"))
    whole = whole_at(text[:end] + step.closers, _first(text))
    if whole is None or not shapes().same(whole.value):
        return None
    return Verdict("missing-brace", ((end, end, step.closers.encode()),), 1)


def _comma(text: str, start: int, shapes: Callable[[], Shapes]) -> Verdict | None:
    spare = grammar.spare_commas(text)
    if not spare:
        return None
    cuts = tuple((place, place + 1, b"") for place in spare)
    kept = "".join(text[a:b] for a, b in zip([0, *(p + 1 for p in spare)], [*spare, len(text)], strict=True))
    whole = whole_at(kept, start)
    if whole is None or kept[whole.end :].strip(" \t\r") or not shapes().fits(whole.value):
        return None
    return Verdict("trailing-comma", cuts, 1)


def _python(raw: bytes, shapes: Callable[[], Shapes]) -> Verdict | None:
    if not _PYTHON.search(raw):
        return None
    written = python_repr(raw, shapes().spaced)
    return None if written is None else Verdict("python-repr", ((0, len(raw), written),), 1)


def _joined(
    raw: bytes, text: str, start: int, shapes: Callable[[], Shapes], following: Callable[[], Iterable[Line]]
) -> Verdict | None:
    """The record that begins on this line and goes on in the next ones, its newlines raw."""
    step = walk(text + "\n", start, raw=True)
    if not step.sound or step.whole:
        return None
    held = [raw]
    size = len(raw)
    work = 0
    in_string = step.in_string
    for line in following():
        if line.raw is None or size + len(line.raw) > JOINED or _begins_record(line.raw, shapes):
            return None
        held.append(line.raw)
        size += len(line.raw) + 1
        # only where a quote that ends the string, or a bracket outside strings, stands can the record come to its end
        if not (_QUOTE.search(line.raw) if in_string else b"}" in line.raw or len(held) == 2):
            continue
        work += size
        if work > 2 * JOINED:
            return None
        text = b"\n".join(held).decode("latin-1")
        step = walk(text if line.ended is False else text + "\n", start, raw=True)
        if not step.sound:
            return None
        in_string = step.in_string
        if step.whole:
            return _put_together(text, len(held), shapes)
    return None


def _put_together(text: str, lines: int, shapes: Callable[[], Shapes]) -> Verdict | None:
    escapes = list(grammar.escaped(text))
    inside = {start for start, _, _ in escapes}
    outside: list[Cut] = [(place, place + 1, b"") for place in _newlines(text) if place not in inside]
    cuts = sorted([*escapes, *outside])
    made = []
    place = 0
    for begin, end, escape in cuts:
        made.append(text[place:begin] + escape.decode())
        place = end
    mended = "".join([*made, text[place:]])
    whole = whole_at(mended, _first(mended))
    if whole is None or mended[whole.end :].strip(" \t\r") or not shapes().fits(whole.value):
        return None
    code = "raw-control" if any(text[begin] == "\n" for begin in inside) else "split-record"
    return Verdict(code, tuple(cuts), 1, lines=lines, length=len(text))


def _no_record(raw: bytes, value: Any, shapes: Callable[[], Shapes]) -> Verdict:
    """JSON that is no object: an array of records is taken apart."""
    if isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
        text = raw.decode("latin-1")
        found = [piece for piece in _elements(text) if shapes().fits(piece.value)]
        if len(found) == len(value):
            return Verdict("not-a-record", _alone(text, found), len(found), 0, detail="array")
    return Verdict("not-a-record", before=1, detail=type(value).__name__)


def _elements(text: str) -> list[Piece]:
    found: list[Piece] = []
    place = text.index("[") + 1
    while len(found) < MANY_ELEMENTS:
        place = _first(text, place)
        piece = whole_at(text, place) if text[place : place + 1] == "{" else None
        if piece is None:
            break
        found.append(piece)
        place = _first(text, piece.end)
        place += text[place : place + 1] == ","
    return found


MANY_ELEMENTS = 1 << 19
MANY_FRAGMENTS = 1000
MANY_ESCAPES = 10_000
_BLANK = re.compile(r"[ \t\r\n]*")
_BETWEEN_NUL = re.compile(r"[^\0]+")
_PYTHON = re.compile(rb"^\s*\{\s*'|[:\[,{] ?(?:True|False|None|')")
_QUOTE = re.compile(rb'(?<!\\)(?:\\\\)*+"')
_CHECK = re.compile(rb'\s*"?(?:[0-9]{1,10}|[0-9a-fA-F]{8})"?\s*')
_MEMBER = re.compile(r'"\s*:|\\"|"\s*[,}\]]')


def _first(text: str, place: int = 0) -> int:
    match = _BLANK.match(text, place)
    end = match.end() if match else place
    return end + 3 if text.startswith("\xef\xbb\xbf", end) else end


def _newlines(text: str) -> list[int]:
    return [match.start() for match in re.finditer("\n", text)]


def _is_fragment(text: str) -> bool:
    """Whether a text is part of a record and no other words."""
    return text.startswith(("{", '"')) or _MEMBER.search(text) is not None


def _is_rest(text: str) -> bool:
    """Whether a text is a record whose beginning is gone: it closes a brace, and a member stands before that."""
    return text.rstrip(" \t\r").endswith("}") and re.search(r'"\s*:', text) is not None


def _begins_record(raw: bytes, shapes: Callable[[], Shapes]) -> bool:
    """Whether a line is a record of its own, or begins as one: the record before it does not go on in it."""
    from memcli.storage.decode import decode

    if raw[:1] != b"{":
        return False
    values = decode(raw).values
    return bool(values) and isinstance(values[0], dict) and shapes().fits(values[0])


def _is_utf8(raw: bytes) -> bool:
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _checks_follow(following: Callable[[], Iterable[Line]]) -> bool:
    """Whether the second line behind is the CRC-32 of the first one."""
    two = list(islice(following(), 2))
    return len(two) == 2 and is_check(two[1].raw or b"", two[0].raw or b"")
