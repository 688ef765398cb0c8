"""The layer of temporary files and conflict copies."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from support.looking import look

from memcli.core.sources import beside


@pytest.mark.parametrize(
    ("name", "layer", "original"),
    [
        ("desktop_main.jsonl.tmp", "temp", "desktop_main.jsonl"),
        ("desktop_main (1).jsonl", "conflict-copy", "desktop_main.jsonl"),
        ("desktop_main.sync-conflict-20260520-101112-ABCDEFG.jsonl", "conflict-copy", "desktop_main.jsonl"),
        ("desktop_gone.sync-conflict-20260520-101112-ABCDEFG.jsonl", "conflict-copy", "desktop_gone.jsonl"),
        ("desktop_main.jsonl", "", ""),
    ],
)
def test_files_beside(tmp_path: Path, samples: Path, name: str, layer: str, original: str) -> None:
    folder = tmp_path / "sessions"
    folder.mkdir()
    raw = (samples / "catbuddy/home-workspace/sessions/desktop_main.jsonl").read_bytes()
    (folder / "desktop_main.jsonl").write_bytes(raw)
    (folder / name).write_bytes(raw)
    found = look(beside, tmp_path, words="vitest")
    assert [(s.layer, s.key, s.detail["original"]) for s in found.sources] == (
        [(layer, "desktop:main", str(folder / original))] if layer else []
    )
    assert {trace.source.layer for trace in found.traces} == ({layer} if layer else set())


def test_a_fifo_does_not_hang(tmp_path: Path, samples: Path) -> None:
    folder = tmp_path / "sessions"
    folder.mkdir()
    (folder / "desktop_main.jsonl").write_bytes(
        (samples / "catbuddy/home-workspace/sessions/desktop_main.jsonl").read_bytes()
    )
    os.mkfifo(folder / "desktop_main.jsonl.tmp")
    found = look(beside, tmp_path, words="vitest")
    assert found.unchecked == [f"{folder}/desktop_main.jsonl.tmp: it is a FIFO"]
