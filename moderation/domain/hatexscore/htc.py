"""HTC: whether an explanation states a conclusion for or against hateful (design section 8; paper, section 3.1).

The one reader of conclusions: HTC, labels and accuracy all follow what it returns. Negated forms are read as what they
say. A question, a condition or a doubt states nothing, nor does what is quoted or what others are said to think.
"""

from collections.abc import Iterator, Sequence
from itertools import chain

from moderation.domain.hatexscore import labels
from moderation.domain.hatexscore.clauses.clause import Statement
from moderation.domain.hatexscore.conclusion import Conclusion
from moderation.domain.hatexscore.labels import Segment
from moderation.domain.hatexscore.plain_text import plain
from moderation.domain.hatexscore.quotations import Quotation, blanked, quotations, words_of_others
from moderation.domain.hatexscore.second_opinion import is_doubted
from moderation.domain.hatexscore.signs import SignKind, is_named
from moderation.domain.hatexscore.statements import stated_in, statements
from moderation.domain.hatexscore.structure.firm import is_firm
from moderation.domain.hatexscore.structure.forms import chosen_of_form
from moderation.domain.hatexscore.structure.halves import Verb, deciding, ellipses, is_turned, is_undecided
from moderation.domain.hatexscore.structure.implied import implied
from moderation.domain.hatexscore.structure.listed import chosen_of_key, chosen_of_readings, chosen_of_two
from moderation.domain.hatexscore.structure.retracted import retractions
from moderation.domain.hatexscore.structure.scales import chosen_of_legend, chosen_of_scale

_LONGEST_LABEL = 60
_LONGEST_QUOTE = 200  # characters: what is longer is the post, not a verdict on it


def conclusions(explanation: str, quoted: Sequence[Quotation] | None = None) -> list[Conclusion]:
    """Return all conclusions that the explanation states, in its order; those that it implies if it states none.

    Returns none if two lines with the same heading contradict each other, or if a second opinion doubts the last one.
    """
    own, found = by_rules(explanation, quoted)
    return [] if found and is_doubted(own, found[-1]) else found


def by_rules(explanation: str, quoted: Sequence[Quotation] | None = None) -> tuple[str, list[Conclusion]]:
    """Return the writer's own words as plain text, and what the rules alone read in them."""
    quoted = quotations(explanation) if quoted is None else quoted
    others = words_of_others(explanation, quoted)
    words = _own_words(explanation, others)
    own = plain(words)
    return own, _read(words, own, others)


def _read(words: str, own: str, others: Sequence[Quotation]) -> list[Conclusion]:
    text, by_form = chosen_of_form(words, own)
    text, by_legend = chosen_of_legend(text)
    text, by_scale = chosen_of_scale(text)
    text, by_code = chosen_of_key(text)
    by_code += [*by_scale, *by_legend, *by_form]
    text, by_reading = chosen_of_readings(text)
    segments = [segment for segment in labels.segments(text) if not labels.is_refusal(text, segment)]
    stated = [*by_code, *by_reading, *chain.from_iterable(_stated(text, segment) for segment in segments)]
    taken_back = max(retractions(text, segments), default=0)
    if _contradicts_itself(text, [said for said in stated if said.end > taken_back]):
        return []
    told = list(_said_by_others(others))
    verbs = ellipses(text, segments, told)
    chosen = [*by_code, *by_reading, *chosen_of_two(text, segments), *(verb.said for verb in verbs if verb.is_sure)]
    stated = _outermost([*stated, *chosen])
    if stated:
        held = [said for said in stated if said.end > taken_back]
        return _decided(text, segments, held, verbs, chosen) if held else []
    found = _outermost(implied(text, segments, told))
    if found and (is_turned(text, segments, found[-1]) or is_undecided(text, segments, found, [], found)):
        return []
    return found


def _decided(
    text: str,
    segments: Sequence[Segment],
    stated: Sequence[Conclusion],
    verbs: Sequence[Verb],
    chosen: Sequence[Conclusion],
) -> list[Conclusion]:
    """Return what decides of what is stated; nothing where the explanation takes it back as undecided."""
    final = deciding(text, segments, _final(text, stated))
    is_headed = bool(final) and bool(labels.heading_of(text[final[-1].start : final[-1].end]))
    if not final or is_headed:
        return final
    is_firmly_said = final[-1] in chosen or is_firm(text, segments, final[-1])
    return final if is_firmly_said and not is_undecided(text, segments, final, verbs, chosen) else []


def verdict(explanation: str) -> bool | None:
    """Return what the last conclusion says. Returns None if the explanation comes to none."""
    stated = conclusions(explanation)
    return stated[-1].hateful if stated else None


def conclusion_line(hateful: bool) -> str:
    """Return the line that stands for the label of a structured answer."""
    return f"Conclusion: {'hateful' if hateful else 'non-hateful'}"


def _said_by_others(others: Sequence[Quotation]) -> Iterator[Statement]:
    """Yield what the quotations state, at their places."""
    for quotation in others:
        said = plain(quotation.text)
        whole = Segment(0, len(said), "")
        for statement in statements(said, whole) if len(said) <= _LONGEST_QUOTE else ():
            yield statement._replace(
                said=Conclusion(*quotation.outer, statement.said.hateful), left_open=SignKind.REPORT
            )


def _own_words(explanation: str, others: Sequence[Quotation]) -> str:
    """Return the explanation with blanks for what others said; labels and headings lose their quotation marks only."""
    signs = list(blanked(explanation, [quotation for quotation in others if not _is_named_alone(quotation)]))
    for quotation in others:
        if _is_named_alone(quotation):
            for place in (*range(quotation.outer[0], quotation.start), *range(quotation.end, quotation.outer[1])):
                signs[place] = " "
    return "".join(signs)


def _is_named_alone(quotation: Quotation) -> bool:
    """Whether nothing but a label or a heading stands in the quotation marks."""
    return len(quotation.text) <= _LONGEST_LABEL and labels.is_label(plain(quotation.text))


def _stated(text: str, segment: Segment) -> Sequence[Conclusion]:
    """Return what the segment states: a verdict in words of hate, or another label behind a heading."""
    stated = stated_in(text, segment) if is_named(text, segment.start, segment.end) else []
    if stated or segment.stop == "?":
        return stated
    other = labels.other_label(text, segment)
    return [other] if other else []


def _contradicts_itself(text: str, stated: Sequence[Conclusion]) -> bool:
    """Whether lines with the same heading say both."""
    said: dict[str, bool] = {}
    for conclusion in stated:
        heading = labels.heading_of(text[conclusion.start : conclusion.end])
        if heading and said.setdefault(heading, conclusion.hateful) is not conclusion.hateful:
            return True
    return False


def _final(text: str, stated: Sequence[Conclusion]) -> list[Conclusion]:
    """Return these up to the last verdict with a heading of its own, if what follows says the opposite."""
    headed = [
        place
        for place, conclusion in enumerate(stated)
        if labels.is_final(labels.heading_of(text[conclusion.start : conclusion.end]))
    ]
    if headed and stated[-1].hateful is not stated[headed[-1]].hateful:
        return list(stated[: headed[-1] + 1])
    return list(stated)


def _outermost(stated: Sequence[Conclusion]) -> list[Conclusion]:
    """Return those that stand in no other: a line that says "Verdict: not hateful" is one conclusion."""
    kept: list[Conclusion] = []
    for conclusion in sorted(stated, key=lambda one: (one.start, -one.end)):
        if not kept or conclusion.start >= kept[-1].end:
            kept.append(conclusion)
    return kept
