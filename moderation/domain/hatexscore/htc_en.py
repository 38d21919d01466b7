"""Conclusions as English states them."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from moderation.domain.hatexscore.conclusion import Conclusion, is_odd, trimmed

_HATE = r"(?:hateful|hate(?:[ -]?speech)?)(?![\w'’-])"
_NON = r"(?:non|un)[\s-]?"
_LINE = re.compile(
    r"(?P<mark>(?:^|(?<=[.!?\n]))[ \t\u00a0\u3000*_#>\-–—]*(?:(?:my|the|final|overall)\s+)*"
    r"(?:conclusion|verdict|label|classification|class|answer|decision|judge?ment|prediction|category|assessment)"
    r"[\s*_]*(?:[:：=]|\bis\b)[\s*_\"“'‘]*)"
    r"(?P<lead>(?:the|this)\s+(?:\w+\s+){0,3}?is\s+|it\s+is\s+)?"
    rf"(?P<no>(?:not|no|never|{_NON}|isn['’]t)[\s-]*)*(?P<label>{_HATE})",
    re.IGNORECASE | re.MULTILINE,
)
_ALONE = re.compile(
    rf"^[ \t\u00a0\u3000*_#>\-–—\"“'‘]*(?P<no>(?:not|no|{_NON})[\s-]*)?{_HATE}[\s*_\"”'’.!]*(?:$|[:：])",
    re.IGNORECASE | re.MULTILINE,
)
_YES_NO = re.compile(
    r"(?:hateful|hate[ -]speech)\s*[:?=：？][\s*_]*(?P<said>yes|no|true|false)\b",
    re.IGNORECASE,
)
_LINK = re.compile(
    r"(?:\b(?:is|are|was|were|be|been|being|am|ain|isn|aren|wasn|weren|remains?|constitut(?:e|es|ed|ing)|contains?"
    r"|containing|includes?|seems?|appears?|qualif(?:y|ies|ied)|counts?|amounts?|deemed|considered|classified"
    r"|labell?ed|regarded|judged|rated|falls? under|cross(?:es)? the line into"
    r"|meets? the (?:definition|criteria|threshold) (?:of|for)|rises? to(?: the level of)?"
    r"|find|consider|deem|judge|call|classify|label|rate|as|free of|devoid of|lacks?|lacking)\b|(?<=\w)['’]s\b)",
    re.IGNORECASE,
)
# Words that may stand between the verb and the word: anything else makes it a statement about something else.
_BETWEEN = re.compile(
    r"(?:['’]t|\w+ly|not|no|non|never|neither|nor|either|to|be|as|a|an|the|any|some|this|it|that|very|quite|indeed"
    r"|therefore|thus|both|and|or|but|also|still|only|just|considered|deemed|classified|labell?ed|regarded|judged|seen"
    r"|read|rated|called|from|free|far|of|anything|form|kind|example|instance|case|piece|type|sort|act|clear|explicit"
    r"|implicit|direct|outright|open|overt|covert|obvious|indirect|racist|sexist|racial|religious|homophobic|offensive"
    r"|rude|harmful|derogatory|targeted|definite|plain|straightforward|textbook|constitute|contain|itself|text|post"
    r"|statement|comment|message)",
    re.IGNORECASE,
)
_NEGATIONS = re.compile(
    r"\b(?:not(?!\s+(?:only|just|merely|simply)\b)|never|no(?!\s+doubt\b)|neither|nor|cannot|can't|without|hardly"
    r"|fails? to|far from|free (?:of|from)|devoid of|lacks?|lacking|wrong|incorrect|inaccurate|mistaken|rather than"
    r"|instead of)\b|n['’]t\b",
    re.IGNORECASE,
)
_DOUBTS = re.compile(
    r"\b(?:whether|might|may|could|possibly|perhaps|potentially|maybe|arguably|unclear|uncertain|unsure"
    r"|not necessarily|(?:cannot|can't|can not|hard to|difficult to|impossible to|unable to)\s+"
    r"(?:say|tell|decide|determine|judge|conclude|know))\b",
    re.IGNORECASE,
)
_IF = re.compile(r"(?<!even )(?<!as )\bif\b|\bunless\b", re.IGNORECASE)
_CONDITION = re.compile(r"\s+(?:if|when|whenever|unless|only (?:if|when)|or not)\b", re.IGNORECASE)
_OTHER_HATE = re.compile(
    r"[\s-]+(?:crimes?|groups?|mail|figures?|detection|laws?|polic(?:y|ies)|research|symbols?)\b", re.IGNORECASE
)
_CLAUSE_END = re.compile(
    r"[.!?;:\n\x01]|,\s+(?=(?:the|this|it|that)\b)|\b(?:no|yes),|\b(?:but|however|although|though|whereas|while)\b"
    r"|,\s+(?:yet|so|because|since)\b",
    re.IGNORECASE,
)
_STOP = re.compile(r"[.!?;\n]")
_MENTION = re.compile(rf"(?P<non>\b(?:{_NON}))?\b{_HATE}", re.IGNORECASE)
_REACH = 400  # characters: no sentence links over more


def stated(text: str) -> Iterator[Conclusion]:
    """What the text states, some of it twice."""
    for hit in _YES_NO.finditer(text):
        yield Conclusion(hit.start(), hit.end(), hit["said"].lower() in ("yes", "true"))
    for hit in _ALONE.finditer(text):
        yield trimmed(hit, not hit["no"])
    for hit in _LINE.finditer(text):
        if not _is_open(text, hit.end()):
            tail = text[hit.end("mark") : hit.start("label")]
            non = bool(re.search(rf"{_NON}$", tail, re.IGNORECASE))
            yield trimmed(hit, not is_odd(_NEGATIONS.findall(tail), non))
    mentions = list(_MENTION.finditer(text))
    clauses = [0, *(stop.end() for stop in _CLAUSE_END.finditer(text))] if mentions else []
    for hit in mentions:
        if found := _linked(text, hit, clauses[bisect_right(clauses, hit.start()) - 1]):
            yield found


def _linked(text: str, hit: re.Match[str], begin: int) -> Conclusion | None:
    """The conclusion that a sentence about the text states: a linking verb, and close behind it the word."""
    begin = max(begin, hit.start() - _REACH)
    clause = text[begin : hit.start()]
    links = list(_LINK.finditer(clause))
    if not links or not _is_filled(clause[links[-1].end() :]):
        return None
    if _DOUBTS.search(clause) or _IF.search(text, _sentence_start(text, hit.start()), hit.start()):
        return None
    if _is_open(text, hit.end()) or _OTHER_HATE.match(text, hit.end()):
        return None
    negated = is_odd(_NEGATIONS.findall(_near_link(clause, links)), bool(hit["non"]))
    return Conclusion(begin + len(clause) - len(clause.lstrip()), hit.end(), not negated)


def _near_link(clause: str, links: Sequence[re.Match[str]]) -> str:
    """From the first link of the last row of links: what negates it stands up to four words before that."""
    first = links[-1]
    for earlier in reversed(links[:-1]):
        if not _is_filled(clause[earlier.end() : first.start()]):
            break
        first = earlier
    words = re.findall(r"\S+", clause[: first.start()].rstrip())[-4:]
    return f"{' '.join(words)} {clause[first.start() :]}"


def _is_filled(between: str) -> bool:
    if re.search(r"[();]", between):
        return False
    return all(_BETWEEN.fullmatch(word) for word in re.findall(r"['’]?[\w’']+", between))


def _sentence_start(text: str, end: int) -> int:
    return max(text.rfind(stop, 0, end) for stop in ".!?\n") + 1


def _is_open(text: str, end: int) -> bool:
    """Whether the sentence goes on to a condition, or ends as a question."""
    stop = _STOP.search(text, end, end + 80)
    return bool(_CONDITION.match(text, end)) or (stop is not None and stop.group() == "?")
