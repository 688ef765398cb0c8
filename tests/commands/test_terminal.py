"""The terminal form, on a real one: width, colour, Ctrl-C, progress."""

from __future__ import annotations

import re
import sys
import time
from pathlib import Path

import pexpect
import pytest
from support.cli import environment, short
from support.display import COLOUR, width
from support.hazards import GOOD

# pexpect forks, and says so in a process with threads, as those of xdist are
pytestmark = pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")


def start(*arguments: str | Path, columns: int = 80, **changes: str | None) -> pexpect.spawn:
    """memcli on a terminal of its own."""
    return pexpect.spawn(
        sys.executable,
        ["-m", "memcli", *map(str, arguments)],
        env=environment({"TERM": "xterm-256color", **changes}),
        dimensions=(24, columns),
        encoding="utf-8",
        timeout=60,
    )


def screen(*arguments: str | Path, columns: int = 80, **changes: str | None) -> tuple[int, str]:
    """The exit code and everything that was written, with one kind of newline."""
    child = start(*arguments, columns=columns, **changes)
    child.expect(pexpect.EOF)
    child.close()
    assert child.before is not None
    return child.exitstatus, child.before.replace("\r\n", "\n")


COMMANDS = (
    ["sessions", "ls"],
    ["sessions", "ls", "--long"],
    ["grep", "e"],
    ["grep", "-C1", "-i", "test:watch"],
    ["grep", "杭州"],
    ["grep", "-o", "80"],
    ["grep", "-c", "e"],
)


@pytest.mark.parametrize("columns", [200, 80, 60, 40, 20])
@pytest.mark.parametrize("command", COMMANDS, ids=short)
def test_no_line_is_wider_than_the_terminal(demonstration: Path, command: list[str], columns: int) -> None:
    code, text = screen(*command, "-q", "-W", demonstration, columns=columns)
    assert code == 0
    lines = [line for line in text.split("\n") if not line.startswith("An unreadable")]
    assert max(map(width, lines)) <= columns
    assert "\x1b[" in text


@pytest.mark.parametrize(
    "command", [*COMMANDS[:3], ["sessions", "show", "desktop:main"], ["tail", "desktop:main"]], ids=short
)
def test_colour_can_be_refused(demonstration: Path, command: list[str]) -> None:
    arguments = [*command, "-W", demonstration]
    assert "\x1b[" in screen(*arguments)[1]
    plain = screen(*arguments, "--color", "never")
    assert "\x1b" not in plain[1]
    assert screen(*arguments, NO_COLOR="1") == plain
    assert screen(*arguments, TERM="dumb") == plain
    assert COLOUR.sub("", screen(*arguments)[1]) == plain[1]
    assert screen(*arguments, NO_COLOR="")[1] == screen(*arguments)[1]
    assert "\x1b[" in screen(*arguments, "--color", "always", NO_COLOR="1")[1]


def test_listing(demonstration: Path) -> None:
    _, text = screen("sessions", "ls", "--color", "never", "-W", demonstration, columns=100)
    head, *rows, left = text.rstrip("\n").split("\n")
    assert left == f"Left behind, and may hold rows: {demonstration}/sessions/desktop_1748908800000.jsonl.tmp"
    assert head.split() == ["UPDATED", "KEY", "SIZE", "DAMAGE", "TITLE"]
    assert rows[-1] == f"6 sessions (4 with damage) in {demonstration}."
    assert rows[0].split() == ["2026-05-15", "09:00", "desktop:1749081600000", "4.0K", "nul-run,corrupt-header"]
    assert rows[2].split()[:5] == ["2026-05-15", "08:30", "desktop:main", "1.1K", "Now"]


def test_match_is_highlighted(demonstration: Path) -> None:
    _, text = screen("grep", "vitest", "desktop:main", "-W", demonstration, columns=120)
    assert text.count("\x1b[1;31mvitest\x1b[0m") == 5
    assert text.endswith("5 matches in 1 session.\n")


def test_a_long_line_is_cut_around_its_match(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(f'{{"role":"user","content":"{"x" * 500} needle {"y" * 500}"}}\n')
    (tmp_path / "b.jsonl").write_text(f'{{"role":"user","content":"{"端" * 500} needle {"口" * 500}"}}\n')
    for columns in (80, 60, 40, 20):
        _, text = screen("grep", "needle", "-q", "--color", "never", "-W", tmp_path, columns=columns)
        found = [line for line in text.split("\n") if "needle" in line]
        assert len(found) == 2
        assert all("…" in line for line in found)
        assert max(map(width, text.split("\n"))) <= columns


@pytest.mark.parametrize(
    "command", [["sessions", "ls", "--long"], ["sessions", "show", "desktop:main"], ["grep", "e"]], ids=short
)
def test_no_bar_before_a_second_is_over(demonstration: Path, command: list[str]) -> None:
    _, text = screen(*command, "-W", demonstration)
    assert not re.search(r"━|\x1b\[\?25l|\x1b\[2K", text)


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two seconds of work and more for whoever reads every row."""
    folder = tmp_path_factory.mktemp("large")
    (folder / "chat.jsonl").write_text(GOOD * 400_000)
    return folder


def test_a_bar_after_a_second_and_ctrl_c(large: Path) -> None:
    child = start("sessions", "ls", "--long", "-W", large)
    child.expect("reading sessions")
    child.sendintr()
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 130
    assert "Traceback" not in (child.before or "")
    assert "\x1b[?25h" in (child.before or "")  # the cursor is shown again


def test_no_bar_when_quiet(large: Path) -> None:
    child = start("sessions", "ls", "--long", "-q", "-W", large)
    assert child.expect(["reading sessions", pexpect.TIMEOUT], timeout=2) == 1
    child.sendintr()
    child.expect(pexpect.EOF)
    child.close()
    assert (child.exitstatus, (child.before or "").replace("^C", "").strip()) == (130, "")


def test_ctrl_c_ends_a_long_grep(large: Path) -> None:
    child = start("grep", "-E", "(x+x+)+y|needle$", "-W", large)
    time.sleep(1)
    child.sendintr()
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 130
    assert "Traceback" not in (child.before or "")


def test_ctrl_c_ends_tail(tmp_path: Path) -> None:
    (tmp_path / "chat.jsonl").write_text(GOOD)
    child = start("tail", "-f", "-W", tmp_path)
    child.expect("a needle in here")
    child.sendintr()
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 130
    assert "Traceback" not in (child.before or "")


def test_standard_input_from_the_terminal_is_refused() -> None:
    code, text = screen("grep", "x", "-W", "-")
    assert code == 2
    assert "but that is the terminal; pipe a file into memcli." in text
