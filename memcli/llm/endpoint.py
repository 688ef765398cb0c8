"""A service over HTTP, reached through its official SDK: what the providers of both styles have in common.

The SDK makes the request; what it would do by itself is switched off: other tries, redirects (which could carry the key to
another host), and what variables of its own say. Answers are read here, since an SDK takes any size and any shape.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from importlib import import_module
from importlib.util import find_spec
from time import monotonic
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from memcli import settings
from memcli.errors import ProviderFailed, UsageError
from memcli.llm import keys, refusals, trying
from memcli.llm.shapes import parsed
from memcli.llm.table import Table, wrong
from memcli.llm.trying import Failure
from memcli.model import Reply

if TYPE_CHECKING:
    from ipaddress import IPv4Address, IPv6Address

LARGEST = 16 << 20
"""Bytes that are read of an answer."""
OWN = frozenset({"model", "messages", "system", "stream", "tools"})
"""What the table `extra` cannot set: memcli does."""

Start = Callable[[Any, float], AbstractContextManager[Any]]
"""From the SDK's client and a time limit to the response, whose body is yet to be read."""


class Endpoint:
    """One service as [llm] describes it, for the SDK `sdk` with the client class `client`."""

    def __init__(self, sdk: str, client: str, table: Table, home: str, variable: str) -> None:
        """`home` is the service's own address, `variable` where its key usually is. Raises UsageError, ConfigurationError, and
        ProviderFailed when the key is not there."""
        self._sdk = sdk
        self._class = client
        self.model = table.text("model")
        if not self.model:
            raise UsageError(
                f"The provider {sdk} needs the name of a model: model in [llm] of {settings.config_file()}."
            )
        self.tries = table.number("tries", 3, 10)
        self.extra = table.table("extra")
        if taken := OWN.intersection(self.extra):
            raise wrong("extra", f"must not have {', '.join(sorted(taken))}: memcli sets it")
        self.url = _address(table) or home
        there = urlsplit(self.url)
        self.host = there.hostname or ""
        self.local = _is_local(self.host)
        self.key = keys.find(table, variable, own=there[:2] == urlsplit(home)[:2], local=self.local)
        if self.key and there.scheme == "http" and not (self.local or _is_near(self.host)):
            raise wrong("base_url", "must begin with https://: the key would be sent for everybody to read")
        if find_spec(sdk) is None:
            raise UsageError(f"The provider {sdk} needs its SDK: pip install 'memcli[{sdk}]'. Nothing was asked.")

    def ask(self, start: Start, read: Callable[[dict[str, Any]], Reply], seconds: float) -> Reply:
        """The answer to one question, with all tries within `seconds`. Raises ProviderFailed."""
        try:
            return trying.persist(lambda left: self._attempt(start, read, left), seconds, self.tries)
        except Failure as failure:
            raise self._told(failure) from None

    def _attempt(self, start: Start, read: Callable[[dict[str, Any]], Reply], seconds: float) -> Reply:
        end = monotonic() + seconds
        client = self._client()

        def exchange() -> bytes:
            try:
                with client, start(client, seconds) as response:
                    return _body(response.iter_bytes(), end, seconds)
            except Exception as error:
                raise refusals.failure(error, self.key, seconds) from None

        answer = parsed(trying.within(seconds, exchange))
        if answer.get("error"):  # as some gateways tell of a failure, with status 200
            raise refusals.told_inside(answer, self.key)
        return read(answer)

    def _client(self) -> Any:
        # an SDK takes headers, addresses and levels of logging from variables of its own, whichever service it is to ask
        with settings.Hidden(f"{self._sdk.upper()}_"):
            try:
                sdk = import_module(self._sdk)
                http = sdk.DefaultHttpxClient(
                    follow_redirects=False,
                    trust_env=not self.local,  # a proxy has no way to this machine
                    event_hooks={"response": [lambda response: refusals.check(response, self.key)]},
                )
                return getattr(sdk, self._class)(
                    base_url=self.url,
                    api_key=self.key.reveal() or "none",
                    http_client=http,
                    max_retries=0,
                    default_headers={"Accept-Encoding": "identity"},
                )
            except Exception as error:  # another version than it can work with, or a proxy that it cannot use
                why = refusals.quoted(str(error), self.key) or type(error).__name__
                raise Failure(f"its SDK cannot be used ({why})", "sdk") from None

    def _told(self, failure: Failure) -> ProviderFailed:
        tries = f" in {failure.tries} tries" if failure.tries > 1 else ""
        facts = {"provider": self._sdk, "why": failure.kind, "tries": failure.tries}
        return ProviderFailed(
            f"{self.model} at {self.host} gave no answer{tries}: {failure.why}. Nothing was changed.",
            **facts,
            **({"status": failure.status} if failure.status else {}),
        )


def _body(chunks: Iterable[bytes], end: float, seconds: float) -> bytes:
    pieces = []
    size = 0
    for chunk in chunks:
        pieces.append(chunk)
        size += len(chunk)
        if size > LARGEST:
            raise Failure(f"its answer is longer than {LARGEST >> 20} MiB", "shape")
        if monotonic() > end:
            raise trying.late(seconds)
    return b"".join(pieces)


def _address(table: Table) -> str:
    """The address of the service as configured; what may be a key in it is never shown."""
    text = table.text("base_url")
    try:
        parts = urlsplit(text)
        bad = parts.port == 0 or "@" in parts.netloc or parts.query or parts.fragment
    except ValueError:
        bad = True
    if text and (
        bad or parts.scheme not in ("http", "https") or not parts.hostname or not text.isprintable() or " " in text
    ):
        raise wrong("base_url", "must look like https://HOST/v1, without a password, ? or #")
    return text


def _is_local(host: str) -> bool:
    """Whether an address is on this machine."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    address = _number(host)
    return address is not None and address.is_loopback


def _is_near(host: str) -> bool:
    """Whether an address is one of a network of one's own."""
    address = _number(host)
    if address is not None:
        return address.is_private
    return "." not in host or host.endswith((".local", ".lan", ".internal", ".home.arpa"))


def _number(host: str) -> IPv4Address | IPv6Address | None:
    from ipaddress import ip_address

    try:
        return ip_address(host)
    except ValueError:
        return None
