"""The parser of plain command lines and Typer must mean the same by every line that the first one takes."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from memcli import quick, root
from memcli.quick_flags import COMMANDS, GLOBALS

Called = tuple[str, dict[str, Any]]


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[Called]:
    """Every command replaced by one that notes what it was called with, defaults filled in."""
    noted: list[Called] = []

    def noting(name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(real)
        def note(*arguments: Any, **parameters: Any) -> int:
            bound = inspect.signature(real).bind(*arguments, **parameters)
            bound.apply_defaults()
            noted.append((name, {key: _plain(value) for key, value in bound.arguments.items()}))
            return 0

        return note

    for name, (target, _, _) in COMMANDS.items():
        # root.function leaves the real one with its annotations resolved, which Typer looks at through the wrapper
        monkeypatch.setattr(target.replace(":", "."), noting(name, root.function(name)))
    return noted


def _plain(value: Any) -> Any:
    """An option that was not given is None here and [] there; words of a choice are enum members here."""
    return None if value in ([], ()) else [*value] if isinstance(value, list | tuple) else value


def by_typer(arguments: list[str], calls: list[Called], capsys: pytest.CaptureFixture[str]) -> Called | None:
    calls.clear()
    root.run(arguments)
    capsys.readouterr()
    return calls[0] if calls else None


def by_quick(arguments: list[str], calls: list[Called]) -> Called | None:
    calls.clear()
    call = quick.parse(arguments)
    if call is None:
        return None
    assert call() == 0
    return calls[0]


PLAIN = [
    "sessions ls",
    "sessions ls --limit 3 --sort size --damaged -l",
    "sessions ls --limit=3 --sort=key",
    "sessions ls -W a -W b --workspace c",
    "sessions ls -Wa --workspace=b",
    "-W a sessions ls",
    "-W a --agent nanobot sessions ls -W b --agent catbuddy",
    "-W a -W b sessions ls --agent jsonl",
    "--workspace=a sessions show key --row 3 -C 2",
    "sessions show",
    "sessions show key -C2 --line 007",
    "sessions show -- -key",
    "grep x",
    "grep x a b -i -w -E",
    "grep -e x -e y a",
    "grep -A 1 -B2 -C 0 --role user --role tool --tool exec x",
    "grep --since 2d --until today --tz UTC --json --query key --where row x",
    "grep -l -Z x",
    "grep -m 5 -c x -- -y z",
    "grep - x",
    "grep -e -x y",
    "grep x -q --color never",
    "grep --color always x --color auto",
    "tail",
    "tail key -n 3 -f --raw",
    "tail --all -n3",
    "demo",
    "demo folder -q",
]


@pytest.mark.parametrize("line", PLAIN)
def test_plain_lines_are_taken_and_mean_the_same(
    line: str, calls: list[Called], capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = line.split()
    quickly = by_quick(arguments, calls)
    assert quickly is not None
    assert quickly == by_typer(arguments, calls, capsys)


LEFT = [
    "",
    "--help",
    "-h",
    "--version",
    "frob",
    "sessions",
    "sessions --help",
    "sessions frob",
    "sessions ls --help",
    "sessions ls -h",
    "sessions ls extra",
    "sessions ls --limit",
    "sessions ls --limit x",
    "sessions ls --limit -1",
    "sessions ls --limit ３",
    "sessions ls --limit " + "9" * 5000,
    "sessions ls --sort bogus",
    "sessions ls --sort SIZE",
    "sessions ls --json=1",
    "sessions ls --lim 3",
    "sessions -W a ls",
    "sessions show a b",
    "sessions show --row 0",
    "grep -iE x",
    "grep -in x",
    "grep x --frob",
    "--frob grep x",
    "-W",
    "-- grep x",
]


@pytest.mark.parametrize("line", LEFT)
def test_what_is_not_plain_is_left_to_typer(line: str) -> None:
    assert quick.parse(line.split()) is None


def test_tab_is_left_to_typer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_MEMCLI_COMPLETE", "complete_bash")
    assert quick.parse(["sessions", "ls"]) is None


VALUES = st.sampled_from(
    ["a", "x y", "", "-", "--", "-x", "-1", "0", "3", "12", "3.5", "size", "auto", "é端", "a=b", "=", "\\"]
)


@st.composite
def lines(draw: st.DrawFn) -> list[str]:
    """Command lines of real commands with real options, their values right and wrong, in any order."""
    name = draw(st.sampled_from(sorted(COMMANDS)))
    _, options, _ = COMMANDS[name]

    def some(known: dict[str, Any]) -> Iterator[str]:
        for flag in draw(st.lists(st.sampled_from(sorted(known)), max_size=4)):
            kind = known[flag][1]
            if kind == "flag":
                yield flag
                continue
            value = draw(VALUES)
            form = draw(st.integers(0, 2))
            if form == 0:
                yield from (flag, value)
            else:
                yield f"{flag}={value}" if flag.startswith("--") else f"{flag}{value}"
        yield from draw(st.lists(VALUES, max_size=2))

    return [*some(GLOBALS), *name.split(), *some(options)]


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(lines())
@example(["grep", "-e", "--", "x"])
@example(["grep", "--regexp=", "x"])
@example(["-W", "-W", "sessions", "ls"])
def test_any_line_means_the_same(calls: list[Called], capsys: pytest.CaptureFixture[str], arguments: list[str]) -> None:
    quickly = by_quick(arguments, calls)
    if quickly is not None:
        assert quickly == by_typer(arguments, calls, capsys)
