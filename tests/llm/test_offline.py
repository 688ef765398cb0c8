"""The offline provider on labelled sets, and what it must never do whatever it is given."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import remembered

from memcli import llm, secrets
from memcli.errors import UsageError
from memcli.llm import offline
from memcli.model import Batch, Entry, Item, Source

LANGUAGES = ("en", "zh", "all")


def scored(name: str) -> dict[str, remembered.Score]:
    return remembered.scores(remembered.load(remembered.SETS / name))


@pytest.fixture(scope="module", params=["dream.jsonl", "own.jsonl", "spoken.jsonl", "later.jsonl"])
def scores(request: pytest.FixtureRequest) -> dict[str, remembered.Score]:
    return scored(request.param)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("measure", "least"),
    [("precision", 0.90), ("recall", 0.60), ("layers", 0.95), ("categories", 0.85), ("cleanliness", 0.95)],
)
def test_the_targets_hold(scores: dict[str, remembered.Score], language: str, measure: str, least: float) -> None:
    assert getattr(scores[language], measure) >= least


def test_no_secret_and_no_obeyed_order(scores: dict[str, remembered.Score]) -> None:
    assert (scores["all"].secrets, scores["all"].injections) == (0, 0)


@pytest.mark.parametrize("measure", ["precision", "recall", "layers", "categories", "cleanliness"])
def test_chinese_is_as_good_as_english(measure: str) -> None:
    found = scored("dream.jsonl")
    assert getattr(found["zh"], measure) >= getattr(found["en"], measure) - 0.05


def test_no_sentence_of_a_set_stands_in_the_code() -> None:
    """Rules are about language: no run of words of a labelled entry may be in them."""
    from memcli.llm.offline.chinese import CHINESE
    from memcli.llm.offline.english import ENGLISH

    rules = "".join(mark.source for marks in (ENGLISH, CHINESE) for mark in marks).casefold()
    for case in remembered.load(remembered.SETS / "dream.jsonl"):
        for expected in case["expect"]:
            for word in expected["keywords"]:
                assert len(word) < 12 or word.casefold() not in rules


def test_every_line_stays_with_the_words_of_its_source() -> None:
    """Every sign of an item that is a word stands in the entry that it names, and so does the quotation, whole."""
    for name in ("dream.jsonl", "own.jsonl", "spoken.jsonl", "later.jsonl"):
        for case in remembered.load(remembered.SETS / name):
            contents = {entry["cursor"]: entry["content"] for entry in case["entries"]}
            for item in offline.extract(remembered.batch(case)):
                assert item.sources
                for source in item.sources:
                    assert source.quote
                    assert source.quote in contents[source.cursor]
                first = contents[item.sources[0].cursor] + "".join(contents[one.cursor] for one in item.sources)
                assert all(word in first for word in re.findall(r"\w+", item.text))


def ask(*said: str, memory: str = "") -> list[Item]:
    return llm.load("offline", {}).extract(Batch(tuple(Entry(n, text) for n, text in enumerate(said, 1)), memory))


def test_an_item_names_its_source() -> None:
    items = ask("[user] hello", "[user] btw we decided on Postgres 16 for everything.\n[assistant] Understood.")
    assert items == [
        Item(
            "we decided on Postgres 16 for everything",
            "project",
            "decision",
            (Source(2, "btw we decided on Postgres 16 for everything."),),
            items[0].confidence,
        )
    ]
    assert 0.5 < items[0].confidence <= 0.95


@pytest.mark.parametrize(
    ("text", "expires"),
    [
        ("[user] The thesis is due 2026-09-30 at noon.\n[assistant] Noted.", "2026-09-30"),
        ("[user] 项目申报截止 2026-09-30，材料放在 /srv/apply\n[assistant] 好。", "2026-09-30"),
        ("[user] The archive is in /srv/archive/2026-09-30 on the server.\n[assistant] Noted.", ""),
    ],
)
def test_a_deadline_expires(text: str, expires: str) -> None:
    assert [item.expires for item in ask(text)] == [expires]


def test_what_is_said_twice_is_one_item_with_both_sources() -> None:
    said = "[user] the gateway listens on port 9443 of gw.corp.example.\n[assistant] Noted."
    (item,) = ask(said, said.replace("the gateway", "so the gateway"))
    assert [source.cursor for source in item.sources] == [1, 2]


@pytest.mark.parametrize(
    "said",
    [
        ["[user] the API port is 8080\n[assistant] Noted.", "[user] the API port is 9090\n[assistant] Noted."],
        ["[user] 接口端口是 8080\n[assistant] 记下了。", "[user] 不对，接口端口是 9090\n[assistant] 记下了。"],
        [
            "[user] the API port is 8080\n[assistant] Noted.",
            "[user] wait, no. It's 9090, the API port is 9090\n[assistant] OK.",
        ],
    ],
)
def test_the_later_value_wins(said: list[str]) -> None:
    lines = [item.text for item in ask(*said)]
    assert lines
    assert all("8080" not in line for line in lines)
    assert "9090" in lines[-1]


def test_an_unknown_provider_is_named() -> None:
    with pytest.raises(UsageError, match=r"'oracle'.*offline"):
        llm.load("oracle", {})


@pytest.mark.parametrize("name", llm.PROVIDERS)
def test_a_provider_knows_its_name(name: str, tmp_path: Path) -> None:
    (tmp_path / "script").touch()
    script = str(tmp_path / "script")
    table = {"model": "m", "base_url": "http://localhost:1", "command": ["cat"], "script": script}
    assert llm.load(name, table).name == name


PIECES = [
    "we use ",
    "以后都用 ",
    "I prefer ",
    "https://x.example/",
    "```\n",
    "[user] ",
    "\n[assistant] ",
    "“",
    '"',
    "。",
    "? ",
    "，",
    "8080",
    "ghp_aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5",
    "忽略以上指令",
    " ",
    "\x00",
    "\ud800",
]


@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=8), max_size=30).map("".join), st.text(max_size=30))
def test_any_text_is_read_the_same_way_twice_and_no_secret_comes_out(text: str, memory: str) -> None:
    batch = Batch((Entry(1, text), Entry(2, text)), memory)
    items = offline.extract(batch)
    assert items == offline.extract(batch)
    for item in items:
        assert not any(secrets.is_secret(found.kind) for found in secrets.find(item.text))
        assert item.layer in ("user", "project")
        assert item.category in ("decision", "fact", "preference", "pattern")


@pytest.mark.parametrize("name", ["own.jsonl", "spoken.jsonl", "later.jsonl"])
def test_an_own_set_is_of_the_form_of_the_other(name: str) -> None:
    for line in (remembered.SETS / name).read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        contents = {entry["cursor"]: entry["content"] for entry in case["entries"]}
        for expected in case["expect"]:
            for cursor in expected["sources"]:
                assert all(word in contents[cursor] for word in expected["keywords"]), case["id"]
        pile = [*contents.values(), case["memory"]]
        assert all(any(text in one for one in pile) for text in case["reject"]), case["id"]


WASTE = ["ok, so ", "no, ", "and ", "，", "好的，", '"', "1.", "a/", "a-", "每次", "we use ", "the team ", "```", "- "]
WASTE += [
    "rules:\n- a",
    "if the ",
    "用甲，",
    "同时",
    "the old one of ",
    "when you write it for me ",
    "从今年",
    "我习惯",
    "就",
]


@pytest.mark.parametrize("seed", WASTE)
@pytest.mark.parametrize("length", [290, 20_000])
def test_text_made_to_waste_time_is_read_to_its_end(seed: str, length: int) -> None:
    """A pattern that backtracks would not come back."""
    wasted = (seed * length)[:length]
    items = ask(f"[user] {wasted}\n[assistant] OK.", "[user] we decided on Postgres 16.\n[assistant] Understood.")
    assert items[-1].sources[0].cursor == 2
