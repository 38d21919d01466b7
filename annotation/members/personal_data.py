"""Everything that the site stores about a person, as one JSON value that they can download.

It contains no texts or pictures of items, and nothing that another person wrote; items are named by their public ids.
While people label, nothing in it tells posts apart: no key of a row, no arm of prior display, times to the second.
"""

from collections.abc import Container, Iterable, Mapping
from datetime import date, datetime
from typing import Any
from uuid import UUID

from django.db.models import Model, QuerySet

from annotation.core import extensions
from annotation.domain.choices import EventVerb
from annotation.members.personal_parts import OWN_FACTS, PARTS, Parts
from annotation.models import Category, ConsentText, Event, Membership, Seat, User

FORMAT = "interplay-personal/1"

_ACCOUNT = (
    *("username", "email", "first_name", "last_name", "date_joined", "last_login", "theme", "language"),
    *("access_mail", "passwords_guessed_at", "codes_guessed_at"),
    *("blur", "blur_strength", "grey", "sepia", "picture_size", "fold_text", "keys", "own_keys", "one_key"),
)
_MEMBERSHIP = (
    *("pseudonym", "annotates", "reviews", "administers", "active", "created_at", "withdrawn_at", "quota"),
    *("severe_a_day", "minutes_a_day", "trained_at", "guideline_read"),
)


def data_of(user: User) -> dict[str, Any]:
    """Return everything that the site stores about the person as JSON values; times in ISO 8601, UTC.

    The number of queries is fixed.
    """
    members = list(Membership.objects.filter(user=user).select_related("project").order_by("project__slug"))
    consents, categories = consents_of(members), _category_names(members)
    closed = {member.project.slug for member in members if member.project.is_closed}
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
            name: _rows(_rows_of(user, model, lookup), columns, categories, closed)
            for name, (model, lookup, columns) in all_parts().items()
        },
    }


def counts_of(user: User) -> dict[str, int]:
    """Count the rows about the person, for the page where they can be downloaded."""
    return {
        name: _rows_of(user, model, lookup).count()
        for name, (model, lookup, _columns) in PARTS.items()
        if name in ("labels", "skips", "events")
    }


def all_parts() -> Parts:
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


def _rows_of(user: User, model: type[Model], lookup: str) -> QuerySet[Any]:
    """Return the rows of a part: the lookup leads to a membership, or to the account itself."""
    leads_to_account = "__" not in lookup and model._meta.get_field(lookup).related_model is User
    return model._default_manager.filter(**{lookup if leads_to_account else f"{lookup}__user": user})


def _category_names(members: Iterable[Membership]) -> dict[tuple[str, int], str]:
    rows = Category.objects.filter(project__in={member.project_id for member in members})
    return {(slug, code): name for slug, code, name in rows.values_list("project__slug", "code", "name")}


def _rows(
    rows: QuerySet[Any],
    columns: Mapping[str, Any],
    categories: Mapping[tuple[str, int], str],
    closed: Container[str],
) -> list[dict[str, Any]]:
    """Return the rows of a part as JSON values; `closed` are the slugs of projects where nobody labels any more."""
    result = []
    order = ("held_at", "public_id") if rows.model is Seat else ("pk",)
    for values in rows.order_by(*order).values_list(*columns.values()).iterator(chunk_size=2000):
        row = dict(zip(columns, map(_written, values), strict=True))
        if "priors_shown" in row:
            row["priors_shown"] = len(row["priors_shown"])
            row["prior_arm"] = row["prior_arm"] if row["project"] in closed else None
        if "in_force" in row:
            row["in_force"] = row["in_force"] is not None
        if "categories" in row:  # codes where there are several, else none
            codes = [categories.get((row["project"], code), code) for code in row["categories"]]
            row["categories"] = codes or ([row["category"]] if row["category"] else [])
        if "facts" in row:
            row["facts"] = {name: row["facts"][name] for name in OWN_FACTS.get(row["verb"], ()) if name in row["facts"]}
        result.append(row)
    return result


def _written(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.replace(microsecond=0).isoformat()
    if isinstance(value, date):
        return value.isoformat()
    return str(value) if isinstance(value, UUID) else value
