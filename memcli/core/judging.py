"""What is wrong with a content before it is written anywhere, so that two contents can be held against each other."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Collection, Iterator

from memcli.core.examining import Examination, Hit, Target
from memcli.storage.lines import line_at
from memcli.storage.reading import open_regular


def hits(target: Target, source: str) -> Iterator[Hit]:
    """Everything that is wrong with the bytes of `source` if they stood in the target. The hits can be mended while they
    are taken. Raises CannotRead."""
    examination = Examination(target, limit=None, source=source, keep=True)
    try:
        yield from examination.hits()
    finally:
        examination.close()


def codes(target: Target, source: str, aside: Collection[bytes] = ()) -> Counter[str]:
    """How often each damage code is found in the bytes of `source`, those that are for information left out, and those on
    the lines `aside` (without newline). Raises CannotRead."""
    found: Counter[str] = Counter()
    fd = open_regular(source)
    try:
        for hit in hits(target, source):
            offset = hit.finding.offset
            here = aside and offset is not None and line_at(fd, offset).removesuffix(b"\n") in aside
            if hit.finding.severity != "info" and not here:
                found[hit.finding.code] += 1
    finally:
        os.close(fd)
    return found
