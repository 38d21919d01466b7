"""The tables of this app. Each topic has its own module; this package lists them all."""

from generation.models.exchanges import CounterRules, Exchange, Explanations
from generation.models.injection import (
    InjectionBatch,
    InjectionConsent,
    InjectionRules,
    PicturePool,
    PlanRow,
    PoolPicture,
    Sample,
    Trigger,
)
from generation.models.replies import Candidate, Comparison, Exemplar, Reply, ReplyComment

__all__ = [
    "Candidate",
    "Comparison",
    "CounterRules",
    "Exchange",
    "Exemplar",
    "Explanations",
    "InjectionBatch",
    "InjectionConsent",
    "InjectionRules",
    "PicturePool",
    "PlanRow",
    "PoolPicture",
    "Reply",
    "ReplyComment",
    "Sample",
    "Trigger",
]
