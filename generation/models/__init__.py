"""The app's tables, each topic in its own module; this is their index."""

from generation.models.exchanges import CounterRules, Exchange, Explanations
from generation.models.replies import Candidate, Comparison, Exemplar, Reply, ReplyComment

__all__ = [
    "Candidate",
    "Comparison",
    "CounterRules",
    "Exchange",
    "Exemplar",
    "Explanations",
    "Reply",
    "ReplyComment",
]
