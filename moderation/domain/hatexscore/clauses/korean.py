"""What a Korean clause says of its word of hate, behind the word."""

import re
from collections.abc import Sequence

from moderation.domain.hatexscore.clauses.clause import (
    BREAKS,
    LISTED,
    REACH,
    STOP,
    Clause,
    Statement,
    first_sign,
    has_condition,
    is_hateful,
)
from moderation.domain.hatexscore.conclusion import Conclusion
from moderation.domain.hatexscore.signs import HATEFUL, Sign, SignKind

_KOREAN_REACH = 60
_TANGLED = 3  # negations of one word that nobody unravels
_TOLD_BY = 24  # characters behind the word in which somebody says it
_FINAL = re.compile(r"(?:다|요|음|함|임|됨|죠|까)\s*$")
_REASON = re.compile(r"\s?(?:이유|까닭)(?:는|로는)")  # what is hateful "for this reason" is hateful
_CLEFT = re.compile(
    r"(?:적인|스러운)? ?(?:것|쪽|사람|자)은 (?![^,.]{0,8}(?:없|아니[^라]|아닙|찾|보이))"
    r"|(?:적인)? ?(?:표현|발언|말|댓글|구호|부분|대목)?[은이] [가-힣]{1,8}의 (?:것|말|글)"
)
_TOLD_BY_ALL = re.compile(r"[^,.]{0,8}?[라다]고들 [하한합말]")
_TOLD = re.compile(r"[라다]고 (?:하지만|하는데|해도|하고 (?!싶)|하며|한다|합니다|했|우기|우긴|주장|항변)")
_DECIDES = (SignKind.NEGATION, SignKind.TURN, SignKind.COPULA, SignKind.NEUTRAL)
_DENIED_VERB = re.compile(r"[을를]\s(?:[가-힣]+\s)?[가-힣]+지(?:는|도)?\s?(?:않|못)")
_DENIED_NOUN = re.compile(r"[이가]?\s?아닌\s[가-힣]{1,4}[은는이가도]\s[^.,]{0,6}?(?:없|아니|아닙)")
# The word tells the kind of a thing that something else is done with: "a parody of hateful letters".
_KIND_OF_OBJECT = re.compile(
    r" ?(?!임|쪽|어긋|위반|해당|여부)[가-힣]{0,6}[을를] (?:[가-힣]+[게히로이] |더 |다수 |매우 |많이 ){0,2}+"
    r"(?!사용|쓰|고르|고를|택|띤|띱|담|포함|조장|부추|드러|표현|퍼뜨|퍼트|선동|찾|발견|보이|보여|보인|구성|표출|정당|내포|품|나타|전달"
    r"|유발|쏟|확인|감지|느끼|느껴|띠|이루|만들|일으|불러|자아|옹호|지지|강화|되풀이|위반|넘|충족|만족|의도|뜻|의미|말하|가리|볼|알|엿|읽"
    r"|하|할|한|주장|인정|부정|부인|가하|고취|재생산|향|붙|받|부여|주|적|매|정)"
)
_OBJECT = re.compile("[을를]")
# A condition in its verb, unless the verb tells how the parts are read or taken together.
_IF = re.compile(r"(?<=[가-힣])면[ ,]")
_READS = re.compile(
    r"(?:보|읽으|치|하자|내리자|합하|더하|따르|의하|감안하|고려하|종합하|요약하|말하|생각하|정리하|답하|확인하|결합하|지적하|비추|비춰보"
    r"|합쳐지|더해지|놓으|두|뒤집으|대|맞추|묶으|이으|따지|꼽으|고르|묻는다|라|그러|그렇다|정도|쯤이|쯤 되)$"
)
_BARE = re.compile(r"\s*(?:임|이다|입니다|다|으로|로)?\s*$")


def korean_statement(clause: Clause, heading_end: int) -> Statement | None:
    """Return what a Korean clause says behind the word."""
    mention, text = clause.mention, clause.text
    said, end = _predicate(clause)
    tail = text[mention.end : end]
    headed = clause.segment.start < heading_end and mention.start - clause.segment.start < REACH
    if not (said or headed) and LISTED.match(text, mention.end, clause.segment.end):
        return None
    is_subject = clause.tongue.is_subject(text, mention.end, clause.segment.end)
    left_open = SignKind.ANOTHER if is_subject or _is_of_another(clause) else _left_open_in_korean(clause, said)
    if not (left_open or _BARE.match(tail) or _is_predicate(tail, said)):
        return None
    start = clause.segment.start if headed else mention.start
    negations = sum(sign.kind in (SignKind.NEGATION, SignKind.TURN) for sign in said)
    if negations >= _TANGLED or _denies_a_verb(clause, said) or _DENIED_NOUN.match(text, mention.end):
        left_open = left_open or SignKind.DOUBT
    end = mention.end + len(tail.rstrip())
    said_there = Conclusion(first_sign(text, start), end, is_hateful(clause, negations))
    return Statement(said_there, is_hateful(clause, 0), left_open)


def _denies_a_verb(clause: Clause, said: Sequence[Sign]) -> bool:
    """Whether what is denied is a verb that has the word as its object, and perhaps not the word."""
    first = next((sign.kind for sign in said if sign.kind in _DECIDES), None)
    is_denied = first in (SignKind.NEGATION, SignKind.TURN)
    return is_denied and _DENIED_VERB.match(clause.text, clause.mention.end) is not None


def _is_of_another(clause: Clause) -> bool:
    """Whether the clause says the word of somebody or something else than the post, or the word is its subject."""
    if _CLEFT.match(clause.text, clause.mention.end) or _KIND_OF_OBJECT.match(clause.text, clause.mention.end):
        return True
    other = clause.tongue.of_others(clause.text, clause.begin, clause.mention.start)
    is_used = _OBJECT.match(clause.text, clause.mention.end) is not None
    return other is not None and other.end() == clause.mention.start and not is_used


def _predicate(clause: Clause) -> tuple[list[Sign], int]:
    """Return the signs behind the word up to the next clause, and where that begins."""
    if _REASON.match(clause.text, clause.mention.end):
        return [], clause.mention.end
    limit = min(clause.segment.end, clause.mention.end + _KOREAN_REACH)
    stop = STOP["ko"].search(clause.text, clause.mention.end, limit)
    end = stop.start() if stop else limit
    said: list[Sign] = []
    for sign in clause.behind:
        if sign.start >= end:
            break
        if sign.kind in HATEFUL:
            return said, sign.start
        said.append(sign)
        if sign.kind in BREAKS:
            return said, sign.end
    return said, end


def _is_predicate(tail: str, said: Sequence[Sign]) -> bool:
    return _FINAL.search(tail) is not None or any(
        sign.kind
        in (SignKind.COPULA, SignKind.NEGATION, SignKind.TURN, SignKind.NEUTRAL, SignKind.BREAK, SignKind.CONTRAST)
        for sign in said
    )


def _has_if(clause: Clause) -> bool:
    """Whether a verb before the word sets a condition, other than how the text is read."""
    before = clause.text[clause.begin : clause.mention.start]
    return any(_READS.search(before[: hit.start()]) is None for hit in _IF.finditer(before))


def _left_open_in_korean(clause: Clause, said: Sequence[Sign]) -> SignKind | None:
    kinds = [sign.kind for sign in said]
    if SignKind.CONDITION in kinds or has_condition(clause) or _has_if(clause):
        return SignKind.CONDITION
    if SignKind.DOUBT in kinds:
        return SignKind.DOUBT
    if SignKind.REPORT in kinds or _TOLD_BY_ALL.match(clause.text, clause.mention.end):
        return SignKind.REPORT
    is_told = _TOLD.search(clause.text, clause.mention.end, min(clause.segment.end, clause.mention.end + _TOLD_BY))
    if (is_told or SignKind.OPINION in kinds or not kinds) and any(
        sign.kind is SignKind.SPEAKER for sign in clause.earlier
    ):
        return SignKind.REPORT
    if SignKind.TOPIC not in kinds:
        return None
    is_verdict = any(kind in (SignKind.COPULA, SignKind.NEGATION) for kind in kinds[: kinds.index(SignKind.TOPIC)])
    return None if is_verdict else SignKind.TOPIC
