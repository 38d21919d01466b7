"""Labels as answers carry them in every language: behind a heading, as yes and no, or side by side.

All patterns read plain text (see `plain_text`), one segment at a time: a sentence, a line, a cell of a table.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from moderation.domain.hatexscore.conclusion import Conclusion
from moderation.domain.hatexscore.plain_text import ARROW
from moderation.domain.hatexscore.signs import HATEFUL, SignKind, Word, Words, any_of, tongues

_SEGMENT_END = re.compile(
    r"[\n。;!?|{}\[\]→…\x02]|\.(?=[\s\x01'\")]|$|[가-힣\u4e00-\u9fff])|(?<=[\u4e00-\u9fff\x01])\."
)
# Where a label may begin: behind bullets, numbers, steps and words such as "so".
_START = re.compile(
    r"[\s>+\-—'\",:)]*+(?:\(?(?:\d{1,2}|[a-z])[.):]\s*)?(?:(?:step|단계|步骤)\s?\d{1,2}\s?[.:)]\s*)?"
    r"(?:(?:(?:yes|no)(?=\s*[,:])|so|thus|therefore|hence|accordingly|consequently|overall|ultimately|finally"
    r"|definitely|in (?:conclusion|summary|short)|따라서|그러므로|결론적으로|즉|네|예|아니요|아니오)(?:\s*[,:]\s*|\s+)"
    r"|(?:因此|所以|综上(?:所述)?|总之|故|(?:总体|整体|总的|综合)(?:而言|来说|来看)|一句话|是的?(?=,)|不(?=,))[,:]?\s*){0,2}"
)
# A field may go on behind the word of hate, but not to say how sure or how bad.
_FIELD = re.compile(
    r"(?:\s|(?<=\s))(?=[ox](?:[\s,.;)]|$))|(?![^:=\n]{0,40}(?:confiden|certain|sever|신뢰|확신|심각|置信|把握|严重))"
    r"(?:[^.?!:=\n。;,|()]|\([^()\n]{0,20}\)){0,40}[?:=|—,]"
)
# What a field holds that is left open, and a field of JSON that holds something else than the word.
_OPEN_FIELD = re.compile(
    r"['\"\s]*[:=|]\s*['\"]?(?:null|unknown|unclear|undetermined|undecided|tbd|to be determined|\?+"
    r"|—|-|미정|불명|불분명|알 수 없음|판단 불가"
    r"|未知|待定|不明|不详|无法判断)['\"\s]*(?:$|[,;|}\n)])"
    r"|['\"\s]*[:=]?\s*\d+\s?(?:votes?|raters?|annotators?|people|of\b|표|명|票|人|项)"
)
_NUMBER_FIELD = re.compile(r"\)?[^\n,;.()]{0,8}[:=]\s*\d")
_ANSWER_HEADING = re.compile(r"\banswer\b|답|答案|回答")
_NUMBER_HEADING = re.compile(
    r"answer|label|class|prediction|output|verdict|decision|답|라벨|레이블|예측|판정|분류|答案|回答|标签|预测|判定|分类"
)
_NUMBER = re.compile(r"['\"\s]*([01])['\"\s.]*(?:$|[(,—\n])")
_UNLIKE_BENIGN = {SignKind.NEGATION, SignKind.DOUBT, SignKind.CONDITION, SignKind.CONTRAST}
_RATING = re.compile(
    r"(?:ness|도)?\)?[^\d.?!:=\n。;,|()]{0,8}(?:score|rat(?:e|ing)|probability|likelihood|level|risk|chance"
    r"|of th(?:is|e)|점수|확률|정도|수준|지수|评分|得分|概率|程度|分数|指数|[:=|])[^\d.?!\n。;,|()]{0,20}[:=|≈~]?\s*"
    r"(?:(?:满分)?(?P<most_first>\d{1,3})(?:점 만점에|分(?:制|满分)?,?(?:得|为)?)\s?)?"
    r"(?<![-−])(?P<points>\d{1,3}(?:\.\d{1,4})?)[점分]?"
    r"(?:\s?(?:/|out of|of|\(满分)\s?(?P<most>[1-9]\d{0,2})|\s?(?P<percent>%))?(?![\d/])"
)
_RATED_FIRST = re.compile(
    r"(?<![\d.])(?P<points>\d{1,3}(?:\.\d{1,4})?)(?:\s?(?:/|out of)\s?(?P<most>[1-9]\d{0,2})|\s?(?P<percent>%))"
    r"(?:\s(?:for|on|in|in terms of)\s(?:the\s)?|\s)$"
)
# A number there is the code of a kind of hate, not an answer: the kinds of H-VLI go from 1 to 5.
_CODED = re.compile(r"(?:[_ ]speech)?[_ ](?:type|category|kind)[\s'\"]*[:=|]\s*['\"]?\d")
_DENIED = re.compile(r"\b(?:no|non|not|without)[\s-]*$")  # of a rated word
_LOW, _HIGH = 0.35, 0.65
_BESIDE = 12  # characters in which a word such as "and" ties two things
_LOOK = 60  # characters in which an answer stands


class Segment(NamedTuple):
    """A sentence, line or cell at `start` … `end` of the plain text; `stop` is the sign that ends it, or empty."""

    start: int
    end: int
    stop: str


class _Patterns(NamedTuple):
    """The tables of all languages, as patterns."""

    headed: re.Pattern[str]
    asks: re.Pattern[str]
    answer: re.Pattern[str]
    benign: re.Pattern[str]
    other_label: re.Pattern[str]
    no_verdict: re.Pattern[str]
    named_reading: re.Pattern[str]
    announces: re.Pattern[str]
    early: re.Pattern[str]
    refusal: re.Pattern[str]
    both: re.Pattern[str]
    beside: re.Pattern[str]
    label: re.Pattern[str]
    denied: re.Pattern[str]
    announced: re.Pattern[str]
    lessened: re.Pattern[str]
    rhetorical_yes: re.Pattern[str]
    rhetorical_no: re.Pattern[str]


@cache
def _patterns() -> _Patterns:
    before, heading = any_of("heading_before"), any_of("heading")
    between = r"(?:/|,|、|와|나|또는|및|和|与|或|还是|\b(?:or|and|to|versus|vs\.?)\b)"
    sides = rf"(?:\s?\d+(?:명|人))?\s*{between}\s*(?:(?:for|as|an?|\d+)\s)?"
    hate = r"(?:hateful|hate|혐오|仇恨)"
    non = r"(?:(?:non|not)[\s-]*(?:hateful|hate)|non|(?<=or )not|(?<=/)not|비\s?혐오|非\s?仇恨)"
    denied = rf"(?:(?:{any_of('negation')}|{any_of('copula')})\s?)"
    word = rf"(?:non|un|비|非)?[\s-]?(?:{any_of('hate')}|{any_of('hatred')})"
    return _Patterns(
        # A heading may offer the labels in brackets before it names one.
        headed=re.compile(
            rf"(?<![a-z])(?:{before}\s?){{0,3}}{heading}(?:\s*\([^()\n]{{1,40}}\))?"
            r"(?:\s*[为是]?\s*[:=—]\s*|[ ]{2,}|\s+-\s*|\s+is(?=\s)\s*|[은는](?=\s)\s*|[为是]\s*)['\"\s]*+"
        ),
        asks=re.compile(any_of("asks")),
        answer=re.compile(
            rf"[\s'\"|:)]*+(?:{any_of('answer_before')}[\s:=,]*)?(?:(?P<no>{any_of('no')})|{any_of('yes')})"
            r"(?:\s*(?:입니다|이다))?(?=\s*(?:$|\.(?!\d)|[,;:!)\]}|\n。—→'\"{(]|because\b|since\b|(?:it|this)\b))"
        ),
        benign=re.compile(any_of("benign")),
        other_label=re.compile(rf"['\"\s]*(?:{any_of('other_label')})['\"\s.]*(?:입니다|이다|임|이에요)?(?:$|[(,—])"),
        no_verdict=re.compile(
            rf"(?![^:\n]{{0,40}}{any_of('reached')})[^:(\n]{{0,12}}{any_of('no_verdict')}(?:[^:\n]{{0,10}}[:=]|\s{{2,}})"
        ),
        named_reading=re.compile(rf"[\s>*-]*{any_of('named_reading')}\s*$"),
        announces=re.compile(any_of("announces")),
        early=re.compile(any_of("early")),
        refusal=re.compile(any_of("refusal")),
        both=re.compile(rf"(?P<hateful_first>{hate}{sides}{non})|{non}{sides}{hate}"),
        beside=re.compile(r"\b(?:and|or|from|versus)\b|[와과나및和与或]|또는|라기보다"),
        lessened=re.compile(any_of("lessened")),
        rhetorical_yes=re.compile(any_of("rhetorical_yes")),
        rhetorical_no=re.compile(any_of("rhetorical_no")),
        announced=re.compile(rf"(?<![a-z]){heading}\s*[{ARROW}?]$"),
        denied=re.compile(rf"\bnon|{any_of('negation')}|{any_of('fine')}|비|非"),
        label=re.compile(
            rf"\s*(?:(?:yes|no|예|네|아니요|아니오|是|否|不),\s*)?(?:{denied}?{word}(?:{any_of('negation')}[가-힣]{{0,4}})?|{before}?\s?{heading}|{any_of('other_label')})[.!]?\s*"
        ),
    )


def is_label(said: str) -> bool:
    """Whether nothing but a label or the words of a heading is said."""
    return _patterns().label.fullmatch(said) is not None


def said_by(label: str) -> bool | None:
    """Return whether a bare label says hateful. Returns None if it is none of the labels."""
    patterns, label = _patterns(), label.replace("非常", "")
    if any(tongue.word(label, 0, len(label)) for tongue in tongues()):
        return patterns.denied.search(label) is None
    return False if patterns.benign.search(label) or patterns.other_label.match(label) else None


def segments(text: str) -> Iterator[Segment]:
    """Cut the plain text at line ends, full stops, question marks, cells, brackets and arrows."""
    start = 0
    for stop in _SEGMENT_END.finditer(text):
        if stop.start() > start:
            yield Segment(start, stop.start(), stop.group())
        start = stop.end()
    if start < len(text):
        yield Segment(start, len(text), "")


def label_start(text: str, segment: Segment) -> int:
    """Return where a label of this segment may begin: behind bullets, numbers and words such as "so"."""
    opening = _START.match(text, segment.start, segment.end)
    return opening.end() if opening else segment.start


def headed_end(text: str, segment: Segment) -> int:
    """Return where the heading before a label ends; the start of the segment if it has none."""
    headed = _patterns().headed.match(text, label_start(text, segment), segment.end)
    return headed.end() if headed else segment.start


def heading_of(said: str) -> str:
    """Return the heading that a conclusion begins with; empty if it has none."""
    headed = _patterns().headed.match(said)
    return " ".join(headed.group().split()) if headed else ""


def is_final(heading: str) -> bool:
    """Whether the heading is of a verdict and not of what was thought first."""
    return bool(heading) and _patterns().early.search(heading) is None


def has_no_verdict(text: str, segment: Segment) -> bool:
    """Whether the segment names a topic, a tone or a definition, announces readings, or rates the text halfway."""
    start = label_start(text, segment)
    if _patterns().no_verdict.match(text, start, segment.end) or _names_reading(text, segment):
        return True
    if _patterns().announces.search(text, segment.start, segment.end):
        return True
    mentions = (tongue.word(text, segment.start, segment.end) for tongue in tongues())
    return any(_LOW < (_rating(text, segment.start, mention) or 0) < _HIGH for mention in mentions if mention)


def _names_reading(text: str, segment: Segment) -> bool:
    """Whether a line is the heading of a reading."""
    is_line = segment.stop in ("\n", ":") and text[: segment.start].rpartition("\n")[2].strip() == ""
    return is_line and _patterns().named_reading.match(text, segment.start, segment.end) is not None


def is_refusal(text: str, segment: Segment) -> bool:
    """Whether the segment says that the model does not answer, or what it was made for."""
    return _patterns().refusal.search(text, segment.start, segment.end) is not None


def hateful_first(text: str, segment: Segment) -> bool | None:
    """Return whether hateful is the first of two labels side by side. Returns None if the segment offers no choice."""
    pair = offered(text, segment)
    return pair and pair[1]


def offered(text: str, segment: Segment) -> tuple[int, bool] | None:
    """Return where two labels side by side end, and whether hateful is the first. None: there are none."""
    pair = _patterns().both.search(text, segment.start, segment.end)
    return pair and (pair.end(), pair["hateful_first"] is not None)


def hateful_first_of_two(text: str, segment: Segment) -> bool | None:
    """Return whether hateful is the first of two things side by side. Returns None if there are no two."""
    if (is_first := hateful_first(text, segment)) is not None:
        return is_first
    for tongue in tongues():
        mention = tongue.word(text, segment.start, segment.end)
        if mention and _patterns().beside.search(text, max(segment.start, mention.start - _BESIDE), mention.start):
            return False
        if mention and _patterns().beside.search(text, mention.end, min(segment.end, mention.end + _BESIDE)):
            return True
    return None


def offers_both(text: str, segment: Segment) -> bool:
    """Whether the segment names both labels side by side: a choice, no conclusion."""
    start = headed_end(text, segment)
    return _patterns().both.search(text, start, segment.end) is not None


def other_label(text: str, segment: Segment) -> Conclusion | None:
    """Return the conclusion of a heading that names another label than hateful, such as harmless."""
    start, patterns = headed_end(text, segment), _patterns()
    is_headed = start > segment.start or patterns.announced.search(text, max(0, start - _LOOK), start)
    if not is_headed:
        return None
    if _NUMBER_HEADING.search(text, segment.start, start) and (number := _NUMBER.match(text, start, segment.end)):
        return Conclusion(label_start(text, segment), segment.end, number[1] == "1")
    if _ANSWER_HEADING.search(text, segment.start, start) and (said := _reply(text, start)) is not None:
        return Conclusion(label_start(text, segment), segment.end, said)
    if patterns.other_label.match(text, start, segment.end):
        return Conclusion(label_start(text, segment), segment.end, hateful=False)
    kinds = {sign.kind for tongue in tongues() for sign in tongue.signs(text, start, segment.end)}
    if kinds & _UNLIKE_BENIGN or not patterns.benign.search(text, start, segment.end):
        return None
    return Conclusion(label_start(text, segment), segment.end, hateful=False)


def is_open_field(text: str, segment: Segment) -> bool:
    """Whether the segment is a field with a word of hate as its name, and its value is left open or a count."""
    return _is_field(text, segment, _OPEN_FIELD)


def is_number_field(text: str, segment: Segment) -> bool:
    """Whether the segment is a field with a word of hate as its name and a number as its value."""
    return _is_field(text, segment, _NUMBER_FIELD)


def _is_field(text: str, segment: Segment, value: re.Pattern[str]) -> bool:
    mentions = filter(None, (tongue.word(text, segment.start, segment.end) for tongue in tongues()))
    return any(value.match(text, mention.end) for mention in mentions)


def answered(text: str, segment: Segment, words: Words = HATEFUL) -> Conclusion | None:
    """Return the conclusion of a question, or of a field, which a yes or no follows."""
    for tongue in tongues():
        mention = tongue.word(text, segment.start, segment.end, words)
        if mention is None or _CODED.match(text, mention.end):
            continue
        said = None
        if segment.stop == "?" or (segment.stop == ARROW and _patterns().asks.search(text, segment.start, segment.end)):
            said = _reply(text, segment.end + 1)
            if said is not None and _patterns().lessened.search(text, segment.start, segment.end):
                said = not said
        elif field := _FIELD.match(text, mention.end, mention.end + 41):
            said = _reply(text, field.end())
        if said is None:
            said = _rated(text, segment.start, mention)
        if said is not None:
            return Conclusion(mention.start, segment.end, said is mention.hateful)
    return None


def _reply(text: str, start: int) -> bool | None:
    """Return the yes or no that stands here. Returns None if neither does."""
    said = _patterns().answer.match(text, start, start + _LOOK)
    return None if said is None else said["no"] is None


def rhetorical(text: str, segment: Segment, words: Words = HATEFUL) -> Conclusion | None:
    """Return what a question with these kinds of words says that expects no answer. Returns None if it is none."""
    mention = next(filter(None, (tongue.word(text, segment.start, segment.end, words) for tongue in tongues())), None)
    for pattern, said in ((_patterns().rhetorical_yes, True), (_patterns().rhetorical_no, False)):
        if mention and (question := pattern.search(text, segment.start, segment.end)):
            return Conclusion(question.start(), segment.end, said is mention.hateful)
    return None


def _rated(text: str, start: int, mention: Word) -> bool | None:
    """Return whether the rating beside the word is high. Returns None if it is neither high nor low."""
    share = _rating(text, start, mention)
    is_denied = _DENIED.search(text, start, mention.start) is not None
    return None if share is None or _LOW < share < _HIGH else (share >= _HIGH) is not is_denied


def _rating(text: str, start: int, mention: Word) -> float | None:
    """Return the rating beside the word, from 0 to 1. Returns None if there is none."""
    rating = _RATING.match(text, mention.end, mention.end + _LOOK)
    if rating is None:
        rating = _RATED_FIRST.search(text, max(start, mention.start - _LOOK), mention.start)
    if rating is None:
        return None
    most = rating["most"] or rating.groupdict().get("most_first")
    share = float(rating["points"]) / float(most or (100 if rating["percent"] else 1))
    return share if share <= 1 else None
