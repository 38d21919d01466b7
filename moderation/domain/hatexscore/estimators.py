"""Who estimates p, how hateful a text is (design section 8)."""

from enum import StrEnum

SCORING = "score"
"""The method whose runs read explanations and estimate."""


class Estimator(StrEnum):
    """Whose p it is."""

    MODEL = "model"
    """The model that wrote the explanation, asked for a number; another where that one cannot be asked."""
    LOGPROB = "logprob"
    """The same, by the log-probabilities of yes and no."""
    DETOXIFY = "detoxify"
    """A classifier on this machine (extra `detoxify`)."""
    KEYWORD = "keyword"
    """The built-in baseline: four fixed numbers, no model asked."""
    GIVEN = "given"
    """Nobody: both numbers come with the explanation."""


WORDS = ("yes", "no")
"""Of which `logprob` takes the probabilities."""
