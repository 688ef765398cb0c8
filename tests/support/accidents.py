"""nanobot sessions after accidents: one to three of them at once, drawn by chance from a seed."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

from support import damaging
from support.chats import NANOBOT, spaced
from support.mending import Chat

Accident = Callable[[random.Random, list[bytes]], None]
"""Changes the lines of a file, of which the first is the header."""
ODD = ([[1, 2]], None, 7, "text", True, [], {}, {"a": 1}, ["user"])
JUNK = (
    *(
        b"",
        b"  ",
        b"null",
        b"7",
        b"[1, 2]",
        b"{}",
        b"INFO ready",
        b"{'a': True}",
        b"\0" * 600,
        b"\xff\xfe",
        b"abc \xe9",
    ),
    *("文本".encode("gbk"), b'{"role": "user", "content": "\\ud83d"}', b'{"role": "user", "content": "x", "n": NaN}'),
    *(b'{"role": "user", "content": ' + b"1" * 5000 + b"}", b"[" * 3000 + b"]" * 3000, b"<<<<<<< HEAD"),
    b'{"_type": "note", "x": 1}',
    b'{"role": "user", "content": "a\xe2\x80\xa8b\xc2\x85c"}',
)


def chat(key: str, turns: int, era: str) -> Chat:
    """A healthy session of so many turns, each with a tool call."""
    header = json.loads(NANOBOT.lines[0]) | {"key": key}
    if era == "E2":
        del header["last_archived"]
    rows: list[dict[str, Any]] = []
    for number in range(turns):
        call = {"id": f"c{number}", "type": "function", "function": {"name": "exec", "arguments": '{"a": "}{"}'}}
        said: list[dict[str, Any]] = [
            {"role": "user", "content": f"问题 {number} {{"},
            {"role": "assistant", "content": "", "tool_calls": [call]},
            {"role": "tool", "tool_call_id": f"c{number}", "name": "exec", "content": '{"role": "user"}'},
            {"role": "assistant", "content": f"答案 {number} 👩\u200d💻"},
        ]
        for row in said:
            rows.append(row | {"timestamp": f"2026-05-20T10:{len(rows):02d}:00.200000"})
    return Chat("nanobot", "", (spaced(header), *map(spaced, rows)), era=era)


def offset(chance: random.Random, lines: list[bytes]) -> None:
    values = (1, 3, len(lines) - 1, len(lines), 999, -3, "2", None, True, 2.5, [1], 10**30)
    names = ("last_consolidated", "last_archived")
    _change(lines, 0, {chance.choice(names): chance.choice(values)})


def header(chance: random.Random, lines: list[bytes]) -> None:
    name = chance.choice(("created_at", "updated_at", "metadata", "key"))
    _change(lines, 0, {name: chance.choice((*ODD, "", "yesterday"))})


def no_header(chance: random.Random, lines: list[bytes]) -> None:
    del lines[0]


def second_header(chance: random.Random, lines: list[bytes]) -> None:
    lines.insert(chance.randrange(1, len(lines) + 1), lines[0])


def role(chance: random.Random, lines: list[bytes]) -> None:
    _change(lines, chance.randrange(1, len(lines)), {"role": chance.choice(ODD)})


def member(chance: random.Random, lines: list[bytes]) -> None:
    name = chance.choice(("content", "tool_calls", "tool_call_id", "timestamp", "role"))
    _change(lines, chance.randrange(1, len(lines)), {name: chance.choice((*ODD, [{"function": "f"}], ...))})


def cut(chance: random.Random, lines: list[bytes]) -> None:
    at = chance.randrange(len(lines))
    lines[at] = lines[at][: chance.randrange(len(lines[at]))] if lines[at] else b"{"


def tail(chance: random.Random, lines: list[bytes]) -> None:
    del lines[chance.randrange(1, len(lines)) :]
    lines[-1] = lines[-1][: chance.randrange(1, len(lines[-1]) + 1)] if lines[-1] else b"{"


def glue(chance: random.Random, lines: list[bytes]) -> None:
    at = chance.randrange(len(lines) - 1)
    lines[at : at + 2] = [chance.choice((b"", b" ", b",", b"\r", b"\0")).join(lines[at : at + 2])]


def splice(chance: random.Random, lines: list[bytes]) -> None:
    at = chance.randrange(len(lines) - 1)
    lines[at : at + 2] = [lines[at][: chance.randrange(len(lines[at]) + 1)] + lines[at + 1]]


def junk(chance: random.Random, lines: list[bytes]) -> None:
    lines.insert(chance.randrange(len(lines) + 1), chance.choice(JUNK))


def state(chance: random.Random, lines: list[bytes]) -> None:
    value = chance.choice(({"kind": "k", "provider": "p", "model": "m", "version": 1, "payload": {}}, {"x": 1}, None))
    lines.insert(chance.randrange(len(lines) + 1), spaced({"_type": "provider_state", "state": value}))


def byte(chance: random.Random, lines: list[bytes]) -> None:
    at = chance.randrange(len(lines))
    place = chance.randrange(len(lines[at]) + 1)
    lines[at] = (
        lines[at][:place] + chance.choice((b"\xff", b"\0", b"\t", b"\r", b'"', b"\xe4")) + lines[at][place + 1 :]
    )


def lost(chance: random.Random, lines: list[bytes]) -> None:
    del lines[chance.randrange(1, len(lines))]


def twice(chance: random.Random, lines: list[bytes]) -> None:
    lines.insert(chance.randrange(1, len(lines)), chance.choice(lines[1:]))


def endings(chance: random.Random, lines: list[bytes]) -> None:
    end = chance.choice((b"\r", b"\n", b" ", b","))
    for at in range(len(lines)):
        lines[at] += end


def mark(chance: random.Random, lines: list[bytes]) -> None:
    lines[0] = b"\xef\xbb\xbf" + lines[0]


ALL: tuple[Accident, ...] = (
    *(
        offset,
        header,
        no_header,
        second_header,
        role,
        member,
        cut,
        tail,
        glue,
        splice,
        junk,
        byte,
        lost,
        twice,
        endings,
    ),
    mark,
)


def files(name: str, key: Callable[[int], str], era: str, number: int) -> Iterator[tuple[str, bytes, list[str]]]:
    """So many damaged sessions, each of a key of its own: (key, content, which accidents), the same ones for each `name`.

    One half is drawn from support.damaging, evenly over its generators; the other are accidents, up to three at once.
    """
    chance = random.Random(name)
    generators = [(one, sum(1 for _ in one(chat(key(0), 2, era)))) for one in damaging.ALL]
    for at in range(number):
        if at % 2:
            generator, kinds = generators[at // 2 % len(generators)]
            made = islice(generator(chat(key(at), 2, era)), chance.randrange(kinds), None)
            yield key(at), next(made)[0], [generator.__name__]
            continue
        lines = list(chat(key(at), chance.choice((1, 2, 5, 12)), era).lines)
        chosen = chance.sample((*ALL, state) if era == "E4" else ALL, chance.choice((1, 1, 1, 2, 3)))
        for accident in chosen:
            if len(lines) > 2:
                accident(chance, lines)
        yield key(at), damaging.joined(*lines), [accident.__name__ for accident in chosen]


def _change(lines: list[bytes], at: int, members: dict[str, Any]) -> None:
    """Set members of the record on a line (... takes them away); a line that is no record stays."""
    try:
        value = json.loads(lines[at])
    except ValueError:
        return
    if isinstance(value, dict):
        changed = {**value, **members}
        lines[at] = spaced({name: member for name, member in changed.items() if member is not ...})
