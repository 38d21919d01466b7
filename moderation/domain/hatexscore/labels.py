"""Labels as answers carry them in every language: alone, behind a heading, or as yes and no.

All patterns read plain text (see `plain_text`), one segment at a time: a sentence, a line, a cell of a table.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from moderation.domain.hatexscore.conclusion import Conclusion, is_odd

_EN_HEADING = (
    r"(?:(?:my|the|our|final|overall|initial|first|model|predicted|text|post|content"
    r"|hate(?:ful)?(?:\sspeech)?)\s+){0,3}"
    r"(?:conclusion|verdict|label|classification|class|answer|decision|judge?ment|prediction|category|assessment"
    r"|determination|result|output|evaluation|finding|ruling|rating|status|opinion|view|take|call|reading"
    r"|response|annotation)"
)
_KO_HEADING = (
    r"(?:(?:최종|종합|전체|모델|[12]차|혐오(?:\s?표현)?)\s?(?:적인|적으로|적)?\s?){0,2}"
    r"(?:결론|판단|판정|평가|분류|답변|정답|답|예측|레이블|라벨|결과|결정|의견|소견|응답|총평|해석|출력"
    r"|처리)(?:\s?결과)?"
)
_ZH_HEADING = (
    r"(?:最终|最后|综合|总体|初步|模型|我的|所以|因此|那么|于是|故|仇恨(?:言论)?){0,2}的?"
    r"(?:结论|判断|判定|裁定|裁决|答案|回答|分类|标签|结果|预测|类别|评估|结语|定性|决定|看法|意见|归类|认定"
    r"|鉴定|标注)(?:结果)?"
)
HEADING = rf"(?:{_EN_HEADING}|{_KO_HEADING}|{_ZH_HEADING})"
# A heading may offer the labels in brackets before it names one.
HEADED = (
    rf"(?<![a-z]){HEADING}(?:\s*\([^()\n]{{1,40}}\))?"
    r"(?:\s*[为是]?\s*[:=—]\s*|\s+-\s*|\s+is(?=\s)\s*|[은는](?=\s)\s*|[为是]\s*)['\"\s]*+"
)

HATE_EN = r"(?:hateful|hate(?:[ -]?speech)?)(?![\w'-])"
_NO_EN = r"(?:\b(?:not|no|never|non|un|isn't|nothing|neither|zero)(?:[\s-]+|(?=hate)))"
_KIND_EN = (
    r"(?:(?:an?|any|clear|plain|pure|textbook|classic|typical|obvious|blatant|case|example|instance|form|piece|of|most"
    r"|very|considered|[a-z-]{2,20}(?:ly|ist|ic)|anti-[a-z]{2,15})\s+)"
)
_LABEL_EN = (
    rf"(?:{_NO_EN}|{_KIND_EN}){{0,8}}{HATE_EN}(?:\s(?:speech|content|text|post|comment|message|language|statement)\b)?"
)
HATE_KO = (
    r"(?:혐오|증오|헤이트)\s?(?:적인|스러운|적|성)?(?:\s?(?:및|와|과|·|,|/)\s?(?:차별|비하|모욕|조롱|폭력)적?)?\s?"
    r"(?:표현|발언|스피치|글|게시물|게시글|내용|콘텐츠|언어|메시지|댓글|텍스트|문장|요소|어조|태도|시각|관점"
    r"|주장|행위|행동|선동|조롱|비하|비방|농담|문구|영상|광고|가사)?"
)
_LABEL_KO = (
    rf"(?:비|non)?[\s-]*+(?:[가-힣]{{2,6}}\s?)??{HATE_KO}(?:이|가|은|는)?\s?"
    r"(?:아님|아니다|아닙니다|아니에요|없음|없다|해당\s?없음|미해당|x)(?![가-힣a-z])"
    rf"|(?:비|non)?[\s-]*+(?:[가-힣]{{2,6}}\s?)??{HATE_KO}(?:에\s)?(?:해당)?(?![가-힣])"
)
_LABEL_ZH = (
    r"(?:非|不是|并非|不属于|不构成|没有|无|不含|未构成|不算)?(?:属于|构成)?(?:典型的?|明显的?|明确的?)?"
    r"仇恨(?:性)?(?:的)?(?:言论|内容|言语|信息|文本|帖子|表达|评论|语言)?(?![\u4e00-\u9fff])"
)
_MENTION = re.compile(rf"(?P<non>\b(?:non|not)[\s-]*|비|非)?(?:{HATE_EN}|{HATE_KO}|仇恨)")
_WHETHER = re.compile(r"여부|인지|是否|与否|\bwhether\b|^\W*is\b")
LABEL = re.compile(rf"(?:{_LABEL_EN}|{_LABEL_KO}|{_LABEL_ZH})", re.IGNORECASE)
_NEGATION = re.compile(
    r"\b(?:not|no|never|non|un|isn't|nothing|neither|zero)(?=[\s-])|\b(?:non|un)(?=hate)|^비|아님|아니|아닙|없"
    r"|미해당|x$"
    r"|非|不|没有|无|未"
)
_DOUBT = re.compile(r"\b(?:potentially|possibly|perhaps|maybe|arguably|borderline|unclear)\b")
_START = re.compile(
    r"[\s>+\-—'\",:)]*+(?:\(?(?:\d{1,2}|[a-z])[.):]\s*)?(?:(?:step|단계|步骤)\s?\d{1,2}\s?[.:)]\s*)?"
    r"(?:(?:(?:yes|no)(?=\s*[,:])|so|thus|therefore|hence|overall|ultimately|finally|definitely|in (?:conclusion"
    r"|summary|short)"
    r"|따라서|그러므로|결론적으로|즉|네|예|아니요|아니오)(?:\s*[,:]\s*|\s+)|(?:因此|所以|综上(?:所述)?|总之|故"
    r"|是的(?=,)|不(?=,))[,:]?\s*){0,2}"
)
_HEADED = re.compile(HEADED)
_REST = re.compile(
    r"['\"\s]*+(?:$|[()—|.:=/]|-\s|,|(?:because|since|as|due to|for|towards?|against|at all|here|overall|whatsoever)\b)"
)
_OTHER_LABEL = re.compile(r"\s*(?:/|,?\s*\bor\b|\bvs\b|또는|혹은|或|,\s*(?:non|not|비|非))")
_BOTH = re.compile(
    r"hateful\s*(?:/|,|or|and|versus|vs\.?)\s*(?:for |as |an? )?(?:non|not)[- ]?(?:hateful)"
    r"|non[- ]?hateful\s*(?:/|,|or|and|versus"
    r"|vs\.?)\s*(?:for |as |an? )?hateful|혐오\s*(?:/|,|와|나|또는|및)\s*비\s?혐오|비\s?혐오\s*(?:/|,|와|나|또는"
    r"|및)\s*혐오"
    r"|仇恨\s*(?:/|,|、|和|与|或|还是)\s*非\s?仇恨|非\s?仇恨\s*(?:/|,|、|和|与|或|还是)\s*仇恨"
)
_DEFINITION = re.compile(r"\s*[:—,]\s*(?:any|language|speech|a form|communication|expression|words|refers|according)\b")
_FIELD = re.compile(r"[^.?!:=\n。;,|]{0,40}[?:=|—]")
_KEY = re.compile(
    r"(?!(?:[^:\n]*\b)?(?:topics?|themes?|keywords?|emotions?|sentiments?|tones?|subjects?|targets?|about"
    r"|examples?|definitions?"
    r"|quotes?|titles?|notes?|questions?|terms?|hate\w*)\b|[^:\n]*(?:主题|话题|关键词|情绪|情感|语气|目标|对象"
    r"|例|定义|标题|주제|키워드|감정"
    r"|어조|대상|예시|정의|제목|표현|문제|혐오|증오|仇恨))(?:(?:[a-z';/-]+\s+){0,4}[a-z'/-]+\s*[:=]\s*"
    r"|(?:[가-힣]+\s?){1,4}\s?[:=]\s*"
    r"|[\u4e00-\u9fff]{1,10}\s*:\s*)"
)
_ANSWER = re.compile(
    r"[\s'\"|:)]*+(?:(?:the )?(?:answer|답변?|答案|回答)\s*(?:[:=]|is|은|是)\s*)?(?:"
    r"(?P<no>no|false|nope|0(?!\.?\d)|x|absolutely not|definitely not|certainly not|not really|not quite|hardly"
    r"|(?:i (?:believe|think|'d say|would say)(?: that)?\s+)?(?:it|this|the \w+)(?: is not| isn't|'s not"
    r"| does not| doesn't)"
    r"|i (?:don't|do not) (?:think|believe) (?:so|it is)"
    r"|아니요|아니오|아니다|아닙니다|아니에요|아뇨|아님|그렇지 않(?:습니다|다|아요)|해당\s?없음|없음|미해당"
    r"|不是的?|否|不属于|不构成|并非(?:如此)?|并不是|显然不是|当然不是|没有|无|不|不算|还?(?:算|谈|称|说)不上|否定的?)"
    r"|(?:yes|true|1(?!\.?\d)|o|absolutely|definitely|certainly|indeed|of course|clearly"
    r"|(?:i (?:believe|think|'d say|would say)(?: that)?\s+)?(?:it|this|the \w+)(?: is| does)|i (?:believe|think) so"
    r"|네|예|그렇습니다|그렇다|그래요|맞습니다|맞다|해당(?:함|됨)?|있음|是的?|对的?|当然是?|显然是?|确实是?"
    r"|我认为是|属于|构成|算|肯定的?))"
    r"(?=\s*(?:$|[.,;:!)\]}|\n。—→'\"{(]|because\b|since\b|(?:it|this)\b))"
)
_SEGMENT_END = re.compile(
    r"[\n。;!?|{}\[\]→…\x02]|\.(?=[\s\x01'\")]|$|[가-힣\u4e00-\u9fff])|(?<=[\u4e00-\u9fff\x01])\."
)


class Segment(NamedTuple):
    """A sentence, line or cell at `start` … `end` of the plain text; `stop` is the sign that ends it, or empty."""

    start: int
    end: int
    stop: str


def segments(text: str) -> Iterator[Segment]:
    """Cut the plain text at line ends, full stops, question marks, cells, brackets and arrows."""
    start = 0
    for stop in _SEGMENT_END.finditer(text):
        if stop.start() > start:
            yield Segment(start, stop.start(), stop.group())
        start = stop.end()
    if start < len(text):
        yield Segment(start, len(text), "")


def label_alone(text: str, segment: Segment) -> Conclusion | None:
    """Return the conclusion of a segment that is a label, perhaps behind a heading, before a reason or a yes or no.

    Returns None if the segment says something else, offers labels to choose from, defines the label, or asks.
    """
    opening = _START.match(text, segment.start, segment.end)
    start = label_start = opening.end() if opening else segment.start
    if headed := _HEADED.match(text, start, segment.end) or _KEY.match(text, start, min(segment.end, start + 60)):
        label_start = headed.end()
    label = LABEL.match(text, label_start, segment.end)
    if label is None or not _REST.match(text, label.end(), segment.end):
        return None
    hateful = not is_odd(_NEGATION.findall(label.group()), non=False)
    if (said := answer(text, label.end())) is not None:
        return Conclusion(start, label.end(), hateful is said)
    if segment.stop == "?" or _OTHER_LABEL.match(text, label.end()) or _DOUBT.search(label.group()):
        return None
    if hateful and not headed and _DEFINITION.match(text, label.end()):
        return None
    return Conclusion(start, label.end(), hateful)


def bracketed(text: str, segment: Segment) -> Conclusion | None:
    """Return the conclusion of a label in round brackets at the end of a segment that states none itself."""
    opening = text.rfind("(", segment.start, segment.end)
    label = LABEL.match(text, opening + 1, segment.end) if opening >= 0 else None
    if label is None or text[label.end() : segment.end].strip() != ")":
        return None
    return Conclusion(opening + 1, label.end(), not is_odd(_NEGATION.findall(label.group()), non=False))


def answered(text: str, segment: Segment) -> Conclusion | None:
    """Return the conclusion of a question, or of a field that asks whether, which a yes or no follows."""
    mention = _MENTION.search(text, segment.start, segment.end)
    if mention is None:
        return None
    if segment.stop == "?":
        reply = _ANSWER.match(text, segment.end + 1, segment.end + 61)
        said = None if reply is None else reply["no"] is None
    else:
        asks = _WHETHER.search(text[segment.start : segment.end])
        said = answer(text, mention.end()) if asks else None
    return None if said is None else Conclusion(mention.start(), segment.end, said is not bool(mention["non"]))


def heading_of(said: str) -> str:
    """Return the heading that a conclusion begins with; empty if it has none."""
    headed = _HEADED.match(said)
    return " ".join(headed.group().split()) if headed else ""


def offers_both(text: str, segment: Segment) -> bool:
    """Whether the segment names both labels side by side: a choice, no conclusion."""
    return _BOTH.search(text, headed_end(text, segment), segment.end) is not None


def last_clause(text: str, segment: Segment) -> Segment | None:
    """Return what stands behind the last comma. Returns None if no heading of a label begins there."""
    comma = text.rfind(",", segment.start, segment.end)
    if comma < 0:
        return None
    clause = Segment(comma + 1, segment.end, segment.stop)
    return clause if headed_end(text, clause) > clause.start else None


def headed_end(text: str, segment: Segment) -> int:
    """Return where the heading before a label ends; the start of the segment if it has none."""
    opening = _START.match(text, segment.start, segment.end)
    headed = _HEADED.match(text, opening.end() if opening else segment.start, segment.end)
    return headed.end() if headed else segment.start


def answer(text: str, start: int) -> bool | None:
    """Return the yes or no that answers a question or fills a field which ends soon after `start`.

    Returns None if neither follows.
    """
    field = _FIELD.match(text, start, start + 41)
    said = _ANSWER.match(text, field.end(), field.end() + 60) if field else None
    return None if said is None else said["no"] is None
