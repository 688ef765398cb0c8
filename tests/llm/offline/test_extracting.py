"""Single lines of many kinds of people, each with how the assistant replied: what lasts, and what is only said."""

from __future__ import annotations

import json
from typing import Any

import pytest
from support import remembered

from memcli.llm import offline
from memcli.llm.offline.segments import CJK
from memcli.model import Batch, Entry, Item

LINES = [json.loads(line) for line in (remembered.SETS / "lines.jsonl").read_text(encoding="utf-8").splitlines()]


def ask(line: dict[str, Any]) -> list[Item]:
    return offline.extract(Batch((Entry(1, f"[user] {line['said']}\n[assistant] {line['reply']}"),)))


def of(language: str) -> list[dict[str, Any]]:
    return [line for line in LINES if (CJK.search(line["said"]) is not None) is (language == "zh")]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_most_of_what_lasts_is_kept_as_what_it_is(language: str) -> None:
    lasting = [line for line in of(language) if "layer" in line]
    kept = [(line, ask(line)) for line in lasting]
    kept = [(line, items) for line, items in kept if items]
    right = [line for line, items in kept if any(item.category == line["category"] for item in items)]
    placed = [line for line, items in kept if any(item.layer == line["layer"] for item in items)]
    assert len(kept) >= 0.8 * len(lasting)
    assert len(right) >= 0.9 * len(kept)
    assert len(placed) >= 0.95 * len(kept)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_hardly_anything_that_is_only_said_is_kept(language: str) -> None:
    said = [line for line in of(language) if "layer" not in line]
    assert len([line for line in said if ask(line)]) <= 0.08 * len(said)
