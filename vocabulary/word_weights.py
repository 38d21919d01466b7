"""Tell two kinds of short text apart by the weights of their words (threats L08, PI1).

Rules name turns of phrase, and people and models find others. A table of weights adds up what words, parts of words and
ideas of a text speak for. It is made from texts of our own by logistic regression (`bench/data/word_weights.py`), and
read at its first use.
"""

import itertools
import re
import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from math import sqrt
from pathlib import Path

from vocabulary.late_patterns import late

_TOKEN = late(r"[a-z]+(?:'[a-z]+)?|\d+|[\u3400-\u9fff]+|[가-힣]+(?: [가-힣]+)*|[^\w\s]")
_LONGEST_PIECE = 4  # characters of Korean and Chinese, which part words by no blank or by endings
_STEM = 4  # letters in which forms of an English word are alike
_HUNDREDTHS = 100  # a table holds whole numbers
_SENTENCE = re.compile(r"[^.!?。！？\n]*[.!?。！？\n]+|[^.!?。！？\n]+")
_PIECE = 160  # characters


def ideas_in(file: Path) -> dict[str, re.Pattern[str]]:
    """Return the ideas that a file names, each with its words."""
    named = tomllib.loads(file.read_text(encoding="utf-8"))
    return {name: late("|".join(words), re.MULTILINE) for name, words in named.items()}


def pieces(text: str) -> Iterator[str]:
    """Yield a text in pieces of whole sentences: a long one is weighed so many characters of them at a time."""
    piece = ""
    for sentence in _SENTENCE.findall(text):
        if piece and len(piece) + len(sentence) > _PIECE:
            yield piece
            piece = ""
        piece += sentence
    yield piece


def features(text: str, ideas: Mapping[str, re.Pattern[str]]) -> set[str]:
    """Return what of a text is weighed: words in runs of up to three, pieces of Korean and Chinese, ideas in pairs."""
    lowered = text.lower().replace("’", "'")
    tokens = _TOKEN.findall(lowered)
    seen = {f"^{token[:2] if _is_cjk(token) else token}" for token in tokens[:1]}
    for place, token in enumerate(tokens):
        seen.update(_pieces(token) if _is_cjk(token) else _runs(tokens[place : place + 3]))
    present = [name for name, words in ideas.items() if words.search(lowered)]
    seen.update(f"@{name}" for name in present)
    seen.update(f"@{one} {other}" for one, other in itertools.combinations(present, 2))
    seen.update(f"@{count}" for count in range(1, len(present) + 1))
    return seen


def _is_cjk(token: str) -> bool:
    return token[0] >= "\u3400"


def _pieces(token: str) -> Iterator[str]:
    for length in range(1, _LONGEST_PIECE + 1):
        for start in range(len(token) - length + 1):
            yield token[start : start + length]
    yield f"{token[-3:]}$"


def _runs(tokens: Sequence[str]) -> Iterator[str]:
    """Yield the first of at most three tokens, its stem, and what it begins; Korean and Chinese stand as one sign."""
    shown = ["…" if _is_cjk(token) else token for token in tokens]
    yield from (" ".join(shown[:length]) for length in range(1, len(shown) + 1))
    if len(shown[0]) > _STEM:
        yield f"{shown[0][:_STEM]}*"


class WordWeights:
    """A table of weights: a line each, hundredths and what is weighed, parted by a tab."""

    def __init__(self, table: Path, ideas: Mapping[str, re.Pattern[str]]) -> None:
        self._table, self._ideas = table, ideas

    @cached_property
    def _weights(self) -> dict[str, int]:
        lines = self._table.read_text(encoding="utf-8").splitlines()
        return {feature: int(weight) for weight, _, feature in (line.partition("\t") for line in lines)}

    def score(self, text: str) -> float:
        """Return the log odds that a text is of the kind that the table is for."""
        return self.total(features(text, self._ideas))

    def total(self, weighed: Iterable[str]) -> float:
        """Return the log odds that what these are seen in is of the kind that the table is for."""
        weights = self._weights
        return (sum(weights.get(feature, 0) for feature in weighed) + weights[""]) / _HUNDREDTHS

    def score_by_length(self, seen: Collection[str]) -> float:
        """Return the log odds where the table was made so that a long text weighs as much as a short one.

        `seen`: what of it is weighed.
        """
        weights = self._weights
        return (sum(weights.get(feature, 0) for feature in seen) / sqrt(len(seen)) + weights[""]) / _HUNDREDTHS
