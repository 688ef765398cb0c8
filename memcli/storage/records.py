"""The record of an operation: what was done to which files, as one JSON file beside the copies of the old bytes."""

from __future__ import annotations

import os
from typing import Any, NamedTuple

from memcli.storage import state
from memcli.storage.holders import Lock
from memcli.storage.versions import Version

FILE = "record.json"


class Change(NamedTuple):
    """What an operation did to one file. `kind` is "rewrite", "create", "remove", "chmod" or "append"; `old` is None
    for a created file, `new` for a removed one. `copy` is the name of the file with the old bytes (of an append: with
    the line, which stands at byte `offset` or, when others wrote too, behind it; `length` with its newline). What is
    `lasting` stays when the operation is undone, as a counter whose numbers must not be given a second time."""

    kind: str
    path: str
    root: str
    old: Version | None
    new: Version | None
    copy: str = ""
    offset: int = 0
    length: int = 0
    token: str = ""
    lasting: bool = False


class Committed(NamedTuple):
    """The commit that goes with an operation: `id` is that of it ("" when there is none, and `why` says so in a clause),
    `commits` all that were made, oldest first: one with what had been changed by hand may come before. `folder` and `tree`
    name the repository (git_keep.Keep), `parent` is the commit below, "" for none. `seconds` is its time, since the epoch;
    `files` are git_writing.Held."""

    folder: str
    tree: str
    message: str
    seconds: float
    token: str
    id: str = ""
    why: str = ""
    commits: tuple[str, ...] = ()
    parent: str = ""
    files: tuple[tuple[str, str, str, str], ...] = ()


class Record(NamedTuple):
    """One operation. `time` is ISO in UTC; `undoes` the id of the operation that this one undid, `undone_by` the id of
    the one that undid it. `locks` and `beacons` are the agent's, to be minded when it is undone. `published`: all was
    ready, and the first change about to be made. `note`: what went otherwise than planned. `commits`: one for each
    repository that it was to be committed in."""

    id: str
    sequence: int
    time: str
    what: str
    agent: str
    command: tuple[str, ...]
    changes: tuple[Change, ...]
    locks: tuple[Lock, ...] = ()
    beacons: tuple[str, ...] = ()
    pieces: int = 0
    pieces_bytes: int = 0
    undoes: str = ""
    undone_by: str = ""
    published: bool = False
    note: str = ""
    commits: tuple[Committed, ...] = ()

    @property
    def folder(self) -> str:
        """The name of the operation's folder: sorts by age."""
        return f"{self.sequence:06d}-{self.id}"


def write(folder: str, record: Record, *, durable: bool) -> None:
    """Write the record of the operation whose folder this is, in the place of an earlier one."""
    import json

    value = record._replace(undone_by="")._asdict()
    value["changes"] = [change._asdict() for change in record.changes]
    value["commits"] = [commit._asdict() for commit in record.commits]
    state.write_file(os.path.join(folder, FILE), json.dumps(value).encode() + b"\n", durable=durable)


def read(folder: str) -> Record | None:
    """The record in an operation's folder; None when there is none that can be read."""
    import json

    try:
        with open(os.path.join(folder, FILE), "rb") as file:
            value = json.load(file)
        value["changes"] = tuple(_change(one) for one in value["changes"])
        value["commits"] = tuple(_commit(one) for one in value.get("commits", ()))
        value["locks"] = tuple(Lock(*one) for one in value["locks"])
        value.update({name: tuple(value[name]) for name in ("command", "beacons")})
        return Record(**value)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def _change(value: dict[str, Any]) -> Change:
    old, new = (None if value[name] is None else Version(*value[name]) for name in ("old", "new"))
    return Change(**{**value, "old": old, "new": new})


def _commit(value: dict[str, Any]) -> Committed:
    files = tuple((str(name), str(before), str(hand), str(after)) for name, before, hand, after in value["files"])
    return Committed(**{**value, "files": files, "commits": tuple(value["commits"])})
