"""The facets of a format as Protocols: what core may ask a format's modules. Imported for its types only.

Facets are plain modules; a function that is not needed is not written, and core asks `format.journal is None` first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol

from memcli.formats.facets import (
    Dreams,
    Essence,
    Generation,
    JournalFile,
    Layer,
    MemoryFile,
    Moved,
    Neighbour,
    Note,
    StoreFile,
    TakenOut,
    Target,
    Versioned,
    Waiting,
)
from memcli.model import AgentView, Decoded, Header, Item, Line, Record, Sent, Workspace
from memcli.storage.facts import Columns, HeaderRules, RowRules
from memcli.storage.holders import Lock
from memcli.storage.memory_rules import MemoryRules
from memcli.storage.memory_shape import Shape


class Layout(Protocol):
    """Where things are on disk. No method reads more of a file than its first 4 KiB."""

    def homes(self, home: str) -> list[str]:
        """The folders where this agent usually lives, given the user's home; they need not exist."""
        ...

    def recognise(self, folder: str) -> list[Workspace]:
        """The workspaces that `folder` is, belongs to or directly holds: it may be an agent home, a project, a
        workspace, a sessions folder or a memory folder. Empty when nothing here is this agent's. Must look at the
        folder's own listing and known places beside it only, never walk a tree."""
        ...

    def session_paths(self, workspace: Workspace) -> Iterator[str]:
        """Every path in the workspace that is, or pretends to be, a session file: also empty, foreign, unreadable
        ones and FIFOs. Never the agent's temporary or lock files. Order is not promised."""
        ...

    def key_of(self, workspace: Workspace, path: str) -> str:
        """The session key that the path alone tells (the file name decoded as far as it can be); never empty."""
        ...

    def name_of(self, key: str, era: str = "") -> str | None:
        """The file name that the agent gives to the session `key`; None when this format has no such rule."""
        ...

    def leftovers(self, workspace: Workspace) -> Iterator[str]:
        """Temporary files of interrupted writes, conflict copies and legacy stores that hold or may hold chat rows."""
        ...

    def own_id(self, workspace: Workspace) -> str:
        """The agent's own id of the workspace, which stays when the folder moves; "" where it gives none, and where another
        folder has the same one and the agent would not take this one for its owner."""
        ...

    def displays(self, workspace: Workspace, key: str) -> list[str]:
        """Files that show the session `key` to people and that no agent reads as its memory; those that exist."""
        ...


class Records(Protocol):
    """What the rows of a session file mean."""

    def score(self, values: Sequence[Any]) -> int:
        """How surely these first JSON values of a file are this agent's: 0 (no) to 100 (nothing else writes this)."""
        ...

    def header(self, value: Any) -> Header | None:
        """The header that this JSON value is, or None when it is not a header."""
        ...

    def is_preamble(self, value: Any) -> bool:
        """Whether a leading JSON value belongs to the header and not to the messages (a superset of `header`)."""
        ...

    def record(self, value: Any) -> Record:
        """The message that this JSON value is. Accepts anything; what is not an object gives an empty role and the
        value as text. Never raises."""
        ...


class Loader(Protocol):
    """The agent's-eye view: what the agent itself makes of a file."""

    def view(self, lines: Iterable[tuple[Line, Decoded]], name: str, era: str) -> AgentView:
        """What the agent would load from a file called `name` (base name) with these lines. Memory: O(1) a row."""
        ...


class Sending(Protocol):
    """Which of the rows that the agent loads its next turn sends to the model; None where it sends all that it loads."""

    def sent(self, lines: Iterable[tuple[Line, Decoded]], name: str, era: str) -> Sent:
        """What reaches the model from a file called `name` with these lines. Where the versions of an era differ, what
        the most forgetful of them does. Memory: a few bytes a row."""
        ...


class Rules(Protocol):
    """What verify must know of rows, in batches: it is asked for every block of every file."""

    ROWS: RowRules
    JOURNAL: RowRules
    """The same for the journal's entries; their id is the cursor."""
    CURSORS: str
    """"numbers" when a processed cursor names an entry, "records" when it counts the records read."""

    ENDS_AT_CR: bool
    """Whether the agent ends lines at a CR alone as well, as Python's text mode does."""

    def header_rules(self, era: str) -> HeaderRules | None:
        """How a session's header is; None when it has none."""
        ...

    def columns(self, values: Sequence[Any]) -> Columns:
        """The columns of a batch of objects."""
        ...

    def journal_columns(self, values: Sequence[Any]) -> Columns:
        """The same for entries of the journal."""
        ...

    def headers(self, values: Sequence[Any]) -> Sequence[int]:
        """Which objects of a batch are headers."""
        ...

    def cursor(self, text: str) -> int | None:
        """The number that the agent reads in a cursor file, None when it finds none."""
        ...

    def used(self, number: int | None, present: bool, processed: bool) -> int | None:
        """The number that the agent goes by when it read `number` in a cursor file (`present`: there is one); `processed`
        tells Dream's position from the counter. None: it goes by none."""
        ...

    def upcoming(self, allocated: int | None, last: int | None, largest: int | None) -> int | None:
        """The number that the agent would give the next entry: `allocated` is the counter, `last` the number of the last
        line, `largest` that of all entries, each None where there is none. None: the agent gives no numbers."""
        ...

    def stamp(self, seconds: float) -> str:
        """A time, given in seconds since the epoch, as the agent would write it into a header."""
        ...

    def counted_beside(self, path: str) -> tuple[str, str] | None:
        """The file beside the session at `path` that counts its messages, and the member that holds their number; None
        where the agent keeps no such file."""
        ...


class Journal(Protocol):
    """The running log and its cursors."""

    AS_SESSIONS: bool
    """Whether the journals are listed as sessions as well; then they are nothing else to doctor, also once they are gone."""
    NAMES_SESSIONS: bool
    """Whether an entry can name the session that it is about."""
    CLOCK: bool
    """Whether the agent takes the time of its position file for that of its last Dream."""
    BESIDE: str
    """What becomes of an entry that is written beside a running agent, in a sentence; "" for nothing bad."""

    def files(self, workspace: Workspace) -> list[JournalFile]:
        """The journals of a workspace with their cursor files, whether or not they exist."""
        ...

    def entry(self, path: str, note: Note) -> bytes:
        """The line, without its newline, that a note is in the journal at `path`, written as the agent writes its own."""
        ...

    def user_folder(self, user: str) -> str:
        """The name of the folder in which the agent keeps the journal of the user with this id, "" where it keeps none."""
        ...

    def texts(self, workspace: Workspace) -> list[str]:
        """The logs and daily notes that older versions kept as plain text, those that there are."""
        ...


class Locks(Protocol):
    """The locks that the agent takes, to be looked at and to be joined."""

    def locks(self, workspace: Workspace) -> list[Lock]:
        """Every lock of the workspace, held or not."""
        ...

    def beacons(self, workspace: Workspace) -> list[str]:
        """The files in which a running agent names its process, as {"pid": N}."""
        ...


class Memory(Protocol):
    """The long-term memory files."""

    def files(self, workspace: Workspace) -> list[MemoryFile]:
        """The memory files of a workspace, whether or not they exist."""
        ...

    def versioned(self, workspace: Workspace) -> list[Versioned]:
        """The folders that the agent itself keeps under git, whether or not there is a repository."""
        ...


class Remembering(Protocol):
    """What the text of memory files is made of."""

    def memory_rules(self, workspace: Workspace, file: MemoryFile) -> MemoryRules | None:
        """What the agent keeps in a memory file; None for a log, which is no long-term memory."""
        ...


class LongTerm(Protocol):
    """What the long-term memory says as text; only the commands about memory ask for it."""

    SUBJECTS: tuple[tuple[str, str], ...]
    """Kinds of commits that the agent makes ("init", "dream", "dream-user", "revert"), each with the pattern of their whole first
    line; the group `date` is when it says that it was made, in the machine's zone."""

    UNDONE: str
    """The first line of a commit that takes back the one whose `{id}` it names."""

    def shape(self, path: str) -> Shape:
        """The layout of the memory file at `path`."""
        ...

    def user_names(self, user: str) -> tuple[str, ...]:
        """The names that the folder of a user can have, the likeliest first; () where memory is not kept by user."""
        ...

    def layers(self, workspace: Workspace, dream: bool) -> list[Layer]:
        """What a prompt gets of the memory files, in that order, whether or not they exist; with `dream` that of Dream."""
        ...


class Dreaming(Protocol):
    """How a Dream writes into long-term memory; only what dreams, reviews and compacts asks for it."""

    SOURCE: str
    """What a Dream reads unless it is told: "journal" or "sessions"."""
    SURGERY: bool
    """Whether the agent's own Dream lets a model edit the one memory file with tools."""

    def said(self, record: Record) -> str:
        """What an entry of the journal says, in turns that begin with `[user]` or `[assistant]`; "" for what the agent wrote
        there about its own work on the memory."""
        ...

    def inner(self, key: str) -> bool:
        """Whether a session is the agent's own work on its memory, and nobody's chat."""
        ...

    def targets(self, workspace: Workspace, user: str) -> list[Target]:
        """The files that items go to, for the agent or for the user in the folder `user` ("" for nobody in particular)."""
        ...

    def put(self, target: Target, old: bytes | None, items: Sequence[Item], seconds: float) -> bytes:
        """The file with these items added as the agent itself lays it out, all else as it was, byte for byte. `old` None: there
        is no file; `seconds` is the time of the Dream, since the epoch."""
        ...

    def lines(self, target: Target, items: Sequence[Item]) -> list[str]:
        """The line that each item becomes in `put`, without its end: what blame recognises it by."""
        ...

    def subject(self, kind: str, seconds: float, count: int) -> str:
        """The first line of the commit of a Dream ("dream", "dream-user"), a consolidation ("consolidate"), a summary
        ("compact"), a clean-up ("lint") that touches `count` items."""
        ...


class Compacting(Protocol):
    """Where a summary of the first rows of a session goes, so that the agent reads it; only what compacts asks for it."""

    MEMORY: str
    """What else the summary goes to: "memory" (long-term memory, by `put`), "journal" (an entry, by `entry`), "" for nothing."""
    REMOVES: bool
    """Whether the summary stands in the file itself in the place of its rows, which go."""

    def refusal(self, workspace: Workspace, path: str) -> str:
        """Why a summary of the session at `path` would be read by nobody, in a clause; "" for one that is read."""
        ...

    def summarised(self, header: Mapping[str, Any], rows: int, first: Any, era: str) -> int:
        """How many of the rows, from the first, the agent's own marks say that a summary stands for; `first` is the first row."""
        ...

    def unsaid(self, value: Any) -> bool:
        """Whether a row was said by nobody: a mark, a summary, a command; it belongs in no summary."""
        ...

    def summary(self, header: Mapping[str, Any], first: Any) -> str:
        """The text of the summary that stands in the file, "" where none does."""
        ...

    def head(self, lines: Sequence[bytes], essence: Essence, era: str) -> list[bytes] | None:
        """The leading header lines, each with its end, with the summary and the offsets in them, all else byte for byte as it
        was; what the agent itself lets go of then is left out. None where there is no place for it."""
        ...

    def moved(self, lines: Sequence[bytes], header: Mapping[str, Any], removed: int, era: str) -> list[bytes] | None:
        """The same lines after so many rows that a summary stands for were taken out from the front."""
        ...

    def inserted(self, essence: Essence, first: Any, era: str) -> bytes:
        """The row, with its newline, that goes before the first row that stays; b"" for none."""
        ...

    def put(self, target: Target, old: bytes | None, items: Sequence[Item], seconds: float) -> bytes:
        """As Dreaming.put, for a summary."""
        ...

    def lines(self, target: Target, items: Sequence[Item]) -> list[str]:
        """As Dreaming.lines, for `put`."""
        ...

    def entry(self, items: Sequence[Item]) -> str:
        """The text of the journal's entry about a summary."""
        ...


class Whereabouts(Protocol):
    """Where else chats of the agent can be than in the sessions of a workspace; only `doctor` asks for it. Folders are
    listed, trees are not walked."""

    def standing(self, workspace: Workspace) -> str:
        """The layer (facets.Neighbour) of a workspace that the agent does not open by itself, "" for any other."""
        ...

    def neighbours(self, workspaces: Sequence[Workspace]) -> Iterator[Neighbour | str]:
        """Other workspaces around these: of the same home, and those that the agent lost sight of. These themselves may be
        among them. A text is a clause on what was not looked at: there are bounds."""
        ...

    def stores(self, workspace: Workspace) -> Iterator[StoreFile]:
        """Files of the workspace and of the home around it that have words of chats and are nothing else, those that
        there are."""
        ...

    def key_in(self, row: Mapping[str, Any]) -> str:
        """The session that a row of the agent's database is about, "" where it does not tell."""
        ...


class Habits(Protocol):
    """What the agent does by itself; only `doctor` asks for it."""

    ENTRY_CAP: int | None
    """Characters to which the agent cuts the content of a journal entry; None where it does not."""
    OWN: frozenset[str]
    """Names in its sessions and memory folders that look like another program's and are its own."""

    def dreams(self, workspace: Workspace, journal: JournalFile, waiting: Waiting) -> Dreams:
        """Whether the agent's own Dream would run on what waits in a journal."""
        ...

    def generations(self, workspace: Workspace) -> list[Generation]:
        """What other generations of the agent left in the workspace."""
        ...

    def moved(self, workspace: Workspace, key: str) -> Moved | None:
        """The files of a session in other generations' places; None where all of them keep it in one."""
        ...

    def taken_out(self, header: Mapping[str, Any], rows: int, era: str) -> TakenOut | None:
        """What a header, and the number of rows behind it, tell of rows that the agent took out; None where nothing."""
        ...

    def ended(self, header: Mapping[str, Any]) -> bool:
        """Whether a session with this header and not one row was ended by a person (`/new`); {}: there is no header."""
        ...

    def refusals(self, workspace: Workspace) -> list[str]:
        """Why the agent does not start on the workspace as it is, and what lets it: sentences, [] for nothing that is known."""
        ...

    def dropped(self, checkpoint: str, session: str, messages: int) -> str:
        """Why the agent throws away the file beside a session that holds a turn in flight, given how many rows of the session it
        loads: a clause, "" where it takes the turn over."""
        ...
