"""HTC: whether an explanation states a conclusion for or against hateful (design section 8; paper, section 3.1).

The one reader of conclusions: HTC, labels and accuracy all follow what it returns. Negated forms are read as what they
say. A question, a condition or a doubt states nothing, nor does what is quoted or what others are said to think.
"""

import re
from collections.abc import Iterator, Sequence

from moderation.domain.hatexscore import htc_en, htc_ko, htc_zh, labels
from moderation.domain.hatexscore.conclusion import Conclusion
from moderation.domain.hatexscore.labels import Segment
from moderation.domain.hatexscore.plain_text import plain
from moderation.domain.hatexscore.quotations import Quotation, blanked, quotations, words_of_others

_NAMED_ALONE = re.compile(rf"\s*(?:{labels.LABEL.pattern}|{labels.HEADING})[.!]?\s*", re.IGNORECASE)

_LONGEST_LABEL = 60


def conclusions(explanation: str, quoted: Sequence[Quotation] | None = None) -> list[Conclusion]:
    """Return all conclusions that the explanation states, in its order.

    Returns none if two lines with the same heading contradict each other.
    """
    quoted = quotations(explanation) if quoted is None else quoted
    text = plain(_own_words(explanation, quoted))
    stated: list[Conclusion] = []
    for segment in labels.segments(text):
        stated += _stated(text, segment)
    return [] if _contradicts_itself(text, stated) else _outermost(stated)


def verdict(explanation: str) -> bool | None:
    """Return what the last conclusion says. Returns None if the explanation comes to none."""
    stated = conclusions(explanation)
    return stated[-1].hateful if stated else None


def conclusion_line(hateful: bool) -> str:
    """Return the line that stands for the label of a structured answer."""
    return f"Conclusion: {'hateful' if hateful else 'non-hateful'}"


def _own_words(explanation: str, quoted: Sequence[Quotation]) -> str:
    """Return the explanation with blanks for what others said; labels and headings lose their quotation marks only."""
    others = words_of_others(explanation, quoted)
    signs = list(blanked(explanation, [quotation for quotation in others if not _is_named_alone(quotation)]))
    for quotation in others:
        if _is_named_alone(quotation):
            for place in (*range(quotation.outer[0], quotation.start), *range(quotation.end, quotation.outer[1])):
                signs[place] = " "
    return "".join(signs)


def _is_named_alone(quotation: Quotation) -> bool:
    """Whether nothing but a label or a heading stands in the quotation marks."""
    return len(quotation.text) <= _LONGEST_LABEL and _NAMED_ALONE.fullmatch(plain(quotation.text)) is not None


def _stated(text: str, segment: Segment) -> Iterator[Conclusion]:
    if labels.offers_both(text, segment):
        return
    last = labels.last_clause(text, segment)
    if alone := labels.label_alone(text, segment) or (last and labels.label_alone(text, last)):
        yield alone
    elif answered := labels.answered(text, segment):
        yield answered
    elif segment.stop != "?":
        stated = [found for language in (htc_en, htc_ko, htc_zh) for found in language.stated(text, segment)]
        in_brackets = None if stated else labels.bracketed(text, segment)
        yield from [in_brackets] if in_brackets else stated


def _contradicts_itself(text: str, stated: Sequence[Conclusion]) -> bool:
    """Whether lines with the same heading say both."""
    said: dict[str, bool] = {}
    for conclusion in stated:
        heading = labels.heading_of(text[conclusion.start : conclusion.end])
        if heading and said.setdefault(heading, conclusion.hateful) is not conclusion.hateful:
            return True
    return False


def _outermost(stated: Sequence[Conclusion]) -> list[Conclusion]:
    """Return those that stand in no other: a line that says "Verdict: not hateful" is one conclusion."""
    kept: list[Conclusion] = []
    for conclusion in sorted(stated, key=lambda one: (one.start, -one.end)):
        if not kept or conclusion.start >= kept[-1].end:
            kept.append(conclusion)
    return kept
