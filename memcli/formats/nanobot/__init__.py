"""nanobot (HKUDS/nanobot): five on-disk generations, E0 to E4, of the same kind of file."""

from __future__ import annotations

from memcli.formats.facets import Format
from memcli.formats.nanobot import journal, layout, loader, locks, memory, records, sending

FORMAT = Format(
    name="nanobot",
    layout=layout,
    records=records,
    loader=loader,
    journal=journal,
    memory=memory,
    locks=locks,
    sending=sending,
    header_members=("updated_at",),
)
