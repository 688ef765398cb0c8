"""Secrets and personal data in a text: where they are, and of which kind; English and Chinese.

A rule looks for the form of a thing (a prefix, a check digit, a name in front of it); what is only odd or random is left
alone: ids, hashes, versions, dates. Every rule takes time in proportion to the length of the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from memcli.secrets.rule import Rule, whole

__all__ = ["KINDS", "Found", "Kind", "Rule", "configured", "find", "is_secret", "mask"]


class Kind(NamedTuple):
    """A kind of thing: `title` in words; `secret` tells what opens something from what is about a person."""

    title: str
    secret: bool


KINDS: Mapping[str, Kind] = {
    "private-key": Kind("private keys", True),
    "api-key": Kind("keys of services", True),
    "token": Kind("tokens", True),
    "credentials": Kind("passwords in addresses", True),
    "password": Kind("passwords", True),
    "secret": Kind("values of names such as secret or api_key", True),
    "email": Kind("e-mail addresses", False),
    "phone": Kind("telephone numbers", False),
    "id-number": Kind("Chinese resident id numbers", False),
    "card": Kind("bank card numbers", False),
    "ip": Kind("public network addresses", False),
    "user": Kind("user names in home folders", False),
}


class Found(NamedTuple):
    """One thing found at `text[start:end]`. `kind` is one of KINDS or the name of a configured pattern, `what` says it in
    a sentence ("a GitHub token"), `value` is the form in which two spellings of the same thing are the same."""

    start: int
    end: int
    kind: str
    what: str
    value: str


def find(
    text: str, *, more: Sequence[Rule] = (), kinds: Collection[str] | None = None, cut: bool = False
) -> list[Found]:
    """What is secret or personal in `text`, in order, never overlapping.

    `more` are configured rules, which go first; `kinds` keeps only those kinds. `cut`: lines may have been cut, as titles
    and previews are, so that one may end in half of a key.
    """
    hits = [*_hits(text, more, kinds), *(_halves(text, kinds) if cut else ())]
    return _apart(hits, text) if len(hits) > 1 else [hit for _, hit in hits]


def mask(text: str, label: Callable[[Found], str], *, more: Sequence[Rule] = (), cut: bool = False) -> str:
    """`text` with what `find` finds in it replaced by `label(found)`."""
    pieces = []
    place = 0
    for found in find(text, more=more, cut=cut):
        pieces += [text[place : found.start], label(found)]
        place = found.end
    return "".join([*pieces, text[place:]]) if pieces else text


def is_secret(kind: str) -> bool:
    """Whether a kind opens something, rather than being about a person; configured kinds are taken for secret."""
    return KINDS[kind].secret if kind in KINDS else True


def configured(patterns: Mapping[str, str]) -> tuple[Rule, ...]:
    """The rules for a user's own patterns, kind -> regular expression. Raises ValueError, whose text is a clause about what
    is wrong. How long such a pattern takes is up to its author."""
    return tuple(_configured(kind, pattern) for kind, pattern in patterns.items())


def _configured(kind: str, pattern: str) -> Rule:
    if not re.fullmatch(r"[^\W_](?:[\w-]{0,30}[^\W_])?", kind):
        raise ValueError(f"{kind!r} is no name for a kind: letters, digits and hyphens")
    try:
        compiled = re.compile(pattern)
    except (re.error, RecursionError, OverflowError) as error:
        raise ValueError(f"the pattern of {kind!r} is not valid: {error}") from error
    if compiled.match(""):
        raise ValueError(f"the pattern of {kind!r} matches where there is nothing")
    return Rule(kind, f"what the pattern {kind!r} finds", pattern, whole)


def _rules() -> Sequence[Rule]:
    from memcli.secrets import assigned, issued, personal, places

    return (*issued.RULES, *assigned.RULES, *personal.RULES, *places.RULES)


def _hits(text: str, more: Sequence[Rule], kinds: Collection[str] | None) -> Iterator[tuple[int, Found]]:
    """Every match of every rule, with the rule's rank."""
    lowered = text.replace("İ", "I").lower()  # that letter is the only one whose small form is longer
    for rank, rule in enumerate((*more, *_rules())):
        if kinds is not None and rule.kind not in kinds:
            continue
        for match in _matches(rule, text, lowered if rule.folded else text):
            span = rule.judge(match)
            if span and span[0] < span[1]:
                yield rank, Found(*span, rule.kind, rule.what, rule.plain(text[span[0] : span[1]]))


def _matches(rule: Rule, text: str, searched: str) -> Iterator[re.Match[str]]:
    if not rule.gates:
        yield from re.compile(rule.pattern).finditer(text)
    for gate in rule.gates:  # at memory speed; `re` would try its alternatives at every character
        place = searched.find(gate)
        while place >= 0:
            match = re.compile(rule.pattern).match(text, place)  # few texts come so far
            if match:
                yield match
            place = searched.find(gate, max(place + 1, match.end() if match else 0))


def _halves(text: str, kinds: Collection[str] | None) -> Iterator[tuple[int, Found]]:
    from memcli.secrets.issued import cut_short

    for start, end, kind in cut_short(text):
        if kinds is None or kind in kinds:
            yield 1 << 30, Found(start, end, kind, "what may be the beginning of one", text[start:end])


def _apart(hits: list[tuple[int, Found]], text: str) -> list[Found]:
    """Hits that overlap as one, of the kind of the first rule, so that nothing of either is to be seen; what looks like
    personal data only together with a secret beside it (`password@host`) is none."""
    kept: list[tuple[int, Found]] = []
    for rank, hit in sorted(hits, key=lambda pair: (pair[1].start, pair[0])):
        if not kept or hit.start >= kept[-1][1].end:
            kept.append((rank, hit))
            continue
        before, last = kept[-1]
        if is_secret(last.kind) and not is_secret(hit.kind):
            continue
        first = hit if rank < before else last
        start, end = min(last.start, hit.start), max(last.end, hit.end)
        values = {(one.start, one.end): one.value for one in (hit, last, first)}
        value = values.get((start, end), text[start:end])
        kept[-1] = min(rank, before), Found(start, end, first.kind, first.what, value)
    return [hit for _, hit in kept]
