"""Conclusions as Korean states them: what is said of the word, and what negates or doubts it, stands behind it."""

import re
from collections.abc import Iterator

from moderation.domain.hatexscore.conclusion import Conclusion, is_odd
from moderation.domain.hatexscore.labels import HATE_KO, Segment, headed_end

_MENTION = re.compile(
    rf"(?P<non>비\s?|non-?\s?|not\s)?(?:{HATE_KO}|(?:hateful|hate\s?speech)(?:\s*한\s*(?:글|텍스트|게시물|내용"
    rf"|표현|발언|댓글"
    rf"|문장))?)(?:\s?\([^()\n]{{1,30}}\))?(?![a-z])"
)
# The predicate ends where another clause begins, unless the ending only quotes it ("이라고 보기").
_PREDICATE = re.compile(r"[^.,;:!?。\n\x01()\[\]—]{0,60}")
_NEXT_CLAUSE = re.compile(
    r"(?:지만|으나|[하되었겠]나|이며|하며|되며|으며|므로|는데|은데|인데|면서|기 때문|어서|아서|해서|여서|니까"
    r"|으니|아니라(?!고|는)"
    r"|[이하되](?:고)(?=\s)(?!\s?(?:있|할|볼|보|생각|판단|하|부르|간주|해석|인정|분류|규정|여기|평가|단정|말"
    r"|할)))(?=\s|$)"
    r"|\s아닌\s(?!것|걸|듯)|(?<=[이가])\s?아닌\s(?!것|걸|듯)"
)
_ADVERB = (
    r"(?:(?:전혀|결코|절대로?|명백히|분명히|확실히|매우|아주|전적으로|충분히|더|별다른|어떠한|어떤|특별히"
    r"|직접적으로)\s*)?"
)
_SAYS = re.compile(
    rf"\s*(?:일|이라고|라고|이라|으로|로|에서|에|이|가|은|는|을|를|까지|까진|라곤|도|과는|와는|과|와|라|의|스럽|하"
    rf"|한)?(?:는|은|도|의)?\s*{_ADVERB}"
    r"(?:이다|다(?=\s*$)|입니다|임(?=\s*$)|군요|죠|지요|네요|랍니다|이에요|예요|이며|이고|이므로|이라|이지|인 것"
    r"|아니|아닙|아님|아닌|아닐|여야|이어야|해당|포함|담|내포|있|없|보"
    r"|볼|봅|봐|판단|판정|분류|취급|간주|여겨|여기|규정|생각|할 |하기|할수|한다고|이기|적이|적입|맞|인정"
    r"|거리가 [멀멉]|정반대|다르|일 리|구별|구분|속[하한합했해]|임[이을에은]?\s|하지\s|성립|틀림없|확실|깔려"
    r"|쓰[였인이]|사용되|사용됐"
    r"|등장|갖추|갖췄|찾[을아은]|(?:[가-힣]+[인한적]\s)?(?:예[이다임]|예로|사례|일종|전형|표본|본보기)|된다"
    r"|됩니다|될 수"
    r"|사료|해석|평가|이르|도달|미치|가깝|지 않|않|합니다|하다|습니다|다고|럽|부르|칭하|단정|함(?=\s*$)|(?:조장"
    r"|선동|유발|전파|확산|표출|사용|정당화)[하합한함했]"
    r"|부추[기긴김겼]|드러[나난내낸냅]|느껴|감지|탐지|검출|식별|짙|강하|농후|섞|서려|깃들|가득|무관|관련|상관"
    r"|(?:기준|정의|요건|조건|개념)(?:을|를|에|에도|과|와)?\s?(?:충족"
    r"|부합|만족|해당|들어맞|맞)|확인|명백|분명|뚜렷|라기"
    r"|나타나|나타난|선을|한계를|경계를|수준|정도|범주|의도|성격|요소|내용|근거|여지|소지|가능성|찾아|발견)"
)
# Behind "as" and "into" any verb states it, but those of blame and of what hate does to people.
_AS = re.compile(
    r"\s*(?:적인 것|적)?(?:이라고|라고|으로|로|까지|까진|라곤)(?:는|은|도)?\s+(?!인해|인한|인하|고발|고소|기소"
    r"|처벌|비난|고통|상처|피해|시달|몰리"
    r"|가득하지|이어지|번지|쓰인|쓰이|불리)[가-힣]"
)
_HAS_SIGNS = re.compile(
    r"\s?(?:의\s?)?(?:특징|징후|흔적|증거|기색|뉘앙스|색채|성향|경향|의미|목적|동기|요소|의도|내용)?(?:이|가|은"
    r"|는|도)\s*"
    r"(?:[가-힣]+(?:게|히|이)\s)?(?:나타[나난날납났]|드러[나난날납났]|보[이인입여]|느껴|담[겨긴]|포함|존재|있|없"
    r"|않|엿보)"
)
# Any other predicate that ends the sentence states it too, unless it says what hate does or what is done about it.
_FINAL = re.compile(r"^\s*(?:이라는|라는|이|가|을|를|의|에|과|와|이라|라)\s+[가-힣].*(?:다|요|음|함|임|됨|죠)\s*$")
_TOPIC = re.compile(
    r"대한|대해|관한|관해|비판|반대|규탄|비난|언급|다루|다룬|다룹|인용|소개|설명|논의|막는|막아|예방|방지|멈추"
    r"|멈춰|근절|지적|신고"
    r"|겪|당하|당한|당했|우려|연구|분석|금지|규제|처벌|반박|거부|경계|피해|맞서|대응|저항|고발|확산|늘어|늘었"
    r"|증가|퍼지|퍼진|번지|번진"
    r"|사회|교육|캠페인|법률|정책|정의|뜻|무엇|해롭|나쁘|위험|문제|모호|낱말|단어|제목|묻|물었|다양|차이"
)
_PARTICLE_END = re.compile(r"\s*(?:임|이다|입니다|다)?\s*$")
_THEREFORE = re.compile(r"(?:따라서|그러므로|그러니까?|그래서|고로|즉|결국|결론적으로|최종적으로|[,:—])\s*$")
_NEGATIONS = re.compile(
    r"라기보다|라기 보다|아니|아닙|아님|아닌|아닐|않|(?<!밖에 )(?<!틀림)(?<!다름)(?<!손색)(?<!여지)(?<!나위 )없"
    r"|못(?=하|한|할|된|합|했|함|해|됨|되)|거리가 [멀멉]|정반대|다르|다른 |구별[되된]|구분[되된]|피하|피했|삼가"
    r"|자제|배제|벗어[나난날납]|(?<!수)밖(?=에 있|의|이)|무관"
    r"|불가|부족|(?:가능성|소지|여지|우려)(?:가|이|는|은"
    r"|도)?\s?(?:낮|적|희박)|무리(?=가|이|다|입|라)|지나치|과하|과도"
    r"|(?:보기|보긴|하기|하긴|부르기|여기기|간주하기|분류하기|판단하기|해석하기|인정하기|평가하기|규정하기"
    r"|칭하기|되기)(?:에는|엔|에|는|가|도)?\s?"
    r"(?:어렵|어려|힘들|힘듭|곤란|애매하)"
)
_DOUBTS = re.compile(
    r"인지|[일할될볼]지|는지|라고도|여부|지도 모르|지도 모른|수도 있|수 있는지|불분명|불명확|불확실|단정|(?:될"
    r"|일) 수 있는|단언|확답|장담|확언|속단|확실하지|알 수 없|판단할 수 없"
    r"|(?:일|을|할|될)까|인가|라면|다면|경우|가능성|소지|우려가|의심|논란|(?:볼|될|할|해석될) 여지(?:가|는"
    r"|도)?\s?있|생각할 수|이어질 수|는 (?:사람|이|독자|분)(?:도|들|이)|느낄 수|받아들여질 수|오해|비칠 수"
    r"|(?:볼|해석할|읽힐|느낄|비칠|비춰질) 수도|이겠|겠지만|따라|달려|달라|한편으로|해석도|[다라]고 되어"
)
_CERTAIN_POSSIBILITY = re.compile(r"(?:가능성|소지|여지|우려)(?:가|이|는|은|도)?\s?(?:없|낮|적)")
_CONDITION = re.compile(r"만약|만일|혹시|어쩌면|아마|(?<!저)(?<!나)라면|다면|경우에|않는 한|아닌 이상")
_OTHERS = re.compile(
    r"(?:이라고|라고)\s?(?:합니다|한다|했다|했습니다|들\s)|(?:라고|다고|라며|라는)\s?(?:는\s?)?(?:신고|주장|항의"
    r"|비난|불렀|부른다|불린|지적|반박|말했|말한다|비판)"
)
_BY_OTHERS = re.compile(
    r"(?:플랫폼|작성자|글쓴이|이용자|사용자|누군가|일부|운영자|운영진|관리자|누리꾼|네티즌|독자|사람들|그|그녀"
    r"|법원|경찰|언론|누구|회사|시스템)"
    r"(?:들)?[은는이가]\s"
)
_THEY_JUDGE = re.compile(
    r"(?:분류|판단|판정|신고|표시|주장|부인|생각|평가|규정|간주)(?:했|한다고|하였|하고 있|하지만|한다|합니다)"
    r"|물었|묻|느끼|느낄|말하|말했|말할|부를"
)
_CONTRAST = re.compile(r"지만|으나|그러나|하지만|다만|므로|때문에")
_OTHER_HATE = re.compile(r"\s?(?:범죄|범행|규제|금지|방지|대응|통계|연구|법|단체|집단|사이트|피해|논란|문제|현상)")


def stated(text: str, segment: Segment) -> Iterator[Conclusion]:
    """Return what the segment states in Korean; `text` is plain text."""
    heading_end = headed_end(text, segment)
    for hit in _MENTION.finditer(text, segment.start, segment.end):
        if conclusion := _stated(text, segment, hit, heading_end):
            yield conclusion


def _stated(text: str, segment: Segment, hit: re.Match[str], heading_end: int) -> Conclusion | None:
    said = _predicate(text, hit.end(), segment.end)
    headed = heading_end > segment.start and _PARTICLE_END.match(said)
    if not (headed or said.strip()):
        headed = _THEREFORE.search(text, segment.start, hit.start())
    if _is_english(hit, said) or not (headed or _is_statement(said)):
        return None
    if _is_open(text, segment, hit, said):
        return None
    start = segment.start if heading_end > segment.start else hit.start()
    negated = is_odd(_NEGATIONS.findall(said), bool(hit["non"]))
    return Conclusion(_first_sign(text, start), hit.end() + len(said.rstrip()), not negated)


def _predicate(text: str, start: int, end: int) -> str:
    """Return what is said behind the word, up to the next clause."""
    said = _PREDICATE.match(text, start, end)
    tail = said.group() if said else ""
    following = _NEXT_CLAUSE.search(tail)
    return tail[: following.end()].rstrip() if following else tail


def _is_english(hit: re.Match[str], said: str) -> bool:
    """Whether the word is English and no Korean ending follows: that is read as English."""
    return not re.search("[가-힣]", hit.group()) and not re.match(r"\s?[가-힣]", said)


def _is_statement(said: str) -> bool:
    if _OTHER_HATE.match(said):
        return False
    if any(form.match(said) for form in (_SAYS, _AS, _HAS_SIGNS)):
        return True
    return _FINAL.search(said) is not None and _TOPIC.search(said) is None


def _is_open(text: str, segment: Segment, hit: re.Match[str], said: str) -> bool:
    """Whether the sentence doubts, makes a condition or tells what others say."""
    if _CERTAIN_POSSIBILITY.search(said):
        return False
    sentence = text[max(segment.start, hit.start() - 200) : hit.start()]
    contrasts = list(_CONTRAST.finditer(sentence))
    since = sentence[contrasts[-1].end() :] if contrasts else sentence
    if _BY_OTHERS.search(since) and _THEY_JUDGE.search(said):
        return True
    return bool(_DOUBTS.search(said) or _CONDITION.search(since) or _OTHERS.search(said))


def _first_sign(text: str, start: int) -> int:
    while start < len(text) and text[start] in " \t\x01'\">+-":
        start += 1
    return start
