"""What an English or Chinese clause says of its word of hate, most of it before the word."""

import re
from collections.abc import Sequence

from moderation.domain.hatexscore.clauses.clause import (
    LISTED,
    OPPOSITE,
    REACH,
    Clause,
    Statement,
    first_sign,
    has_condition,
    is_hateful,
)
from moderation.domain.hatexscore.conclusion import Conclusion
from moderation.domain.hatexscore.labels import label_start
from moderation.domain.hatexscore.signs import UNNAMED, Sign, SignKind

_NEAR = {"en": 40, "zh": 26}  # characters between a verb and the bare noun
_NOUN_AND = re.compile(r"[\w\s'-]{1,40}(?:,|\band|\bor|&)\s*")
_NEAR_NEGATION = 6  # characters between two negations of one verb in Chinese
_ALONE = re.compile(r"\s*(?:$|[:,.()—/!])")
_BEFORE_SUBJECT = ("", "the", "a", "any", "such", "this", "that")
_SUBJECT_BEHIND = ("that", "所谓", "认为")
_TOWARDS = re.compile("(?:针?对|冲着)[^,]{1,20}的")
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
# What may stand between a verb and the word, and how a sentence goes on that tells what is the hateful thing.
_STRENGTH = re.compile(r"(?:\s?(?:not|never|an?|so|very|\w+ly|[很真的非常]))*\s*")
_WOULD = re.compile(
    r"\bwould(?: not|n't| also| still| only| otherwise)? (?:be|have been|constitute|become) (?:\w+ly |an? )?['\"]?$"
)
_WOULD_IN_CHINESE = re.compile("(?<![不也都说])会(?:是|算|构成|成为|属于)(?:一种|真正的)?$")
_WITHOUT = re.compile(r"without (?!(?:an?y? )?(?:doubt|question))")
_OF_A_LABEL = re.compile(r"\b(?:label|classification|verdict|answer|conclusion|category|rating)\b")
_IS = re.compile(r"(.*)\s(?:is|are|was|were|isn't|aren't|wasn't|weren't)(?:\s(?:not|never|so|very|too|\w+ly|an?))*\s*$")
_PRONOUN = re.compile(r"\b(?:it|this|that|they|these|there|here|one|which)$")
_BEFORE_NOUN = re.compile(
    r"[,:;\x01'\"]|\b(?:that|think|thinks|believe|say|said|conclude|concluded|find|deny|doubt|agree|sure|convinced|and|or|but|so|as|because|since|therefore"
    r"|argue|see|means?|follows|reason|way|clear|what|how|if|than|though|although|while|whereas|even)\b"
)
_AFTER_NOUN = re.compile(
    r"\b(?:of|in|on|about|which|who|at|for|with|to|towards?|from|under|over|behind|beside|where|when|by|itself|alone|also|still|therefore)\b"
)
# What is called hateful is an act in general, perhaps not that of the post.
_TO_DO = re.compile(r" to (?:call|say|claim|tell|treat|compare|suggest|wish|mock|deny|portray|blame|paint|laugh)\b")
_CLEFT = re.compile("的(?:是|不是|并非)")
_COMMA = re.compile(r"\s*,\s*(?:that (?=would|is|was)|it (?=would|was|seems)|this (?=would|is|was)|那)?")
_ENDS_CLAUSE = re.compile(r"\s*(?:$|[;:!])")


def english_or_chinese_statement(clause: Clause, heading_end: int) -> Statement | None:
    """Return what an English or Chinese clause says of the word, most of it before the word."""
    mention, links = clause.mention, clause.links
    headed = clause.segment.start < heading_end and clause.begin <= heading_end
    absent, present, refuted = map(clause.follows, (SignKind.ABSENT, SignKind.PRESENT, SignKind.REFUTED))
    absent = absent or _denied_topic(clause)
    refuted = None if present else refuted or _refuted_supposition(clause)
    left_open = None if present or refuted else _left_open(clause, links)
    if not (headed or absent or present or refuted) and (_is_subject(clause) or _is_of_another(clause)):
        left_open = SignKind.ANOTHER
    if mention.kind is SignKind.HATRED and not (headed or absent or present or refuted or _is_said(clause, links)):
        left_open = left_open or SignKind.TOPIC
    if mention.kind in UNNAMED and not (headed or absent or refuted or _is_of_the_text(clause, links)):
        left_open = left_open or SignKind.TOPIC
    if not left_open and clause.tongue.code == "en" and _TO_DO.match(clause.text, mention.end):
        left_open = SignKind.CONDITION if _negations(clause, links) == 0 else None
    if not (headed or left_open) and clause.tongue.code == "zh" and _has_two_scopes(clause):
        left_open = SignKind.DOUBT
    negations = _negations(clause, links) + (absent is not None) + (refuted is not None)
    end = max(hit.end() for hit in (absent, present) if hit) if absent or present else mention.end
    start = first_sign(clause.text, clause.segment.start if headed else clause.begin)
    return Statement(Conclusion(start, end, is_hateful(clause, negations)), is_hateful(clause, 0), left_open)


def _denied_topic(clause: Clause) -> re.Match[str] | None:
    """Return what denies the word behind a comma where the clause begins with it, as in "hateful, it is not"."""
    comma = _COMMA.match(clause.text, clause.mention.end, clause.segment.end)
    if comma is None or first_sign(clause.text, clause.begin) != clause.mention.start:
        return None
    denial = clause.tongue.follows(SignKind.ABSENT, clause.text, comma.end(), clause.segment.end)
    return denial if denial and _ENDS_CLAUSE.match(clause.text, denial.end(), clause.segment.end) else None


def _refuted_supposition(clause: Clause) -> re.Match[str] | None:
    """Return what refutes a supposition behind a comma, as in "to call it hateful, that would be a stretch"."""
    comma = _COMMA.match(clause.text, clause.mention.end, clause.segment.end)
    if comma is None or not clause.is_supposed:
        return None
    return clause.tongue.follows(SignKind.REFUTED, clause.text, comma.end(), clause.segment.end)


def _left_open(clause: Clause, links: Sequence[Sign]) -> SignKind | None:
    """Return whether the clause doubts, sets a condition, tells what others say or speaks about hate itself."""
    if any(sign.kind is SignKind.DOUBT for sign in clause.before) or clause.follows(SignKind.DOUBT_BEHIND):
        return SignKind.CONDITION if has_condition(clause) else SignKind.DOUBT
    if clause.is_supposed:
        return SignKind.CONDITION
    if _is_aside_in_doubt(clause):
        return SignKind.DOUBT
    if has_condition(clause) or _is_imagined(clause):
        return SignKind.CONDITION
    if any(sign.kind is SignKind.REPORT and sign not in links for sign in clause.before):
        return SignKind.REPORT
    if _VERB.match(clause.text, clause.mention.start):  # "breaches our rule on hate speech" links itself
        return None
    topics = [sign.start for sign in clause.before if sign.kind is SignKind.TOPIC]
    is_topic = bool(topics) and topics[-1] > max((link.start for link in links), default=-1)
    return SignKind.TOPIC if is_topic else None


def _is_imagined(clause: Clause) -> bool:
    """Whether the clause says what would be hateful, and not what its label would be."""
    before = clause.text[clause.begin : clause.mention.start]
    if clause.tongue.code == "zh":
        return _WOULD_IN_CHINESE.search(before) is not None
    is_without = _WITHOUT.match(clause.text, first_sign(clause.text, clause.begin)) is not None
    return is_without or (_WOULD.search(before) is not None and _OF_A_LABEL.search(before) is None)


def _is_aside_in_doubt(clause: Clause) -> bool:
    """Whether the word stands in brackets that list labels or explain a doubt."""
    if clause.text[clause.begin - 1 : clause.begin] != "(":
        return False
    listed = LISTED.match(clause.text, clause.mention.end, clause.segment.end) is not None
    return listed or any(sign.kind is SignKind.DOUBT for sign in clause.earlier)


def _is_subject(clause: Clause) -> bool:
    """Whether the clause begins with the word and says something about hate in general."""
    before = clause.text[clause.begin : clause.mention.start].strip(" \t\x01'\"")
    opening = before[before.rfind(",") + 1 :].strip()
    if opening not in _BEFORE_SUBJECT and not before.endswith(_SUBJECT_BEHIND):
        return False
    return clause.tongue.is_subject(clause.text, clause.mention.end, clause.segment.end)


def _is_of_another(clause: Clause) -> bool:
    """Whether the clause says the word of somebody or something else than the post, or the word is its subject."""
    if clause.mention.kind in UNNAMED:
        return False
    first, mention = first_sign(clause.text, clause.begin), clause.mention
    other = clause.tongue.of_others(clause.text, first, mention.start)
    if other is not None and _STRENGTH.fullmatch(clause.text, other.end(), mention.start):
        return True
    if clause.tongue.code != "en":
        return _CLEFT.match(clause.text, mention.end - 1) is not None
    linked = _IS.match(clause.text, first, mention.start)
    if linked is None or linked[1].startswith(("i ", "we ")) or _OF_A_LABEL.search(linked[1]):
        return False
    if _PRONOUN.search(linked[1]):
        return False
    noun = _AFTER_NOUN.split(_BEFORE_NOUN.split(linked[1])[-1])[0].split()
    return bool(noun) and not clause.tongue.names_post(noun[-1])


def _is_said(clause: Clause, links: Sequence[Sign]) -> bool:
    """Whether a verb close by or a contrast makes a verdict of the bare noun."""
    if _is_alone(clause):
        return True
    if links:
        return clause.mention.start - links[-1].end <= _NEAR[clause.tongue.code]
    opening = [sign for sign in clause.earlier if sign.kind is SignKind.CONTRAST]
    return bool(opening) and opening[-1].end == clause.begin


def _is_of_the_text(clause: Clause, links: Sequence[Sign]) -> bool:
    """Whether the clause says the word of the text: it names nothing else first, and a verb links the two."""
    label = min(label_start(clause.text, clause.segment), clause.mention.start)
    first = first_sign(clause.text, max(clause.begin, label))
    if first < clause.mention.start and not _OF_THE_TEXT.match(clause.text, first):
        return False
    is_linked = clause.tongue.code != "en" or _VERB.match(clause.text, clause.mention.start) is not None
    return is_linked or first >= clause.mention.start or _is_said(clause, links)


def _is_alone(clause: Clause) -> bool:
    """Whether the word is all that its clause says, where a sentence, a field or a consequence begins."""
    label = min(label_start(clause.text, clause.segment), clause.mention.start)
    first = max(first_sign(clause.text, clause.begin), label)
    if _TOWARDS.fullmatch(clause.text, first, clause.mention.start):
        first = clause.mention.start
    if first != clause.mention.start or not _ALONE.match(clause.text, clause.mention.end, clause.segment.end):
        return False
    if clause.segment.start < label == clause.mention.start:
        return True
    reach = max(clause.segment.start, clause.begin - REACH)
    before = clause.text[reach : clause.begin].rstrip(" ,")
    opening = [sign.end for sign in clause.earlier if sign.kind is SignKind.CONTRAST]
    is_opposite = OPPOSITE.match(clause.text, clause.mention.start) is not None
    return before == "" or is_opposite or before[-1] in ":—()" or reach + len(before) in opening


def _negations(clause: Clause, links: Sequence[Sign]) -> int:
    """Return how many negations the word stands in the scope of."""
    negations = [sign for sign in clause.before if sign.kind in (SignKind.NEGATION, SignKind.TURN)]
    distant = [sign for sign in clause.before if sign.kind is SignKind.DISTANT]
    if clause.tongue.code == "zh":
        while len(negations) > 1 and _negates_another_verb(clause.text[negations[-2].end : negations[-1].start]):
            del negations[-2]
    if clause.tongue.code == "en":
        while len(negations) > 1 and _is_list(clause.text, negations[-2], negations[-1]):
            del negations[-2]
        negations = [
            sign for sign in negations if not _is_of_earlier_word(clause.text[sign.end : clause.mention.start])
        ]
        scope = _verb_group(clause, links)
        first = first_sign(clause.text, clause.begin)
        negations = [sign for sign in negations if sign.start >= scope or sign.start == first]
    return len(negations) + len(distant)


def _is_of_earlier_word(between: str) -> bool:
    """Whether a negation is that of another such word before a comma; `between` stands between it and this one."""
    earlier = between.find("hateful ")
    return earlier >= 0 and "," in between[earlier:]


def _has_two_scopes(clause: Clause) -> bool:
    """Whether a Chinese negation far before another may deny what the other says, or a verb of its own."""
    found = [sign for sign in clause.before if sign.kind is SignKind.NEGATION]
    return len(found) > 1 and _negates_another_verb(clause.text[found[-2].end : found[-1].start])


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
    copulas = [sign for sign in links if sign.kind is SignKind.COPULA]
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
