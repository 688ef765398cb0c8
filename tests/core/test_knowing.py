"""What the memory says already, what contradicts it, what is new; English and Chinese."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.core.knowing import Sorted, contradicts, sort
from memcli.model import Item


def item(text: str, layer: str = "project") -> Item:
    return Item(text, layer, "fact", (), 0.9)


def told(text: str, memory: str) -> str:
    found = sort([item(text)], {"MEMORY.md": memory})
    return next(name for name in Sorted._fields if getattr(found, name))


@pytest.mark.parametrize(
    ("text", "memory", "as_what"),
    [
        ("uses pnpm", "", "new"),
        ("uses pnpm", "- Uses pnpm.\n", "known"),
        ("Uses  pnpm", "- **Key Decision**: other\n* uses pnpm\n", "known"),
        ("User uses pnpm, not npm", "- Uses pnpm, not npm\n", "known"),
        ("We deploy with Argo CD", "Deploys go out with Argo CD\n", "known"),
        ("use tabs in JS", "- use tabs in Go\n", "new"),
        ("prefers TypeScript with Vim", "- prefers TypeScript\n", "new"),
        ("port is 8080", "# port is 8080\n", "new"),
        ("uses C++", "- uses C\n", "new"),
        ("uses C#", "- uses C#.\n", "known"),
        ("port is 8080", "```\nport is 8080\n```\n", "new"),
        ("port is 8080", "- ports are open\n", "new"),
        ("API listens on port 9090", "- API listens on port 8080\n", "conflicts"),
        ("port 9090", "- **Key Decision**: port 8080\n", "conflicts"),
        ("port 8080", "* **Key Decision**: port 8080\n", "known"),
        ("timezone is UTC+8", "- **Timezone**: UTC+8\n", "known"),
        ("timezone is UTC+9", "- **Timezone**: UTC+8\n", "conflicts"),
        ("meetings are at UTC+9", "- **Timezone**: UTC+8\n", "new"),
        ("API listens on port 9090", "- API listens on port 8080\n- API listens on port 9090\n", "known"),
        ("Production database listens on port 5433", "- Staging database listens on port 5432\n", "new"),
        ("用 pnpm 管理依赖", "- 用 pnpm 管理依赖。\n", "known"),
        ("我们用 pnpm 来管理依赖", "- 用 pnpm 管理依赖\n", "known"),
        ("用 yarn 管理依赖", "- 用 pnpm 管理依赖\n", "new"),
        ("服务端口为 9090", "- 服务端口是 8080\n", "conflicts"),
        ("服务端口是9090", "- **事实**：服务端口是8080\n", "conflicts"),
        ("生产环境端口是9090", "- 测试环境端口是8080\n", "new"),
        ("喜欢简短的回答", "- 喜欢简短的回答\n", "known"),
        ("喜欢简短的回答", "- 部署在周五\n", "new"),
    ],
)
def test_told_apart(text: str, memory: str, as_what: str) -> None:
    assert told(text, memory) == as_what


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The API port is 8080", "API port moved to 9090"),
        ("The service runs on port 8080.", "Service runs on port 9090 instead of 8080"),
        ("Nightly backup runs at 02:00", "Nightly backup moved from 02:00 to 03:30"),
        ("Uses Python 3.11", "Uses Python 3.12 now"),
        ("Deadline is 2026-06-01", "The deadline moved to 2026-07-01"),
        ("The user is in UTC+8", "The user is in UTC+2"),
        ("max 3 retries for webhooks", "max 5 retries for webhooks"),
        ("服务端口是8080", "服务端口从 8080 改为 9090"),
        ("服务端口是8080", "服务端口改为9090，不再用8080"),
        ("API 监听 8080 端口", "API 端口改为 9090"),
        ("预算是 5000 元", "预算是 8000 元"),
        ("时区是UTC+8", "时区是UTC+9"),
    ],
)
def test_a_contradiction(old: str, new: str) -> None:
    assert contradicts(old, new)
    assert not contradicts(old, old)
    assert not contradicts(new, new)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Timeout for login is 30s", "Timeout for upload is 60s"),
        ("port 8080", "uses pnpm"),
        ("uses npm", "uses pnpm"),
        ("测试环境端口是8080", "生产环境端口是9090"),
        ("", ""),
    ],
)
def test_no_contradiction(old: str, new: str) -> None:
    assert not contradicts(old, new)


def test_where_a_line_stands() -> None:
    texts = {
        "USER.md": "# User\n\n- Called Ada\n",
        "memory/MEMORY.md": "# M\r\n\r\n- x\r\n- API listens on port 8080\r\n",
    }
    wanted = [item("API listens on port 9090"), item("called Ada", "user"), item("uses pnpm"), item("Uses pnpm!")]
    found = sort(wanted, texts)
    assert found.conflicts == ((wanted[0], "memory/MEMORY.md", 4),)
    assert found.known == ((wanted[1], "Called Ada"), (wanted[3], "uses pnpm"))
    assert found.new == (wanted[2],)


@given(
    st.lists(
        st.sampled_from(["port 8080", "port 9090", "Port 8080.", "端口 8080", "端口 9090", "x", "", "🙂"]), max_size=8
    ),
    st.lists(st.sampled_from(["- port 8080\n", "端口 9090\r\n", "# x\n", "```\n", "\n", "🙂\n"]), max_size=8).map(
        "".join
    ),
)
def test_each_item_is_told_once(texts: list[str], memory: str) -> None:
    items = [item(text) for text in texts]
    found = sort(items, {"a": memory})
    parts = [*found.new, *(one for one, _ in found.known), *(one for one, _, _ in found.conflicts)]
    assert sorted(id(one) for one in parts) == sorted(id(one) for one in items)
    lines = memory.split("\n")
    assert all(0 < number <= len(lines) and lines[number - 1].strip() for _, _, number in found.conflicts)
