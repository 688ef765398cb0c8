"""One compressed file, and standard input."""

from __future__ import annotations

import errno
import gzip
import io
import os
import stat
import threading
import zlib
from pathlib import Path

import pytest

from memcli.errors import CannotRead, RefusedInput
from memcli.storage import archive
from memcli.storage.archive import Caps, Report, decompress, take_stream

ROW = '{"role": "user", "content": "你好 %06d"}\n'
TEXT = "".join(ROW % number for number in range(20_000)).encode()
PACKED = gzip.compress(TEXT, mtime=1_750_000_000)


@pytest.fixture
def into(tmp_path: Path) -> Path:
    folder = tmp_path / "into"
    folder.mkdir()
    return folder


def put(folder: Path, content: bytes, name: str = "history.jsonl.gz") -> str:
    path = folder / name
    path.write_bytes(content)
    os.utime(path, (1_600_000_000, 1_600_000_000))
    return str(path)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (PACKED, TEXT),
        (PACKED + gzip.compress(b"more\n"), TEXT + b"more\n"),
        (gzip.compress(b"") + PACKED, TEXT),
        (PACKED + bytes(4096), TEXT),
        (gzip.compress(b""), b""),
        (gzip.compress(bytes(2 << 20)), bytes(2 << 20)),
    ],
)
def test_whole_files(content, expected, tmp_path, into):
    report = decompress(put(tmp_path, content), str(into))
    assert report == Report((str(into / "history.jsonl"),))
    assert (into / "history.jsonl").read_bytes() == expected
    assert stat.S_IMODE((into / "history.jsonl").stat().st_mode) == 0o600


def test_other_data_behind_it_is_reported(tmp_path, into):
    report = decompress(put(tmp_path, PACKED + b"-- \nsent from my phone"), str(into))
    assert report.passed_over == (("the data behind its end", "it is not gzip"),)
    assert not report.truncated
    assert (into / "history.jsonl").read_bytes() == TEXT


@pytest.mark.parametrize("keep", [0.1, 0.5, 0.9, 0.999])
def test_what_a_truncated_file_holds_is_kept(keep, tmp_path, into):
    size = int(len(PACKED) * keep)
    report = decompress(put(tmp_path, PACKED[:size]), str(into))
    possible = zlib.decompressobj(31).decompress(PACKED[:size])
    assert report.truncated
    assert (into / "history.jsonl").read_bytes() == possible


def test_what_stands_before_damage_is_kept(tmp_path, into):
    at = len(PACKED) // 2
    content = PACKED[:at] + b"\xff" * 64 + PACKED[at + 64 :]
    report = decompress(put(tmp_path, content), str(into))
    before = zlib.decompressobj(31).decompress(PACKED[: at - archive.SIP])
    assert report.truncated
    assert (into / "history.jsonl").read_bytes().startswith(before)


@pytest.mark.parametrize("where", [-8, -4])
def test_a_wrong_checksum_loses_nothing(where, tmp_path, into):
    content = bytearray(PACKED)
    content[where] ^= 1
    report = decompress(put(tmp_path, bytes(content)), str(into))
    assert report.truncated
    assert (into / "history.jsonl").read_bytes() == TEXT


@pytest.mark.parametrize("content", [b"", b"no gzip at all", PACKED[:10], b"\x1f\x8b\x08\0" + b"\xff" * 99])
def test_what_gives_nothing_is_refused(content, tmp_path, into):
    path = put(tmp_path, content)
    if not content:
        assert decompress(path, str(into)) == Report((str(into / "history.jsonl"),))
        return
    with pytest.raises(RefusedInput, match="not a byte of it could be decompressed"):
        decompress(path, str(into))
    assert list(into.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "made"),
    [
        ("a.jsonl.gz", "a.jsonl"),
        ("A.GZ", "A"),
        ("a.jsonl", "a.jsonl"),
        (".gz", "data"),
        ("caf\udce9.gz", "caf\udce9"),
    ],
)
def test_names(name, made, tmp_path, into):
    assert decompress(put(tmp_path, PACKED, name), str(into)).files == (str(into / made),)
    assert os.listdir(into) == [made]


@pytest.mark.parametrize(("mtime", "expected"), [(1_750_000_000, 1_750_000_000), (0, 1_600_000_000)])
def test_the_time_in_the_header_wins(mtime, expected, tmp_path, into):
    report = decompress(put(tmp_path, gzip.compress(b"x", mtime=mtime)), str(into))
    assert os.path.getmtime(report.files[0]) == expected


def test_a_bomb_is_refused(tmp_path, into):
    path = put(tmp_path, gzip.compress(bytes(3 << 20)))
    for caps, why in (
        (Caps(total=1 << 20), "more than 1 MiB"),
        (Caps(ratio_from=1 << 20), "more than 200 times"),
    ):
        with pytest.raises(RefusedInput, match=why):
            decompress(path, str(into), caps)
        assert list(into.iterdir()) == []


def test_what_cannot_be_opened_or_written_is_said(tmp_path, into):
    with pytest.raises(CannotRead):
        decompress(str(tmp_path / "missing.gz"), str(into))
    with pytest.raises(CannotRead, match="no such file or directory"):
        decompress(put(tmp_path, PACKED), str(tmp_path / "nowhere" / "below"))


# ---------------------------------------------------------------------- standard input


def test_a_stream_becomes_a_file(into):
    report = take_stream(io.BytesIO(TEXT), str(into))
    [path] = report.files
    assert report == Report((str(into / "stdin.jsonl"),))
    assert Path(path).read_bytes() == TEXT


def test_a_stream_is_capped(into):
    assert take_stream(io.BytesIO(b"x" * 1024), str(into), Caps(total=1024))
    os.unlink(into / "stdin.jsonl")
    with pytest.raises(RefusedInput, match="Standard input is longer than 1 KiB"):
        take_stream(io.BytesIO(b"x" * 1025), str(into), Caps(total=1024))


def test_a_stream_that_cannot_be_read_is_said(into):
    class Folder(io.RawIOBase):
        def readable(self):
            return True

        def read(self, size=-1):
            raise IsADirectoryError(errno.EISDIR, "Is a directory")

    with pytest.raises(CannotRead, match="is a directory"):
        take_stream(Folder(), str(into))


def test_a_pipe_that_somebody_made_non_blocking_is_read_to_its_end(into):
    reader, writer = os.pipe()
    os.set_blocking(reader, False)
    first_wait = threading.Event()

    def write() -> None:
        first_wait.wait(10)
        with open(writer, "wb") as pipe:
            pipe.write(TEXT)

    thread = threading.Thread(target=write)
    thread.start()
    with open(reader, "rb") as pipe:

        class Watched:
            def read(self, size):
                piece = pipe.read(size)
                if piece is None:
                    first_wait.set()
                return piece

            def fileno(self):
                return reader

        [path] = take_stream(Watched(), str(into)).files
    thread.join()
    assert Path(path).read_bytes() == TEXT
