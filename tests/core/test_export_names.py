"""Names of exported files: safe everywhere, and no two of them one anywhere."""

from __future__ import annotations

import re
from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.core.export_names import LONGEST, folded, names, slug

SLUGS = {
    # key: name
    "desktop:main": "desktop_main",
    "desktop:1748822400000": "desktop_1748822400000",
    "leader/9cfc09aa76ff341a": "leader_9cfc09aa76ff341a",
    "微信:张三": "微信_张三",
    "日本語のキー": "日本語のキー",
    "हिन्दी": "हिन्दी",
    "../../etc/passwd": "etc_passwd",
    "-rf": "rf",
    ".hidden": "hidden",
    "a  b\t\nc": "a_b_c",
    'x<y>|"z"?*': "x_y_z",
    "dot.": "dot",
    "user\u202etxt.exe": "user_txt.exe",
    "half \ud83d": "half",
    "😀": "session",
    "": "session",
    "[phone-1]": "phone-1",
    "cafe\u0301": "café",
    "x" * 300: "x" * LONGEST,
    "汉" * 100: "汉" * (LONGEST // 3),
}


@pytest.mark.parametrize("key", SLUGS)
def test_slug(key: str) -> None:
    assert slug(key) == SLUGS[key]


def test_names_that_are_alone_have_no_hash() -> None:
    assert names(["desktop:main", "微信:张三"], ["/a", "/b"], ".md") == ["desktop_main.md", "微信_张三.md"]


@pytest.mark.parametrize(
    "keys",
    [
        ["a:b", "a_b"],
        ["Main", "main"],
        ["caf\u00e9", "cafe\u0301"],
        ["straße", "STRASSE"],
        ["main", "main"],
        ["a:b", "a/b", "a b"],
    ],
)
def test_collisions_are_told_apart_by_a_hash_whatever_the_order(keys: list[str]) -> None:
    places = [f"/sessions/{number}" for number in range(len(keys))]
    found = names(keys, places, ".md")
    assert all(re.fullmatch(r".+-[0-9a-f]{8}\.md", name) for name in found)
    assert names(keys[::-1], places[::-1], ".md") == found[::-1]


@pytest.mark.parametrize("key", ["con", "NUL", "com1", "index", "Index", "x" * 101])
def test_names_that_mean_something_else_get_a_hash(key: str) -> None:
    [name] = names([key], ["/a"], ".html")
    assert re.fullmatch(r".+-[0-9a-f]{8}\.html", name)


def test_one_chat_named_twice() -> None:
    [one, two, three] = names(["a", "a", "a"], ["/a", "/a", "/a"], ".md")
    assert two == one.replace(".md", "-2.md")
    assert three == one.replace(".md", "-3.md")


@given(st.lists(st.text(max_size=60), max_size=8))
def test_names_are_safe_and_different(keys: list[str]) -> None:
    found = names(keys, keys, ".md")
    assert len({normalize("NFD", name).casefold() for name in found}) == len(keys)
    for name in found:
        assert name.isprintable()
        assert not re.search(r'[<>:"/\\|?*\s]', name)
        assert not name.startswith((".", "-", "~"))
        assert len(name.encode()) <= 143
        assert folded(name.partition(".")[0]) not in ("con", "nul", "index")
