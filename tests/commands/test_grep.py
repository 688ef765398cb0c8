"""`grep`: golden rows over the samples and the demonstration workspace, in every form."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import golden
from support.cli import run

ONE = ""  # the file of nothing but NUL holds no text that could have matched
CONTAINS = "An unreadable line contains it: memcli sessions show <DEMO>/sessions/desktop_{}.jsonl --line {}\n"
SPLICED = CONTAINS.format("1748822400000", 4)
LINE = "1 unreadable line passed over (254 bytes) that might have matched.\n"
TWO = LINE + SPLICED
THREE = (
    "2 unreadable lines passed over (302 bytes) that might have matched.\n"
    + SPLICED
    + CONTAINS.format("1748908800000", 5)  # a row cut behind its key, which has an 8, a 0 and an e as well
)

DEMO = {
    # golden file: (arguments, exit code, stderr)
    "literal.tsv": (["8081"], 0, TWO),
    "context.tsv": (["-C1", "test:watch"], 0, ONE),
    "chinese.tsv": (["杭州"], 0, ONE),
    "emoji.tsv": (["🚄"], 0, ONE),
    "quote.tsv": (['named "test'], 0, ONE),
    "ignore_case.tsv": (["-i", "VITEST"], 0, ONE),
    "word.tsv": (["-w", "test"], 0, ONE),
    "word_none.tsv": (["-w", "vit"], 1, ONE),
    "regex.tsv": (["-E", r"vitest \d"], 0, ONE),
    "regex_over_lines.tsv": (["-E", "-e", r'--watch"\.\nRun'], 0, ONE),
    "invert.tsv": (["-v", "e"], 0, THREE),
    "count.tsv": (["-c", "e"], 0, THREE),
    "files.tsv": (["-l", "8080"], 0, ONE),
    "files_null.tsv": (["-lZ", "e", "desktop:main"], 0, ""),
    "only.tsv": (["-o", "-E", r"80\d\d"], 0, THREE),
    "max_count.tsv": (["-m1", "-i", "VITEST"], 0, ONE),
    "after.tsv": (["-A1", "-e", "hotel", "-e", "酒店"], 0, ONE),
    "before.tsv": (["-B2", "酒店"], 0, ONE),
    "role.tsv": (["--role", "user", "-i", "use"], 0, TWO),
    "roles.tsv": (["--role", "tool", "--role", "assistant", "vitest"], 0, ONE),
    "tool.tsv": (["--tool", "exec", ""], 0, THREE),
    "since.tsv": (["--since", "2026-05-15", "pnpm"], 0, ONE),
    "until.tsv": (["--until", "2026-05-13T09:10:10Z", "80"], 0, THREE),
    "two_patterns.tsv": (["-e", "pnpm", "-e", "高铁"], 0, ONE),
    "session.tsv": (["Restart", "desktop:1748822400000"], 0, ""),
    "sessions.tsv": (["e", "1748822400000", "desktop:main"], 0, LINE + SPLICED),
    "literal.jsonl": (["--json", "8081"], 0, TWO),
    "context.jsonl": (["--json", "-C1", "test:watch"], 0, ONE),
    "only.jsonl": (["--json", "-o", "808"], 0, TWO),
    "count.jsonl": (["--json", "-c", "e"], 0, THREE),
    "files.jsonl": (["--json", "-l", "8080"], 0, ONE),
    "query.jsonl": (["--query", "{key: key, row: row, text: text}", "8081"], 0, TWO),
    "where.tsv": (["--where", "row > `4`", "808"], 0, TWO),
    "where_count.tsv": (["--where", "row > `4`", "-c", "808"], 0, TWO),
    "where_none.tsv": (["--where", "row > `40`", "808"], 1, TWO),
    "quiet.tsv": (["-q", "8081"], 0, ""),
}


@pytest.mark.parametrize("name", DEMO)
def test_demonstration(demonstration: Path, name: str) -> None:
    arguments, code, said = DEMO[name]
    ran = run("grep", "-W", demonstration, *arguments)
    golden.check(f"grep/{name}", ran.out, {"DEMO": demonstration})
    assert ran.code == code
    assert ran.err.replace(str(demonstration), "<DEMO>") == said


SAMPLES = {
    "catbuddy.tsv": ("catbuddy", ["vitest"]),
    "catbuddy.jsonl": ("catbuddy", ["--json", "pnpm add"]),
    "cococat_healthy.tsv": ("cococat-v1-healthy", ["组长"]),
    "cococat_damaged.tsv": ("cococat-v1-damaged", ["reply"]),
    "cococat_damaged.jsonl": ("cococat-v1-damaged", ["--json", "reply 9"]),
    "cococat_v2.tsv": ("cococat-v2-layout", ["H"]),
    "nanobot_0.1.5.tsv": ("nanobot-v0.1.5.post3", ["after new"]),
    "nanobot_0.2.2.tsv": ("nanobot-v0.2.2", ["echo: "]),
    "nanobot_0.3.0.tsv": ("nanobot-v0.3.0", ["-c", "echo"]),
    "nanobot_0.3.5.tsv": ("nanobot-v0.3.5", ["Falcon", "cli:direct"]),
    "nanobot_0.3.5_emoji.tsv": ("nanobot-v0.3.5", ["é 😀"]),
    "nanobot_0.3.5_arguments.jsonl": ("nanobot-v0.3.5", ["--json", "--role", "assistant", "path: memory"]),
    "nanobot_killed.tsv": ("nanobot-v0.3.5-killed", ["sleep 60"]),
}


@pytest.mark.parametrize("name", SAMPLES)
def test_samples(stage: dict[str, Path], name: str) -> None:
    workspace, arguments = SAMPLES[name]
    ran = run("grep", "-W", stage[workspace], *arguments)
    assert ran.code == 0
    golden.check(f"grep/{name}", ran.out, {"SAMPLES": stage[workspace].parent})
