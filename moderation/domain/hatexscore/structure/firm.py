"""Whether a conclusion is firm: the last sentence states it, or its own sentence speaks of the post.

A sentence before the last is often a definition, a rule, somebody's opinion or a part. Only a label, an answer, or a
clause about the post concludes there.
"""

import re
from bisect import bisect_left
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from moderation.domain.hatexscore.conclusion import Conclusion
from moderation.domain.hatexscore.labels import Segment, answered, label_start
from moderation.domain.hatexscore.plain_text import ARROW
from moderation.domain.hatexscore.quotations import BLANK
from moderation.domain.hatexscore.signs import any_of, tongues

_SHORT, _SHORT_LINE, _SHORT_IN_SIGNS = 5, 40, 14  # words and signs of a sentence that is nothing but a label
_BESIDE = 6  # signs before a Korean noun in which the word that points at the post stands
_ANSWERED = ("?", "|", ARROW, "{", "}", "[", "]")
_WORDS = re.compile(r"\w\w")
_HANGUL = re.compile("[가-힣]")
_ENDS = re.compile(r"[\s'\"]*(?:$|[.,;:!?。=|—(→)\n]|because\b|since\b|against\b|towards?\b|by\b)")
_TOPIC = re.compile(rf"(?P<noun>[가-힣>a-z]+?|{BLANK}\s*)[은는이가]\s")
# A subject other than the post before a Chinese verb: "the first comment is", not "the best label is".
_SUBJECT = re.compile(r"(?<![\u4e00-\u9fff])(?!最|为什么|与其|形式上)[\u4e00-\u9fff]{3,20}(?<!明确)(?<!决定)是\s*$")
# One of several posts, and what holds in general: "that it is rude does not make it hateful".
_ONE_OF = re.compile(
    r"[^.!?。]{0,24}\b(?:first|second|third|last|other|former|latter|original|quoted|reported|cited)\s\w+\s(?:is|was)\b"
)
_IN_GENERAL = re.compile(r"[다라]고 (?:해서|하여서)|고 해도")
_IS = re.compile(r"\b(?:is|are|was|were)\b")
_FIELD = re.compile(r"[\s'\"]*[\w ]{1,20}['\"]?\s?[:=]\s*['\"]?(?:true|false|yes|no)\b")
# A scale, or codes beside their labels: the label that stands there is not the one that is chosen.
_SCALE = re.compile(r"(?<![\d.:])\d{1,3}\s?(?:to|에서|부터|到|至|–)\s?\d{1,3}(?![\d:]|[.,]\d)")
_CODE = re.compile(r"(?:[(,;/:]|^)\s*\d\s(?:non-|not )?(?:비|非)?(?:혐오|hateful|仇恨)")
# What a rule says, and the verbs by which the post keeps or breaks it.
_RULE = re.compile(
    r"\b(?:guidelines?|polic(?:y|ies)|definition|standards?)\b"
    r"|지침|규정|정책|기준|정의|指南|定义|政策|标准|规定|准则"
)
_KEPT = re.compile(
    r"violat|breach|break|broke|meet|met\b|satisf|fulfil|fits|match|fall|qualif|위반|위배|저촉|어긋|어긴|충족|부합|만족"
    r"|해당|들어맞|违反|触犯|违背|符合|满足|达到|属于|构成"
)


class _Patterns(NamedTuple):
    """How a sentence speaks of the post, in all languages."""

    of_post: re.Pattern[str]
    label: re.Pattern[str]
    noun: re.Pattern[str]
    points: re.Pattern[str]
    early: re.Pattern[str]
    turns: re.Pattern[str]
    numbered: re.Pattern[str]
    own: re.Pattern[str]


@cache
def _patterns() -> _Patterns:
    opening = rf"[\s>*\x01'\",:)—-]*(?:{any_of('opens')}[\s,:—]*){{0,3}}"
    return _Patterns(
        of_post=re.compile(opening + any_of("speaks_of_post")),
        label=re.compile(rf"{opening}(?:{any_of('negation')}\s?)?{any_of('hate')}"),
        noun=re.compile(f"{any_of('post_nouns')}$"),
        points=re.compile(any_of("points_at_post")),
        early=re.compile(rf"(?:[\s>*\x01'\",—-]*|.{{0,24}}[\s\u4e00-\u9fff]){any_of('early')}\s*:"),
        turns=re.compile(rf"[\s>*\x01'\",:)—-]*{any_of('turns_back')}"),
        # A label with a number beside it that no scale, key or field explains.
        numbered=re.compile(
            rf"\d\s?[.:)=\]명人점分개]?\s?[은는이]?\s?(?:non-?|not |비\s?|非)?{any_of('hate')}"
            rf"|{any_of('hate')}(?: 아님)?[^\w\n]{{0,4}}\d|\d\s?[개项]"
        ),
        own=re.compile(rf"{opening}{any_of('own_verdict')}"),
    )


def is_firm(text: str, segments: Sequence[Segment], said: Conclusion) -> bool:
    """Whether the conclusion stands in the last sentence, or in one that is a label, an answer or about the post."""
    place = min(bisect_left(segments, said.end, key=_end_of), len(segments) - 1)
    sentence = segments[place]
    if _is_general(text, sentence, said):
        return False
    behind = [later for later in segments[place + 1 :] if _WORDS.search(text, later.start, later.end)]
    if not behind:
        return True
    if _is_early(text, sentence, said):
        return False
    is_own = _patterns().own.match(text, sentence.start, sentence.end) or _is_bare(text, sentence, said)
    if not is_own and any(_patterns().turns.match(text, one.start, one.end) for one in behind):
        return False
    return sentence.stop in _ANSWERED or _is_of_post(text, sentence, said)


def _is_early(text: str, sentence: Segment, said: Conclusion) -> bool:
    """Whether the sentence tells what was thought before, what holds in general, or speaks of one of several posts."""
    is_general = _IN_GENERAL.search(text, sentence.start, said.start) or _ONE_OF.match(text, sentence.start)
    return is_general is not None or _patterns().early.match(text, sentence.start, sentence.end) is not None


def _end_of(segment: Segment) -> int:
    return segment.end


def _is_general(text: str, sentence: Segment, said: Conclusion) -> bool:
    """Whether the sentence explains a scale or codes, or tells what a rule says."""
    if _SCALE.search(text, sentence.start, said.start) or len(_CODE.findall(text, sentence.start, sentence.end)) > 1:
        return True
    if _patterns().numbered.search(text, sentence.start, sentence.end) and not answered(text, sentence):
        return True
    is_rule = _RULE.search(text, sentence.start, said.start) and not _KEPT.search(text, sentence.start, sentence.end)
    return bool(is_rule) and not _is_of_post(text, sentence, said)


def _is_bare(text: str, sentence: Segment, said: Conclusion) -> bool:
    """Whether the sentence is nothing but a label, or goes on to its reason."""
    label = _patterns().label.match(text, min(label_start(text, sentence), said.start), sentence.end)
    is_short = sentence.end - sentence.start <= _SHORT_IN_SIGNS
    return label is not None and (is_short or _ENDS.match(text, label.end()) is not None)


def _is_of_post(text: str, sentence: Segment, said: Conclusion) -> bool:
    """Whether the sentence speaks of the post or is nothing but a label."""
    patterns, start = _patterns(), min(label_start(text, sentence), said.start)
    if any(patterns.of_post.match(text, begin, sentence.end) for begin in (sentence.start, start)):
        return True
    if patterns.points.search(text, sentence.start, said.end) or _FIELD.match(text, sentence.start):
        return True
    label = patterns.label.match(text, start, sentence.end)
    if label and _ENDS.match(text, label.end()):
        return True
    whole = text[sentence.start : sentence.end].strip()
    if _HANGUL.search(whole):
        topics = _TOPIC.finditer(text, sentence.start, said.start)
        return all(
            patterns.noun.search(text[max(sentence.start, hit.start() - _BESIDE) : hit.end("noun")]) for hit in topics
        )
    word = tongues()[2].word(text, sentence.start, said.end)
    if word and _SUBJECT.search(text[sentence.start : word.start].rstrip(" '")):
        return False
    is_short = len(whole.split()) <= _SHORT and len(whole) <= (_SHORT_LINE if whole.isascii() else _SHORT_IN_SIGNS)
    return is_short and _IS.search(text, sentence.start, said.end) is None
