"""Homes of nanobot in which a chat was lost, made by code: for memcli's own tests, and for those that ask the real nanobot."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from memcli.formats.nanobot.names import encoded_name, lossy_name
from support.cli import run
from support.lost import Expected, age, lines, put, spaced

ID = "0123456789abcdef0123456789abcdef"
KEY = "telegram:42"
WORDS = "Falcon 3"
"""Stands in row 3 of every chat."""
LOSSY = ("E0", "E1", "E2")
GENERATION = {"E0": "memory/2026-05-01.md", "E1": "memory/HISTORY.md", "E2": "memory/history.jsonl"}


def stamp(number: int, day: int = 2) -> str:
    return f"2026-05-{day:02}T10:{number // 60:02}:{number % 60:02}.000001"


def header(key: str = KEY, **members: Any) -> dict[str, Any]:
    times = {"created_at": stamp(0), "updated_at": stamp(59)}
    return {"_type": "metadata", "key": key, **times, "metadata": {}, "last_consolidated": 0, **members}


def row(number: int, role: str = "", text: str | None = None, **members: Any) -> dict[str, Any]:
    """Row `number` of a chat: users ask in odd ones, the assistant answers in even ones."""
    role = role or ("user" if number % 2 else "assistant")
    text = text or f"{role} 第 {number} 条: Falcon {number}"
    return {"role": role, "content": text, "timestamp": stamp(number), **members}


def rows(count: int, first: int = 1) -> list[dict[str, Any]]:
    return [row(number) for number in range(first, first + count)]


def calling(number: int, *ids: str) -> dict[str, Any]:
    function = {"name": "exec", "arguments": '{"command": "ls 档案"}'}
    calls = [{"id": one, "type": "function", "function": function} for one in ids]
    return {"role": "assistant", "content": None, "tool_calls": calls, "timestamp": stamp(number)}


def answering(number: int, call: str) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call, "name": "exec", "content": "done", "timestamp": stamp(number)}


def entry(cursor: int, text: str = "", key: str | None = KEY, day: int = 2) -> dict[str, Any]:
    made: dict[str, Any] = {"cursor": cursor, "timestamp": f"2026-05-{day:02} 11:{cursor % 60:02}"}
    made["content"] = text or f"- [durable] 事实 {cursor}"
    return made if key is None else {**made, "session_key": key}


def dumped(*values: object) -> bytes:
    """Values as nanobot writes them; bytes stand as they are."""
    return lines(value if isinstance(value, bytes) else spaced(value) for value in values)


class Home:
    """A home of one generation: `workspace` is the default workspace in it, `sessions` where its chats are."""

    def __init__(self, folder: Path, era: str) -> None:
        self.folder, self.era = folder / ".nanobot", era
        self.workspace = self.folder / "workspace"
        self.sessions = self.workspace / "sessions"
        self.memory = self.workspace / "memory"
        put(self.memory / "MEMORY.md", b"# Long-term Memory\n")
        if era in GENERATION:
            put(self.workspace / GENERATION[era], b"")
        if era == "E0":
            self.sessions = self.folder / "sessions"
        if era == "E4":
            self.sessions = self.folder / "sessions" / ID
            put(self.workspace / ".nanobot" / "workspace-id", f"{ID}\n".encode())
            put(self.sessions / ".workspace", f"{self.workspace}\n".encode())
        self.sessions.mkdir(parents=True, exist_ok=True)

    def path(self, key: str = KEY) -> Path:
        """The file in which this generation keeps a chat."""
        return self.sessions / (lossy_name(key) if self.era in LOSSY else encoded_name(key))

    def chat(self, *values: object, key: str = KEY) -> Path:
        """Write a chat."""
        return put(self.path(key), dumped(*values))

    def journal(self, *values: object, allocated: object = None, dreamt: object = None) -> None:
        """Write history.jsonl with its counter and Dream's position."""
        put(self.memory / "history.jsonl", dumped(*values))
        for name, number in ((".cursor", allocated), (".dream_cursor", dreamt)):
            if number is not None:
                put(self.memory / name, str(number).encode())

    def settle(self) -> None:
        """Let all of it be a day old."""
        for path in self.folder.rglob("*"):
            age(path, 1)


class Lost(NamedTuple):
    """`problems` are the numbers of the user-reported problems that it is a case of; `make` builds it in a home of
    generation `era`; asked is for `ask`. `key` is the chat that comes back; `counts` is what is counted before and
    afterwards: "sent" (rows that reach the model) or "pending" (entries that Dream would read). `real` tells that the real
    nanobot of the generation counts the same."""

    name: str
    problems: tuple[int, ...]
    era: str
    make: Callable[[Home], object]
    expected: Expected
    ask: str = KEY
    key: str = KEY
    counts: str = "sent"
    real: bool = True


def chat(*values: object, key: str = KEY) -> Callable[[Home], object]:
    return lambda home: home.chat(*values, key=key)


def archived(home: Home) -> None:
    """Eight rows of twelve were summarised, as it should be."""
    home.chat(header(last_consolidated=8), *rows(12))
    home.journal(entry(1), entry(2, key="cli:direct"), entry(3), allocated=3, dreamt=3)


def lossy(*values: object, own: bool = False, key: str = KEY) -> Callable[[Home], object]:
    """A chat under the name of 0.2.2 in the namespace of 0.3.5, or still in the workspace's own folder."""

    def make(home: Home) -> None:
        folder = home.workspace / "sessions" if own else home.sessions
        put(folder / lossy_name(key), dumped(*values))

    return make


def left_behind(home: Home) -> None:
    """A file that the move to 0.3.5 passed over because a line of it does not parse."""
    put(home.workspace / "sessions" / encoded_name(KEY), dumped(header(), *rows(4), b'{"role": "user", "con'))


def rolled_back(home: Home) -> None:
    """0.3.5, then 0.3.0 for a while: its chat went on in the workspace, the namespace's is older."""
    home.chat(header(last_archived=0), *rows(4))
    put(home.workspace / "sessions" / encoded_name(KEY), dumped(header(), *rows(4), *rows(3, 11)))


def conflicting(home: Home) -> None:
    """The move to 0.3.5 found a chat with that name and kept the newer one."""
    home.chat(header(last_archived=0), *rows(4))
    name = f"{encoded_name(KEY)[:-6]}.workspace.0a1b2c3d4e5f.00ff00ff.jsonl"
    put(home.sessions / ".migration-conflicts" / name, dumped(header(), *rows(2), row(21, text="Kestrel"), row(22)))


def global_folder(home: Home) -> None:
    """0.1.3 kept all chats in one folder, which 0.3.5 does not look into."""
    put(home.folder / "sessions" / lossy_name(KEY), dumped(header(), *rows(4)))
    home.chat(header(last_archived=0, key="cli:direct"), *rows(2), key="cli:direct")


def renamed(home: Home) -> None:
    """Somebody gave a file a name that he could read."""
    put(home.sessions / "backup.jsonl", dumped(header(), *rows(6)))
    home.chat(header("cli:direct"), *rows(2), key="cli:direct")


def compacted(home: Home, text: str = "- [durable] 事实: Falcon", last: bool = True) -> None:
    """AutoCompact of a version up to 0.3.0: the last eight of thirty rows are left, and a summary."""
    summary = {"_last_summary": {"text": text, "last_active": stamp(30)}} if last else {}
    home.chat(header(metadata=summary, updated_at=stamp(30, day=3)), *rows(8, 23))
    home.journal(entry(1, text), allocated=1, dreamt=0)


def raw(count: int, *texts: str) -> str:
    """What the archive holds when the model gave no summary."""
    return "\n".join((f"[RAW] {count} messages", *(f"[2026-05-02T10:00] USER: {text}" for text in texts)))


def emptied(home: Home, text: str) -> None:
    """/new, and no word since."""
    home.chat(header(updated_at=stamp(59)))
    home.journal(entry(1, text), allocated=1, dreamt=0)


def anew(home: Home) -> None:
    """/new, and a day later the chat went on."""
    home.chat(header(), *[{**one, "timestamp": one["timestamp"].replace("05-02", "05-03")} for one in rows(2)])
    home.journal(entry(1, raw(4, "Kestrel", "two")), allocated=1, dreamt=0)


def capped(home: Home) -> None:
    """A chat at the cap of 2,000 rows; the first ones went to the journal."""
    kept = [{**one, "timestamp": one["timestamp"].replace("05-02", "05-03")} for one in rows(1999, 201)]
    home.chat(header(), *kept)
    home.journal(entry(1, raw(200, "Kestrel")), allocated=1, dreamt=0)


def overwritten(home: Home) -> None:
    """memcli mended the chat once; later a byte went bad, the agent opened it empty, and its next turn wrote a new file."""
    home.chat(header(), *rows(6), b'{"role": "user", "content": "torn')
    done = run("repair", KEY, "--apply", "--lossy", "-W", home.workspace)
    assert done.code == 0, done.err
    fresh = header(created_at=stamp(0, day=4), updated_at=stamp(9, day=4))
    home.chat(fresh, *[{**one, "timestamp": one["timestamp"].replace("05-02", "05-04")} for one in rows(2)])


def made_anew(home: Home) -> None:
    """The same without any copy: only the journal knows of the time before."""
    fresh = header(created_at=stamp(0, day=4), updated_at=stamp(9, day=4))
    home.chat(fresh, *[{**one, "timestamp": one["timestamp"].replace("05-02", "05-04")} for one in rows(2)])
    home.journal(entry(1, raw(4, "Kestrel")), allocated=1, dreamt=0)


def compacted_with_copy(home: Home) -> None:
    """memcli mended the chat before AutoCompact came: its undo copy has all rows."""
    home.chat(header(), *rows(30), b'{"role": "user", "content": "torn')
    done = run("repair", KEY, "--apply", "--lossy", "-W", home.workspace)
    assert done.code == 0, done.err
    compacted(home)


def unmarked(home: Home) -> None:
    """The marker of the namespace is gone."""
    home.chat(header(last_archived=0), *rows(4))
    (home.sessions / ".workspace").unlink()


def spoilt_id(home: Home) -> None:
    home.chat(header(last_archived=0), *rows(4))
    put(home.workspace / ".nanobot" / "workspace-id", b"cafe\n")


def claimed_twice(home: Home) -> None:
    """The id was cleaned away, and a second namespace names the workspace as its own."""
    home.chat(header(last_archived=0), *rows(4))
    (home.workspace / ".nanobot" / "workspace-id").unlink()
    put(home.folder / "sessions" / ID[::-1] / ".workspace", f"{home.workspace}\n".encode())


def checkpoint(home: Home, rows_then: int = 4, days: float = 1, time: str = "") -> None:
    """Killed in the middle of a tool call."""
    home.chat(header(last_archived=0, metadata={"pending_user_turn": True}), *rows(4), row(5))
    turn = {"phase": "awaiting_tools", "assistant_message": calling(6, "c9"), "completed_tool_results": []}
    said = {"version": 1, "session_key": KEY, "base_updated_at": time or stamp(59), "base_message_count": rows_then}
    path = home.path().with_suffix(".checkpoint.json")
    put(path, json.dumps({**said, "checkpoint": turn}, ensure_ascii=False).encode(), days)


def journal(*values: object, allocated: object = None, dreamt: object = None) -> Callable[[Home], object]:
    """A journal beside a chat that has other words."""

    def make(home: Home) -> None:
        home.chat(header(), *rows(2))
        home.journal(*values, allocated=allocated, dreamt=dreamt)

    return make


def stranded(home: Home) -> None:
    """HISTORY.md of 0.1.4 came too late: history.jsonl had entries already."""
    journal(entry(1), allocated=1, dreamt=1)(home)
    put(home.memory / "HISTORY.md", b"[2026-01-02 10:00] Kestrel was chosen as the name.\n\n[2026-01-03 10:00] Done.\n")


def copied(home: Home) -> None:
    """The workspace was copied: the copy, in which is asked, got an id and a namespace of its own."""
    home.chat(header(last_archived=0), *rows(4))
    shutil.copytree(home.workspace, home.folder / "original")
    put(home.sessions / ".workspace", f"{home.folder / 'original'}\n".encode())
    put(home.workspace / ".nanobot" / "workspace-id", f"{ID[::-1]}\n".encode())
    home.sessions = home.folder / "sessions" / ID[::-1]
    put(home.sessions / ".workspace", f"{home.workspace}\n".encode())
    home.chat(header("cli:direct", last_archived=0), *rows(2), key="cli:direct")


def torn(home: Home) -> None:
    home.chat(header(), *rows(5), b'{"role": "assistant", "content": "Kestr')
    home.path().write_bytes(home.path().read_bytes()[:-1].replace(b"Kestr", b"Kestrel"))


def glued(home: Home) -> None:
    """The newlines behind the third and the fourth row are gone."""
    lines = dumped(header(), *rows(6)).splitlines(keepends=True)
    put(home.path(), b"".join(lines[:3]) + b"".join(lines[3:5]).replace(b"\n", b"") + b"".join(lines[5:]))


def amid(line: bytes) -> Callable[[Home], object]:
    """A line in the place of the third of six rows."""
    return chat(header(), *rows(2), line, *rows(3, 4))


LATIN = spaced(row(3, text="Où est le café?")).decode().encode("cp1252")
GBK = spaced(row(3, text="面包怎么烤?")).decode().encode("gb18030")
UNREAD = Expected("never-dreamt", "journal", 0, 0)


def again(times: int) -> list[dict[str, Any]]:
    """The same tool call and its result, over and over."""
    return [one for n in range(times) for one in (calling(2 * n + 2, f"c{n}"), answering(2 * n + 3, f"c{n}"))]


def archived_again(home: Home) -> None:
    """The offset was never saved: the same rows were archived twice."""
    home.chat(header(), *rows(12))
    home.journal(entry(1), entry(2), allocated=2, dreamt=2)


FINE, NOTED = Expected("not-lost", "session", 0, 0), Expected("not-lost", "journal", 0, 0)
IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "iVBORw0KGgo" * 2000}}
NAMELESS = {"timestamp": "2026-05-02 10:00", "content": "Kestrel is the name"}
PAIR = (row(1), calling(2, "c1"), answering(3, "c1"), row(4))
ORPHAN = answering(99, "gone")
MOVED = "moved-by-upgrade"
OFFSET = "offset-hides"
SHOWN = Expected(OFFSET, "session", 0, 0)
BRICK = "bricked-by-row"
ALL = ("E1", "E2", "E3", "E4")

CASES = [
    # the archive offset
    *(Lost(f"archived-{era}", (), era, archived, SHOWN, WORDS) for era in ALL),
    *(Lost(f"all-hidden-{era}", (17,), era, chat(header(last_consolidated=2), *rows(2)), SHOWN) for era in ALL),
    Lost("beyond-E1", (14,), "E1", chat(header(last_consolidated=999), *rows(10)), Expected(OFFSET, "session", 10, 0)),
    Lost("beyond-E2", (14,), "E2", chat(header(last_consolidated=999), *rows(10)), Expected(OFFSET, "session", 10, 0),
         real=False),
    Lost("beyond-words-E2", (14,), "E2", chat(header(last_consolidated=999), *rows(10)),
         Expected(OFFSET, "session", 10, 0), WORDS, real=False),
    Lost("negative-E1", (14,), "E1", chat(header(last_consolidated=-2), *rows(10)),
         Expected(OFFSET, "session", 8, 0)),
    Lost("text-E1", (14,), "E1", chat(header(last_consolidated="2"), *rows(10)), Expected(OFFSET, "session", 10, 0)),
    Lost("inside-a-turn", (17,), "E4", chat(header(last_archived=3, last_consolidated=3), *rows(2), *PAIR, *rows(2)),
         SHOWN, "档案"),
    # tool results without their call
    *(Lost(f"orphan-last-{era}", (18, 19), era, chat(header(), *PAIR, ORPHAN),
           Expected("pairing-hides", "session", 4, 0)) for era in ALL),
    Lost("orphan-middle", (18,), "E4", chat(header(), *rows(4), ORPHAN, *rows(2, 5)),
         Expected("pairing-hides", "session", 4, 0)),
    Lost("orphan-words", (18,), "E3", chat(header(), *rows(4), ORPHAN, *rows(2, 5)),
         Expected("pairing-hides", "session", 4, 0), WORDS),
    Lost("other-ids", (21,), "E4", chat(header(), row(1), calling(2, "fc-1"), answering(3, "97cb"), row(4)),
         Expected("pairing-hides", "session", 2, 0)),
    Lost("no-user-row", (24,), "E4", chat(header(), calling(1, "c1"), answering(2, "c1"), row(4), *rows(2, 5)),
         Expected("pairing-hides", "session", 0, 0), "档案"),
    # rows that make every turn fail
    *(Lost(f"no-role-{era}", (), era, chat(header(), *rows(4), {"content": "x", "timestamp": stamp(9)}),
           Expected(BRICK, "session", 4, 0)) for era in ALL),
    Lost("unknown-type", (), "E4", chat(header(), *rows(4), {"_type": "note", "text": "Falcon"}),
         Expected(BRICK, "session", 4, 0)),
    Lost("same-call-twice", (20,), "E4",
         chat(header(), row(1), calling(2, "c1", "c1"), answering(3, "c1"), row(4)), Expected(BRICK, "session", 0, 0)),
    # saves that fail
    Lost("half-an-emoji", (38,), "E4", chat(header(), *rows(4), b'{"role": "user", "content": "\\ud83d"}'),
         Expected("never-written", "session", 0, None)),
    # what a newer version does not find
    Lost("lossy-name", (41, 27), "E4", lossy(header(), *rows(6)), Expected(MOVED, "session", 6, 0)),
    Lost("lossy-name-words", (41,), "E4", lossy(header(), *rows(6)), Expected(MOVED, "session", 6, 0), WORDS),
    Lost("lossy-name-torn", (41,), "E4", lossy(header(), *rows(6), b'{"role"'), Expected(MOVED, "session", 6, 1)),
    Lost("lossy-name-own-folder", (41,), "E4", lossy(header(), *rows(6), own=True), Expected(MOVED, "session", 6, 0)),
    Lost("lossy-name-without-key", (41, 26), "E4", lossy(header(key=None), *rows(6)), Expected(MOVED, "session", 6, 0)),
    Lost("left-behind", (29,), "E4", left_behind, Expected(MOVED, "session", 4, 1)),
    Lost("rolled-back", (29,), "E4", rolled_back, Expected(MOVED, "session", 3, 0), "Falcon 12"),
    Lost("rolled-back-session", (29,), "E4", rolled_back, Expected(MOVED, "session", 3, 0)),
    Lost("migration-conflict", (29,), "E4", conflicting, Expected(MOVED, "session", 2, 0), "Kestrel"),
    Lost("migration-conflict-session", (29,), "E4", conflicting, Expected(MOVED, "session", 2, 0)),
    Lost("global-folder", (28,), "E4", global_folder, Expected(MOVED, "session", 4, 0)),
    # what the agent took out of the file by itself
    Lost("autocompact-E2", (44,), "E2", compacted, Expected("compacted-away", "journal", 0, None)),
    Lost("autocompact-E3", (44,), "E3", compacted, Expected("compacted-away", "journal", 0, None)),
    Lost("autocompact-words", (44,), "E2", lambda home: compacted(home, raw(22, "Kestrel")),
         Expected("compacted-away", "journal", 0, None), "Kestrel"),
    Lost("autocompact-undo", (44,), "E2", compacted_with_copy, Expected("compacted-away", "undo", 22, None)),
    Lost("autocompact-undo-words", (44,), "E2", compacted_with_copy, Expected("compacted-away", "undo", 22, None), "Falcon 7"),
    Lost("new-no-summary", (13,), "E2", lambda home: emptied(home, "[no summary]"),
         Expected("cleared", "journal", 0, None)),
    Lost("new-raw-words", (12, 13), "E4", lambda home: emptied(home, raw(3, "Kestrel")),
         Expected("cleared", "journal", 0, None), "Kestrel"),
    Lost("new-and-on", (36,), "E2", anew, Expected("cleared", "journal", 0, None), "Kestrel"),
    Lost("cap", (34,), "E2", capped, Expected("trimmed", "journal", 0, None)),
    Lost("cap-words", (34,), "E3", capped, Expected("trimmed", "journal", 0, None), "Kestrel"),
    # overwritten after a load that came out empty
    Lost("overwritten-undo", (23,), "E4", overwritten, Expected("overwritten-by-agent", "undo", 6, None)),
    Lost("overwritten-undo-words", (23,), "E2", overwritten, Expected("overwritten-by-agent", "undo", 6, None), WORDS),
    Lost("overwritten-journal", (23,), "E4", made_anew, Expected("overwritten-by-agent", "journal", 0, None), "Kestrel"),
    # a start that is refused
    Lost("no-marker", (), "E4", unmarked, Expected("locked-out", "session", 0, 0), real=False),
    Lost("no-marker-words", (), "E4", unmarked, Expected("locked-out", "session", 0, 0), WORDS, real=False),
    Lost("bad-id", (), "E4", spoilt_id, Expected("locked-out", "session", 0, 0), real=False),
    Lost("claimed-twice", (), "E4", claimed_twice, Expected("locked-out", "session", 0, 0), real=False),
    # a turn in flight
    Lost("checkpoint", (24,), "E4", lambda home: checkpoint(home, 5), Expected("never-written", "checkpoint", 0, 0), "档案"),
    Lost("checkpoint-other-count", (24,), "E4", checkpoint, Expected("never-written", "checkpoint", 0, 0)),
    Lost("checkpoint-saved-since", (24,), "E4", lambda home: checkpoint(home, 5, time=stamp(50)),
         Expected("never-written", "checkpoint", 0, 0)),
    # two chats under one name
    Lost("shared-name", (25,), "E2", chat(header("telegram:a:b"), *rows(4), key="telegram:a:b"),
         Expected("name-collision", "session", 0, 0), "telegram:a_b", "telegram:a_b"),
    # lines that do not parse
    Lost("torn-tail-E4", (23,), "E4", torn, Expected("unreadable-row", "session", 0, 1)),
    Lost("torn-tail-words", (23,), "E4", torn, Expected("unreadable-row", "session", 0, 1), "Kestrel"),
    Lost("torn-tail-E1", (23,), "E1", torn, Expected("unreadable-row", "session", 5, 1)),
    Lost("glued", (23,), "E4", glued, Expected("unreadable-row", "session", 3, 0)),
    Lost("bad-byte", (), "E4", amid(b'{"role": "user", "content": "\xff\xfe\x81"}'),
         Expected("unreadable-row", "session", 5, 1)),
    Lost("latin-1", (), "E2", amid(LATIN), Expected("bad-encoding", "session", 6, 0)),
    Lost("gbk", (), "E4", amid(GBK), Expected("bad-encoding", "session", 6, 0)),
    Lost("utf-16", (), "E4", lambda home: put(home.path(), dumped(header(), *rows(6)).decode().encode("utf-16")),
         Expected("bad-encoding", "session", 6, 0)),
    Lost("array-E2", (23,), "E2", chat(header(), *rows(4), b"[1]"), Expected("unreadable-row", "session", 4, 1)),
    Lost("nul-tail", (23,), "E4", lambda home: put(home.path(), dumped(header(), *rows(4)) + bytes(4096)),
         Expected("power-loss", "session", 0, None)),
    Lost("no-header", (), "E4", chat(*rows(4)), Expected("hidden-by-list", "session", 4, 0), counts="listed"),
    Lost("header-in-the-middle", (), "E4", chat(row(1), header(), *rows(3, 2)),
         Expected("hidden-by-list", "session", 4, 0), counts="listed"),
    Lost("metadata-null", (37,), "E2", chat(header(metadata=None), *rows(4)), Expected(BRICK, "session", 0, 0)),
    Lost("summary-without-time", (37,), "E3", chat(header(metadata={"_last_summary": {"text": "x"}}), *rows(4)),
         Expected(BRICK, "session", 0, 0)),
    # the journal
    Lost("entry-without-cursor", (1,), "E2", journal(entry(1), NAMELESS, allocated=1, dreamt=1), UNREAD, "Kestrel"),
    Lost("entry-with-a-time", (2,), "E4",
         journal(entry(1), {**NAMELESS, "cursor": "2026-05-02T10:00:00"}, allocated=1, dreamt=1), UNREAD, "Kestrel"),
    Lost("entry-with-text", (3,), "E4", journal(entry(1), {**NAMELESS, "cursor": "abc"}, allocated=1, dreamt=1),
         UNREAD, "Kestrel"),
    Lost("number-twice", (4,), "E4",
         journal(entry(6), entry(7), entry(7, "Kestrel"), entry(8), allocated=8, dreamt=7), UNREAD, "Kestrel"),
    Lost("position-ahead", (40, 12), "E4",
         journal(entry(1), entry(2, "Kestrel"), entry(3), entry(4), entry(5), allocated=5, dreamt=1199),
         Expected("never-dreamt", "journal", 5, 0), "Kestrel", counts="pending"),
    Lost("history-md", (), "E2", stranded, Expected("legacy-store", "journal", 0, 0), "Kestrel"),
    # nothing is lost, whatever else is wrong
    Lost("waiting", (7, 8, 42), "E4", journal(entry(1), entry(2), allocated=2), FINE, "Falcon 1"),
    Lost("large-entry", (11,), "E2", journal(entry(1, "Kestrel " + "x" * 227_000), allocated=1, dreamt=0), NOTED, "Kestrel"),
    Lost("same-call-again", (10,), "E4", chat(header(), row(1), *again(100)), FINE),
    Lost("archived-again", (15,), "E2", archived_again, FINE),
    Lost("no-user-row-for-long", (16,), "E4", chat(header(last_archived=1), row(1), *again(31)), FINE),
    Lost("empty-reasoning", (22,), "E4", chat(header(), row(1), {**calling(2, "c1"), "reasoning_content": ""},
                                              answering(3, "c1"), row(4)), FINE),
    Lost("heartbeat", (30, 31), "E2", chat(header("heartbeat"), *rows(600), key="heartbeat"), FINE, "heartbeat", "heartbeat"),
    Lost("inline-image", (32,), "E1", chat(header(), {**row(1), "content": [IMAGE]}, row(2)), FINE),
    Lost("whose-entry", (33,), "E2", journal(entry(1, "Kestrel", key=None), allocated=1, dreamt=0), NOTED, "Kestrel"),
    Lost("entry-of-facts", (35,), "E2", journal(entry(1), {**entry(2), "content": {"facts": ["Kestrel"]}}, allocated=2,
                                                dreamt=2), UNREAD, "Kestrel"),
    # another workspace
    Lost("copied-workspace", (29,), "E4", copied, Expected("other-workspace", "other-workspace", 4, 0)),
    # renamed by hand
    Lost("renamed-E3", (), "E3", renamed,
         Expected("renamed", "session", 6, 0)),
]  # fmt: skip
