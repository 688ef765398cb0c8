"""Plain command lines without Typer, whose import costs more than listing 500 sessions.

The options of each command stand in quick_flags.py, which scripts/generate.py writes from the Typer app. Whatever is not
plain (help, completion, unknown options, wrong values) is left to Typer, so that there is one place that complains.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from memcli import settings
from memcli.quick_flags import COMMANDS, GLOBALS

DIGITS = 19
"""Longer numbers are left to Typer: Python refuses to read those of several thousand digits."""
Option = tuple[str, str, Any]
"""(parameter, kind, detail); kind is flag, text, many, number (detail: the least) or choice (detail: the words)."""


def parse(arguments: list[str]) -> Callable[[], int] | None:
    """The call that a plain command line means, None when Typer must look at it."""
    if settings.variable("_MEMCLI_COMPLETE"):
        return None
    given: dict[str, Any] = {}
    rest = _options(arguments, GLOBALS, given, stop_at_word=True)
    if not rest:
        return None
    name = rest[0] if rest[0] in COMMANDS else " ".join(rest[:2])
    if name not in COMMANDS:
        return None
    target, options, positional = COMMANDS[name]
    own: dict[str, Any] = {}
    words = _options(rest[name.count(" ") + 1 :], options, own, stop_at_word=False)
    if words is None or not _place(words, positional, own):
        return None
    # what stands after the command wins
    return _call(target, {**{k: v for k, v in given.items() if k in _parameters(options)}, **own})


def _parameters(options: dict[str, Option]) -> set[str]:
    return {parameter for parameter, _, _ in options.values()}


def _place(words: list[str], positional: tuple[tuple[str, bool], ...], own: dict[str, Any]) -> bool:
    """Give words to the positional parameters; False when they do not fit."""
    for parameter, many in positional:
        if many:
            if words:
                own[parameter] = words
            return True
        if words:
            own[parameter] = words[0]
            words = words[1:]
    return not words


def _call(target: str, parameters: dict[str, Any]) -> Callable[[], int]:
    def call() -> int:
        from importlib import import_module

        module, _, function = target.partition(":")
        result = getattr(import_module(module), function)(**parameters)
        return result if isinstance(result, int) else 0

    return call


def _options(
    arguments: list[str], options: dict[str, Option], given: dict[str, Any], *, stop_at_word: bool
) -> list[str] | None:
    """Read options into `given`; the words that are none, or from the first word on. None: not plain."""
    words: list[str] = []
    position = 0
    while position < len(arguments):
        argument = arguments[position]
        position += 1
        if argument == "--" and not stop_at_word:
            return words + arguments[position:]
        if argument == "-" or not argument.startswith("-"):
            if stop_at_word:
                return arguments[position - 1 :]
            words.append(argument)
            continue
        name, attached = _split(argument, options)
        if name is None:
            return None
        parameter, kind, detail = options[name]
        if kind == "flag":
            if attached is not None:
                return None
            given[parameter] = True
            continue
        if attached is None:
            if position == len(arguments):
                return None
            attached = arguments[position]
            position += 1
        if not _take(attached, parameter, kind, detail, given):
            return None
    return words


def _split(argument: str, options: dict[str, Option]) -> tuple[str | None, str | None]:
    """The option's name and the value attached to it (--limit=3, -n3); a name of None is not plain."""
    if argument in options:
        return argument, None
    if argument.startswith("--"):
        name, equals, value = argument.partition("=")
        return (name, value) if equals and name in options else (None, None)
    name = argument[:2]
    if name in options and options[name][1] != "flag":
        return name, argument[2:]
    return None, None  # -iE: several flags in one word are for Typer to take apart


def _take(value: str, parameter: str, kind: str, detail: Any, given: dict[str, Any]) -> bool:
    if kind == "number":
        if not (value.isascii() and value.isdecimal() and len(value) < DIGITS) or int(value) < detail:
            return False
        given[parameter] = int(value)
    elif kind == "many":
        given.setdefault(parameter, []).append(value)
    elif kind == "choice" and value not in detail:
        return False
    else:
        given[parameter] = value
    return True
