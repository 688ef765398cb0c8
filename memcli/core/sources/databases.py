"""The words in databases, row by row."""

from __future__ import annotations

from collections.abc import Iterator

from memcli.core.sources.framework import Source, Trace, Unchecked
from memcli.core.sources.searched import MOST
from memcli.errors import CannotRead
from memcli.formats import load, whereabouts
from memcli.search.lenient import contains
from memcli.search.pattern import Pattern
from memcli.storage import database


def in_database(source: Source, pattern: Pattern) -> Iterator[Trace | Unchecked]:
    """The rows that have the words, read as the agent's records: `detail["table"]`, and the session that a row tells."""
    agent = source.workspace.agent
    found = 0

    def wanted(text: str) -> bool:
        return pattern.search(text) or ("\\" in text and contains(text.encode("utf-8", "replace"), pattern))

    try:
        for one in database.texts(source.path, wanted):
            record = load(agent).records.record(one.values)
            text = record.text if pattern.search(record.text) else one.text
            key = whereabouts(agent).key_in(one.values) or source.key
            there = source._replace(key=key, detail={**source.detail, "table": one.table})
            yield Trace(there, None, one.number, record, text, record.timestamp or "")
            found += 1
            if found == MOST:
                return
    except CannotRead as error:
        yield Unchecked(f"{source.shown}: {error.facts['why']}")


def rows_in(source: Source) -> dict[str, int] | None:
    """How many rows each table of a database has; None where it cannot be read."""
    try:
        return {table.name: table.rows for table in database.tables(source.path)}
    except CannotRead:
        return None
