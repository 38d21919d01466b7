"""Decide what is done about a post before anybody writes: answer it, report it, support the people meant, leave it."""

from collections.abc import Collection, Iterator
from datetime import datetime
from typing import Any, TypedDict
from uuid import UUID

from annotation.core.transactions import short_transaction
from annotation.domain.choices import Stage
from annotation.domain.one_line import read_line
from annotation.models import Membership, Project, record
from generation.domain.counterspeech.first_step import MOST_NOTE, FirstChoice, StepReason, advised
from generation.domain.event_verbs import GenerationVerb
from generation.models import Exchange, FirstStep
from vocabulary.answers import answer


class FirstStepJson(TypedDict):
    """What was decided about a post, and why; `item` is null for a pasted text.

    `advised` is what the reasons speak for, null without one. People decide.
    """

    id: UUID
    exchange: UUID
    item: str | None
    choice: FirstChoice
    reasons: list[StepReason]
    advised: FirstChoice | None
    note: str | None
    by: str
    at: datetime
    injected: bool


@short_transaction
def decide(
    exchange: Exchange, member: Membership, choice: FirstChoice, reasons: Collection[StepReason] = (), note: str = ""
) -> FirstStep:
    """Store what the member decides about a post. Earlier decisions stay in the record. Raises BadText."""
    step = FirstStep.objects.create(
        exchange=exchange,
        choice=choice,
        reasons=[reason.value for reason in StepReason if reason in reasons],
        note=read_line(note, MOST_NOTE),
        member=member,
    )
    record(GenerationVerb.FIRST_STEP, project=exchange.project, actor=member, item=exchange.item,
           row=exchange.public_id, choice=choice.value, reasons=step.reasons)  # fmt: skip
    return step


def advice(step: FirstStep) -> FirstChoice | None:
    """Return what the reasons of a step speak for. Returns None if it has no reason."""
    return advised([StepReason(reason) for reason in step.reasons])


def rows(project: Project) -> Iterator[dict[str, Any]]:
    """Yield the decisions about posts that were not taken out, oldest first, with people under their pseudonyms."""
    steps = FirstStep.objects.filter(exchange__project=project).exclude(exchange__item__stage=Stage.EXCLUDED)
    for step in steps.select_related("exchange__item", "member").order_by("pk").iterator(chunk_size=500):
        yield {**as_json(step), "post": step.exchange.hate or step.exchange.description}


def as_json(step: FirstStep) -> FirstStepJson:
    """Return a decision as JSON."""
    exchange = step.exchange
    return answer(
        FirstStepJson,
        step,
        id=str(step.public_id),
        exchange=str(exchange.public_id),
        item=exchange.item,
        advised=advice(step),
        by=step.member,
        at=step.created_at.isoformat(),
        injected=exchange.injected,
    )


def counts(project: Project) -> dict[FirstChoice, int]:
    """Return how many posts each choice is in force for."""
    newest: dict[int, str] = dict(
        FirstStep.objects.filter(exchange__project=project)
        .exclude(exchange__item__stage=Stage.EXCLUDED)
        .order_by("pk")
        .values_list("exchange", "choice")
    )
    return {choice: sum(each == choice for each in newest.values()) for choice in FirstChoice}
