"""The layer of other workspaces, lost projects and other stores of this machine."""

from __future__ import annotations

import json
import shutil
import sqlite3
import tarfile
from contextlib import closing
from pathlib import Path

import pytest
from support.looking import look
from support.nanobot_files import ENCODED, HEADER, ID, OTHER_ID, identify, memory, namespace, said, write

from memcli.core.sources import elsewhere, sessions

NAME = "desktop_main.jsonl"


def copied(samples: Path, folder: Path) -> Path:
    """A catbuddy workspace at `folder`, with one chat about vitest."""
    (folder / "sessions").mkdir(parents=True)
    shutil.copy(samples / "catbuddy/home-workspace/sessions" / NAME, folder / "sessions" / NAME)
    return folder


def places(root: Path, words: str = "", key: str = "") -> list[tuple[object, ...]]:
    """(layer, key, path below `root`) of the places where the words stand."""
    found = look(elsewhere, root, words=words, key=key)
    return [(trace.source.layer, trace.source.key, trace.source.path) for trace in found.traces]


def test_nothing_is_elsewhere_on_an_empty_machine(tmp_path: Path, samples: Path) -> None:
    assert look(elsewhere, copied(samples, tmp_path / "w"), words="vitest") == ([], [], [])


@pytest.mark.parametrize(
    ("place", "layer"),
    [
        (".catbuddy/workspace", "other-workspace"),
        (".catbuddy/projects/shop", "unregistered-project"),
        ("code/shop/.catbuddy/workspace", "unregistered-project"),
    ],
)
def test_a_chat_in_the_users_home(no_home: Path, tmp_path: Path, samples: Path, place: str, layer: str) -> None:
    copied(samples, no_home / ".catbuddy" / "workspace")
    (no_home / ".catbuddy" / "workspace-folders.json").write_text(json.dumps({"folders": []}))
    if place != ".catbuddy/workspace":
        (no_home / ".catbuddy" / "workspace" / "sessions" / NAME).unlink()
        copied(samples, no_home / place)
    write(tmp_path / "w" / "sessions" / "cli_direct.jsonl", HEADER, said("user", "hi"))  # of another agent
    assert places(tmp_path / "w", "add vitest")[0] == (layer, "desktop:main", str(no_home / place / "sessions" / NAME))


def test_a_lost_project_that_was_named_itself(no_home: Path, samples: Path) -> None:
    (no_home / ".catbuddy").mkdir()
    (no_home / ".catbuddy" / "workspace-folders.json").write_text("{}")
    root = copied(samples, no_home / "code" / "shop" / ".catbuddy" / "workspace")
    found = look(sessions, root.parent, words="add vitest")
    assert {trace.source.layer for trace in found.traces} == {"unregistered-project"}
    assert places(root.parent, "add vitest") == []


def test_copies_in_other_workspaces_are_not_their_chats(no_home: Path, tmp_path: Path, samples: Path) -> None:
    main = copied(samples, no_home / ".catbuddy" / "workspace")
    shutil.copy(main / "sessions" / NAME, main / "sessions" / "desktop_main (1).jsonl")
    write(tmp_path / "w" / "sessions" / "cli_direct.jsonl", HEADER, said("user", "hi"))
    assert {Path(str(path)).name for _, _, path in places(tmp_path / "w", "vitest")} == {NAME}


def test_the_same_files_by_another_way_are_looked_at_once(no_home: Path, tmp_path: Path, samples: Path) -> None:
    main = copied(samples, no_home / ".catbuddy" / "workspace")
    (tmp_path / "link").symlink_to(main)
    assert places(tmp_path / "link", "vitest") == []
    assert places(main / "sessions" / NAME, "vitest") == []


def test_a_single_file(tmp_path: Path, no_home: Path, samples: Path) -> None:
    main = copied(samples, no_home / ".catbuddy" / "workspace")
    other = main / "sessions" / "desktop_other.jsonl"
    other.write_bytes((main / "sessions" / NAME).read_bytes())
    assert places(other, "vitest") == []
    outside = shutil.copy(other, tmp_path / "saved.jsonl")
    assert {path for _, _, path in places(Path(outside), "vitest")} == {str(main / "sessions" / NAME), str(other)}


def test_what_a_user_sent_is_looked_at_alone(no_home: Path, tmp_path: Path, samples: Path) -> None:
    main = copied(samples, no_home / ".catbuddy" / "workspace")
    with tarfile.open(tmp_path / "sent.tar.gz", "w:gz") as tar:
        tar.add(main, "sent")
    assert look(elsewhere, tmp_path / "sent.tar.gz", words="vitest") == ([], [], [])


def test_namespaces_transcripts_and_turns_in_flight(tmp_path: Path) -> None:
    home = tmp_path / ".nanobot"
    workspace = identify(home / "workspace", ID)
    memory(workspace, "history.jsonl")
    namespace(home, ID, workspace, ENCODED)
    other = namespace(home, OTHER_ID, tmp_path / "gone", ENCODED)
    write(home / "webui" / "telegram_7.jsonl", {"event": "message", "text": "hi there"})
    (home / "sessions" / ID / "Y2xpOmRpcmVjdA.checkpoint.json").write_text('{"content": "\\u6211 hi"}')
    assert sorted(places(workspace, "hi")) == [
        ("checkpoint", "cli:direct", str(home / "sessions" / ID / "Y2xpOmRpcmVjdA.checkpoint.json")),
        ("other-workspace", "cli:direct", str(other / ENCODED)),
        ("webui-transcript", "telegram:7", str(home / "webui" / "telegram_7.jsonl")),
    ]
    assert sorted(places(workspace, "我 hi"))[0][0] == "checkpoint"
    assert look(elsewhere, workspace, key="cli:direct").traces == []


@pytest.fixture
def cococat(tmp_path: Path, samples: Path) -> Path:
    root = tmp_path / "CocoCat"
    shutil.copytree(samples / "cococat" / "v1-healthy", root)
    with closing(sqlite3.connect(root / "cococat.db")) as connection:
        connection.execute("CREATE TABLE messages (id, agent_id, role, content, metadata, created_at)")
        connection.executemany(
            "INSERT INTO messages VALUES (?, ?, 'user', ?, ?, '2026-05-02 10:00:00')",
            [(1, "leader", "the whole 部署 story", "{}"), (2, None, "again", '{"note": "\\u90e8\\u7f72 deep"}')],
        )
        connection.executemany(
            "INSERT INTO messages VALUES (?, 'x', 'user', 'often', '', '')", [(n,) for n in range(50)]
        )
        connection.commit()
    return root


@pytest.mark.parametrize(
    ("words", "key", "row", "text"),
    [
        ("whole 部署", "leader", 1, "the whole 部署 story"),
        ("部署 deep", "", 2, '{"note": "\\u90e8\\u7f72 deep"}'),
    ],
)
def test_databases(cococat: Path, words: str, key: str, row: int, text: str) -> None:
    found = look(elsewhere, cococat, words=words)
    [trace] = found.traces
    assert (trace.source.layer, trace.source.key, trace.row) == ("database", key, row)
    assert text in trace.text
    assert trace.source.detail["table"] == "messages"
    assert trace.record is not None
    [source] = [source for source in found.sources if source.kind == "database"]
    assert source.detail == {"rows": {"messages": 52}}


def test_a_word_in_every_row_of_a_database_is_told_some_times(cococat: Path) -> None:
    assert len(look(elsewhere, cococat, words="often").traces) == 20


def test_a_damaged_database_is_named_and_told(cococat: Path) -> None:
    (cococat / "cococat.db").write_bytes(b"gone")
    found = look(elsewhere, cococat, words="words")
    assert [source.detail for source in found.sources] == [{"rows": None}]
    assert found.unchecked == [f"{cococat}/cococat.db: it is no SQLite database"]


def test_what_was_not_looked_at_for_bounds_is_told(
    no_home: Path, samples: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from memcli.formats.catbuddy import whereabouts

    main = copied(samples, no_home / ".catbuddy" / "workspace")
    (no_home / "code").mkdir()
    monkeypatch.setattr(whereabouts, "LOOKS", 0)
    assert look(elsewhere, main).unchecked == [
        f"more than 0 folders in and around {no_home}, for projects that no registry names"
    ]
