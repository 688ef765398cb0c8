"""The damage that the first and the last bytes of a file show, for listings that must not read whole files."""

from __future__ import annotations

WINDOW = 4096
"""How many bytes of each end are looked at."""

_FOREIGN = (b"\x1f\x8b", b"PK\x03\x04", b"SQLite format 3\0", b"%PDF-", b"\x7fELF", b"\x89PNG", b"\xff\xd8\xff", b"GIF8")


def is_clean(head: bytes, tail: bytes) -> bool:
    """Whether both ends look like whole records, one a line: a cheap test that may only err towards False."""
    from stringzilla import count  # three times as fast as bytes.count, and a listing asks for every file

    if head[:1] != b"{" or tail[-2:] != b"}\n" or b"\0" in head:
        return False
    # every newline stands between two braces, but for the one that ends the window
    if count(head, b"}\n{") != count(head, b"\n") - (head[-1:] == b"\n"):
        return False
    if tail is head:
        return True
    return b"\0" not in tail and bool(count(tail, b"}\n{") == count(tail, b"\n") - 1)


def codes(head: bytes, tail: bytes, size: int) -> list[str]:
    """The damage codes that the two windows of a file of `size` bytes show, the gravest first."""
    if not size:
        return ["empty-file"]
    found = _whole_file(head, tail)
    if found:
        return found
    if head.startswith(b"\xef\xbb\xbf"):
        found.append("bom")
        head = head[3:]
    if b"\0" * 8 in head or b"\0" * 8 in tail:
        found.append("nul-run")
    found += _lines(head, tail, size)
    return list(dict.fromkeys(found))


def _whole_file(head: bytes, tail: bytes) -> list[str]:
    if not head.strip(b"\0") and not tail.strip(b"\0"):
        return ["nul-run"]
    if head.startswith(_FOREIGN):
        return ["foreign-type"]
    if head.startswith((b"\xff\xfe", b"\xfe\xff")) or _every_other_is_nul(head):
        return ["utf16"]
    if head.lstrip()[:1] == b"[" and b"\n{" not in head[:1024]:
        return ["json-document"]
    return []


def _every_other_is_nul(head: bytes) -> bool:
    sample = head[:200]
    return len(sample) >= 8 and b"\0" in (sample[:1], sample[1:2]) and sample.count(b"\0") >= len(sample) // 3


def _lines(head: bytes, tail: bytes, size: int) -> list[str]:
    """Flaws of the lines that lie whole in a window, and of the end of the file."""
    from memcli.storage.decode import decode

    found: list[str] = []
    lines = head.split(b"\n")
    if size > WINDOW:
        lines.pop()  # cut by the window, not by a crash
        lines += tail.split(b"\n")[1:]  # the first piece began before the window
    *ended, last = lines if len(lines) else [b""]
    for line in ended:
        if line in (b"", b"\r"):
            continue
        result = decode(line)
        if result.flaw:
            found.append(name_of_flaw(result.flaw))
        elif not isinstance(result.values[0], dict):
            found.append("not-a-record")
    if last.strip(b"\0"):
        found.append("missing-final-newline" if len(decode(last).values) == 1 else "torn-tail")
    return found


def name_of_flaw(flaw: str) -> str:
    """The documented code for a flaw that decoding one line reported."""
    return "spliced-line" if flaw == "torn-line" else flaw
