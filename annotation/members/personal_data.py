"""Everything that the site stores about a person, as one JSON value that they can download.

It contains no texts or pictures of items, and nothing that another person wrote; items are named by their public ids.
"""

from collections.abc import Iterable, Mapping
from datetime import date, datetime
from typing import Any
from uuid import UUID

from django.db.models import QuerySet

from annotation.core import extensions
from annotation.domain.choices import EventVerb
from annotation.models import (
    Adjudication,
    CheckIn,
    ConsentText,
    Event,
    Guideline,
    Label,
    Membership,
    OptOut,
    SavedSearch,
    Skip,
    TrainingAttempt,
    User,
    WorkDay,
)

FORMAT = "interplay-personal/1"

_ACCOUNT = (
    *("username", "email", "first_name", "last_name", "date_joined", "last_login", "theme", "language", "tours"),
    *("weekly_mail", "weekly_mailed_at", "access_mail"),
    *("blur", "blur_strength", "grey", "sepia", "picture_size", "fold_text"),
)
_MEMBERSHIP = (
    *("pseudonym", "annotates", "reviews", "administers", "active", "created_at", "withdrawn_at", "quota"),
    *("severe_a_day", "minutes_a_day", "trained_at", "guideline_read"),
)

Parts = extensions.PersonalData
"""By name: the model, the lookup of the person's membership, and the columns by name."""

PARTS: Parts = {
    "labels": (
        Label,
        "annotator",
        {
            "project": "item__project__slug",
            "item": "item__public_id",
            "label": "public_id",
            "revision": "revision",
            "in_force": "in_force_at__public_id",
            "category": "category__name",
            "categories": "categories",
            **{name: name for name in ("not_sure", "low_quality", "target_group", "note", "challenges")},
            "answers": "answers",
            **{name: name for name in ("first_answer", "seconds", "reveals", "created_at")},
            "guideline": "guideline__number",
        },
    ),
    "skips": (
        Skip,
        "annotator",
        {"project": "item__project__slug", "item": "item__public_id", "reason": "reason", "created_at": "created_at"},
    ),
    "opt_outs": (
        OptOut,
        "member",
        {
            "project": "member__project__slug",
            "category": "category__name",
            **{name: name for name in ("target_group", "severity", "created_at", "ended_at")},
        },
    ),
    "check_ins": (CheckIn, "member", {"project": "member__project__slug", "day": "day", "mood": "mood", "at": "at"}),
    "work_days": (
        WorkDay,
        "member",
        {
            "project": "member__project__slug",
            **{name: name for name in ("day", "active_seconds", "labels", "skips", "shown", "severe")},
        },
    ),
    "training": (
        TrainingAttempt,
        "member",
        {
            "project": "member__project__slug",
            **{name: name for name in ("number", "started_at", "finished_at", "correct", "answered", "total")},
            "passed": "passed",
        },
    ),
    "searches": (
        SavedSearch,
        "member",
        {"project": "project__slug", "name": "name", "query": "query", "shared": "shared"},
    ),
    "guidelines_written": (
        Guideline,
        "author",
        {"project": "project__slug", "number": "number", "summary": "summary", "created_at": "created_at"},
    ),
    "adjudications": (
        Adjudication,
        "reviewer",
        {
            "project": "item__project__slug",
            "item": "item__public_id",
            "category": "category__name",
            "categories": "categories",
            **{name: name for name in ("ruling", "corrections", "target_group", "rationale", "message", "created_at")},
        },
    ),
    "events": (
        Event,
        "actor",
        {"project": "project__slug", "verb": "verb", "at": "at", "item": "item__public_id", "row": "row"},
    ),
}
"""The rows of this app; other apps register theirs (`Extension.personal_data`)."""


def data_of(user: User) -> dict[str, Any]:
    """Return everything that the site stores about the person as JSON values; times in ISO 8601, UTC.

    The number of queries is fixed.
    """
    members = list(Membership.objects.filter(user=user).select_related("project").order_by("project__slug"))
    consents = consents_of(members)
    return {
        "format": FORMAT,
        "account": {name: _written(getattr(user, name)) for name in _ACCOUNT},
        "memberships": [
            {"project": member.project.slug, "project_name": member.project.name}
            | {name: _written(getattr(member, name)) for name in _MEMBERSHIP}
            | {"consents": consents.get(member.pk, [])}
            for member in members
        ],
        **{
            name: _rows(model._default_manager.filter(**{f"{lookup}__user": user}), columns)
            for name, (model, lookup, columns) in _all_parts().items()
        },
    }


def counts_of(user: User) -> dict[str, int]:
    """Count the rows about the person, for the page where they can be downloaded."""
    return {
        name: PARTS[name][0]._default_manager.filter(**{f"{PARTS[name][1]}__user": user}).count()
        for name in ("labels", "skips", "events")
    }


def _all_parts() -> Parts:
    """Return the parts of this app and of the others."""
    parts = dict(PARTS)
    for extension in extensions.registered():
        parts.update(extension.personal_data)
    return parts


def consents_of(members: Iterable[Membership]) -> dict[int, list[dict[str, Any]]]:
    """Return what each member agreed to and when, oldest first, with the text of that version.

    "" stands for the site's default text; the text is None if the version was not stored.
    """
    by_key = {member.pk: member for member in members}
    consent_texts = ConsentText.objects.filter(project__in={member.project_id for member in by_key.values()})
    texts = {(row.project_id, row.version): row for row in consent_texts}
    events = Event.objects.filter(actor__in=by_key, verb=EventVerb.CONSENTED).order_by("pk")
    consents: dict[int, list[dict[str, Any]]] = {}
    for actor, at, facts in events.values_list("actor_id", "at", "facts"):
        text = texts.get((by_key[actor].project_id, facts["version"]))
        content = {"text": text.text, "on_withdrawal": text.on_withdrawal} if text else {"text": None}
        consents.setdefault(actor, []).append({"version": facts["version"], "at": _written(at), **content})
    return consents


def _rows(rows: QuerySet[Any], columns: Mapping[str, str]) -> list[dict[str, Any]]:
    result = []
    for values in rows.order_by("pk").values_list(*columns.values()).iterator(chunk_size=2000):
        row = dict(zip(columns, map(_written, values), strict=True))
        if "in_force" in row:
            row["in_force"] = row["in_force"] is not None
        result.append(row)
    return result


def _written(value: Any) -> Any:
    if isinstance(value, datetime | date):
        return value.isoformat()
    return str(value) if isinstance(value, UUID) else value
