"""A row of every model: where a world has none, one is made of what its columns allow.

Tests that write hostile texts into all columns begin with it: a column without a row comes on no page.
"""

from typing import Any
from uuid import uuid4

from django.apps import apps
from django.db import models
from django.utils import timezone
from knox.models import AuthToken

from annotation.models import BulkOrder, Figures, SavedSearch
from generation.models import Exchange
from moderation.models import Evaluation, Evidence, EvidenceSegment
from runs.models import Run
from site_objects import A, R, World

WORDS = "Some words."
LEARNT_OF = "openai:gpt-5"
"""The model of which a fact was learnt. A site that asks it (`MODEL_BINDINGS`) shows the fact."""
GIVEN: dict[str, dict[str, Any]] = {
    "GlossaryVersion": {"values": {"meaning": WORDS}},
    "ExemplarVector": {"vector": bytes(8)},
    "ItemVector": {"vector": bytes(8)},
    "Delivery": {"happening": "run.ended"},
    "ModelFact": {"name": LEARNT_OF, "fact": "rejects"},
}
"""What the database or a page asks of a row beyond the kinds of its columns, by model."""


OURS = ("annotation", "moderation", "generation", "runs")
NONE = {"TrainingAnswer", "Comparison", "PurgePermit"}
"""Models whose rows hold no text; rules of the database link their columns."""


def add_missing_rows(world: World) -> None:
    """Make a row of every model that has none, and some that pages show in one state alone."""
    search_for_evidence(world)
    if not AuthToken.objects.exists():
        AuthToken.objects.create(world.members[A].user)
    SavedSearch.objects.create(project=world.project, member=world.members[A], name="mine", query="stage=gold")
    left = [model for app in OURS for model in apps.get_app_config(app).get_models()]
    while left:
        ready = [model for model in left if not ({*_needed(model)} & {*left}) - {model}]
        for model in ready:
            if model.__name__ not in NONE and not model._default_manager.exists():
                model._default_manager.bulk_create([model(**_values(model, world))])
        left = [model for model in left if model not in ready]
    for job in (BulkOrder, Evaluation, Figures):  # what went wrong is shown of a job that failed
        job._default_manager.update(state="failed")
    Exchange.objects.create(project=world.project, pasted=WORDS, description=WORDS)


def search_for_evidence(world: World) -> None:
    """Make a run that found a card, and one that somebody struck."""
    limits = {"call_limit": 1, "token_limit": 1, "seconds_limit": 1}
    run = Run.objects.create(
        method="antihateagent",
        project=world.project.public_id,
        subject=world.item.public_id,
        state="succeeded",
        outcome={"reason": f"{WORDS} [1]", "confidence": 0.5, "hateful": True},
        **limits,
    )
    struck = {"struck_because": WORDS, "struck_at": timezone.now(), "struck_by": world.members[R]}
    for number, state in enumerate(({}, struck), 1):
        card = Evidence.objects.create(
            item=world.item,
            run=run.public_id,
            number=number,
            url=f"https://example.org/{number}",
            title=WORDS,
            text=WORDS,
            query=WORDS,
            fetched_at=timezone.now(),
            sha256="0" * 64,
            **state,
        )
        segment = {"stance": "supports", "relevance": 1, "bearing": WORDS, "quote": WORDS}
        EvidenceSegment.objects.create(evidence=card, start=0, end=1, **segment)


def _needed(model: type[models.Model]) -> list[type[models.Model]]:
    return [field.related_model for field in model._meta.concrete_fields if field.is_relation and not field.null]  # type: ignore[misc]


def _values(model: type[models.Model], world: World) -> dict[str, Any]:
    fields = [field for field in model._meta.concrete_fields if not isinstance(field, models.AutoField)]
    named = {field.name: _value(field, world) for field in fields if not field.null or not field.is_relation}
    return {**named, **GIVEN.get(model.__name__, {})}


def _value(field: "models.Field[Any, Any]", world: World) -> Any:
    public_ids = {"run": world.run, "item": world.item, "subject": world.item, "project": world.project}
    if field.is_relation:
        related: Any = field.related_model
        of_world = {type(row): row for row in (world.item, world.project, world.run, world.members[A], world.picture)}
        return of_world.get(related) or related._default_manager.first()
    if isinstance(field, models.UUIDField):
        return public_ids[field.name].public_id if field.name in public_ids else uuid4()
    if field.choices:
        return next(value for value, _label in field.flatchoices if value != "")
    if isinstance(field, models.DateTimeField):
        return None if field.null else timezone.now()
    if isinstance(field, models.DateField):
        return timezone.now().date()
    if isinstance(field, (models.CharField, models.TextField)):
        return WORDS[: field.max_length or 99]
    if isinstance(field, models.JSONField):
        return field.get_default() if field.has_default() else {"a": [WORDS]}
    return None if field.null else field.get_default() if field.has_default() else 1
