"""Where else nanobot's chats can be: the other workspaces of its home, and what it keeps beside the sessions."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.nanobot_files import ENCODED, HEADER, ID, OTHER_ID, identify, memory, namespace, said, write

from memcli.formats import load
from memcli.formats.nanobot import whereabouts
from memcli.model import Workspace


@pytest.fixture
def home(tmp_path: Path) -> Path:
    home = tmp_path / ".nanobot"
    workspace = home / "workspace"
    memory(workspace, "history.jsonl")
    identify(workspace, ID)
    namespace(home, ID, workspace, ENCODED)
    return home


def at(folder: Path) -> Workspace:
    [workspace] = load("nanobot").layout.recognise(str(folder))
    return workspace


def roots(*workspaces: Workspace) -> list[tuple[str, str]]:
    found = [one for one in whereabouts.neighbours(workspaces) if not isinstance(one, str)]
    mine = {workspace.root for workspace in workspaces}
    return [(one.layer, one.workspace.root) for one in found if one.workspace.root not in mine]


def test_namespaces_of_another_workspace_and_of_none(home: Path, tmp_path: Path) -> None:
    other = identify(tmp_path / "other", OTHER_ID)
    memory(other)
    namespace(home, OTHER_ID, other, ENCODED)
    gone = namespace(home, "ab" * 16, tmp_path / "gone", ENCODED)
    assert set(roots(at(home / "workspace"))) == {("other-workspace", str(gone)), ("other-workspace", str(other))}
    standings = {one.root: whereabouts.standing(one) for one in load("nanobot").layout.recognise(str(home))}
    assert standings[str(gone)] == "other-workspace"
    assert standings[str(home / "workspace")] == ""


def test_the_global_folder_of_the_first_versions(tmp_path: Path) -> None:
    home = tmp_path / ".nanobot"
    write(home / "sessions" / "cli_direct.jsonl", HEADER, said("user", "hi"))
    custom = tmp_path / "custom"
    memory(custom, "HISTORY.md")
    [flat] = load("nanobot").layout.recognise(str(home))
    assert whereabouts.standing(flat) == ""
    assert roots(flat) == []
    assert [one.workspace.root for one in whereabouts.neighbours([flat]) if not isinstance(one, str)] == [str(home)]


def test_a_copied_namespace_is_no_other_workspace(tmp_path: Path) -> None:
    folder = namespace(tmp_path, ID, "", ENCODED)
    found = load("nanobot").layout.recognise(str(folder))
    assert [whereabouts.standing(one) for one in found] == [""]


@pytest.mark.parametrize(
    ("name", "layer", "kind", "key", "original"),
    [
        ("sessions/{id}/Y2xpOmRpcmVjdA.checkpoint.json", "checkpoint", "text", "cli:direct", ENCODED),
        (
            "sessions/{id}/.migration-conflicts/Y2xpOmRpcmVjdA.workspace.0123456789ab.0000.jsonl",
            "conflict-copy",
            "rows",
            "cli:direct",
            ENCODED,
        ),
        ("webui/websocket_42.jsonl", "webui-transcript", "rows", "websocket:42", ""),
        ("webui/websocket_42.json", "webui-transcript", "text", "websocket:42", ""),
        ("webui/websocket_42.segments/000001.jsonl", "webui-transcript", "rows", "websocket:42", ""),
        ("workspace/.nanobot/tool-results/telegram_42/call_1.txt", "tool-result", "text", "telegram:42", ""),
        ("webui/websocket_42.segments/manifest.json", "", "", "", ""),
        ("webui/notes.txt", "", "", "", ""),
    ],
)
def test_stores(home: Path, name: str, layer: str, kind: str, key: str, original: str) -> None:
    path = home / name.format(id=ID)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("{}")
    found = list(whereabouts.stores(at(home / "workspace")))
    place = str(home / "sessions" / ID / original) if original else ""
    assert found == ([(layer, str(path), kind, key, place)] if layer else [])
    assert list(whereabouts.stores(at(home / "workspace")._replace(files=("x",)))) == []


def test_the_home_beside_a_configuration_of_ones_own(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    write(tmp_path / "workspace" / "sessions" / "cli_direct.jsonl", HEADER, said("user", "hi"))
    (tmp_path / "webui").mkdir()
    (tmp_path / "webui" / "cli_direct.jsonl").write_text("{}\n")
    assert [one.layer for one in whereabouts.stores(at(tmp_path / "workspace"))] == ["webui-transcript"]
    assert whereabouts.key_in({"key": "x"}) == ""
