"""The nouns of memcli, immutable, shared by every layer.

Terminology: a *workspace* is one agent's folder; a *session* is one chat in it; a *line* is what stands
between two 0x0A bytes; a *row* is a line that is neither blank nor part of the leading header; a *record* is
a row read as a message; the *journal* is the agent's running log (history.jsonl) and a *cursor* a position in it.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple


class Workspace(NamedTuple):
    """One agent's folder as found on disk.

    `root` is the folder that holds everything; `sessions` and `memory` are the folders (absolute paths, possibly
    none) where the format keeps chats and memory. `era` names the on-disk generation where a format has several.
    `shown` is how the root is called in output: differs from `root` when the input was an archive or a stream.
    """

    agent: str
    root: str
    sessions: tuple[str, ...] = ()
    memory: tuple[str, ...] = ()
    era: str = ""
    shown: str = ""
    files: tuple[str, ...] = ()
    """When not empty, exactly these session files were named and nothing else belongs to the workspace."""
    notes: tuple[str, ...] = ()
    """Sentences on what could not be taken from the input (members of an archive that were passed over)."""
    bundled: bool = False
    """It is a masked bundle of memcli's: the names and modes of its files tell what those of the original told."""


class SessionRef(NamedTuple):
    """Where one session is: `path` is the file to open, `shown` what the user sees for it."""

    agent: str
    key: str
    path: str
    shown: str
    workspace: Workspace
    archived: bool = False
    """Its rows are those that were taken out of the session and are in memcli's archive."""


class Header(NamedTuple):
    """What a session file says about itself in its header row; None where it says nothing."""

    key: str | None = None
    title: str | None = None
    preview: str | None = None
    created_at: str | None = None
    updated_at: str | None = None


class ToolCall(NamedTuple):
    """One call that an assistant row asks for; `arguments` is readable text (decoded, one `name: value` a line)."""

    id: str | None
    name: str
    arguments: str


class Record(NamedTuple):
    """A row read as a message.

    `content`, `reasoning` and each call's text are decoded text, exactly as a person would read it: no JSON escapes.
    `role` is the stored word, "" when there is none. `timestamp` is the stored text. `answers` is the id of the tool
    call that a tool row answers, `name` the tool's or sender's name.
    """

    role: str = ""
    content: str = ""
    timestamp: str | None = None
    id: str | int | None = None
    reasoning: str = ""
    calls: tuple[ToolCall, ...] = ()
    answers: str | None = None
    name: str | None = None

    @property
    def text(self) -> str:
        """Everything readable in the row, in reading order: reasoning, content, then each call; what grep searches."""
        if not self.reasoning and not self.calls:
            return self.content
        pieces = [self.reasoning] if self.reasoning else []
        if self.content:
            pieces.append(self.content)
        for call in self.calls:
            pieces.append(f"{call.name}\n{call.arguments}" if call.arguments else call.name)
        return "\n".join(pieces)


class Decoded(NamedTuple):
    """A line read as JSON: `values` is empty when nothing could be read.

    `flaw` is the damage code of docs/damage.md that explains what is odd about the line, "" for a clean line. Two
    values on one line is the flaw `glued-lines`; a value with a flaw was readable all the same.
    """

    values: tuple[Any, ...]
    flaw: str = ""


class Line(NamedTuple):
    """One physical line: `number` from 1, `offset` and `length` in bytes without the newline.

    `raw` is None when the line is over the limit and was passed over. `ended` tells whether a newline follows.
    """

    number: int
    offset: int
    length: int
    raw: bytes | None
    ended: bool


class AgentView(NamedTuple):
    """What the agent itself would make of a session file.

    `seen` of `total` rows are loaded; `listed` tells whether its own list shows the chat; `reason` is a clause for the
    sentence "the agent sees N of M rows: REASON", "" when it sees everything; `notes` are further full sentences.
    `list_fault` is a clause on what the file's header does to the agent's list: "" for nothing.
    """

    seen: int
    total: int
    listed: bool
    reason: str = ""
    notes: tuple[str, ...] = ()
    list_fault: str = ""
    """NAMELESS: the list shows the chat without its key, so that it cannot be opened; FAILS: with a second chat beside it
    the whole list fails, all chats with it."""


class Hidden(NamedTuple):
    """Rows `first` to `last` of a session, which its agent loads and does not send to the model.

    `code` is the reason for programs, `reason` the same as a clause for "rows 3 to 9 do not reach the model: REASON".
    """

    first: int
    last: int
    code: str
    reason: str

    @property
    def sentence(self) -> str:
        """The same as a sentence."""
        rows = f"Row {self.first} does" if self.first == self.last else f"Rows {self.first} to {self.last} do"
        return f"{rows} not reach the model: {self.reason}."


class Sent(NamedTuple):
    """What of a session the agent's next turn sends to the model: `rows` of them, and those it keeps back.

    `fails` is a clause that says why every turn ends with an error before anything is sent, "" when none does. `unsaved` is
    the row on which every save fails, so that nothing said since was written; 0 when none does.
    """

    rows: int
    hidden: tuple[Hidden, ...] = ()
    fails: str = ""
    unsaved: int = 0

    def at(self, row: int) -> Hidden | None:
        """Why a row does not reach the model, None when it does or is not loaded at all."""
        return next((span for span in self.hidden if span.first <= row <= span.last), None)


NAMELESS, FAILS = "nameless", "fails"

NOTHING: Mapping[str, Any] = MappingProxyType({})


class Finding(NamedTuple):
    """One damage found: which class, where, how grave, whether `repair` mends it, and what the agent makes of it.

    `severity` is "error" (the agent loses or hides something), "warning" (it may) or "info"; `repair` is "safe",
    "lossy", "flag" (only with the option in `flag`) or "report". `line` and `row` count from 1, `offset` and `length`
    are bytes; None where the damage has no such place. `message` and `effect` are sentences. `data` are facts for
    programs and for the class's own `mend`: plain JSON values only, so that a finding can be kept and sent.
    """

    path: str
    code: str
    severity: str
    repair: str
    message: str
    effect: str = ""
    line: int | None = None
    row: int | None = None
    offset: int | None = None
    length: int | None = None
    flag: str = ""
    data: Mapping[str, Any] = NOTHING


class Edit(NamedTuple):
    """Replace `length` bytes at `offset` by `replacement`, because of the class `code`.

    Offsets are those of the file as it was read. Two edits of one file never overlap; insertions at one offset are
    made in the order given. What is removed always goes to quarantine. `rows` is how many rows the edit adds (+) or
    removes (-) at row number `row` (an added row comes behind row `row`, a removed one is `row`), `records` how many
    records an agent that passes over unreadable rows gains or loses there: offsets that count one of them can move.
    """

    offset: int
    length: int
    replacement: bytes
    code: str
    rows: int = 0
    row: int = 0
    records: int = 0


class Action(NamedTuple):
    """A change that is no splice inside one file, because of the class `code`.

    `kind` is "rename" (`detail`: the new path), "chmod" (`detail`: the mode in octal), "remove" (`detail`: "", the
    bytes go to quarantine), "write-text" (`detail`: the whole new text, for cursor files), "write-position" (the same, and
    the file keeps its time, which an agent may take for that of its last run) or "move-rows" (`detail`: the path that gets
    them; what moves stands in the edits of the finding).
    """

    kind: str
    path: str
    code: str
    detail: str = ""


class FilePlan(NamedTuple):
    """What would be done to one file, and what its agent would see before and after.

    `size` and `digest` (SHA-256, hex) are of the bytes that were judged: a plan is carried out on no others.
    """

    path: str
    size: int
    digest: str
    edits: tuple[Edit, ...]
    before: AgentView | None = None
    after: AgentView | None = None


class Plan(NamedTuple):
    """What `repair` would do: all that was found, the edits file by file, and the other actions in order."""

    findings: tuple[Finding, ...]
    files: tuple[FilePlan, ...]
    actions: tuple[Action, ...] = ()


class Outcome(NamedTuple):
    """What one operation did to one file. `kept`, `mended` and `quarantined` count rows; `id` names it for `undo`."""

    id: str
    path: str
    kept: int
    mended: int
    quarantined: int
    bytes_removed: int


class Verdict(NamedTuple):
    """What became of a chat: `cause` and `layer` are words of the contract's lists, `key` the session it is about.

    `recoverable` and `lost` count rows, None where nobody can know. `evidence` are sentences, the weightiest first.
    `command` brings exactly the recoverable rows back (or, where nothing is lost, shows them); "" where nothing does.
    """

    key: str
    cause: str
    layer: str
    recoverable: int | None
    lost: int | None
    evidence: tuple[str, ...]
    command: str = ""


class Entry(NamedTuple):
    """One journal entry as Dream reads it: `content` holds turns that begin with `[user]` or `[assistant]`."""

    cursor: int
    content: str
    at: str = ""


class Batch(NamedTuple):
    """What a provider is asked about: entries, oldest first, and the text of the memory there is."""

    entries: tuple[Entry, ...]
    memory: str = ""


class Source(NamedTuple):
    """Where an item comes from: the entry's cursor and the words in it, as they stand there."""

    cursor: int
    quote: str


class Item(NamedTuple):
    """One thing to remember. `layer` is "user" or "project"; `category` "decision", "fact", "preference" or "pattern".

    `confidence` is between 0 and 1; `expires` is the day (YYYY-MM-DD) after which it says nothing any more, "" where none.
    """

    text: str
    layer: str
    category: str
    sources: tuple[Source, ...]
    confidence: float
    expires: str = ""


class ModelCall(NamedTuple):
    """A tool call that a language model asks for; `arguments` is JSON as the model wrote it, which may be broken."""

    id: str
    name: str
    arguments: str


class ModelTool(NamedTuple):
    """A tool that a language model is offered; `parameters` is a JSON schema of its arguments."""

    name: str
    description: str
    parameters: Mapping[str, Any]


class Message(NamedTuple):
    """One message of a conversation with a language model. `role` is "system", "user", "assistant" or "tool"; `calls` are those
    that an assistant made, `answers` is the id of the call that a tool message answers."""

    role: str
    text: str
    calls: tuple[ModelCall, ...] = ()
    answers: str = ""


class Question(NamedTuple):
    """What a language model is asked: the whole conversation, the tools that it may call, and the most tokens of an answer."""

    messages: tuple[Message, ...]
    tools: tuple[ModelTool, ...] = ()
    most: int = 2048


class Reply(NamedTuple):
    """What a language model answered. `cut`: it stopped at the limit of tokens. `spent` counts the tokens of question and answer
    together, None where the provider does not tell."""

    text: str
    calls: tuple[ModelCall, ...] = ()
    cut: bool = False
    spent: int | None = None
