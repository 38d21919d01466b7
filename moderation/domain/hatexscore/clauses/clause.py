"""A clause: a word of hate in a sentence, and the signs around it.

Where a clause begins depends on the language: each has its own stops.
"""

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from moderation.domain.hatexscore.conclusion import Conclusion
from moderation.domain.hatexscore.labels import Segment
from moderation.domain.hatexscore.quotations import BLANK
from moderation.domain.hatexscore.signs import Sign, SignKind, Tongue

STOP = {
    "en": re.compile(r"[:—](?!\s*$)|[()]"),
    "ko": re.compile(r"[.,;:!?。\n\x01()\[\]—]"),
    "zh": re.compile(r"[，。；：！？,;:!?\n—()、]"),
}
BREAKS = (SignKind.BREAK, SignKind.CONTRAST, SignKind.TURN)
_OF_QUOTES = (SignKind.REPORT, SignKind.TOPIC)
"""What is told with these is the quotation behind them."""
_LINKS = (SignKind.COPULA, SignKind.LINK, SignKind.NEGATION, SignKind.DISTANT)
REACH = 300  # characters: no sentence says anything of a word further off
OPPOSITE = re.compile(r"(?:non|un|not)(?=[\s-]|hate|flag)|비|덜|非")
_STILL = "仍依"  # "still" begins another clause, and the condition holds on
_GLOSS = re.compile(r"\s?\([^()\n]{1,30}\)")
LISTED = re.compile(r"\s*[,/、]")
_LAST_LABEL, _ENDS = re.compile(r"[,:](?=\s*(?:not\s|a\s|definitely\s|clearly\s)?\s*$)"), re.compile(r"\s*$")
_ASIDE = re.compile(r"(?:\b(?:is|are|be|was|not|never|nor|neither)|n't|不|非|是)\s*,[^,]{1,40}$")
_CONCEDED = re.compile(
    r"[\s>*-]{0,20}(?:but |and )?(?:although|though|while|whereas|even though|even if|despite|because)\b[^,]{0,160},"
)


class Statement(NamedTuple):
    """What a clause says of a word, which alone says `word`, and by which kind of sign it is left open, if by any."""

    said: Conclusion
    word: bool
    left_open: SignKind | None


@dataclass(frozen=True)
class Clause:
    """A word of hate and the signs around it; `before` and `earlier` are those of its clause and of its sentence."""

    text: str
    segment: Segment
    tongue: Tongue
    mention: Sign
    begin: int
    before: Sequence[Sign]
    earlier: Sequence[Sign]
    behind: Sequence[Sign]

    @property
    def links(self) -> list[Sign]:
        """Verbs that link the text with the word, those of the writer's own opinion among them."""
        return [sign for sign in self.before if sign.kind in _LINKS or self._is_own(sign)]

    def follows(self, kind: SignKind) -> re.Match[str] | None:
        """Return the sign of this kind right behind the word."""
        return self.tongue.follows(kind, self.text, self.mention.end, self.segment.end)

    @property
    def is_supposed(self) -> bool:
        """Whether the clause only supposes that the text is hateful, as "to call it hateful" does."""
        return self.tongue.is_supposed(self.text, first_sign(self.text, self.begin), self.mention.start)

    def _is_own(self, sign: Sign) -> bool:
        if sign.kind is not SignKind.REPORT:
            return False
        words = self.text[max(self.begin, sign.start - 30) : sign.start].split()[-2:]
        told = words[:-1] if words and words[-1].endswith("ly") else words[-1:]
        return bool(told) and self.tongue.is_own(told[0])


def clause_at(
    text: str, segment: Segment, tongue: Tongue, of_both: tuple[Sequence[Sign], Sequence[Sign]], place: int
) -> Clause:
    """Return the clause of the word at this place; `of_both` are all signs, and those that are no such word."""
    signs, around = of_both
    mention = _with_gloss(text, signs[place], segment)
    reach = max(segment.start, mention.start - REACH)
    until = bisect_left(around, mention.start, key=_start_of)
    earlier = around[bisect_left(around, reach, hi=until, key=_start_of) : until]
    behind = signs[place + 1 : bisect_left(signs, mention.end + REACH, key=_start_of)]
    stops = [stop.end() for stop in STOP[tongue.code].finditer(text, reach, mention.start)]
    if conceded := tongue.code == "en" and _CONCEDED.match(text, segment.start, mention.start):
        stops.append(max(reach, conceded.end()))
    breaks = [sign.start if sign.kind is SignKind.TURN else sign.end for sign in earlier if sign.kind in BREAKS]
    begin = max([reach, *stops, *breaks[-1:]])
    if label := _LAST_LABEL.search(text, begin, mention.start):
        is_aside = _ASIDE.search(text, begin, label.start()) is not None
        begin = label.end() if not is_aside and _ENDS.match(text, mention.end, segment.end) else begin
    said = text.rfind(BLANK, begin, mention.start)
    return Clause(
        text,
        segment,
        tongue,
        mention,
        begin,
        before=[sign for sign in earlier if sign.end > begin and not (sign.kind in _OF_QUOTES and sign.end <= said)],
        earlier=earlier,
        behind=[sign for sign in behind if sign.start >= mention.end],
    )


def _start_of(sign: Sign) -> int:
    return sign.start


def _with_gloss(text: str, mention: Sign, segment: Segment) -> Sign:
    """Return the word with what stands in brackets right behind it, as where it is said in another language."""
    gloss = _GLOSS.match(text, mention.end, segment.end)
    return mention._replace(end=gloss.end()) if gloss else mention


def is_in_script(text: str, mention: Sign, tongue: Tongue) -> bool:
    """Whether the word stands in a sentence of this language: an English word may stand in any."""
    if not text[mention.start : mention.end].isascii():
        return True
    if re.match(" ?[가-힣]", text[mention.end : mention.end + 2]):
        return tongue.code == "ko"
    if re.search("[\u4e00-\u9fff] ?$", text[max(0, mention.start - 2) : mention.start]):
        return tongue.code == "zh"
    return tongue.code == "en"


def has_condition(clause: Clause) -> bool:
    """Whether the sentence sets a condition before the word, after its last contrast."""
    contrasts = [
        place
        for place, sign in enumerate(clause.earlier)
        if sign.kind is SignKind.CONTRAST and clause.text[sign.start] not in _STILL
    ]
    since = clause.earlier[contrasts[-1] :] if contrasts else clause.earlier
    return any(sign.kind is SignKind.CONDITION for sign in since)


def is_hateful(clause: Clause, negations: int) -> bool:
    """Whether so many negations leave the word a word of hate; a word of the opposite counts as one more."""
    word = clause.text[clause.mention.start : clause.mention.end]
    opposite = (OPPOSITE.match(word) is not None) + (clause.mention.kind is SignKind.FINE)
    return (negations + opposite) % 2 == 0


def first_sign(text: str, start: int) -> int:
    """Return where the words begin behind spaces, bullets and quotation marks."""
    while start < len(text) and text[start] in " \t\x01,:>'\"+—-":
        start += 1
    return start
