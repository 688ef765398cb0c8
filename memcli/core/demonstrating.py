"""A small workspace to try memcli on: healthy chats, and the damage that real users meet, made from scratch."""

from __future__ import annotations

import os

from memcli.errors import CannotRead, UsageError

NAME = "memcli-demo"
MARKER = "README.txt"
ABOUT = """A workspace written by `memcli demo`: chats and memory as a desktop agent keeps them, some files damaged on purpose.
Nothing here is anybody's. Delete the folder when you are done.
"""
ZONE = "Z"
WRITTEN = 1778835600
"""The time of the first file, in epoch seconds: 2026-05-15T09:00:00Z, when the last of the chats was over."""


def write(folder: str) -> bool:
    """Write the demonstration workspace into `folder`; False when an earlier run already did.

    Raises UsageError when something else stands there: nothing of the user's is ever overwritten.
    """
    if os.path.isfile(os.path.join(folder, MARKER)) and os.path.isdir(os.path.join(folder, "sessions")):
        return False
    if os.path.lexists(folder) and (not os.path.isdir(folder) or os.listdir(folder)):
        raise UsageError(
            f"{folder} exists and is not a demonstration workspace; nothing was written. Name another folder: "
            "memcli demo DIR"
        )
    try:
        for number, (name, content) in enumerate(files().items()):
            path = os.path.join(folder, *name.split("/"))
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "xb") as file:
                file.write(content)
            # files without a readable time are listed by this one: in the same order at every run
            os.utime(path, (WRITTEN + number, WRITTEN + number))
    except OSError as error:
        raise CannotRead(f"The demonstration could not be written to {folder}: {error.strerror}.") from error
    return True


def files() -> dict[str, bytes]:
    """The files of the workspace, by path: the same bytes at every call."""
    travel = _chat("desktop:1748736000000", "2026-05-12T18:0", _TRAVEL)
    broken = _chat("desktop:1748822400000", "2026-05-13T09:1", _PORT)
    torn = _chat("desktop:1748908800000", "2026-05-14T21:3", _DATABASE)
    lines = broken.split(b"\n")
    # a crash cut one record, and the next write went on behind it on the same line
    spliced = b"\n".join([*lines[:3], lines[3][: len(lines[3]) // 2] + lines[4], *lines[5:]])
    return {
        "sessions/desktop_main.jsonl": _chat("desktop:main", "2026-05-15T08:3", _VITEST),
        "sessions/desktop_1748736000000.jsonl": travel,
        "sessions/desktop_1748822400000.jsonl": spliced,
        "sessions/desktop_1748908800000.jsonl": torn[:-117],
        "sessions/desktop_1748908800000.jsonl.tmp": torn,
        "sessions/desktop_1748995200000.jsonl": b"",
        "sessions/desktop_1749081600000.jsonl": b"\0" * 4096,
        "memory/MEMORY.md": _MEMORY.encode(),
        "memory/history.jsonl": _journal(),
        "memory/.cursor": b"3",
        MARKER: ABOUT.encode(),
    }


def _chat(key: str, minute: str, rows: tuple[dict[str, object], ...]) -> bytes:
    import orjson

    asked = [str(row["content"]) for row in rows if row["role"] == "user"]
    stamps = [f"{minute}{number // 6}:{number % 6}0.000{ZONE}" for number in range(len(rows))]
    header = {
        "key": key,
        "title": "",
        "preview": asked[-1][:120],
        "created_at": stamps[0],
        "updated_at": stamps[-1],
        "last_consolidated": 0,
        "metadata": {},
    }
    lines = [header]
    for number, row in enumerate(rows):
        members = {k: v for k, v in row.items() if k not in ("role", "content")}
        start = {"id": number + 1, "sessionKey": key, "role": row["role"], "content": row["content"]}
        lines.append({**start, **members, "timestamp": stamps[number]})
    return b"".join(orjson.dumps(line) + b"\n" for line in lines)


def _journal() -> bytes:
    import orjson

    said = (
        "[assistant] I will add vitest as a dev dependency.",
        "[assistant] 改用 8081 端口,配置已写入 .env。",
        "[assistant] The backup runs at 03:30.",
    )
    rows = ({"cursor": n + 1, "content": text, "at": f"2026-05-1{n + 2}T20:00:00.000Z"} for n, text in enumerate(said))
    return b"".join(orjson.dumps(row) + b"\n" for row in rows)


def _call(number: str, name: str, **arguments: object) -> dict[str, object]:
    return {"toolCalls": [{"id": number, "name": name, "arguments": arguments}], "reasoningContent": ""}


_VITEST: tuple[dict[str, object], ...] = (
    {"role": "user", "content": "Use pnpm to add vitest", "media": []},
    {"role": "assistant", "content": "", **_call("call_1", "exec", command="pnpm add -D vitest")},
    {"role": "tool", "content": "+ vitest 3.1.0", "toolCallId": "call_1", "name": "exec"},
    {"role": "assistant", "content": "Added vitest with pnpm."},
    {"role": "user", "content": 'Now add a script named "test:watch"', "media": []},
    {"role": "assistant", "content": 'Done: "test:watch": "vitest --watch".\nRun it with pnpm test:watch.'},
)
_TRAVEL: tuple[dict[str, object], ...] = (
    {"role": "user", "content": "下周三去杭州出差,帮我列个清单", "media": []},
    {"role": "assistant", "content": "清单:\n1. 身份证\n2. 充电器\n3. 周三 9:10 的高铁票 🚄"},
    {"role": "user", "content": "酒店订在西湖边,别太贵", "media": []},
    {"role": "assistant", "content": "已记下:西湖附近,每晚不超过 500 元。"},
)
_PORT: tuple[dict[str, object], ...] = (
    {"role": "user", "content": "端口 8080 被占用了,换一个", "media": []},
    {"role": "assistant", "content": "", **_call("call_7", "exec", command="ss -ltnp | grep 8080")},
    {"role": "tool", "content": 'LISTEN 0 128 *:8080 users:(("node",pid=411))', "toolCallId": "call_7", "name": "exec"},
    {"role": "assistant", "content": "改用 8081 端口,配置已写入 .env。"},
    {"role": "user", "content": "Restart the server, please", "media": []},
    {"role": "assistant", "content": "Restarted; it listens on 8081."},
)
_DATABASE: tuple[dict[str, object], ...] = (
    {"role": "user", "content": "When does the database backup run?", "media": []},
    {"role": "assistant", "content": "", **_call("call_9", "read_file", path="/etc/cron.d/backup")},
    {"role": "tool", "content": "30 3 * * * root pg_dump app > /var/backups/app.sql", "toolCallId": "call_9"},
    {"role": "assistant", "content": "Every night at 03:30, into /var/backups/app.sql."},
)
_MEMORY = """# Long-term Memory

## Dream — User Profile — 2026-05-12
- Prefers pnpm to npm

## Dream — Project — 2026-05-13
- The server listens on 8081
"""
