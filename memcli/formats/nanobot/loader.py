"""The agent's-eye view of a session file: what nanobot of its era loads, lists and sends to the model."""

from __future__ import annotations

from collections.abc import Iterable

from memcli.model import AgentView, Decoded, Line


def view(lines: Iterable[tuple[Line, Decoded]], name: str, era: str) -> AgentView:
    """What nanobot of `era` (E0 to E4, "" for the newest) makes of the file called `name` with these lines.

    `seen` are the messages it loads, `total` the rows; a row that an offset or a broken pair keeps from the
    model is seen, and a note tells. Memory: a byte a message, and the tool-call ids.
    """
    from memcli.formats.nanobot.viewing import tell  # a listing loads the format and has no use for this

    return tell(lines, name, era)
