"""Conclusions in sentences: a word of hate in a clause, and what the clause says of it.

A clause states what its word says unless it doubts, asks, sets a condition, tells another's opinion or speaks about
hate itself. English and Chinese say so before the word, Korean behind it: `clauses` has the two.
"""

from collections.abc import Iterator, Sequence

from moderation.domain.hatexscore import labels
from moderation.domain.hatexscore.clauses.clause import Statement, clause_at, is_in_script
from moderation.domain.hatexscore.clauses.english_chinese import english_or_chinese_statement
from moderation.domain.hatexscore.clauses.korean import korean_statement
from moderation.domain.hatexscore.conclusion import Conclusion
from moderation.domain.hatexscore.labels import Segment, headed_end
from moderation.domain.hatexscore.levels import level, level_field
from moderation.domain.hatexscore.signs import HATEFUL, Words, tongues


def stated_in(text: str, segment: Segment, words: Words = HATEFUL) -> Sequence[Conclusion]:
    """Return what the segment states with these kinds of words; `text` is plain text."""
    if labels.is_open_field(text, segment):
        return []
    if (field := level_field(text, segment)) is not None:
        said = level(text, segment, field)
        return [said] if said else []
    if labels.offers_both(text, segment):
        is_asked = segment.stop == "?" and labels.hateful_first(text, segment)
        chosen = labels.answered(text, segment, words) if is_asked else None
        return [chosen] if chosen else []
    if answered := labels.answered(text, segment, words):
        return [answered]
    if asked := labels.rhetorical(text, segment, words):
        return [asked]
    if segment.stop == "?" or labels.is_number_field(text, segment) or labels.has_no_verdict(text, segment):
        return []
    return [statement.said for statement in statements(text, segment, words) if statement.left_open is None]


def statements(text: str, segment: Segment, words: Words = HATEFUL) -> Iterator[Statement]:
    """Return what the segment says with these kinds of words, stated or left open; `text` is plain text."""
    heading_end = headed_end(text, segment)
    for tongue in tongues():
        if tongue.word(text, segment.start, segment.end, words) is None:
            continue
        signs = tongue.signs(text, segment.start, segment.end, words)
        around = [sign for sign in signs if sign.kind not in words]
        read = korean_statement if tongue.code == "ko" else english_or_chinese_statement
        for place, sign in enumerate(signs):
            if sign.kind not in words or not is_in_script(text, sign, tongue):
                continue
            if statement := read(clause_at(text, segment, tongue, (signs, around), place), heading_end):
                yield statement
