"""Masked files: the same damage at the same bytes, and nothing of what was said."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.masked import leaks, same_findings
from support.row_cases import CASES, about

from memcli.core.masking import Masker
from memcli.formats import vocabulary
from memcli.storage.decode import decode

FOLDERS = [path.parent for path in sorted(CASES.glob("*/*/before.jsonl"))]


def named(folder: Path) -> str:
    return f"{folder.parent.name}/{folder.name}"


@pytest.mark.parametrize("folder", FOLDERS, ids=named)
def test_every_damaged_case_keeps_its_damage_and_loses_its_words(folder, tmp_path):
    case = about(folder)
    raw = (folder / "before.jsonl").read_bytes()
    masked = same_findings(tmp_path, case, raw)
    assert len(masked) == len(raw)
    assert leaks(raw, masked, case["agent"]) == set()


WORDS = [
    "Deploy the site on Friday, please: http://example.invalid/a?b=c",
    "把本周的会议记录发给我，谢谢。",
    'tabs\tand\nnewlines "quoted" and \\ backslashes',
    "------ ====== ......",
    "1234567890 and 2026-05-20 08:30:00",
    "👋🏽 émigré Привет",
    "true, null",
]
NAMES = st.one_of(st.sampled_from(["role", "content", "name", "id", "key", "timestamp"]), st.text(max_size=9))
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-99999, 99999) | st.text(max_size=30) | st.sampled_from(WORDS),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=8,
)
RECORDS = st.dictionaries(NAMES, VALUES, min_size=1, max_size=6)


@given(RECORDS, st.booleans(), st.integers(0, 400), st.integers(0, 400))
def test_any_cut_of_any_record_keeps_its_length_and_its_damage(record, ascii_only, start, end):
    raw = json.dumps(record, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")
    raw = raw[start % len(raw) :][: end or None]
    masker = Masker(vocabulary("nanobot"))
    masker.learn(raw)
    masked = masker.rows(raw)
    assert len(masked) == len(raw)
    assert decode(masked).flaw == decode(raw).flaw
    assert leaks(raw, masked, "nanobot") == set()


@given(RECORDS)
def test_equal_stays_equal_and_what_begins_another_still_does(record):
    raw = json.dumps(record, ensure_ascii=False).encode("utf-8", "surrogatepass")
    masker = Masker(vocabulary("nanobot"))
    masker.learn(raw)
    once = masker.rows(raw)
    assert masker.rows(raw) == once
    assert decode(once).values[0].keys() >= decode(raw).values[0].keys() & vocabulary("nanobot").names
    whole = masker.filler.text("one and the same text, 一样的话")
    assert whole.startswith(masker.filler.text("one and the same text"))


PROSE = "# Memory\n\n## Dream — 2026-05-20\n- likes tea\n## My secret garden\n## Dream — my secret garden\n(nothing)\n"


def test_the_agents_own_headings_stay_and_those_of_users_go():
    masker = Masker(vocabulary("catbuddy"))
    masker.learn(PROSE.encode())
    lines = masker.prose(PROSE.encode(), {7}).decode().split("\n")
    before = PROSE.split("\n")
    assert [number for number, line in enumerate(lines, 1) if line == before[number - 1]] == [1, 2, 3, 7, 8]
    assert [len(line) for line in lines] == [len(line) for line in before]


TIMES = [
    ('{"timestamp":"2026-05-20T08:30:01.000Z"}', True),
    ('{"timestamp":"2026-05-20 08:30"}', True),
    ('{"timestamp":1779876543}', True),
    ('{"timestamp":"13800138000"}', False),
    ('{"timestamp":"next Friday"}', False),
    ('{"timestamp":4111111111111111}', False),
    ('{"id":1234567}', True),
    ('{"id":13800138000}', False),
    ('{"content":"2026-05-20T08:30:01.000Z"}', False),
]


@pytest.mark.parametrize(("line", "stays"), TIMES)
def test_times_and_row_numbers_stay_and_numbers_of_people_go(line, stays):
    masker = Masker(vocabulary("nanobot"))
    masker.learn(line.encode())
    assert (masker.rows(line.encode()).decode() == line) == stays


CURSORS = [
    (b"17", True),
    (b" 17\n", True),
    (b"2026-05-20T08:30:01", True),
    (b"seventeen", False),
    (b"0123456789abcdef", False),
    (b'{"a": 1}', False),
]


@pytest.mark.parametrize(("text", "stays"), CURSORS)
def test_positions_stay_in_cursor_files(text, stays):
    masker = Masker(vocabulary("nanobot"))
    masker.learn(text)
    masked = masker.cursor(text)
    assert len(masked) == len(text)
    assert (masked == text) == stays


ESCAPES = [
    rb'{"role":"user","content":"C:\dir\x\q"}',
    rb'{"role":"user","content":"half a character \u4e',
    rb'{"role":"user","content":"half of one \ud83d\u',
    b'{"role":"user","content":"a lone mark \\',
]


@pytest.mark.parametrize("raw", ESCAPES, ids=repr)
def test_what_is_no_escape_becomes_none_and_cut_ones_stay_cut(raw, tmp_path):
    for number in range(20):
        folder = tmp_path / str(number)
        folder.mkdir()
        rows = b'{"role":"user","content":"one"}\n{"role":"user","content":"two"}\n' + raw
        masked = same_findings(folder, {"agent": "nanobot", "name": "cli_direct.jsonl", "era": "E2"}, rows)
        assert leaks(rows, masked, "nanobot") == set()
