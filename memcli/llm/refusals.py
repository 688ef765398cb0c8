"""What went wrong between memcli and a service, as one Failure, whatever the SDK makes of it; a key is never in its words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

from memcli import secrets
from memcli.llm.keys import Key
from memcli.llm.trying import AGAIN, Failure, asked_to_wait, late

MOST = 64 << 10
"""Bytes that are read of an error page."""
QUOTED = 200
"""Characters of a service's own words that are shown."""


def check(response: Any, key: Key) -> None:
    """Raise a Failure for a response that is no success. Called before its body is read, by the SDK's HTTP client."""
    status = int(response.status_code)
    if 200 <= status < 300:
        return
    if 300 <= status < 400:
        raise Failure(
            f"it answers with a redirect{_target(response.headers, key)}, which is not followed",
            "redirect",
            status=status,
        )
    raise refused(status, response.headers, _start(response), key)


def refused(status: int, headers: Mapping[str, str], body: bytes, key: Key) -> Failure:
    """The Failure of a response with a status from 400 on."""
    if status == 401:
        hint = f"look at {key.place}" if key else "it wants a key: name it with key_env or key_file"
        return Failure(f"it refuses the key (401); {hint}", "key", status=status)
    answer = _json(body)
    said = quoted(_message(answer), key)
    words = f": {said}" if said else ""
    if "insufficient_quota" in str(answer)[:MOST]:
        return Failure(f"there is no credit left ({status}){words}", "quota", status=status)
    again = status in AGAIN or status >= 500
    what = _WHAT.get(status) or ("it has a failure" if status >= 500 else "it refuses the question")
    kind = "busy" if status == 429 else "server" if again else "refused"
    return Failure(
        f"{what} ({status}){words}", kind, status=status, again=again, after=asked_to_wait(headers) if again else 0.0
    )


def told_inside(answer: Mapping[str, Any], key: Key) -> Failure:
    """The Failure of an error that came in an answer with a good status."""
    error = answer["error"]
    code = error.get("code") if isinstance(error, Mapping) else None
    if isinstance(code, int) and 400 <= code < 600:
        import json

        return refused(code, {}, json.dumps(answer).encode(), key)
    said = quoted(_message(answer), key)
    return Failure(f"it tells of an error{f': {said}' if said else ''}", "refused")


def failure(error: BaseException, key: Key, seconds: float) -> Failure:
    """The Failure that any exception of an SDK stands for."""
    chain = list(_chain(error))
    for one in chain:
        if isinstance(one, Failure):
            return one
    kinds = {kind.__name__ for one in chain for kind in type(one).__mro__}
    innermost = chain[-1]
    said = quoted(getattr(innermost, "strerror", None) or str(innermost), key) or type(innermost).__name__
    if kinds & {"TimeoutException", "APITimeoutError"}:
        return late(seconds)
    if "SSLCertVerificationError" in kinds or "CERTIFICATE_VERIFY_FAILED" in said:
        return Failure(f"its certificate is not valid ({said})", "connection")
    if kinds & {"RemoteProtocolError", "ReadError", "WriteError"}:
        return Failure(f"the connection broke off ({said})", "connection", again=True)
    if kinds & {"TransportError", "APIConnectionError", "OSError"}:
        return Failure(f"there is no connection ({said})", "connection", again=True)
    return Failure(f"the SDK failed ({said})", "sdk")


def quoted(text: str, key: Key) -> str:
    """Words of somebody else for a sentence: one line, not long, without secrets; nothing where a piece of the key is in them."""
    if key.is_in(text):
        return ""
    line = " ".join(secrets.mask(text[:MOST], lambda found: f"[{found.kind}]").split())
    line = line if len(line) <= QUOTED else f"{line[:QUOTED]}…"
    return line.rstrip(".")


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def _start(response: Any) -> bytes:
    """The first bytes of an error page, as far as they come."""
    body = b""
    try:
        for chunk in response.iter_bytes():
            body += chunk
            if len(body) > MOST:
                break
    except Exception:  # the status says enough
        return body
    return body


def _json(body: bytes) -> Any:
    import json

    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


def _message(answer: Any) -> str:
    """The sentence for people in an error, wherever services put it."""
    for name in ("error", "message", "detail", "msg"):
        value = answer.get(name) if isinstance(answer, Mapping) else None
        if isinstance(value, str):
            return value
        if isinstance(value, Mapping):
            return _message(value)
    return ""


def _target(headers: Mapping[str, str], key: Key) -> str:
    try:
        host = urlsplit(headers.get("location", "")).hostname or ""
    except ValueError:
        host = ""
    return f" to {quoted(host, key)}" if host else ""


_WHAT = {
    402: "there is no credit left",
    403: "it refuses access",
    404: "it knows no such model, or nothing of this kind is at base_url",
    408: "it gave up waiting",
    409: "it is in the middle of something else",
    413: "the question is too large",
    429: "it is asked too much",
    503: "it is overloaded",
    529: "it is overloaded",
}
