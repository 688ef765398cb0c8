"""Bundles: what verify finds in them is what it found where they were made, file by file, and no word is left."""

from __future__ import annotations

import json
import os
import re
import shutil
import tarfile
from collections import Counter
from pathlib import Path

import pytest
from support.masked import runs, strings, texts, told
from support.repairs import built
from support.row_cases import CASES, about, cases

from memcli.core import bundle_archive, bundle_manifest, bundling
from memcli.core.discovering import at
from memcli.core.verifying import Scope, verify
from memcli.formats import vocabulary
from memcli.model import Finding

SAMPLES = Path(__file__).parents[1] / "samples"
ROWS = [path.parent for path in sorted(CASES.glob("*/*/before.jsonl"))]
PLACES = {"catbuddy": "sessions", "nanobot": "sessions", "cococat": "agents/leader/memory", "jsonl": "."}
SAMPLED = ("catbuddy/home-workspace", "cococat/v1-damaged")
WORDED = {"memory-echo", "memory-duplicates", "memory-secret"}
"""What goes by the meaning of words, which are gone; the bundle tells so."""
TOOLS = re.compile(r"\.atomic_|\.memcli-[0-9a-f]{16}.*| copy| \(\d\)| 副本")
TIME = re.compile(r"(?=.*[-:]).[-0-9T:.]{4}.")  # times stay
AROUND = cases("setup.json", "workspace") + cases("setup.json", "file")


def named(folder: Path) -> str:
    return f"{folder.parent.name}/{folder.name}"


def found(place: Path, agent: str | None = None) -> list[Finding]:
    return [one for one in verify(Scope(at(str(place), agent))) if isinstance(one, Finding)]


def without(findings: list[Finding], codes: set[str]) -> list[Finding]:
    return [one for one in findings if one.code not in codes]


def bundled(root: Path, agent: str | None, archive: Path) -> bundling.Bundle:
    bundle = bundling.make(Scope(at(str(root), agent)))
    archive.write_bytes(bundle_archive.packed(bundle.members, archive.name))
    return bundle


def texts_of(root: Path, agent: str) -> set[str]:
    """Every run of six characters that anybody wrote into the files, and of the names that are not the agent's."""
    known = vocabulary(agent).files
    made: set[str] = set()
    for path in root.rglob("*"):
        if ".git" in path.parts:
            continue
        parts = re.split(r"[._]", TOOLS.sub("", path.name))
        made |= runs([part for part in parts if part not in known and path.name not in known])
        if path.is_file() and not path.name.startswith(".memcli"):
            made |= runs([*texts(path.read_bytes(), agent)])
    return made


def left_in(archive: Path, agent: str) -> set[str]:
    """The runs of an archive: of its files, its names and its manifest."""
    made: set[str] = set()
    with tarfile.open(archive) as opened:
        for member in opened:
            assert (member.uid, member.gid, member.uname, member.gname) == (0, 0, "", "")
            if "/.git/" in member.name:  # made anew: git's own words, and what is masked
                continue
            made |= runs([member.name])
            raw = opened.extractfile(member).read()
            if member.name == bundle_manifest.NAME:
                made |= runs([*strings(json.loads(raw), agent, "")])
                continue
            made |= runs([raw.decode("utf-8", "replace"), *texts(raw, agent, every=True)])
    return {run for run in made if not TIME.fullmatch(run)}


def kept(root: Path, archive: Path, agent: str) -> set[str]:
    """What of the original is in the bundle beside the agent's own words and headings, and what tools call copies."""
    words = vocabulary(agent)
    headings = [f"## {heading}" for heading in words.headings]
    tools = [" (conflicted copy ", "sync-conflict-20260520-083000-"]
    own = runs([word.casefold() for word in (*words.names, *words.words, *words.files, *headings, *tools)])
    return {run for run in texts_of(root, agent) & left_in(archive, agent) if run.casefold() not in own}


@pytest.mark.parametrize("folder", AROUND, ids=named)
def test_what_is_around_the_files(folder, tmp_path, monkeypatch):
    monkeypatch.setenv("MEMCLI_STATE_DIR", str(tmp_path / "state"))
    root, archive = tmp_path / "home", tmp_path / "bundle.tar.gz"
    built(root, folder)
    agent = about(folder)["agent"]
    before = found(root, agent)
    if not before:
        return
    bundle = bundled(root, agent, archive)
    after = found(archive)
    assert Counter(map(told, without(after, WORDED))) == Counter(map(told, without(before, WORDED)))
    assert {clause.partition(" ")[0] for clause in bundle.apart} <= WORDED
    assert bundle.left_out == ()
    assert kept(root, archive, agent) == set()


@pytest.mark.parametrize("folder", ROWS, ids=named)
def test_every_damaged_file_in_a_workspace(folder, tmp_path, monkeypatch):
    monkeypatch.setenv("MEMCLI_STATE_DIR", str(tmp_path / "state"))
    case = about(folder)
    root, archive = tmp_path / "home", tmp_path / "bundle.tar.gz"
    place = root / PLACES[case["agent"]] / case.get("name", "chat.jsonl")
    if case.get("kind") == "journal":
        place = root / "memory" / "history.jsonl"
    place.parent.mkdir(parents=True)
    place.write_bytes((folder / "before.jsonl").read_bytes())
    before = found(root, case["agent"])
    if not before:
        return
    bundle = bundled(root, case["agent"], archive)
    assert Counter(map(told, found(archive))) == Counter(map(told, before))
    assert bundle.apart == ()
    assert kept(root, archive, case["agent"]) == set()


@pytest.mark.parametrize("sample", SAMPLED)
@pytest.mark.parametrize("suffix", [".tar.gz", ".zip"])
def test_the_damaged_samples(sample, suffix, tmp_path, monkeypatch):
    monkeypatch.setenv("MEMCLI_STATE_DIR", str(tmp_path / "state"))
    root = tmp_path / "home"
    shutil.copytree(SAMPLES / sample, root)
    for number, path in enumerate(sorted(root.rglob("*"))):
        os.utime(path, (1_700_000_000 + 10 * number, 1_700_000_000 + 10 * number))
    before = found(root)
    bundle = bundled(root, None, tmp_path / f"bundle{suffix}")
    assert Counter(map(told, found(tmp_path / f"bundle{suffix}"))) == Counter(map(told, before))
    assert bundle.apart == ()


def test_what_is_too_large_is_left_out_and_told(tmp_path, monkeypatch):
    monkeypatch.setenv("MEMCLI_STATE_DIR", str(tmp_path / "state"))
    root = tmp_path / "home"
    shutil.copytree(SAMPLES / "catbuddy/home-workspace", root)
    bundle = bundling.make(Scope(at(str(root), None)), limit=600)
    assert any("was left out" in sentence for sentence in bundle.left_out)


def test_a_manifest_can_name_nothing_outside(tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "secret").write_text("x")
    entries = [
        {"path": "a", "kind": "link", "to": "../secret"},
        {"path": "../b", "kind": "fifo"},
        {"path": "/c", "kind": "folder", "mode": "0777"},
        {"path": "d", "kind": "name", "to": "../secret"},
        {"path": "e", "kind": "file", "mode": "0777", "time": "x"},
        {"path": 7},
        None,
    ]
    bundle_manifest.restore(str(tmp_path / "in"), {"entries": entries})
    assert list((tmp_path / "in").iterdir()) == []
    named = [{"agent": "nanobot", "root": ".."}, {"agent": "other", "root": "x"}, 7]
    assert bundle_manifest.workspaces(str(tmp_path), {"workspaces": named}) == []


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"type": "bundle"}', "[" * 100_000, "\xff"])
def test_what_is_no_manifest_is_passed_over(text, tmp_path):
    (tmp_path / bundle_manifest.NAME).write_text(text, encoding="latin-1")
    assert bundle_manifest.read(str(tmp_path)) == {}
