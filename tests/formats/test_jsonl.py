"""Any JSON lines: the conformance suite, and the row shapes of programs that are met most."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.format_suite import FormatSuite, Sample

from memcli.formats.jsonl import layout, records
from memcli.model import AgentView, Workspace


class TestJsonl(FormatSuite):
    format_name = "jsonl"
    has_header = False
    has_journal = False
    has_memory = False
    has_homes = False
    has_names = False
    reversible_names = False
    not_sessions = ("a.jsonl.tmp", "a.jsonl.lock", "a.jsonl.gz", "notes.txt", "a.json")
    leftover_names = (
        "a.jsonl.tmp",
        "a.jsonl.deleted.2026-07-31T12-34-56.789Z",
        "chat 2.jsonl",
        "b.NDJSON.zst",
    )

    def sample(self, folder: Path) -> Sample:
        rows = (
            {"sender": "Ann", "text": 'say "嗨"\nagain', "ts": 1716192000},
            {"role": "assistant", "content": "ok", "tool_calls": [call("find", {"q": "会议 😀"})]},
        )
        path = folder / "chat.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        (folder / "other.NDJSON").write_text('{"a": 1}\n')
        return Sample(folder, (folder,), path, "chat", 2, ('say "嗨"\nagain', "find\nq: 会议 😀"))

    def test_no_agent_is_behind_it(self, workspace):
        assert list(self.format.layout.session_paths(workspace))
        assert self.format.layout.name_of("chat") is None


def call(name: str, arguments: dict[str, object]) -> dict[str, object]:
    return {"id": "c1", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}


# ---------------------------------------------------------------------- rows of known programs

PI = {"type": "message", "id": "a1b2", "parentId": None, "timestamp": "2026-11-30T02:22:08.460Z"}
CLAUDE = {"parentUuid": None, "sessionId": "s", "uuid": "u1", "timestamp": "2026-01-02T03:04:05.678Z"}
CODEX = {"timestamp": "2026-01-02T03:04:05.678Z", "type": "response_item"}


@pytest.mark.parametrize(("row", "role", "text"), [
    # plain logs
    ({"role": "user", "content": "hi"}, "user", "hi"),
    ({"sender": "Ann", "text": "hi"}, "Ann", "hi"),
    ({"from": "Bob", "type": "message", "body": "hi"}, "Bob", "hi"),
    ({"from": {"id": 5, "username": "bob"}, "message": "hi"}, "bob", "hi"),
    ({"author": {"role": "assistant"}, "content": {"content_type": "text", "parts": ["a", "b"]}},
     "assistant", "a\nb"),
    ({"speaker": "A", "msg": "hi"}, "A", "hi"),
    ({"kind": "note", "text": "hi"}, "note", "hi"),
    ({"from": "human", "value": "hi"}, "human", "hi"),
    ({"prompt": "why?", "response_summary": "because", "iterations": 2}, "", "why?\nbecause"),
    ({"input": "a", "output": "b"}, "", "a\nb"),
    ({"text": "same", "body": "same"}, "", "same"),
    ({"type": "compacted_summary", "summary": "[48 entries]", "timestamp": "t"}, "compacted_summary",
     "[48 entries]"),
    ({"role": "model", "parts": [{"text": "hi"}, {"functionCall": {"name": "f", "args": {"a": 1}}}]},
     "model", "hi\nf\na: 1"),
    ({"role": "assistant", "reasoning": "hm", "content": None}, "assistant", "hm"),
    ({"role": "assistant", "content": "", "function_call": {"name": "f", "arguments": '{"a":"b"}'}},
     "assistant", "f\na: b"),
    ({"role": "assistant", "content": ""}, "assistant", ""),
    ({"level": "info", "where": {"line": 'a "b"'}}, "", 'level: info\nline: a "b"'),
    ({"type": "tick", "n": 1, "id": 4}, "tick", "n: 1"),
    ({"type": "tick"}, "tick", ""),
    # Claude Code
    ({**CLAUDE, "type": "user", "message": {"role": "user", "content": "hi"}}, "user", "hi"),
    ({**CLAUDE, "type": "assistant", "message": {"role": "assistant", "content": [
        {"type": "thinking", "thinking": "hm", "signature": "x"}, {"type": "text", "text": "hi"},
        {"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {"command": "echo \"你好\""}},
    ]}}, "assistant", 'hm\nhi\nBash\ncommand: echo "你好"'),
    ({**CLAUDE, "type": "user", "message": {"role": "user", "content": [
        {"type": "tool_result", "tool_use_id": "toolu_1", "content": "你好"}]}}, "user", "你好"),
    ({"type": "summary", "summary": "Fix it", "leafUuid": "u9"}, "summary", "Fix it"),
    ({**CLAUDE, "type": "system", "content": "compacted"}, "system", "compacted"),
    # Pi, OpenClaw
    ({**PI, "message": {"role": "user", "content": "hi", "timestamp": 1764469328460}}, "user", "hi"),
    ({**PI, "message": {"role": "assistant", "content": [
        {"type": "thinking", "thinking": "hm"},
        {"type": "toolCall", "id": "c", "name": "read", "arguments": {"path": "a"}},
    ]}}, "assistant", "hm\nread\npath: a"),
    ({**PI, "message": {"role": "toolResult", "toolCallId": "c", "toolName": "read",
                        "content": [{"type": "text", "text": "ok"}]}}, "toolResult", "ok"),
    ({**PI, "message": {"role": "bashExecution", "command": "ls", "output": "a"}}, "bashExecution", "ls\na"),
    ({**PI, "type": "compaction", "summary": "so far"}, "compaction", "so far"),
    ({**PI, "type": "model_change", "provider": "x", "modelId": "y"}, "model_change",
     "provider: x\nmodelId: y"),
    # Codex
    ({**CODEX,
     "payload": {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hi"}]}},
     "user", "hi"),
    ({**CODEX,
     "payload": {"type": "function_call", "name": "shell", "call_id": "c",
     "arguments": '{"command":["ls"]}'}},
     "function_call", "shell\ncommand: ls"),
    ({**CODEX, "payload": {"type": "function_call_output", "call_id": "c", "output": '{"output":"a\\nb"}'}},
     "function_call_output", "output: a\nb"),
    ({**CODEX, "payload": {"type": "reasoning", "summary": [{"type": "summary_text", "text": "hm"}]}},
     "reasoning", "hm"),
    ({**CODEX, "type": "event_msg", "payload": {"type": "agent_message", "message": "hi"}}, "agent_message",
     "hi"),
    ({"id": "0", "msg": {"type": "agent_message", "message": "hi"}}, "agent_message", "hi"),
])  # fmt: skip
def test_rows(row, role, text):
    record = records.record(row)
    assert (record.role, record.text) == (role, text)


@pytest.mark.parametrize(("row", "timestamp", "identity", "answers", "name"), [
    ({"text": "x", "ts": 1716192000.5, "id": 7}, "1716192000.5", 7, None, None),
    ({"text": "x", "created_at": "2026-01-01", "uuid": "u"}, "2026-01-01", "u", None, None),
    ({"text": "x", "createdAt": 1716192000123, "messageId": "m"}, "1716192000123", "m", None, None),
    ({"text": "x", "date": {"$date": "z"}, "at": "t", "id": 1.5}, "t", "1.5", None, None),
    ({**PI, "message": {"role": "toolResult", "toolCallId": "c", "toolName": "read", "timestamp": 5}},
     "2026-11-30T02:22:08.460Z", "a1b2", "c", "read"),
    ({**CLAUDE, "message": {"content": [{"type": "tool_result", "tool_use_id": "t1", "content": ""}]}},
     "2026-01-02T03:04:05.678Z", "u1", "t1", None),
    ({**CODEX, "payload": {"type": "function_call_output", "call_id": "c", "output": "x"}},
     "2026-01-02T03:04:05.678Z", None, "c", None),
    ({"role": "tool", "tool_call_id": "c", "name": "exec", "content": "x", "id": True}, None, None, "c",
     "exec"),
])  # fmt: skip
def test_what_stands_beside_the_text(row, timestamp, identity, answers, name):
    record = records.record(row)
    assert (record.timestamp, record.id, record.answers, record.name) == (timestamp, identity, answers, name)


@pytest.mark.parametrize(("value", "header"), [
    ({"type": "session", "version": 3, "id": "i", "timestamp": "t", "cwd": "/x"},
     (None, None, None, "t", None)),
    ({"type": "session_meta", "timestamp": "u", "payload": {"id": "i", "timestamp": "t"}},
     (None, None, None, "t", None)),
    ({"type": "session_meta", "timestamp": "u", "payload": {"id": "i"}}, (None, None, None, "u", None)),
    ({"type": "title", "v": 1, "title": "Plans", "pad": " "}, (None, "Plans", None, None, None)),
    ({"type": "session", "text": "a chat line"}, None),
    ({"type": "session_meta", "payload": 7}, None),
    ({"type": "user", "message": {}}, None),
    ("session", None),
])  # fmt: skip
def test_headers_of_known_programs(value, header):
    assert records.header(value) == header
    assert records.is_preamble(value) == (header is not None)


@pytest.mark.parametrize(("values", "low", "high"), [
    ([], 0, 0),
    ([7], 1, 1),
    ([{"a": 1}], 1, 4),
    ([{"role": "user", "content": "x"}], 5, 10),
    ([{**CLAUDE, "type": "user", "message": {"content": "x"}}], 50, 100),
    ([{**CODEX, "payload": {"type": "message"}}], 50, 100),
    ([{"type": "session", "cwd": "/x"}], 50, 100),
])  # fmt: skip
def test_score_leaves_the_first_word_to_others(values, low, high):
    assert low <= records.score(values) <= high


# ---------------------------------------------------------------------- places


@pytest.mark.parametrize(("home", "places"), [
    (".claude", ("projects/-home-ann-shop", "projects/-home-ann")),
    (".codex", ("sessions/2026/01/02", "sessions/2026/01/03", "archived_sessions")),
    (".pi", ("agent/sessions/--home-ann--",)),
    (".openclaw", ("agents/main/sessions", "agents/work/sessions")),
])  # fmt: skip
def test_homes_of_known_programs(tmp_path, home, places):
    for place in places:
        (tmp_path / home / place).mkdir(parents=True)
        (tmp_path / home / place / "a.jsonl").write_text("{}\n")
    for folder in (tmp_path, tmp_path / home):
        [one] = layout.recognise(str(folder))
        assert one.root == str(tmp_path / home)
        found = {str(Path(path).parent.relative_to(one.root)) for path in layout.session_paths(one)}
        assert found == set(places)
    [one] = layout.recognise(str(tmp_path / home / places[0]))
    assert one.root == str(tmp_path / home / places[0])


def test_a_folder_that_is_only_called_like_a_file_makes_no_workspace(tmp_path):
    (tmp_path / "a.jsonl").mkdir()
    assert layout.recognise(str(tmp_path)) == []


@pytest.mark.parametrize(("name", "key"), [
    ("a.jsonl", "a"), ("a.b.NDJSON", "a.b"), ("a.log", "a.log"), (".jsonl", ".jsonl"), ("", "/w/"),
])  # fmt: skip
def test_key_of(name, key):
    assert layout.key_of(Workspace("jsonl", "/w"), f"/w/{name}") == key


# ---------------------------------------------------------------------- view


@pytest.mark.parametrize(("content", "seen", "total", "reason"), [
    (b"", 0, 0, ""),
    (b'{"a":1}\n\n7\n\r\n', 2, 2, ""),
    (b'{"a":1}\nx\n', 1, 2, "1 row does not parse"),
    (b'{"a\nx\n{"a":1}{"b":2}\n', 1, 3, "2 rows do not parse"),
    (b'{"type":"session","cwd":"/x"}\n{"a":1}\n', 1, 1, ""),
    (b"x\n" * 1200, 0, 1200, "1,200 rows do not parse"),
])  # fmt: skip
def test_view(tmp_path, content, seen, total, reason):
    view = TestJsonl().view(content, tmp_path / "a.jsonl")
    assert view == AgentView(seen, total, True, reason)
