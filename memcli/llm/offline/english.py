"""What English says with: the words that mark a statement as lasting, as a choice, as a liking, or as nothing to keep."""

from __future__ import annotations

from memcli.llm.offline.marks import Marks, pattern

_DAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
_WE = r"(?:we|the team|everyone|everybody|the (?:whole )?(?:group|company|org))"
_GROUP = (
    r"(?:team|people|folks|crew|guild|dept|department|reviewers?|customers?|clients?|users?|editors?|designers?|ops"
    r"|management|legal|security|support|committee|maintainers?|stakeholders?|auditors?"
    r"|translators?|readers?|finance"
    r"|marketing|qa|coauthors?|co-authors|boss|lead|cto|ceo|manager|partner|vendor|office|board)"
)
_TOPIC = (
    r"(?:answers?|repl(?:y|ies)|responses?|explanations?|examples?|snippets?|comments?|emojis?"
    r"|summar(?:y|ies)|bullets?"
    r"|bullet points|diffs?|commit messages?|code blocks?|jargon|apolog\w+|preambles?|recaps?"
    r"|greetings?|small talk|tables)"
)
_ACT = (
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
    r"|wait|walk|wire|wrap|write|zip)"
)

_STOP = """
a an the and or but so to of in on at by for with from as is are was were be been it its this that
these those i me my we our us you your he she they them not no do does did have has had will would
can could should just also then than too very all any some only now one use using used let lets get
got go going make please ok okay yes right from every each never always
"""

ENGLISH = Marks(
    lasting=pattern(
        r"\b(?:from (?:now|here|today|this \w+|next \w+|\w+day) on(?:wards?)?|going forward"
        r"|henceforth|in (?:the )?future"
        r"|as of (?:this|today|now|next|last)\b|starting (?:today|now|next|this|monday)|always"
        r"|never|no longer|any ?more|for good"
        r"|every ?where|every (?:time|project|repo|reply|answer|change|commit|pr|file|session|chat"
        r"|language|codebase|machine)"
        r"|(?:any|all|each|whatever|whichever|across) (?:of )?(?:my |our |the |other )?"
        r"(?:projects?|repos?|repositor(?:y|ies)|codebases?|machines?|answers?|repl(?:y|ies)"
        r"|chats?|apps?|scripts?|tables?|services?)"
        r"|for everything|in general|generally|as a rule|by default|permanently|no exceptions?"
        r"|not (?:just|only) (?:this|here|in this)"
        r"|in everything|to each|on each|in each|with each|for each|whatever you|whenever you"
        r"|when(?:ever)? you (?:show|write|give|send|answer|reply|explain|suggest|draft|review"
        r"|generate|propose|produce|talk|quote|list|create|edit|commit|change|make|touch|add|name"
        r"|refactor)|if you (?:ever )?(?:write|show"
        r"|send|suggest|propose|edit|touch|generate)|anything you|each time you|now or later"
        r"|same (?:for|in|goes for|everywhere|with)"
        r"|remember(?: that)?|keep in mind|for the record|note that|note for (?:later|you)|house rule)\b"
    ),
    across=pattern(
        r"\b(?:every ?where|in general|for everything|in everything|whatever you (?:draft|write"
        r"|send|do)|now or later"
        r"|(?:any|all|each|every|other|across)(?: of)? (?:my |the |other |single )?(?:projects?"
        r"|repos?|repositor(?:y|ies)|codebases?"
        r"|languages?|machines?|apps?|work|chats?|conversations?)"
        r"|(?:whatever|whichever|no matter (?:which|what)) (?:the )?(?:project|repo|language|machine|codebase)"
        r"|not (?:just|only) (?:(?:in|for) )?(?:this|here))\b"
    ),
    decided=pattern(
        rf"\b(?:decided|decision|agreed|settled|signed off|voted|consensus|made up (?:my"
        rf"|our) minds?|final (?:call|answer|word|choice)|then\. final|it's (?:final|official"
        rf"|settled|decided)|(?:the|our) plan is"
        rf"|(?:{_WE}|it|this|that)(?:'ll| will|'re going to| are going to|'s going to be"
        rf"| is going to be) (?:be |get |go |use |run |keep |stay |move |switch |ship |store "
        rf"|write |drop |have )?"
        rf"|(?:wins?|won)(?: out)?(?= ?[,.;!]|$| over)|\w+ it is(?= ?[,.;!]|$)|goes? with\b"
        rf"|we (?:don't|do not|won't|never|only|always) \w+"
        rf"|(?:{_WE}|i)(?:'re| are|'ve| have|'ll| will|'m| am)?(?: just| all| now| finally| also"
        rf"| officially| then)?"
        rf" (?:going with|go with|went with|chose|chosen|picked|opted|standardi[sz]ed?|switch(?:ed"
        rf"|ing)|mov(?:ed?|ing) (?:\w+ ){{0,5}}(?:to|off|away|over)"
        rf"|migrat(?:ed?|ing)|dropp(?:ed|ing)|adopt(?:ed|ing)?|stick(?:ing)? (?:to|with)|sticking"
        rf"|standardi[sz]ing|ship (?:with|only)|commit to"
        rf"|replac(?:ed|ing)|stopp?(?:ed|ing)? using|gave up|give up|say goodbye|retir(?:ed|ing)"
        rf"|banned|freez(?:e|ing)|froze)"
        rf"|(?:ok|okay|so|then|alright|right|done|good|yes|fine)?[, ]*let's (?:go with|settle on"
        rf"|stick (?:to|with)|standardi[sz]e)"
        rf"|(?:is|are) enough|will do the job|going with|we (?:do|use|take|keep|write|pin|target"
        rf"|store|log|name|squash|tag|ship|publish|release|deploy|follow|support)\b[^,.]*"
        rf" (?:from now on|going forward|from here on|instead of|rather than|and not|, not|only|exclusively)"
        rf"|from now on|going forward|(?:is|are) (?:banned|deprecated|the (?:new )?(?:standard"
        rf"|convention|rule))|that's what we (?:ship|use|do|go with|take)"
        rf"|stays? (?:on|with)\b|we (?:stay|remain) (?:on|with)|replaces \w+|(?:is|are) (?:out|gone"
        rf"|dropped), |convention (?:is|here)|instead of"
        rf"|(?:{_GROUP}) (?:and i )?(?:agreed|decided|approved|wants? it|asked for|chose|ruled|insists?|signed))\b"
    ),
    norm=pattern(
        r"\b(?:must(?: not|n't)?|never|always|not allowed|forbidden|banned|required|mandatory"
        r"|may not|no \w+ (?:in|on|without|after|before)|no (?:more )?\w+ without|has to be"
        r"|have to be|no exceptions?|(?:every|all) \w+(?: \w+)? (?:must|should|go(?:es)?|gets?"
        r"|follows?|uses?|carr(?:y|ies)|needs?)|everything goes|(?:names?|messages?|branches"
        r"|files?|ids?|titles?|keys?) (?:always )?(?:start|begin|end|follow)s?|conventions?"
        r"|guidelines?|we (?:\w+ )?(?:everything|all|every))\b|\b(?:we|must|always|history"
        r"|reviews?|merges?|deploys?|commits?) [^.]*\bonly(?=\W*$)"
    ),
    manner=pattern(
        rf"\b(?:please|pls|plz|do|don't|do not|no|never|keep|skip|drop|spare me|avoid|stop|use"
        rf"|always|without|less|fewer|more|shorter|longer|cut)\b(?: \w+){{0,4}} (?:{_TOPIC})\b"
        rf"|\b(?:{_TOPIC}|everything)\b(?: \w+){{0,5}} (?:short|brief|terse|concise|in (?:english"
        rf"|german|french|spanish|chinese|mandarin|japanese|italian|portuguese|(?:plain|simple) \w+))\b"
        r"|\b(?:answer|reply|respond|explain|write|talk|speak|stick"
        r"|switch)(?: to)?(?: me)?(?: \w+)? (?:in|to) (?:english|german|french|spanish|chinese"
        r"|mandarin|japanese|italian|portuguese|(?:plain|simple) \w+|british|american)\b"
        r"|\b(?:(?:answers|replies|responses|explanations|examples|comments|summaries|diffs"
        r"|commit messages))(?: please)? (?:in|as|under|with|without|should|must|of|at most|max)\b"
        r"|\b(?:short|brief|terse|concise|long|detailed) (?:(?:answers|replies|responses"
        r"|explanations|examples|comments|summaries|diffs|commit messages))\b"
        r"|\bask (?:me )?before\b|\bcall me\b|\baddress me\b|\b(?:american|british) (?:english"
        r"|spelling)\b|\b(?:give|show|tell|send) me (?:the )?(?:\w+ ){1,4}(?:first|before|only"
        r"|instead|rather)\b|\b(?:ask|check with|warn|tell|show) me (?:first|before)\b"
        r"|\bbefore you (?:\w+ )|\bstraight to the point\b|\bno need to\b"
        r"|\bthe why\b|\b(?:explain|comment|justify) (?:each|every|all)\b|\bstep by step\b"
        r"|\bone (?:command|step|thing|question) at a time\b"
        r"|\bfull paths?\b|\blong flags?\b|\bcopy[- ]past\w+\b"
    ),
    rule=pattern(
        r"\b(?:must(?: not|n't)?|mustn't|never|always|no \w+ (?:in|on|without|after|before)|only"
        r"|(?:has|have) to|needs? to|not allowed|does not allow"
        r"|doesn't allow|forbidden|required|requires|mandatory|may not|cannot|can't|not be|won't"
        r"|at least|at most|no more than|max(?:imum)?"
        r"|limit|every (?:pr|commit|merge|release|endpoint|table|migration|service|module|file"
        r"|branch|test|request|response)|all (?:\w+ ){1,3}(?:are|go|use|have|live|get))\b"
    ),
    fact=pattern(
        r"\b(?:is|are|isn't|aren't|was moved|lives?|sits?|runs?|stays?|listens?|uses?|due|ends?"
        r"|expires?|starts?|launch(?:es)?|stored|kept"
        r"|located|hosted|mounted|named|called|owns?|owned|maintain(?:s|ed)?|points? (?:at|to)"
        r"|belongs?|goes to|go (?:to|through|live)|reads? from|writes? to"
        r"|built (?:with|from|by|on)|rebuilt|deployed|deploys?|based on|written in|pinned|exposed"
        r"|served|behind|talks? to|speaks?|requires?|supports?|needs?"
        r"|moved to|comes from|takes|happens?|closes|freezes?|ships?|releases?|returns?|we use"
        r"|we're|we run|we have|we host|we store|we keep|we deploy)\b|'s (?:at|in|on|under|called|named"
        r"|due)\b"
    ),
    liking=pattern(
        rf"\b(?:i(?:'d| would)?(?: really| much| also| still| always| strongly| personally"
        rf"| just)? (?:prefer|like|love|hate|dislike|enjoy|loathe|detest|favou?r|appreciate)"
        rf"|i (?:can't|cannot|can not) (?:stand|read|bear|deal with|follow|take)|i (?:don't"
        rf"|do not) (?:like|want|need|care for|enjoy|trust)"
        rf"|i(?:'m| am) (?:not )?(?:a (?:big )?fan of|allergic to|used to|fond of|picky about)"
        rf"|i never use|i only (?:use|read|want|write)|i (?:want|need|expect) (?:\w+ ){{0,4}}(?:in"
        rf"|first|before|as|with|without|from you|to see|only)|i(?:'d| would) (?:rather|appreciate"
        rf"|like)|i (?:skim|learn best|think best|think in|read (?:\w+ )?(?:faster|better|slowly)"
        rf"|get (?:lost|confused))|for me\b[^.]* (?:beats?|over|rather)"
        rf"|i(?:'d| would) rather|drives me|(?:annoys?|bothers?|irritates?|confuses?) (?:me|our|the"
        rf"|my)|i (?:want|expect) .*\b(?:always|every|whatever|any|never|none of)\b|bothers me"
        rf"|hurts my|my (?:preference"
        rf"|preferred|favou?rite|pet peeve)|works best for me|suits me|easier for me|helps me"
        rf"|(?:the |our |my |most )?(?:\w+ )?{_GROUP}(?: \w+){{0,5}}? (?:prefers?|likes?|loves?"
        rf"|hates?|dislikes?|favou?rs?|(?:would )?rather|finds?|wants? (?:to (?:see|read|get))"
        rf"|(?:don't|doesn't|do not|does not) like|can't stand|cannot stand)"
        rf"|(?:user|he|she) (?:prefers|likes|loves|hates|dislikes|wants))\b"
    ),
    style=pattern(
        rf"\b(?:please|pls|plz|don't|do not|no|never|keep|skip|drop|spare me|avoid|stop|use|always"
        rf"|without|write|give me|show me|answer|reply|respond|explain|talk|call me|address me"
        rf"|start|begin|end|add|put|ask)\b[^.!?]*"
        rf"\b(?:{_TOPIC}|to me|me|in (?:english|german|french|spanish|chinese|japanese|(?:plain|simple) \w+)"
        rf"|british|american|spelling|short|brief|concise|terse|first|before you|metric|celsius"
        rf"|24-?h(?:our)?|iso dates?|steps?|why)\b"
        r"|\b(?:for (?:whatever|anything|everything|all|any \w+|every \w+) you\b"
        r"|when(?:ever)? you\b|if you ever\b|anything you\b|whatever you\b)"
    ),
    self_fact=pattern(
        r"\bi(?:'m| am) (?:a(?!n? (?:bit|little|tad|idiot|moron|fan|fool))|an(?! idiot)|the"
        r"|one of the|in charge|responsible|based|located|from|originally|working (?:as|from|in"
        r"|at)|(?:quite |very |still |fairly |rather |totally |completely )?new (?:to|at|in|here)"
        r"|not (?:a|an)\b|colou?r[- ]?blind|left-handed|dyslexic|deaf|visually|hard of hearing"
        r"|fluent|learning|on (?:the )?(?:\w+ ){0,2}(?:team|shell|linux|mac|macos|windows|ubuntu"
        r"|fedora|arch|nixos|time|fish|zsh))"
        r"|\bi (?:(?:mostly|mainly|usually|also|only|currently|now) )?(?:work (?:as|at|from|in|on"
        r"|with|for|part|mon|remotely|nights?|only)|live|speak|teach|study|maintain|own|lead"
        r"|manage|report to|come from|type|code on|use (?:a|an|the)?|do most|studied|trained as"
        r"|have (?:been|\d+ years)|start work|finish)\b"
        r"|\bmy (?:role|job|time ?zone|name|native|first|mother|title|day job|editor|shell|os"
        r"|laptop|machine|workstation|keyboard|screen|monitor|terminal|background|pronouns"
        r"|working (?:hours|days)|office hours|day off|days off|main|daily|degree|eyesight|hearing"
        r"|colleagues call|team is|github|handle)\b"
        r"|\b(?:the )?user(?:'s| is| works| lives| speaks| uses)\b"
    ),
    self_habit=pattern(
        r"\b(?:i (?:always|usually|generally|normally|typically|often|tend to|habitually"
        r"|make a point|like to start|never (?:push|merge|commit|deploy|start|touch|leave|go|ship"
        r"|write))|i keep (?:forgetting|mixing|confusing|missing|making|mistyping|leaving)"
        r"|every (?:time|morning|evening|friday|monday|day|week) i\b|whenever i\b|each time i\b"
        r"|my (?:habit|routine|usual|workflow|ritual)|old habit|before i (?:push|merge|commit"
        r"|deploy|start|touch|change|leave)[^.]*i\b)"
    ),
    self_choice=pattern(
        r"\bi(?:'ve| have|'m| am)?(?: (?:just|now|finally|personally|also))* (?:decided"
        r"|made up my mind|switched|switching|moved|moving|migrated|changed|changing|replaced"
        r"|ditched|gave up|given up|dropped|settled|uninstalled|bought into|chose|going with)\b"
    ),
    recurring=pattern(
        rf"\b(?:(?:every|each) (?:single )?(?:time|month|week|day|night|morning|{_DAY}|release"
        rf"|deploy(?:ment)?|build|upgrade|rebuild|restart|bump|sprint|year|quarter|merge|rebase|run"
        rf"|migration|major|first|second|other)"
        rf"|whenever|as soon as|(?:after|before|on|with|during) (?:every|each)"
        rf"|keeps? (?:\w+ )?(?:happening|failing|breaking|dying|crashing|coming back|timing out"
        rf"|hanging|getting|losing|going)|always (?:fails?|breaks?|crash\w*|dies|hangs?|times out"
        rf"|ends|happens?|goes|comes|loses|forgets?)|never fails to"
        rf"|(?:second|third|fourth|fifth|umpteenth|nth) (?:time|one)|tends? to|the (?:usual"
        rf"|old story|same old|classic|known)|like clockwork|without fail|any ?time|the moment"
        rf"|once (?:the|a|an|it)\b|on {_DAY})\b"
    ),
    trouble=pattern(
        r"(?:\b(?:fail\w*|break\w*|broke|crash\w*|dies|die|died|hang\w*|hung|los(?:e|es|t|ing)"
        r"|miss\w*|stops?|stuck|stale|slow\w*|spikes?|jump\w*|wrong|times? ?out|timeouts?|errors?"
        r"|flak\w+|drop\w*|duplicat\w+|corrupt\w*|leak\w*|overflow\w*|lock\w*|full|"
        r"empty|ships|collides?|conflicts?|blocks?|refus\w+|reject\w*|gone|disappear\w*|vanish\w*"
        r"|reset\w*|restart\w*|retr(?:y|ies)|rerun|again|before|until|first|fine|works?|needs?"
        r"|have to|has to|red|kills?|killed|throttl\w+|rate|late|double|twice|garbage|mess\w*"
        r"|chok\w+|trip\w*|bites?|drift\w*|skew\w*|forgets?|oom|5\d\d|4\d\d|nan|freez\w+)\b)"
    ),
    project=pattern(
        r"\b(?:we|our|ours|us|this (?:repo\w*|project|service|app|application|codebase|manual"
        r"|guide|module|package|library|team|site|api|game|paper|book|product|cluster|pipeline"
        r"|firmware|site|thesis|doc\w*)"
        rf"|the (?:repo|project|service|team|{_GROUP}))\b"
    ),
    myself=pattern(r"\b(?:i|me|my|mine|myself|i'm|i've|i'd|i'll)\b"),
    question=pattern(
        r"[?？]\s*[\"')\]]*$|\b(?:i wonder|wondering|just curious|do you know|not sure (?:if"
        r"|whether|why|what|how)|asking for)\b"
    ),
    asking=pattern(
        r"^\W*(?:(?:so|and|but|ok|okay|hmm|well|also|btw|quick q|or|then|wait|hey|still|just)[,:]? )*"
        r"(?:what|why|how|who|whose|where|which|is (?:it|there|this|that|the)|are (?:there|you|we"
        r"|they)|do (?:you|we|i)|does|did|can (?:you|i|we)|could (?:you|we|it)|would (?:you|it)"
        r"|should (?:we|i|it)|shall we|will (?:it|that)|any (?:idea|chance|reason)|has|have you"
        r"|isn't|aren't|wouldn't|what's|who's|where's|how's)\b"
    ),
    momentary=pattern(
        r"\bi(?:'d)?(?: \w+)? (?:like|love|hate|dislike|enjoy|prefer|want)(?:d)? (?:it|that|this"
        r"|these|those|your|the (?:first|second|third|last|idea|name|look|old|new|other|left"
        r"|right)\b|him|her|them|how|what|one of|both|to (?:see|know|try|go|get|sleep))\b"
        r"|\b(?:in a|on a|on the|at the|at) (?:meeting|call|train|bus|plane|phone|airport|station"
        r"|dentist|doctor|gym|break|vacation|holiday|lunch|dinner|trip|conference|cafe|hotel)\b"
        r"|\bi(?:'m| am) (?:so |very |really |a bit |a little |too |just )?(?:tired|hungry|late"
        r"|back|off|out|done|bored|lost|stuck|confused|sleepy|sick|busy|afraid|sorry|glad|happy"
        r"|sure|curious|going|leaving|heading)\b"
    ),
    doubt=pattern(
        r"\b(?:maybe|perhaps|i think|i guess|guess(?:es|ing)?|i suppose|i suspect|suspects?"
        r"|suspicion|probably|possibly|presumably|might|may be|could be|could (?:also|just|even)"
        r"|feeling|seems?|seemingly|looks like|sounds like|apparently|hunch|theory|hypothesis"
        r"|what if|thinking (?:of|about|aloud)|thought (?:of|about)|toying|tempted|considering"
        r"|consider|considered|dunno|don't know|no idea|not sure|unsure|assume|assuming|in theory"
        r"|wild idea|one idea|an idea|"
        r"if we (?:ever|moved|used|switched|had)|would be (?:nice|cool|great|fun)|some ?day"
        r"|one day|eventually|either\b.{1,60}\bor\b|tbd|undecided|open question"
        r"|not (?:yet )?(?:been )?decided|still (?:debating|thinking|discussing|arguing|open)"
        r"|it depends|leaning|proposed|suggested (?:we|to|that)|suggests (?:we|to)|rumou?rs?"
        r"|might as well|kind of|sort of want|wish|hopefully|hope)\b"
    ),
    passing=pattern(
        r"\b(?:for (?:now|today|tonight|the moment|the time being|this (?:one|run|time|pr|file"
        r"|session|test|call|demo|experiment|once|branch|chat|table|figure|afternoon|morning|week"
        r"|task|job|ticket))|just (?:this|once|today|now|for)|this (?:once|time|morning|afternoon"
        r"|evening)|tonight|tomorrow|right now|at the moment|atm|currently|temporar\w+"
        r"|in the meantime|meanwhile|until (?:tonight|tomorrow|then|monday|friday|next|the \w+ is)"
        r"|till|for a (?:moment|minute|sec|while|day|bit|test)|in the next run|an hour"
        r"|quick(?:ly)? test|one-off|this week only|later maybe|as an experiment|brb|only (?:the"
        r"|this|that|these)\b.*\b(?:leave|not the)|not now|another day|stopgap|as a workaround)\b"
    ),
    dated=pattern(r"\b(?:today|yesterday|ago|just now|earlier|this week)\b"),
    hearsay=pattern(
        r"\b(?:my (?:friend|buddy|brother|sister|mom|mum|dad|wife|husband|partner says|cousin"
        r"|neighbou?r|roommate|flatmate|ex|old (?:team|job|company|boss|place)|previous|former"
        r"|last (?:job|company|team|gig))|a (?:friend|colleague|coworker|co-worker|buddy|guy|dude"
        r"|stranger|random|speaker)|some(?:one|body)|people (?:say|online|keep)|reddit"
        r"|hacker ?news|\bhn\b|twitter|youtube|(?:an?|this|that|some|his|her|their|one|read"
        r"|in (?:the|a)|on (?:the|a)|from (?:the|a)) (?:\w+ )?(?:blog(?: ?post)?|podcast|article"
        r"|newsletter|tweet|talk|keynote|video|forum|post)\b|the other (?:team|company|group)"
        r"|another (?:team|company|group)|they say|(?:i|we) (?:read|heard|saw)\b|stack ?overflow"
        r"|according to|(?:vendor|sales|salesman|consultant|recruiter|competitor)\w* (?:says?|said"
        r"|claims?|swears?|wants?|told)|claims?|swears by|docs? says?|readme says?|log says"
        r"|page says|the tutorial|their (?:team|company|stack|repo)|in the (?:article|video|post"
        r"|thread|talk|tutorial)|copied from)\b"
    ),
    retract=pattern(
        r"^\W*(?:(?:ah|oh|hmm|hm|ugh|sorry|ok|okay|but|and|so|um|well|damn|oops|hold on|argh"
        r"|no)[,.! ]+)*(?:no[,.!](?! need| problem| worries| rush)|no (?:wait|stop|sorry|i mean)"
        r"|nope|wait|scratch|strike|actually|undo|stop(?=[ ,.!]*(?:$|that|it|undo))|forget (?:it"
        r"|that|the|what|about)|never ?mind|nvm|revert|roll (?:it|that) back|take (?:it|that) back"
        r"|cancel|on second thought|on reflection|thinking about it|come to think|i was wrong|i misspoke"
        r"|my mistake|my bad|correction|typo|not (?:that|quite)|change of plan|changed my mind"
        r"|let's not|don't do (?:that|it)|that's wrong|ignore (?:that|what|my|the last))\b"
        r"|\b(?:scratch that|forget (?:it|that|i said|what i)|never ?mind|nvm|on second thought"
        r"|changed my mind|i take (?:it|that) back|ignore (?:that|what i said|my last)"
        r"|i (?:misspoke|was wrong|mistyped|meant)|disregard|changed? (?:of plans?|our minds?)"
        r"|undo it|let's not|no stop|that's off|is off the table|back to the old|undo that)\b"
    ),
    order=pattern(
        rf"^\W*(?:(?:ok|okay|yes|yeah|yep|good|great|nice|thanks|thx|cool|right|then|so|and|now"
        rf"|also|next|first|second|please|pls|plz|just|go ahead|fine|sure|well|hey|hi|hello|alright"
        rf"|hm+|btw|last|ty|first task|task|yup|perfect|later|but)[,:.! ]+)*(?:{_ACT})\b"
        r"|^\W*(?:can|could|would|will) you\b|\b(?:i need you to|i want you to|i'd like you to"
        r"|let me|let's (?:see|try|look|start|do|check|move|add|fix|test|merge|run|have|begin|get"
        r"|call it|rename|revert|skip))\b"
    ),
    promise=pattern(
        r"^\W*(?:(?:ok|okay|sure|great|good|fine|yes|right|thanks|certainly|understood|noted|clear"
        r"|of course)[,.!: ]+)*(?:then )?(?:i'll|i will|understood|noted|got it|certainly|will do"
        r"|from now on|i (?:won't|keep|show|use|write|always|follow)|so pull|good(?: to know)?\b"
        r"|(?:ok|okay|sure|right|clear|happy to|agreed|congratulations|fine|nice|great|perfect"
        r"|recorded|makes sense|good)\b|\w+(?: \w+)? (?:it is|then)\b)"
    ),
    report=pattern(
        r"^\W*(?:done|ran|started|running|printed|plotted|drafted|synced|renamed|reverted|removed"
        r"|replaced|lowered|bumped|added|moved|fixed|merged|pushed|deleted|restarted|counted|sent"
        r"|deployed|committed|created|opened|closed|updated|upgraded|written|here (?:it|they|is"
        r"|are)|it's done|rerunning|passed|finished)\b"
    ),
    lead=pattern(
        r"^(?:(?:btw|by the way|also|oh|ah|ok(?:ay)?(?: so)?|so|yeah|yes|yep|right|and|and also"
        r"|just so (?:you know|it's said(?: again)?)|fyi|for the record|one (?:more|other)? ?thing"
        r"|well|hmm+|thanks|thank you|good (?:call|catch|find|point)|nice|great|cool|phew|hi|hello"
        r"|hey|sure|done|perfect|ha(?:ha)*|lol|anyway|first off|note|remember|please note"
        r"|a personal one|heads up|quick note|as ever|again|true|fair|then|but|while we're at it"
        r"|before i forget|last|better|sorry|wait|no|oops|actually|scratch that|i mistyped"
        r"|i misspoke|correction|i meant|my mistake|my bad|typo|update)\b ?[,.:;!\-–—]* *)+"
    ),
    told=pattern(r"\b(?:remember|keep in mind|for the record|note that|make a note|don't forget)\b"),
    stop=frozenset(_STOP.split()),
)
