"""The layers that `doctor` looks in, in the order in which they are told."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import cast

from memcli.core.sources.framework import Layer

_LAYERS = ("sessions", "beside", "kept", "journals", "memories", "memory_history", "elsewhere")


@cache
def layers() -> tuple[Layer, ...]:
    """The modules of this package that are layers."""
    return tuple(cast("Layer", import_module(f"{__name__}.{name}")) for name in _LAYERS)
