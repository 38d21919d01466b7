"""Chinese: whether a term is only a part of other words."""

import re
import warnings
from functools import lru_cache
from importlib import import_module
from typing import Any

_TIMES_RARER = 50
_PLURAL = "们們"
_FUNCTION = frozenset("我你您他她它咱的了是在有不这那谁")
_IS_VERB = re.compile(
    "[帮幫](?:[我你您他她它咱谁忙]|大?忙|了[我你您他她它咱大个]|助)|派(?:[人你我他她]|出去?)|怪(?:不好意思|不得|[^的是在来去说真太很又都]的)|鬼(?:知道|才知)|兵分"
)
"""The last character of a term as a verb or an adverb: what follows it shows that it is no part of a name."""


@lru_cache(maxsize=1)
def _segmenter() -> Any:
    """Return a segmenter with jieba's own dictionary; None without the extra `zh`."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # its own SyntaxWarnings
            jieba = import_module("jieba")
    except ImportError:
        return None
    jieba.setLogLevel(60)
    return jieba.Tokenizer()


def cuts_words(text: str, start: int, end: int) -> bool:
    """Return whether an edge of this part lies inside a word of the dictionary, as that of 小黑 in 小黑板."""
    if _IS_VERB.match(text, end - 1):
        return True
    after = text[end : end + 1]
    # A doubled last character makes no other word, unless a longer one begins with it: 娃娃菜.
    if after in _PLURAL or (after == text[end - 1] and not _begins_word(text[end - 1 :])):
        text = text[:end]
    if (start == 0 and end == len(text)) or _segmenter() is None:
        return False
    if _is_crossed(text, start, end):
        return True
    at = 0
    for word in _segments(text):
        stop = at + len(word)
        if at < start < stop or at < end < stop:
            return True
        at = stop
    return False


def is_word(text: str) -> bool:
    """Return whether the dictionary has this as one word; no word is known without the extra `zh`."""
    segmenter = _segmenter()
    if segmenter is None:
        return False
    segmenter.check_initialized()
    return bool(segmenter.FREQ.get(text))


def is_rarer(text: str, term: str) -> bool:
    """Return whether a word of the dictionary is so rare beside the term that it is the term with a wrong character."""
    if not any(char == other for char, other in zip(text, term, strict=False)):
        return False
    frequencies = _segmenter().FREQ
    return bool(_TIMES_RARER * frequencies.get(text, 0) < frequencies.get(term, 0))


def is_everyday(text: str) -> bool:
    """Return whether a term is a word of the dictionary, or words of a sentence: 他爹 is somebody's father too."""
    return is_word(text) or (_segmenter() is not None and not _FUNCTION.isdisjoint(_segments(text)))


def is_word_at(text: str, start: int, end: int) -> bool:
    """Return whether the segmenter makes this part a word of its own."""
    at = 0
    for word in _segments(text) if _segmenter() is not None else ():
        if at == start:
            return at + len(word) == end
        at += len(word)
    return False


def _is_crossed(text: str, start: int, end: int) -> bool:
    """Return whether both characters of a place make words with those beside them: 坐上 and 海船 around 上海."""
    if end - start != 2 or start == 0 or end == len(text):
        return False
    segmenter = _segmenter()
    segmenter.check_initialized()
    return all(segmenter.FREQ.get(part) for part in (text[start - 1 : start + 1], text[end - 1 : end + 1]))


def _begins_word(text: str) -> bool:
    """Return whether a doubled character begins a word of three characters or more."""
    return _segmenter() is not None and len(_segments(text)[0]) > len("娃娃")


@lru_cache(maxsize=4096)
def _segments(text: str) -> tuple[str, ...]:
    return tuple(_segmenter().cut(text, HMM=False))
