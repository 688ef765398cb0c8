"""Asking whoever sits at the terminal; the question goes to stderr, so that a pipe gets data only."""

from __future__ import annotations

import sys

from memcli.output import talk
from memcli.output.safe_text import document, encode


def can_ask() -> bool:
    """Whether somebody can read a question and answer it."""
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stderr))


def asked(question: str) -> bool:
    """Ask, and tell whether the answer was yes; anything else, and no answer at all, is no."""
    encoding = getattr(sys.stderr, "encoding", None) or "utf-8"
    talk(encode(f"{document(question)} [y/N] ", encoding))
    answer = sys.stdin.readline()
    if not answer.endswith("\n"):
        talk(b"\n")
    return answer.strip().lower() in ("y", "yes")
