"""Healthy chats of each agent, with what makes a salvager stumble: quotes, braces, nested objects, Chinese, emoji, escapes."""

from __future__ import annotations

import json
from typing import Any

from support.mending import Chat


def compact(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def spaced(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()


KEY = "desktop:main"


def _row(number: int, role: str, content: str, **more: Any) -> bytes:
    time = f"2026-05-20T08:30:{number:02d}.000Z"
    return compact({"id": number, "sessionKey": KEY, "role": role, "content": content, **more, "timestamp": time})


CATBUDDY = Chat(
    "catbuddy",
    "desktop_main.jsonl",
    (
        compact(
            {
                "key": KEY,
                "title": "",
                "preview": "你好 {",
                "created_at": "2026-05-20T08:30:01.000Z",
                "updated_at": "2026-05-20T08:30:07.000Z",
                "last_consolidated": 0,
                "metadata": {"workspaceFolderId": "shop"},
            }
        ),
        _row(1, "user", 'Why does {"id": 7} in "a,b" fail?\n\t\\', media=[]),
        _row(
            2,
            "assistant",
            "",
            toolCalls=[{"id": "c1", "name": "run", "arguments": {"command": "ls -l", "env": {"A": "}{"}}}],
            reasoningContent="",
        ),
        _row(3, "tool", "total 0 👩\u200d💻", toolCallId="c1", name="run"),
        _row(
            4,
            "assistant",
            "它失败了，因为 \u2028 引号。",
            tokenUsage={"inputTokens": 1, "outputTokens": 2},
            latencyMs=9,
        ),
        _row(5, "user", "谢谢 ]}", media=[]),
        _row(6, "assistant", "不客气", tokenUsage={"inputTokens": 3, "outputTokens": 4}, latencyMs=10),
        _row(7, "user", "{", media=["a.png"]),
    ),
)
NANOBOT = Chat(
    "nanobot",
    "dGVsZWdyYW06NDI.jsonl",
    (
        spaced(
            {
                "_type": "metadata",
                "key": "telegram:42",
                "created_at": "2026-05-20T10:00:00.100000",
                "updated_at": "2026-05-20T10:00:05.400000",
                "metadata": {"title": "Oslo"},
                "last_archived": 0,
                "last_consolidated": 0,
            }
        ),
        spaced({"role": "user", "content": "I live in 杭州 {", "timestamp": "2026-05-20T10:00:00.200000"}),
        spaced(
            {
                "role": "assistant",
                "content": "",
                "tool_calls": [
                    {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": '{"p": "a\\"b"}'}}
                ],
                "timestamp": "2026-05-20T10:00:01.200000",
            }
        ),
        spaced(
            {
                "role": "tool",
                "tool_call_id": "call_1",
                "name": "f",
                "content": '{"role": "user", "content": "x"}',
                "timestamp": "2026-05-20T10:00:02.300000",
            }
        ),
        spaced(
            {"role": "assistant", "content": "Noted.", "timestamp": "2026-05-20T10:00:03.400000", "latency_ms": 812}
        ),
        spaced({"role": "user", "content": "thanks", "timestamp": "2026-05-20T10:00:04.200000"}),
        spaced({"role": "assistant", "content": "好", "timestamp": "2026-05-20T10:00:05.400000", "latency_ms": 5}),
    ),
    era="E4",
)
COCOCAT = Chat(
    "cococat",
    "history.jsonl",
    tuple(
        spaced(
            {
                "timestamp": f"2026-05-06T10:00:0{number}",
                "prompt": prompt,
                "response_summary": answer,
                "iterations": number,
            }
        )
        for number, prompt, answer in (
            (1, "Deploy the site", "Deployed to VPS."),
            (2, "Say 你好", "已发送。"),
            (3, 'Read {"a": [1, 2]}', "It has an array."),
            (4, "Back up", ""),
        )
    ),
    era="V1",
    header=False,
)
LINKED = Chat(
    "jsonl",
    "chat.jsonl",
    tuple(
        compact(
            {
                "type": "message",
                "id": f"e{number}",
                "parentId": f"e{number - 1}" if number > 1 else None,
                "timestamp": f"2026-05-20T08:30:0{number}.000Z",
                "message": {"role": role, "content": [{"type": "text", "text": text}]},
            }
        )
        for number, role, text in (
            (1, "user", "hello"),
            (2, "assistant", '{"type":"message"}'),
            (3, "user", "bye 👋"),
            (4, "assistant", "再见"),
        )
    ),
    header=False,
)
ALL = (CATBUDDY, NANOBOT, COCOCAT, LINKED)
