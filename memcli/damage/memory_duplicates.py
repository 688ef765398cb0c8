"""Facts and whole blocks that stand in a memory file more than once."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise

from memcli.damage.framework import Class, TextSnapshot
from memcli.damage.remembered import Block, Remembered, listed, plain, read
from memcli.model import Action, Edit, Finding
from memcli.storage.memory_rules import MemoryRules

SCOPE = "text"
CLASSES = (
    Class(
        "memory-duplicates",
        "the same thing remembered more than once",
        "info",
        "report",
        looks="A fact stands more than once under the same subject, but for case, list marks, articles and punctuation; or a "
        "block that the agent appended has four fifths of its words, and all its numbers, in common with an earlier one under "
        "the same heading.",
        does="Nothing: it says in which lines; which of them to keep is for whoever knows. What differs in a number, a name or a "
        "'not' is never taken for the same.",
    ),
)
[TWICE] = CLASSES
LISTED = 100
"""So many of them are told one by one."""
COMPARED = 32
"""A block is compared with so many before it."""
SHARE = 0.8
WORDS = 8
"""Blocks with fewer words are too short to be compared."""
_WORD = re.compile(
    r"[a-z0-9][\w./:@#+%-]*[a-z0-9+#%]|[a-z0-9]"
    r"|[^\W\x00-\u2fff]"  # of Chinese each character
    r"|[^\W\x00-\x7f\u3000-\u9fff]+"
    r"|[^\w\s\x00-\x7f\u2010-\u201f\u2026\u3000-\u303f\uff00-\uffef]|[?!<>=+*/@#$%^&~|-]"  # signs that are no punctuation
)
_ARTICLES = frozenset(("the", "a", "an", "的"))
NOT = frozenset(
    (
        *(
            "not",
            "no",
            "never",
            "without",
            "cannot",
            "cant",
            "dont",
            "doesnt",
            "didnt",
            "isnt",
            "arent",
            "wasnt",
            "wont",
        ),
        *("shouldnt", "neither", "nor", "不", "没", "无", "别", "勿", "非", "未"),
    )
)
"""Words that turn what is said into its opposite."""
_APOSTROPHES = str.maketrans("", "", "'\u2019")
_ABOUT_USER = re.compile(r"(?:the\s+)?user\s+(?=\S+\s+\S)|(?:该)?用户(?=..)")


def detect(snapshot: TextSnapshot) -> Iterator[Finding]:
    """A finding for each block and for each fact that repeats an earlier one."""
    rules = snapshot.rules
    if rules is None:
        return
    entries, blocks = facts(snapshot)
    found = [*_blocks(snapshot, entries, blocks)]
    repeated = {finding.line for finding in found}
    found += _facts(snapshot, [one for one in entries if one.block not in repeated])
    yield from found[:LISTED]
    if len(found) > LISTED:
        rest = len(found) - LISTED
        message = f"{rest:,} more stand there more than once."
        yield TWICE.finding(snapshot.path, message, data={"more": rest - 1})


def mend(snapshot: TextSnapshot, finding: Finding) -> list[Edit | Action]:
    """Nothing is changed."""
    return []


def facts(snapshot: TextSnapshot) -> tuple[list[Remembered], list[Block]]:
    """The lines of a memory file that are facts, and the agent's blocks: without headings, what the agent begins a new file with,
    lines that say nothing, and comments."""
    rules = snapshot.rules or MemoryRules()
    entries, blocks = read(snapshot)
    idle = re.compile(rules.fillers, re.IGNORECASE) if rules.fillers else None
    template = {plain(one) for one in rules.template}
    kept = [
        one
        for one in entries
        if not one.leads
        and one.plain not in template
        and not (idle and idle.search(one.text))
        and not one.text.startswith("<!--")
    ]
    return kept, blocks


def repeated_facts(snapshot: TextSnapshot, entries: Sequence[Remembered]) -> list[list[Remembered]]:
    """Those of `entries` that say the same under the same subject, each time two or more, in the order of the file."""
    labels = {plain(one) for one in snapshot.rules.categories} if snapshot.rules else set()
    alike: defaultdict[tuple[tuple[str, ...], str], list[Remembered]] = defaultdict(list)
    for entry in entries:
        same = key(entry.plain, labels)
        if same:
            alike[entry.subject, same].append(entry)
    return [group for group in alike.values() if len(group) > 1]


def key(said: str, labels: set[str]) -> str:
    """What two spellings of one fact have in common: its words in their order, without articles, a label that sorts it and
    the user as its subject. "" where nothing is left."""
    label, colon, rest = said.partition(":")
    if colon and label.strip() in labels and rest.strip():
        said = rest.strip()
    words = [word for word in in_words(_ABOUT_USER.sub("", said, count=1)) if word not in _ARTICLES]
    return " ".join(words)


def _facts(snapshot: TextSnapshot, entries: Sequence[Remembered]) -> list[Finding]:
    found = []
    for group in repeated_facts(snapshot, entries):
        exact = len({one.plain for one in group}) == 1
        how = "word for word" if exact else "but for articles, labels or punctuation"
        lines = [one.number for one in group]
        message = f"The same stands {len(group):,} times, {how}: lines {listed(lines)}."
        second = group[1]
        found.append(
            TWICE.finding(
                snapshot.path,
                message,
                line=second.number,
                offset=second.offset,
                length=second.length,
                data={"lines": lines[:LISTED], "times": len(group), "exact": exact},
            )
        )
    return found


def _blocks(snapshot: TextSnapshot, entries: Sequence[Remembered], blocks: Sequence[Block]) -> Iterator[Finding]:
    """Blocks under the same heading, its date included, of which one says what the other says."""
    words: defaultdict[int, set[str]] = defaultdict(set)
    for entry in entries:
        if entry.block:
            words[entry.block] |= _words(entry.plain)
    before: defaultdict[str, list[Block]] = defaultdict(list)
    for block in blocks:
        mine = words[block.number]
        for other in before[block.plain][-COMPARED:]:
            share = _common(mine, words[other.number])
            if share >= SHARE:
                message = (
                    f"{share:.0%} of its words, and all numbers, are those of the block in line {other.number}, which has the "
                    "same heading and date."
                )
                data = {"lines": [other.number, block.number], "times": 2, "exact": mine == words[other.number]}
                yield TWICE.finding(
                    snapshot.path, message, line=block.number, offset=block.offset, length=block.length, data=data
                )
                break
        before[block.plain].append(block)


def in_words(said: str) -> list[str]:
    """The words of a line in the form `plain` in their order, of Chinese each character, and the signs that are no
    punctuation."""
    return _WORD.findall(said.translate(_APOSTROPHES))


def _words(said: str) -> set[str]:
    """The words of a line; of Chinese, two characters at a time."""
    found = in_words(said)
    pairs = {a + b for a, b in pairwise(found) if len(a) == len(b) == 1 and a > "\u2fff" < b}
    return pairs | {word for word in found if word < "\u3000" or word in NOT}


def _common(one: set[str], other: set[str]) -> float:
    """The share of the shorter one's words that the longer one has as well; 0 where one is too short, has a number that the
    other lacks, or says "not" where the other does not."""
    short, long = sorted((one, other), key=len)
    if len(short) < WORDS or (short & NOT) != (long & NOT):
        return 0.0
    if any(any(map(str.isdigit, word)) and word not in long for word in short):
        return 0.0
    return len(short & long) / len(short)
