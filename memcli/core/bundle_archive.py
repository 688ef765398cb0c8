"""A bundle as one archive that names nobody: no owner, no group, no machine."""

from __future__ import annotations

import io
import os
import time
from collections.abc import Sequence

from memcli.core.bundling import Member

ZIP = ".zip"


def packed(members: Sequence[Member], name: str) -> bytes:
    """The archive with these members: a zip when `name` ends so, else a tar with gzip."""
    made = io.BytesIO()
    if name.lower().endswith(ZIP):
        _zip(members, made)
    else:
        _tar(members, made)
    return made.getvalue()


def _tar(members: Sequence[Member], made: io.BytesIO) -> None:
    import gzip
    import tarfile

    with (
        gzip.GzipFile(filename="", mode="wb", fileobj=made, mtime=0) as stream,
        tarfile.open(fileobj=stream, mode="w", format=tarfile.PAX_FORMAT) as archive,
    ):
        for member in members:
            status = os.stat(member.path)
            about = tarfile.TarInfo(member.name)
            about.size, about.mtime, about.mode = status.st_size, status.st_mtime, status.st_mode & 0o666
            with open(member.path, "rb") as file:
                archive.addfile(about, file)


def _zip(members: Sequence[Member], made: io.BytesIO) -> None:
    import zipfile

    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for member in members:
            moment = time.gmtime(max(os.stat(member.path).st_mtime, 315532800))[:6]
            with open(member.path, "rb") as file:
                archive.writestr(zipfile.ZipInfo(member.name, moment), file.read(), zipfile.ZIP_DEFLATED)
