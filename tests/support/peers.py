"""The agents themselves, each release in a virtual environment of its own, asked what they make of a file."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from support.cli import CHECKOUT

ORACLE = CHECKOUT / "tests" / "peers" / "oracle.py"
TIMEOUT = 300
"""Seconds after which an agent that was asked about many files is taken to hang."""


class Answer(NamedTuple):
    """What an agent made of one file; what failed, by step (load, list, replay, save), with the error."""

    messages: int
    offset: object
    replay: list[object]
    listed: list[object]
    warnings: list[str]
    failed: dict[str, str]


class Peer(NamedTuple):
    """One release of nanobot. `era` is memcli's name for its generation."""

    version: str
    era: str

    @property
    def python(self) -> Path:
        folder = Path(os.environ.get("PEERS") or CHECKOUT / ".peers")
        return folder / f"nanobot-{self.version}" / "bin" / "python"

    @property
    def why(self) -> str:
        """Why it cannot be asked, "" when it can."""
        there = self.python.exists()
        return "" if there else f"scripts/peers.sh installs nanobot {self.version}; it is not at {self.python}"

    @property
    def is_optional(self) -> bool:
        """Whether tests may be left out without it: not in CI, and not where somebody said where it is."""
        return not (os.environ.get("CI") or os.environ.get("PEERS"))

    def ask(self, files: Sequence[tuple[Path, str]], home: Path) -> list[Answer]:
        """What it makes of each (file, key), all in one process."""
        asked = "".join(json.dumps({"file": str(path), "key": key}) + "\n" for path, key in files)
        done = subprocess.run(
            [self.python, ORACLE],
            input=asked.encode(),
            capture_output=True,
            timeout=TIMEOUT,
            check=False,
            cwd=home,
            env={"HOME": str(home), "PATH": os.environ["PATH"], "TMPDIR": str(home), "TZ": "UTC"},
        )
        assert done.returncode == 0, done.stderr.decode(errors="replace")[-2000:]
        answers = [Answer(**json.loads(line)) for line in done.stdout.splitlines()]
        assert len(answers) == len(files)
        return answers


NANOBOTS = (Peer("0.3.5", "E4"), Peer("0.2.2", "E2"))
