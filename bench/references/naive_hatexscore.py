"""HateXScore with the same steps in the simplest form: it prepares nothing and caches nothing between texts.

`bench/hatexscore.py` compares with it. It lemmatises the group list and the hostile words for every explanation,
compares every 1- to 3-gram with every term, and finds near quotes with a window that moves by one character and a full
edit distance at each place.
"""

import re

import simplemma

QUOTED = r"“([^“”]+)”"
CONCLUSION = r"(?im)^\W*conclusion\W+(non-)?hateful\W*$"


def naive_parts(
    text: str, explanation: str, listed: dict[str, tuple[str, ...]], hostile: list[str]
) -> tuple[int, list[str], int]:
    """Return HTC, the masked quotes and TGI for a hateful prediction."""
    htc = int(re.search(CONCLUSION, explanation) is not None)
    quotes = re.findall(QUOTED, explanation)
    on_the_text = [quote for quote in quotes if _found(quote, text)]
    return htc, on_the_text, _names_a_group(explanation, listed, hostile)


def _found(quote: str, text: str) -> bool:
    if re.search(rf"(?i)(?<!\w){re.escape(quote)}(?!\w)", text):
        return True
    most = min(5, int(0.15 * len(quote)))
    size = len(quote)
    return most > 0 and any(
        _edits(text[at : at + size].lower(), quote.lower()) <= most for at in range(max(1, len(text) - size + 1))
    )


def _edits(first: str, second: str) -> int:
    row = list(range(len(second) + 1))
    for number, sign in enumerate(first, 1):
        above, row[0] = row[0], number
        for place, wanted in enumerate(second, 1):
            above, row[place] = row[place], min(row[place] + 1, row[place - 1] + 1, above + (sign != wanted))
    return row[-1]


def _names_a_group(explanation: str, listed: dict[str, tuple[str, ...]], hostile: list[str]) -> int:
    terms = [_lemmas(term) for category, names in listed.items() for term in (*names, category)]
    hating = [_lemmas(word) for word in hostile]
    for sentence in re.split(r"(?<=[.!?])\s+", explanation):
        unquoted = re.sub(QUOTED, " ", sentence)
        words = _lemmas(unquoted)
        grams = [words[at : at + size] for size in (1, 2, 3) for at in range(len(words) - size + 1)]
        tied = re.search(QUOTED, sentence) or any(gram in hating for gram in grams)
        if tied and any(gram in terms for gram in grams):
            return 1
    return 0


def _lemmas(text: str) -> list[str]:
    words = re.findall(r"[^\W_]+", text)
    return [simplemma.lemmatize(word, lang="en").lower() for word in words]
