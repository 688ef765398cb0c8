"""The private folder below the temporary one: it goes with its process, and after a kill with the next memcli that writes."""

from __future__ import annotations

import fcntl
import io
import os
import signal
import stat
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import pytest
from support import damaging
from support.chats import CATBUDDY
from support.cli import spawn
from support.repairs import Place

from memcli.errors import CannotRead
from memcli.storage import scratch
from memcli.storage.scratch import private_folder, sweep

ROOT = Path(__file__).parents[2]


def test_the_private_folder_is_private():
    path = private_folder()
    ours = os.path.dirname(path)
    assert os.path.dirname(ours) == tempfile.gettempdir()
    assert {stat.S_IMODE(os.stat(folder).st_mode) for folder in (ours, path)} == {0o700}
    assert private_folder() != path


def test_one_descriptor_is_enough_for_all_of_them():
    private_folder()
    before = len(os.listdir("/dev/fd"))
    assert len({private_folder() for _ in range(20)}) == 20
    assert len(os.listdir("/dev/fd")) == before


def test_no_place_for_a_folder_is_said(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "missing"))
    with pytest.raises(CannotRead, match="No temporary folder can be made"):
        private_folder()


def run(code: str, tmp_path: Path, **more: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        **more,
        text=True,
        cwd=ROOT,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    )


MAKE = """
import os, signal, sys
from memcli.storage.scratch import private_folder
path = private_folder()
open(os.path.join(path, "x"), "w").close()
"""


@pytest.mark.parametrize("end", ["", "sys.exit(3)", "raise RuntimeError", "raise KeyboardInterrupt"])
def test_it_goes_with_the_process(end, tmp_path):
    process = run(
        MAKE + "print(os.path.exists(path), flush=True)\nsys.stderr = open(os.devnull, 'w')\n" + end, tmp_path
    )
    assert process.communicate(timeout=60)[0] == "True\n"
    assert os.listdir(tmp_path) == []


def test_it_goes_after_sigterm(tmp_path):
    code = MAKE + "signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))\nprint('up', flush=True)\nsignal.pause()"
    process = run(code, tmp_path)
    assert process.stdout is not None
    assert process.stdout.readline() == "up\n"
    assert len(os.listdir(tmp_path)) == 1
    process.send_signal(signal.SIGTERM)
    assert process.wait(60) == 143
    process.stdout.close()
    assert os.listdir(tmp_path) == []


def test_forked_workers_leave_it_alone(tmp_path):
    code = MAKE + (
        "pid = os.fork()\nif pid == 0: sys.exit(0)\nos.waitpid(pid, 0)\nprint(os.path.exists(os.path.join(path, 'x')))"
    )
    assert run(code, tmp_path).communicate(timeout=60)[0] == "True\n"
    assert os.listdir(tmp_path) == []


# ---------------------------------------------------------------------- after a kill

KILLED = """
import os, signal, sys
from memcli.core import applying, verifying
from memcli.storage import system
def die(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)
system.exchange = verifying.verify = die
from memcli.cli import main
sys.argv[1:] = {arguments}
main()
"""


def killed(tmp_path: Path, *arguments: str | Path) -> list[str]:
    """The folders that a memcli leaves in the temporary one when it is killed before it exchanges a file or verifies any."""
    process = run(KILLED.format(arguments=[*map(str, arguments)]), tmp_path)
    process.communicate(timeout=60)
    assert process.returncode == -signal.SIGKILL
    return sorted(os.listdir(tmp_path))


@pytest.fixture
def place(tmp_path, monkeypatch) -> Place:
    monkeypatch.setenv("MEMCLI_STATE_DIR", str(tmp_path / "state"))
    return Place(tmp_path / "home", CATBUDDY, damaging.joined(*CATBUDDY.lines[:4]) + CATBUDDY.lines[4][:50])


@pytest.fixture
def temporary(tmp_path, monkeypatch) -> Path:
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def test_what_a_killed_repair_leaves_goes_with_the_next_one(place, temporary):
    [name] = killed(temporary, "repair", "-W", place.root, "--apply")
    assert os.listdir(temporary / name)
    ran = spawn("repair", "-W", place.root, "--apply", env={"TMPDIR": str(temporary)})
    assert ran.code == 0
    assert os.listdir(temporary) == []


def test_also_when_the_next_one_has_nothing_to_do(place, temporary):
    assert killed(temporary, "repair", "-W", place.root, "--apply")
    place.put(place.path, CATBUDDY.whole)
    assert spawn("repair", "-W", place.root, "--apply", env={"TMPDIR": str(temporary)}).code == 0
    assert os.listdir(temporary) == []


def test_what_reading_an_archive_leaves_goes_as_well(place, temporary, tmp_path):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr(f"sessions/{CATBUDDY.name}", CATBUDDY.whole)
    (tmp_path / "x.zip").write_bytes(packed.getvalue())
    [name] = killed(temporary, "verify", "-W", tmp_path / "x.zip")
    [unpacked] = (temporary / name).glob(f"*/sessions/{CATBUDDY.name}")
    assert unpacked.read_bytes() == CATBUDDY.whole
    assert spawn("verify", "-W", tmp_path / "x.zip", env={"TMPDIR": str(temporary)}).code == 0
    assert os.listdir(temporary) == [name], "only a command that writes clears up"
    assert spawn("repair", "-W", place.root, "--apply", env={"TMPDIR": str(temporary)}).code == 0
    assert os.listdir(temporary) == []


def test_a_live_one_stays(temporary):
    process = run(MAKE + "print('up', flush=True)\nsys.stdin.read()", temporary, stdin=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == "up\n"
    [name] = os.listdir(temporary)
    assert sweep() == []
    # as a memcli in another container sees it: no process has that number here
    other = name.replace(f"-{process.pid}-", f"-{gone()}-")
    os.rename(temporary / name, temporary / other)
    assert sweep() == []
    assert [path.name for path in (temporary / other).glob("*/*")] == ["x"]
    process.kill()
    process.communicate(timeout=60)
    assert sweep() == [str(temporary / other)]
    assert os.listdir(temporary) == []


def test_a_number_that_was_given_out_again(temporary):
    own = os.getpid()
    ours, theirs = f"memcli-{own}-{scratch._born(own)}-ours", f"memcli-{own}-1-another"
    for name in (ours, theirs):
        (temporary / name).mkdir(mode=0o700)
    assert sweep() == [str(temporary / theirs)]


def test_where_no_start_is_told_any_process_with_the_number_counts(temporary, monkeypatch):
    (temporary / f"memcli-{os.getpid()}-1-x").mkdir(mode=0o700)
    with monkeypatch.context() as patch:
        patch.setattr(scratch, "_born", lambda pid: None)
        assert sweep() == []
    assert len(sweep()) == 1


@pytest.mark.parametrize(
    "make",
    [
        lambda path: path.mkdir(mode=0o755),  # not made by memcli
        lambda path: path.symlink_to(path.parent),
        lambda path: path.write_text("x"),
    ],
)
def test_what_only_looks_so_stays(make, temporary):
    path = temporary / f"memcli-{gone()}-1-x"
    make(path)
    for name in ("memcli-demo", "memcli-1-x", f"memcli-{gone()}-1-"):
        (temporary / name).mkdir(mode=0o700)
    before = sorted(os.listdir(temporary))
    assert sweep() == []
    assert sorted(os.listdir(temporary)) == before


def test_another_users_stays(temporary, monkeypatch):
    (temporary / f"memcli-{gone()}-1-x").mkdir(mode=0o700)
    with monkeypatch.context() as patch:
        patch.setattr(os, "geteuid", lambda: os.getuid() + 1)
        assert sweep() == []
    assert len(sweep()) == 1


def test_without_locks_nothing_is_removed(temporary, monkeypatch):
    def refuse(*_):
        raise OSError

    monkeypatch.setattr(fcntl, "flock", refuse)
    assert private_folder()
    (temporary / f"memcli-{gone()}-1-x").mkdir(mode=0o700)
    assert sweep() == []


def test_no_temporary_folder_is_no_failure(temporary, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(temporary / "missing"))
    assert sweep() == []


def gone() -> int:
    """A number that no process has: no system gives out so large ones."""
    return (1 << 22) + 1
