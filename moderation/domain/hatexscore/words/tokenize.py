"""Words with their lemmas and places: simplemma for European languages, jieba and kiwi in modules of their own."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

from annotation.domain.folding import lemmas

EUROPEAN = ("en", "de", "fr", "es", "it", "pt", "nl", "pl", "cs", "sv", "da", "nb", "fi", "hu", "ro", "ru", "uk", "el")
LANGUAGES = (*EUROPEAN, "zh", "ko")
_LISTS = Path(__file__).parents[1] / "lists"
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_POSSESSIVE = re.compile(r"['’](?:s|S)?$")
_HANGUL = re.compile("[\uac00-\ud7a3]")
_HAN = re.compile("[\u4e00-\u9fff\u3400-\u4dbf]")
_LETTER = re.compile(r"[^\W\d_]")


class MissingExtra(RuntimeError):
    """A language whose library is not installed; the sentence says which, and how to get it."""


class TokenKind(StrEnum):
    """What a token is for the search of shared words."""

    CONTENT = "content"
    FUNCTION = "function"


class Token(NamedTuple):
    """A word at `start` … `end`: its lemma in lower case, whether it is written as a name, whether it has content."""

    start: int
    end: int
    lemma: str
    is_name: bool
    kind: TokenKind = TokenKind.CONTENT


Tokenize = Callable[[str], list[Token]]


@dataclass(frozen=True)
class Tongue:
    """A language: how it is cut into words, and what stands between the words of a term."""

    code: str
    tokenize: Tokenize
    between: str


@lru_cache(maxsize=64)
def tongue(code: str) -> Tongue:
    """Return the language of this code. Raises MissingExtra, and ValueError for a language that is not known."""
    if code in ("zh", "ko"):
        module = import_module(f"moderation.domain.hatexscore.words.tokenize_{code}")
        return Tongue(code, module.tokenize, "")
    if code not in EUROPEAN:
        raise ValueError(f"There is no language {code!r}; there are {', '.join(LANGUAGES)}.")
    return Tongue(code, lambda text: _european(text, code), " ")


def language_of(explanation: str) -> str:
    """`ko` where a fifth of the letters is Hangul, `zh` where it is Han, else `en`; others have to be named."""
    letters = len(_LETTER.findall(explanation)) or 1
    if len(_HANGUL.findall(explanation)) / letters >= 0.2:
        return "ko"
    return "zh" if len(_HAN.findall(explanation)) / letters >= 0.2 else "en"


def words(name: str) -> frozenset[str]:
    """Return the entries of a word list beside this file."""
    lines = (_LISTS / name).read_text(encoding="utf-8").splitlines()
    return frozenset(line.strip() for line in lines if line.strip() and not line.startswith("#"))


def lemma(word: str, language: str) -> str:
    """Return the word's dictionary form in lower case. Names are known with a capital only, so that is tried too."""
    if word.isupper() and len(word) > 3:
        word = word.lower()
    found = lemmas.by_rules(word, language)
    if found == word and word.islower():
        named = lemmas.by_rules(word.capitalize(), language)
        found = named if named != word.capitalize() else found
    return found.lower()


def _european(text: str, language: str) -> list[Token]:
    found = []
    for hit in _WORD.finditer(text):
        start = hit.start()
        length, said, is_name, kind = _word(hit.group(), language)
        found.append(Token(start, start + length, said, is_name, kind))
    return found


@lru_cache(maxsize=65_536)
def _word(written: str, language: str) -> tuple[int, str, bool, TokenKind]:
    word = _POSSESSIVE.sub("", written)
    bare = word.lower() in _function_words() if language == "en" else len(word) <= 3
    return len(word), lemma(word, language), word[0].isupper(), TokenKind.FUNCTION if bare else TokenKind.CONTENT


@lru_cache(maxsize=1)
def _function_words() -> frozenset[str]:
    return words("function_words.txt")


def grams(tokens: Sequence[Token], between: str, at: int, most: int = 3) -> list[tuple[int, str]]:
    """Return the 1- to 3-grams that begin at this token: the index behind each, and its lemmas."""
    found, said = [], ""
    for end in range(at, min(at + most, len(tokens))):
        said = tokens[end].lemma if end == at else f"{said}{between}{tokens[end].lemma}"
        found.append((end + 1, said))
    return found
