"""Conclusions in sentences: a word of hate in a clause, and what the clause says of it.

A clause states what its word says unless it doubts, asks, sets a condition, tells another's opinion or speaks about
hate itself. English and Chinese say so before the word, Korean behind it.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from moderation.domain.hatexscore import labels
from moderation.domain.hatexscore.conclusion import Conclusion
from moderation.domain.hatexscore.labels import Segment, headed_end, label_start
from moderation.domain.hatexscore.quotations import BLANK
from moderation.domain.hatexscore.signs import HATEFUL, UNNAMED, Kind, Sign, Tongue, Words, tongues

_STOP = {
    "en": re.compile(r"[:—](?!\s*$)|[()]"),
    "ko": re.compile(r"[.,;:!?。\n\x01()\[\]—]"),
    "zh": re.compile(r"[，。；：！？,;:!?\n—()、]"),
}
_BREAKS = (Kind.BREAK, Kind.CONTRAST, Kind.TURN)
_OF_QUOTES = (Kind.REPORT, Kind.TOPIC)
"""What is told with these is the quotation behind them."""
_LINKS = (Kind.COPULA, Kind.LINK, Kind.NEGATION, Kind.DISTANT)
_REACH = 300  # characters: no sentence says anything of a word further off
_NEAR = {"en": 40, "zh": 26}  # characters between a verb and the bare noun
_NOUN_AND = re.compile(r"[\w\s'-]{1,40}(?:,|\band|\bor|&)\s*")
_NEAR_NEGATION = 6  # characters between two negations of one verb in Chinese
_KOREAN_REACH = 60
_OPPOSITE = re.compile(r"(?:non|un|not)(?=[\s-]|hate|flag)|비|非")
_FINAL = re.compile(r"(?:다|요|음|함|임|됨|죠|까)\s*$")
_GLOSS = re.compile(r"\s?\([^()\n]{1,30}\)")
_ALONE = re.compile(r"\s*(?:$|[:,.()—/!])")
_LISTED = re.compile(r"\s*[,/、]")
_BEFORE_SUBJECT = ("", "the", "a", "any", "such", "this", "that")
_SUBJECT_BEHIND = ("that", "所谓", "认为")
_LAST_LABEL, _ENDS = re.compile(r"[,:](?=\s*(?:not\s|a\s|definitely\s|clearly\s)?\s*$)"), re.compile(r"\s*$")
_TOWARDS = re.compile("(?:针?对|冲着)[^,]{1,20}的")
_ASIDE = re.compile(r"(?:\b(?:is|are|be|was|not|never|nor|neither)|n't|不|非|是)\s*,[^,]{1,40}$")
_CONCEDED = re.compile(
    r"[\s>*-]{0,20}(?:but |and )?(?:although|though|while|whereas|even though|even if|despite|because)\b[^,]{0,160},"
)
# Of words without hate: those that are verbs themselves, and how a clause begins that speaks of the text.
_VERB = re.compile(
    r"violat|breach|br[eo][ao]?k|contraven|cross|fall|fell|land|sit|meets|satisf|fulfi|fits|match|compl|may|can|must|should"
    r"|needs|ought|has|do(?:es)?(?:\b|n)|qualif|in |against|over|past|within|no|all "
)
_OF_THE_TEXT = re.compile(
    r"(?:(?:and|so|thus|therefore|hence|here|overall|again|yes|no|as such|in (?:my view|short|sum|all))[, ]+)*"
    r"(?:(?:i|we|it|this|that|there|nothing|no|not|none|any|such|these|in|by|with|as|one|both)\b|[^a-z]"
    r"|(?:the |this |that |its |my |our |a )?(?:\w+ )?(?:post|text|comment|message|content|caption|picture|image|meme"
    r"|joke|statement|tweet|remark|combination|pair|whole|reading|result|criteri\w+|definition|threshold|bar|condition\w*"
    r"|requirement\w*)\b)"
)
_COMMA = re.compile(r"\s*,\s*(?:that (?=would|is|was)|it (?=would|was|seems)|this (?=would|is|was)|那)?")
_ENDS_CLAUSE = re.compile(r"\s*(?:$|[;:!])")
_BARE = re.compile(r"\s*(?:임|이다|입니다|다|으로|로)?\s*$")


class Statement(NamedTuple):
    """What a clause says of a word, which alone says `word`, and by which kind of sign it is left open, if by any."""

    said: Conclusion
    word: bool
    left_open: Kind | None


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

    def follows(self, kind: Kind) -> re.Match[str] | None:
        """Return the sign of this kind right behind the word."""
        return self.tongue.follows(kind, self.text, self.mention.end, self.segment.end)

    @property
    def is_supposed(self) -> bool:
        """Whether the clause only supposes that the text is hateful, as "to call it hateful" does."""
        return self.tongue.is_supposed(self.text, _first_sign(self.text, self.begin), self.mention.start)

    def _is_own(self, sign: Sign) -> bool:
        if sign.kind is not Kind.REPORT:
            return False
        words = self.text[max(self.begin, sign.start - 30) : sign.start].split()[-2:]
        told = words[:-1] if words and words[-1].endswith("ly") else words[-1:]
        return bool(told) and self.tongue.is_own(told[0])


def stated_in(text: str, segment: Segment, words: Words = HATEFUL) -> Sequence[Conclusion]:
    """Return what the segment states with these kinds of words; `text` is plain text."""
    if labels.offers_both(text, segment):
        chosen = labels.scaled(text, segment)
        if segment.stop == "?" and labels.hateful_first(text, segment):
            chosen = labels.answered(text, segment, words)
        return [chosen] if chosen else []
    if answered := labels.answered(text, segment, words):
        return [answered]
    if asked := labels.rhetorical(text, segment, words):
        return [asked]
    if segment.stop == "?" or labels.has_no_verdict(text, segment):
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
        read = _of_korean if tongue.code == "ko" else _of_clause
        for place, sign in enumerate(signs):
            if sign.kind not in words or not _is_in_script(text, sign, tongue):
                continue
            if statement := read(_clause(text, segment, tongue, (signs, around), place), heading_end):
                yield statement


def _clause(
    text: str, segment: Segment, tongue: Tongue, of_both: tuple[Sequence[Sign], Sequence[Sign]], place: int
) -> Clause:
    """Return the clause of the word at this place; `of_both` are all signs, and those that are no such word."""
    signs, around = of_both
    mention = _with_gloss(text, signs[place], segment)
    reach = max(segment.start, mention.start - _REACH)
    until = bisect_left(around, mention.start, key=_start_of)
    earlier = around[bisect_left(around, reach, hi=until, key=_start_of) : until]
    behind = signs[place + 1 : bisect_left(signs, mention.end + _REACH, key=_start_of)]
    stops = [stop.end() for stop in _STOP[tongue.code].finditer(text, reach, mention.start)]
    if conceded := tongue.code == "en" and _CONCEDED.match(text, segment.start, mention.start):
        stops.append(max(reach, conceded.end()))
    breaks = [sign.start if sign.kind is Kind.TURN else sign.end for sign in earlier if sign.kind in _BREAKS]
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


def _is_in_script(text: str, mention: Sign, tongue: Tongue) -> bool:
    """Whether the word stands in a sentence of this language: an English word may stand in any."""
    if not text[mention.start : mention.end].isascii():
        return True
    if re.match(" ?[가-힣]", text[mention.end : mention.end + 2]):
        return tongue.code == "ko"
    if re.search("[\u4e00-\u9fff] ?$", text[max(0, mention.start - 2) : mention.start]):
        return tongue.code == "zh"
    return tongue.code == "en"


def _of_clause(clause: Clause, heading_end: int) -> Statement | None:
    """Return what an English or Chinese clause says of the word, most of it before the word."""
    mention, links = clause.mention, clause.links
    headed = clause.segment.start < heading_end and clause.begin <= heading_end
    absent, present, refuted = map(clause.follows, (Kind.ABSENT, Kind.PRESENT, Kind.REFUTED))
    absent = absent or _denied_topic(clause)
    refuted = None if present else refuted or _refuted_supposition(clause)
    left_open = None if present or refuted else _left_open(clause, links)
    if not (headed or absent or present or refuted) and _is_subject(clause):
        left_open = Kind.ANOTHER
    if mention.kind is Kind.HATRED and not (headed or absent or present or refuted or _is_said(clause, links)):
        left_open = left_open or Kind.TOPIC
    if mention.kind in UNNAMED and not (headed or absent or refuted or _is_of_the_text(clause, links)):
        left_open = left_open or Kind.TOPIC
    negations = _negations(clause, links) + (absent is not None) + (refuted is not None)
    end = max(hit.end() for hit in (absent, present) if hit) if absent or present else mention.end
    start = _first_sign(clause.text, clause.segment.start if headed else clause.begin)
    return Statement(Conclusion(start, end, _is_hateful(clause, negations)), _is_hateful(clause, 0), left_open)


def _denied_topic(clause: Clause) -> re.Match[str] | None:
    """Return what denies the word behind a comma where the clause begins with it, as in "hateful, it is not"."""
    comma = _COMMA.match(clause.text, clause.mention.end, clause.segment.end)
    if comma is None or _first_sign(clause.text, clause.begin) != clause.mention.start:
        return None
    denial = clause.tongue.follows(Kind.ABSENT, clause.text, comma.end(), clause.segment.end)
    return denial if denial and _ENDS_CLAUSE.match(clause.text, denial.end(), clause.segment.end) else None


def _refuted_supposition(clause: Clause) -> re.Match[str] | None:
    """Return what refutes a supposition behind a comma, as in "to call it hateful, that would be a stretch"."""
    comma = _COMMA.match(clause.text, clause.mention.end, clause.segment.end)
    if comma is None or not clause.is_supposed:
        return None
    return clause.tongue.follows(Kind.REFUTED, clause.text, comma.end(), clause.segment.end)


def _left_open(clause: Clause, links: Sequence[Sign]) -> Kind | None:
    """Return whether the clause doubts, sets a condition, tells what others say or speaks about hate itself."""
    if any(sign.kind is Kind.DOUBT for sign in clause.before) or clause.follows(Kind.DOUBT_BEHIND):
        return Kind.CONDITION if _has_condition(clause) else Kind.DOUBT
    if clause.is_supposed:
        return Kind.CONDITION
    if _is_aside_in_doubt(clause):
        return Kind.DOUBT
    if _has_condition(clause):
        return Kind.CONDITION
    if any(sign.kind is Kind.REPORT and sign not in links for sign in clause.before):
        return Kind.REPORT
    if _VERB.match(clause.text, clause.mention.start):  # "breaches our rule on hate speech" links itself
        return None
    topics = [sign.start for sign in clause.before if sign.kind is Kind.TOPIC]
    is_topic = bool(topics) and topics[-1] > max((link.start for link in links), default=-1)
    return Kind.TOPIC if is_topic else None


def _is_aside_in_doubt(clause: Clause) -> bool:
    """Whether the word stands in brackets that list labels or explain a doubt."""
    if clause.text[clause.begin - 1 : clause.begin] != "(":
        return False
    listed = _LISTED.match(clause.text, clause.mention.end, clause.segment.end) is not None
    return listed or any(sign.kind is Kind.DOUBT for sign in clause.earlier)


def _has_condition(clause: Clause) -> bool:
    contrasts = [place for place, sign in enumerate(clause.earlier) if sign.kind is Kind.CONTRAST]
    since = clause.earlier[contrasts[-1] :] if contrasts else clause.earlier
    return any(sign.kind is Kind.CONDITION for sign in since)


def _is_subject(clause: Clause) -> bool:
    """Whether the clause begins with the word and says something about hate in general."""
    before = clause.text[clause.begin : clause.mention.start].strip(" \t\x01'\"")
    opening = before[before.rfind(",") + 1 :].strip()
    if opening not in _BEFORE_SUBJECT and not before.endswith(_SUBJECT_BEHIND):
        return False
    return clause.tongue.is_subject(clause.text, clause.mention.end, clause.segment.end)


def _is_said(clause: Clause, links: Sequence[Sign]) -> bool:
    """Whether a verb close by or a contrast makes a verdict of the bare noun."""
    if _is_alone(clause):
        return True
    if links:
        return clause.mention.start - links[-1].end <= _NEAR[clause.tongue.code]
    opening = [sign for sign in clause.earlier if sign.kind is Kind.CONTRAST]
    return bool(opening) and opening[-1].end == clause.begin


def _is_of_the_text(clause: Clause, links: Sequence[Sign]) -> bool:
    """Whether the clause says the word of the text: it names nothing else first, and a verb links the two."""
    label = min(label_start(clause.text, clause.segment), clause.mention.start)
    first = _first_sign(clause.text, max(clause.begin, label))
    if first < clause.mention.start and not _OF_THE_TEXT.match(clause.text, first):
        return False
    is_linked = clause.tongue.code != "en" or _VERB.match(clause.text, clause.mention.start) is not None
    return is_linked or first >= clause.mention.start or _is_said(clause, links)


def _is_alone(clause: Clause) -> bool:
    """Whether the word is all that its clause says, where a sentence, a field or a consequence begins."""
    label = min(label_start(clause.text, clause.segment), clause.mention.start)
    first = max(_first_sign(clause.text, clause.begin), label)
    if _TOWARDS.fullmatch(clause.text, first, clause.mention.start):
        first = clause.mention.start
    if first != clause.mention.start or not _ALONE.match(clause.text, clause.mention.end, clause.segment.end):
        return False
    if clause.segment.start < label == clause.mention.start:
        return True
    reach = max(clause.segment.start, clause.begin - _REACH)
    before = clause.text[reach : clause.begin].rstrip(" ,")
    opening = [sign.end for sign in clause.earlier if sign.kind is Kind.CONTRAST]
    is_opposite = _OPPOSITE.match(clause.text, clause.mention.start) is not None
    return before == "" or is_opposite or before[-1] in ":—()" or reach + len(before) in opening


def _negations(clause: Clause, links: Sequence[Sign]) -> int:
    """Return how many negations the word stands in the scope of."""
    negations = [sign for sign in clause.before if sign.kind in (Kind.NEGATION, Kind.TURN)]
    distant = [sign for sign in clause.before if sign.kind is Kind.DISTANT]
    if clause.tongue.code == "zh":
        while len(negations) > 1 and _negates_another_verb(clause.text[negations[-2].end : negations[-1].start]):
            del negations[-2]
    if clause.tongue.code == "en":
        while len(negations) > 1 and _is_list(clause.text, negations[-2], negations[-1]):
            del negations[-2]
        scope = _verb_group(clause, links)
        first = _first_sign(clause.text, clause.begin)
        negations = [sign for sign in negations if sign.start >= scope or sign.start == first]
    return len(negations) + len(distant)


def _is_list(text: str, first: Sign, second: Sign) -> bool:
    """Whether two negations are those of two nouns side by side, as in "no target and no hate", or go with a "nor"."""
    if text[second.start : second.end] == "nor":
        return True
    is_same = text[first.start : first.end] == text[second.start : second.end] == "no"
    return is_same and _NOUN_AND.fullmatch(text, first.end, second.start) is not None


def _negates_another_verb(between: str) -> bool:
    """Whether a Chinese negation is that of another verb than the next one; `between` stands between the two."""
    return len(between) > _NEAR_NEGATION and not re.search("[说称]|认为|觉得|看[作成]|当[作成]", between)


def _verb_group(clause: Clause, links: Sequence[Sign]) -> int:
    """Return where the verbs begin that link the text with the word: a negation before them negates something else."""
    copulas = [sign for sign in links if sign.kind is Kind.COPULA]
    if not links:
        return clause.begin
    first = copulas[-1] if copulas else links[-1]
    if not copulas:
        for earlier in reversed(links[:-1]):
            if len(clause.text[earlier.end : first.start].split()) > 4:
                break
            first = earlier
    words = list(re.finditer(r"\S+", clause.text[clause.begin : first.start]))[-2:]
    return clause.begin + words[0].start() if words and not copulas else first.start


def _of_korean(clause: Clause, heading_end: int) -> Statement | None:
    """Return what a Korean clause says behind the word."""
    mention, text = clause.mention, clause.text
    said, end = _predicate(clause)
    tail = text[mention.end : end]
    headed = clause.segment.start < heading_end and mention.start - clause.segment.start < _REACH
    if not (said or headed) and _LISTED.match(text, mention.end, clause.segment.end):
        return None
    is_subject = clause.tongue.is_subject(text, mention.end, clause.segment.end)
    left_open = Kind.ANOTHER if is_subject else _left_open_in_korean(clause, said)
    if not (left_open or _BARE.match(tail) or _is_predicate(tail, said)):
        return None
    start = clause.segment.start if headed else mention.start
    negations = sum(sign.kind in (Kind.NEGATION, Kind.TURN) for sign in said)
    end = mention.end + len(tail.rstrip())
    said_there = Conclusion(_first_sign(text, start), end, _is_hateful(clause, negations))
    return Statement(said_there, _is_hateful(clause, 0), left_open)


def _predicate(clause: Clause) -> tuple[list[Sign], int]:
    """Return the signs behind the word up to the next clause, and where that begins."""
    limit = min(clause.segment.end, clause.mention.end + _KOREAN_REACH)
    stop = _STOP["ko"].search(clause.text, clause.mention.end, limit)
    end = stop.start() if stop else limit
    said = []
    for sign in clause.behind:
        if sign.start >= end:
            break
        said.append(sign)
        if sign.kind in _BREAKS:
            return said, sign.end
    return said, end


def _is_predicate(tail: str, said: Sequence[Sign]) -> bool:
    return _FINAL.search(tail) is not None or any(
        sign.kind in (Kind.COPULA, Kind.NEGATION, Kind.TURN, Kind.NEUTRAL, Kind.BREAK, Kind.CONTRAST) for sign in said
    )


def _left_open_in_korean(clause: Clause, said: Sequence[Sign]) -> Kind | None:
    kinds = [sign.kind for sign in said]
    if Kind.CONDITION in kinds or _has_condition(clause):
        return Kind.CONDITION
    if Kind.DOUBT in kinds:
        return Kind.DOUBT
    if Kind.REPORT in kinds:
        return Kind.REPORT
    if (Kind.OPINION in kinds or not kinds) and any(sign.kind is Kind.SPEAKER for sign in clause.earlier):
        return Kind.REPORT
    if Kind.TOPIC not in kinds:
        return None
    is_verdict = any(kind in (Kind.COPULA, Kind.NEGATION) for kind in kinds[: kinds.index(Kind.TOPIC)])
    return None if is_verdict else Kind.TOPIC


def _is_hateful(clause: Clause, negations: int) -> bool:
    word = clause.text[clause.mention.start : clause.mention.end]
    opposite = (_OPPOSITE.match(word) is not None) + (clause.mention.kind is Kind.FINE)
    return (negations + opposite) % 2 == 0


def _first_sign(text: str, start: int) -> int:
    while start < len(text) and text[start] in " \t\x01,:>'\"+—-":
        start += 1
    return start
