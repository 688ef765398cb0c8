"""Every failure a user can meet: a class with its sentence and its exit code.

A sentence says what happened, what was not touched, and what to do. Exit codes: docs/exit-codes.md.
"""

from __future__ import annotations


class MemcliError(Exception):
    """A failure with a sentence for the user; `exit_code` is what the process ends with."""

    exit_code = 3
    code = "failed"

    def __init__(self, sentence: str, **facts: object) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.facts = facts


class UsageError(MemcliError):
    """The command line cannot be carried out as written."""

    exit_code = 2
    code = "usage"


class ConfigurationError(UsageError):
    """The configuration file says something that cannot be carried out."""

    code = "configuration"


class NothingFound(UsageError):
    """No workspace at any of the places looked at."""

    code = "no-workspace"


class UnknownSession(UsageError):
    """No session answers to that name."""

    code = "unknown-session"


class AmbiguousSession(UsageError):
    """Several sessions answer to that name; `facts["candidates"]` lists them."""

    code = "ambiguous-session"


class UnknownRevision(UsageError):
    """No single commit answers to that name."""

    code = "unknown-commit"


class UnknownProposal(UsageError):
    """No proposal in the inbox has that id."""

    code = "unknown-proposal"


class NoHistory(MemcliError):
    """The memory is in no git repository, so that nothing is known of its past."""

    code = "no-history"


class CannotRead(MemcliError):
    """A file cannot be opened or read (permission, I/O, not a regular file, vanished)."""

    code = "cannot-read"


class RefusedInput(MemcliError):
    """An archive or stream that would be unsafe or too large to unpack."""

    code = "refused-input"


class RefusedForSafety(MemcliError):
    """The file is in use or changed under us; retry later."""

    exit_code = 4
    code = "refused"


class CannotWrite(MemcliError):
    """A file cannot be written (permission, I/O, no space); `facts["in_place"]` tells whether the new content stands."""

    code = "cannot-write"


class NothingToUndo(MemcliError):
    """There is no operation to undo, or it has been undone already."""

    exit_code = 1
    code = "nothing-to-undo"


class NothingToClear(MemcliError):
    """No lock was left behind by an owner that is gone."""

    exit_code = 1
    code = "nothing-to-clear"


class ProviderFailed(MemcliError):
    """A model provider gave no answer (no key, not reachable, too slow, refused, no room); nothing was changed."""

    code = "provider-failed"


class NothingToRevert(MemcliError):
    """The change is not in the files any more, or there never was one."""

    exit_code = 1
    code = "nothing-to-revert"


class AlreadyDecided(MemcliError):
    """A proposal, or an item of one, was approved or rejected before; nothing is done a second time."""

    exit_code = 1
    code = "already-decided"
