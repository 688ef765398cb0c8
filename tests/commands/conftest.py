"""What the command tests share: sample workspaces, a fixed clock, and the proof that nothing changed."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from support.cli import snapshot
from support.clock import NOW

from memcli.core import choosing, demonstrating, searching


@pytest.fixture(scope="session")
def stage(tmp_path_factory: pytest.TempPathFactory, nanobot: Path) -> dict[str, Path]:
    """The sample workspaces by name; every file is as old as the clock's day before."""
    samples = Path(__file__).parents[1] / "samples"
    root = tmp_path_factory.mktemp("stage")
    found = {"catbuddy": root / "catbuddy"}
    shutil.copytree(samples / "catbuddy" / "home-workspace", found["catbuddy"])
    for name in ("v1-healthy", "v1-damaged", "v2-layout"):
        found[f"cococat-{name}"] = root / f"cococat-{name}"
        shutil.copytree(samples / "cococat" / name, found[f"cococat-{name}"])
    for path in sorted(nanobot.iterdir()):
        found[path.name] = root / path.name
        shutil.copytree(path, found[path.name], symlinks=True)
        for marker in found[path.name].glob(".nanobot/sessions/*/.workspace"):
            marker.write_text(f"{found[path.name]}/.nanobot/workspace\n")
    for folder, _, files in os.walk(root):
        for name in files:
            os.utime(os.path.join(folder, name), (NOW - 86400, NOW - 86400))
    return found


@pytest.fixture(scope="session")
def demonstration(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The workspace of `memcli demo`; read-only by agreement."""
    folder = tmp_path_factory.mktemp("demonstration") / "demo"
    demonstrating.write(str(folder))
    return folder


@pytest.fixture
def intact() -> Iterator[Callable[[Path], Path]]:
    """Call it with a folder: when the test is over, nothing in that folder may have changed."""
    taken: list[tuple[Path, object]] = []

    def watch(folder: Path) -> Path:
        taken.append((folder, snapshot(folder)))
        return folder

    yield watch
    for folder, before in taken:
        assert snapshot(folder) == before


@pytest.fixture(autouse=True)
def samples_intact(stage: dict[str, Path], demonstration: Path) -> Iterator[None]:
    """No command test changes a sample."""
    places = [*stage.values(), demonstration]
    before = [snapshot(place) for place in places]
    yield
    assert [snapshot(place) for place in places] == before


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is NOW, in the modules that ask."""
    for module in (choosing, searching):
        monkeypatch.setattr(module, "time", SimpleNamespace(time=lambda: NOW))
