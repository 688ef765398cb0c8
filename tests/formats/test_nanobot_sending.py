"""Which rows of damaged and healthy sessions nanobot of each generation sends to the model."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from support.format_suite import decoded_lines
from support.nanobot_files import ENCODED, HEADER, call, dumped, result, said

from memcli import formats
from memcli.model import AgentView, Sent

FORM = formats.load("nanobot")
LOSSY = "cli_direct.jsonl"
NAMES = {"E0": LOSSY, "E1": LOSSY, "E2": LOSSY, "E3": ENCODED, "E4": ENCODED, "": "any.jsonl"}
CHAT = [said(role, f"{role} {n}") for n in range(3) for role in ("user", "assistant")]
PAIR = [said("user", "go"), call("a"), result("a"), said("assistant", "gone")]
PAIRING = ("E1", "E2", "E3", "E4", "")
NEW = ("E2", "E3", "E4", "")
ALL = ("E0", *PAIRING)


def head(**members: object) -> dict[str, object]:
    return {**HEADER, **members}


# what, content, eras, rows sent, hidden (first, last, code), words of why every turn fails
CASES = [
    ("whole", dumped(HEADER, *CHAT), ALL, 6, [], ""),
    ("empty", b"", ALL, 0, [], ""),
    ("header only", dumped(HEADER), ALL, 0, [], ""),
    ("no header", dumped(*CHAT), ALL, 6, [], ""),
    ("archived", dumped(head(last_consolidated=4), *CHAT), PAIRING, 2, [(1, 4, "offset")], ""),
    ("archived to the end", dumped(head(last_consolidated=6), *CHAT), PAIRING, 0, [(1, 6, "offset")], ""),
    ("no offsets yet", dumped(head(last_consolidated=4), *CHAT), ("E0",), 6, [], ""),
    ("the newer one", dumped(head(last_archived=2, last_consolidated=4), *CHAT), ("E4",), 4, [(1, 2, "offset")], ""),
    (
        "inside a turn",
        dumped(head(last_consolidated=3), *CHAT),
        PAIRING,
        2,
        [(1, 3, "offset"), (4, 4, "offset-leading")],
        "",
    ),
    ("too large", dumped(head(last_consolidated=999), *CHAT), ("E1", "E2"), 0, [(1, 6, "offset-out-of-range")], ""),
    ("too large", dumped(head(last_consolidated=999), *CHAT), ("E3", "E4", ""), 6, [], ""),
    ("negative", dumped(head(last_consolidated=-2), *CHAT), ("E1", "E2"), 2, [(1, 4, "offset-out-of-range")], ""),
    (
        "a text",
        dumped(head(last_consolidated="2"), *CHAT),
        ("E1", "E2"),
        0,
        [(1, 6, "offset-unreadable")],
        "'2' is not a number",
    ),
    ("orphan", dumped(HEADER, *CHAT, result("x"), *CHAT[:2]), PAIRING, 2, [(1, 7, "unpaired")], ""),
    ("orphan last", dumped(HEADER, *PAIR, result("x")), PAIRING, 0, [(1, 5, "unpaired")], ""),
    ("orphan is fine", dumped(HEADER, *PAIR, result("x")), ("E0",), 5, [], ""),
    (
        "behind the offset",
        dumped(head(last_consolidated=2), *CHAT, result("x"), *PAIR),
        PAIRING,
        4,
        [(1, 2, "offset"), (3, 7, "unpaired")],
        "",
    ),
    ("assistant first", dumped(HEADER, *CHAT[1:]), PAIRING, 4, [(1, 1, "leading")], ""),
    (
        "commands",
        dumped(HEADER, said("user", "/a", _command=True), said("assistant", "b", _command=True), *CHAT[:2], CHAT[1]),
        NEW,
        3,
        [(1, 2, "unsent")],
        "",
    ),
    (
        "apart",
        dumped(HEADER, CHAT[0], said("assistant", " "), CHAT[2], said("assistant", ""), CHAT[1]),
        NEW,
        3,
        [(2, 2, "unsent"), (4, 4, "unsent")],
        "",
    ),
    ("no role", dumped(HEADER, *CHAT, {"content": "x"}), ALL, 0, [(1, 7, "fails")], "row 7 has no role"),
    ("no role, hidden", dumped(HEADER, {"content": "x"}, *CHAT), PAIRING, 6, [(1, 1, "leading")], ""),
    ("bad byte", dumped(HEADER, *CHAT, b'{"role": "\xff"}'), ALL, 0, [], ""),
    ("torn", dumped(HEADER, CHAT[0], b'{"role": "us', *CHAT[1:]), NEW, 6, [], ""),
    ("torn, archived", dumped(head(last_consolidated=2), CHAT[0], b'{"ro', *CHAT[1:]), NEW, 4, [(1, 3, "offset")], ""),
    ("lone cr", dumped(head(last_consolidated=2), *CHAT).replace(b"}\n{", b"}\r{"), NEW, 4, [(1, 1, "offset")], ""),
]
EACH = [
    pytest.param(content, era, rows, hidden, fails, id=f"{what}-{era or 'unknown'}")
    for what, content, eras, rows, hidden, fails in CASES
    for era in eras
]


def looked_at(tmp_path: Path, content: bytes, era: str, name: str = "") -> tuple[AgentView, Sent]:
    path = tmp_path / "session"
    path.write_bytes(content)
    found = []
    assert FORM.sending is not None
    for look in (FORM.loader.view, FORM.sending.sent):
        fd = os.open(path, os.O_RDONLY)
        try:
            found.append(look(decoded_lines(fd), name or NAMES[era], era))
        finally:
            os.close(fd)
    return found[0], found[1]


@pytest.mark.parametrize(("content", "era", "rows", "hidden", "fails"), EACH)
def test_what_is_sent(tmp_path, content, era, rows, hidden, fails):
    view, sent = looked_at(tmp_path, content, era)
    assert sent.rows == rows
    assert [(span.first, span.last, span.code) for span in sent.hidden] == hidden
    assert fails in sent.fails
    assert bool(fails) == bool(sent.fails)
    assert all(span.reason for span in sent.hidden)
    if b"\r" not in content and view.seen == view.total:
        assert rows + sum(span.last - span.first + 1 for span in sent.hidden) == view.seen


def test_what_the_name_hides_is_not_sent(tmp_path):
    for name, rows in ((LOSSY, 0), (ENCODED, 6)):
        _, sent = looked_at(tmp_path, dumped(HEADER, *CHAT), "E4", name)
        assert sent == Sent(rows)


def test_a_row_knows_why_it_is_hidden(tmp_path):
    _, sent = looked_at(tmp_path, dumped(head(last_consolidated=4), *CHAT), "E4")
    hidden = sent.at(3)
    assert hidden is not None
    assert hidden.sentence == "Rows 1 to 4 do not reach the model: they lie before the archive offset."
    assert sent.at(5) is None


def test_a_row_that_no_save_survives(tmp_path):
    content = dumped(HEADER, *CHAT, b'{"role": "user", "content": "\\ud83d"}')
    for era, row in (("E0", 0), ("E2", 7), ("E4", 7)):
        _, sent = looked_at(tmp_path, content, era)
        assert (sent.rows, sent.unsaved) == (7, row)


def test_agents_without_such_rules_have_none():
    assert [name for name in formats.FORMATS if formats.load(name).sending] == ["nanobot"]
