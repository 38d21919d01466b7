"""Tokens of a text for comparison and search: lower case; Chinese, Japanese and Korean as overlapping pairs."""

import re
import unicodedata

_RUN = re.compile(r"[\w']+")
_WIDE = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]+")
_UNSEEN = re.compile("[\u200b-\u200f\u2060-\u2064\ufeff\u00ad]")


def plain(text: str) -> str:
    """Normalise a text for comparison: NFKC, case-folded, straight apostrophes, no invisible characters."""
    return _UNSEEN.sub("", unicodedata.normalize("NFKC", text)).replace("’", "'").casefold()


def tokens(text: str) -> list[str]:
    """Return the words of a text. Scripts that rarely separate words are cut into overlapping pairs of characters."""
    words: list[str] = []
    for run in _RUN.findall(plain(text)):
        wide = _WIDE.findall(run)
        words += [word.strip("'") for word in _WIDE.sub(" ", run).split() if word.strip("'")]
        for piece in wide:
            words += [piece[at : at + 2] for at in range(len(piece) - 1)] or [piece]
    return words


def says(text: str, phrase: str) -> bool:
    """Return whether a text contains a phrase, at word boundaries where the script has them. The plural counts too."""
    plain_text, plain_phrase = plain(text), plain(phrase).strip()
    if not plain_phrase:
        return False
    if _WIDE.search(plain_phrase):
        return plain_phrase in plain_text
    spaced = r"\s+".join(re.escape(word) for word in plain_phrase.split())
    return re.search(rf"(?<!\w){spaced}(?:e?s)?(?!\w)", plain_text) is not None
