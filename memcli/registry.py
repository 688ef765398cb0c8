"""The commands: name -> ("module:function", one line of help). Pure data; nothing is imported until it is used."""

from __future__ import annotations

COMMANDS: dict[str, tuple[str, str]] = {
    # In the order of the help page: what a newcomer needs first comes first.
    "demo": ("memcli.commands.demo:demo", "Write a small workspace, damage included, and inspect it."),
    "sessions ls": ("memcli.commands.sessions:ls", "List sessions, newest first."),
    "sessions show": (
        "memcli.commands.sessions:show",
        "Look into one session: header, counts, gaps, and what the agent itself would load.",
    ),
    "sessions diff": (
        "memcli.commands.sessions_diff:diff",
        "Compare two copies of a chat: what both have, what only one has, and versions of one row.",
    ),
    "sessions merge": (
        "memcli.commands.sessions_merge:merge",
        "Plan how A gets every row that only B has, and do it with --apply; B is not touched.",
    ),
    "sessions rm": (
        "memcli.commands.sessions_rm:rm",
        "Remove sessions with what the agent keeps beside them; undo brings all of it back.",
    ),
    "sessions export": (
        "memcli.commands.sessions_export:export",
        "Write chats as Markdown, self-contained HTML pages or JSON; --redact masks secrets.",
    ),
    "tail": ("memcli.commands.tail:tail", "Show the last records of a session, and follow it with -f."),
    "grep": ("memcli.commands.grep:grep", "Find text in sessions, whatever way it is escaped on disk."),
    "doctor": (
        "memcli.commands.doctor:doctor",
        "Look over a workspace, or find out where a chat went; name what helps.",
    ),
    "verify": ("memcli.commands.verify:verify", "Judge every file by every class of damage; nothing is changed."),
    "repair": (
        "memcli.commands.repair:repair",
        "Plan what would make broken files whole, and do it with --apply.",
    ),
    "undo": ("memcli.commands.undo:undo", "Take back what an operation did, byte for byte."),
    "seal": (
        "memcli.commands.verify:seal",
        "Record the hashes of all lines, so that verify can tell later what was changed.",
    ),
    "memory show": (
        "memcli.commands.memory:show",
        "Show every layer of memory as the agent's prompt gets it, now or at an earlier time.",
    ),
    "log": ("memcli.commands.revisions:log", "List the commits of memory, newest first."),
    "diff": ("memcli.commands.revisions:diff", "Show what changed in memory between two states of it."),
    "blame": (
        "memcli.commands.revisions:blame",
        "Show which commit each line of a memory file comes from.",
    ),
    "revert": (
        "memcli.commands.revert:revert",
        "Take back what one commit did to memory; later Dreams and edits by hand stay.",
    ),
    "lint": (
        "memcli.commands.lint:lint",
        "Judge memory files: duplicates, echoes, placeholders, secrets, size, versions.",
    ),
    "proposals ls": (
        "memcli.commands.proposals:ls",
        "List what is proposed for the memory and waits for somebody to decide.",
    ),
    "proposals show": (
        "memcli.commands.proposals:show",
        "Show a proposal: each item with where it comes from, or each change as a difference.",
    ),
    "proposals approve": (
        "memcli.commands.proposals:approve",
        "Write what is proposed into the memory, or a part of it; the rest stays open.",
    ),
    "proposals reject": (
        "memcli.commands.proposals:reject",
        "Set a proposal aside, or a part of it, with the reason; the memory is not touched.",
    ),
    "locks ls": ("memcli.commands.locks:ls", "Show who holds which lock, alive or stale, and who waits."),
    "locks clear": (
        "memcli.commands.locks:clear",
        "Remove the lock files whose owner is gone; undo brings them back.",
    ),
    "history show": (
        "memcli.commands.history:show",
        "Show the entries of the journal, the agent's running log that Dream reads.",
    ),
    "history append": (
        "memcli.commands.history:append",
        "Append an entry to the journal as the agent would, for Dream to read.",
    ),
    "history check": (
        "memcli.commands.history:check",
        "Judge the journals and their cursors by every class of damage; nothing is changed.",
    ),
    "history cursor": (
        "memcli.commands.history:cursor",
        "Show the counter of the journal and how far Dream has come, or set the latter.",
    ),
    "dream": (
        "memcli.commands.dream:dream",
        "Distil what was said since the last time into long-term memory, once.",
    ),
    "compact": (
        "memcli.commands.compact:compact",
        "Make summaries of old rows where their agent reads them; put those rows away.",
    ),
    "users ls": (
        "memcli.commands.users:ls",
        "List the users of whom an agent keeps something, by the names of their folders.",
    ),
    "users hash": (
        "memcli.commands.users:hash",
        "Show the name of the folder in which an agent keeps what it has of a user.",
    ),
    "state": ("memcli.commands.state:state", "Show what memcli keeps, where and how large; remove it."),
}
GROUPS = {
    "history": "The journal that Dream reads, and its cursors: show, append, check, cursor.",
    "locks": "See who holds what, and clear what was left behind: ls, clear.",
    "memory": "Look into long-term memory: show.",
    "proposals": "Review what is proposed for the memory: ls, show, approve, reject.",
    "sessions": "List and look into sessions: ls, show, diff, merge, rm, export.",
    "users": "Whose memory is kept: ls, hash.",
}
"""Commands of two words belong to the group that their first word names."""
