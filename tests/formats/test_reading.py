"""Foreign JSON as text: blocks, arguments, first values of a file; names of copies."""

from __future__ import annotations

import errno
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.format_suite import JSON_VALUES

from memcli.formats.copies import original_of
from memcli.formats.reading import (
    arguments_text,
    call_of,
    parts,
    plain_text,
    sample_values,
    text_or_none,
    value_text,
    whole_members,
)


@pytest.mark.parametrize(("content", "text"), [
    (None, ""),
    ("as\nit is \ud83d", "as\nit is \ud83d"),
    (["a", {"type": "text", "text": "b"}, None, ["c"]], "a\nb\nc"),
    ([{"type": "input_text", "text": "a"}, {"type": "output_text", "text": "b"}], "a\nb"),
    ([{"type": "text", "text": "b"}, {"type": "thinking", "thinking": "a"}], "a\nb"),
    ([{"type": "reasoning", "summary": [{"type": "summary_text", "text": "s"}], "encrypted_content": "zz"}],
     "s"),
    ([{"type": "reasoning", "summary": ["s", {"a": 1}]}], "s\na: 1"),
    ([{"type": "redacted_thinking", "data": "zz"}], ""),
    ([{"type": "tool_use", "id": "1", "name": "grep", "input": {"q": 'say "x"\n会议'}}],
     'grep\nq: say "x"\n会议'),
    ([{"type": "toolCall", "id": "1", "name": "now", "arguments": None}], "now"),
    ([{"functionCall": {"name": "go", "args": {"a": [1, True, None]}}}],
     "go\na: 1\na: true\na: null"),
    ([{"type": "tool_result", "tool_use_id": "1", "content": [{"type": "text", "text": "ok"}]}], "ok"),
    ([{"type": "function_call_output", "call_id": "1", "output": '{"output":"a \\"b\\""}'}], 'output: a "b"'),
    ({"parts": [{"text": "a"}, "b"]}, "a\nb"),
    ([{"type": "image_url", "image_url": {"url": "https://x/y.png"}}], "[image: https://x/y.png]"),
    ([{"type": "image_url", "image_url": "data:image/png;base64,AAAA"}], "[image: data:image/png;base64]"),
    ([{"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AA"}}],
     "[image: image/png]"),
    ([{"type": "file", "file": {"filename": "a.pdf"}}], "[file: a.pdf]"),
    ([{"type": "image"}], "[image]"),
    ([{"type": "text", "text": None}], "type: text\ntext: null"),
    ([{"kind": "unknown", "n": 1}], "kind: unknown\nn: 1"),
    (7, "7"),
    (False, "false"),
])  # fmt: skip
def test_plain_text(content, text):
    assert plain_text(content) == text


def test_parts_are_kept_apart():
    found = parts([
        {"type": "thinking", "thinking": "t"},
        "said",
        {"type": "tool_use", "id": "c1", "name": "n", "input": {}},
        {"type": "tool_result", "tool_use_id": "c0", "content": "r"},
        {"type": "tool_result", "tool_use_id": "c9", "content": "s"},
    ])  # fmt: skip
    assert (found.content, found.reasoning, found.answers) == ("said\nr\ns", "t", "c0")
    assert found.calls == (("c1", "n", "{}"),)


@pytest.mark.parametrize(("call", "read"), [
    ({"id": "1", "function": {"name": "f", "arguments": '{"a":"x\\ny"}'}}, ("1", "f", "a: x\ny")),
    ({"id": "1", "name": "f", "arguments": {"a": {"b": ["c", {"d": 1}]}}},
     ("1", "f", "b: c\nd: 1")),
    ({"id": "fc_1", "call_id": "c", "name": "f", "arguments": "{}"}, ("c", "f", "{}")),
    ({"type": "local_shell_call", "call_id": "c", "action": {"command": ["ls"]}},
     ("c", "local_shell_call", "command: ls")),
    ({"function": "f"}, (None, "f", "")),
    ({"name": 7, "input": '{"torn'}, (None, "7", '{"torn')),
    ({}, (None, "", "")),
    ("odd", (None, "", "odd")),
])  # fmt: skip
def test_call_of(call, read):
    assert call_of(call) == read


@pytest.mark.parametrize(("arguments", "text"), [
    (None, ""),
    ("", ""),
    ("plain words", "plain words"),
    ('"quoted"', "quoted"),
    ('"quoted" and more', '"quoted" and more'),
    ('{"a":1,"b":', '{"a":1,"b":'),
    ('["x",1.5]', "x\n1.5"),
    ("[" * 100_000, "[" * 100_000),
    ("17", "17"),
    ({"a": "\ud83d"}, "a: \ud83d"),
    ({"a": {}, "b": []}, "a: {}\nb: []"),
    ({}, "{}"),
    (True, "true"),
])  # fmt: skip
def test_arguments_text(arguments, text):
    assert arguments_text(arguments) == text


def test_a_deep_argument_does_not_recurse():
    deep: object = "bottom"
    for _ in range(5000):
        deep = {"name": deep}
    text = arguments_text(deep)
    assert text == "name: bottom"


@pytest.mark.parametrize(("value", "text"), [
    ("x", "x"), ("", None), (5, "5"), (1716192000.25, "1716192000.25"), (True, None), (None, None),
     ([1], None),
])  # fmt: skip
def test_text_or_none(value, text):
    assert text_or_none(value) == text


@pytest.mark.parametrize(("value", "text"), [
    (None, "null"), ("", ""), ('{"a":1}', '{"a":1}'), (0, "0"), ([], "[]"), ({"a": "b"}, "a: b"),
])  # fmt: skip
def test_value_text(value, text):
    assert value_text(value) == text


@given(value=JSON_VALUES)
def test_any_value_is_text(value):
    assert all(isinstance(read(value), str) for read in (plain_text, arguments_text, value_text))
    assert all(isinstance(text, str) for text in call_of(value)[1:])


@given(text=st.text(min_size=1))
def test_every_string_argument_is_found_again(text):
    assert text in arguments_text({"a": [{"b": text}]})


# ---------------------------------------------------------------------- first values


@pytest.mark.parametrize(("content", "values"), [
    (b"", []),
    (b'{"a":1}\nnot json\n\n7\n{"b":2}', [{"a": 1}, 7, {"b": 2}]),
    (b'\xef\xbb\xbf{"a":1}\r\n', [{"a": 1}]),
    (b'{"a":1}{"b":2}\n', [{"a": 1}, {"b": 2}]),
    (b'{"a":1,"b":"' + b"x" * 5000 + b'"}\n', [{"a": 1}]),
    (b'{"a":1}\n{"b":[2],"c":"' + b"x" * 5000 + b'"}\n', [{"a": 1}, {"b": [2]}]),
    (b'{"a":1}\n' + b"x" * 5000, [{"a": 1}]),
    (bytes(5000), []),
])  # fmt: skip
def test_sample_values(tmp_path, content, values):
    path = tmp_path / "a.jsonl"
    path.write_bytes(content)
    assert sample_values(str(path)) == values


def test_sample_values_swallows_every_failure(tmp_path):
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    for path in (fifo, tmp_path, tmp_path / "missing", tmp_path / ("x" * 300)):
        assert sample_values(str(path)) == []


def test_sample_values_of_a_file_on_a_failing_disk(tmp_path, monkeypatch):
    path = tmp_path / "a.jsonl"
    path.write_text("{}\n")

    def broken(*arguments):
        raise OSError(errno.EIO, "I/O error")

    monkeypatch.setattr(os, "pread", broken)
    assert sample_values(str(path)) == []


@pytest.mark.parametrize(("text", "members"), [
    ('{"a":1,"b":"cut', {"a": 1}),
    ('{ "a" : {"x":[1]} , "n":12', {"a": {"x": [1]}}),
    ('{"a":1}', {"a": 1}),
    ('\ufeff{"a":"b",', {"a": "b"}),
    ('{7:1', {}),
    ('{"a" 1', {}),
    ('["a",{"b":1},', {}),
    ('log {"b":1,', {}),
    ("", {}),
    ("{" * 9, {}),
    ('{"a":' * 100_000, {}),
])  # fmt: skip
def test_whole_members(text, members):
    assert whole_members(text) == members


# ---------------------------------------------------------------------- copies


@pytest.mark.parametrize("copy", [
    "a_b (Ann's conflicted copy 2026-05-21).jsonl",
    "a_b (conflicted copy 2026-05-21 101112).jsonl",
    "a_b (Ann 的冲突副本 2026-05-21).jsonl",
    "a_b (case conflict 1).jsonl",
    "a_b.sync-conflict-20260521-101112-ABCDEFG.jsonl",
    "a_b_conflict-20260521-101112.jsonl",
    "a_b 2.jsonl", "a_b(1).jsonl", "a_b (2).jsonl", "a_b copy.jsonl", "a_b copy 3.jsonl", "a_b - Copy.jsonl",
    "a_b - Copy (2).jsonl", "a_b 副本.jsonl", "a_b的副本.jsonl", "a_b - 副本 (2).jsonl",
    "a_b-LAPTOP-7QX.jsonl",
])  # fmt: skip
def test_copies_lead_to_their_original(copy):
    assert original_of(copy, {"a_b.jsonl", copy}) == "a_b.jsonl"


@pytest.mark.parametrize("name", [
    "a_b.jsonl", "chat 2.jsonl", "draft copy.jsonl", "x-LAPTOP-7QX.jsonl", "noextension 2",
    "telegram_-100.jsonl",
    " (1).jsonl", "",
])  # fmt: skip
def test_what_only_looks_a_little_like_a_copy_is_none(name):
    assert original_of(name, {"a_b.jsonl", name}) is None
