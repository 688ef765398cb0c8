"""Checksums of masked lines: right, as long as they were, in the notation that they had."""

from __future__ import annotations

from zlib import crc32

import pytest

from memcli.core.fillers import Filler, Runs
from memcli.core.recounting import checked

RECORD = '{"role":"user","content":"%s"}'


@pytest.mark.parametrize("end", ["", "\n"])
@pytest.mark.parametrize("form", ["%d", "%08x", "%08X", '"%d"'])
@pytest.mark.parametrize("number", range(60))
def test_the_checksum_is_that_of_the_masked_line(form, end, number):
    record = RECORD % f"some words, number {number}"
    masked = RECORD % Filler(Runs()).text(f"some words, number {number}")
    check = form % crc32((record + end).encode())
    line, made = checked(check, record, masked, Runs())
    assert made == form % crc32((line + end).encode())
    assert len(made) == len(check)
    assert len(line) == len(record)


def test_without_a_letter_to_change_the_length_is_kept():
    record = next(RECORD % f"1{n}" for n in range(1000) if len(str(crc32((RECORD % f"1{n}").encode()))) == 9)
    masked = next(RECORD % f"2{n}" for n in range(1000) if len(str(crc32((RECORD % f"2{n}").encode()))) == 10)
    check = str(crc32(record.encode()))
    assert checked(check, record, masked, Runs()) == (masked, "1" * 9)
