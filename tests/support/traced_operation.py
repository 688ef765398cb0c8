"""One operation with every kind of change, as a process to be traced; prints the calls that the layer saw.

    python -I -S -B traced_operation.py CHECKOUT WORKSPACE STATE

getppid(2) marks the region: it is called right before and right after it.
"""

from __future__ import annotations

import os
import sys


def main(checkout: str, root: str, state_folder: str) -> None:
    sys.path.insert(0, checkout)
    os.environ["MEMCLI_STATE_DIR"] = state_folder
    from memcli.storage import state, system, undo
    from memcli.storage.locks import Lock
    from memcli.storage.versions import read_version

    calls: list[str] = []
    for name in system.CALLS:
        setattr(system, name, _logged(name, getattr(system, name), calls))
    one, two, gone, log = (os.path.join(root, name) for name in ("one", "two", "gone", "log"))
    versions = {path: read_version(path) for path in (one, two, gone)}
    store = state.store(root)
    import ctypes  # noqa: F401  # what is imported before the region does not disturb it
    import fcntl  # noqa: F401
    import hashlib  # noqa: F401
    import json  # noqa: F401
    import signal  # noqa: F401
    import time  # noqa: F401

    os.getppid()
    locks = [Lock("flock", os.path.join(root, ".lock")), Lock("exclusive-file", one + ".lock")]
    with undo.begin(store, "repair", locks=locks) as operation:
        operation.set_aside(one, 0, b"piece", "not-json")
        operation.rewrite(one, versions[one], b"new one\n", root=root, mtime="keep")
        operation.chmod(two, versions[two], 0o600, root=root)
        operation.create(os.path.join(root, "made"), b"made\n", root=root)
        operation.remove(gone, versions[gone], root=root)
        operation.append(log, b"line", root=root)
        operation.commit()
    os.getppid()
    print(" ".join(calls))


def _logged(name, real, calls):
    def call(*arguments):
        calls.append(name)
        return real(*arguments)

    return call


if __name__ == "__main__":
    main(*sys.argv[1:])
