"""Earlier decisions about similar posts: the project's adjudicated items with the nearest texts.

Vectors are computed when a page needs them, and stored. The set of items is queried each time, so a decision that was
changed or reopened appears as it is now.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from django.db.models import QuerySet

from annotation.domain.choices import Source, Stage
from annotation.models import Adjudication, Item, Ruling
from moderation.models import ItemVector
from providers import wiring
from providers.vendors.embeddings import Embedder, Vectors
from runs.spending import embedding_budget

Raw: TypeAlias = "bytes | memoryview[int]"

NEAREST = 5
MADE_AT_ONCE = 200
"""The most vectors that one request computes; the next request computes more."""
LOOKED_AT = 20_000
"""The number of newest decided items that are compared."""


@dataclass(frozen=True)
class Neighbour:
    """A decided item, its cosine similarity, and its decision in force."""

    item: Item
    nearness: float
    decision: Adjudication | None


def similar(item: Item, most: int = NEAREST) -> list[Neighbour]:
    """Return the adjudicated items with the nearest texts, nearest first; none for an item without text.

    Raises ProviderError or Refused as the embedding does; vectors that were computed before are kept.
    """
    if not item.text.strip():
        return []
    embedder = embedding_budget.charged_to_project(item.project.public_id, wiring.embedder())
    decided = _decided(item)
    _make_missing([item, *_without_vector(decided, embedder)], embedder)
    rows = list(
        ItemVector.objects.filter(model=embedder.name, item__in=decided.values("pk")[:LOOKED_AT]).values_list(
            "item_id", "vector"
        )
    )
    own = ItemVector.objects.get(item=item, model=embedder.name)
    near = _nearest(_vector(own.vector), rows, most)
    items = {row.pk: row for row in decided.filter(pk__in=[pk for pk, _ in near]).select_related("category")}
    decisions: dict[int, Adjudication] = {}
    rulings = Adjudication.objects.filter(item__in=items, ruling=Ruling.DECIDE)
    for ruling in rulings.select_related("reviewer").order_by("pk"):
        decisions[ruling.item_id] = ruling
    return [Neighbour(items[pk], nearness, decisions.get(pk)) for pk, nearness in near if pk in items]


def _decided(item: Item) -> QuerySet[Item]:
    gold = Item.objects.filter(project=item.project_id, stage=Stage.GOLD, category_source=Source.ADJUDICATED)
    return gold.exclude(pk=item.pk).exclude(text="").order_by("-gold_at", "-pk")


def _without_vector(decided: QuerySet[Item], embedder: Embedder) -> Sequence[Item]:
    return list(decided.exclude(desk_vector__model=embedder.name)[: MADE_AT_ONCE - 1])


def _make_missing(items: Sequence[Item], embedder: Embedder) -> None:
    """Compute and store the missing vectors of these items."""
    stored = set(ItemVector.objects.filter(item__in=items, model=embedder.name).values_list("item_id", "text_sha256"))
    missing = [item for item in items if (item.pk, _digest(item.text)) not in stored]
    if not missing:
        return
    vectors = embedder.embed([item.text for item in missing])
    ItemVector.objects.bulk_create(
        [
            ItemVector(
                item=item,
                model=embedder.name,
                text_sha256=_digest(item.text),
                vector=np.asarray(vector, "<f4").tobytes(),
            )
            for item, vector in zip(missing, vectors, strict=True)
        ],
        update_conflicts=True,
        unique_fields=["item"],
        update_fields=["model", "text_sha256", "vector"],
    )


def _nearest(own: Vectors, rows: Sequence[tuple[int, Raw]], most: int) -> list[tuple[int, float]]:
    alike = [(pk, vector) for pk, raw in rows if (vector := _vector(raw)).shape == own.shape]
    if not alike:
        return []
    nearness = np.stack([vector for _pk, vector in alike]) @ own
    best = sorted(range(len(alike)), key=lambda place: (-float(nearness[place]), alike[place][0]))[:most]
    return [(alike[place][0], float(nearness[place])) for place in best if nearness[place] > 0]


def _vector(raw: Raw) -> Vectors:
    return np.frombuffer(bytes(raw), "<f4")


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
