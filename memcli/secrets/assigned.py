"""Values behind a name that says that they are secret: `password=...`, `密码：...`, `Authorization: Bearer ...`."""

from __future__ import annotations

import re

from memcli.secrets.rule import Rule, Span, before, entropy, is_compound, is_placeholder, is_technical, is_wordy, whole

_STRONG = r"pass(?:word|wd|phrase|code)|(?<![a-z])pwd|(?-i:Pwd)|[_-]pass|密码|密碼|口令"
_STRONG_GATES = ("password", "passwd", "passphrase", "passcode", "pwd", "_pass", "-pass", "密码", "密碼", "口令")
_WEAK = r"secret|token|credential|key|密钥|密鑰|秘钥|令牌"
_KEYS = r"(?i)(?:api|access|auth|secret|private|encryption|signing|master|shared|service|app|account|license)[_. -]?\Z"
"""What stands before `key` when it opens something; most keys only name things."""
_AFTER = r"(?:[_-](?:key|value|base|string))?[\\\"'`*\])}]{0,4}(?:[ \t]?[（(][^（()）\n]{1,24}[)）])?"
_GLUE = (
    # a sign, a word, the end of a tag, nothing before a quote, or nothing at all (Chinese)
    r"(?P<sign>[ \t]{0,4}(?::=|=>|->|={1,2}|[:：＝→])[ \t*]{0,6})"
    r"|(?P<word>[ \t]{1,3}(?:(?:for|of|to|on|at)[ \t][^\n.,:;=]{1,40}?[ \t])?(?:is|was|are|set to|changed to)[: \t]{1,3}"
    r"|[ \t]{0,3}(?:就是|是|改成|改为|改為|换成|设为|设置为|设成|为|為|用)了?[:： \t]{0,3})"
    r"|(?P<tag>>)|(?P<quote>[ \t]{1,2}(?=[`\"'“「]))|(?P<none>(?<=[码碼令])[ \t]{0,2})"
)
_VALUE = (
    r"\\{0,2}\"(?P<q1>(?:[^\"\\\n]|\\[^\"\n]){1,256})|'(?P<q2>[^'\n]{1,256})|`(?P<q3>[^`\n]{1,256})"
    r"|[“「『](?P<q4>[^”」』\n]{1,256})"
)
_ANYTHING = r"|(?P<bare>(?:[!#$%*+\-./0-9:=?@A-Z\\^_a-z|~]|&(?![A-Za-z_]{1,20}=)){3,256})"
_WORD = r"|(?P<bare>[!#$%*+\-./0-9:=?A-Z^_a-z|~]{3,256})"
_WORDS = (
    # what stands behind "password:" without being one
    "string str text bytes char varchar int integer number bool boolean object any array list dict void none null nil undefined "
    "true false yes no required optional hidden invalid incorrect wrong missing empty expired reset changed updated masked "
    "removed unchanged disabled enabled default prompt unset input field value hash hashed encrypted plain plaintext password "
    "passwd pwd pass secret token key user username login auth the your my an see below above here this that self "
    "please enter tbd todo unknown forgotten type name label return await async new const let var function lambda get set "
    "never not only always must should will can too very weak strong short long same different"
)
_STOP = frozenset(_WORDS.split())


def _password(match: re.Match[str]) -> Span | None:
    text, start, end = _value(match)
    return (start, end) if _is_value(match, text, end) and _is_password(match, text) else None


def _token(match: re.Match[str]) -> Span | None:
    if match["none"] or (match["name"].lower() == "key" and not re.search(_KEYS, before(match, 12))):
        return None
    text, start, end = _value(match)
    return (start, end) if _is_value(match, text, end) and _is_token(text) else None


def _value(match: re.Match[str]) -> tuple[str, int, int]:
    """What is assigned, without the full stop of its sentence, and where it is."""
    name = next(name for name in ("q1", "q2", "q3", "q4", "bare") if match[name] is not None)
    text, (start, end) = match[name], match.span(name)
    if name == "bare":
        short = text.rstrip(".,:?\\|")
        end -= len(text) - len(short)
        text = short
    return text, start, end


def _is_value(match: re.Match[str], text: str, end: int) -> bool:
    """Whether it is a value, and no word, type, placeholder, path or expression."""
    if len(text) < 4 or not text.isascii() or text.lower() in _STOP or is_placeholder(text) or is_technical(text):
        return False
    if match["tag"] and not _in_tag(match, end):
        return False
    return match["bare"] is None or match.string[end : end + 1] not in ("(", "[")


def _is_password(match: re.Match[str], text: str) -> bool:
    quoted = match["bare"] is None
    if " " in text:  # behind such names "Enter your password" stands far more often than a passphrase
        return quoted and match["name"].lower() == "passphrase"
    digits, letters = any(map(str.isdigit, text)), any(map(str.isalpha, text))
    odd = any(not c.isalnum() and c not in "_.-/:=" for c in text)
    if match["tag"] or (quoted and match["sign"]):
        return True
    if not match["sign"]:
        return len(text) >= 6 and (digits or odd) and letters and not (is_wordy(text) and is_compound(text))
    if digits and not letters:
        return True
    if digits or odd:
        return not (is_wordy(text) and is_compound(text))
    return _stands_alone(match, text)


def _stands_alone(match: re.Match[str], text: str) -> bool:
    """Whether a value of letters only is all that its line assigns, or one word of a shell command."""
    if not text.islower() or not text.isalpha() or len(text) < 5:
        return False
    behind = match.string[match.end() : match.end() + 1]
    if "=" in match["sign"]:
        return " " not in match["sign"] and behind in ("", "\n", "\r", " ", "&")
    front = before(match, 80).rpartition("\n")[2]
    return behind in ("", "\n", "\r") and re.fullmatch(r"[\s\"'*A-Za-z0-9_.-]{0,60}", front) is not None


def _is_token(text: str) -> bool:
    if len(text) < 12 or not re.fullmatch(r"[A-Za-z0-9_\-./+=~:$!@#%^&*]+", text) or is_wordy(text):
        return False
    return any(map(str.isdigit, text)) and any(map(str.isalpha, text)) and entropy(text) >= 3.0


def _in_tag(match: re.Match[str], end: int) -> bool:
    """`<password>hunter2</password>`, and not `if password > 5`."""
    return re.search(r"<[A-Za-z0-9_:.-]*\Z", before(match, 24)) is not None and match.string[end : end + 2] == "</"


def _flag(match: re.Match[str]) -> Span | None:
    text = match["v"]
    strong = "pass" in match["name"].lower()
    if text.lower() in _STOP or is_placeholder(text) or is_technical(text) or text.startswith("-"):
        return None
    return whole(match) if (strong and text.isascii()) or _is_token(text) else None


def _typed(match: re.Match[str]) -> Span | None:
    text = match["v"]
    return None if is_placeholder(text) or text.startswith("-") else whole(match)


def _bearer(match: re.Match[str]) -> Span | None:
    text = match["v"]
    mixed = any(map(str.isdigit, text)) or (not text.islower() and not text.isupper())
    return whole(match) if mixed and not is_placeholder(text) and not is_wordy(text) else None


def _credentials(match: re.Match[str]) -> Span | None:
    word = match["v"].partition(":")[2]
    if is_placeholder(word) or word.lower() in ("password", "pass", "passwd", "pwd", "pw", "secret"):
        return None
    return whole(match)


def _curl(match: re.Match[str]) -> Span | None:
    name, _, word = match["v"].partition(":")
    return None if is_placeholder(word) or (name.isdigit() and word.isdigit()) else _credentials(match)


RULES: tuple[Rule, ...] = (
    Rule(
        "credentials",
        "a password in an address",
        r"://(?P<v>[^\s/?#'\"<>@:]{0,128}:[^\s/?#'\"<>]{1,256})@(?=[\w\[])",
        _credentials,
        ("://",),
    ),
    Rule(
        "credentials",
        "a password on a command line",
        r"curl\b[^\n]{0,400}?[ \t](?:-u|--user)[ =]?['\"]?(?P<v>[^\s:'\"]{1,64}:[^\s'\"]{1,128})",
        _curl,
        ("curl",),
    ),
    Rule(
        "password",
        "a password on a command line",
        r"(?:(?:sshpass|docker login|podman login)\b[^\n|;&]{0,120}?[ \t]-p[ ]?"
        r"|(?:mysql|mysqldump|mariadb)\b[^\n|;&]{0,120}?[ \t]-p)"
        r"['\"]?(?P<v>[^\s'\"]{4,128})",
        _typed,
        ("sshpass", "docker login", "podman login", "mysql", "mariadb"),
    ),
    Rule(
        "token",
        "an authorization header",
        r"(?i)authorization[\\\"']{0,3}[ \t]{0,3}[:=：][ \t]{0,3}[\\\"']{0,3}"
        r"(?:(?:bearer|basic|token|digest|api-?key)[ \t]{1,3})?(?P<v>[A-Za-z0-9._~+/=-]{8,2048})",
        _bearer,
        ("authorization",),
        folded=True,
    ),
    Rule(
        "token",
        "a bearer token",
        r"(?i)bearer[ \t]{1,3}(?P<v>[A-Za-z0-9._~+/=-]{16,2048})",
        _bearer,
        ("bearer",),
        folded=True,
    ),
    Rule(
        "token",
        "a session cookie",
        r"(?i)(?:phpsessid|jsessionid|connect\.sid|sessionid|asp\.net_sessionid)=(?P<v>[A-Za-z0-9%._~+/=-]{16,512})",
        _bearer,
        ("phpsessid=", "jsessionid=", "connect.sid=", "sessionid=", "asp.net_sessionid="),
        folded=True,
    ),
    Rule(
        "password",
        "a password",
        rf"(?i)(?P<name>{_STRONG}){_AFTER}(?:{_GLUE})(?:{_VALUE}{_ANYTHING})",
        _password,
        _STRONG_GATES,
        folded=True,
    ),
    Rule(
        "password",
        "a password on a command line",
        r"(?i)--(?:[a-z]{1,20}-){0,3}(?P<name>password|passwd|pass|passphrase|token|secret|api-key|access-key|secret-key)"
        r"[ =]['\"]?(?P<v>[^\s\"'\\]{4,256})",
        _flag,
        ("--",),
    ),
    Rule(
        "secret",
        "a secret",
        rf"(?i)(?P<name>{_WEAK}){_AFTER}(?:{_GLUE})(?:{_VALUE}{_WORD})",
        _token,
        ("secret", "token", "credential", "key", "密钥", "密鑰", "秘钥", "令牌"),
        folded=True,
    ),
)
