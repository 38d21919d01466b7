"""Sentences of a reply that state something a person should check before the reply is approved.

The list prefers too many sentences to too few: it holds every sentence with a figure, a source, or words such as all,
most or none, a comparison, a link, or what a group is said to do. It does not judge whether they are true.
"""

import re

LINK = re.compile(r"(?:https?://|www\.)[^\s<>\"'，。、！？）)\]】」]{1,2000}", re.IGNORECASE)
_SENTENCE = re.compile(r"[^.!?。！？\n]+(?:[.!?。！？](?=\d)[^.!?。！？\n]+)*[.!?。！？]*")
_INSIDE = re.compile(r"[.!?](?=.)")
_KEPT = {".": "\ue000", "!": "\ue001", "?": "\ue002"}
"""Signs inside a link, while the text is cut into sentences: private characters that no post means anything by."""
_BACK = {ord(kept): sign for sign, kept in _KEPT.items()}
_NUMBER = re.compile(
    r"\d|[一二三四五六七八九十百千万亿两几](?=[%个人年万成倍户家名次条位])|百分之|퍼센트"
    r"|(?:한|두|세|네|다섯|여섯|일곱|여덟|아홉|열|스무|[백천만억])\s?(?:명|가구|사람|배|번|곳|개|채|집|만"
    r"|가족)(?![가-힣]*인데)"
    r"|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|hundred|thousand)\b",
    re.IGNORECASE,
)
_COUNTED = re.compile(
    r"\b(?:half|thirds?|quarters?|percent|per cent|dozens?|hundreds?|thousands?|millions?|billions?|twice|double[sd]?"
    r"|majority|minority|most|every\w{0,4}|always|never|none|nobody|no one|all|fewer|the first|the (?:\w{3,12}est))\b"
    r"|\b(?:more|less|fewer|higher|lower|\w{3,12}er)\b.{0,40}\bthan\b|\b(?:more|less) likely\b"
    r"|\b(?:has|have|had|is|are) (?:been )?(?:fallen|risen|grown|dropped|doubled|halved|increased|decreased"
    r"|declined)\b"
    r"|대부분|대다수|모든|모두가|절대|항상|언제나|아무도|누구도|절반|과반|두 배|더 (?:많|적|높|낮)|덜 "
    r"|보다 (?:더|덜|많|적|높|낮)"
    r"|(?:늘|줄|증가|감소|올랐|하락|상승)(?:었|했|어|하)|올랐|내렸"
    r"|大多数|大部分|多数|所有|全部|从不|从来|总是|一直|没有人|谁都|一半|翻了?[一两]?[倍番]|更[多少高低]"
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
    rf"|the {_WHO} (?:has |have )?(?:says?|said|found|ruled|wrote|writes|confirm\w{{0,3}}|states?|decided|agrees?)"
    r"|(?:doctors|scientists|judges|economists|police) (?:agree|say|confirm|have))\b"
    r"|연구|조사|통계|보고서|에 따르면|에 의하면|발표|보도|전문가|판결|불법|합법|법원|확인했|확인됐|경찰이"
    r"|研究|调查|统计|报告|数据|根据|据[^。，]{1,12}[，,说称]|表示|报道|公布|专家|判决|法院|违法|合法|证实",
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


def claims(text: str) -> list[str]:
    """Return the sentences of the reply that state something to check, in reading order, with their links whole.

    Questions are left out.
    """
    sentences = (match.strip().translate(_BACK) for match in _SENTENCE.findall(LINK.sub(_closed, text)))
    return [sentence for sentence in sentences if sentence and not sentence.endswith(("?", "？")) and _states(sentence)]


def _closed(link: re.Match[str]) -> str:
    """Return a link in which no sign ends a sentence; a sign at its end ends the sentence."""
    return _INSIDE.sub(lambda sign: _KEPT[sign.group()], link.group())


def _states(sentence: str) -> bool:
    if LINK.search(sentence):
        return True
    return any(pattern.search(sentence) for pattern in (_NUMBER, _COUNTED, _SOURCE, _OF_A_GROUP))
