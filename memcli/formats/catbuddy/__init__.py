"""catbuddy: one JSONL file a chat, rewritten at every message; a journal with a counter, layered memory."""

from __future__ import annotations

from memcli.formats.catbuddy import journal, layout, loader, memory, records
from memcli.formats.facets import Format

FORMAT = Format(
    name="catbuddy",
    layout=layout,
    records=records,
    loader=loader,
    journal=journal,
    memory=memory,
    header_members=("key", "updated_at"),
)
