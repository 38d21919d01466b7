"""Sentences of a reply that state something a person should check before the reply is approved.

The list prefers too many sentences to too few: it holds every sentence with a figure, a source, or words such as all,
most or none, a comparison, a link, or what something or somebody is said to be or do. What speaks of the speaker, the
reader, feelings or duties is none of these. It does not judge whether they are true.
"""

import re

from annotation.domain.masking.mask import Found, Mask, find
from vocabulary.late_patterns import late

_LINK = re.compile(r"(?:https?://|www\.)[^\s<>\"'，。、！？）)\]】」]{1,2000}", re.IGNORECASE)
_AFTER_LINK = ".,;:!?/"
_SENTENCE = re.compile(r"[^.!?。！？\n]+(?:[.!?。！？](?=\d)[^.!?。！？\n]+)*(?:[.!?。！？]+[”’」』）)\]\"]*)?")
_AFTER_STOP = '”’」』）)]"'
_INSIDE = re.compile(r"[.!?](?=.)")
_KEPT = {".": "\ue000", "!": "\ue001", "?": "\ue002"}
"""Signs inside a link, while the text is cut into sentences: private characters that no post means anything by."""
_BACK = {ord(kept): sign for sign, kept in _KEPT.items()}
_NUMBER = re.compile(
    r"\d|[一二三四五六七八九十百千万亿两几](?=[%个人年万成倍户家名次条位])"
    r"|[二三四五六七八九十百千万亿两](?=[所座间間起例辆輛栋幢届屆岁歲])|百分之|퍼센트"
    r"|(?!한 ?번(?!도))(?:한|두|세|네|다섯|여섯|일곱|여덟"
    r"|아홉|열|스무|[백천만억])\s?(?:명|가구|사람|배|번|곳|개|채|집|만"
    r"|가족)(?![가-힣]*인데)"
    r"|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|hundred|thousand)\b",
    re.IGNORECASE,
)
_COUNTED = late(
    r"\b(?:half|thirds?|quarters?|percent|per cent|dozens?|hundreds?|thousands?|millions?|billions?|twice|double[sd]?"
    r"|majority|minority|most|every\w{0,4}|always|never|none|nobody|no one|all|fewer|the first|the (?:\w{3,12}est))\b"
    r"|\b(?:more|less|fewer|higher|lower|\w{3,12}er)\b.{0,40}\bthan\b|\b(?:more|less) likely\b"
    r"|^no \w+ (?:[\w'’-]+ ){0,5}?(?:has|have|was|were) (?:ever )?(?:been )?"
    r"(?:\w{3,}(?:ed|en|wn)|built|made|found|held|sold|lost|paid|sent|left|kept|told|won|done|said|put|cut|read|set)\b"
    r"|\b(?:has|have|had|is|are) (?:been )?(?:fallen|risen|grown|dropped|doubled|halved|increased|decreased"
    r"|declined)\b"
    r"|대부분|대다수|모든|모두가|절대|항상|언제나|아무도|누구도|절반|과반|두 배|더 (?:많|적|높|낮)|덜 "
    r"|보다 (?:더|덜|많|적|높|낮)"
    r"|(?:늘|줄|증가|감소|올랐|하락|상승)(?:었|했|어|하)|올랐|내렸|(?:늘|줄|증가하|감소하|상승하|하락하)고 있"
    r"|[수몇] ?[십백천만억]+ ?(?:명|개|건|곳|채|년|가구)"
    r"|大多|大部分|多数|所有|全部|从不|从来|总是|一直|没有人|谁都|一半|翻了?[一两]?[倍番]|更[多少高低]"
    r"|比.{1,12}[多少高低]"
    r"|低于|高于|多于|少于|[率数口租价][^。]{0,4}(?:下降|上升|增加|减少|增长)|(?:下降|上升|增加|减少|增长)了",
    re.IGNORECASE,
)
_WHO = (
    r"(?:un|who|eu|government|ministry|mayor|court|judges?|police|doctors?|newspapers?|paper|university|city|council"
    r"|bank)"
)
_SOURCE = re.compile(
    r"\b(?:stud(?:y|ies)|research|report(?:s|ed)?|surveys?|statistics?|data|census|scientists?|experts?|historians?"
    r"|according to|evidence shows?|figures? shows?|proven|founded|invented|registers?|records?|(?:il)?legal"
    r"|the law|by law"
    r"|(?:dr|prof(?:essor)?|mr|mrs|ms|judge|justice|minister|president|mayor|senator|bishop|inspector)\b\.? "
    r"\w+ (?:\w+ ){0,6}?(?:says?|said|wrote|writes|confirm(?:s|ed)|found|finds|warn(?:s|ed)|stat(?:es|ed))"
    rf"|the {_WHO} (?:has |have )?(?:says?|said|found|ruled|wrote|writes|confirm\w{{0,3}}|states?|decided|agrees?)"
    r"|(?:doctors|scientists|judges|economists|police) (?:agree|say|confirm|have))\b"
    r"|법(?:은|률은|에서는)|금지(?:한|하|되|된)|(?:의사|과학자|학자|판사|경찰|정부|유엔|신문|교수)(?:들)?(?:은"
    r"|는|이|가) .*다고"
    r"|(?:의사|과학자|학자|판사|교수)들(?:은|이) .*라고"
    r"|연구|조사|통계|보고서|에 따르면|에 의하면|발표|보도|전문가|판결|불법|합법|법원|확인했|확인됐|경찰이"
    r"|法律|法规|(?:医生|科学家|学者|法官|警察|警方|政府|媒体|教授)们?[^。]{0,6}(?:说|认为|指出|的说法)|研究"
    r"|调查|统计|报告|数据|根据|据[^。，]{1,12}[，,说称]|表示|报道|公布"
    r"|[^\W我你您咱a-z]说[:：，]?\s?[“「『\"]|专家|判决|法院|违法|合法|证实",
    re.IGNORECASE,
)
_OF_A_GROUP = re.compile(
    r"\b(?:immigrants?|migrants?|newcomers|refugees|foreigners|muslims|jews|christians|women|men"
    r"|religions?)\b [^?]{0,20}"
    r"\b(?:pay|cause|commit|take|get|receive|earn|work|live|are|do not|don['’]t)\b"
    r"|(?:이주민|난민|외국인|여성|남성)(?:은|는|이|가|들은|들이)[^?]{0,40}(?:다|요)\.?$"
    r"|(?:移民|难民|外国人|女性|男性)[^？]{0,20}(?:犯罪|缴税|工作|收入)",
    re.IGNORECASE,
)
_COMPARED = re.compile(
    r"\b(?:just )?as (?!well\b|soon\b|long\b|far\b|much as i\b)\w+(?: \w+){0,2} as\b"
    r"|\b(?:the same|no different) (?:\w+ )?(?:as|from)\b"
    r"|만큼 [가-힣]|[와과] (?:똑같|마찬가지|다르지 않|다를 바)|[和跟与同][^，。]{1,12}(?:一样|相同|没有区别|没什么不同)"
    r"|几乎[都全没不]|[全也]都[会有是在学]|人人都",
    re.IGNORECASE,
)
_POINTED_AT = re.compile(
    r"^(?:this|that|these|those) (?!is\b|was\b|were\b|are\b"
    r"|ha[sv]e?\b|will\b|would\b|can\b|could\b|may\b|must\b|kind\b|sort\b"
    r"|way\b)\w+ (?:is from|was|were|has been|have been|had been"
    r"|runs?|comes?|came|costs?|opened|closed|shows?|dates?)\b"
    r"|\bcosts? (?:\w+ ){1,4}(?:nothing|less|more|money)\b",
    re.IGNORECASE,
)
_OF_US = re.compile(
    r"\b(?:i|me|my|we|us|our|you|your|please)\b|(?<![가-힣])(?:저|제|우리|당신|여러분)|[我你您咱请吧]", re.IGNORECASE
)
_WISHES = re.compile(
    r"\b(?:nobody|no one) (?:is|wants?|here|tries|will)\b.{0,20}\byour?\b|(?:아무도|누구도)[^.]{0,12}(?:당신|여러분)"
    r"|(?:没有[人谁]|谁也没)[^。]{0,4}[要想让在][^。]{0,4}[你您]|[라다려]는 (?:말|게|것|뜻)[이은]? ?아니"
    r"|^(?:you|we|i) (?:all )?(?:can do|want|hope|wish)\b"
    r"|\b(?:deserves?|should|ought to|must)\b|(?:들을|받을|당할) (?:이유|까닭|사람)[은는이가]? ?없"
    r"|[아어여해]야 ?(?:한|해|합)|서는 안 ?[되돼됩된]|으?면 안 ?[되돼됩된]|应该|應該|不该|不該|值得|有权|有權",
    re.IGNORECASE,
)
"""What people deserve or should do is no fact, whatever it says of all or nobody."""
_TO_SOMEBODY = late(
    r"\b(?:i|i['’]\w+|me|my|mine(?= (?:is|was|too)|[.,!]|$)|we"
    r"|we['’]\w+|us|our|you|you['’]\w+|let|let['’]s|please|thanks?"
    r"|sorry|hello|yes|no)\b"
    r"|^(?:this|that|these|those|such|it|there|here|who|what|how|if|and|but|so|or|think|come|look|imagine"
    r"|remember|see"
    r"|ask|read|go|stop|try|listen|meet|be|do|don['’]t|take|give|call|words?|nobody|perhaps|maybe)\b"
    r"|(?:저|나|우리|당신|여러분|그쪽|너|니|네)(?:는|은|를|을|가|이|도|희|의|에게)|(?:^|\s)(?:제|내|우리) |그런"
    r"|이런|저런|이 ?[말글]|그 ?[말글]"
    r"|[세시]요|[가-힣]까요?$|[합봅갑]시다|수도? 있(?:어|습)|[죠네군]요?\.?$|(?:해|아|어|여) ?(?:주|봐|보)|싶"
    r"|같[아은이]|고마"
    r"|고맙|감사|미안|죄송"
    r"|[我你您咱谁]|请|吧|吗|呢|谢谢|^[想来别去看听不先]|试试|看看|问问|想想|聊聊|谈谈|^[这那](?:是|很|样|种"
    r"|些?话|句|不|让|会|真|就|个词[很不真])|可以|这样|那样",
    re.IGNORECASE,
)
_VALUES = re.compile(
    r"\b(?:deserv\w+|should|ought|must|hurts?|hurting|kind\w*|unkind|rude|cruel|wrong|fair|unfair|sad|hate\w*|love\w*"
    r"|respect\w*|dignity|insult\w*|offen[cs]\w+|welcome|matters?|belongs?|nice|better|good|bad|beautiful|ugly|afraid"
    r"|fear\w*|safe|hop\w+|dream\w*|people are|humans?|nobody is|worth|value\w*|weeds?|flowers?|roses?|gardens?)\b"
    r"|상처|무례|존중|존엄|친절|혐오|차별|모욕|아프|아픕|슬프|나쁘|나쁜|좋은|좋다|좋겠|좋아|소중|안전해야"
    r"|[아어여해]야 ?(?:한|해|합|돼|됩)|바라|바란|희망"
    r"|사랑|두려|무서|마음|사람이?다|사람입니다|인간|잡초|장미|꽃|정원|이웃|까닭|이유(?:가|는) ?없|자격"
    r"|伤人|好受|难受|伤害|尊重|尊严|友善|善良|粗鲁|残忍|不对"
    r"|公平|难过|仇恨|歧视|侮辱|美丽|应该|應該|不该|应当|值得|有权"
    r"|希望|爱|害怕|恐惧|安全|都是人|人类"
    r"|杂草|玫瑰|花园|邻居|勇气|용기|courage|understandable|可以理解|好话|话语|고운 ?말",
    re.IGNORECASE,
)
"""What people feel, deserve or should do is no fact, nor is a picture of speech about weeds and flowers."""
_STATES_A_FACT = late(
    r"^(?:[^\W\d_][\w'’-]* ){1,5}?(?:(?:is|are|was|were|has|have|had|do|does|did|can|could|cannot|will|would|never)\b"
    r"|(?:went|came|ran|rose|fell|grew|left|took|gave|made|built"
    r"|bought|sold|found|held|kept|lost|paid|sent|won|wrote|began"
    r"|brought|chose|drew|drove|led|met|saw|shut|spent|stood|taught|got|became)\b"
    r"|[a-z]{3,}(?:s|ed)\b"
    r"|[a-z]{3,}\b(?= (?:the|a|an|in|into|to|from|here|money|more|less|their|few|many|all)\b))"
    r"|[가-힣](?:은|는|이|가|도|에는|에서는)\s.*(?:다|요)[.!]?$"
    r"|[\u4e00-\u9fff]{6}",
    re.IGNORECASE,
)
_LONG_ENOUGH = 4
"""Words at least of a plain statement; two characters of Chinese count as one."""


def claims(text: str) -> list[str]:
    """Return the sentences of the reply that state something to check, in reading order, with their links whole.

    Questions are left out.
    """
    closed, end = list[str](), 0
    for link in _links(text):
        closed += [text[end : link.start], _INSIDE.sub(lambda sign: _KEPT[sign.group()], text[link.start : link.end])]
        end = link.end
    sentences = (match.strip().translate(_BACK) for match in _SENTENCE.findall("".join((*closed, text[end:]))))
    return [sentence for sentence in sentences if sentence and not _is_asked(sentence) and _states(sentence)]


def _is_asked(sentence: str) -> bool:
    return sentence.rstrip(_AFTER_STOP).endswith(("?", "？"))


def links_in(text: str) -> list[str]:
    """Return the links of a text, with a scheme or without, without the signs behind them."""
    return [text[link.start : link.end] for link in _links(text)]


def _links(text: str) -> list[Found]:
    """Return the places of the links. A host whose ending has a capital is a sentence after a forgotten space."""
    schemed = [
        Found(Mask.URLS, found.start(), found.start() + len(found.group().rstrip(_AFTER_LINK)))
        for found in _LINK.finditer(text)
    ]
    if "." not in text:
        return schemed
    taken = {at for link in schemed for at in range(link.start, link.end)}
    bare = [
        found
        for found in find(text, _IN_ADDRESSES)
        if found.kind is Mask.URLS
        and taken.isdisjoint(range(found.start, found.end))
        and not _FORGOTTEN_SPACE.match(text, found.start, found.end)
    ]
    return sorted([*schemed, *bare], key=lambda link: link.start)


_IN_ADDRESSES = frozenset({Mask.URLS, Mask.EMAILS, Mask.HANDLES, Mask.MESSENGERS})
"""The kinds of which a host may be a part."""
_FORGOTTEN_SPACE = re.compile(r"[^/]*\.[A-Z][a-z]+(?:\s|$)")


def _states(sentence: str) -> bool:
    if _links(sentence):
        return True
    if any(pattern.search(sentence) for pattern in (_NUMBER, _SOURCE)):
        return True
    if any(pattern.search(sentence) for pattern in (_COUNTED, _OF_A_GROUP)):
        return not _WISHES.search(sentence)
    if _tells_of_others(sentence):
        return True
    return _is_plain_statement(sentence)


def _tells_of_others(sentence: str) -> bool:
    """Return whether it compares others, says what nearly all do, or what a thing is that one points at."""
    if _OF_US.search(sentence) or _WISHES.search(sentence):
        return False
    return bool(_COMPARED.search(sentence) or (_POINTED_AT.search(sentence) and not _VALUES.search(sentence)))


def _is_plain_statement(sentence: str) -> bool:
    """Return whether it says of something else than speaker, reader and feelings what it is or does."""
    words = len(sentence.split()) + len(_HAN.findall(sentence)) // 2
    is_told = words >= _LONG_ENOUGH or (words > 2 and _HANGUL_END.search(sentence))
    aside = _TO_SOMEBODY.search(sentence) or _VALUES.search(sentence)
    return bool(is_told and not aside and _STATES_A_FACT.search(sentence))


_HAN = re.compile("[\u4e00-\u9fff]")
_HANGUL_END = re.compile(r"[가-힣]다[.!]?$")
