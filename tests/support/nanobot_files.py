"""nanobot files made by hand: headers, rows, workspaces of each generation."""

from __future__ import annotations

import json
from pathlib import Path

ID = "0123456789abcdef0123456789abcdef"
OTHER_ID = "fedcba9876543210fedcba9876543210"
ENCODED = "Y2xpOmRpcmVjdA.jsonl"  # cli:direct
HEADER = {
    "_type": "metadata",
    "key": "cli:direct",
    "created_at": "2026-05-01T10:00:00.000001",
    "updated_at": "2026-05-01T10:00:09.000001",
    "metadata": {"title": "部署计划"},
    "last_consolidated": 0,
}
STATE = {
    "_type": "provider_state",
    "state": {"kind": "k", "provider": "p", "model": "m", "version": 1, "payload": {}},
}
ENTRY = {
    "cursor": 1,
    "timestamp": "2026-05-01 10:00",
    "content": "- [durable] 部署",
    "session_key": "cli:direct",
}


def call(*ids: str) -> dict[str, object]:
    """An assistant row that asks for one call an id."""
    function = {"name": "exec", "arguments": '{"command": "ls \\"档案\\""}'}
    calls = [{"id": one, "type": "function", "function": function} for one in ids]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def result(call_id: str) -> dict[str, object]:
    """The tool row that answers a call."""
    return {"role": "tool", "tool_call_id": call_id, "name": "exec", "content": "done"}


def said(role: str, content: object, **members: object) -> dict[str, object]:
    """A user or assistant row."""
    return {"role": role, "content": content, "timestamp": "2026-05-01T10:00:01.000001", **members}


def dumped(*rows: object) -> bytes:
    """Rows as lines; bytes stand as they are."""
    return b"".join(
        (row if isinstance(row, bytes) else json.dumps(row, ensure_ascii=False).encode("utf-8")) + b"\n" for row in rows
    )


def write(path: Path, *rows: object) -> Path:
    """A file of these rows, its folders made."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(dumped(*rows))
    return path


def memory(workspace: Path, *names: str) -> Path:
    """A memory folder with MEMORY.md and these other files."""
    folder = workspace / "memory"
    folder.mkdir(parents=True)
    for name in ("MEMORY.md", *names):
        (folder / name).write_bytes(dumped(ENTRY) if name == "history.jsonl" else b"[2026-05-01 10:00] Hi.\n")
    return folder


def namespace(home: Path, identity: str, claim: object, *names: str) -> Path:
    """A sessions folder of 0.3.5 whose marker names `claim` ("": no marker), with these session files."""
    folder = home / "sessions" / identity
    folder.mkdir(parents=True)
    if claim:
        (folder / ".workspace").write_text(f"{claim}\n")
    for name in names:
        write(folder / name, HEADER, said("user", "hi"))
    return folder


def identify(workspace: Path, identity: str) -> Path:
    """Give a workspace its id file, as 0.3.5 does at start."""
    marker = workspace / ".nanobot" / "workspace-id"
    marker.parent.mkdir(parents=True, exist_ok=True)
    marker.write_text(f"{identity}\n")
    return workspace
