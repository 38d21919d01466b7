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
from moderation.domain.hatexscore.signs import Sign, SignKind

_KOREAN_REACH = 60
_FINAL = re.compile(r"(?:다|요|음|함|임|됨|죠|까)\s*$")
_REASON = re.compile(r"\s?(?:이유|까닭)(?:는|로는)")  # what is hateful "for this reason" is hateful
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
    left_open = SignKind.ANOTHER if is_subject else _left_open_in_korean(clause, said)
    if not (left_open or _BARE.match(tail) or _is_predicate(tail, said)):
        return None
    start = clause.segment.start if headed else mention.start
    negations = sum(sign.kind in (SignKind.NEGATION, SignKind.TURN) for sign in said)
    end = mention.end + len(tail.rstrip())
    said_there = Conclusion(first_sign(text, start), end, is_hateful(clause, negations))
    return Statement(said_there, is_hateful(clause, 0), left_open)


def _predicate(clause: Clause) -> tuple[list[Sign], int]:
    """Return the signs behind the word up to the next clause, and where that begins."""
    if _REASON.match(clause.text, clause.mention.end):
        return [], clause.mention.end
    limit = min(clause.segment.end, clause.mention.end + _KOREAN_REACH)
    stop = STOP["ko"].search(clause.text, clause.mention.end, limit)
    end = stop.start() if stop else limit
    said = []
    for sign in clause.behind:
        if sign.start >= end:
            break
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


def _left_open_in_korean(clause: Clause, said: Sequence[Sign]) -> SignKind | None:
    kinds = [sign.kind for sign in said]
    if SignKind.CONDITION in kinds or has_condition(clause):
        return SignKind.CONDITION
    if SignKind.DOUBT in kinds:
        return SignKind.DOUBT
    if SignKind.REPORT in kinds:
        return SignKind.REPORT
    if (SignKind.OPINION in kinds or not kinds) and any(sign.kind is SignKind.SPEAKER for sign in clause.earlier):
        return SignKind.REPORT
    if SignKind.TOPIC not in kinds:
        return None
    is_verdict = any(kind in (SignKind.COPULA, SignKind.NEGATION) for kind in kinds[: kinds.index(SignKind.TOPIC)])
    return None if is_verdict else SignKind.TOPIC
