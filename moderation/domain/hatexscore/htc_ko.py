"""Conclusions as Korean states them: what is said, and what negates it, stands behind the word."""

import re
from collections.abc import Iterator

from moderation.domain.hatexscore.conclusion import Conclusion, is_odd, trimmed

_HATE = re.compile(
    r"(?P<non>비\s?)?(?:혐오|증오|헤이트)\s?(?:적(?:인)?|성|스러운)?\s?"
    r"(?:표현|발언|스피치|글|게시물|게시글|내용|콘텐츠|언어|메시지)?"
)
_MARK = re.compile(
    r"(?:결론|판단|판정|평가|분류|답변|정답|예측|레이블|라벨|결과)(?:은|는)?\s*[:：]?[\s*_“「]*"
    r"(?:이\s*(?:글|게시물|문장|텍스트)[은는]\s*)?$"
)
_SAYS = re.compile(
    r"\s*(?:이라고|라고|으로|로|에|이|가|은|는|을|를|도|과는|와는|라|이라)?\s*"
    r"(?:이다|다(?=[\s.,!)]|$)|입니다|임(?=[\s.,!)]|$)|이며|이고|이므로|이라|이지|인 것|아니|아닙|아님|아닌|해당|포함"
    r"|담|내포|있|없|보|볼|봅|판단|판정|분류|간주|여겨|규정|생각|할 수|한다고|하기|이기|적이|적입|맞|인정|거리가 멀"
    r"|속하|속한|된다|됩니다|될 수)"
)
_TAIL = re.compile(r"[^.,;!?。\n\x01]{0,40}")
_NEGATIONS = re.compile(r"아니|아닙|아님|아닌|않|없|못(?=하|한|할|된)|거리가 멀|무관|불가")
_DOUBTS = re.compile(
    r"인지|일지|는지|할지|될지|지도 모르|지도 모른|수도 있|불분명|불명확|어렵|어려|확실하지|알 수 없|판단할 수 없"
    r"|단정할 수 없|을까|인가|일까|라면|경우"
)
_IF = re.compile(r"만약|만일|혹시|어쩌면|아마")
_ALONE = re.compile(
    r"^[ \t\u00a0\u3000*_#>\-–—“「]*(?P<non>비\s?)?(?:혐오|증오)(?:적|성)?\s?(?:표현|발언|글)?"
    r"(?P<no>\s*(?:이|가)?\s*(?:아님|아니다|아닙니다|없음|없다))?[\s*_”」.!]*$",
    re.MULTILINE,
)


def stated(text: str) -> Iterator[Conclusion]:
    """What the text states, some of it twice."""
    for hit in _ALONE.finditer(text):
        yield trimmed(hit, not is_odd([hit["no"]] if hit["no"] else [], bool(hit["non"])))
    for hit in _HATE.finditer(text):
        if found := _stated(text, hit):
            yield found


def _stated(text: str, hit: re.Match[str]) -> Conclusion | None:
    tail = _TAIL.match(text, hit.end())
    said = tail.group() if tail else ""
    end = hit.end() + len(said)
    begin = max(text.rfind(stop, 0, hit.start()) for stop in ".!?。\n\x01") + 1
    if _DOUBTS.search(hit.group() + said) or _IF.search(text, begin, hit.start()) or text[end : end + 1] == "?":
        return None
    marked = _MARK.search(text, max(0, hit.start() - 30), hit.start())
    if not _SAYS.match(said) and not (marked and not said.strip()):
        return None
    negated = is_odd(_NEGATIONS.findall(said), bool(hit["non"]))
    start = marked.start() if marked else hit.start()
    return Conclusion(start, hit.end() + len(said.rstrip()), not negated)
