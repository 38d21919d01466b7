"""The perspectives of a project: created with it, changed by its admins, each with a store of examples."""

import time
from collections.abc import Callable, Mapping
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import F, Value
from django.db.models.functions import Greatest
from django.utils.translation import gettext as _

from annotation.models import Membership, Project, record
from moderation.domain.event_verbs import ModerationVerb
from moderation.domain.predict.perspectives import CODE, SEEDED
from moderation.domain.predict.perspectives import Perspective as PerspectiveValue
from moderation.models import Example, Perspective
from moderation.perspectives import example_store
from providers import wiring
from providers.vendors.embeddings import Embedder
from runs.spending import embedding_budget

WORDS = ("name", "criteria", "hateful_label", "other_label")
"""The texts of a perspective; a change of one of them makes a new version."""
MOST = 20
"""The most perspectives of a project; each takes a call in every run."""


class BadPerspective(ValueError):
    """A perspective that is not allowed; the message says why."""


def ensure_perspectives(project: Project) -> None:
    """Give the project the paper's five perspectives if it has none; two calls at once create them only once."""
    if Perspective.objects.filter(project=project).exists():
        return
    rows = [
        Perspective(
            project=project,
            code=seed.code,
            name=seed.name,
            criteria=seed.criteria,
            hateful_label=seed.hateful_label,
            other_label=seed.other_label,
            order=number,
        )
        for number, seed in enumerate(SEEDED, 1)
    ]
    Perspective.objects.bulk_create(rows, ignore_conflicts=True)


def copy_perspectives(first: Project, clone: Project) -> None:
    """Copy the perspectives to a project that was made from `first`, also inactive ones, but without their examples.

    Examples are imported as posts are: the project that imports them pays for a vendor's embeddings.
    """
    words = [*WORDS, "code", "order", "active"]
    Perspective.objects.bulk_create(
        Perspective(project=clone, **row) for row in Perspective.objects.filter(project=first).values(*words)
    )


def active_perspectives(project: Project) -> tuple[PerspectiveValue, ...]:
    """Return the project's active perspectives in their order; if it has none, the paper's, without storing them."""
    rows = list(Perspective.objects.filter(project=project))
    return tuple(row.value() for row in rows if row.active) if rows else SEEDED


def stored_perspectives(project: Project) -> tuple[PerspectiveValue, ...]:
    """Return the project's active perspectives in their order; if it has none, store the paper's first."""
    ensure_perspectives(project)
    return active_perspectives(project)


def add_perspective(project: Project, code: str, words: Mapping[str, str], actor: Membership) -> Perspective:
    """Add a perspective at the end of the order.

    Raises BadPerspective.
    """
    if not CODE.fullmatch(code):
        raise BadPerspective(_("A code is made of a-z, 0-9 and hyphens, 40 at most."))
    _check(words)
    with transaction.atomic():
        Project.objects.select_for_update().get(pk=project.pk)
        others = Perspective.objects.filter(project=project)
        if others.filter(code=code).exists():
            raise BadPerspective(_("There is a perspective %(code)s already.") % {"code": code})
        if others.count() >= MOST:
            raise BadPerspective(_("A project has at most %(most)d perspectives.") % {"most": MOST})
        last = others.order_by("-order").values_list("order", flat=True).first() or 0
        perspective = Perspective.objects.create(project=project, code=code, order=last + 1, **words)
        record(
            ModerationVerb.PERSPECTIVE_ADDED,
            project=project,
            actor=actor,
            row=perspective.public_id,
            code=code,
            words=dict(words),
        )
    return perspective


def change_perspective(
    perspective: Perspective, words: Mapping[str, str], order: int, actor: Membership, *, version: int
) -> Perspective:
    """Change the texts or the place of a perspective; the project's events keep the earlier texts.

    `version` is the one that the admin saw; if somebody has changed it since, nothing changes.

    Raises BadPerspective.
    """
    _check(words)
    with transaction.atomic():
        locked = Perspective.objects.select_for_update().get(pk=perspective.pk)
        if locked.version != version:
            raise BadPerspective(_("Somebody changed this perspective in the meantime: read their version first."))
        changed = {name: words[name] for name in WORDS if getattr(locked, name) != words[name]}
        before = {name: getattr(locked, name) for name in changed}
        for name, text in changed.items():
            setattr(locked, name, text)
        if locked.order != order:
            before["order"], changed["order"] = str(locked.order), str(order)
            locked.order = order
        locked.version += any(name in changed for name in WORDS)
        if changed:
            locked.save(update_fields=[*WORDS, "order", "version"])
            record(
                ModerationVerb.PERSPECTIVE_CHANGED,
                project=locked.project,
                actor=actor,
                row=locked.public_id,
                code=locked.code,
                version=locked.version,
                before=before,
                after=changed,
            )
    return locked


def switch_perspective(perspective: Perspective, active: bool, actor: Membership) -> None:
    """Make the perspective active or inactive in debates."""
    if Perspective.objects.filter(pk=perspective.pk, active=not active).update(active=active):
        verb = ModerationVerb.PERSPECTIVE_SWITCHED_ON if active else ModerationVerb.PERSPECTIVE_SWITCHED_OFF
        record(verb, project=perspective.project, actor=actor, row=perspective.public_id, code=perspective.code)


def _check(words: Mapping[str, str]) -> None:
    if words["hateful_label"].casefold() == words["other_label"].casefold():
        raise BadPerspective(_("The two labels need two names."))


# ── Examples ──────────────────────────────────────────────────────────────────


def renew_store(perspective: Perspective) -> None:
    """Record that the examples have changed. Call it inside the transaction of the change."""
    now = Value(int(time.time() * 1000))
    Perspective.objects.filter(pk=perspective.pk).update(store=Greatest(F("store") + 1, now))


def remove_examples(perspective: Perspective, source: str, actor: Membership) -> int:
    """Remove the examples of this source. Return their number."""
    if "\x00" in source:  # PostgreSQL stores and compares none
        return 0
    with transaction.atomic():
        removed, _rows = Example.objects.filter(perspective=perspective, source=source).delete()
        if removed:
            renew_store(perspective)
            record(
                ModerationVerb.EXAMPLES_REMOVED,
                project=perspective.project,
                actor=actor,
                row=perspective.public_id,
                code=perspective.code,
                source=source,
                examples=removed,
            )
    return removed


def example_store_of(perspective: str, store: int) -> example_store.ExampleStore | None:
    """Return the files of a perspective's examples; if they are missing, write them from the database.

    If the requested version is gone, return the current one.

    Returns None if the perspective has no examples.
    """
    if not store:
        return None
    root = settings.EXAMPLES_FOLDER
    if files := example_store.store_at(root, perspective, store):
        return files
    row = Perspective.objects.filter(public_id=perspective).first()
    if row is None or not row.store:
        return None
    if files := example_store.store_at(root, perspective, row.store):
        return files
    example_store.forget_others(
        root, [str(public_id) for public_id in Perspective.objects.values_list("public_id", flat=True)]
    )
    rows = Example.objects.filter(perspective=row).values_list("id", "text", "hateful", "digest")
    return example_store.write_store(root, perspective, row.store, rows.iterator(chunk_size=5000))


def embed_examples(
    perspective: Perspective, watch: Callable[[int, int], None], embedder: Embedder | None = None
) -> Any:
    """Compute a store's vectors now, so that the first run need not do it.

    Returns None if the perspective has no examples.
    """
    perspective.refresh_from_db(fields=["store"])
    store = example_store_of(str(perspective.public_id), perspective.store)
    if store is not None:
        paid = embedding_budget.charged_to_project(perspective.project.public_id, embedder or wiring.embedder())
        store.prepare(paid, watch)
    return store
