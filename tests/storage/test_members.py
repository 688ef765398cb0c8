"""One member of a line is changed, and not one byte of what stands around it."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.storage.members import member_place, put

CASES = [
    ("replaced", b'{"a": 1, "b": 2}\n', ("a",), 7, b'{"a": 7, "b": 2}\n'),
    ("added", b'{"a": 1}\n', ("b",), 2, b'{"a": 1, "b": 2}\n'),
    ("added, compact", b'{"a":1}\n', ("b",), [1, 2], b'{"a":1,"b":[1,2]}\n'),
    ("to an empty one", b"{}\n", ("b",), 2, b'{"b":2}\n'),
    ("inside", b'{"m": {"x": 1}, "z": 0}\n', ("m", "y"), "n", b'{"m": {"x": 1, "y": "n"}, "z": 0}\n'),
    ("inside, replaced", b'{"m":{"y":{"t":"}{"},"x":1}}', ("m", "y"), {"t": "u"}, b'{"m":{"y":{"t":"u"},"x":1}}'),
    ("inside an empty one", b'{"m": {}, "z": 0}\n', ("m", "y"), 1, b'{"m": {"y": 1}, "z": 0}\n'),
    ("of null", b'{"m": null, "z": 0}\n', ("m", "y"), 1, b'{"m": {"y": 1}, "z": 0}\n'),
    ("of nothing", b'{"z": 0}\n', ("m", "y"), 1, b'{"z": 0, "m": {"y": 1}}\n'),
    ("of a text", b'{"m": "no", "z": 0}\n', ("m", "y"), 1, None),
    ("a name within", b'{"m": {"a": 3}, "a": 1}\n', ("a",), 2, b'{"m": {"a": 3}, "a": 2}\n'),
    (
        "spelling stays",
        '{"t": "价\\u4ef7", "n": 1e3, "a":0 }\r\n'.encode(),
        ("a",),
        5,
        '{"t": "价\\u4ef7", "n": 1e3, "a":5 }\r\n'.encode(),
    ),
    ("half a pair", b'{"a": 1}\n', ("a",), "\ud800", b'{"a": "?"}\n'),
]


@pytest.mark.parametrize(
    ("line", "names", "value", "made"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_put(line: bytes, names: tuple[str, ...], value: object, made: bytes | None) -> None:
    assert put(line, names, value) == made


@pytest.mark.parametrize("line", [b"[1]", b'"x"', b"", b'{"a": '])
def test_what_is_no_object_has_no_member(line: bytes) -> None:
    assert member_place(line, "a") is None


NAMES = st.text('ab_ {}:,"', max_size=3)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
)


@given(st.dictionaries(NAMES, VALUES, max_size=5), NAMES, VALUES, st.booleans(), st.booleans())
def test_the_others_stay_as_they_are(
    members: dict[str, object], name: str, value: object, ascii: bool, spaced: bool
) -> None:
    separators = (", ", ": ") if spaced else (",", ":")
    line = json.dumps(members, ensure_ascii=ascii, separators=separators).encode() + b"\n"
    made = put(line, (name,), value)
    assert made is not None
    assert json.loads(made) == {**members, name: value}
    for other in members:
        if other != name:
            old, new = member_place(line, other), member_place(made, other)
            assert old is not None
            assert new is not None
            assert line[slice(*old)] == made[slice(*new)]
