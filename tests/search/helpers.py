"""Records spelled at random, and the slow search that decodes every line, against which the fast one is held."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from memcli.search.pattern import Pattern

SHORT = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r", "\b": "\\b", "\f": "\\f"}


def spelled(text: str, rng: random.Random, escapes: float) -> str:
    """`text` as the inside of a JSON string: each character raw, with its short escape, or as \\uXXXX in any hex case;
    `escapes` is the chance of an escape that is not needed."""
    return "".join(_character(char, rng, escapes) for char in text)


def _character(char: str, rng: random.Random, escapes: float) -> str:
    wanted = rng.random() < escapes
    if char == "/":
        return rng.choice(["\\/", "\\u002f", "\\u002F"]) if wanted else "/"
    if char in SHORT and not wanted:
        return SHORT[char]
    if char < " " or "\ud800" <= char <= "\udfff" or wanted:
        units = char.encode("utf-16-be", "surrogatepass")
        return "".join(_hex(units[at : at + 2], rng) for at in range(0, len(units), 2))
    return char


def _hex(unit: bytes, rng: random.Random) -> str:
    digits = "".join(rng.choice([digit.lower(), digit.upper()]) for digit in unit.hex())
    return f"\\u{digits}"


def record(content: str, arguments: dict[str, str] | None, rng: random.Random) -> bytes:
    """A line whose arguments, if any, are JSON inside a JSON string, both spelled at random."""
    escapes = rng.choice([0, 0, 0.05, 0.5, 1])
    space = rng.choice(["", " "])
    line = f'{{"role":{space}"user",{space}"content":{space}"{spelled(content, rng, escapes)}"'
    if arguments is not None:
        inner_escapes = rng.choice([0, 0.05, 1])
        inner = ",".join(
            f'"{spelled(key, rng, inner_escapes)}":{space}"{spelled(value, rng, inner_escapes)}"'
            for key, value in arguments.items()
        )
        line += f',{space}"arguments":{space}"{spelled("{" + inner + "}", rng, escapes)}"'
    return (line + "}").encode()


def texts(raw: bytes) -> list[str] | None:
    """What a format would make of a line: its content, and the arguments as `key: value` lines."""
    try:
        value = json.loads(raw.replace(b"\0", b"").decode("utf-8", "replace"))
    except ValueError:
        return None
    if not isinstance(value, dict) or value.get("role") != "user":
        return []
    pieces = [value.get("content", "")]
    if "arguments" in value:
        pieces += _lines(value["arguments"])
    return ["\n".join(pieces)]


def _lines(arguments: str) -> list[str]:
    try:
        opened: Any = json.loads(arguments)
    except ValueError:
        return [arguments]
    return [f"{key}: {value}" for key, value in opened.items()]


def is_header(raw: bytes) -> bool:
    return raw.startswith(b'{"header"')


class Expected(NamedTuple):
    """What a search of one file has to find: (line, row, offset, raw) of each hit, and the unreadable lines."""

    hits: list[tuple[int, int, int, bytes]]
    unreadable: list[tuple[int, int, int]]
    containing: int


def oracle(
    data: bytes,
    pattern: Pattern,
    *,
    invert: bool = False,
    limit: int | None = None,
    read: Callable[[bytes], Sequence[str] | None] = texts,
) -> Expected:
    """Decode every line of `data` and look at the texts."""
    hits: list[tuple[int, int, int, bytes]] = []
    unreadable: list[tuple[int, int, int]] = []
    containing = offset = row = 0
    leading = True
    for number, raw in enumerate(data.split(b"\n"), 1):
        place, offset = offset, offset + len(raw) + 1
        if raw in (b"", b"\r"):
            continue
        leading = leading and is_header(raw)
        if leading:
            continue
        row += 1
        found = read(raw)
        if found is None and not raw.strip(b"\0"):
            continue  # nothing but NUL: no text that could be missed
        if found is None:
            unreadable.append((number, place, len(raw)))
            containing += pattern.search(raw.decode("utf-8", "replace"))
        elif found and any(pattern.search(text) for text in found) is not invert:
            hits.append((number, row, place, raw))
            if len(hits) == limit:
                break
    return Expected(hits, unreadable, containing)


def joined(lines: Iterable[bytes], rng: random.Random) -> bytes:
    """Lines as a file: blank ones and carriage returns strewn in, the last newline perhaps missing."""
    data = b""
    for line in lines:
        data += rng.choice([b"", b"", b"", b"\n", b"\r\n", b"\n\n"])
        data += line + rng.choice([b"\n", b"\n", b"\r\n"])
    return data if rng.random() < 0.7 else data.removesuffix(b"\n")
