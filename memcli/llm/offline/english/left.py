"""What English says in passing: the words of questions, guesses, moods, orders and tales, and how replies begin."""

from __future__ import annotations

from memcli.llm.offline.english.words import ACT
from memcli.llm.offline.marks import Mark

LEFT = {
    "question": Mark(
        r"[?？]\s*[\"')\]]*$|\b(?:i wonder|wondering|just curious|do you know|not sure (?:if|whether|why"
        r"|what|how)|(?:just|only|i'?m) asking(?: for)?)\b"
    ),
    "asking": Mark(
        r"^\W*(?:(?:so|and|but|ok|okay|hmm|well|also|btw|quick q|or|then|wait|hey|still"
        r"|just)[,:]? )*(?:is|are|was|were|does|did|what|why|how|who|whose|where|which|is (?:it|there"
        r"|this|that|the)|are (?:there|you|we|they)|do (?:you|we|i)|does|did|can (?:you|i|we)"
        r"|could (?:you|we|it)|would (?:you|it)|should (?:we|i|it)|shall we|will (?:it|that)|any (?:idea"
        r"|chance|reason)|has|have you|isn't|aren't|wouldn't|what's|who's|where's|how's)\b"
    ),
    "momentary": Mark(
        r"\bi(?:'d)?(?: \w+)? (?:like|love|hate|dislike|enjoy|prefer|want)(?:d)? (?:it|that|this|these"
        r"|those|your|the (?:first|second|third|last|idea|name|look|old|new|other|left|right)\b|him|her"
        r"|them|how|what|one of|both|to (?:see|know|try|go|get|sleep)(?!.*\b(?:before|first|always|every"
        r"|each)\b))\b|(?:\bi(?:'m| am)(?: \w+){0,2} |^\W*)(?:in a|on a|on the|at the|at) (?:meeting|call"
        r"|train|bus|plane|phone|airport|station|dentist|doctor|gym|break|vacation|holiday|lunch|dinner"
        r"|trip|conference|cafe|hotel)\b|\bon (?:holiday|vacation|leave|pto)\b|\bout of office\b|\bi(?:'m"
        r"| am) (?:so |very |really |a bit |a little |too |just )?(?:tired|hungry|late|back|off|out"
        r"|done(?! with)|bored|lost|stuck|confused|sleepy|sick|busy|afraid|sorry|glad|happy|sure|curious"
        r"|going|leaving|heading)\b"
    ),
    "doubt": Mark(
        r"\b(?:maybe|perhaps|i think|i guess|guess(?:es|ing)?|i suppose|i suspect|suspects?|suspicion"
        r"|probably|possibly|presumably|might|may be|could be|could (?:also|just|even)|feeling|seems?"
        r"|seemingly|looks like|sounds like|apparently|hunch|theory|hypothesis|what if|thinking (?:of"
        r"|about|aloud)|thought (?:of|about)|toying|tempted|considering|consider|considered|dunno"
        r"|don't know|no idea|not sure|unsure|assume|assuming|in theory|wild idea|one idea|an idea"
        r"|if we (?:ever|moved|used|switched|had)|would be (?:nice|cool|great|fun)|some ?day|one day"
        r"|eventually|either\b.{1,60}\bor\b|tbd|undecided|open question|not (?:yet )?(?:been )?decided"
        r"|still (?:debating|thinking|discussing|arguing|open)|needs? to (?:talk|discuss|think|decide"
        r"|figure|sort)|it depends|leaning|proposed|suggested (?:we|to|that)|suggests (?:we|to)|rumou?rs?"
        r"|might as well|kind of|sort of want|wish|hopefully|hope)\b"
    ),
    "passing": Mark(
        r"\b(?:for (?:now|today|tonight|the moment|the time being|this (?:one|run|time|pr|file|session"
        r"|test|call|demo|experiment|once|branch|chat|table|figure|afternoon|morning|week|task|job"
        r"|ticket))|just (?:this|once|today|now|for)|this (?:once|time|morning|afternoon|evening)|tonight"
        r"|tomorrow|right now|at the moment|atm|currently|temporar\w+|in the meantime|meanwhile"
        r"|until (?:tonight|tomorrow|then|monday|friday|next (?:week|month|year|sprint|release|\w+day)"
        r"|the \w+ is)|until (?:january|february|march|april|may|june|july|august|september|october"
        r"|november|december|spring|summer|autumn|fall|winter|christmas)|on (?:\w+ )?leave|till"
        r"|for a (?:moment|minute|sec|while|day|bit|test)|in the next run|an hour|quick(?:ly)? test"
        r"|one-off|this week only|later maybe|as an experiment|brb|only (?:the|this|that"
        r"|these)\b.*\b(?:leave|not the)|not now|another day|stopgap|as a workaround)\b"
    ),
    "dated": Mark(
        r"\b(?:(?<!since )last (?:night|week|month|year|time)|today|yesterday|ago|just now|earlier"
        r"|this week)\b"
    ),
    "transient": Mark(
        r"\b(?:is|are|was|were|looks?|feels?|seems?|(?<!let)'s|got|gets)(?: \w+)? (?:done|finished|ready"
        r"|live|out|up|down|green|red|broken|back|fine|ok(?:ay)?|missing|wrong|weird|odd|strange|slow"
        r"|loud|failing|stuck|running|good|great|nice|bad|better|worse|cool|huge|tiny|ugly|dead|dying|hot"
        r"|cold|new|happy|angry|late|early|here|there|it|enough to"
        r"|(?:fixed|resolved|solved|repaired)(?= (?:now|again|already)\b))\b(?! to\b| for\b)"
    ),
    "hearsay": Mark(
        r"\b(?:my (?:friend|buddy|brother|sister|mom|mum|dad|wife|husband|partner|cousin|neighbou?r"
        r"|roommate|flatmate|ex)(?:'s|(?= (?:(?!who|and)\w+ )?(?:says?|said|uses?|thinks?|told|swears"
        r"|loves?|hates?|wants?|wanted|claims?|runs?|works?|has|had|made|built|wrote|keeps|always|never"
        r"|asks?|asked|likes?|prefers?)\b))|my (?:old (?:team|job|company|boss|place)|previous|former"
        r"|last (?:job|company|team|gig))|a (?:friend|colleague|coworker|co-worker|buddy|guy|dude"
        r"|stranger|random|speaker)|some(?:one|body)(?= (?:on|said|says|told|claims|wrote|at|suggest\w*"
        r"|recommend\w*|ask\w*|mentioned|posted|in|from|opened|thinks|else)\b)|people (?:say|online|keep)"
        r"|reddit|hacker ?news|\bhn\b|twitter|youtube|(?:read|saw|watched|found|via|per|this|that|some"
        r"|his|her|their|in the|in a|on the|on a|from the|from a) (?:an? "
        r"|the )?(?:\w+ )?(?:blog(?: ?post)?|podcast|article|newsletter|tweet|talk|keynote|video|forum"
        r"|post)\b|(?:blog(?: ?post)?|podcast|article|tweet|keynote|video|post) (?:says|said|claims"
        r"|recommends|suggests|argues|about)\b|the other (?:team|company|group)|another (?:team|company"
        r"|group)|they say|(?:i|we) (?:read|heard|saw) (?:that|about|on|in|an?|the|some\w*|online|it"
        r"|this)\b|stack ?overflow|according to|(?:our |the )?competitors?|(?:vendor|sales|salesman"
        r"|consultant|recruiter|competitor)\w* (?:says?|said|claims?|swears?|wants?|told)|claims?"
        r"|swears by|docs? says?|readme says?|log says|page says|the tutorial|their (?:team|company|stack"
        r"|repo)|in the (?:article|video|post|thread|talk|tutorial)|copied from)\b"
    ),
    "retract": Mark(
        r"^\W*(?:(?:ah|oh|hmm|hm|ugh|sorry|ok|okay|but|and|so|um|well|damn|oops|hold on|argh"
        r"|no)[,.! ]+)*(?:no[,.!](?! need| problem| worries| rush)|no (?:wait|stop|sorry|i mean)|nope"
        r"|wait|scratch|strike|actually|undo(?= (?:it|that|this|the)\b|\W*$)|stop(?=[ ,.!]*(?:$|that|it"
        r"|undo))|forget (?:it|that|the|what|about)|never ?mind|nvm|revert|roll (?:it|that) back"
        r"|take (?:it|that) back|cancel|on second thought|on reflection|thinking about it|come to think"
        r"|i was wrong|i misspoke|my mistake|my bad|correction|typo|not (?:that|quite)|change of plan"
        r"|changed my mind|let's not|don't do (?:that|it)|that's wrong|ignore (?:that|what|my"
        r"|the last))\b|\b(?:scratch that|forget (?:it|that|i said|what i)|never ?mind|nvm"
        r"|on second thought|changed my mind|i take (?:it|that) back|ignore (?:that|what i said|my last)"
        r"|i (?:misspoke|was wrong|mistyped|meant)|disregard|changed? (?:of plans?|our minds?)|undo it"
        r"|let's not|no stop|that's off|is off the table|back to the old|undo that)\b"
    ),
    "order": Mark(
        rf"^\W*(?:(?:ok|okay|yes|yeah|yep|good|great|nice|thanks|thx|cool|right|then|so|and|now|also|next"
        rf"|first|second|please|pls|plz|just|go ahead|fine|sure|well|hey|hi|hello|alright|hm+|btw|last|ty"
        rf"|first task|task|yup|perfect|later|but)[,:.! ]+)*(?:{ACT})\b(?! (?!what|why|if|how|whether"
        rf"|that|where|which|who|there|it|the|this|an?|all|any|your|my|our)[a-z-]+(?: [a-z]+)? (?:is|are"
        rf"|must|should|has|have|follows?|goes?|lives?|runs?|stays?|starts?|only)\b)(?! (?!this|that|the"
        rf"|these)[a-z-]+: )(?! [a-z]+ ?[每是在都跑用\u4e00])"
        r"|^\W*(?:can|could|would|will) you\b|\b(?:i need you to|i want you to|i'd like you to|let me"
        r"|let's (?:see|try|look|start|do|check|move|add|fix|test|merge|run|have|begin|get|call it|rename"
        r"|revert|skip))\b"
    ),
    "bidding": Mark(
        r"^\W*(?:(?:ok|okay|so|and|but|now|then|please|pls|plz|also|btw)[, ]+)*(?:don't|do not|never"
        r"|always|keep|use|avoid|stop|please|leave|make|put|write|show|give|ask|tell|answer|reply|explain"
        r"|no need|feel free|forgive|skip)\b"
    ),
    "habit": Mark(
        r"(?:^|[,;:] |\b(?:and|so|but|here|\w+ing|on the \w+|in the \w+|for \w+) )we (?:(?:always|only"
        r"|never|just|all|usually) )*(?!(?:are|were|have|had|has|do (?:not|have|need|want|know)|did|don't"
        r"|didn't|can|can't|could|should|shall|may|might|will|won't|would|get|got|see|saw|need|want|know"
        r"|think|hope|lose|hit|miss|guess|wonder|feel|find|found|hear|run|ran|live|sit|own|use|host|tried"
        r"|try|like|love|hate|also|still|already|just|now|both|look|wait|begin|finish|ought|must|talk"
        r"|speak|meet|expect|believe|suppose|remember|forgot|forget|lack|went|came|took|made|broke|lost"
        r"|spent|sent|put|set|left|said|told|thought|knew|gave|kept|began|met|chose|bought"
        r"|built)\b)[a-z]+(?<!ed)(?<!ing)\b(?!')"
    ),
    "jest": Mark(r"\b(?:jk|just kidding|joking|as a joke)\b"),
    "favour": Mark(r"^\W*(?:(?:ok|okay|so|and|now|then|hey|hi)[, ]+)*(?:can you|could you|would you|help me)\b"),
    "promise": Mark(
        r"^\W*(?:(?:ok|okay|sure|great|good|fine|yes|right|thanks|certainly|understood|noted|clear"
        r"|of course)[,.!: ]+)*(?:then )?(?:i'll|i will|understood|noted|got it|certainly|will do"
        r"|from now on|i (?:won't|keep|show|use|write|always|follow)|so pull|good(?: to know)?\b|(?:ok"
        r"|okay|sure|right|clear|happy to|agreed|congratulations|fine|nice|great|perfect|recorded"
        r"|makes sense|good)\b|\w+(?: \w+)? (?:it is|then)\b)"
    ),
    "noted": Mark(
        r"^\W*(?:(?:ok|okay|sure|great|good|thanks)[,.! ]+)*(?:noted|got it|understood|good to know"
        r"|recorded|duly|i'll remember|i'll keep|will keep|makes sense|congratulations|nice to meet)\b"
    ),
    "report": Mark(
        r"^\W*(?:done|ran|started|running|printed|plotted|drafted|synced|renamed|reverted|removed"
        r"|replaced|lowered|bumped|added|moved|fixed|merged|pushed|deleted|restarted|counted|sent"
        r"|deployed|committed|created|opened|closed|updated|upgraded|written|here (?:it|they|is|are)"
        r"|it's done|rerunning|passed|finished)\b"
    ),
    "lead": Mark(
        r"^(?:(?:(?:please |pls |plz )?(?:remember|keep in mind|don't forget|make a note|note)(?: that|(?= ?:))"
        r"|btw|by the way|also|oh|ah|ok(?:ay)?(?: so)?|so|yeah|yes|yep|right|and|and also"
        r"|just so (?:you know|it's said(?: again)?)|fyi|for the record|one (?:more|other)? ?thing|well"
        r"|hmm+|thanks|thank you|good (?:call|catch|find|point)|nice|great|cool|phew|hi|hello|hey|sure"
        r"|done|perfect|ha(?:ha)*|lol|anyway|first off|note|remember|please note|a personal one|heads up"
        r"|quick note|as ever|again|true|fair|then|but|while we're at it|before i forget|last|better"
        r"|sorry|wait|no|oops|actually|scratch that|i mistyped|i misspoke|correction|i meant|my mistake"
        r"|my bad|typo|update)\b ?[,.:;!\-–—]* *)+"
    ),
    "told": Mark(
        r"\b(?:(?<!don't )(?<!do you )(?<!can't )(?<!not )remember(?! to\b)|keep in mind|for the record|note that|make a note"
        r"|don't forget(?! to\b))\b"
    ),
}
