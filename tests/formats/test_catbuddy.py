"""catbuddy against the conformance suite and against its own layouts, names and loader."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest
from support.format_suite import FormatSuite, Sample

from memcli.formats import load
from memcli.formats.catbuddy import layout, records
from memcli.model import FAILS, Workspace

HEADER = {
    "key": "desktop:main",
    "title": "",
    "preview": "hi",
    "created_at": "2026-05-20T08:30:00.000Z",
    "updated_at": "2026-05-20T08:30:09.412Z",
    "last_consolidated": 0,
    "metadata": {},
}
ROW = {
    "id": 1,
    "sessionKey": "desktop:main",
    "role": "user",
    "content": "hi",
    "media": [],
    "timestamp": "2026-05-20T08:30:00.000Z",
}
JOURNAL = '{"cursor":1,"content":"[assistant] done","at":"2026-05-20T08:30:09.413Z"}\n'


def lines(*values: object, end: str = "\n") -> bytes:
    return "".join(value if isinstance(value, str) else compact(value) + end for value in values).encode()


def compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


class TestCatbuddy(FormatSuite):
    format_name = "catbuddy"
    reversible_names = False
    not_sessions = ("a.jsonl.tmp", "a.jsonl.bak", "sessions.db", "sessions.db.bak", "notes.txt")
    leftover_names = (
        "a.jsonl.tmp",
        "sessions.db.bak",
        "desktop_main (Ann's conflicted copy 2026-05-21).jsonl",
        "desktop_main.sync-conflict-20260521-101112-ABCDEFG.jsonl",
        "desktop_main 2.jsonl",
        "desktop_main - 副本.jsonl",
        "desktop_main-LAPTOP-7Q.jsonl",
    )
    foreign_samples = (
        *("cococat/v1-healthy", "cococat/v1-damaged", "cococat/v2-layout"),
        *(
            "nanobot-v0.1.5.post3",
            "nanobot-v0.2.2",
            "nanobot-v0.3.0",
            "nanobot-v0.3.5",
            "nanobot-v0.3.5-killed",
        ),
    )

    def sample(self, folder: Path) -> Sample:
        source = Path(__file__).parent.parent / "samples" / "catbuddy" / "home-workspace"
        home = folder / ".catbuddy"
        root = home / "workspace"
        shutil.copytree(source, root)
        (home / "workspace-folders.json").write_text('{"activeFolderId":"","folders":[]}')
        return Sample(
            root,
            (folder, home, root, root / "sessions", root / "memory"),
            root / "sessions" / "desktop_main.jsonl",
            "desktop:main",
            4,
            ("Use pnpm to add vitest", "exec\ncommand: pnpm add -D vitest", "Added vitest with pnpm."),
        )


class TestBareCatbuddy(TestCatbuddy):
    """A copied workspace, far from any place that tells whose it is."""

    def sample(self, folder: Path) -> Sample:
        built = super().sample(folder)
        root = folder / "from the user"
        built.root.rename(root)
        shutil.rmtree(folder / ".catbuddy")
        return built._replace(
            root=root,
            entries=(root, root / "sessions", root / "memory"),
            session=root / "sessions" / "desktop_main.jsonl",
        )


class TestProjectCatbuddy(TestCatbuddy):
    """The oldest project layout: everything in the project's own .catbuddy."""

    def sample(self, folder: Path) -> Sample:
        built = super().sample(folder)
        (folder / ".catbuddy" / "workspace-folders.json").unlink()
        return built


# ---------------------------------------------------------------------- layouts


def session(folder: Path, key: str = "desktop:main") -> str:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / (layout.name_of(key) or "")
    path.write_bytes(lines({**HEADER, "key": key}, {**ROW, "sessionKey": key}))
    return str(path)


def memory(folder: Path) -> str:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "history.jsonl").write_text(JOURNAL)
    return str(folder)


def shape(workspaces: list[Workspace], base: Path) -> list[tuple[str, str, list[str], list[str]]]:
    def short(path: str) -> str:
        return os.path.relpath(path, base)

    return [
        (
            one.era,
            short(one.root),
            [short(path) for path in one.sessions],
            [short(path) for path in one.memory],
        )
        for one in workspaces
    ]


def test_the_home_gives_the_global_workspace_and_every_project(tmp_path):
    home = tmp_path / "u" / ".catbuddy"
    session(home / "workspace" / "sessions")
    memory(home / "workspace" / "memory")
    session(tmp_path / "old" / ".catbuddy" / "workspace" / "sessions")
    memory(tmp_path / "old" / ".catbuddy" / "workspace" / "memory")
    memory(tmp_path / "shop" / ".catbuddy" / "memory")
    session(home / "projects" / "shop" / "sessions")
    session(home / "projects" / "stray" / "workspace" / "sessions")
    (home / "projects" / "empty").mkdir()
    folders = [
        {"id": "old", "name": "old", "projectRoot": str(tmp_path / "old")},
        {"id": "shop", "name": "shop", "catbuddyDir": str(tmp_path / "shop" / ".catbuddy"), "createdAt": 1},
        {"id": "gone", "name": "gone", "projectRoot": str(tmp_path / "gone")},
        {"id": "bare", "name": "bare"},
    ]
    (home / "workspace-folders.json").write_text(json.dumps({"activeFolderId": "shop", "folders": folders}, indent=2))

    assert shape(layout.recognise(str(home)), tmp_path) == [
        (
            "global",
            "u/.catbuddy/workspace",
            ["u/.catbuddy/workspace/sessions"],
            ["u/.catbuddy/workspace/memory"],
        ),
        (
            "project",
            "old/.catbuddy",
            ["old/.catbuddy/workspace/sessions"],
            ["old/.catbuddy/workspace/memory"],
        ),
        ("project", "shop/.catbuddy", ["u/.catbuddy/projects/shop/sessions"], ["shop/.catbuddy/memory"]),
        ("project", "u/.catbuddy/projects/stray", ["u/.catbuddy/projects/stray/workspace/sessions"], []),
    ]
    assert layout.recognise(str(tmp_path / "u")) == layout.recognise(str(home))
    [one] = layout.recognise(str(home / "projects" / "shop" / "sessions"))
    assert one.root == str(tmp_path / "shop" / ".catbuddy")
    assert len(layout.recognise(str(home / "projects"))) == 2


def test_a_project_finds_its_chats_in_the_users_home(tmp_path, no_home):
    anchor = tmp_path / "shop" / ".catbuddy"
    memory(anchor / "memory")
    path = session(no_home / ".catbuddy" / "projects" / "shop-1" / "sessions")
    entry = {"id": "shop-1", "name": "shop", "projectRoot": str(tmp_path / "shop")}
    (no_home / ".catbuddy" / "workspace-folders.json").write_text(json.dumps({"folders": [entry]}))
    for folder in (tmp_path / "shop", anchor, anchor / "memory"):
        [one] = layout.recognise(str(folder))
        assert list(layout.session_paths(one)) == [path]
        assert one.era == "project"


def test_a_home_that_was_copied_finds_its_data_folders_where_they_are_now(tmp_path):
    home = tmp_path / "backup"
    path = session(home / "projects" / "shop" / "sessions")
    entry = {"id": "shop", "name": "shop", "dataDir": "/nowhere/.catbuddy/projects/shop"}
    (home / "workspace-folders.json").write_text(json.dumps({"folders": [entry]}))
    [one] = layout.recognise(str(home))
    assert list(layout.session_paths(one)) == [path]
    assert one.root == str(home / "projects" / "shop")


@pytest.mark.parametrize("registry", [
    b"", b"{", b"[]", b"null", b'{"folders":{}}', b'{"folders":[null,7,"x",[]]}', b"\xff\xfe\x00", bytes(64),
    b'{"folders":[{"id":7,"projectRoot":9,"catbuddyDir":["x"],"dataDir":{}}]}',
    b'{"folders":[{"id":"..","projectRoot":"relative","catbuddyDir":"/a\\u0000b","dataDir":"\\ud800"}]}',
    b'{"folders":[{"id":"a/b","projectRoot":"/\\ud800"},{"id":""},{}]}',
])  # fmt: skip
def test_a_broken_registry_is_passed_over(tmp_path, registry):
    home = tmp_path / ".catbuddy"
    path = session(home / "workspace" / "sessions")
    (home / "workspace-folders.json").write_bytes(registry)
    [one] = layout.recognise(str(home))
    assert list(layout.session_paths(one)) == [path]


@pytest.mark.parametrize("kind", ["fifo", "folder", "unreadable", "loop", "huge"])
def test_an_odd_registry_is_passed_over(tmp_path, kind):
    home = tmp_path / ".catbuddy"
    session(home / "workspace" / "sessions")
    path = home / "workspace-folders.json"
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    elif kind == "loop":
        path.symlink_to(path)
    elif kind == "huge":
        path.write_bytes(b" " * (5 << 20) + b'{"folders":[]}')
    else:
        path.write_text("{}")
        path.chmod(0)
    assert [one.era for one in layout.recognise(str(home))] == ["global"]


def test_a_project_that_is_the_home_folder_is_not_listed_twice(tmp_path):
    home = tmp_path / ".catbuddy"
    session(home / "workspace" / "sessions")
    entry = {"id": "me", "name": "me", "projectRoot": str(tmp_path)}
    (home / "workspace-folders.json").write_text(json.dumps({"folders": [entry, entry]}))
    assert [one.era for one in layout.recognise(str(home))] == ["global"]


@pytest.mark.parametrize(("files", "ours"), [
    ({"desktop_a.jsonl": lines(HEADER, ROW)}, True),
    ({"desktop_a.jsonl": lines('{"key":"x","tit\n', ROW)}, True),
    ({"desktop_a.jsonl": lines(HEADER, {**ROW, "content": "x" * 9000})}, True),
    ({"desktop_a.jsonl": lines({**ROW, "content": "x" * 9000})}, True),
    ({"desktop_a.jsonl": b"", "b.jsonl": bytes(999), "c.jsonl": lines(HEADER, ROW)}, True),
    ({"history.jsonl": JOURNAL.encode()}, True),
    ({"history.jsonl": b'{"cursor":1,"timestamp":"2026-05-20 08:30","content":"x"}\n'}, False),
    ({"cli_direct.jsonl": lines({"_type": "metadata", "key": "a:b"}, {"role": "user", "content": 1})}, False),
    ({"a.jsonl": lines({"role": "user", "content": "x"})}, False),
    ({"a.jsonl": b""}, False),
])  # fmt: skip
def test_a_lone_folder_is_judged_by_content(tmp_path, files, ours):
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    assert bool(layout.recognise(str(tmp_path))) == ours


def test_a_workspace_whose_chats_are_all_unreadable_is_known_by_its_journal(tmp_path):
    (tmp_path / "sessions").mkdir()
    (tmp_path / "sessions" / "desktop_main.jsonl").write_bytes(bytes(4096))
    memory(tmp_path / "memory")
    for entry in ("", "sessions", "memory"):
        [one] = layout.recognise(str(tmp_path / entry))
        assert one.root == str(tmp_path)


def test_files_of_the_memory_facets(tmp_path):
    root = Workspace("catbuddy", "/w", (), ("/w/workspace/memory", "/w/memory"), "project")
    form = load("catbuddy")
    assert form.journal is not None
    assert form.memory is not None
    assert [file.label for file in form.journal.files(root)] == ["workspace/memory", "memory"]
    assert [file.label for file in form.journal.files(root._replace(memory=()))] == [""]
    layers = {file.path: file.layer for file in form.memory.files(root)}
    assert layers["/w/memory/MEMORY.md"] == "project"
    assert layers["/w/USER.md"] == "user"
    assert form.memory.files(root._replace(memory=(), era="global"))[0] == ("/w/memory/MEMORY.md", "global")


# ---------------------------------------------------------------------- names


@pytest.mark.parametrize(("key", "name"), [
    ("desktop:main", "desktop_main.jsonl"),
    ("desktop:a/b", "desktop_a_b.jsonl"),
    ("desktop:a:b", "desktop_a_b.jsonl"),
    ('<>:"/\\|?*', "_________.jsonl"),
    ("web:会议 1\n", "web_会议 1\n.jsonl"),
    ("a" * 201, "a" * 200 + ".jsonl"),
    ("a" * 198 + "😀b", "a" * 198 + "😀.jsonl"),
    ("a" * 199 + "😀b", "a" * 199 + "\ufffd.jsonl"),
    ("a\ud83d", "a\ufffd.jsonl"),
    ("", ".jsonl"),
])  # fmt: skip
def test_name_of(key, name):
    assert layout.name_of(key) == name


@pytest.mark.parametrize(("name", "key"), [
    ("desktop_main.jsonl", "desktop:main"),
    ("desktop_a_b.jsonl", "desktop:a_b"),
    ("desktop_.jsonl", "desktop:"),
    ("main.jsonl", "main"),
    ("_x.jsonl", "_x"),
    (".jsonl", ".jsonl"),
])  # fmt: skip
def test_key_of(name, key):
    assert layout.key_of(Workspace("catbuddy", "/w"), f"/w/sessions/{name}") == key


# ---------------------------------------------------------------------- records


def test_header_members():
    assert records.header(HEADER) == ("desktop:main", None, "hi", HEADER["created_at"], HEADER["updated_at"])
    assert records.header({"created_at": "x", "updated_at": "y"}) == (None, None, None, "x", "y")
    for value in (ROW, {"title": "x"}, {"_type": "provider_state", "key": "x"}, [], "key", None):
        assert records.header(value) is None


def test_a_whole_row():
    record = records.record({
        **ROW,
        "role": "assistant",
        "content": "",
        "reasoningContent": "think",
        "toolCalls": [{"id": "c1", "name": "edit", "arguments": {"p": "a", "e": [{"old": 'say "x"\n会'}]}}],
        "toolCallId": "c0",
        "name": "exec",
    })  # fmt: skip
    assert record.text == 'think\nedit\np: a\nold: say "x"\n会'
    assert (record.answers, record.name, record.id, record.calls[0].id) == ("c0", "exec", 1, "c1")


@pytest.mark.parametrize(("value", "expected"), [
    ({"cursor": 3, "content": "[user] x", "at": "t"}, ("journal", "[user] x", "t", 3)),
    ({"cursor": 3, "content": "x", "timestamp": "t"}, ("journal", "x", "t", 3)),
    ({"role": "user", "content": [{"type": "text", "text": "x"}], "id": None}, ("user", "x", None, None)),
    ({"role": 7, "content": None, "id": 1.5}, ("", "", None, "1.5")),
    ({"role": "tool", "content": {"a": 1}, "id": True}, ("tool", "a: 1", None, None)),
    ({"level": "info", "timestamp": "t"}, ("", "level: info\ntimestamp: t", "t", None)),
    ({"content": "x", "toolCalls": "y"}, ("", "x", None, None)),
])  # fmt: skip
def test_odd_rows(value, expected):
    assert records.record(value)[:4] == expected


def test_an_older_agents_members_are_read():
    call = {
        "id": "c1",
        "type": "function",
        "function": {"name": "exec", "arguments": '{"command":"说 \\"x\\""}'},
    }
    record = records.record({"role": "assistant", "content": None, "tool_calls": [call], "reasoning_content": "r"})
    assert record.text == 'r\nexec\ncommand: 说 "x"'


# ---------------------------------------------------------------------- the agent's-eye view

BAD = '{"id":2,"sessionKey":"desk\n'
EMPTY = "The file is empty: the chat is not listed, opens empty, and every new message fails."
MISNAMED = (
    "The file should be called desktop_other.jsonl: the agent looks there when it opens the chat, "
    "so it shows another file's rows or an empty chat."
)
NAMELESS = "The header has no key: the list shows a nameless chat, and every new message to it fails."
OPENS_EMPTY = "The chat is listed but opens empty; each new message to it fails and leaves the file alone."
NOT_LISTED = "The chat is not listed, opens empty, and every new message to it fails."


@pytest.mark.parametrize(("content", "seen", "total", "listed", "reason", "note"), [
    (lines(HEADER, ROW, ROW), 2, 2, True, "", None),
    (lines(HEADER, ROW, BAD, ROW), 0, 3, True, "row 2 does not parse", OPENS_EMPTY),
    (lines(HEADER, "\n", BAD, ROW, BAD), 0, 3, True,
     "row 1 does not parse (nor does 1 more line)", OPENS_EMPTY),
    (lines(HEADER, BAD, BAD, BAD), 0, 3, True, "row 1 does not parse (nor do 2 more lines)", OPENS_EMPTY),
    (lines(HEADER, ROW, compact(ROW)[:-3]), 0, 2, True, "row 2 does not parse", OPENS_EMPTY),
    (lines('{"key":"desktop:main","ti\n', ROW), 0, 2, False,
     "row 1, where the header belongs, does not parse", NOT_LISTED),
    (lines("null\n", ROW), 0, 2, False, "row 1, where the header belongs, holds null", NOT_LISTED),
    (lines(ROW, ROW), 1, 2, True, "row 1 stands where the header belongs and is taken for it", NAMELESS),
    (lines({**HEADER, "updated_at": None}, ROW), 1, 1, True, "",
     "The header has no updated_at: with a second session beside it the agent's whole list can fail."),
    (b"", 0, 0, False, "", EMPTY),
    (b"\n\n", 0, 0, False, "", EMPTY),
    (bytes(4096), 0, 1, False,
     "row 1, where the header belongs, holds NUL bytes and does not parse", NOT_LISTED),
    (lines(HEADER), 0, 0, False, "",
     "The file holds a header only: the chat is not listed until it gets a message."),
    (lines(HEADER, ROW, end="\r\n"), 1, 1, True, "", None),
    (lines(HEADER, ROW, "\r\n", ROW), 0, 2, True,
     "line 3 is blank but for a carriage return and does not parse", OPENS_EMPTY),
    (b"\r\n" + lines(HEADER, ROW), 0, 1, False,
     "line 1, where the header belongs, is blank but for a carriage return and does not parse", NOT_LISTED),
    (b"\xef\xbb\xbf" + lines(HEADER, ROW), 0, 1, False,
     "line 1, where the header belongs, begins with a byte order mark and does not parse", NOT_LISTED),
    (lines(HEADER, ROW) + bytes(64) + lines(ROW), 0, 2, True,
     "row 2 holds NUL bytes and does not parse", OPENS_EMPTY),
    (lines(HEADER) + b'{"role":"user","content":"\xff"}\n', 1, 1, True, "", None),
    (lines(HEADER, '{"role":"user","content":"\\ud83d"}\n'), 1, 1, True, "", None),
    (lines(HEADER, '{"role":"user","content":NaN}\n'), 0, 1, True, "row 1 does not parse", OPENS_EMPTY),
    (lines(HEADER, compact(ROW) + compact(ROW) + "\n"), 0, 1, True, "row 1 does not parse", OPENS_EMPTY),
    (lines(HEADER, '{"id":' + "9" * 5000 + "}\n"), 1, 1, True, "",
     "Row 1 cannot be checked here; whether the agent loads the file is unknown."),
    (lines({**HEADER, "key": "desktop:other"}, {**ROW, "sessionKey": "desktop:other"}), 1, 1, True, "",
     MISNAMED),
    (lines(HEADER, ROW, {**ROW, "sessionKey": "desktop/main"}), 2, 2, True, "",
     "1 row of another session (desktop/main) count as this one's."),
    (lines(HEADER, HEADER, ROW), 1, 1, True, "", "1 more header below the first will be read as messages."),
    (lines(HEADER, *[ROW] * 2000), 2000, 2000, True, "",
     "The agent keeps 2000 rows: its next message drops the oldest."),
])  # fmt: skip
def test_view(tmp_path, content, seen, total, listed, reason, note):
    view = TestCatbuddy().view(content, tmp_path / "desktop_main.jsonl")
    assert (view.seen, view.total, view.listed, view.reason) == (seen, total, listed, reason)
    assert (view.list_fault == FAILS) == any("whole list can fail" in one for one in view.notes if listed)
    assert (view.list_fault == "nameless") == any(one == NAMELESS for one in view.notes if view.list_fault != FAILS)
    assert note in view.notes if note else view.notes == ()


def test_a_header_too_long_to_be_read_is_not_called_wrong():
    from memcli.model import Decoded, Line
    from memcli.storage.decode import decode

    rows = [
        (Line(1, 0, 1 << 30, None, True), Decoded((), "oversize-line")),
        (Line(2, 9, 2, b"{}", True), decode(b"{}")),
    ]
    view = load("catbuddy").loader.view(rows, "desktop_main.jsonl", "")
    assert view.notes == ("Row 1 cannot be checked here; whether the agent loads the file is unknown.",)
