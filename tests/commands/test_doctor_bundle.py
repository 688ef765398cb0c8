"""`memcli doctor --bundle`: what it writes, what it says, what it refuses."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import stat
import zipfile
from pathlib import Path

import pytest
from support.cli import one_sentence, run, snapshot

SAMPLES = Path(__file__).parents[1] / "samples"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A workspace with a chat that is damaged and one that is not."""
    root = tmp_path / "agent"
    shutil.copytree(SAMPLES / "catbuddy/home-workspace", root)
    path = root / "sessions" / "desktop_main.jsonl"
    with open(path, "ab") as file:
        file.write(b'{"id":99,"sessionKey":"desktop:main","role":"user","content":"my pass')
    return root


def damage(rows: str) -> list[tuple[object, ...]]:
    values = [json.loads(line) for line in rows.splitlines()]
    found = [one for one in values if one["type"] == "finding"]
    return sorted((one["code"], one["severity"], one["line"] or 0, one["offset"] or 0) for one in found)


@pytest.mark.parametrize("name", ["b.tar.gz", "b.tgz", "b.zip"])
def test_verify_finds_the_same_in_it(name, root, tmp_path):
    before = snapshot(root)
    done = run("doctor", "--bundle", tmp_path / name, "-W", root)
    assert done.code == 0, done.out
    assert f"Wrote {tmp_path / name}" in done.out
    assert snapshot(root) == before
    assert stat.S_IMODE(os.stat(tmp_path / name).st_mode) == 0o600
    told = shlex.split(done.out.splitlines()[-1].partition(":")[2])
    assert told[0] == "memcli"
    there = run(*told[1:], "--json")
    assert damage(there.out) == damage(run("verify", "-W", root, "--json").out)
    assert "my pass" not in there.out


def test_a_bundle_that_was_unpacked_by_hand_is_known(root, tmp_path):
    run("doctor", "--bundle", tmp_path / "b.zip", "-W", root)
    with zipfile.ZipFile(tmp_path / "b.zip") as archive:
        archive.extractall(tmp_path / "by hand")
    found = run("verify", "-W", tmp_path / "by hand", "--json")
    assert "torn-tail" in {code for code, *_ in damage(found.out)}


def test_one_session_that_is_named_goes_in_whether_damaged_or_not(root, tmp_path):
    done = run("doctor", "desktop:1730456789000", "--bundle", tmp_path / "b.tar.gz", "-W", root, "--json")
    assert done.code == 0
    row = json.loads(done.out)
    assert row["type"] == "bundle"
    assert row["healthy"] == 1
    assert row["files"] > 1
    assert row["apart"] == row["left_out"] == []


REFUSED = [
    (["--bundle", "{out}/b.txt"], 2, "ends in none of"),
    (["--bundle", "{root}/sessions/b.zip"], 2, "a folder of the agent"),
    (["--bundle", "{out}/there.zip"], 2, "exists already"),
    (["--bundle", "{out}/none/b.zip"], 2, "is no folder"),
    (["--bundle", "{out}/b.zip", "--fix"], 2, "--fix"),
    (["--force"], 2, "--bundle"),
]


@pytest.mark.parametrize(("words", "code", "says"), REFUSED, ids=str)
def test_what_is_refused(words, code, says, root, tmp_path):
    (tmp_path / "there.zip").write_bytes(b"kept")
    given = [word.format(out=tmp_path, root=root) for word in words]
    one_sentence(run("doctor", *given, "-W", root), code, says)
    assert (tmp_path / "there.zip").read_bytes() == b"kept"


def test_one_file_is_bundled_and_named_as_such(root, tmp_path):
    path = root / "sessions" / "desktop_main.jsonl"
    done = run("doctor", "--bundle", tmp_path / "b.tar.gz", "-W", path)
    assert done.code == 0, done.out
    there = run("verify", "-W", tmp_path / "b.tar.gz", "--json")
    assert damage(there.out) == damage(run("verify", "-W", path, "--json").out)
    assert json.loads(there.out.splitlines()[0])["path"].endswith(".jsonl")


def test_force_replaces_what_is_there(root, tmp_path):
    (tmp_path / "there.zip").write_bytes(b"old")
    assert run("doctor", "--bundle", tmp_path / "there.zip", "--force", "-W", root).code == 0
    assert zipfile.is_zipfile(tmp_path / "there.zip")


def test_a_workspace_without_damage_needs_a_session(tmp_path):
    root = tmp_path / "chats"
    root.mkdir()
    (root / "a.jsonl").write_text('{"role":"user","content":"hi"}\n{"role":"assistant","content":"ho"}\n')
    root.chmod(0o700)
    one_sentence(run("doctor", "--bundle", tmp_path / "b.zip", "-W", root), 2, "name the session")
    assert run("doctor", "a", "--bundle", tmp_path / "b.zip", "-W", root).code == 0
