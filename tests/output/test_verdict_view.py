"""Verdicts on a page: what wraps and what does not, in every locale, and nothing that a terminal would obey."""

from __future__ import annotations

import io
import json
import shlex
import subprocess
import sys

import pytest

from memcli.core.doctoring import Answer
from memcli.core.sources.framework import Question
from memcli.model import Verdict
from memcli.output import Printer, verdict_view
from memcli.output.columns import width

LOST = Verdict(
    "desktop:main",
    "unreadable-row",
    "session",
    416,
    1,
    (
        "The agent sees 0 of 417 rows: row 203 does not parse, and a row that does not parse hides all others.",
        "助手打开这个会话时是空的，因为第二百零三行无法解析；修复之后可以看到其余的全部内容。",
    ),
    "memcli repair desktop:main --apply --lossy -W '/home/somebody/a long path/with blanks/workspace'",
)
FINE = Verdict("desktop:fine", "not-lost", "session", 0, 0, ("The agent lists the chat.",), "memcli sessions show x")
UNKNOWN = Verdict("", "unknown", "none", None, None, ("Nothing holds it.",))


class Stream(io.TextIOWrapper):
    """A standard output that is or is not a terminal."""

    terminal = False

    def isatty(self) -> bool:
        return self.terminal


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]):
    def write(
        *verdicts: Verdict, columns: int = 0, encoding: str = "utf-8", fail_on: str = "warning", **more: object
    ) -> tuple[int, str]:
        options = {name: more.pop(name) for name in ("json", "where", "query", "quiet", "color") if name in more}
        stream = Stream(io.BytesIO(), encoding)
        stream.terminal = bool(columns)
        monkeypatch.setenv("COLUMNS", str(columns or 80))
        monkeypatch.setattr(sys, "stdout", stream)
        answer = Answer(Question("x"), verdicts, ("session files", "journals"))._replace(**more)
        code = verdict_view.write(Printer(**options), answer, fail_on)
        stream.flush()
        return code, stream.buffer.getvalue().decode(encoding)

    return write


def test_a_page_of_sixty_columns(written) -> None:
    code, page = written(LOST, FINE, columns=60, color="never")
    lines = page.splitlines()
    assert code == 1
    assert lines[0] == "unreadable-row  desktop:main"
    assert f"  {LOST.command}" in lines  # whole, however long
    assert all(width(line) <= 60 for line in lines if not line.startswith("  memcli "))
    assert "".join(line.strip() for line in lines).count("助手打开这个会话时是空的，因为第二百零三行无法解析；") == 1
    assert not any(line.strip().startswith(("，", "；", "。")) for line in lines)
    assert lines[lines.index(f"  {LOST.command}") + 1] == ""


def test_in_a_pipe_nothing_wraps(written) -> None:
    assert written(LOST)[1].splitlines() == [
        "unreadable-row  desktop:main",
        "  416 rows can be had back from layer session; lost: 1",
        *(f"  {sentence}" for sentence in LOST.evidence),
        f"  {LOST.command}",
    ]


@pytest.mark.parametrize(
    ("verdict", "line"),
    [
        (FINE, "  Nothing is lost."),
        (UNKNOWN, "  What became of it is not known."),
        (
            LOST._replace(recoverable=None, lost=None),
            "  How many rows can be had back, and how many are lost, is not known.",
        ),
        (LOST._replace(recoverable=0, lost=0), "  No row is lost."),
        (LOST._replace(recoverable=0, lost=None), "  No row can be had back; how many are lost is not known."),
        (
            LOST._replace(cause="locked-out", recoverable=0, lost=None),
            "  No row is lost; what the lock kept from being written is not known.",
        ),
        (
            LOST._replace(layer="memory-history", recoverable=0, lost=None),
            "  The words are lines of memory files, and no rows of a chat.",
        ),
        (LOST._replace(recoverable=0, lost=5), "  No row can be had back; lost: 5"),
        (LOST._replace(lost=None), "  416 rows can be had back from layer session; how many are lost is not known."),
        (LOST._replace(recoverable=1, lost=1234), "  1 row can be had back from layer session; lost: 1,234"),
    ],
)
def test_counts(written, verdict: Verdict, line: str) -> None:
    assert written(verdict)[1].splitlines()[1] == line


@pytest.mark.parametrize(
    ("verdicts", "fail_on", "where", "code"),
    [
        ([FINE], "warning", None, 0),
        ([FINE, LOST], "warning", None, 1),
        ([UNKNOWN], "warning", None, 1),
        ([UNKNOWN], "never", None, 0),
        ([FINE, LOST], "warning", "cause == 'not-lost'", 0),
        ([], "warning", None, 0),
    ],
)
def test_exit_codes(written, verdicts: list[Verdict], fail_on: str, where: str | None, code: int) -> None:
    assert written(*verdicts, fail_on=fail_on, where=where)[0] == code


def test_json_rows(written) -> None:
    code, out = written(LOST, UNKNOWN, json=True, more=7)
    rows = [json.loads(line) for line in out.splitlines()]
    assert code == 1
    assert rows[0] == {
        "type": "verdict",
        "key": "desktop:main",
        "cause": "unreadable-row",
        "layer": "session",
        "recoverable": 416,
        "lost": 1,
        "evidence": list(LOST.evidence),
        "command": LOST.command,
    }
    assert (rows[1]["recoverable"], rows[1]["lost"], rows[1]["command"]) == (None, None, "")


def test_words_that_were_found_otherwise_than_they_were_typed(written, capfd) -> None:
    written(FINE, loose=True)
    told = "Nothing holds the words just as they were typed; upper and lower case and blanks were not told apart."
    assert told in capfd.readouterr().err


def test_more_chats_than_were_followed(written) -> None:
    last = written(FINE, more=4980)[1].splitlines()[-1]
    assert last == "The words stand in 4,980 more chats; more words, or --json, tell of them."


@pytest.mark.parametrize("quiet", [False, True])
def test_what_was_looked_at_and_what_was_not(written, capfd: pytest.CaptureFixture[str], quiet: bool) -> None:
    written(FINE, unchecked=("/x\x1b[2J: it is a FIFO",), quiet=quiet)
    said = capfd.readouterr().err
    expected = "Looked at session files, journals.\nNot checked: /x\\x1b[2J: it is a FIFO.\n"
    assert said == ("" if quiet else expected)


HOSTILE = "a\x1b]0;owned\x07\u202eb\nc"


@pytest.mark.parametrize("columns", [0, 60])
@pytest.mark.parametrize("color", ["never", "always"])
def test_nothing_from_a_file_is_obeyed(written, columns: int, color: str) -> None:
    command = shlex.join(["memcli", "repair", HOSTILE])
    bad = LOST._replace(key=HOSTILE, evidence=(HOSTILE,), command=command)
    page = written(bad, columns=columns, color=color)[1]
    plain = page
    for code in ("\x1b[1;31m", "\x1b[1m", "\x1b[2m", "\x1b[36m", "\x1b[0m"):
        plain = plain.replace(code, "")
    assert all(char.isprintable() or char == "\n" for char in plain)
    assert len(plain.splitlines()) == 4


@pytest.mark.parametrize("encoding", ["utf-8", "ascii", "gbk"])
@pytest.mark.parametrize(
    "word",
    [
        "telegram:群组",
        "it's",
        "a b",
        HOSTILE,
        "back\\slash",
        "emoji 👩\u200d💻",
        "odd\udcff",
        "half\ud800",
        "$HOME `x`",
        "é",
    ],
)
def test_a_command_can_be_pasted(written, encoding: str, word: str) -> None:
    """What the page shows is, read by a shell, the command that was meant."""
    command = shlex.join(["printf", "%s", word])
    page = written(LOST._replace(command=command), encoding=encoding)[1]
    shown = page.splitlines()[-1].strip()
    done = subprocess.run(["bash", "-c", shown.encode(encoding)], capture_output=True, check=True)
    meant = word.encode("utf-8", "surrogatepass" if "\ud800" in word else "surrogateescape")
    if encoding == "gbk" and shown == command:  # the terminal's bytes are the characters that were meant
        assert done.stdout.decode("gbk") == word
    else:
        assert done.stdout == meant
