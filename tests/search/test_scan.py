"""The whole search against one that decodes every line, with sizes so small that everything is cut somewhere."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from search.helpers import is_header, joined, oracle, record, texts

from memcli.search.engine import Engine
from memcli.search.judge import SAMPLES, Question
from memcli.search.parts import Part, Unit
from memcli.search.pattern import compile_pattern
from memcli.search.ranges import cut
from memcli.search.ranges import joined as put_together
from memcli.search.scan import Hit, Report, Sizes, scan

TINY = Sizes(buffer=64, batch=16, split=0, max_line=100_000)
pytestmark = pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")

WORDS = st.text(alphabet='abcKſİi: ,."\\/\n\t\u2028é量子的😀\ud83d', max_size=14)
RECORDS = st.tuples(WORDS, st.none() | st.dictionaries(WORDS, WORDS, max_size=2))
JUNK = st.sampled_from(
    [b"", b"\r", b"\0\0\0\0", b'{"content":"ab', b"ab c \xff", b'{"role":"tool","content":"ab"}', b"[]"]
)
HEADERS = st.sampled_from([[], [b'{"header":"ab"}'], [b'{"header":1}', b"", b'{"header":"\\u91cf"}']])


@st.composite
def questions(draw):
    regex = draw(st.booleans())
    sources = draw(
        st.lists(st.sampled_from(["a+b", "[ab]c", "量|子", "(?i)k.", "^a", "", "\\d", "b\\s"]), min_size=1, max_size=2)
        if regex
        else st.lists(
            st.sampled_from(["a", "ab", "k", "I", "量", "量子", "😀", '"', "\n", "/", "é", ": ", ""]),
            min_size=1,
            max_size=2,
        )
    )
    return compile_pattern(
        sources, regex=regex, ignore_case=draw(st.booleans()), word=draw(st.sampled_from([False, False, True]))
    )


def files(folder: Path, *contents: bytes) -> list[str]:
    paths = []
    for number, content in enumerate(contents):
        path = folder / f"{number}.jsonl"
        path.write_bytes(content)
        paths.append(str(path))
    return paths


def by_file(events) -> list[tuple[list[tuple[int, int, int, bytes]], Report]]:
    """Events as one (hits, report) for each file."""
    found = []
    hits: list[tuple[int, int, int, bytes]] = []
    for event in events:
        if isinstance(event, Report):
            found.append((hits, event))
            hits = []
        else:
            hits.append(event[1:5])
    assert hits == []
    return found


def in_ranges(paths, question, sizes):
    """What forked workers do with large files, done here."""
    engine = Engine(paths, question, sizes)
    for result in [result for results in engine.run(Unit(0, len(paths))) for result in results]:
        if isinstance(result, Part) and result.split:
            units = cut(result.nth, result.split, sizes.split)
            ranges = (part for unit in units for parts in engine.run(unit) for part in parts)
            yield from put_together(ranges, result.nth, question.limit)
        else:
            yield result


@settings(max_examples=120)
@given(
    contents=st.lists(st.tuples(HEADERS, st.lists(RECORDS | JUNK, max_size=8)), min_size=1, max_size=4),
    pattern=questions(),
    invert=st.booleans(),
    limit=st.sampled_from([None, None, 1, 2]),
    buffer=st.integers(40, 400),
    split=st.integers(1, 300),
    rng=st.randoms(use_true_random=False),
)
def test_equals_decoding_every_line(contents, pattern, invert, limit, buffer, split, rng, tmp_path_factory):
    data = [
        joined(header + [line if isinstance(line, bytes) else record(*line, rng) for line in lines], rng)
        for header, lines in contents
    ]
    paths = files(tmp_path_factory.mktemp("scan"), *data)
    sizes = Sizes(buffer=buffer, batch=rng.choice([1, buffer // 2, buffer]), split=split)
    found = by_file(scan(paths, pattern, texts, is_preamble=is_header, invert=invert, limit=limit, jobs=1, sizes=sizes))
    counted = list(
        scan(paths, pattern, texts, is_preamble=is_header, invert=invert, limit=limit, jobs=1, sizes=sizes, hits=False)
    )
    question = Question(pattern, texts, is_header, invert, limit)
    ranges: dict[int, list[tuple[int, int, int, bytes]]] = {}
    for result in in_ranges(paths, question, sizes):
        if isinstance(result, Part):
            ranges.setdefault(result.nth, []).extend(result.hits)
    for nth, (content, (hits, report)) in enumerate(zip(data, found, strict=True)):
        expected = oracle(content, pattern, invert=invert, limit=limit)
        assert hits == expected.hits
        assert ranges.get(nth, []) == expected.hits
        assert report.matches == counted[nth].matches == len(expected.hits)
        assert counted[nth].unreadable == report.unreadable
        if limit is None:
            # only candidates are decoded, but whatever holds the pattern is one
            assert report.containing >= expected.containing
            assert report.unreadable <= len(expected.unreadable)
            assert {tuple(sample[:3]) for sample in report.samples} <= set(expected.unreadable)
            if invert or pattern.anchors is None:
                assert report.unreadable == len(expected.unreadable)
                assert report.unreadable_bytes == sum(length for _, _, length in expected.unreadable)


LONG = b'{"role":"user","content":"' + b"x" * 300 + b'"}'


@pytest.mark.parametrize("jobs", [1, 2])
def test_one_process_and_two_find_the_same(tmp_path, jobs):
    line = b'{"role":"user","content":"%d needle"}\n'
    plain = b'{"role":"user","content":"%d"}\n'
    contents = [b"".join((line if n % 97 == f else plain) % n for n in range(f * 100)) for f in range(90)]
    contents[3] = b'{"header":1}\n\n' + b"".join((line if n % 7 else plain) % n for n in range(5000))
    paths = files(tmp_path, *contents)
    paths.insert(5, str(tmp_path / "missing"))
    contents.insert(5, b"")
    pattern = compile_pattern(["needle"])
    sizes = Sizes(buffer=4096, batch=2048, split=10_000, fast=0)
    found = by_file(scan(paths, pattern, texts, is_preamble=is_header, jobs=jobs, sizes=sizes))
    assert [report.path for _, report in found] == paths
    for content, (hits, report) in zip(contents, found, strict=True):
        assert hits == oracle(content, pattern).hits
        assert report.matches == len(hits)
    assert [report.error.sentence for _, report in found if report.error] == [
        f"{tmp_path / 'missing'} cannot be read: it does not exist."
    ]
    limited = by_file(scan(paths, pattern, texts, is_preamble=is_header, jobs=jobs, sizes=sizes, limit=3))
    assert [hits for hits, _ in limited] == [oracle(content, pattern, limit=3).hits for content in contents]
    assert [report.matches for _, report in limited] == [len(hits) for hits, _ in limited]
    listed = list(scan(paths, pattern, texts, is_preamble=is_header, jobs=jobs, sizes=sizes, limit=1, hits=False))
    assert [report.matches for report in listed] == [bool(hits) for hits, _ in limited]


@pytest.mark.parametrize("jobs", [1, 2])
def test_everything_matches(tmp_path, jobs):
    data = b'{"role":"user","content":"yes"}\n' * 20_000
    [path] = files(tmp_path, data)
    sizes = Sizes(split=100_000, batch=50_000, fast=0)
    hits = list(scan([path], compile_pattern(["yes"]), texts, jobs=jobs, sizes=sizes))
    assert [hit.row for hit in hits[:-1]] == list(range(1, 20_001))
    assert hits[-1].matches == 20_000


@pytest.mark.parametrize("jobs", [1, 2])
def test_files_with_nothing_to_tell_can_be_left_out(tmp_path, jobs):
    record = b'{"role":"user","content":"yes"}\n'
    paths = files(
        tmp_path,
        *[b'{"role":"user","content":"no"}\n' * 500] * 70,
        record,
        b"{yes",
        record.replace(b"yes", b"no") * 999,
    )
    sizes = Sizes(buffer=3000, batch=2000, split=5000, fast=0)
    reports = [
        event
        for event in scan([*paths, "/nowhere"], compile_pattern(["yes"]), texts, jobs=jobs, silent=False, sizes=sizes)
        if isinstance(event, Report)
    ]
    assert [report.path for report in reports] == [paths[70], paths[71], "/nowhere"]


@pytest.mark.parametrize("limit", [0, -1])
def test_a_limit_of_nothing_reads_nothing(limit):
    assert list(scan(["/nowhere"], compile_pattern(["x"]), texts, limit=limit)) == [Report("/nowhere")]


def test_a_record_that_is_not_asked_for_never_matches(tmp_path):
    paths = files(tmp_path, b'{"role":"tool","content":"a"}\n{"role":"user","content":"b"}\n')
    pattern = compile_pattern(["a"])
    assert [report.matches for _, report in by_file(scan(paths, pattern, texts))] == [0]
    assert [report.matches for _, report in by_file(scan(paths, pattern, texts, invert=True))] == [1]


@pytest.mark.parametrize("data", [b"", b"\n", b"\r\n\n\n", b"\0" * 5000, b"\xff\xfe\x00" * 300, b'{"content":"ab'])
@pytest.mark.parametrize("invert", [False, True])
def test_files_without_a_record(tmp_path, data, invert):
    [(hits, report)] = by_file(scan(files(tmp_path, data), compile_pattern(["zz"]), texts, invert=invert, sizes=TINY))
    assert hits == []
    assert (report.matches, report.containing, report.error) == (0, 0, None)


def test_unreadable_lines_that_hold_the_pattern_are_told(tmp_path):
    torn = [b'{"content":"needle', b'{"a":"{\\"b\\":\\"n\\\\u0065edle', b"nee\0dle", "{nee\\u0064le 量".encode()]
    data = b'{"role":"user","content":"needle"}\n' + b"\n".join(torn) + b"\n{no}\n"
    [(hits, report)] = by_file(scan(files(tmp_path, data), compile_pattern(["needle"]), texts))
    assert len(hits) == 1
    assert (report.unreadable, report.containing) == (4, 4)
    assert report.unreadable_bytes == sum(map(len, torn))
    assert [sample.line for sample in report.samples] == [2, 3, 4, 5]
    assert [data[s.offset : s.offset + s.length] for s in report.samples] == torn


def test_of_many_unreadable_lines_the_first_are_told(tmp_path):
    [path] = files(tmp_path, b"{needle\n" * 1000)
    for sizes in (Sizes(), TINY):
        [report] = scan([path], compile_pattern(["needle"]), texts, hits=False, sizes=sizes)
        assert (report.unreadable, report.containing, len(report.samples)) == (1000, 1000, SAMPLES)
        assert {sample.line for sample in report.samples} == {0}


@pytest.mark.parametrize("long", [101, 102, 103, 150, 1000])
@pytest.mark.parametrize("ended", [True, False])
@pytest.mark.parametrize("buffer", [16, 60, 102, 5000])
@pytest.mark.parametrize("split", [7, 90, 0])
def test_a_line_over_the_limit_is_passed_over(tmp_path, long, ended, buffer, split):
    record = b'{"role":"user","content":"needle"}'
    held = b'{"role":"user","content":"needle' + b" " * 65 + b' "}'
    over = b'"' + b"x" * (long - 2) + b'"'
    lines = [record, over, held, b"", over, over, record, over]
    assert (len(held), len(over)) == (100, long)
    data = b"\n".join(lines) + b"\n" * ended
    paths = files(tmp_path, data)
    sizes = Sizes(buffer=buffer, batch=buffer, split=split, max_line=100)
    question = Question(compile_pattern(["needle"]), texts)
    hits: list[tuple[int, int, int, bytes]] = []
    for result in in_ranges(paths, question, sizes):
        hits += result.hits
        last = result
    assert hits == oracle(data, question.pattern, read=lambda raw: [] if len(raw) > 100 else texts(raw)).hits
    assert len(hits) == 3
    assert (last.oversize, last.oversize_bytes) == (4, 4 * long)


def test_what_is_no_regular_file_is_reported_and_never_waited_for(tmp_path):
    fifo, folder, loop, socket_path = (tmp_path / name for name in ("fifo", "folder", "loop", "socket"))
    os.mkfifo(fifo)
    folder.mkdir()
    loop.symlink_to(loop)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(socket_path))
    [good] = files(tmp_path, b'{"role":"user","content":"x"}')
    found = by_file(scan([str(fifo), str(folder), good, str(loop), str(socket_path)], compile_pattern(["x"]), texts))
    assert [len(hits) for hits, _ in found] == [0, 0, 1, 0, 0]
    assert [report.error and report.error.facts["why"] for _, report in found] == [
        "it is a FIFO",
        "it is a folder",
        None,
        "its symlinks form a loop",
        "it is a socket or device without a listener",
    ]


def test_what_cannot_be_read_to_its_end_is_searched_as_far_as_it_goes(tmp_path, monkeypatch):
    paths = files(tmp_path, b'{"role":"user","content":"x"}\n' * 100, b'{"role":"user","content":"x"}')
    read = os.preadv

    def failing(fd, buffers, offset):
        if offset:
            raise OSError(5, "Input/output error")
        return read(fd, buffers, offset)

    monkeypatch.setattr(os, "preadv", failing)
    found = by_file(scan(paths, compile_pattern(["x"]), texts, sizes=Sizes(buffer=1000, batch=100)))
    assert [report.error and report.error.facts["why"] for _, report in found] == ["input/output error", None]
    assert [len(hits) for hits, _ in found] == [33, 1]


@pytest.mark.parametrize("change", ["grows", "shrinks", "vanishes", "trickles"])
def test_files_that_change_while_they_are_read(tmp_path, monkeypatch, change):
    line = b'{"role":"user","content":"x"}\n'
    paths = files(tmp_path, line * 50, line * 10)
    size = 50 * len(line)
    read = os.preadv
    calls = []

    def changing(fd, buffers, offset):
        calls.append(offset)
        if len(calls) == 1:
            if change == "grows":
                with open(paths[0], "ab") as file:
                    file.write(line * 7)
            elif change == "shrinks":
                os.truncate(paths[0], 30 * len(line) + 3)
            elif change == "vanishes":
                os.remove(paths[0])
        if change == "trickles":
            buffers = [buffers[0][:100]]
        return read(fd, buffers, offset)

    monkeypatch.setattr(os, "preadv", changing)
    pattern = compile_pattern(["x"])
    found = by_file(scan(paths, pattern, texts, sizes=Sizes(buffer=size * 2, batch=size)))
    rows = {"grows": 57, "shrinks": 30, "vanishes": 50, "trickles": 50}[change]
    assert [len(hits) for hits, _ in found] == [rows, 10]
    assert [report.error for _, report in found] == [None, None]


def test_the_header_may_be_long_and_reach_into_later_ranges(tmp_path):
    header = b'{"header":"needle"}\n\n' * 40
    data = header + b'{"role":"user","content":"needle"}\n' + b'{"header":"needle"}\n'
    paths = files(tmp_path, data, header)
    pattern = compile_pattern(["needle"])
    for split in (0, 30, 500, len(header), len(header) + 5):
        question = Question(pattern, lambda raw: [raw.decode()], is_header)
        hits: dict[int, list[tuple[int, int, int, bytes]]] = {0: [], 1: []}
        for result in in_ranges(paths, question, Sizes(buffer=100, batch=50, split=split)):
            if isinstance(result, Part):
                hits[result.nth] += result.hits
        assert [hit[:2] for hit in hits[0]] == [(81, 1), (82, 2)]
        assert hits[1] == []


def test_names_that_are_not_utf8(tmp_path):
    path = os.fsdecode(os.fsencode(str(tmp_path)) + b"/\xff.jsonl")
    Path(path).write_bytes(b'{"role":"user","content":"x"}\n')
    for paths in ([path], [path] * 10, [path + "missing"] * 10):
        for fast in (0, 1 << 20):
            found = by_file(scan(paths, compile_pattern(["x"]), texts, sizes=Sizes(fast=fast)))
            assert [report.path for _, report in found] == paths


def test_what_the_callback_raises_is_not_swallowed(tmp_path):
    paths = files(tmp_path, b'{"role":"user","content":"x"}\n')

    def broken(raw):
        raise LookupError("a bug")

    with pytest.raises(LookupError, match="a bug"):
        list(scan(paths, compile_pattern(["x"]), broken))


def test_hits_are_complete(tmp_path):
    [path] = files(tmp_path, b'{"header":1}\n\r\n{"role":"user","content":"a"}\r\n{"role":"user","content":"x"}\r\n')
    assert list(scan([path], compile_pattern(["x"]), texts, is_preamble=is_header)) == [
        Hit(path, 4, 2, 46, b'{"role":"user","content":"x"}\r'),
        Report(path, 1),
    ]
