"""The inbox: what is put there is read again, ids are given once, damage hides nothing."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.core import inbox, proposal_files
from memcli.core.inbox import APPROVED, EDITS, OPEN, REJECTED, Decision, Proposal, ProposedEdit, ProposedItem
from memcli.errors import RefusedForSafety
from memcli.model import Item, Source
from memcli.storage import state, undo
from memcli.storage.state import Store

ITEM = Item("喜欢喝茶", "user", "preference", (Source(3, "我喜欢喝茶"),), 0.75, "2027-01-31")
OTHER = Item("Ships on Fridays", "project", "fact", (), 1.0)


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    monkeypatch.setenv("MEMCLI_STATE_DIR", str(tmp_path / "state"))
    return state.store(str(tmp_path / "workspace"))


def put(store: Store, proposal: Proposal | None = None) -> Proposal:
    with undo.begin(store, "dream proposal") as operation:
        made = inbox.put(operation, store, proposal or inbox.of_items([ITEM, OTHER], what="dream", seconds=0))
        operation.commit()
    return made


def test_what_is_put_is_read_again(store: Store) -> None:
    first = put(store)
    edit = ProposedEdit("1", "MEMORY.md", 4, b"\xff old", b"new\n", "why", b"be", b"\x00af")
    second = put(store, Proposal(EDITS, "lint", inbox.stamp(1), edits=(edit,), base={"MEMORY.md": "0" * 64}))
    assert inbox.read(store) == inbox.Inbox((first, second), ())
    assert (first.id, first.ids, first.time) == ("p1", ["1", "2"], "1970-01-01T00:00:00Z")
    assert (second.id, second.ids, second.edits[0].old) == ("p2", ["1"], b"\xff old")


def test_order_is_that_of_the_numbers(store: Store) -> None:
    assert [put(store).id for _ in range(11)][-1] == "p11"
    assert [one.id for one in inbox.read(store).proposals] == [f"p{number}" for number in range(1, 12)]


def test_nothing_is_made_by_reading(store: Store) -> None:
    assert inbox.read(store) == inbox.Inbox()
    assert not Path(store.folder).exists()


def test_an_id_is_given_once_also_after_undo(store: Store) -> None:
    put(store)
    undo.undo(store)
    assert inbox.read(store).proposals == ()
    assert put(store).id == "p2"
    (Path(store.folder) / "inbox" / "last").write_text("no number")
    assert put(store).id == "p3"


def test_ids_differ_under_several_memclis_at_once(store: Store) -> None:
    with ThreadPoolExecutor(6) as pool:
        made = list(pool.map(lambda _: put(store).id, range(12)))
    assert sorted(made) == sorted(f"p{number}" for number in range(1, 13))
    assert len(inbox.read(store).proposals) == 12


def decided(proposal: Proposal, *ids: str, status: str = APPROVED) -> Proposal:
    made = tuple(Decision(id, status, "2026-01-01T00:00:00Z", "so", "op-1") for id in ids)
    return proposal._replace(decisions=(*proposal.decisions, *made))


def change(store: Store, old: Proposal, new: Proposal) -> None:
    with undo.begin(store, "test") as operation:
        inbox.change(operation, store, old, new)
        operation.commit()


def test_statuses(store: Store) -> None:
    proposal = put(store)
    assert (proposal.status, proposal.open) == (OPEN, ["1", "2"])
    part = decided(proposal, "1")
    assert (part.status, part.open) == (OPEN, ["2"])
    assert decided(part, "2", status=REJECTED).status == APPROVED
    none = decided(proposal, "1", "2", status=REJECTED)
    assert (none.status, none.open) == (REJECTED, [])
    change(store, proposal, none)
    assert inbox.read(store).proposals == (none,)
    undo.undo(store)
    assert inbox.read(store).proposals == (proposal,)


def test_what_was_decided_meanwhile_is_not_changed(store: Store) -> None:
    proposal = put(store)
    change(store, proposal, decided(proposal, "1"))
    with pytest.raises(RefusedForSafety, match="was decided on by another memcli meanwhile"):
        change(store, proposal, decided(proposal, "2"))
    path = Path(store.folder) / "inbox" / "p1.json"
    path.write_text("{}")
    with pytest.raises(RefusedForSafety, match="was decided on"):
        change(store, proposal, decided(proposal, "2"))
    assert path.read_text() == "{}"


def test_what_an_operation_landed_is_opened_again(store: Store) -> None:
    proposal = put(store)
    part = decided(decided(proposal, "1"), "2", status=REJECTED)
    part = part._replace(decisions=(part.decisions[0], part.decisions[1]._replace(operation="")))
    change(store, proposal, part)
    other = put(store)
    with undo.begin(store, "revert") as operation:
        assert [one.open for one in inbox.reopen(operation, store, ["op-1", "op-9"])] == [["1"]]
        operation.commit()
    assert [one.open for one in inbox.read(store).proposals] == [["1"], other.open]


def value(**changes: Any) -> dict[str, Any]:
    made = proposal_files.value(inbox.of_items([ITEM], what="dream", seconds=0))
    return {name: one for name, one in {**made, **changes}.items() if one != "(left out)"}


def edit(**changes: Any) -> dict[str, Any]:
    made = {"id": "1", "path": "M.md", "offset": 0, "old": "a", "replacement": "b", **changes}
    return {name: one for name, one in made.items() if one != "(left out)"}


GOOD = {"text": "x", "layer": "user", "category": "fact", "confidence": 1}
DAMAGED: list[tuple[Any, str]] = [
    (b"", "it is no JSON"),
    (b"{", "it is no JSON"),
    (b"\xff\xff\xff", "it is no JSON"),
    (b"[" * 100_000, "it is no JSON"),
    ([], "it is no JSON object"),
    (value(kind="wishes"), "this version of memcli knows no kind 'wishes'"),
    (value(kind=3), "its member kind is not as it should be"),
    (value(what="(left out)"), "it has no what"),
    (value(items=[]), "it proposes no items"),
    (value(items="x"), "its member items is not as it should be"),
    (value(items=[3]), "its member items is not as it should be"),
    (value(items=[{"id": "1"}]), "it has no layer"),
    (value(items=[{"id": "1", **GOOD, "layer": "god"}]), "an item has another layer or category than there are"),
    (value(items=[{"id": "1", **GOOD, "confidence": True}]), "its member confidence is not as it should be"),
    (value(items=[{"id": "1", **GOOD, "expires": 3}]), "its member expires is not as it should be"),
    (value(items=[{"id": "1", **GOOD, "sources": [{"cursor": "1"}]}]), "its member cursor is not as it should be"),
    (value(items=[{"id": "1", **GOOD}, {"id": "1", **GOOD}]), "two of its items have the same id"),
    (value(decisions=[{"id": "1", "status": "perhaps"}]), "this version of memcli knows no status 'perhaps'"),
    (value(trailers={"A": "b"}), "its member trailers is not as it should be"),
    (value(base={"A": 1}), "its member base is not as it should be"),
    (value(about=[]), "its member about is not as it should be"),
    (value(kind="edits"), "it proposes no edits"),
    (value(kind="edits", items=[], edits=[edit(offset=-1)]), "its member offset is not as it should be"),
    (value(kind="edits", items=[], edits=[edit(old={"base64": "%"})]), "its member old is not as it should be"),
    (value(kind="edits", items=[], edits=[edit(old={"base64": 3})]), "its member old is not as it should be"),
    (value(kind="edits", items=[], edits=[edit(old="(left out)")]), "it has no old"),
]


@pytest.mark.parametrize(
    ("content", "why"), DAMAGED, ids=[f"{number} {why}" for number, (_, why) in enumerate(DAMAGED)]
)
def test_a_damaged_file_is_named_and_hides_nothing(store: Store, content: Any, why: str) -> None:
    proposal = put(store)
    path = Path(store.folder) / "inbox" / "p2.json"
    path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    assert inbox.read(store) == inbox.Inbox((proposal,), (inbox.Damaged(str(path), why),))
    assert put(store).id == "p3"


def test_what_is_no_file_is_named(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    put(store)
    folder = Path(store.folder) / "inbox"
    (folder / "p2.json").mkdir()
    (folder / "p3.json").symlink_to("nowhere")
    (folder / "notes.txt").write_text("x")
    monkeypatch.setattr(inbox, "LIMIT", 10)
    found = inbox.read(store)
    assert [Path(one.path).name for one in found.damaged] == ["p1.json", "p2.json", "p3.json"]
    assert found.damaged[0].why == "it is too large"


TEXT = st.text(max_size=12)
ITEMS = st.builds(
    Item,
    TEXT,
    st.sampled_from(["user", "project"]),
    st.sampled_from(["decision", "fact", "preference", "pattern"]),
    st.lists(st.builds(Source, st.integers(0, 1 << 40), TEXT), max_size=2).map(tuple),
    st.floats(0, 1),
    st.sampled_from(["", "2027-01-31"]),
)
EDIT = st.builds(
    ProposedEdit,
    st.sampled_from("123"),
    TEXT,
    st.integers(0, 1 << 40),
    st.binary(max_size=9),
    st.binary(max_size=9),
    TEXT,
    st.binary(max_size=4),
    st.binary(max_size=4),
)


@given(
    st.one_of(st.lists(ITEMS, min_size=1, max_size=3), st.lists(EDIT, min_size=1, max_size=3)),
    st.dictionaries(TEXT, TEXT),
)
def test_any_proposal_comes_back(pieces: list[Item] | list[ProposedEdit], about: dict[str, str]) -> None:
    items = tuple(ProposedItem(str(n), one) for n, one in enumerate(pieces) if isinstance(one, Item))
    edits = tuple(one for one in pieces if isinstance(one, ProposedEdit))
    proposal = Proposal("items" if items else "edits", "dream", "t", items=items, edits=edits, about=about)
    text = json.dumps(proposal_files.value(proposal), ensure_ascii=False).encode("utf-8", "surrogatepass")
    assert proposal_files.proposal(json.loads(text)) == proposal
