"""The manifest of a masked bundle: what it holds, which workspaces its folders are, and what archives do not keep of files.

It lies at the top of a bundle, so that `verify` sees there what it saw where the bundle was made.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping, Sequence
from typing import Any

from memcli.formats import FORMATS
from memcli.model import Workspace

NAME = "memcli-bundle.json"
LARGEST = 8 << 20


def read(folder: str) -> dict[str, Any]:
    """The manifest of the bundle that was unpacked into `folder`, {} where there is none that can be used."""
    path = os.path.join(folder, NAME)
    if not os.path.lexists(path):
        return {}
    import json

    try:
        if not stat.S_ISREG(os.lstat(path).st_mode) or os.path.getsize(path) > LARGEST:
            return {}
        with open(path, encoding="utf-8") as file:
            found = json.load(file)
    except (OSError, ValueError, RecursionError):
        return {}
    known = isinstance(found, dict) and found.get("type") == "bundle" and isinstance(found.get("workspaces"), list)
    return found if known else {}


def workspaces(folder: str, manifest: Mapping[str, Any]) -> list[Workspace]:
    """The workspaces that the manifest names; what it says of places outside of the bundle is not believed."""
    found = []
    for one in manifest.get("workspaces", ()):
        agent = one.get("agent") if isinstance(one, dict) else None
        root = _inside(folder, one.get("root")) if agent in FORMATS else None
        if root is None:
            continue
        sessions, memory = (_all_inside(folder, one.get(name)) for name in ("sessions", "memory"))
        files = _all_inside(folder, one.get("files"))
        era = one.get("era")
        era = era if isinstance(era, str) else ""
        found.append(Workspace(str(agent), root, sessions, memory, era, root, files, bundled=True))
    return found


def restore(folder: str, manifest: Mapping[str, Any]) -> None:
    """Give the files of a bundle that memcli itself unpacked the modes, times and kinds that they had; the folder is private."""
    for one in manifest.get("entries", ()):
        path = _inside(folder, one.get("path")) if isinstance(one, dict) else None
        if path is None:
            continue
        try:
            _put_back(folder, path, one)
        except (OSError, ValueError, OverflowError, TypeError):  # a finding less, nothing worse
            continue


def is_held(workspace: Workspace, path: str) -> bool | None:
    """Whether the owner of a lock of a bundle lived where the bundle was made; None where that was not known."""
    folder = os.path.dirname(workspace.root)
    for one in read(folder).get("entries", ()):
        if isinstance(one, dict) and one.get("kind") == "lock" and _inside(folder, one.get("path")) == path:
            alive = one.get("alive")
            return alive if isinstance(alive, bool) else None
    return None


def around(workspace: Workspace, folder: str) -> str:
    """The folder of a bundle that stands for the repository around a memory folder, "" where there was none."""
    above = os.path.dirname(workspace.root)
    for one in read(above).get("workspaces", ()):
        if isinstance(one, dict) and folder in _all_inside(above, one.get("around")):
            return above
    return ""


def _put_back(folder: str, path: str, one: Mapping[str, Any]) -> None:
    kind = one.get("kind")
    if kind == "folder":
        os.makedirs(path, mode=0o700, exist_ok=True)
        os.chmod(path, 0o700 | (int(one["mode"], 8) & 0o055))
    elif kind == "file" and os.path.isfile(path) and not os.path.islink(path):
        os.chmod(path, 0o600 | (int(one["mode"], 8) & 0o066))
        os.utime(path, (float(one["time"]), float(one["time"])))
    elif kind == "fifo":
        os.mkfifo(path, 0o600)
    elif kind in ("link", "name"):
        target = _inside(folder, one.get("to"))
        if target is None:
            return
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        if kind == "link":
            os.symlink(os.path.relpath(target, os.path.dirname(path)), path)
        else:
            os.link(target, path, follow_symlinks=False)


def _all_inside(folder: str, paths: Any) -> tuple[str, ...]:
    listed: Sequence[Any] = paths if isinstance(paths, list) else ()
    return tuple(path for one in listed if (path := _inside(folder, one)) is not None)


def _inside(folder: str, path: Any) -> str | None:
    """The path below the folder that a relative one names; None for any that leaves it, or goes through a link."""
    if not isinstance(path, str) or not path or "\0" in path:
        return None
    parts = path.split("/")
    if path.startswith("/") or any(part in ("", ".", "..") for part in parts):
        return None
    above = folder
    for part in parts[:-1]:
        above = os.path.join(above, part)
        if os.path.islink(above):
            return None
    return os.path.join(folder, *parts)
