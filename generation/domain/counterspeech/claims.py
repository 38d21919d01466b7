"""Statements of fact in a reply that somebody should check before it is approved.

The list is meant to be too long rather than too short: it holds the sentences with a figure, a source, or words such
as all, most or none. It cannot tell whether they are true.
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
    """Return the sentences of the reply that state something to check, in their order. Questions state nothing."""
    sentences = (sentence.strip() for sentence in _SENTENCE.findall(text))
    return [each for each in sentences if each and not each.endswith(("?", "？")) and _states(each)]


def _states(sentence: str) -> bool:
    return any(pattern.search(sentence) for pattern in (_NUMBER, _COUNTED, _SOURCE))
