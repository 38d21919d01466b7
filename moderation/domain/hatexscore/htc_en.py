"""Conclusions as English states them: a verb that links the text with the word, and what negates or doubts it."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from moderation.domain.hatexscore.conclusion import Conclusion, is_odd
from moderation.domain.hatexscore.labels import HATE_EN, Segment, headed_end

_NON = r"(?:non|un)[\s-]?"
_MENTION = re.compile(rf"(?P<non>\b{_NON})?\b{HATE_EN}")
_LINK = re.compile(
    r"(?:\b(?:is|are|was|were|be|been|being|am|ain|isn|aren|wasn|weren|remains?|becomes?|makes?|making|renders?"
    r"|constitut(?:e|es|ed|ing)"
    r"|contains?|containing|includes?|seems?|appears?|qualif(?:y|ies|ied)|counts?|amounts?|deemed|considered|classified"
    r"|labell?ed|regarded|judged|rated|categori[sz]ed|falls? (?:under|into|within)|falls? short|stops? short|belongs?"
    r"|involves?|represents?|engages? in|employs?|uses?|spreads?|conveys?|has|have|promot(?:es?|ing)|incit(?:es?"
    r"|ing)|perpetuates?|disseminates?|exhibits?|displays?"
    r"|demonstrates?|shows?|features?|reflects?|expresses|express|advocates?|encourages?|embodies"
    r"|cross(?:es|ed)? (?:the|a) line(?: into)?|(?:meets?|satisf(?:y|ies)|fulfill?s?|fits?"
    r"|match(?:es)?)\s+(?:\w+\s+){0,4}?(?:definitions?|criteria|criterion|thresholds?"
    r"|standards?|bar|description|requirements?)\s+(?:of|for)|lean(?:s|ing)? (?:more )?(?:towards?|to)|sees?"
    r"|detects?|points? (?:to|towards?)|tips? (?:into|towards?)|come down on|settles? on|puts?|place|file|lands? on"
    r"|rises? to(?: the level of)?|find|consider|deem|judge|call|calling|classify|classifying|label|labell?ing|rate"
    r"|describe|as|free of|devoid of|lacks?|lacking)\b|(?<=\w)'s\b)"
)
# Words that may stand between the verb and the word: anything else makes it a statement about something else.
_BETWEEN = re.compile(
    r"(?:'t|not|no|non|never|neither|nor|either|to|into|be|as|a|an|the|any|some|this|it|that|very|quite|indeed"
    r"|more|than"
    r"|therefore|thus|both|and|or|but|yet|also|still|only|just|merely|simply|rather|considered|deemed|classified"
    r"|labell?ed"
    r"|regarded|judged|seen|viewed|treated|described|read|rated|called|call|from|free|far|short|of|for|in|its"
    r"|itself|own"
    r"|right|per|se|by|means|way|sense|other|being|side|at|all|anything|something|nothing|what|i|we|would|such"
    r"|element|elements|evidence|sign|signs|trace"
    r"|indication|hint|form|kind|example|instance|case|piece|type|sort|act|category|definition|level|clear|explicit"
    r"|implicit|direct|outright|open|overt|covert|obvious|indirect|pure|plain|strong|severe|blatant|coded|veiled"
    r"|targeted"
    r"|disguised|motivated|harmful|rude|definite|straightforward|textbook|opposite|constitute|contain|text|post|content"
    r"|statement|comment|message|remark|language|tweet|dehumani[sz]ing|demeaning|degrading|threatening|insulting"
    r"|[\w-]{2,20}(?:ly|ist|ic|ical|ous|ive|ant|based|phobic)|racial|anti-\w{2,20})"
)
_ABOUT = re.compile(
    r"\b(?:about|against|regarding|concerning|on|by|(?:discuss|report|critici|critiqu|denial|parod|satir|respons"
    r"|warn|debunk|resist|protest|complain|lament|tackl|prohibit|forbid"
    r"|campaign|educat|aware|condemn|oppos|quot|mention|denounc|describ"
    r"|fight|combat|reject|address|prevent|ban|remov|counter|accus|expos|challeng|study|analy|defin|explain)\w*)\b"
)
# Negated, these say the same again: who does not hesitate to say so says so.
_PASS = "only|just|merely|simply|hesitate|doubt|deny|dispute|disagree|question|help but|ignore|escape|overlook"
_NOT = (
    rf"\bnot(?!\s+(?:{_PASS})\b)|\bnever\b|\bno\b(?!\s+(?:doubt|question|less)\b)"
    rf"|\bneither\b(?!.{{0,80}}\bnor\b)"
    rf"|\bnor\b|\bcannot\b(?!\s+(?:be\s+)?(?:denied|ignored|overlooked|disputed)\b)|n't\b(?!\s+(?:{_PASS})\b)"
    rf"|\bhardly\b|\bscarcely\b|\bfails? to\b|\bnothing\b(?!\s+but\b)|\bfar from\b|\bunlikely\b|\bbarely\b"
    rf"|\b(?:different|distinct|differs|unrelated|removed) (?:from|to)\b|\bnothing to do with\b"
    rf"|\bbelow\b|\boutside\b|\bshort of\b"
    rf"|\b(?:wrong|incorrect"
    rf"|inaccurate|mistaken|mistake|unfair|premature|misleading)\b|\btoo far\b|\bexaggerat\w+|\boverstat\w+"
    rf"|\ba stretch\b"
    rf"|\b(?:hard|difficult|tough) to\b|\banything (?:but|other than)\b|\bnone\b|\bwithout\s*$|\bclear of\b"
    rf"|\bavoid(?:s|ed|ing)?\b|\brefrain\w*"
)
_NEGATIONS = re.compile(_NOT)
_INNER_NEGATIONS = re.compile(
    rf"{_NOT}|\bwithout\b(?!\s+(?:an?\s+|any\s+)?(?:doubt|question)\b)|\bfree (?:of|from)\b|\bdevoid of\b"
    rf"|\black(?:s|ing)?\b"
    r"|\brather than\b|\binstead of\b|\bmore .{2,30} than\b|\bopposite of\b"
)
_CLOSE_NEGATION = re.compile(
    r"\b(?:not|never|nor|rather than|instead of|more (?:[\w-]+\s+){0,4}than|without)\s+((?:[\w'-]+\s+){0,5})$"
)
_LOOSE_JOIN = re.compile(r"(?:\b(?:and|but|yet|or)|,)\s+((?:[\w'-]+\s+){0,3})$")
_NOT_BUT = re.compile(r"(?:\b(?:not|no longer|never)|n't)\b(?!\s+only).{3,120}\bbut\s+(?:[\w-]+ly\s+|an?\s+)?$")
_FAR_NEGATION = re.compile(
    r"(?:\bnot|n't|\bnever|\bcannot)\s+(?:\w+ly\s+|quite\s+)?(?:think|believe|consider|find|feel|see|view|regard"
    r"|agree|argue"
    r"|conclude|suggest|mean|imply|indicate|claim"
    r"|be (?:said|claimed|argued|concluded|maintained))\b|\b(?:wrong|incorrect|inaccurate|mistaken|mistake"
    r"|unfair|premature|misleading|unreasonable|absurd|far-fetched|too far|stretch) to\b"
    r"|\b(?:hard|difficult|tough) to (?:argue|claim|maintain"
    r"|justify|see)\b|\bnothing\b(?=\s+(?:about|here|in|on|that|which|to|i)\b)|\bno (?:sign|evidence|indication"
    r"|reason|basis|part)\b"
)
_DOUBTS = re.compile(
    r"\b(?:whether|possible|potential|might|may|could(?!\s+(?:not|hardly)\b|n't)|possibly|perhaps|potentially"
    r"|maybe|arguably"
    r"|unclear|uncertain"
    r"|unsure|(?:one|another|a) (?:possible )?(?:reading|interpretation|view)|on (?:the )?one hand|some readings"
    r"|not (?:clear|certain|sure)|(?:insufficient|not enough|too little) (?:evidence|context|information|detail)"
    r"|close to|border(?:s|ing)? on|verg(?:es|ing) on|approach(?:es|ing)"
    r"|not necessarily|debatable|borderline"
    r"|(?<!no )(?<!beyond )(?<!without )(?<!without a )(?<!not )(?<!n't )doubt(?:s|ful)?"
    r"|between|(?:take|need|require)s?\s+(?:\w+\s+){0,2}(?:context|information)"
    r"|can be (?:perceived|interpreted|construed|understood|taken|read)"
    r"|(?:cannot|can't|can not|hard to|difficult to|impossible to|unable to|not possible to)\s+"
    r"(?:say|tell|decide|determine|judge|conclude|know))\b"
)
_OTHERS = re.compile(
    r"\b(?:some|others?|many|critics?|people|users?|readers?|opponents?|moderators?|commenters?|someone|he|she|they"
    r"|the (?:author|writer|speaker|poster|user|commenter|politician|platform|site|company|court|police|system"
    r"|classifier|algorithm|press|media|report|complaint|review|article|moderator))\s+(?:(?!(?:is|was|be|been"
    r"|are)\b)\w+\s+){0,2}?"
    r"(?:say|says|said|claims?|claimed|calls?|called|argues?|argued|thinks?|thought|believes?|believed"
    r"|considers?|considered"
    r"|finds?|found|reports?|reported|flag(?:s|ged)?|labels?|labell?ed|insists?|insisted|den(?:y|ies|ied)"
    r"|describe[sd]?|deem(?:s|ed)|view(?:s|ed)|worr(?:y|ies|ied)|fears?|feared|hopes?|rated"
    r"|marked|asks?|asked|wonders?|wondered)\b"
    r".{0,60}$|\b(?:words?|terms?|expressions?|emojis?|symbols?) (?:that|which)\b.{0,20}$|\b(?:flagged|reported"
    r"|perceived|accused|misread|mistaken)\b.{0,20}$"
)
_ATTRIBUTED = re.compile(
    r"\baccording to (?!(?:the |this |these |our |my |its )?(?:definition|guideline|polic|criteria|rule|above"
    r"|given|provided|context))"
)
_CONDITION = re.compile(
    r"(?<!even )(?<!as )\bif\b|\bunless\b|\b(?:were|had) (?:it|this|the (?:text|post|author|writer))\b"
)
_TAIL_NEGATION = re.compile(
    r"\s+(?:would|is|seems|may|might)\s+(?:be\s+)?(?:[\w-]+\s+){0,3}?(?:exaggerat\w+|wrong|inaccurate|unfair"
    r"|stretch|mistake"
    r"|incorrect|overstate\w+|too (?:far|strong|harsh)|misleading|premature|unjustified|unwarranted|excessive)\b"
)
_OPEN_END = re.compile(
    r"\s+(?:if|when|whenever|unless|only (?:if|when)|or (?:not|non|otherwise)|depending|is (?:very "
    r"|rather )?(?:low|weak|limited|doubtful|unclear|debatable|uncertain|disputed)|in (?:some|certain"
    r"|other) contexts?)\b"
)
_THIS_TEXT = re.compile(r"\W*(?:the|this|that|its?)\b")
_OTHER_HATE = re.compile(
    r"[\s-]+(?:crimes?|groups?|mail|figures?|detection|laws?|polic(?:y|ies)|research|symbols?|definitions?"
    r"|studies|people|persons?|users?|trolls?|individuals?|ideolog\w+|crowds?|politicians?)\b"
)
_PASSIVE = re.compile(
    r"\s+(?:is|was|seems)(?P<not>\s+not|n't)\s+(?:(?:the|an?|quite|really|right|fair|best)\s+){0,3}(?:word|label"
    r"|term|description"
    r"|category|accurate|appropriate|warranted|justified|fair|applicable|what)\b|"
    r"(?:\s+(?:intent|content|language|speech|rhetoric|elements?|meaning))?\s+(?:(?:is|was|are|has been|can be"
    r"|could be)\s+)?(?P<no>not\s+)?(?:present|found|evident|detected|identified"
    r"|(?P<gone>absent|missing))\b"
)
_PASSIVE_NO = re.compile(r"\b(?:no|not|without)\s+(?:[\w-]+\s+){0,2}$")
_COORDINATED = (
    r"(?!\s*,?\s*(?:(?:not|never|nor|also|still|hardly|even|quite|very|an?|any|in|itself|instance|form|of"
    r"|\w{2,15}ly)\s+)"
    rf"{{0,5}}{_NON}?{HATE_EN}|\s*,?\s*(?:(?:not|never|nor|also|still|even|an?|any|instance|form|of"
    rf"|\w{{2,15}}ly)\s+){{0,5}}"
    rf"{HATE_EN})"
)
_CLAUSE_END = re.compile(
    r"[:\x01—](?!\s*$)|,\s+(?=(?:the|this|it|that|which|and (?:it|this|the)|i|we|there)\b)|\b(?:no|yes),"
    rf"|(?<!anything )(?<!nothing )\b(?:but|however|although|though|whereas|while)\b{_COORDINATED}|,\s+(?:yet|so"
    rf"|because|since)\b"
)
# Where the text itself is spoken of, any verb links but those that say what it is about.
_TEXT_SUBJECT = re.compile(
    r"\W*(?:(?:so|thus|hence|therefore|overall|and|also|in short|in summary|taken together)\W+)*"
    r"(?:(?:the|this|that)\s+(?:[\w-]+\s+){0,2}?(?:text|post|comment|statement|message|tweet|content|remark"
    r"|sentence|language"
    r"|wording|caption|reply|joke|meme|headline|speech|passage)|it|this|there)\b(?!['’]s\s+(?:about|author))"
)
_TOPIC = re.compile(
    r"\b(?:ask|respond|repl|react|refer|stop|end|against|victim|call(?:s|ing)? (?:for|out)|law|polic|word|term"
    r"|phrase|how|why)\w*"
)
_CONTRAST = re.compile(r"(?<!anything )(?<!nothing )\b(?:but|however|yet)\b")
_REACH = 300  # characters: no sentence links over more


def stated(text: str, segment: Segment) -> Iterator[Conclusion]:
    """Return what the segment states in English; `text` is plain text."""
    mentions = list(_MENTION.finditer(text, segment.start, segment.end))
    if not mentions:
        return
    heading_end = headed_end(text, segment)
    stops = (stop.end() for stop in _CLAUSE_END.finditer(text, segment.start, segment.end))
    clauses = [segment.start, *(stop for stop in stops if stop > heading_end)]
    for hit in mentions:
        clause_start = clauses[bisect_right(clauses, hit.start()) - 1]
        if conclusion := _linked(text, segment, hit, clause_start, heading_end):
            yield conclusion


def _linked(text: str, segment: Segment, hit: re.Match[str], clause_start: int, heading_end: int) -> Conclusion | None:
    """Return the conclusion of a clause in which a verb or a heading links the text with the word."""
    begin = max(clause_start, hit.start() - _REACH)
    clause = text[begin : hit.start()]
    if _is_open(text, segment, hit, clause):
        return None
    if passive := _PASSIVE.match(text, hit.end(), segment.end):
        absent = [*_PASSIVE_NO.findall(clause), *filter(None, (passive["not"], passive["no"], passive["gone"]))]
        return _conclusion(text, begin, passive.end(), is_odd(absent, bool(hit["non"])))
    links = [link.span() for link in _LINK.finditer(clause)]
    if begin < heading_end:
        links = [(0, heading_end - begin), *(span for span in links if span[0] >= heading_end - begin)]
    negations = _negations(clause, links, hit.group())
    if negations is None:
        return None
    negations = [*negations, *(_TAIL_NEGATION.findall(text[hit.end() : segment.end][:100])[:1])]
    return _conclusion(text, begin, hit.end(), is_odd(negations, bool(hit["non"])))


def _conclusion(text: str, begin: int, end: int, negated: bool) -> Conclusion:
    said = text[begin:end]
    start = begin + len(said) - len(said.lstrip(" \t\x01,:>'\"-—"))
    return Conclusion(start, end, not negated)


def _negations(clause: str, links: Sequence[tuple[int, int]], word: str) -> Sequence[str] | None:
    """Return what negates the word. Returns None if the link says something else than that the text is hateful."""
    between = clause[links[-1][1] :] if links else clause
    if links and _is_filled(between):
        if contrast := list(_CONTRAST.finditer(between)):
            return _INNER_NEGATIONS.findall(between[contrast[-1].end() :])
        near = _row_start(clause, links)
        far = [hit.group() for hit in _FAR_NEGATION.finditer(clause) if hit.start() < near]
        last = links[-1][0]
        return [*far, *_NEGATIONS.findall(clause[near:last]), *_INNER_NEGATIONS.findall(clause[last:])]
    if (close := _CLOSE_NEGATION.search(between)) and _is_filled(close.group(1)):
        return [close.group()]
    if _TEXT_SUBJECT.match(clause) and word != "hate" and not _ABOUT.search(clause) and not _TOPIC.search(clause):
        return _INNER_NEGATIONS.findall(clause)
    if _NOT_BUT.search(clause):
        return []
    loose = _LOOSE_JOIN.search(between)
    if loose and word.endswith("hateful") and _is_filled(loose.group(1)) and not _ABOUT.search(between):
        return _INNER_NEGATIONS.findall(loose.group(1))
    return None


def _row_start(clause: str, links: Sequence[tuple[int, int]]) -> int:
    """Return where the last row of links begins to be negated: four words before its first link."""
    first = links[-1]
    for earlier in reversed(links[:-1]):
        if not _is_filled(clause[earlier[1] : first[0]]):
            break
        first = earlier
    words = list(re.finditer(r"\S+", clause[: first[0]].rstrip()))[-4:]
    return words[0].start() if words else first[0]


def _is_filled(between: str) -> bool:
    if re.search(r"[();]", between):
        return False
    return all(_BETWEEN.fullmatch(word) for word in re.findall(r"'?[\w'-]+", between))


def _is_open(text: str, segment: Segment, hit: re.Match[str], clause: str) -> bool:
    """Whether the sentence doubts, asks, makes a condition, tells what others say, or means another hate."""
    sentence = text[max(segment.start, hit.start() - _REACH) : hit.start()]
    contrasts = list(_CONTRAST.finditer(sentence))
    since = sentence[contrasts[-1].end() :] if contrasts else sentence
    if _DOUBTS.search(clause) or _CONDITION.search(since) or _ATTRIBUTED.search(since) or _OTHERS.search(clause):
        return True
    open_end = _OPEN_END.match(text, hit.end())
    if open_end and open_end.group().strip() == "when" and _THIS_TEXT.match(clause):
        open_end = None
    return bool(open_end or _OTHER_HATE.match(text, hit.end()))
