"""The parts of a person's data export that contain their work as a reviewer or admin of moderation."""

from django.db.models import Case, F, TextField, Value, When
from django.db.models.functions import Coalesce

from annotation.members.personal_parts import Parts, part
from moderation.models import (
    Appeal,
    Document,
    Evaluation,
    Evidence,
    ExplanationReview,
    GroupList,
    Opinion,
    Proposal,
    Score,
    ScoreSource,
    SetAside,
    Statement,
)

_ITEM = {"project": "item__project__slug", "item": "item__public_id"}
_CATEGORY = {"category": "category__name", "categories": "categories"}

PARTS: Parts = {
    "opinions": part(Opinion, "reviewer", "round", "created_at", **_ITEM, category="category__name"),
    "proposals": part(Proposal, "reviewer", "round", "ruling", "rationale", "created_at", **_ITEM, **_CATEGORY),
    # Not the outcome: another reviewer answers it. Nor the category: it is a decision, not the person's.
    "appeals": part(Appeal, "entered_by", "appellant", "grounds", "opened_at", **_ITEM),
    "posts_set_aside": part(SetAside, "by", "note", "at", "until", "ended_at", **_ITEM),
    "posts_assigned": part(SetAside, "reviewer", "at", "until", "ended_at", **_ITEM),
    "statements": part(Statement, "author", "puid", "version", "fields", "created_at", **_ITEM),
    "explanation_reviews": part(
        ExplanationReview,
        "reviewer",
        *("quotes", "group", "hateful", "created_at"),
        project="score__project__slug",
        item="score__item__public_id",
        score="score__public_id",
    ),
    # Explanations of models and of other people are scored too; a pasted one is the person's.
    "scores_started": part(
        Score,
        "created_by",
        *("source", "created_at"),
        **_ITEM,
        explanation=Case(
            When(source=ScoreSource.PASTED, then=F("explanation")), default=Value(""), output_field=TextField()
        ),
    ),
    "group_lists": part(GroupList, "created_by", "name", "groups", "created_at", project="project__slug"),
    "evaluations": part(Evaluation, "started_by", "name", "task", "state", "created_at", project="project__slug"),
    "documents": part(Document, "uploaded_by", "name", "title", "size", "created_at", project="project__slug"),
    "evidence_struck": part(
        Evidence,
        "struck_by",
        project=Coalesce("item__project__slug", "project__slug"),
        item="item__public_id",
        card="public_id",
        reason="struck_because",
        at="struck_at",
    ),
}
"""A reviewer's own views, decisions, appeals, statements and reviews, and what an admin uploaded or started."""
