"""Chinese words by jieba, the extra `zh`. Its dictionary holds the terms of `un_zh_extended`: each is one word."""

import warnings
from functools import cache
from importlib import import_module
from typing import Any

from moderation.domain.hatexscore import group_list_files
from moderation.domain.hatexscore.words.tokenize import MissingExtra, Token, TokenKind, words


def tokenize(text: str) -> list[Token]:
    """Return the words of the text; signs and spaces are none."""
    function = words_without_content()
    found, at = [], 0
    for word in segmenter().cut(text):
        start, at = at, at + len(word)
        if any(sign.isalnum() for sign in word):
            bare = word in function or (len(word) == 1 and not word.isascii())
            found.append(
                Token(start, at, word.lower(), word[0].isupper(), TokenKind.FUNCTION if bare else TokenKind.CONTENT)
            )
    return found


@cache
def segmenter() -> Any:
    """Jieba with our terms, loaded once. Raises MissingExtra."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # its own SyntaxWarnings
            jieba = import_module("jieba")
    except ImportError:
        raise MissingExtra("Chinese explanations need jieba: install the extra `zh`.") from None
    jieba.setLogLevel(60)
    made = jieba.Tokenizer()
    made.initialize()
    for terms in group_list_files.built_in("un_zh_extended").values():
        for term in terms:
            made.add_word(term)
    return made


@cache
def words_without_content() -> frozenset[str]:
    return words("function_words_zh.txt")
