"""An agent that saves all the time and damages its own file now and then, as a process.

    python clumsy.py FILE COUNT PAUSE

PAUSE is the mean time between two saves, in seconds. It reads its file, adds a message, writes a temporary file and
renames, as agents do. Every fifth time the last two records are glued together, and the beginning of one stands behind
them. At each read it looks whether its own last message is still there; what is lost is counted. Standard
output: "ready", then at the end how many were lost.
"""

from __future__ import annotations

import os
import sys
import time

KEPT = 30
HEADER = b'{"key":"desktop:main","title":"","preview":"","created_at":"x","updated_at":"y","last_consolidated":0,"metadata":{}}'


def message(number: int) -> bytes:
    return (
        b'{"id":%d,"sessionKey":"desktop:main","role":"user","content":"n","timestamp":"2026-05-20T08:30:00.000Z"}'
        % number
    )


def main(path: str, count: int, pause: float) -> None:
    lost = 0
    temporary = path + ".tmp"
    print("ready", flush=True)
    for number in range(1, count + 1):
        with open(path, "rb") as file:
            data = file.read()
        if number > 1 and message(number - 1) not in data:
            lost += 1
        lines = [line for line in data.split(b"\n")[1:] if line][-KEPT:]
        lines.append(message(number))
        text = b"\n".join([HEADER, *lines, b""])
        if number % 5 == 0 and len(lines) > 1:
            text = b"\n".join([HEADER, *lines[:-2], lines[-2] + lines[-1]]) + b'\n{"id":1,"sess'
        with open(temporary, "wb") as file:
            file.write(text)
        os.replace(temporary, path)
        # so many a second, but in bursts, as a turn with many calls makes them
        time.sleep(pause / 5 if number % 10 else pause * 8.2)
    print(lost, flush=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]))
