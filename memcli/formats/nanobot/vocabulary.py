"""nanobot's own words: the members of its header, state, rows, journal entries and checkpoints."""

from __future__ import annotations

from memcli.formats.words import vocabulary

VOCABULARY = vocabulary(
    """state kind provider version payload pending_messages latency_ms sender_id _command _channel_delivery
    _hidden_history _automation_turn _cron_turn _runtime_context _session_message _recovery_interrupted
    _webui_message_source injected_event subagent_task_id cli_apps webui_turn_id""",
    words="provider_state tool_calls",
    numbers="last_archived last_consolidated base_message_count",
    keys="key session_key",
    files=".nanobot .workspace .session-files.lock .migration-conflicts checkpoint webui .gitignore workspaces",
    headings="""
basic information
communication style
response length
technical level
work context
topics of interest
special instructions
soul
personality
values
""",
)
