"""The commands: name -> ("module:attribute", one line of help). Pure data; nothing is imported until it is used."""

from __future__ import annotations

COMMANDS: dict[str, tuple[str, str]] = {
    "demo": ("memcli.commands.demo:demo", "Write a small workspace, damage included, and inspect it."),
    "sessions": ("memcli.commands.sessions:app", "List and look into sessions: ls, show."),
    "tail": ("memcli.commands.tail:tail", "Show the last records of a session, and follow it with -f."),
    "grep": ("memcli.commands.grep:grep", "Find text in sessions, whatever way it is escaped on disk."),
}
"""In the order of the help page: what a newcomer needs first comes first."""
