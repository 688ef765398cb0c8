"""Any other file of JSON lines, read by the words that message logs use; never refused."""

from __future__ import annotations

from memcli.formats.facets import Format
from memcli.formats.jsonl import layout, loader, locks, records

FORMAT = Format(
    name="jsonl",
    layout=layout,
    records=records,
    loader=loader,
    locks=locks,
    askers=("user", "human", "prompt", "customer"),
)
