"""Classes of damage: what each looks like in the bytes, and how it is undone. Their codes: docs/damage.md.

One module holds one class or a tight family (framework.py says what it has); adding one is adding its line here.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from memcli.damage.framework import Class, ClassModule

MODULES: dict[str, tuple[str, ...]] = {
    # scope -> modules, in the order in which repair applies them
    "whole": ("empty_file", "foreign_type", "utf16", "json_document"),
    "line": (
        "nul_run",
        "bom",
        "conflict_markers",
        "interleaved_lines",
        "spliced_line",
        "glued_lines",
        "raw_control",
        "almost_record",
        "python_repr",
        "junk_around",
        "torn",
        "invalid_utf8",
        "no_record",
        "checksum",
        "odd_values",
        "limits",
        "final_newline",
    ),
    "header": ("missing_header", "stray_header", "header_incomplete", "name_mismatch"),
    "bytes": ("crlf", "sealed"),
    "rows": (
        "duplicates",
        "foreign",
        "offsets",
        "misshapen",
        "pairs",
        "sequence",
        "links",
        "mirrored",
        "turns",
    ),
    "text": ("memory_text", "memory_secret", "memory_oversize", "memory_wording", "memory_duplicates"),
    "file": ("odd_file",),
    "workspace": (
        "world_readable",
        "leftover_temp",
        "conflict_copy",
        "stale_lock",
        "memory_versions",
        "key_collision",
        "counters",
        "dreaming",
        "entry_cursors",
    ),
}


def modules(scope: str) -> list[ClassModule]:
    """The class modules of a scope, in the order in which repair applies them; imported when first asked for."""
    if scope not in _loaded:
        _loaded[scope] = [cast("ClassModule", import_module(f"memcli.damage.{name}")) for name in MODULES[scope]]
    return _loaded[scope]


def module_of(code: str) -> ClassModule:
    """The module that describes a code. Raises KeyError for a code that no class has."""
    for scope in sorted(MODULES, key=lambda scope: scope != "line"):  # that is what is mostly asked for
        if code in _by_code:
            break
        _by_code.update((one.code, module) for module in modules(scope) for one in module.CLASSES)
    return _by_code[code]


_loaded: dict[str, list[ClassModule]] = {}
_by_code: dict[str, ClassModule] = {}


def classes() -> list[Class]:
    """Every class there is, in the order of the table."""
    return [one for scope in MODULES for module in modules(scope) for one in module.CLASSES]
