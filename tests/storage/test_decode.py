"""One line to JSON values: what is read, and the code for what is odd, as one table."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.model import Decoded
from memcli.storage import decode as module
from memcli.storage.decode import decode

INF = math.inf

CLEAN = [
    (b'{"role":"user","content":"hi"}', {"role": "user", "content": "hi"}),
    (b' {"a": 1}\r', {"a": 1}),
    ('{"a":"你好 😀"}'.encode(), {"a": "你好 😀"}),
    (b'{"a":"\\u4f60\\ud83d\\ude00"}', {"a": "你😀"}),
    ('{"a":"\u2028\u2029\u0085"}'.encode(), {"a": "\u2028\u2029\u0085"}),
    (b'{"a":1,"a":2}', {"a": 2}),
    (b"42", 42),
    (b"null", None),
    (b'"text"', "text"),
    (b"[1,2]", [1, 2]),
]

READ = [
    (b'\xef\xbb\xbf{"a":1}', [{"a": 1}], "bom"),
    ('\ufeff{"a":"中"}'.encode(), [{"a": "中"}], "bom"),
    (b"\0" * 8 + b'{"a":1}', [{"a": 1}], "nul-run"),
    (b'{"a":1}' + b"\0" * 4096, [{"a": 1}], "nul-run"),
    (b'{"a":"x\xff"}', [{"a": "x\ufffd"}], "invalid-utf8"),
    ('{"a":"é"}'.encode("latin-1"), [{"a": "\ufffd"}], "invalid-utf8"),
    (b'{"a":"\\ud83d"}', [{"a": "\ud83d"}], "lone-surrogate"),
    (b'{"a":"\\uDE00x"}', [{"a": "\ude00x"}], "lone-surrogate"),
    (b'{"a":-Infinity}', [{"a": -INF}], "nan"),
    (b'{"a":Infinity}', [{"a": INF}], "nan"),
    (b'{"a":1e999}', [{"a": INF}], "nan"),
    (b'{"a":"x\ty"}', [{"a": "x\ty"}], "raw-control"),
    (b'{"a":"\x1b[31m"}', [{"a": "\x1b[31m"}], "raw-control"),
    (b'{"a":1}{"b":2}', [{"a": 1}, {"b": 2}], "glued-lines"),
    (b'{"a":1} {"b":2}\t[3]', [{"a": 1}, {"b": 2}, [3]], "glued-lines"),
    (b'{"a":"\\ud83d"}{"b":1}', [{"a": "\ud83d"}, {"b": 1}], "glued-lines"),
    (b'{"a":1}\0{"b":2}', [{"a": 1}, {"b": 2}], "glued-lines"),
]

UNREAD = [
    (b"", "not-json"),
    (b"\r", "not-json"),
    (b"   ", "not-json"),
    (b" " * 3_000_000, "not-json"),
    (b"hello", "not-json"),
    ("今天部署".encode(), "not-json"),
    (b"12 errors", "not-json"),
    (b"2026 5 20", "not-json"),
    (b"<<<<<<< HEAD", "not-json"),
    (b"\x1f\x8b\x08\xff\xfe", "not-json"),
    (b"\0" * 100, "nul-run"),
    (b"\0 \0", "nul-run"),
    (b'{"a":"hel', "torn-line"),
    (b'{"a":', "torn-line"),
    (b"{", "torn-line"),
    (b'{"a":1', "torn-line"),
    (b'{"role":"a","toolCalls":[{"id":"x"}', "torn-line"),
    (b'{"a":"\\u12"}', "torn-line"),
    (b'{"a":"he{"a":"whole"}', "spliced-line"),
    (b'{"role":"user","content":"ab{"role":"user","content":"y"}', "spliced-line"),
    (b'{"role":"user",{"role":"user","content":"y"}', "spliced-line"),
    (b'{"a":1,}', "trailing-comma"),
    (b'{"a":[1, ]}', "trailing-comma"),
    (b"{'a': 'b', 'c': None}", "python-repr"),
    (b'{"a":1} xx', "junk-around-record"),
    (b'{"a":1}{"b":', "junk-around-record"),
    (b'{"a":1} 5', "junk-around-record"),
    (b'2026-05-20 INFO {"a":1}', "junk-around-record"),
    (b'INFO {"a":1', "not-json"),
    (b"INFO {a:1}", "not-json"),
    (b"[" * 1100 + b"]" * 1100, "too-deep"),
    (b"[" * 1_000_000 + b"]" * 1_000_000, "too-deep"),
    (b'{"a":' * 5000 + b"1" + b"}" * 5000, "too-deep"),
    (b'{"a":' + b"9" * 5000 + b"}", "huge-number"),
    ('{"a":"你好"}'.encode("utf-16-le"), "utf16"),
    ('{"a":"你好"}'.encode("utf-16-be"), "utf16"),
    ('\ufeff{"a":"你好"}'.encode("utf-16-le"), "utf16"),
    (b'\0{\0"\0a\0"\0:\x001\0}\0', "utf16"),
    (b"{}" * 10_001, "glued-lines"),
]


@pytest.mark.parametrize(("raw", "value"), CLEAN)
def test_clean_line(raw: bytes, value: Any) -> None:
    assert decode(raw) == Decoded((value,), "")


@pytest.mark.parametrize(("raw", "values", "flaw"), READ)
def test_readable_all_the_same(raw: bytes, values: list[Any], flaw: str) -> None:
    assert decode(raw) == Decoded(tuple(values), flaw)


@pytest.mark.parametrize(("raw", "flaw"), UNREAD, ids=lambda value: str(value)[:40])
def test_not_readable(raw: bytes, flaw: str) -> None:
    assert decode(raw) == Decoded((), flaw)


def test_nan_is_read() -> None:
    decoded = decode(b'{"a":NaN}')
    assert decoded.flaw == "nan"
    assert math.isnan(decoded.values[0]["a"])


def test_a_depth_that_only_orjson_refuses_is_too_deep(monkeypatch: pytest.MonkeyPatch) -> None:
    # newer Pythons read deeper than orjson; what cannot be walked by recursion is not handed out
    assert module._second_look(b'{"a":[[1]]}') == Decoded((), "too-deep")


@pytest.mark.parametrize("raw", [*(raw for raw, _ in CLEAN), *(row[0] for row in READ), *(raw for raw, _ in UNREAD)])
def test_both_readers_take_the_same_lines(raw: bytes) -> None:
    import orjson

    try:
        expected = orjson.loads(raw)
    except ValueError:
        with pytest.raises((ValueError, RecursionError)):
            module._by_stdlib(raw)
    else:
        assert module._by_stdlib(raw) == expected


def test_the_first_lines_are_read_without_orjson() -> None:
    code = """if True:
        import sys
        from memcli.storage import decode
        assert decode.decode(b'{"a":1.5}').values == ({"a": 1.5},)
        assert "orjson" not in sys.modules
        decode.FEW = 1
        for _ in range(3):
            assert decode.decode(b'{"a":"x"}').values == ({"a": "x"},)
        assert "orjson" in sys.modules
    """
    command = [sys.executable, "-c", f"import sys; sys.path[:0] = {sys.path!r}\n{code}"]
    subprocess.run(command, check=True)


@pytest.mark.parametrize("few", [0, 10])
def test_many_lines_at_once(few: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "FEW", few)
    monkeypatch.setattr(module, "_calls", 1)
    monkeypatch.setattr(module, "modules", {})  # as if orjson was not loaded yet
    raw = '{"a":"你好"}\n{"b":[1,2]}\n'.encode()
    assert module.loads_many(raw) == [{"a": "你好"}, {"b": [1, 2]}]
    with pytest.raises(ValueError, match=r"."):
        module.loads_many(b'{"a":1}\n{"b":}\n')


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


@given(JSON, st.booleans())
def test_whatever_json_writes_is_read(value: Any, escaped: bool) -> None:
    text = json.dumps(value, ensure_ascii=escaped)
    decoded = decode(text.encode("utf-8", "surrogatepass"))
    if decoded.flaw == "":
        assert decoded.values == (value,)
    else:
        assert any(0xD800 <= ord(letter) < 0xE000 for letter in repr(value)) or "\\ud" in text


@given(
    st.binary(max_size=60)
    | st.lists(st.sampled_from([b'{"a":1}', b'"', b"{", b"}", b",", b"\0", b"x", b"1", b" "])).map(b"".join)
)
def test_any_bytes_give_values_or_a_flaw(raw: bytes) -> None:
    decoded = decode(raw)
    assert decoded.values or decoded.flaw
