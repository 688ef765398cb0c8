"""The plan for one workspace, as it is shown, saved and carried out."""

from __future__ import annotations

from memcli.core.drafts import Draft
from memcli.core.examining import Target
from memcli.core.items import Counts, Item
from memcli.model import Action, AgentView, FilePlan, Plan, Workspace
from memcli.storage.versions import Version

NAMES = frozenset({"name-mismatch", "key-collision"})
"""What is wrong with a file by the name that it has, or by its being there."""


class Blueprint:
    """The plan for one workspace: what was found with what becomes of it, the content that files are to have, and the
    actions. `counts` and `views` (before, after) are told by path, `unchecked` are sentences on what was not looked at.
    `inputs` are the versions of the files that actions are about, None where there is no file. `left` has the codes that
    a file will still show, `busy` says which files are being written to. `bound` are pairs of files of which one must not
    be changed without the other.
    """

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self.items: list[Item] = []
        self.drafts: dict[str, Draft] = {}
        self.counts: dict[str, Counts] = {}
        self.views: dict[str, tuple[AgentView, AgentView | None]] = {}
        self.left: dict[str, tuple[Target, list[str]]] = {}
        self.inputs: dict[str, Version | None] = {}
        self.bound: list[tuple[str, str]] = []
        self.actions: list[Action] = []
        self.unchecked: list[str] = []
        self.notes: list[str] = []
        self.busy: list[str] = []
        self.failed = False
        self.files = self.records = 0

    @property
    def empty(self) -> bool:
        """Whether nothing is to be changed."""
        return not self.drafts and not self.actions

    @property
    def told(self) -> list[Item]:
        """The items, without what is left of the names of files that are to get another one or to go, and of the content of
        those whose place another one takes."""
        gone = {action.path for action in self.actions if action.kind in ("rename", "remove")}
        replaced = {action.detail for action in self.actions if action.kind == "rename"}

        def is_settled(item: Item) -> bool:
            path = item.finding.path
            return item.state == "left" and (path in replaced or (path in gone and item.finding.code in NAMES))

        return [item for item in self.items if not is_settled(item)]

    def plan(self) -> Plan:
        """The same as plain values."""
        files = []
        for path, draft in self.drafts.items():
            before, after = self.views.get(path, (None, None))
            version = draft.version
            files.append(FilePlan(path, version.size, version.sha256, tuple(draft.rope.edits()), before, after))
        return Plan(tuple(item.finding for item in self.items), tuple(files), tuple(self.actions))
