"""The perspectives of a project: there from the start, changed by its admins, each with a store of examples."""

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
"""What a perspective is in words: a change of one of them makes a new version."""
MOST = 20
"""Perspectives of a project: each is a call in every run."""


class BadPerspective(ValueError):
    """A perspective that cannot be so; the sentence says why."""


def ensure_perspectives(project: Project) -> None:
    """Give the project the five perspectives of the paper if it has none yet; twice at once makes them once."""
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


def copy_perspectives(first: Project, made: Project) -> None:
    """Give a project made like another the same perspectives, switched off ones too; their examples stay behind.

    Examples are brought in like posts are: a vendor's embedding of them is paid for by the project that does so.
    """
    words = [*WORDS, "code", "order", "active"]
    Perspective.objects.bulk_create(
        Perspective(project=made, **row) for row in Perspective.objects.filter(project=first).values(*words)
    )


def active_perspectives(project: Project) -> tuple[PerspectiveValue, ...]:
    """Return the project's active perspectives in their order; the paper's, not stored yet, if it has none."""
    rows = list(Perspective.objects.filter(project=project))
    return tuple(each.value() for each in rows if each.active) if rows else SEEDED


def stored_perspectives(project: Project) -> tuple[PerspectiveValue, ...]:
    """Return the project's active perspectives in their order, and store the paper's first if it has none."""
    ensure_perspectives(project)
    return active_perspectives(project)


def add_perspective(project: Project, code: str, words: Mapping[str, str], actor: Membership) -> Perspective:
    """Add a perspective, last in the order.

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
        made = Perspective.objects.create(project=project, code=code, order=last + 1, **words)
        record(
            ModerationVerb.PERSPECTIVE_ADDED,
            project=project,
            actor=actor,
            row=made.public_id,
            code=code,
            words=dict(words),
        )
    return made


def change_perspective(
    perspective: Perspective, words: Mapping[str, str], order: int, actor: Membership, *, version: int
) -> Perspective:
    """Change the words or the place; what the words were stays in the project's events.

    `version` is the one that the admin saw: where somebody was faster, nothing changes. Raises BadPerspective.
    """
    _check(words)
    with transaction.atomic():
        found = Perspective.objects.select_for_update().get(pk=perspective.pk)
        if found.version != version:
            raise BadPerspective(_("Somebody changed this perspective meanwhile: look at their words first."))
        changed = {name: words[name] for name in WORDS if getattr(found, name) != words[name]}
        before = {name: getattr(found, name) for name in changed}
        for name, text in changed.items():
            setattr(found, name, text)
        if found.order != order:
            before["order"], changed["order"] = str(found.order), str(order)
            found.order = order
        found.version += any(name in changed for name in WORDS)
        if changed:
            found.save(update_fields=[*WORDS, "order", "version"])
            record(
                ModerationVerb.PERSPECTIVE_CHANGED,
                project=found.project,
                actor=actor,
                row=found.public_id,
                code=found.code,
                version=found.version,
                before=before,
                after=changed,
            )
    return found


def switch_perspective(perspective: Perspective, active: bool, actor: Membership) -> None:
    """Let the perspective take part in debates, or not."""
    if Perspective.objects.filter(pk=perspective.pk, active=not active).update(active=active):
        verb = ModerationVerb.PERSPECTIVE_SWITCHED_ON if active else ModerationVerb.PERSPECTIVE_SWITCHED_OFF
        record(verb, project=perspective.project, actor=actor, row=perspective.public_id, code=perspective.code)


def _check(words: Mapping[str, str]) -> None:
    if words["hateful_label"].casefold() == words["other_label"].casefold():
        raise BadPerspective(_("The two labels need two names."))


# ── Examples ──────────────────────────────────────────────────────────────────


def renew_store(perspective: Perspective) -> None:
    """Note that the examples have changed; in the caller's transaction."""
    now = Value(int(time.time() * 1000))
    Perspective.objects.filter(pk=perspective.pk).update(store=Greatest(F("store") + 1, now))


def remove_examples(perspective: Perspective, source: str, actor: Membership) -> int:
    """Remove the examples that came from this source; how many."""
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
    """Return the files of a perspective's examples; write them from the database if they are missing.

    If the requested version is gone, the current one is returned.

    Returns None if the perspective has no examples.
    """
    if not store:
        return None
    root = settings.EXAMPLES_FOLDER
    if found := example_store.store_at(root, perspective, store):
        return found
    row = Perspective.objects.filter(public_id=perspective).first()
    if row is None or not row.store:
        return None
    if found := example_store.store_at(root, perspective, row.store):
        return found
    example_store.forget_others(root, [str(each) for each in Perspective.objects.values_list("public_id", flat=True)])
    rows = Example.objects.filter(perspective=row).values_list("id", "text", "hateful", "digest")
    return example_store.write_store(root, perspective, row.store, rows.iterator(chunk_size=5000))


def embed_examples(
    perspective: Perspective, watch: Callable[[int, int], None], embedder: Embedder | None = None
) -> Any:
    """Make a store's vectors now, so that the first run need not; None where it has no examples."""
    perspective.refresh_from_db(fields=["store"])
    store = example_store_of(str(perspective.public_id), perspective.store)
    if store is not None:
        paid = embedding_budget.charged_to_project(perspective.project.public_id, embedder or wiring.embedder())
        store.prepare(paid, watch)
    return store
