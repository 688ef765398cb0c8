"""Files that could not be read."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator

from memcli.core import listing
from memcli.core.checks.framework import SHOWN, Case, Check, many

CHECK = "unread"
LOOKED = "files that cannot be read"
CODES: tuple[str, ...] = ()
KINDS: tuple[str, ...] = ()


def look(case: Case) -> Iterator[Check]:
    """One line."""
    odd = {one.path for findings in case.told.values() for one in findings if one.code == "odd-file"}
    unread = [(path, why) for path, why in case.unread if listing.shown(case.workspace, path) not in odd]
    if unread:
        paths = [path for path, _ in unread]
        told = [f"{case.name(listing.shown(case.workspace, path))}: {why}." for path, why in unread]
        message = f"{many(len(paths), 'file')} could not be read: {', '.join(dict.fromkeys(why for _, why in unread))}"
        yield Check(CHECK, "error", message, len(paths), _opening(paths), tuple(told[:SHOWN]))


def _opening(paths: list[str]) -> str:
    """What lets the files be read where they are our own, else what tells whose they are."""
    closed = [path for path in paths if _is_closed(path)]
    if closed:
        return shlex.join(["chmod", "u+rwX", "--", *closed])
    return shlex.join(["ls", "-ld", "--", *paths[:SHOWN]])


def _is_closed(path: str) -> bool:
    try:
        return os.stat(path).st_uid == os.geteuid() and not os.access(path, os.R_OK)
    except OSError:
        return False
