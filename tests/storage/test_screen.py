"""One pass over a file: what is clean goes by, what is not comes out with its place, and the counts are right."""

from __future__ import annotations

import os
import random
from collections.abc import Sequence
from math import isnan
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.chats import ALL, CATBUDDY, COCOCAT, compact

from memcli.core.clocks import seconds_of
from memcli.formats import load, rules
from memcli.model import Decoded
from memcli.storage import screen
from memcli.storage.collecting import Collector
from memcli.storage.decode import decode
from memcli.storage.facts import NUMBER, ODD, SHARED, TEXT, UNREAD, Columns
from memcli.storage.lines import is_blank
from memcli.storage.screen import Reader, Screening

NONE = Reader(lambda value: False, lambda values: ())


def screened(
    path: Path, reader: Reader = NONE, collector: Collector | None = None, **more: Any
) -> tuple[Screening, list[Any]]:
    screening = Screening(reader, collector, **more)
    fd = os.open(path, os.O_RDONLY)
    try:
        return screening, list(screening.suspects(fd, 0, os.fstat(fd).st_size))
    finally:
        os.close(fd)


def reader_of(agent: str) -> Reader:
    form, expected = load(agent), rules(agent)
    return Reader(form.records.is_preamble, expected.headers, expected.columns)


def is_clean(line: bytes) -> bool:
    values, flaw = decode(line)
    return not flaw and len(values) == 1 and isinstance(values[0], dict)


LINES = [
    b'{"a":1}',
    b'{"a":{"b":[1,2,{"c":"x"}]}}',
    b' {"a" : "}{"} ',
    b'{"a":"\\"b\\":"}',
    b"",
    b"\r",
    b'{"a":1}\r',
    b'{"a":1}{"b":2}',
    b'{"a":1},{"b":2}',
    b'{"a":[{}',
    b"{}]}",
    b'{"a":"x',
    b'y"}',
    b"7",
    b"[]",
    b"null",
    b"prose",
    b'{"a":1,"a":2}',
    b'{"a":"\\ud800"}',
    b'{"a":NaN}',
    b'{"a":"\xff"}',
    b"\0\0",
    b'{"\xe4\xbd\xa0":"\xe2\x80\xa8"}',
    b'{"a\\\\":1}',
]


@given(st.lists(st.sampled_from(LINES), max_size=60), st.booleans(), st.sampled_from([16, 64, 1 << 18]))
def test_the_same_as_looking_at_every_line(tmp_path_factory, lines, ended, size):
    """Whatever the lines are, and however they fall into blocks, exactly those come out that are no clean records."""
    data = b"\n".join(lines) + b"\n" * (ended and bool(lines))
    path = tmp_path_factory.mktemp("screen") / "x.jsonl"
    path.write_bytes(data)
    old, screen.CHUNK, screen.ALONE = (screen.CHUNK, screen.ALONE), size, 8
    try:
        screening, found = screened(path)
    finally:
        screen.CHUNK, screen.ALONE = old
    physical = data.split(b"\n")
    last = physical.pop()
    expected, offset, row = [], 0, 0
    for number, line in enumerate([*physical, *([last] if last else [])], 1):
        unended = number > len(physical)
        row += not is_blank(line)
        if not is_blank(line) and (unended or not is_clean(line) or line == b'{"a":1,"a":2}'):
            expected.append((number, row, offset, line, not unended))
        offset += len(line) + 1
    got = [(one.line.number, one.row, one.line.offset, one.line.raw, one.line.ended) for one in found]
    assert got == expected
    assert screening.lines == len(physical) + bool(last)
    assert screening.rows == row
    assert screening.blanks == sum(map(is_blank, [*physical, *([last] if last else [])]))
    assert screening.ended == (not last)


def test_a_file_cannot_be_made_to_look_clean(tmp_path):
    """One record over two lines and two records on one line: as many objects as lines."""
    path = tmp_path / "x.jsonl"
    path.write_bytes(b'{"a":[{}\n{}]}\n{"b":1},{"c":2}\n' + b'{"d":1}\n' * 3)
    assert [one.line.number for one in screened(path)[1]] == [1, 2, 3]
    path.write_bytes(b'{"a":1},%d,{"b":2}\n{"c":[{}\n{}]}\n' % screen._MARK)
    assert [one.line.number for one in screened(path)[1]] == [1, 2, 3]


def test_a_long_line_is_a_block_of_its_own_and_a_longer_one_is_passed_over(tmp_path, monkeypatch):
    monkeypatch.setattr(screen, "CHUNK", 32)
    monkeypatch.setattr(screen, "MAX_LINE", 200)
    path = tmp_path / "x.jsonl"
    long, over = b'{"a":"' + b"x" * 100 + b'"}', b'{"a":"' + b"x" * 300 + b'"}'
    path.write_bytes(b"\n".join([b'{"a":1}', long, over, long[:-1], b'{"b":2}', over]))
    screening, found = screened(path)
    assert [(one.line.number, one.line.raw is None, one.decoded.flaw) for one in found] == [
        (3, True, "oversize-line"),
        (4, False, "torn-line"),
        (6, True, "oversize-line"),
    ]
    assert [one.line.length for one in found] == [len(over), len(long) - 1, len(over)]
    assert (screening.lines, screening.rows, screening.oversize, screening.ended) == (6, 6, 2, False)


def test_headers_at_the_top_and_further_down(tmp_path):
    path = tmp_path / "x.jsonl"
    header, *rows = CATBUDDY.lines
    path.write_bytes(b"\n".join([b"", header, *rows, header, rows[0]]) + b"\n")
    screening, found = screened(path, reader_of("catbuddy"))
    assert not found
    assert [line.number for line, _ in screening.leading] == [2]
    assert [(stray.line.number, stray.row, stray.line.raw) for stray in screening.strays] == [(10, 8, header)]
    assert screening.strays[0].line.offset == path.read_bytes().rindex(header)
    assert screening.first is not None
    assert screening.first[0].raw == rows[0]


def test_checksum_lines_that_match_are_no_suspects(tmp_path):
    path = tmp_path / "x.jsonl"
    one, other = b'{"a":1}', b'{"a":2}'
    lines = [one, b"%d" % crc32(one), other, b'"%08x"' % crc32(other + b"\n"), one, b"12"]
    path.write_bytes(b"\n".join(lines) + b"\n")
    screening, found = screened(path)
    assert screening.checks == 2
    assert [suspect.line.raw for suspect in found] == [b"12"]
    assert found[0].before == one


MANY = [b'{"a":1}', b" {} ", b"{},", b"{", b"[1]", b"", b"\r", b'{"a":x}', b'{"a":1}\r', b"\xff"]
"""Three records of eight rows."""


@pytest.mark.parametrize("ended", [True, False])
def test_what_is_behind_so_many_damaged_lines_is_only_counted(ended, tmp_path, monkeypatch):
    monkeypatch.setattr(screen, "CHUNK", 64)
    path = tmp_path / "chat.jsonl"
    path.write_bytes(b"{,\n" * 8 + b"\n".join(MANY * 20) + b"\n" * ended)
    screening, suspects = screened(path, collector=Collector(lambda text: None), judged=8)
    judged = len(suspects) - 8
    assert 0 <= judged < 100
    assert screening.unjudged == 20 * 5 - judged
    assert (screening.lines, screening.rows, screening.blanks) == (208, 168, 40)
    assert (screening.collector, screening.ended) == (None, ended)
    everything, every = screened(path, judged=1000)
    assert (everything.unjudged, everything.lines, everything.rows) == (0, 208, 168)
    assert len(every) >= 8 + 100


def test_nothing_is_judged_any_more_when_enough_was_tried(tmp_path):
    path = tmp_path / "chat.jsonl"
    path.write_bytes(b"{,\n" * 5 + b'{"a":1}\n')
    screening, suspects = screened(path, enough=lambda: True)
    assert suspects == [] or screening.unjudged + len(suspects) == 5
    assert screening.rows == 6


def test_crs_are_counted(tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_bytes(b'{"a":1}\r\n{"a":\r2}\r\n{"a":3}\r{"b":4}\n{"c":5}\r')
    screening, _ = screened(path)
    assert (screening.crlf, screening.returns) == (2, 3)


@pytest.mark.parametrize("chat", ALL, ids=lambda chat: chat.agent)
@pytest.mark.parametrize("size", [64, 300, 1 << 18])
def test_facts_do_not_depend_on_the_blocks(chat, size, tmp_path, monkeypatch):
    monkeypatch.setattr(screen, "CHUNK", size)
    path = tmp_path / chat.name
    lines = [*chat.lines, b"prose", chat.lines[-1] + chat.lines[-2], *chat.lines[1:]]
    path.write_bytes(b"\n".join(lines) + b"\n")
    collector = Collector(seconds_of("UTC"))
    screening, _ = screened(path, reader_of(chat.agent), collector)
    facts = collector.facts
    rows = len(lines) - chat.header
    assert (screening.rows, facts.rows, len(facts)) == (rows, rows, rows + 1)
    unread = [entry for entry, flag in enumerate(facts.flags) if flag & UNREAD]
    assert [facts.row(entry) for entry in unread] == [len(chat.lines) + 1 - chat.header]
    shared = unread[0] + 2
    assert facts.flags[shared] & SHARED
    assert facts.row(shared) == facts.row(shared - 1) == facts.row(unread[0]) + 1
    assert facts.offsets[shared] == facts.offsets[shared - 1]
    data = path.read_bytes()
    for entry, offset in enumerate(facts.offsets):
        line = data[offset : data.index(b"\n", offset)]
        assert line in lines
        if not facts.flags[entry] & (UNREAD | SHARED):
            record = load(chat.agent).records.record(decode(line).values[0])
            assert facts.role(entry) == record.role
            assert isnan(facts.times[entry]) == (record.timestamp is None)
            assert bool(facts.flags[entry] & (NUMBER | TEXT)) == (record.id is not None)
            assert bool(facts.prints[entry]) == (record.id is None)


def test_a_header_below_the_first_row_is_flagged_in_the_facts(tmp_path):
    path = tmp_path / CATBUDDY.name
    path.write_bytes(b"\n".join([*CATBUDDY.lines, CATBUDDY.lines[0]]) + b"\n")
    collector = Collector(seconds_of(""))
    screened(path, reader_of("catbuddy"), collector)
    assert not collector.facts.flags[-1] & ODD
    assert collector.facts.role(len(collector.facts) - 1) == ""


def test_reading_stops_where_the_file_was_cut_meanwhile(tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_bytes(b'{"a":1}\n{"a":2}\n')
    fd = os.open(path, os.O_RDONLY)
    screening = Screening(NONE)
    os.truncate(path, 8)
    assert list(screening.suspects(fd, 0, 16)) == []
    os.close(fd)
    assert screening.lines == 1


def test_random_bytes_never_stop_it(tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_bytes(random.Random(7).randbytes(300_000))
    screening, found = screened(path, reader_of("jsonl"), Collector(seconds_of("")))
    assert screening.rows == len(found)
    assert all(isinstance(one.decoded, Decoded) for one in found)


def columns(values: Sequence[Any]) -> Columns:
    return Columns([value.get("id") for value in values], [None] * len(values), [value.get("role") for value in values])


@pytest.mark.parametrize(
    ("identity", "flag"),
    [
        (1, NUMBER),
        ("x", TEXT),
        (None, 0),
        ("", 0x80),
        (True, 0x80),
        (1.5, 0x80),
        ([1], 0x80),
        (1 << 63, TEXT),
        (1 << 70, 0x80),
    ],
)
def test_ids_of_every_kind(identity, flag, tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_bytes(b"".join(compact({"id": value, "role": "user"}) + b"\n" for value in (identity, 5, identity)))
    collector = Collector(seconds_of(""))
    screened(path, Reader(lambda value: False, lambda values: (), columns), collector)
    assert [kept & 0xE0 for kept in collector.facts.flags] == [flag, NUMBER, flag]
    assert collector.facts.ids[0] == collector.facts.ids[2]


def test_more_roles_than_codes_share_the_last_one(tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_bytes(b"".join(compact({"id": n, "role": f"r{n}"}) + b"\n" for n in range(40)))
    collector = Collector(seconds_of(""))
    screened(path, Reader(lambda value: False, lambda values: (), columns), collector)
    facts = collector.facts
    assert [facts.role(entry) for entry in range(31)] == [f"r{n}" for n in range(31)]
    assert {facts.role(entry) for entry in range(31, 40)} == {"r30"}


def test_a_role_that_is_no_text_is_none(tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_bytes(b"".join(compact({"id": n, "role": role}) + b"\n" for n, role in enumerate([["x"], {}, None, 7])))
    collector = Collector(seconds_of(""))
    screened(path, Reader(lambda value: False, lambda values: (), columns), collector)
    assert [collector.facts.role(entry) for entry in range(4)] == ["", "", "", ""]


def test_times_in_every_form(tmp_path):
    path = tmp_path / COCOCAT.name
    stamps = ["2026-05-06T10:00:00", "2026-05-06T10:00:00+02:00", "2026-05-06 10:00", 1778061600, None, True, "soon"]
    path.write_bytes(b"".join(compact({"prompt": "x", "timestamp": stamp}) + b"\n" for stamp in stamps))
    collector = Collector(seconds_of("Asia/Shanghai"))
    screened(path, reader_of("cococat"), collector)
    times = list(collector.facts.times)
    assert times[:4] == [1778032800.0, 1778054400.0, 1778032800.0, 1778061600.0]
    assert all(map(isnan, times[4:]))
