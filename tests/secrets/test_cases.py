"""Every kind of secret and of personal data in English and Chinese, its near misses, and text made to waste time."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.marked import CASES, Marked, cases

from memcli import secrets
from memcli.secrets import Found

LABELLED = cases()


@pytest.mark.parametrize("case", LABELLED, ids=range(len(LABELLED)))
def test_case(case: Marked) -> None:
    found = secrets.find(case.text)
    assert [(case.text[one.start : one.end], one.kind) for one in found] == [
        (case.text[start:end], kind) for start, end, kind in case.spans
    ]


def test_the_set_is_broad() -> None:
    kinds = {kind for case in LABELLED for _, _, kind in case.spans}
    assert kinds == set(secrets.KINDS)
    assert sum(not case.spans for case in LABELLED) > 250
    assert CASES.read_text(encoding="utf-8").count('"lang": "zh"') > 100


def label(found: Found) -> str:
    return f"[{found.kind}-1]"


@pytest.mark.parametrize("case", [case for case in LABELLED if case.spans], ids=lambda case: case.text[:30])
def test_what_is_masked_is_gone_and_stays_masked(case: Marked) -> None:
    masked = secrets.mask(case.text, label)
    for start, end, _ in case.spans:
        assert case.text[start:end] not in masked
    assert secrets.mask(masked, label) == masked


@given(st.lists(st.sampled_from(LABELLED), min_size=2, max_size=5))
def test_texts_one_below_the_other_are_found_as_alone(chosen: list[Marked]) -> None:
    text = "\n\n".join(case.text for case in chosen)
    wanted = [case.text[start:end] for case in chosen for start, end, _ in case.spans]
    assert [text[found.start : found.end] for found in secrets.find(text)] == wanted


@given(st.text(alphabet="a1A@.:/-_+=\"'\\\n sk密码；：x0", max_size=300))
def test_hits_are_in_order_and_apart(text: str) -> None:
    place = 0
    for found in secrets.find(text, cut=True):
        assert place <= found.start < found.end <= len(text)
        assert found.kind in secrets.KINDS
        assert found.what
        place = found.end


UNITS = (
    *(
        "a",
        "A",
        "1",
        "-",
        " ",
        "\n",
        "@",
        "a@a.",
        "1-",
        "1 ",
        "+1 ",
        "(1",
        "/home/",
        "://",
        "://a:",
        "a:b@",
        "sk-",
        "ghp_",
    ),
    *(
        "eyJ",
        "eyJa.",
        "eyJaaaaaaa-",
        "eyJ\\n",
        "-----BEGIN PRIVATE KEY-----",
        "AKIAAAAAAAAAAAAAAAAA ",
        "password",
        "密码",
    ),
    *("password=", "password for ", "密码（", 'secret="', "api_key=", "bearer a", "authorization:", "curl -u ", "--a-"),
    *(
        "2001:",
        "86",
        "138",
        "tel(",
        "card",
        "6222 ",
        "C:\\Users\\",
        "9a.",
        ":A",
        "<password>",
        "a...",
        "İ",
        "\\",
        '"',
        "SG.a",
    ),
    *("mysql -p", "token: ", "xoxb-", "sk-ant-", "key ", "联系方式", "0571-"),
)


@pytest.mark.parametrize("unit", UNITS)
def test_no_text_takes_for_ever(unit: str) -> None:
    """200,000 characters: what reads them over and over would not come to an end in the time that a test run has."""
    text = unit * (200_000 // len(unit))
    for found in secrets.find(text, cut=True):
        assert found.end <= len(text)
