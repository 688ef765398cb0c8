"""What catbuddy makes of each kind of damage (session manager `_load`, `list`, `addMessage`; memory store; Dream)."""

from __future__ import annotations

_OPENS_EMPTY = (
    "The chat stays in the list but opens empty, and every new message to it fails: one row that does not parse is "
    "enough."
)
_HIDDEN = "The chat is not in the list, opens empty, and every new message to it fails."
_TAKEN = "catbuddy reads the row as it stands."
_ENTRY_LOST = "Dream passes over the line: what it says is never remembered."
_UNREAD = (
    *("nul-run", "spliced-line", "glued-lines", "lone-cr", "interleaved-lines", "split-record", "missing-brace"),
    *("trailing-comma", "python-repr", "junk-around-record", "not-json", "broken-record", "torn-line", "torn-tail"),
    *("raw-control", "conflict-markers", "nan"),
)
FAULTS: dict[str, str] = {
    "agent-order-bug": "catbuddy stores the rows of a turn when it ends, and some of its versions lose their count of them: "
    "results are left out, stored before their call, or an older call is stored again.",
    "unknown": "What catbuddy's Dream passes over when the app starts again, or when its model fails, leaves nothing on disk; "
    "nor does an answer whose turn died before its end.",
}


def written_anew(head: str) -> str:
    """`appendToMemoryFile` takes any error of reading for an empty file, and writes its one new block over it; a file that
    began as it should has text before its first block."""
    block = head.startswith(("\n\n## Dream", "\n\n## Archived"))
    return "it begins with a block that the agent appends, and lacks what such a file begins with" if block else ""


EFFECTS: dict[str, str] = {
    **dict.fromkeys(_UNREAD, _OPENS_EMPTY),
    **{f"journal:{code}": _ENTRY_LOST for code in _UNREAD},
    "empty-file": _HIDDEN,
    "utf16": _HIDDEN,
    "foreign-type": _HIDDEN,
    "json-document": _HIDDEN,
    "bom": "On the first line: " + _HIDDEN[0].lower() + _HIDDEN[1:],
    "missing-final-newline": "Nothing for a session, which is rewritten with each message.",
    "journal:missing-final-newline": "The next entry is glued to this one, and Dream never sees either.",
    "not-a-record": "A number or a text is loaded as a message without role; what follows from that is not known.",
    "invalid-utf8": "The bytes show as U+FFFD; the next message to the chat writes them back so.",
    "crlf": "Nothing: the CR is white space to it. A line that holds nothing but a CR empties the chat.",
    "lone-surrogate": _TAKEN,
    "duplicate-keys": "catbuddy takes the last of the two, and writes only that back.",
    "too-deep": _TAKEN,
    "huge-number": "The number loses its digits at the next message.",
    "checksum-mismatch": "None that would show: catbuddy has no checksums. A line of digits is loaded as a message.",
    "missing-header": "The first row is taken for the header: the list shows a nameless chat, and new messages to it fail.",
    "corrupt-header": _HIDDEN,
    "stray-header": "The first row is taken for the header, and the header for a message: new messages to the chat fail.",
    "duplicate-header": "The second header is read as a message without role and content.",
    "header-incomplete": "Without key new messages fail; without updated_at the whole list can fail, all chats with it.",
    "name-mismatch": "The chat is listed, but opened and written under the other name: it opens empty, or shows another's rows.",
    "key-collision": "The list shows one of the two; opened is the one that has the right name.",
    "foreign-record": "The row shows in this chat, and is missing in its own.",
    "duplicate-record": "The message shows twice, and goes to the model twice.",
    "duplicate-id": "Both are shown; the gateway keeps one of them.",
    "id-gap": "Nothing: numbers are not looked at.",
    "trimmed": "The agent shows and sends what is here; it keeps 2,000 rows, and older ones in no other file.",
    "time-regression": "Nothing: the order in the file counts.",
    "offset-out-of-range": "Nothing: this catbuddy writes the number and never reads it.",
    "missing-role": "The row is loaded; a provider may refuse the whole turn for it.",
    "bad-row-shape": "The row is loaded; a provider may refuse the whole turn for it.",
    "orphan-tool-result": "Providers answer the next turn with an error.",
    "unanswered-tool-call": "Providers answer the next turn with an error.",
    "duplicate-tool-call-id": "Providers answer the next turn with an error.",
    "misplaced-result": "Providers answer the next turn with an error.",
    "unanswered-turn": "Nothing: a turn that failed looks so.",
    "leftover-temp": "Nothing: catbuddy never reads it, and writes over it at the next message.",
    "memory-index-lock": "Nothing: catbuddy makes no versions; whoever else keeps the folder under git cannot commit.",
    "conflict-copy": "A copy that ends in .jsonl is listed as a chat; messages go to the file with the right name.",
    "cursor-behind": "New entries get numbers that are taken; Dream never reads them.",
    "cursor-garbage": "Counting starts again at 1; Dream never reads the new entries.",
    "cursor-ahead": "Nothing but a gap in the numbers.",
    "dream-cursor-ahead": "Dream of the older version finds nothing to do until the numbers have caught up.",
    "dream-backlog": "What was not dreamt before the app was started again never will be, by the newer version.",
    "duplicate-cursor": "Dream never reads the second one of them.",
    "null-cursor": "Dream passes over the entry.",
    "foreign-cursor": "The agent starts counting at the digits it begins with, or at 0.",
    "overwritten-by-mirror": "Tool calls, thoughts and media of the chat are gone from this file.",
    "memory-duplicates": "Every one of them goes into every prompt; nothing in catbuddy ever merges them.",
    "memory-echo": "It goes into every prompt as if it were a fact.",
    "memory-placeholder": "It goes into every prompt.",
    "memory-secret": "It goes to the model's provider with every message, and with the layer of the user into every project.",
    "memory-oversize": "All of it goes into every prompt.",
    "memory:invalid-utf8": "The bytes show as U+FFFD in every prompt.",
    "memory:nul-run": "The bytes go into every prompt.",
    "memory:utf16": "The prompt gets unreadable text, and Dream appends UTF-8 to it.",
}
