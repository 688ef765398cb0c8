"""What memcli says that an agent sees, beside loaders of those agents that were written without it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
from support import damaging, oracle
from support.chats import CATBUDDY, COCOCAT
from support.mending import Chat
from support.oracle import Loaded
from support.repairs import Place, wishes

from memcli.core.examining import Target
from memcli.core.mending import Mending
from memcli.core.viewing import view

AGENTS: list[tuple[Chat, Callable[[bytes], Loaded]]] = [(CATBUDDY, oracle.catbuddy), (COCOCAT, oracle.cococat)]
JUNK = (
    b"log: ready",
    b"[1,2]",
    b"null",
    b"<<<<<<< HEAD",
    b"{}",
    b"12345678",
    b"\xff\xfe",
    b'{"a":NaN}',
    b"   ",
    b"\r",
    b'""',
)
BYTES = (b"\n", b"\r", b"\t", b"\x1b", b'"', b"{", b"}", b",", b"\xe4\xbd", b"\\", b"\xef\xbb\xbf", b"\xe2\x80\xa8")


def damaged(chat: Chat, random: Random) -> bytes:
    """A chat to which one to four things happened."""
    data = chat.whole
    for _ in range(random.randint(1, 4)):
        place = random.randrange(len(data) + 1)
        lines = data.split(b"\n")
        index = random.randrange(len(lines))
        what = random.randrange(12)
        if what == 0:
            data = data[:place]
        elif what == 1:
            data = data[:place] + data[place + random.randint(1, 80) :]
        elif what == 2:
            data = data[:place] + b"\0" * random.choice((1, 3, 8, 100, 576)) + data[place:]
        elif what == 3 and data:
            flipped = bytearray(data)
            flipped[place % len(data)] ^= 1 << random.randrange(8)
            data = bytes(flipped)
        elif what == 4:
            data = data.replace(b"\n", b"\r\n")
        elif what == 5:
            data = b"\n".join([*lines[:index], b"".join(lines[index : index + 2]), *lines[index + 2 :]])
        elif what == 6:
            data = b"\n".join([*lines[:index], random.choice(lines), *lines[index:]])
        elif what == 7:
            random.shuffle(lines)
            data = b"\n".join(lines)
        elif what == 8:
            data = b"\n".join([*lines[:index], random.choice(JUNK), *lines[index:]])
        elif what == 9:
            data = data[:place] + random.choice(BYTES) + data[place:]
        elif what == 10:
            start = random.randrange(len(data) + 1)
            data = data[:place] + data[start : start + random.randint(1, 200)] + data[place:]
        else:
            data = b"\n".join(lines[:index] + lines[index + 1 :])
    return data


def agree(folder: Path, chat: Chat, load: Callable[[bytes], Loaded], data: bytes) -> bool:
    """Both say the same of the damaged file and of what repair makes of it; whether it makes anything of it."""
    place = Place(folder, chat, data)
    target = Target(str(place.path), str(place.path), "session", place.workspace)
    if load is oracle.catbuddy:
        same(load(data), target, str(place.path), data)
    else:
        same(load(data)._replace(listed=True), target, str(place.path), data, listed=False)
    mending = Mending(target, wishes(True, {}))
    if mending.draft is None:
        return False
    after = b"".join(mending.draft.content())
    same(load(after), target, mending.draft.source, after, listed=load is oracle.catbuddy)
    assert load(after).seen >= load(data).seen - mending.lost
    assert mending.after == view(target, mending.draft.source)
    return True


def same(loaded: Loaded, target: Target, source: str, data: bytes, listed: bool = True) -> None:
    seen = view(target, source)
    assert seen.seen == loaded.seen, (data, seen)
    assert not listed or seen.listed == loaded.listed, (data, seen)


@pytest.mark.parametrize(("chat", "load"), AGENTS, ids=["catbuddy", "cococat"])
@pytest.mark.parametrize("seed", range(4))
def test_damaged_at_random(chat, load, seed, tmp_path):
    random = Random(seed)
    mended = sum(agree(tmp_path, chat, load, damaged(chat, random)) for _ in range(60))
    assert mended > 20


@pytest.mark.slow
@pytest.mark.parametrize(("chat", "load"), AGENTS, ids=["catbuddy", "cococat"])
def test_a_thousand_damaged_files(chat, load, tmp_path):
    random = Random(1000)
    assert sum(agree(tmp_path, chat, load, damaged(chat, random)) for _ in range(1000)) > 400


@pytest.mark.parametrize(("chat", "load"), AGENTS, ids=["catbuddy", "cococat"])
@pytest.mark.parametrize("generator", damaging.ALL, ids=lambda one: one.__name__)
def test_damaged_at_many_places(chat, load, generator, tmp_path):
    for number, (data, _) in enumerate(generator(chat)):
        if number % 23 == 3:
            agree(tmp_path, chat, load, data)
