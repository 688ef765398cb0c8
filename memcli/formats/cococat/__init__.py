"""CocoCat: V1 journals (agents, their users) and group chats as sessions; V2a and V2b session files."""

from __future__ import annotations

from memcli.formats.cococat import journal, layout, loader, locks, memory, records
from memcli.formats.facets import Format

FORMAT = Format(
    name="cococat",
    layout=layout,
    records=records,
    loader=loader,
    journal=journal,
    memory=memory,
    locks=locks,
    askers=("task", "user"),
)
