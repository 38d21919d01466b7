"""The rows of moderation: what reviewers store about items and runs. Import them from here."""

from moderation.models.appeals import Appeal, AppealOutcome, Statement
from moderation.models.desk import DeskRules, ItemVector, Lease, Opinion, Proposal, SetAside
from moderation.models.evaluation import Evaluation, EvaluationCase, EvaluationState
from moderation.models.evidence import Document, Evidence, EvidenceSegment, Passage
from moderation.models.perspectives import Example, Perspective
from moderation.models.scores import ExplanationReview, GroupList, Score, ScoreSource, ScoreState

__all__ = (
    "Appeal",
    "AppealOutcome",
    "DeskRules",
    "Document",
    "Evaluation",
    "EvaluationCase",
    "EvaluationState",
    "ExplanationReview",
    "Evidence",
    "EvidenceSegment",
    "GroupList",
    "ItemVector",
    "Lease",
    "Opinion",
    "Passage",
    "Proposal",
    "Score",
    "ScoreSource",
    "ScoreState",
    "SetAside",
    "Statement",
    "Example",
    "Perspective",
)
