"""The tables of this app. Each topic has its own module; this package lists them all."""

from generation.models.claims import Claim
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
from generation.models.practice import FirstStep, Posting, PostingCheck
from generation.models.replies import (
    Candidate,
    Comparison,
    Exemplar,
    ExemplarVector,
    Reply,
    ReplyComment,
    Scored,
    Submission,
)

__all__ = [
    "BY_HAND",
    "Candidate",
    "Claim",
    "Comparison",
    "CounterRules",
    "Exchange",
    "Exemplar",
    "ExemplarVector",
    "Explanations",
    "FirstStep",
    "InjectionBatch",
    "InjectionConsent",
    "InjectionRules",
    "PicturePool",
    "PlanRow",
    "PoolPicture",
    "Posting",
    "PostingCheck",
    "Reply",
    "ReplyComment",
    "Sample",
    "Scored",
    "StoredLook",
    "Submission",
    "Trigger",
]
