"""catbuddy's own words: the members of its header, rows and journal entries."""

from __future__ import annotations

from memcli.formats.words import vocabulary

VOCABULARY = vocabulary(
    """preview toolCalls toolCallId reasoningContent tokenUsage inputTokens outputTokens latencyMs workspaceFolderId
    facts summary""",
    kinds="name",  # a tool row called so is a mark of the mirror
    words="trace",
    times="at",
    numbers="last_consolidated",
    keys="key sessionKey session_key",
    files="projects .catbuddy projects.json",
)
