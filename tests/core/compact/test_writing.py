"""What a summary changes beside the session."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import compacted, dreams
from support.compacted import LONG, WISHES

from memcli.core import sealing
from memcli.core.dream import marks, places, running, wishes
from memcli.llm.offline import Offline
from memcli.storage import undo


@pytest.mark.parametrize("trim", [False, True])
def test_dream_need_not_read_a_compacted_chat_again(
    trim: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMCLI_STATE_DIR", str(tmp_path / "state"))
    chat = compacted.chat(tmp_path, "catbuddy", compacted.talk(*LONG))
    asked = wishes.Wishes(idle=0.0, force_live=True)
    [place] = places.places([chat.workspace], "sessions")
    store = sealing.store(chat.workspace)

    def outcomes() -> list[str]:
        return [one.outcome for one in running.run(place, asked, Offline({}), running.WRITE, command=["memcli"])]

    assert outcomes() == ["dreamt"]
    before = marks.read(store).by_session[chat.ref.key]
    assert chat.named().outcome == "compacted"
    done = chat.named(WISHES._replace(trim=9), trim=True) if trim else None
    status = chat.path.stat()
    mark = marks.read(store).by_session[chat.ref.key]
    assert (mark.size, mark.mtime_ns) == (status.st_size, status.st_mtime_ns)
    assert mark.size != before.size
    assert mark.tail == before.tail
    if done:  # what Dream noted meanwhile is no obstacle
        assert done.outcome == "trimmed"
        dreams.session(chat.path.parents[1], "later", ["fish"])
        assert outcomes() == ["dreamt"]
        undo.undo(store, done.landed.record.id)
        assert outcomes() == ["nothing"]
