"""Where Korean words begin and end: kiwi weighs a reading in which a term is a noun against the most likely one.

Kiwi comes with the extra `ko`. It takes 300 MB, once a process, when the first term needs it. Without it the rules for
endings (`korean.py`) decide alone.
"""

import threading
from collections.abc import Sequence
from contextvars import ContextVar
from functools import cache, lru_cache
from importlib import import_module
from typing import Any

_WINDOW = 24
"""Characters that are read on each side of a term."""
_FRAMES = (("", ""), ("저 ", " 왔다"))
"""Where a noun may stand: what a term gains in its worst frame is what it gains by being unknown to kiwi."""
_KNOWN = 1.0
_LEAST, _LEAST_JOINED = -0.5, -4.5
"""The least gain of a place: of a word that kiwi knows, and of a joined one that it does not, below its worst frame."""
TOWARDS = frozenset("반친탈대")
"""Prefixes for, against, from and towards, which make a noun a cause: 반X정서."""
_RIVAL = 1.0
"""A reading that is less likely by less than this is as likely."""
_SIGNS = str.maketrans("#@_", "   ")
_MOST_ASKED = 200
"""Places of one text that kiwi is asked about; after them the rules decide alone, so that no text takes long."""
_asks_left: ContextVar[int] = ContextVar("asks_left", default=_MOST_ASKED)
_loading = threading.Lock()


def kiwi() -> Any:
    """Return the segmenter, one for the process; None without the extra `ko`."""
    with _loading:
        return _loaded()


@cache
def _loaded() -> Any:
    try:
        kiwipiepy = import_module("kiwipiepy")
    except ImportError:
        return None
    return kiwipiepy.Kiwi(num_workers=1, load_multi_dict=False, load_typo_dict=False)


def begin_text() -> None:
    """Begin a text: kiwi may be asked about as many places again."""
    _asks_left.set(_MOST_ASKED)


def _may_ask() -> bool:
    """Return whether kiwi is there and may be asked about one more place of this text."""
    left = _asks_left.get()
    _asks_left.set(left - 1)
    return left > 0 and kiwi() is not None


def is_noun_at(text: str, start: int, end: int) -> bool | None:
    """Return whether a term whose endings fit is a noun here; one that kiwi does not know is. None without `ko`."""
    if not _may_ask():
        return None
    before, term, after = _around(text, start, end)
    if _usual_gain(term) >= _KNOWN:
        return not _runs_into_word(before, term, after)
    if after.startswith("질"):
        return False  # an everyday noun and 질 are a word of its own: 고자질
    return _gain(before, term, after) >= _LEAST and not _has_rival(before, term, after)


@lru_cache(maxsize=8192)
def _runs_into_word(before: str, term: str, after: str) -> bool:
    """Return whether a word begins inside an unknown term and ends after it, as 새로 in 벽돌새로 쌓은 담."""
    first, last = len(before), len(before) + len(term)
    crosses = any(first < at < last < end for at, end in _tokens(before + term + after))
    return crosses and _gain(before, term, after) < _usual_gain(term)


def is_joined_at(text: str, start: int, end: int) -> bool:
    """Return whether a term is joined here with words of their own; False without the extra `ko`."""
    if not _may_ask():
        return False
    before, term, after = _around(text, start, end)
    usual = _usual_gain(term)
    least = _LEAST if usual < _KNOWN else usual + _LEAST_JOINED
    is_likely = _gain(before, term, after) >= least or _is_several_words(before, term, after)
    return is_likely and _has_whole_neighbours(before, term, after)


@lru_cache(maxsize=8192)
def _is_several_words(before: str, term: str, after: str) -> bool:
    """Return whether kiwi itself reads the place of a term as two words or more: 먼지+벌레 in 먼지벌레퇴치."""
    first, last = len(before), len(before) + len(term)
    tokens = [(at, end) for at, end in _tokens(before + term + after) if end > first and at < last]
    edges = [first, *(end for _at, end in tokens)]
    return len(tokens) > 1 and [at for at, _end in tokens] == edges[:-1] and edges[-1] == last


@lru_cache(maxsize=8192)
def _has_rival(before: str, term: str, after: str) -> bool:
    """Return whether a reading without the term is about as likely: 거+이+지만 for 거지+만."""
    place = (len(before), len(term))
    readings = kiwi().analyze(before + term + after, top_n=2)
    best = readings[0][1]
    return any(
        best - score < _RIVAL
        and not any((token.start, token.len) == place and token.tag.startswith("N") for token in tokens)
        for tokens, score in readings
    )


def _around(text: str, start: int, end: int) -> tuple[str, str, str]:
    before, after = text[max(0, start - _WINDOW) : start], text[end : end + _WINDOW]
    if start > _WINDOW and " " in before:
        before = before[before.index(" ") :]
    return before.translate(_SIGNS), text[start:end], after.translate(_SIGNS)


def _has_whole_neighbours(before: str, term: str, after: str) -> bool:
    """Return whether what touches the term is a word of two syllables, a verb, or an ending."""
    first, last = len(before), len(before) + len(term)
    for token in _reading(before, term, after)[1]:
        at, end = token.start, token.start + token.len
        if (end == first or at == last) and token.tag.startswith("N") and token.len == 1 and token.form not in TOWARDS:
            return False
        if end == first and not token.tag.startswith(("N", "S", "M", "XPN")):
            return False
    return True


def is_everyday(term: str) -> bool:
    """Return whether kiwi knows the term as one word of its own: it may be meant as everybody means it."""
    if kiwi() is None:
        return False
    tokens = _tokens(term)
    return len(tokens) == 1 and _usual_gain(term) < _KNOWN


def is_cut(text: str, start: int, end: int) -> bool:
    """Return whether a word of several syllables crosses an edge of this place, as 새로 in 벽돌 새로 쌓기."""
    if not _may_ask():
        return False
    first = max(0, start - _WINDOW)
    start, end = start - first, end - first
    return any(
        at < start < after or at < end < after
        for at, after in _tokens(text[first : first + end + _WINDOW].translate(_SIGNS))
        if after - at > 1
    )


@lru_cache(maxsize=8192)
def _usual_gain(term: str) -> float:
    return min(_gain(before, term, after) for before, after in _FRAMES)


def _gain(before: str, term: str, after: str) -> float:
    """Return by how much a text is more likely if the term in it is one noun."""
    return _reading(before, term, after)[0]


@lru_cache(maxsize=8192)
def _reading(before: str, term: str, after: str) -> tuple[float, Sequence[Any]]:
    """Return the gain of the reading in which the term is one noun, and its morphemes."""
    text, span = before + term + after, (len(before), len(before) + len(term), "NNG")
    ((_tokens, free),) = kiwi().analyze(text, top_n=1)
    ((tokens, forced),) = kiwi().analyze(text, top_n=1, pretokenized=[span])
    return float(forced - free), tokens


@lru_cache(maxsize=4096)
def _tokens(text: str) -> tuple[tuple[int, int], ...]:
    """Return the places of nouns, verbs and adverbs; endings and particles join what is before them."""
    return tuple(
        (token.start, token.start + token.len)
        for token in kiwi().tokenize(text)
        if token.tag.startswith(("N", "V", "M"))
    )
