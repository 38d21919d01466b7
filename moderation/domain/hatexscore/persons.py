"""One man or woman in a sentence: somebody who is seen or told of, and no group."""

import re

_SINGULAR = {
    "en": {"man", "woman", "boy", "girl", "senior", "teenager"},
    "ko": {"남자", "여자", "소년", "소녀"},
    "zh": {"男人", "女人", "男子", "女子", "男孩", "女孩", "男性", "女性"},
}
_LOOK = 16  # characters before the word in which Chinese says that it is one
_ONE_BEFORE = {
    "ko": re.compile(r"(?:[은는던한된진린쓴찬든운친]|(?:^|\s)(?:그|이|저|어떤))\s$"),
    "zh": re.compile(r"(?:[一两这那某][个名位])[^,.;:，。；：、]*$"),
}
_MORE_BEHIND = re.compile("들|们")
_SHOWN = re.compile(
    r"\s(?:(?:shown|seen|depicted)\s)?(?:in|on) (?:the|this) (?:\w+ )?(?:picture|image|photo|photograph|foreground)\b"
)


def is_one(text: str, start: int, end: int, term: str, language: str) -> bool:
    """Return whether the term at this place means one person."""
    if term not in _SINGULAR.get(language, ()):
        return False
    if language == "en":
        return text[start:end].lower() == term
    before = text[max(0, start - _LOOK) : start]
    return _ONE_BEFORE[language].search(before) is not None and not _MORE_BEHIND.match(text, end)


def is_shown(text: str, start: int, end: int, term: str, language: str) -> bool:
    """Return whether the term means one person whom the picture shows."""
    return is_one(text, start, end, term, language) and _SHOWN.match(text, end) is not None
