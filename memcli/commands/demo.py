"""memcli demo: a small workspace to try things on."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memcli.options import (
        ColorOption,
        FolderArgument,
        QuietOption,
    )


def demo(folder: FolderArgument = "memcli-demo", color: ColorOption = "auto", quiet: QuietOption = False) -> None:
    """Write a small workspace, damage included, and inspect it.

    Ends with commands to try next. An earlier demonstration in DIR is inspected again; anything else there is left alone.
    """
    import sys
    from shlex import quote
    from shutil import which

    from memcli.core import choosing, demonstrating, discovering, selecting, surveying
    from memcli.output import BOLD, Printer, listing_view, session_view

    printer = Printer(color=color, quiet=quiet)
    new = demonstrating.write(folder)
    printer.note(f"{'Wrote' if new else 'Found'} a demonstration workspace in {folder}.")
    workspaces = discovering.find([folder])
    here = f"-W {quote(folder)}"
    program = "memcli" if which("memcli") else quote(sys.argv[0])

    printer.page(printer.paint(f"$ {program} sessions ls {here}", BOLD))
    listing_view.write(printer, choosing.choose(workspaces, choosing.Choice()), workspaces, long=False, tz="")
    printer.page("")
    printer.page(printer.paint(f"$ {program} sessions show {here} desktop:1748822400000", BOLD))
    ref = selecting.one("desktop:1748822400000", [folder], None)
    session_view.survey(printer, ref, surveying.survey(ref))
    printer.page("")
    printer.page(printer.paint("Try next:", BOLD))
    for command in (
        f"{program} grep {here} 8081",
        f"{program} grep {here} -C1 'test:watch'",
        f"{program} grep {here} 杭州",
        f"{program} tail {here} desktop:main",
        f"{program} sessions show {here} desktop:1748822400000 --line 4",
        f"{program} sessions ls {here} --damaged --json",
    ):
        printer.page(f"  {command}")
