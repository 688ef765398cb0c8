"""Orders to the memory itself, in text that somebody pasted or wrote to be picked up: nothing of such an entry is kept."""

from __future__ import annotations

import re

from memcli.llm.offline.marks import small

_PATTERN = re.compile(
    r"(?:ignore|disregard|forget|override|bypass) (?:all |any |the |your |every |of |these |those "
    r"|my )*(?:previous|prior|above|earlier|preceding|former|system|safety)?"
    r" ?(?:instructions?|rules|prompts?|guidelines|directives?|safeguards)"
    r"|(?:note|notice|message|instructions?|attention|important)[: ]+(?:to|for)? ?(?:all |any "
    r"|the )*(?:ai|llms?|assistants?|language models?|models?|agents?|bots?|copilots?|claude"
    r"|gpt)\b"
    r"|\b(?:ai|llm)[ -](?:assistants?|agents?|models?|bots?|tools?)\b.{0,60}\b(?:must|should|shall"
    r"|remember|store|save|add|note|treat|always)\b"
    r"|system (?:prompt|message|override|notice)|you are now\b|new (?:system )?instructions?:"
    r"|developer mode|jailbreak"
    r"|remember (?:permanently|forever|for ever|for all future)|(?:that )?the user (?:wants"
    r"|has approved|prefers|allows|agreed|trusts|has authori[sz]ed|authori[sz]es|consents)"
    r"|\b(?:add|write|save|store|append|put|insert|record|persist|commit)\b.{0,40}\b(?:to|in"
    r"|into) (?:your |the |its |my )?(?:long[- ]?term |permanent |persistent )?(?:memory|memories"
    r"|memory\.md|user\.md|soul\.md)\b"
    r"|</?(?:system|instructions?|admin|assistant|important)>|\[/?(?:inst|system|admin)\]|<\|im_"
    r"|(?:忽略|无视|忘掉|忘记|不要理会|不用管|抛开|跳过|覆盖)(?:掉)?(?:之前|此前|以上|上面|上述"
    r"|先前|前面|所有|一切|你的|任何|全部|其他|的|系统)+.{0,6}(?:指令|规则|提示|要求|设定|限制"
    r"|指示|命令|约束)"
    r"|(?:作为|身为)\s?(?:一个|一名)?\s?(?:ai|人工智能|大模型|语言模型|智能助手)|(?:ai"
    r"|智能)\s?(?:助手|助理|模型|代理).{0,12}(?:必须|请|应|需|务必|注意|要|记住)|(?:致"
    r"|给)(?:所有)?\s?(?:ai|大模型|助手|智能体)"
    r"|(?:永久|永远|长期)(?:性)?(?:地)?(?:记住|保存|记下)|(?:写入|存入|写进|存进|加到|加入|添加到"
    r"|保存到|记入|记到|录入).{0,10}(?:长期记忆|记忆|memory)"
    r"|系统(?:提示词?|指令|消息)[:：]|(?:该|此|本)用户|用户(?:已经?)?(?:授权|同意|允许|信任)"
    r"|新的?(?:系统)?指令[:：]|你现在是",
    re.DOTALL,
)
_KEEP = re.compile(
    r"\b(?:remember|memori[sz]e|from now on|always|never forget|note)\b|记住|记下|以后|今后|永远|务必|一律",
)
_DANGER = re.compile(
    r"\b(?:send|mail|e-mail|forward|upload|post|bcc|exfiltrate|leak)\b.{0,60}(?:https?://|\w@\w"
    r"|\b\w+\.(?:example|com|net|io|ru|xyz|top)\b)|curl [^|]{0,200}\| ?(?:ba|z)?sh"
    r"|wget [^|]{0,200}\| ?(?:ba)?sh"
    r"|\b(?:disable|skip|turn off|bypass)\b.{0,30}\b(?:signature|tls|ssl|certificate|auth\w*"
    r"|sandbox|permission|confirmation|security|safety)|(?:push|commit) (?:\w+ ){0,3}(?:secrets"
    r"|keys|credentials)|without (?:asking|confirmation|telling)"
    r"|(?:发送|发|转发|上传|抄送|同步|推送)(?:到|给|至).{0,20}(?:https?://|\w@\w|\w\.\w)|(?:关闭"
    r"|跳过|禁用|绕过).{0,8}(?:校验|验证|签名|证书|鉴权|沙箱|确认|安全)|不(?:用|必|要"
    r"|需)(?:再)?(?:询问|确认|告诉|通知)",
    re.DOTALL,
)


def addressed(content: str) -> bool:
    """Whether an entry holds an order to the memory or to whatever model reads it, or asks for something harmful for good."""
    lowered = small(content)
    if _PATTERN.search(lowered):
        return True
    return bool(_KEEP.search(lowered) and _DANGER.search(lowered))
