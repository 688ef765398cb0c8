"""The log beside a repaired copy: every byte that differs, and what a person should look at."""

from __future__ import annotations

from collections.abc import Iterator

from memcli.core.blueprint import Blueprint
from memcli.core.drafts import read_at
from memcli.output.plan_view import visible
from memcli.output.safe_text import cell
from memcli.output.words import many


def log(blueprint: Blueprint, path: str, copy: str) -> Iterator[str]:
    """The lines of the log of a copy that was made from the session at `path`. Bytes are shown as text that hides nothing."""
    draft = blueprint.drafts.get(path)
    yield f"memcli repair: {cell(path)} copied to {cell(copy)}"
    yield "The original was not changed."
    if draft is None:
        yield "Nothing was mended: the copy has the same bytes."
    else:
        counts = blueprint.counts[path]
        yield f"SHA-256 of the original {draft.version.sha256}"
        yield f"SHA-256 of the copy     {draft.digest}"
        yield f"{many(counts.kept, 'row')} as before, {counts.mended:,} mended, {counts.quarantined:,} taken out."
    mended = [item for item in blueprint.items if item.state == "mend"]
    look = [item for item in mended if item.finding.data.get("reconstructed")]
    if look:
        yield ""
        yield f"TO BE LOOKED AT BY A PERSON: {many(len(look), 'line')} with records that were cut and are filled in."
        for item in look:
            yield f"  {_place(item.finding.line, item.finding.row)}: {cell(item.finding.message)}"
    for title, items in (("Mended", mended), ("Left", [item for item in blueprint.items if item.state == "left"])):
        if items:
            yield ""
            yield f"{title}:"
        for item in items:
            finding = item.finding
            yield f"  {finding.code} {_place(finding.line, finding.row)}: {cell(finding.message)}"
    if draft is not None:
        yield ""
        yield "Every edit, by its place in the original:"
        for edit in draft.rope.edits():
            yield f"  at byte {edit.offset:,} ({edit.code})"
            if edit.length:
                yield f"    - {visible(read_at(path, edit.offset, edit.length))}"
            if edit.replacement:
                yield f"    + {visible(edit.replacement)}"


def _place(line: int | None, row: int | None) -> str:
    found = [f"line {line}"] if line is not None else []
    found += [f"row {row}"] if row is not None else []
    return ", ".join(found) or "the file"
