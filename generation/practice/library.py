"""The library: approved and imported replies, found by meaning, target, theme and language, and when each was checked.

Meaning is the site's embedding (MODEL_EMBEDDING) of post and reply together. Vectors are computed when a search needs
them, and stored.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TypedDict

import numpy as np
from django.db.models import Q, QuerySet
from django.utils import timezone

from annotation.core.transactions import short_transaction
from annotation.domain.choices import Stage
from annotation.domain.releases.languages import language_of
from annotation.models import Membership, Project, record
from generation.counterspeech import replies
from generation.domain.counterspeech.intents import Intent
from generation.domain.counterspeech.registers import Register
from generation.domain.event_verbs import GenerationVerb
from generation.models import Exchange, Exemplar, ExemplarVector, Reply
from providers import wiring
from providers.vendors.embeddings import Embedder
from runs.spending import embedding_budget
from vocabulary.answers import answer

UNUSED_FOR = timedelta(days=30)
"""A reply that was neither posted nor taken up for so long counts as not used lately."""
CHECKED_FOR = timedelta(days=365)
"""After so long a reply has to be checked again: its facts may be out of date."""
LOOKED_AT = 2000
"""The number of newest rows that a search looks at."""
SHOWN = 50
MADE_AT_ONCE = 500
"""The most vectors that one search computes; the next one computes more."""


@dataclass(frozen=True)
class Wish:
    """What somebody looks for; what is empty or False does not count."""

    text: str = ""
    group: str = ""
    theme: str = ""
    language: str = ""
    unused: bool = False


class LibraryEntry(TypedDict):
    """A reply of the library. `is_old`: nobody has checked it for a year. `intent` is null where a file named none."""

    id: str
    post: str
    text: str
    intent: Intent | None
    registers: list[Register]
    target_group: str | None
    theme: str | None
    language: str | None
    nearness: float | None
    imported: bool
    injected: bool
    source: str | None
    checked_at: datetime
    checked_by: str | None
    is_old: bool
    used_at: datetime | None


@dataclass(frozen=True)
class Entry:
    """A row of the library; `nearness` is the cosine to the text that was looked for, None without one."""

    row: Exemplar
    language: str | None
    nearness: float | None
    now: datetime

    @property
    def group(self) -> str:
        """Whom its post is about."""
        return self.row.reply.exchange.target_group if self.row.reply else self.row.hs_type

    @property
    def theme(self) -> str:
        """What its post says of them."""
        return self.row.reply.exchange.theme if self.row.reply else self.row.hs_sub_type

    @property
    def checked_at(self) -> datetime:
        """When somebody last checked it; its approval or import counts as a check."""
        return self.row.checked_at or self.row.created_at

    @property
    def is_old(self) -> bool:
        """Whether it has to be checked again."""
        return self.now - self.checked_at >= CHECKED_FOR


def find(project: Project, wish: Wish) -> list[Entry]:
    """Return the rows that somebody looks for: the nearest first, or the newest. At most `SHOWN`.

    Raises ProviderError or Refused as the embedding does.
    """
    now = timezone.now()
    rows = list(_chosen(project, wish, now)[:LOOKED_AT])
    languages = {row.pk: language_of(row.text) for row in rows} if wish.language else {}
    rows = [row for row in rows if not wish.language or languages[row.pk] == wish.language]
    nearness = _nearness(project, wish.text, rows) if wish.text.strip() else {}
    if wish.text.strip():
        rows = sorted((row for row in rows if row.pk in nearness), key=lambda row: (-nearness[row.pk], -row.pk))
    return [Entry(row, language_of(row.text), nearness.get(row.pk), now) for row in rows[:SHOWN]]


@short_transaction
def check(row: Exemplar, member: Membership) -> None:
    """Write down that the member checked the row now: that it still holds."""
    Exemplar.objects.filter(pk=row.pk).update(checked_at=timezone.now(), checked_by=member)
    record(GenerationVerb.LIBRARY_CHECKED, project=row.project, actor=member, entry=row.external_id)


@short_transaction
def take_up(row: Exemplar, exchange: Exchange, member: Membership) -> Reply:
    """Begin a reply to a post with the words of a row. It counts as used from now on. Raises CannotDo, BadText."""
    intent = Intent(row.intent) if row.intent else Intent.POSITIVE
    reply = replies.begin(exchange, member, intent)
    reply = replies.write(reply, member, row.text, intent, reply.version, row.registers)
    Exemplar.objects.filter(pk=row.pk).update(used_at=timezone.now())
    return reply


def row_of(project: Project, name: str) -> Exemplar | None:
    """Return the row with this id. Returns None if there is none that is shown."""
    return _visible(project).filter(external_id=name).first()


def entry_of(project: Project, name: str) -> Entry:
    """Return the row with this id as the library shows it. Raises Exemplar.DoesNotExist."""
    row = _visible(project).get(external_id=name)
    return Entry(row, language_of(row.text), None, timezone.now())


def as_json(entry: Entry) -> LibraryEntry:
    """Return a row as JSON."""
    row = entry.row
    return answer(
        LibraryEntry,
        row,
        id=row.external_id,
        post=row.hate,
        target_group=entry.group or None,
        theme=entry.theme or None,
        language=entry.language,
        nearness=None if entry.nearness is None else round(entry.nearness, 4),
        imported=row.reply_id is None,
        injected=row.reply is not None and row.reply.exchange.injected,
        checked_at=entry.checked_at.isoformat(),
        is_old=entry.is_old,
        used_at=row.used_at.isoformat() if row.used_at else None,
    )


def _visible(project: Project) -> QuerySet[Exemplar]:
    rows = Exemplar.objects.filter(project=project).exclude(reply__exchange__item__stage=Stage.EXCLUDED)
    return rows.select_related("project", "reply__exchange__item", "checked_by").order_by("-pk")


def _chosen(project: Project, wish: Wish, now: datetime) -> QuerySet[Exemplar]:
    rows = _visible(project)
    if wish.group:
        of_item = Q(reply__exchange__item__target_group__icontains=wish.group)
        rows = rows.filter(
            of_item | Q(reply__exchange__group_named__icontains=wish.group) | Q(hs_type__icontains=wish.group)
        )
    if wish.theme:
        rows = rows.filter(Q(reply__exchange__theme__icontains=wish.theme) | Q(hs_sub_type__icontains=wish.theme))
    if wish.unused:
        rows = rows.filter(Q(used_at=None) | Q(used_at__lt=now - UNUSED_FOR))
    return rows


def _nearness(project: Project, text: str, rows: Sequence[Exemplar]) -> dict[int, float]:
    """Return the cosine of each row to a text, by its key; rows that share nothing with it are left out."""
    embedder = embedding_budget.charged_to_project(project.public_id, wiring.embedder())
    _make_missing(rows, embedder)
    stored = ExemplarVector.objects.filter(model=embedder.name, exemplar__in=[row.pk for row in rows])
    (own,) = embedder.embed([text])
    query = np.asarray(own, "<f4")
    found = {key: np.frombuffer(bytes(raw), "<f4") for key, raw in stored.values_list("exemplar", "vector")}
    near = {key: float(vector @ query) for key, vector in found.items() if vector.shape == query.shape}
    return {key: cosine for key, cosine in near.items() if cosine > 0}


def _make_missing(rows: Sequence[Exemplar], embedder: Embedder) -> None:
    """Compute and store the missing vectors of these rows."""
    stored = set(
        ExemplarVector.objects.filter(model=embedder.name, exemplar__in=[row.pk for row in rows]).values_list(
            "exemplar", flat=True
        )
    )
    missing = [row for row in rows if row.pk not in stored][:MADE_AT_ONCE]
    if not missing:
        return
    vectors = embedder.embed([f"{row.hate}\n{row.text}" for row in missing])
    ExemplarVector.objects.bulk_create(
        [
            ExemplarVector(exemplar=row, model=embedder.name, vector=np.asarray(vector, "<f4").tobytes())
            for row, vector in zip(missing, vectors, strict=True)
        ],
        update_conflicts=True,
        unique_fields=["exemplar"],
        update_fields=["model", "vector"],
    )
