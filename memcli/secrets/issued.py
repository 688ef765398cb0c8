"""Keys that a service issues: told by the prefix that it gives them, so that nearly nothing else looks like them."""

from __future__ import annotations

import re
from collections.abc import Callable

from memcli.secrets.rule import RIGHT, Rule, Span, before, is_placeholder, is_random, when, whole


def cut_short(text: str) -> list[tuple[int, int, str]]:
    """Where a line of `text` ends in what may be the beginning of a key or an address that was cut off: (start, end, kind).

    Titles and previews are cut at a number of characters, and half of a key is no key that a rule would know.
    """
    found = []
    for match in re.finditer(_CUT, text, re.MULTILINE):
        if not is_placeholder(match["v"]):
            found.append((*match.span("v"), "email" if "@" in match["v"] else "api-key"))
    return found


_TABLE: tuple[tuple[str, tuple[str, ...], str], ...] = (
    # what it is, one of these must be in the text, the pattern
    ("an Anthropic key", ("sk-ant-",), r"sk-ant-[A-Za-z0-9_-]{16,}"),
    ("an OpenAI key", ("sk-proj-", "sk-svcacct-", "sk-admin-"), r"sk-(?:proj|svcacct|admin)-[A-Za-z0-9_-]{16,}"),
    ("an OpenRouter key", ("sk-or-",), r"sk-or-[A-Za-z0-9-]{16,}"),
    ("a GitHub token", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), r"gh[pousr]_[A-Za-z0-9]{20,}"),
    ("a GitHub token", ("github_pat_",), r"github_pat_[A-Za-z0-9_]{20,}"),
    ("a GitLab token", ("glpat-", "gldt-", "glrt-"), r"gl(?:pat|dt|rt)-[A-Za-z0-9_.-]{18,}"),
    ("an AWS access key", ("AKIA", "ASIA", "ABIA", "ACCA"), r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}" + RIGHT),
    ("a Google API key", ("AIza",), r"AIza[A-Za-z0-9_-]{33,}"),
    ("a Google token", ("ya29.", "GOCSPX-"), r"(?:ya29\.|GOCSPX-)[A-Za-z0-9_-]{20,}"),
    ("a Slack token", ("xox", "xapp-"), r"(?:xox[abeoprs]|xapp)-[A-Za-z0-9-]{10,}"),
    ("a Stripe key", ("sk_live_", "sk_test_", "rk_live_", "rk_test_"), r"[sr]k_(?:live|test)_[A-Za-z0-9]{16,}"),
    ("a webhook secret", ("whsec_",), r"whsec_[A-Za-z0-9+/=]{16,}"),
    ("an npm token", ("npm_",), r"npm_[A-Za-z0-9]{30,}"),
    ("a PyPI token", ("pypi-",), r"pypi-[A-Za-z0-9_-]{40,}"),
    ("a Hugging Face token", ("hf_",), r"hf_[A-Za-z0-9]{28,}"),
    ("a Groq key", ("gsk_",), r"gsk_[A-Za-z0-9]{32,}"),
    ("an xAI key", ("xai-",), r"xai-[A-Za-z0-9]{32,}"),
    ("a Perplexity key", ("pplx-",), r"pplx-[A-Za-z0-9]{32,}"),
    ("a Tavily key", ("tvly-",), r"tvly-[A-Za-z0-9-]{20,}"),
    ("a Replicate token", ("r8_",), r"r8_[A-Za-z0-9]{30,}"),
    ("a SendGrid key", ("SG.",), r"SG\.[A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{16,64}"),
    ("a Twilio key", ("SK",), r"SK[0-9a-f]{32}" + RIGHT),
    ("a DigitalOcean token", ("dop_v1_", "doo_v1_", "dor_v1_"), r"do[opr]_v1_[0-9a-f]{40,}"),
    ("a Databricks token", ("dapi",), r"dapi[0-9a-f]{32}" + RIGHT),
    ("a Supabase token", ("sbp_",), r"sbp_[0-9a-f]{40}" + RIGHT),
    ("a Shopify token", ("shpat_", "shpca_", "shppa_", "shpss_"), r"shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}" + RIGHT),
    ("a Docker token", ("dckr_",), r"dckr_(?:pat|oat)_[A-Za-z0-9_-]{20,}"),
    ("an Atlassian token", ("ATATT3", "ATCTT3"), r"AT[AC]TT3[A-Za-z0-9_=-]{40,}"),
    ("a Vault token", ("hvs.", "hvb."), r"hv[sb]\.[A-Za-z0-9_-]{24,}"),
    ("a Grafana token", ("glsa_", "glc_"), r"gl(?:sa|c)_[A-Za-z0-9_=+/]{24,}"),
    ("a Notion token", ("ntn_", "secret_"), r"(?:ntn_|secret_)[A-Za-z0-9]{40,}"),
    ("a Linear key", ("lin_api_",), r"lin_api_[A-Za-z0-9]{32,}"),
    ("a Figma token", ("figd_",), r"figd_[A-Za-z0-9_-]{24,}"),
    ("a Mailgun key", ("key-",), r"key-[0-9a-f]{32}" + RIGHT),
    ("an Alibaba Cloud key", ("LTAI",), r"LTAI[A-Za-z0-9]{12,26}" + RIGHT),
    ("a Tencent Cloud key", ("AKID",), r"AKID[A-Za-z0-9]{28,36}" + RIGHT),
    ("an age key", ("AGE-SECRET-KEY-",), r"AGE-SECRET-KEY-1[0-9A-Z]{40,}"),
)
_END = r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
_CUT = (
    r"(?<![A-Za-z0-9_])(?P<v>(?:sk-(?:ant|proj|or|svcacct)-|gh[pousr]_|github_pat_|glpat-|AKIA|ASIA|AIza|xox[abeoprs]-"
    r"|[sr]k_live_|npm_|pypi-|hf_|gsk_|eyJ[A-Za-z0-9_-]{4}|LTAI)[A-Za-z0-9_-]{3,200}"
    r"|[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]{1,64}(?:\.[A-Za-z0-9-]{1,64}){0,8})(?:…|\.{3})?$"
)


def _long_part(text: str) -> bool:
    """Whether one part between hyphens is long and mixed: `sk-fading-circle-container-1` is the name of a class."""
    return any(len(part) >= 16 and is_random(part) for part in re.split("[-_]", text))


def _behind(pattern: str, length: int) -> Callable[[re.Match[str]], Span | None]:
    """A judge for keys that have their mark in the middle: `pattern` is what must stand in front of it."""

    def judge(match: re.Match[str]) -> Span | None:
        front = re.search(pattern, before(match, length))
        if not front or not is_random(match[0]):
            return None
        return match.start() - len(front["v"]), match.end()

    return judge


def _aws_secret(match: re.Match[str]) -> Span | None:
    return whole(match) if all(re.search(part, match["v"]) for part in ("[a-z]", "[A-Z]", "[0-9]")) else None


def _private_key(match: re.Match[str]) -> Span | None:
    """Only with a key behind the mark that begins one: the mark alone is often written about."""
    body = re.sub(r"-----[^-]*-----", "", match[0])
    return match.span() if len(re.findall(r"[A-Za-z0-9+/=]", body)) >= 32 else None


RULES: tuple[Rule, ...] = (
    Rule(
        "private-key",
        "a private key",
        # up to the mark that ends it, else as far as a key can go on; another mark that begins one is never run over
        r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
        rf"(?:(?:(?!-----(?:BEGIN|END) )[\s\S]){{0,20000}}+{_END}|(?:\s{{0,4}}+(?:\\[nr]){{0,2}}+[A-Za-z0-9+/=]{{16,}}+)*+)",
        _private_key,
        ("-----BEGIN ",),
    ),
    *(Rule("api-key", what, pattern, when(is_random), gates) for what, gates, pattern in _TABLE),
    Rule(
        "api-key",
        "a Telegram bot token",
        r":A[A-Za-z0-9_-]{34}(?![A-Za-z0-9_-])",
        _behind(r"(?:^|[^A-Za-z0-9]|bot)(?P<v>\d{8,10})\Z", 13),
        (":A",),
    ),
    Rule(
        "api-key",
        "a Zhipu key",
        r"\.[A-Za-z0-9]{16}(?![A-Za-z0-9.])",
        _behind(r"(?:^|[^A-Za-z0-9])(?P<v>[0-9a-f]{32})\Z", 33),
        (".",),
    ),
    Rule("api-key", "an API key", r"sk-[A-Za-z0-9_-]{20,}", when(_long_part), ("sk-",)),
    Rule(
        "api-key",
        "an AWS secret key",
        r"(?:AKIA|ASIA)[A-Z0-9]{16}[^A-Za-z0-9][\s\S]{0,120}?(?<![A-Za-z0-9/+])(?P<v>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])",
        _aws_secret,
        ("AKIA", "ASIA"),
    ),
    Rule(
        "token",
        "a JSON web token",
        # begins behind no letter of a part, so that no part is read twice
        r"(?:(?<![A-Za-z0-9_-])|(?<=\\[nrt]))eyJ[A-Za-z0-9_-]{6,}+\.[A-Za-z0-9_-]{6,}+(?:\.[A-Za-z0-9_-]*+){1,3}",
        whole,
        ("eyJ",),
    ),
    Rule(
        "token",
        "a webhook address",
        r"(?:hooks\.slack\.com/(?:services|workflows)|discord(?:app)?\.com/api/webhooks|open\.(?:feishu\.cn|larksuite\.com)"
        r"/open-apis/bot/v2/hook)/(?P<v>[A-Za-z0-9/_-]{16,200})",
        lambda match: whole(match) if is_random(match["v"]) else None,
        ("hooks.slack.com/", "discord", "open.feishu.cn/", "open.larksuite.com/"),
    ),
    Rule(
        "token",
        "a webhook address",
        r"qyapi\.weixin\.qq\.com/cgi-bin/webhook/send\?key=(?P<v>[A-Za-z0-9-]{16,64})",
        lambda match: whole(match) if is_random(match["v"]) else None,
        ("qyapi.weixin.qq.com/",),
    ),
)
