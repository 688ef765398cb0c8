"""Lines put into a file: at its end, below a heading, with its own ends of lines."""

from __future__ import annotations

import pytest

from memcli.errors import CannotWrite
from memcli.memory import placing
from memcli.storage.memory_shape import Label, Shape

SHAPE = Shape(
    labels=(
        Label("Preferences", "preference", "user"),
        Label("Project", section="project"),
        Label("Decisions", "decision"),
        Label("Notes", "fact"),
    )
)


@pytest.mark.parametrize(
    ("old", "gap", "new"),
    [
        (b"", 0, b"- x\n"),
        (b"", 2, b"- x\n"),
        (b"a", 0, b"a\n- x\n"),
        (b"a\n", 0, b"a\n- x\n"),
        (b"a\n", 1, b"a\n\n- x\n"),
        (b"a", 1, b"a\n\n- x\n"),
        (b"a\n\n\n\n", 1, b"a\n\n\n\n- x\n"),
        (b"a\r\n", 1, b"a\r\n\r\n- x\r\n"),
        (b"a\r\nb\r", 0, b"a\r\nb\r\n- x\r\n"),
        (b"a\nb\r", 0, b"a\nb\r\n- x\n"),
        (b"\r", 0, b"\r\n- x\n"),
        (b"\n", 2, b"\n- x\n"),
        (b"\r\n\r", 0, b"\r\n\r\n- x\r\n"),
        (b"\xff\xfa", 0, b"\xff\xfa\n- x\n"),
    ],
)
def test_at_the_end(old: bytes, gap: int, new: bytes) -> None:
    assert placing.at_end(old, ["- x"], gap=gap) == new
    assert placing.at_end(old, [], gap=gap) == old


@pytest.mark.parametrize(
    ("old", "end"), [(b"", b"\n"), (b"a\r\nb\r\nc\n", b"\r\n"), (b"a\r\nb\n", b"\n"), (b"a", b"\n")]
)
def test_how_lines_end(old: bytes, end: bytes) -> None:
    assert placing.ending(old) == end


@pytest.mark.parametrize(
    ("old", "category", "section", "new"),
    [
        # the heading that tells most; one for facts only where nothing says whose they are
        ("## Project\n- a\n## Decisions\n- b\n", "decision", "project", "## Project\n- a\n## Decisions\n- b\n- x\n"),
        ("## Notes\n- a\n## Project\n- b\n", "fact", "project", "## Notes\n- a\n## Project\n- b\n- x\n"),
        ("## Notes\n- a\n## Other\n- b\n", "fact", "project", "## Notes\n- a\n- x\n## Other\n- b\n"),
        ("## Project\n- a\n## Project\n- b\n", "fact", "project", "## Project\n- a\n- x\n## Project\n- b\n"),
        ("## Preferences\n- a\n", "preference", "project", None),
        ("## Preferences\n- a\n", "fact", "user", None),
        ("- a\n", "fact", "project", None),
        ("", "fact", "project", None),
        # the title of a file with headings is none of them
        ("# Project\n\n## Other\n- a\n", "fact", "project", None),
        ("# Project\n- a\n", "fact", "project", "# Project\n- a\n- x\n"),
        ("## Other\n# Project\n- a\n", "fact", "project", "## Other\n# Project\n- a\n- x\n"),
        # where in a section
        ("## Project\n", "fact", "project", "## Project\n\n- x\n"),
        ("## Project", "fact", "project", "## Project\n\n- x\n"),
        ("## Project\n\n", "fact", "project", "## Project\n\n- x\n"),
        ("## Project\n\n\n", "fact", "project", "## Project\n\n- x\n\n"),
        ("## Project\ntext", "fact", "project", "## Project\ntext\n\n- x\n"),
        ("## Project\n\n---\n\nfooter\n", "fact", "project", "## Project\n\n- x\n\n---\n\nfooter\n"),
        ("## Project\ntext\n---\nmore\n", "fact", "project", "## Project\ntext\n---\nmore\n\n- x\n"),
        ("## Project\ntext\n\n* * *\nmore\n", "fact", "project", "## Project\ntext\n\n- x\n\n* * *\nmore\n"),
        ("## Project\n- a\nlazy\n\ntext\n", "fact", "project", "## Project\n- a\nlazy\n- x\n\ntext\n"),
        (
            "## Project\n- a\n\n- b\n\n1. c\n\n\ttab\n",
            "fact",
            "project",
            "## Project\n- a\n\n- b\n\n1. c\n\n\ttab\n- x\n",
        ),
        ("## Project\n- a\n---\n", "fact", "project", "## Project\n- a\n- x\n\n---\n"),
        ("## Project\n- a\r\n- b\r\n", "fact", "project", "## Project\n- a\r\n- b\r\n- x\r\n"),
    ],
)
def test_below_a_heading(old: str, category: str, section: str, new: str | None) -> None:
    made = placing.below(old.encode(), SHAPE, category, section, ["- x"])
    assert (made.decode() if made is not None else None) == new


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("", "## T\n\n- x\n"),
        ("a", "a\n\n## T\n\n- x\n"),
        ("a\n~~~~\ncode\n", "a\n~~~~\ncode\n~~~~\n\n## T\n\n- x\n"),
        ("\ufeff```\n", "\ufeff```\n```\n\n## T\n\n- x\n"),
        ("```\ncode\n```\n", "```\ncode\n```\n\n## T\n\n- x\n"),
    ],
)
def test_a_new_heading(old: str, new: str) -> None:
    assert placing.with_heading(old.encode(), SHAPE, "T", ["- x"]).decode() == new


@pytest.mark.parametrize(
    ("old", "chinese"),
    [
        ("", False),
        ("正文\n", False),
        ("# 记忆\n", True),
        ("# 记忆\n## Notes\n", False),
        ("# 记忆\n## Notes\n## 项目 A\n", True),
        ("# Memory\n- 中文\n", False),
    ],
)
def test_whose_headings_are_chinese(old: str, chinese: bool) -> None:
    assert placing.is_chinese(old.encode(), SHAPE) is chinese


def test_utf_16_is_refused() -> None:
    placing.check("/w/MEMORY.md", b"caf\xe9 \xff\xfe")
    with pytest.raises(CannotWrite, match=r"^MEMORY\.md is in UTF-16"):
        placing.check("/w/MEMORY.md", "- x\n".encode("utf-16"))
