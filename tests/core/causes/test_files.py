"""Which file a session is in: what the agent would open first, then what headers say, copies last."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from support.nanobot_files import dumped

from memcli.core import discovering, listing
from memcli.core.causes.files import Files

HEADER = {"title": "", "preview": "", "created_at": "x", "updated_at": "x", "last_consolidated": 0, "metadata": {}}


@pytest.mark.parametrize(
    ("files", "key", "found"),
    [
        # name -> key in its header ("": it has none)
        ({"desktop_a.jsonl": "desktop:a"}, "desktop:a", "desktop_a.jsonl"),
        ({"desktop_a.jsonl": ""}, "desktop:a", "desktop_a.jsonl"),
        ({"desktop_a.jsonl": "desktop:b"}, "desktop:a", ""),
        ({"desktop_a.jsonl": "desktop:b"}, "desktop:b", "desktop_a.jsonl"),
        ({"x.jsonl": "desktop:a", "desktop_a.jsonl": "desktop:a"}, "desktop:a", "desktop_a.jsonl"),
        ({"x.jsonl": "desktop:a", "desktop_a.jsonl": ""}, "desktop:a", "desktop_a.jsonl"),
        ({"x.jsonl": "desktop:a", "y.jsonl": "desktop:a"}, "desktop:a", "y.jsonl"),
        ({"desktop_b.jsonl": "desktop:a", "desktop_b (1).jsonl": "desktop:a"}, "desktop:a", "desktop_b.jsonl"),
        ({"desktop_a_b.jsonl": "desktop:a/b"}, "desktop:a/b", "desktop_a_b.jsonl"),
        ({"desktop_a.jsonl": "desktop:a"}, "desktop:c", ""),
    ],
)
def test_the_file_of_a_session(tmp_path: Path, files: dict[str, str], key: str, found: str) -> None:
    (tmp_path / "sessions").mkdir()
    (tmp_path / "sessions" / "sure.jsonl").write_bytes(dumped({"key": "desktop:sure", **HEADER}))
    for time, (name, header) in enumerate(files.items()):
        path = tmp_path / "sessions" / name
        path.write_bytes(dumped({"key": header, **HEADER}) if header else b"{]\n")
        os.utime(path, (time, time))
    [workspace] = discovering.find([str(tmp_path)])
    ref = Files(workspace).find(key)
    assert (Path(ref.path).name if ref else "") == found
    assert ref is None or (ref.key, ref.workspace, ref.shown) == (key, workspace, ref.path)


def test_headers_are_not_read_when_names_must_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sessions").mkdir()
    for name, key in (("desktop_a.jsonl", "desktop:a"), ("x.jsonl", "desktop:b")):
        (tmp_path / "sessions" / name).write_bytes(dumped({"key": key, **HEADER}))
    [workspace] = discovering.find([str(tmp_path)])
    read: list[str] = []
    real = listing.header_key

    def header_key(form: object, path: str) -> str | None:
        read.append(os.path.basename(path))
        return real(form, path)

    monkeypatch.setattr(listing, "header_key", header_key)
    files = Files(workspace)
    assert files.find("desktop:a") is not None
    assert files.find("desktop:b", headers=False) is None
    assert read == ["desktop_a.jsonl"]
    assert files.find("desktop:b") is not None


def test_a_file_that_is_gone_meanwhile(tmp_path: Path) -> None:
    (tmp_path / "sessions").mkdir()
    path = tmp_path / "sessions" / "desktop_a.jsonl"
    path.write_bytes(dumped({"key": "desktop:a", **HEADER}))
    files = Files(discovering.find([str(tmp_path)])[0])
    assert files.find("desktop:a") is not None
    path.unlink()
    assert files.find("desktop:b") is None
