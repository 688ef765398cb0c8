"""Writing exports: which page goes where, what is said about it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from types import ModuleType
from typing import Any

from memcli.core import export_names, export_places
from memcli.core.exporting import Facts, Session, path_told, unread
from memcli.core.redacting import Redactor
from memcli.core.rows import size_of
from memcli.errors import CannotRead, UsageError
from memcli.model import SessionRef
from memcli.output import Printer, say
from memcli.output.export_words import lost
from memcli.output.rich_view import progress
from memcli.output.words import many
from memcli.secrets import KINDS

FORMS = ("md", "html", "json")
SUFFIXES = {"md": ".md", "markdown": ".md", "html": ".html", "htm": ".html", "json": ".json"}


class Exporter:
    """Writes sessions in one form to standard output, a file or a folder. `many` tells that they are several, or may be."""

    def __init__(
        self,
        printer: Printer,
        redactor: Redactor | None,
        *,
        form: str | None,
        to: str | None,
        many: bool,
        force: bool,
        tz: str,
    ) -> None:
        self.printer, self.redactor, self.force, self.tz, self.many = printer, redactor, force, tz, many
        self.to = "" if to in (None, "-") else os.path.expanduser(to or "")
        self.form = form or _told(self.to) or "md"
        self.page = _page(self.form)
        self.failed = False

    def write(self, refs: Sequence[SessionRef]) -> int:
        """Write them; the exit code. Raises UsageError, CannotWrite, and CannotRead for one session."""
        total = 2 * sum(size_of(ref.path) or 0 for ref in refs)
        with progress(f"exporting {many(len(refs), 'session')}", total, self.printer.quiet) as report:
            self._write(refs, report)
        self._tell_masked()
        return 3 if self.failed else 0

    def _write(self, refs: Sequence[SessionRef], report: Callable[[int], None]) -> None:
        if not self.to:
            if self.many and self.form != "json":
                raise UsageError("Several sessions go into a folder: name one with -o DIR, or take --format json.")
            self._each(refs, [""] * len(refs), "", report)
            return
        if self.many or os.path.isdir(self.to) or self.to.endswith(os.sep):
            self._into_folder(refs, report)
            return
        export_places.check([self.to], refs, force=self.force)
        self._each(refs, [self.to], "", report)
        self.printer.note(f"Wrote {self.to}.")

    def _into_folder(self, refs: Sequence[SessionRef], report: Callable[[int], None]) -> None:
        mask = self.redactor.text if self.redactor else str
        suffix = self.page.SUFFIX
        names = export_names.names(
            [mask(ref.key) for ref in refs], [path_told(ref, self.redactor) for ref in refs], suffix
        )
        index = f"index{suffix}" if self.many else ""
        paths = [os.path.join(self.to, name) for name in [*names, index] if name]
        export_places.check(paths, refs, force=self.force)
        export_places.make_folder(self.to)
        found = self._each(refs, paths[: len(refs)], index, report)
        if index:
            found.sort(key=lambda pair: -pair[0].updated)
            self._save(paths[-1], self.page.index(found, masked=self.redactor is not None, **self._zone()))
        written = sum(1 for _, name in found if name)
        self.printer.note(
            f"Wrote {many(written, 'session')} to {self.to}." + (f" Begin with {paths[-1]}." if index else "")
        )

    def _each(
        self, refs: Sequence[SessionRef], paths: Sequence[str], index: str, report: Callable[[int], None]
    ) -> list[tuple[Facts, str]]:
        """Write the page of each session; its facts, and the name of its file, "" when it could not be read."""
        found: list[tuple[Facts, str]] = []
        done = 0
        for ref, path in zip(refs, paths, strict=True):
            try:
                with Session(ref, self.redactor, tz=self.tz, progress=_further(report, done)) as session:
                    facts = session.facts()
                    masked = self.redactor is not None
                    pieces = self.page.session(facts, session.entries(), masked=masked, index=index, **self._zone())
                    self._save(path, pieces)
                    done += session.told
            except CannotRead as error:
                if not self.many:
                    raise
                say(f"memcli: {error.sentence}")
                self.failed = True
                found.append((unread(ref, str(error.facts.get("why")), self.redactor), ""))
                continue
            if facts.lost:
                self.printer.note(f"{ref.key}: {lost(facts)}.")
            found.append((facts, os.path.basename(path)))
        return found

    def _save(self, path: str, pieces: Iterable[bytes]) -> None:
        if path:
            export_places.save(path, pieces, force=self.force)
            return
        for piece in _for_terminal(self.printer, pieces):
            self.printer.bytes(piece)

    def _zone(self) -> dict[str, Any]:
        return {} if self.form == "md" else {"tz": self.tz}

    def _tell_masked(self) -> None:
        if self.redactor:
            counts = self.redactor.counts
            each = ", ".join(f"{KINDS[kind].title if kind in KINDS else kind} {counts[kind]}" for kind in counts)
            self.printer.note(
                f"Masked: {each or 'nothing'}. Look it over before you send it: no pattern knows everything."
            )


def _further(report: Callable[[int], None], done: int) -> Callable[[int], None]:
    return lambda read: report(done + read)


def _page(form: str) -> ModuleType:
    from importlib import import_module

    names = {"md": "markdown_page", "html": "html_page", "json": "json_page"}
    return import_module(f"memcli.output.{names[form]}")


def _told(path: str) -> str:
    """The form that a file's suffix tells, "" when it tells none."""
    suffix = SUFFIXES.get(os.path.splitext(path)[1].lower().lstrip("."), "")
    return suffix.lstrip(".")


def _for_terminal(printer: Printer, pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Documents are UTF-8; a terminal that is not gets what it can show."""
    if not printer.terminal or printer.encoding.lower().replace("-", "") == "utf8":
        yield from pieces
        return
    for piece in pieces:
        yield piece.decode().encode(printer.encoding, "backslashreplace")
