"""From what is typed to sessions, and what TAB may offer."""

from __future__ import annotations

from pathlib import Path

import pytest

from memcli.core import discovering, selecting
from memcli.errors import AmbiguousSession, UnknownSession

ROW = '{"role":"user","content":"hi"}\n'


def chats(folder: Path, *names: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        (folder / f"{name}.jsonl").write_text(ROW)
    return folder


MEANT = {
    # typed: the key meant among alpha, alphabet, beta and 你好
    "alpha": "alpha",
    "alphab": "alphabet",
    "BET": None,
    "Bet": None,
    "eta": "beta",
    "ETA": "beta",
    "好": "你好",
    "gamma": None,
    "a": None,
}


@pytest.mark.parametrize("typed", MEANT)
def test_meant(tmp_path: Path, typed: str) -> None:
    named = [str(chats(tmp_path / "c", "alpha", "alphabet", "beta", "你好"))]
    key = MEANT[typed]
    if key is None:
        with pytest.raises((UnknownSession, AmbiguousSession)):
            selecting.one(typed, named, None)
    else:
        assert selecting.one(typed, named, None).key == key


def test_many_candidates_are_named_in_part(tmp_path: Path) -> None:
    named = [str(chats(tmp_path / "c", *(f"chat-{n:02}" for n in range(20))))]
    with pytest.raises(AmbiguousSession, match="and 12 more; give a whole key or a path") as caught:
        selecting.one("chat", named, None)
    assert len(caught.value.facts["candidates"]) == 20


def test_candidates_with_one_key_are_named_by_their_files(tmp_path: Path) -> None:
    folder = tmp_path / "sessions"
    head = '{"key":"desktop:12","title":"","updated_at":"2026-05-20T08:30:00.000Z","last_consolidated":0}\n'
    for name in ("desktop_12", "desktop_12 (conflicted copy)", "desktop_123"):
        folder.mkdir(exist_ok=True)
        (folder / f"{name}.jsonl").write_text(head.replace("12", "123") if name.endswith("3") else head)
    with pytest.raises(AmbiguousSession) as caught:
        selecting.one("desktop:1", [str(folder)], "catbuddy")
    names = {str(folder / "desktop_12.jsonl"), str(folder / "desktop_12 (conflicted copy).jsonl"), "desktop:123"}
    assert set(caught.value.facts["candidates"]) == names


def test_a_key_goes_before_a_file_of_that_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chats(tmp_path / "c", "same")
    (tmp_path / "same").write_text(ROW)
    monkeypatch.chdir(tmp_path)
    assert selecting.one("same", [str(tmp_path / "c")], None).path == str(tmp_path / "c" / "same.jsonl")
    assert selecting.one("./same", [str(tmp_path / "c")], None).path == str(tmp_path / "same")


def test_several_keep_their_order(tmp_path: Path) -> None:
    named = [str(chats(tmp_path / "c", "a", "b", "d"))]
    loose = str(chats(tmp_path, "e") / "e.jsonl")
    assert [ref.key for ref in selecting.several(["d", loose, "a"], named, None)] == ["d", "e", "a"]


def test_files_need_no_workspace(tmp_path: Path) -> None:
    path = str(chats(tmp_path, "a") / "a.jsonl")
    assert [ref.key for ref in selecting.several([path, path], None, None)] == ["a", "a"]


def test_every_session(tmp_path: Path) -> None:
    workspaces = discovering.find([str(chats(tmp_path / "c", "a", "b"))])
    assert sorted(ref.key for ref in selecting.refs(workspaces)) == ["a", "b"]


SAFE = ("plain", "with-dash", "a.b", "a@b", "a+b", "under_score", "CAPITALS", "0123")
HOSTILE = (
    "$(id)",
    "`id`",
    "a b",
    "a;b",
    "a'b",
    'a"b',
    "a\\b",
    "a$b",
    "a{b",
    "a[b",
    "a*",
    "a?",
    "a&b",
    "a|b",
    "a>b",
    "a\nb",
    "é",
    "端",
    "a\x1bb",
    "a!b",
    "a~b",
    "a#b",
    "a=b",
    "a%b",
    "(a)",
)


def test_only_harmless_keys_are_offered(tmp_path: Path) -> None:
    named = [str(chats(tmp_path / "c", *SAFE, *HOSTILE))]
    assert selecting.safe_keys(named, "") == sorted(SAFE)
    assert selecting.safe_keys(named, "a.") == ["a.b"]
    assert selecting.safe_keys(named, "zzz") == []


def test_no_more_are_offered_than_one_can_look_at(tmp_path: Path) -> None:
    named = [str(chats(tmp_path / "c", *(f"k{n}" for n in range(250))))]
    assert len(selecting.safe_keys(named, "")) == selecting.COMPLETIONS
