"""Lines that say the same, that cover each other, that contradict."""

from __future__ import annotations

import pytest

from memcli.core.asking.likeness import contradicts, covers, same

S, C, X, N = "same", "covers", "contradicts", "neither"


@pytest.mark.parametrize(
    ("one", "other", "what"),
    [
        ("- The repo uses pnpm.", "the repo uses pnpm", C),
        ("The repo uses pnpm for all packages", "The repo uses pnpm", C),
        ("Deploys run on Mondays with canary checks", "Deploys run on Mondays with rollback checks", S),
        ("Use tabs in this repo", "Never use tabs in this repo", X),
        ("这个仓库用制表符缩进", "这个仓库不用制表符缩进", X),
        ("The API port is 8080", "The API port is 9090", X),
        ("接口端口是 8080", "接口端口是 9090", X),
        ("The API port is 8080", "Likes short answers", N),
        ("Tests run on every push", "Tests may run on push", S),
        ("**回答**要简短。", "回答要简短", C),
    ],
)
def test_pairs(one: str, other: str, what: str) -> None:
    assert same(one, other) is (what in (S, C))
    assert covers(one, other) is (what == C)
    assert contradicts(one, other) is (what == X)
