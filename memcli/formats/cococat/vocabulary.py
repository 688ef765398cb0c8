"""CocoCat's own words: the members of tasks, users' rows, summaries and group messages."""

from __future__ import annotations

from memcli.formats.words import vocabulary

VOCABULARY = vocabulary(
    "prompt response_summary iterations summary original_count from read_by recalled pid host started",
    words="compacted_summary",
    times="ts",
    numbers="original_count pid",
    files="""agents users chat scenes messages.jsonl session.jsonl PROFILE.md memory.md pinned.md compiled summaries
    config.toml groups.json cococat.db""",
    headings="dream consolidation",
)
