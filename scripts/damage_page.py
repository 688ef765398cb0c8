"""docs/damage.md, written from the classes of memcli/damage and from what each format's agent makes of them."""

from __future__ import annotations

from memcli.damage import MODULES, modules
from memcli.damage.framework import Class
from memcli.formats import FORMATS, effects

INTRODUCTION = """# Damage codes

Written by `scripts/generate.py` from `memcli/damage/` and `memcli/formats/*/effects.py`; do not edit.

The codes that `verify`, `repair`, `sessions ls`, `sessions show`, `tail` and `grep` name. A code is stable; more may be added.
`verify` judges every byte; `sessions ls` looks at the first and last 4 KiB of each file, `--long` and `sessions show` at every
line. My chat is gone, what now: [recovery.md](recovery.md).

*Severity*: `error` - the agent loses or hides something; `warning` - it may; `info` - good to know, `verify` ends with 0.

*Repair*: `safe` - `repair --apply` mends it and loses nothing that could be read; `lossy` - only with `--lossy`, the bytes go to
quarantine; `flag` - only with the option that is named; `report` - never changed, only explained. A finding can be milder or
graver than its class: its own row tells. No value of a message is ever invented, and a line that was valid stays as it is, byte
for byte.

*Shown*: whether `tail` and `grep` show the record all the same. What is not shown is counted and named on stderr, and
`sessions show SESSION --line N` shows its bytes.
"""
HEADINGS = {
    "whole": (
        "The file as a whole",
        "Where one of these is found, no line, header or row of that file is judged.",
    ),
    "line": ("Lines", "One finding for each line, or for all lines that one record takes."),
    "header": ("The header", "Of formats whose sessions begin with one."),
    "bytes": ("All lines together", "Told once for a file, after its lines were read."),
    "rows": ("Rows", "Records against each other and against the header; journals too."),
    "text": ("The text of memory files", "Of MEMORY.md and its like; memcli never changes them."),
    "file": ("What stat tells", "Of every file of a workspace."),
    "workspace": ("Around the files", "Files against each other: leftovers, copies, locks, cursors."),
}
SHOWN = {
    "empty-file": "there is nothing to show",
    "nul-run": "what stands beside the NULs",
    "missing-final-newline": "yes",
    "torn-tail": "no",
    "torn-line": "no",
    "bom": "yes",
    "utf16": "no",
    "foreign-type": "no (`-W` unpacks gzip, zip and tar)",
    "json-document": "as far as lines are records",
    "odd-file": "no",
    "spliced-line": "no",
    "glued-lines": "yes, each",
    "lone-cr": "yes, each",
    "interleaved-lines": "no",
    "junk-around-record": "no",
    "raw-control": "yes, unless it takes several lines",
    "split-record": "no",
    "cr-in-record": "yes",
    "invalid-utf8": "yes, bad bytes as U+FFFD",
    "lone-surrogate": "yes",
    "duplicate-keys": "yes, the last of the two",
    "nan": "yes",
    "python-repr": "no",
    "trailing-comma": "no",
    "missing-brace": "no",
    "broken-record": "no",
    "not-json": "no",
    "not-a-record": "as text",
    "conflict-markers": "the records between the markers",
    "oversize-line": "no; passed over in bounded memory",
    "too-deep": "as far as Python can read it",
    "huge-number": "no",
    "damaged-throughout": "each as its own class says",
    "checksum-mismatch": "the record, if it parses",
}
AGENTS = {"jsonl": "any reader"}
UNREADABLE = """### `unreadable`: the file cannot be opened

`sessions ls` only. Permission denied, vanished, a symlink loop; `why` has the words. `verify` names such files as not checked and
ends with 3.
"""


def page() -> str:
    """The whole page."""
    known: dict[str, Class] = {}
    parts = [INTRODUCTION, *_overview()]
    for scope in MODULES:
        if scope not in HEADINGS:
            continue
        heading, words = HEADINGS[scope]
        parts += [f"## {heading}\n", words + "\n"]
        for one in _classes(scope):
            if one.code not in known:
                known[one.code] = one
                parts.append(_section(one))
        if scope == "file":
            parts.append(UNREADABLE)
    return "\n".join(parts)


def _overview() -> list[str]:
    rows = ["| code | what | severity | repair |", "|---|---|---|---|"]
    seen: set[str] = set()
    for scope in MODULES:
        for one in _classes(scope):
            if one.code not in seen:
                seen.add(one.code)
                repair = " ".join(f"`{flag}`" for flag in one.flag.split("|")) if one.repair == "flag" else one.repair
                rows.append(f"| [`{one.code}`](#{_anchor(one)}) | {_cell(one.title)} | {one.severity} | {repair} |")
    return ["\n".join(rows) + "\n"]


def _section(one: Class) -> str:
    repair = one.repair + (f", `{one.flag}`" if one.flag else "")
    lines = [f"### `{one.code}`: {one.title}\n", f"{one.severity}; repair: {repair}.\n", f"{one.looks}\n"]
    lines += [f"- **{who}**: {said}" for who, said in _effects(one.code)]
    lines += [f"- **memcli**: {one.does}", f"- **lost**: {one.lost}"]
    if one.code in SHOWN:
        lines.append(f"- **shown**: {SHOWN[one.code]}")
    return "\n".join(lines) + "\n"


def _effects(code: str) -> list[tuple[str, str]]:
    """Who makes what of it; agents that make the same of it stand together."""
    said: dict[str, list[str]] = {}
    for name in FORMATS:
        table = effects(name)
        called = AGENTS.get(name, name)
        for prefix, words in (("", ""), ("journal:", ", journal"), ("memory:", ", memory file")):
            sentence = table.get(prefix + code)
            if sentence:
                said.setdefault(sentence, []).append(called + words)
    return [("; ".join(who), sentence) for sentence, who in said.items()]


def _classes(scope: str) -> list[Class]:
    return [one for module in modules(scope) for one in module.CLASSES]


def _anchor(one: Class) -> str:
    """The anchor that GitHub gives the heading of a section."""
    kept = "".join(char for char in f"{one.code}: {one.title}".lower() if char.isalnum() or char in " -_")
    return kept.replace(" ", "-")


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")
