"""Damage made by machine: each generator gives damaged bytes and the healthy lines whose bytes are all in there."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from support.mending import Chat

Damaged = tuple[bytes, list[bytes]]
Generator = Callable[[Chat], Iterator[Damaged]]


def cut(chat: Chat) -> Iterator[Damaged]:
    """The file ends at every byte."""
    for place in range(1, len(chat.whole)):
        left = chat.whole[:place]
        yield left, [line for line in chat.lines if line in left.split(b"\n")]


def spliced(chat: Chat) -> Iterator[Damaged]:
    """Each record is cut at every place, and the next one stands behind it on the same line."""
    lines = chat.lines
    for number in range(len(lines) - 1):
        for place in range(1, len(lines[number])):
            line = lines[number][:place] + lines[number + 1]
            yield joined(*lines[:number], line, *lines[number + 2 :]), [*lines[:number], *lines[number + 1 :]]


def glued(chat: Chat) -> Iterator[Damaged]:
    """Each pair of lines, and all of them, without a newline between."""
    for between in (b"", b" ", b",", b"\r", b"\0\0"):
        for number in range(1, len(chat.lines)):
            before, behind = chat.lines[:number], chat.lines[number:]
            yield b"\n".join(before) + between + b"\n".join(behind) + b"\n", list(chat.lines)
    yield b"".join(chat.lines), list(chat.lines)


def interleaved(chat: Chat) -> Iterator[Damaged]:
    """Each record at every place inside the one before it."""
    lines = chat.lines
    for number in range(1, len(lines) - 1):
        for place in range(1, len(lines[number])):
            line = lines[number][:place] + lines[number + 1] + lines[number][place:]
            yield joined(*lines[:number], line, *lines[number + 2 :]), list(lines)


def nuls(chat: Chat) -> Iterator[Damaged]:
    """Runs of NUL of many lengths: between lines, at the end, in the place of the rest of a record."""
    lines = chat.lines
    for length in (*range(1, 20), 576, 4096):
        run = b"\0" * length
        for number in range(1, len(lines) + 1):
            behind = lines[number:]
            yield joined(*lines[:number]) + run + (joined(*behind) if behind else b""), list(lines)
        for place in range(1, len(lines[1]), 9):
            line = lines[1][:place] + run + lines[2]
            yield joined(lines[0], line, *lines[3:]), [lines[0], *lines[2:]]


def flipped(chat: Chat) -> Iterator[Damaged]:
    """Every bit of every fifth byte; all lines but the one that it is in are whole."""
    whole = chat.whole
    start = len(chat.lines[0]) + 1
    for place in range(start, len(whole), 5):
        number = whole.count(b"\n", 0, place)
        for bit in range(8):
            made = bytearray(whole)
            made[place] ^= 1 << bit
            left = [line for index, line in enumerate(chat.lines) if index != number and whole[place] != 0x0A]
            yield bytes(made), left


def encoded(chat: Chat) -> Iterator[Damaged]:
    """All of the file in another encoding or with other newlines."""
    text = chat.whole.decode()
    for data in (
        text.encode("utf-16"),
        text.encode("utf-16-le"),
        b"\xfe\xff" + text.encode("utf-16-be"),
        text.encode("utf-8-sig"),
        text.replace("\n", "\r").encode(),
        text.rstrip("\n").encode(),
        text.replace("\n", "\n\n").encode(),
    ):
        yield data, list(chat.lines)


def dropped(chat: Chat) -> Iterator[Damaged]:
    """Lines that are gone, doubled, or in another order, the header too."""
    lines = list(chat.lines)
    for number in range(len(lines)):
        yield joined(*lines[:number], *lines[number + 1 :]), lines[:number] + lines[number + 1 :]
        yield joined(*lines[:number], lines[number], *lines[number:]), lines
        if number:
            yield joined(*lines[: number - 1], lines[number], lines[number - 1], *lines[number + 1 :]), lines


def foreign(chat: Chat) -> Iterator[Damaged]:
    """Lines between the others that are no records, and junk around records."""
    lines = chat.lines
    for junk in (b"INFO ready", b"null", b"[1]", b"12345678", b"\xff\xfe", b"<<<<<<< HEAD", b"{}"):
        for number in range(1, len(lines) + 1):
            yield joined(*lines[:number], junk, *lines[number:]), list(lines)
    for number in range(len(lines)):
        yield joined(*lines[:number], b"> " + lines[number] + b";", *lines[number + 1 :]), list(lines)


ALL: tuple[Generator, ...] = (cut, spliced, glued, interleaved, nuls, flipped, encoded, dropped, foreign)


def joined(*lines: bytes) -> bytes:
    """Lines, each with its newline."""
    return b"".join(line + b"\n" for line in lines)
