"""One load told in words: what is seen, why not the rest, and what else a person should know."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from memcli.formats.nanobot.eras import rules_of
from memcli.formats.nanobot.loading import Loading
from memcli.formats.nanobot.names import SUFFIX, decoded_key, encoded_name, lossy_name
from memcli.model import AgentView, Decoded, Line


def tell(lines: Iterable[tuple[Line, Decoded]], name: str, era: str) -> AgentView:
    """What loader.view promises."""
    rules = rules_of(era)
    loading = Loading(rules)
    for line, decoded in lines:
        loading.take(line, decoded)
    hidden = hidden_by_name(loading, name)
    fatal = _fatal(loading)
    reason = hidden or fatal or _passed_over(loading)
    lost = bool(hidden or fatal)
    seen = 0 if lost else len(loading.messages)
    notes = [] if lost else [*_about_header(loading, name), *_about_replay(loading), *_about_saving(loading)]
    if fatal and not hidden:
        notes.append(_RAISED if loading.raises else _EMPTIED)
    if hidden and rules.names == "encoded":
        notes += _about_a_hidden_file(loading)
    if reason and seen == loading.rows:
        notes.insert(0, f"{_capital(reason)}.")
        reason = ""
    listed = loading.listed and not (hidden and rules.names == "encoded")
    return AgentView(seen, loading.rows, listed, reason, tuple(notes))


def hidden_by_name(loading: Loading, name: str) -> str:
    """Why the file's name keeps it from being loaded, "" when it does not."""
    names = loading.rules.names
    if names == "any" or decoded_key(name) is not None:
        return ""
    if names == "encoded":
        return "its file name is not the encoded form of a key, and such files are neither listed nor loaded"
    owner = loading.owner
    if names == "both" and owner and lossy_name(owner) != name:
        wanted = f"{encoded_name(owner)} or {lossy_name(owner)}"
        return f"its header belongs to {owner}, which is looked for under {wanted}"
    return ""


def _about_a_hidden_file(loading: Loading) -> list[str]:
    """The upgrade past 0.3.0 leaves chats behind under their old names."""
    key = loading.header.get("key")
    where = f"as {encoded_name(key)}" if isinstance(key, str) and key else "under an encoded name"
    return [f"Versions up to 0.3.0 read such names; newer ones would find it {where}."]


def _fatal(loading: Loading) -> str:
    """Why the whole session comes out empty, "" when it does not."""
    if loading.fatal is None:
        return ""
    flaw, place = loading.fatal
    return f"{_place(place)} {_FLAWS[flaw]}, which makes it load nothing"


def _passed_over(loading: Loading) -> str:
    clauses = []
    for flaw, (count, named) in loading.passed.items():
        more = f" and {count - len(named)} more" if count > len(named) else ""
        places = ", ".join(_place(place) if n == 0 or place < 0 else str(place) for n, place in enumerate(named))
        if count > 1 and named[0] > 0:
            places = "rows" + places[3:]
        clauses.append(f"{places}{more} {_PLURALS[flaw] if count > 1 else _FLAWS[flaw]}")
    return "; ".join(clauses)


def _about_header(loading: Loading, name: str) -> Iterator[str]:
    if not loading.headers:
        if loading.messages:
            yield (
                "The agent reads no header, so title, summary and offset are gone: "
                "every row is sent to the model and archived again."
            )
    elif len(loading.headers) > 1:
        last = _place(loading.headers[-1])
        yield f"The agent reads {len(loading.headers)} headers; the last one, {last}, counts."
    if not loading.listed:
        why = _UNLISTED.get(loading.first, "the first line is no header")
        yield f"The agent's list does not show the chat: {why}."
    elif _breaks_the_list(loading):
        yield "The header's updated_at is no text: with a second session the agent's list fails as a whole."
    yield from _about_keys(loading, name)
    metadata = loading.header.get("metadata")
    if isinstance(metadata, dict):
        if metadata.get("pending_user_turn") or metadata.get("runtime_checkpoint"):
            yield "The last turn was interrupted; the next one first writes down what is left of it."
    elif "metadata" in loading.header and not loading.rules.has_state:
        yield "The header's metadata is not an object, which makes turns fail."


def _about_keys(loading: Loading, name: str) -> Iterator[str]:
    """The header's key is shown in lists, the file name decides what is loaded."""
    key = loading.header.get("key")
    if not isinstance(key, str) or not key or not name.endswith(SUFFIX):
        return
    told = decoded_key(name) if loading.rules.names != "lossy" else None
    if told is not None and told != key:
        yield f"The agent's list shows the chat as {key}, but loads it for {told}, as the file name says."
    elif loading.rules.names == "lossy" and lossy_name(key) != name:
        yield f"The agent's list shows the chat as {key}, and looks for that in {lossy_name(key)} instead."


def _breaks_the_list(loading: Loading) -> bool:
    rules, time = loading.rules, loading.header.get("updated_at")
    if not rules.sorts_stored_times or isinstance(time, str):
        return False
    return bool(time) or not rules.fills_times


def _about_replay(loading: Loading) -> Iterator[str]:
    messages = loading.messages
    offset, flaw = offset_of(loading)
    if flaw:
        yield flaw
    if offset is None:
        return
    replay = messages.replay(offset)
    kept = "kept in the file but not sent to the model"
    if replay.offset:
        yield f"{_rows(replay.offset)} before the archive offset {_are(replay.offset)} {kept}."
    if replay.leading:
        yield f"{_rows(replay.leading)} before the first user row {_are(replay.leading)} {kept}."
    if replay.unpaired:
        why = f"because the tool result in {_place(replay.orphan)} answers no call"
        yield f"{_rows(replay.unpaired)} {_are(replay.unpaired)} {kept}, {why}."
    if messages and not replay.sent:
        yield "Nothing of the chat is sent to the model."
    if replay.breaking:
        what = "no role or unusable tool calls" if loading.rules.pairs else "no role or no content"
        yield f"{_capital(_place(replay.breaking))} has {what}: it loads, but every turn fails."


def offset_of(loading: Loading) -> tuple[int | None, str]:
    """The archive offset that counts (None: turns fail on it), and a note when it is not the stored one."""
    rules, header = loading.rules, loading.header
    stored = [header[name] for name in rules.offsets if header.get(name) is not None]
    if not stored:
        return 0, ""
    whole = [value for value in stored if type(value) is int]
    value = whole[0] if whole else stored[0]
    said = f"The archive offset {repr(value)[:40]}"
    if whole and 0 <= value <= len(loading.messages):
        return value, ""
    if rules.clamps:
        told = "is read as 0, so every row is sent to the model and archived again"
        if rules.clamps_since:
            return (
                0,
                f"{said} {told} from {rules.clamps_since} on; versions before took it as it stands, and send none.",
            )
        return 0, f"{said} {told}."
    if isinstance(value, int):
        return value, f"{said} is out of range and is used all the same."
    return None, f"{said} is not a number: the chat loads, but every turn fails."


def _about_saving(loading: Loading) -> Iterator[str]:
    if loading.unsavable:
        place = _capital(_place(loading.unsavable))
        yield f"{place} holds half a surrogate pair: it loads, but every save fails and nothing new is kept."


def _rows(count: int) -> str:
    return f"{count} row" if count == 1 else f"{count} rows"


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


def _place(place: int) -> str:
    return f"row {place}" if place > 0 else f"line {-place}"


def _capital(clause: str) -> str:
    return clause[0].upper() + clause[1:]


_FLAWS = {
    "not-utf8": "holds a byte that is not UTF-8",
    "not-json": "does not parse",
    "huge-number": "holds an integer of more digits than it can read",
    "too-deep": "is nested deeper than it can read",
    "not-an-object": "is not an object",
    "bad-date": "has a created_at that is not a date",
    "unnamed-call": "has a tool call whose name is not text",
    "header": "is a header to it, no message",
    "state": "is the provider's state to it, no message",
    "blank": "is only white space",
    "unread": "is too long to be looked at here, what it makes of it is unknown",
}
_PLURALS = {
    "not-json": "do not parse",
    "not-an-object": "are not objects",
    "header": "are headers to it, no messages",
    "state": "are the provider's state to it, no messages",
    "blank": "are only white space",
    "unread": "are too long to be looked at here, what it makes of them is unknown",
}
_UNLISTED = {"": "the file is empty", "blank": "its first line is blank"}
_EMPTIED = "The next turn starts an empty session and overwrites the file: copy it first."
_RAISED = "The file stays as it is, but every turn of the chat ends with an error."
