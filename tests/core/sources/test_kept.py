"""The layer of what memcli itself keeps: undo copies, quarantine, archive."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from support.cli import run
from support.looking import look

from memcli.core import discovering, sealing
from memcli.core.sources import kept
from memcli.errors import RefusedForSafety
from memcli.storage import row_archive, state, undo
from memcli.storage.row_archive import Removed
from memcli.storage.versions import read_version

TORN = "sessions/desktop_1730456789000.jsonl"


@pytest.fixture
def home(tmp_path: Path, samples: Path) -> Path:
    root = tmp_path / "home-workspace"
    shutil.copytree(samples / "catbuddy/home-workspace", root)
    for path in root.rglob("*"):
        os.utime(path, (1e9, 1e9))
    return root


def changed(root: Path, path: Path, data: bytes | None) -> str:
    """Have memcli write `data` to a file, or remove it (None); the operation."""
    store = sealing.store(discovering.find([str(root)])[0])
    with undo.begin(store, "repair", agent="catbuddy") as operation:
        if data is None:
            operation.remove(str(path), read_version(str(path)), root=str(root))
        else:
            operation.rewrite(str(path), read_version(str(path)), data, root=str(root))
        return operation.commit().id


def test_nothing_is_kept_at_first(home: Path) -> None:
    assert look(kept, home, words="vitest") == ([], [], [])


def test_the_old_bytes_of_a_repair_and_what_it_cut_out(home: Path) -> None:
    words = "[RAW"  # stands nowhere
    (home / "memory" / "MEMORY.md").unlink()
    ran = run("repair", "--apply", "--lossy", "--idle", "0", "-W", home)
    assert "memcli undo" in ran.err
    old = look(kept, home, words=words)
    assert old.traces == []
    layers = {source.layer: source for source in old.sources}
    assert set(layers) >= {"undo"}
    source = layers["undo"]
    assert source.key == "desktop:1730456789000"
    assert source.detail["path"] == str(home / TORN)
    assert source.detail["operation"] in ran.err


@pytest.mark.parametrize(
    ("file", "data", "words", "place"),
    [
        (
            "sessions/desktop_main.jsonl",
            None,
            "vitest",
            ("undo", "desktop:main", "0.old", 2, 1, "Use pnpm to add vitest"),
        ),
        (
            "sessions/desktop_main.jsonl",
            b"",
            "vitest",
            ("undo", "desktop:main", "0.old", 2, 1, "Use pnpm to add vitest"),
        ),
        ("memory/MEMORY.md", b"new\n", "Long-term", ("undo", "", "0.old", 1, None, "# Long-term Memory")),
    ],
)
def test_old_bytes(home: Path, file: str, data: bytes | None, words: str, place: tuple[object, ...]) -> None:
    operation = changed(home, home / file, data)
    found = look(kept, home, words=words)
    assert found.places("operation", "path")[0] == (*place, operation, str(home / file))


def test_old_entries_of_the_journal_name_no_session(home: Path) -> None:
    journal = home / "memory" / "history.jsonl"
    first = journal.read_text().splitlines()[0]
    changed(home, journal, b"")
    [place] = look(kept, home, words="dev dependency").places()
    assert place[:4] == ("undo", "", "0.old", 1)
    assert place[5] in first.encode().decode()


@pytest.mark.parametrize(
    ("piece", "words", "text", "role"),
    [
        (b'{"id":9,"role":"user","content":"lost words"}\n', "lost words", "lost words", "user"),
        (b'"content":"lost \\u676d\\u5dde', "lost 杭州", '"content":"lost \\u676d\\u5dde', None),
        (b'xx\n{"role":"user","content":"lost"}', "lost", "lost", "user"),
        (b"\xff\xfe lost", "lost", "\ufffd\ufffd lost", None),
    ],
)
def test_quarantine(home: Path, piece: bytes, words: str, text: str, role: str | None) -> None:
    path = home / "sessions" / "desktop_main.jsonl"
    store = sealing.store(discovering.find([str(home)])[0])
    with undo.begin(store, "repair", agent="catbuddy") as operation:
        operation.rewrite(str(path), read_version(str(path)), path.read_bytes() + b"\n", root=str(home))
        operation.set_aside(str(path), 7, piece, "not-json")
        operation.set_aside(str(path), 90, b"other", "torn-tail")
        record = operation.commit()
    found = look(kept, home, words=words)
    [place] = found.places("operation", "path", "code", "offset")
    assert place == ("quarantine", "desktop:main", "bytes", None, None, text, record.id, str(path), "not-json", 7)
    assert (found.traces[0].record.role if found.traces[0].record else None) == role
    assert [source.layer for source in found.sources] == ["undo", "quarantine"]


def test_a_quarantine_that_was_tampered_with_is_told(home: Path) -> None:
    store = sealing.store(discovering.find([str(home)])[0])
    folder = Path(state.place(store, "quarantine")) / "000001-x"
    folder.mkdir()
    (folder / "bytes").write_bytes(b"abc")
    (folder / "index.jsonl").write_bytes(b"{]\n")
    found = look(kept, home, words="abc")
    assert found.traces == []
    assert found.unchecked[0].startswith(f"{folder}: it is damaged (")


def archive(home: Path, rows: list[bytes], key: str = "desktop:old", name: str = "desktop_old.jsonl") -> Path:
    """Put rows into the archive; the file that has them."""
    store = sealing.store(discovering.find([str(home)])[0])
    with undo.begin(store, "compact", agent="catbuddy") as operation:
        removed = Removed(
            key, "catbuddy", str(home / "sessions" / name), len(list(filter(None, rows))), "2026-05-21T03:00:00Z"
        )
        path = row_archive.add(operation, store, removed, [row + b"\n" for row in rows])
        operation.commit()
    return Path(path)


ROW = b'{"id":1,"role":"user","content":"trimmed words","timestamp":"t"}'


def test_archive(home: Path) -> None:
    path = archive(home, [b'{"role":"user","content":"other"}', b"", ROW])
    found = look(kept, home, words="trimmed")
    [trace] = found.traces
    source = trace.source
    assert (source.layer, source.key, source.path, source.kind) == (
        "archive",
        "desktop:old",
        str(path.parent),
        "packed",
    )
    assert (trace.line, trace.row, trace.text, trace.when) == (3, 2, "trimmed words", "t")
    assert source.detail["path"] == str(home / "sessions" / "desktop_old.jsonl")
    assert (source.detail["rows"], source.detail["since"]) == (2, "2026-05-21T03:00:00Z")
    assert found.unchecked == []


@pytest.mark.parametrize(
    ("data", "why"),
    [(b"no gzip", "it is no gzip file of memcli's"), (b"", "it is empty"), (None, "it is a FIFO")],
)
def test_a_damaged_archive_is_told(home: Path, data: bytes | None, why: str) -> None:
    archive(home, [ROW])
    path = archive(home, [ROW])
    if data is None:
        path.unlink()
        os.mkfifo(path)
    else:
        path.write_bytes(data)
    found = look(kept, home, words="trimmed")
    assert len(found.traces) == 1
    assert found.unchecked == [f"{path} is damaged from row 2 on: {why}; what is whole was read"]


def test_an_archive_that_tells_nothing_belongs_to_nobody(home: Path) -> None:
    path = archive(home, [ROW])
    raw = path.read_bytes()
    path.write_bytes(raw.replace(b"desktop:old", b"desktop:new", 1))
    [trace] = look(kept, home, words="trimmed").traces
    assert trace.source.key == ""


def test_a_line_of_the_archive_that_is_too_long_is_told(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = archive(home, [b"x" * 2000, ROW])
    monkeypatch.setattr(row_archive, "MAX_LINE", 1000)
    found = look(kept, home, words="trimmed")
    assert len(found.traces) == 1
    assert found.unchecked == [f"{path.parent}: a line of more than 64 MiB"]


def test_one_session_that_was_named_has_only_its_own(home: Path) -> None:
    changed(home, home / "sessions/desktop_main.jsonl", None)
    changed(home, home / TORN, b"")
    found = look(kept, home / TORN)
    assert [source.detail["path"] for source in found.sources] == [str(home / TORN)]


def test_what_was_done_under_a_folder_above_or_below(home: Path) -> None:
    path = home / "sessions/desktop_main.jsonl"
    for root in (home.parent, home / "sessions", home.parent.parent / "elsewhere"):
        store = state.store(str(root))
        with undo.begin(store, "repair", agent="catbuddy") as operation:
            operation.rewrite(str(path), read_version(str(path)), path.read_bytes() + b"\n", root=str(home))
            operation.commit()
    assert [source.detail["path"] for source in look(kept, home).sources] == [str(path)] * 2


def test_somebody_elses_state_folder_is_told(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(base: str) -> None:
        raise RefusedForSafety("Not yours.")

    changed(home, home / TORN, b"")
    monkeypatch.setattr(state, "_refuse_foreign", refuse)  # what root makes is trusted by everybody
    assert look(kept, home) == ([], [], ["Not yours"])


def test_a_word_in_every_piece_and_in_every_packed_row_is_told_some_times(home: Path) -> None:
    path = home / "sessions" / "desktop_main.jsonl"
    store = sealing.store(discovering.find([str(home)])[0])
    with undo.begin(store, "repair", agent="catbuddy") as operation:
        operation.rewrite(str(path), read_version(str(path)), path.read_bytes() + b"\n", root=str(home))
        for number in range(50):
            operation.set_aside(str(path), number, b"again", "not-json")
        operation.commit()
    archive(home, [b'"again"'] * 50)
    layers = [trace.source.layer for trace in look(kept, home, words="again").traces]
    assert (layers.count("quarantine"), layers.count("archive")) == (20, 20)
