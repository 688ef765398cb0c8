"""The texts that the formats make of records keep the contract of memcli.search: what is in a text is found in its line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memcli.formats import FORMATS, load
from memcli.search.pattern import compile_pattern
from memcli.search.prefilter import Prefilter
from memcli.storage.decode import decode

NAMES = (
    "role content text type name arguments args input output tool_calls toolCalls function id tool_call_id reasoning "
    "thinking prompt summary timestamp parts message payload result command data image_url source user kind event nested"
)
TYPES = (
    "text tool_use tool_result image image_url thinking reasoning message function_call function_call_output "
    "local_shell_call file response_item input_text output_text toolCall user assistant tool system"
)
WORDS = st.text(alphabet='ab数😀é"\\/\n\t:, 0.[]{}\ufffd', max_size=10) | st.sampled_from(TYPES.split())
# numbers that Python writes as JSON spelled them; of others, such as 1e3, the digits are not in the line
PLAIN = st.none() | st.booleans() | st.integers(-99, 10**15) | st.sampled_from([0.1, 1.5, -2.25, 1e22])
VALUES = st.recursive(
    WORDS | PLAIN,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.sampled_from(NAMES.split()), inner, max_size=4),
        st.builds(json.dumps, inner, ensure_ascii=st.booleans()),
    ),
    max_leaves=10,
)
RECORDS = st.dictionaries(st.sampled_from(NAMES.split()), VALUES, min_size=1, max_size=6)


def left_out(line: bytes, text: str, start: int, length: int, ignore_case: bool) -> str:
    """The part of `text` by which its line is not found; "" when it is."""
    part = text[start % (len(text) + 1) :][:length]
    pattern = compile_pattern([part], ignore_case=ignore_case)
    if pattern.anchors is None:
        return ""
    buffer = bytearray(line + b"\n")
    return "" if Prefilter(pattern.anchors).finder(buffer, memoryview(buffer), len(buffer), list) else part


@settings(max_examples=150)
@given(
    value=RECORDS,
    ascii_only=st.booleans(),
    space=st.sampled_from(["", " "]),
    parts=st.lists(st.tuples(st.integers(0, 200), st.integers(1, 12), st.booleans()), min_size=4, max_size=4),
)
@pytest.mark.parametrize("name", FORMATS)
def test_records_of_any_shape(name, value, ascii_only, space, parts):
    line = json.dumps(value, ensure_ascii=ascii_only, separators=("," + space, ":" + space)).encode()
    text = load(name).records.record(decode(line).values[0]).text
    assert [left_out(line, text, *part) for part in parts] == [""] * 4


@pytest.mark.parametrize("name", FORMATS)
def test_records_of_the_samples(name, samples: Path, nanobot: Path):
    record = load(name).records.record
    files = [path for root in (samples, nanobot) for path in root.rglob("*.jsonl") if path.is_file()]
    assert files
    for path in files:
        for line in path.read_bytes()[: 1 << 20].split(b"\n")[:40]:
            for value in decode(line).values:
                text = record(value).text
                parts = [(start * len(text) // 5, length, length == 7) for start in range(5) for length in (3, 7, 20)]
                assert [left_out(line, text, *part) for part in parts] == [""] * 15
