"""Sentences of a reply that state something a person should check before the reply is approved.

The list prefers too many sentences to too few: it holds every sentence with a figure, a source, or words such as all,
most or none. It does not judge whether they are true.
"""

import re

_SENTENCE = re.compile(r"[^.!?。！？\n]+(?:[.!?。！？](?=\d)[^.!?。！？\n]+)*[.!?。！？]*")
_NUMBER = re.compile(r"\d|[一二三四五六七八九十百千万亿两]+(?=[%个人年万成倍])|퍼센트|百分之", re.IGNORECASE)
_COUNTED = re.compile(
    r"\b(?:half|third|quarter|percent|per cent|dozens?|hundreds?|thousands?|millions?|billions?|twice|majority|most"
    r"|every|always|never|none|fewer|less likely|more likely|the first|the largest|the oldest)\b",
    re.IGNORECASE,
)
_SOURCE = re.compile(
    r"\b(?:stud(?:y|ies)|research|report(?:s|ed)?|surveys?|statistics?|data|census|scientists?|experts?|historians?"
    r"|according to|evidence shows?|figures? shows?|proven|founded|invented|registers?|records?)\b"
    r"|研究|调查|统计|报告|数据|根据|연구|조사|통계|보고서|자료에 따르면",
    re.IGNORECASE,
)


def claims(text: str) -> list[str]:
    """Return the sentences of the reply that state something to check, in reading order. Questions are left out."""
    sentences = (match.strip() for match in _SENTENCE.findall(text))
    return [sentence for sentence in sentences if sentence and not sentence.endswith(("?", "？")) and _states(sentence)]


def _states(sentence: str) -> bool:
    return any(pattern.search(sentence) for pattern in (_NUMBER, _COUNTED, _SOURCE))
