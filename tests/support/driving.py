"""One release of nanobot kept running, to be told what to do in a home (tests/peers/driver.py, or dreamer.py)."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from support.cli import CHECKOUT
from support.peers import Peer

DRIVER = CHECKOUT / "tests" / "peers" / "driver.py"
DREAMER = CHECKOUT / "tests" / "peers" / "dreamer.py"


class Driver:
    """A running nanobot. What it is told is a function of its script, by name; what that gives is the answer."""

    def __init__(self, process: subprocess.Popen[str], peer: Peer) -> None:
        self.process, self.peer = process, peer

    def do(self, what: str, home: Path, **details: Any) -> int:
        """Do it; the number that comes out. Fails the test where nanobot ends with an error."""
        return int(self.ask(what, home, **details))

    def ask(self, what: str, home: Path, **details: Any) -> Any:
        """Do it; what comes out. Fails the test where nanobot ends with an error."""
        answer = self.tell(what, home, **details)
        assert "done" in answer, answer
        return answer["done"]

    def tell(self, what: str, home: Path, **details: Any) -> dict[str, Any]:
        """Do it; {"done": what comes out} or {"error": sentence}."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps({"do": what, "home": str(home), **details}) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        assert line, "nanobot is gone"
        answer: dict[str, Any] = json.loads(line)
        return answer


@contextmanager
def driving(peer: Peer, folder: Path, script: Path = DRIVER) -> Iterator[Driver]:
    """Start a release, with a home of its own below `folder` for what it looks for when it is imported."""
    assert not peer.why
    folder.mkdir(parents=True, exist_ok=True)
    environment = {"HOME": str(folder), "PATH": os.environ["PATH"], "TMPDIR": str(folder), "TZ": "UTC"}
    with (folder / "errors").open("wb") as errors:
        process = subprocess.Popen(
            [peer.python, script],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            cwd=folder,
            env=environment,
        )
        try:
            yield Driver(process, peer)
        finally:
            process.kill()
            process.communicate()
