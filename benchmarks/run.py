"""Measure memcli beside ripgrep, Node, tail and a one-command Typer app: whole processes, in turn, medians and ratios.

    python benchmarks/run.py              the full corpora (about 4 GB of disk below --folder)
    python benchmarks/run.py --short      small corpora, to see that everything runs; ratios mean nothing
    python benchmarks/run.py --write      put the table into the READMEs

Only ratios of one run can be compared: machines differ, and the same machine differs from minute to minute.
"""

from __future__ import annotations

import argparse
import os
import platform
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import NamedTuple

from corpus import COMMITS, history, journal, make

ROOT = Path(__file__).resolve().parent.parent
HERE = Path(__file__).resolve().parent
BIN = Path(sys.executable).parent
NODE = HERE / "whole_files.js"
BARE = HERE / "bare_log.py"


class Contest(NamedTuple):
    """Commands measured in turn; `target` is the most that the first may cost in `unit`, a formula in words."""

    name: str
    commands: dict[str, list[str]]
    target: str
    ratio: str


class Result(NamedTuple):
    """Median seconds and the largest peak memory in MiB of each command."""

    seconds: dict[str, float]
    peak: dict[str, float]


def contests(folder: Path, short: bool) -> list[Contest]:
    """What is measured, in the order of the table; a contest whose rival is not installed is left out."""
    memcli = [str(BIN / "memcli")]
    python = sys.executable
    hello = [python, str(HERE / "hello.py")]
    sessions, small, large, one = (make(folder, kind, short) for kind in ("sessions", "small", "large", "one"))
    big, kept = next(one.glob("*.jsonl")), history(folder, short)
    grep = [*memcli, "grep", "-q"]
    listed = ["sessions", "ls", "-W"]
    found = [
        Contest("memcli --version", {"memcli": [*memcli, "--version"], "python": [python, "-c", "pass"]},
                "1.9 x python -c pass", "memcli / python"),
        Contest("sessions ls, 500 sessions of 200 KB",
                {"memcli": [*memcli, *listed, str(sessions.parent)], "hello": hello,
                 "node": ["node", str(NODE), str(sessions)]},
                "0.2 x Node reading whole files", "memcli / node"),
        Contest("the same beside hello", {"memcli": [*memcli, *listed, str(sessions.parent)], "hello": hello},
                "1.25 x hello", "memcli / hello"),
        Contest("sessions ls, 20,000 sessions",
                {"memcli": [*memcli, *listed, str(small.parent)], "node": ["node", str(NODE), str(small)]},
                "0.6 x Node, under 100 MiB", "memcli / node"),
        Contest("tail -n 20 of a 1 GB file",
                {"memcli": [*memcli, "tail", "-n", "20", str(big)], "hello": hello},
                "1.3 x hello, under 60 MiB", "memcli / hello"),
        Contest(f"log -n 20, {COMMITS[short]:,} commits",
                {"memcli": [*memcli, "log", "-n", "20", "-W", str(kept)], "gitpython": [python, str(BARE), str(kept)]},
                "1.2 x the same call in GitPython", "memcli / gitpython"),
    ]  # fmt: skip
    for name, options, needle, limit in (
        ("literal", [], "NEEDLE_ALPHA", 1.4),
        ("-i", ["-i"], "mixedcase error marker", 1.6),
        ("Chinese", [], "量子纠缠", 2.0),
    ):
        rg = ["rg", "-N", "--no-heading", *options, needle, str(large)]
        commands = {"memcli": [*grep, *options, needle, "-W", str(large.parent)], "rg": rg, "hello": hello}
        found.append(Contest(f"grep {name}, 2 GB in 5,000 files", commands, f"{limit} x rg, plus one hello",
                             "(memcli - hello) / rg"))  # fmt: skip
    commands = {"memcli": [*grep, "NEEDLE_ALPHA", str(big)], "rg": ["rg", "-N", "--no-mmap", "NEEDLE_ALPHA", str(big)],
                "hello": hello}  # fmt: skip
    found.append(Contest("grep literal, one file of 1 GB", commands, "2 x rg --no-mmap, plus one hello",
                         "(memcli - hello) / rg"))  # fmt: skip
    judged = [str(path) for path in sorted(sessions.glob("*.jsonl"))]
    for name, target, rows in (
        ("one file of 1 GB", str(big), [str(big)]),
        ("500 sessions", str(sessions.parent), judged),
    ):
        jq = ["jq", "-c", ".", *rows]
        found.append(Contest(f"verify, {name}", {"memcli": [*memcli, "verify", "-q", target], "jq": jq},
                             "0.5 x jq -c .", "memcli / jq"))  # fmt: skip
        lines = [python, str(HERE / "lines_only.py"), target]
        found.append(Contest(f"the same, bytes, lines and headers alone, {name}", {"memcli": lines, "jq": jq},
                             "0.15 x jq -c .", "memcli / jq"))  # fmt: skip
    queue = shlex.join([*memcli, "compact", "--dry-run", "-W", str(large.parent)])
    cache = shlex.quote(str(folder / "cache"))
    lines = f"wc -l {shlex.quote(str(large))}/*.jsonl"
    found.append(Contest("compact --dry-run, first run, 2 GB in 5,000 files",
                         {"memcli": ["sh", "-c", f"rm -rf {cache}; MEMCLI_CACHE_DIR={cache} exec {queue}"],
                          "wc": ["sh", "-c", lines]},
                         "1.5 x counting their newlines", "memcli / wc"))  # fmt: skip
    found.append(Contest("the same, later runs",
                         {"memcli": ["sh", "-c", f"MEMCLI_CACHE_DIR={cache} exec {queue}"],
                          "ls": [*memcli, *listed, str(large.parent)]},
                         "1.5 x sessions ls", "memcli / ls"))  # fmt: skip
    return [c for c in found if all(shutil.which(command[0]) for command in c.commands.values())]


def measure(contest: Contest, runs: int) -> Result:
    """Run every command in turn, once to warm up and `runs` times to count."""
    seconds: dict[str, list[float]] = {name: [] for name in contest.commands}
    peak = dict.fromkeys(contest.commands, 0.0)
    for turn in range(runs + 1):
        for name, command in contest.commands.items():
            took, memory = once(command)
            if turn:
                seconds[name].append(took)
                peak[name] = max(peak[name], memory)
    return Result({name: statistics.median(times) for name, times in seconds.items()}, peak)


def once(command: list[str]) -> tuple[float, float]:
    """Wall seconds and peak MiB of one run; its output is read and thrown away, as a pipe would."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "MEMCLI_"))}
    reader, writer = os.pipe()
    drain = threading.Thread(target=_drain, args=(reader,))
    drain.start()
    path = shutil.which(command[0]) or command[0]
    actions = [(os.POSIX_SPAWN_DUP2, writer, 1), (os.POSIX_SPAWN_CLOSE, writer), (os.POSIX_SPAWN_CLOSE, reader)]
    started = time.perf_counter()
    pid = os.posix_spawn(path, command, environment, file_actions=actions)
    os.close(writer)
    _, status, usage = os.wait4(pid, 0)
    took = time.perf_counter() - started
    drain.join()
    code = os.waitstatus_to_exitcode(status)
    if code not in (0, 1):
        raise SystemExit(f"{shlex.join(command)} ended with {code}")
    return took, usage.ru_maxrss / 1024


def _drain(reader: int) -> None:
    while os.read(reader, 1 << 16):
        pass
    os.close(reader)


def follow_latency(folder: Path, count: int) -> Result:
    """Milliseconds from writing a record's newline to having read it from `memcli tail -f`: median and 95th centile."""
    path = folder / "follow.jsonl"
    path.write_bytes(b'{"role":"user","content":"start"}\n')
    command = [str(BIN / "memcli"), "tail", "-f", "-n", "1", str(path)]
    shown = subprocess.Popen(command, stdout=subprocess.PIPE)
    assert shown.stdout
    _until(shown, b"start")
    took = []
    with open(path, "ab", buffering=0) as file:
        for number in range(count):
            time.sleep(0.03)
            word = f"record-{number}-".encode()
            started = time.perf_counter()
            file.write(b'{"role":"user","content":"%s"}\n' % word)
            _until(shown, word)
            took.append((time.perf_counter() - started) * 1000)
    shown.terminate()
    shown.wait()
    took.sort()
    return Result({"median": statistics.median(took), "p95": took[int(len(took) * 0.95)]}, {})


def dream_cost(folder: Path, entries: int, runs: int) -> Result:
    """Seconds of CPU, those of git among them, that `memcli dream --all` takes with so many entries, beyond what it takes with a
    single fact, for which it loads everything as well: the median."""
    took: dict[int, list[float]] = {1: [], entries: []}
    for _ in range(runs):
        for count, times in took.items():
            with tempfile.TemporaryDirectory(dir=folder) as place:
                root = journal(Path(place), count)
                before = os.times()
                environment = {**os.environ, "MEMCLI_STATE_DIR": str(Path(place) / "state")}
                words = [str(BIN / "memcli"), "dream", "--all", "-q", "--idle", "0", "-W", str(root)]
                subprocess.run(words, check=True, env=environment, stdout=subprocess.DEVNULL)
                after = os.times()
                spent = after.children_user - before.children_user + after.children_system - before.children_system
                times.append(spent)
    return Result({"cpu": statistics.median(took[entries]) - statistics.median(took[1])}, {})


def _until(shown: subprocess.Popen[bytes], word: bytes) -> None:
    assert shown.stdout
    seen = b""
    while word not in seen:
        seen += os.read(shown.stdout.fileno(), 65536)


def line(contest: Contest, result: Result) -> str:
    """One row of the table."""
    ours = result.seconds["memcli"]
    if contest.ratio.startswith("("):
        value = (ours - result.seconds["hello"]) / result.seconds["rg"]
    else:
        value = ours / result.seconds[contest.ratio.rpartition(" ")[2]]
    times = ", ".join(f"{name} {seconds * 1000:.0f} ms" for name, seconds in result.seconds.items())
    return f"| {contest.name} | {times} | {value:.2f} | {contest.target} | {result.peak['memcli']:.0f} MiB |"


def machine() -> str:
    """The machine in a few words."""
    cores = os.cpu_count()
    model = platform.processor() or platform.machine()
    try:
        told = Path("/proc/cpuinfo").read_text().splitlines()
        model = next(line.split(":")[1].strip() for line in told if line.startswith("model name"))
    except (OSError, StopIteration):
        pass
    return (
        f"{time.strftime('%Y-%m-%d')}, {cores} cores, {model}, {platform.system()}, Python {platform.python_version()}"
    )


def write(table: list[str]) -> None:
    """Put the table between the markers of both READMEs."""
    for name in ("README.md", "README.zh-CN.md"):
        path = ROOT / name
        text = path.read_text(encoding="utf-8")
        begin, end = "<!-- generated:benchmarks -->", "<!-- /generated:benchmarks -->"
        head, tail = text[: text.index(begin) + len(begin)], text[text.index(end) :]
        path.write_text(head + "\n" + "\n".join(table) + "\n" + tail, encoding="utf-8")


def main() -> None:
    """Measure and print; with --write also into the READMEs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "memcli-benchmarks")
    parser.add_argument("--only", default="", help="contests whose name holds this")
    chosen = parser.parse_args()
    runs = 2 if chosen.short else chosen.runs
    table = [
        f"Measured with `benchmarks/run.py`: {machine()}. Whole processes in turn, medians; hello is a one-command Typer app.",
        "",
        "| what | medians | ratio | at most | peak |",
        "|---|---|---|---|---|",
    ]
    print("\n".join(table), flush=True)
    for contest in contests(chosen.folder, chosen.short):
        if chosen.only in contest.name:
            table.append(line(contest, measure(contest, runs)))
            print(table[-1], flush=True)
    if chosen.only in "dream offline":
        entries = 100 if chosen.short else 1000
        cost = dream_cost(chosen.folder, entries, runs).seconds["cpu"]
        table.append(
            f"| dream offline, {entries:,} entries | {cost:.2f} s of CPU more than one fact takes | | 0.5 s beyond start-up | |"
        )
        print(table[-1], flush=True)
    if chosen.only in "tail -f latency":
        latency = follow_latency(chosen.folder, 10 if chosen.short else 100)
        words = ", ".join(f"{name} {value:.1f} ms" for name, value in latency.seconds.items())
        table.append(f"| tail -f, newline to shown | {words} | | 5 ms median | |")
        print(table[-1], flush=True)
    if chosen.write:
        write(table)


if __name__ == "__main__":
    main()
