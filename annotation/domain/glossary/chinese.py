"""Chinese: traditional and simplified characters, and whether a term is only a part of other words."""

import warnings
from functools import lru_cache
from importlib import import_module
from typing import Any

_PLURAL = "们們"


@lru_cache(maxsize=1)
def _converter() -> Any:
    """Return the converter of OpenCC; None without the extra `zh`."""
    try:
        return import_module("opencc").OpenCC("t2s")
    except ImportError:
        return None


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


@lru_cache(maxsize=65_536)
def simplified(char: str) -> str:
    """Return the simplified form of one character; without the extra `zh` the character itself."""
    if not ("\u3400" <= char <= "\u9fff" or char >= "\U00020000") or _converter() is None:
        return char
    converted: str = _converter().convert(char)
    return converted if len(converted) == 1 else char


def cuts_words(text: str, start: int, end: int) -> bool:
    """Return whether an edge of this part lies inside a word of the dictionary, as that of 小黑 in 小黑板."""
    after = text[end : end + 1]
    if after in _PLURAL or after == text[end - 1]:  # a doubled last character makes no other word
        text = text[:end]
    if (start == 0 and end == len(text)) or _segmenter() is None:
        return False
    at = 0
    for word in _segments(text):
        stop = at + len(word)
        if at < start < stop or at < end < stop:
            return True
        at = stop
    return False


@lru_cache(maxsize=4096)
def _segments(text: str) -> tuple[str, ...]:
    return tuple(_segmenter().cut(text, HMM=False))
