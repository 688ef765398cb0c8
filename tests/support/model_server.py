"""A service with a model, on this machine: it answers what a test says, in order, and keeps what it was asked."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any, NamedTuple


class Answer(NamedTuple):
    """One response. `body` that is no bytes is sent as JSON; `lost` bytes of it are promised and not sent; `slow`: "" for at
    once, "never" for no byte at all, "drops" for one byte of the body now and then, "head" for one of the status line."""

    body: Any = b""
    status: int = 200
    headers: Mapping[str, str] = {}
    lost: int = 0
    slow: str = ""


class Asked(NamedTuple):
    """One request as it came."""

    path: str
    headers: Mapping[str, str]
    body: Any

    @property
    def key(self) -> str:
        """The key that came with it, however that is sent."""
        return self.headers.get("x-api-key") or self.headers.get("authorization", "").removeprefix("Bearer ")


class ModelServer:
    """A server that gives `answers` in order; the last one again and again."""

    def __init__(self) -> None:
        self.answers: list[Answer] = []
        self.asked: list[Asked] = []
        self.closing = Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = False  # closing waits for them
        self.port = self._server.server_port
        self.url = f"http://127.0.0.1:{self.port}"
        self._thread = Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})

    def next(self) -> Answer:
        """The answer to give now."""
        return self.answers[min(len(self.asked), len(self.answers)) - 1]

    def start(self) -> None:
        """Begin to serve."""
        self._thread.start()

    def stop(self) -> None:
        """Serve no more; nothing answers at the address then."""
        self.closing.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


@contextmanager
def serving() -> Iterator[ModelServer]:
    """A server for a while."""
    server = ModelServer()
    server.start()
    try:
        yield server
    finally:
        server.stop()


def _handler(server: ModelServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers["content-length"]))
            headers = {name.lower(): value for name, value in self.headers.items()}
            server.asked.append(Asked(self.path, headers, json.loads(raw)))
            try:
                self._give(server.next())
            except OSError:
                pass  # whoever asked has gone

        do_GET = do_POST

        def _give(self, answer: Answer) -> None:
            body = answer.body if isinstance(answer.body, bytes) else json.dumps(answer.body).encode()
            if answer.slow == "never":
                server.closing.wait()
                return
            if answer.slow == "head":
                self._drop(b"HTTP/1.0 200 " + b"O" * 1000)
                return
            self.send_response(answer.status)
            headers = {"content-type": "application/json", "content-length": str(len(body) + answer.lost)}
            for name, value in {**headers, **answer.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            if answer.slow == "drops":
                self._drop(body)
            else:
                self.wfile.write(body)

        def _drop(self, data: bytes) -> None:
            for place in range(len(data)):
                if server.closing.wait(0.02):
                    return
                self.wfile.write(data[place : place + 1])

        def log_message(self, *_: object) -> None:
            pass  # not on the terminal of whoever runs the tests

    return Handler
