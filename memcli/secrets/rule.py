"""What a rule is, and the small judgements by which rules tell a secret from a word, a placeholder or a piece of code."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

RIGHT = r"(?![A-Za-z0-9])"
Span = tuple[int, int]


class Rule(NamedTuple):
    """One way to find one kind of thing.

    `pattern` is a regular expression that reads no character of a text more often than some fixed number of times. It is
    tried where one of `gates` stands (small letters, when `folded`), which it must begin with; without gates it is searched
    for, and had better begin with a set of characters. `judge` has the last word on a match: the span of what is to be
    masked, which may begin before the match; None when it is none. `plain` gives the form in which two spellings of one
    value are the same. Patterns are kept as text: most are never needed.
    """

    kind: str
    what: str
    pattern: str
    judge: Callable[[re.Match[str]], Span | None]
    gates: tuple[str, ...] = ()
    folded: bool = False
    plain: Callable[[str], str] = str


def whole(match: re.Match[str]) -> Span:
    """All of a match, or its group `v`."""
    return match.span("v" if "v" in match.re.groupindex else 0)


def before(match: re.Match[str], length: int) -> str:
    """The text in front of a match, at most so many characters."""
    return match.string[max(match.start() - length, 0) : match.start()]


def when(accept: Callable[[str], bool]) -> Callable[[re.Match[str]], Span | None]:
    """A judge that takes what `accept` takes, where it does not begin inside a word."""

    def judge(match: re.Match[str]) -> Span | None:
        start, end = whole(match)
        return (start, end) if stands_apart(match) and accept(match.string[start:end]) else None

    return judge


def stands_apart(match: re.Match[str]) -> bool:
    """Whether a match begins where a token may: not inside a word, but behind an escaped newline or a percent escape."""
    front = before(match, 3)
    if not front or not front[-1].isascii() or not (front[-1].isalnum() or front[-1] == "_"):
        return True
    return front[-2:] in ("\\n", "\\r", "\\t") or (len(front) == 3 and front[0] == "%")


def is_random(text: str) -> bool:
    """Whether a text that stands where a token stands is one: letters mixed with digits or of both cases, no placeholder."""
    kinds = (any(c.isdigit() for c in text), any(c.islower() for c in text), any(c.isupper() for c in text))
    return sum(kinds) >= 2 and len(set(text)) >= 6 and not is_placeholder(text)


def is_placeholder(text: str) -> bool:
    """Whether a value only holds the place of one: `<token>`, `${KEY}`, `xxxx`, `[email-1]`, `your-key-here`."""
    if len(text) > 3 and len(set(text)) == 1 and not text.isdigit():
        return True
    return re.search(_PLACEHOLDER, text, re.IGNORECASE) is not None


def is_wordy(text: str) -> bool:
    """Whether a text is made of words, as the names in a program are: `access_token_v2`, `getToken`, `settings.key`.

    Random letters change case, or turn into digits, far more often than words do.
    """
    words = re.findall(r"[A-Z]?[a-z]+|[A-Z]+", text)
    letters = sum(map(len, words))
    digits = sum(map(str.isdigit, text))
    joints = sum(text.count(c) for c in "_.:/-$")
    return (
        bool(words)
        and letters + digits + joints == len(text)
        and letters >= 3 * len(words)
        and digits <= len(words) + 1
    )


def is_compound(text: str) -> bool:
    """Whether a text joins parts, as only names in a program do: `user_password`, `userPassword`, `self.password`."""
    return re.search(r"[a-z][A-Z]|[A-Za-z0-9][_.:/][A-Za-z]", text) is not None


def is_technical(text: str) -> bool:
    """Whether a text is a version, a date, a time, the name of an algorithm, a path or an address."""
    return re.fullmatch(_TECHNICAL, text, re.IGNORECASE) is not None or re.match(_PATH, text) is not None


def entropy(text: str) -> float:
    """Shannon's entropy in bits for each character."""
    from collections import Counter
    from math import log2

    total = len(text)
    return -sum(count / total * log2(count / total) for count in Counter(text).values())


_PLACEHOLDER = (
    r"^[\[<{]|^\$\w+$|\$[{(]|\{\{|^%[a-z]$|^%\w+%$|\*{3}|\.{3}|…|x{6}|^your[-_ ]|[-_]here$|example|placeholder|redacted"
    r"|change[-_]?me|dummy|^(?:(?:my|some|the|test|fake|your)[-_]?)?(?:secret|token|password|api)(?:[-_]?(?:key|token))?$"
)
_TECHNICAL = (
    r"v?\d+(?:\.\d+)+(?:[-+][a-z0-9.]+)?"
    r"|\d{2,4}[-/.]\d{1,2}[-/.]\d{1,4}(?:[T ].*)?|\d{1,2}:\d\d(?::\d\d)?"
    r"|(?:hmac-?|pbkdf2[-_]?)?(?:md5|sha-?\d{1,3}|sha3-\d{3}|bcrypt|scrypt|argon2(?:id|i|d)?|pbkdf2|aes-?\d{3}(?:-[a-z]{3})?"
    r"|base(?:32|58|64)|utf-?8|oauth2?|rsa-?\d{4}|ed25519|rs256|hs256|es256|e2e|2fa|mfa|u2f|fido2|web3|http2|ipv[46])"
)
_PATH = r"(?:[a-z][a-z0-9+.-]{1,15}://|\.{0,2}/|~/|[A-Za-z]:\\|\\\\|arn:)"
