"""Files that are not UTF-8 with plain ends of lines."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from memcli.core.checks.framework import Case, Check, Group, evidence, groups, many, repair_words
from memcli.core.wishes import Wishes

CHECK = "encodings"
LOOKED = "encodings and ends of lines"
CODES = ("bom", "utf16", "invalid-utf8", "lone-surrogate", "crlf", "lone-cr", "cr-in-record")
KINDS: tuple[str, ...] = ()
TRIED = ("gb18030", "cp1252")
"""Encodings that are tried on lines that are no UTF-8, the strictest first."""
LARGEST = 8 << 20
"""Files up to so many bytes are tried."""


def look(case: Case) -> Iterator[Check]:
    """A line for each way to mend them."""
    memory = {file.path for file in case.snapshot.files if file.kind == "memory"}
    findings = case.told[CHECK]
    for group in groups(one for one in findings if one.path not in memory):
        words = repair_words(group)
        command = case.command(*words) if words else _showing(case, group)
        verb = "is" if len(group.paths) == 1 else "are"
        message = f"{many(len(group.paths), 'file')} {verb} not plain UTF-8 with LF ({group.codes})"
        if group.repair == "lossy" and (name := _encoding(case, group)):
            message += f"; read as {name} every one of these lines is a record"
            command = case.command("repair", "--apply", "--encoding", name)
        yield Check(CHECK, group.state, message, len(group.paths), command, evidence(case, group.findings))
    for group in groups(one for one in findings if one.path in memory):
        path = group.paths[0]
        message = f"{many(len(group.paths), 'memory file')} {'is' if len(group.paths) == 1 else 'are'} no UTF-8 ({group.codes})"
        source = "UTF-16" if group.findings[0].code == "utf16" else "GB18030"
        command = shlex.join(["iconv", "-f", source, "-t", "UTF-8", "-o", f"{path}.new", path])
        told = ("Look at the new file before it takes the place of the old one.", *evidence(case, group.findings))
        yield Check(CHECK, group.state, message, len(group.paths), command, told)


def _encoding(case: Case, group: Group) -> str:
    """The encoding that makes records of all the lines in question, "" where none does."""
    from memcli.core.planning import plan

    refs = [case.refs[path] for path in group.paths if path in case.refs]
    if len(refs) != len(group.paths) or sum(case.sizes[ref.path] for ref in refs) > LARGEST:
        return ""
    for name in TRIED:
        blueprint = plan(case.workspace, Wishes(flags={"encoding": name}), only=refs, tz=case.tz)
        found = [item for item in blueprint.items if item.finding.code == "invalid-utf8"]
        if found and all(item.state == "mend" for item in found):
            return name
    return ""


def _showing(case: Case, group: Group) -> str:
    first = group.findings[0]
    where = ["--line", str(first.line)] if first.line is not None else []
    return case.about(first.path, "sessions", "show", behind=where)
