"""Labels: one value, one label; what is known is masked everywhere; the user's own patterns and home."""

from __future__ import annotations

from pathlib import Path

import pytest

from memcli.core.redacting import KNOWN, Redactor, configured
from memcli.errors import ConfigurationError
from memcli.model import Header, Record, ToolCall

KEY = "sk-ant-api03-PfYoZJkJiNc4uXqmTdiRBkXd"


def test_one_value_has_one_label() -> None:
    redactor = Redactor()
    assert redactor.text("ann@firm.example, bob@firm.example, ANN@firm.example") == "[email-1], [email-2], [email-1]"
    assert redactor.text("bob@firm.example 13812345678") == "[email-2] [phone-1]"
    assert redactor.counts == {"email": 2, "phone": 1}
    assert redactor.text("") == ""


def test_every_string_of_a_record() -> None:
    mail = "ann@firm.example"
    record = Record(mail, mail, mail, mail, mail, (ToolCall(mail, mail, mail),), mail, mail)
    one = "[email-1]"
    assert Redactor().record(record) == Record(one, one, one, one, one, (ToolCall(one, one, one),), one, one)
    assert Redactor().record(Record("user", "x", id=7)) == Record("user", "x", id=7)


def test_headers_may_be_cut() -> None:
    header = Header("k", f"use {KEY[:18]}", "mail ann@fi…", None, "2026-05-20T08:30:00Z")
    assert Redactor().header(header) == Header("k", "use [api-key-1]", "mail [email-1]…", None, "2026-05-20T08:30:00Z")


def test_a_password_that_is_known_is_masked_wherever_it_stands() -> None:
    redactor = Redactor()
    redactor.learn("密码：Shop@2026 and mail ann@firm.example; pwd: ab12cd; password: swordfish\n")
    assert redactor.text("connect -pShop@2026 (Shop@2026)") == "connect -p[password-1] ([password-1])"
    assert redactor.text("xab12cd ab12cd") == "xab12cd [password-2]"
    assert redactor.text("a swordfish swims") == "a swordfish swims"
    assert redactor.text("密码：Shop@2026") == "密码：[password-1]"


def test_a_list_of_passwords_is_not_looked_for_everywhere() -> None:
    redactor = Redactor()
    redactor.learn("\n".join(f"password: Zq{number}kk" for number in range(1000, 2000)))
    assert len(redactor.known) == KNOWN
    assert redactor.text("password: Zq1999kk") == "password: [password-1]"


def test_the_users_own_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/data/people/mei")
    redactor = Redactor()
    assert redactor.text("/data/people/mei/x, /data/people/meiling") == "/data/people/[user-1]/x, /data/people/meiling"
    for home in ("/root", "/home/mei", "/"):
        monkeypatch.setenv("HOME", home)
        assert Redactor().more == ()


def configure(folder: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    path = folder / "config.toml"
    path.write_text(text)
    monkeypatch.setenv("MEMCLI_CONFIG", str(path))


def test_no_configuration() -> None:
    assert configured() == ()


def test_configured_patterns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    configure(
        tmp_path, monkeypatch, "[redact.patterns]\nticket = 'TICKET-[0-9]+'\n\"工单\" = '单号\\d+'\n[other]\nx = 1\n"
    )
    redactor = Redactor(configured())
    assert redactor.text("TICKET-1, 单号22, TICKET-1") == "[ticket-1], [工单-1], [ticket-1]"


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        ("redact = 1", "is no table"),
        ("[redact]\npattern = {}", "has only patterns, not pattern"),
        ("[redact]\npatterns = 'x'", "is no table of texts"),
        ("[redact]\npatterns = { a = 1 }", "is no table of texts"),
        ("[redact]\npatterns = { a = '(' }", "the pattern of 'a' is not valid"),
        ("[redact", "is no valid TOML"),
    ],
)
def test_a_bad_configuration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, phrase: str) -> None:
    configure(tmp_path, monkeypatch, text)
    with pytest.raises(ConfigurationError, match=phrase.replace("(", r"\(")) as raised:
        configured()
    assert raised.value.exit_code == 2
    assert raised.value.facts["path"] == str(tmp_path / "config.toml")


def test_pieces_are_the_text_with_what_is_shown_for_each() -> None:
    redactor = Redactor()
    text = "密码：Shop@2026, ann@firm.example: mysql -pShop@2026 end"
    redactor.learn(text)
    pieces = redactor.pieces(text)
    assert "".join(piece for piece, _ in pieces) == text
    assert [pair for pair in pieces if pair[1]] == [
        ("Shop@2026", "[password-1]"),
        ("ann@firm.example", "[email-1]"),
        ("Shop@2026", "[password-1]"),
    ]
    assert "".join(label or piece for piece, label in pieces) == redactor.text(text)
    assert redactor.pieces("") == []
