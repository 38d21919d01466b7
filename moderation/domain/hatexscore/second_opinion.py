"""A second opinion on what the rules read in an explanation: where it is clearly against them, nothing is concluded.

Rules name turns of phrase, and models find others. A table of weights, learnt from labelled explanations and from what
rules once read wrongly, adds up what the sentence of the conclusion, the next and the last one speak for: their words,
and the order of the signs in them. It never says the opposite. `bench/data/word_weights.py` makes the table.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from moderation.domain.hatexscore import labels
from moderation.domain.hatexscore.conclusion import Conclusion
from moderation.domain.hatexscore.labels import Segment
from moderation.domain.hatexscore.signs import HATEFUL, UNNAMED, SignKind, tongues
from vocabulary.late_patterns import late
from vocabulary.word_weights import WordWeights, features

_WEIGHTS = WordWeights(Path(__file__).parent / "lists" / "readings.tsv", {})
LEAST_SCORE = 1.5
"""Log odds that a reading is right, below which it is doubted."""
_LONGEST = 400  # characters of a sentence that are weighed
_RUN = 3  # signs in a row
_SCRIPTS = {"en": late("[a-z]{3}"), "ko": late("[가-힣]"), "zh": late("[\u4e00-\u9fff]")}
_MOST_SENTENCES, _MOST_PLACES, _MOST_LENGTHS, _LENGTH = 8, 4, 8, 20
_WORD = re.compile(r"\S")


def is_doubted(text: str, said: Conclusion) -> bool:
    """Whether the weights speak against this conclusion of a plain text."""
    return is_weighed(text, said) and _WEIGHTS.total(weighed(text, said)) < LEAST_SCORE


def is_weighed(text: str, said: Conclusion) -> bool:
    """Whether a conclusion may be doubted: a verdict with a heading of its own stands."""
    return not labels.is_final(labels.heading_of(text[said.start : said.end]))


def weighed(text: str, said: Conclusion) -> set[str]:
    """Return what is weighed of a conclusion of a plain text; all of it names the side that the conclusion takes."""
    sentences = [segment for segment in labels.segments(text) if _WORD.search(text, segment.start, segment.end)]
    around = [place for place, one in enumerate(sentences) if one.start < said.end and one.end > said.start]
    place, last = (around or [len(sentences) - 1])[-1], len(sentences) - 1
    seen = set(_place(text, sentences, place))
    for name, where in (("own", place), ("next", place + 1), ("last", last)):
        if where <= last and (where > place or name == "own"):
            seen.update(f"{name} {feature}" for feature in _of_sentence(text, sentences[where]))
    side = "+" if said.hateful else "-"
    return {side, *(f"{side}{feature}" for feature in seen)}


def _of_sentence(text: str, sentence: Segment) -> Iterator[str]:
    end = min(sentence.end, sentence.start + _LONGEST)
    yield from features(text[sentence.start : end] + sentence.stop, {})
    kinds = ["^", *_kinds(text, sentence.start, end), "$"]
    for length in range(1, _RUN + 1):
        yield from ("@" + " ".join(kinds[start : start + length]) for start in range(len(kinds) - length + 1))


def _kinds(text: str, start: int, end: int) -> list[str]:
    """Return the kinds of the signs between these places in their order, alike in all languages."""
    written = [tongue for tongue in tongues() if _SCRIPTS[tongue.code].search(text, start, end)]
    signs = sorted(sign for tongue in written for sign in tongue.signs(text, start, end, (*HATEFUL, *UNNAMED)))
    return [SignKind.HATE if sign.kind in HATEFUL else sign.kind for sign in signs]


def _place(text: str, sentences: Sequence[Segment], place: int) -> Iterator[str]:
    """Yield where the sentence stands, how many there are, how long it is and how it ends."""
    own = sentences[place]
    yield f"# behind {min(len(sentences) - 1 - place, _MOST_PLACES)}"
    yield f"# before {min(place, _MOST_PLACES)}"
    yield f"# of {min(len(sentences), _MOST_SENTENCES)}"
    yield f"# long {min((own.end - own.start) // _LENGTH, _MOST_LENGTHS)}"
    yield f"# stop {own.stop}".replace("\n", "n")
