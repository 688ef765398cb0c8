"""Plans as files: JSON with the hash of every input, carried out later on exactly the same bytes or not at all."""

from __future__ import annotations

import os
from base64 import b64decode, b64encode
from collections.abc import Iterable, Sequence
from typing import Any

from memcli.core import discovering, listing, surroundings
from memcli.core.blueprint import Blueprint
from memcli.core.drafts import Draft
from memcli.core.examining import Examination, Target
from memcli.core.items import Counts, Item, Shown
from memcli.errors import RefusedForSafety, UsageError
from memcli.formats import load as format_of
from memcli.formats import rules
from memcli.model import Action, AgentView, Edit, Finding, Workspace
from memcli.storage import atomic
from memcli.storage.edits import Overlap
from memcli.storage.reading import open_regular
from memcli.storage.versions import read_version

KIND = "memcli-plan"
VERSION = 1
LARGEST = 1 << 30
ACTIONS = ("rename", "remove", "chmod", "write-text", "write-position")


def save(path: str, blueprints: Sequence[Blueprint]) -> None:
    """Write plans to a new file. Raises UsageError when it exists, CannotWrite."""
    import json

    from memcli import __version__

    value = {
        "type": KIND,
        "version": VERSION,
        "memcli": __version__,
        "workspaces": [_workspace_json(blueprint) for blueprint in blueprints],
    }
    write_new(path, json.dumps(value, indent=1).encode() + b"\n")


def write_new(path: str, data: bytes | Iterable[bytes]) -> None:
    """Write a file of the user's own, never over one that is there. Raises UsageError, CannotWrite."""
    path = os.path.abspath(os.path.expanduser(path))
    if os.path.lexists(path):
        raise UsageError(f"{path} exists already; name a file that does not.")
    if not os.path.isdir(os.path.dirname(path)):
        raise UsageError(f"{os.path.dirname(path)} is no folder.")
    atomic.create(path, data, root=os.path.dirname(path))


def load(path: str, tz: str = "") -> list[Blueprint]:
    """The plans in a file, for the bytes that they were made for. Raises UsageError for what is no plan, RefusedForSafety
    when any file that they are about changed since."""
    import json

    fd = open_regular(path)
    try:
        raw = os.pread(fd, LARGEST, 0)
    finally:
        os.close(fd)
    try:
        value = json.loads(raw)
        if value["type"] != KIND or value["version"] != VERSION:
            raise ValueError("another kind of file")
        return [_blueprint(one, path, tz) for one in value["workspaces"]]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, Overlap) as error:
        raise UsageError(f"{path} is no plan that this memcli can carry out ({error}).") from error


def _workspace_json(blueprint: Blueprint) -> dict[str, Any]:
    workspace = blueprint.workspace
    return {
        "agent": workspace.agent,
        "root": workspace.root,
        "files": list(workspace.files),
        "counts": [blueprint.files, blueprint.records],
        "unchecked": blueprint.unchecked,
        "items": [_item_json(item) for item in blueprint.items],
        "changes": [_change_json(blueprint, path, draft) for path, draft in blueprint.drafts.items()],
        "actions": [action._asdict() for action in blueprint.actions],
        "inputs": {path: version.sha256 if version else None for path, version in blueprint.inputs.items()},
        "bound": blueprint.bound,
    }


def _item_json(item: Item) -> dict[str, Any]:
    return {
        "finding": {**item.finding._asdict(), "data": dict(item.finding.data)},
        "state": item.state,
        "needs": item.needs,
        "shown": [[one.offset, _text(one.before), _text(one.after), one.removed, one.added] for one in item.shown],
        "actions": [action._asdict() for action in item.actions],
    }


def _change_json(blueprint: Blueprint, path: str, draft: Draft) -> dict[str, Any]:
    edits = [{**edit._asdict(), "replacement": _text(edit.replacement)} for edit in draft.rope.edits()]
    views = [view._asdict() if view else None for view in blueprint.views.get(path, (None, None))]
    return {
        "path": path,
        "size": draft.version.size,
        "sha256": draft.version.sha256,
        "result": draft.digest,
        "edits": edits,
        "rows": blueprint.counts.get(path, Counts()),
        "views": views,
    }


def _blueprint(value: dict[str, Any], source: str, tz: str) -> Blueprint:
    workspace = _workspace(value, source)
    made = Blueprint(workspace)
    made.files, made.records = map(int, value["counts"])
    made.unchecked = [str(one) for one in value["unchecked"]]
    made.items = [_item(one) for one in value["items"]]
    made.actions = [_action(one) for one in value["actions"]]
    made.bound = [(str(one), str(other)) for one, other in value["bound"]]
    allowed = _allowed(workspace)
    for change in value["changes"]:
        _take(made, change, allowed, tz)
    named = {action.path for action in made.actions} | {one.detail for one in made.actions if one.kind == "rename"}
    if set(value["inputs"]) != named:
        raise ValueError("its actions and its inputs are not about the same files")
    for path, digest in value["inputs"].items():
        _within(path, allowed, workspace)
        now = read_version(path) if os.path.lexists(path) else None
        if (now.sha256 if now else None) != digest:
            raise _changed(path)
        made.inputs[path] = now
    return made


def _take(made: Blueprint, change: dict[str, Any], allowed: dict[str, str], tz: str) -> None:
    """One file whose bytes are to be edited."""
    path = str(change["path"])
    if not os.path.lexists(path):
        raise _changed(path)
    if path not in allowed:
        raise ValueError(f"{path} is no file of that workspace that repair writes to")
    draft = Draft(path)
    if (draft.version.size, draft.version.sha256) != (change["size"], change["sha256"]):
        raise _changed(path)
    draft.make([Edit(**{**edit, "replacement": b64decode(edit["replacement"])}) for edit in change["edits"]])
    if draft.digest != change["result"]:
        raise ValueError(f"its edits of {path} do not give what it says")
    made.drafts[path] = draft
    made.counts[path] = Counts(*map(int, change["rows"]))
    before, after = (AgentView(**{**one, "notes": tuple(one["notes"])}) if one else None for one in change["views"])
    if before is not None:
        made.views[path] = (before, after)
    if allowed[path] in ("session", "journal"):
        target = Target(path, listing.shown(made.workspace, path), allowed[path], made.workspace)
        examination = Examination(target, tz=tz, limit=None, source=draft.source)
        made.left[path] = (target, [hit.finding.code for hit in examination.hits()])


def _workspace(value: dict[str, Any], source: str) -> Workspace:
    """The workspace as it is found now: a plan does not decide what belongs to it."""
    files = tuple(str(path) for path in value["files"])
    for workspace in discovering.at(files[0] if files else str(value["root"]), str(value["agent"])):
        if os.path.realpath(workspace.root) == os.path.realpath(value["root"]):
            return workspace._replace(files=files) if files else workspace
    raise UsageError(f"The workspace of {source}, {value['root']}, is not there any more.")


def _allowed(workspace: Workspace) -> dict[str, str]:
    """What repair may write to in a workspace: path -> kind."""
    found = dict(surroundings.places(workspace, list(listing.paths(workspace))))
    form, rule = format_of(workspace.agent), rules(workspace.agent)
    for path in list(found):
        beside = rule.counted_beside(path)
        if beside:
            found[beside[0]] = "counted"
    for journal in form.journal.files(workspace._replace(files=())) if form.journal else []:
        found |= {path: "cursor" for path in (journal.allocated, journal.processed) if path and path not in found}
    return found


def _within(path: str, allowed: dict[str, str], workspace: Workspace) -> None:
    """Raise ValueError for a path that is neither a file of the workspace nor a new session beside the others."""
    fresh = os.path.dirname(path) in workspace.sessions and not os.path.basename(path).startswith(".")
    if path not in allowed and not fresh:
        raise ValueError(f"{path} is no file of that workspace that repair writes to")


def _item(value: dict[str, Any]) -> Item:
    shown = tuple(Shown(int(a), b64decode(b), b64decode(c), int(d), int(e)) for a, b, c, d, e in value["shown"])
    actions = tuple(_action(one) for one in value["actions"])
    return Item(Finding(**value["finding"]), str(value["state"]), str(value["needs"]), shown, actions)


def _action(value: dict[str, Any]) -> Action:
    action = Action(**{name: str(member) for name, member in value.items()})
    if action.kind not in ACTIONS or (action.kind == "chmod" and int(action.detail, 8) & ~0o777):
        raise ValueError(f"no such action: {action.kind} {action.detail}")
    return action


def _changed(path: str) -> RefusedForSafety:
    return RefusedForSafety(f"{path} changed since the plan was made; nothing was changed. Plan again.", path=path)


def _text(data: bytes) -> str:
    return b64encode(data).decode()
