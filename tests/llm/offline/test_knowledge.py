"""What the memory knows already, and what it does not."""

from __future__ import annotations

import pytest

from memcli.llm.offline.knowledge import Memory, replaced, same

MEMORY = Memory(
    "# Memory\n## Project\n- Queue: RabbitMQ 3.13 on mq-1\n- Deploys: Fridays, never after 16:00\n- 日志：Loki，保留 30 天\n"
)


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ("the queue is RabbitMQ 3.13 on mq-1", True),
        ("we are still on RabbitMQ", True),
        ("the queue is RabbitMQ 4.0 on mq-1", False),
        ("we moved the queue from RabbitMQ to NATS", False),
        ("日志走 Loki，保留 30 天", True),
        ("日志走 Loki，保留 60 天", False),
        ("日志不再用 Loki，换成 ClickHouse 了", False),
        ("消息队列是 RabbitMQ 3.13，在 mq-1 上", True),
        ("the office has a new coffee machine", False),
    ],
)
def test_knows(text: str, known: bool) -> None:
    assert MEMORY.knows(text) is known


def test_an_empty_memory_knows_nothing() -> None:
    assert not Memory("").knows("we use Go")


def test_same_and_replaced() -> None:
    assert same("the API port is 8080", "so the API port is 8080")
    assert not same("the API port is 8080", "the API port is 9090")
    assert replaced("the API port is 8080", "the API port is 9090")
    assert not replaced("the API port is 8080", "the admin console is on 9090 behind the proxy")
    assert not replaced("we like Go", "we like Rust")
