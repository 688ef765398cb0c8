"""JSON lines: one object a row, UTF-8, stable keys, safe to look at."""

from __future__ import annotations

from typing import Any

from memcli.output.safe_text import json_text


def line(row: Any) -> bytes:
    """`row` as one line of JSON. Lone surrogates and unprintable characters become \\u escapes of the same value."""
    import orjson

    try:
        text = orjson.dumps(row)
    except (TypeError, ValueError):  # lone surrogates, integers beyond 64 bits, nesting beyond orjson's limit
        import json

        return json.dumps(row, ensure_ascii=True, separators=(",", ":")).encode() + b"\n"
    if text.isascii() and b"\x7f" not in text:
        return text + b"\n"
    return json_text(text.decode()).encode() + b"\n"
