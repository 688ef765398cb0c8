"""A copy that is damaged and all that there is: what merging makes of it where the chat's own file has no rows."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from support.damaging import joined
from support.lost import KEY, cat_chat, put
from support.oracle import catbuddy

from memcli.core import copies, merging

WHOLE = cat_chat(6)
HEAD, *ROWS = WHOLE.splitlines()
COPIES = {
    # what happened to the copy: its bytes, how many rows come back, how many lines are left out
    "nothing": (WHOLE, 6, 0),
    "bom": (b"\xef\xbb\xbf" + WHOLE, 6, 0),
    "utf-16": (WHOLE.decode().encode("utf-16"), 6, 0),
    "glued": (joined(HEAD, *ROWS[:2], ROWS[2] + ROWS[3], *ROWS[4:]), 6, 0),
    "torn": (WHOLE[:-30], 5, 1),
    "no header": (joined(*ROWS), 6, 0),
    "header cut": (joined(HEAD[:40], *ROWS), 6, 0),
}
FILES = {"gone": None, "empty": b"", "nul": bytes(4096), "nul and newline": bytes(512) + b"\n", "header": HEAD + b"\n"}


@pytest.mark.parametrize("copy", COPIES)
@pytest.mark.parametrize("file", FILES)
def test_a_damaged_copy_is_mended_on_its_way(file: str, copy: str, tmp_path: Path) -> None:
    sessions = tmp_path / ".catbuddy" / "workspace" / "sessions"
    path = sessions / "desktop_main.jsonl"
    sessions.mkdir(parents=True)
    content = FILES[file]
    if content is not None:
        put(path, content)
    damaged, rows, left = COPIES[copy]
    beside = put(tmp_path / "copy.jsonl", damaged, days=3)
    pair = copies.target(KEY, str(beside), [str(sessions.parent)], "catbuddy")
    with merging.plan(pair) as plan:
        assert (plan.counts.added, plan.counts.left_out, plan.worse) == (rows, left, "")
        assert merging.carry_out(plan, command=["memcli"], idle=0.0).id
    assert catbuddy(path.read_bytes()) == (rows, True)
    assert set(path.read_bytes().splitlines()) <= {HEAD, *ROWS} or copy in ("no header", "header cut")
    assert beside.read_bytes() == damaged
    if content is None:
        assert os.stat(path).st_mtime_ns == os.stat(beside).st_mtime_ns
