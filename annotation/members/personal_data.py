"""What the site keeps about a person, as one JSON value that they can take with them.

No texts or pictures of items, and nothing that somebody else said: items are named by their public ids.
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
    *("username", "email", "first_name", "last_name", "date_joined", "last_login", "theme", "language"),
    *("blur", "blur_strength", "grey", "sepia", "picture_size", "fold_text"),
)
_MEMBERSHIP = (
    *("pseudonym", "annotates", "reviews", "administers", "active", "created_at", "withdrawn_at", "quota"),
    *("severe_a_day", "minutes_a_day", "trained_at", "guideline_read"),
)

Parts = extensions.PersonalData
"""By name: rows, their way to the person's membership, and the columns by name."""

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
            **{name: name for name in ("not_sure", "low_quality", "target_group", "note", "challenges")},
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
            **{name: name for name in ("ruling", "corrections", "target_group", "rationale", "message", "created_at")},
        },
    ),
    "events": (
        Event,
        "actor",
        {"project": "project__slug", "verb": "verb", "at": "at", "item": "item__public_id", "row": "row"},
    ),
}
"""What this app keeps; others register theirs (`Extension.personal_data`)."""


def data_of(user: User) -> dict[str, Any]:
    """Return everything that the site keeps about the person as JSON values; times in ISO 8601, UTC. Fixed queries."""
    members = list(Membership.objects.filter(user=user).select_related("project").order_by("project__slug"))
    agreed = consents_of(members)
    return {
        "format": FORMAT,
        "account": {name: _written(getattr(user, name)) for name in _ACCOUNT},
        "memberships": [
            {"project": member.project.slug, "project_name": member.project.name}
            | {name: _written(getattr(member, name)) for name in _MEMBERSHIP}
            | {"consents": agreed.get(member.pk, [])}
            for member in members
        ],
        **{
            name: _rows(model._default_manager.filter(**{f"{way}__user": user}), columns)
            for name, (model, way, columns) in _all_parts().items()
        },
    }


def counts_of(user: User) -> dict[str, int]:
    """Count what the site keeps about the person, for the page where it can be downloaded."""
    return {
        name: PARTS[name][0]._default_manager.filter(**{f"{PARTS[name][1]}__user": user}).count()
        for name in ("labels", "skips", "events")
    }


def _all_parts() -> Parts:
    """This app's parts and those of the others."""
    found = dict(PARTS)
    for extension in extensions.registered():
        found.update(extension.personal_data)
    return found


def consents_of(members: Iterable[Membership]) -> dict[int, list[dict[str, Any]]]:
    """What each member agreed to and when, oldest first, in the words that stood there; "" stood for the site's own.

    A version from before versions were kept comes without its text (None).
    """
    by_key = {member.pk: member for member in members}
    kept = ConsentText.objects.filter(project__in={member.project_id for member in by_key.values()})
    texts = {(row.project_id, row.version): row for row in kept}
    given = Event.objects.filter(actor__in=by_key, verb=EventVerb.CONSENTED).order_by("pk")
    found: dict[int, list[dict[str, Any]]] = {}
    for actor, at, facts in given.values_list("actor_id", "at", "facts"):
        text = texts.get((by_key[actor].project_id, facts["version"]))
        said = {"text": text.text, "on_withdrawal": text.on_withdrawal} if text else {"text": None}
        found.setdefault(actor, []).append({"version": facts["version"], "at": _written(at), **said})
    return found


def _rows(rows: QuerySet[Any], columns: Mapping[str, str]) -> list[dict[str, Any]]:
    found = []
    for values in rows.order_by("pk").values_list(*columns.values()).iterator(chunk_size=2000):
        row = dict(zip(columns, map(_written, values), strict=True))
        if "in_force" in row:
            row["in_force"] = row["in_force"] is not None
        found.append(row)
    return found


def _written(value: Any) -> Any:
    if isinstance(value, datetime | date):
        return value.isoformat()
    return str(value) if isinstance(value, UUID) else value
