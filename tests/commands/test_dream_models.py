"""`dream` with a model that is asked over HTTP: what it answers, what becomes of the memory then, and how memcli ends."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from signal import SIGINT, SIGTERM, Signals
from time import sleep
from typing import Any

import pytest
from support import dreams
from support.cli import MEMCLI, TIMEOUT, Ran, environment, run, snapshot, spawn
from support.model_server import Answer, ModelServer, serving
from support.repository import git
from support.wires import SPENT, WIRES, Wire

ROUNDS = 20
"""So many questions of one loop of tools at most."""
KEY = "sk-loopback-0123456789-abcdef"
NAMES = ["pnpm", "weather", "postgres"]
TEXTS = {"user": "I always use pnpm, never npm", "project": "We decided to use PostgreSQL 16 for the orders database"}
GOOD = json.dumps(
    [
        {"text": text, "layer": layer, "category": category, "sources": [{"cursor": cursor, "quote": text}]}
        for (layer, text), category, cursor in zip(TEXTS.items(), ("preference", "decision"), (1, 3), strict=True)
    ]
)
RUBBISH = "I am sorry, what was that?"


class Home:
    """Workspaces, and memcli that asks a server for a model."""

    def __init__(self, folder: Path, wire: Wire, server: ModelServer) -> None:
        self.folder, self.wire, self.server = folder, wire, server
        self.bot = Path(dreams.nanobot(folder / "bot", NAMES).root)
        self.office = Path(dreams.cococat(folder / "office", ["postgres"]).root)
        self.configure()

    def configure(self, *, tries: int = 1, seconds: int = 60) -> None:
        lines = ["[dream]", f"seconds = {seconds}", "[llm]", 'model = "tiny"', 'key_env = "MY_KEY"', f"tries = {tries}"]
        lines.append(f'base_url = "{self.server.url}{self.wire.base}"')
        (self.folder / "config.toml").write_text("\n".join(lines) + "\n")

    def answers(self, *answers: Answer | str) -> None:
        """What the server says from now on; texts as the service writes them."""
        del self.server.asked[:]
        self.server.answers = [Answer(self.wire.said(one, False)) if isinstance(one, str) else one for one in answers]

    def calls(self, *calls: tuple[str, dict[str, Any]], last: Answer | str = "Done.") -> None:
        """The server calls tools, one after the other, and ends with `last`."""
        self.answers(*(Answer(self.wire.called(call)) for call in calls), last)

    def dream(self, *words: str, root: Path | None = None, key: str | None = KEY, process: bool = False) -> Ran:
        variables = {**self.variables, "MY_KEY": key}
        ran = (spawn if process else run)("dream", *self.chosen(root), *words, env=variables)
        assert KEY not in ran.out + ran.err
        assert "Traceback" not in ran.err
        return ran

    def start(self, root: Path) -> subprocess.Popen[str]:
        """A process that dreams there."""
        variables = environment({**self.variables, "MY_KEY": KEY})
        command = [*MEMCLI, "dream", *self.chosen(root)]
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=variables)

    def chosen(self, root: Path | None) -> list[str]:
        return ["--provider", self.wire.provider, "--idle", "0", "-W", str(root or self.bot)]

    def status(self, root: Path | None = None) -> dict[str, Any]:
        return dict(json.loads(self.dream("--status", "--json", root=root).out))

    @property
    def variables(self) -> dict[str, str]:
        return {"MEMCLI_STATE_DIR": str(self.folder / "state"), "MEMCLI_CONFIG": str(self.folder / "config.toml")}

    @property
    def memory(self) -> str:
        return (self.bot / "memory" / "MEMORY.md").read_text() + (self.bot / "USER.md").read_text()

    @property
    def position(self) -> str:
        path = self.bot / "memory" / ".dream_cursor"
        return path.read_text() if path.exists() else ""

    @property
    def desk(self) -> Path:
        """The memory of CocoCat's one agent."""
        return self.office / "agents" / "leader" / "memory" / "MEMORY.md"


@pytest.fixture(params=WIRES, ids=lambda wire: wire.provider)
def home(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Home]:
    with serving() as server:
        yield Home(tmp_path, request.param, server)


def landed(home: Home) -> None:
    """All that the good answer names is in the memory, once, and reading stands behind it."""
    for text in TEXTS.values():
        assert home.memory.count(text) == 1
    assert home.position == "3"


def test_a_good_answer(home: Home) -> None:
    home.answers(GOOD)
    ran = home.dream("--init-git", "--json", process=True)
    assert ran.code == 0, ran.err
    landed(home)
    batch, *items = [json.loads(line) for line in ran.out.splitlines()]
    assert (batch["provider"], batch["model"], batch["verified"]) == (home.wire.provider, "tiny", True)
    assert batch["spent"] == SPENT
    assert [(item["state"], item["layer"]) for item in items] == [("added", "project"), ("added", "user")]
    [asked] = home.server.asked
    assert (asked.path, asked.key) == (home.wire.path, KEY)
    assert f"Memcli-Provider: {home.wire.provider} tiny" in git(home.bot, "log", "-1", "--format=%B")
    kept = [path for path in home.folder.rglob("*") if path.is_file() and KEY.encode() in path.read_bytes()]
    assert kept == []
    assert "nothing waits" in home.status()["why"]


@pytest.mark.parametrize(
    ("first", "tries"),
    [
        (RUBBISH, 1),
        (GOOD[:-40], 1),
        (Answer({}, 429, {"retry-after": "0"}), 2),
        (Answer({}, 500), 2),
        (Answer(b'{"choices": [', lost=20), 2),
    ],
    ids=["rubbish", "half", "429", "500", "truncated"],
)
def test_what_is_better_when_asked_again(home: Home, first: Answer | str, tries: int) -> None:
    home.configure(tries=tries)
    home.answers(first, GOOD)
    ran = home.dream()
    assert ran.code == 0, ran.err
    assert len(home.server.asked) == 2
    landed(home)


def test_nothing_worth_keeping(home: Home) -> None:
    home.answers("[]")
    before = home.memory
    assert home.dream().code == 0
    assert (home.memory, home.position) == (before, "3")
    assert len(home.server.asked) == 1


FAILING: dict[str, tuple[Answer | str, str]] = {
    "rubbish": (RUBBISH, "answered twice with nothing that can be read"),
    "web page": (Answer(b"<!DOCTYPE html><html>Welcome</html>"), "web page"),
    "half": (Answer(b'{"choices": [{"mess'), "no whole JSON"),
    "truncated": (Answer(b'{"choices": [', lost=20), "broke off"),
    "429": (Answer({}, 429), "asked too much"),
    "500": (Answer({"error": {"message": "Overloaded"}}, 500), "500"),
    "401": (Answer({"error": {"message": f"Bad key {KEY}"}}, 401), "key"),
    "redirect": (Answer({}, 307, {"location": "http://127.0.0.1:9/"}), "a redirect"),
    "huge": (Answer(b" " * (17 << 20)), "longer than"),
}
"""What the server answers again and again, and what memcli says then."""


@pytest.mark.parametrize("name", FAILING)
def test_a_failure_changes_nothing_and_waits(home: Home, name: str) -> None:
    answer, said = FAILING[name]
    before = home.memory
    home.answers(answer)
    ran = home.dream()
    assert ran.code == 3
    assert said in ran.err
    assert (home.memory, home.position) == (before, "")
    asked = len(home.server.asked)
    assert asked >= 1
    cron = home.dream("--if-due", "--cron")
    assert (cron.code, cron.out, cron.err) == (0, "", "")
    assert len(home.server.asked) == asked, "it did not wait"
    told = home.status()
    assert (told["failures"], told["entries"]) == (1, 3)
    assert "left alone" in told["why"]
    home.answers(GOOD)
    assert home.dream().code == 0  # asked for by hand it does not wait
    landed(home)
    assert home.status()["failures"] == 0


@pytest.mark.parametrize("slow", ["never", "drops"])
def test_a_slow_answer(home: Home, slow: str) -> None:
    home.configure(seconds=1)
    before = home.memory
    home.answers(Answer(home.wire.said(GOOD, False), slow=slow))
    ran = home.dream(process=True)
    assert ran.code == 3
    assert "took longer than" in ran.err
    assert (home.memory, home.position) == (before, "")
    home.configure()
    home.answers(GOOD)
    assert home.dream().code == 0
    landed(home)


@pytest.mark.parametrize(("signal", "code"), [(SIGINT, 130), (SIGTERM, 143)], ids=["interrupt", "terminate"])
@pytest.mark.parametrize("where", ["journal", "tools"])
def test_interrupted_while_the_model_thinks(home: Home, signal: Signals, code: int, where: str) -> None:
    never = Answer(b"x", slow="never")
    home.answers(never) if where == "journal" else home.calls(READ, ADD, last=never)
    root = home.bot if where == "journal" else home.office
    before = snapshot(root)
    process = home.start(root=root)
    for _ in range(3000):
        if len(home.server.asked) == len(home.server.answers):
            break
        sleep(0.01)
    assert len(home.server.asked) == len(home.server.answers)
    process.send_signal(signal)
    out, err = process.communicate(timeout=TIMEOUT)
    assert (process.returncode, out) == (code, "")
    assert "Traceback" not in err
    assert snapshot(root) == before
    told = home.status(root)
    assert (told["failures"], told["set_aside"]) == (0, [])
    if where == "journal":
        home.answers(GOOD)
        assert home.dream().code == 0
        landed(home)


def test_nobody_answers(home: Home) -> None:
    before = home.memory
    home.server.stop()
    for _ in range(6):  # more often than what sets a batch aside
        ran = home.dream()
        assert ran.code == 3
        assert "no connection" in ran.err
    no_key = home.dream(key=None)
    assert no_key.code == 3
    assert "MY_KEY" in no_key.err
    assert (home.memory, home.position) == (before, "")
    told = home.status()
    assert (told["entries"], told["set_aside"]) == (3, [])


def test_half_an_answer_twice_is_used_as_far_as_it_goes(home: Home) -> None:
    half = json.dumps(json.loads(GOOD)[:1])[:-1] + ', {"text": "We decided to'
    home.answers(Answer(home.wire.said(half, True)))
    ran = home.dream("--json")
    assert ran.code == 0, ran.err
    assert len(home.server.asked) == 2
    assert "only the whole items in it were read" in ran.err
    batch, item = [json.loads(line) for line in ran.out.splitlines()]
    assert (batch["verified"], batch["moved"]) == (False, "0..3")
    assert (item["state"], item["text"]) == ("added", TEXTS["user"])
    assert home.memory.count(TEXTS["user"]) == 1


def test_a_model_that_falls_silent_after_a_faulty_answer(home: Home) -> None:
    items = json.loads(GOOD)
    items[1]["sources"][0]["quote"] = "words that nobody said"
    home.answers(json.dumps(items), Answer({}, 500))
    ran = home.dream("--json")
    assert ran.code == 0, ran.err
    assert "the model was not heard again: tiny at 127.0.0.1 gave no answer" in ran.err
    assert "Nothing was changed" not in ran.err
    batch = json.loads(ran.out.splitlines()[0])
    assert not batch["verified"]
    assert home.memory.count(TEXTS["user"]) == 1
    assert TEXTS["project"] not in home.memory
    shown = run("proposals", "show", batch["proposal"], "-W", home.bot, env=home.variables)
    assert TEXTS["project"] in shown.out


# ------------------------------------------------------------------- CocoCat, whose model edits the one file by its tools

HEAD = "# Leader Memory\n\nPersonal memories and learnings for leader.\n"
FACT = "We decided to use PostgreSQL 16 for the orders database"
READ = ("read_file", {"path": "MEMORY.md"})
ADD = ("edit_file", {"path": "MEMORY.md", "old_string": "for leader.\n", "new_string": f"for leader.\n\n- {FACT}\n"})


def test_a_model_edits_the_file(home: Home) -> None:
    home.calls(READ, ADD)
    ran = home.dream("--json", root=home.office, process=True)
    assert ran.code == 0, ran.err
    assert home.desk.read_text() == f"{HEAD}\n- {FACT}\n"
    batch, item = [json.loads(line) for line in ran.out.splitlines()]
    assert (batch["outcome"], batch["entries"], batch["left"]) == ("dreamt", 1, 0)
    assert (item["state"], item["text"]) == ("added", FACT)
    assert len(home.server.asked) == 3
    assert all("read_file" in json.dumps(one.body["tools"]) for one in home.server.asked)
    assert "Memcli-Operation" not in json.dumps([one.body for one in home.server.asked])
    assert home.status(home.office)["entries"] == 0
    home.answers(Answer({}, 500))
    again = home.dream(root=home.office)
    assert (again.code, len(home.server.asked)) == (0, 0)


@pytest.mark.parametrize(
    "call",
    [
        ("edit_file", {**ADD[1], "path": "../../../other.md"}),
        ("edit_file", {**ADD[1], "path": "/etc/passwd"}),
        ("write_file", {"path": "MEMORY.md", "content": ""}),
        ("edit_file", {**ADD[1], "old_string": "nowhere to be found"}),
        ("read_file", {"path": "MEMORY.md", "line": -1}),
    ],
    ids=["beside", "far away", "another tool", "not found", "no line"],
)
def test_a_wrong_call_is_refused_and_the_right_one_done(home: Home, call: tuple[str, dict[str, Any]]) -> None:
    outside = [path for path in home.folder.rglob("*") if path.is_file() and "state" not in path.parts]
    before = {path: path.read_bytes() for path in outside if path not in (home.desk,)}
    home.calls(call, ADD)
    ran = home.dream(root=home.office)
    assert ran.code == 0, ran.err
    assert "was refused" in ran.err
    assert home.desk.read_text() == f"{HEAD}\n- {FACT}\n"
    moved = {path for path, raw in before.items() if path.read_bytes() != raw}
    assert all("cursor" in path.name for path in moved)


@pytest.mark.parametrize(
    "last", [Answer({}, 500), Answer(b"<html>"), Answer(b'{"x', lost=9)], ids=["500", "web", "cut"]
)
def test_a_model_that_fails_between_two_calls(home: Home, last: Answer) -> None:
    home.calls(READ, ADD, last=last)
    ran = home.dream(root=home.office)
    assert ran.code == 3, ran.err
    assert home.desk.read_text() == HEAD
    told = home.status(home.office)
    assert (told["entries"], told["failures"]) == (1, 1)
    home.calls(READ, ADD)
    assert home.dream(root=home.office).code == 0
    assert home.desk.read_text().count(FACT) == 1


GONE = "MEMORY.md: More than a quarter of a memory file would go (10 of 12 lines)"
SECRET = "AKIA" + "Z7Q4M2N8P6R5T3W1"


@pytest.mark.parametrize("what", ["gone", "secret"])
def test_edits_that_may_not_be_kept(home: Home, what: str) -> None:
    facts = "".join(f"- fact number {number} of the {name} team\n" for number, name in enumerate("abcdefghij"))
    dreams.old(home.desk, HEAD + facts)
    new = "- gone\n" if what == "gone" else f"{facts}- the key is {SECRET}\n"
    home.calls(("edit_file", {"path": "MEMORY.md", "old_string": facts, "new_string": new}))
    ran = home.dream(root=home.office)
    assert ran.code == 3
    assert SECRET not in ran.out + ran.err
    assert home.desk.read_text() == HEAD + facts
    assert home.status(home.office)["failures"] == 1
    quiet = home.dream("--if-due", "--cron", root=home.office)
    assert (quiet.code, quiet.out, quiet.err) == (0, "", "")
    if what == "gone":
        assert GONE in ran.err
        del home.server.asked[:]
        shown = home.dream("--dry-run", root=home.office)
        assert (shown.code, GONE in shown.err) == (0, True)
        del home.server.asked[:]
        assert home.dream("--allow-loss", root=home.office).code == 0
        assert home.desk.read_text() == HEAD + new


def test_a_model_that_never_ends(home: Home) -> None:
    home.answers(Answer(home.wire.called(READ)))
    ran = home.dream(root=home.office)
    assert ran.code == 3
    assert home.desk.read_text() == HEAD
    assert len(home.server.asked) == ROUNDS + 2  # the entries are asked about instead, and once more
