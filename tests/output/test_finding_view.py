"""How findings look on a terminal, and what --where leaves of them."""

from __future__ import annotations

import io

import pytest

from memcli.core.verifying import Summary
from memcli.model import Finding
from memcli.output import Printer
from memcli.output.finding_view import View, repair_words

TORN = Finding(
    "/ws/a\x1b[2J.jsonl",
    "torn-tail",
    "error",
    "safe",
    "The last record was cut.",
    "The chat opens empty.",
    8,
    7,
    90,
    12,
)
TRIMMED = Finding("/ws/b.jsonl", "trimmed", "info", "report", "The first 3 rows are gone.")
OPEN = Finding("/ws/b.jsonl", "crlf", "warning", "flag", "3 lines end in CR LF.", flag="--eol")
LOSSY = Finding("/ws/b.jsonl", "not-json", "error", "lossy", "No JSON.", line=2)
SUMMARY = Summary(2, 10, 4, 3, ("the versions in git", "a database"), False, "error")


def shown(*items: Finding | Summary, terminal: bool = True, **options) -> tuple[str, View]:
    printer = Printer(color="never", **options)
    printer.out = io.BytesIO()
    printer.terminal = terminal
    view = View(printer)
    for item in items:
        if isinstance(item, Summary):
            view.summary(item)
        else:
            view.finding(item)
    return printer.out.getvalue().decode(), view


def test_a_page_is_grouped_by_file(capsys):
    page, view = shown(TORN, TRIMMED, OPEN, LOSSY, SUMMARY)
    assert page == (
        "/ws/a\\x1b[2J.jsonl\n"
        "  error   torn-tail line 8, row 7\n"
        "          The last record was cut.\n"
        "          The chat opens empty.\n"
        "          repair --apply mends it\n"
        "\n"
        "/ws/b.jsonl\n"
        "  info    trimmed\n"
        "          The first 3 rows are gone.\n"
        "          nothing is changed for it\n"
        "  warning crlf\n"
        "          3 lines end in CR LF.\n"
        "          repair --apply --eol changes it\n"
        "  error   not-json line 2\n"
        "          No JSON.\n"
        "          repair --apply --lossy moves it to quarantine\n"
        "\n"
    )
    assert view.shown == {"error": 2, "info": 1, "warning": 1}
    assert capsys.readouterr().err == (
        "2 files, 10 rows: 2 errors, 1 warning, 1 for information. 3 checksums right.\n"
        "Not checked: the versions in git.\n"
        "Not checked: a database.\n"
    )


def test_nothing_wrong_is_said(capsys):
    assert shown(Summary(1, 1, 0, 0, (), False, ""))[0] == ""
    assert capsys.readouterr().err == "1 file, 1 row: nothing wrong.\n"


@pytest.mark.parametrize(
    ("options", "lines"),
    [({}, 5), ({"where": "severity=='error'"}, 2), ({"where": "type=='summary'"}, 1), ({"query": "code"}, 5)],
)
def test_json_rows_pass_where_and_query(options, lines):
    text, view = shown(TORN, TRIMMED, OPEN, LOSSY, SUMMARY, terminal=False, json=True, **options)
    assert text.count("\n") == lines
    assert sum(view.shown.values()) == (4 if lines == 5 else 2 if lines == 2 else 0)


def test_columns_in_a_pipe():
    text, _ = shown(TORN, LOSSY, terminal=False)
    assert text == (
        "error\ttorn-tail\t/ws/a\\x1b[2J.jsonl\t8\t7\tsafe\tThe last record was cut.\tThe chat opens empty.\n"
        "error\tnot-json\t/ws/b.jsonl\t2\t\tlossy\tNo JSON.\t\n"
    )


@pytest.mark.parametrize(
    ("finding", "words"), [(TORN, "mends"), (OPEN, "--eol"), (LOSSY, "--lossy"), (TRIMMED, "nothing")]
)
def test_what_repair_would_do(finding, words):
    assert words in repair_words(finding)
