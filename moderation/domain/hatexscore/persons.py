"""One man or woman in a sentence: somebody who is seen or told of, and no group."""

import re

_SINGULAR = {
    "en": {"man", "woman", "boy", "girl", "senior", "teenager"},
    "ko": {"남자", "여자", "소년", "소녀"},
    "zh": {"男人", "女人", "男子", "女子", "男孩", "女孩", "男性", "女性"},
}
# Somebody's own: a group only where there are more of them.
_KIN = {
    "en": {"grandmother", "grandfather", "grandma", "grandpa", "granny", "mother", "father"},
    "ko": {"할머니", "할아버지", "어머니", "아버지"},
    "zh": {"奶奶", "爷爷", "外婆", "外公", "妈妈", "爸爸", "母亲", "父亲"},
}
_LOOK = 16  # characters before the word in which Chinese says that it is one
_ONE_BEFORE = {
    "ko": re.compile(r"(?:[은는던한된진린쓴찬든운친]|(?:^|\s)(?:그|이|저|어떤))\s$"),
    "zh": re.compile(r"(?:[一两这那某][个名位])[^,.;:，。；：、]*$"),
}
_ALL_BEFORE = re.compile(r"\b(?:every|each|any|no)\s$", re.IGNORECASE)
_MORE_BEHIND = re.compile("들|们")
_SHOWN = re.compile(
    r"\s(?:(?:shown|seen|depicted)\s)?(?:in|on) (?:the|this) (?:\w+ )?(?:picture|image|photo|photograph|foreground)\b"
)


def is_one(text: str, start: int, end: int, term: str, language: str) -> bool:
    """Return whether the term at this place means one person."""
    is_kin = term in _KIN.get(language, ())
    if not is_kin and term not in _SINGULAR.get(language, ()):
        return False
    if language == "en":
        return text[start:end].lower() == term and not _ALL_BEFORE.search(text, max(0, start - _LOOK), start)
    if is_kin:
        return not _MORE_BEHIND.match(text, end)
    before = text[max(0, start - _LOOK) : start]
    return _ONE_BEFORE[language].search(before) is not None and not _MORE_BEHIND.match(text, end)


def is_shown(text: str, start: int, end: int, term: str, language: str) -> bool:
    """Return whether the term means one person whom the picture shows."""
    return is_one(text, start, end, term, language) and _SHOWN.match(text, end) is not None
