"""The words that writers of JSON lines have in common; the members that jsonl reads are among them."""

from __future__ import annotations

from memcli.formats.words import vocabulary

VOCABULARY = vocabulary(
    """msg body parts prompt question instruction command response response_summary answer completion summary value
    errorMessage reasoning reasoningContent toolCalls toolCallId toolName tool_name function_call functionCall item
    payload event cwd version parts username""",
    kinds="kind sender author speaker from",
    words="""session title session_meta response_item event_msg item event human ai model gpt developer toolCall
    toolResult tool_call function_call function_call_output reasoning custom_message compaction summary""",
    times="ts time createdAt create_time created date datetime updatedAt at",
    numbers="messageId message_id parentId parentUuid uuid",
    files="projects agent profiles archived_sessions agents",
)
