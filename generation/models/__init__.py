"""The tables of this app. Each topic has its own module; this package lists them all."""

from generation.models.exchanges import CounterRules, Exchange, Explanations
from generation.models.injection import (
    BY_HAND,
    InjectionBatch,
    InjectionConsent,
    InjectionRules,
    PicturePool,
    PlanRow,
    PoolPicture,
    Sample,
    StoredLook,
    Trigger,
)
from generation.models.replies import Candidate, Comparison, Exemplar, Reply, ReplyComment

__all__ = [
    "BY_HAND",
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
    "StoredLook",
    "Trigger",
]
