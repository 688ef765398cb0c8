"""An agent that saves all the time, as a process: reads its file, adds a message, writes a temporary file, renames.

    python saver.py FILE COUNT PAUSE

The messages are numbered and the file holds the last KEPT of them. Each must be found at one of the next reads; those
that are not within PATIENCE are lost. Standard output: "ready", then at the end how many were lost.
"""

from __future__ import annotations

import os
import sys
import time

KEPT = 40
PATIENCE = 10


def main(path: str, count: int, pause: float) -> None:
    lost = 0
    waiting: dict[bytes, int] = {}
    temporary = path + ".tmp"
    print("ready", flush=True)
    for number in range(1, count + 1):
        with open(path, "rb") as file:
            header, *messages = file.read().rstrip(b"\n").split(b"\n")
        there = set(messages)
        waiting = {one: tries + 1 for one, tries in waiting.items() if one not in there}
        lost += sum(tries > PATIENCE for tries in waiting.values())
        waiting = {one: tries for one, tries in waiting.items() if tries <= PATIENCE}
        message = b'{"id":%d}' % number
        waiting[message] = 0
        with open(temporary, "wb") as file:
            file.write(b"\n".join([header, *messages[-KEPT + 1 :], message, b""]))
        os.replace(temporary, path)
        if pause:
            time.sleep(pause)
    print(lost, flush=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]))
