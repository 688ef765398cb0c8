"""What nanobot of each generation makes of damaged session files.

Each line of the tables was seen in the released packages (0.1.3.post7, 0.1.4.post6, 0.2.2, 0.3.0, 0.3.5).
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from support.format_suite import decoded_lines
from support.nanobot_files import ENCODED, HEADER, STATE, call, dumped, result, said

from memcli import formats
from memcli.formats.nanobot.loading import LIST_CHARACTERS
from memcli.formats.nanobot.pieces import breaks_saving
from memcli.model import AgentView, Decoded, Line
from memcli.storage.decode import decode

LOADER = formats.load("nanobot").loader
LOSSY = "cli_direct.jsonl"
NAMES = {"E0": LOSSY, "E1": LOSSY, "E2": LOSSY, "E3": ENCODED, "E4": ENCODED, "": "any.jsonl"}
CHAT = [said(role, f"{role} {n}") for n in range(3) for role in ("user", "assistant")]
GOOD = dumped(HEADER, *CHAT)
DEEP = b"[" * 5000 + b"]" * 5000
HUGE = b'{"role": "user", "content": ' + b"1" * 5000 + b"}"


def view(tmp_path: Path, content: bytes, era: str, name: str = "") -> AgentView:
    path = tmp_path / "session"
    path.write_bytes(content)
    fd = os.open(path, os.O_RDONLY)
    try:
        return LOADER.view(decoded_lines(fd), name or NAMES[era], era)
    finally:
        os.close(fd)


def head(**members: object) -> dict[str, object]:
    return {**HEADER, **members}


def amid(*rows: object) -> bytes:
    """The good file with these rows behind the third message."""
    return dumped(HEADER, *CHAT[:3], *rows, *CHAT[3:])


NEW = ("E2", "E3", "E4")
OLD = ("E0", "E1")
ALL = (*OLD, *NEW, "")

# what, content, eras, seen, total, listed, words of the reason
ROWS = [
    ("good", GOOD, ALL, 6, 6, True, ""),
    ("empty", b"", ALL, 0, 0, False, ""),
    ("header only", dumped(HEADER), ALL, 0, 0, True, ""),
    ("torn tail", GOOD[:-25], (*NEW, ""), 5, 6, True, "row 6 does not parse"),
    ("torn tail", GOOD[:-25], OLD, 0, 6, True, "row 6 does not parse, which makes it load nothing"),
    ("prose", amid(b"no json"), NEW, 6, 7, True, "row 4 does not parse"),
    ("prose", amid(b"no json"), OLD, 0, 7, True, "load nothing"),
    ("many lines", amid(*[b"x"] * 7), NEW, 6, 13, True, "rows 4, 5, 6, 7, 8 and 2 more do not parse"),
    ("white space", amid(b"  \t"), ALL, 6, 7, True, "row 4 is only white space"),
    ("two white", amid(b"  \t", b" "), ALL, 6, 8, True, "rows 4, 5 are only white space"),
    ("blank lines", amid(b"", b"\r"), ALL, 6, 6, True, ""),
    ("glued", GOOD.replace(b"}\n{", b"}{", 2)[: len(GOOD)], ("E4",), 4, 5, True, "row 1 does not parse"),
    ("torn header", GOOD[40:], NEW, 6, 7, True, "row 1 does not parse"),
    ("torn header", GOOD[40:], OLD, 0, 7, False, "load nothing"),
    ("no header", dumped(*CHAT), ALL, 6, 6, False, ""),
    ("late header", dumped(CHAT[0], HEADER, *CHAT[1:]), ALL, 6, 7, False, "row 2 is a header to it"),
    ("two headers", amid(head(metadata={})), ALL, 6, 7, True, "row 4 is a header to it"),
    ("three headers", amid(HEADER, HEADER), ALL, 6, 8, True, "rows 4, 5 are headers to it"),
    ("headers on top", dumped(HEADER, HEADER, *CHAT), ALL, 6, 6, True, ""),
    ("blank first line", b"\n" + GOOD, ALL, 6, 6, False, ""),
    ("bom", b"\xef\xbb\xbf" + GOOD, NEW, 6, 6, True, ""),
    ("bom", b"\xef\xbb\xbf" + GOOD, OLD, 0, 6, False, "line 1 does not parse"),
    ("crlf", GOOD.replace(b"\n", b"\r\n"), ALL, 6, 6, True, ""),
    ("lone cr", GOOD.replace(b"\n", b"\r"), ALL, 6, 6, True, ""),
    ("cr in a text", amid(b'{"role": "user", "content": "a\rb"}'), NEW, 6, 7, True, "row 4 does not parse"),
    ("cr between", amid(b'{"role": "user", "content": 1}\r{"role": "user"}\r'), ALL, 8, 8, True, ""),
    ("nul tail", GOOD + bytes(64), NEW, 6, 7, True, "row 7 does not parse"),
    ("utf-16", GOOD.decode().encode("utf-16"), (*OLD, *NEW), 0, None, False, "not UTF-8"),
    (
        "bad byte",
        GOOD.replace(b"user 1", b"user \xff"),
        (*OLD, *NEW),
        0,
        6,
        None,
        "row 3 holds a byte that is not UTF-8",
    ),
    ("cut character", GOOD + b'{"role": "user", "content": "\xe6\x80', NEW, 0, 7, True, "row 7 holds a byte"),
    ("array", amid(b"[1,2]"), ("E3", "E4"), 6, 7, True, "row 4 is not an object"),
    ("arrays", amid(b"[]", b"null", b"7"), ("E3", "E4"), 6, 9, True, "rows 4, 5, 6 are not objects"),
    (
        "array",
        amid(b"[1,2]"),
        ("E0", "E1", "E2"),
        0,
        7,
        True,
        "row 4 is not an object, which makes it load nothing",
    ),
    (
        "array first",
        dumped([]) + GOOD,
        ("E3", "E4"),
        6,
        8,
        True,
        "row 1 is not an object; row 2 is a header to it",
    ),
    ("array first", dumped([]) + GOOD, ("E1", "E2"), 0, 8, False, "load nothing"),
    ("nan", amid(b'{"role": "user", "content": "x", "score": NaN}'), ALL, 7, 7, True, ""),
    ("padding", amid("\u3000".encode() + dumped(CHAT[0])[:-1] + b" "), ALL, 7, 7, True, ""),
    ("huge number", amid(HUGE), (*OLD, *NEW), 0, 7, True, "row 4 holds an integer of more digits"),
    ("deep", amid(DEEP), (*OLD, *NEW), 0, 7, True, "row 4 is nested deeper than it can read"),
    ("deep first", DEEP + b"\n" + GOOD, NEW, 0, 8, False, "row 1 is nested deeper"),
    ("no role", amid({"content": "x"}), ALL, 7, 7, True, ""),
    ("unknown type", amid({"_type": "note"}), ALL, 7, 7, True, ""),
    ("half emoji", amid(b'{"role": "user", "content": "\\ud83d"}'), ALL, 7, 7, True, ""),
    ("state", dumped(HEADER, STATE, *CHAT), ("E4", ""), 6, 6, True, ""),
    ("state", dumped(HEADER, STATE, *CHAT), ("E0", "E1", "E2", "E3"), 7, 7, True, ""),
    ("late state", amid(STATE), ("E4",), 6, 7, True, "row 4 is the provider's state to it"),
    ("late states", amid(STATE, STATE), ("E4",), 6, 8, True, "rows 4, 5 are the provider's state to it"),
    ("only state", b"{\n" + dumped(STATE), ("E4",), 0, 2, True, "row 1 does not parse"),
    ("nothing left", GOOD[:30], NEW, 0, 1, False, "row 1 does not parse"),
    (
        "torn state",
        dumped(head(metadata={})) + b'{"_type": "provider_state", "sta',
        ("E4",),
        0,
        1,
        True,
        "row 1 does not",
    ),
    (
        "torn state",
        dumped(head(metadata={})) + b'{"_type": "provider_state", "sta',
        ("E3",),
        0,
        1,
        False,
        "row 1 does not",
    ),
    (
        "empty metadata of a kind",
        b"{\n" + dumped(head(metadata=["x"])),
        ("E3",),
        0,
        2,
        True,
        "row 1 does not parse",
    ),
    (
        "empty metadata of a kind",
        b"{\n" + dumped(head(metadata=["x"])),
        ("E4",),
        0,
        2,
        False,
        "row 1 does not parse",
    ),
    ("bad date", dumped(head(created_at="yesterday"), *CHAT), NEW, 6, 6, True, ""),
    (
        "bad date",
        dumped(head(created_at="yesterday"), *CHAT),
        OLD,
        0,
        6,
        True,
        "line 1 has a created_at that is not a date",
    ),
    ("date of a kind", dumped(head(created_at=5), *CHAT), OLD, 0, 6, True, "created_at"),
    ("no date", dumped(head(created_at=None), *CHAT), ALL, 6, 6, True, ""),
    (
        "odd tool name",
        amid({**call("c"), "tool_calls": [{"function": {"name": []}}]}),
        ("E4",),
        0,
        7,
        True,
        "whose name is not text",
    ),
    (
        "odd tool name",
        amid({**call("c"), "tool_calls": [5, {"name": {}}]}),
        ("E4",),
        0,
        7,
        True,
        "whose name is not text",
    ),
    (
        "odd tool name",
        amid({**call("c"), "tool_calls": [{"function": {"name": []}}]}),
        ("E3",),
        7,
        7,
        True,
        "",
    ),
]


@pytest.mark.parametrize(
    ("content", "era", "expected"),
    [
        pytest.param(content, era, (seen, total, listed, words), id=f"{what}-{era}")
        for what, content, eras, seen, total, listed, words in ROWS
        for era in eras
    ],
)
def test_rows(tmp_path, content, era, expected):
    seen, total, listed, words = expected
    told = view(tmp_path, content, era)
    assert told.seen == seen
    assert total in (None, told.total)
    assert words in told.reason
    assert bool(told.reason) == (told.seen < told.total)
    # a list that looks at the first line only still shows the chat
    assert listed in (None, told.listed)


# what, content, eras, words of a note
NOTES = [
    ("empty", b"", ALL, "The agent's list does not show the chat: the file is empty."),
    ("blank first line", b"\n" + GOOD, ALL, "does not show the chat: its first line is blank."),
    ("no header", dumped(*CHAT), ALL, "does not show the chat: the first line is no header."),
    ("no header", dumped(*CHAT), ALL, "The agent reads no header, so title, summary and offset are gone"),
    ("bom", b"\xef\xbb\xbf" + GOOD, ("E4",), "Line 1 does not parse."),
    ("two headers", amid(HEADER), ALL, "The agent reads 2 headers; the last one, row 4, counts."),
    (
        "bad byte",
        amid(b'{"role": "\xff"}'),
        NEW,
        "The next turn starts an empty session and overwrites the file",
    ),
    ("torn", GOOD[:-25], OLD, "The next turn starts an empty session and overwrites the file"),
    (
        "deep",
        amid(DEEP),
        ("E3", "E4"),
        "The file stays as it is, but every turn of the chat ends with an error.",
    ),
    ("deep", amid(DEEP), ("E2",), "overwrites the file"),
    ("no role", amid({"content": "x"}), ALL, "Row 4 has no role or"),
    ("no role", amid({"content": "x"}), ALL, "it loads, but every turn fails."),
    (
        "no content",
        amid({"role": "user"}),
        ("E0",),
        "Row 4 has no role or no content: it loads, but every turn fails.",
    ),
    (
        "odd calls",
        amid({"role": "assistant", "tool_calls": 5}),
        ("E1", *NEW),
        "Row 4 has no role or unusable tool calls",
    ),
    (
        "half emoji",
        amid(b'{"role": "user", "content": "\\ud83d"}'),
        ("E1", *NEW),
        "Row 4 holds half a surrogate pair",
    ),
    (
        "half emoji",
        dumped(head(metadata={"title": "x"})).replace(b'"x"', b'"\\ud83d"'),
        NEW,
        "Line 1 holds half a surrogate pair",
    ),
    (
        "half emoji",
        dumped(HEADER, STATE).replace(b'"p"', b'"\\ud83d"'),
        ("E4",),
        "Line 2 holds half a surrogate pair",
    ),
    ("silent", dumped(HEADER, said("assistant", " ")), NEW, "Nothing of the chat is sent to the model."),
    (
        "offset",
        dumped(head(last_consolidated=2), *CHAT),
        ("E1", *NEW),
        "2 rows before the archive offset are kept",
    ),
    ("offset", dumped(head(last_consolidated=1), *CHAT), ("E2",), "1 row before the archive offset is kept"),
    ("offset", dumped(head(last_consolidated=1), *CHAT), ("E2",), "1 row before the first user row is kept"),
    (
        "offset",
        dumped(head(last_consolidated=6), *CHAT),
        ("E1", *NEW),
        "Nothing of the chat is sent to the model.",
    ),
    (
        "archived",
        dumped(head(last_archived=4, last_consolidated=2), *CHAT),
        ("E4",),
        "4 rows before the archive offset",
    ),
    (
        "archived",
        dumped(head(last_archived=4, last_consolidated=2), *CHAT),
        ("E3",),
        "2 rows before the archive offset",
    ),
    (
        "archived odd",
        dumped(head(last_archived="4", last_consolidated=2), *CHAT),
        ("E4",),
        "2 rows before the archive",
    ),
    (
        "too far",
        dumped(head(last_consolidated=999), *CHAT),
        NEW,
        "The archive offset 999 is read as 0, so every row",
    ),
    (
        "too far",
        dumped(head(last_consolidated=999), *CHAT),
        ("E2",),
        " from 0.2.2 on; versions before took it as it stands, and send none.",
    ),
    (
        "too far",
        dumped(head(last_consolidated=10**30), *CHAT),
        ("E1",),
        "0000 is out of range and is used all the same.",
    ),
    ("negative", dumped(head(last_consolidated=-2), *CHAT), NEW, "The archive offset -2 is read as 0"),
    (
        "negative",
        dumped(head(last_consolidated=-2), *CHAT),
        ("E1",),
        "4 rows before the archive offset are kept",
    ),
    ("text", dumped(head(last_consolidated="2"), *CHAT), NEW, "The archive offset '2' is read as 0"),
    (
        "text",
        dumped(head(last_consolidated="2"), *CHAT),
        ("E1",),
        "is not a number: the chat loads, but every turn fails.",
    ),
    ("true", dumped(head(last_consolidated=True), *CHAT), NEW, "The archive offset True is read as 0"),
    ("true", dumped(head(last_consolidated=True), *CHAT), ("E1",), "1 row before the archive offset"),
    (
        "orphan",
        dumped(HEADER, *CHAT[:2], result("z"), *CHAT[2:]),
        ("E1", *NEW),
        "3 rows are kept in the file but not sent",
    ),
    (
        "orphan",
        dumped(HEADER, *CHAT[:2], result("z"), *CHAT[2:]),
        NEW,
        "because the tool result in row 3 answers no call.",
    ),
    (
        "orphan last",
        dumped(HEADER, *CHAT, result("z")),
        ("E1", *NEW),
        "Nothing of the chat is sent to the model.",
    ),
    (
        "twice",
        dumped(HEADER, CHAT[0], call("a"), result("a"), result("b"), *CHAT),
        ("E4",),
        "tool result in row 4",
    ),
    (
        "list fails",
        dumped(head(updated_at=None), *CHAT),
        (*OLD, "E2"),
        "with a second session the agent's list fails",
    ),
    (
        "list fails",
        dumped(head(updated_at=1714550400), *CHAT),
        (*OLD, "E2", "E3"),
        "agent's list fails as a whole.",
    ),
    (
        "metadata",
        dumped(head(metadata=None), *CHAT),
        (*OLD, "E2", "E3"),
        "The header's metadata is not an object",
    ),
    (
        "interrupted",
        dumped(head(metadata={"pending_user_turn": True}), *CHAT),
        ALL,
        "The last turn was interrupted",
    ),
    (
        "interrupted",
        dumped(head(metadata={"runtime_checkpoint": {"a": 1}}), *CHAT),
        ("E3",),
        "The last turn was interr",
    ),
    (
        "other key",
        dumped(head(key="telegram:9"), *CHAT),
        ("E3", "E4"),
        "list shows the chat as telegram:9, but loads it for",
    ),
    (
        "other key",
        dumped(head(key="telegram:9"), *CHAT),
        ("E1", "E2"),
        "telegram:9, and looks for that in telegram_9.jsonl",
    ),
]


@pytest.mark.parametrize(
    ("content", "era", "words"),
    [pytest.param(content, era, words, id=f"{what}-{era}") for what, content, eras, words in NOTES for era in eras],
)
def test_notes(tmp_path, content, era, words):
    told = view(tmp_path, content, era)
    assert any(words in note for note in told.notes), told


# what must not be said
QUIET = [
    ("good", GOOD, ALL),
    ("half emoji", amid(b'{"role": "user", "content": "\\ud83d"}'), ("E0",)),
    ("half emoji that is not saved", dumped(HEADER)[:-2] + b',"x":"\\ud83d"}\n' + dumped(*CHAT), ALL),
    ("list survives", dumped(head(updated_at=None), *CHAT), ("E3", "E4")),
    ("list survives", dumped(head(updated_at=1714550400), *CHAT), ("E4",)),
    ("metadata", dumped(head(metadata=None), *CHAT), ("E4",)),
    ("no metadata", dumped({k: v for k, v in HEADER.items() if k != "metadata"}, *CHAT), ALL),
    ("no offset", dumped({k: v for k, v in HEADER.items() if k != "last_consolidated"}, *CHAT), ALL),
    ("null offset", dumped(head(last_consolidated=None), *CHAT), ALL),
    ("offset before its time", dumped(head(last_consolidated=2), *CHAT), ("E0",)),
    ("orphan before its time", dumped(HEADER, *CHAT, result("z")), ("E0",)),
    ("result without an id", amid({"role": "tool", "content": "x"}), ALL),
    ("pairs", dumped(HEADER, CHAT[0], call("a", "b"), result("a"), result("b"), CHAT[1]), ALL),
    ("answered twice", dumped(HEADER, CHAT[0], call("a"), result("a"), result("a"), CHAT[1]), ALL),
    ("delivery", dumped(HEADER, said("assistant", "hi", _channel_delivery=True), *CHAT), NEW),
    ("orphan before the offset", dumped(head(last_consolidated=0), *CHAT, call("a"), result("a")), NEW),
    ("command without a role", amid({"content": "x", "_command": True}), NEW),
    (
        "numbers as ids",
        dumped(HEADER, CHAT[0], call("5"), {"role": "tool", "tool_call_id": 5, "content": "x"}),
        ALL,
    ),
]


@pytest.mark.parametrize(
    ("content", "era"),
    [pytest.param(content, era, id=f"{what}-{era}") for what, content, eras in QUIET for era in eras],
)
def test_nothing_to_say(tmp_path, content, era):
    told = view(tmp_path, content, era)
    assert (told.notes, told.reason, told.listed) == ((), "", True)


# ------------------------------------------------------------------ names


@pytest.mark.parametrize("name", [LOSSY, "Y2xpOmRpcmVjdB.jsonl", "Y2xpOmRpcmVjdA=.jsonl", "a.jsonl.tmp", ".jsonl"])
def test_a_name_that_is_not_encoded_is_neither_listed_nor_loaded(tmp_path, name):
    told = view(tmp_path, GOOD, "E4", name)
    assert (told.seen, told.total, told.listed) == (0, 6, False)
    assert "not the encoded form of a key" in told.reason
    assert told.notes == (f"Versions up to 0.3.0 read such names; newer ones would find it as {ENCODED}.",)


def test_a_nameless_chat_under_an_old_name(tmp_path):
    told = view(tmp_path, dumped(*CHAT), "E4", LOSSY)
    assert told.notes == ("Versions up to 0.3.0 read such names; newer ones would find it under an encoded name.",)


def test_an_empty_file_under_an_old_name_says_so(tmp_path):
    told = view(tmp_path, b"", "E4", LOSSY)
    assert (told.seen, told.total, told.listed, told.reason) == (0, 0, False, "")
    assert told.notes[0].startswith("Its file name is not the encoded form")


@pytest.mark.parametrize(
    ("key", "seen", "words"),
    [
        ("cli:direct", 6, ""),
        (None, 6, ""),
        ("telegram:9", 0, "its header belongs to telegram:9, which is looked for under dGVsZWdyYW06OQ.jsonl"),
    ],
)
def test_0_3_0_still_reads_old_names_of_the_right_key(tmp_path, key, seen, words):
    told = view(tmp_path, dumped(head(key=key), *CHAT), "E3", LOSSY)
    assert (told.seen, told.total, told.listed) == (seen, 6, True)
    assert words in told.reason


# ------------------------------------------------------------------ how far the list reads


def padded(size: int) -> bytes:
    """A header and an assistant row of so many bytes together."""
    row = dumped(said("assistant", ""))
    header = dumped(HEADER)
    return header + dumped(said("assistant", "x" * (size - len(header) - len(row))))


@pytest.mark.parametrize("era", NEW)
@pytest.mark.parametrize(
    ("content", "listed"),
    [
        pytest.param(padded(8000) + b'"\xff"\n', False, id="no user text before the bad byte"),
        pytest.param(padded(8000) + dumped(CHAT[0]) + b'"\xff"\n', False, id="bad byte in the same chunk"),
        pytest.param(
            padded(8192 - len(dumped(CHAT[0]))) + dumped(CHAT[0]) + b'"\xff"\n',
            True,
            id="bad byte behind the chunk of the text",
        ),
        pytest.param(padded(9000) + dumped(CHAT[0]) + b'"\xff"\n', False, id="bad byte in the second chunk"),
        pytest.param(dumped(HEADER, CHAT[0]) + b"\xe6\x80", True, id="cut character, the list stopped before the end"),
        pytest.param(dumped(HEADER, CHAT[1]) + b"\xe6\x80", False, id="cut character, the list reads to the end"),
        pytest.param(dumped(HEADER, CHAT[1]) + b"\xe6\x80\n" + dumped(CHAT[0]), False, id="cut character inside"),
        pytest.param(dumped(HEADER, *CHAT[1:2] * 201, *CHAT[:1] * 200) + b"\xff\n", True, id="200 rows are enough"),
        pytest.param(padded(LIST_CHARACTERS + 9000) + dumped(CHAT[1]) + bytes(9000) + b"\xff\n", True, id="a million"),
    ],
)
def test_a_bad_byte_is_met_only_where_the_list_reads(tmp_path, era, content, listed):
    told = view(tmp_path, content, era)
    assert (told.seen, told.listed) == (0, listed)


@pytest.mark.parametrize("era", NEW)
@pytest.mark.parametrize("content", [[{"type": "text", "text": "hi"}], "hi"])
@pytest.mark.parametrize(
    ("silent"), [None, "  ", [{"type": "image_url"}], [{"type": "text", "text": 5}], {"text": "x"}]
)
def test_the_list_stops_at_the_first_user_text(tmp_path, era, content, silent):
    rows = dumped(HEADER, said("user", silent), said("user", content))
    assert view(tmp_path, rows + HUGE + b"\n", era).listed
    assert not view(tmp_path, dumped(HEADER, said("user", silent)) + HUGE + b"\n", era).listed


def test_a_line_over_the_limit_is_unknown(tmp_path):
    lines = [(Line(1, 0, len(GOOD), line, True), decode(line)) for line in GOOD.splitlines()]
    huge = (Line(9, 9999, 1 << 30, None, True), Decoded((), "oversize-line"))
    told = LOADER.view([*lines, huge], ENCODED, "E4")
    assert (told.seen, told.total) == (6, 7)
    assert told.reason == "row 7 is too long to be looked at here, what it makes of it is unknown"
    told = LOADER.view([*lines, huge, huge], ENCODED, "E4")
    assert told.reason == "rows 7, 8 are too long to be looked at here, what it makes of them is unknown"


def test_a_value_too_deep_to_write_is_no_half_pair():
    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]
    assert breaks_saving(deep) is False


def test_the_real_samples_are_seen_whole(nanobot):
    layout = formats.load("nanobot").layout
    told = {}
    for folder in sorted(nanobot.iterdir()):
        for workspace in layout.recognise(str(folder / ".nanobot")):
            for path in layout.session_paths(workspace):
                fd = os.open(path, os.O_RDONLY)
                name = os.path.basename(path)
                told[folder.name, name] = LOADER.view(decoded_lines(fd), name, workspace.era)
                os.close(fd)
    assert len(told) == 17
    assert all(one.seen == one.total > 0 and one.listed for one in told.values())
    interrupted = [key for key, one in told.items() if any("interrupted" in note for note in one.notes)]
    assert interrupted == [
        ("nanobot-v0.3.5", "ZHJlYW06MjAyNjExMzAtMDIyNzU3.jsonl"),
        ("nanobot-v0.3.5-killed", ENCODED),
    ]
