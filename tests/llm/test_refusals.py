"""Failures that no server on this machine can bring about."""

from __future__ import annotations

import ssl
from itertools import pairwise

import pytest

from memcli.llm import refusals
from memcli.llm.keys import Key

KEY = Key("sk-0123456789abcdef", "$MY_KEY")


class Response:
    """A response whose body has no end."""

    status_code = 500
    headers: dict[str, str] = {}  # noqa: RUF012

    def __init__(self) -> None:
        self.given = 0

    def iter_bytes(self) -> object:
        while True:
            self.given += 1
            yield b" " * 1024


class APIConnectionError(Exception):
    """As SDKs name theirs."""


class ConnectTimeout(Exception):
    """A time limit, of the class below."""


class TimeoutException(ConnectTimeout):
    """As HTTP clients name theirs."""


def wrapped(*causes: BaseException) -> BaseException:
    """Each of the exceptions caused by the next."""
    for error, cause in pairwise(causes):
        error.__cause__ = cause
    return causes[0]


@pytest.mark.parametrize(
    ("error", "why", "again"),
    [
        (
            wrapped(
                APIConnectionError("Connection error."), ssl.SSLCertVerificationError(1, "self-signed certificate")
            ),
            "its certificate is not valid (self-signed certificate)",
            False,
        ),
        (wrapped(APIConnectionError(), OSError(-2, "Name not known")), "there is no connection (Name not known)", True),
        (wrapped(APIConnectionError(), TimeoutException()), "it took longer than 5 s", False),
        (ValueError("odd"), "the SDK failed (odd)", False),
        (ValueError("odd sk-0123456789abcdef"), "the SDK failed (ValueError)", False),
        (wrapped(APIConnectionError(), ValueError("", "x")), "there is no connection (('', 'x'))", True),
    ],
)
def test_what_an_exception_stands_for(error: BaseException, why: str, again: bool) -> None:
    failure = refusals.failure(error, KEY, 5)
    assert (failure.why, failure.again) == (why, again)


def test_an_exception_that_is_its_own_cause() -> None:
    first, second = ValueError("a"), ValueError("b")
    first.__cause__, second.__cause__ = second, first
    assert refusals.failure(first, KEY, 5).why == "the SDK failed (b)"


def test_an_error_page_without_end() -> None:
    response = Response()
    with pytest.raises(refusals.Failure, match=r"it has a failure \(500\)"):
        refusals.check(response, KEY)
    assert response.given <= 65


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b'{"error": {"message": "One."}}', ": One"),
        (b'{"error": "One."}', ": One"),
        (b'{"message": "One."}', ": One"),
        (b'{"detail": "One."}', ": One"),
        (b'{"detail": [{"msg": "One."}]}', ""),
        (b'{"error": {}}', ""),
        (b"[]", ""),
        (b"One.", ""),
        (b"\xff", ""),
    ],
)
def test_where_services_put_their_words(body: bytes, words: str) -> None:
    assert refusals.refused(400, {}, body, KEY).why == f"it refuses the question (400){words}"
