"""Personal data by its form: e-mail addresses, telephone numbers, Chinese resident id numbers, bank cards."""

from __future__ import annotations

import re

from memcli.secrets.rule import Rule, Span, before, whole

_FILES = ("png", "jpg", "jpeg", "gif", "svg", "webp", "ico", "js", "css", "html", "json", "txt", "pdf", "zip", "git")
_APART = r"(?<![A-Za-z0-9_.]\d)(?<!\d-\d)"
"""Behind the first digit: a set of characters at the beginning is what `re` finds fastest."""
_BEHIND = r"(?![A-Za-z0-9_]|[-.]\d)"
"""Numbers that are part of a longer one, of a decimal or of an identifier are left alone."""


def _email(match: re.Match[str]) -> Span | None:
    """The match begins with the @: what stands before it is looked at only there."""
    front = re.search(r"[A-Za-z0-9._%+-]{1,65}\Z", before(match, 65))
    if not front or len(front[0]) > 64:
        return None
    name, host = front[0], match[0][1:]
    last = host.rpartition(".")[2].lower()
    if last in _FILES or re.match(r"\d+\.\d", host):  # logo@2x.png, react@18.2.0-beta.next
        return None
    if name == "git":  # git@github.com:org/repository is a place, not a person
        return None
    return match.start() - len(name), match.end()


def _digits(text: str) -> str:
    return re.sub(r"\D", "", text)


def _chinese_phone(text: str) -> str:
    return _digits(text)[-11:]


def _international(match: re.Match[str]) -> Span | None:
    digits = _digits(match[0])
    if not 8 <= len(digits) <= 15:
        return None
    if len(digits) + 1 < len(match[0]):
        return match.span()
    added = before(match, 1) in ("", "\n")  # a line that was added to a file begins with + too
    if added and re.match(r"20\d\d[01]", digits):
        return None
    return match.span() if len(digits) >= (11 if added else 10) else None


def _said_phone(match: re.Match[str]) -> Span | None:
    text = match["v"]
    if re.fullmatch(r"\d{4}-\d\d-\d\d.*|(?:19|20)\d{6}", text) or not 7 <= len(_digits(text)) <= 15:
        return None
    return whole(match)


def _resident(match: re.Match[str]) -> Span | None:
    text = re.sub(r"[ -]", "", match[0]).upper()
    total = sum(int(digit) * weight for digit, weight in zip(text, _WEIGHTS, strict=False))
    return match.span() if "10X98765432"[total % 11] == text[17] else None


_WEIGHTS = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
"""GB 11643-1999, as is the row of check characters."""


def _card(match: re.Match[str]) -> Span | None:
    digits = _digits(match[0])
    return match.span() if re.fullmatch(_ISSUERS, digits) and _luhn(digits) else None


def _said_card(match: re.Match[str]) -> Span | None:
    digits = _digits(match["v"])
    return whole(match) if 12 <= len(digits) <= 19 and _luhn(digits) else None


_ISSUERS = (
    r"4\d{15}|(?:5[1-5]\d\d|222[1-9]|22[3-9]\d|2[3-6]\d\d|27[01]\d|2720)\d{12}|3[47]\d{13}|6(?:011|5\d\d)\d{12}"
    r"|35(?:2[89]|[3-8]\d)\d{12}|62\d{14,17}"
)
"""Visa, Mastercard, American Express, Discover, JCB, UnionPay."""


def _luhn(digits: str) -> bool:
    total = 0
    for place, digit in enumerate(reversed(digits)):
        number = int(digit) * (1 + place % 2)
        total += number - 9 if number > 9 else number
    return total % 10 == 0 and len(set(digits)) > 1


RULES: tuple[Rule, ...] = (
    Rule(
        "email",
        "an e-mail address",
        r"@(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}(?![A-Za-z0-9-])",
        _email,
        ("@",),
        plain=str.lower,
    ),
    Rule(
        "id-number",
        "a resident id number",
        r"[1-9]"
        + _APART
        + r"\d{5}[ -]?(?:18|19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])[ -]?\d{3}[\dXx](?![A-Za-z0-9_])",
        _resident,
        plain=lambda text: re.sub(r"[ -]", "", text).upper(),
    ),
    Rule(
        "card",
        "a bank card number",
        r"[2-6]" + _APART + r"\d{3}(?:\d{11,15}|(?:[ -]\d{4}){3}(?:[ -]?\d{3})?|[ -]\d{6}[ -]\d{5})" + _BEHIND,
        _card,
        plain=_digits,
    ),
    Rule(
        "card",
        "a bank card number",
        r"(?i)(?:银行卡|卡号|信用卡|储蓄卡|card(?: number| no\.?)?)[号码\s:：=是为\"']{0,6}(?P<v>\d(?:[ -]?\d){11,18})(?!\d)",
        _said_card,
        ("银行卡", "卡号", "信用卡", "储蓄卡", "card"),
        folded=True,
        plain=_digits,
    ),
    Rule(
        "phone",
        "a mobile number",
        # an underscore may stand beside it: files are named by the numbers of those who chat
        r"[018](?<![A-Za-z0-9.]\d)(?<!\d-\d)(?:(?<=0)086[ -]?1|(?<=8)6[ -]?1|(?<=1))[3-9]\d"
        r"(?:\d{8}|[ -]\d{4}[ -]\d{4})(?![A-Za-z0-9]|[-.]\d)",
        whole,
        plain=_chinese_phone,
    ),
    Rule(
        "phone",
        "a mobile number",
        r"\+86[ -]?1[3-9]\d(?:\d{8}|[ -]\d{4}[ -]\d{4})" + _BEHIND,
        whole,
        ("+86",),
        plain=_chinese_phone,
    ),
    Rule(
        "phone",
        "a telephone number",
        r"\+(?<![A-Za-z0-9_.+*/)\]]\+)[1-9]\d{0,3}(?:[ .-]?(?:\(\d{1,5}\)|\d{1,5})){1,6}" + _BEHIND,
        _international,
        ("+",),
        plain=_digits,
    ),
    Rule(
        "phone",
        "a telephone number",
        r"[(0-9](?<![A-Za-z0-9_.+/-].)(?:(?<=\()\d{3}\) ?|(?<=\d)\d\d-)\d{3}-\d{4}" + _BEHIND,
        whole,
        plain=_digits,
    ),
    Rule(
        "phone",
        "a telephone number",
        r"0(?<![A-Za-z0-9_.+/-]0)\d{2,3}-\d{7,8}" + _BEHIND,
        whole,
        plain=_digits,
    ),
    Rule(
        "phone",
        "a telephone number",
        r"(?i)(?:手机号?码?|电话号?码?|座机|联系方式|(?<![a-z])(?:tel|phone|mobile|cell|whatsapp)(?: number| no\.?)?)"
        r"[\s:：=是为\"'*]{0,5}(?P<v>\(?\+?\d(?:[ .()-]{0,2}\d){6,14})" + _BEHIND,
        _said_phone,
        ("手机", "电话", "座机", "联系方式", "tel", "phone", "mobile", "cell", "whatsapp"),
        folded=True,
        plain=_digits,
    ),
)
