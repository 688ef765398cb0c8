"""What CocoCat makes of each kind of damage; its readers differ by version (dream.py, chat_reader.py, session.py)."""

from __future__ import annotations

_STRICT = (
    "From V1.2 on every task of this agent fails after its work, and Dream never runs; a group chat is cut off here at the "
    "next mark-as-read. Older readers and V2's tolerant one pass over the line."
)
_UNREAD = (
    *("nul-run", "spliced-line", "glued-lines", "interleaved-lines", "split-record", "missing-brace", "trailing-comma"),
    *("python-repr", "junk-around-record", "not-json", "broken-record", "torn-line", "torn-tail", "raw-control"),
    *("conflict-markers", "json-document", "foreign-type", "cr-in-record", "bom", "utf16"),
)
_NOT_UTF8 = "No reader of CocoCat gets past it: every task of this agent fails."
FAULTS: dict[str, str] = {
    "never-dreamt": "CocoCat's Dream can only edit a memory file that is there; without one it moves on and keeps nothing.",
    "unknown": "A Dream that edited nothing, an older version that wrote no record of a task, and a group chat that was cut off "
    "when it was marked as read leave nothing on disk; a journal has the first 200 or 500 characters of each text only.",
}
EFFECTS: dict[str, str] = {
    **dict.fromkeys((*_UNREAD, *(f"journal:{code}" for code in _UNREAD)), _STRICT),
    "empty-file": "Nothing is known of what was done; Dream finds nothing to do.",
    "invalid-utf8": _NOT_UTF8,
    "journal:invalid-utf8": _NOT_UTF8,
    "missing-final-newline": "The next append is glued to the last row, and from V1.2 on every task then fails.",
    "lone-cr": "Nothing: CocoCat ends lines there too.",
    "crlf": "Nothing: files that were written on Windows are like that.",
    "not-a-record": "Dream fails on it in every version.",
    "nan": "CocoCat reads it as it is; others cannot.",
    "lone-surrogate": "CocoCat reads the row; what it writes with it fails.",
    "duplicate-keys": "CocoCat takes the last of the two.",
    "too-deep": "Dream fails on it.",
    "huge-number": "Dream fails on it.",
    "checksum-mismatch": "None that would show: CocoCat has no checksums.",
    "duplicate-record": "It is dreamt twice.",
    "time-regression": "Nothing: the order in the file counts.",
    "missing-role": "A V2 session passes the row on without a role, and the provider refuses the turn.",
    "bad-row-shape": "Dream fails on it: prompts and answers are cut as text.",
    "orphan-tool-result": "Providers refuse the turn.",
    "unanswered-tool-call": "Providers refuse the turn.",
    "duplicate-tool-call-id": "Providers refuse the turn.",
    "misplaced-result": "Providers refuse the turn.",
    "leftover-temp": "Nothing, but the memory's git repository takes it in.",
    "stale-lock": "Every edit of the memory file waits 5 seconds and fails, while Dream's cursor moves on.",
    "memory-index-lock": "Every commit fails, and no error is shown: Dream goes on without versions.",
    "memory-dirty": "The next Dream commits it; a revert before that resets it, and nothing brings it back.",
    "memory-nested-repo": "Without a commit in it every commit of the agent's memory fails, and no error is shown; with one, "
    "what lies in it is in no version.",
    "memory-not-versioned": "Dream commits the whole project around it instead, and a revert resets the whole project.",
    "dream-cursor-ahead": "Dream never runs, until there are more records than the cursor says.",
    "dream-backlog": "All of them go into one prompt, the next time that Dream runs.",
    "cursor-garbage": "It counts as 0: everything is dreamt again.",
    "foreign-cursor": "It counts as 0: everything is dreamt again.",
    "memory-duplicates": "Every one of them goes into every prompt; nothing in CocoCat ever merges them.",
    "memory-echo": "It goes into every prompt as if it were a fact.",
    "memory-placeholder": "It goes into every prompt.",
    "memory-secret": "It goes to the model's provider with every task, and from V1.2 on the memory's git repository keeps "
    "every version with it.",
    "memory-oversize": "All of it goes into every prompt.",
    "memory:invalid-utf8": "The file cannot be read: every prompt of this agent fails.",
    "memory:nul-run": "The bytes go into every prompt.",
    "memory:utf16": "The file cannot be read: every prompt of this agent fails.",
}
