"""Words of English that several patterns need."""

from __future__ import annotations

DAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
WE = r"(?:we|the team|everyone|everybody|the (?:whole )?(?:group|company|org))"
GROUP = (
    r"(?:team|group|people|folks|crew|guild|dept|department|reviewers?|customers?|clients?|users?|editors?|designers?|ops"
    r"|management|legal|security|support|committee|maintainers?|stakeholders?|auditors?"
    r"|translators?|readers?|finance"
    r"|marketing|qa|coauthors?|co-authors?|boss|lead|cto|ceo|manager|partner|vendor|office|board"
    r"|officer|director|teachers?|head(?:teacher|master)?|principal|faculty|council|owners?|sponsor"
    r"|producers?|curator|supervisor|advisor|architects?|engineers?|developers?|accountants?|lawyers?"
    r"|compliance|ethics|privacy|procurement|accounting|hr|sales|chief|publisher|union|ministry|school|regulator|authority|colleagues?|staff|members|viewers?|players?|testers?|students?|parents?)"
)
TOPIC = (
    r"(?:answers?|repl(?:y|ies)|responses?|explanations?|examples?|snippets?|comments?|emojis?"
    r"|summar(?:y|ies)|bullets?"
    r"|bullet points|diffs?|commit messages?|code blocks?|jargon|apolog\w+|preambles?|recaps?"
    r"|greetings?|small talk|tables)"
)
ACT = (
    r"(?:add|append|apply|ask|attach|be|build|bump|cancel|change|check|clean|clear|close|commit"
    r"|compare|compile|compute|convert"
    r"|copy|count|create|debug|delete|deploy|describe|diff|disable|do|draft|drop|dump|edit|enable"
    r"|explain|export|fetch|fill"
    r"|find|fix|format|generate|get|give|go|help|hold|import|increase|insert|install|kill|leave"
    r"|let me|list|load|look|lower|make"
    r"|measure|merge|mock|move|open|parse|paste|patch|pick|ping|plot|print|profile|proofread|prune"
    r"|pull|push|put|raise|read"
    r"|rebase|refactor|regenerate|remove|rename|render|reopen|repeat|replace|rerun|reset|restart"
    r"|restore|retry|revert|review"
    r"|rewrite|roll|rotate|run|save|scale|search|see|send|set|shorten|show|skip|sort|split|squash"
    r"|start|stash|stop|summari[sz]e"
    r"|swap|switch|sync|tag|take|tell|test|toggle|translate|trigger|try|turn|undo|unpin|untar"
    r"|update|upgrade|upload|use|verify"
    r"|resume|pause|archive|assign|bring|calculate|capture|combine|configure|connect|correct|crop|cut"
    r"|decrease|download|duplicate|estimate|expand|extract|filter|flip|flush|fork|grep|hide|hook|implement"
    r"|improve|inline|invert|investigate|join|launch|migrate|minify|mute|normali[sz]e|notify|optimi[sz]e"
    r"|prepare|propose|publish|recalculate|recheck|reconcile|redo|reduce|reformat|reindex|reload|reorder"
    r"|repair|reproduce|resend|resize|resolve|retrain|reword|schedule|select|share|shift|shrink|simplify"
    r"|sketch|spin|stub|submit|suggest|trace|train|transform|trim|truncate|tune|tweak|unify|unzip"
    r"|validate|warm|widen|wait|walk|wire|wrap|write|zip)"
)

_STOP = """
a an the and or but so to of in on at by for with from as is are was were be been it its this that
these those i me my we our us you your he she they them not no do does did have has had will would
can could should just also then than too very all any some only now one use using used let lets get
got go going make please ok okay yes right from every each never always
"""
STOP = frozenset(_STOP.split())
"""Words that do not tell one topic from another."""
