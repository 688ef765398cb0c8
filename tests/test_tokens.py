"""Token counts: as tiktoken's over the official tables, without network, cached by content."""

from __future__ import annotations

import base64
import hashlib
import inspect
import os
import re
import runpy
import socket
import stat
import subprocess
import sys
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli import tokens
from memcli.errors import CannotRead, UsageError

ROOT = Path(__file__).parent.parent
OFFICIAL = {  # tiktoken_ext.openai_public, expected_hash
    "cl100k_base": "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
    "o200k_base": "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
}


@pytest.fixture(autouse=True)
def no_socket(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a socket was asked for")

    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MEMCLI_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(tokens, "_shards", {})
    return tmp_path / "cache" / "tokens"


def official_text(encoding: str) -> bytes:
    """The `.tiktoken` file, built again from the packed table."""
    ranks = tokens._ranks(encoding, tokens.ENCODINGS[encoding].sha256)
    return b"".join(b"%s %d\n" % (base64.b64encode(token), rank) for token, rank in ranks.items())


# counted with tiktoken 0.14.0 over the official files: o200k_base, cl100k_base
TABLE = [
    ("", 0, 0),
    ("a", 1, 1),
    ("Hello, world!", 4, 4),
    ("The quick brown fox jumps over the lazy dog.", 10, 10),
    ("antidisestablishmentarianism", 6, 6),
    ("你好，世界！", 4, 7),
    ("请把网站部署到生产环境，然后告诉我结果。", 12, 23),
    ("我昨天把聊天记录弄丢了", 9, 15),
    ("😀", 1, 2),
    ("👩\u200d👩\u200d👧\u200d👦 family", 12, 19),
    ("🇨🇳🇩🇪", 8, 12),
    ("don't we'll I'VE", 4, 7),
    ("1234567890", 4, 4),
    ("   \n\n  x\t\t", 4, 4),
    ("def f(x):\n    return x ** 2\n", 11, 11),
    ("<|endoftext|>", 7, 7),
    ("<|endoftext|><|endofprompt|>", 13, 13),
    ('{"role":"user","content":"hi"}', 9, 9),
    ("naïve café", 4, 4),
    ("\u2028\u2029\x85", 5, 6),
    ("日本語と한국어", 5, 9),
    ("\ud83d", 1, 1),
    ("a\ud83d\ude00b", 3, 4),
    ("\x00\x00\x00", 2, 3),
    ("Ⅷ ½ ²", 6, 6),
    ("A" * 100, 13, 13),
    (" " * 200 + "x", 3, 3),
]


@pytest.mark.parametrize(("text", "o200k", "cl100k"), TABLE)
def test_known_counts(text: str, o200k: int, cl100k: int) -> None:
    assert tokens.counter()(text) == o200k
    assert tokens.counter("cl100k_base")(text) == cl100k


def test_count_is_the_sum_over_texts() -> None:
    assert tokens.count(text for text, _, _ in TABLE) == sum(row[1] for row in TABLE)
    assert tokens.count([text for text, _, _ in TABLE], "cl100k_base") == sum(row[2] for row in TABLE)
    assert tokens.count([]) == 0


@pytest.mark.parametrize("encoding", tokens.ENCODINGS)
def test_table_is_the_official_one(encoding: str) -> None:
    assert hashlib.sha256(official_text(encoding)).hexdigest() == OFFICIAL[encoding]


@pytest.mark.parametrize("encoding", tokens.ENCODINGS)
def test_constants_are_those_of_the_installed_tiktoken(encoding: str, monkeypatch: pytest.MonkeyPatch) -> None:
    import tiktoken_ext.openai_public as public

    asked: list[str] = []

    def ranks(_: str, expected_hash: str) -> dict[bytes, int]:
        asked.append(expected_hash)
        return {}

    monkeypatch.setattr(public, "load_tiktoken_bpe", ranks)
    theirs: dict[str, Any] = public.ENCODING_CONSTRUCTORS[encoding]()
    ours = tokens.ENCODINGS[encoding]
    assert asked == [OFFICIAL[encoding]]
    assert (ours.pattern, ours.special) == (theirs["pat_str"], theirs["special_tokens"])


@pytest.mark.parametrize("encoding", tokens.ENCODINGS)
@pytest.mark.parametrize("blank", [" ", "\u3000"])
@pytest.mark.parametrize(("before", "after"), [("", ""), ("。\n", ""), ("字", "."), (" \n", "\nb")])
def test_a_megabyte_of_blanks_is_counted(encoding: str, blank: str, before: str, after: str) -> None:
    blanks = blank * (1_000_000 // len(blank))
    short = tokens.counter(encoding)(before + blanks[: 1000 * len(blank)] + after)
    assert tokens.counter(encoding)(before + blanks + after) > short


PIECES = [
    " " * 64,
    " " * 80,
    "\t" * 70,
    "\u3000" * 64,
    " ",
    "\n",
    "\r\n",
    "\x1c",
    "\u2028",
    "a",
    "字",
    ".",
    "/",
    "1",
    "'s",
]


@given(st.lists(st.sampled_from(PIECES), max_size=8).map("".join))
@pytest.mark.parametrize("encoding", tokens.ENCODINGS)
def test_cutting_at_long_blanks_changes_no_count(encoding: str, text: str) -> None:
    count = tokens.counter(encoding)
    whole = count(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tokens, "LONG_BLANK", 64)
        assert count(text) == whole


def test_unknown_encoding_lists_the_known_ones(cache: Path) -> None:
    for ask in (lambda: tokens.counter("p50k"), lambda: tokens.cached_count(b"k", lambda: 1, "p50k")):
        with pytest.raises(UsageError, match="cl100k_base, o200k_base"):
            ask()
    assert not cache.exists()


def _mutate(data: bytes) -> bytes:
    return data[:1000] + bytes([data[1000] ^ 1]) + data[1001:]


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (_mutate, "damaged"),
        (lambda data: data[:-1], "damaged"),
        (lambda _: b"", "damaged"),
        (None, "cannot be read"),
    ],
)
def test_a_damaged_table_is_not_used(
    change: Callable[[bytes], bytes] | None, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if change:
        packed = Path(tokens.DATA, "cl100k_base.ranks").read_bytes()
        (tmp_path / "cl100k_base.ranks").write_bytes(change(packed))
    monkeypatch.setattr(tokens, "DATA", str(tmp_path))
    monkeypatch.setattr(tokens, "_counters", {})
    with pytest.raises(CannotRead, match=f"{why}.*install memcli anew") as caught:
        tokens.count(["x"], "cl100k_base")
    assert caught.value.facts["path"] == str(tmp_path / "cl100k_base.ranks")


def test_packing_the_official_files_gives_the_shipped_tables(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "some.whl", "w") as wheel:
        wheel.writestr("a/0123abcd", official_text("cl100k_base"))
        wheel.writestr("a/small", "x")
        wheel.writestr("a/large", "x" * 1_100_000)
    (tmp_path / "plain").write_bytes(official_text("o200k_base"))
    pack = runpy.run_path(str(ROOT / "scripts/pack_ranks.py"))
    assert pack["main"]([str(tmp_path / "some.whl"), str(tmp_path / "plain"), "-o", str(tmp_path)]) == 0
    for encoding in tokens.ENCODINGS:
        shipped = Path(tokens.DATA, f"{encoding}.ranks").read_bytes()
        # zlib builds differ in what they write, not in what they read
        assert zlib.decompress((tmp_path / f"{encoding}.ranks").read_bytes()) == zlib.decompress(shipped)
    assert pack["main"]([str(tmp_path / "plain"), "-o", str(tmp_path)]) == 1
    with pytest.raises(ValueError, match="gaps"):
        pack["pack"](b"YQ== 0\nYg== 2\n")


def test_a_second_run_needs_no_tokenizer(cache: Path) -> None:
    code = "import sys; from memcli import tokens as t\n"
    code += "print(t.cached_count(b'k', lambda: t.count(['你好 world'])))"
    code += "; print('tiktoken' in sys.modules)"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *filter(None, sys.path)])}
    command = [sys.executable, "-c", code]
    runs = [subprocess.run(command, capture_output=True, text=True, check=True, env=environment) for _ in range(2)]
    assert [run.stdout.split() for run in runs] == [["2", "True"], ["2", "False"]]


def fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a new process."""
    monkeypatch.setattr(tokens, "_shards", {})


def never() -> int:
    raise AssertionError("the count is in the cache")


def test_cache_is_kept_by_key_and_encoding(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(200):
        assert tokens.cached_count(b"%d" % number, lambda: number) == number  # noqa: B023
    assert tokens.cached_count(b"7", lambda: 70, "cl100k_base") == 70
    assert tokens.cached_count(b"7", never) == 7
    fresh(monkeypatch)
    assert [tokens.cached_count(b"%d" % number, never) for number in range(200)] == list(range(200))
    assert tokens.cached_count(b"7", never, "cl100k_base") == 70
    assert stat.S_IMODE(cache.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in cache.iterdir()} == {0o600}
    assert len(list(cache.iterdir())) == 17


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: data[:-1],
        lambda data: data + b"\0" * 32,
        lambda data: data[5:],
        lambda data: b"\xff" * len(data),
        lambda data: data[:40] + b"!" + data[41:],
        lambda data: data + data,
    ],
)
def test_damaged_cache_is_recomputed_and_mended(
    damage: Callable[[bytes], bytes], cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tokens, "_RECORD", 32)
    keys = [key for key in map(str.encode, map(str, range(200))) if hashlib.sha256(key).digest()[0] < 16]
    assert len(keys) > 3
    for number, key in enumerate(keys):
        tokens.cached_count(key, lambda: number)  # noqa: B023
    (shard,) = cache.iterdir()
    shard.write_bytes(damage(shard.read_bytes()))
    for _ in range(2):
        fresh(monkeypatch)
        for number, key in enumerate(keys):
            assert tokens.cached_count(key, lambda: number) == number  # noqa: B023
    fresh(monkeypatch)
    tokens.cached_count(keys[0] + b"another", lambda: 0)
    fresh(monkeypatch)
    assert [tokens.cached_count(key, never) for key in keys] == list(range(len(keys)))


def test_cache_is_bounded_and_keeps_the_newest(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "SHARD_RECORDS", 8)
    for number in range(1000):
        tokens.cached_count(b"%d" % number, lambda: number)  # noqa: B023
    assert sum(path.stat().st_size for path in cache.iterdir()) <= 16 * 8 * 32
    fresh(monkeypatch)
    assert tokens.cached_count(b"999", never) == 999
    assert not [path for path in cache.iterdir() if path.suffix != ".counts"]
    for path in cache.iterdir():
        path.write_bytes(path.read_bytes()[:32] * 100)  # appended to by many at once
    fresh(monkeypatch)
    for number in range(200):
        tokens.cached_count(b"more %d" % number, lambda: number)  # noqa: B023
    assert sum(path.stat().st_size for path in cache.iterdir()) <= 16 * 8 * 32


def test_cache_that_cannot_be_used_changes_no_count(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache.parent.mkdir()
    cache.write_text("a file where the folder should be")
    assert tokens.cached_count(b"k", lambda: 5) == 5
    assert cache.read_text() == "a file where the folder should be"
    cache.unlink()
    fresh(monkeypatch)

    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", full)
        assert tokens.cached_count(b"k", lambda: 5) == 5
    monkeypatch.setattr(tokens, "SHARD_RECORDS", 0)
    fresh(monkeypatch)
    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", full)
        assert tokens.cached_count(b"k", lambda: 6) == 6
    assert [path.suffix for path in cache.iterdir()] == [".counts"]


def test_a_link_in_the_cache_is_not_written_through(cache: Path, tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("precious")
    cache.mkdir(parents=True)
    for number in range(16):
        (cache / f"o200k_base-{number:x}.counts").symlink_to(victim)
    assert tokens.cached_count(b"k", lambda: 5) == 5
    assert victim.read_text() == "precious"


FILL = """
import sys
from memcli.tokens import cached_count
for number in range(300):
    assert cached_count(b"%d" % (int(sys.argv[1]) + number), lambda: number) == number
"""


def test_processes_share_the_cache(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = f"import sys; sys.path[:0] = {sys.path!r}\n{FILL}"
    workers = [subprocess.Popen([sys.executable, "-c", code, start]) for start in ("0", "300", "600", "0")]
    assert [worker.wait() for worker in workers] == [0, 0, 0, 0]
    fresh(monkeypatch)
    assert [tokens.cached_count(b"%d" % number, never) for number in range(900)] == [*range(300)] * 3


def test_digest(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"x" * (1 << 20) + b"tail")
    fd = os.open(path, os.O_RDONLY)
    try:
        size = os.fstat(fd).st_size
        assert tokens.digest(fd, size) == hashlib.sha256(b"\0" + path.read_bytes()).digest()
        assert tokens.digest(fd, size, "text", "2") == hashlib.sha256(b"text\x002\0" + path.read_bytes()).digest()
        assert tokens.digest(fd, 3) == hashlib.sha256(b"\0xxx").digest()
        assert tokens.digest(fd, size + 100) == tokens.digest(fd, size)  # a file that shrank ends early
    finally:
        os.close(fd)


def test_data_readme_carries_the_licence() -> None:
    text = re.sub(r"\s*>?\s+", " ", Path(tokens.DATA, "README.md").read_text("utf-8"))
    assert "Copyright (c) 2022 OpenAI, Shantanu Jain" in text
    assert "this permission notice shall be included in all copies" in text


def test_module_imports_no_tokenizer_at_the_top() -> None:
    top = [line for line in inspect.getsource(tokens).splitlines() if re.match(r"(from|import) ", line)]
    assert not [line for line in top if re.search("tiktoken|hashlib|zlib|re$", line)]
