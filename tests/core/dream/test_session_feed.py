"""What waits in sessions, and that nothing of it waits twice."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from support import dreams

from memcli.core import sealing
from memcli.core.dream import marks, session_feed
from memcli.core.dream.feed import Feed
from memcli.core.dream.wishes import Limits
from memcli.model import Workspace


@pytest.fixture(autouse=True)
def own_state(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MEMCLI_STATE_DIR", str(tmp_path / "state"))


def feed(workspace: Workspace, **limits: int) -> Feed:
    return session_feed.read(workspace, Limits()._replace(**limits))


def take(workspace: Workspace, count: int | None = None) -> list[str]:
    """Read what waits, note that the first `count` are read; what they say."""
    found = feed(workspace)
    count = len(found.said) if count is None else count
    for write in found.taken(count):
        Path(write.path).write_bytes(write.data)
    return [one.content for one in found.said[:count]]


def first_lines(texts: list[str]) -> list[str]:
    return [text.split("\n")[0].removeprefix("[user] ") for text in texts]


def test_turns_of_several_sessions_in_the_order_of_time(tmp_path: Path) -> None:
    workspace = dreams.catbuddy(tmp_path, {"desktop:a": ["pnpm", "port"]})
    dreams.session(Path(workspace.sessions[0]).parent, "desktop:b", ["postgres"], start=1)
    found = feed(workspace)
    assert first_lines([one.content for one in found.said]) == [
        dreams.SAID[name][0] for name in ("pnpm", "postgres", "port")
    ]
    assert [one.number for one in found.said] == [1, 2, 3]
    assert [one.origin.shown for one in found.said] == [
        "desktop:a rows 1-2",
        "desktop:b rows 1-2",
        "desktop:a rows 3-4",
    ]
    assert found.entries == 3
    assert found.characters == sum(len(one.content) for one in found.said)


def test_nothing_waits_twice(tmp_path: Path) -> None:
    workspace = dreams.catbuddy(tmp_path, {"desktop:a": ["pnpm", "port"], "desktop:b": ["postgres"]})
    assert len(take(workspace, 1)) == 1
    assert len(take(workspace)) == 2
    assert take(workspace) == []
    dreams.session(Path(workspace.sessions[0]).parent, "desktop:a", ["pnpm", "port", "answers"])
    assert first_lines(take(workspace)) == [dreams.SAID["answers"][0]]


def test_rows_that_the_agent_trimmed_move_nothing(tmp_path: Path) -> None:
    workspace = dreams.catbuddy(tmp_path, {"desktop:a": ["pnpm", "port", "weather"]})
    take(workspace)
    path = Path(workspace.sessions[0]) / "desktop_a.jsonl"
    head, *rows = path.read_bytes().splitlines(keepends=True)
    more = {"id": 7, "role": "user", "content": "new words", "timestamp": dreams.stamp(7)}
    path.write_bytes(head + b"".join(rows[2:]) + json.dumps(more).encode() + b"\n")
    dreams.rested(path)
    assert first_lines(take(workspace)) == ["new words"]


def test_a_changed_last_row_repeats_nothing_before_it(tmp_path: Path) -> None:
    workspace = dreams.catbuddy(tmp_path, {"desktop:a": ["pnpm", "port"]})
    take(workspace)
    path = Path(workspace.sessions[0]) / "desktop_a.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    lines[-1] = lines[-1].replace(b"Understood.", b"Understood, 8080.")
    path.write_bytes(b"".join(lines))
    dreams.rested(path)
    assert take(workspace) == []


def test_a_chat_under_way_waits_until_it_is_over(tmp_path: Path) -> None:
    workspace = dreams.catbuddy(tmp_path, {"desktop:a": ["pnpm", "port"]})
    path = Path(workspace.sessions[0]) / "desktop_a.jsonl"
    os.utime(path)
    assert first_lines(take(workspace)) == [dreams.SAID["pnpm"][0]]
    assert take(workspace) == []
    [told] = session_feed.read(workspace, Limits()).notes
    assert told == "Still going on, so that the last turn waits for 60 quiet seconds: desktop:a."
    dreams.rested(path)
    assert first_lines(take(workspace)) == [dreams.SAID["port"][0]]
    assert session_feed.read(workspace, Limits()).notes == ()


def test_an_answer_that_came_after_its_question_was_read_is_read_as_well(tmp_path: Path) -> None:
    workspace = dreams.catbuddy(tmp_path, {"desktop:a": ["pnpm", "port"]})
    path = Path(workspace.sessions[0]) / "desktop_a.jsonl"
    head, asked, answered, *more = path.read_text().splitlines(keepends=True)
    dreams.old(path, head + asked)
    assert take(workspace) == [f"[user] {dreams.SAID['pnpm'][0]}"]
    dreams.old(path, head + asked + answered)
    assert take(workspace) == [f"[assistant] {dreams.SAID['pnpm'][1]}"]
    dreams.old(path, head + asked + answered + "".join(more))
    assert first_lines(take(workspace)) == [dreams.SAID["port"][0]]


def test_what_is_written_while_a_chat_is_read_waits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    workspace = dreams.catbuddy(tmp_path, {"desktop:a": ["pnpm", "port"]})
    path = Path(workspace.sessions[0]) / "desktop_a.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    dreams.old(path, b"".join(lines[:3]).decode())
    real = session_feed.rows.read

    def read(*given: object, **more: object) -> object:
        path.write_bytes(b"".join(lines[:4]))
        return real(*given, **more)

    with monkeypatch.context() as patch:
        patch.setattr(session_feed.rows, "read", read)
        assert first_lines(take(workspace)) == [dreams.SAID["pnpm"][0]]
    dreams.old(path, b"".join(lines).decode())
    assert take(workspace) == [
        "\n".join(f"[{role}] {text}" for role, text in zip(("user", "assistant"), dreams.SAID["port"], strict=True))
    ]


def test_no_more_of_a_turn_is_held_than_goes_into_an_entry(tmp_path: Path) -> None:
    import tracemalloc

    workspace = dreams.catbuddy(tmp_path, {"desktop:a": ["字" * 500_000] * 48})
    tracemalloc.start()
    found = feed(workspace)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert found.characters == 48 * len("[user] " + "字" * 500_000 + "\n[assistant] Yes.")
    assert most < 32 << 20


def test_times_of_a_wrong_clock_keep_nothing_from_being_read(tmp_path: Path) -> None:
    workspace = dreams.catbuddy(tmp_path, {"desktop:a": ["pnpm"], "desktop:b": ["port"]})
    folder = Path(workspace.sessions[0])
    dreams.old(folder / "desktop_a.jsonl", (folder / "desktop_a.jsonl").read_text().replace("2026-", "2199-"))
    os.utime(folder / "desktop_b.jsonl", (7e9, 7e9))
    assert sorted(first_lines(take(workspace))) == [dreams.SAID[name][0] for name in ("pnpm", "port")]
    os.utime(folder / "desktop_a.jsonl")
    with (folder / "desktop_a.jsonl").open("a") as file:
        file.write(json.dumps({"id": 3, "role": "user", "content": "hi", "timestamp": "2199-01-01T00:00:00Z"}) + "\n")
    assert take(workspace) == []


def test_reasoning_and_tools_are_not_read(tmp_path: Path) -> None:
    workspace = dreams.catbuddy(tmp_path, {"desktop:a": ["pnpm"]})
    path = Path(workspace.sessions[0]) / "desktop_a.jsonl"
    rows = [
        {"id": 3, "role": "user", "content": "go on", "timestamp": dreams.stamp(3)},
        {
            "id": 4,
            "role": "assistant",
            "content": "",
            "reasoningContent": "secret thoughts",
            "timestamp": dreams.stamp(4),
            "toolCalls": [{"id": "c", "name": "run", "arguments": {"command": "cat words"}}],
        },
        {"id": 5, "role": "tool", "content": "tool words", "toolCallId": "c", "timestamp": dreams.stamp(5)},
        {"id": 6, "role": "assistant", "content": "done", "timestamp": dreams.stamp(6)},
    ]
    path.write_bytes(path.read_bytes() + b"".join(json.dumps(row).encode() + b"\n" for row in rows))
    dreams.rested(path)
    assert take(workspace)[1] == "[user] go on\n[assistant] done"


def test_long_turns_are_cut_and_said_to_be(tmp_path: Path) -> None:
    workspace = dreams.catbuddy(tmp_path, {"desktop:a": ["字" * 50]})
    [said] = feed(workspace, entry_characters=20).said
    assert len(said.content) == 20
    assert said.cut == len("[user] " + "字" * 50 + "\n[assistant] Yes.") - 20


def test_more_than_are_held_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session_feed, "MOST", 4)
    texts = [f"words {n:02d}" for n in range(11)]
    workspace = dreams.catbuddy(tmp_path, {"desktop:a": texts[::2], "desktop:b": []})
    dreams.session(Path(workspace.sessions[0]).parent, "desktop:b", texts[1::2], start=1)
    found = feed(workspace)
    assert found.entries == 11
    assert len(found.said) == 4
    every: list[str] = []
    while some := first_lines(take(workspace)):
        every += some
    assert sorted(every) == texts
    assert every == sorted(
        every, key=lambda text: texts[::2].index(text) * 2 if text in texts[::2] else texts.index(text)
    )


def test_damage_hides_nothing_else(tmp_path: Path) -> None:
    workspace = dreams.catbuddy(tmp_path, {"desktop:a": ["pnpm"], "desktop:b": ["port"]})
    path = Path(workspace.sessions[0]) / "desktop_a.jsonl"
    path.write_bytes(path.read_bytes() + b'{"id":3,"role":"user","content":"torn')
    dreams.rested(path)
    (Path(workspace.sessions[0]) / "desktop_c.jsonl").mkdir()
    found = feed(workspace)
    assert first_lines([one.content for one in found.said]) == [dreams.SAID["pnpm"][0], dreams.SAID["port"][0]]
    assert any("desktop_c" in sentence for sentence in found.notes)


def test_a_damaged_note_of_ours_reads_again_and_says_nothing_wrong(tmp_path: Path) -> None:
    workspace = dreams.catbuddy(tmp_path, {"desktop:a": ["pnpm"]})
    take(workspace)
    store = sealing.store(workspace)
    path = Path(store.folder) / "dreams" / marks.FILE
    for text in (
        "{",
        "[]",
        '{"desktop:a": 3}',
        '{"desktop:a": {"row": "1", "tail": [], "at": "", "size": 0, "mtime_ns": 0}}',
    ):
        path.write_text(text)
        assert marks.read(store).by_session == {}
        assert len(feed(workspace).said) == 1
        assert marks.read(store).file.version is not None


def test_unchanged_sessions_are_not_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    workspace = dreams.catbuddy(tmp_path, {"desktop:a": ["pnpm"], "desktop:b": ["port"]})
    take(workspace)
    read: list[object] = []
    real = session_feed.rows.read
    monkeypatch.setattr(session_feed.rows, "read", lambda *words: read.append(words) or real(*words))
    assert take(workspace) == []
    assert read == []
