"""Counting rows once: right for every kind of file, kept by size and time, and whatever becomes of the cache."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support import chats
from support.cli import snapshot

from memcli.core import counts, discovering, listing, states, surveying
from memcli.core.counts import Count
from memcli.core.states import Marks
from memcli.model import Workspace

NOW = 1_750_000_000.0
HEADER = {"key": "desktop:猫", "created_at": "2025-01-01T00:00:00.000Z", "updated_at": "2025-01-01T00:00:00.000Z"}
ROW = b'{"id":1,"role":"user","content":"hi"}\n'
LINE = json.dumps(HEADER).encode() + b"\n"


class Home:
    """A workspace whose sessions are old enough to be remembered, and how often files were read."""

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.root, self.read = root, []
        (root / "sessions").mkdir(parents=True)
        (root / "memory").mkdir()
        real = counts._Work.__call__

        def call(work: counts._Work, path: str) -> tuple[Any, ...]:
            self.read.append(os.path.basename(path))
            return real(work, path)

        monkeypatch.setattr(counts._Work, "__call__", call)

    @property
    def workspace(self) -> Workspace:
        return Workspace("catbuddy", str(self.root), (str(self.root / "sessions"),), (str(self.root / "memory"),))

    def put(self, name: str, data: bytes, when: float = NOW - 3600) -> Path:
        path = self.root / "sessions" / name
        path.write_bytes(data)
        os.utime(path, (when, when))
        return path

    def counts(self) -> dict[str, Count]:
        self.read.clear()
        return {os.path.basename(one.path): one for one in counts.counts(self.workspace, NOW)}

    @property
    def cache(self) -> Path:
        return Path(counts._path(self.workspace))


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    monkeypatch.setenv("MEMCLI_CACHE_DIR", str(tmp_path / "cache"))
    return Home(tmp_path / "ws", monkeypatch)


FILES: list[tuple[str, bytes, int, str]] = [
    ("rows", LINE + ROW * 3, 3, "desktop:猫"),
    ("an end without newline", LINE + ROW * 2 + ROW.rstrip(), 3, "desktop:猫"),
    ("blank lines", LINE + b"\n" + ROW + b"\r\n\n" + ROW, 2, "desktop:猫"),
    ("blank lines at both ends", b"\n\n" + LINE + ROW + b"\n\n", 1, "desktop:猫"),
    ("only a header", LINE, 0, "desktop:猫"),
    ("only a header, unended", LINE.rstrip(), 0, "desktop:猫"),
    ("empty", b"", 0, "desktop:a"),
    ("no header", ROW * 4, 4, "desktop:a"),
    ("two headers", LINE + LINE + ROW, 1, "desktop:猫"),
    ("a torn header", LINE[:20] + b"\n" + ROW, 2, "desktop:a"),
    ("broken rows", LINE + b"\xff\x00\n" + b"[1]\n" + b"{\n", 3, "desktop:猫"),
    ("a long header", json.dumps({**HEADER, "metadata": "x" * 90_000}).encode() + b"\n" + ROW, 1, "desktop:猫"),
    ("a long first row", LINE + b'{"role":"user","content":"' + b"x" * 90_000 + b'"}\n' + ROW, 2, "desktop:猫"),
    ("a long file", LINE + ROW * 30_000, 30_000, "desktop:猫"),
]


@pytest.mark.parametrize(("data", "rows", "key"), [one[1:] for one in FILES], ids=[one[0] for one in FILES])
def test_rows_and_keys(home: Home, data: bytes, rows: int, key: str) -> None:
    path = home.put("desktop_a.jsonl", data)
    [one] = home.counts().values()
    assert (one.rows, one.key, one.size, one.changed) == (rows, key, len(data), NOW - 3600)
    assert home.counts() == {"desktop_a.jsonl": one}
    assert home.read == []
    ref = counts.reference(one, home.workspace)
    assert (ref.key, ref.path, ref.agent) == (key, str(path), "catbuddy")
    assert surveying.survey(ref).rows == rows


@pytest.mark.parametrize("chat", [chats.CATBUDDY, chats.NANOBOT], ids=lambda chat: chat.agent)
def test_marks_are_those_that_states_tell(chat: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMCLI_CACHE_DIR", str(tmp_path / "cache"))
    header, *rows = chat.lines
    value = json.loads(header)
    value |= {name: 4 for name in ("last_archived", "last_consolidated") if name in value}
    path = tmp_path / "sessions" / chat.name
    path.parent.mkdir()
    path.write_bytes(json.dumps(value).encode() + b"\n" + b"\n".join(rows) + b"\n")
    workspace = Workspace(chat.agent, str(tmp_path), (str(path.parent),), (), chat.era)
    [one] = counts.counts(workspace, NOW)
    assert one.marks == Marks(False, 4, False)
    assert one.marks == states.marks(chat.agent, chat.era, value, len(rows), json.loads(rows[0]))


def test_every_sample(samples: Path, nanobot: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The rows of each session are those that reading it whole gives, and nothing is written but the cache."""
    monkeypatch.setenv("MEMCLI_CACHE_DIR", str(tmp_path / "cache"))
    every = [samples / "catbuddy" / "home-workspace", *sorted((samples / "cococat").iterdir())]
    seen = 0
    for place in filter(Path.is_dir, (*every, *sorted(nanobot.iterdir()))):
        before = snapshot(place)
        for workspace in discovering.find([str(place)]):
            keys = {row.file: row.key for row in listing.sessions([workspace])}
            found = counts.counts(workspace, NOW)
            assert {one.path: one.key for one in found} == keys
            readable = [one for one in found if one.rows >= 0]
            assert all(one.rows == surveying.survey(counts.reference(one, workspace)).rows for one in readable)
            seen += len(readable)
        assert snapshot(place) == before
    assert seen > 20


def test_only_what_changed_is_read_again(home: Home) -> None:
    for name in ("a", "b", "c"):
        home.put(f"desktop_{name}.jsonl", LINE + ROW)
    assert sorted(home.counts()) == sorted(home.read) == ["desktop_a.jsonl", "desktop_b.jsonl", "desktop_c.jsonl"]
    home.put("desktop_a.jsonl", LINE + ROW * 2)
    home.put("desktop_b.jsonl", LINE + ROW, NOW - 1800)
    found = home.counts()
    assert sorted(home.read) == ["desktop_a.jsonl", "desktop_b.jsonl"]
    assert {name: one.rows for name, one in found.items()} == {
        "desktop_a.jsonl": 2,
        "desktop_b.jsonl": 1,
        "desktop_c.jsonl": 1,
    }
    (home.root / "sessions" / "desktop_c.jsonl").unlink()
    size = home.cache.stat().st_size
    assert len(home.counts()) == 2
    assert home.read == []
    assert home.cache.stat().st_size < size


def test_a_file_that_was_just_changed_is_not_remembered(home: Home) -> None:
    """Another change in the same moment would show in neither its size nor its time."""
    for age, name in ((0.5, "a"), (-0.5, "b"), (3, "c"), (-600, "d")):
        home.put(f"desktop_{name}.jsonl", LINE + ROW, NOW - age)
    home.counts()
    home.counts()
    assert sorted(home.read) == ["desktop_a.jsonl", "desktop_b.jsonl"]


ODD: list[tuple[str, Callable[[Path], object]]] = [
    ("folder", lambda path: path.mkdir()),
    ("fifo", lambda path: os.mkfifo(path)),
    ("dangling", lambda path: path.symlink_to("nowhere")),
]


@pytest.mark.parametrize("make", [one[1] for one in ODD], ids=[one[0] for one in ODD])
def test_what_is_no_file_cannot_be_read(home: Home, make: Callable[[Path], object]) -> None:
    home.put("desktop_b.jsonl", LINE + ROW)
    make(home.root / "sessions" / "desktop_a.jsonl")
    for _ in range(2):
        found = home.counts()
        assert found["desktop_a.jsonl"].rows == -1
        assert found["desktop_a.jsonl"].key == "desktop:a"
        assert found["desktop_b.jsonl"].rows == 1


def test_a_file_that_fails_while_it_is_read(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    home.put("desktop_a.jsonl", LINE + ROW)

    def fail(*_: object, **__: object) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(counts, "count", fail)
    assert home.counts()["desktop_a.jsonl"].rows == -1


def test_damage_anywhere_in_the_cache_costs_a_reading_and_nothing_else(home: Home) -> None:
    home.put("desktop_a.jsonl", LINE + ROW)
    home.put("desktop_b.jsonl", LINE + ROW * 2)
    right = home.counts()
    raw = home.cache.read_bytes()
    for at in range(0, len(raw), 2):
        home.cache.write_bytes(raw[:at] + bytes((raw[at] ^ 0x10,)) + raw[at + 1 :])
        assert home.counts() == right, at
        assert len(home.read) == 2, at
        assert home.cache.read_bytes() == raw, at
    for size in range(0, len(raw), 3):
        home.cache.write_bytes(raw[:size])
        assert home.counts() == right, size


@pytest.mark.parametrize("body", [b"", b"\xe9\x05", b"[\x01\x00\x00\x00N", b"N", b"i\x01\x00\x00\x00"])
def test_a_cache_of_another_shape(home: Home, body: bytes) -> None:
    from zlib import crc32

    home.put("desktop_a.jsonl", LINE + ROW)
    right = home.counts()
    home.cache.write_bytes(counts.MAGIC + crc32(body).to_bytes(4, "little") + body)
    assert home.counts() == right


@pytest.mark.parametrize("where", ["file for folder", "folder for file"])
def test_a_cache_that_cannot_be_written_is_done_without(home: Home, where: str) -> None:
    home.put("desktop_a.jsonl", LINE + ROW)
    folder = home.cache.parent
    if where == "file for folder":
        folder.parent.mkdir(parents=True)
        folder.write_bytes(b"")
    else:
        home.cache.mkdir(parents=True)
    for _ in range(2):
        assert home.counts()["desktop_a.jsonl"].rows == 1
    assert not folder.is_dir() or os.listdir(folder) == [home.cache.name]


def test_two_processes_count_the_same(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(300):
        home.put(f"desktop_{number}.jsonl", LINE + ROW * number)
    found = home.counts()
    assert 0 < len(home.read) < 300
    assert sorted(one.rows for one in found.values()) == list(range(300))
    home.cache.unlink()
    monkeypatch.delattr(os, "fork")
    assert home.counts() == found
    assert len(home.read) == 300


def test_each_workspace_has_a_file_of_its_own(home: Home) -> None:
    one = home.workspace
    others = [one._replace(root="/elsewhere"), one._replace(agent="nanobot"), one._replace(era="E4")]
    others.append(one._replace(files=("a.jsonl",)))
    assert len({counts._path(each) for each in (one, *others)}) == 5


def test_no_sessions(home: Home) -> None:
    assert home.counts() == {}
    assert not home.cache.exists()
