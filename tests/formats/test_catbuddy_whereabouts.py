"""Where else catbuddy's chats can be: what its registry names, what it lost, what the SQLite era left."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.nanobot_files import dumped

from memcli.formats import load
from memcli.formats.catbuddy import whereabouts
from memcli.formats.facets import Neighbour
from memcli.model import Workspace

HEADER = {
    "key": "desktop:main",
    "title": "",
    "preview": "",
    "created_at": "x",
    "updated_at": "x",
    "last_consolidated": 0,
}


def chat(folder: Path) -> None:
    """A sessions folder with one chat."""
    (folder / "sessions").mkdir(parents=True)
    (folder / "sessions" / "desktop_main.jsonl").write_bytes(dumped({**HEADER, "metadata": {}}))


def registry(home: Path, *folders: dict[str, str] | bytes) -> None:
    (home / ".catbuddy").mkdir(exist_ok=True)
    path = home / ".catbuddy" / "workspace-folders.json"
    if folders and isinstance(folders[0], bytes):
        path.write_bytes(folders[0])
    else:
        path.write_text(json.dumps({"folders": list(folders)}))


def at(folder: Path) -> Workspace:
    [workspace] = load("catbuddy").layout.recognise(str(folder))
    return workspace


def neighbours(*workspaces: Workspace) -> list[tuple[str, str]]:
    """(layer, root) of each neighbour that is not one of the workspaces."""
    found = [one for one in whereabouts.neighbours(workspaces) if isinstance(one, Neighbour)]
    roots = {workspace.root for workspace in workspaces}
    return [(one.layer, one.workspace.root) for one in found if one.workspace.root not in roots]


@pytest.fixture
def home(no_home: Path) -> Path:
    chat(no_home / ".catbuddy" / "workspace")
    chat(no_home / "code" / "shop" / ".catbuddy" / "workspace")
    registry(no_home, {"id": "shop", "name": "shop", "projectRoot": str(no_home / "code" / "shop")})
    return no_home


def test_other_workspaces_of_the_home(home: Path) -> None:
    shop = home / "code" / "shop" / ".catbuddy"
    main = home / ".catbuddy" / "workspace"
    assert neighbours(at(main)) == [("other-workspace", str(shop))]
    assert neighbours(at(shop)) == [("other-workspace", str(main))]


@pytest.mark.parametrize("place", ["code/lost", "lost", "code/shop/.catbuddy/../../lost", "work/lost"])
def test_projects_that_the_registry_does_not_name(home: Path, place: str) -> None:
    lost = (home / place).resolve() / ".catbuddy"
    chat(lost / "workspace")
    assert ("unregistered-project", str(lost)) in neighbours(at(home / ".catbuddy" / "workspace"))
    assert whereabouts.standing(at(lost)) == "unregistered-project"


@pytest.mark.parametrize("place", ["a/b/c/lost", ".hidden/lost"])
def test_the_home_folder_is_not_walked(home: Path, place: str) -> None:
    chat(home / place / ".catbuddy" / "workspace")
    assert len(neighbours(at(home / ".catbuddy" / "workspace"))) == 1


def test_a_link_is_not_followed(home: Path) -> None:
    chat(home / "a" / "b" / "lost" / ".catbuddy" / "workspace")
    (home / "link").symlink_to(home / "a" / "b")
    assert len(neighbours(at(home / ".catbuddy" / "workspace"))) == 1


def test_there_is_a_bound(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(whereabouts, "LOOKS", 1)
    told = [one for one in whereabouts.neighbours([at(home / ".catbuddy" / "workspace")]) if isinstance(one, str)]
    assert told == [f"more than 1 folders in and around {home}, for projects that no registry names"]


@pytest.mark.parametrize("content", [b"", b"{]", b"[]", b'{"folders": 7}'])
def test_a_registry_that_was_emptied(home: Path, content: bytes) -> None:
    registry(home, content)
    assert whereabouts.standing(at(home / "code" / "shop" / ".catbuddy")) == "unregistered-project"
    assert whereabouts.standing(at(home / ".catbuddy" / "workspace")) == ""


def test_data_folders(home: Path) -> None:
    for name in ("known", "lost"):
        chat(home / ".catbuddy" / "projects" / name)
    registry(home, {"id": "known", "name": "k"})
    standing = {
        Path(one.root).name: whereabouts.standing(one)
        for one in load("catbuddy").layout.recognise(str(home / ".catbuddy"))
    }
    assert standing == {"workspace": "", "known": "", "lost": "unregistered-project"}
    (home / ".catbuddy" / "workspace-folders.json").unlink()
    assert (
        neighbours(at(home / ".catbuddy" / "workspace"))
        == [
            ("unregistered-project", str(home / ".catbuddy" / "projects" / "known")),
            ("unregistered-project", str(home / ".catbuddy" / "projects" / "lost")),
            ("unregistered-project", str(home / "code" / "shop" / ".catbuddy")),
        ][:2]
    )


def test_a_project_of_another_machine_is_not_called_lost(no_home: Path, tmp_path: Path) -> None:
    chat(tmp_path / "shop" / ".catbuddy" / "workspace")
    shop = at(tmp_path / "shop")
    assert whereabouts.standing(shop) == ""
    assert neighbours(shop) == []


def test_a_copy_outside_any_home(samples: Path) -> None:
    copy = at(samples / "catbuddy" / "home-workspace")
    assert whereabouts.standing(copy) == ""
    assert list(whereabouts.neighbours([copy])) == []
    assert list(whereabouts.stores(copy)) == []


@pytest.mark.parametrize("name", ["sessions.db", "sessions.db.bak"])
def test_stores_of_the_sqlite_era(home: Path, name: str) -> None:
    folder = home / ".catbuddy" / "workspace" / "sessions"
    for each in (name, f"{name}-wal"):
        (folder / each).write_bytes(b"")
    main = at(home / ".catbuddy" / "workspace")
    assert [(one.layer, one.path, one.kind) for one in whereabouts.stores(main)] == [
        ("legacy-store", str(folder / name), "database")
    ]
    assert list(whereabouts.stores(main._replace(files=("x",)))) == []


@pytest.mark.parametrize(
    ("row", "key"),
    [({"session_key": "a:b"}, "a:b"), ({"key": "c", "sessionKey": 7}, "c"), ({"content": "x"}, "")],
)
def test_keys_in_a_database(row: dict[str, object], key: str) -> None:
    assert whereabouts.key_in(row) == key
