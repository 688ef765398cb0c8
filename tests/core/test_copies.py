"""Which copies are meant: keys, files of all kinds, and sessions that are to be made."""

from __future__ import annotations

import gzip
import shutil
import zipfile
from pathlib import Path

import pytest
from support.copies import chat, header, joined, row

from memcli.core import copies
from memcli.errors import AmbiguousSession, UnknownSession, UsageError

NAME = "desktop_main.jsonl"
ENCODED = "dGVsZWdyYW06NDI.jsonl"
CHAT = chat("catbuddy", [1, 2, 3])


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Two chats of catbuddy."""
    folder = tmp_path / "home" / ".catbuddy" / "workspace" / "sessions"
    folder.mkdir(parents=True)
    (folder / NAME).write_bytes(CHAT)
    (folder / "desktop_main2.jsonl").write_bytes(joined(*header("catbuddy", key="desktop:main2"), row("catbuddy", 1)))
    return folder.parent


KINDS = {
    "a backup": "old.jsonl",
    "a name without a suffix": "0.old",
    "a temporary file": NAME + ".tmp",
    "a conflict copy": "desktop_main (1).jsonl",
    "compressed": "old.jsonl.gz",
    "an archive": "old.zip",
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_copy_can_be(kind: str, home: Path, tmp_path: Path) -> None:
    path = tmp_path / KINDS[kind]
    if path.suffix == ".gz":
        path.write_bytes(gzip.compress(CHAT))
    elif path.suffix == ".zip":
        with zipfile.ZipFile(path, "w") as archive:
            for name in (NAME, "desktop_zz.jsonl"):
                data = CHAT if name == NAME else joined(*header("catbuddy", key="desktop:zz"), row("catbuddy", 9))
                archive.writestr(f"workspace/sessions/{name}", data)
    else:
        path.write_bytes(CHAT)
    pair = copies.two("desktop:main", str(path), [str(home)], None)
    assert (pair.a.key, pair.a.path) == ("desktop:main", str(home / "sessions" / NAME))
    assert pair.b.agent == "catbuddy"
    assert pair.b.shown.startswith(str(path))
    assert Path(pair.b.path).read_bytes() == CHAT
    other = copies.two(str(path), "desktop:main", [str(home)], None)
    assert other.b == pair.a
    assert other.a.shown == pair.b.shown or path.suffix == ".zip"


def test_rows_that_look_like_anybodys_are_taken_for_those_of_the_other(samples: Path, tmp_path: Path) -> None:
    root = tmp_path / "project"
    shutil.copytree(samples / "cococat" / "v2-layout", root)
    path = next(path for path in root.rglob("sessions/*.jsonl") if path.stat().st_size)
    plain = tmp_path / "undo" / "0.old"
    plain.parent.mkdir()
    plain.write_bytes(path.read_bytes())
    for arguments in ((str(path), str(plain)), (str(plain), str(path))):
        pair = copies.two(*arguments, None, None)
        assert pair.a.agent == pair.b.agent == "cococat"
    path.unlink()
    assert copies.target(str(path), str(plain), None, None).b.agent == "cococat"


def test_copies_of_two_agents(home: Path, tmp_path: Path) -> None:
    path = tmp_path / "n.jsonl"
    path.write_bytes(chat("nanobot", [1]))
    with pytest.raises(UsageError, match=r"is a chat of catbuddy and .* one of nanobot"):
        copies.two("desktop:main", str(path), [str(home)], None)


def test_beside_a_copy_a_key_means_the_file_that_the_agent_calls_so(home: Path) -> None:
    copy = home / "sessions" / "desktop_main (1).jsonl"
    copy.write_bytes(CHAT)
    pair = copies.target("desktop:main", str(copy), [str(home)], None)
    assert (pair.a.path, pair.b.path) == (str(home / "sessions" / NAME), str(copy))
    (home / "sessions" / NAME).rename(home / "sessions" / "desktop_main (2).jsonl")
    with pytest.raises(AmbiguousSession):
        copies.two("desktop:main", str(copy), [str(home)], None)


def test_what_is_no_copy(home: Path, tmp_path: Path) -> None:
    with pytest.raises(UnknownSession, match="is a folder"):
        copies.two("desktop:main", f"{home}/", [str(home)], None)
    with pytest.raises(UsageError, match="does not exist"):
        copies.two("desktop:main", str(tmp_path / "none.jsonl"), [str(home)], None)
    with pytest.raises(UnknownSession, match="No session answers"):
        copies.two("desktop:main", "nothing", [str(home)], None)


REFUSED = {
    # A (below the home), what is said
    "desktop:other": "No session answers to 'desktop:other'",
    "@latest-not": "No session answers",
    "sessions/other.jsonl": "keeps desktop:main in desktop_main.jsonl",
    "elsewhere/desktop_main.jsonl": "is no folder",
    "../desktop_main.jsonl": "none in which catbuddy keeps sessions",
}


def _empty(folder: Path) -> str:
    """An archive of a workspace without a session."""
    with zipfile.ZipFile(folder / "empty.zip", "w") as archive:
        archive.writestr("workspace/memory/history.jsonl", '{"cursor":1,"at":"2026-05-20T08:00:00Z","content":"x"}\n')
    return str(folder / "empty.zip")


class TestTarget:
    def copy(self, tmp_path: Path, data: bytes = CHAT) -> str:
        path = tmp_path / "undo" / "0.old"
        path.parent.mkdir()
        path.write_bytes(data)
        return str(path)

    def test_one_that_is_there(self, home: Path, tmp_path: Path) -> None:
        b = self.copy(tmp_path)
        for a in ("desktop:main", str(home / "sessions" / NAME)):
            pair = copies.target(a, b, [str(home)], None)
            assert (pair.a.path, pair.new) == (str(home / "sessions" / NAME), False)
        with pytest.raises(UnknownSession, match="no session in"):
            copies.target("desktop:main", _empty(tmp_path), [str(home)], None)

    def test_the_latest_of_none(self, home: Path, tmp_path: Path) -> None:
        b = self.copy(tmp_path)
        for path in (home / "sessions").iterdir():
            path.unlink()
        with pytest.raises(UsageError, match="no sessions yet"):
            copies.target("@latest", b, [str(home)], None)

    def test_a_part_of_a_key(self, home: Path, tmp_path: Path) -> None:
        b = self.copy(tmp_path)
        (home / "sessions" / "desktop_main2.jsonl").unlink()
        assert copies.target("main", b, [str(home)], None).a.key == "desktop:main"
        assert copies.target("@latest", b, [str(home)], None).a.key == "desktop:main"

    def test_a_key_that_is_gone_is_made_anew_and_not_taken_for_a_part_of_another(
        self, home: Path, tmp_path: Path
    ) -> None:
        b = self.copy(tmp_path)
        (home / "sessions" / NAME).unlink()
        pair = copies.target("desktop:main", b, [str(home)], None)
        assert (pair.a.key, pair.a.path, pair.new) == ("desktop:main", str(home / "sessions" / NAME), True)

    def test_a_key_without_any_session_left(self, home: Path, tmp_path: Path) -> None:
        b = self.copy(tmp_path)
        for path in (home / "sessions").iterdir():
            path.unlink()
        for named in (home, home / "sessions", home.parent):
            pair = copies.target("desktop:main", b, [str(named)], None)
            assert (pair.a.path, pair.new) == (str(home / "sessions" / NAME), True)
        bare = tmp_path / "bare"
        (bare / "sessions").mkdir(parents=True)
        pair = copies.target("desktop:main", b, [str(bare)], None)
        assert (pair.a.path, pair.a.workspace.root) == (str(bare / "sessions" / NAME), str(bare))
        pair = copies.target(str(bare / "sessions" / NAME), b, None, None)
        assert (pair.a.key, pair.new, pair.a.workspace.root) == ("desktop:main", True, str(bare))

    def test_a_chat_of_which_only_a_copy_is_left(self, home: Path) -> None:
        (home / "sessions" / NAME).rename(home / "sessions" / "desktop_main (1).jsonl")
        pair = copies.target("desktop:main", str(home / "sessions" / "desktop_main (1).jsonl"), [str(home)], None)
        assert (pair.a.path, pair.new) == (str(home / "sessions" / NAME), True)

    def test_a_chat_and_itself(self, home: Path) -> None:
        pair = copies.target("desktop:main", "desktop:main", [str(home)], None)
        assert (pair.a, pair.new) == (pair.b, False)

    def test_a_path_that_is_gone(self, home: Path, tmp_path: Path) -> None:
        b = self.copy(tmp_path)
        (home / "sessions" / NAME).unlink()
        pair = copies.target(str(home / "sessions" / NAME), b, None, None)
        assert (pair.a.key, pair.a.agent, pair.new) == ("desktop:main", "catbuddy", True)

    def test_a_copy_without_a_header_takes_the_name_it_is_given(self, home: Path, tmp_path: Path) -> None:
        b = self.copy(tmp_path, joined(row("catbuddy", 1)))
        pair = copies.target("desktop:new", b, [str(home)], None)
        assert (pair.a.key, Path(pair.a.path).name, pair.new) == ("desktop:new", "desktop_new.jsonl", True)

    def test_nanobot_gets_an_encoded_name(self, tmp_path: Path) -> None:
        folder = tmp_path / ".nanobot" / "workspace" / "sessions"
        folder.mkdir(parents=True)
        (folder / "dGVsZWdyYW06Nw.jsonl").write_bytes(joined(*header("nanobot", key="telegram:7"), row("nanobot", 1)))
        b = self.copy(tmp_path, chat("nanobot", [1, 2]))
        pair = copies.target("telegram:42", b, [str(folder.parent)], None)
        assert (Path(pair.a.path).name, pair.new) == (ENCODED, True)

    @pytest.mark.parametrize("a", REFUSED)
    def test_what_cannot_be_made(self, a: str, home: Path, tmp_path: Path) -> None:
        b = self.copy(tmp_path)
        with pytest.raises(UsageError, match=REFUSED[a]):
            copies.target(str(home / a) if "/" in a else a, b, [str(home)], None)

    def test_a_key_whose_file_is_that_of_another(self, home: Path, tmp_path: Path) -> None:
        b = self.copy(tmp_path)
        (home / "sessions" / NAME).write_bytes(joined(*header("catbuddy", key="desktop:x"), row("catbuddy", 1)))
        with pytest.raises(UsageError, match=r"its file .* is there"):
            copies.target("desktop:main", b, [str(home)], None)

    def test_two_workspaces_where_it_could_be_made(self, home: Path, tmp_path: Path) -> None:
        b = self.copy(tmp_path)
        (home / "sessions" / NAME).unlink()
        other = tmp_path / "second" / "sessions"
        other.mkdir(parents=True)
        (other / "desktop_z.jsonl").write_bytes(joined(*header("catbuddy", key="desktop:z"), row("catbuddy", 1)))
        with pytest.raises(UsageError, match="not certain: it could be"):
            copies.target("desktop:main", b, [str(home), str(other.parent)], None)
        (other / NAME).write_bytes(CHAT)
        (home / "sessions" / NAME).write_bytes(CHAT)
        with pytest.raises(AmbiguousSession):
            copies.target("desktop:main", b, [str(home), str(other.parent)], None)

    def test_no_workspace_of_that_agent(self, home: Path, tmp_path: Path) -> None:
        b = self.copy(tmp_path, chat("nanobot", [1]))
        with pytest.raises(UsageError, match="no workspace of nanobot"):
            copies.target("telegram:42", b, [str(home)], None)
        with pytest.raises(UsageError, match="none in which nanobot keeps sessions"):
            copies.target(str(home / "sessions" / ENCODED), b, None, None)

    def test_a_format_without_a_rule_for_names(self, tmp_path: Path) -> None:
        folder = tmp_path / "logs"
        folder.mkdir()
        (folder / "one.jsonl").write_bytes(chat("jsonl", [1]))
        b = self.copy(tmp_path, chat("jsonl", [1, 2]))
        with pytest.raises(UsageError, match="no rule of its format"):
            copies.target("two", b, [str(folder)], None)
        pair = copies.target(str(folder / "two.jsonl"), b, None, None)
        assert (pair.a.key, pair.new) == ("two", True)

    def test_no_workspace_at_all(self, tmp_path: Path) -> None:
        b = self.copy(tmp_path)
        empty = tmp_path / "empty"
        empty.mkdir()
        with pytest.raises(UsageError, match="No sessions or memory of a known agent"):
            copies.target("desktop:main", b, [str(empty)], None)
