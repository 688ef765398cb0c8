"""Finding and masking: kinds, spellings of one value, overlaps, halves, and the patterns of a configuration."""

from __future__ import annotations

import pytest

from memcli import secrets

KEY = "sk-ant-api03-PfYoZJkJiNc4uXqmTdiRBkXd"


def kinds(text: str, **more: object) -> list[str]:
    return [found.kind for found in secrets.find(text, **more)]


def test_nothing() -> None:
    assert secrets.find("") == []
    assert secrets.mask("plain words", lambda found: "?") == "plain words"


def test_a_hit_says_what_it_is_and_not_which() -> None:
    [found] = secrets.find(f"use {KEY} now")
    assert (found.start, found.end, found.kind, found.what) == (4, 4 + len(KEY), "api-key", "an Anthropic key")
    assert secrets.is_secret(found.kind)
    assert not secrets.is_secret("email")
    assert secrets.is_secret("ticket")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ann@Firm.example", "ann@firm.example"),
        ("+86 138-1234-5678", "13812345678"),
        ("+1 (415) 555-0132", "+14155550132"),
        ("11010519491231002x", "11010519491231002X"),
        ("4242 4242 4242 4242", "4242424242424242"),
    ],
)
def test_spellings_of_one_value(one: str, other: str) -> None:
    first, second = secrets.find(f"({one}) and ({other})")
    assert first.value == second.value


def test_overlaps_are_one_hit_of_the_surer_kind() -> None:
    text = f"password={KEY}!x"
    [found] = secrets.find(text)
    assert (text[found.start : found.end], found.kind) == (f"{KEY}!x", "api-key")


def test_an_address_with_a_password_is_no_mail_address() -> None:
    assert kinds("postgres://shop:Zx9kkQ2w@db.firm.example/shop") == ["credentials"]


def test_only_some_kinds() -> None:
    text = f"{KEY} ann@firm.example"
    assert kinds(text) == ["api-key", "email"]
    assert kinds(text, kinds={"email"}) == ["email"]
    assert kinds("mail ann@fir…", kinds={"api-key"}, cut=True) == []


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("the key sk-ant-api03-Pf", "the key "),
        ("the key sk-ant-api03-Pf…", "the key …"),
        ("use ghp_abc...", "use ..."),
        ("mail ann@fir…", "mail …"),
        ("first ann@fir…\nsecond line", "first …\nsecond line"),
    ],
)
def test_halves(text: str, rest: str) -> None:
    assert secrets.mask(text, lambda found: "") == text
    assert secrets.mask(text, lambda found: "", cut=True) == rest


@pytest.mark.parametrize("text", ["see @me", "sk-", "ghp_", "a sentence...", "ghp_xxxxxxxx", "ghp_abc in the middle"])
def test_no_halves(text: str) -> None:
    assert secrets.find(text, cut=True) == []


def test_configured_patterns_go_first() -> None:
    more = secrets.configured({"ticket": "TICKET-[0-9]+", "email": "ann", "工单": "单号\\d+"})
    assert kinds("TICKET-12 ann 单号7 bob@firm.example", more=more) == ["ticket", "email", "工单", "email"]
    assert kinds("TICKET-12@firm.example", more=more) == ["ticket"]


@pytest.mark.parametrize(
    ("patterns", "phrase"),
    [
        ({"a": "("}, "the pattern of 'a' is not valid: missing )"),
        ({"a": "x*"}, "matches where there is nothing"),
        ({"a": "a{99999999999}"}, "is not valid"),
        ({"": "x"}, "is no name"),
        ({"a b": "x"}, "is no name"),
        ({"-a": "x"}, "is no name"),
        ({"a]": "x"}, "is no name"),
    ],
)
def test_patterns_that_cannot_be_used(patterns: dict[str, str], phrase: str) -> None:
    with pytest.raises(ValueError, match=phrase.replace("(", r"\(").replace(")", r"\)")):
        secrets.configured(patterns)


def test_a_letter_whose_small_form_is_longer_moves_nothing() -> None:
    text = "İİİ PASSWORD=Zx9kkQ2w"
    [found] = secrets.find(text)
    assert text[found.start : found.end] == "Zx9kkQ2w"
