"""Files with all that anybody said replaced by filler: every byte keeps its place, and damage stays the damage that it is.

What stays are the marks of JSON, the names and kinds that the agent itself writes, times, small numbers, and all bytes that
are no text. What is not surely structure is text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator

from memcli.core.fillers import Filler, Runs, Unit, spare
from memcli.core.lexing import Span, spans
from memcli.core.recounting import checked
from memcli.damage import utf16
from memcli.damage.foreign_type import MAGIC
from memcli.formats.words import Vocabulary
from memcli.storage.screen import is_check

LONG = 6
"""A number of so many digits may tell something."""


class Masker:
    """Masks the files of one bundle with one key. `learn` must have had all files before the first is masked."""

    def __init__(self, words: Vocabulary, key: bytes | None = None) -> None:
        self.words = words
        self.runs = Runs()
        self.filler = Filler(self.runs, key)

    def learn(self, raw: bytes) -> None:
        """Take all text of a file, so that no six characters of it come out again by chance."""
        if not _magic(raw):
            text, _ = _decoded(raw)
            self.runs.learn(text)
            if "\\" in text:
                self.runs.learn("".join(character for character, _ in _pieces(text)))

    def rows(self, raw: bytes) -> bytes:
        """A file of rows, whatever its lines are."""
        return self._file(raw, self._lines)

    def prose(self, raw: bytes, own: Collection[int] = ()) -> bytes:
        """A file of text: marks and blanks stay, the agent's own headings, and the lines with the numbers `own`, which the
        agent itself wrote."""

        def masked(text: str) -> str:
            lines = enumerate(text.split("\n"), 1)
            return "\n".join(
                line if number in own or self._is_heading(line) else self.filler.text(line) for number, line in lines
            )

        return self._file(raw, masked)

    def cursor(self, raw: bytes) -> bytes:
        """A cursor file: a number or a time stays, and an id in hexadecimal digits becomes another."""
        text, encoding = _decoded(raw)
        kept = _POSITION.match(text)
        if kept:
            text = kept[0] + self._lines(text[kept.end() :])
        elif _HEX.fullmatch(text.strip()):
            text = self.filler.hexadecimal(text)
        else:
            text = self._lines(text)
        return _encoded(text, encoding)

    def name(self, text: str) -> str:
        """Filler for a key or a name: the same as in the rows."""
        return "".join(self.filler.fill(Unit(one, spare(one) if one.isalnum() else None) for one in text))

    def line(self, text: str) -> str:
        """One line of a file of rows."""
        marker = _MARKER.match(text)
        if marker:
            return marker[0] + self.filler.text(text[marker.end() :])
        if _CHECK.fullmatch(text):  # a checksum that does not match, or nothing that anybody said
            return self.filler.hexadecimal(text)
        made: list[str] = []
        place = 0
        for span in spans(text):
            made.append(text[place : span.start])  # a quote
            made.append(self._string(text, span) if span.string else self._between(text, span))
            place = span.end
        return "".join([*made, text[place:]])

    def _file(self, raw: bytes, mask: Callable[[str], str]) -> bytes:
        magic = _magic(raw)
        if magic:
            return magic + bytes(len(raw) - len(magic))
        text, encoding = _decoded(raw)
        return _encoded(mask(text), encoding)

    def _lines(self, text: str) -> str:
        made: list[str] = []
        before = ""
        for line in text.split("\n"):
            if made and is_check(_encoded(line, ""), _encoded(before, "")):
                made[-1], check = checked(line, before, made[-1], self.runs)
                made.append(check)
            else:
                made.append(self.line(line))
            before = line
        return "\n".join(made)

    def _is_heading(self, line: str) -> bool:
        """Whether a line is a heading with nothing but words of the agent and dates in it."""
        if not line.startswith("#"):
            return False
        said = re.sub(r"\d{4}-\d\d-\d\d(?: \d\d:\d\d)?", " ", line).strip("# \r").casefold()
        parts = [part.strip() for part in re.split(r" [—–-]+(?= |$)", said)]
        return all(part in self.words.headings for part in parts if part)

    def _string(self, line: str, span: Span) -> str:
        text = line[span.start : span.end]
        words = self.words
        if span.place == "name" and _is_known(text, words.names, span):
            return text
        if span.member in words.times and (_TIME_CUT if span.cut or span.headless else _TIME).fullmatch(text):
            return text
        if span.member in words.kinds and not span.headless and _is_known(text, words.words, span):
            return text
        return self._filled(text)

    def _filled(self, text: str) -> str:
        """Filler for the inside of a string; escapes stay escapes."""
        pieces = list(_pieces(text))
        fillers = self.filler.fill(Unit(character, _others(character, form)) for character, form in pieces)
        return "".join(_written(filler, form) for filler, (_, form) in zip(fillers, pieces, strict=True))

    def _between(self, line: str, span: Span) -> str:
        """What stands outside strings: marks, plain values, and whatever does not belong there."""
        made: list[str] = []
        place = span.start
        for found in _OUTSIDE.finditer(line, span.start, span.end):
            made.append(line[place : found.start()])
            place = found.end()
            word = found[0]
            if found["number"] and _stands_alone(line, found.start(), found.end()):
                made.append(self._number(word, span.member))
            elif found["text"] and _is_literal(line, found.start(), found.end()):
                made.append(word)
            else:
                made.append("".join(self.filler.fill(Unit(one, None if one in _HARD else spare(one)) for one in word)))
        return "".join([*made, line[place : span.end]])

    def _number(self, word: str, member: str) -> str:
        if member in self.words.numbers and len(word) <= LONGEST_NUMBER:
            return word
        if member in self.words.times and _SECONDS.fullmatch(word):
            return word
        return re.sub(rf"\d{{{LONG},}}", lambda digits: self.filler.number(digits[0]), word)


def _is_known(text: str, known: frozenset[str], span: Span) -> bool:
    """Whether a string is one of these words, or what a cut left of one."""
    if text in known:
        return True
    if span.headless:
        return any(word.endswith(text) for word in known)
    return span.cut and any(word.startswith(text) for word in known)


def _stands_alone(line: str, start: int, end: int) -> bool:
    """Whether a plain value stands where JSON has one."""
    before, behind = line[:start].rstrip(_BLANKS)[-1:], line[end:].lstrip(_BLANKS)[:1]
    return before in _BEFORE and behind in _BEHIND


def _is_literal(line: str, start: int, end: int) -> bool:
    word = line[start:end]
    if word in _LITERALS:
        return _stands_alone(line, start, end)
    before, behind = line[:start].rstrip(_BLANKS)[-1:], line[end:].lstrip(_BLANKS)[:1]
    if before == ":" and behind in ("", "{"):  # the rest of it was cut away, or stands behind what was put in between
        return any(literal.startswith(word) for literal in _LITERALS)
    return before == "}" and behind in _BEHIND and any(literal.endswith(word) for literal in _LITERALS)


def _pieces(text: str) -> Iterator[tuple[str, str]]:
    """The characters of a string's inside, each with the form in which it is written."""
    for found in _PIECE.finditer(text):
        form = found[0]
        if form[0] != "\\" or len(form) == 1:
            yield form, ""
        elif form[1] == "u" and len(form) < ESCAPE:  # a cut went through it
            yield from (("\\", KEPT), ("u", KEPT), *((digit, f"x{digit}") for digit in form[2:]))
        elif form[1] == "u":
            units = bytes.fromhex(form.replace("\\u", ""))
            yield units.decode("utf-16-be", "surrogatepass"), form
        elif form[1] in _SHORT:
            yield _SHORT[form[1]], form
        else:  # no escape, and none is made of it
            yield from (("\\", KEPT), (form[1], NEVER))


def _others(character: str, form: str) -> str | None:
    if form == KEPT or (not form and character in _MARKS):
        return None
    if form == NEVER or form[:1] == "x":
        return ""
    return "".join(_SHORT.values()) if form and form[1] != "u" else spare(character)


def _written(character: str, form: str) -> str:
    if form in ("", KEPT):
        return character
    if form[0] == "x":
        digit = "0123456789abcdef"[ord(character) % 16]
        return digit if digit != form[1] else "0123456789abcdef"[ord(character) % 16 - 1]
    if form == NEVER:
        return character.upper() if character in "bfnrtu" else character
    if form[1] != "u":
        return "\\" + _LETTERS[character]
    units = character.encode("utf-16-be", "surrogatepass").hex()
    units = units.upper() if re.search("[A-F]", form) else units
    return "".join("\\u" + units[place : place + 4] for place in range(0, len(units), 4))


def _decoded(raw: bytes) -> tuple[str, str]:
    """A file's text, every byte of it, and its encoding."""
    encoding = utf16.encoding(raw[: 64 << 10])
    if encoding:
        try:
            return raw.decode(encoding, "surrogatepass"), encoding
        except UnicodeDecodeError:  # half a character at the end: it is kept as it is
            pass
    return raw.decode("utf-8", "surrogateescape"), ""


def _encoded(text: str, encoding: str) -> bytes:
    return text.encode(encoding, "surrogatepass") if encoding else text.encode("utf-8", "surrogateescape")


def _magic(raw: bytes) -> bytes:
    return next((magic for magic, _ in MAGIC if raw.startswith(magic)), b"")


ESCAPE = 6
KEPT, NEVER = "=", "!"
"""Forms of characters that are written as they are: one that must stay, one behind a backslash that begins no escape."""
_MARKS = "\"\\'"
LONGEST_NUMBER = 7
"""A longer number under the name of an id may be one that somebody can be reached by."""
_CLOCK = r"(?:[T ][0-9:.]{0,16}(?:Z|[+-][0-9:]{0,5})?)?"
_TIME = re.compile(rf"(?:\d{{4}}-\d\d?-\d\d?{_CLOCK})?")
_TIME_CUT = re.compile(rf"\d{{0,4}}(?:-\d{{0,2}}){{0,2}}{_CLOCK}|[0-9:.]{{0,16}}(?:Z|[+-][0-9:]{{0,5}})?")
_SECONDS = re.compile(r"1\d{9}(?:\d{3}){0,3}(?:\.\d+)?")
_HARD = frozenset("{}[]:,\"'\\")
_BLANKS = " \t\r\ufeff\0"
_BEFORE = ("", ":", ",", "[")
_BEHIND = ("", ",", "]", "}")
_LITERALS = ("true", "false", "null", "NaN", "Infinity", "-Infinity", "True", "False", "None")
_SHORT = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_LETTERS = {character: letter for letter, character in _SHORT.items()}
_PIECE = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\u[0-9a-fA-F]{0,3}|\\[^u]|.",
    re.DOTALL,
)
_OUTSIDE = re.compile(
    r"(?P<number>-?\d+(?:\.\d+)?(?:[eE][+-]?\d*)?(?![^\s{}\[\],:\"]))|(?P<text>[^\s{}\[\],:\"\0\ufeff]+)"
)
_MARKER = re.compile(r"(?:<{7}|={7}|\|{7}|>{7})(?=[ \r]|$)")
_CHECK = re.compile(r"[ \t]*\"?(?=[0-9a-f]*[a-f])[0-9a-f]{8}\"?[ \t\r]*")
_POSITION = re.compile(r"\s*(?:\d{4}-\d\d-\d\d[T ][0-9:.+Z-]*|[+-]?\d{1,18})")
_HEX = re.compile(r"[0-9a-f]{8}-[0-9a-f-]{27}|[0-9a-f]{16,64}")
