"""What waits in a journal, and which position is noted behind it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support import dreams

from memcli.core import entries, positions
from memcli.core.dream import journal_feed
from memcli.core.dream.wishes import Limits
from memcli.core.journals import every
from memcli.storage.versions import read_version

CURSOR = ".nanobot/workspace/memory/.dream_cursor"
JOURNAL = ".nanobot/workspace/memory/history.jsonl"


@pytest.fixture(autouse=True)
def own_state(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MEMCLI_STATE_DIR", str(tmp_path / "state"))


@pytest.mark.parametrize("where", ["before the position is read", "while the journal is read"])
def test_a_position_that_somebody_sets_meanwhile_is_not_overwritten(
    where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = dreams.nanobot(tmp_path, ["pnpm", "postgres", "port"], position=0)
    [journal] = every(workspace)
    real: Any = (entries.read, positions.position)

    def read(*given: Any) -> Iterator[Any]:
        yield from list(real[0](*given))
        dreams.old(tmp_path / CURSOR, "2")

    def position(*given: Any) -> Any:
        dreams.old(tmp_path / CURSOR, "2")
        return real[1](*given)

    with monkeypatch.context() as patch:
        if where.startswith("before"):
            patch.setattr(positions, "position", position)
        else:
            patch.setattr(entries, "read", read)
        found = journal_feed.read(journal, Limits())
    [write] = found.taken(len(found.said))
    assert write.expected is not None
    assert not write.expected.same(read_version(str(tmp_path / CURSOR)))


def test_a_number_that_stands_twice_is_not_parted_by_what_is_held(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = dreams.nanobot(tmp_path, ["pnpm", "postgres", "port", "fish", "answers", "weather"])
    path = tmp_path / JOURNAL
    dreams.old(path, path.read_text().replace('"cursor": 3', '"cursor": 2').replace('"cursor": 6', '"cursor": 2'))
    monkeypatch.setattr(journal_feed, "MOST", 2)
    found = journal_feed.read(every(workspace)[0], Limits())
    assert [one.number for one in found.said] == [1, 2, 2, 2]
    assert found.entries == 6
    [write] = found.taken(4)
    assert write.data == b"2"


def test_of_many_damaged_lines_a_few_are_named(tmp_path: Path) -> None:
    workspace = dreams.nanobot(tmp_path, ["pnpm"])
    path = tmp_path / JOURNAL
    dreams.old(path, "{\n" * 100 + path.read_text())
    found = journal_feed.read(every(workspace)[0], Limits())
    assert (found.entries, len(found.notes)) == (1, journal_feed.NOTES)
