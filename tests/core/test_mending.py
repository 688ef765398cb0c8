"""One file made whole on paper, over damage made by machine: nothing invented, nothing valid touched, and it comes to an end."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import damaging
from support.chats import ALL, CATBUDDY, NANOBOT
from support.damaging import Generator
from support.mending import Chat, Mended, invents_nothing, is_record, keeps_valid_lines
from support.repairs import Place, wishes

from memcli.core import examining
from memcli.core.examining import Target
from memcli.core.mending import Mending
from memcli.errors import RefusedForSafety
from memcli.model import Edit, Finding
from memcli.storage import screen
from memcli.storage.edits import spliced

EXACT = 0.97
"""Of records whose bytes are all present at least so many come back exactly."""
STRIDE = 7
"""Every so many-th damage is made in the quick run, all of it in the slow one."""


def mending(folder: Path, chat: Chat, data: bytes, *, lossy: bool = False, **flags: str) -> Mending:
    place = Place(folder, chat, data)
    target = Target(str(place.path), str(place.path), "session", place.workspace)
    return Mending(target, wishes(lossy, {name.replace("_", "-"): value for name, value in flags.items()}))


def content(found: Mending, data: bytes) -> bytes:
    return b"".join(found.draft.content()) if found.draft else data


def check(folder: Path, chat: Chat, generator: Generator, stride: int) -> None:
    present = back = runs = 0
    for number, (data, whole) in enumerate(generator(chat)):
        if number % stride:
            continue
        runs += 1
        found = mending(folder, chat, data)
        after = content(found, data)
        codes = {one.finding.code for one in found.mended}
        if found.draft:
            edits = found.draft.rope.edits()
            assert spliced(data, edits) == after
            gone = b"".join(data[span.offset :][: span.length] for span in found.draft.rope.gone())
            assert len(gone) == sum(edit.length for edit in edits) or found.draft.rounds > 1
            assert content(mending(folder, chat, after), after) == after, "repairing twice is not repairing once"
            if found.after is not None and "duplicate-record" not in codes:
                assert found.after.seen >= found.before.seen
        mended = Mended(after, found.findings)
        if "duplicate-record" not in codes and "duplicate-header" not in codes:
            keeps_valid_lines(data, mended)
            left = list(mended.records)
            present += len(whole)
            for line in whole:
                if line in left:
                    left.remove(line)
                    back += 1
        invents_nothing(chat, data, mended)
        assert found.counts.kept + found.counts.mended >= len([*filter(is_record, data.split(b"\n"))]) - 2
    assert runs
    assert back >= EXACT * present, f"{back} of {present} records came back"


@pytest.mark.parametrize("generator", damaging.ALL, ids=lambda one: one.__name__)
@pytest.mark.parametrize("chat", ALL, ids=lambda one: one.agent)
def test_damage_of_every_kind_is_mended_without_inventing_anything(chat, generator, tmp_path):
    check(tmp_path, chat, generator, STRIDE if generator not in (damaging.encoded, damaging.dropped) else 1)


@pytest.mark.slow
@pytest.mark.parametrize("generator", damaging.ALL, ids=lambda one: one.__name__)
@pytest.mark.parametrize("chat", ALL, ids=lambda one: one.agent)
def test_damage_of_every_kind_at_every_place(chat, generator, tmp_path):
    check(tmp_path, chat, generator, 1)


def test_a_healthy_file_has_no_draft(tmp_path):
    for chat in ALL:
        assert mending(tmp_path / chat.agent, chat, chat.whole).draft is None


H, R = NANOBOT.lines[0].replace(b'"last_archived": 0', b'"last_archived": 4'), NANOBOT.lines


@pytest.mark.parametrize(
    ("lines", "offset"),
    [
        ([H, R[1][:40], *R[2:]], 3),  # a message before the offset is lost: the fifth one is the fourth now
        ([H, R[1][:40] + R[2], *R[3:]], 3),
        ([H, R[1] + R[2], *R[3:]], 4),  # both are there again
        ([H, *R[1:5], R[5][:20]], 4),  # what is lost comes behind
        ([H, b'"x', *R[1:]], 4),  # a line that was never a message
        ([H[:-5] + b"}" * 0, R[1][:40], *R[2:]], 3),  # the header is cut as well, its number can be read
        ([R[1][:30], H, *R[2:]], 3),  # the header was not on top
    ],
)
def test_offsets_move_with_the_rows_that_they_count(lines, offset, tmp_path):
    data = damaging.joined(*lines)
    after = content(mending(tmp_path, NANOBOT, data, lossy=True), data)
    assert b'"last_archived": %d,' % offset in after.split(b"\n")[0]


def test_an_offset_beyond_the_rows_is_reset_and_not_moved(tmp_path):
    far = H.replace(b'"last_archived": 4', b'"last_archived": 400')
    data = damaging.joined(far, R[1][:40], *R[2:])
    after = content(mending(tmp_path, NANOBOT, data), data)
    assert b'"last_archived": 0,' in after


def test_no_answer_is_made_up_while_a_row_cannot_be_read(tmp_path):
    lines = [*CATBUDDY.lines[:3], b"no json at all", *CATBUDDY.lines[4:]]
    data = damaging.joined(*lines)
    assert content(mending(tmp_path, CATBUDDY, data, synthesize_results=""), data) == data
    after = content(mending(tmp_path, CATBUDDY, data, lossy=True, synthesize_results=""), data)
    assert b"result of this call was lost" in after


def test_a_file_of_which_nothing_would_be_left_stays(tmp_path):
    found = mending(tmp_path, NANOBOT, R[1][:60])
    assert found.draft is None
    assert found.gave_up == "nothing would be left of it"
    assert "torn-tail" in [finding.code for finding in found.left]


def test_too_much_damage_is_told_and_left(tmp_path, monkeypatch):
    monkeypatch.setattr("memcli.core.mending.MOST", 10)
    data = damaging.joined(CATBUDDY.lines[0], *[CATBUDDY.lines[1][:30]] * 20)
    found = mending(tmp_path, CATBUDDY, data)
    assert found.draft is None
    assert found.gave_up == "it is damaged in too many places to be mended one by one"
    assert len(found.left) == 11


def test_lines_that_were_only_counted_are_too_much_damage(tmp_path, monkeypatch):
    monkeypatch.setattr(examining, "JUDGED", 10)
    monkeypatch.setattr(screen, "ALONE", 100)
    data = damaging.joined(CATBUDDY.lines[0], *[CATBUDDY.lines[1][:30]] * 20)
    found = mending(tmp_path, CATBUDDY, data)
    assert found.draft is None
    assert found.gave_up == "it is damaged in too many places to be mended one by one"
    assert "damaged-throughout" in [finding.code for finding in found.left]


def test_what_does_not_come_to_an_end_is_left(tmp_path, monkeypatch):
    monkeypatch.setattr("memcli.core.mending.ROUNDS", 1)
    data = damaging.joined(*CATBUDDY.lines[1:4], CATBUDDY.lines[4] + CATBUDDY.lines[5])
    found = mending(tmp_path, CATBUDDY, data)
    assert found.draft is None
    assert found.gave_up == "mending it does not come to an end"
    assert found.counts.mended == 0


def test_what_would_be_worse_is_left(tmp_path, monkeypatch):
    monkeypatch.setattr(Mending, "_is_worse", lambda self: True)
    found = mending(tmp_path, CATBUDDY, CATBUDDY.whole[:-1])
    assert found.draft is None
    assert found.gave_up == "what would come out is worse than what is there"
    assert [finding.code for finding in found.left if finding.repair == "safe"] == ["missing-final-newline"]


def test_a_file_that_changes_meanwhile_is_not_mended_from_what_it_was(tmp_path):
    found = mending(tmp_path, CATBUDDY, CATBUDDY.whole)
    path = Path(found.target.path)
    path.write_bytes(CATBUDDY.whole + b"\n")
    finding = Finding(str(path), "key-collision", "warning", "flag", "")
    with pytest.raises(RefusedForSafety):
        found.edit(finding, [Edit(0, 1, b"{", "key-collision")])
    assert found.draft is None


def test_views_tell_what_the_agent_sees_before_and_afterwards(tmp_path):
    found = mending(tmp_path, CATBUDDY, damaging.joined(*CATBUDDY.lines[:4], CATBUDDY.lines[4][:30]))
    assert (found.before.seen, found.before.total) == (0, 4)
    assert found.after is not None
    assert (found.after.seen, found.after.total) == (3, 3)
    assert found.counts == (3, 0, 1)
