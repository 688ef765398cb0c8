"""What every agent format must satisfy; each format's tests subclass FormatSuite.

A subclass gives `format_name` and `sample`, lowers the flags that do not fit, and adds its own tests.
"""

from __future__ import annotations

import os
import shutil
from abc import ABC, abstractmethod
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memcli import formats
from memcli.formats.facets import Format
from memcli.model import AgentView, Decoded, Header, Line, Record, Workspace
from memcli.storage.decode import decode
from memcli.storage.lines import forward

# One test class, several formats: Hypothesis would take the inherited method for a mistake.
inherited = settings(suppress_health_check=[HealthCheck.differing_executors])

JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12) | st.just("\ud83d"),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=12,
)
# The words that formats look for, with values of every type behind them.
FIELDS = st.sampled_from(
    [
        *("_type", "type", "role", "content", "text", "message", "body", "prompt", "response", "summary"),
        *("response_summary", "timestamp", "at", "ts", "time", "created_at", "updated_at", "createdAt", "id"),
        *("uuid", "key", "sessionKey", "session_key", "cursor", "title", "preview", "metadata", "payload"),
        *("toolCalls", "tool_calls", "toolCallId", "tool_call_id", "name", "arguments", "function", "media"),
        *("reasoningContent", "reasoning_content", "thinking", "thinking_blocks", "sender", "from", "input"),
        *("output", "state", "version", "iterations", "original_count"),
    ]
)
ROWS = JSON_VALUES | st.dictionaries(FIELDS, JSON_VALUES | st.dictionaries(FIELDS, JSON_VALUES), max_size=6)


class Sample(NamedTuple):
    """A healthy workspace on disk, built by a subclass below the folder it was given.

    `entries` are all the folders from which `recognise` must find it (agent home, project, workspace,
    sessions, memory ...). `session` is one healthy session file whose rows the agent sees completely: it has
    `rows` rows behind its preamble, belongs to `key`, and each of `texts` stands in some record's text.
    """

    root: Path
    entries: tuple[Path, ...]
    session: Path
    key: str
    rows: int
    texts: tuple[str, ...]


class FormatSuite(ABC):
    """The conformance suite. Subclass it as `class TestCatbuddy(FormatSuite)`."""

    format_name: ClassVar[str]
    era: ClassVar[str] = ""
    keys: ClassVar[tuple[str, ...]] = (
        "desktop:main",
        "telegram:-100200",
        "cli:direct",
        "web:会议",
        "a:b:c",
        "x",
    )
    not_sessions: ClassVar[tuple[str, ...]] = ("a.jsonl.tmp", "a.jsonl.lock", "notes.txt")
    """File names that, lying beside a session, are never listed as sessions."""
    leftover_names: ClassVar[tuple[str, ...]] = ("a.jsonl.tmp",)
    """File names that, lying beside a session, `leftovers` must name."""
    foreign_samples: ClassVar[tuple[str, ...]] = ()
    """Folders below tests/samples, or of the unpacked nanobot samples, that belong to other agents."""

    has_header: ClassVar[bool] = True
    has_journal: ClassVar[bool] = True
    has_memory: ClassVar[bool] = True
    has_homes: ClassVar[bool] = True
    has_names: ClassVar[bool] = True
    """Whether the format has a rule from key to file name (`name_of` answers with a name)."""
    reversible_names: ClassVar[bool] = True
    """Whether that rule can be undone without loss: key_of(name_of(key)) == key."""

    @abstractmethod
    def sample(self, folder: Path) -> Sample:
        """Build a healthy workspace somewhere below `folder`, which exists and is empty."""

    def another_session(self, sample: Sample, label: str) -> Path:
        """Where one more session file of the same workspace would stand; its folder exists on return.

        Default: beside the sample's session, under the name that the format gives to the key `label`.
        """
        name = self.format.layout.name_of(label, self.era) or f"{label}.jsonl"
        return sample.session.parent / name

    # ------------------------------------------------------------------ what the tests below are built from

    @property
    def format(self) -> Format:
        return formats.load(self.format_name)

    @pytest.fixture
    def built(self, tmp_path: Path) -> Sample:
        folder = tmp_path / "built"
        folder.mkdir()
        return self.sample(folder)

    @pytest.fixture
    def workspace(self, built: Sample) -> Workspace:
        return self.workspace_of(built)

    def workspace_of(self, built: Sample) -> Workspace:
        """The recognised workspace that holds the sample's session."""
        found = self.format.layout.recognise(str(built.root))
        holding = [one for one in found if str(built.session) in set(self.format.layout.session_paths(one))]
        assert len(holding) == 1, found
        return holding[0]

    def view(self, content: bytes, path: Path, name: str = "") -> AgentView:
        """The loader's view of `content` written to `path`."""
        path.write_bytes(content)
        fd = os.open(path, os.O_RDONLY)
        try:
            return self.format.loader.view(decoded_lines(fd), name or path.name, self.era)
        finally:
            os.close(fd)

    # ------------------------------------------------------------------ the record of facets

    def test_is_a_registered_format(self):
        assert isinstance(self.format, Format)
        assert self.format.name == self.format_name
        assert (self.format.journal is not None) == self.has_journal
        assert (self.format.memory is not None) == self.has_memory

    # ------------------------------------------------------------------ layout: recognising

    def test_homes_lie_below_the_users_home(self, tmp_path):
        homes = self.format.layout.homes(str(tmp_path))
        assert bool(homes) == self.has_homes
        assert all(home.startswith(str(tmp_path) + os.sep) for home in homes)
        assert os.listdir(tmp_path) == []

    def test_recognised_from_every_entry_point(self, built):
        for entry in built.entries:
            found = self.format.layout.recognise(str(entry))
            assert found, f"nothing recognised in {entry}"
            held = [path for one in found for path in self.format.layout.session_paths(one)]
            assert held.count(str(built.session)) == 1, f"{entry}: {found}"

    def test_a_trailing_slash_changes_nothing(self, built):
        for entry in built.entries:
            assert self.format.layout.recognise(f"{entry}/") == self.format.layout.recognise(str(entry))

    def test_workspaces_are_absolute_and_of_this_agent(self, built):
        for entry in built.entries:
            found = self.format.layout.recognise(str(entry))
            assert len(set(found)) == len(found)
            for one in found:
                assert one.agent == self.format_name
                assert all(os.path.isabs(path) for path in (one.root, *one.sessions, *one.memory))
                assert one.files == ()

    def test_recognises_nothing_in_an_empty_folder(self, tmp_path):
        assert self.format.layout.recognise(str(tmp_path)) == []

    def test_recognises_nothing_in_an_ordinary_folder(self, tmp_path):
        for name in ("src", "docs", "memory", "sessions", ".git"):
            (tmp_path / name).mkdir()
            (tmp_path / name / "README.md").write_text("# just a project\n")
        (tmp_path / "package.json").write_text("{}")
        for folder in (tmp_path, tmp_path / "sessions", tmp_path / "memory"):
            assert self.format.layout.recognise(str(folder)) == []

    def test_leaves_other_agents_alone(self, samples, nanobot):
        for name in self.foreign_samples:
            base = nanobot if name.startswith("nanobot-") else samples
            below = [path for path in (base / name).rglob("*") if path.is_dir() and ".git" not in path.parts]
            assert below, f"no sample folder {name}"
            for folder in (base / name, *below):
                assert self.format.layout.recognise(str(folder)) == [], folder

    @pytest.mark.parametrize("kind", ["missing", "file", "below-a-file", "fifo", "loop", "unreadable", "long-name"])
    def test_recognise_never_raises(self, tmp_path, kind):
        assert self.format.layout.recognise(str(odd_path(tmp_path, kind))) == []

    @pytest.mark.parametrize("kind", ["file", "fifo", "loop", "unreadable", "missing"])
    def test_an_odd_thing_in_place_of_a_folder_raises_nowhere(self, built, workspace, kind):
        for folder in (*workspace.sessions, *workspace.memory):
            put_in_place_of(Path(folder), kind)
        found = [one for entry in built.entries for one in self.format.layout.recognise(str(entry))]
        for one in (workspace, *found):
            list(self.format.layout.session_paths(one))
            list(self.format.layout.leftovers(one))

    def test_looking_writes_nothing(self, built, workspace):
        before = tree(built.root)
        for entry in built.entries:
            self.format.layout.recognise(str(entry))
        list(self.format.layout.session_paths(workspace))
        list(self.format.layout.leftovers(workspace))
        assert tree(built.root) == before

    # ------------------------------------------------------------------ layout: session files

    def test_damaged_files_are_listed_too(self, built, workspace):
        odd = {
            "t:empty": lambda path: path.write_bytes(b""),
            "t:nul": lambda path: path.write_bytes(bytes(4096)),
            "t:torn": lambda path: path.write_bytes(b'{"role":"us'),
            "t:foreign": lambda path: path.write_bytes(b"\x1f\x8b\x08\x00 not json"),
            "t:fifo": os.mkfifo,
            "t:unreadable": lambda path: (path.write_bytes(b"{}\n"), path.chmod(0)),
            "t:dangling": lambda path: path.symlink_to(path.parent / "nowhere"),
        }
        paths = set()
        for label, make in odd.items():
            path = self.another_session(built, label)
            make(path)
            paths.add(str(path))
        found = list(self.format.layout.session_paths(workspace))
        assert set(found) >= paths | {str(built.session)}
        assert len(set(found)) == len(found)
        for path in paths:
            assert self.format.layout.key_of(workspace, path)

    def test_temporary_and_lock_files_are_not_sessions(self, built, workspace):
        for name in self.not_sessions:
            (built.session.parent / name).write_bytes(built.session.read_bytes())
        found = {Path(path).name for path in self.format.layout.session_paths(workspace)}
        assert not found & set(self.not_sessions)

    def test_leftovers_are_named(self, built, workspace):
        for name in self.leftover_names:
            (built.session.parent / name).write_bytes(built.session.read_bytes())
        found = list(self.format.layout.leftovers(workspace))
        assert {Path(path).name for path in found} >= set(self.leftover_names)
        assert len(set(found)) == len(found)
        assert str(built.session) not in found
        assert all(os.path.isabs(path) for path in found)

    def test_files_that_were_named_are_all_there_is(self, built, workspace):
        named = workspace._replace(files=(str(built.session),))
        assert list(self.format.layout.session_paths(named)) == [str(built.session)]

    def test_a_name_that_is_not_utf8_is_listed(self, built, workspace):
        path = os.fsdecode(os.fsencode(self.another_session(built, "t:x").parent) + b"/caf\xe9.jsonl")
        if not self.has_names:
            Path(path).write_bytes(b"{}\n")
            assert path in set(self.format.layout.session_paths(workspace))
        assert self.format.layout.key_of(workspace, path)

    # ------------------------------------------------------------------ layout: keys and names

    def test_the_sample_session_has_its_key(self, built, workspace):
        told = self.format.layout.key_of(workspace, str(built.session))
        assert told
        if self.reversible_names:
            assert told == built.key

    def test_names_of_keys(self, workspace):
        for key in self.keys:
            name = self.format.layout.name_of(key, self.era)
            assert (name is not None) == self.has_names
            if name is None:
                continue
            assert name
            assert os.sep not in name
            told = self.format.layout.key_of(workspace, os.path.join(workspace.sessions[0], name))
            assert self.format.layout.name_of(told, self.era) == name, "the key that a name tells leads back to it"
            if self.reversible_names:
                assert told == key

    @inherited
    @given(key=st.text(min_size=1, max_size=300))
    def test_name_of_any_key(self, key):
        name = self.format.layout.name_of(key, self.era)
        assert name is None or name

    @pytest.mark.parametrize("name", [".jsonl", "a", "a.b.jsonl", "=.jsonl", "会议.jsonl", "\udce9.jsonl", "x" * 250])
    def test_key_of_any_name_is_not_empty(self, workspace, name):
        folder = (*workspace.sessions, workspace.root)[0]
        assert self.format.layout.key_of(workspace, os.path.join(folder, name))

    # ------------------------------------------------------------------ records

    def test_the_sample_is_scored_and_nothing_is_not(self, built):
        values = self.values(built)
        assert 0 < self.format.records.score(values) <= 100
        assert self.format.records.score([]) == 0

    def test_header(self, built):
        first = self.values(built)[0]
        header = self.format.records.header(first)
        assert (header is not None) == self.has_header
        if header is not None:
            assert header.key in (None, built.key)
            assert self.format.records.is_preamble(first)

    def test_messages_are_no_headers(self, built):
        messages = [value for value in self.values(built) if not self.format.records.is_preamble(value)]
        assert len(messages) == built.rows
        assert [self.format.records.header(value) for value in messages] == [None] * built.rows

    def test_the_sample_reads_as_text(self, built):
        records = [self.format.records.record(value) for value in self.values(built)]
        for text in built.texts:
            assert any(text in record.text for record in records), text

    @inherited
    @given(value=ROWS)
    def test_any_value_is_a_record(self, value):
        records = self.format.records
        record = records.record(value)
        assert_record(record)
        header = records.header(value)
        assert header is None or (type(header) is Header and all(x is None or isinstance(x, str) for x in header))
        assert header is None or records.is_preamble(value)

    @inherited
    @given(values=st.lists(ROWS, max_size=5))
    def test_any_values_have_a_score(self, values):
        assert 0 <= self.format.records.score(values) <= 100

    def test_a_deep_value_is_a_record(self):
        deep: Any = "bottom"
        for _ in range(900):
            deep = {"content": [deep]}
        assert_record(self.format.records.record(deep))
        assert_record(self.format.records.record({"role": "user", "content": deep}))

    @pytest.mark.parametrize("value", [None, 7, True, 1.5, "只是文字", [1, "zwei"], {}])
    def test_what_is_no_object_is_shown_as_text(self, value):
        record = self.format.records.record(value)
        assert record.role == ""
        if isinstance(value, str):
            assert value in record.text

    # ------------------------------------------------------------------ the agent's-eye view

    def test_the_agent_sees_all_of_the_sample(self, built):
        view = self.view(built.session.read_bytes(), built.session)
        assert (view.seen, view.total, view.reason) == (built.rows, built.rows, "")
        assert view.listed

    @pytest.mark.parametrize("damage", [
        "empty", "nul", "nul-tail", "torn", "header-only", "torn-header", "bom", "crlf", "blank-lines",
        "no-final-newline", "invalid-utf8", "glued", "prose", "scalars", "header-twice", "rows-only",
        "reversed", "deep",
    ])  # fmt: skip
    def test_any_damage_has_a_view(self, built, tmp_path, damage):
        view = self.view(damaged(built.session.read_bytes(), damage), tmp_path / "d.jsonl", built.session.name)
        assert_view(view)

    def test_an_oversize_line_has_a_view(self, built):
        whole = [(Line(1, 0, 5, b"{}", True), decode(b"{}"))]
        huge = [(Line(2, 3, 1 << 30, None, True), Decoded((), "oversize-line"))]
        assert_view(self.format.loader.view(huge, built.session.name, self.era))
        view = self.format.loader.view([*whole, *huge], built.session.name, self.era)
        assert_view(view)
        assert view.total >= 1

    def test_the_view_takes_its_lines_one_by_one(self, built):
        fd = os.open(built.session, os.O_RDONLY)
        try:
            lines = decoded_lines(fd)
            view = self.format.loader.view(lines, built.session.name, self.era)
            assert next(lines, None) is None
        finally:
            os.close(fd)
        assert view.total == built.rows

    @inherited
    @given(content=st.binary(max_size=200) | st.lists(ROWS, max_size=5).map(lambda rows: dumped(rows)))
    def test_any_bytes_have_a_view(self, content, tmp_path_factory):
        path = tmp_path_factory.getbasetemp() / f"view-{os.getpid()}.jsonl"
        assert_view(self.view(content, path))

    # ------------------------------------------------------------------ journal and memory

    def test_journal_and_memory_files_are_absolute_and_of_the_workspace(self, workspace):
        for facet in (self.format.journal, self.format.memory):
            if facet is None:
                continue
            files = facet.files(workspace)
            assert files
            assert len({file.path for file in files}) == len(files)
            assert all(os.path.isabs(file.path) for file in files)

    def test_memory_layers_have_known_names(self, workspace):
        files = self.format.memory.files(workspace) if self.format.memory is not None else []
        known = ("global", "project", "user", "persona")
        assert all(file.layer in known or file.layer.startswith("user:") for file in files)

    def values(self, built: Sample) -> list[Any]:
        return [value for line in built.session.read_bytes().split(b"\n") for value in decode(line).values]


def decoded_lines(fd: int) -> Iterator[tuple[Line, Decoded]]:
    """The lines of `fd` as core hands them to a loader."""
    for line in forward(fd):
        yield line, decode(line.raw) if line.raw is not None else Decoded((), "oversize-line")


def assert_record(record: Record) -> None:
    """Every field has the type that model.Record promises."""
    assert type(record) is Record
    assert all(isinstance(text, str) for text in (record.role, record.content, record.reasoning, record.text))
    assert all(x is None or isinstance(x, str) for x in (record.timestamp, record.answers, record.name))
    assert record.id is None or type(record.id) in (str, int)
    for call in record.calls:
        assert call.id is None or isinstance(call.id, str)
        assert isinstance(call.name, str)
        assert isinstance(call.arguments, str)


def assert_view(view: AgentView) -> None:
    """Numbers that add up, a clause where rows are missing, whole sentences as notes."""
    assert type(view) is AgentView
    assert 0 <= view.seen <= view.total
    assert isinstance(view.listed, bool)
    if view.seen < view.total:
        assert view.reason, view
    assert not view.reason.endswith("."), view
    for note in view.notes:
        assert note.endswith("."), view
        assert not note[0].islower(), view


def damaged(content: bytes, damage: str) -> bytes:
    """A healthy session file with one kind of damage."""
    lines = content.splitlines(keepends=True)
    middle = len(lines) // 2
    changed = {
        "empty": b"",
        "nul": bytes(len(content)),
        "nul-tail": content + bytes(512),
        "torn": content[:-9],
        "header-only": lines[0],
        "torn-header": lines[0][:20] + b"\n" + b"".join(lines[1:]),
        "bom": b"\xef\xbb\xbf" + content,
        "crlf": content.replace(b"\n", b"\r\n") + b"\r\n",
        "blank-lines": b"\n" + content.replace(b"\n", b"\n\n"),
        "no-final-newline": content.rstrip(b"\n"),
        "invalid-utf8": b"".join([*lines[:middle], b'{"role":"user","content":"\xff"}\n', *lines[middle:]]),
        "glued": content.replace(b"\n", b"") + b"\n",
        "prose": b"".join([*lines[:middle], b"not json at all\n", *lines[middle:]]),
        "scalars": content + b'7\n"text"\nnull\n[]\n{}\n',
        "header-twice": lines[0] + content,
        "rows-only": b"".join(lines[1:]),
        "reversed": b"".join(reversed(lines)),
        "deep": content + b"[" * 5000 + b"]" * 5000 + b"\n",
    }
    return changed[damage]


def dumped(rows: list[Any]) -> bytes:
    """Any JSON values as lines, lone surrogates escaped."""
    import json

    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def odd_path(folder: Path, kind: str) -> Path:
    """Something that is not a readable folder."""
    path = folder / "odd"
    if kind == "long-name":
        return folder / ("x" * 5000)
    if kind == "below-a-file":
        path.write_text("")
        return path / "below"
    make_odd(path, kind)
    return path


def make_odd(path: Path, kind: str) -> None:
    """Put a file, a FIFO, a symlink loop or an unreadable folder at `path`; "missing" puts nothing."""
    if kind == "file":
        path.write_text("{}\n")
    elif kind == "fifo":
        os.mkfifo(path)
    elif kind == "loop":
        path.symlink_to(path)
    elif kind == "unreadable":
        path.mkdir()
        path.chmod(0)


def put_in_place_of(folder: Path, kind: str) -> None:
    """Replace a folder by something odd; a folder that went with its parent already is left alone."""
    if not folder.is_dir() or folder.is_symlink():
        return
    shutil.rmtree(folder)
    make_odd(folder, kind)


def tree(folder: Path) -> dict[str, tuple[int, bytes]]:
    """Every path below a folder with its modification time and, for a file, its content."""
    return {
        str(path): (path.lstat().st_mtime_ns, path.read_bytes() if path.is_file() else b"")
        for path in sorted(folder.rglob("*"))
    }
