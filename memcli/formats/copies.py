"""Names that sync tools, file managers and editors give to a second copy of a file."""

from __future__ import annotations

from collections.abc import Container


def original_of(name: str, names: Container[str]) -> str | None:
    """The name of the file that `name` looks like a copy of, None when it does not look like one.

    `names` are the names in the same folder. Markers that nobody types by hand (Dropbox, Syncthing) count
    alone; "x 2", "x (1)", "x copy" or OneDrive's "x-LAPTOP-7" only beside an "x".
    """
    import re  # and the patterns compiled when first needed: most commands never ask

    stem, dot, extension = name.rpartition(".")
    if not dot:
        return None
    sure = re.fullmatch(_SURE, stem, re.IGNORECASE)
    if sure:
        return f"{sure[1]}.{extension}"
    likely = re.fullmatch(_LIKELY, stem)
    if likely and f"{likely[1]}.{extension}" in names:
        return f"{likely[1]}.{extension}"
    return None


_CONFLICT = (
    "conflicted copy",
    "conflict copy",
    "case conflict",
    "conflicto",
    "en conflit",
    "in Konflikt stehende",
    "冲突",
    "衝突",
    "競合",
)
_SURE = (
    r"(.+?)(?:"
    rf" ?\([^()]*(?:{'|'.join(_CONFLICT)})[^()]*\)"  # Dropbox, Nextcloud, ownCloud, in several languages
    r"|\.sync-conflict-\d{8}-\d{6}-\w{7}"  # Syncthing
    r"|_conflict-\d{8}-\d{6}"  # older ownCloud
    r")"
)
_LIKELY = (
    r"(.+?)(?:"
    r" \d{1,3}"  # iCloud Drive, Finder
    r"| ?\(\d{1,3}\)"  # browsers, Windows, Google Drive
    r"| copy(?: \d+)?"  # Finder
    r"| - Copy(?: \(\d+\))?"  # Explorer
    r"|(?: - | ?)(?:的)?副本(?: ?\d+| ?\(\d+\))?"  # Finder and Explorer in Chinese
    r"|-[A-Z][A-Za-z0-9]*(?:-[A-Z0-9]+)+"  # OneDrive: the name of the computer
    r")"
)
