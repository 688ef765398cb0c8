"""Unpacking what users send: every kind of archive, damage and malice."""

from __future__ import annotations

import bz2
import errno
import gzip
import io
import lzma
import os
import stat
import struct
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memcli.errors import CannotRead, RefusedInput
from memcli.storage import archive, unpacking
from memcli.storage.archive import Caps, Report, is_archive, unpack

ROW = b'{"role": "user", "content": "hello"}\n'
WHEN = 1_750_000_000
FILES = {
    "ws/sessions/desktop_main.jsonl": ROW * 9,
    "ws/memory/MEMORY.md": "- 喜欢蓝色\n".encode(),
    "ws/empty": b"",
}


def entry(name: str, kind: bytes = tarfile.REGTYPE, **more) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.mtime, info.mode = kind, WHEN, 0
    for attribute, value in more.items():
        setattr(info, attribute, value)
    return info


def tar_of(members: list[tuple[tarfile.TarInfo, bytes]], form: int = tarfile.PAX_FORMAT) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=form, errors="surrogateescape") as tar:
        for info, data in members:
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return out.getvalue()


def plain_tar(files: dict[str, bytes] = FILES, form: int = tarfile.PAX_FORMAT) -> bytes:
    return tar_of([(entry(name), data) for name, data in files.items()], form)


def zip_info(name: str, **more) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name, (2025, 6, 15, 15, 6, 40))
    info.compress_type = zipfile.ZIP_DEFLATED
    for attribute, value in more.items():
        setattr(info, attribute, value)
    return info


def zip_of(members: list[tuple[zipfile.ZipInfo, bytes]]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as made:
        for info, data in members:
            made.writestr(info, data)
    return out.getvalue()


def plain_zip(files: dict[str, bytes] = FILES) -> bytes:
    return zip_of([(zip_info(name), data) for name, data in files.items()])


KINDS: dict[str, tuple[Callable[[], bytes], str]] = {
    "zip": (plain_zip, "zip"),
    "tar": (plain_tar, "tar"),
    "tar, gnu": (lambda: plain_tar(form=tarfile.GNU_FORMAT), "tar"),
    "tar, ustar": (lambda: plain_tar(form=tarfile.USTAR_FORMAT), "tar"),
    "tar.gz": (lambda: gzip.compress(plain_tar()), "tar"),
    "tar.bz2": (lambda: bz2.compress(plain_tar()), "tar"),
    "tar.xz": (lambda: lzma.compress(plain_tar()), "tar"),
}


@pytest.fixture
def into(tmp_path: Path) -> Path:
    folder = tmp_path / "outer" / "into"
    folder.mkdir(parents=True)
    return folder


@pytest.fixture
def sent(tmp_path: Path) -> Callable[[bytes], str]:
    """Puts bytes into a file whose name tells nothing."""

    def write(content: bytes) -> str:
        path = tmp_path / "sent"
        path.write_bytes(content)
        return str(path)

    return write


def tree(folder: Path) -> dict[str, bytes]:
    return {os.path.relpath(path, folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def nothing_left(into: Path) -> bool:
    return list(into.parent.rglob("*")) == [into]


# ---------------------------------------------------------------------- what it is


@pytest.mark.parametrize("kind", KINDS)
def test_kinds_are_told_by_content(kind, sent):
    make, expected = KINDS[kind]
    assert is_archive(sent(make())) == expected


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", ""),
        (ROW, ""),
        (bytes(10240), ""),
        (b"PK\5\6" + bytes(18), "zip"),
        (b"PK and more text", ""),
        (gzip.compress(ROW), "gz"),
        (gzip.compress(bytes(10240)), "gz"),
        (gzip.compress(ROW * 999)[:40], "gz"),
        (b"\x1f\x8b\x08 and then nothing of the kind", "gz"),
        (b"\x1f\x8b", ""),
        (bz2.compress(ROW), ""),
        (lzma.compress(ROW), ""),
        (b"\xfd7zXZ\0 and then nothing of the kind", ""),
        (b"BZh and then nothing of the kind", ""),
        (b"SQLite format 3\0" + bytes(600), ""),
        (plain_tar()[:700], "tar"),
        (plain_tar()[:511], ""),
    ],
)
def test_other_content(content, expected, sent):
    assert is_archive(sent(content)) == expected


@pytest.mark.parametrize("kind", ["missing", "folder", "fifo", "loop"])
def test_what_cannot_be_read_is_no_archive(kind, tmp_path):
    path = tmp_path / "odd"
    if kind == "folder":
        path.mkdir()
    elif kind == "fifo":
        os.mkfifo(path)
    elif kind == "loop":
        path.symlink_to(path)
    assert is_archive(str(path)) == ""
    with pytest.raises(CannotRead):
        unpack(str(path), str(tmp_path))


def test_an_error_while_looking_is_no_archive(sent, monkeypatch):
    def fail(file):
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(archive, "_kind", fail)
    assert is_archive(sent(ROW)) == ""


# ---------------------------------------------------------------------- what comes out


@pytest.mark.parametrize("kind", KINDS)
def test_files_come_out_readable_and_with_their_times(kind, sent, into, monkeypatch):
    make, _ = KINDS[kind]
    report = unpack(sent(make()), str(into))
    assert tree(into) == FILES
    assert report == Report(tuple(str(into / name) for name in FILES))
    for name in FILES:
        found = (into / name).stat()
        assert (found.st_mtime, stat.S_IMODE(found.st_mode)) == (WHEN, 0o600)
    for folder in (into / "ws", into / "ws" / "sessions"):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_the_samples_come_out_as_tarfile_has_them(samples, into):
    archives = sorted(samples.glob("*.tar.gz"))
    assert archives
    for path in archives:
        target = into / path.name
        target.mkdir()
        report = unpack(str(path), str(target))
        with tarfile.open(path) as tar:
            members = [member for member in tar if member.isreg()]
            assert len(report.files) == len(members)
            for member in members:
                source = tar.extractfile(member)
                assert source is not None
                assert (target / member.name).read_bytes() == source.read()
                assert abs((target / member.name).stat().st_mtime - member.mtime) < 1e-5
        assert report.passed_over == ()


NAMES = [
    "会议/记忆.md",
    "caf\udce9/\udcff.jsonl",
    'a b/it\'s "x"\n.jsonl',
    "d/" * 20 + "deep.jsonl",
    "l" * 150 + "/" + "m" * 150 + ".jsonl",
    "名" * 60 + ".jsonl",
    "desktop:main.jsonl",
    "t:x.jsonl",
    "...dots/..x",
]


@pytest.mark.parametrize("form", [tarfile.PAX_FORMAT, tarfile.GNU_FORMAT])
@pytest.mark.parametrize("name", NAMES)
def test_names_survive_tar(name, form, sent, into):
    unpack(sent(plain_tar({name: ROW}, form)), str(into))
    assert tree(into) == {name: ROW}


@pytest.mark.parametrize("name", [name for name in NAMES if "\udce9" not in name])
def test_names_survive_zip(name, sent, into):
    unpack(sent(plain_zip({name: ROW})), str(into))
    assert tree(into) == {name: ROW}


def test_names_in_another_encoding_survive_zip(sent, into):
    raw = "会议记录.jsonl".encode("gbk")
    unpack(sent(plain_zip({"x" * len(raw): ROW}).replace(b"x" * len(raw), raw)), str(into))
    assert [os.fsencode(name) for name in tree(into)] == [raw]


def test_utf8_names_without_the_flag_survive_zip(sent, into):
    raw = "会议.jsonl".encode()
    unpack(sent(plain_zip({"x" * len(raw): ROW}).replace(b"x" * len(raw), raw)), str(into))
    assert list(tree(into)) == ["会议.jsonl"]


@pytest.mark.parametrize(("system", "expected"), [(0, "ws/sessions/a.jsonl"), (3, "ws\\sessions\\a.jsonl")])
def test_backslashes_part_folders_where_windows_wrote_them(system, expected, sent, into):
    members = [
        (zip_info("ws\\sessions\\", create_system=system), b""),
        (zip_info("x", create_system=system), ROW),
    ]
    members[1][0].filename = "ws\\sessions\\a.jsonl"
    if system:
        members = members[1:]
    unpack(sent(zip_of(members)), str(into))
    assert tree(into) == {expected: ROW}


def test_a_time_in_utc_wins_over_the_local_one(sent, into):
    extra = b"zz\1\0x" + struct.pack("<HHBi", 0x5455, 5, 1, WHEN - 7200)
    report = unpack(sent(zip_of([(zip_info("a", extra=extra), ROW)])), str(into))
    assert os.path.getmtime(report.files[0]) == WHEN - 7200


@pytest.mark.parametrize("date", [(1980, 0, 0, 0, 0, 0), (2107, 15, 31, 31, 63, 62)])
def test_a_nonsense_date_loses_nothing_of_a_zip(date, sent, into):
    unpack(sent(zip_of([(zip_info("a", date_time=date), ROW)])), str(into))
    assert tree(into) == {"a": ROW}


@pytest.mark.parametrize("mtime", ["1e999", "nan", "soon", "-1e30", "1750000000.25"])
def test_a_nonsense_date_loses_nothing_of_a_tar(mtime, sent, into):
    unpack(sent(tar_of([(entry("a", pax_headers={"mtime": mtime}), ROW)])), str(into))
    assert tree(into) == {"a": ROW}


def test_folders_and_dots(sent, into):
    members = [
        (entry("./", tarfile.DIRTYPE), b""),
        (entry("./ws/", tarfile.DIRTYPE), b""),
        (entry("./ws/empty", tarfile.DIRTYPE), b""),
        (entry("./ws//a.jsonl"), ROW),
    ]
    report = unpack(sent(tar_of(members)), str(into))
    assert tree(into) == {"ws/a.jsonl": ROW}
    assert (into / "ws" / "empty").is_dir()
    assert report.passed_over == ()


def header(name: bytes, size: bytes, kind: bytes = b"0", magic: bytes = b"", mtime: bytes = b"") -> bytes:
    """A tar header by hand."""
    block = name.ljust(100, b"\0") + b"0000644\0" * 3 + size.ljust(12, b"\0") + mtime.ljust(12, b"\0")
    block += b" " * 8 + kind + bytes(100) + magic
    block = block.ljust(512, b"\0")
    return block[:148] + b"%06o\0 " % sum(block) + block[156:]


END = bytes(1024)


def padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % 512)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (header(b"v7", b"%o" % len(ROW), b"\0") + padded(ROW) + END, {"v7": ROW}),
        (header(b"wide", b"\x80" + len(ROW).to_bytes(11, "big")) + padded(ROW) + END, {"wide": ROW}),
        (header(b"v7 folder/", b"", b"\0") + header(b"v7 folder/a", b"0") + END, {"v7 folder/a": b""}),
        (header(b"\xff\xfe", b"0") + END, {"\udcff\udcfe": b""}),
        (header(b"when", b"0", mtime=b"garbage") + END, {"when": b""}),
        (header(b"long link", b"3", b"K") + padded(b"abc") + header(b"a", b"0") + END, {"a": b""}),
        (header(b"contiguous", b"%o" % len(ROW), b"7") + padded(ROW) + END, {"contiguous": ROW}),
        (
            *[header(b"g", b"%o" % 22, b"g") + padded(b"22 mtime=1750000000.0\n") + header(b"a", b"0") + END],
            {"a": b""},
        ),
    ],
)
def test_old_and_rare_headers(content, expected, sent, into):
    assert is_archive(sent(content)) == "tar"
    report = unpack(sent(content), str(into))
    assert tree(into) == expected
    assert not report.truncated


def test_a_header_summed_with_signed_bytes(sent, into):
    block = bytearray(header(b"\xe9", b"0"))
    block[148:156] = b"%06o\0 " % (int(block[148:154], 8) - 256)
    unpack(sent(bytes(block) + END), str(into))
    assert list(tree(into)) == ["\udce9"]


# ---------------------------------------------------------------------- malice

HOSTILE = [
    "../evil", "a/../../evil", "a/..", "..", "/etc/evil", "//evil", "..\\evil", "a\\..\\..\\evil", "\\evil",
    "\\\\server\\share\\evil", "C:\\evil", "c:/evil", "../../../../../../tmp/evil",
]  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_a_tar_with_a_name_that_points_outside_is_refused_whole(name, sent, into):
    members = [
        (entry("ws/good.jsonl"), ROW),
        (entry("x", pax_headers={"path": name}), ROW),
        (entry("later"), ROW),
    ]
    with pytest.raises(RefusedInput, match="points out of the archive") as refusal:
        unpack(sent(tar_of(members)), str(into))
    assert repr(name) in refusal.value.sentence
    assert nothing_left(into)


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.DIRTYPE, tarfile.FIFOTYPE])
def test_whatever_the_member_is_its_name_may_not_point_outside(kind, sent, into):
    with pytest.raises(RefusedInput):
        unpack(sent(tar_of([(entry("../evil", kind, linkname="x"), b"")])), str(into))
    assert nothing_left(into)


@pytest.mark.parametrize("system", [0, 3])
@pytest.mark.parametrize("name", HOSTILE)
def test_a_zip_with_a_name_that_points_outside_is_refused_whole(name, system, sent, into):
    evil = zip_info("x", create_system=system)
    evil.filename = name
    with pytest.raises(RefusedInput, match="points out of the archive"):
        unpack(sent(zip_of([(zip_info("ws/good.jsonl"), ROW), (evil, ROW)])), str(into))
    assert nothing_left(into)


UNUSABLE = "its name cannot be used on this system"
PASSED_OVER = {
    "symlink": (entry("odd", tarfile.SYMTYPE, linkname="/etc/passwd"), "a symlink"),
    "hard link": (entry("odd", tarfile.LNKTYPE, linkname="good.jsonl"), "a hard link"),
    "character device": (entry("odd", tarfile.CHRTYPE, devmajor=1, devminor=3), "a device"),
    "block device": (entry("odd", tarfile.BLKTYPE), "a device"),
    "fifo": (entry("odd", tarfile.FIFOTYPE), "a FIFO"),
    "unknown": (entry("odd", b"Q"), "of an unknown kind"),
    "same name": (entry("good.jsonl"), "another member has its name"),
    "same name, otherwise written": (entry("./good.jsonl"), "another member has its name"),
    "a folder of the same name": (entry("good.jsonl", tarfile.DIRTYPE), "another member has its name"),
    "below a file": (entry("good.jsonl/a"), "another member has its name"),
    "over a folder": (entry("dir"), "another member has its name"),
    "nameless": (entry("./."), "another member has its name"),
    "too deep": (entry("d/" * 40 + "a"), "its path is too long"),
    "too long": (entry("/".join(["n" * 200] * 6)), "its path is too long"),
    "a part too long": (entry("n" * 300), UNUSABLE),
    "pax sparse": (
        entry("x", pax_headers={"GNU.sparse.major": "1", "GNU.sparse.name": "odd"}),
        "a sparse file",
    ),
    "gnu sparse": (entry("odd", tarfile.GNUTYPE_SPARSE), "a sparse file"),
    "with a NUL in its name": (entry("x", pax_headers={"path": "odd\0.jsonl"}), UNUSABLE),
}  # fmt: skip


@pytest.mark.parametrize("case", PASSED_OVER)
def test_tar_members_that_are_passed_over(case, sent, into):
    odd, why = PASSED_OVER[case]
    data = ROW * 99 if odd.isreg() or why == "of an unknown kind" else b""
    members = [(entry("good.jsonl"), ROW), (entry("dir/", tarfile.DIRTYPE), b""), (odd, data)]
    report = unpack(sent(tar_of([*members, (entry("last"), b"z")])), str(into))
    assert tree(into) == {"good.jsonl": ROW, "last": b"z"}
    assert [reason for _, reason in report.passed_over] == [why]
    assert not any(path.is_symlink() for path in into.rglob("*"))


def test_nothing_is_written_through_a_link(sent, into):
    outside = into.parent / "outside"
    outside.mkdir()
    members = [(entry("link", tarfile.SYMTYPE, linkname=str(outside)), b""), (entry("link/evil"), b"x")]
    report = unpack(sent(tar_of(members)), str(into))
    assert tree(into) == {"link/evil": b"x"}
    assert list(outside.iterdir()) == []
    assert report.passed_over == (("link", "a symlink"),)


def attributes(mode: int) -> int:
    return mode << 16


@pytest.mark.parametrize(
    ("info", "data", "why"),
    [
        (zip_info("odd", external_attr=attributes(stat.S_IFLNK | 0o777)), b"/etc/passwd", "a symlink"),
        (zip_info("odd", external_attr=attributes(stat.S_IFIFO)), b"", "a FIFO"),
        (zip_info("odd", external_attr=attributes(stat.S_IFCHR)), b"", "a device"),
        (
            zip_info("odd", compress_type=zipfile.ZIP_BZIP2),
            ROW,
            "compressed by method 12, which is not read here",
        ),
        (
            zip_info("odd", compress_type=zipfile.ZIP_LZMA),
            ROW,
            "compressed by method 14, which is not read here",
        ),
        (zip_info("./good.jsonl"), b"second", "another member has its name"),
        (zip_info("good.jsonl/", external_attr=attributes(stat.S_IFDIR)), b"", "another member has its name"),
        (zip_info("d/" * 40), b"", "its path is too long"),
    ],
)
def test_zip_members_that_are_passed_over(info, data, why, sent, into):
    good = zip_info("good.jsonl", external_attr=attributes(stat.S_IFREG | 0o000))
    report = unpack(sent(zip_of([(good, ROW), (info, data), (zip_info("last"), b"z")])), str(into))
    assert tree(into).get("last") == b"z"
    assert [reason for _, reason in report.passed_over] == [why]


def encrypted(content: bytes, name: bytes) -> bytes:
    """The zip with the encryption flag set for one member, in both of its headers."""
    changed = bytearray(content)
    for mark, flags, at_name in ((b"PK\3\4", 6, 30), (b"PK\1\2", 8, 46)):
        at = content.index(name, content.index(mark)) - at_name
        while changed[at : at + 4] != mark:
            at = content.index(name, at + at_name + 1) - at_name
        changed[at + flags] |= 1
    return bytes(changed)


def test_encrypted_members_are_passed_over(sent, into):
    content = encrypted(plain_zip({"good.jsonl": ROW, "secret.jsonl": ROW}), b"secret.jsonl")
    report = unpack(sent(content), str(into))
    assert tree(into) == {"good.jsonl": ROW}
    assert report.passed_over == (("secret.jsonl", "encrypted"),)


def test_an_archive_of_which_nothing_can_be_used_is_refused(sent, into):
    with pytest.raises(
        RefusedInput, match=r"nothing in it can be used; .*'secret.jsonl' was passed over \(encrypted\)"
    ):
        unpack(sent(encrypted(plain_zip({"secret.jsonl": ROW}), b"secret.jsonl")), str(into))
    assert nothing_left(into)


@pytest.mark.parametrize("content", [plain_zip({}), plain_tar({"a": b""})])
def test_an_archive_with_little_in_it(content, sent, into):
    assert unpack(sent(content), str(into)).passed_over == ()


# ---------------------------------------------------------------------- bombs

ZEROS = {"bomb": bytes(3 << 20)}


@pytest.mark.parametrize("kind", ["zip", "tar", "tar.gz", "tar.bz2", "tar.xz"])
def test_too_much_is_refused(kind, sent, into):
    content = {"zip": plain_zip, "tar": plain_tar}.get(kind, plain_tar)({"first": ROW} | ZEROS)
    packers = {"tar.gz": gzip.compress, "tar.bz2": bz2.compress, "tar.xz": lzma.compress}
    content = packers.get(kind, bytes)(content)
    with pytest.raises(RefusedInput, match="unpacks to more than 2 MiB"):
        unpack(sent(content), str(into), Caps(total=2 << 20))
    assert nothing_left(into)


@pytest.mark.parametrize("content", [plain_zip(ZEROS), gzip.compress(plain_tar(ZEROS))])
def test_a_bomb_is_known_by_its_ratio(content, sent, into):
    with pytest.raises(RefusedInput, match="more than 200 times its size"):
        unpack(sent(content), str(into), Caps(ratio_from=1 << 20))
    assert nothing_left(into)


@pytest.mark.parametrize("content", [plain_zip(ZEROS), gzip.compress(plain_tar(ZEROS))])
def test_a_small_archive_may_pack_well(content, sent, into):
    unpack(sent(content), str(into))
    assert tree(into) == ZEROS


@pytest.mark.parametrize("kind", ["zip", "tar"])
def test_too_many_members_are_refused(kind, sent, into):
    files = {f"f{number}": b"" for number in range(9)}
    content = plain_zip(files) if kind == "zip" else plain_tar(files)
    assert len(unpack(sent(content), str(into), Caps(members=9)).files) == 9
    with pytest.raises(RefusedInput, match="more than 8 members"):
        unpack(sent(content), str(into / "f0" / ".." / ".." / "into"), Caps(members=8))


def test_folders_and_links_count_as_members(sent, into):
    members = [(entry(f"l{n}", tarfile.SYMTYPE, linkname="x"), b"") for n in range(5)]
    with pytest.raises(RefusedInput, match="more than 4 members"):
        unpack(sent(tar_of(members)), str(into), Caps(members=4))
    assert nothing_left(into)


@pytest.mark.parametrize("wide", ["", "beside", "elsewhere"])
def test_a_huge_table_of_contents_is_refused_unread(wide, sent, into):
    """The end record, or a zip64 record that stands before it or where its locator points, claims 60 MB."""
    claim = 60 << 20
    end = b"PK\5\6" + bytes(8) + struct.pack("<IIH", 0 if wide else claim, 0, 0)
    record = b"PK\6\6" + struct.pack("<Q", 44) + bytes(28) + struct.pack("<QQ", claim, 0)
    locator = b"PK\6\7" + struct.pack("<IQI", 0, 4, 1)
    before = {"": b"", "beside": record + locator, "elsewhere": record + bytes(80) + locator}[wide]
    with pytest.raises(RefusedInput, match="more than 100,000 members"):
        unpack(sent(b"PK\3\4" + before + end), str(into))


def test_a_table_of_contents_that_repeats_itself_unpacks_once(sent, into):
    content = plain_zip({"a": bytes(1 << 20)})
    start, stop = content.index(b"PK\1\2"), content.index(b"PK\5\6")
    table = content[start:stop] * 50
    end = b"PK\5\6" + bytes(4) + struct.pack("<HHIIH", 50, 50, len(table), start, 0)
    report = unpack(sent(content[:start] + table + end), str(into), Caps(ratio_from=2 << 20))
    assert len(report.files) == 1
    assert report.passed_over == (("a", "another member has its name"),) * 49


def test_a_table_of_contents_that_gives_one_member_many_names_is_refused(sent, into):
    """Compressed bytes shared between members are how a small zip unpacks to petabytes."""
    content = plain_zip({"a": bytes(1 << 20)})
    start, stop = content.index(b"PK\1\2"), content.index(b"PK\5\6")
    table = b"".join(content[start:stop].replace(b"a", name) for name in (b"a", b"b", b"c"))
    end = b"PK\5\6" + bytes(4) + struct.pack("<HHIIH", 3, 3, len(table), start, 0)
    with pytest.raises(RefusedInput, match="it is damaged"):
        unpack(sent(content[:start] + table + end), str(into))
    assert nothing_left(into)


@pytest.mark.parametrize("kind", [b"x", b"g", b"L", b"K"])
def test_a_huge_header_is_refused_unread(kind, sent, into):
    with pytest.raises(RefusedInput, match=r"a header of 1,073,741,824 bytes"):
        unpack(sent(header(b"h", b"%o" % (1 << 30), kind) + bytes(4096)), str(into))


def test_headers_without_end_cost_neither_recursion_nor_memory(sent, into):
    pax = header(b"x", b"%o" % 11, b"x") + padded(b"11 path=ab\n")
    unpack(sent(pax * 5000 + header(b"a", b"0") + END), str(into))
    assert list(tree(into)) == ["ab"]


def test_digits_without_end_cost_no_time(sent, into):
    """What takes tarfile quadratic time (CVE-2024-6232)."""
    with pytest.raises(RefusedInput, match="an extended header does not parse"):
        unpack(sent(header(b"x", b"%o" % (1 << 20), b"x") + b"1" * (1 << 20)), str(into))


# ---------------------------------------------------------------------- damage


@pytest.mark.parametrize("kind", KINDS)
def test_cut_off_anywhere(kind, sent, into):
    """A cut archive is refused and leaves nothing; a tar cut behind a member lacks only its end mark."""
    content = KINDS[kind][0]()
    for size in range(0, len(content) - 1, max(1, len(content) // 40)):
        try:
            report = unpack(sent(content[:size]), str(into))
        except RefusedInput:
            assert nothing_left(into)
            continue
        assert report.truncated or tree(into) == FILES
        for path in report.files:
            os.unlink(path)
        for folder in sorted(into.rglob("*"), reverse=True):
            folder.rmdir()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    kind=st.sampled_from(sorted(KINDS)),
    where=st.floats(0, 0.999),
    value=st.integers(0, 255),
    more=st.binary(max_size=8),
)
def test_any_damage_is_refused_or_harmless(kind, where, value, more, tmp_path_factory):
    content = bytearray(KINDS[kind][0]())
    at = int(len(content) * where)
    content[at] = value
    content[at : at + len(more)] = more
    base = tmp_path_factory.mktemp("damage")
    (base / "sent").write_bytes(content)
    into = base / "outer" / "into"
    into.mkdir(parents=True)
    try:
        report = unpack(str(base / "sent"), str(into))
    except (RefusedInput, CannotRead):
        assert nothing_left(into)
    else:
        assert sorted(report.files) == sorted(str(into / name) for name in tree(into))
        assert [path for path in base.rglob("*") if path.is_file() and into not in path.parents] == [base / "sent"]


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "it is empty"),
        (ROW * 20, "there is no member where one should start, at byte 0"),
        (
            plain_tar({"a": ROW})[:1024] + b"x" * 512 + END,
            "there is no member where one should start, at byte 1,024",
        ),
        (plain_tar({"a": ROW})[:530], "it ends in the middle of a member"),
        (
            plain_tar({"a": ROW})[:1024] + b"x" * 100,
            "there is no member where one should start, at byte 1,024",
        ),
        (header(b"a", b"9z") + END, "a number in a header does not parse"),
        (header(b"a", b"\xff" * 12) + END, "a number in a header does not parse"),
        (header(b"x", b"5", b"x") + padded(b"nonsense") + END, "an extended header does not parse"),
        (header(b"x", b"11", b"x") + padded(b"99 path=") + END, "an extended header does not parse"),
        (header(b"x", b"12", b"x") + padded(b"+1 path=ab") + END, "a number in a header does not parse"),
        (
            header(b"x", b"14", b"x") + padded(b"12 size=1e9\n") + header(b"a", b"0") + END,
            "a number in a header",
        ),
        (plain_zip()[:-6] + b"\xff\xff\xff\x7f\0\0", "it is damaged"),
        (plain_zip()[:-30], "its table of contents is missing"),
        (plain_zip()[: len(plain_zip()) // 2], "its table of contents is missing"),
        (gzip.compress(plain_tar())[:-200], "it ends too early"),
        (lzma.compress(plain_tar())[:120], "it ends too early"),
        (bz2.compress(plain_tar())[:90], "it ends too early"),
    ],
)
def test_damage_is_named(content, why, sent, into):
    with pytest.raises(RefusedInput, match=why):
        unpack(sent(content), str(into))
    assert nothing_left(into)


def test_a_zip_member_that_fails_its_checksum_is_refused(sent, into):
    content = zip_of([(zip_info("a", compress_type=zipfile.ZIP_STORED), ROW)]).replace(b"hello", b"HELLO")
    with pytest.raises(RefusedInput, match=r"it is damaged .*CRC"):
        unpack(sent(content), str(into))
    assert nothing_left(into)


def test_a_tar_without_its_end_mark_is_whole_but_marked(sent, into):
    content = plain_tar({"a": ROW})[:1024]
    assert unpack(sent(content), str(into)) == Report((str(into / "a"),), (), True)


@pytest.mark.parametrize(
    ("change", "truncated", "why"),
    [
        (lambda packed: packed[:-8] + b"wrong" + packed[-3:], None, "CRC check failed"),
        (lambda packed: packed[:-4] + b"four", None, "Incorrect length"),
        (lambda packed: packed[:-5], True, ""),
        (lambda packed: packed + b"anything", False, ""),
        (lambda packed: packed + bytes(999), False, ""),
    ],
)
def test_the_checksum_behind_the_last_member(change, truncated, why, sent, into):
    path = sent(change(gzip.compress(plain_tar())))
    if why:
        with pytest.raises(RefusedInput, match=why):
            unpack(path, str(into))
        assert nothing_left(into)
    else:
        assert unpack(path, str(into)).truncated is truncated
        assert tree(into) == FILES


def test_a_full_disk_is_said_and_leaves_nothing(sent, into, monkeypatch):
    def full(self, size):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(unpacking.Sink, "spend", full)
    with pytest.raises(CannotRead, match=r"could not be unpacked into .*: no space left on device"):
        unpack(sent(plain_zip()), str(into))
    assert nothing_left(into)


def test_a_folder_that_may_not_be_written_is_said(sent, tmp_path, monkeypatch):
    def refuse(path, mode=0o777):
        raise PermissionError(errno.EACCES, "Permission denied", path)

    monkeypatch.setattr(unpacking.os, "mkdir", refuse)
    with pytest.raises(CannotRead, match="permission denied"):
        unpack(sent(plain_zip()), str(tmp_path / "outer"))


@pytest.mark.parametrize(
    ("error", "sentence"),
    [(MemoryError(), "it needs more memory than there is"), (KeyboardInterrupt(), None)],
)
def test_interruptions_leave_nothing(error, sentence, sent, into, monkeypatch):
    path = sent(plain_zip())

    def fail(self, size):
        raise error

    monkeypatch.setattr(unpacking.Sink, "spend", fail)
    with pytest.raises(RefusedInput if sentence else type(error), match=sentence):
        unpack(path, str(into))
    assert nothing_left(into)


def test_undo_survives_that_somebody_else_cleaned_up(into):
    sink = unpacking.Sink("x.zip", str(into), Caps(), 1)
    sink.file("a/b", str(into / "a" / "b"), [ROW], None)
    os.unlink(into / "a" / "b")
    sink.undo()
    assert nothing_left(into)


def test_a_name_that_no_system_can_write_is_passed_over(into):
    sink = unpacking.Sink("x.zip", str(into), Caps(), 1)
    assert sink.admit("half an emoji \ud83d") is None
    with pytest.raises(RefusedInput, match="its name cannot be used on this system"):
        sink.report()


@pytest.mark.parametrize(
    ("size", "words"), [(2 << 30, "2 GiB"), (300, "300 bytes"), (1 << 20, "1 MiB"), (5000, "5,000 bytes")]
)
def test_sizes_in_words(size, words):
    assert unpacking.size_in_words(size) == words


def test_the_standard_library_is_loaded_when_needed():
    lazy = {"zipfile", "tarfile", "lzma", "bz2", "gzip", "shutil", "tempfile"}
    code = f"import sys; from memcli.storage import archive; print(*{lazy} & set(sys.modules))"
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, text=True, check=True, cwd=root)
    assert done.stdout.strip() == ""
