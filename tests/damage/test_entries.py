"""What the classes of rows share, and what they make of files that were made to be slow."""

from __future__ import annotations

import json
import random

import pytest
from support.row_cases import CASES, rows_of

from memcli.damage import entries, foreign, modules
from memcli.damage.entries import member_place, repeated

CODES = [one.code for scope in ("rows", "file", "workspace") for module in modules(scope) for one in module.CLASSES]


@pytest.mark.parametrize("few", [3, 10_000])
def test_numbers_that_repeat_are_found_whether_or_not_they_fit_in_one_set(monkeypatch, few):
    monkeypatch.setattr(entries, "FEW", few)
    chance = random.Random(7)
    values = [chance.getrandbits(63) - (1 << 62) for _ in range(2000)]
    values += [*values[5:50:3], *range(1000), 999, 999]
    chance.shuffle(values)
    assert repeated(values) == {value for value in values if values.count(value) > 1}


@pytest.mark.parametrize(
    ("line", "name", "text"),
    [
        (b'{"id":7,"a":{"id":8}}', "id", b"7"),
        (b'{"a":{"id":8},"id" : 9 }', "id", b"9"),
        ('{"名":"é","id":"七"}'.encode(), "id", '"七"'.encode()),
        (b'{"a":[{"id":1}]}', "id", None),
        (b'{"a":1', "id", None),
        (b"no object", "id", None),
        (b"{}", "id", None),
    ],
)
def test_a_member_of_the_top_is_found_in_bytes(line, name, text):
    place = member_place(line, name)
    assert (place and line[slice(*place)]) == text


@pytest.mark.parametrize("code", CODES)
def test_each_class_has_three_cases_and_says_what_it_is(code):
    assert len(list((CASES / code).glob("*/findings.json"))) >= 3
    [one] = [
        one for scope in ("rows", "file", "workspace") for m in modules(scope) for one in m.CLASSES if one.code == code
    ]
    assert all((one.title, one.looks, one.does, one.lost))
    assert one.severity in ("error", "warning", "info")
    assert one.repair in ("safe", "lossy", "flag", "report")


SHAPES = {
    "one id for all": lambda n: {"id": 1, "role": "user", "content": str(n)},
    "calls never answered": lambda n: {"role": "assistant", "tool_calls": [{"id": f"c{n}", "function": {"name": "x"}}]},
    "results without calls": lambda n: {"role": "user", "content": [{"type": "tool_result", "tool_use_id": f"c{n}"}]},
    "each parent is the next": lambda n: {"uuid": f"u{n}", "parentUuid": f"u{n + 1}", "role": "user", "content": "x"},
    "each parent is missing": lambda n: {"uuid": f"u{n}", "parentUuid": f"v{n}", "role": "user", "content": "x"},
    "each row the same": lambda n: {"uuid": "u", "parentUuid": "u", "role": "user", "content": "x"},
    "nothing in them": lambda n: {},
    "odd types everywhere": lambda n: {"id": [n], "role": {}, "content": None, "timestamp": [], "tool_calls": {"a": 1}},
}


@pytest.mark.parametrize("agent", ["catbuddy", "nanobot", "cococat", "jsonl"])
@pytest.mark.parametrize("shape", SHAPES)
def test_no_class_of_rows_stumbles_over_what_rows_can_be(tmp_path, shape, agent):
    path = tmp_path / "chat.jsonl"
    path.write_text("".join(json.dumps(SHAPES[shape](number)) + "\n" for number in range(2000)))
    rows = rows_of(path, agent)
    for module in modules("rows"):
        for finding in module.detect(rows):
            assert finding.code in CODES
            module.mend(rows, finding)


def test_rows_of_more_sessions_than_can_be_told_apart_are_still_told_of(tmp_path):
    path = tmp_path / "desktop_main.jsonl"
    head = {"key": "desktop:main", "created_at": "2026-05-20T08:30:00.000Z", "updated_at": "2026-05-20T08:40:00.000Z"}
    rows = [{"id": n + 1, "sessionKey": f"desktop:{n % 5000}", "role": "user", "content": str(n)} for n in range(9000)]
    path.write_text("".join(json.dumps(row) + "\n" for row in [head, *rows]))
    findings = list(foreign.detect(rows_of(path, "catbuddy")))
    assert sum(one.data["end"] - one.data["start"] for one in findings) == 9000
    assert findings[0].repair == "flag"
    last = next(one for one in findings if one.data["end"] == 5000)
    assert (last.repair, last.data["home"]) == ("report", None)
    assert "other sessions" in last.message
