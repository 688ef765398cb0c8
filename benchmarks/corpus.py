"""Make chat sessions, and memory with a history, to measure on: deterministic, in English and Chinese, with code, tool calls and
all JSON spellings."""

from __future__ import annotations

import json
import random
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

WORDS = [
    "the",
    "server",
    "answers",
    "slowly",
    "when",
    "every",
    "client",
    "asks",
    "for",
    "the",
    "same",
    "report",
    "at",
    "once",
    "so",
    "we",
    "keep",
    "a",
    "copy",
    "in",
    "memory",
    "and",
    "refresh",
    "it",
    "in",
    "the",
    "background",
    "please",
    "check",
    "the",
    "log",
    "of",
    "the",
    "last",
    "deployment",
    "before",
    "you",
    "restart",
    "anything",
    "the",
    "test",
    "suite",
    "fails",
    "only",
    "on",
    "machines",
    "with",
    "two",
    "cores",
    "because",
    "the",
    "timeout",
    "is",
    "too",
    "short",
    "for",
    "a",
    "cold",
    "cache",
]
HAN = (
    "会话文件读取第一行元数据然后返回结果如果出现错误请检查日志配置是否存在模型上下文窗口"
    "超过限制需要压缩历史记录保存磁盘之前必须写入临时用户偏好今天天气很好明天下午三点开会"
)
CODE = 'def fetch(url: str, tries: int = 3) -> bytes:\n\treturn open("C:\\\\temp\\\\a.txt", "rb").read()  # "quoted"\n'
NEEDLES = ("NEEDLE_ALPHA", "MiXeDcAsE Error Marker", "量子纠缠", 'he said "zebra\nquartz" twice')
STYLES = (
    (0.7, {"ensure_ascii": False, "separators": (",", ":")}),
    (0.9, {"ensure_ascii": False}),
    (1.0, {"ensure_ascii": True}),
)
KINDS = {
    # name: (files, bytes a file)
    "sessions": (500, 200_000),
    "small": (20_000, 3_200),
    "large": (5_000, 400_000),
    "one": (1, 1_000_000_000),
}
COMMITS = (10_000, 200)
"""How long a history is, and a short one."""
SHORT = {"sessions": (50, 50_000), "small": (500, 3_200), "large": (100, 100_000), "one": (1, 20_000_000)}


def make(folder: Path, kind: str, short: bool) -> Path:
    """The corpus called `kind` below `folder`, made when it is not there yet."""
    files, size = (SHORT if short else KINDS)[kind]
    target = folder / f"{kind}-{files}-{size}" / "sessions"
    done = target.parent / "complete"
    if not done.exists():
        target.mkdir(parents=True, exist_ok=True)
        source = random.Random(kind)
        pool = [_text(source) for _ in range(4000)]
        for number in range(files):
            _session(target, number, size if files == 1 else int(size * source.uniform(0.3, 1.7)), pool, source)
        done.touch()
    return target


def history(folder: Path, short: bool) -> Path:
    """A workspace below `folder` whose memory was changed by so many commits, made when it is not there yet."""
    commits = COMMITS[short]
    root = folder / f"history-{commits}"
    done = root / "sessions"
    if not done.exists():
        source = random.Random("history")
        (root / "memory").mkdir(parents=True, exist_ok=True)
        subprocess.run(["git", "init", "-q", "--initial-branch=main", str(root)], check=True)
        command = ["git", "-C", str(root), "fast-import", "--quiet", "--force"]
        subprocess.run(command, input=b"".join(_commits(commits, source)), check=True)
        subprocess.run(["git", "-C", str(root), "reset", "-q", "--hard"], check=True)
        entry = {"cursor": 1, "timestamp": "2026-01-01 00:00", "content": "x"}
        (root / "memory" / "history.jsonl").write_text(json.dumps(entry) + "\n", encoding="utf-8")
        done.mkdir()
    return root


def _commits(count: int, source: random.Random) -> Iterator[bytes]:
    """What fast-import makes them of: each takes a line from a memory of 120 and adds one."""
    lines = ["# Memory"]
    for number in range(count):
        lines.append(f"- {' '.join(source.choices(WORDS, k=8))},{''.join(source.choices(HAN, k=9))} ({number})")
        del lines[1:-119]
        message = f"dream: 2026-05-06, {number} change(s)".encode()
        content = "".join(f"{line}\n" for line in lines).encode()
        yield b"commit refs/heads/main\ncommitter agent <agent@example.invalid> %d +0000\n" % (
            1_700_000_000 + number * 600
        )
        yield b"data %d\n%s\n" % (len(message), message)
        yield b"M 100644 inline memory/MEMORY.md\ndata %d\n%s\n" % (len(content), content)
        if not number:
            yield b"M 100644 inline SOUL.md\ndata 7\n# Soul\n\n"


def _text(source: random.Random) -> str:
    kind = source.random()
    english = " ".join(source.choices(WORDS, k=source.randint(4, 120)))
    chinese = "".join(source.choices(HAN, k=source.randint(6, 90))) + "。"
    if kind < 0.4:
        return english
    if kind < 0.65:
        return chinese
    if kind < 0.85:
        return f"{english}\n\n```python\n{CODE * source.randint(1, 8)}```\n{chinese}"
    return f"{chinese} `{english[:30]}` 👍"


def _session(folder: Path, number: int, size: int, pool: list[str], source: random.Random) -> None:
    pick = source.random()
    style = next(options for limit, options in STYLES if pick <= limit)
    key = f"desktop:{1_700_000_000_000 + number}"
    start = 1_750_000_000 + number * 700
    header = {
        "key": key,
        "title": "",
        "preview": source.choice(pool)[:120],
        "created_at": _stamp(start),
        "updated_at": _stamp(start + 9000),
        "last_consolidated": 0,
        "metadata": {},
    }
    with open(folder / f"{key.replace(':', '_')}.jsonl", "wb", buffering=1 << 20) as file:
        written = file.write((json.dumps(header, **style) + "\n").encode())
        for row in _rows(key, start, pool, source):
            if written >= size:
                break
            written += file.write((json.dumps(row, **style) + "\n").encode())


def _rows(key: str, start: int, pool: list[str], source: random.Random) -> Iterator[dict[str, object]]:
    number = 0
    while True:
        number += 1
        text = source.choice(pool)
        if source.random() < 2e-4:
            text = f"{text[:40]} {source.choice(NEEDLES)} {text[40:80]}"
        role = "user" if number % 3 == 1 else "assistant"
        row: dict[str, object] = {"id": number, "sessionKey": key, "role": role, "content": text}
        if number % 12 == 2:
            call = {"id": f"call_{number}", "name": "read_file", "arguments": {"path": f"src/{number}.py"}}
            row |= {"content": "", "toolCalls": [call], "reasoningContent": ""}
        elif number % 12 == 3:
            row |= {"role": "tool", "toolCallId": f"call_{number - 1}", "name": "read_file"}
        yield {**row, "timestamp": _stamp(start + number * 7)}


def _stamp(moment: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(moment))


def journal(folder: Path, entries: int) -> Path:
    """A nanobot workspace whose journal has so many entries in which people talk, English and Chinese, some worth keeping: those
    that the tests of the offline provider read, over again where there are more."""
    root = folder / ".nanobot" / "workspace"
    (root / "memory").mkdir(parents=True)
    spoken = Path(__file__).resolve().parent.parent / "tests" / "llm" / "spoken.jsonl"
    cases = [json.loads(line) for line in spoken.read_text(encoding="utf-8").splitlines()]
    said = [entry["content"] for case in cases for entry in case["entries"]]
    if entries == 1:
        said = ["[user] We decided to use PostgreSQL 16 for the orders database."]
    rows = [
        {"cursor": number + 1, "timestamp": "2026-05-01 10:00", "content": said[number % len(said)]}
        for number in range(entries)
    ]
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    for name, text in (("history.jsonl", lines), (".cursor", str(entries)), ("MEMORY.md", "# Memory\n")):
        (root / "memory" / name).write_text(text, encoding="utf-8")
    (root / "USER.md").write_text("# User\n", encoding="utf-8")
    return root
