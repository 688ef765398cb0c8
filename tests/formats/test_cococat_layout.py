"""Where CocoCat's sessions, journals and memory files are found, and where nothing is."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from memcli.formats.cococat import journal, layout, memory, places
from memcli.model import Workspace

TASK = '{"prompt": "p", "response_summary": "r", "iterations": 1, "timestamp": "2026-05-06T10:00:00"}\n'
MESSAGE = '{"content": "hi", "from": "a", "recalled": false, "read_by": []}\n'
SAID = '{"role": "user", "content": "hi"}\n'


def make(root: Path, files: dict[str, str]) -> Path:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, "utf-8")
    return root


def only(folder: Path) -> Workspace:
    (found,) = layout.recognise(str(folder))
    return found


def keys(folder: Path) -> list[str]:
    workspace = only(folder)
    return [layout.key_of(workspace, path) for path in layout.session_paths(workspace)]


MIXED = {
    "agents/config.toml": "",
    "agents/leader/memory/history.jsonl": TASK,
    "agents/leader/memory/users/9cfc09aa76ff341a/history.jsonl": SAID,
    "agents/leader/memory/users/odd 名/history.jsonl": SAID,
    "agents/leader/memory/users/9cfc09aa76ff341a/PROFILE.md": "- x\n",
    "agents/main/memory/memory.md": "fact\n",
    "agents/main/pinned.md": "fact\n",
    "agents/main/session.jsonl": SAID,
    "agents/main/sessions/default.jsonl": SAID,
    "agents/main/sessions/memory/memory.md": "lost\n",
    "agents/memory/MEMORY.md": "- a fact under an empty agent id\n",
    "agents/memory/history.jsonl": TASK,
    "agents/subtask/memory/.dream_cursor": "0",
    "agents/mailbox/leader/inbox.jsonl": "{}\n",
    "agents/dispatch_queue/memory/MEMORY.md": "no agent\n",
    "chat/team/messages.jsonl": MESSAGE,
    "chat/empty/other.txt": "",
    "scenes/home/sessions/local/abc.jsonl": SAID,
    "scenes/home/memory/local/memory.md": "fact\n",
    "scenes/home/users/user_abc/history.jsonl": SAID,
    "scenes/home/users/nobody/notes.txt": "",
}
MIXED_KEYS = {
    "leader", "leader/9cfc09aa76ff341a", "leader/odd 名", "main/session", "main/default", "agents",
    "group:team", "home/local/abc", "home/user_abc",
}  # fmt: skip


def test_a_project_with_every_generation(tmp_path):
    root = make(tmp_path, MIXED)
    workspace = only(root)
    assert (workspace.root, workspace.shown, workspace.era) == (str(root), str(root), "V2b")
    found = keys(root)
    assert set(found) == MIXED_KEYS
    assert len(found) == len(MIXED_KEYS)


@pytest.mark.parametrize(
    ("entry", "root", "expected"),
    [
        ("agents", ".", MIXED_KEYS),
        ("agents/leader", "agents/leader", {"leader", "leader/9cfc09aa76ff341a", "leader/odd 名"}),
        (
            "agents/leader/memory/users/odd 名",
            "agents/leader",
            {"leader", "leader/9cfc09aa76ff341a", "leader/odd 名"},
        ),
        ("agents/main", "agents/main", {"main/session", "main/default"}),
        ("agents/main/sessions", "agents/main", {"main/session", "main/default"}),
        ("agents/memory", "agents/memory", {"agents"}),
        ("agents/subtask", "agents/subtask", set()),
        ("chat/team", ".", MIXED_KEYS),
        ("scenes/home/sessions/local", ".", MIXED_KEYS),
        ("scenes/home/users", ".", MIXED_KEYS),
    ],
)
def test_entries_of_a_project(tmp_path, entry, root, expected):
    make(tmp_path, MIXED)
    assert only(tmp_path / entry).root == os.path.normpath(tmp_path / root)
    assert set(keys(tmp_path / entry)) == expected


@pytest.mark.parametrize(
    ("files", "era"),
    [
        ({"agents/a/memory/MEMORY.md": ""}, "V1"),
        ({"agents/a/memory/.dream_cursor": ""}, "V1"),
        ({"agents/a/memory/history.jsonl": "damaged from end to end"}, "V1"),
        ({"agents/memory/MEMORY.md": ""}, "V1"),
        ({"agents/a/memory/users/u1/PROFILE.md": ""}, "V1"),
        ({"chat/g/messages.jsonl": MESSAGE}, "V1"),
        ({"chat/g/messages.jsonl": "torn {", "chat/groups.json": "[]"}, "V1"),
        (
            {"agents/config.toml": "", "chat/g/messages.jsonl": MESSAGE, "agents/a/memory/history.jsonl": ""},
            "V1",
        ),
        ({"agents/a/memory/memory.md": ""}, "V2a"),
        ({"agents/a/pinned.md": ""}, "V2a"),
        ({"agents/a/session.jsonl": ""}, "V2a"),
        ({"agents/a/sessions/0.jsonl": "torn {", "agents/a/sessions/1.jsonl": SAID}, "V2a"),
        ({"agents/a/memory/MEMORY.md": "", "agents/b/pinned.md": ""}, "V2a"),
        ({"scenes/default/memory/local/memory.md": ""}, "V2b"),
        ({"scenes/default/sessions/local/default.jsonl": SAID}, "V2b"),
        ({"scenes/default/users/user_abc/history.jsonl": SAID}, "V1"),
        ({"leader/memory/history.jsonl": TASK, "config.toml": ""}, "V1"),
        ({"memory/history.jsonl": TASK}, "V1"),
        ({"history.jsonl": TASK}, "V1"),
        ({"memory/memory.md": "", "pinned.md": ""}, "V2a"),
        ({"memory/memory.md": "", "sessions/default.jsonl": SAID}, "V2a"),
        ({"MEMORY.md": "", "users/9cfc09aa76ff341a/PROFILE.md": ""}, "V1"),
    ],
)
def test_eras(tmp_path, files, era):
    workspace = only(make(tmp_path, files))
    assert (workspace.root, workspace.era) == (str(tmp_path), era)


OTHERS = {
    "nanobot": '{"cursor": 1, "timestamp": "2026-05-06 10:00", "content": "[RAW]"}\n',
    "header": '{"_type": "metadata", "key": "cli:direct"}\n',
    "openclaw": '{"type": "session", "id": "x"}\n',
}


@pytest.mark.parametrize(
    "files",
    [
        {"memory/MEMORY.md": "", "memory/history.jsonl": ""},
        {"memory/memory.md": "somebody's notes"},
        {"sessions/default.jsonl": SAID},
        {"agents/main/sessions/x.jsonl": OTHERS["openclaw"]},
        {"agents/main/sessions/x.jsonl": OTHERS["header"]},
        {"agents/main/sessions/x.jsonl": "torn {"},
        {"agents/a/memory/history.jsonl": OTHERS["nanobot"], "agents/a/memory/MEMORY.md": ""},
        {"agents/a/memory/history.jsonl": "", "agents/a/memory/.cursor": "7"},
        {"agents/a/memory/notes.txt": "", "agents/reviewer.md": "# an agent of another tool"},
        {"chat/g/messages.jsonl": '{"content": "x", "from": "y"}\n'},
        {"scenes/one/sessions/local/a.jsonl": OTHERS["header"]},
        {"config.toml": ""},
    ],
)
def test_what_others_keep_in_such_places(tmp_path, files):
    make(tmp_path, files)
    for folder in (tmp_path, *(path for path in tmp_path.rglob("*") if path.is_dir())):
        assert layout.recognise(str(folder)) == []


def test_damaged_files_keep_their_workspace(samples, tmp_path):
    root = tmp_path / "p"
    shutil.copytree(samples / "cococat" / "v1-damaged", root)
    assert keys(root) == ["employee_a", "employee_a/9cfc09aa76ff341a"]
    found = [os.path.basename(path) for path in layout.leftovers(only(root))]
    assert sorted(found) == [".atomic_ab12cd.tmp", "MEMORY.md.lock"]


def test_leftovers(tmp_path):
    lying = {
        "cococat.db", "cococat.db-wal", "agents/leader/memory/.atomic_x.tmp",
        "agents/leader/memory/history.jsonl.bak",
        "agents/leader/memory/MEMORY (conflicted copy 2026-05-06).md", "agents/leader/memory/history 2.jsonl",
        "agents/leader/memory/users/odd 名/PROFILE.md.lock", "agents/main/session.jsonl.tmp",
        "agents/main/sessions/default.jsonl.tmp", "agents/main/sessions/._default.jsonl",
        "agents/main/sessions/default 2.jsonl", "chat/team/messages.jsonl.bak",
        "scenes/home/sessions/local/x.lock",
        "scenes/home/memory/local/memory.md.lock",
    }  # fmt: skip
    root = make(tmp_path, MIXED | dict.fromkeys(lying, ""))
    workspace = only(root)
    found = {os.path.relpath(path, root) for path in layout.leftovers(workspace)}
    assert found == lying
    listed = {os.path.relpath(path, root) for path in layout.session_paths(workspace)}
    assert listed & lying == {"agents/main/sessions/default 2.jsonl"}
    assert list(layout.leftovers(workspace._replace(files=(str(root / "x.jsonl"),)))) == []


def test_a_memory_folder_that_may_not_be_listed_shows_its_journal(tmp_path, monkeypatch):
    root = make(tmp_path, {"agents/a/memory/history.jsonl": TASK})
    sealed = str(root / "agents" / "a" / "memory")

    def refuse(call):
        def listing(path="."):
            if path == sealed:
                raise PermissionError(13, "Permission denied", path)
            return call(path)

        return listing

    monkeypatch.setattr(places.os, "listdir", refuse(os.listdir))
    monkeypatch.setattr(places.os, "scandir", refuse(os.scandir))
    assert keys(root) == ["a"]


def test_a_workspace_that_vanished_has_nothing(tmp_path):
    gone = Workspace("cococat", str(tmp_path / "gone"), shown=str(tmp_path / "gone"))
    assert list(layout.session_paths(gone)) == list(layout.leftovers(gone)) == []
    assert journal.files(gone) == memory.files(gone) == []


@pytest.mark.parametrize(
    ("path", "key"),
    [
        ("/p/agents/leader/memory/history.jsonl", "leader"),
        ("/p/agents/leader/memory/users/h/history.jsonl", "leader/h"),
        ("/memory/history.jsonl", "history"),
        ("/p/chat/g/messages.jsonl", "group:g"),
        ("/p/messages.jsonl", "messages"),
        ("/p/agents/main/session.jsonl", "main/session"),
        ("/p/agents/main/sessions/id.jsonl", "main/id"),
        ("/p/scenes/s/sessions/u/id.jsonl", "s/u/id"),
        ("/p/scenes/s/users/u/history.jsonl", "s/u"),
        ("/p/anything.jsonl", "anything"),
        ("/p/.jsonl", ".jsonl"),
    ],
)
def test_keys(path, key):
    assert layout.key_of(Workspace("cococat", "/elsewhere"), path) == key


@pytest.mark.parametrize(
    ("shown", "path", "files", "key"),
    [
        ("/home/u/leader.zip", "/tmp/x/history.jsonl", False, "leader"),
        ("/home/u/leader.tar.gz", "/tmp/x/memory/users/h/history.jsonl", False, "leader/h"),
        ("/home/u/leader.jsonl.gz", "/tmp/x/history.jsonl", True, "leader"),
        ("/tmp/x/history.jsonl", "/tmp/x/history.jsonl", True, "x"),
        ("-", "/tmp/x/history.jsonl", True, "-"),
        (".zip", "/tmp/x/history.jsonl", False, ".zip"),
        ("/tmp/x", "/tmp/x/history.jsonl", False, "x"),
        ("/home/u/p.zip", "/tmp/x/agents/leader/memory/history.jsonl", False, "leader"),
    ],
)
def test_keys_of_what_was_unpacked(shown, path, files, key):
    workspace = Workspace("cococat", "/tmp/x", shown=shown, files=(path,) if files else ())
    assert layout.key_of(workspace, path) == key


def test_journals_have_the_integer_cursor_beside_them(tmp_path):
    root = make(tmp_path, MIXED)
    found = {one.label: one for one in journal.files(only(root))}
    users = {"leader/9cfc09aa76ff341a", "leader/odd 名"}
    assert set(found) == {"leader", "agents", "subtask"} | users
    for one in found.values():
        assert one.allocated is None
        assert one.processed == os.path.join(os.path.dirname(one.path), ".dream_cursor")
    assert found["leader"].path == str(root / "agents/leader/memory/history.jsonl")


def test_the_journal_of_a_named_file(tmp_path):
    path = str(tmp_path / "leader" / "memory" / "history.jsonl")
    workspace = Workspace("cococat", str(tmp_path), files=(path, str(tmp_path / "x.jsonl")))
    assert [(one.path, one.label) for one in journal.files(workspace)] == [(path, "leader")]
    assert memory.files(workspace) == []


def test_memory_files(tmp_path):
    root = make(tmp_path, MIXED)
    found = [(os.path.relpath(one.path, root), one.layer) for one in memory.files(only(root))]
    assert found == [
        ("agents/leader/memory/MEMORY.md", "global"),
        ("agents/leader/memory/users/9cfc09aa76ff341a/PROFILE.md", "user:9cfc09aa76ff341a"),
        ("agents/leader/memory/users/odd 名/PROFILE.md", "user:odd 名"),
        ("agents/main/memory/memory.md", "global"),
        ("agents/main/pinned.md", "global"),
        ("agents/main/sessions/memory/memory.md", "global"),
        ("agents/memory/MEMORY.md", "global"),
        ("agents/subtask/memory/MEMORY.md", "global"),
        ("scenes/home/memory/local/memory.md", "user:local"),
    ]
