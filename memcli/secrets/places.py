"""Where somebody is: public network addresses, and the user's name in the path of a home folder."""

from __future__ import annotations

import re

from memcli.secrets.rule import Rule, Span, before, is_placeholder, whole

_COMMON = (
    # accounts that are nobody's in particular
    "ubuntu debian ec2-user centos fedora admin root node app user username users runner runneradmin vscode jovyan public shared "
    "default all git www-data pi vagrant linuxbrew me you name someone docker deploy ci build test guest appuser coder "
    "codespace gitpod sandbox agent nobody circleci travis jenkins"
)
COMMON = frozenset(_COMMON.split())


def _address(match: re.Match[str]) -> Span | None:
    """Public addresses only: private ones mean nothing outside their network, and one must know which is which to understand
    a chat."""
    from ipaddress import ip_address

    text = match[0]
    try:
        address = ip_address(text)
    except ValueError:
        return None
    if not address.is_global or address.is_multicast:
        return None
    if address.version == 6:
        return match.span()
    front, behind = before(match, 16).lower(), match.string[match.end() : match.end() + 4]
    if re.search(
        r"(?:version|ver\.?|release|[a-z]/|==|>=|<=|~=|\^|版本号?|版|oid|identifier|section)[\s:：=\"'(]*\Z", front
    ):
        return None
    told = re.search(r"(?:@|\bip|地址|host|server|address)[\s:：=是为\"']*\Z", front) or re.match(r":\d\d", behind)
    # sections of standards, versions and object identifiers have four small numbers too
    return match.span() if told or max(map(int, text.split("."))) >= 64 else None


def _at_home(match: re.Match[str]) -> Span | None:
    """At the root, or below it: /data/home/mei, but not https://shop.example/home/basket."""
    front = before(match, 160)
    if re.search(r"[A-Za-z0-9_.-]\Z", front):
        path = re.search(r"[^\s\"'`<>:=,;(]*\Z", front)
        if not path or not re.match(r"/(?!/)", path[0]):
            return None
    return _user(match)


def _windows(match: re.Match[str]) -> Span | None:
    return _user(match) if re.search(r"(?:[A-Za-z]:|/mnt/[a-z]|/[a-z])(?:\\{1,4}|/)\Z", before(match, 12)) else None


def _user(match: re.Match[str]) -> Span | None:
    name = match["v"]
    if name.lower() in COMMON or is_placeholder(name) or re.search(r"\.(?:html?|php|aspx?|js|tsx?|vue|md|json)$", name):
        return None
    if re.search(r"\b(?:GET|POST|PUT|PATCH|DELETE|HEAD)[ \t]+\Z", before(match, 8)):
        return None
    return whole(match)


RULES: tuple[Rule, ...] = (
    Rule(
        "ip",
        "a network address",
        r"[1-9](?<![A-Za-z0-9_.-].)\d{0,2}(?:\.\d{1,3}){3}(?![A-Za-z0-9_-]|\.\d)",
        _address,
    ),
    Rule(
        "ip",
        "a network address",
        r"[23](?<![A-Za-z0-9_:.].)[0-9a-fA-F]{3}(?::[0-9a-fA-F]{0,4}){2,7}(?![A-Za-z0-9_:])",
        _address,
        plain=str.lower,
    ),
    Rule(
        "user",
        "a user's name",
        r"/(?:home|Users)/(?P<v>[^/\\\s:\"'`<>|*?$%{}\[\](),;&]{1,64})",
        _at_home,
        ("/home/", "/Users/"),
    ),
    Rule(
        "user",
        "a user's name",
        r"(?i)users(?:\\{1,4}|/)(?P<v>[^/\\\s:\"'`<>|*?$%{}\[\](),;&]{1,64})",
        _windows,
        ("users",),
        folded=True,
    ),
    Rule(
        "user",
        "a user's name",
        # how some agents name a project's folder: the path with hyphens
        r"(?<=/)-(?:home|Users)-(?P<v>[A-Za-z0-9_.]{1,64})(?=[-/])",
        _user,
        ("-home-", "-Users-"),
    ),
)
