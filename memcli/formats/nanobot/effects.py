"""What nanobot makes of each kind of damage (session manager `_load`, `_repair`, `list_sessions`; MemoryStore; live probes)."""

from __future__ import annotations

_SKIPPED = "The row is passed over, and gone for good at the next save; before 0.1.5.post2 the whole chat opens empty."
_EMPTIED = "The whole chat opens empty, and the next turn overwrites the file."
_ENTRY_LOST = "The entry is passed over, is never dreamt, and is dropped at the next compaction."
_SWALLOWED = "The next entry is glued to it, and both are lost."
_FAILS = "The chat loads, then every turn ends with an error."
_REFUSED = "Strict providers refuse the turn; replay drops everything before a result that answers no call."
_UNREAD = (
    *("nul-run", "spliced-line", "glued-lines", "interleaved-lines", "split-record", "missing-brace", "trailing-comma"),
    *("python-repr", "junk-around-record", "not-json", "broken-record", "torn-line", "torn-tail", "raw-control"),
    *("conflict-markers", "json-document", "foreign-type", "cr-in-record"),
)
EFFECTS: dict[str, str] = {
    **dict.fromkeys(_UNREAD, _SKIPPED),
    **{f"journal:{code}": _ENTRY_LOST for code in _UNREAD},
    "journal:torn-tail": _SWALLOWED,
    "journal:nul-run": _SWALLOWED,
    "journal:missing-final-newline": _SWALLOWED,
    "journal:invalid-utf8": "Every read and every append fails: Dream, /compact and the archive behind /new are dead.",
    "journal:bom": "The first entry is passed over.",
    "journal:bad-row-shape": "The entry is passed over and never dreamt.",
    "empty-file": "The chat is not in the list and opens empty.",
    **dict.fromkeys(("utf16", "foreign-type", "json-document"), _EMPTIED),
    "invalid-utf8": _EMPTIED,
    "too-deep": "Loading fails, or the chat opens empty and is overwritten.",
    "huge-number": _EMPTIED,
    "bom": "The header is lost: no title and no summary, and every row is replayed and archived again.",
    "missing-final-newline": "Nothing for a session, which is rewritten whole.",
    "lone-cr": "Nothing: nanobot ends lines there too.",
    "crlf": "Nothing: the CR is white space to it.",
    "not-a-record": "The line is passed over; up to 0.2.2 an array or null empties the chat, which is then overwritten.",
    "nan": "nanobot reads and writes it as it is; others cannot.",
    "lone-surrogate": "The chat loads, but every save fails: nothing new is kept.",
    "duplicate-keys": "nanobot takes the last of the two, and writes only that back.",
    "checksum-mismatch": "None that would show: nanobot has no checksums. A line of digits is passed over.",
    "missing-header": "The chat loads, but is in no list; every row is replayed and archived again.",
    "corrupt-header": "Title, summary and offset are lost; every row is replayed and archived again, and no list shows the chat.",
    "stray-header": "The chat loads, but is in no list.",
    "duplicate-header": "The last one counts.",
    "header-incomplete": "The list can fail as a whole, or sorts the chat as if it were new; up to 0.1.4 a created_at that is "
    "no date empties the chat.",
    "name-mismatch": "The list shows the chat under its header's key, and another file is loaded for that.",
    "key-collision": "Two chats answer to one key in the list; one file is loaded.",
    "foreign-record": "The row is part of this chat for nanobot.",
    "duplicate-record": "The message goes to the model twice.",
    "duplicate-id": "Nothing: nanobot gives rows no ids.",
    "id-gap": "Nothing: nanobot gives rows no ids.",
    "trimmed": "The oldest rows are gone; 0.1.5.post3 to 0.3.0 move them to the journal.",
    "time-regression": "Nothing: the order in the file counts.",
    "offset-out-of-range": "It is read as 0: all rows are replayed and archived again; before 0.2.2 the chat opens empty.",
    "missing-role": _FAILS,
    "bad-row-shape": _FAILS,
    "orphan-tool-result": "Replay drops everything before it, and is empty when it is the last row.",
    "unanswered-tool-call": _REFUSED,
    "duplicate-tool-call-id": "Providers refuse every turn until the row is gone.",
    "misplaced-result": _REFUSED,
    "unanswered-turn": "Nothing: a turn that failed looks so.",
    "leftover-temp": "Nothing: nanobot never reads it.",
    "conflict-copy": "From 0.3.0 on nothing: the name is no encoded key. Before that the copy is listed as a chat of its own.",
    "stale-lock": "Nothing: the lock that nanobot takes ends with its process.",
    "memory-index-lock": "No version is kept while git's lock is there: every commit fails, and /dream ends with an error.",
    "memory-dirty": "The next Dream commits it; /dream-restore before that writes over it, and nothing brings it back.",
    "memory-nested-repo": "What lies in it is in no version, and /dream-restore does not bring it back.",
    "memory-not-versioned": "/dream-log shows nothing and /dream-restore has nothing to go back to.",
    "cursor-behind": "Nothing from 0.1.5.post3 on: the last entry counts too. Before that numbers are given twice.",
    "cursor-garbage": "Numbers go on from the last entry, even where that is not the highest.",
    "cursor-ahead": "Nothing but a gap in the numbers.",
    "dream-cursor-ahead": "Dream says that there is nothing to do, until the numbers have caught up.",
    "dream-backlog": "Dream takes them 20 at a time.",
    "duplicate-cursor": "At the end of a batch the second one is never dreamt.",
    "null-cursor": "The entry is passed over and never dreamt.",
    "foreign-cursor": "It counts as 0: every entry that is left is dreamt again.",
    "memory:invalid-utf8": "Every turn of every chat fails: the file is read strictly.",
    "memory:nul-run": "The bytes go into every prompt.",
    "memory:utf16": "Every turn of every chat fails: the file is read strictly as UTF-8.",
}
