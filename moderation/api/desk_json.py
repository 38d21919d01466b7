"""Decisions and appeals as the API shows them."""

from typing import Any

from annotation.models import Adjudication
from moderation.models import Appeal


def decision_json(adjudication: Adjudication) -> dict[str, Any]:
    """Return a decision as the API shows it."""
    return {
        "id": adjudication.public_id,
        "item": adjudication.item.public_id,
        "ruling": adjudication.ruling,
        "category": adjudication.category.code if adjudication.category else None,
        "categories": adjudication.categories,
        "target_group": adjudication.target_group,
        "rationale": adjudication.rationale,
        "message": adjudication.message,
        "drafted_from": adjudication.drafted_from,
        "round": adjudication.round,
        "reviewer": str(adjudication.reviewer) if adjudication.reviewer else None,
        "at": adjudication.created_at,
    }


def appeal_json(appeal: Appeal) -> dict[str, Any]:
    """Return an appeal as the API shows it."""
    return {
        "id": appeal.public_id,
        "item": appeal.item.public_id,
        "against": appeal.against.public_id if appeal.against else None,
        "category": appeal.category.code if appeal.category else None,
        "categories": appeal.categories,
        "appellant": appeal.appellant,
        "grounds": appeal.grounds,
        "opened_at": appeal.opened_at,
        "outcome": appeal.outcome or None,
        "answer": appeal.answer.public_id if appeal.answer else None,
        "closed_at": appeal.closed_at,
    }
