"""What nanobot does by itself: the gateway's Dream by its settings, and what older generations left that it passes over
(config/schema.py, cli/gateway_runtime.py, memory.py `_maybe_migrate_legacy_history`)."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from memcli.formats.facets import Dreams, Generation, JournalFile, Moved, TakenOut, Waiting
from memcli.formats.nanobot import places
from memcli.formats.nanobot.memory import is_daily_note
from memcli.formats.nanobot.names import SUFFIX, decoded_key, encoded_name, is_surely_encoded, lossy_name, stem_of
from memcli.model import Workspace

ENTRY_CAP: int | None = 64_000
OWN: frozenset[str] = frozenset()
HOURS = 2
BATCH = 20
CAP, NEAR = 2000, 50
"""Rows that a file may have (FILE_MAX_MESSAGES); what is cut off goes back to a user row, so a few less may be left."""
LEFT = 60
"""Rows that AutoCompact leaves at most: eight, and those before them back to a user row."""
CHECKPOINT = 64 << 20
CONFIG = 1 << 20
"""config.json is read up to this many bytes."""


def dreams(workspace: Workspace, journal: JournalFile, waiting: Waiting) -> Dreams:
    """A gateway dreams every two hours unless config.json says otherwise; without a gateway only `/dream` does."""
    if not waiting.entries:
        return Dreams(False, "nothing is new")
    settings = _dream_settings(workspace)
    if settings.get("enabled") is False:
        return Dreams(False, "Dream is switched off in config.json, and the next gateway marks them as dreamt unread")
    hours = settings.get("intervalH", settings.get("interval_h", HOURS))
    cron = settings.get("cron")
    when = f"by the schedule {cron}" if isinstance(cron, str) and cron else f"every {hours} hours"
    return Dreams(True, f"a running gateway dreams {when}, {BATCH} entries at a time; without one only /dream does")


def generations(workspace: Workspace) -> list[Generation]:
    """What the generation in use does not read any more, and names that it has yet to rename."""
    if workspace.files:
        return []
    return [*_sessions(workspace), *_memory(workspace)]


def moved(workspace: Workspace, key: str) -> Moved | None:
    """0.3.5 opens the encoded name in its namespace and nothing else; up to 0.3.0 each version finds what older ones left.

    The move to 0.3.5 takes over files as they are called, and leaves one that does not parse where it was; of two with one
    name the older goes to `.migration-conflicts`.
    """
    if workspace.era != "E4" or workspace.files:
        return None
    known = places.workspace_id(workspace.root)
    spaces = [folder for folder in workspace.sessions if places.is_id(os.path.basename(folder))]
    folder = next((folder for folder in spaces if os.path.basename(folder) == known), *spaces[:1] or [""])
    if not folder:
        return None
    name, old = encoded_name(key), lossy_name(key)
    others = [one for one in workspace.sessions if one != folder]
    candidates = [os.path.join(folder, old), *(os.path.join(one, each) for one in others for each in (name, old))]
    conflicts = os.path.join(folder, ".migration-conflicts")
    candidates += [
        os.path.join(conflicts, each)
        for each in sorted(places.names_in(conflicts))
        if each.startswith((f"{stem_of(name)}.", f"{stem_of(old)}."))
    ]
    place = os.path.join(folder, name)
    return Moved(place, tuple(path for path in candidates if path != place and os.path.isfile(path)))


def taken_out(header: Mapping[str, Any], rows: int, era: str) -> TakenOut | None:
    """Idle AutoCompact, up to 0.3.0, put a summary in the place of all but the last rows; 0.1.5.post3 to 0.3.0 cap files."""
    if era not in ("E2", "E3"):
        return None
    metadata = header.get("metadata")
    summary = metadata.get("_last_summary") if isinstance(metadata, dict) else None
    whole = isinstance(summary, dict) and {"text", "last_active"} <= summary.keys()
    if isinstance(summary, dict) and whole and not header.get("last_consolidated"):
        return TakenOut(
            "compacted-away",
            f"AutoCompact of a version up to 0.3.0 left a summary, last active {str(summary.get('last_active'))[:40]}, "
            "and took all but the last rows out of the file.",
        )
    if rows <= LEFT and not header.get("last_consolidated"):
        why = (
            f"AutoCompact of a version up to 0.3.0 left {rows} rows and put the others, as they were, into the journal."
        )
        return TakenOut("compacted-away", why, False)
    if CAP - NEAR <= rows <= CAP:
        return TakenOut("trimmed", f"Versions 0.1.5.post3 to 0.3.0 keep {CAP:,} rows; the file has {rows:,}.")
    return None


def refusals(workspace: Workspace) -> list[str]:
    """0.3.5 ends with an error at start where it is not certain which namespace is meant (_claim_workspace_namespace)."""
    if workspace.era != "E4" or workspace.files:
        return []
    root = workspace.root
    marker = os.path.join(root, places.STATE, "workspace-id")
    known = places.workspace_id(root)
    if not known and os.path.lexists(marker):
        return [
            f"{marker} holds no id of 32 hexadecimal digits. The name of the namespace with the chats belongs there."
        ]
    found = []
    claims = []
    for folder in workspace.sessions:
        name, path = os.path.basename(folder), os.path.join(folder, ".workspace")
        if not places.is_id(name):
            continue
        claim = places.first_line(path)
        claims += [name] if claim and places.same(claim, root) else []
        if name == known and not claim:
            state = "is empty" if os.path.lexists(path) else "is missing, and the namespace has data"
            found.append(f"{path} {state}. The path of the workspace belongs there: {root}")
    if not known and len(claims) > 1:
        found.append(
            f"The namespaces {', '.join(sorted(claims))} claim the workspace. The .workspace of the stale ones must go."
        )
    return found


def dropped(checkpoint: str, session: str, messages: int) -> str:
    """What _overlay_runtime_checkpoint_unlocked compares."""
    import json

    try:
        older = os.stat(session).st_mtime_ns > os.stat(checkpoint).st_mtime_ns
    except OSError:
        return ""
    if older:
        return "it is older than the session"
    try:
        value = json.loads(places.head(checkpoint, CHECKPOINT))
        header = json.loads(places.head(session, CONFIG).partition(b"\n")[0])
    except (ValueError, RecursionError):
        return "it, or the session's header, does not parse"
    if not isinstance(value, dict) or not isinstance(header, dict) or not isinstance(value.get("checkpoint"), dict):
        return "it holds no turn"
    if value.get("base_message_count") != messages:
        return f"it was made for {value.get('base_message_count')} rows, and the session has {messages}"
    if value.get("base_updated_at") != header.get("updated_at"):
        return "the session was saved after it was made"
    return ""


def ended(header: Mapping[str, Any]) -> bool:
    """`/new` empties the session and saves it: a header without rows (command/builtin.py, session/manager.py `clear`)."""
    return bool(header)


def _sessions(workspace: Workspace) -> list[Generation]:
    own = os.path.join(workspace.root, "sessions")
    found = []
    if workspace.era == "E4" and own in workspace.sessions and len(workspace.sessions) > 1:
        others = (folder for folder in workspace.sessions if folder != own)
        kept = {name for folder in others for chat in _chats(folder) for name in _names(chat)}
        left = [name for name in _chats(own) if name not in kept]
        if left:
            what = f"{_many(len(left), 'session file')} of 0.3.0 or before in {own}; 0.3.5 opens none of them"
            found.append(Generation("E0-E3", own, what, True))
    if workspace.era == "E3":
        old = [name for folder in workspace.sessions for name in _chats(folder) if not is_surely_encoded(name)]
        if old:
            what = (
                f"{_many(len(old), 'session file')} named as up to 0.2.2; 0.3.0 reads and renames each when it is used"
            )
            found.append(Generation("E0-E2", workspace.sessions[0], what, False))
    return found


def _memory(workspace: Workspace) -> list[Generation]:
    found = []
    for folder in workspace.memory:
        here = places.names_in(folder)
        if "HISTORY.md" in here and _size(os.path.join(folder, "history.jsonl")):
            what = "HISTORY.md of 0.1.4 beside a journal that has entries: it will never be brought over"
            found.append(Generation("E1", os.path.join(folder, "HISTORY.md"), what, True))
        notes = sorted(filter(is_daily_note, here))
        if notes and workspace.era != "E0":
            what = f"{_many(len(notes), 'daily note')} of 0.1.3 and before; later versions read none of them"
            found.append(Generation("E0", os.path.join(folder, notes[-1]), what, True))
    return found


def _names(name: str) -> set[str]:
    """The names that a chat has or had in any generation."""
    key = decoded_key(name)
    return {name} if key is None else {name, lossy_name(key)}


def _chats(folder: str) -> list[str]:
    return [name for name in places.names_in(folder) if name.endswith(SUFFIX)]


def _dream_settings(workspace: Workspace) -> dict[str, Any]:
    """`agents.defaults.dream` of the home's config.json, {} where it says nothing."""
    import json

    homes = [os.path.dirname(workspace.root), *(os.path.dirname(os.path.dirname(one)) for one in workspace.sessions)]
    for home in dict.fromkeys(homes):
        value: Any = None
        try:
            value = json.loads(places.head(os.path.join(home, "config.json"), CONFIG))
        except (ValueError, RecursionError):
            continue
        for name in ("agents", "defaults", "dream"):
            value = value.get(name) if isinstance(value, dict) else None
        return value if isinstance(value, dict) else {}
    return {}


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except OSError:
        return 0


def _many(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
