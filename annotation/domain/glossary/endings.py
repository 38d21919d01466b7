"""Endings of European words: by dictionary where a word is in one, by rules for coined words."""

from collections.abc import Iterator
from functools import lru_cache

from annotation.domain.folding import lemmas
from annotation.domain.folding.text import plain

_SHORTEST_STEM = 4
_SHORTEST_PLURAL = 3
_PLURALS = ("s", "es", "n", "en", "er", "e", "x", "i")
_ENGLISH = (
    "s es z ed ing ings er ers ish y ies ism isms ist ists istic dom doms hood like ness ette ettes "
    "ery eries esque ian ians able ful less ly brain brains brained head heads headed face faces faced minded "
    "lover lovers loving hater haters hating"
)
_GERMAN = "e en er es em n s ern in innen"
_ROMANCE = "s x e es a as o os i"
_NORDIC = "en et er ar or e n s erne arna orna ene na ens ets"
_SLAVIC = (
    "a u ow em ie y i ów om ami ach ę ą o e ovi ů ům ech owi owie "
    "а у ом е ы и ов ев ам ами ах ой ою ей я ю ем ь ям ями ях"
)
_RULES = {
    "en": _ENGLISH,
    "de": _GERMAN,
    "nl": "s en e n er je jes tje tjes",
    **dict.fromkeys(("fr", "es", "it", "pt", "ca", "gl", "ro"), _ROMANCE),
    **dict.fromkeys(("sv", "nb", "nn", "da", "is"), _NORDIC),
    **dict.fromkeys(("ru", "uk", "bg", "mk", "pl", "cs", "sk", "sl", "hbs"), _SLAVIC),
    "fi": "n a ä t ssa ssä sta stä lla llä lle ja jä ien in t",
    "hu": "k t nak nek ok ek ak ban ben val vel ra re",
    "tr": "lar ler i ı u ü da de dan den a e in ın un ün lik lık luk lük ci cı cu cü yi yı yu yü ya ye nin nın nun nün "
    "si sı su sü im ım um üm ları leri ların lerin lara lere larda lerde lardan lerden larını lerini larına lerine",
    "hi": "ों ें ियों ियाँ ियां यों याँ े ी ो ा ने को से का की के में पर तक वाला वाले वाली ओं एँ",
    "el": "ς ι α ες ους ου ων",
}
_ENDINGS = {code: tuple(sorted(listed.split(), key=len, reverse=True)) for code, listed in _RULES.items()}
_HARDENED = {"ğ": "k", "g": "k", "b": "p", "d": "t", "c": "ç"}
_FEMININE = ("innen", "in")
"""The dictionary has women of German as words of their own."""
_VOWEL_ENDS = frozenset(code for code, listed in _RULES.items() if listed in (_ROMANCE, _SLAVIC))
_VOWELS = frozenset("aeiouаеоыияюуьα")


def languages_of(codes: tuple[str, ...]) -> tuple[str, ...]:
    """Return the given languages whose endings are known; English if none is given."""
    return tuple(code for code in codes if code in lemmas.languages()) if codes else ("en",)


def is_known(word: str, language: str) -> bool:
    """Return whether the dictionary of a language has a word."""
    if _basic(word, language) is not None:
        return True
    return language == "de" and "ss" in word and _basic(word.replace("ss", "ß"), language) is not None


@lru_cache(maxsize=65_536)
def _basic(word: str, language: str) -> str | None:
    return lemmas.by_dictionary(word, language)


def lemma(word: str, language: str) -> str:
    """Return the basic form of a word, or the word itself where the dictionary does not know it."""
    basic = _basic(word, language)
    if basic is not None:
        return plain(basic)
    return word if language == "en" else _by_rules(word, language)


@lru_cache(maxsize=65_536)
def _by_rules(word: str, language: str) -> str:
    return plain(lemmas.by_rules(word, language))


def singular(word: str, language: str) -> str:
    """Return the basic form of a term that is written in the plural; another form is kept: "based" is not "base"."""
    basic = lemma(word, language)
    is_plural = len(basic) >= _SHORTEST_STEM and any(basic + ending == word for ending in _PLURALS)
    return basic if is_plural else word


def stem(word: str, language: str) -> str:
    """Return the part of a term that its endings follow: in some languages its last vowel changes."""
    if language in _VOWEL_ENDS and len(word) > _SHORTEST_STEM and word[-1] in _VOWELS:
        return word[:-1]
    return word


def without_possessive(word: str, language: str) -> set[str]:
    """Return what the last word of a term may be before its possessive ending, which a Turkish plural drops.

    "çamur kurbağası", "çamur kurbağaları"; "ev sineği", "ev sinekleri".
    """
    if language != "tr" or len(word) < _SHORTEST_STEM or word[-1] not in "ıiuü":
        return set()
    bare = word[:-1]
    longer = {bare[:-1]} if bare[-1] == "s" and len(bare) >= _SHORTEST_STEM else set()
    return {bare, bare[:-1] + _HARDENED.get(bare[-1], bare[-1])} | longer


def is_plural_of_compound(word: str) -> bool:
    """Return whether a Turkish word has the ending of a plural and a possessive behind it, and is no mere genitive."""
    return ("ları" in word or "leri" in word) and not word.endswith(("ların", "lerin"))


def may_end(tail: str, language: str) -> bool:
    """Return whether letters may be an ending, or the second of a doubled letter and an ending."""
    endings = _ENDINGS.get(language, ())
    return tail in endings or tail[1:] in endings


@lru_cache(maxsize=65_536)
def stems(word: str, language: str) -> tuple[str, ...]:
    """Return what a coined word may be without its ending; nothing for words that the dictionary knows."""
    ends = word.endswith(_ENDINGS.get(language, ())) or language in _VOWEL_ENDS
    if not ends or len(word) <= _SHORTEST_PLURAL:
        return ()
    if is_known(word, language):
        return tuple(word.removesuffix(ending) for ending in _FEMININE if language == "de" and word.endswith(ending))
    return tuple(dict.fromkeys(_stems(word, language)))


def _stems(word: str, language: str) -> Iterator[str]:
    if language in _VOWEL_ENDS:
        yield word
    for ending in _ENDINGS.get(language, ()):
        if not word.endswith(ending):
            continue
        bare = word[: -len(ending)]
        if len(bare) < (_SHORTEST_PLURAL if ending in ("s", "z") else _SHORTEST_STEM):
            continue
        yield bare
        if language == "en":
            yield from _english(bare, ending)


def _english(bare: str, ending: str) -> Iterator[str]:
    """Yield what English spelling changes before an ending: a silent e, a doubled consonant, a y."""
    if ending == "ies":
        yield bare + "y"
    elif ending not in ("s", "es", "z"):
        yield bare + "e"
        if bare[-1] == bare[-2]:
            yield bare[:-1]
