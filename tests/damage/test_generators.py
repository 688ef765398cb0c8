"""Damage made by machine at every place: nothing is invented, no valid line is touched, whole records come back."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from support.chats import ALL, CATBUDDY
from support.mending import Chat, invents_nothing, keeps_valid_lines, mend

EXACT = 0.97
"""Of records whose bytes are all present at least so many come back exactly."""
Damaged = tuple[bytes, list[bytes]]
"""Damaged bytes, and the records of the healthy file whose bytes are all in there."""


def check(chat: Chat, made: Iterator[Damaged], folder: Path) -> None:
    present = back = runs = 0
    for data, whole in made:
        runs += 1
        mended = mend(chat, data, folder)
        keeps_valid_lines(data, mended)
        invents_nothing(chat, data, mended)
        left = list(mended.records)
        present += len(whole)
        for line in whole:
            if line in left:
                left.remove(line)
                back += 1
    assert runs
    assert back >= EXACT * present, f"{back} of {present} records came back"


def chats() -> pytest.MarkDecorator:
    return pytest.mark.parametrize("chat", ALL, ids=lambda chat: chat.agent)


@chats()
def test_cut_at_every_byte(chat, tmp_path):
    def made() -> Iterator[Damaged]:
        whole = chat.whole
        for place in range(1, len(whole)):
            cut = whole[:place]
            yield cut, [line for line in chat.lines if line in cut.split(b"\n")]

    check(chat, made(), tmp_path)


@chats()
def test_spliced_at_every_cut(chat, tmp_path):
    def made() -> Iterator[Damaged]:
        lines = chat.lines
        for number in range(len(lines) - 1):
            for place in range(1, len(lines[number])):
                spliced = lines[number][:place] + lines[number + 1]
                left = [*lines[:number], spliced, *lines[number + 2 :]]
                yield b"\n".join(left) + b"\n", [*lines[:number], *lines[number + 1 :]]

    check(chat, made(), tmp_path)


@chats()
def test_beginning_lost_at_every_cut(chat, tmp_path):
    def made() -> Iterator[Damaged]:
        lines = chat.lines
        for number in range(1, len(lines)):
            for place in range(1, len(lines[number]), 3):
                left = [*lines[:number], lines[number][place:], *lines[number + 1 :]]
                yield b"\n".join(left) + b"\n", [*lines[:number], *lines[number + 1 :]]

    check(chat, made(), tmp_path)


@chats()
def test_every_pair_glued(chat, tmp_path):
    def made() -> Iterator[Damaged]:
        for between in (b"", b" ", b",", b"\r", b"\0\0", b"\xef\xbb\xbf"):
            for number in range(1, len(chat.lines)):
                before, behind = chat.lines[:number], chat.lines[number:]
                yield b"\n".join(before) + between + b"\n".join(behind) + b"\n", list(chat.lines)
        yield b"".join(chat.lines), list(chat.lines)

    check(chat, made(), tmp_path)


@chats()
def test_interleaved_at_every_place(chat, tmp_path):
    def made() -> Iterator[Damaged]:
        lines = chat.lines
        for number in range(1, len(lines) - 1):
            for place in range(1, len(lines[number])):
                inside = lines[number][:place] + lines[number + 1] + lines[number][place:]
                yield b"\n".join([*lines[:number], inside, *lines[number + 2 :]]) + b"\n", list(lines)

    check(chat, made(), tmp_path)


@chats()
def test_nul_of_many_lengths_at_many_places(chat, tmp_path):
    def made() -> Iterator[Damaged]:
        lines = chat.lines
        for length in (*range(1, 20), 100, 4096):
            run = b"\0" * length
            for number in range(1, len(lines) + 1):
                before, behind = lines[:number], lines[number:]
                yield b"\n".join(before) + b"\n" + run + b"\n".join(behind) + b"\n" * bool(behind), list(lines)
            for place in range(1, len(lines[1]), 7):
                cut = [lines[0], lines[1][:place] + run + lines[2], *lines[3:]]
                yield b"\n".join(cut) + b"\n", [lines[0], *lines[2:]]

    check(chat, made(), tmp_path)


@chats()
def test_another_encoding_and_other_newlines(chat, tmp_path):
    def made() -> Iterator[Damaged]:
        text = chat.whole.decode()
        for encoded in (
            text.encode("utf-16"),
            text.encode("utf-16-le"),
            b"\xfe\xff" + text.encode("utf-16-be"),
            text.encode("utf-16-be"),
            text.encode("utf-8-sig"),
            text.replace("\n", "\r").encode(),
            text.rstrip("\n").encode(),
        ):
            yield encoded, list(chat.lines)

    check(chat, made(), tmp_path)


@pytest.mark.parametrize("record", range(1, 5))
def test_every_bit_flipped(record, tmp_path):
    """One record between two others: whatever bit of it, or of the newline behind it, is flipped, the others stay."""
    lines = (CATBUDDY.lines[0], CATBUDDY.lines[5], CATBUDDY.lines[record], CATBUDDY.lines[6])
    chat = CATBUDDY._replace(lines=lines)
    start = len(lines[0]) + len(lines[1]) + 2

    def made() -> Iterator[Damaged]:
        whole = chat.whole
        for place in range(start, start + len(lines[2]) + 1):
            for bit in range(8):
                flipped = bytearray(whole)
                flipped[place] ^= 1 << bit
                yield bytes(flipped), [lines[0], lines[1], lines[3]]

    check(chat, made(), tmp_path)


def test_lines_dropped_doubled_and_swapped(tmp_path):
    def made() -> Iterator[Damaged]:
        lines = list(CATBUDDY.lines)
        for number in range(1, len(lines)):
            for left in (
                lines[:number] + lines[number + 1 :],
                [*lines[:number], lines[number], *lines[number:]],
                [*lines[: number - 1], lines[number], lines[number - 1], *lines[number + 1 :]],
            ):
                yield b"\n".join(left) + b"\n", left

    check(CATBUDDY, made(), tmp_path)
