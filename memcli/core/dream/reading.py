"""What waits in a place, and what its memory says."""

from __future__ import annotations

from collections.abc import Sequence

from memcli.core import landing
from memcli.core.dream import journal_feed, session_feed
from memcli.core.dream.feed import Feed, Said
from memcli.core.dream.places import Place
from memcli.core.dream.wishes import Limits
from memcli.core.revisions import content


def feed(place: Place, limits: Limits, tz: str = "") -> Feed:
    """What waits in the place. Raises CannotRead, RefusedForSafety."""
    if place.journal is None:
        return session_feed.read(place.workspace, limits, tz)
    return journal_feed.read(place.journal, limits)


def batch(found: Feed, limits: Limits, *, whole: bool = False) -> Sequence[Said]:
    """The oldest entries, as many as go into a batch, or with `whole` all that are held; what has the number of the last one goes
    with it, as a position names a number."""
    count = len(found.said) if whole else min(limits.entries, len(found.said))
    while 0 < count < len(found.said) and found.said[count].number == found.said[count - 1].number:
        count += 1
    return found.said[:count]


def memory(place: Place) -> str:
    """The text of the memory files that the place's items go to, one after the other. Raises CannotRead, UsageError."""
    targets = landing.targets_of(place.workspace, user=place.user, beside=place.beside)
    texts = [content(path) for path in dict.fromkeys(target.path for target in targets)]
    return "\n".join(text.decode("utf-8", "replace") for text in texts if text)
