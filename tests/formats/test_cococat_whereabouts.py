"""Where else CocoCat's chats can be: its database, and what it made of its sessions."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from memcli.formats import load, whereabouts


@pytest.mark.parametrize(
    ("sample", "names"),
    [
        ("v1-healthy", [("database", "cococat.db", "database", "")]),
        (
            "v2-layout",
            [
                ("database", "cococat.db", "database", ""),
                ("summary", "0123456789abcdef.json", "text", "main/0123456789abcdef"),
                ("memory", "2026-05-19.md", "text", ""),
            ],
        ),
    ],
)
def test_stores(tmp_path: Path, samples: Path, sample: str, names: list[object]) -> None:
    root = tmp_path / sample
    shutil.copytree(samples / "cococat" / sample, root)
    for name in ("cococat.db", "cococat.db-wal"):
        (root / name).write_bytes(b"x")
    [workspace] = load("cococat").layout.recognise(str(root))
    facet = whereabouts("cococat")
    assert [(one.layer, Path(one.path).name, one.kind, one.key) for one in facet.stores(workspace)] == names
    assert list(facet.stores(workspace._replace(files=("x",)))) == []
    assert (facet.standing(workspace), list(facet.neighbours([workspace]))) == ("", [])


@pytest.mark.parametrize(("row", "key"), [({"agent_id": "leader"}, "leader"), ({"agent_id": 7}, ""), ({}, "")])
def test_whose_row_it_is(row: dict[str, object], key: str) -> None:
    assert whereabouts("cococat").key_in(row) == key


def test_rows_of_nobody_are_nowhere_else(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text("{}\n")
    [workspace] = load("jsonl").layout.recognise(str(tmp_path))
    facet = whereabouts("jsonl")
    found = (
        facet.standing(workspace),
        list(facet.neighbours([workspace])),
        list(facet.stores(workspace)),
        facet.key_in({}),
    )
    assert found == ("", [], [], "")
