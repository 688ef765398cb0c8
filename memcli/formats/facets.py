"""What memcli knows about an agent, cut into facets; each format package provides modules that satisfy these.

A Format is a frozen record of facets, None where the agent has nothing of the kind. What each facet must offer is
written down as a Protocol in formats/protocols.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:  # Protocol classes are slow to make, and a listing has no use for them at run time
    from memcli.formats.protocols import Journal, Layout, Loader, Locks, Memory, Records, Sending
    from memcli.model import Workspace


class JournalFile(NamedTuple):
    """One journal: `path`; `allocated` is the file that holds the last number given out (None: the format has none),
    `processed` the one that says how far Dream has come."""

    path: str
    allocated: str | None
    processed: str | None
    label: str = ""
    user: str = ""
    """The folder name of the user whose journal it is, "" for one that is nobody's in particular."""


class Note(NamedTuple):
    """What a person adds to a journal. `number` is the entry's, 0 where the format gives none; `seconds` is the time since
    the epoch; `session` the key that it is about, "" for none."""

    text: str
    number: int
    seconds: float
    session: str = ""


class MemoryFile(NamedTuple):
    """One memory file; `layer` is "global", "project", "user", "persona" or "user:<id>"."""

    path: str
    layer: str


class Layer(NamedTuple):
    """A memory file as a prompt gets it. `title` is the line that the agent puts above it, "" where that is not known; `group`
    is which of several agents gets it, "" for the only one.

    Of the text the first `cap` characters are taken (None: all; UTF-16 units where `utf16`), with `cut` behind what was cut.
    `strip`: without blanks at both ends. `stale`: lines that no commit changed for more than so many days get their age.
    `strict`: bytes that are not UTF-8 end the turn with an error, instead of showing as U+FFFD. `daily`: only on that day.
    `left_out` is why no prompt has it, "" for what one has.
    """

    path: str
    layer: str
    title: str
    group: str = ""
    cap: int | None = None
    utf16: bool = False
    cut: str = ""
    strip: bool = False
    stale: int | None = None
    strict: bool = False
    daily: str = ""
    left_out: str = ""


class Neighbour(NamedTuple):
    """Another workspace in which a chat can be that is missed in this one; `layer` is "other-workspace", or
    "unregistered-project" for one that the agent itself does not know of."""

    layer: str
    workspace: Workspace


class StoreFile(NamedTuple):
    """A file that has words of chats and is no session, journal or memory. `layer` is the word for it in verdicts; `kind`
    is "rows", "text" or "database". `key` is the session that its name tells, "" for none; `original` the session file that
    it belongs to."""

    layer: str
    path: str
    kind: str
    key: str = ""
    original: str = ""


class Versioned(NamedTuple):
    """A folder that the agent keeps under git: `files` are those that it commits, relative. `expected`: it would have made the
    repository by now, were nothing in its way. `inside` are folders in which another repository would be in its way.

    A new repository has the lines `ignored` in its .gitignore, `settings` in its configuration, and a first commit with the
    subject `first` ("": the agent makes none).
    """

    folder: str
    files: tuple[str, ...]
    expected: bool = False
    inside: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()
    settings: tuple[tuple[str, str], ...] = ()
    first: str = ""


class Waiting(NamedTuple):
    """The journal entries that Dream has not read: how many, characters of content together, and when Dream last ended
    (the time of its position file, epoch seconds; None where there is none)."""

    entries: int
    characters: int
    last: float | None
    now: float


class Dreams(NamedTuple):
    """Whether the agent's own Dream would run, None where that cannot be told from the files; `why` is a clause for the
    sentence "N entries wait for Dream: WHY."."""

    runs: bool | None
    why: str


class Generation(NamedTuple):
    """Files of another generation of the agent beside those that it uses now: `what` is a clause that says how many of which
    and what the agent makes of them, `path` where they are, `lost` whether the agent never looks at them."""

    era: str
    path: str
    what: str
    lost: bool


class Moved(NamedTuple):
    """A session whose generations keep it in different files: `place` is the one that the agent in use opens, `former` are
    those that are there and that it does not read."""

    place: str
    former: tuple[str, ...]


class TakenOut(NamedTuple):
    """That the agent itself took rows out of a session's file: `cause` is doctor's word for it, `why` a sentence. `sure`: the
    header says so; else it takes an entry of the journal about rows before the first one that is left."""

    cause: str
    why: str
    sure: bool = True


class Target(NamedTuple):
    """A memory file that a Dream may write: `layers` are the layers of items that go there, `root` the workspace's folder that it
    lies in, which may be another one's (what is known of the user is kept in the home). `section` is the part of it that is
    written to, where several targets share a file."""

    path: str
    root: str
    layers: tuple[str, ...]
    section: str = ""


class Essence(NamedTuple):
    """What takes the place of the first `cut` rows of a session: the whole `text` of the summary, made at `seconds` since the
    epoch. `changed` is the stored time of the last change, "" where none is stored."""

    text: str
    cut: int
    seconds: float
    changed: str = ""


class Format(NamedTuple):
    """One agent's facets.

    `header_members` are the header's members without which the agent's own list or load breaks, () when sessions have
    no header. `askers` are the roles whose words make a preview. Some facets are modules that listings do not load:
    `rules.py`, `effects.py`, `habits.py` and others of the package (formats/__init__.py: `rules`, `effects`, `habits` ...).
    """

    name: str
    layout: Layout
    records: Records
    loader: Loader
    journal: Journal | None = None
    memory: Memory | None = None
    locks: Locks | None = None
    sending: Sending | None = None
    header_members: tuple[str, ...] = ()
    askers: tuple[str, ...] = ("user",)
