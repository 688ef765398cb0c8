"""A file of another kind under the name of a file of rows."""

from __future__ import annotations

from collections.abc import Iterator

from memcli.damage.framework import Class
from memcli.damage.snapshots import WholeSnapshot
from memcli.model import Action, Edit, Finding

SCOPE = "whole"
CLASSES = (
    Class(
        "foreign-type",
        "another kind of file",
        "error",
        "report",
        looks="The first bytes are those of gzip, zip, SQLite, PDF, an image or a program.",
        does="Nothing; it is named. `-W` opens gzip, zip and tar.",
    ),
)


def detect(snapshot: WholeSnapshot) -> Iterator[Finding]:
    """One finding for the file."""
    for magic, kind in MAGIC:
        if snapshot.head.startswith(magic):
            yield CLASSES[0].finding(snapshot.path, f"This is {kind}, not a file of rows.", data={"kind": kind})
            return


def mend(snapshot: WholeSnapshot, finding: Finding) -> list[Edit | Action]:
    """Nothing."""
    return []


MAGIC = (
    (b"\x1f\x8b", "a gzip file"),
    (b"PK\x03\x04", "a zip file"),
    (b"PK\x05\x06", "an empty zip file"),
    (b"SQLite format 3\0", "an SQLite database"),
    (b"%PDF-", "a PDF"),
    (b"\x7fELF", "a program"),
    (b"MZ\x90", "a program"),
    (b"\x89PNG", "an image"),
    (b"\xff\xd8\xff", "an image"),
    (b"GIF8", "an image"),
    (b"BZh", "a bzip2 file"),
    (b"\xfd7zXZ\0", "an xz file"),
    (b"\x28\xb5\x2f\xfd", "a zstd file"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z file"),
)
