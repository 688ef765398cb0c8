"""Where nanobot's things are: the real samples, mixed and cut trees, eras and names."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from support.nanobot_files import (
    ENCODED,
    HEADER,
    ID,
    OTHER_ID,
    dumped,
    identify,
    memory,
    namespace,
    said,
    write,
)

from memcli import formats
from memcli.formats.facets import JournalFile
from memcli.formats.reading import sample_values
from memcli.model import Workspace

FORMAT = formats.load("nanobot")
LAYOUT = FORMAT.layout


def recognised(folder: Path) -> Workspace:
    """The one workspace that `folder` leads to."""
    found = LAYOUT.recognise(str(folder))
    assert len(found) == 1, found
    return found[0]


def names(workspace: Workspace) -> set[str]:
    return {os.path.basename(path) for path in LAYOUT.session_paths(workspace)}


# ------------------------------------------------------------------ the real samples

SAMPLES = [
    ("v0.1.5.post3", "E2", ["cli:direct", "telegram:a:b"]),
    ("v0.2.2", "E2", ["cli:direct", "telegram:a:b"]),
    ("v0.3.0", "E3", ["cli:direct", "telegram:a:b", "telegram:a_b"]),
    (
        "v0.3.5",
        "E4",
        [
            "cli:direct",
            "discord:7",
            "dream:20261130-022748",
            "dream:20261130-022749",
            "dream:20261130-022757",
            "slack:C1/T2",
            "telegram:42",
            "telegram:a:b",
            "telegram:a_b",
        ],
    ),
    ("v0.3.5-killed", "E4", ["cli:direct"]),
]


def keys_in_headers(workspace: Workspace) -> list[str]:
    headers = [FORMAT.records.header(sample_values(path)[0]) for path in LAYOUT.session_paths(workspace)]
    return sorted(header.key for header in headers)


@pytest.mark.parametrize(("version", "era", "keys"), SAMPLES)
@pytest.mark.parametrize("entry", [".", "workspace", "workspace/memory"])
def test_samples(nanobot, version, era, keys, entry):
    workspace = recognised(nanobot / f"nanobot-{version}" / ".nanobot" / entry)
    assert workspace.era == era
    assert workspace.root == str(nanobot / f"nanobot-{version}" / ".nanobot" / "workspace")
    assert keys_in_headers(workspace) == keys
    if era != "E2":
        assert sorted(LAYOUT.key_of(workspace, path) for path in LAYOUT.session_paths(workspace)) == keys


@pytest.mark.parametrize(("version", "era", "keys"), SAMPLES)
def test_samples_without_their_home(nanobot, tmp_path, version, era, keys):
    """Only the folder with the session files was sent."""
    workspace = recognised(nanobot / f"nanobot-{version}" / ".nanobot")
    shutil.copytree(workspace.sessions[0], tmp_path / "sent")
    alone = recognised(tmp_path / "sent")
    assert (alone.root, alone.memory, alone.era) == (str(tmp_path / "sent"), (), era)
    assert keys_in_headers(alone) == keys


def test_the_interrupted_sample_names_its_checkpoint(nanobot):
    workspace = recognised(nanobot / "nanobot-v0.3.5-killed" / ".nanobot")
    assert [os.path.basename(path) for path in LAYOUT.leftovers(workspace)] == ["Y2xpOmRpcmVjdA.checkpoint.json"]


def test_journal_and_memory_of_a_sample(nanobot):
    workspace = recognised(nanobot / "nanobot-v0.3.5" / ".nanobot")
    (journal,) = FORMAT.journal.files(workspace)
    kept = workspace.memory[0]
    assert journal == JournalFile(f"{kept}/history.jsonl", f"{kept}/.cursor", f"{kept}/.dream_cursor")
    files = [(os.path.relpath(file.path, workspace.root), file.layer) for file in FORMAT.memory.files(workspace)]
    assert files == [("memory/MEMORY.md", "global"), ("SOUL.md", "persona"), ("USER.md", "user")]
    assert all(os.path.isfile(file.path) for file in FORMAT.memory.files(workspace))


# ------------------------------------------------------------------ trees that are not as nanobot left them


@pytest.fixture
def home(tmp_path):
    folder = tmp_path / ".nanobot"
    folder.mkdir()
    return folder


def test_a_copied_tree_is_found_through_its_home(home):
    workspace = identify(home / "workspace", ID)
    space = namespace(home, ID, "/home/somebody/.nanobot/workspace", ENCODED)
    assert recognised(home) == recognised(workspace) == recognised(space)
    assert recognised(home)[:3] == ("nanobot", str(workspace), (str(space),))


def test_a_copied_tree_without_dot_folders(home):
    memory(home / "workspace", "history.jsonl")
    space = namespace(home, ID, "/home/somebody/.nanobot/workspace", ENCODED)
    found = recognised(home)
    assert (found.root, found.sessions, found.era) == (str(home / "workspace"), (str(space),), "E4")


def test_a_copy_of_a_living_home_keeps_to_itself(tmp_path):
    original, copy = tmp_path / "a" / ".nanobot", tmp_path / "b" / ".nanobot"
    memory(identify(original / "workspace", ID))
    namespace(original, ID, original / "workspace", ENCODED)
    shutil.copytree(original, copy)
    assert recognised(copy).sessions == (str(copy / "sessions" / ID),)
    shutil.rmtree(copy / "workspace")
    assert recognised(copy)[1:4] == (str(copy / "sessions" / ID), (str(copy / "sessions" / ID),), ())


@pytest.mark.parametrize("claim", ["/gone/away", "", "not absolute", "/\x00"])
def test_an_orphan_namespace_is_a_workspace_of_its_own(home, claim):
    memory(identify(home / "workspace", ID), "history.jsonl")
    namespace(home, ID, home / "workspace", ENCODED)
    orphan = namespace(home, OTHER_ID, claim, "dGVsZWdyYW06NDI.jsonl")
    found = LAYOUT.recognise(str(home))
    assert [(one.root, one.sessions, one.era) for one in found] == [
        (str(home / "workspace"), (str(home / "sessions" / ID),), "E4"),
        (str(orphan), (str(orphan),), "E4"),
    ]
    assert recognised(orphan) == found[1]


def test_a_workspace_elsewhere_has_its_namespace_in_the_users_home(no_home, tmp_path):
    workspace = identify(tmp_path / "project", ID)
    memory(workspace)
    space = namespace(no_home / ".nanobot", ID, workspace, ENCODED)
    for entry in (workspace, workspace / "memory", workspace / ".nanobot", no_home / ".nanobot", space):
        found = recognised(entry)
        assert (found.root, found.sessions, found.memory) == (
            str(workspace),
            (str(space),),
            (str(workspace / "memory"),),
        )


def test_a_symlinked_workspace_keeps_the_name_it_was_asked_by(no_home, tmp_path):
    workspace = identify(tmp_path / "project", ID)
    kept = memory(workspace)
    space = namespace(no_home / ".nanobot", ID, workspace, ENCODED)
    write(workspace / "sessions" / "cli_direct.jsonl", HEADER)
    (tmp_path / "link").symlink_to(workspace)
    found = recognised(tmp_path / "link")
    assert found.root == str(tmp_path / "link")
    assert found.sessions == (str(space), str(tmp_path / "link" / "sessions"))
    assert found.memory == (str(tmp_path / "link" / kept.name),)


def test_a_moved_workspace_takes_its_namespace_along(no_home, tmp_path):
    workspace = identify(tmp_path / "new place", ID)
    memory(workspace)
    space = namespace(no_home / ".nanobot", ID, tmp_path / "old place", ENCODED)
    assert recognised(workspace).sessions == (str(space),)


def test_a_copied_workspace_gets_no_sessions_of_the_original(no_home, tmp_path):
    workspace = identify(tmp_path / "project", ID)
    memory(workspace)
    namespace(no_home / ".nanobot", ID, workspace, ENCODED)
    shutil.copytree(workspace, tmp_path / "copy")
    found = recognised(tmp_path / "copy")
    assert (found.sessions, found.era) == ((), "E4")


def test_a_workspace_whose_id_was_cleaned_away_is_known_by_the_marker(no_home, tmp_path):
    workspace = tmp_path / "project"
    kept = memory(workspace, "history.jsonl")
    space = namespace(no_home / ".nanobot", ID, workspace, ENCODED)
    found = recognised(workspace)
    assert (found.sessions, found.memory, found.era) == ((str(space),), (str(kept),), "E4")


def test_two_namespaces_of_one_workspace_are_both_read(no_home, tmp_path):
    workspace = tmp_path / "project"
    memory(workspace, "history.jsonl")
    spaces = [namespace(no_home / ".nanobot", one, workspace, ENCODED) for one in (ID, OTHER_ID)]
    assert recognised(workspace).sessions == tuple(map(str, spaces))


def test_mixed_generations_are_all_listed(home):
    workspace = identify(home / "workspace", ID)
    namespace(home, ID, workspace, ENCODED, "telegram_a_b.jsonl")
    write(workspace / "sessions" / "discord_7.jsonl", HEADER)
    write(workspace / "sessions" / "c2xhY2s6QzEvVDI.jsonl", HEADER)
    write(home / "sessions" / "whatsapp_1.jsonl", HEADER)
    for entry in (home, workspace, home / "sessions", workspace / "sessions"):
        found = recognised(entry)
        assert found.era == "E4"
        assert names(found) == {
            ENCODED,
            "telegram_a_b.jsonl",
            "discord_7.jsonl",
            "c2xhY2s6QzEvVDI.jsonl",
            "whatsapp_1.jsonl",
        }
        assert {LAYOUT.key_of(found, path) for path in LAYOUT.session_paths(found)} == {
            "cli:direct",
            "telegram_a_b",
            "discord:7",
            "slack:C1/T2",
            "whatsapp:1",
        }


def test_what_the_move_left_behind(home):
    workspace = identify(home / "workspace", ID)
    space = namespace(home, ID, workspace, ENCODED)
    kept = memory(workspace, "history.jsonl", "HISTORY.md.bak", "HISTORY.md.bak.2", "MEMORY (conflicted copy).md")
    conflict = write(space / ".migration-conflicts" / "a.workspace.0123456789ab.0123abcd.jsonl", HEADER)
    found = recognised(home)
    left = {os.path.relpath(path, home) for path in LAYOUT.leftovers(found)}
    assert left == {
        os.path.relpath(path, home)
        for path in (
            conflict,
            kept / "HISTORY.md.bak",
            kept / "HISTORY.md.bak.2",
            kept / "MEMORY (conflicted copy).md",
        )
    }
    assert names(found) == {ENCODED}


def test_web_transcripts_are_no_sessions(home):
    workspace = identify(home / "workspace", ID)
    namespace(home, ID, workspace, ENCODED)
    write(home / "webui" / "websocket_1.jsonl", said("user", "hi"))
    assert names(recognised(home)) == {ENCODED}
    assert LAYOUT.recognise(str(home / "webui")) == []


def test_the_workspace_that_the_users_config_names(no_home, tmp_path):
    home = no_home / ".nanobot"
    memory(tmp_path / "project", "history.jsonl")
    memory(no_home / "bot", "history.jsonl")
    home.mkdir()
    for stored, root in ((str(tmp_path / "project"), tmp_path / "project"), ("~/bot", no_home / "bot")):
        (home / "config.json").write_text(f'{{"agents": {{"defaults": {{"workspace": "{stored}"}}}}}}')
        assert recognised(home).root == str(root)


@pytest.mark.parametrize("stored", ["~/.nanobot/workspace", "/", "relative", "\\ud83d", "a\\qb", "\\u0000/x"])
def test_the_config_of_a_copied_home_leads_nowhere_outside(no_home, tmp_path, stored):
    memory(no_home / ".nanobot" / "workspace", "history.jsonl")
    home = tmp_path / "copied" / ".nanobot"
    memory(home / "workspace")
    (home / "config.json").write_text(f'{{"agents": {{"defaults": {{"workspace": "{stored}"}}}}}}')
    assert recognised(home).root == str(home / "workspace")


def test_a_home_under_another_name(tmp_path):
    workspace = identify(tmp_path / "backup" / "workspace", ID)
    space = namespace(tmp_path / "backup", ID, "/home/x/.nanobot/workspace", ENCODED)
    assert recognised(tmp_path / "backup")[:3] == ("nanobot", str(workspace), (str(space),))


def test_a_marker_that_fails_while_read(home, monkeypatch):
    identify(home / "workspace", ID)
    space = namespace(home, ID, home / "workspace", ENCODED)

    def fail(*_: object) -> bytes:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "read", fail)
    assert recognised(space).sessions == (str(space),)


@pytest.mark.parametrize(
    ("files", "era"),
    [
        ({"sessions/cli_direct.jsonl": dumped(HEADER), ".nanobot/workspace-id": b"not an id\n"}, "E4"),
        ({"sessions/cli_direct.jsonl": dumped(HEADER), f"sessions/{ENCODED}": b""}, "E3"),
        ({"sessions/cli_direct.jsonl": dumped(HEADER)}, "E2"),
        ({"sessions/cli_direct.jsonl": dumped(HEADER), "memory/history.jsonl": b""}, "E2"),
        ({"sessions/cli_direct.jsonl": dumped(HEADER), "memory/HISTORY.md": b"x"}, "E1"),
        ({"memory/MEMORY.md": b"", "memory/HISTORY.md": b"[2026-05-01] x"}, "E1"),
        ({"SOUL.md": b"", ".gitignore": b"/*\n!memory/\n", "memory/2026-02-03.md": b"x"}, "E0"),
        ({"SOUL.md": b"", ".gitignore": b"/*\n!memory/\n", "memory/MEMORY.md": b"x"}, "E2"),
    ],
)
def test_eras(tmp_path, files, era):
    for name, content in files.items():
        (tmp_path / "ws" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "ws" / name).write_bytes(content)
    assert recognised(tmp_path / "ws").era == era


def test_the_global_folder_without_any_workspace(home):
    write(home / "sessions" / "cli_direct.jsonl", HEADER)
    assert recognised(home)[1:5] == (str(home), (str(home / "sessions"),), (), "E0")


@pytest.mark.parametrize(
    ("name", "content", "is_ours"),
    [
        ("cli_direct.jsonl", dumped(HEADER), True),
        ("cli_direct.jsonl", dumped(HEADER)[:60], False),
        (ENCODED, b"", True),
        (ENCODED, b"\xff\xfe", True),
        ("a.jsonl", dumped(said("user", "hi")), False),
        ("a.jsonl", dumped(said("user", "hi", latency_ms=3)), True),
        ("a.jsonl", dumped({"id": 1, "sessionKey": "x", "role": "user", "content": "hi"}), False),
        ("a.jsonl", b"\n" * 50 + dumped(HEADER), True),
    ],
)
def test_a_bare_sessions_folder_is_judged_by_content(tmp_path, name, content, is_ours):
    (tmp_path / "sessions").mkdir()
    (tmp_path / "sessions" / name).write_bytes(content)
    assert bool(LAYOUT.recognise(str(tmp_path / "sessions"))) == is_ours
    assert bool(LAYOUT.recognise(str(tmp_path))) == is_ours


def test_a_long_header_is_still_a_header(tmp_path):
    header = {**HEADER, "metadata": {"_last_summary": {"text": "很长" * 5000}}}
    write(tmp_path / "sessions" / "cli_direct.jsonl", header)
    assert recognised(tmp_path / "sessions").sessions == (str(tmp_path / "sessions"),)


@pytest.mark.parametrize(
    ("files", "is_ours"),
    [
        ({"history.jsonl": b'{"cursor":1,"timestamp":"2026-05-01 10:00","content":"x"}\n'}, True),
        ({"history.jsonl": b'{"cursor":1,"at":"2026-05-01T10:00:00.000Z","content":"x"}\n'}, False),
        ({"history.jsonl": b'{"cursor":"1","timestamp":"2026-05-01 10:00","content":"x"}\n'}, False),
        ({"MEMORY.md": b"x"}, False),
        ({"HISTORY.md": b"x", "MEMORY.md": b"x"}, True),
    ],
)
def test_a_bare_memory_folder_is_judged_by_content(tmp_path, files, is_ours):
    folder = tmp_path / "memory"
    folder.mkdir()
    for name, content in files.items():
        (folder / name).write_bytes(content)
    found = LAYOUT.recognise(str(folder))
    assert bool(found) == is_ours
    assert all(one.memory == (str(folder),) for one in found)


def test_memory_files_of_a_folder_alone(tmp_path):
    kept = memory(tmp_path / "gone", "history.jsonl", "2026-02-03.md", "notes-2026.md")
    shutil.move(kept, tmp_path / "sent")
    found = recognised(tmp_path / "sent")
    assert found.root == str(tmp_path / "sent")
    files = [(os.path.basename(file.path), file.layer) for file in FORMAT.memory.files(found)]
    assert files == [("MEMORY.md", "global"), ("2026-02-03.md", "daily")]


# ------------------------------------------------------------------ names


@pytest.mark.parametrize(
    ("key", "lossy", "encoded"),
    [
        ("cli:direct", "cli_direct.jsonl", "Y2xpOmRpcmVjdA.jsonl"),
        ("telegram:a_b", "telegram_a_b.jsonl", "dGVsZWdyYW06YV9i.jsonl"),
        ("telegram:a:b", "telegram_a_b.jsonl", "dGVsZWdyYW06YTpi.jsonl"),
        ("telegram/a:b", "telegram_a_b.jsonl", "dGVsZWdyYW0vYTpi.jsonl"),
        ('a<b>c"d|e?f*g\\h', "a_b_c_d_e_f_g_h.jsonl", "YTxiPmMiZHxlP2YqZ1xo.jsonl"),
        ("slack:C1/T2", "slack_C1_T2.jsonl", "c2xhY2s6QzEvVDI.jsonl"),
        ("微信:张三", "微信_张三.jsonl", "5b6u5L-hOuW8oOS4iQ.jsonl"),
        (" x ", "x.jsonl", "IHgg.jsonl"),
        ("a:\udce9", "a_\udce9.jsonl", "YTrts6k.jsonl"),
    ],
)
def test_names_of_keys(key, lossy, encoded):
    assert [LAYOUT.name_of(key, era) for era in ("E0", "E1", "E2", "E3", "E4", "")] == [lossy] * 3 + [encoded] * 3


@pytest.mark.parametrize(
    ("name", "era", "key"),
    [
        ("cli_direct.jsonl", "E2", "cli:direct"),
        ("cli_direct.jsonl", "E4", "cli:direct"),
        ("telegram_a_b.jsonl", "E2", "telegram_a_b"),
        ("_direct.jsonl", "E2", "_direct"),
        ("heartbeat.jsonl", "E2", "heartbeat"),
        ("aGVhcnRiZWF0.jsonl", "E4", "heartbeat"),
        ("aGVhcnRiZWF0.jsonl", "E2", "aGVhcnRiZWF0"),
        ("Y2xpOmRpcmVjdA.jsonl", "E2", "cli:direct"),
        ("Y2xpOmRpcmVjdA=.jsonl", "E4", "Y2xpOmRpcmVjdA="),
        ("Y2xpOmRpcmVjdB.jsonl", "E4", "Y2xpOmRpcmVjdB"),
        ("AAAA.jsonl", "E4", "AAAA"),
        ("5b6u5L-hOuW8oOS4iQ.jsonl", "E3", "微信:张三"),
        (".jsonl", "E4", ".jsonl"),
        ("caf\udce9.jsonl", "E4", "caf\udce9"),
        ("cli_direct.jsonl.tmp", "E2", "cli:direct.jsonl.tmp"),
    ],
)
def test_keys_of_names(name, era, key):
    assert LAYOUT.key_of(Workspace("nanobot", "/w", era=era), f"/w/{name}") == key


@pytest.mark.parametrize(
    ("claim", "expected"),
    [("own", ID), ("gone", ID), ("", ID), ("relative", ID), ("another", "")],
)
def test_a_workspace_has_the_id_that_its_namespace_grants(claim, expected, tmp_path):
    workspace = identify(tmp_path / "workspace", ID)
    (tmp_path / "other").mkdir()
    claims = {"own": workspace, "gone": tmp_path / "gone", "another": tmp_path / "other", "relative": "workspace"}
    folder = namespace(tmp_path, ID, claims.get(claim, ""))
    found = Workspace("nanobot", str(workspace), (str(tmp_path / "sessions" / OTHER_ID), str(folder)), era="E4")
    assert LAYOUT.own_id(found) == expected
    assert LAYOUT.own_id(found._replace(sessions=())) == ""
    (workspace / ".nanobot" / "workspace-id").write_text("no id\n")
    assert LAYOUT.own_id(found) == ""
