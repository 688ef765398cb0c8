"""Where memcli keeps what it has of a workspace, and that a seal is found again."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from support.nanobot_files import ENCODED, ID, identify, memory, namespace

from memcli.core import discovering, sealing, stores, verifying
from memcli.model import Workspace
from memcli.storage import state


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MEMCLI_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path / ".nanobot"


def workspace(home: Path, name: str = "workspace") -> Path:
    """A workspace of nanobot 0.3.5 with its namespace in the home."""
    made = identify(home / name, ID)
    memory(made, "history.jsonl")
    namespace(home, ID, made, ENCODED)
    return made


def found(folder: Path) -> Workspace:
    [one] = discovering.find([str(folder)])
    return one


def unsealed(folder: Path) -> bool:
    *_, summary = verifying.verify(verifying.scope([], [str(folder)], None))
    assert isinstance(summary, verifying.Summary)
    return any("memcli seal" in sentence for sentence in summary.unchecked)


def test_a_workspace_is_called_by_its_own_id_as_other_commands_call_it(home):
    one = found(workspace(home))
    assert sealing.store(one).id == ID
    assert [store.id for store in stores.named([one.root], None)] == [ID]
    list(sealing.seal([one]))
    assert os.listdir(Path(state.stores()[0].folder) / "seals")
    assert [store.id for store in state.stores()] == [ID]


def test_a_seal_is_found_again_after_the_workspace_was_moved(home):
    made = workspace(home)
    list(sealing.seal([found(made)]))
    chat = home / "sessions" / ID / ENCODED
    moved = made.rename(home.parent / "moved")
    assert sealing.store(found(moved)).id == ID
    chat.write_bytes(chat.read_bytes() + chat.read_bytes().splitlines(keepends=True)[-1])
    items = list(verifying.verify(verifying.scope([], [str(moved)], None)))
    assert "seal-appended" in [getattr(item, "code", "") for item in items]


def test_a_copy_is_not_the_workspace_that_it_was_copied_from(home):
    made = workspace(home)
    list(sealing.seal([found(made)]))
    copy = home.parent / "copy"
    identify(copy, ID)
    memory(copy, "history.jsonl")
    assert sealing.store(found(copy)) == state.store(str(copy))
    assert unsealed(copy)
    assert not unsealed(made)


def test_what_was_begun_under_the_path_goes_on_there(home):
    made = home / "workspace"
    memory(made, "history.jsonl")
    (made / "sessions").mkdir()
    list(sealing.seal([found(made)]))
    before = sealing.store(found(made))
    assert before == state.store(str(made))
    identify(made, ID)
    namespace(home, ID, made, ENCODED)
    assert sealing.store(found(made)) == before


@pytest.mark.parametrize("agent", ["catbuddy", "cococat", "jsonl"])
def test_others_are_called_by_their_paths(agent, home, tmp_path):
    one = Workspace(agent, str(tmp_path), (str(tmp_path),))
    assert sealing.store(one) == state.store(str(tmp_path))
