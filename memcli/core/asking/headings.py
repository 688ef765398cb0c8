"""Answers in the form that the designs asked for: facts as list items below headings that tell the layer or the category."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from memcli.llm.offline.judging import first
from memcli.llm.offline.signals import signals
from memcli.memory import blocks
from memcli.storage.memory_shape import Label, Shape

LAYERS, CATEGORIES = ("user", "project"), ("decision", "fact", "preference", "pattern")
TITLES = {"user": "## User Profile", "project": "## Project Context"}


class Bullet(NamedTuple):
    """One fact; `layer` and `category` are never empty: where no heading tells, they are what the words look like."""

    text: str
    layer: str
    category: str


class Rendered(NamedTuple):
    """An answer under headings. `faults` are what is missing or empty, `stray` lines that stand under no heading."""

    bullets: tuple[Bullet, ...]
    faults: tuple[str, ...]
    stray: tuple[str, ...]


def rendered(text: str) -> Rendered | None:
    """The answer, None for one that has none of the headings."""
    sections, categories = _told(text)
    if not sections and not categories:
        return None
    block = blocks.Block(blocks.OWN, b"", b"", text.encode("utf-8", "replace"), 1)
    bullets: list[Bullet] = []
    stray: list[str] = []
    filled: set[str] = set()
    for item in blocks.items(block, Shape(labels=LABELS, plain=True)):
        fact = " ".join(item.text.split())
        if not item.section and not item.category:
            stray.append(fact)
            continue
        filled |= {item.section, item.category}
        if not says_nothing(fact):
            bullets.append(
                Bullet(fact, item.section or guess_layer(fact, item.category), item.category or guess_category(fact))
            )
    faults = [
        f"the heading {title} is missing" for layer, title in TITLES.items() if sections and layer not in sections
    ]
    faults += [f"nothing stands under {TITLES[layer]}, not even (nothing)" for layer in sections if layer not in filled]
    if not sections and not bullets and not filled & set(categories):
        faults.append("nothing stands under any of the headings, not even (nothing)")
    return Rendered(tuple(bullets), tuple(faults), tuple(stray))


def says_nothing(text: str) -> bool:
    """Whether a line, or a whole answer, says that there is nothing to say."""
    return _NOTHING.fullmatch(text.strip()) is not None


def layer_of(word: object) -> str:
    """The layer that a model's word means, "" for none."""
    return next((label.section for label in _named(word) if label.section), "")


def category_of(word: object) -> str:
    """The category that a model's word means, "" for none."""
    return next((label.category for label in _named(word) if label.category), "")


def guess_layer(text: str, category: str) -> str:
    """The layer of a fact that nobody sorted: what speaks of the user, or says how somebody likes it, is the user's."""
    own = signals(text)
    if category == "preference" and not _USER.match(text):
        return "project" if own.project and not own.across else "user"
    return "user" if _USER.match(text) or own.speaker or own.self_fact else "project"


def guess_category(text: str) -> str:
    """The category of a fact that nobody sorted, as the offline reader would have it."""
    said = _PERSON.sub(r"\1", _USER.sub("", text))
    for subject in ("", "I ", "我"):
        own = signals(subject + said[:300])
        reading = first(own, own, signals(""))
        if reading:
            return reading.category
    return "fact"


def _named(word: object) -> Iterator[Label]:
    if isinstance(word, str) and len(word) <= 40:
        plain = word.strip().replace("_", " ").replace("-", " ")
        yield from (label for label in LABELS if re.fullmatch(label.pattern, plain, re.IGNORECASE))


def _told(text: str) -> tuple[list[str], list[str]]:
    """The layers and the categories for which there is a heading or a label, in order."""
    sections: list[str] = []
    categories: list[str] = []
    for found in _TITLE.finditer(text):
        words = next(group for group in found.groups() if group is not None)
        sections += [layer] if (layer := layer_of(words.strip(" *_:：#"))) else []
        categories += [category] if (category := category_of(words.strip(" *_:：#"))) else []
    return sections, categories


LABELS = (
    Label(r"(?:the )?user(?: profile| information| info)?|about the user", section="user"),
    Label(r"用户(?:画像|档案|资料|信息|概况|简介)?|关于用户|个人(?:信息|资料)", section="user"),
    Label(r"(?:the )?project(?: context| information| info)?|about the project", section="project"),
    Label(r"项目(?:背景|上下文|信息|情况|概况|资料)?|关于项目", section="project"),
    Label(r"(?:key )?decisions?(?: made)?|(?:关键|重要)?(?:决策|决定)", "decision"),
    Label(r"(?:key )?facts?(?: learned)?|(?:已知|学到的|了解到的|关键|新)?事实", "fact"),
    Label(r"preferences?|偏好|喜好", "preference"),
    Label(r"user preferences?|用户(?:的)?(?:偏好|喜好)", "preference", "user"),
    Label(r"patterns?|(?:行为)?模式|规律|习惯", "pattern"),
)
"""Headings and labels of the designs, as models write them."""
_TITLE = re.compile(r"^ {0,3}#{1,6}[ \t]+([^\n]{1,60})$|^\s*(?:[-*+]\s+)?\*\*([^*\n]{1,60})\*\*", re.MULTILINE)
_USER = re.compile(r"^\W*(?:the )?user(?:'s)?\b\s*|^\W*(?:该|此|本)?用户", re.IGNORECASE)
_PERSON = re.compile(r"^\W*(prefer|like|love|hate|dislike|want|use|work|live|need|avoid|speak)s\b", re.IGNORECASE)
_NOTHING = re.compile(
    r"[-*+\s]*[*_]*[(（\[]?\s*(?:nothing(?: (?:new|else|here|to (?:add|keep|report|remember|note|store)))*"
    r"|none|n/?a|empty|no (?:(?:new|significant|notable|explicit|important|further|lasting|relevant) )*"
    r"(?:(?:key )?(?:decisions?|facts?|preferences?|patterns?|information|updates?|items?|entries|content|changes)"
    r"(?:, (?:or |and )?| or | and )?)+(?: (?:here|found|yet|learned|made|in this batch|in these entries))*"
    r"|\[\s*\]|(?:暂|目前|当前)?(?:无|没有|暂无)(?:任何|新的?|重要的?|明确的?|显著的?|值得记录的?)*"
    r"(?:(?:关键)?(?:内容|信息|事实|决策|决定|偏好|模式|更新|变化|记录)[、和或/]?)*|空)\s*[)）\]]?[*_]*[.。]?",
    re.IGNORECASE,
)
