"""What must hold for a masked copy: the same findings, and no run of six characters of the original text."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from memcli.core.examining import Examination, Target
from memcli.core.mask_names import Names
from memcli.core.masking import Masker
from memcli.damage.foreign_type import MAGIC
from memcli.formats import vocabulary
from memcli.model import Finding, Workspace
from memcli.storage.decode import decode

RUN = 6


def told(finding: Finding) -> tuple[Any, ...]:
    """All of a finding but its words."""
    return (
        *(finding.code, finding.severity, finding.repair, finding.flag),
        *(finding.line, finding.row, finding.offset, finding.length),
    )


def findings(folder: Path, case: dict[str, Any], name: str, raw: bytes) -> list[tuple[Any, ...]]:
    """What is found in one file of rows."""
    path = folder / name
    path.write_bytes(raw)
    os.utime(path, (1_700_000_000, 1_700_000_000))
    workspace = Workspace(case["agent"], str(folder), (str(folder),), era=case.get("era", ""))
    target = Target(str(path), str(path), case.get("kind", "session"), workspace)
    found = [hit.finding for hit in Examination(target).hits()]  # as verify, which knows no options
    return sorted(map(told, found), key=repr)


def same_findings(tmp_path: Path, case: dict[str, Any], raw: bytes) -> bytes:
    """Mask the file of a case; what is found in it must be the same. Returns the masked bytes."""
    name = case.get("name", "chat.jsonl")
    workspace = Workspace(case["agent"], str(tmp_path), (str(tmp_path),), era=case.get("era", ""))
    masker = Masker(vocabulary(case["agent"]))
    masker.learn(raw)
    masked = masker.rows(raw)
    other = Names(masker, workspace).path(name, [name])
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    before = findings(tmp_path / "one", case, name, raw)
    after = findings(tmp_path / "two", case, other, masked)
    assert after == before, masked.decode("utf-8", "replace")
    return masked


def leaks(raw: bytes, masked: bytes, agent: str) -> set[str]:
    """The runs of the original text that are still there, the agent's own words aside."""
    return runs(texts(raw, agent)) & runs([*texts(masked, agent, every=True)])


def texts(raw: bytes, agent: str, every: bool = False) -> Iterator[str]:
    """What anybody said in a file of rows: strings of its records, and lines that give none, as text."""
    if foreign := next((magic for magic, _ in MAGIC if raw.startswith(magic)), b""):
        raw = raw[len(foreign) :]
    wide = max(raw[start::2].count(0) for start in (0, 1)) > len(raw) // 8 and b"\0\0\0\0" not in raw
    narrow = ("utf-8",) if b"\xff" not in raw else ("utf-8", "gb18030")
    for encoding in ("utf-16-le" if raw[1::2].count(0) > raw[::2].count(0) else "utf-16-be",) if wide else narrow:
        text = raw.decode(encoding, "ignore")
        for line in text.split("\n"):
            values = decode(line.encode("utf-8", "surrogatepass")).values
            yield from strings(values, agent, "")
            if not values:
                yield from around(line, agent)


def strings(value: Any, agent: str, member: str) -> Iterator[str]:
    words = vocabulary(agent)
    if isinstance(value, dict):
        for name, inner in value.items():
            if name not in words.names:
                yield name
            yield from strings(inner, agent, name)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from strings(inner, agent, member)
    elif isinstance(value, str) and member not in words.times and not (member in words.kinds and value in words.words):
        yield value


def around(line: str, agent: str) -> Iterator[str]:
    """The words of a line that cannot be read, those aside that agents write."""
    line = re.sub(r"\\u([0-9a-fA-F]{4})", lambda code: _said(int(code[1], 16)), line)
    line = re.sub(r"\\(?:u[0-9a-fA-F]{0,3})?$", "\n", line)  # an escape that was cut
    for pattern in own(agent):
        line = pattern.sub("\n", line)
    line = re.sub(r"[\"']\d{4}-\d\d-\d\d[T ][0-9:.Z]*[\"']?", "\n", line)
    line = re.sub(r"(?:^|(?<=[:,\[\n])) *(-?\d{1,5}|null|true|false|None|True|False) *(?=[,}\]\r]|$)", "\n", line)
    line = re.sub(r": *(?:tru?|fals?|fal?|nul?|[tfn])$", "\n", line)  # cut
    line = re.sub(r"^(?:rue|ue|alse|lse|se|ull|ll|[el])(?=[,}\]])", "\n", line)
    yield from re.split(r"[\n{}\[\]\"'\0]", line)


def _said(code: int) -> str:
    return chr(code) if code > 31 else "\n"


@cache
def own(agent: str) -> tuple[re.Pattern[str], ...]:
    """The agent's names and words between quotes, and what a cut leaves of them."""
    words = vocabulary(agent)
    known = sorted(words.names | words.words, key=len, reverse=True)
    heads = sorted({one[:size] for one in known for size in range(4, len(one) + 1)}, key=len, reverse=True)
    tails = sorted({one[-size:] for one in known for size in range(4, len(one) + 1)}, key=len, reverse=True)
    return (
        re.compile(f"[\"'](?:{'|'.join(known)})[\"']"),
        re.compile(f"[\"'](?:{'|'.join(heads)})(?=$|{{)"),
        re.compile(f"(?:^|(?<=}}))(?:{'|'.join(tails)})[\"']"),
    )


def runs(found: Iterator[str] | list[str]) -> set[str]:
    made = set()
    for text in found:
        made |= {text[place : place + RUN] for place in range(len(text) - RUN + 1)}
    return {run for run in made if any(one.isalnum() for one in run)}
