"""What several formats need to read JSON as text: content blocks, tool arguments, a first look at a file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from memcli.model import ToolCall

SAMPLE = 4096
"""Bytes of a file that are enough to judge it."""


class Parts(NamedTuple):
    """A message body taken apart: what is said, what is thought, the calls asked for, the call answered."""

    content: str = ""
    reasoning: str = ""
    calls: tuple[ToolCall, ...] = ()
    answers: str | None = None


def plain_text(content: Any) -> str:
    """Everything readable in a message body: a string as it is, blocks one below the other, None as "".

    Thinking, calls and results inside blocks are part of it; `parts` keeps them apart. Never raises.
    """
    if isinstance(content, str):
        return content
    if content is None:
        return ""
    found = parts(content)
    calls = [f"{call.name}\n{call.arguments}" if call.arguments else call.name for call in found.calls]
    return _joined([found.reasoning, found.content, *calls])


def value_text(value: Any) -> str:
    """Any JSON value that is no message as text: a string and null as they are, else `name: value` lines."""
    return value if isinstance(value, str) else arguments_text(value) or "null"


def parts(content: Any) -> Parts:
    """A message body (string, block, list of blocks, None, anything) with its kinds of block kept apart.

    Blocks: text (OpenAI, Anthropic, Codex input_text and output_text), thinking and reasoning, tool_use
    (Anthropic) and toolCall (Pi), tool_result, images and files by their address only. Any other block gives
    `name: value` lines.
    """
    said: list[str] = []
    thought: list[str] = []
    calls: list[ToolCall] = []
    answers = None
    waiting = [content]  # a stack, not recursion: damaged files can nest deeper than Python allows
    while waiting:
        block = waiting.pop()
        if isinstance(block, list):
            waiting.extend(reversed(block))
        elif not isinstance(block, dict):
            said.append("" if block is None else _word(block))
        elif block.get("type") in CALLS:
            calls.append(call_of(block))
        elif block.get("type") in THOUGHTS:
            thought.append(_first_text(block, ("thinking", "reasoning", "summary", "text", "content")))
        elif block.get("type") in RESULTS:
            names = ("tool_use_id", "call_id", "toolCallId")
            answers = answers or next((text for name in names if (text := text_or_none(block.get(name)))), None)
            output = block.get("output")  # Codex: often a JSON text of its own
            waiting.append(arguments_text(output) if isinstance(output, str) else output or block.get("content"))
        elif block.get("type") in _MEDIA:
            said.append(_media(block))
        elif isinstance(block.get("parts"), list):  # Gemini, ChatGPT exports
            waiting.append(block["parts"])
        elif isinstance(block.get("functionCall"), dict):  # Gemini
            calls.append(call_of(block["functionCall"]))
        elif isinstance(block.get("text"), str):
            said.append(block["text"])
        else:
            said.append(arguments_text(block))
    return Parts(_joined(said), _joined(thought), tuple(calls), answers)


def call_of(value: Any) -> ToolCall:
    """The tool call that a JSON object is: OpenAI's form (`function` inside), Anthropic's or a flat one."""
    if not isinstance(value, dict):
        return ToolCall(None, "", plain_text(value))
    inner = value.get("function")
    body = inner if isinstance(inner, dict) else value
    names = ("arguments", "input", "args", "parameters", "action")
    arguments = next((body[name] for name in names if name in body), None)
    # Codex rows have both: results answer `call_id`, `id` only names the row
    call_id = text_or_none(value.get("call_id")) or text_or_none(value.get("id"))
    name = text_or_none(body.get("name")) or (inner if isinstance(inner, str) else text_or_none(value.get("type")))
    return ToolCall(call_id, name or "", arguments_text(arguments))


def pairs(values: Sequence[Any], answering: str = "") -> list[tuple[int, bool, str]]:
    """The tool calls that rows written as OpenAI does make and answer: (index of the row, whether it answers, call id).

    With `answering` only rows of that role answer, whatever the others hold.
    """
    found: list[tuple[int, bool, str]] = []
    for index, value in enumerate(values):
        calls = value.get("tool_calls")
        for call in calls if isinstance(calls, list) else ():
            name = call.get("id") if isinstance(call, dict) else None
            if isinstance(name, str):
                found.append((index, False, name))
        answer = value.get("tool_call_id")
        if isinstance(answer, str) and (not answering or value.get("role") == answering):
            found.append((index, True, answer))
    return found


def arguments_text(arguments: Any) -> str:
    """Tool arguments as a person reads them: one `name: value` a line, strings decoded, the innermost name of each.

    Names are not joined to paths: text holds nothing that the line does not, or a search by bytes could not find it.
    A string that holds a JSON object, array or string is opened first (OpenAI stores arguments so); any other
    string is given back unchanged, and None is "". Never raises.
    """
    if arguments is None:
        return ""
    if isinstance(arguments, str):
        opened = _opened(arguments)
        if isinstance(opened, str):
            return opened
        arguments = opened
    rows: list[str] = []
    waiting: list[tuple[str, Any]] = [("", arguments)]
    while waiting:
        path, value = waiting.pop()
        if isinstance(value, dict) and value:
            waiting.extend(reversed([(str(name), value[name]) for name in value]))
        elif isinstance(value, list) and value:
            waiting.extend((path, item) for item in reversed(value))
        else:
            rows.append(f"{path}: {_word(value)}" if path else _word(value))
    return "\n".join(rows)


def text_or_none(value: Any) -> str | None:
    """A stored word or number as text; None for "", null, true, false and whatever has parts."""
    if isinstance(value, str):
        return value or None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return str(value)


def sample_values(path: str, limit: int = SAMPLE) -> list[Any]:
    """The JSON values in the first `limit` bytes of the file at `path`, without the lines that do not parse.

    When the limit cuts a line, the members of its object that are whole are given, so that a long first row
    can still be judged. Whatever cannot be opened or read gives an empty list.
    """
    import os

    from memcli.errors import CannotRead
    from memcli.storage.decode import decode
    from memcli.storage.reading import open_regular

    try:
        fd = open_regular(path)
    except CannotRead:
        return []
    try:
        head = os.pread(fd, limit + 1, 0)
    except OSError:
        return []
    finally:
        os.close(fd)
    lines = head[:limit].split(b"\n")
    cut = lines.pop() if len(head) > limit else b""
    values = [value for line in lines if line for value in decode(line).values]
    members = whole_members(cut.decode("utf-8", "replace"))
    return [*values, members] if members else values


def whole_members(text: str) -> dict[str, Any]:
    """The leading members of a JSON object whose text breaks off somewhere; {} when there are none."""
    import json

    members: dict[str, Any] = {}
    decoder = json.JSONDecoder()
    position = text.find("{") + 1
    if not position or text[: position - 1].strip("\ufeff \t\r"):
        return members
    try:
        while True:
            name, position = decoder.raw_decode(text, _skip(text, position, " \t\r,"))
            position = _skip(text, position, " \t\r")
            if not isinstance(name, str) or text[position : position + 1] != ":":
                return members
            value, end = decoder.raw_decode(text, _skip(text, position + 1, " \t\r"))
            if end >= len(text):  # a number that touches the cut may have lost digits
                return members
            members[name], position = value, end
    except (ValueError, RecursionError):
        return members


CALLS = (
    *("tool_use", "server_tool_use", "mcp_tool_use", "toolCall", "tool_call"),
    *("function_call", "custom_tool_call", "local_shell_call", "web_search_call"),
)
THOUGHTS = ("thinking", "reasoning", "redacted_thinking")
RESULTS = (
    *("tool_result", "web_search_tool_result", "mcp_tool_result", "toolResult"),
    *("function_call_output", "custom_tool_call_output", "local_shell_call_output"),
)
"""What `type` says of a block, or of a whole row, that is a call, a thought or a result."""
_MEDIA = (
    "image",
    "image_url",
    "input_image",
    "document",
    "file",
    "input_file",
    "audio",
    "input_audio",
    "video",
)


def _joined(pieces: list[str]) -> str:
    return "\n".join(piece for piece in pieces if piece)


def _word(value: Any) -> str:
    """A string as it is, anything without readable parts as JSON writes it."""
    if isinstance(value, str):
        return value
    return "null" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def _first_text(block: dict[str, Any], names: tuple[str, ...]) -> str:
    for name in names:
        text = block.get(name)
        if isinstance(text, str) and text:
            return text
        if isinstance(text, list) and text:
            return _joined([item if isinstance(item, str) else arguments_text(_body(item)) for item in text])
    return ""


def _body(item: Any) -> Any:
    """The text of a small block, the block itself when it has none."""
    return item["text"] if isinstance(item, dict) and isinstance(item.get("text"), str) else item


def _media(block: dict[str, Any]) -> str:
    """An image or file by its address: inline data is no text and can be megabytes."""
    kind = "image" if "image" in block["type"] else "file"
    for holder in (block, block.get("image_url"), block.get("source"), block.get("file")):
        if isinstance(holder, str):
            holder = {"url": holder}
        if not isinstance(holder, dict):
            continue
        for name in (
            "url",
            "image_url",
            "path",
            "file_path",
            "filename",
            "file_id",
            "media_type",
            "mimeType",
        ):
            address = holder.get(name)
            if isinstance(address, str) and address:
                return f"[{kind}: {address.split(',')[0] if address.startswith('data:') else address}]"
    return f"[{kind}]"


def _opened(text: str) -> Any:
    """What a JSON text holds when that is an object, an array or a string; otherwise the text itself."""
    import json

    if text.lstrip()[:1] not in ("{", "[", '"'):
        return text
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return value if isinstance(value, dict | list | str) else text


def _skip(text: str, position: int, blanks: str) -> int:
    while position < len(text) and text[position] in blanks:
        position += 1
    return position
