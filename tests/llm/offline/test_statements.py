"""Single sentences of every kind, in both languages: what is kept, as what, and what is not."""

from __future__ import annotations

import pytest

from memcli.llm import offline
from memcli.model import Batch, Entry

KEPT = [
    ("I prefer short functions, in every project", "user", "preference"),
    ("Could you always show the diff first, please?", "user", "preference"),
    ("I'm a data engineer based in Porto", "user", "fact"),
    ("I switched to Zellij for good", "user", "decision"),
    ("I always rebase before I push", "user", "pattern"),
    ("we settled on Kafka for events", "project", "decision"),
    ("the registry lives at https://reg.corp.example/v2", "project", "fact"),
    ("whenever the VPN drops, the sync job loses its lock", "project", "pattern"),
    ("the reviewers prefer small pull requests", "project", "preference"),
    ("我讨厌缩写的变量名，哪个项目都别用", "user", "preference"),
    ("我是做数据平台的，常驻杭州", "user", "fact"),
    ("我从这周起改用 Ghostty 了", "user", "decision"),
    ("我提交之前总是先跑一遍测试", "user", "pattern"),
    ("事件总线定了用 Kafka，会上说好的", "project", "decision"),
    ("镜像仓库的地址是 https://reg.corp.example/v2", "project", "fact"),
    ("每次 VPN 一断，同步任务就会丢锁", "project", "pattern"),
    ("客户更喜欢深色的图表", "project", "preference"),
]

LEFT = [
    "should we use Kafka for events?",
    "maybe we should move to Kafka",
    "for now we use the staging host mq-2.corp.example",
    "rename the topic to orders-v2",
    "my friend uses Rust for everything",
    "I love it!",
    "thanks, good night",
    "the password is hunter2-Xk29!fQ7",
    "事件总线要不要用 Kafka？",
    "可能是 Kafka 的问题",
    "先临时用 mq-2.corp.example 顶一下",
    "帮我把 topic 改成 orders-v2",
    "我朋友公司全都用 Rust",
    "烦死了",
    "今晚早点睡",
    "数据库密码是 Xk29fQ7hunter2",
]


def ask(text: str) -> list[tuple[str, str]]:
    items = offline.extract(Batch((Entry(1, f"[user] {text}\n[assistant] OK."),)))
    return [(item.layer, item.category) for item in items]


@pytest.mark.parametrize(("text", "layer", "category"), KEPT, ids=[text[:24] for text, _, _ in KEPT])
def test_kept(text: str, layer: str, category: str) -> None:
    assert ask(text) == [(layer, category)]


@pytest.mark.parametrize("text", LEFT, ids=[text[:24] for text in LEFT])
def test_left(text: str) -> None:
    assert ask(text) == []


def test_a_sentence_about_two_things_is_two_items() -> None:
    assert ask("I'm new to Go, so please explain each change in simple words") == [
        ("user", "fact"),
        ("user", "preference"),
    ]


def test_a_secret_is_left_out_and_the_rest_kept() -> None:
    (item,) = offline.extract(
        Batch((Entry(1, "[user] 构建机是 build-7.corp.example，密码 Xk29fQ7hunter2，端口 2222\n[assistant] 好。"),))
    )
    assert "build-7.corp.example" in item.text
    assert "hunter2" not in item.text + item.sources[0].quote


def talk(*said: str) -> list[str]:
    entries = (Entry(cursor, text) for cursor, text in enumerate(said, 1))
    return [item.text for item in offline.extract(Batch(tuple(entries)))]


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("The invoice template lives in /srv/invoices. The auditors asked for it", 1),
        ("The invoice template lives in /srv/invoices. My neighbour says it is odd", 1),
        ("The auditors asked for it", 0),
        ("跟主管说好了", 0),
    ],
)
def test_who_came_to_it_goes_with_what_it_is(said: str, kept: int) -> None:
    lines = talk(f"[user] {said}\n[assistant] Noted.")
    assert len(lines) == kept
    assert all(line.startswith("The invoice template") for line in lines)
    assert all(("asked for it" in line) is ("asked for it" in said) for line in lines)


def test_what_is_turned_down_is_what_was_offered() -> None:
    told = "[user] whenever the VPN drops, the sync job loses its lock\n[assistant] I could add a retry."
    assert len(talk(told, "[user] don't\n[assistant] Left as is.")) == 1


def test_a_reply_that_says_it_again_speaks_for_it() -> None:
    said = "[user] Parents may never see another child's record\n[assistant] "
    assert talk(said + "The index is missing.") == []
    assert len(talk(said + "Never another child's record.")) == 1


def test_points_of_a_list_are_read_as_what_the_line_above_says() -> None:
    said = "[user] our rules:\n- branches are feat/<ticket>-slug\n- squash merges\n[assistant] Got it."
    items = offline.extract(Batch((Entry(1, said),)))
    assert [item.category for item in items] == ["decision", "decision"]
