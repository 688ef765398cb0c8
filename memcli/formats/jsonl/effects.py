"""What damage does to a file of JSON lines that belongs to no agent known here: only what holds for any reader is said."""

from __future__ import annotations

_UNREAD = (
    *("nul-run", "spliced-line", "glued-lines", "interleaved-lines", "split-record", "missing-brace", "trailing-comma"),
    *("python-repr", "junk-around-record", "not-json", "broken-record", "torn-line", "torn-tail", "raw-control"),
    *("conflict-markers", "lone-cr"),
)
_LINE = "A reader that checks each line loses this one; a strict one stops here."
_NOTHING = "A reader of JSON lines finds no row in it."
EFFECTS: dict[str, str] = {
    **dict.fromkeys(_UNREAD, _LINE),
    "empty-file": "The chat is gone from this file.",
    "utf16": _NOTHING,
    "foreign-type": _NOTHING,
    "json-document": _NOTHING,
    "bom": "Many readers cannot parse the first line.",
    "missing-final-newline": "A program that appends without looking glues the next row to this one.",
    "invalid-utf8": "Strict readers fail on the whole file, others show U+FFFD.",
    "not-a-record": "A reader that expects objects fails, or passes over the line.",
    "nan": "Strict readers (JavaScript, Go, Rust) refuse the line.",
    "duplicate-keys": "Most readers take the last of the two, some refuse the line.",
    "lone-surrogate": "Strict readers refuse the line; Python cannot write it back.",
    "too-deep": "Readers with a limit on depth refuse the line.",
    "huge-number": "Python refuses the line, others round the number.",
    "oversize-line": "Readers that load whole lines need that much memory.",
    "orphan-tool-result": "Providers refuse such a history.",
    "unanswered-tool-call": "Providers refuse such a history.",
    "duplicate-tool-call-id": "Providers refuse such a history.",
    "misplaced-result": "Providers refuse such a history.",
    "broken-parent": "Only the records from here on are reached from the last one; all before are hidden.",
    "parent-cycle": "A reader that follows the parents never ends.",
    "hidden-branch": "The agent shows the branch of the last record only.",
}
