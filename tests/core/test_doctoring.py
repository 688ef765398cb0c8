"""From what the user types to a question: a session, a file, or words."""

from __future__ import annotations

import os
import shutil
import tarfile
from pathlib import Path

import pytest
from support.nanobot_files import dumped
from support.repository import commit

from memcli.core import causes, doctoring
from memcli.errors import NothingFound, UsageError

HEADER = {
    "title": "",
    "preview": "",
    "created_at": "x",
    "updated_at": "2026-05-20T08:30:00.000Z",
    "last_consolidated": 0,
}


def chat(root: Path, name: str, key: str, *texts: str, title: str = "") -> Path:
    """A catbuddy chat."""
    rows = [
        {"id": n, "sessionKey": key, "role": "user", "content": text, "timestamp": "2026-05-20T08:30:00.000Z"}
        for n, text in enumerate(texts, 1)
    ]
    path = root / "sessions" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(dumped({"key": key, **HEADER, "title": title, "metadata": {}}, *rows))
    return path


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "workspace"
    chat(root, "desktop_main.jsonl", "desktop:main", "use pnpm", "about desktop:other")
    chat(root, "desktop_other.jsonl", "desktop:other", "我住在杭州", title="Where I live")
    chat(root, "desktop_two words.jsonl", "desktop:two words", "hi")
    chat(root, "renamed.jsonl", "desktop:moved", "hi there")
    os.utime(root / "sessions" / "desktop_other.jsonl", (2e9, 2e9))
    return root


@pytest.mark.parametrize(
    ("argument", "key", "text"),
    [
        ("pnpm", "", "pnpm"),
        ("我住在", "", "我住在"),
        ("use pnpm", "", "use pnpm"),
        ("desktop:main", "desktop:main", ""),
        ("desktop:other", "desktop:other", ""),  # a key that there is, though the words stand in a chat
        ("desktop:two words", "desktop:two words", ""),
        ("desktop:moved", "desktop:moved", ""),
        ("desktop:mov", "desktop:moved", ""),  # a part of one key, and nowhere as words
        ("where i live", "desktop:other", ""),  # a title, in other letters
        ("Use  PNPM", "", "Use  PNPM"),  # words, in other letters and with other blanks
        ("PNPM", "", "PNPM"),
        ("desktop:", "", "desktop:"),  # words, for they stand in a chat
        ("desktop:gone", "desktop:gone", ""),
        ("gone", "gone", ""),
        ("telegram:群组", "telegram:群组", ""),
        ("words of nothing", "", "words of nothing"),
        ("desk", "", "desk"),
        ("esktop:t", "desktop:two words", ""),
        (".", ".", ""),
        ("/new", "/new", ""),
        ("a/b c", "", "a/b c"),
        ("sessions/desktop_main.jsonl", "desktop:main", ""),
        ("./sessions/desktop_main.jsonl", "desktop:main", ""),
        ("sessions/renamed.jsonl", "desktop:moved", ""),
        ("./sessions/desktop_gone.jsonl", "desktop:gone", ""),
        ("./nowhere/desktop_gone.jsonl", "./nowhere/desktop_gone.jsonl", ""),
    ],
)
def test_what_is_meant(root: Path, monkeypatch: pytest.MonkeyPatch, argument: str, key: str, text: str) -> None:
    monkeypatch.chdir(root)
    question = doctoring.ask(argument, [str(root)], None).question
    assert (question.key, question.text) == (key, text)
    assert (question.pattern is None) == bool(key)


@pytest.mark.parametrize("argument", ["Use  PNPM", "PNPM", " use pnpm\n", "use\tpnpm"])
def test_words_are_found_however_they_are_typed(root: Path, argument: str) -> None:
    answer = doctoring.ask(argument, [str(root)], None)
    assert [(verdict.cause, verdict.key) for verdict in answer.verdicts] == [("not-lost", "desktop:main")]
    assert answer.loose


def test_words_that_stand_as_they_were_typed_are_found_just_so(root: Path) -> None:
    chat(root, "desktop_caps.jsonl", "desktop:caps", "use PNPM")
    answer = doctoring.ask("PNPM", [str(root)], None)
    assert [verdict.key for verdict in answer.verdicts] == ["desktop:caps"]
    assert not answer.loose


def test_words_of_old_memory_are_found_however_they_are_typed(root: Path) -> None:
    commit(root, "memory/MEMORY.md", "# M\n- likes the Harbours of Österreich\n")
    commit(root, "memory/MEMORY.md", "# M\n", 1)
    for argument in ("harbours  OF", "österreich", "HARBOURS"):
        answer = doctoring.ask(argument, [str(root)], None)
        assert answer.loose
        assert [verdict.layer for verdict in answer.verdicts] == ["memory-history"]


@pytest.mark.parametrize(
    ("argument", "told"),
    [
        ("Nobody", "Nothing that was looked at has the words 'Nobody', nor a session of that name."),
        ("desktop:gone", "Nothing that was looked at has the words 'desktop:gone', nor a session of that name."),
        ("nobody said so", "Nothing that was looked at has the words 'nobody said so'."),
        ("./sessions/desktop_gone.jsonl", "Nothing that was looked at has rows of a session 'desktop:gone'."),
    ],
)
def test_what_is_nowhere_is_said_as_it_was_asked(
    root: Path, monkeypatch: pytest.MonkeyPatch, argument: str, told: str
) -> None:
    monkeypatch.chdir(root)
    [verdict] = doctoring.ask(argument, [str(root)], None).verdicts
    assert verdict.evidence[0] == told
    assert any("-W" in sentence for sentence in verdict.evidence)


def test_the_latest(root: Path) -> None:
    for path in root.glob("sessions/*"):
        if path.name != "desktop_two words.jsonl":
            path.write_bytes(path.read_bytes().replace(b"2026-05", b"2025-05"))
    assert doctoring.ask("@latest", [str(root)], None).question.key == "desktop:two words"


@pytest.mark.parametrize("argument", ["", " ", "\t\n"])
def test_nothing_is_not_a_question(root: Path, argument: str) -> None:
    with pytest.raises(UsageError, match="Tell some words"):
        doctoring.ask(argument, [str(root)], None)


def test_a_file_outside_any_workspace(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    saved = str(tmp_path / "saved.jsonl")
    shutil.copy(root / "sessions" / "desktop_main.jsonl", saved)
    monkeypatch.chdir("/")
    answer = doctoring.ask(saved, None, None)
    assert answer.question.key == "desktop:main"
    assert [(verdict.cause, verdict.key) for verdict in answer.verdicts] == [("not-lost", "desktop:main")]
    with pytest.raises(NothingFound):
        doctoring.ask("pnpm", None, None)


def test_a_file_of_a_workspace_is_asked_about_in_the_whole_of_it(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = root / "sessions" / "desktop_main.jsonl"
    shutil.copy(path, f"{path}.tmp")
    path.write_bytes(b"")
    monkeypatch.chdir("/")
    [verdict] = doctoring.ask(str(path), None, None).verdicts
    assert verdict.layer == "temp"
    assert verdict.recoverable == 2


def test_a_folder_is_no_chat(root: Path) -> None:
    with pytest.raises(UsageError, match="is a folder"):
        doctoring.ask(f"{root}/sessions", [str(root)], None)


def test_what_was_sent_in_an_archive(root: Path, tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "sent.tar.gz", "w:gz") as tar:
        tar.add(root, "sent")
        link = tarfile.TarInfo("sent/link")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        tar.addfile(link)
    answer = doctoring.ask("pnpm", [str(tmp_path / "sent.tar.gz")], None)
    assert [verdict.cause for verdict in answer.verdicts] == ["not-lost"]
    assert str(tmp_path / "sent.tar.gz") in answer.verdicts[0].command
    assert any("link was passed over" in sentence for sentence in answer.unchecked)
    assert not any(sentence.endswith(".") for sentence in answer.unchecked)


def test_words_in_many_chats_are_followed_into_some(root: Path) -> None:
    for number in range(30):
        chat(root, f"desktop_{number}.jsonl", f"desktop:{number}", *["often"] * (1 + number % 3))
    answer = doctoring.ask("often", [str(root)], None)
    assert (len(answer.verdicts), answer.more) == (20, 10)
    assert answer.verdicts[0].key in {f"desktop:{number}" for number in range(2, 30, 3)}
    every = doctoring.ask("often", [str(root)], None, most=None)
    assert (len(every.verdicts), every.more) == (30, 0)


def test_what_could_not_be_looked_at(root: Path) -> None:
    os.mkfifo(root / "sessions" / "desktop_pipe.jsonl")
    answer = doctoring.ask("pnpm", [str(root)], None)
    assert answer.unchecked == (f"{root}/sessions/desktop_pipe.jsonl: it is a FIFO",)


def test_words_that_no_cause_explains_are_shown_where_they_stand(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(causes, "causes", tuple)
    commit(root, "memory/MEMORY.md", f"# M\n- likes harbours {'x' * 100}\n")
    sha = commit(root, "memory/MEMORY.md", "# M\n", 1)
    [verdict] = doctoring.ask("harbours", [str(root)], None).verdicts
    assert (verdict.cause, verdict.layer, verdict.recoverable) == ("unknown", "memory-history", None)
    assert verdict.evidence[0].startswith(
        f"Layer memory-history: {root}/memory/MEMORY.md line 2, removed by commit {sha[:12]} of 2026-01-01T00:00:01+00:00: "
        "- likes harbours xxx"
    )
    assert verdict.evidence[0].endswith("...")


def test_nothing_anywhere(root: Path) -> None:
    [verdict] = doctoring.ask("nothing anywhere", [str(root)], None).verdicts
    assert (verdict.cause, verdict.layer, verdict.recoverable, verdict.lost) == ("unknown", "none", None, None)
    assert "'nothing anywhere'" in verdict.evidence[0]
