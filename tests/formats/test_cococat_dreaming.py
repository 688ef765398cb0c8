"""How a Dream writes into CocoCat's memory: dated blocks with labels, of a user in that user's file alone."""

from __future__ import annotations

import re
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.dreaming_suite import DAY, DreamingSuite, item

from memcli.formats import dreaming, load, longterm
from memcli.formats.facets import Target
from memcli.memory.blocks import blocks, items
from memcli.model import Item, Workspace

FACET = dreaming("cococat")
LAYERS = ("user", "project")
AGENT = Target("/r/agents/team_lead/memory/MEMORY.md", "/r", LAYERS)
USER = Target("/r/agents/a/memory/users/9cfc09aa76ff341a/PROFILE.md", "/r", LAYERS, "user")
PLAIN = Target("/r/agents/main/memory/memory.md", "/r", LAYERS)
FACTS = [
    item("deploys happen on Fridays", "project", "pattern"),
    item("short answers", "user", "preference"),
    item("port is 8080", "project", "fact"),
    item("use SQLite", "project", "decision"),
    item("works at night", "user", "fact"),
]
BULLETS = (
    "- **Key Decision**: use SQLite\n- **Fact Learned**: port is 8080\n- **Fact Learned**: works at night\n"
    "- **Preference**: short answers\n- **Pattern**: deploys happen on Fridays\n"
)


class TestCococat(DreamingSuite):
    """It passes the suite."""

    agent = "cococat"
    targets = (AGENT, USER)

    def told(self, one: Item) -> tuple[set[str], set[str]]:
        return {one.category}, {""}


class TestPlain(DreamingSuite):
    """So does the file of V2."""

    agent = "cococat"
    targets = (PLAIN,)

    def told(self, one: Item) -> tuple[set[str], set[str]]:
        return {"", "decision", "fact", "preference", "pattern"}, {""}


@pytest.fixture(autouse=True)
def far_east(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A machine where it is tomorrow already."""
    monkeypatch.setenv("TZ", "Asia/Shanghai")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


HEAD, PROFILE = "### 2026-05-29 Dream Consolidation\n", "## Dream Consolidation (2026-05-29)\n"


@pytest.mark.parametrize(
    ("target", "old", "new"),
    [
        (AGENT, "# A\n", f"# A\n\n{HEAD}{BULLETS}"),
        (AGENT, "# A\n\n- x", f"# A\n\n- x\n\n{HEAD}{BULLETS}"),
        (AGENT, "# A\n\n\n\n", f"# A\n\n\n\n{HEAD}{BULLETS}"),
        (AGENT, f"# A\n\n{HEAD}- **Pattern**: x", f"# A\n\n{HEAD}- **Pattern**: x\n{BULLETS}"),
        (AGENT, f"# A\n\n{HEAD}- a plain one\n", f"# A\n\n{HEAD}- a plain one\n\n{HEAD}{BULLETS}"),
        (AGENT, None, f"# Team Lead Memory\n\nPersonal memories and learnings for team_lead.\n\n{HEAD}{BULLETS}"),
        (USER, "- likes blue\n", f"- likes blue\n\n{PROFILE}{BULLETS}"),
        (USER, f"{PROFILE}- **Pattern**: x\n", f"{PROFILE}- **Pattern**: x\n{BULLETS}"),
        (USER, None, PROFILE + BULLETS),
        (PLAIN, "fact one", "fact one\n" + re.sub(r"- \*\*[^*]+\*\*: ", "", BULLETS)),
        (PLAIN, None, re.sub(r"- \*\*[^*]+\*\*: ", "", BULLETS)),
    ],
)
def test_what_is_written(target: Target, old: str | None, new: str) -> None:
    assert FACET.put(target, None if old is None else old.encode(), FACTS, DAY).decode() == new


def test_the_sample_gets_one_more_block(samples: Path) -> None:
    path = samples / "cococat/v1-healthy/agents/leader/memory/MEMORY.md"
    shape = longterm("cococat").shape(str(path))
    new = FACET.put(AGENT, path.read_bytes(), FACTS, DAY)
    assert new.startswith(path.read_bytes())
    last = blocks(new, shape)[-1]
    assert (last.kind, last.date) == ("dream", "2026-05-29")
    assert [one.category for one in items(last, shape)] == ["decision", "fact", "fact", "preference", "pattern"]


@pytest.fixture
def workspace(tmp_path: Path, samples: Path) -> Workspace:
    """A healthy workspace with two users."""
    shutil.copytree(samples / "cococat/v1-healthy", tmp_path / "v1")
    users = tmp_path / "v1/agents/leader/memory/users"
    for name in ("9cfc09aa76ff341a", "2bd806c97f0e00af"):
        (users / name).mkdir(exist_ok=True)
        (users / name / "PROFILE.md").write_text(f"- {name}\n")
    [found] = load("cococat").layout.recognise(str(tmp_path / "v1"))
    return found


def paths(workspace: Workspace, user: str) -> list[str]:
    return [str(Path(one.path).relative_to(workspace.root)) for one in FACET.targets(workspace, user)]


def test_where_items_go(workspace: Workspace) -> None:
    users = "agents/leader/memory/users"
    assert paths(workspace, "") == ["agents/leader/memory/MEMORY.md"]
    assert paths(workspace, "9cfc09aa76ff341a") == [f"{users}/9cfc09aa76ff341a/PROFILE.md"]
    assert paths(workspace, "0123456789abcdef") == [f"{users}/0123456789abcdef/PROFILE.md"]
    assert {one.layers for one in FACET.targets(workspace, "")} == {LAYERS}


@pytest.mark.parametrize("user", [".", "..", "../leader", "a/b", "/etc"])
def test_a_name_leads_nowhere_else(workspace: Workspace, user: str) -> None:
    assert FACET.targets(workspace, user) == []


def test_no_fact_of_a_user_reaches_another_file(workspace: Workspace) -> None:
    before = {path: path.read_bytes() for path in Path(workspace.root).rglob("*") if path.is_file()}
    for user in ("9cfc09aa76ff341a", "2bd806c97f0e00af", "0123456789abcdef"):
        for target in FACET.targets(workspace, user):
            path = Path(target.path)
            path.parent.mkdir(exist_ok=True)
            old = path.read_bytes() if path.exists() else None
            path.write_bytes(FACET.put(target, old, [item(f"secret-of-{user}", layer) for layer in LAYERS], DAY))
            assert path.parent.name == user
    for path in Path(workspace.root).rglob("*"):
        if path.is_file():
            said = set(re.findall(rb"secret-of-(\w+)", path.read_bytes()))
            assert said == {path.parent.name.encode()} if said else path.read_bytes() == before[path]
    assert {len(re.findall(b"secret-of", path.read_bytes())) for path in Path(workspace.root).rglob("PROFILE.md")} == {
        2
    }


def test_the_second_generation(samples: Path, tmp_path: Path) -> None:
    [found] = load("cococat").layout.recognise(str(samples / "cococat/v2-layout"))
    assert "agents/main/memory/memory.md" in paths(found, "")
    scene = tmp_path / "scenes/default"
    for user in ("local", "else"):
        (scene / "memory" / user).mkdir(parents=True)
        (scene / "memory" / user / "memory.md").write_text("x\n")
        (scene / "sessions" / user).mkdir(parents=True)
    [found] = load("cococat").layout.recognise(str(tmp_path))
    assert paths(found, "local") == ["scenes/default/memory/local/memory.md"]
    assert paths(found, "") == []


def test_nothing_there_has_no_place() -> None:
    assert FACET.targets(Workspace("cococat", "/nowhere"), "") == []


@pytest.mark.parametrize("kind", ["dream", "dream-user", "consolidate", "compact", "lint"])
def test_a_subject_is_not_taken_for_the_agents(kind: str) -> None:
    subject = FACET.subject(kind, DAY, 3)
    assert subject == f"memcli {kind}: 2026-05-29 04:26:40, 3 items"
    assert not any(re.fullmatch(pattern, subject) for _, pattern in longterm("cococat").SUBJECTS)
    assert FACET.SOURCE == "journal"


@pytest.mark.parametrize(
    ("row", "text"),
    [
        ({"prompt": "Ship it", "response_summary": "Done.", "iterations": 1}, "[user] Ship it\n[assistant] Done."),
        ({"prompt": "Ship it", "response_summary": "", "iterations": 1}, "[user] Ship it"),
        ({"prompt": "You are a memory consolidation agent. Your task is to update A's", "response_summary": "x"}, ""),
        ({"role": "user", "content": "likes blue", "timestamp": "2026-05-06T10:00:00"}, "[user] likes blue"),
        ({"role": "assistant", "content": "noted", "timestamp": "2026-05-06T10:00:00"}, "[assistant] noted"),
    ],
)
def test_what_an_entry_says(row: dict[str, object], text: str) -> None:
    assert FACET.said(load("cococat").records.record(row)) == text
    assert not FACET.inner("leader")
